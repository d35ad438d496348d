// Laws of Retry Utilities' value type that no claim says, as properties. Cycles with resets are held to the exact
// model. Above a property: the requirements that it shows. engines/rapidcheck/engine_test.cpp has the claims.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <rapidcheck/state.h>

#include <algorithm>
#include <cstdint>
#include <ostream>

#include "aws_retry_utils/model.hpp"
#include "backoff/aws_retry_utils.hpp"
#include "backoff/hosted/aws_retry_utils_loop.hpp"
#include "engines/rapidcheck/values.hpp"
#include "tests/model_choices.hpp"

namespace {

namespace core = backoff::aws_retry_utils;
namespace spec = backoff::spec;
namespace model = spec::aws_retry_utils;
using backoff::engines::rapidcheck::values::any;
using backoff::engines::rapidcheck::values::at_some_width;
using backoff::engines::rapidcheck::values::between;
using backoff::engines::rapidcheck::values::draw_for;
using backoff::engines::rapidcheck::values::some_draw;
using backoff::engines::rapidcheck::values::top;
using core::status;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

template <class Property>
void at_any_width(Property const& property) {
  at_some_width<u16, u32, u64>(property);
}

template <class W>
core::parameters<W> some_parameters(u32 max_attempts = 0) {
  auto const max_backoff_s = *any<W>().as("max_backoff_s");
  auto const initial_backoff_s = *any<W>({max_backoff_s, static_cast<u64>(max_backoff_s) / 2U}).as("initial_backoff_s");
  auto const left = static_cast<W>(max_backoff_s - initial_backoff_s);
  return {initial_backoff_s, max_backoff_s, *any<W>({left}).as("max_jitter_s"), max_attempts};
}

// A cycle somewhere on its way.
template <class W>
core::retry_cycle<W> some_cycle(core::parameters<W> const& p) {
  core::retry_cycle<W> cycle(p, some_draw<W>(p.max_jitter_s));
  auto const before = *between(0U, 70U).as("calls before");
  for (unsigned k = 0; k < before; ++k) static_cast<void>(cycle.back_off(draw_for<W>{0}));
  return cycle;
}

template <class W>
bool equal(core::decision<W> const& a, core::decision<W> const& b) {
  return a.status == b.status && a.sleep_s == b.sleep_s;
}

// Whether both answer alike, one step after the other; at the same windows and counts.
template <class W>
void expect_alike(core::retry_cycle<W> a, core::retry_cycle<W> b) {
  for (unsigned k = 0; k < 4; ++k) {
    RC_ASSERT(a.next_jitter_max() == b.next_jitter_max());
    RC_ASSERT(a.attempts_done() == b.attempts_done());
    auto const draw = some_draw<W>(a.next_jitter_max());
    RC_ASSERT(equal(a.back_off(draw), b.back_off(draw)));
  }
}

// ---- Laws of the value type ----

// AWS-RU-010.
RC_GTEST_PROP(properties_aws_retry_utils, resumed_cycle_goes_on_where_it_was, ()) {
  at_any_width([]<class W>() {
    auto const p = some_parameters<W>(*any<u32>({70}).as("max_attempts"));
    auto const cycle = some_cycle(p);
    expect_alike(core::retry_cycle<W>::resume(p, cycle.next_jitter_max(), cycle.attempts_done()), cycle);
  });
}

// AWS-RU-018.
RC_GTEST_PROP(properties_aws_retry_utils, resumed_window_never_exceeds_cap, ()) {
  at_any_width([]<class W>() {
    auto const p = some_parameters<W>();
    auto const window_s = *any<W>({p.max_backoff_s}).as("next_jitter_max");
    auto const done = *any<u32>().as("attempts_done");
    auto const cycle = core::retry_cycle<W>::resume(p, window_s, done);
    RC_ASSERT(cycle.next_jitter_max() == std::min(window_s, p.max_backoff_s));
    RC_ASSERT(cycle.attempts_done() == done);
  });
}

RC_GTEST_PROP(properties_aws_retry_utils, too_wide_a_parameter_is_named_and_clamped, ()) {
  at_any_width([]<class W>() {
    u64 const widest = top<W>;
    auto const initial_backoff_s = *any<u64>({widest}).as("initial_backoff_s");
    auto const max_backoff_s = *any<u64>({widest}).as("max_backoff_s");
    auto const max_jitter_s = *any<u64>({widest}).as("max_jitter_s");
    auto const max_attempts = *any<u32>().as("max_attempts");
    auto const checked = core::check_parameters<W>(initial_backoff_s, max_backoff_s, max_jitter_s, max_attempts);
    auto const expected = initial_backoff_s > widest ? core::parameter_error::initial_backoff_s_too_wide
                          : max_backoff_s > widest   ? core::parameter_error::max_backoff_s_too_wide
                          : max_jitter_s > widest    ? core::parameter_error::max_jitter_s_too_wide
                                                     : core::parameter_error::none;
    RC_ASSERT(static_cast<int>(checked.error) == static_cast<int>(expected));
    RC_ASSERT(checked.value.initial_backoff_s == std::min(initial_backoff_s, widest));
    RC_ASSERT(checked.value.max_backoff_s == std::min(max_backoff_s, widest));
    RC_ASSERT(checked.value.max_jitter_s == std::min(max_jitter_s, widest));
    RC_ASSERT(checked.value.max_attempts == max_attempts);
  });
}

// AWS-RU-008, AWS-RU-024.
RC_GTEST_PROP(properties_aws_retry_utils, loop_tries_once_more_than_it_sleeps, ()) {
  auto const max_attempts = *between(1U, 40U).as("max_attempts");
  auto const succeeds_at = *between(1U, 45U).as("successful try");
  unsigned tries = 0;
  unsigned sleeps = 0;
  auto const ended = core::retry(
      some_parameters<u32>(max_attempts), [] { return u32{0}; }, [&](core::seconds<u32>) { ++sleeps; },
      [&] { return ++tries == succeeds_at; });
  bool const succeeded = succeeds_at <= max_attempts + 1U;
  RC_ASSERT((ended == core::outcome::succeeded) == succeeded);
  RC_ASSERT(tries == std::min(succeeds_at, max_attempts + 1U));
  RC_ASSERT(sleeps == tries - 1U);
}

// ---- Cycles against the exact model ----

struct modelled {
  model::parameters parameters;
  model::state state;
};
using command = rc::state::Command<modelled, core::retry_cycle<u32>>;

template <class Call>
spec::expectation answered(Call call, modelled& by, u32 value) {
  spec::draw const from{spec::draw_kind::u32, value, u64{1} << 32U};
  auto const& table = model::readings();
  return spec::under(table, table.admitting(spec::standing::canonical),
                     [&](spec::chooser& readings) { return call(by.parameters, by.state, from, readings); })
      .answer;
}

void expect_state(spec::expectation const& expected, core::retry_cycle<u32> const& cycle) {
  RC_ASSERT(expected[model::field_attempts_done].admits(spec::observed::of(cycle.attempts_done())));
  RC_ASSERT(expected[model::field_next_jitter_max].admits(spec::observed::of(cycle.next_jitter_max())));
}

struct back_off : command {
  u32 draw = *any<u32>();
  void apply(modelled& now) const override { static_cast<void>(answered(model::back_off, now, draw)); }
  void run(modelled const& now, core::retry_cycle<u32>& cycle) const override {
    auto after = now;
    auto const expected = answered(model::back_off, after, draw);
    auto const decided = cycle.back_off(draw);
    bool const granted = decided.status == status::retry;
    RC_ASSERT(granted == (expected[model::field_status] == spec::admissible::word(0)));
    if (granted) RC_ASSERT(expected[model::field_slept].admits(spec::observed::of(decided.sleep_s)));
    if (!granted) RC_ASSERT(decided.sleep_s == 0U);
    expect_state(expected, cycle);
  }
  void show(std::ostream& out) const override { out << "back_off(" << draw << ")"; }
};

struct reset : command {
  u32 draw = *any<u32>();
  void apply(modelled& now) const override { static_cast<void>(answered(model::reset, now, draw)); }
  void run(modelled const& now, core::retry_cycle<u32>& cycle) const override {
    auto after = now;
    auto const expected = answered(model::reset, after, draw);
    cycle.reset(draw);
    expect_state(expected, cycle);
  }
  void show(std::ostream& out) const override { out << "reset(" << draw << ")"; }
};

RC_GTEST_PROP(properties_aws_retry_utils, cycles_answer_as_the_model_does, ()) {
  auto const p = some_parameters<u32>(*any<u32>().as("max_attempts"));
  auto const draw = some_draw<u32>();
  core::retry_cycle<u32> cycle(p, draw);
  modelled initial{{p.initial_backoff_s, p.max_backoff_s, p.max_jitter_s, p.max_attempts, true}, {}};
  expect_state(answered(model::reset, initial, draw), cycle);
  rc::state::check(initial, cycle, rc::state::gen::execOneOfWithArgs<back_off, back_off, back_off, reset>());
}

}  // namespace
