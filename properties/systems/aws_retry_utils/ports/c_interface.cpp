// Retry Utilities 202009.00 in C: two functions that draw, and one that sleeps, by functions of the system. Its four
// constants are compiled in.
#include "ports/host/c_interface.hpp"

#include <array>
#include <cstdlib>
#include <cstring>

#include "ports/host/exported.hpp"
#include "ports/host/surroundings.hpp"

namespace backoff::conformance::host {
namespace {

struct retry_params {
  std::uint32_t attempts_done;
  std::uint32_t next_jitter_max;
};

using params_reset = void(retry_params*);
using backoff_and_sleep = int(retry_params*);

constexpr std::array functions{"RetryUtils_ParamsReset", "RetryUtils_BackoffAndSleep"};
constexpr std::array constants{
    constant{"initial_backoff_s", 1},
    constant{"max_backoff_s", 128},
    constant{"max_jitter_s", 5},
    constant{"max_attempts", 4},
};

enum status_word : std::uint8_t { retry, exhausted, ok };
enum answer_at : std::size_t { status_at, slept_at, attempts_at, jitter_at };

// A clock that only sleeping moves.
class one_call final : public surroundings {
 public:
  explicit one_call(std::int64_t draw) noexcept : draw_(static_cast<std::uint32_t>(draw)) {}

  std::uint32_t rand() noexcept override { return draw_; }
  std::int64_t time() noexcept override {
    constexpr std::int64_t an_everyday_time = 1'600'000'000;
    return an_everyday_time + seconds_;
  }
  void sleep(std::int64_t seconds, std::int64_t nanoseconds) noexcept override {
    constexpr std::int64_t a_second = 1'000'000'000;
    nanoseconds_ += nanoseconds;
    seconds_ += seconds + nanoseconds_ / a_second;
    nanoseconds_ %= a_second;
  }
  bool malloc_fails() noexcept override { return false; }
  void allocated(std::int64_t) noexcept override {}

  [[nodiscard]] observed slept() const {
    if (nanoseconds_ == 0) return observed::of(seconds_);
    auto const fraction = std::to_string(nanoseconds_);
    auto const text = std::to_string(seconds_) + "." + std::string(9 - fraction.size(), '0') + fraction;
    return observed::of(*spec::parse_decimal(text));
  }

 private:
  std::uint32_t draw_;
  std::int64_t seconds_ = 0;
  std::int64_t nanoseconds_ = 0;
};

class bound final : public bound_library {
 public:
  explicit bound(std::span<void* const> at)
      : reset_(function_at<params_reset>(at[0])), backoff_(function_at<backoff_and_sleep>(at[1])) {}

  void run(history const& h, std::vector<answer>& answers) override {
    std::array<retry_params, instances_max> instances;
    std::memset(instances.data(), 0xa5, sizeof instances);  // as memory of the stack is: of no known value
    for (auto const& s : h.steps) {
      auto& p = instances[s.on];
      auto a = s.op == 0 ? back_off(p, s.args[0].n) : reset(p, s.args[0].n);
      a[attempts_at] = observed::of(static_cast<spec::integer>(p.attempts_done));
      a[jitter_at] = observed::of(static_cast<spec::integer>(p.next_jitter_max));
      answers.push_back(a);
    }
  }

 private:
  answer reset(retry_params& p, std::int64_t draw) {
    one_call call(draw);
    in_surroundings const these(&call);
    reset_(&p);
    return {observed::word(ok)};
  }
  answer back_off(retry_params& p, std::int64_t draw) {
    one_call call(draw);
    int status = 0;
    {
      in_surroundings const these(&call);
      status = backoff_(&p);
    }
    if (status == 0) return {observed::word(retry), call.slept()};
    if (status == 1) return {observed::word(exhausted)};
    throw broken_contract("RetryUtils_BackoffAndSleep returned " + std::to_string(status) +
                          ", which is no status: expected 0 (success) or 1 (retries exhausted)");
  }

  params_reset* reset_;
  backoff_and_sleep* backoff_;
};

}  // namespace

extern c_interface const aws_retry_utils_interface;
c_interface const aws_retry_utils_interface{
    .stem = "aws_retry_utils",
    .functions = functions,
    .constants = constants,
    .draws = {spec::draw::kind::rand, std::uint64_t{RAND_MAX} + 1},
    .features = bit(feature::instances) | bit(feature::state),
    .narrow = [](domain&) {},
    .bind = [](std::span<void* const> at) -> std::unique_ptr<bound_library> { return std::make_unique<bound>(at); }};

}  // namespace backoff::conformance::host

// What stands in the document where a system's own function to sleep belongs.
BACKOFF_EXPORTED int myThreadSleepFunction(int seconds) {
  if (backoff::conformance::host::around != nullptr) backoff::conformance::host::around->sleep(seconds, 0);
  return 0;
}
