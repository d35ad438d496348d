// Histories by which drawn waits are told, and the one that shows how a port's draws look.
#include <algorithm>

#include "systems/azure_c_retry_control/history_played.hpp"

namespace backoff::systems::azure_c_calls {

// Waits that are drawn, asked for at the ends of equal cells: from 0 to 16 cells (RANDOM), from 16 to 32 of them (with
// jitter, after which a reset makes waits short again), and by the second those of the default. On two instances at
// once, where there are several.
std::vector<history> samples(domain const& d) {
  using enum model::policy;
  constexpr std::int64_t cell = 100;
  constexpr std::int64_t wait = sampled_cells * cell;
  constexpr std::int64_t polls = 40;
  constexpr int cycles = 2;
  std::int64_t const start = std::max<std::int64_t>(0, d.args[should_retry][clock_at].low);
  std::vector<history> result;
  history h;
  auto const call = [&](step s) {
    for (s.on = 0; s.on < std::min<std::uint8_t>(d.instances(), 2); ++s.on) h.steps.push_back(s);
  };
  auto const ask = [&](std::int64_t at) { call({should_retry, 0, {value::of(at)}}); };
  auto const finish = [&] {
    result.push_back(h);
    h.steps.clear();
  };
  for (auto const every : {cell, std::int64_t{1}}) {
    call(made(random, 0));
    if (every == cell) call(set(model::option::initial_wait_time_in_secs, wait));
    for (std::int64_t i = 0; i <= polls; ++i) ask(start + i * every);
    finish();
  }
  for (auto const& s : made_with(exponential_backoff_with_jitter, 0, wait, 100)) call(s);
  std::int64_t now = start;
  for (int cycle = 0; cycle < cycles; ++cycle) {
    ask(now);
    for (std::int64_t i = 1; i <= sampled_cells; ++i) ask(now + wait + i * cell);
    call({reset, 0, {}});
    now += 2 * wait;
  }
  finish();
  return result;
}

// Many waits: RANDOM ones asked for at each quarter of their range; jittered ones, twice each, up to the longest
// that no maximum cuts off, in the middle and at the end of what follows the last possible end of the wait before.
std::vector<history> long_samples(domain const& d) {
  using enum model::policy;
  constexpr std::int64_t quarter = 400;
  std::int64_t const start = std::max<std::int64_t>(0, d.args[should_retry][clock_at].low);
  auto const ask = [](std::int64_t at) { return step{should_retry, 0, {value::of(at)}}; };
  std::vector<history> result;
  for (std::int64_t const polls : {200, 2'800}) {
    history h{{}, {made(random, 0), set(model::option::initial_wait_time_in_secs, 4 * quarter)}};
    for (std::int64_t i = 0; i <= polls; ++i) h.steps.push_back(ask(start + i * quarter));
    result.push_back(std::move(h));
  }
  history h{{}, made_with(exponential_backoff_with_jitter, 0, 2, 100)};
  h.steps.push_back(ask(start));
  std::int64_t now = start;
  for (std::int64_t wait = 2; wait < u32_max / 2; wait *= 2) {
    h.steps.push_back(ask(now + wait + wait / 2));
    h.steps.push_back(ask(now += 2 * wait));
  }
  result.push_back(std::move(h));
  return result;
}

// Whether no wait that was drawn decides what an answer tells of it: where the clock fails as a retry is granted, the
// call fails, and does not where the wait is not over; nothing is judged behind a difference that leaves its type.
bool tells_waits(history const& h) {
  constexpr std::int64_t far = std::int64_t{1} << 62;
  return std::ranges::all_of(h.steps, [](step const& s) {
    if (s.op != should_retry) return true;
    for (std::size_t i = clock_at; i < clock_at + readings_max; ++i) {
      auto const& reading = s.args[i];
      if (given(reading) && ((i > clock_at && reading.n == -1) || reading.n < -far || reading.n > far)) return false;
    }
    return true;
  });
}

// Exponential waits of a minute, jittered where draws are given: one second too early, then in time, for each draw.
std::vector<step> example(history const&, std::span<value const> draws) {
  random_bits random(1);
  bool const drawn = !draws.empty();
  history h{{},
            {made(drawn ? model::policy::exponential_backoff_with_jitter : model::policy::exponential_backoff, 0),
             set(model::option::initial_wait_time_in_secs, 60)}};
  domain d;
  d.draws = drawn ? draw_source{} : draw_source{spec::draw_kind::hidden, 1};
  std::size_t const retries = drawn ? draws.size() : 4;
  played so_far(d);
  so_far.advance(h, random);
  for (std::size_t i = 0; i < retries; ++i) {
    auto const& at = so_far.of(0).at;
    auto const over = at.last_retry_time ? *at.last_retry_time + at.wait.high : std::int64_t{0};
    for (auto const reading : {over - 1, over}) {
      if (reading < 0) continue;
      step s = asked_at(reading, 0);
      s.args[draw_at] = drawn ? draws[i] : value{};
      h.steps.push_back(s);
      so_far.advance(s, random);
    }
  }
  return h.steps;
}

}  // namespace backoff::systems::azure_c_calls
