// The exact model of retries as AWS Step Functions is configured to make them: for one call, the admissible answers
// under a joint assignment of readings.
//
//   delay_s(n) = interval_s · backoff_rate^n,  n = retries already granted
//
// Written from the document alone, slow on purpose, never linked into the library.
// Checked by: spec/aws_step_functions/examples.yaml, against the library by properties/engines.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "aws_step_functions/readings.hpp"
#include "relation/rational.hpp"
#include "relation/relation.hpp"

namespace backoff::spec::aws_step_functions {

[[nodiscard]] reading_table const& readings() noexcept;
// Nothing here is random. A unit is a question only where something is rounded: exact delays go with the first.
[[nodiscard]] std::vector<cube> assignments();

// The fields of an answer, and the words of the first.
enum field : std::size_t { field_status, field_delay };
enum class status : std::uint8_t { retry, exhausted, error };

struct parameters {
  integer interval_s;        // [0, 2^32)
  integer rate_thousandths;  // [1'000, 2^32): a rate of 1 or more, of three decimals
  integer max_attempts;      // [0, 2^32)
};

// The longest wait in whole seconds that the timers of ports are sure to hold: 2^31 - 1 ms. The document names no
// bound and every port has one; from here on a port may answer less than the formula, the longest that it can hold.
inline constexpr integer held_s_max = 2'147'483;

// A value in seconds between two ends; or one of the ends, and nothing between them. Thirty factors of three decimals
// keep the ends equal, which is exact; later ones round ends that are longer than words outwards to 10^-90 s: after k
// more, at a value of v s, they are at most 2 · k · v · 10^-90 s apart. From 2^1024 s on, where a double ends, nothing
// is computed any more: `endless`.
struct enclosure {
  rational low = 0;
  rational high = 0;
  bool endless = false;
  bool is_an_end = false;
  friend bool operator==(enclosure const&, enclosure const&) noexcept = default;
};

// What a call depends on. What rounding left no trace in is equal under all of its readings, which then share a state.
struct state {
  integer retries = 0;
  bool exhausted = false;
  enclosure reached;  // the formula's value at the last granted retry; nothing before the first
  // Of delay-origin first-failure: the last retry as it was given out, and the one before it, which its wait began at.
  enclosure offset;
  rational since = 0;
  rational answered = 0;            // the last wait, where it is longer than held_s_max
  std::optional<rational> longest;  // what the port can hold, once it has answered less than the formula
  rational unsaturated = 0;         // until the answer is observed: what no port answers less than but for saturating
  friend bool operator==(state const&, state const&) noexcept = default;
};

// Where a step stands; what claims speak about.
struct facts {
  bool grants = false;     // the document grants a retry here
  bool announces = false;  // the document reports here for the first time that the retries are used up
  integer retries = 0;     // retries granted before
  bool beyond = false;     // the delay is longer than held_s_max
};

struct outcome {
  expectation answer;
  aws_step_functions::facts facts;
};

// interval_s · backoff_rate^n, or what it has become by rounding at each step, from the value at n - 1.
[[nodiscard]] enclosure grown(parameters const& p, enclosure const& reached, chooser& readings);

// One call of next; advances s.
//
// Many ports compute in doubles. Where these are not exact, a value within relative 2^-40 of the exact one may be what
// is rounded at the end, and an offset from the first failure may be that far off before it is subtracted. At each step
// only one product is computed from what was answered before: a value within 2^-50 of it may be what is rounded.
// A delay beyond held_s_max: saturates: exact; or, once, at least as long as the one before and no longer than exact,
// and from then on that · infinity: likewise, but no number at all from 2^1024 s on · wraps, negative: as an unsigned
// or a signed 32-bit number of milliseconds. From 10^80 s on, which decimals are not read beyond, any wait as long
// counts.
[[nodiscard]] outcome next(parameters const& p, state& s, chooser& readings);

// What the port answered to that call settles which of the admitted values it was.
void observe(state& s, answer const& port);

}  // namespace backoff::spec::aws_step_functions
