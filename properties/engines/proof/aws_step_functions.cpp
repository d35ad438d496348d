// Theorems about the wide integers that the exact product is kept in, and about the end of a run.
#include <array>

#include "engines/proof/native.hpp"
#include "engines/proof/rooms.hpp"
#include "engines/proof/theorem.hpp"

namespace backoff::proof {
namespace {

namespace system = shipped::aws_step_functions;
using native::n32;
using native::n64;

constexpr unsigned limbs = 4;  // of a run of 128 bits, the least there is
using wide = shipped::wide<limbs>;
using memory = std::array<u32, limbs>;

memory any_wide(path& p, std::string const& name) {
  memory m;
  for (unsigned i = 0; i < limbs; ++i) m[i] = p.any<u32>(name + "[" + std::to_string(i) + "]");
  return m;
}
z3::expr value(memory const& m) {
  auto sum = number(m[0]);
  for (unsigned i = 1; i < limbs; ++i) sum = sum + number(m[i]) * power_of_two(32U * i);
  return sum;
}

struct code {
  static memory times(memory const& m, u64 factor) {
    auto w = std::bit_cast<wide>(m);
    w.times(factor);
    return std::bit_cast<memory>(w);
  }
  static memory minus(memory const& m, memory const& other) {
    auto w = std::bit_cast<wide>(m);
    w.minus(std::bit_cast<wide>(other));
    return std::bit_cast<memory>(w);
  }
  static memory halve(memory const& m) {
    auto w = std::bit_cast<wide>(m);
    w.halve();
    return std::bit_cast<memory>(w);
  }
  static bool below(memory const& m, memory const& other) {
    return std::bit_cast<wide>(m).below(std::bit_cast<wide>(other));
  }
};
struct fault {
  template <class Limbs, class N64>  // no carry
  static Limbs times(Limbs m, N64 factor) {
    using N32 = typename Limbs::value_type;
    for (auto& limb : m) limb = N32(N64(limb) * N64(factor & 0xffff'ffffU));
    return m;
  }
  template <class Limbs>  // no borrow
  static Limbs minus(Limbs m, Limbs const& other) {
    for (unsigned i = 0; i < limbs; ++i) m[i] = m[i] - other[i];
    return m;
  }
  template <class Limbs>  // no bit from above
  static Limbs halve(Limbs m) {
    for (auto& limb : m) limb = limb >> 1U;
    return m;
  }
  template <class Limbs>  // decided by the lowest limb alone
  static bool below(Limbs const& m, Limbs const& other) {
    return m[0] < other[0];
  }
  template <class N32>  // one retry less
  static bool grants(N32 done, N32 limit) {
    return done + 1U < limit;
  }
};

// a · b by halves of 16 bits, as the code has it.
z3::expr by_halves(path& p, z3::expr const& a, z3::expr const& b) {
  auto const half = power_of_two(16);
  auto const a_high = p.quotient(a, half);
  auto const b_high = p.quotient(b, half);
  auto const a_low = a - a_high * half;
  auto const b_low = b - b_high * half;
  return p.product(a_high, b_high) * power_of_two(32) + (p.product(a_high, b_low) + p.product(a_low, b_high)) * half +
         p.product(a_low, b_low);
}

template <class Code>
void multiplies(path& p) {
  auto const before = any_wide(p, "limb");
  auto const factor = p.any<u64>("factor");
  // The code casts the upper half, which changes nothing: said in its words, so that the products are the same ones.
  auto const upper = p.quotient(number(factor), power_of_two(32));
  auto const high = remainder(p, upper, power_of_two(32));
  p.claim(high == upper);
  auto const low = number(factor) - upper * power_of_two(32);
  auto product = number(std::uint64_t{0});
  for (unsigned i = 0; i < limbs; ++i) {
    product = product + by_halves(p, number(before[i]), low) * power_of_two(32U * i) +
              by_halves(p, number(before[i]), high) * power_of_two(32U * i + 32U);
  }
  auto const after = Code::times(before, factor);
  p.assume(product < power_of_two(32U * limbs));
  p.claim(value(after) == product);
}

template <class Code>
void subtracts(path& p) {
  auto const a = any_wide(p, "limb");
  auto const b = any_wide(p, "other");
  p.assume(value(b) <= value(a));
  p.claim(value(Code::minus(a, b)) == value(a) - value(b));
}

template <class Code>
void halves(path& p) {
  auto const before = any_wide(p, "limb");
  auto const after = Code::halve(before);
  p.claim(2 * value(after) <= value(before) && value(before) < 2 * value(after) + 2);
}

template <class Code>
void compares(path& p) {
  auto const a = any_wide(p, "limb");
  auto const b = any_wide(p, "other");
  p.claim(Code::below(a, b) ? value(a) < value(b) : value(a) >= value(b));
}

// A run of 3 seconds and rate 1.5, whose counts alone are unknown: they do not depend on the waits, nor the waits on
// them.
struct run_memory {
  memory ticks, end;
  system::ratio rate;
  u32 max_attempts, attempts_done;
};
void ends_after_its_attempts(path& p) {
  using run = system::retry_run<u16, u64(1U), 128U>;
  auto state = std::bit_cast<run_memory>(run::with(3, {u32(3U), u32(2U)}, u32(2U)).value);
  auto const limit = state.max_attempts = p.any<u32>("max_attempts");
  auto const n = state.attempts_done = p.any<u32>("attempts_done");
  p.assume(number(n) <= number(limit));
  auto of = std::bit_cast<run>(state);
  auto const answer = of.next();
  bool const retry = answer.status == system::status::retry;
  p.claim(retry ? number(n) < number(limit) : number(n) == number(limit));
  p.claim(number(of.attempts_done()) == (retry ? number(n) + 1 : number(n)));
  p.claim(number(answer.delay) == (retry ? 3 : 0));
}
void ends_too_soon(path& p) {
  auto const limit = p.any<u32>("max_attempts");
  auto const n = p.any<u32>("attempts_done");
  p.assume(number(n) <= number(limit));
  p.claim(fault::grants(n, limit) ? number(n) < number(limit) : number(n) == number(limit));
}

using native_limbs = std::array<n32, limbs>;
native_limbs limbs_of(inputs const& in, std::string const& name) {
  native_limbs m{};
  for (unsigned i = 0; i < limbs; ++i) m[i] = in.of<n32>(name + "[" + std::to_string(i) + "]");
  return m;
}
native_wide value(native_limbs const& m) {
  native_wide sum = 0;
  for (unsigned i = limbs; i > 0; --i) sum = (sum << 32U) | m[i - 1U];
  return sum;
}
std::vector<n64> halves_of(native_wide v) { return {static_cast<n64>(v), static_cast<n64>(v >> 64U)}; }

}  // namespace

std::vector<theorem> aws_step_functions_theorems() {
  return {
      {"wide_product_is_exact", [] { return prove(multiplies<code>, wraps::casts, products::bounded); },
       [] {
         return prove(
             [](path& p) {
               p.assume(number(p.any<u64>("factor")) == 3);  // found sooner
               multiplies<fault>(p);
             },
             wraps::everywhere);
       },
       [](inputs const& in) -> replay {
         auto const m = limbs_of(in, "limb");
         auto const factor = in.of("factor");
         return {halves_of(value(m) * factor), halves_of(value(native::wide_times(m, factor))),
                 halves_of(value(fault::times(m, factor)))};
       }},
      {"wide_difference_is_exact", [] { return prove(subtracts<code>, wraps::everywhere); },
       [] { return prove(subtracts<fault>, wraps::everywhere); },
       [](inputs const& in) -> replay {
         auto const a = limbs_of(in, "limb"), b = limbs_of(in, "other");
         return {halves_of(value(a) - value(b)), halves_of(value(native::wide_minus(a, b))),
                 halves_of(value(fault::minus(a, b)))};
       }},
      {"wide_half_is_rounded_down", [] { return prove(halves<code>, wraps::casts); },
       [] { return prove(halves<fault>, wraps::everywhere); },
       [](inputs const& in) -> replay {
         auto const m = limbs_of(in, "limb");
         return {halves_of(value(m) / 2U), halves_of(value(native::wide_halve(m))), halves_of(value(fault::halve(m)))};
       }},
      {"wide_comparison_is_exact", [] { return prove(compares<code>); },
       [] { return prove(compares<fault>, wraps::everywhere); },
       [](inputs const& in) -> replay {
         auto const a = limbs_of(in, "limb"), b = limbs_of(in, "other");
         return {{value(a) < value(b)}, {native::wide_below(a, b)}, {fault::below(a, b)}};
       }},
      {"run_is_exhausted_exactly_after_max_attempts", [] { return prove(ends_after_its_attempts, wraps::everywhere); },
       [] { return prove(ends_too_soon, wraps::everywhere); },
       [](inputs const& in) -> replay {
         auto const limit = in.of<n32>("max_attempts"), n = in.of<n32>("attempts_done");
         return {{n < limit}, {native::retry_run_grants(limit, n)}, {fault::grants(n, limit)}};
       }},
  };
}

}  // namespace backoff::proof
