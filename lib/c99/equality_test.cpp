// The sources in C99 decide as the headers of the core do. The text of each source is compiled once more with numbers
// of 8 bits and tried on all of them; the objects themselves are tried on random and special numbers of their own
// width.
#include <gtest/gtest.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <new>
#include <random>
#include <string>
#include <vector>

#include "backoff/aws_backoff_algorithm.hpp"
#include "backoff/aws_retry_utils.hpp"
#include "backoff/hosted/azure_c_retry_control_handle.hpp"
#include "backoff_algorithm.h"
#include "iothub_client_retry_control.h"

// ---- The sources, 8 bits wide: what they call u16 or u32, where C++ counts in int ----

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"

#undef BACKOFF_ALGORITHM_H
#define BackoffAlgorithm_InitializeParams narrow_InitializeParams
#define BackoffAlgorithm_GetNextBackoff narrow_GetNextBackoff
namespace narrow_algorithm {
using uint16_t = std::uint8_t;
#include "aws_backoff_algorithm.c"
}  // namespace narrow_algorithm
#undef BackoffAlgorithm_InitializeParams
#undef BackoffAlgorithm_GetNextBackoff

// The constants of Retry Utilities, which are compiled in; here variables.
static std::uint32_t max_attempts, initial_s, max_s, max_jitter_s, next_random, slept;
static int sleeps, randoms;
#define MAX_RETRY_ATTEMPTS max_attempts
#define INITIAL_RETRY_BACKOFF_SECONDS static_cast<uint32_t>(initial_s)
#define MAX_RETRY_BACKOFF_SECONDS static_cast<uint32_t>(max_s)
#define MAX_JITTER_VALUE_SECONDS static_cast<uint32_t>(max_jitter_s)
#define RetryUtils_ParamsReset narrow_ParamsReset
#define RetryUtils_BackoffAndSleep narrow_BackoffAndSleep
#define backoff_retry_utils_random narrow_random
#define backoff_retry_utils_sleep narrow_sleep
namespace narrow_utils {
using uint32_t = std::uint8_t;
#include "aws_retry_utils.c"
extern "C" uint32_t narrow_random() { return ++randoms, static_cast<uint32_t>(next_random); }
extern "C" void narrow_sleep(uint32_t seconds) { ++sleeps, slept = seconds; }
}  // namespace narrow_utils
#undef RETRY_UTILS_H
#undef RetryUtils_ParamsReset
#undef RetryUtils_BackoffAndSleep
#undef backoff_retry_utils_random
#undef backoff_retry_utils_sleep
// The same as wide as it is, for any constants.
#define RetryUtils_ParamsReset wide_ParamsReset
#define RetryUtils_BackoffAndSleep wide_BackoffAndSleep
#define backoff_retry_utils_random wide_random
#define backoff_retry_utils_sleep wide_sleep
namespace wide_utils {
#include "aws_retry_utils.c"
extern "C" uint32_t wide_random() { return ++randoms, next_random; }
extern "C" void wide_sleep(uint32_t seconds) { ++sleeps, slept = seconds; }
}  // namespace wide_utils

// Retry control's formulas alone; its calls are tried below.
static std::uint32_t narrow_r, narrow_rand_max;
#undef IOTHUB_CLIENT_RETRY_CONTROL_H
#undef RAND_MAX
#undef UINT32_MAX
#define RAND_MAX narrow_rand_max
#define UINT32_MAX 0xffU  // NOLINT(cppcoreguidelines-macro-usage): the drop-in compares with it
#define retry_control_create narrow_create
#define retry_control_should_retry narrow_should_retry
#define retry_control_reset narrow_reset
#define retry_control_set_option narrow_set_option
#define retry_control_retrieve_options narrow_retrieve_options
#define retry_control_destroy narrow_destroy
#define is_timeout_reached narrow_timeout
#define get_time narrow_get_time
#define OptionHandler_Create narrow_option_create
#define OptionHandler_AddOption narrow_option_add
#define OptionHandler_FeedOptions narrow_option_feed
#define OptionHandler_Destroy narrow_option_destroy
namespace narrow_control {
struct RETRY_CONTROL_INSTANCE_TAG;
using uint32_t = std::uint8_t;
using uint64_t = std::uint16_t;
using time_t = std::int8_t;
static std::uint32_t rand() { return narrow_r; }
time_t get_time(time_t*);
void* OptionHandler_Create(void* (*)(char const*, void const*), void (*)(char const*, void const*),
                           int (*)(void*, char const*, void const*));
int OptionHandler_AddOption(void*, char const*, void const*);
int OptionHandler_FeedOptions(void*, void*);
void OptionHandler_Destroy(void*);
#include "azure_c_retry_control.c"
time_t get_time(time_t*) { return 0; }
void* OptionHandler_Create(void* (*)(char const*, void const*), void (*)(char const*, void const*),
                           int (*)(void*, char const*, void const*)) {
  return nullptr;
}
int OptionHandler_AddOption(void*, char const*, void const*) { return 1; }
int OptionHandler_FeedOptions(void*, void*) { return 1; }
void OptionHandler_Destroy(void*) {}
}  // namespace narrow_control
#pragma GCC diagnostic pop
#undef RAND_MAX
#define RAND_MAX 2147483647  // NOLINT(cppcoreguidelines-macro-usage): as it was
#undef UINT32_MAX
#define UINT32_MAX 0xffff'ffffU  // NOLINT(cppcoreguidelines-macro-usage): as it was
#undef retry_control_create
#undef retry_control_should_retry
#undef retry_control_reset
#undef retry_control_set_option
#undef retry_control_retrieve_options
#undef retry_control_destroy
#undef is_timeout_reached
#undef get_time
#undef OptionHandler_Create
#undef OptionHandler_AddOption
#undef OptionHandler_FeedOptions
#undef OptionHandler_Destroy

namespace {

namespace algorithm = backoff::aws_backoff_algorithm;
namespace utils = backoff::aws_retry_utils;
namespace control = backoff::azure_c_retry_control;

constexpr std::uint32_t top = 0xffff'ffff;

// Numbers where something may change, and random ones of all magnitudes.
class numbers {
 public:
  std::uint32_t operator()() {
    auto const any = static_cast<std::uint32_t>(random_() >> (random_() % 32));
    switch (random_() % 4) {
      case 0:
        return specials[random_() % specials.size()];
      case 1:
        return (1U << (random_() % 32)) - random_() % 2;
      default:
        return any;
    }
  }
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }

 private:
  static constexpr std::array<std::uint32_t, 14> specials{
      0, 1, 2, 3, 5, 100, 101, 0x7fff, 0x8000, 0xffff, 0x1'0000, 0x7fff'ffff, 0x8000'0000, top};
  std::mt19937 random_{20261123};
};

// ---- aws_backoff_algorithm ----

algorithm::attempt_limit limit_of(std::uint32_t attempts) {
  return attempts == top ? algorithm::attempt_limit::forever() : algorithm::attempt_limit::of(attempts);
}

// One call from that state: status, delay, window and count. False where the C source and the header differ.
template <class W, class Context, class Call>
bool same_step(Call call, Context const before, std::uint32_t draw) {
  auto context = before;
  W delay = 77;
  bool const granted = call(&context, draw, &delay) == 0;
  algorithm::parameters<W> const p{before.nextJitterMax, before.maxBackoffDelay, limit_of(before.maxRetryAttempts)};
  auto cycle = algorithm::full_jitter<W>::resume(p, before.nextJitterMax, before.attemptsDone);
  auto const decided = cycle.next(draw);
  if (granted != (decided.status == algorithm::status::retry)) return false;
  if (context.maxBackoffDelay != before.maxBackoffDelay || context.maxRetryAttempts != before.maxRetryAttempts)
    return false;
  if (!granted)
    return delay == 77 && context.nextJitterMax == before.nextJitterMax && context.attemptsDone == before.attemptsDone;
  std::uint32_t const counted = before.attemptsDone == top ? top : before.attemptsDone + 1;
  return delay == decided.delay_ms && context.nextJitterMax == cycle.window_ms() && context.attemptsDone == counted;
}

TEST(c99_aws_backoff_algorithm, decides_as_the_header_for_all_numbers_of_8_bits) {
  for (unsigned window = 0; window < 256; ++window) {
    for (unsigned cap = 0; cap < 256; ++cap) {
      narrow_algorithm::BackoffAlgorithmContext_t context;
      narrow_algorithm::narrow_InitializeParams(&context, std::uint8_t(window), std::uint8_t(cap), 3);
      algorithm::full_jitter<std::uint8_t> const fresh(
          {std::uint8_t(window), std::uint8_t(cap), algorithm::attempt_limit::of(3)});
      ASSERT_TRUE(context.nextJitterMax == fresh.window_ms() && context.maxBackoffDelay == cap &&
                  context.attemptsDone == 0 && context.maxRetryAttempts == 3);
      context.nextJitterMax = std::uint8_t(window);
      for (std::uint32_t draw = 0; draw < 520; ++draw)
        ASSERT_TRUE(same_step<std::uint8_t>(narrow_algorithm::narrow_GetNextBackoff, context, draw))
            << window << ' ' << cap << ' ' << draw;
    }
  }
}

TEST(c99_aws_backoff_algorithm, decides_as_the_header) {
  numbers any;
  for (int i = 0; i < 2'000'000; ++i) {
    BackoffAlgorithmContext_t c{std::uint16_t(any()), any(), std::uint16_t(any()), any()};
    if (any.below(3) == 0) c.attemptsDone = c.maxRetryAttempts - any.below(2);
    auto const draw = any();
    ASSERT_TRUE(same_step<std::uint16_t>(BackoffAlgorithm_GetNextBackoff, c, draw))
        << c.nextJitterMax << ' ' << c.maxBackoffDelay << ' ' << c.attemptsDone << ' ' << c.maxRetryAttempts << ' '
        << draw;
    BackoffAlgorithmContext_t fresh;
    BackoffAlgorithm_InitializeParams(&fresh, c.nextJitterMax, c.maxBackoffDelay, c.maxRetryAttempts);
    ASSERT_EQ(fresh.nextJitterMax, std::min(c.nextJitterMax, c.maxBackoffDelay));
    ASSERT_TRUE(fresh.maxBackoffDelay == c.maxBackoffDelay && fresh.attemptsDone == 0 &&
                fresh.maxRetryAttempts == c.maxRetryAttempts);
  }
}

// ---- aws_retry_utils ----

template <class W, class Params, class Reset>
bool same_reset(Reset reset) {
  Params params{77, 77};
  randoms = 0;
  reset(&params);
  utils::retry_cycle<W> const cycle({W(initial_s), W(max_s), W(max_jitter_s), max_attempts}, W(next_random));
  return randoms == 1 && params.attemptsDone == 0 && params.nextJitterMax == cycle.next_jitter_max();
}

template <class W, class Params, class Call>
bool same_back_off(Call call, Params const before) {
  auto params = before;
  randoms = sleeps = 0;
  bool const granted = call(&params) == 0;
  auto cycle = utils::retry_cycle<W>::resume({W(initial_s), W(max_s), W(max_jitter_s), max_attempts},
                                             before.nextJitterMax, before.attemptsDone);
  auto const decided = cycle.back_off(W(next_random));
  if (randoms != 1 || granted != (decided.status == utils::status::retry)) return false;
  if (!granted)
    return sleeps == 0 && params.attemptsDone == before.attemptsDone && params.nextJitterMax == before.nextJitterMax;
  return sleeps == 1 && slept == decided.sleep_s && params.nextJitterMax == cycle.next_jitter_max() &&
         params.attemptsDone == W(cycle.attempts_done());
}

TEST(c99_aws_retry_utils, resets_as_the_header_for_all_numbers_of_8_bits) {
  max_attempts = 4;
  auto const same = [] {
    return same_reset<std::uint8_t, narrow_utils::RetryUtilsParams_t>(narrow_utils::narrow_ParamsReset);
  };
  // All jitters and draws, at some windows; all windows and all sums, since a draw within the jitter is the jitter.
  for (max_jitter_s = 0; max_jitter_s < 256; ++max_jitter_s) {
    for (next_random = 0; next_random < 256; ++next_random) {
      for (initial_s = 0; initial_s < 256; initial_s += 51) {
        for (max_s = 0; max_s < 256; max_s += 51) ASSERT_TRUE(same());
      }
    }
    next_random = max_jitter_s;
    for (initial_s = 0; initial_s < 256; ++initial_s) {
      for (max_s = 0; max_s < 256; ++max_s) ASSERT_TRUE(same());
    }
  }
}

TEST(c99_aws_retry_utils, backs_off_as_the_header_for_all_numbers_of_8_bits) {
  using params = narrow_utils::RetryUtilsParams_t;
  auto const same = [](unsigned done, unsigned window) {
    return same_back_off<std::uint8_t>(narrow_utils::narrow_BackoffAndSleep,
                                       params{std::uint8_t(done), std::uint8_t(window)});
  };
  max_attempts = 0;
  for (max_s = 0; max_s < 256; ++max_s) {
    for (unsigned window = 0; window < 256; ++window) {
      for (next_random = 0; next_random < 256; ++next_random)
        ASSERT_TRUE(same(9, window)) << max_s << ' ' << window << ' ' << next_random;
    }
  }
  for (max_attempts = 0; max_attempts < 256; ++max_attempts) {
    for (unsigned done = 0; done < 256; ++done) ASSERT_TRUE(same(done, 3)) << max_attempts << ' ' << done;
  }
}

TEST(c99_aws_retry_utils, decides_as_the_header) {
  numbers any;
  for (int i = 0; i < 2'000'000; ++i) {
    max_attempts = any(), initial_s = any(), max_s = any(), max_jitter_s = any(), next_random = any();
    wide_utils::RetryUtilsParams_t params{any(), any()};
    if (any.below(3) == 0) params.attemptsDone = max_attempts - any.below(2);
    ASSERT_TRUE((same_reset<std::uint32_t, wide_utils::RetryUtilsParams_t>(wide_utils::wide_ParamsReset)));
    ASSERT_TRUE(same_back_off<std::uint32_t>(wide_utils::wide_BackoffAndSleep, params));
  }
}

// ---- azure_c_retry_control ----

TEST(c99_azure_c_retry_control, computes_as_the_kernels_for_all_numbers_of_8_bits) {
  for (unsigned base = 1; base < 256; ++base) {
    for (unsigned n = 0; n < 256; ++n) {
      auto const b = std::uint8_t(base), doublings = std::uint8_t(n);
      ASSERT_EQ(narrow_control::doubled(b, doublings), backoff::double_saturating(b, doublings)) << base << ' ' << n;
    }
  }
  for (unsigned sum = 0; sum < 0x1'0000; ++sum)
    ASSERT_EQ(narrow_control::saturated(std::uint16_t(sum)), std::min(sum, 255U));
  for (unsigned const rand_max : {1, 2, 3, 7, 16, 99, 100, 101, 127, 128, 254, 255}) {
    narrow_rand_max = rand_max;
    for (narrow_r = 0; narrow_r <= rand_max; ++narrow_r) {
      for (unsigned percent = 0; percent <= 100; ++percent) {
        for (unsigned whole = 0; whole < 256; ++whole) {
          auto const expected = backoff::jitter_proportional<std::uint16_t>(
              std::uint8_t(whole), std::uint8_t(percent), std::uint8_t(narrow_r), std::uint8_t(rand_max));
          ASSERT_EQ(narrow_control::part(std::uint8_t(whole), std::uint8_t(percent)), expected)
              << whole << ' ' << percent << ' ' << narrow_r << ' ' << rand_max;
        }
      }
    }
  }
  for (int since = -128; since < 128; ++since) {
    for (int now = -128; now < 128; ++now) {
      for (int seconds = 0; seconds < 256; ++seconds)
        ASSERT_EQ(narrow_control::has_elapsed(std::int8_t(since), std::int8_t(now), std::uint8_t(seconds)),
                  now - since >= seconds);
    }
  }
}

// What both sides find around them: the same readings and numbers in the same order, and option handlers that fail.
struct surroundings {
  std::array<std::int64_t, 3> clock{};
  std::uint32_t r = 0;
  int readings = 0, draws = 0;
  bool create_fails = false, feed_fails = false;
  int add_fails_at = -1;  // the how manieth fails

  std::int64_t read() { return clock[std::min<std::size_t>(std::size_t(readings++), 2)]; }
  int draw() { return ++draws, static_cast<int>(r); }
  void begin() { readings = draws = 0; }
};
surroundings around;

struct saved_options {
  std::vector<std::pair<std::string, std::uint32_t>> all;
  friend bool operator==(saved_options const&, saved_options const&) = default;
};
int handlers = 0;

bool add(saved_options& to, char const* name, std::uint32_t value) {
  if (static_cast<int>(to.all.size()) == around.add_fails_at) return false;
  to.all.emplace_back(name, value);
  return true;
}

struct of_the_header {
  using options = saved_options;
  void* allocate(std::size_t bytes) noexcept { return malloc(bytes); }
  void release(void* memory) noexcept { free(memory); }
  std::int64_t get_time() noexcept { return around.read(); }
  control::draw rand() noexcept { return {static_cast<std::uint32_t>(around.draw()), RAND_MAX}; }
  options* option_create() noexcept { return around.create_fails ? nullptr : (++handlers, new (std::nothrow) options); }
  bool option_add(options* to, char const* name, std::uint32_t value) noexcept { return add(*to, name, value); }
  bool option_feed(options const* from, control::option_sink sink) noexcept {
    if (around.feed_fails) return false;
    return std::ranges::all_of(from->all, [&](auto const& o) { return sink(o.first.c_str(), o.second); });
  }
  void option_destroy(options* of) noexcept { --handlers, delete of; }
};

// The option handler of C keeps clones, and sets them by the source's own function.
struct c_handler {
  void* (*clone)(char const*, void const*);
  void (*destroy)(char const*, void const*);
  int (*set)(void*, char const*, void const*);
  saved_options values;
};

}  // namespace

extern "C" {
time_t get_time(time_t*);
time_t get_time(time_t*) { return around.read(); }
int rand() noexcept { return around.draw(); }
void* OptionHandler_Create(void* (*)(char const*, void const*), void (*)(char const*, void const*),
                           int (*)(void*, char const*, void const*));
int OptionHandler_AddOption(void*, char const*, void const*);
int OptionHandler_FeedOptions(void*, void*);
void OptionHandler_Destroy(void*);
void* OptionHandler_Create(void* (*clone)(char const*, void const*), void (*destroy)(char const*, void const*),
                           int (*set)(void*, char const*, void const*)) {
  return around.create_fails ? nullptr : (++handlers, new c_handler{clone, destroy, set, {}});
}
int OptionHandler_AddOption(void* handle, char const* name, void const* value) {
  auto& h = *static_cast<c_handler*>(handle);
  void* const clone = h.clone(name, value);
  bool const added = add(h.values, name, *static_cast<unsigned*>(clone));
  h.destroy(name, clone);
  return added ? 0 : 5;
}
int OptionHandler_FeedOptions(void* handle, void* destination) {
  if (around.feed_fails) return -3;
  auto const& h = *static_cast<c_handler*>(handle);
  for (auto const& [name, value] : h.values.all) {
    if (h.set(destination, name.c_str(), &value) != 0) return 1;
  }
  return 0;
}
void OptionHandler_Destroy(void* handle) { --handlers, delete static_cast<c_handler*>(handle); }
}

namespace {

// A pair of instances, and calls on both that must answer alike, with as many readings and draws.
class pair {
 public:
  pair(unsigned policy, unsigned limit)
      : c_(retry_control_create(static_cast<IOTHUB_CLIENT_RETRY_POLICY>(policy), limit)),
        header_(api_.create(static_cast<control::policy>(policy), limit)) {}
  pair(pair const&) = delete;
  ~pair() {
    retry_control_destroy(c_);
    api_.destroy(header_);
  }

  bool should_retry(bool null_handle, bool null_action) {
    auto action = static_cast<RETRY_ACTION>(around.r % 3);  // which stays where a call fails
    auto expected = static_cast<control::action>(around.r % 3);
    return both(
               [&] { return retry_control_should_retry(null_handle ? nullptr : c_, null_action ? nullptr : &action); },
               [&] { return api_.should_retry(null_handle ? nullptr : header_, null_action ? nullptr : &expected); }) &&
           static_cast<int>(action) == static_cast<int>(expected);
  }
  void reset() {
    retry_control_reset(c_);
    api_.reset(header_);
  }
  bool set(char const* name, unsigned const* value) {
    return both([&] { return retry_control_set_option(c_, name, value); },
                [&] { return api_.set_option(header_, name, static_cast<std::uint32_t const*>(value)); });
  }
  bool timeout(std::int64_t start, unsigned seconds, bool null) {
    bool answer = around.r % 2 == 0, expected = answer;
    return both([&] { return is_timeout_reached(start, seconds, null ? nullptr : &answer); },
                [&] { return api_.is_timeout_reached(start, seconds, null ? nullptr : &expected); }) &&
           answer == expected;
  }
  // Retrieves, and sets what was retrieved in the other pair.
  bool retrieve(pair& into) {
    auto* const saved = static_cast<c_handler*>(retry_control_retrieve_options(c_));
    auto* const expected = api_.retrieve_options(header_);
    if ((saved == nullptr) != (expected == nullptr)) return false;
    if (saved == nullptr) return handlers == 0;
    bool const same = saved->values == *expected &&
                      both([&] { return retry_control_set_option(into.c_, RETRY_CONTROL_OPTION_SAVED_OPTIONS, saved); },
                           [&] { return api_.set_option(into.header_, control::saved_options_option, expected); });
    OptionHandler_Destroy(saved);
    around_.option_destroy(expected);
    return same && handlers == 0;
  }

 private:
  template <class C, class Header>
  static bool both(C c, Header header) {
    around.begin();
    int const failed = c();
    int const readings = around.readings, draws = around.draws;
    around.begin();
    int const expected = header();
    return (failed == 0) == (expected == 0) && readings == around.readings && draws == around.draws;
  }

  of_the_header around_;
  control::handle_api<of_the_header> api_{around_};
  RETRY_CONTROL_HANDLE c_;
  control::handle header_;
};

TEST(c99_azure_c_retry_control, decides_as_the_header) {
  numbers any;
  constexpr std::array<char const*, 6> names{"initial_wait_time_in_secs",
                                             "max_jitter_percent",
                                             "initial_wait_time_in_sec",
                                             "max_jitter_percents",
                                             "",
                                             nullptr};
  for (int i = 0; i < 100'000; ++i) {
    pair one(any.below(8), any.below(2) == 0 ? 0 : any()), other(any.below(7), 0);
    std::int64_t now = any.below(4) == 0 ? std::numeric_limits<std::int64_t>::max() - any() : std::int64_t{any()} - 5;
    for (auto calls = any.below(40); calls > 0; --calls) {
      for (auto& reading : around.clock) {
        // NOLINTNEXTLINE(misc-redundant-expression): two numbers
        now = any.below(8) == 0 ? std::int64_t(any()) - std::int64_t(any())
                                : std::int64_t(std::uint64_t(now) + any.below(12));
        reading = any.below(20) == 0 ? -1 : now;
      }
      around.r = any.below(3) == 0 ? RAND_MAX - any.below(2) : any() % RAND_MAX;
      around.create_fails = any.below(6) == 0;
      around.feed_fails = any.below(6) == 0;
      around.add_fails_at = static_cast<int>(any.below(8)) - 3;
      unsigned const value = any(), percent = any.below(103);
      switch (any.below(12)) {
        case 0:
          one.reset();
          break;
        case 1:
          ASSERT_TRUE(one.set(names[any.below(6)], any.below(6) == 0 ? nullptr : &value));
          break;
        case 2:
          ASSERT_TRUE(one.set(names[1], &percent));
          break;
        case 3:
          ASSERT_TRUE(one.timeout(around.clock[2] - value + any.below(2), value, any.below(8) == 0));
          break;
        case 4:
          ASSERT_TRUE(one.timeout(any.below(3) == 0 ? -1 : now, value, false));
          break;
        case 5:
          ASSERT_TRUE(one.retrieve(other));
          break;
        case 6:
          ASSERT_TRUE(other.should_retry(any.below(8) == 0, any.below(8) == 0));
          break;
        default:
          ASSERT_TRUE(one.should_retry(false, false));
          break;
      }
    }
  }
}

}  // namespace
