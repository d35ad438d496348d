// Theorems about the wide integers that the exact product is kept in, and about the end of a run.
#include <array>

#include "engines/proof/native.hpp"
#include "engines/proof/theorem.hpp"
#include "engines/proof/theorem_registry.hpp"

namespace backoff::systems {
namespace {

namespace system = shipped::aws_step_functions;
using native::n32;
using native::n64;

constexpr unsigned limbs = 4;  // of a run of 128 bits, the least there is
// Limbs in use where products are summed: with small registers each of them is four products, which takes Z3 longer.
template <unsigned RegisterBits>
constexpr unsigned used = RegisterBits == 64U ? 4U : 2U;

// A wide integer of that many limbs, of which no more than `length` are in use.
template <unsigned Limbs>
struct memory {
  std::array<u32, Limbs> m;
  unsigned length;
};
template <unsigned Limbs>
memory<Limbs> any_wide(path& p, std::string const& name, unsigned length) {
  memory<Limbs> any{{}, length};
  for (unsigned i = 0; i < length; ++i) any.m[i] = p.any<u32>(name + "[" + std::to_string(i) + "]");
  if (length > 0U) p.assume(number(any.m[length - 1U]) > 0);
  return any;
}
template <class Limbs>
z3::expr value(Limbs const& m) {
  auto sum = number(m[0]);
  for (unsigned i = 1; i < m.size(); ++i) sum = sum + number(m[i]) * power_of_two(32U * i);
  return sum;
}

template <unsigned RegisterBits>
struct code {
  template <unsigned Limbs>
  static std::array<u32, Limbs> times(memory<Limbs> const& w, u64 factor) {
    auto product = std::bit_cast<shipped::wide<Limbs, RegisterBits>>(w);
    product.times(factor);
    return std::bit_cast<memory<Limbs>>(product).m;
  }
  template <unsigned Limbs>
  static std::array<u32, Limbs> minus(memory<Limbs> const& w, memory<Limbs> const& other, u64 factor) {
    auto difference = std::bit_cast<shipped::wide<Limbs, RegisterBits>>(w);
    difference.minus(std::bit_cast<shipped::wide<Limbs, RegisterBits>>(other), factor);
    return std::bit_cast<memory<Limbs>>(difference).m;
  }
  static bool below(memory<limbs> const& w, memory<limbs> const& other) {
    using wide = shipped::wide<limbs, RegisterBits>;
    return std::bit_cast<wide>(w).below(std::bit_cast<wide>(other));
  }
  template <class Reg>
  static u64 estimate(Reg leading, Reg of_divisor, unsigned more_bits) {
    return shipped::quotient_estimate(leading, of_divisor, more_bits);
  }
};
struct fault {
  template <class Limbs, class N64>  // no carry
  static Limbs times(Limbs m, N64 factor) {
    using N32 = typename Limbs::value_type;
    for (auto& limb : m) limb = N32(N64(limb) * N64(factor & 0xffff'ffffU));
    return m;
  }
  template <unsigned Limbs, class N64>
  static auto times(memory<Limbs> const& w, N64 factor) {
    return times(w.m, factor);
  }
  template <class Limbs, class N64>  // no borrow
  static Limbs minus(Limbs m, Limbs const& other, N64 factor) {
    using N32 = typename Limbs::value_type;
    for (unsigned i = 0; i < m.size(); ++i) m[i] = N32(m[i] - other[i] * N32(factor & 0xffff'ffffU));
    return m;
  }
  template <unsigned Limbs, class N64>
  static auto minus(memory<Limbs> const& w, memory<Limbs> const& other, N64 factor) {
    return minus(w.m, other.m, factor);
  }
  template <class Limbs>  // decided by the lowest limb alone
  static bool below(Limbs const& m, Limbs const& other) {
    return m[0] < other[0];
  }
  static bool below(memory<limbs> const& w, memory<limbs> const& other) { return below(w.m, other.m); }
  template <class Reg>  // by the divisor's leading bits, rounded down
  static auto estimate(Reg leading, Reg of_divisor, unsigned more_bits) {
    constexpr unsigned half = std::numeric_limits<Reg>::digits / 2;
    return (leading / (of_divisor >> half)) >> (half - more_bits);
  }
  template <class N32>  // one retry less
  static bool grants(N32 done, N32 limit) {
    return done + 1U < limit;
  }
};

// a · b by halves of 16 bits, as the code has it for registers of 32.
z3::expr by_halves(path& p, z3::expr const& a, z3::expr const& b) {
  auto const half = power_of_two(16);
  auto const a_high = p.quotient(a, half);
  auto const b_high = p.quotient(b, half);
  auto const a_low = a - a_high * half;
  auto const b_low = b - b_high * half;
  return p.product(a_high, b_high) * power_of_two(32) + (p.product(a_high, b_low) + p.product(a_low, b_high)) * half +
         p.product(a_low, b_low);
}

// The limbs times the factor, of the products that the code makes.
template <unsigned RegisterBits, unsigned Limbs>
z3::expr product_of(path& p, memory<Limbs> const& w, u64 factor) {
  // The code casts the upper half, which changes nothing: said in its words, so that the products are the same ones.
  auto const upper = p.quotient(number(factor), power_of_two(32));
  auto const high = remainder(p, upper, power_of_two(32));
  p.claim(high == upper);
  auto const low = number(factor) - upper * power_of_two(32);
  auto const times = [&](u32 limb, z3::expr const& part) {
    return RegisterBits == 32U ? by_halves(p, number(limb), part) : p.product(number(limb), part);
  };
  auto product = number(std::uint64_t{0});
  for (unsigned i = 0; i < w.length; ++i) {
    product = product + times(w.m[i], low) * power_of_two(32U * i) + times(w.m[i], high) * power_of_two(32U * i + 32U);
  }
  return product;
}

template <class Code, unsigned RegisterBits>
void multiplies(path& p) {
  auto const before = any_wide<limbs + 2U>(p, "limb", used<RegisterBits>);
  auto const factor = p.any<u64>("factor");
  auto const product = product_of<RegisterBits>(p, before, factor);
  p.claim(value(Code::times(before, factor)) == product);
}

template <class Code, unsigned RegisterBits>
void subtracts(path& p) {
  auto const a = any_wide<limbs>(p, "limb", used<RegisterBits>);
  auto const b = any_wide<limbs>(p, "other", used<RegisterBits>);
  auto const factor = p.any<u64>("factor");
  auto const product = product_of<RegisterBits>(p, b, factor);
  p.assume(product <= value(a.m));
  p.claim(value(Code::minus(a, b, factor)) == value(a.m) - product);
}

template <class Code>
void compares(path& p, unsigned length, unsigned other_length) {
  auto const a = any_wide<limbs>(p, "limb", length);
  auto const b = any_wide<limbs>(p, "other", other_length);
  p.claim(Code::below(a, b) ? value(a.m) < value(b.m) : value(a.m) >= value(b.m));
}
outcome compares_all() {
  std::vector<outcome> each;
  for (unsigned length = 0; length <= limbs; ++length) {
    for (unsigned other = 0; other <= limbs; ++other)
      each.push_back(prove([=](path& p) { compares<code<64U>>(p, length, other); }));
  }
  return all(each);
}

template <class Code, class Reg>
void estimates(path& p, unsigned more_bits) {
  constexpr unsigned bits = std::numeric_limits<Reg>::digits;
  auto const leading = p.any<Reg>("leading");
  auto const of_divisor = p.any<Reg>("of_divisor");
  auto const highest = power_of_two(bits - 1U);
  p.assume(number(leading) >= highest && number(of_divisor) >= highest);
  // The quotient is below 2^64: r · 2^e < (d + 1) · 2^64.
  p.assume(number(leading) * power_of_two(more_bits) < (number(of_divisor) + 1) * power_of_two(64));
  auto const m = number(Code::estimate(leading, of_divisor, more_bits));
  auto const half = power_of_two(bits / 2U);
  auto const by = p.quotient(number(of_divisor), half) + 1;
  p.claim(by * half > number(of_divisor));
  p.claim(m == 1 || m * by * half <= number(leading) * power_of_two(more_bits));
}
outcome estimates_all() {
  std::vector<outcome> each;
  for (unsigned more_bits = 0; more_bits <= 64U; ++more_bits) {
    each.push_back(prove([=](path& p) { estimates<code<32U>, u32>(p, more_bits); }));
    each.push_back(prove([=](path& p) { estimates<code<64U>, u64>(p, more_bits); }));
  }
  return all(each);
}

// A run of 3 seconds and rate 1.5, whose counts alone are unknown: they do not depend on the waits, nor the waits on
// them.
struct run_memory {
  memory<limbs> ticks, den;
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
  p.claim(number(answer.delay) == (!retry ? 0 : n == 0U ? 3 : 5));
}
void ends_too_soon(path& p) {
  auto const limit = p.any<u32>("max_attempts");
  auto const n = p.any<u32>("attempts_done");
  p.assume(number(n) <= number(limit));
  p.claim(fault::grants(n, limit) ? number(n) < number(limit) : number(n) == number(limit));
}

template <unsigned Limbs>
std::array<n32, Limbs> limbs_of(inputs const& in, std::string const& name, unsigned length) {
  std::array<n32, Limbs> m{};
  for (unsigned i = 0; i < length; ++i) m[i] = in.of<n32>(name + "[" + std::to_string(i) + "]");
  return m;
}
template <class Limbs>
native_wide native_value(Limbs const& m) {
  native_wide sum = 0;
  for (unsigned i = 4; i > 0; --i) sum = (sum << 32U) | m[i - 1U];
  return sum;
}
std::vector<n64> halves_of(native_wide v) { return {static_cast<n64>(v), static_cast<n64>(v >> 64U)}; }

}  // namespace

std::vector<theorem> aws_step_functions_theorems() {
  return {
      {"wide_product_is_exact",
       [] {
         return all({prove(multiplies<code<32U>, 32U>, wraps::casts, products::bounded),
                     prove(multiplies<code<64U>, 64U>, wraps::casts, products::bounded)});
       },
       [] {
         return prove(
             [](path& p) {
               p.assume(number(p.any<u64>("factor")) == 3);  // found sooner
               multiplies<fault, 32U>(p);
             },
             wraps::everywhere);
       },
       [](inputs const& in) -> replay {
         auto const m = limbs_of<6>(in, "limb", used<32U>);
         auto const factor = in.of("factor");
         return {halves_of(native_value(m) * factor), halves_of(native_value(native::wide_times(m, factor))),
                 halves_of(native_value(fault::times(m, factor)))};
       }},
      {"wide_difference_is_exact",
       [] {
         return all({prove(subtracts<code<32U>, 32U>, wraps::casts, products::bounded),
                     prove(subtracts<code<64U>, 64U>, wraps::casts, products::bounded)});
       },
       [] {
         return prove(
             [](path& p) {
               p.assume(number(p.any<u64>("factor")) == 1);  // found sooner
               subtracts<fault, 32U>(p);
             },
             wraps::everywhere);
       },
       [](inputs const& in) -> replay {
         auto const a = limbs_of<4>(in, "limb", used<32U>), b = limbs_of<4>(in, "other", used<32U>);
         auto const factor = in.of("factor");
         return {halves_of(native_value(a) - native_value(b) * factor),
                 halves_of(native_value(native::wide_minus(a, b, factor))),
                 halves_of(native_value(fault::minus(a, b, factor)))};
       }},
      {"wide_comparison_is_exact", compares_all,
       [] { return prove([](path& p) { compares<fault>(p, limbs, limbs); }, wraps::everywhere); },
       [](inputs const& in) -> replay {
         auto const a = limbs_of<4>(in, "limb", limbs), b = limbs_of<4>(in, "other", limbs);
         return {{native_value(a) < native_value(b)}, {native::wide_below(a, b)}, {fault::below(a, b)}};
       }},
      {"quotient_is_never_estimated_too_large", estimates_all,
       [] { return prove([](path& p) { estimates<fault, u32>(p, 15U); }, wraps::everywhere); },
       [](inputs const& in) -> replay {
         auto const r = in.of<n32>("leading"), d = in.of<n32>("of_divisor");
         auto const holds = [&](n64 m) { return m == 1U || m * ((n64{d} >> 16U) + 1U) << 16U <= n64{r} << 15U; };
         return {{true}, {holds(native::quotient_estimate(r, d, 15U))}, {holds(fault::estimate(r, d, 15U))}};
       }},
      {"run_is_exhausted_exactly_after_max_attempts", [] { return prove(ends_after_its_attempts, wraps::everywhere); },
       [] { return prove(ends_too_soon, wraps::everywhere); },
       [](inputs const& in) -> replay {
         auto const limit = in.of<n32>("max_attempts"), n = in.of<n32>("attempts_done");
         return {{n < limit}, {native::retry_run_grants(limit, n)}, {fault::grants(n, limit)}};
       }},
  };
}

}  // namespace backoff::systems
