// The waits of a program that was watched, held against a document. A wait is measured too long, never too short, by
// what the machine takes: the slack. Checked by: judged_waits_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "judge/judged_system.hpp"
#include "waits/failure_arguments.hpp"

namespace backoff::waits {

// Failures in a row, and the waits between them.
struct failed_cycle {
  struct wait {
    std::int64_t ns = 0;        // from the failure to the next attempt
    std::int64_t ended_ns = 0;  // when that attempt came
    std::int64_t tried_ns = 0;  // how long the attempt before it took to fail
  };
  struct end {
    int status = 0;
    std::int64_t after_ns = 0;  // the last failure
  };
  std::vector<wait> waits;
  std::optional<end> gave_up;           // the program ended by itself after the last failure
  std::optional<std::int64_t> open_ns;  // so long after the last failure it had not come back, and was ended
  std::size_t first = 0;                // which attempt failed first, from 0
  std::string method = {};              // of its requests; empty: none was read
  std::int64_t last_tried_ns = 0;       // how long the last attempt took to fail
  std::int64_t begun_ns = 0;  // how long before the first attempt the program was started; 0: others came before
};

// How far a measured wait may lie outside of the documented range.
struct tolerance {
  std::int64_t early_ns = 0;
  std::int64_t late_ns = 0;
  // The program itself takes up to late_ns, about the same each time. By so much it varies.
  std::int64_t varies_ns = 0;
  std::vector<std::pair<std::int64_t, std::int64_t>>
      stalls;  // when the machine was slower; waits that end there do not count
  // No machine makes a wait look shorter than it was by more than this, or early_ns if that is more.
  std::int64_t early_most_ns = 0;
  // After an attempt that hung, whose end is known less well: early_ns, if that is less.
  std::int64_t early_after_hang_ns = 0;
  // Nor, outside of stalls, several waits at once longer by more than this, or late_ns if that is more.
  std::int64_t late_most_ns = 0;
};

struct range_ns {
  double low = 0;
  double high = 0;
};

// What was seen before one retry, over all cycles.
struct wait_row {
  struct seen_wait {
    double ns;
    bool is_right;  // within its range, with the tolerance
  };
  std::size_t retry = 0;        // from 1
  range_ns documented;          // the least and the greatest of all cycles
  std::vector<seen_wait> seen;  // in the order of their lengths
  std::uint64_t early = 0;
  std::uint64_t late = 0;
  double early_ns = 0;  // by so much they may be too short
  bool draws_tested = false;
  // Waits outside of their range say nothing about how it is filled; one in twenty may be too long.
  [[nodiscard]] bool is_kept() const { return early == 0 && late * 20 <= seen.size(); }
};

struct wait_finding {
  enum class fault : std::uint8_t {
    early,            // shorter than the shortest documented delay
    late,             // longer than the longest
    draws,            // not spread over the range as documented
    never_came_back,  // the document grants a retry, and its longest delay had passed
    gave_up,          // before the documented number of retries
    too_many,         // more retries than documented
  };
  fault what;
  std::size_t retry = 0;  // 0: all
  std::uint64_t seen = 0;
  std::uint64_t of = 0;
  std::string sentence;
};

struct judged_waits {
  std::vector<wait_row> rows;
  std::optional<range_ns> next;        // what is documented before the retry after the last row
  std::vector<wait_finding> findings;  // none: it conforms, as far as was seen
  std::uint64_t waits = 0;             // judged
  std::uint64_t in_stalls = 0;         // not judged: they ended in one
  std::uint64_t draws = 0;             // tested
  std::uint64_t left_open = 0;         // cycles that were ended before the longest documented delay had passed
  std::uint64_t of_no_method = 0;      // cycles whose method the document does not have: not judged
  std::uint64_t open_ends = 0;         // cycles that may have ended, or gone on, by how the program counts the time
  // Draws that fill this part of their range and no more, wherever in it, would have been found. 0: not known.
  double narrowest = 0;
  bool limits_retries = false;        // the document does, with these parameters
  std::vector<std::string> followed;  // NAME=ALTERNATIVE of readings, where they are not those of the document
  std::string doubt;                  // empty: none. Why wrong waits may have passed, and what would tell
};

// Whether any of its delays is drawn.
[[nodiscard]] bool has_draws(judge::judged_system const& document);

// The longest delay before each of so many retries, in nanoseconds, in any open reading; 0 where the document grants
// none.
[[nodiscard]] std::vector<double> longest_delays(judge::judged_system const& document, judge::history const& with,
                                                 failure_arguments const& failures, std::size_t retries);

// The numbers of retries, with a comma between two.
[[nodiscard]] std::string listed_retries(std::span<std::size_t const> retries);

// A wait within the range counts as right in every reading that is open. One that is too short by more than
// early_most_ns is a finding by itself. Of the others outside, one in a hundred is put down to the machine: more are a
// finding where chance has them with probability alpha at most, and leave a doubt otherwise. So are draws, which are
// tested where a range is 10 times as wide as varies_ns, for the time in [0, late_ns] that explains them best, if the
// program takes so much in each wait. A doubt is left, too, where a program that does not wait, waits longer than
// twice, or does not draw anew would pass. Where a document asks for the time elapsed, that is any from the sum of the
// delays to what passed since the program was started, or late_ns before the first attempt. with: the parameters, and
// no steps.
[[nodiscard]] judged_waits judge_waits(judge::judged_system const& document, judge::history const& with,
                                       failure_arguments const& failures, std::span<failed_cycle const> cycles,
                                       tolerance const& allowed, double alpha);

}  // namespace backoff::waits
