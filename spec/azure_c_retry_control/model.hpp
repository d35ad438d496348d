// The exact model of iothub_client_retry_control (Azure, C): for one call, the admissible answers under a joint
// assignment of readings.
//
//   wait_secs = initial · initial · n · initial · 2^(n-1) · initial · 2^(n-1) · (1 + percent/100 · rand/RAND_MAX)
//   · initial · rand/RAND_MAX,  n = retries granted since the last reset
//
// A port shows no wait, only RETRY_NOW, RETRY_LATER or STOP_RETRYING at readings of a clock. The state therefore keeps
// every wait that is still possible, and `observe` narrows them by what the port answered. With injected draws there is
// one, unless a reading leaves more.
// Written from the document alone, slow on purpose, never linked into the library.
// Checked by: spec/azure_c_retry_control/examples.yaml, spec/azure_c_retry_control/facts_test.cpp, against
// the library by spec/azure_c_retry_control/histories_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "azure_c_retry_control/readings.hpp"
#include "relation/full_jitter.hpp"
#include "relation/relation.hpp"

namespace backoff::spec::azure_c_retry_control {

[[nodiscard]] reading_table const& readings() noexcept;
[[nodiscard]] std::vector<cube> assignments(draw_kind draws);

// The fields of an answer. should_retry: result, action, clock_reads, draws_used; set_option: result; retrieve_options:
// both options, absent where it answers NULL; is_timeout_reached: result, timed_out, clock_reads; the others: a status.
// All: live.
enum field : std::size_t {
  field_status,
  field_result,
  field_action,
  field_timed_out,
  field_initial_wait,
  field_max_jitter,
  field_live,
  field_clock_reads,
  field_draws_used,
};
enum class status : std::uint8_t { answered, ok, null, error };
enum class action : std::uint8_t { retry_now, retry_later, stop_retrying };

enum class policy : std::uint8_t {
  none,
  immediate,
  interval,
  linear_backoff,
  exponential_backoff,
  exponential_backoff_with_jitter,
  random,
};
enum class option : std::uint8_t { initial_wait_time_in_secs, max_jitter_percent, retry_control_options, unsupported };

// Options as saved by retrieve_options: each of them, or not.
struct saved_options {
  std::optional<integer> initial_wait_time_in_secs;
  std::optional<integer> max_jitter_percent;
};

// What an option is set to: a number in [0, 2^32), or saved options where the name says so.
struct option_value {
  integer number = 0;
  saved_options saved{};
};

// What surrounds one call. An instance whose creation failed, or that was destroyed, is a NULL handle.
struct surroundings {
  std::span<integer const> clock;  // readings in order, -1 a failed one; the last repeats; any 64-bit number
  draw from{};                     // the only draw that a call can take; rand: at least two values
  bool null_handle = false;        // NULL instead of
  bool null_out = false;           // retry_action, is_timed_out
  bool null_name = false;
  bool null_value = false;
  bool malloc_fails = false;  // in create
  bool option_create_fails = false;
  bool option_add_fails = false;
  bool option_feed_fails = false;
};

// The numbers low, low + step, …, high that something unseen may be.
struct values {
  integer low = 0;
  integer high = 0;
  integer step = 1;
  friend bool operator==(values const&, values const&) noexcept = default;
};

// The fields that should_retry changes and reset clears; nothing: INDEFINITE_TIME.
struct cycle {
  integer retry_count = 0;
  std::optional<integer> first_retry_time;
  std::optional<integer> last_retry_time;
  values wait;  // whole seconds, no gaps
  friend bool operator==(cycle const&, cycle const&) noexcept = default;
};

struct state {
  bool exists = false;
  azure_c_retry_control::policy policy{};
  integer max_retry_time = 0;
  values initial_wait;  // more than one: a feed of saved options failed, and may have set some
  values max_jitter;
  values live{0, 0};
  bool stopped = false;  // STOP_RETRYING by the limit, in this cycle
  bool after_reset = false;
  cycle at;
  std::optional<cycle> if_granted;  // where the last call may have answered NOW or LATER: `at` is what LATER leaves
  friend bool operator==(state const&, state const&) noexcept = default;
};

// Where a call stands; what claims speak about.
struct facts {
  azure_c_retry_control::policy policy{};
  bool null_argument = false;  // the handle or an argument is NULL
  bool fails = false;          // the document demands that the call fail
  bool first = false;          // should_retry: nothing was granted since the last reset
  bool after_reset = false;
  bool past_limit = false;   // the time since first_retry_time has reached max_retry_time
  bool backwards = false;    // a reading is before the one that it is compared with
  bool may_grant = false;    // RETRY_NOW is admitted
  bool may_wait = false;     // RETRY_LATER is admitted
  integer retry_count = 0;   // before the call
  values wait;               // possible before the call
  integer elapsed_secs = 0;  // since last_retry_time, where that is compared
};

struct outcome {
  expectation answer;
  azure_c_retry_control::facts facts;
};

// One function a call; each advances s. create is the first call of a history, and is made once.
[[nodiscard]] outcome create(policy which, integer max_retry_time, surroundings const& with, state& s) noexcept;
[[nodiscard]] outcome should_retry(surroundings const& with, state& s, chooser& choices);
[[nodiscard]] outcome reset(surroundings const& with, state& s, chooser& choices);
[[nodiscard]] outcome set_option(option name, option_value const& value, surroundings const& with, state& s);
[[nodiscard]] outcome retrieve_options(surroundings const& with, state& s) noexcept;
[[nodiscard]] outcome destroy(surroundings const& with, state& s) noexcept;
[[nodiscard]] outcome is_timeout_reached(integer start, integer timeout, surroundings const& with, state& s,
                                         chooser& choices);

// After each call: what the port's answer, which must be admitted, says of what cannot be seen.
void observe(state& s, answer const& port);

}  // namespace backoff::spec::azure_c_retry_control
