// Retry policies of the device SDK for Java as properties: each claim of claims.cpp that one decision can show, and the
// laws that the value types promise besides. Delays are held to the formula in integers without an end, and decisions
// to the exact model. Above a property: the requirements that it shows.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <optional>
#include <vector>

#include "azure_java_retry_policy/model.hpp"
#include "backoff/azure_java_retry_policy.hpp"
#include "engines/rapidcheck/values.hpp"
#include "tests/model_choices.hpp"

namespace {

namespace core = backoff::azure_java_retry_policy;
namespace spec = backoff::spec;
namespace model = spec::azure_java_retry_policy;
using backoff::values::any;
using backoff::values::between;
using backoff::values::top;
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
error retryable_error() { return errors[*between(0U, 1U).as("error")]; }
error other_error() { return errors[*between(2U, 3U).as("error")]; }

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

// A policy of a user's own, which says what it was asked.
struct custom {
  core::decision decides;
  std::vector<u32> counts{};
  std::vector<error> errors{};
  core::decision operator()(u32 retry_count, error last) {
    counts.push_back(retry_count);
    errors.push_back(last);
    return decides;
  }
};

core::wait some_wait() { return {*any<u64>().as("delay.ns"), *any<u32>().as("delay.part")}; }

// ---- The filter and the policies ----

// AZ-JR-024, AZ-JR-002.
RC_GTEST_PROP(properties_azure_java_retry_policy, unknown_errors_are_not_retried, ()) {
  custom policy{{true, some_wait()}};
  RC_ASSERT(!core::after_failure(policy, *counts().as("x"), error::unknown).retry);
}

// AZ-JR-002, AZ-JR-005.
RC_GTEST_PROP(properties_azure_java_retry_policy, terminal_errors_are_not_retried, ()) {
  custom policy{{true, some_wait()}};
  RC_ASSERT(!core::after_failure(policy, *counts().as("x"), error::terminal).retry);
}

// AZ-JR-001, AZ-JR-002, AZ-JR-005.
RC_GTEST_PROP(properties_azure_java_retry_policy, only_retryable_errors_are_retried, ()) {
  auto const last = some_error();
  custom policy{{*rc::gen::arbitrary<bool>().as("retry"), some_wait()}};
  auto const after = core::after_failure(policy, *counts().as("x"), last);
  RC_ASSERT(core::is_retryable(last) == (last == error::protocol || last == error::service));
  RC_ASSERT(after.retry == (core::is_retryable(last) && policy.decides.retry));
  if (!after.retry) RC_ASSERT(equal(after.delay, {0U, 0U}));
}

// AZ-JR-019.
RC_GTEST_PROP(properties_azure_java_retry_policy, no_retry_never_retries, ()) {
  auto const decided = core::no_retry{}(*counts().as("x"), some_error());
  RC_ASSERT(!decided.retry);
  RC_ASSERT(equal(decided.delay, {0U, 0U}));
}

// AZ-JR-022, AZ-JR-020.
RC_GTEST_PROP(properties_azure_java_retry_policy, custom_policy_may_veto, ()) {
  auto const after = core::after_failure(custom{{false, some_wait()}}, *counts().as("x"), retryable_error());
  RC_ASSERT(!after.retry);
  RC_ASSERT(after.consulted);
  RC_ASSERT(equal(after.delay, {0U, 0U}));
}

// AZ-JR-018, AZ-JR-001, AZ-JR-020.
RC_GTEST_PROP(properties_azure_java_retry_policy, retryable_errors_are_retried, ()) {
  auto const policy = policy_of(some_parameters());
  auto const draw = *any<u32>().as("draw");
  auto const asked = [&](u32 retry_count, error) { return policy.decide(retry_count, draw); };
  auto const x = *counts().as("x");
  auto const after = core::after_failure(asked, x, retryable_error());
  RC_ASSERT(after.retry);
  RC_ASSERT(after.consulted);
  RC_ASSERT(equal(after.delay, policy.delay(x, draw)));
}

// AZ-JR-023, AZ-JR-020.
RC_GTEST_PROP(properties_azure_java_retry_policy, custom_delay_is_taken, ()) {
  custom policy{{true, some_wait()}};
  auto const after = core::after_failure(policy, *counts().as("x"), retryable_error());
  RC_ASSERT(after.retry);
  RC_ASSERT(equal(after.delay, policy.decides.delay));
}

// AZ-JR-020, AZ-JR-018.
RC_GTEST_PROP(properties_azure_java_retry_policy, retryable_errors_reach_the_policy, ()) {
  custom policy{{*rc::gen::arbitrary<bool>().as("retry"), some_wait()}};
  auto const x = *counts().as("x");
  auto const last = retryable_error();
  RC_ASSERT(core::after_failure(policy, x, last).consulted);
  RC_ASSERT(policy.counts == std::vector<u32>{x});
  RC_ASSERT((policy.errors == std::vector<error>{last}));
}

// AZ-JR-021.
RC_GTEST_PROP(properties_azure_java_retry_policy, other_errors_never_reach_a_policy, ()) {
  custom policy{{true, some_wait()}};
  RC_ASSERT(!core::after_failure(policy, *counts().as("x"), other_error()).consulted);
  RC_ASSERT(policy.counts.empty());
}

// ---- The total time ----

// AZ-JR-010.
RC_GTEST_PROP(properties_azure_java_retry_policy, total_time_ends_retries, ()) {
  auto const total = *any<u64>().as("total_ns");
  auto const elapsed = *any<u64>({total}).as("elapsed_ns");
  core::wait const delay{*any<u64>({total - elapsed}).as("delay.ns"), *any<u32>().as("delay.part")};
  bool const ends_within = (exact(elapsed) << 32U) + parts(delay) <= exact(total) << 32U;
  core::time_budget const time(total, elapsed);
  RC_ASSERT(time.exceeded_by(delay) == !ends_within);
  auto const after = core::after_failure(custom{{true, delay}}, 1U, retryable_error(), time);
  RC_ASSERT(after.retry == ends_within);
  RC_ASSERT(after.consulted);
  RC_ASSERT(equal(after.delay, ends_within ? delay : core::wait{0U, 0U}));
}

// AZ-JR-010.
RC_GTEST_PROP(properties_azure_java_retry_policy, no_total_time_is_no_limit, ()) {
  RC_ASSERT(!core::time_budget{}.exceeded_by(some_wait()));
}

// ---- The delay ----

// AZ-JR-015, AZ-JR-012.
RC_GTEST_PROP(properties_azure_java_retry_policy, delay_never_exceeds_cmax, ()) {
  auto const p = some_parameters();
  RC_ASSERT(parts(policy_of(p).delay(*counts().as("x"), *any<u32>().as("draw"))) <= parts_of_ms(p.cmax_ms));
}

// AZ-JR-014, AZ-JR-006.
RC_GTEST_PROP(properties_azure_java_retry_policy, delay_is_never_below_cmin, ()) {
  auto const p = some_parameters();
  auto const least = std::min(p.cmin_ms, p.cmax_ms);
  RC_ASSERT(parts(policy_of(p).delay(*counts().as("x"), *any<u32>().as("draw"))) >= parts_of_ms(least));
}

// AZ-JR-012, AZ-JR-014.
RC_GTEST_PROP(properties_azure_java_retry_policy, first_delay_is_cmin, ()) {
  auto const p = some_parameters();
  auto const least = std::min(p.cmin_ms, p.cmax_ms);
  auto const policy = policy_of(p);
  auto const draw = *any<u32>().as("draw");
  RC_ASSERT(parts(policy.delay(1, draw)) == parts_of_ms(least));
  RC_ASSERT(parts(policy.delay(0, draw)) == parts_of_ms(least));
}

// AZ-JR-012, AZ-JR-008, AZ-JR-009, AZ-JR-011, AZ-JR-013, AZ-JR-014, AZ-JR-016, AZ-JR-017.
RC_GTEST_PROP(properties_azure_java_retry_policy, delay_follows_the_formula, ()) {
  auto const p = some_parameters();
  auto const x = *counts().as("x");
  auto const draw = *any<u32>().as("draw");
  RC_ASSERT(parts(policy_of(p).delay(x, draw)) == formula(p, x, draw));
}

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

// AZ-JR-015, AZ-JR-012.
RC_GTEST_PROP(properties_azure_java_retry_policy, delay_stays_at_cmax, ()) {
  core::parameters p;
  p.cmax_ms = *between<u32>(1, top<u32>).as("cmax_ms");
  p.cmin_ms = *between<u32>(0, p.cmax_ms - 1U).as("cmin_ms");
  p.c_ms = *between<u32>(1, top<u32>).as("c_ms");
  p.jd_millionths = *between<u32>(0, one - 1U).as("jd_millionths");  // so that the random part is above 0
  p.ju_millionths = *factors().as("ju_millionths");
  auto const x = *between<u32>(87, top<u32>).as("x");  // 2^86 parts are more than any cmax_ms
  RC_ASSERT(parts(policy_of(p).delay(x, *any<u32>().as("draw"))) == parts_of_ms(p.cmax_ms));
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

// AZ-JR-007, AZ-JR-012.
RC_GTEST_PROP(properties_azure_java_retry_policy, same_count_and_draw_same_delay, ()) {
  auto const policy = policy_of(some_parameters());
  auto const x = *counts().as("x");
  auto const draw = *any<u32>().as("draw");
  auto const expected = policy.delay(x, draw);
  static_cast<void>(policy.decide(*counts().as("x before"), *any<u32>().as("draw before")));
  auto const decided = policy.decide(x, draw);
  RC_ASSERT(decided.retry);
  RC_ASSERT(equal(decided.delay, expected));
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

// AZ-JR-012, AZ-JR-013, AZ-JR-014, AZ-JR-015, AZ-JR-016, AZ-JR-017.
RC_GTEST_PROP(properties_azure_java_retry_policy, documented_parameters_are_taken, ()) {
  core::parameters const p;
  auto const x = *counts().as("x");
  auto const draw = *any<u32>().as("draw");
  RC_ASSERT((p.c_ms == 100U && p.cmin_ms == 100U && p.cmax_ms == 10'000U));
  RC_ASSERT((p.jd_millionths == 500'000U && p.ju_millionths == 250'000U));
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
  f.from = {spec::draw::kind::u32, draw, u64{1} << 32U};
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
