// What a verdict says, once, for every form it is printed in. Checked by: properties/oracle/oracle_test.py.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "explain/diagnosis.hpp"
#include "explain/outside.hpp"
#include "explain/where.hpp"
#include "judge/counterexample.hpp"
#include "judge/run.hpp"
#include "reports/explanations.hpp"
#include "reports/history_table.hpp"
#include "session/breakdown.hpp"
#include "session/exit_codes.hpp"
#include "session/known_failing.hpp"
#include "session/options.hpp"

namespace backoff::reports {

struct claim_line {
  claims::claim_text const* claim;
  std::uint64_t at_stake;
  bool broken;
  bool shown;                  // where broken: as a finding of its own
  bool known;                  // it fails, and a known failure excuses that
  std::string follows_from{};  // where broken: the claim whose break explains it
  std::string told_with{};     // where broken: the claim of the same rule whose finding names it
};

struct reading_line {
  std::string name;
  std::vector<std::string> left;     // surviving admitted alternatives
  std::vector<std::string> hazards;  // hazards that the answers do not refute
  bool is_asked = true;              // false: it is about the mapping of draws, and the port makes its own
};

// What the draws of many histories showed, where no history alone does.
struct sampled_finding {
  std::uint64_t draws;
  std::string windows;  // the parameters of the last history, and its calls
  std::string found;
  std::string test;
  double odds;                   // the logarithm of how much more likely the draws are where the claim is false
  bool is_of_the_start = false;  // only the draws of calls that begin cycles are wrong
  std::uint64_t all_draws = 0;   // with those that came later
  std::vector<double>
      sixteenths{};        // the share of all draws in each sixteenth of their range, if the finding is about all
  std::string probably{};  // what the port does, if the ends between which all draws lie say it
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
  std::vector<std::string> excuses;  // alternatives that would make the port right
  std::vector<std::string> fits;     // without excuses: alternatives that would make it right on the shown histories
  std::string why;                   // what the port said of an error or a rejection
  std::vector<shown_history> shown;
  bool each_fits_some = false;             // whether each shown history, without the others, fits some admitted reading
  std::optional<sampled_finding> sampled;  // where it is set, no history is shown
  judge::how_shown how;
  judge::tries again{};  // none where the finding does not depend on chance
  std::string token;
  std::string file{};  // in the working directory, holds the token where that is too long for a line
  std::string json;
  std::vector<std::string> pinned{};               // readings that a replay must pin to judge the histories alike
  std::string rule;                                // that the claim is a part of
  std::vector<rule_part> same_rule;                // other broken parts of it
  std::vector<std::string> consequences;           // claims that break only where this one has broken
  bool cut_short = false;                          // shrinking ended because its time was over
  std::optional<explain::tested_region> region{};  // absent where no search found one
  bool region_cut_short = false;                   // the search for it ended because its time was over
  std::size_t regions = 0;                         // how many regions the claim has
  std::optional<explain::probable> diagnosis{};    // of what breaks here, where no diagnosis explains all
};

struct shown_breakdown {
  std::string what;
  std::string stderr_tail;
  std::string where;  // what such histories have in common; empty: unknown
  std::optional<shown_history> shown;
  bool cut_short;  // shrinking it ended because its time was over
  std::string token;
  std::string file{};  // as in a finding
};

// How uneven a window of so many values is where the port maps draws by remainder. The likeliest values are drawn
// 1 + excess times as often as the others; absent: some values are never drawn. This is reported, but is no fault,
// because no document says how a draw is mapped.
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
  bool command_follows = true;  // false: the options name the port
  shard part{};
  bool interrupted = false;
  bool out_of_time = false;  // the run was interrupted because its time was over
  bool cut_short = false;    // the run did not try all histories, for this or another reason
  std::vector<known_failing::line> known{};
  // The vector from which a history comes. Set only for recorded answers to vectors; `command` then names the files.
  std::function<named_vector(histories::history const&)> vector_of{};
  std::vector<std::string> ranges{};  // of --range, which narrow those that the port declares
  bool in_process = false;            // no program was called; a replay is an option of the same C++ call
};

struct report {
  judge::run const* judged;
  invocation called;
  std::vector<claim_line> claims;
  std::vector<reading_line> readings;
  std::vector<finding> findings;
  std::vector<std::string> also_broken;  // neither findings nor named by one
  std::vector<std::string> not_checked;
  std::vector<remainder_bias> uneven;  // where the port is known to map draws by remainder
  std::vector<shown_breakdown> broke;
  std::vector<known_failing::line> excused;  // of the known failures, those that were seen
  std::vector<known_failing::line> stale;    // and those that were not, in a run that could have shown them
  exit_code ends_with;
  std::optional<explain::probable> diagnosis{};
  std::optional<explain::outside> outside{};  // where the port conforms although it has findings
  bool outside_cut_short = false;             // that search ended because its time was over
  std::string unwritten{};                    // why a file that holds a part of the report is not there
};

// Whether no history was judged or rejected, so that no reading could be refuted.
[[nodiscard]] bool answered_nothing(report const& r) noexcept;

[[nodiscard]] report make_report(judge::run const& judged, std::vector<judge::counterexample> const& shown,
                                 std::vector<broken_port> const& broke, invocation called,
                                 explanations const& explained = {});

// Whether a claim fails and a known failure excuses that.
[[nodiscard]] bool is_known_to_fail(report const& r, unsigned claim) noexcept;

}  // namespace backoff::reports
