// Calls at random made to fit each other: create comes first, options are set, and readings of the clock stand where
// the waits and the limit end.
#include <algorithm>
#include <array>

#include "azure_c_retry_control/page.hpp"
#include "systems/azure_c_retry_control/history_played.hpp"

namespace backoff::systems::azure_c_calls {
namespace {

// A reading at an edge: where the wait or the limit ends, one to either side; the same instant again; back; far away.
std::int64_t next_clock(played const& so_far, step const& s, bool hurry, random_bits& random) {
  auto const& at = so_far.of(s.on);
  auto const now = so_far.last_reading();
  auto const edge = random.between(-1, 1);
  auto const dice = hurry ? random.between(0, 11) : random.between(0, 23);
  auto const& wait = at.at.wait;
  bool const waits = at.at.last_retry_time.has_value();
  if (waits && dice < 11) {
    auto const over = wait.low == wait.high || random.one_in(3) ? wait.high : random.between(wait.low, wait.high);
    return later(*at.at.last_retry_time, later(over, hurry || dice < 7 ? 0 : edge));
  }
  if (dice < 16 && at.at.first_retry_time && at.max_retry_time != 0)
    return later(*at.at.first_retry_time, later(at.max_retry_time, edge));
  if (dice < 18) return now;
  if (dice < 19) return later(now, random.between(0, 2 * std::min(wait.high, u32_max) + 2));
  if (dice < 20) return later(now, -random.between(1, 2 * std::min(wait.high, u32_max) + 2));
  if (dice < 21) return random.one_in(4) ? -1 : later(now, 1);
  if (dice < 22) return random.one_in(4) ? later(now, random.one_in(2) ? u32_max : 0x7fff'ffff) : now;
  return random.one_in(6) ? s.args[clock_at].n : later(now, random.between(0, 10));
}

// The readings behind the first: soon after it, failed, or a little before.
void next_readings(step& s, domain const& d, std::size_t from, std::size_t count, random_bits& random) {
  for (std::size_t i = from + 1; i < from + count; ++i) {
    auto& v = s.args[i];
    if (!given(v) || random.one_in(8)) continue;
    auto const before = s.args[i - 1].n == -1 ? std::int64_t{100} : s.args[i - 1].n;
    auto const next =
        random.one_in(3) ? -1 : later(before, random.one_in(4) ? -random.between(1, 9) : random.between(0, 9));
    if (d.args[s.op][i].admits(value::of(next))) v.n = next;
  }
}

// The first call of each instance creates it, and only that one; it ends it last.
void set_stages(history& h, domain const& d, random_bits& random) {
  std::array<std::size_t, instances_max> left{};
  std::array<bool, instances_max> begun{};
  for (auto const& s : h.steps) ++left[s.on];
  bool const must_live = h.steps.size() > 40;  // lengths are classes: a long history stays long
  for (auto& s : h.steps) {
    bool const first = !begun[s.on];
    begun[s.on] = true;
    bool const last = --left[s.on] == 0;
    bool const misplaced = first ? s.op != create : s.op == create || (s.op == destroy && !last);
    if (!misplaced && (!must_live || s.op != set_option)) {
      if (s.op == create && must_live) s.args[create_args::fail] = {};
      continue;
    }
    step made{first ? create : should_retry, s.on, {}};
    auto const args = operations[made.op].args;
    std::size_t const kept = first ? 2 : 1;
    for (std::size_t i = 0; i < kept; ++i) made.args[i] = generate_value(args[i], d.args[made.op][i], random);
    if (!first && d.draws.kind != spec::draw_kind::hidden)
      made.args[draw_at] = generate_value(args[draw_at], d.args[made.op][draw_at], random);
    s = made;
  }
}

// Half of the instances set their initial wait first, half of these their jitter then.
void set_options(history& h, domain const& d, random_bits& random) {
  std::array<int, instances_max> calls{};
  std::array<bool, instances_max> skips{};
  for (auto& s : h.steps) {
    int const n = calls[s.on]++;
    if (n == 0) skips[s.on] = random.one_in(2);
    if (n == 2 && random.one_in(2)) skips[s.on] = true;
    if (n == 0 || n > 2 || skips[s.on] || s.op == destroy) continue;
    auto const& specials = n == 1 ? std::span<special const>(try_initial_wait_time_in_secs)
                                  : std::span<special const>(try_max_jitter_percent);
    auto const number = value::of(random.pick(specials).value);
    auto const name = value::word(n - 1);
    auto const& ranges = d.args[set_option];
    if (ranges[name_at].admits(name) && ranges[number_at].admits(number)) s = {set_option, s.on, {name, number}};
  }
}

// Waits that are drawn, each asked for within its range and at its end: histories of calls at random seldom see one.
// Nothing where the port has no such policy.
bool draw_waits(history& h, domain const& d, random_bits& random) {
  auto const& ranges = d.args[create];
  auto const drawn = random.one_in(2) ? model::policy::random : model::policy::exponential_backoff_with_jitter;
  auto const policy = value::word(static_cast<std::int64_t>(drawn));
  if (!ranges[policy_at].admits(policy)) return false;
  h.steps = {{create, 0, {policy, generate_value(arguments_of_create[limit_at], ranges[limit_at], random)}}};
  auto const set = [&](model::option which, value const& number) {
    auto const name = value::word(static_cast<std::int64_t>(which));
    auto const& takes = d.args[set_option];
    if (takes[name_at].admits(name) && takes[number_at].admits(number))
      h.steps.push_back({set_option, 0, {name, number}});
  };
  if (!random.one_in(4)) {
    auto number = d.args[set_option][number_at];
    number.low = std::max<std::int64_t>(number.low, 1);
    set(model::option::initial_wait_time_in_secs,
        generate_value(arguments_of_set_option[saved_wait_at], number, random));
  }
  if (!random.one_in(4))
    set(model::option::max_jitter_percent, value::of(random.one_in(2) ? 100 : random.between(1, 100)));
  played so_far(d);
  so_far.advance(h, random);
  std::int64_t now = random.between(0, 1'000);
  for (auto calls = random.between(4, 24); calls > 0; --calls) {
    auto const& at = so_far.of(0).at;
    if (at.last_retry_time) {
      auto const over = random.one_in(4) ? at.wait.high : random.between(at.wait.low, at.wait.high);
      now = std::max(now, later(*at.last_retry_time, over));
    }
    bool const again = at.last_retry_time && random.one_in(16);
    if (!again && !d.args[should_retry][clock_at].admits(value::of(now))) break;
    h.steps.push_back(again ? step{reset, 0, {}} : step{should_retry, 0, {value::of(now)}});
    so_far.advance(h.steps.back(), random);
  }
  return true;
}

}  // namespace

void correlate(history& h, domain const& d, random_bits& random) {
  if (d.draws.kind == spec::draw_kind::hidden && random.one_in(3) && draw_waits(h, d, random)) return;
  if (!h.steps.empty() && h.steps.size() <= 18) h.steps.insert(h.steps.begin(), {should_retry, h.steps[0].on, {}});
  set_stages(h, d, random);
  if (h.steps.size() <= 40) set_options(h, d, random);
  repair(h);
  bool const hurry = h.steps.size() > 12 && !random.one_in(3);
  played so_far(d);
  for (auto& s : h.steps) {
    auto const put = [&](std::size_t at, std::int64_t n) {
      if (d.args[s.op][at].admits(value::of(n))) s.args[at] = value::of(n);
    };
    if (s.op == create && random.one_in(2)) put(limit_at, random.one_in(2) ? 0 : random.between(1, 60));
    if (s.op == create && s.args[policy_at].n < 2 && random.one_in(2))
      s.args[policy_at] = generate_value(arguments_of_create[policy_at], d.args[create][policy_at], random);
    if (s.op == should_retry) {
      put(clock_at, next_clock(so_far, s, hurry, random));
      next_readings(s, d, clock_at, readings_max, random);
    }
    if (s.op == is_timeout_reached && !random.one_in(4)) {
      put(timeout_clock_at, later(s.args[start_at].n, later(s.args[timeout_at].n, random.between(-1, 1))));
      if (random.one_in(12)) put(timeout_clock_at, -1);
      next_readings(s, d, timeout_clock_at, timeout_readings_max, random);
    }
    so_far.advance(s, random);
  }
}

}  // namespace backoff::systems::azure_c_calls
