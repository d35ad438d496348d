#include "azure_c_retry_control/model.hpp"

#include <algorithm>
#include <array>
#include <boost/multiprecision/cpp_int.hpp>
#include <limits>
#include <numeric>

namespace backoff::spec::azure_c_retry_control {
namespace {

constexpr reading_table table{all_readings};

constexpr integer seconds_top = 0xffff'ffff;
constexpr integer word_size = seconds_top + 1;
constexpr integer integer_top = std::numeric_limits<integer>::max();
constexpr integer integer_bottom = std::numeric_limits<integer>::min();

// ---- Answers ----

constexpr values exactly(integer n) { return {n, n}; }

admissible any_of(values const& v) noexcept {
  return admissible::integers(v.low, v.step, (v.high - v.low) / v.step + 1);
}
admissible word_of(status s) noexcept { return admissible::word(static_cast<std::uint8_t>(s)); }
admissible word_of(action a) noexcept { return admissible::word(static_cast<std::uint8_t>(a)); }

outcome begin(surroundings const& with, state const& s) {
  outcome result;
  facts& f = result.facts;
  f.policy = s.policy;
  f.null_argument = with.null_handle || !s.exists;
  f.after_reset = s.after_reset;
  f.retry_count = s.at.retry_count;
  f.wait = s.at.wait;
  return result;
}

void end(outcome& result, status is, state const& s) noexcept {
  result.answer[field_status] = word_of(is);
  result.answer[field_live] = any_of(s.live);
}

// A call that answers with a result.
void end_with_result(outcome& result, state const& s) noexcept {
  end(result, status::answered, s);
  result.answer[field_result] = result.facts.fails ? admissible::not_zero() : admissible::exactly(0);
}

// ---- The clock ----

class clock {
 public:
  explicit clock(std::span<integer const> script) noexcept : script_(script) {}

  // Nothing where it fails.
  [[nodiscard]] std::optional<integer> read() noexcept {
    std::size_t const at = std::min(reads_, script_.size() - 1);
    ++reads_;
    if (script_[at] == -1) return std::nullopt;
    return script_[at];
  }
  [[nodiscard]] integer reads() const noexcept { return static_cast<integer>(reads_); }

 private:
  std::span<integer const> script_;
  std::size_t reads_ = 0;
};

// now - since, as it is compared with a number of seconds. Nothing where it leaves the type of both and is undefined;
// exact, the end of the range that it lies beyond says as much.
std::optional<integer> elapsed(integer since, integer now, facts& f, chooser& choices) {
  integer secs{};
  if (__builtin_sub_overflow(now, since, &secs)) {
    auto const how = choices.choose<difference_overflow>(reading::difference_overflow);
    if (how == difference_overflow::undefined) return std::nullopt;
    secs = now < since ? integer_bottom : integer_top;
  }
  if (secs >= 0) return secs;
  f.backwards = true;
  auto const how = choices.choose<clock_backwards>(reading::clock_backwards);
  if (how == clock_backwards::signed_) return secs;
  return how == clock_backwards::unsigned_ ? integer_top : -std::max(secs, -integer_top);
}

// ---- The next wait ----

using wide = boost::multiprecision::int256_t;  // enough for 2^64 · 2^32 · 200 · 2^32, with 2^51 over it

// over / under, never negative.
struct fraction {
  wide over;
  wide under;
};

fraction product(fraction const& a, fraction const& b) { return {a.over * b.over, a.under * b.under}; }
bool is_whole(fraction const& x) { return x.over % x.under == 0; }

// From 2^32 on only the remainder modulo 2^32 is kept, above 2^32.
integer floor_of(wide const& over, wide const& under) {
  wide const whole = over / under;
  return static_cast<integer>(whole < word_size ? whole : wide(word_size + whole % word_size));
}
integer ceil_of(wide const& over, wide const& under) { return floor_of(over + under - 1, under); }

// The lowest and the highest whole number that x is rounded to: two where it lies in the middle of them.
integer rounded_down(fraction const& x, wait_rounding how) {
  if (how == wait_rounding::truncate) return floor_of(x.over, x.under);
  if (how == wait_rounding::ceil) return ceil_of(x.over, x.under);
  return floor_of(2 * x.over + x.under - 1, 2 * x.under);
}
integer rounded_up(fraction const& x, wait_rounding how) {
  if (how == wait_rounding::nearest) return floor_of(2 * x.over + x.under, 2 * x.under);
  return rounded_down(x, how);
}

// From the lowest to the highest wait; `inexact` says which of them is a product that doubles may miss.
struct extent {
  fraction low;
  fraction high;
  bool inexact_low = false;
  bool inexact_high = false;
};

values rounded(extent const& x, wait_rounding how) { return {rounded_down(x.low, how), rounded_up(x.high, how)}; }

// As doubles would: x · (1 - 2^-50) and x · (1 + 2^-50) at the two ends.
extent widened(extent const& x) {
  wide const grain = wide(1) << 50;
  extent result = x;
  if (x.inexact_low) result.low = product(x.low, {grain - 1, grain});
  if (x.inexact_high) result.high = product(x.high, {grain + 1, grain});
  return result;
}

values rounded(extent const& x, chooser& choices) {
  bool const inexact = x.inexact_low || x.inexact_high;
  if (is_whole(x.low) && is_whole(x.high) && !inexact) return rounded(x, wait_rounding::truncate);
  auto const how = choices.choose<wait_rounding>(reading::wait_rounding);
  values const exact = rounded(x, how);
  values const loose = rounded(widened(x), how);
  if (loose == exact) return exact;
  return choices.choose<product_rounding>(reading::product_rounding) == product_rounding::exact ? exact : loose;
}

fraction divided(fraction const& x, quotients how) {
  return how == quotients::real ? x : fraction{x.over / x.under, 1};
}

// The lowest and the highest rand() / RAND_MAX.
extent drawn_part(draw const& from, quotients how) {
  fraction const least{0, 1};
  fraction const all{1, 1};
  if (from.kind == draw_kind::hidden) return {least, all};
  std::uint64_t const most = from.kind == draw_kind::unit ? from.size : from.size - 1;
  fraction const part = divided({from.value, most}, how);
  return {part, part};
}

// 1 + percent / 100 · rand() / RAND_MAX.
extent jitter_factor(values const& percent, draw const& from, quotients how) {
  extent const drawn = drawn_part(from, how);
  auto const factor = [&](integer p, fraction const& part) {
    fraction const jitter = product(divided({p, 100}, how), part);
    return fraction{jitter.over + jitter.under, jitter.under};
  };
  return {factor(percent.low, drawn.low), factor(percent.high, drawn.high)};
}

bool grows(policy which) noexcept { return which != policy::interval && which != policy::random; }

// What the initial wait is multiplied with, but for randomness, at the retry with that number (from 1, or from 0).
fraction growth(policy which, integer number) {
  if (!grows(which)) return {1, 1};
  if (which == policy::linear_backoff) return {number, 1};
  if (number == 0) return {1, 2};
  return {wide(1) << static_cast<unsigned>(std::min<integer>(number - 1, 64)), 1};
}

bool draws(policy which) { return which == policy::random || which == policy::exponential_backoff_with_jitter; }

struct next_wait {
  values wait;
  bool undefined;
};

// Waits beyond 2^32 - 1. Wrapped ones are exact where there is only one; a drawn one may be anything.
next_wait overflowed(values const& wait, state const& s, chooser& choices) {
  auto const how = choices.choose<overflow>(reading::overflow);
  if (how == overflow::undefined) return {wait, true};
  if (how == overflow::saturates) return {{std::min(wait.low, seconds_top), seconds_top}, false};
  bool const known = s.initial_wait.low == s.initial_wait.high && !draws(s.policy);
  return {known ? exactly(wait.low % word_size) : values{0, seconds_top}, false};
}

// What the initial wait is multiplied with at random.
extent random_factor(state const& s, draw const& from, chooser& choices) {
  if (!draws(s.policy)) return {{1, 1}, {1, 1}};
  auto const how = choices.choose<quotients>(reading::quotients);
  return s.policy == policy::random ? drawn_part(from, how) : jitter_factor(s.max_jitter, from, how);
}

// calculate_next_wait_time, after retry_count was counted up.
next_wait calculated(state const& s, integer retry_count, draw const& from, chooser& choices) {
  integer number = retry_count;
  if (grows(s.policy)) number -= static_cast<integer>(choices.choose<count_origin>(reading::count_origin));
  fraction const grown = growth(s.policy, number);
  extent const factor = random_factor(s, from, choices);
  auto const times = [&](integer initial, fraction const& f) { return product({initial, 1}, product(grown, f)); };
  extent const x{times(s.initial_wait.low, factor.low), times(s.initial_wait.high, factor.high), !is_whole(factor.low),
                 !is_whole(factor.high)};
  values const wait = rounded(x, choices);
  if (wait.high <= seconds_top) return {wait, false};
  return overflowed(wait, s, choices);
}

// ---- should_retry ----

// What a retry that is granted does: 015, 016, 017.
struct grant {
  cycle after;
  bool fails = false;
  bool undefined = false;
  integer draws = 0;  // where it fails: at most
};

grant granted(state const& s, std::optional<integer> first_before, draw const& from, clock& time, chooser& choices) {
  grant g{s.at};
  ++g.after.retry_count;
  if (s.policy == policy::immediate) return g;
  g.draws = draws(s.policy) ? 1 : 0;
  g.after.last_retry_time = time.read();
  if (!g.after.last_retry_time) {
    auto const how = choices.choose<failed_016>(reading::failed_016);
    g.fails = how != failed_016::returns_zero;
    if (how == failed_016::rolled_back || how == failed_016::uncounted) g.after = s.at;
    if (how == failed_016::rolled_back) g.after.first_retry_time = first_before;
    if (g.fails) return g;  // 017 names no order: the wait may have been drawn
  }
  auto const next = calculated(s, g.after.retry_count, from, choices);
  g.after.wait = next.wait;
  g.undefined = next.undefined;
  return g;
}

// evaluate_retry_action. Nothing where it fails; both where the wait may be over or not.
struct evaluated {
  bool now = false;
  bool later = false;  // neither: STOP_RETRYING
  bool undefined = false;
};

std::optional<evaluated> evaluate(state& s, clock& time, facts& f, chooser& choices) {
  bool const immediate = s.policy == policy::immediate;
  if (f.first) {
    if (choices.choose<first_call>(reading::first_call) == first_call::ends) return evaluated{true, false};
  } else if (!s.at.last_retry_time && !immediate) {
    return std::nullopt;
  }
  auto const now = time.read();
  if (!now) return std::nullopt;
  if (s.max_retry_time != 0) {
    auto const since_first = elapsed(*s.at.first_retry_time, *now, f, choices);
    if (!since_first) return evaluated{.undefined = true};
    f.past_limit = *since_first >= s.max_retry_time;
  }
  if (f.past_limit) {
    bool const stops =
        !immediate || choices.choose<immediate_limit>(reading::immediate_limit) == immediate_limit::limit_first;
    if (stops) return evaluated{false, false};
  }
  // At the first call, and for immediate, there is neither a last time nor a wait.
  auto const since_last = elapsed(s.at.last_retry_time.value_or(*now), *now, f, choices);
  if (!since_last) return evaluated{.undefined = true};
  f.elapsed_secs = *since_last;
  return evaluated{f.elapsed_secs >= s.at.wait.low, f.elapsed_secs < s.at.wait.high};
}

admissible draws_used(integer least, integer most, draw const& from) noexcept {
  if (from.kind == draw_kind::hidden) return admissible::unjudged();
  return any_of({least, most});
}

void fail(outcome& result, integer reads, integer drawn_at_most, draw const& from, state const& s) {
  result.facts.fails = true;
  end_with_result(result, s);
  result.answer[field_action] = admissible::unjudged();
  result.answer[field_clock_reads] = admissible::exactly(reads);
  result.answer[field_draws_used] = draws_used(0, drawn_at_most, from);
}

void act(outcome& result, action what, integer reads, integer drawn, draw const& from, state const& s) noexcept {
  end_with_result(result, s);
  result.answer[field_action] = word_of(what);
  result.answer[field_clock_reads] = admissible::exactly(reads);
  result.answer[field_draws_used] = draws_used(drawn, drawn, from);
}

// The limit was reached before, and that is final: the clock, which nothing depends on, may be read or not.
void stay_stopped(outcome& result, clock& time, draw const& from, state const& s) noexcept {
  bool const fails = !time.read();
  act(result, action::stop_retrying, time.reads(), 0, from, s);
  result.answer[field_clock_reads] = admissible::integers(0, 1, 2);
  if (!fails) return;
  result.answer[field_result] = admissible::unjudged();
  result.answer[field_action] = admissible::unjudged();
}

// Either RETRY_LATER, or RETRY_NOW with all that follows from it.
void act_either_way(outcome& result, grant const& g, clock const& time, draw const& from) noexcept {
  constexpr auto now = 1U << static_cast<unsigned>(action::retry_now);
  constexpr auto later = 1U << static_cast<unsigned>(action::retry_later);
  result.answer[field_result] = g.fails ? admissible::unjudged() : admissible::exactly(0);
  result.answer[field_action] = g.fails ? admissible::unjudged() : admissible::words(now | later);
  result.answer[field_clock_reads] = any_of({1, time.reads()});
  result.answer[field_draws_used] = draws_used(0, g.draws, from);
}

// ---- Options ----

// What v was and n, and whatever a step between them hits besides.
values joined(values const& v, integer n) {
  integer const step = std::gcd(v.low == v.high ? 0 : v.step, n - v.low);
  return {std::min(v.low, n), std::max(v.high, n), std::max<integer>(step, 1)};
}

void learn(values& of, observed const& seen) noexcept {
  if (seen.kind == observed_kind::number) of = exactly(seen.value.mantissa);
}

values defaults_of(policy which, field option) noexcept {
  if (option == field_max_jitter) return exactly(5);
  bool const exponential = which == policy::exponential_backoff || which == policy::exponential_backoff_with_jitter;
  return exactly(exponential ? 1 : 5);
}

}  // namespace

reading_table const& readings() noexcept { return table; }

std::vector<cube> assignments(draw_kind) { return {table.admitting(standing::hazard)}; }

outcome create(policy which, integer max_retry_time, surroundings const& with, state& s) noexcept {
  s = state{};
  s.policy = which;
  s.max_retry_time = max_retry_time;
  s.initial_wait = defaults_of(which, field_initial_wait);
  s.max_jitter = defaults_of(which, field_max_jitter);
  s.exists = !with.malloc_fails;
  outcome result = begin({}, s);
  result.facts.null_argument = false;  // it takes no handle
  result.facts.fails = with.malloc_fails;
  if (s.exists) s.live = {1, seconds_top};
  end(result, s.exists ? status::ok : status::null, s);
  return result;
}

outcome should_retry(surroundings const& with, state& s, chooser& choices) {
  outcome result = begin(with, s);
  facts& f = result.facts;
  f.first = s.at.retry_count == 0;
  f.null_argument = f.null_argument || with.null_out;
  clock time(with.clock);
  if (f.null_argument) {
    fail(result, 0, 0, with.from, s);
    return result;
  }
  if (s.policy == policy::none) {
    act(result, action::stop_retrying, 0, 0, with.from, s);
    return result;
  }
  if (s.stopped && choices.choose<stop_sticky>(reading::stop_sticky) == stop_sticky::sticky) {
    stay_stopped(result, time, with.from, s);
    return result;
  }
  auto const first_before = s.at.first_retry_time;
  if (!s.at.first_retry_time) s.at.first_retry_time = time.read();
  auto const e = s.at.first_retry_time ? evaluate(s, time, f, choices) : std::nullopt;
  if (!e) {
    fail(result, time.reads(), 0, with.from, s);
    return result;
  }
  if (e->undefined) {
    result.answer[field_status] = admissible::unjudged();
    return result;
  }
  f.may_grant = e->now;
  f.may_wait = e->later;
  if (!e->now) {
    s.stopped = !e->later;
    act(result, e->later ? action::retry_later : action::stop_retrying, time.reads(), 0, with.from, s);
    return result;
  }
  cycle if_later = s.at;
  if (e->later) {
    if_later.wait.low = f.elapsed_secs + 1;
    s.at.wait.high = f.elapsed_secs;
  }
  auto const g = granted(s, first_before, with.from, time, choices);
  if (g.fails && !e->later) {
    fail(result, time.reads(), g.draws, with.from, s);
  } else {
    act(result, action::retry_now, time.reads(), g.draws, with.from, s);
  }
  s.at = g.after;
  if (e->later) {
    act_either_way(result, g, time, with.from);
    s.at = if_later;
    s.if_granted = g.after;
  }
  if (g.undefined) result.answer[field_status] = admissible::unjudged();
  return result;
}

outcome reset(surroundings const& with, state& s, chooser& choices) {
  outcome result = begin(with, s);
  end(result, status::ok, s);
  if (result.facts.null_argument) return result;
  s.at = cycle{};
  s.stopped = false;
  s.after_reset = true;
  values const initial = defaults_of(s.policy, field_initial_wait);
  values const jitter = defaults_of(s.policy, field_max_jitter);
  if (s.initial_wait == initial && s.max_jitter == jitter) return result;
  if (choices.choose<reset_options>(reading::reset_options) == reset_options::survive) return result;
  s.initial_wait = initial;
  s.max_jitter = jitter;
  return result;
}

outcome set_option(option name, option_value const& value, surroundings const& with, state& s) {
  outcome result = begin(with, s);
  facts& f = result.facts;
  f.null_argument = f.null_argument || with.null_name || with.null_value;
  saved_options given = value.saved;
  if (name == option::initial_wait_time_in_secs) given = {value.number, std::nullopt};
  if (name == option::max_jitter_percent) given = {std::nullopt, value.number};
  // Which nothing is that is not given.
  bool const bad_wait = given.initial_wait_time_in_secs == 0;
  bool const bad_jitter = given.max_jitter_percent > 100;
  bool const fed = name == option::retry_control_options;
  bool const ignored = f.null_argument || name == option::unsupported;
  f.fails = ignored || bad_wait || bad_jitter || (fed && with.option_feed_fails);
  end_with_result(result, s);
  if (ignored) return result;
  // A feed that fails may have come to any of the options before, or to none.
  auto const save = [&](std::optional<integer> n, bool bad, values& to) {
    if (!n || bad) return;
    to = f.fails ? joined(to, *n) : exactly(*n);
  };
  save(given.initial_wait_time_in_secs, bad_wait, s.initial_wait);
  save(given.max_jitter_percent, bad_jitter, s.max_jitter);
  return result;
}

outcome retrieve_options(surroundings const& with, state& s) noexcept {
  outcome result = begin(with, s);
  result.facts.fails = result.facts.null_argument || with.option_create_fails || with.option_add_fails;
  end(result, status::answered, s);
  if (result.facts.fails) return result;
  result.answer[field_initial_wait] = any_of(s.initial_wait);
  result.answer[field_max_jitter] = any_of(s.max_jitter);
  return result;
}

outcome destroy(surroundings const& with, state& s) noexcept {
  outcome result = begin(with, s);
  if (!result.facts.null_argument) {
    s.exists = false;
    s.live = exactly(0);
  }
  end(result, status::ok, s);
  return result;
}

outcome is_timeout_reached(integer start, integer timeout, surroundings const& with, state& s, chooser& choices) {
  outcome result = begin(with, s);
  facts& f = result.facts;
  f.null_argument = with.null_out;  // it takes no handle
  clock time(with.clock);
  bool const reads = start != -1 && !with.null_out;
  auto const now = reads ? time.read() : std::nullopt;
  f.fails = !now;
  end_with_result(result, s);
  result.answer[field_clock_reads] = admissible::exactly(time.reads());
  result.answer[field_timed_out] = admissible::unjudged();
  if (!now) return result;
  if (auto const passed = elapsed(start, *now, f, choices)) {
    result.answer[field_timed_out] = admissible::word(*passed >= timeout ? 1 : 0);
  } else {
    result.answer[field_status] = admissible::unjudged();
  }
  return result;
}

void observe(state& s, answer const& port) {
  if (s.if_granted) {
    bool const later = port[field_action] == observed::word(static_cast<std::uint8_t>(action::retry_later));
    bool const failed = port[field_result] != observed::of(0);
    if (failed || !later) s.at = *s.if_granted;
    s.if_granted.reset();
  }
  learn(s.initial_wait, port[field_initial_wait]);
  learn(s.max_jitter, port[field_max_jitter]);
  learn(s.live, port[field_live]);
}

}  // namespace backoff::spec::azure_c_retry_control
