// Laws of the value type for retries of AWS Step Functions that no claim says, as properties. Room for products is held
// to integers without an end, and runs to the exact model. Above a property: the requirements that it shows.
// engines/rapidcheck/engine_test.cpp has the claims.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <rapidcheck/state.h>

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <numeric>
#include <ostream>
#include <string>

#include "aws_step_functions/model.hpp"
#include "backoff/aws_step_functions.hpp"
#include "engines/rapidcheck/values.hpp"
#include "histories/present.hpp"
#include "tests/model_choices.hpp"

namespace {

namespace core = backoff::aws_step_functions;
namespace spec = backoff::spec;
namespace model = spec::aws_step_functions;
using backoff::engines::rapidcheck::values::any;
using backoff::engines::rapidcheck::values::between;
using backoff::engines::rapidcheck::values::top;
using core::parameter_error;
using core::status;
using exact = boost::multiprecision::cpp_int;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;

// A width of delays, of ticks and of products.
template <class W, u64 TicksPerSecond, unsigned Bits>
struct kind {
  using word = W;
  using run = core::retry_run<W, TicksPerSecond, Bits>;
  static constexpr u64 ticks = TicksPerSecond;
  static constexpr unsigned bits = Bits;
  static constexpr unsigned word_bits = 8U * sizeof(W);
};
using picoseconds = kind<u64, 1'000'000'000'000, 512>;
using milliseconds = kind<u32, 1'000, 256>;
using short_seconds = kind<u16, 1, 128>;

template <class Property>
void of_some_kind(Property const& property) {
  auto const bits = *rc::gen::element(16, 32, 64).as("bits");
  if (bits == 16) return property.template operator()<short_seconds>();
  if (bits == 32) return property.template operator()<milliseconds>();
  property.template operator()<picoseconds>();
}

struct parameters {
  i64 interval_s;
  core::ratio rate;
  u32 max_attempts;
};

// Rates as people write them, of few decimals and perhaps not in lowest terms; and any other.
core::ratio some_rate() {
  auto const den =
      *rc::gen::oneOf(rc::gen::element<u32>(1, 2, 3, 4, 10, 100, 1'000), between<u32>(1, top<u32>)).as("den");
  return {*between<u32>(den, top<u32>, {den + den / 2U, 2ULL * den}).as("num"), den};
}

// interval · rate^n as a fraction of ticks, in lowest terms.
template <class Kind>
struct formula {
  explicit formula(parameters const& p) : num(exact(p.interval_s) * Kind::ticks) {
    u32 const common = std::gcd(p.rate.num, p.rate.den);
    by = {p.rate.num / common, p.rate.den / common};
  }
  void grow() {
    num *= by.num;
    den *= by.den;
  }
  [[nodiscard]] bool fits() const { return num < den << Kind::word_bits; }
  [[nodiscard]] bool changes() const { return by.num != by.den && num != 0 && fits(); }
  [[nodiscard]] bool has_room() const { return msb(den) + 1 + Kind::word_bits <= Kind::bits - 32U; }

  exact num;
  exact den = 1;
  core::ratio by{};
};

// What is wrong with parameters whose interval and rate are in their domains: products that outgrow their width.
template <class Kind>
parameter_error room_for(parameters const& p) {
  formula<Kind> value(p);
  for (u64 n = 1; n < p.max_attempts && value.changes(); ++n) {
    if (!value.has_room()) return parameter_error::product_too_wide;
    value.grow();
  }
  return parameter_error::none;
}

bool same(parameter_error a, parameter_error b) { return a == b; }  // enumerations are not shown

// ---- Laws of the value type ----

// interval_s · num = 2^16 · den - r, where r is at most half of den. AWS-SF-007.
RC_GTEST_PROP(properties_aws_step_functions, delay_that_rounds_to_more_than_the_longest_is_the_longest, ()) {
  constexpr u64 end = 1U << 16U;
  auto const interval_s = *between<u32>(1, top<u16>).as("interval_s");
  auto const den =
      *between<u32>(2U * interval_s, static_cast<u32>(std::min<u64>(end * interval_s, top<u32>))).as("den");
  auto const num = static_cast<u32>((end * den - 1U) / interval_s);
  auto run = short_seconds::run::with(interval_s, {num, den}, 2).value;
  static_cast<void>(run.next());
  auto const decided = run.next();
  RC_ASSERT((decided.status == status::retry));
  RC_ASSERT(decided.delay == top<u16>);
}

// AWS-SF-006.
RC_GTEST_PROP(properties_aws_step_functions, rate_of_one_repeats_the_interval, ()) {
  of_some_kind([]<class Kind>() {
    auto const same_number = *between<u32>(1, top<u32>).as("num and den");
    auto const interval_s = *between<u32>(0, top<u32>).as("interval_s");
    auto run = Kind::run::with(interval_s, {same_number, same_number}, top<u32>).value;
    auto const first = run.next().delay;
    for (unsigned k = 0; k < 5; ++k) RC_ASSERT(run.next().delay == first);
  });
}

// AWS-SF-003.
RC_GTEST_PROP(properties_aws_step_functions, rate_is_the_same_in_other_terms, ()) {
  of_some_kind([]<class Kind>() {
    auto const interval_s = *between<u32>(0, top<u32>).as("interval_s");
    auto const den = *between<u32>(1, 1'000).as("den");
    auto const num = *between<u32>(den, 65'535).as("num");
    auto const factor = *between<u32>(1, 65'536).as("factor");
    auto const attempts = *between<u32>(0, 20).as("max_attempts");
    auto one = Kind::run::with(interval_s, {num, den}, attempts);
    auto other = Kind::run::with(interval_s, {num * factor, den * factor}, attempts);
    RC_ASSERT(same(one.error, other.error));
    for (u32 n = 0; n <= attempts; ++n) RC_ASSERT(one.value.next().delay == other.value.next().delay);
  });
}

// ---- Parameters ----

// AWS-SF-006.
RC_GTEST_PROP(properties_aws_step_functions, wrong_parameters_are_named_in_order_and_grant_nothing, ()) {
  of_some_kind([]<class Kind>() {
    i64 const widest = top<u32>;
    auto const interval_s =
        *rc::gen::map(any<u64>({0, top<u32>}), [](u64 n) { return static_cast<i64>(n); }).as("interval_s");
    auto const den = *rc::gen::element<u32>(0, 1, 2, 1'000, top<u32>).as("den");
    auto const num = *any<u32>({den}).as("num");
    auto const max_attempts = *any<u32>().as("max_attempts");
    auto checked = Kind::run::with(interval_s, {num, den}, max_attempts);
    auto const expected = interval_s < 0        ? parameter_error::interval_s_negative
                          : interval_s > widest ? parameter_error::interval_s_too_wide
                          : den == 0            ? parameter_error::backoff_rate_undefined
                          : num < den           ? parameter_error::backoff_rate_below_one
                                                : room_for<Kind>({interval_s, {num, den}, max_attempts});
    RC_ASSERT(same(checked.error, expected));
    RC_ASSERT(checked.value.attempts_done() == 0U);
    if (expected != parameter_error::none) RC_ASSERT((checked.value.next().status == status::exhausted));
  });
}

RC_GTEST_PROP(properties_aws_step_functions, product_is_refused_exactly_where_it_has_no_room, ()) {
  of_some_kind([]<class Kind>() {
    parameters p{*between<u32>(0, 100).as("interval_s"), some_rate(), *between<u32>(0, 150).as("max_attempts")};
    RC_ASSERT(same(Kind::run::with(p.interval_s, p.rate, p.max_attempts).error, room_for<Kind>(p)));
  });
}

// ---- Runs against the exact model ----

using run_of_ps = picoseconds::run;

struct modelled {
  model::parameters parameters;
  model::state state;
};
using command = rc::state::Command<modelled, run_of_ps>;

model::outcome answered(modelled& by) {
  auto const& table = model::readings();
  return spec::under(table, table.admitting(spec::standing::canonical),
                     [&](spec::chooser& readings) { return model::next(by.parameters, by.state, readings); });
}

struct next : command {
  void apply(modelled& now) const override { static_cast<void>(answered(now)); }
  void run(modelled const& now, run_of_ps& retries) const override {
    auto after = now;
    auto const expected = answered(after);
    auto const decided = retries.next();
    RC_ASSERT((decided.status == status::retry) == expected.facts.grants);
    RC_ASSERT(retries.attempts_done() == after.state.retries);
    if (!expected.facts.grants) RC_ASSERT(decided.delay == 0U);
    if (!expected.facts.grants || expected.facts.beyond) return;  // beyond: ports saturate, the model need not
    auto const delay_s = backoff::histories::present(spec::parse_decimal(std::to_string(decided.delay) + "e-12"));
    RC_ASSERT(expected.answer[model::field_delay].admits(spec::observed::of(delay_s)));
  }
  void show(std::ostream& out) const override { out << "next()"; }
};

run_of_ps fresh(model::parameters const& p) {
  core::ratio const rate{static_cast<u32>(p.rate_thousandths), 1'000};
  return run_of_ps::with(p.interval_s, rate, static_cast<u32>(p.max_attempts)).value;
}

struct next_run : command {
  void apply(modelled& now) const override { now.state = {}; }
  void run(modelled const& now, run_of_ps& retries) const override { retries = fresh(now.parameters); }
  void show(std::ostream& out) const override { out << "next run"; }
};

RC_GTEST_PROP(properties_aws_step_functions, runs_answer_as_the_model_does, ()) {
  auto const interval_s = *between<u32>(0, top<u32>).as("interval_s");
  auto const thousandths = *between<u32>(1'000, top<u32>, {1'500, 2'000}).as("rate_thousandths");
  auto const max_attempts = *between<u32>(0, 43).as("max_attempts");  // has room at every rate of three decimals
  modelled const initial{{interval_s, thousandths, max_attempts}, {}};
  auto retries = fresh(initial.parameters);
  rc::state::check(initial, retries, rc::state::gen::execOneOfWithArgs<next, next, next, next, next, next, next_run>());
}

}  // namespace
