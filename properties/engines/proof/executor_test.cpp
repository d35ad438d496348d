// The executor itself: its arithmetic against native integers, its forks counted, its obligations seen to fail.
#include "engines/proof/executor.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "engines/proof/native.hpp"
#include "engines/proof/shipped.hpp"

namespace backoff::engines::proof {
namespace {

template <class Native>
std::vector<Native> values() {
  auto const top = std::numeric_limits<Native>::max();
  std::mt19937_64 random(20261120);
  return {
      0, 1, 31, static_cast<Native>(top / 2 + 1), top, static_cast<Native>(random()), static_cast<Native>(random())};
}

// An unknown of which one value is all that is assumed: the term is computed by Z3, not folded.
template <unsigned Bits>
word<Bits> pinned(path& p, char const* name, std::uint64_t value) {
  auto const w = p.any<word<Bits>>(name);
  p.assume(number(w) == number(value));
  return w;
}

// Each operator gives the native result: proved of the term, for this pair of values.
template <class Native, class Operation>
void agrees(char const* name, Operation operation, bool by_zero = true, bool wide_shift = true) {
  constexpr unsigned bits = std::numeric_limits<Native>::digits;
  for (auto const a : values<Native>()) {
    for (auto const b : values<Native>()) {
      if ((!by_zero && b == 0) || (!wide_shift && b >= std::max(bits, 32U))) continue;
      auto const native = static_cast<Native>(operation(a, b));
      auto const proved = prove(
          [&](path& p) {
            auto const x = pinned<bits>(p, "a", a);
            auto const y = pinned<bits>(p, "b", b);
            p.claim(number(word<bits>(operation(x, y))) == number(std::uint64_t{native}));
          },
          wraps::everywhere);
      EXPECT_EQ(proved.verdict, verdict::proved) << +a << " " << name << " " << +b << ": " << proved.where;
      word<bits> const folded = word<bits>(operation(word<bits>(a), word<bits>(b)));
      EXPECT_EQ(folded.held.term, -1);
      EXPECT_EQ(folded.held.value, std::uint64_t{native}) << +a << " " << name << " " << +b << ", of constants";
    }
  }
}

template <class Native>
void agree_all() {
  agrees<Native>("+", [](auto x, auto y) { return x + y; });
  agrees<Native>("-", [](auto x, auto y) { return x - y; });
  if (sizeof(Native) > 2) agrees<Native>("*", [](auto x, auto y) { return x * y; });  // 16 bits overflow an int
  agrees<Native>("/", [](auto x, auto y) { return x / y; }, false);
  agrees<Native>("%", [](auto x, auto y) { return x % y; }, false);
  if (sizeof(Native) > 2) agrees<Native>("<<", [](auto x, auto y) { return x << y; }, true, false);
  agrees<Native>(">>", [](auto x, auto y) { return x >> y; }, true, false);
  agrees<Native>("&", [](auto x, auto) { return x & 0xffU; });
  agrees<Native>("<", [](auto x, auto y) { return decltype(x)(x < y ? 1U : 0U); });
  agrees<Native>("!=", [](auto x, auto y) { return decltype(x)(x != y ? 1U : 0U); });
}

TEST(executor_u16, computes_as_native_integers_do) { agree_all<std::uint16_t>(); }
TEST(executor_u32, computes_as_native_integers_do) { agree_all<std::uint32_t>(); }
TEST(executor_u64, computes_as_native_integers_do) { agree_all<std::uint64_t>(); }

TEST(executor, converts_between_signs_and_widths) {
  for (auto const a : values<std::uint64_t>()) {
    auto const proved = prove(
        [&](path& p) {
          auto const x = pinned<64>(p, "a", a);
          p.claim(number(u16(x)) == number(std::uint64_t{static_cast<std::uint16_t>(a)}));
          p.claim(number(u32(x)) == number(std::uint64_t{static_cast<std::uint32_t>(a)}));
          auto const s = static_cast<std::int64_t>(a);
          p.claim(number(i64(x)) == terms().int_val(s));
          p.claim((i64(x) < 0) == (s < 0));
          p.claim(number(u64(i64(x))) == number(a));
        },
        wraps::everywhere);
    EXPECT_EQ(proved.verdict, verdict::proved) << a << ": " << proved.where;
  }
}

// Both halves of a word, as the library joins them; and what is not known to be apart.
TEST(executor, joins_bits) {
  auto const joined = prove([](path& p) {
    auto const high = p.any<u32>("high");
    auto const low = p.any<u32>("low");
    p.assume(number(high) <= 1 && number(low) < power_of_two(31));
    p.claim(number((high << 31U) | low) == number(high) * power_of_two(31) + number(low));
  });
  EXPECT_EQ(joined.verdict, verdict::proved) << joined.where;
  auto const zero = prove([](path& p) {
    auto const a = p.any<u32>("a");
    auto const b = p.any<u32>("b");
    bool const both = (a | b) == 0U;
    p.claim(both ? number(a) == 0 && number(b) == 0 : number(a) != 0 || number(b) != 0);
  });
  EXPECT_EQ(zero.verdict, verdict::proved) << zero.where;
}

// One fork for each decision with two sides, one path for each way through: nested, in sequence, decided before.
TEST(executor, counts_forks_and_paths) {
  auto const count = [](auto body) {
    auto const o = prove(body);
    EXPECT_EQ(o.verdict, verdict::proved) << o.where;
    return std::pair{o.forks, o.paths};
  };
  using pair = std::pair<std::size_t, std::size_t>;
  EXPECT_EQ(count([](path& p) { p.claim(true); }), (pair{0, 1}));
  EXPECT_EQ(count([](path& p) { p.claim(p.any<u32>("a") < p.any<u32>("b") || true); }), (pair{1, 2}));
  EXPECT_EQ(count([](path& p) {
              auto const a = p.any<u32>("a");
              auto const b = p.any<u32>("b");
              if (a < b) p.claim(!(b < a) && !(a == b));  // decided
              p.claim(true);
            }),
            (pair{1, 2}));
  EXPECT_EQ(count([](path& p) {
              int larger = 0;
              for (auto const* name : {"a", "b", "c"}) larger += p.any<u32>(name) > 7U ? 1 : 0;
              p.claim(larger <= 3);
            }),
            (pair{7, 8}));
  EXPECT_EQ(count([](path& p) {
              p.claim(number(u64(1U) << p.any<u64>("n")) > 0);
              p.assume(terms().bool_val(false));
            }).second,
            64U);
}

// What C++ leaves undefined, and what only `wraps` permits, is found, with the inputs that do it.
TEST(executor, finds_what_must_not_happen) {
  auto const refuted = [](char const* what, auto body, wraps permitted = wraps::never) {
    auto const o = prove([&](path& p) { body(p.any<u32>("a"), p.any<u32>("b")); }, permitted);
    EXPECT_EQ(o.verdict, verdict::refuted) << what;
    EXPECT_EQ(o.where.substr(0, std::string_view(what).size()), what);
    EXPECT_EQ(o.inputs.count("b"), 1U);
  };
  refuted("sum wraps", [](u32 a, u32 b) { static_cast<void>(a + b); });
  refuted("difference wraps", [](u32 a, u32 b) { static_cast<void>(a - b); });
  refuted("product wraps", [](u32 a, u32 b) { static_cast<void>(a * b); });
  refuted("left shift loses bits", [](u32 a, u32) { static_cast<void>(a << 1U); });
  refuted("cast cuts", [](u32 a, u32) { static_cast<void>(u16(a)); });
  refuted("cast cuts", [](u32 a, u32 b) { static_cast<void>(u16(a)), static_cast<void>(a + b); }, wraps::sums);
  refuted("difference wraps", [](u32 a, u32 b) { static_cast<void>(a - b); }, wraps::casts);
  refuted("division by zero", [](u32 a, u32 b) { static_cast<void>(a / b); }, wraps::everywhere);
  refuted("division by zero", [](u32 a, u32 b) { static_cast<void>(a % b); }, wraps::everywhere);
  refuted("shift by the width", [](u32 a, u32 b) { static_cast<void>(a >> b); }, wraps::everywhere);
  refuted(
      "sum wraps", [](u32 a, u32) { static_cast<void>(i64(u64(0x7fff'ffff'ffff'ffffU)) + i64(a)); }, wraps::everywhere);
}

// Lemmas are proved before they help; a name for a quotient is, too.
TEST(executor, takes_nothing_on_trust) {
  auto const lemma = prove([](path& p) {
    auto const a = number(p.any<u32>("a"));
    p.lemma(a < 5);
    p.claim(a < 6);
  });
  EXPECT_EQ(lemma.verdict, verdict::refuted);
  EXPECT_EQ(lemma.where.substr(0, 5), "lemma");
  auto const named = prove([](path& p) {
    p.name_quotients([](z3::expr const& a, z3::expr const&) { return std::optional(a); });
    p.claim(number(p.any<u32>("a") / 3U) >= 0);
  });
  EXPECT_EQ(named.verdict, verdict::refuted);
  EXPECT_EQ(named.where.substr(0, 8), "quotient");
}

// A question that it gives up is unknown, never proved: x^3 + y^3 + z^3 = 42 has a solution, beyond any limit here.
TEST(executor, says_what_it_does_not_know) {
  auto const cubes = prove(
      [](path& p) {
        auto const x = number(p.any<i64>("x")), y = number(p.any<i64>("y")), z = number(p.any<i64>("z"));
        p.claim(x * x * x + y * y * y + z * z * z != 42);
      },
      wraps::never, products::exact, 100'000);
  EXPECT_EQ(cubes.verdict, verdict::unknown);
}

// The shipped headers in words of constants are the shipped headers in native words.
TEST(shipped, computes_with_constants_as_natively) {
  for (auto const a : values<std::uint32_t>()) {
    for (auto const b : values<std::uint32_t>()) {
      EXPECT_EQ(shipped::jitter_full(u32(a), u32(b)).held.value, native::jitter_full(a, b));
      EXPECT_EQ(shipped::window_first(u32(a), u32(b)).held.value, native::window_first(a, b));
      EXPECT_EQ(shipped::add_saturating(u32(a), u32(b)).held.value, native::add_saturating(a, b));
      EXPECT_EQ(shipped::multiply_saturating<u64>(u32(a), u32(b)).held.value, native::multiply_saturating(a, b));
      EXPECT_EQ(shipped::double_saturating(u32(a), u32(b)).held.value, native::double_saturating(a, b));
      EXPECT_EQ(shipped::aws_prescriptive_sample::delay_ms(u32(a)).held.value, native::sample_delay_ms(a));
    }
  }
}

}  // namespace
}  // namespace backoff::engines::proof
