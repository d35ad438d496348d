// Fuzz target: the functions for C with hostile arguments, in any order: policies, errors and kinds that are none,
// rates of nothing, clocks that run backwards or fail, states copied and used after an init that failed. Each answers a
// status that it documents, and what backoff.h promises beside it. That the answers are the documented ones is for the
// judge: properties/systems/STEM/ports/library.cpp has the same functions as a port.
#include <cstdint>
#include <cstring>
#include <initializer_list>

#include "backoff.h"
#include "bytes.hpp"

namespace {

using backoff::fuzz::demand;
using backoff::fuzz::source;

void demand_one_of(backoff_status status, std::initializer_list<backoff_status> all) {
  bool known = false;
  for (auto const s : all) known = known || s == status;
  demand(known);
}

// A call that is refused changes nothing.
template <class State>
class unchanged {
 public:
  explicit unchanged(State const& state) noexcept : state_(&state), before_(state) {}
  void demand_where(bool refused) const {
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): padding does not change either
    demand(!refused || std::memcmp(state_, &before_, sizeof before_) == 0);
  }

 private:
  State const* state_;
  State before_;
};

// The functions of one width.
template <class State, class W, auto init, auto init_forever, auto reset, auto window_ms, auto next, auto attempts_done>
void full_jitter(source& in) {
  State state;
  auto const cap = static_cast<W>(in.u32());
  auto const base = static_cast<W>(in.u32());
  in.byte() % 2 == 0 ? init(&state, base, cap, in.u32()) : init_forever(&state, base, cap);
  for (int calls = in.byte(); calls > 0 && !in.at_end(); --calls) {
    if (in.byte() == 7) reset(&state);
    unchanged const before(state);
    auto const window = window_ms(&state);
    W delay = 0xdead;
    auto const status = next(&state, in.u32(), &delay);
    demand_one_of(status, {BACKOFF_OK, BACKOFF_EXHAUSTED});
    demand(window <= cap && delay <= window);
    demand(status == BACKOFF_OK || delay == 0);
    before.demand_where(status == BACKOFF_EXHAUSTED);
    static_cast<void>(attempts_done(&state));
  }
}
constexpr auto wide_full_jitter =
    full_jitter<backoff_aws_backoff_algorithm, std::uint32_t, backoff_aws_backoff_algorithm_init,
                backoff_aws_backoff_algorithm_init_forever, backoff_aws_backoff_algorithm_reset,
                backoff_aws_backoff_algorithm_window_ms, backoff_aws_backoff_algorithm_next,
                backoff_aws_backoff_algorithm_attempts_done>;
constexpr auto narrow_full_jitter =
    full_jitter<backoff_aws_backoff_algorithm_u16, std::uint16_t, backoff_aws_backoff_algorithm_u16_init,
                backoff_aws_backoff_algorithm_u16_init_forever, backoff_aws_backoff_algorithm_u16_reset,
                backoff_aws_backoff_algorithm_u16_window_ms, backoff_aws_backoff_algorithm_u16_next,
                backoff_aws_backoff_algorithm_u16_attempts_done>;

void retry_utils(source& in) {
  backoff_aws_retry_utils state;
  backoff_aws_retry_utils_parameters const of{in.u32(), in.u32(), in.u32(), in.u32()};
  backoff_aws_retry_utils_init(&state, &of, in.u32());
  for (int calls = in.byte(); calls > 0 && !in.at_end(); --calls) {
    if (in.byte() == 7) backoff_aws_retry_utils_reset(&state, in.u32());
    unchanged const before(state);
    auto const window = backoff_aws_retry_utils_next_jitter_max(&state);
    std::uint32_t sleep = 0xdead;
    auto const status = backoff_aws_retry_utils_back_off(&state, in.u32(), &sleep);
    demand_one_of(status, {BACKOFF_OK, BACKOFF_EXHAUSTED});
    demand(window <= of.max_backoff_s && sleep <= window);
    demand(status == BACKOFF_OK || (of.max_attempts != 0 && sleep == 0));
    before.demand_where(status == BACKOFF_EXHAUSTED);
    static_cast<void>(backoff_aws_retry_utils_attempts_done(&state));
  }
}

void step_functions(source& in) {
  backoff_aws_step_functions state;
  auto const interval = in.i64();
  auto const num = in.u32();
  auto const den = in.u32();
  auto const attempts = in.u32();
  auto const begun = backoff_aws_step_functions_init(&state, interval, num, den, attempts);
  demand_one_of(begun, {BACKOFF_OK, BACKOFF_INTERVAL_NEGATIVE, BACKOFF_INTERVAL_TOO_WIDE, BACKOFF_RATE_UNDEFINED,
                        BACKOFF_RATE_BELOW_ONE, BACKOFF_PRODUCT_TOO_WIDE});
  demand((begun == BACKOFF_INTERVAL_NEGATIVE) == (interval < 0));
  demand((den != 0 && num >= den) || begun != BACKOFF_OK);
  std::uint64_t least = 0;
  for (int calls = in.byte(); calls > 0; --calls) {
    unchanged const before(state);
    std::uint64_t delay = 0xdead;
    auto const status = backoff_aws_step_functions_next(&state, &delay);
    demand_one_of(status, {BACKOFF_OK, BACKOFF_EXHAUSTED});
    demand(begun == BACKOFF_OK || status == BACKOFF_EXHAUSTED);
    demand(status == BACKOFF_EXHAUSTED ? delay == 0 : delay >= least);  // a rate of one at least
    before.demand_where(status == BACKOFF_EXHAUSTED);
    least = delay;
  }
  demand(backoff_aws_step_functions_attempts_done(&state) <= (begun == BACKOFF_OK ? attempts : 0));
}

void sample(source& in) {
  backoff_aws_prescriptive_sample state;
  auto const limit = in.u32();
  backoff_aws_prescriptive_sample_init(&state, limit);
  std::uint32_t retries = 0;
  for (int calls = in.byte(); calls > 0 && !in.at_end(); --calls) {
    auto const delay_ms = backoff_aws_prescriptive_sample_delay_ms(&state);
    bool const failed = delay_ms == BACKOFF_AWS_PRESCRIPTIVE_SAMPLE_NO_DELAY;
    demand(delay_ms <= 0x7fff'ffff || failed);
    auto const http_status = in.byte() % 2 == 0 ? 429 : in.i32();
    auto const again = backoff_aws_prescriptive_sample_retry_after(&state, http_status);
    auto const asked_for = backoff_aws_prescriptive_sample_calls_for_retry(http_status);
    demand(again <= asked_for && asked_for == (http_status == 429 || http_status == 504 ? 1 : 0));
    demand(again == 0 || !failed);
    retries += again;
    if (again == 0) break;
  }
  demand(backoff_aws_prescriptive_sample_retries(&state) == retries && retries <= limit);
}

// A clock and a generator that say what the bytes say.
struct hostile {
  source* in;
  std::uint32_t rand_max;
};
backoff_azure_c_retry_control_surroundings surrounded(hostile& by) {
  return {[](void* context) { return static_cast<hostile*>(context)->in->i64(); },
          [](void* context) {
            auto const& h = *static_cast<hostile*>(context);
            auto const drawn = h.in->u32();
            return h.rand_max == 0xffff'ffff ? drawn : drawn % (h.rand_max + 1);
          },
          &by, by.rand_max};
}

void retry_control(source& in) {
  hostile by{&in, in.u32() | 1U};
  auto const surroundings = surrounded(by);
  backoff_azure_c_retry_control state;
  auto const policy = in.i32();
  auto const begun = backoff_azure_c_retry_control_init(&state, policy, in.u32());
  demand_one_of(begun, {BACKOFF_OK, BACKOFF_POLICY_UNKNOWN});
  demand((begun == BACKOFF_OK) == (policy >= 0 && policy <= BACKOFF_AZURE_C_RETRY_CONTROL_RANDOM));
  for (int calls = in.byte(); calls > 0 && !in.at_end(); --calls) {
    switch (in.byte() % 6) {
      case 0: {
        auto const seconds = in.u32();
        unchanged const before(state);
        auto const status = backoff_azure_c_retry_control_set_initial_wait_time_in_secs(&state, seconds);
        demand(status == (seconds == 0 ? BACKOFF_INITIAL_WAIT_ZERO : BACKOFF_OK));
        before.demand_where(status != BACKOFF_OK);
        demand(backoff_azure_c_retry_control_initial_wait_time_in_secs(&state) != 0);
        break;
      }
      case 1: {
        auto const percent = in.u32();
        unchanged const before(state);
        auto const status = backoff_azure_c_retry_control_set_max_jitter_percent(&state, percent);
        demand(status == (percent > 100 ? BACKOFF_JITTER_ABOVE_HUNDRED : BACKOFF_OK));
        before.demand_where(status != BACKOFF_OK);
        demand(backoff_azure_c_retry_control_max_jitter_percent(&state) <= 100);
        break;
      }
      case 2:
        backoff_azure_c_retry_control_reset(&state);
        demand(backoff_azure_c_retry_control_retry_count(&state) == 0);
        break;
      case 3: {
        std::uint8_t timed_out = 7;
        auto const start = in.i64();
        auto const status =
            backoff_azure_c_retry_control_is_timeout_reached(start, in.u32(), &surroundings, &timed_out);
        demand_one_of(status, {BACKOFF_OK, BACKOFF_CLOCK_FAILED});
        demand(timed_out <= (status == BACKOFF_OK ? 1 : 0) && (start != -1 || status == BACKOFF_CLOCK_FAILED));
        break;
      }
      default: {
        std::int32_t action = 7;
        auto const count = backoff_azure_c_retry_control_retry_count(&state);
        auto const status = backoff_azure_c_retry_control_should_retry(&state, &surroundings, &action);
        demand_one_of(status, {BACKOFF_OK, BACKOFF_CLOCK_FAILED});
        demand(action >= 0 && action <= BACKOFF_AZURE_C_RETRY_CONTROL_STOP_RETRYING);
        demand(status == BACKOFF_OK || action == BACKOFF_AZURE_C_RETRY_CONTROL_STOP_RETRYING);
        bool const counted = backoff_azure_c_retry_control_retry_count(&state) != count;
        demand(!counted || action == BACKOFF_AZURE_C_RETRY_CONTROL_RETRY_NOW || status == BACKOFF_CLOCK_FAILED);
        static_cast<void>(backoff_azure_c_retry_control_current_wait_time_in_secs(&state));
        break;
      }
    }
  }
}

bool longer(backoff_azure_java_retry_policy_wait const& wait, std::uint32_t ms) {
  std::uint64_t const ns = std::uint64_t{ms} * 1'000'000;
  return wait.ns > ns || (wait.ns == ns && wait.part != 0);
}

struct scripted_policy {
  source* in;
  unsigned asked = 0;
};

void retry_policy(source& in) {
  backoff_azure_java_retry_policy_parameters of{in.u32(), in.u32(), in.u32(), in.u32(), in.u32()};
  backoff_azure_java_retry_policy state;
  auto const begun = backoff_azure_java_retry_policy_init(&state, &of);
  demand(begun == (of.jd_millionths > 1'000'000   ? BACKOFF_JD_ABOVE_ONE
                   : of.ju_millionths > 1'000'000 ? BACKOFF_JU_ABOVE_ONE
                                                  : BACKOFF_OK));
  if (begun != BACKOFF_OK) backoff_azure_java_retry_policy_defaults(&of);
  for (int calls = in.byte(); calls > 0 && !in.at_end(); --calls) {
    backoff_azure_java_retry_policy_wait delay{1, 1};
    backoff_azure_java_retry_policy_delay(&state, in.u32(), in.u32(), &delay);
    demand(!longer(delay, of.cmax_ms));
    auto const error = in.i32();
    bool const retryable = backoff_azure_java_retry_policy_is_retryable(error) == 1;
    demand(retryable == (error == 0 || error == 1));
    scripted_policy asked{&in};
    auto const decide = [](void* context, std::uint32_t, std::int32_t, backoff_azure_java_retry_policy_wait* wait) {
      auto& p = *static_cast<scripted_policy*>(context);
      ++p.asked;
      *wait = {p.in->number(), p.in->u32()};
      return static_cast<std::uint8_t>(p.in->byte() % 2);
    };
    backoff_azure_java_retry_policy_time const time{in.number(), in.number()};
    auto const status = backoff_azure_java_retry_policy_after_failure(decide, &asked, in.u32(), error,
                                                                      in.byte() % 2 == 0 ? &time : nullptr, &delay);
    demand_one_of(status, {BACKOFF_OK, BACKOFF_EXHAUSTED});
    demand(asked.asked == (retryable ? 1U : 0U) && (retryable || status == BACKOFF_EXHAUSTED));
    demand(status == BACKOFF_OK || (delay.ns == 0 && delay.part == 0));
    demand(backoff_azure_java_retry_policy_no_retry(nullptr, in.u32(), error, &delay) == 0 && delay.ns == 0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static constexpr void (*systems[])(source&) = {wide_full_jitter, narrow_full_jitter, retry_utils, step_functions,
                                                 sample,           retry_control,      retry_policy};
  demand(backoff_abi_version() == BACKOFF_ABI_VERSION);
  backoff::fuzz::each_of(systems, data, size);
  return 0;
}
