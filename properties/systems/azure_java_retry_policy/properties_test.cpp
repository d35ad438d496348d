// Laws of the value types for retry policies of the device SDK for Java that no claim says, as properties. Delays are
// held to the formula in integers without an end, and decisions to the exact model. Above a property: the requirements
// that it shows. engines/rapidcheck/engine_test.cpp has the claims.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>

#include "azure_java_retry_policy/model.hpp"
#include "backoff/azure_java_retry_policy.hpp"
#include "engines/rapidcheck/values.hpp"
#include "tests/model_choices.hpp"

namespace {

namespace core = backoff::azure_java_retry_policy;
namespace spec = backoff::spec;
namespace model = spec::azure_java_retry_policy;
using backoff::engines::rapidcheck::values::any;
using backoff::engines::rapidcheck::values::between;
using backoff::engines::rapidcheck::values::top;
using core::error;
using core::parameter_error;
using exact = boost::multiprecision::cpp_int;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr u32 one = 1'000'000;  // millionths
constexpr error errors[]{error::protocol, error::service, error::terminal, error::unknown};

rc::Gen<u32> factors() { return between<u32>(0, one, {250'000, 500'000}); }
rc::Gen<u32> counts() { return rc::gen::weightedOneOf<u32>({{4, between<u32>(0, 90)}, {1, any<u32>()}}); }

error some_error() { return errors[*between(0U, 3U).as("error")]; }

core::parameters some_parameters() {
  core::parameters p;
  p.cmax_ms = *any<u32>({10'000}).as("cmax_ms");
  p.cmin_ms = *any<u32>({p.cmax_ms}).as("cmin_ms");
  p.c_ms = *any<u32>({100}).as("c_ms");
  p.jd_millionths = *factors().as("jd_millionths");
  p.ju_millionths = *between<u32>(0, one, {p.jd_millionths}).as("ju_millionths");
  return p;
}

core::exponential_backoff_with_jitter policy_of(core::parameters const& p) {
  auto const checked = core::exponential_backoff_with_jitter::with(p);
  RC_ASSERT((checked.error == parameter_error::none));
  return checked.value;
}

// In 2^-32 ns.
exact parts(core::wait const& delay) { return (exact(delay.ns) << 32U) + delay.part; }
exact parts_of_ms(u64 ms) { return exact(ms) * one << 32U; }

// rand(C · (1 - Jd), C · (1 - Ju)), the draw in [0, 2^32).
exact random_part(core::parameters const& p, u32 draw) {
  exact const from = exact(p.c_ms) * (one - p.jd_millionths);
  exact const to = exact(p.c_ms) * (one - p.ju_millionths);
  return (from << 32U) + (to - from) * draw;
}

exact formula(core::parameters const& p, u32 x, u32 draw) {
  exact const steps = x == 0 ? exact(0) : (exact(1) << std::min(x - 1U, 200U)) - 1;
  return std::min(exact(parts_of_ms(p.cmin_ms) + steps * random_part(p, draw)), parts_of_ms(p.cmax_ms));
}

bool equal(core::wait const& a, core::wait const& b) { return a.ns == b.ns && a.part == b.part; }

core::wait some_wait() { return {*any<u64>().as("delay.ns"), *any<u32>().as("delay.part")}; }

// ---- Decisions ----

// AZ-JR-001, AZ-JR-002, AZ-JR-010, AZ-JR-020, AZ-JR-021, AZ-JR-022, AZ-JR-023.
RC_GTEST_PROP(properties_azure_java_retry_policy, decision_is_the_policys_as_far_as_error_and_total_time_allow, ()) {
  auto const total = *any<u64>().as("total_ns");
  auto const elapsed = *any<u64>({total}).as("elapsed_ns");
  core::wait const delay{*any<u64>({total - elapsed}).as("delay.ns"), *any<u32>().as("delay.part")};
  core::decision const wanted{*rc::gen::arbitrary<bool>().as("retry"), delay};
  auto const last = some_error();
  auto const after = core::after_failure([&](u32, error) { return wanted; }, *counts().as("x"), last,
                                         core::time_budget(total, elapsed));
  bool const ends_within = (exact(elapsed) << 32U) + parts(delay) <= exact(total) << 32U;
  RC_ASSERT(after.consulted == core::is_retryable(last));
  RC_ASSERT(after.retry == (after.consulted && wanted.retry && ends_within));
  RC_ASSERT(equal(after.delay, after.retry ? delay : core::wait{0U, 0U}));
}

// AZ-JR-019.
RC_GTEST_PROP(properties_azure_java_retry_policy, no_retry_has_no_delay, ()) {
  auto const decided = core::no_retry{}(*counts().as("x"), some_error());
  RC_ASSERT(!decided.retry && equal(decided.delay, {0U, 0U}));
}

// AZ-JR-010.
RC_GTEST_PROP(properties_azure_java_retry_policy, no_total_time_is_no_limit, ()) {
  RC_ASSERT(!core::time_budget{}.exceeded_by(some_wait()));
}

// ---- The delay ----

// Small intervals and a far cap, where many doublings fit below it. AZ-JR-012.
RC_GTEST_PROP(properties_azure_java_retry_policy, delay_follows_the_formula_over_many_doublings, ()) {
  core::parameters p;
  p.cmax_ms = *between<u32>(top<u32> / 2U, top<u32>).as("cmax_ms");
  p.cmin_ms = *between<u32>(0, 100).as("cmin_ms");
  p.c_ms = *between<u32>(1, 100).as("c_ms");
  p.jd_millionths = one - *between<u32>(0, 10).as("millionths above the lower end");
  p.ju_millionths = one - *between<u32>(0, 10).as("millionths above the upper end");
  auto const x = *between<u32>(2, 90).as("x");
  auto const draw = *any<u32>().as("draw");
  RC_ASSERT(parts(policy_of(p).delay(x, draw)) == formula(p, x, draw));
}

// AZ-JR-009.
RC_GTEST_PROP(properties_azure_java_retry_policy, delay_never_shrinks_with_the_count, ()) {
  auto const policy = policy_of(some_parameters());
  auto const draw = *any<u32>().as("draw");
  auto const x = *between<u32>(0, 90).as("x");
  RC_ASSERT(parts(policy.delay(x, draw)) <= parts(policy.delay(x + 1U, draw)));
}

// 500 · k ms and less than a nanosecond more, where cmax_ms leaves room for 500 · k ms. AZ-JR-015.
RC_GTEST_PROP(properties_azure_java_retry_policy, delay_exceeds_cmax_by_no_part_of_a_nanosecond, ()) {
  auto const k = *between<u32>(1, 8).as("k");
  auto const wider = *between<u32>(1, one / 2U).as("jd - ju");
  core::parameters p{.c_ms = 1'000U * k, .jd_millionths = one / 2U, .ju_millionths = one / 2U - wider};
  p.cmin_ms = *between<u32>(0, top<u32> - 500U * k).as("cmin_ms");
  p.cmax_ms = p.cmin_ms + 500U * k;
  auto const draw = *between<u32>(1, top<u32> / (p.c_ms * wider)).as("draw");
  RC_ASSERT(parts(policy_of(p).delay(2, draw)) == parts_of_ms(p.cmax_ms));
}

// AZ-JR-012.
RC_GTEST_PROP(properties_azure_java_retry_policy, equal_factors_leave_no_jitter, ()) {
  auto p = some_parameters();
  p.ju_millionths = p.jd_millionths;
  auto const policy = policy_of(p);
  auto const x = *counts().as("x");
  RC_ASSERT(equal(policy.delay(x, *any<u32>().as("draw")), policy.delay(x, *any<u32>().as("other draw"))));
}

// ---- Parameters ----

// AZ-JR-013, AZ-JR-014, AZ-JR-015, AZ-JR-016, AZ-JR-017.
RC_GTEST_PROP(properties_azure_java_retry_policy, policy_of_its_own_accord_has_the_documented_parameters, ()) {
  core::parameters const p{
      .c_ms = 100, .cmin_ms = 100, .cmax_ms = 10'000, .jd_millionths = 500'000, .ju_millionths = 250'000};
  auto const x = *counts().as("x");
  auto const draw = *any<u32>().as("draw");
  RC_ASSERT(parts(core::exponential_backoff_with_jitter().delay(x, draw)) == formula(p, x, draw));
}

// AZ-JR-013, AZ-JR-014, AZ-JR-015, AZ-JR-016, AZ-JR-017.
RC_GTEST_PROP(properties_azure_java_retry_policy, factor_above_one_is_named_and_leaves_the_defaults, ()) {
  auto p = some_parameters();
  p.jd_millionths = *any<u32>({one}).as("jd_millionths");
  p.ju_millionths = *any<u32>({one}).as("ju_millionths");
  auto const checked = core::exponential_backoff_with_jitter::with(p);
  auto const expected = p.jd_millionths > one   ? parameter_error::jd_above_one
                        : p.ju_millionths > one ? parameter_error::ju_above_one
                                                : parameter_error::none;
  RC_ASSERT((checked.error == expected));
  auto const x = *counts().as("x");
  auto const draw = *any<u32>().as("draw");
  auto const held = expected == parameter_error::none ? p : core::parameters{};
  RC_ASSERT(parts(checked.value.delay(x, draw)) == formula(held, x, draw));
}

// ---- Decisions against the exact model ----

RC_GTEST_PROP(properties_azure_java_retry_policy, decisions_are_those_of_the_model, ()) {
  model::parameters p;
  p.cmax_ms = *any<u32>({10'000}).as("cmax_ms");
  p.cmin_ms = *any<u32>({static_cast<u64>(p.cmax_ms)}).as("cmin_ms");
  p.c_ms = *any<u32>({100}).as("c_ms");
  p.jd_thousandths = *between(0, 1'000).as("jd_thousandths");
  p.ju_thousandths = *between(0, 1'000).as("ju_thousandths");
  model::failure f;
  f.retry_count = *between<u32>(1, 0x7fff'ffff, {10}).as("x");
  auto const draw = *any<u32>().as("draw");
  f.from = {spec::draw_kind::u32, draw, u64{1} << 32U};
  auto const which = *between(0U, 3U).as("error");
  f.error = static_cast<model::error>(which);
  f.elapsed_ms = *any<u32>().as("elapsed_ms");
  if (*rc::gen::arbitrary<bool>().as("limited"))
    p.total_time_ms = *any<u32>({static_cast<u64>(f.elapsed_ms)}).as("total_ms");

  auto const policy =
      policy_of({static_cast<u32>(p.c_ms), static_cast<u32>(p.cmin_ms), static_cast<u32>(p.cmax_ms),
                 static_cast<u32>(p.jd_thousandths) * 1'000U, static_cast<u32>(p.ju_thousandths) * 1'000U});
  auto const ns = [](spec::integer ms) { return static_cast<u64>(ms) * one; };
  core::time_budget const time =
      p.total_time_ms ? core::time_budget(ns(*p.total_time_ms), ns(f.elapsed_ms)) : core::time_budget();
  auto const after = core::after_failure([&](u32 x, error) { return policy.decide(x, draw); },
                                         static_cast<u32>(f.retry_count), errors[which], time);

  auto const& table = model::readings();
  auto const expected = spec::under(table, table.admitting(spec::standing::canonical), [&](spec::chooser& readings) {
                          return model::decide(p, f, readings);
                        }).answer;
  RC_ASSERT(expected[model::field_retry].admits(spec::observed::word(after.retry ? 1 : 0)));
  if (after.retry && expected[model::field_delay].has_ends()) {
    spec::rational const delay_ms = spec::rational(parts(after.delay)) / spec::rational(exact(one) << 32U);
    RC_ASSERT((expected[model::field_delay].ends().low <= delay_ms));
    RC_ASSERT((delay_ms <= expected[model::field_delay].ends().high));
  }
}

}  // namespace
