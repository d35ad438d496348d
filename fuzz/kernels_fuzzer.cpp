// Fuzz target: the kernels on arguments that no system hands them too, against their closed forms in wider integers.
#include <algorithm>
#include <cstdint>
#include <limits>

#include "backoff/kernels/jitter.hpp"
#include "backoff/kernels/proportional.hpp"
#include "backoff/kernels/saturating.hpp"
#include "backoff/kernels/wide.hpp"
#include "backoff/kernels/window.hpp"
#include "bytes.hpp"

namespace {

using namespace backoff;
using fuzz::demand;
using fuzz::source;
__extension__ using u128 = unsigned __int128;

template <class W>
void saturating(source& in) {
  auto const a = static_cast<W>(in.number());
  auto const b = static_cast<W>(in.number());
  u128 const most = std::numeric_limits<W>::max();
  demand(add_saturating(a, b) == std::min(u128{a} + b, most));
  demand(multiply_saturating<u128>(a, b) == std::min(u128{a} * b, most));
  u128 doubled = a;
  for (u128 i = 0; i < b && doubled != 0 && doubled < most; ++i) doubled += doubled;
  demand(double_saturating(a, b) == std::min(doubled, most));
}

template <class W>
void windows(source& in) {
  auto const base = static_cast<W>(in.number());
  auto const jitter = static_cast<W>(in.number());
  auto const cap = static_cast<W>(in.number());
  auto const window = window_first(base, cap);
  demand(window == std::min(base, cap));
  demand(window_first_jittered(base, jitter, cap) == std::min(u128{base} + jitter, u128{cap}));
  demand(window_next(window, cap) == std::min(u128{window} * 2, u128{cap}));
  auto const draw = in.number();
  demand(jitter_full(window, draw) == draw % (u128{window} + 1));
  demand(jitter_full(window, static_cast<W>(draw)) == static_cast<W>(draw) % (u128{window} + 1));
}

template <class W>
void proportional(source& in) {
  auto const whole = static_cast<W>(in.number());
  auto const percent = static_cast<W>(in.number() % 101);
  auto const rand_max = static_cast<W>(std::max(static_cast<W>(in.number()), W{1}));
  auto const r = static_cast<W>(u128{in.number()} % (u128{rand_max} + 1));
  demand(jitter_proportional<std::uint64_t>(whole, percent, r, rand_max) ==
         u128{whole} * percent * r / (u128{100} * rand_max));
}

template <unsigned RegisterBits>
void wide_numbers(source& in) {
  using number = wide<6, RegisterBits>;  // room for what is doubled, and taken times 2^64
  struct pair {
    number wide;
    u128 exact;
  };
  auto const next = [&in] {
    std::uint64_t const a = in.number();
    std::uint64_t const b = std::max(in.number(), std::uint64_t{1});
    pair made{number(a), u128{a} * b};
    made.wide.times(b);
    return made;
  };
  auto const bits_of = [](u128 n) {
    unsigned bits = 0;
    for (; n != 0; n >>= 1U) ++bits;
    return bits;
  };
  auto const a = next();
  auto b = next();
  demand(a.wide.is_zero() == (a.exact == 0) && a.wide.bits() == bits_of(a.exact));
  demand(a.wide.below(b.wide) == (a.exact < b.exact));
  if (b.exact == 0) b = {number(1), 1};
  auto const doublings = static_cast<unsigned>(in.number() % 64) + 1;
  auto const highest_lost = doublings < 128 ? b.exact >> (128 - doublings) : b.exact;
  demand(a.wide.below(b.wide, doublings) == (highest_lost != 0 || a.exact < b.exact << doublings));
  if (b.exact >> 64U == 0 && a.exact >= b.exact << 64U) return;  // a quotient of more than 64 bits
  u128 const quotient = a.exact / b.exact;
  u128 const rest = a.exact % b.exact;
  u128 const nearest = quotient + (rest >= b.exact - rest ? 1U : 0U);
  demand(a.wide.nearest_quotient(b.wide) == std::min(nearest, u128{std::numeric_limits<std::uint64_t>::max()}));
  auto left = a.wide;
  left.minus(b.wide, static_cast<std::uint64_t>(quotient));
  demand(left.bits() == bits_of(rest) && left.is_zero() == (rest == 0));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static constexpr void (*kernels[])(source&) = {saturating<std::uint8_t>,
                                                 saturating<std::uint16_t>,
                                                 saturating<std::uint32_t>,
                                                 saturating<std::uint64_t>,
                                                 windows<std::uint8_t>,
                                                 windows<std::uint16_t>,
                                                 windows<std::uint32_t>,
                                                 windows<std::uint64_t>,
                                                 proportional<std::uint8_t>,
                                                 proportional<std::uint16_t>,
                                                 proportional<std::uint32_t>,
                                                 wide_numbers<32>,
                                                 wide_numbers<64>};
  backoff::fuzz::each_of(kernels, data, size);
  return 0;
}
