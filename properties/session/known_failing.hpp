// Failures that are known: a file with a line each,
//
//   CLAIM-OR-REQUIREMENT PATTERN [sometimes] # reason or link
//
// PATTERN says on which histories: * (all); CONSTRAINT,… as explain/constraint.hpp has them, such as base_ms>max_ms or
// calls>1024; or a replay token, which is exactly that history. Empty lines and lines that begin with # count for
// nothing. A claim about hidden draws takes only *.
//
// What a line names does not fail a run and refutes no reading; a line under which nothing failed fails it: it is
// stale, unless it says `sometimes`. Checked by: properties/oracle/round_trip.py what is written,
// properties/oracle/results_test.py; properties/judge/excused_test.cpp what the judge makes of it.
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
#include "session/names.hpp"

namespace backoff::session {

class history_pattern {
 public:
  // Throws text_error.
  history_pattern(histories::shape const& s, std::string_view text);
  [[nodiscard]] bool matches(histories::history const& h) const noexcept;
  [[nodiscard]] bool everything() const noexcept { return !exactly_ && constraints_.empty(); }

 private:
  histories::shape const* shape_;
  std::optional<histories::history> exactly_;
  std::vector<explain::constraint> constraints_;
};

class known_failing {
 public:
  struct line {
    std::string id;
    std::string pattern;
    std::string reason;
    std::string place;  // FILE:LINE
    judge::claim_mask claims;
    history_pattern on;
    bool sometimes = false;    // a run in which nothing fails under it is none to fail
    std::size_t number = 0;    // of the line in its file
    std::uint64_t failed = 0;  // histories
    judge::claim_mask failed_claims = 0;
    std::vector<judge::evidence> kept{};
    judge::claim_mask claims_seen = 0;  // that failed under it, once it is settled
    [[nodiscard]] bool seen() const noexcept { return claims_seen != 0; }
    [[nodiscard]] bool breaks() const noexcept { return id == no_break_name; }
  };

  // The line that files begin with.
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
  [[nodiscard]] judge::claim_mask excused(histories::history const& h) const noexcept;
  // Where one of these claims is known to fail, the port counts as broken: what is shown is another failure.
  void hide(judge::claim_mask claims, std::span<histories::history const> tried,
            std::span<histories::result> got) const;
  // The options, with the claims that are known to fail on every history: a pass does without them.
  [[nodiscard]] judge::run_options added_to(judge::run_options options) const;
  // Whether the port is known to break on the history: then it is not sent. What breaks anywhere has to be.
  [[nodiscard]] bool holds_back(histories::history const& h) const noexcept;
  [[nodiscard]] bool may_break_anywhere() const noexcept;
  // The port broke on that history. Whether it is known to.
  bool note_break(histories::history const& h);
  // That these claims failed there, of those that are excused.
  void note(histories::history const& h, histories::result const& r, judge::claim_mask failed);
  // After the run: which lines something failed under, as the run is explained in the end.
  void settle(judge::run const& judged);
  [[nodiscard]] std::vector<line> const& lines() const noexcept { return lines_; }

 private:
  std::string name_;
  std::vector<std::string> text_;
  std::vector<line> lines_;
};

// A list as a run writes it: the file that was known before, as people wrote it, then what else failed. A claim is
// listed in the region in which it breaks, where one was found; if it breaks too rarely to find one, in the region of a
// claim before it that covers it; else everywhere. Runs under the list, with other seeds, then make it wider.
class failing_list {
 public:
  // all: all was judged, so that lines under which nothing failed are stale, and left out.
  failing_list(known_failing const& known, bool all);
  // What failed in a run beyond the list; regions where they were looked for. Whether anything did.
  bool add(judge::run const& judged, explain::answers_kept const& answers,
           std::map<unsigned, std::vector<explain::tested_region>> const& regions);
  // The port broke on these histories, beyond the list.
  void add_breaks(judge::run const& judged, explain::answers_kept const& answers,
                  std::vector<histories::history> const& broke);
  // How often each line failed in a run under the list. Whether one is left out for it, as nothing failed under it.
  bool note(known_failing const& tried);
  // So rarely broken that what its histories have in common is chance.
  [[nodiscard]] static bool is_rare(judge::breach const& b) noexcept { return b.histories < 16; }
  [[nodiscard]] std::vector<std::string> lines() const;

 private:
  struct entry {
    std::string id;
    std::string pattern;
    std::string reason;
    history_pattern on;
    std::uint64_t least;  // histories in which it failed, of the run in which they were fewest
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
