// Laws of backoffAlgorithm's value type that no claim says, as properties. A cycle with resets is held to the exact
// model. Above a property: the requirements that it shows. engines/rapidcheck/engine_test.cpp has the claims.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <rapidcheck/state.h>

#include <algorithm>
#include <cstdint>
#include <ostream>

#include "aws_backoff_algorithm/model.hpp"
#include "backoff/aws_backoff_algorithm.hpp"
#include "engines/rapidcheck/values.hpp"
#include "tests/model_choices.hpp"

namespace {

namespace core = backoff::aws_backoff_algorithm;
namespace spec = backoff::spec;
namespace model = spec::aws_backoff_algorithm;
using backoff::engines::rapidcheck::values::any;
using backoff::engines::rapidcheck::values::at_some_width;
using backoff::engines::rapidcheck::values::between;
using backoff::engines::rapidcheck::values::draw_for;
using backoff::engines::rapidcheck::values::some_draw;
using backoff::engines::rapidcheck::values::top;
using core::attempt_limit;
using core::status;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

template <class Property>
void at_any_width(Property const& property) {
  at_some_width<u16, u32, u64>(property);
}

template <class W>
core::parameters<W> some_parameters(attempt_limit limit = attempt_limit::forever()) {
  auto const max_ms = *any<W>().as("max_ms");
  auto const base_ms = *any<W>({max_ms, static_cast<u64>(max_ms) / 2U}).as("base_ms");
  return {base_ms, max_ms, limit};
}

// A cycle somewhere on its way.
template <class W>
core::full_jitter<W> some_cycle(core::parameters<W> const& p) {
  core::full_jitter<W> cycle(p);
  auto const before = *between(0U, 70U).as("calls before");
  for (unsigned k = 0; k < before; ++k) static_cast<void>(cycle.next(draw_for<W>{0}));
  return cycle;
}

template <class W>
bool equal(core::decision<W> const& a, core::decision<W> const& b) {
  return a.status == b.status && a.delay_ms == b.delay_ms;
}

// Whether both answer alike, one step after the other; at the same windows and counts.
template <class W>
void expect_alike(core::full_jitter<W> a, core::full_jitter<W> b) {
  for (unsigned k = 0; k < 4; ++k) {
    RC_ASSERT(a.window_ms() == b.window_ms());
    RC_ASSERT(a.attempts_done() == b.attempts_done());
    auto const draw = some_draw<W>(a.window_ms());
    RC_ASSERT(equal(a.next(draw), b.next(draw)));
  }
}

// ---- Laws of the value type ----

// AWS-BA-007.
RC_GTEST_PROP(properties_aws_backoff_algorithm, resumed_cycle_goes_on_where_it_was, ()) {
  at_any_width([]<class W>() {
    auto const p = some_parameters<W>(attempt_limit::of(*any<u32>({70}).as("max_attempts")));
    auto const cycle = some_cycle(p);
    expect_alike(core::full_jitter<W>::resume(p, cycle.window_ms(), cycle.attempts_done()), cycle);
  });
}

RC_GTEST_PROP(properties_aws_backoff_algorithm, resumed_window_never_exceeds_cap, ()) {
  at_any_width([]<class W>() {
    auto const p = some_parameters<W>();
    auto const window_ms = *any<W>({p.max_ms}).as("window_ms");
    auto const done = *any<u32>().as("attempts_done");
    auto const cycle = core::full_jitter<W>::resume(p, window_ms, done);
    RC_ASSERT(cycle.window_ms() == std::min(window_ms, p.max_ms));
    RC_ASSERT(cycle.attempts_done() == done);
  });
}

// AWS-BA-I01.
RC_GTEST_PROP(properties_aws_backoff_algorithm, limit_allows_what_is_below_it, ()) {
  auto const count = *any<u32>().as("max_attempts");
  auto const done = *any<u32>({count}).as("attempts_done");
  RC_ASSERT(attempt_limit::of(count).allows(done) == (done < count));
  RC_ASSERT(attempt_limit::forever().allows(done));
  RC_ASSERT(attempt_limit::forever().unlimited());
  RC_ASSERT(!attempt_limit::of(count).unlimited());
}

RC_GTEST_PROP(properties_aws_backoff_algorithm, too_wide_a_parameter_is_named_and_clamped, ()) {
  at_any_width([]<class W>() {
    u64 const widest = top<W>;
    auto const base_ms = *any<u64>({widest}).as("base_ms");
    auto const max_ms = *any<u64>({widest}).as("max_ms");
    auto const count = *any<u32>().as("max_attempts");
    auto const checked = core::check_parameters<W>(base_ms, max_ms, attempt_limit::of(count));
    auto const expected = base_ms > widest  ? core::parameter_error::base_ms_too_wide
                          : max_ms > widest ? core::parameter_error::max_ms_too_wide
                                            : core::parameter_error::none;
    RC_ASSERT(static_cast<int>(checked.error) == static_cast<int>(expected));
    RC_ASSERT(checked.value.base_ms == std::min(base_ms, widest));
    RC_ASSERT(checked.value.max_ms == std::min(max_ms, widest));
    RC_ASSERT(!checked.value.max_attempts.unlimited());
    RC_ASSERT(checked.value.max_attempts.allows(0) == (count > 0));
  });
}

// ---- Cycles against the exact model ----

struct modelled {
  model::parameters parameters;
  model::state state;
};
using command = rc::state::Command<modelled, core::full_jitter<u32>>;

spec::expectation answered(modelled& by, u32 value) {
  spec::draw const from{spec::draw_kind::u32, value, u64{1} << 32U};
  auto const& table = model::readings();
  return spec::under(table, table.admitting(spec::standing::canonical),
                     [&](spec::chooser& readings) { return model::next(by.parameters, by.state, from, readings); })
      .answer;
}

struct next : command {
  u32 draw = *any<u32>();
  void apply(modelled& now) const override { static_cast<void>(answered(now, draw)); }
  void run(modelled const& now, core::full_jitter<u32>& cycle) const override {
    auto after = now;
    auto const expected = answered(after, draw);
    auto const decided = cycle.next(draw);
    bool const granted = decided.status == status::retry;
    RC_ASSERT(granted == (expected[model::field_status] == spec::admissible::word(0)));
    if (granted) RC_ASSERT(expected[model::field_delay].admits(spec::observed::of(decided.delay_ms)));
    if (!granted) RC_ASSERT(decided.delay_ms == 0U);
    RC_ASSERT(cycle.attempts_done() == (now.parameters.max_attempts ? after.state.retries : 0));
  }
  void show(std::ostream& out) const override { out << "next(" << draw << ")"; }
};

struct reset : command {
  void apply(modelled& now) const override { static_cast<void>(model::reset(now.state)); }
  void run(modelled const&, core::full_jitter<u32>& cycle) const override { cycle.reset(); }
  void show(std::ostream& out) const override { out << "reset()"; }
};

RC_GTEST_PROP(properties_aws_backoff_algorithm, cycles_answer_as_the_model_does, ()) {
  auto const unlimited = *between(0U, 4U).as("unlimited at 0") == 0;
  auto const max_attempts = *any<u32>().as("max_attempts");
  auto const limit = unlimited ? attempt_limit::forever() : attempt_limit::of(max_attempts);
  auto const p = some_parameters<u32>(limit);
  modelled initial{{p.base_ms, p.max_ms, {}}, {}};
  if (!unlimited) initial.parameters.max_attempts = max_attempts;
  core::full_jitter<u32> cycle(p);
  rc::state::check(initial, cycle, rc::state::gen::execOneOfWithArgs<next, next, next, reset>());
}

}  // namespace
