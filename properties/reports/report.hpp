// What a verdict says, once, for every form it is printed in. Checked by: properties/oracle/oracle_test.py.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "explain/diagnosis.hpp"
#include "explain/outside.hpp"
#include "explain/where.hpp"
#include "judge/counterexample.hpp"
#include "judge/run.hpp"
#include "session/breakdown.hpp"
#include "session/exit_codes.hpp"
#include "session/known_failing.hpp"
#include "session/names.hpp"
#include "session/options.hpp"

namespace backoff::reports {

struct claim_line {
  claims::claim_text const* claim;
  std::uint64_t at_stake;
  bool broken;
  bool shown;                  // where broken: as a finding of its own
  bool known;                  // it fails where it is known to
  std::string follows_from{};  // where broken: the claim whose break explains it
  std::string told_with{};     // where broken: the claim of the same rule whose finding names it
};

struct reading_line {
  std::string name;
  std::vector<std::string> left;     // surviving admitted alternatives
  std::vector<std::string> hazards;  // hazards that the answers do not refute
  bool is_asked = true;              // not of how draws are mapped where the port makes its own
};

struct table_row {
  std::size_t step;
  std::string call;
  struct argument {
    std::string_view name;
    std::string text;
    bool is_draw;
  };
  std::vector<argument> with;
  std::string admitted;
  std::string port;
  bool breaks;
};

struct shown_history {
  std::string vector;  // its id, where it is one of the vectors that were answered
  std::string parameters;
  std::vector<table_row> rows;
};

// The column of a table that holds the arguments of its calls: what stands above it, empty where no call has any; and a
// row's. Draws alone need no names.
std::string_view head_of_arguments(shown_history const& h) noexcept;
std::string arguments_text(table_row const& row, std::string_view head);

// What the draws of many histories showed, where no history alone does.
struct sampled_finding {
  std::uint64_t draws;
  std::string windows;  // the parameters of the last history, and its calls
  std::string found;
  std::string test;
  double odds;                  // the logarithm of how much more likely the draws are where the claim is false
  std::uint64_t all_draws = 0;  // those that came later too
  std::vector<double>
      sixteenths{};        // of these: the share of each sixteenth of the window, if the finding is about them
  std::string probably{};  // what the port does, if the ends between which all draws lie say it
};

// What is known of a run beside what was judged: where each claim breaks; what becomes of the port outside all of that;
// what explains all answers.
struct explanations {
  // Of all findings that fail; empty where one of them has no region, and is broken anywhere.
  [[nodiscard]] std::vector<std::vector<explain::constraint>> regions_of(
      histories::shape const& s, std::vector<judge::counterexample> const& shown) const;
  // That of the claim's regions which the finding is about: the first that its last history is in. None: there is none.
  [[nodiscard]] explain::tested_region const* region_of(histories::shape const& s,
                                                        judge::counterexample const& shown) const;

  std::map<unsigned, std::vector<explain::tested_region>> regions{};
  // Broken claims that another finding explains: all of them where one fault explains all answers; or those that break
  // only where an instance depends on another one, or a cycle on the one before, where that is a finding.
  struct folded {
    judge::counterexample shown;
    unsigned into;  // the claim of that finding
  };
  std::vector<folded> dependent{};
  std::set<unsigned> cut_short{};  // claims whose regions were looked for until the time for it was over
  std::optional<explain::outside> outside{};
  bool outside_cut_short = false;  // in the same way
  std::optional<explain::probable> diagnosis{};
  std::vector<std::optional<explain::probable>> apart{};  // of each finding, where nothing explains all

  // Takes the dependent ones out of the findings, once the regions are known.
  void fold(judge::run const& judged, std::vector<judge::counterexample>& shown);

  // Looks for those, once the regions are known: `diagnosed` says what explains all answers outside of some regions.
  void tell_apart(histories::shape const& s, std::vector<judge::counterexample> const& shown,
                  std::function<std::optional<explain::probable>(
                      std::vector<std::vector<explain::constraint>> const& elsewhere)> const& diagnosed);
};

// A broken claim that a finding of the same rule names.
struct rule_part {
  std::string claim;
  std::uint64_t histories;
};

struct finding {
  std::string claim;
  std::string sentence;
  std::string strength;
  bool fails;
  std::uint64_t histories;
  std::vector<std::string> requirements;
  std::vector<std::string> reading;  // non-canonical alternatives under which it is shown
  std::vector<std::string> excuses;  // those that would make the port right
  std::vector<std::string> fits;     // where there are none: those that would make it right on what is shown
  std::string why;                   // what the port said of an error or a rejection
  std::vector<shown_history> shown;
  bool each_fits_some = false;  // whether each of them, without the others, has an admitted reading that fits
  std::optional<sampled_finding> sampled;  // then there is no history to be shown
  judge::how_shown how;
  judge::tries again{};  // none where each of them showed it: it is no matter of chance
  std::string token;
  std::string file{};  // of the working directory, with the token: it is too long for a line
  std::string json;
  std::vector<std::string> pinned{};               // readings without which these histories may be read otherwise
  std::string rule;                                // that the claim is a part of
  std::vector<rule_part> same_rule;                // other broken parts of it
  std::vector<std::string> consequences;           // claims that break only where this one has broken
  bool cut_short = false;                          // shrinking ended because its time was over
  std::optional<explain::tested_region> region{};  // where it was looked for
  bool region_cut_short = false;                   // the search for it ended because its time was over
  std::size_t regions = 0;                         // of the claim, each with a finding or told by another one
  std::optional<explain::probable> diagnosis{};    // of what breaks here, where no diagnosis explains all
};

struct shown_breakdown {
  std::string what;
  std::string stderr_tail;
  std::string where;  // what such histories have in common; empty: unknown
  std::optional<shown_history> shown;
  bool cut_short;  // shrinking it ended because its time was over
  std::string token;
  std::string file{};  // as that of a finding
};

// How uneven mapping draws by remainder makes a window of so many values: the likeliest are drawn 1 + excess times as
// often as the others; absent: some never are. No document says how a draw is mapped, so this is reported and is no
// fault.
struct remainder_bias {
  std::uint64_t window;
  std::optional<double> excess;
};

// How the program was called, for a replay line that can be pasted.
struct invocation {
  std::string program;
  std::vector<std::string> options;  // those that a replay needs too
  std::vector<std::string> command;
  std::uint64_t seed = 0;
  std::uint64_t cases = 0;
  bool command_follows = true;  // not where the options say what the port is
  shard part{};
  bool interrupted = false;
  bool out_of_time = false;  // which is an interruption
  bool cut_short = false;    // by that or by anything else
  std::vector<known_failing::line> known{};
  // Where vectors were answered elsewhere (the command names the files): the id of one.
  std::function<std::string(histories::history const&)> vector_id{};
  std::vector<std::string> ranges{};  // that narrow what the port says that it takes
  bool in_process = false;            // no program was called: a replay is an option of the same call
};

struct report {
  judge::run const* judged;
  invocation called;
  std::vector<claim_line> claims;
  std::vector<reading_line> readings;
  std::vector<finding> findings;
  std::vector<std::string> also_broken;  // neither findings nor named by one
  std::vector<std::string> not_checked;
  std::vector<remainder_bias> uneven;  // where the port is known to map its draws so
  std::vector<shown_breakdown> broke;
  std::vector<known_failing::line> excused;  // of the known failures, those that were seen
  std::vector<known_failing::line> stale;    // and those that were not, in a run that could have shown them
  exit_code ends_with;
  std::optional<explain::probable> diagnosis{};
  std::optional<explain::outside> outside{};  // where the port conforms although it has findings
  bool outside_cut_short = false;             // the search for that ended because its time was over
  std::string unwritten{};                    // why a file that holds a part of the report is not there
};

// Whether there is nothing to tell readings apart by.
[[nodiscard]] bool answered_nothing(report const& r) noexcept;

[[nodiscard]] report make_report(judge::run const& judged, std::vector<judge::counterexample> const& shown,
                                 std::vector<broken_port> broke, invocation called, explanations const& explained = {});

// The line that shows a finding on the judged port again, quoted for a shell.
[[nodiscard]] std::string replay_line(report const& r, finding const& f);
[[nodiscard]] std::string replay_line(report const& r, shown_breakdown const& b);

// One table a history: what the document admits at each step under the assignment, and what the port answered.
[[nodiscard]] shown_history show_history(judge::run const& judged, judge::evidence const& e, spec::cube assignment);
// The same without a run: the answers of one port that draws so; rows that break one of these claims are marked.
[[nodiscard]] shown_history show_history(judge::judged_system const& system, histories::draw_source const& draws,
                                         judge::claim_mask claims, judge::evidence const& e, spec::cube assignment);
// What becomes of the text on a terminal; elsewhere it has the same bytes everywhere.
struct look {
  [[nodiscard]] std::size_t width() const noexcept { return columns == 0 ? 100 : columns; }

  std::size_t columns = 0;  // of the terminal; 0: it goes elsewhere
  bool colour = false;
};

// The text in lines of at most `width`, those after the first behind `indent` spaces, where it begins.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t indent, std::size_t width);

// It as lines of a terminal, indented by four spaces; a long one is cut in the middle.
[[nodiscard]] std::string table_text(shown_history const& h, look const& seen = {});

// A part of the text; `kept`: it stays whole where the text is cut, not only its first and its last line.
struct text_part {
  std::string text;
  bool kept = false;
};
// The last one is the verdict line.
[[nodiscard]] std::vector<text_part> text_parts_of(report const& r, look const& seen = {});
[[nodiscard]] std::string to_text(report const& r, look const& seen = {});
// Its last line.
[[nodiscard]] std::string verdict_line(report const& r, look const& seen = {});
// What a port wrote, each line marked so that none is taken for one of ours.
[[nodiscard]] std::string quoted_lines(std::string_view text);
// What is said of a claim that is not broken: known, inside or holds.
[[nodiscard]] std::string_view unbroken_word(report const& r, claim_line const& line) noexcept;
// Whether a claim fails where it is known to.
[[nodiscard]] bool is_known_to_fail(report const& r, unsigned claim) noexcept;
// One finding as the text has it.
[[nodiscard]] std::string finding_text(report const& r, finding const& f, std::size_t number);
// What the port probably does, and how much that explains.
[[nodiscard]] std::string diagnosis_text(report const& r, explain::probable const& d);
// Where the port conforms: conforms where base_ms <= max_ms: 1000 of 1000 fresh histories there. Empty where nothing is
// known of that.
[[nodiscard]] std::string outside_text(report const& r);
// Where a finding's claim breaks and where it holds, with the counts: breaks where A and B: 500 of 500 tried; … Empty
// where that was not looked for.
[[nodiscard]] std::string region_text(report const& r, finding const& f);
// What is not checked about a claim that no answer tells of.
[[nodiscard]] std::string untold(histories::shape const& s, claims::claim_text const& claim);
// The end of the sentence that lists the claims which a finding explains: one claim or several.
[[nodiscard]] std::string_view are_accounted_for(std::size_t claims) noexcept;
// Odds that are given as a logarithm.
[[nodiscard]] std::string odds_text(double log_odds);
// How often it showed again, where that is a matter of chance; empty where it is not.
[[nodiscard]] std::string again_text(report const& r, finding const& f);
// What its histories are: history where they are those that were found, else the smallest.
[[nodiscard]] std::string_view history_word(finding const& f) noexcept;
// Why a finding was not shown again.
[[nodiscard]] std::string_view as_seen_text(finding const& f) noexcept;
// Which other parts of the finding's rule are broken; empty where none is.
[[nodiscard]] std::string also_of_its_rule(finding const& f);
// The last line of the text, without "verdict: ".
[[nodiscard]] std::string verdict_text(report const& r);

// Which options make the verdict another than that of a plain run, each after a semicolon.
[[nodiscard]] std::string options_text(judge::run_options const& options);
// base_ms=2 max_ms=5
[[nodiscard]] std::string parameters_text(histories::shape const& s, histories::history const& h);
// 4 · 0..5 · [0, 5] · 0.25: what one field admits.
[[nodiscard]] std::string admitted_text(histories::shape const& s, std::size_t field, spec::admissible const& a);
// The answer to a call in short: its number, or its word where it has none.
[[nodiscard]] std::string answer_text(histories::shape const& s, spec::expectation const& admitted);

}  // namespace backoff::reports
