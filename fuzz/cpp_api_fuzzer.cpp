// Fuzz target: what the library for C++ has around the formulas: draws of any generator, durations, policies, ranges of
// waits, parameters that are too wide, cycles that are resumed. Draws and durations are held against their definitions
// in wider integers, policies and cycles against the functions for C, which have histories of their own
// (properties/systems/STEM/ports/library.cpp). The loops are in cpp_loops_fuzzer.cpp.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <ratio>
#include <span>

#include "backoff.h"
#include "backoff/hosted/defaults.hpp"
#include "backoff/hosted/delays.hpp"
#include "backoff/hosted/durations.hpp"
#include "backoff/hosted/policies.hpp"
#include "backoff/hosted/random.hpp"
#include "bytes.hpp"

namespace {

using namespace backoff;
using fuzz::demand;
using fuzz::source;
using std::chrono::nanoseconds;
__extension__ using u128 = unsigned __int128;
__extension__ using i128 = __int128;

// Numbers of the input, in [Low, High].
template <class R, R Low, R High>
struct generator {
  using result_type = R;
  source* in;
  static constexpr R min() noexcept { return Low; }
  static constexpr R max() noexcept { return High; }
  R operator()() noexcept { return static_cast<R>(Low + static_cast<R>(u128{in->number()} % (u128{High} - Low + 1))); }
};
using words = generator<std::uint32_t, 0, 0xffff'ffff>;

// -- draws --

// The same from their definition: the numbers of the generator that a power of two divides evenly, as many as make a
// word of that many bits, the first on top; and the words that the window divides evenly.
template <class W, class G>
u128 word_of(G& numbers) {
  u128 const size = u128{G::max()} - G::min() + 1;
  unsigned bits = 0;
  while (size >> (bits + 1) != 0) ++bits;
  constexpr unsigned width = std::numeric_limits<W>::digits;
  unsigned const parts = (width + bits - 1) / bits;
  bits = (width + parts - 1) / parts;
  u128 const share = size >> bits;
  u128 word = 0;
  for (unsigned part = 0; part < parts;) {
    u128 const number = u128{numbers()} - G::min();
    if (number >= share << bits) continue;
    word = (word << bits) + number / share;
    ++part;
  }
  return static_cast<W>(word);
}
template <class W, class G>
W fair_word_of(W window, G& numbers) {
  u128 const outcomes = u128{window} + 1;
  u128 const all = u128{1} << std::numeric_limits<W>::digits;
  for (;;) {
    auto const word = word_of<W>(numbers);
    if (word < all / outcomes * outcomes) return static_cast<W>(word);
  }
}

template <class W, class G>
void draws_of(source& in) {
  auto const window = static_cast<W>(in.number());
  auto const kind = in.byte();
  source again = in;
  G one{&in};
  G other{&again};
  if (kind % 3 == 0) {
    demand(uniform_word<W>(one) == word_of<W>(other));
  } else if (kind % 3 == 1) {
    demand(uniform_up_to(window, one) == fair_word_of(window, other) % (u128{window} + 1));
  } else {
    demand(draw_for(window, draw_mapping::modulo, one) == word_of<W>(other));
    demand(draw_for(window, draw_mapping::unbiased, one) == fair_word_of(window, other));
  }
}
template <class G>
void draws_from(source& in) {
  static constexpr void (*widths[])(source&) = {draws_of<std::uint8_t, G>, draws_of<std::uint16_t, G>,
                                                draws_of<std::uint32_t, G>, draws_of<std::uint64_t, G>};
  one_of(widths, in);
}
void draws(source& in) {
  static constexpr void (*generators[])(source&) = {
      draws_from<words>, draws_from<generator<std::uint64_t, 0, 0xffff'ffff'ffff'ffff>>,
      draws_from<generator<std::uint32_t, 1, 0x7fff'fffe>>, draws_from<generator<std::uint8_t, 1, 6>>,
      draws_from<generator<std::uint64_t, 7, 0xffff'ffff'ffff'fff0>>};
  one_of(generators, in);
}

// -- durations --

template <class To, class D>
void saturation(source& in) {
  D const given(static_cast<typename D::rep>(in.number()));
  using units = std::ratio_divide<typename D::period, typename To::period>;
  i128 const most = To::max().count();
  i128 const exact = i128{given.count()} * units::num;
  i128 const expected = exact < 0 ? 0 : std::min(exact, most);
  demand(i128{saturated<To>(given).count()} == expected);
  demand(i128{time_in<To>(given).unit_count()} == expected);
}
void durations(source& in) {
  using namespace std::chrono;
  static constexpr void (*pairs[])(source&) = {saturation<milliseconds_u32, milliseconds>,
                                               saturation<milliseconds_u32, duration<std::uint64_t, std::ratio<60>>>,
                                               saturation<seconds_u32, duration<std::int8_t, std::ratio<3600>>>,
                                               saturation<seconds_u32, seconds_u32>,
                                               saturation<nanoseconds, nanoseconds>,
                                               saturation<nanoseconds, duration<std::int64_t, std::ratio<86400>>>};
  one_of(pairs, in);
  auto const some = [&in] { return static_cast<std::int64_t>(in.number() >> 1U); };
  auto const a = some();
  auto const b = some();
  demand(saturated_sum(nanoseconds(a), nanoseconds(b)).count() ==
         std::min(i128{a} + b, i128{std::numeric_limits<std::int64_t>::max()}));
}

// -- policies: what the range gives is what the functions for C answer to the same draws --

// next(): the wait, or nothing where it ends.
template <class Policy, class Next>
void same_waits(Policy const& policy, source& in, Next&& next) {
  auto left = in.byte() % 64;
  words numbers{&in};
  delays range(policy, numbers);
  auto at = range.begin();
  for (; left > 0 && at != range.end(); --left) {
    auto const expected = next();
    demand(expected.has_value() && *at == *expected);
    if (left % 2 == 0) {
      at++;  // cppcheck-suppress postfixOperator ; it is tried, too
    } else {
      ++at;
    }
  }
  if (at == range.end()) demand(!next().has_value());
}
using maybe_wait = std::optional<nanoseconds>;
constexpr draw_mapping mapping_of(std::uint8_t byte) {
  return byte % 2 == 0 ? draw_mapping::modulo : draw_mapping::unbiased;
}
// The draw, from its definition, which another copy of the input gives.
std::uint32_t draw_by(draw_mapping mapping, std::uint32_t window, words& numbers) {
  if (mapping == draw_mapping::unbiased) return fair_word_of(window, numbers);
  return static_cast<std::uint32_t>(word_of<std::uint32_t>(numbers));
}

void full_jitter(source& in) {
  auto const base = in.u32();
  auto const max = in.u32();
  auto const attempts = in.u32();
  auto const mapping = mapping_of(in.byte());
  policies::aws_backoff_algorithm const policy(milliseconds_u32(base), milliseconds_u32(max),
                                               aws_backoff_algorithm::attempt_limit::of(attempts), mapping);
  backoff_aws_backoff_algorithm c;
  backoff_aws_backoff_algorithm_init(&c, base, max, attempts);
  source again = in;
  static_cast<void>(again.byte());
  words numbers{&again};
  same_waits(policy, in, [&]() -> maybe_wait {
    auto const draw = draw_by(mapping, backoff_aws_backoff_algorithm_window_ms(&c), numbers);
    std::uint32_t delay_ms = 0;
    if (backoff_aws_backoff_algorithm_next(&c, draw, &delay_ms) != BACKOFF_OK) return {};
    return std::chrono::milliseconds(delay_ms);
  });
}

void retry_utils(source& in) {
  backoff_aws_retry_utils_parameters const of{in.u32(), in.u32(), in.u32(), in.u32()};
  auto const mapping = mapping_of(in.byte());
  policies::aws_retry_utils const policy(seconds_u32(of.initial_backoff_s), seconds_u32(of.max_backoff_s),
                                         seconds_u32(of.max_jitter_s), of.max_attempts, mapping);
  backoff_aws_retry_utils c;
  bool begun = false;
  source again = in;
  static_cast<void>(again.byte());
  words numbers{&again};
  same_waits(policy, in, [&]() -> maybe_wait {
    if (!begun) backoff_aws_retry_utils_init(&c, &of, draw_by(mapping, of.max_jitter_s, numbers));
    begun = true;
    auto const draw = draw_by(mapping, backoff_aws_retry_utils_next_jitter_max(&c), numbers);
    std::uint32_t sleep_s = 0;
    if (backoff_aws_retry_utils_back_off(&c, draw, &sleep_s) != BACKOFF_OK) return {};
    return std::chrono::seconds(sleep_s);
  });
}

void step_functions(source& in) {
  auto const interval = in.i64();
  aws_step_functions::ratio const rate{in.u32(), in.u32()};
  auto const attempts = in.u32();
  auto const policy = policies::aws_step_functions::with(std::chrono::duration<std::int64_t>(interval), rate, attempts);
  backoff_aws_step_functions c;
  auto const begun = backoff_aws_step_functions_init(&c, interval, rate.num, rate.den, attempts);
  demand((policy.error == aws_step_functions::parameter_error::none) == (begun == BACKOFF_OK));
  same_waits(policy.value, in, [&]() -> maybe_wait {
    std::uint64_t delay_ns = 0;
    if (backoff_aws_step_functions_next(&c, &delay_ns) != BACKOFF_OK) return {};
    return nanoseconds(static_cast<std::int64_t>(std::min(delay_ns, std::uint64_t{0x7fff'ffff'ffff'ffff})));
  });
}

void sample(source& in) {
  auto const requests = in.u32();
  backoff_aws_prescriptive_sample c;
  backoff_aws_prescriptive_sample_init(&c, requests);
  same_waits(policies::aws_prescriptive_sample(requests), in, [&c]() -> maybe_wait {
    if (backoff_aws_prescriptive_sample_retry_after(&c, 429) == 0) return {};
    auto const delay_ms = backoff_aws_prescriptive_sample_delay_ms(&c);
    if (delay_ms == BACKOFF_AWS_PRESCRIPTIVE_SAMPLE_NO_DELAY) return {};
    return std::chrono::milliseconds(delay_ms);
  });
}

nanoseconds rounded_up(backoff_azure_java_retry_policy_wait const& wait) {
  u128 const exact = u128{wait.ns} + (wait.part != 0 ? 1U : 0U);
  return nanoseconds(static_cast<std::int64_t>(std::min(exact, u128{0x7fff'ffff'ffff'ffff})));
}

void java_policy(source& in) {
  backoff_azure_java_retry_policy_parameters const of{in.u32(), in.u32(), in.u32(), in.u32(), in.u32()};
  backoff_azure_java_retry_policy c;
  auto const begun = backoff_azure_java_retry_policy_init(&c, &of);
  auto const made = azure_java_retry_policy::exponential_backoff_with_jitter::with(
      {of.c_ms, of.cmin_ms, of.cmax_ms, of.jd_millionths, of.ju_millionths});
  demand((made.error == azure_java_retry_policy::parameter_error::none) == (begun == BACKOFF_OK));
  source again = in;
  static_cast<void>(again.byte());
  words numbers{&again};
  same_waits(policies::azure_java_retry_policy(made.value), in, [&, retries = 0U]() mutable -> maybe_wait {
    backoff_azure_java_retry_policy_wait wait{};
    backoff_azure_java_retry_policy_delay(&c, ++retries, numbers(), &wait);
    return rounded_up(wait);
  });
  backoff_azure_java_retry_policy_wait const any{in.number(), in.u32()};
  demand(azure_java_retry_policy::rounded_up({any.ns, any.part}) == rounded_up(any));
}

// Retry control: no later answer than that of the functions for C at the same second, and never `ask again` when it is
// over, nor anything else a nanosecond before.
void retry_control(source& in) {
  auto const which = static_cast<azure_c_retry_control::policy>(in.byte() % 7);
  auto made = azure_c_retry_control::create(which, in.u32());
  static_cast<void>(azure_c_retry_control::set_initial_wait_time_in_secs(made, in.u32()));
  static_cast<void>(azure_c_retry_control::set_max_jitter_percent(made, in.u32()));
  policies::azure_c_retry_control policy(made);
  words numbers{&in};
  nanoseconds elapsed{};
  for (auto left = in.byte() % 64; left > 0; --left) {
    elapsed = saturated_sum(elapsed, nanoseconds(static_cast<std::int64_t>(in.number() >> 1U)));
    auto before = policy;
    source const drawn = in;
    auto const next = policy.what_next(elapsed, numbers);
    demand(next.wait.count() >= 0 && next.advice != advice::out_of_time);
    if (next.advice != advice::ask_again) {
      demand(next.wait.count() == 0);
      continue;
    }
    demand(next.wait.count() > 0);
    if (saturated_sum(elapsed, next.wait) == nanoseconds::max()) return;
    source same = drawn;
    words there{&same};
    demand(before.what_next(elapsed + next.wait - nanoseconds(1), there).advice == advice::ask_again);
    same = drawn;
    demand(before.what_next(elapsed + next.wait, there).advice != advice::ask_again);
  }
  auto again = policies::azure_c_retry_control(made);
  auto total =
      in.number() % 2 == 0 ? maybe_wait(nanoseconds(static_cast<std::int64_t>(in.number() >> 1U))) : maybe_wait();
  auto const next = what_next(again, total, elapsed, numbers);
  demand(!total.has_value() || next.advice == advice::give_up || next.advice == advice::out_of_time ||
         i128{elapsed.count()} + next.wait.count() <= total->count());
  // The range of a policy that looks at the clock, which ends with the time that there is.
  auto by_hand = policies::azure_c_retry_control(made);
  source drawn = in;
  static_cast<void>(drawn.byte());
  words there{&drawn};
  same_waits(policies::azure_c_retry_control(made), in, [&, passed = i128{0}]() mutable -> maybe_wait {
    i128 const last = nanoseconds::max().count();
    i128 const began = passed;
    for (;;) {
      auto const step = by_hand.what_next(nanoseconds(static_cast<std::int64_t>(passed)), there);
      passed = std::min(passed + step.wait.count(), last);
      if (step.advice == advice::try_again) return nanoseconds(static_cast<std::int64_t>(passed - began));
      if (step.advice == advice::give_up || passed == last) return {};
    }
  });
}

// -- values that other numbers come to, and cycles that go on elsewhere --

template <class W>
void wide_parameters(source& in) {
  constexpr std::uint64_t widest = std::numeric_limits<W>::max();
  std::array<std::uint64_t, 3> const numbers{in.number(), in.number(), in.number()};
  auto const too_wide = [&](std::size_t first, std::size_t count) {
    auto const some = std::span(numbers).subspan(first, count);
    auto const at = std::ranges::find_if(some, [](auto n) { return n > widest; });
    return at == some.end() ? 0 : static_cast<int>(at - some.begin()) + 1;  // errors begin at 1
  };
  {
    namespace core = aws_backoff_algorithm;
    auto const checked = core::check_parameters<W>(numbers[0], numbers[1], core::attempt_limit::of(in.u32()));
    demand(static_cast<int>(checked.error) == too_wide(0, 2));
    demand(checked.value.base_ms == std::min(numbers[0], widest) &&
           checked.value.max_ms == std::min(numbers[1], widest));
    core::full_jitter<W> cycle(checked.value);
    auto const draw = in.u32();
    static_cast<void>(cycle.next(draw));
    auto resumed = core::full_jitter<W>::resume(checked.value, cycle.window_ms(), cycle.attempts_done());
    auto const one = cycle.next(draw);
    auto const other = resumed.next(draw);
    demand(one.status == other.status && one.delay_ms == other.delay_ms);
    demand(core::full_jitter<W>::resume(checked.value, static_cast<W>(in.number()), 0).window_ms() <=
           checked.value.max_ms);
  }
  namespace core = aws_retry_utils;
  auto const checked = core::check_parameters<W>(numbers[0], numbers[1], numbers[2], in.u32());
  demand(static_cast<int>(checked.error) == too_wide(0, 3));
  demand(checked.value.max_jitter_s == std::min(numbers[2], widest));
  auto const draw = in.u32();
  core::retry_cycle<W> cycle(checked.value, draw);
  static_cast<void>(cycle.back_off(draw));
  auto resumed = core::retry_cycle<W>::resume(checked.value, cycle.next_jitter_max(), cycle.attempts_done());
  auto const one = cycle.back_off(draw);
  auto const other = resumed.back_off(draw);
  demand(one.status == other.status && one.sleep_s == other.sleep_s);
  demand(core::retry_cycle<W>::resume(checked.value, static_cast<W>(in.number()), 0).next_jitter_max() <=
         checked.value.max_backoff_s);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static constexpr void (*parts[])(source&) = {draws,
                                               durations,
                                               full_jitter,
                                               retry_utils,
                                               step_functions,
                                               sample,
                                               java_policy,
                                               retry_control,
                                               wide_parameters<std::uint16_t>,
                                               wide_parameters<std::uint32_t>};
  backoff::fuzz::each_of(parts, data, size);
  return 0;
}
