// Retry Utilities 202009.00 in C: two functions that draw, and one that sleeps, by functions of the system. Its four
// constants are compiled in.
#include "host/c_interface.hpp"

#include <array>
#include <cstdlib>
#include <set>

#include "aws_retry_utils/page.hpp"
#include "histories/present.hpp"
#include "host/exported.hpp"
#include "host/guard.hpp"
#include "host/surroundings.hpp"

namespace backoff::systems {
namespace {

namespace page = pages::aws_retry_utils;
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
  one_call(std::int64_t draw, moment const& begins) noexcept
      : draw_(static_cast<std::uint32_t>(draw)), begins_(begins) {}

  std::uint32_t rand() override { return draw_; }
  std::optional<moment> time_of_day() noexcept override {
    auto const nanoseconds = begins_.nanoseconds + nanoseconds_;
    return moment{begins_.seconds + seconds_ + nanoseconds / a_second, nanoseconds % a_second};
  }
  std::optional<moment> ticks() noexcept override { return time_of_day(); }
  void seeded(unsigned seed) noexcept override {
    if (!seed_) seed_ = seed;
  }
  void sleep(std::int64_t seconds, std::int64_t nanoseconds) noexcept override {
    nanoseconds_ += nanoseconds;
    seconds_ += seconds + nanoseconds_ / a_second;
    nanoseconds_ %= a_second;
  }
  bool malloc_fails() noexcept override { return false; }
  void allocated(std::int64_t) noexcept override {}

  // The first of the call.
  [[nodiscard]] std::optional<unsigned> seed() const noexcept { return seed_; }
  [[nodiscard]] observed slept() const {
    if (nanoseconds_ == 0) return observed::of(seconds_);
    auto const fraction = std::to_string(nanoseconds_);
    auto const text = std::to_string(seconds_) + "." + std::string(9 - fraction.size(), '0') + fraction;
    return observed::of(present(spec::parse_decimal(text)));
  }

 private:
  std::uint32_t draw_;
  moment begins_;
  std::optional<unsigned> seed_;
  std::int64_t seconds_ = 0;
  std::int64_t nanoseconds_ = 0;
};

class bound final : public bound_library {
 public:
  explicit bound(std::span<void* const> at)
      : reset_(function_at<params_reset>(at[0])), backoff_(function_at<backoff_and_sleep>(at[1])) {}

  void run(history const& h, result& to) override {
    // Of no known value, as memory of the stack is; behind it nothing can be read or written.
    std::array<retry_params*, instances_max> instances;
    for (std::size_t i = 0; i < instances.size(); ++i)
      instances[i] = static_cast<retry_params*>(pages_[i].last(sizeof(retry_params)));
    random_ = drawn_from(h);
    now_ = {usual_time, 0};
    seeds_.clear();
    for (auto const& s : h.steps) {
      let_time_pass();
      auto& p = *instances[s.on];
      auto a = s.op == page::call::backoff ? back_off(p, s.args[page::backoff_args::draw].n)
                                           : reset(p, s.args[page::backoff_args::draw].n);
      a[attempts_at] = observed::of(static_cast<spec::integer>(p.attempts_done));
      a[jitter_at] = observed::of(static_cast<spec::integer>(p.next_jitter_max));
      if (pages_[s.on].is_written_before(sizeof p)) throw broken_contract("the call wrote before its parameters");
      to.answers.push_back(a);
    }
  }

 private:
  // To some moment of another second.
  void let_time_pass() {
    constexpr std::int64_t between_calls = 1'000;
    now_ = {now_.seconds + between_calls, random_.between(0, a_second - 1)};
  }
  std::optional<unsigned> seed_of_reset(retry_params& p, std::int64_t draw) {
    one_call call(draw, now_);
    in_surroundings const these(&call);
    reset_(&p);
    return call.seed();
  }
  answer reset(retry_params& p, std::int64_t draw) {
    auto const seed = seed_of_reset(p, draw);
    if (seed && !seeds_.insert(*seed).second && is_seed_of_any_reset(*seed))
      throw broken_contract("RetryUtils_ParamsReset seeded the generator with " + std::to_string(*seed) +
                            " again, at another time: the same draws follow every reset");
    return {observed::word(ok)};
  }
  // Whether it is that at yet other times: two of them may be alike to a library by chance.
  bool is_seed_of_any_reset(unsigned seed) {
    constexpr int times = 3;
    retry_params other{};
    for (int i = 0; i < times; ++i) {
      let_time_pass();
      if (seed_of_reset(other, 0) != seed) return false;
    }
    return true;
  }
  answer back_off(retry_params& p, std::int64_t draw) {
    one_call call(draw, now_);
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
  std::array<guarded_page, instances_max> pages_;
  random_bits random_{0};
  moment now_;
  std::set<unsigned> seeds_;  // of the resets of a history
};

}  // namespace

extern c_interface const aws_retry_utils_interface;
c_interface const aws_retry_utils_interface{
    .stem = "aws_retry_utils",
    .functions = functions,
    .constants = constants,
    .draws = {spec::draw_kind::rand, std::uint64_t{RAND_MAX} + 1},
    .features = bit(feature::instances) | bit(feature::state),
    .narrow = [](domain&, void const*) {},
    .bind = [](std::span<void* const> at) -> std::unique_ptr<bound_library> { return std::make_unique<bound>(at); }};

}  // namespace backoff::systems

// What stands in the document where a system's own function to sleep belongs.
BACKOFF_EXPORTED int myThreadSleepFunction(int seconds) {
  if (backoff::host::around != nullptr) backoff::host::around->sleep(seconds, 0);
  return 0;
}
