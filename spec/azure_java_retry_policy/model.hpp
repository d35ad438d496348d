// The exact model of the retry policies that the Azure IoT device SDK for Java documents: for one failure, the
// admissible answers under a joint assignment of readings.
//
//   F(x) = min(Cmin + (2^(x-1) - 1) · rand(C · (1 - Jd), C · (1 - Ju)), Cmax)
//
// Written from the document alone, slow on purpose, never linked into the library.
// Checked by: spec/azure_java_retry_policy/examples.yaml, against the library by properties/engines.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "azure_java_retry_policy/readings.hpp"
#include "relation/full_jitter.hpp"
#include "relation/rational.hpp"
#include "relation/relation.hpp"

namespace backoff::spec::azure_java_retry_policy {

[[nodiscard]] reading_table const& readings() noexcept;
// The joint assignments that make sense for a kind of draw: a real rand is mapped as a real number, an integer one
// scaled or by a modulo, which a unit draw has not; integers leave no fraction to round.
[[nodiscard]] std::vector<cube> assignments(draw_kind draws);

// The fields of an answer, and the words of the first; those of retry and consulted are false and true.
enum field : std::size_t { field_status, field_retry, field_delay, field_consulted };
enum class status : std::uint8_t { answered, error, rejected };

enum class policy : std::uint8_t { exponential_backoff_with_jitter, no_retry, custom };

struct parameters {
  azure_java_retry_policy::policy policy = policy::exponential_backoff_with_jitter;
  integer c_ms = 100;  // [0, 2^32), like the next two
  integer cmin_ms = 100;
  integer cmax_ms = 10'000;
  integer jd_thousandths = 500;            // [0, 1'000]
  integer ju_thousandths = 250;            // [0, 1'000]
  std::optional<integer> total_time_ms{};  // [0, 2^32), or no limit
};

// What failed: an error of a kind that has a name, or one of which no more is said than whether it is retryable.
enum class error : std::uint8_t { protocol, service, terminal, unknown, retryable, not_retryable };

struct failure {
  integer retry_count = 1;  // x, [0, 2^31)
  azure_java_retry_policy::error error = error::retryable;
  draw from{};
  integer elapsed_ms = 0;  // since the operation began; [0, 2^32)
  // What a custom policy decides.
  bool custom_retry = false;
  integer custom_delay_ms = 0;  // [0, 2^32)
};

// Where a failure stands; what claims speak about.
struct facts {
  azure_java_retry_policy::policy policy{};
  azure_java_retry_policy::error error{};
  bool passes = false;    // the filter
  bool vetoed = false;    // by the policy
  bool limited = false;   // there is a total time
  bool inverted = false;  // Cmin > Cmax or Jd < Ju
  integer retry_count = 0;
  bool at_cap = false;   // F(x) = Cmax, whatever was drawn
  integer least_ms = 0;  // min(Cmin, Cmax)
  integer most_ms = 0;   // Cmax
};

struct outcome {
  expectation answer;
  azure_java_retry_policy::facts facts;
};

// The decision about one failure. It depends on nothing before: there is no state.
//
// Many ports compute in doubles. Where these are not exact, a value within relative 2^-40 of the exact one may be what
// is rounded, or compared with the total time.
[[nodiscard]] outcome decide(parameters const& p, failure const& f, chooser& readings);

}  // namespace backoff::spec::azure_java_retry_policy
