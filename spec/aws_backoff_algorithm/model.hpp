// The exact model of backoffAlgorithm v1.3.0: for one call, the admissible answers under a joint assignment of
// readings.
//
//   sleep_ms = random_between(0, min(2^n · base_ms, max_ms))
//
// Written from the document alone, slow on purpose, never linked into the library.
// Checked by: spec/aws_backoff_algorithm/examples.yaml, against the library by properties/engines.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "aws_backoff_algorithm/readings.hpp"
#include "relation/full_jitter.hpp"
#include "relation/relation.hpp"

namespace backoff::spec::aws_backoff_algorithm {

[[nodiscard]] reading_table const& readings() noexcept;
[[nodiscard]] std::vector<cube> assignments(draw_kind draws);

// The fields of an answer, and the words of the first.
enum field : std::size_t { field_status, field_delay };
enum class status : std::uint8_t { retry, exhausted, ok, error };

struct parameters {
  integer base_ms;                      // [0, 2^32)
  integer max_ms;                       // [0, 2^32)
  std::optional<integer> max_attempts;  // [0, 2^32), or no limit
};

// What a call depends on besides its draw. Windows are computed from `retries` anew at each call, so that assignments
// that agree on the answers so far share one state.
struct state {
  integer retries = 0;
  bool exhausted = false;
  bool after_reset = false;
  friend bool operator==(state const&, state const&) noexcept = default;
};

// Where a step stands in the cycle; what claims speak about.
struct facts {
  bool grants = false;       // the document grants a retry here
  bool announces = false;    // the document reports exhaustion here for the first time
  bool limited = false;      // max_attempts is a number
  bool after_reset = false;  // a reset came before, in this history
  integer retries = 0;       // retries granted since then
  integer window = 0;        // milliseconds; where grants
  bool at_cap = false;       // window = max_ms
  integer limit = 0;         // no delay may be longer: max(window, max_ms)
};

struct outcome {
  expectation answer;
  aws_backoff_algorithm::facts facts;
};

// The window for the given number of granted retries, milliseconds.
[[nodiscard]] integer window(parameters const& p, integer retries, chooser& readings);

// One call of next with its draw; advances s.
[[nodiscard]] outcome next(parameters const& p, state& s, draw const& from, chooser& readings);

// One call of reset; s is as fresh.
[[nodiscard]] outcome reset(state& s);

}  // namespace backoff::spec::aws_backoff_algorithm
