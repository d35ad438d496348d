// Laws of retry control's value type that no claim says, as properties. Waits are held to the formulas in integers
// without an end; the handle, with everything around it able to fail, to the exact model. Above a property: the
// requirements that it shows, without their common beginning SRS_IOTHUB_CLIENT_RETRY_CONTROL_.
// engines/rapidcheck/engine_test.cpp has the claims.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <rapidcheck/state.h>

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <ostream>
#include <utility>
#include <vector>

#include "azure_c_retry_control/handle_test.hpp"
#include "azure_c_retry_control/model.hpp"
#include "backoff/azure_c_retry_control.hpp"
#include "engines/rapidcheck/values.hpp"
#include "tests/model_choices.hpp"

namespace {

namespace core = backoff::azure_c_retry_control;
namespace spec = backoff::spec;
namespace model = spec::azure_c_retry_control;
using backoff::engines::rapidcheck::values::any;
using backoff::engines::rapidcheck::values::between;
using backoff::engines::rapidcheck::values::top;
using core::action;
using core::policy;
using exact = boost::multiprecision::cpp_int;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i64 = std::int64_t;

constexpr policy policies[]{
    policy::none,           policy::immediate,           policy::interval,
    policy::linear_backoff, policy::exponential_backoff, policy::exponential_backoff_with_jitter,
    policy::random};

policy some_policy(unsigned first = 0) { return policies[*between(first, 6U).as("policy")]; }
policy waiting_policy() { return some_policy(2); }

// A reading of a clock that does not fail, with room for the longest wait.
i64 some_time() { return *between<i64>(0, i64{1} << 62U).as("time"); }
i64 any_time(std::vector<u64> near = {}) {
  auto const reading = static_cast<i64>(*any<u64>(std::move(near)).as("reading"));
  return reading == core::indefinite_time ? 0 : reading;
}

core::draw some_draw() {
  auto const rand_max = *between<u32>(1, top<u32>).as("rand_max");
  return {*between<u32>(0, rand_max, {static_cast<u64>(rand_max) / 2U}).as("r"), rand_max};
}

// Readings in order, of which the last repeats; and one number, over and over.
struct clock {
  std::vector<i64> readings;
  unsigned reads = 0;
  i64 operator()() noexcept { return readings[std::min<std::size_t>(reads++, readings.size() - 1)]; }
};
struct generator {
  core::draw gives{0, 1};
  core::draw operator()() const noexcept { return gives; }
};

core::retry_control some_control(policy which, u32 limit = 0) {
  auto control = core::create(which, limit);
  RC_ASSERT(core::set_initial_wait_time_in_secs(control, *between<u32>(1, top<u32>).as("initial wait")));
  RC_ASSERT(core::set_max_jitter_percent(control, *between<u32>(0, 100).as("percent")));
  return control;
}

bool is(core::decision const& decided, action expected) { return decided.decided && decided.action == expected; }
bool failed(core::decision const& decided) { return !decided.decided && decided.action == action::stop_retrying; }

bool equal(core::retry_control const& a, core::retry_control const& b) {
  return a.policy == b.policy && a.max_retry_time_in_secs == b.max_retry_time_in_secs &&
         a.initial_wait_time_in_secs == b.initial_wait_time_in_secs && a.max_jitter_percent == b.max_jitter_percent &&
         a.retry_count == b.retry_count && a.current_wait_time_in_secs == b.current_wait_time_in_secs &&
         a.first_retry_time == b.first_retry_time && a.last_retry_time == b.last_retry_time;
}

// A control whose last retry was granted at that time, and so many of them.
core::retry_control granted(policy which, i64 at, u32 limit = 0) {
  auto control = some_control(which, limit);
  control.retry_count = *between<u32>(1, top<u32>).as("retry count");
  control.first_retry_time = control.last_retry_time = at;
  control.current_wait_time_in_secs = *any<u32>().as("current wait");
  return control;
}

core::decision ask(core::retry_control& control, i64 now) {
  return core::should_retry(control, clock{{now}}, generator{});
}

// ---- When to retry ----

// 09_015.
RC_GTEST_PROP(properties_azure_c_retry_control, retry_count_stays_at_the_top, ()) {
  auto control = granted(some_policy(1), some_time());
  auto const before = control.retry_count;
  auto const now = control.last_retry_time + i64{control.current_wait_time_in_secs};
  RC_ASSERT(is(ask(control, now), action::retry_now));
  RC_ASSERT(control.retry_count == (before == top<u32> ? before : before + 1U));
}

// 09_035, AZ-RC-U01, 09_008.
RC_GTEST_PROP(properties_azure_c_retry_control, reset_makes_anew_all_but_the_options, ()) {
  auto const which = some_policy();
  auto const limit = *any<u32>().as("limit");
  auto control = granted(which, some_time(), limit);
  auto fresh = core::create(which, limit);
  fresh.initial_wait_time_in_secs = control.initial_wait_time_in_secs;
  fresh.max_jitter_percent = control.max_jitter_percent;
  for (unsigned times = 0; times < 2; ++times) {
    core::reset(control);
    RC_ASSERT(equal(control, fresh));
  }
}

// ---- The clock ----

// 09_012, 09_014, 09_016, 09_020, 09_057, 09_060.
RC_GTEST_PROP(properties_azure_c_retry_control, call_that_fails_neither_retries_nor_times_out, ()) {
  auto const which = some_policy(1);
  auto control = some_control(which);
  RC_ASSERT(failed(ask(control, core::indefinite_time)));
  auto later = granted(which, some_time());
  auto const before = later;
  RC_ASSERT(failed(ask(later, core::indefinite_time)));
  RC_ASSERT(equal(later, before));
  auto half_granted = some_control(waiting_policy());  // the retry has been counted by then
  RC_ASSERT(failed(core::should_retry(half_granted, clock{{some_time(), core::indefinite_time}}, generator{})));
  RC_ASSERT(failed(ask(half_granted, any_time())));
  auto const secs = *any<u32>().as("timeout");
  for (auto const& asked : {core::is_timeout_reached(core::indefinite_time, secs, clock{{some_time()}}),
                            core::is_timeout_reached(any_time(), secs, clock{{core::indefinite_time}})})
    RC_ASSERT(!asked.decided && !asked.timed_out);
}

// ---- How long to wait ----

// The wait after retry n, by its formula, up to the top.
exact wait_of(core::retry_control const& control, core::draw const& drawn) {
  exact initial = control.initial_wait_time_in_secs;
  exact const n = control.retry_count;
  exact const part = exact(drawn.r);
  exact const all = exact(drawn.rand_max);
  exact doubled = std::min(exact(initial << std::min(control.retry_count - 1U, 64U)), exact(top<u32>));
  if (control.policy == policy::linear_backoff) return initial * n;
  if (control.policy == policy::exponential_backoff) return doubled;
  if (control.policy == policy::random) return initial * part / all;
  if (control.policy == policy::interval) return initial;
  return doubled + doubled * control.max_jitter_percent * part / (100 * all);
}

// 09_016, 09_017.
RC_GTEST_PROP(properties_azure_c_retry_control, retry_that_is_granted_starts_its_wait, ()) {
  auto const last = some_time();
  auto control = granted(waiting_policy(), last);
  control.current_wait_time_in_secs = 0;
  control.retry_count = *between<u32>(1, 40).as("retry count");
  generator rand{some_draw()};
  auto const now = last + 1;
  RC_ASSERT(is(core::should_retry(control, clock{{now, now + 1}}, rand), action::retry_now));
  RC_ASSERT(control.last_retry_time == now + 1);
  RC_ASSERT(control.current_wait_time_in_secs == std::min(wait_of(control, rand.gives), exact(top<u32>)));
}

// ---- Elapsed time ----

// 09_023, 09_024, 09_025, 09_061.
RC_GTEST_PROP(properties_azure_c_retry_control, elapsed_time_is_signed_and_exact, ()) {
  auto const since = static_cast<i64>(*any<u64>({u64{1} << 63U}).as("since"));
  auto const secs = *any<u32>().as("seconds");
  auto const now =
      static_cast<i64>(*any<u64>({static_cast<u64>(since), static_cast<u64>(since) + secs, u64{1} << 63U}).as("now"));
  RC_ASSERT(core::has_elapsed(since, now, secs) == (exact(now) - since >= secs));
}

// ---- The handle against the exact model ----

struct modelled {
  model::state state;
};
using command = rc::state::Command<modelled, model::scripted_handle>;

// The one value that is admitted; of the results that mean failure, 1.
spec::observed only(spec::admissible const& a) {
  using enum spec::admissible_kind;
  if (a.kind() == not_zero) return spec::observed::of(1);
  if (a.kind() == lattice) return spec::observed::of(a.first());
  return a.kind() == keyword ? spec::observed::word(a.word()) : spec::observed{};
}

// The answer of the model, which is one for every field that the library's answer shows.
template <class Call>
spec::answer answered(modelled& by, Call const& call) {
  auto const& table = model::readings();
  auto const outcome = spec::under(table, spec::pinned(table, {{"difference-overflow", "exact"}}),
                                   [&](spec::chooser& choices) { return call(by.state, choices); });
  spec::answer by_model;
  for (std::size_t k = 0; k < by_model.size(); ++k) {
    RC_ASSERT(outcome.answer[k].count() <= 1 || k == model::field_live || k == model::field_draws_used);
    by_model[k] = only(outcome.answer[k]);
  }
  model::observe(by.state, by_model);
  return by_model;
}

// A reading: next to what the instance compares the clock with, any other, or a failed one.
rc::Gen<spec::integer> readings(modelled const& now) {
  auto const& at = now.state.at;
  auto const first = static_cast<u64>(at.first_retry_time.value_or(0));
  auto const last = static_cast<u64>(at.last_retry_time.value_or(0));
  std::vector<u64> const special{first, last, first + static_cast<u64>(now.state.max_retry_time),
                                 last + static_cast<u64>(at.wait.low)};
  auto const due = rc::gen::apply([](u64 near, u64 more) { return static_cast<spec::integer>(near + more - 1U); },
                                  rc::gen::elementOf(special), between<u64>(0, 3));
  auto const any_other =
      rc::gen::map(any<u64>(special), [](u64 reading) { return static_cast<spec::integer>(reading); });
  return rc::gen::weightedOneOf<spec::integer>({{6, due}, {1, any_other}, {1, rc::gen::just<spec::integer>(-1)}});
}

bool seldom() { return *between(0U, 11U) == 0U; }

struct should_retry : command {
  std::vector<spec::integer> clock;
  core::draw drawn = some_draw();
  bool null_out = seldom();
  explicit should_retry(modelled const& now) {
    auto const count = *between<std::size_t>(1, 3);
    clock = *rc::gen::container<std::vector<spec::integer>>(count, readings(now));
    if (!seldom()) std::ranges::sort(clock);
  }
  [[nodiscard]] model::surroundings with() const {
    return {.clock = clock, .from = model::drawn(drawn.r, drawn.rand_max), .null_out = null_out};
  }
  spec::answer expected(modelled& now) const {
    return answered(now, [&](auto& s, auto& choices) { return model::should_retry(with(), s, choices); });
  }
  void apply(modelled& now) const override { static_cast<void>(expected(now)); }
  void run(modelled const& now, model::scripted_handle& handle) const override {
    auto after = now;
    auto const by_model = expected(after);
    auto const decided = handle.should_retry(with());
    RC_ASSERT(decided.what.has_value() == (by_model[model::field_result] == spec::observed::of(0)));
    if (decided.what) RC_ASSERT(static_cast<unsigned>(*decided.what) == by_model[model::field_action].keyword);
    RC_ASSERT(static_cast<spec::integer>(decided.reads) == by_model[model::field_clock_reads].value.mantissa);
    if (decided.what) RC_ASSERT(decided.draws == by_model[model::field_draws_used].value.mantissa);
  }
  void show(std::ostream& out) const override {
    out << "should_retry at";
    for (auto const reading : clock) out << ' ' << reading;
    out << ", drawn " << drawn.r << " of " << drawn.rand_max << (null_out ? ", no place for the action" : "");
  }
};

struct reset : command {
  spec::answer expected(modelled& now) const {
    return answered(now, [](auto& s, auto& choices) { return model::reset({}, s, choices); });
  }
  void apply(modelled& now) const override { static_cast<void>(expected(now)); }
  void run(modelled const&, model::scripted_handle& handle) const override { handle.reset({}); }
  void show(std::ostream& out) const override { out << "reset"; }
};

struct set_option : command {
  model::option name = static_cast<model::option>(*rc::gen::element(0, 0, 1, 1, 2, 3));
  model::option_value value;
  bool null_value = seldom();
  bool feed_fails = seldom();
  set_option() {
    value.number = *rc::gen::oneOf(between<u32>(0, 101), any<u32>());
    value.saved = {*between<u32>(1, top<u32>), *between<u32>(0, 100)};
  }
  [[nodiscard]] model::surroundings with() const {
    return {
        .clock = {}, .null_value = null_value, .option_feed_fails = feed_fails && name != model::option::unsupported};
  }
  spec::answer expected(modelled& now) const {
    return answered(now, [&](auto& s, auto&) { return model::set_option(name, value, with(), s); });
  }
  // A feed that fails may have set some of them: then the model goes on with several values, and the library with one.
  void checkPreconditions(modelled const&) const override {
    RC_PRE(!feed_fails || name != model::option::retry_control_options);
  }
  void apply(modelled& now) const override { static_cast<void>(expected(now)); }
  void run(modelled const& now, model::scripted_handle& handle) const override {
    auto after = now;
    bool const taken = expected(after)[model::field_result] == spec::observed::of(0);
    RC_ASSERT(handle.set_option(name, value, with()) == taken);
  }
  void show(std::ostream& out) const override {
    out << "set_option " << static_cast<unsigned>(name) << " to " << value.number << " or "
        << value.saved.initial_wait_time_in_secs.value_or(0) << ", " << value.saved.max_jitter_percent.value_or(0)
        << (null_value ? ", null" : "");
  }
};

struct retrieve_options : command {
  bool create_fails = seldom();
  bool add_fails = seldom();
  [[nodiscard]] model::surroundings with() const {
    return {.clock = {}, .option_create_fails = create_fails, .option_add_fails = add_fails};
  }
  spec::answer expected(modelled& now) const {
    return answered(now, [&](auto& s, auto&) { return model::retrieve_options(with(), s); });
  }
  void apply(modelled& now) const override { static_cast<void>(expected(now)); }
  void run(modelled const& now, model::scripted_handle& handle) const override {
    auto after = now;
    auto const by_model = expected(after);
    auto const saved = handle.retrieve_options(with());
    RC_ASSERT(saved.has_value() == (by_model[model::field_initial_wait] != spec::observed{}));
    if (!saved) return;
    RC_ASSERT(saved->initial_wait_time_in_secs == by_model[model::field_initial_wait].value.mantissa);
    RC_ASSERT(saved->max_jitter_percent == by_model[model::field_max_jitter].value.mantissa);
  }
  void show(std::ostream& out) const override { out << "retrieve_options"; }
};

struct is_timeout_reached : command {
  spec::integer start;
  u32 timeout = *any<u32>();
  std::vector<spec::integer> clock;
  explicit is_timeout_reached(modelled const& now) : start(*readings(now)) {
    auto const about = static_cast<u64>(start) + timeout + *between<u64>(0, 2) - 1U;
    clock = {seldom() ? -1 : static_cast<spec::integer>(about)};
  }
  spec::answer expected(modelled& now) const {
    return answered(now, [&](auto& s, auto& choices) {
      return model::is_timeout_reached(start, timeout, {.clock = clock}, s, choices);
    });
  }
  void apply(modelled& now) const override { static_cast<void>(expected(now)); }
  void run(modelled const& now, model::scripted_handle& handle) const override {
    auto after = now;
    auto const by_model = expected(after);
    auto const reached = handle.is_timeout_reached(start, timeout, {.clock = clock});
    RC_ASSERT(reached.what.has_value() == (by_model[model::field_result] == spec::observed::of(0)));
    if (reached.what) RC_ASSERT(spec::observed::word(*reached.what ? 1 : 0) == by_model[model::field_timed_out]);
    RC_ASSERT(static_cast<spec::integer>(reached.reads) == by_model[model::field_clock_reads].value.mantissa);
  }
  void show(std::ostream& out) const override {
    out << "is_timeout_reached from " << start << " of " << timeout << " at " << clock.front();
  }
};

RC_GTEST_PROP(properties_azure_c_retry_control, handles_answer_as_the_model_does, ()) {
  auto const which = *between(0, 6).as("policy");
  auto const limit = *rc::gen::oneOf(rc::gen::just(u32{0}), any<u32>()).as("limit");
  auto const created = static_cast<model::policy>(which);
  model::scripted_handle handle;
  RC_ASSERT(handle.create(created, limit));
  modelled initial;
  static_cast<void>(answered(initial, [&](auto& s, auto&) { return model::create(created, limit, {}, s); }));
  rc::state::check(
      initial, handle,
      rc::state::gen::execOneOfWithArgs<should_retry, should_retry, should_retry, should_retry, should_retry, reset,
                                        set_option, retrieve_options, is_timeout_reached>());
}

}  // namespace
