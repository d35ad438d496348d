// Failures that are known: a file with a line each,
//
//   CLAIM-OR-REQUIREMENT PATTERN [sometimes] # reason or link
//
// PATTERN says on which histories: * (all); CONSTRAINT,… as explain/constraint.hpp has them, such as base_ms>max_ms or
// calls>1024; or a replay token, which is exactly that history. Empty lines and lines that begin with # count for
// nothing. A claim about hidden draws takes only *.
//
// A failure that a line names does not fail a run and refutes no reading. A line under which nothing failed is stale
// and fails the run, unless it says `sometimes`. Checked by: properties/oracle/round_trip.py for what is written,
// properties/oracle/known_failures_test.py, and properties/judge/excused_test.cpp for what the judge makes of it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "explain/constraint.hpp"
#include "explain/where.hpp"
#include "judge/run.hpp"
#include "session/failure_lines.hpp"
#include "session/names.hpp"

namespace backoff::session {

class history_pattern {
 public:
  // Throws text_error.
  history_pattern(histories::shape const& s, std::string_view text);
  [[nodiscard]] bool matches(histories::history const& h) const;
  [[nodiscard]] bool everything() const noexcept { return !exactly_ && constraints_.empty(); }

 private:
  histories::shape const* shape_;
  std::optional<histories::history> exactly_;
  std::vector<explain::constraint> constraints_;
};

class known_failing {
 public:
  struct line : failure_line {
    judge::claim_mask claims;
    history_pattern on;
    std::uint64_t failed = 0;  // histories
    judge::claim_mask failed_claims = 0;
    std::vector<judge::evidence> kept{};
    judge::claim_mask claims_seen = 0;  // claims that failed under it, once settle() was called
    [[nodiscard]] bool seen() const noexcept { return claims_seen != 0; }
    [[nodiscard]] bool breaks() const noexcept { return id == no_break_name; }
  };

  // The first line of a file that a run writes.
  static constexpr std::string_view about =
      "# CLAIM-OR-REQUIREMENT PATTERN [sometimes] # reason or link. A line under which nothing fails is stale, and "
      "fails the run.\n";

  // Throw usage_error, naming file and line.
  [[nodiscard]] static known_failing read(judge::judged_system const& system, std::string const& path);
  [[nodiscard]] static known_failing parse(judge::judged_system const& system, std::string const& name,
                                           std::vector<std::string> const& lines);

  // What was read, for a results file.
  [[nodiscard]] std::string const& name() const noexcept { return name_; }
  [[nodiscard]] std::vector<std::string> const& text() const noexcept { return text_; }
  [[nodiscard]] judge::claim_mask excused(histories::history const& h) const;
  // Where one of these claims is known to fail on a history, makes the history's result `broke`, so that another
  // failure is shown.
  void hide(judge::claim_mask claims, std::span<histories::history const> tried,
            std::span<histories::result> got) const;
  // The options, with the claims that are known to fail on every history: a pass does not need these at stake.
  [[nodiscard]] judge::run_options added_to(judge::run_options options) const;
  // Whether the port is known to break on the history, which is then not sent. A port that may break anywhere is sent
  // every history.
  [[nodiscard]] bool holds_back(histories::history const& h) const;
  [[nodiscard]] bool may_break_anywhere() const noexcept;
  // Notes that the port broke on the history. Returns whether it is known to.
  bool note_break(histories::history const& h);
  // Notes which of the excused claims failed on the history.
  void note(histories::history const& h, histories::result const& r, judge::claim_mask failed);
  // After the run: settles under which lines something failed, by the reading that explains the run in the end.
  void settle(judge::run const& judged);
  [[nodiscard]] std::vector<line> const& lines() const noexcept { return lines_; }

 private:
  std::string name_;
  std::vector<std::string> text_;
  std::vector<line> lines_;
};

// A list that a run writes. It begins with the list that the run was given, as people wrote it; then comes what else
// failed. A claim is listed in the region in which it breaks, where one was found. A claim that breaks too rarely for
// that is listed in the region of an earlier claim that covers its breaks, else everywhere. Runs under the list, with
// other seeds, then widen it.
class failing_list {
 public:
  // all: the whole plan was judged. Lines under which nothing failed are then stale, and left out.
  failing_list(known_failing const& known, bool all);
  // Adds what failed in a run beyond the list. regions: of the claims whose regions were looked for. Returns whether
  // anything failed.
  bool add(judge::run const& judged, explain::answers_kept const& answers,
           std::map<unsigned, std::vector<explain::tested_region>> const& regions);
  // Adds histories beyond the list on which the port broke.
  void add_breaks(judge::run const& judged, explain::answers_kept const& answers,
                  std::vector<histories::history> const& broke);
  // Notes how often each line failed in a run under the list. Returns whether it left out a line, as nothing failed
  // under it in any such run.
  bool note(known_failing const& tried);
  // Whether the claim broke so rarely that what its histories have in common is chance.
  [[nodiscard]] static bool is_rare(judge::breach const& b) noexcept { return b.histories < 16; }
  [[nodiscard]] std::vector<std::string> lines() const;

 private:
  struct entry {
    std::string id;
    std::string pattern;
    std::string reason;
    history_pattern on;
    std::uint64_t least;  // the fewest histories in which it failed, of all runs
    bool seen = false;    // in a run under the list
  };

  void add(judge::judged_system const& system, std::string_view id, std::string pattern, std::string reason,
           std::uint64_t histories);
  [[nodiscard]] std::vector<std::string> patterns_of(
      judge::run const& judged, judge::breach const& b, explain::answers_kept const& answers,
      std::map<unsigned, std::vector<explain::tested_region>> const& regions) const;

  std::vector<std::string> before_;
  std::vector<entry> entries_;
  std::vector<std::string> left_out_;  // ids
  std::vector<histories::history> broke_;
  std::size_t breaks_learnt_ = 0;
  std::size_t tried_ = 0;  // runs
};

}  // namespace backoff::session
