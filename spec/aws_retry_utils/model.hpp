// The exact model of Retry Utilities 202009.00: for one call, the admissible answers under a joint assignment of
// readings.
//
//   reset:    window_s = min(initial_backoff_s + random_between(0, max_jitter_s), max_backoff_s)
//   back off: sleep_s = random_between(0, window_s), then window_s = min(2 · window_s, max_backoff_s)
//
// Written from the document alone, slow on purpose, never linked into the library.
// Checked by: spec/aws_retry_utils/examples.yaml, against the library by properties/engines.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "aws_retry_utils/readings.hpp"
#include "relation/full_jitter.hpp"
#include "relation/relation.hpp"

namespace backoff::spec::aws_retry_utils {

[[nodiscard]] reading_table const& readings() noexcept;
[[nodiscard]] std::vector<cube> assignments(draw_kind draws);

// The fields of an answer, and the words of the first. The last two are the documented fields of the state, shown by
// ports that can.
enum field : std::size_t { field_status, field_slept, field_attempts_done, field_next_jitter_max };
enum class status : std::uint8_t { retry, exhausted, ok, error };

struct parameters {
  integer initial_backoff_s;  // each in [0, 2^32)
  integer max_backoff_s;
  integer max_jitter_s;
  integer max_attempts;      // 0: no limit
  bool shows_state = false;  // answers carry attempts_done and next_jitter_max
};

// How a cycle began: not at all yet, by the first reset of the history, by a later one, or by itself after exhaustion.
enum class origin : std::uint8_t { never, first_reset, later_reset, itself };

// What a call depends on besides its draw. Windows are computed anew at each call, from the draw of the last reset, so
// that assignments that agree on the answers so far share one state.
struct state {
  draw base;  // the draw that the last reset took its jitter from
  integer retries = 0;
  bool exhausted = false;
  origin began = origin::never;
  friend bool operator==(state const&, state const&) noexcept = default;
};

// Where a step stands in the cycle; what claims speak about.
struct facts {
  bool grants = false;     // the document grants a retry here
  bool announces = false;  // the document reports exhaustion here for the first time in this cycle
  bool limited = false;    // max_attempts is not 0
  bool again = false;      // the step belongs to a later cycle than the first
  bool by_itself = false;  // that cycle began when the one before was exhausted, without a call of reset
  integer retries = 0;     // retries granted in the cycle, before this step
  bool at_cap = false;     // where grants: the window can only be max_backoff_s
  integer limit = 0;       // no sleep may be longer: max(window, max_backoff_s), rounded up
};

struct outcome {
  expectation answer;
  aws_retry_utils::facts facts;
};

// One call of reset with its draw, the first of a history or a later one; s is at the start of a cycle.
[[nodiscard]] outcome reset(parameters const& p, state& s, draw const& from, chooser& readings);

// One call of back off and sleep with its draw, after a reset; advances s.
[[nodiscard]] outcome back_off(parameters const& p, state& s, draw const& from, chooser& readings);

// Where draws are hidden, the sleeps of one cycle depend on each other, because they share the jitter of their reset.
//
// How many jitters a reset may have drawn. A real jitter counts in eighths of a second. 0: the jitter is real, or
// sleeps are, and a window may be empty.
[[nodiscard]] integer jitters(parameters const& p, chooser& readings);
// The first windows that the jitters lead to, each to another one, as a reset shows them. Nothing where it may show
// them capped or doubled.
[[nodiscard]] std::optional<admissible> first_windows_shown(parameters const& p, chooser& readings);
// The window of the first sleep, where a reset shows this one; nothing where it may be shown doubled already, or not.
[[nodiscard]] std::optional<integer> window_of_first_sleep(parameters const& p, integer shown, chooser& readings);
// For each of these jitters, the smallest first: of how many whole numbers a sleep after so many retries is one, or how
// wide its window is if sleeps are real. The number may have a fraction: floor(u · w) is one of w numbers.
void choices(parameters const& p, integer retries, std::span<double> each, chooser& readings);
// The sleeps of a window that the port shows.
[[nodiscard]] admissible sleeps(integer window, chooser& readings);

}  // namespace backoff::spec::aws_retry_utils
