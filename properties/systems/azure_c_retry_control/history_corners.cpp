// What random histories seldom show.
#include <algorithm>
#include <bit>

#include "azure_c_retry_control/page.hpp"
#include "systems/azure_c_retry_control/history_played.hpp"

namespace backoff::systems::azure_c_calls {
namespace {

// Retries as soon as each wait is over, `calls` of them in all. As far as retry code usually goes and past 1,000
// retries, each is asked for one second too early before. Without a draw, of any.
void add_retries(history& h, domain const& d, std::optional<std::int64_t> draw, std::size_t calls,
                 random_bits& random) {
  constexpr std::int64_t usual_retries = 72;
  auto const& draws = d.args[should_retry][draw_at];
  played so_far(d);
  so_far.advance(h, random);
  std::int64_t now = 100;
  for (std::size_t i = 0; i < calls; ++i) {
    auto const& at = so_far.of(0).at;
    if (at.last_retry_time) {
      auto const over = later(*at.last_retry_time, at.wait.high);
      bool const early = at.retry_count <= usual_retries || at.retry_count > 1'000;
      now = early && over - 1 > now ? over - 1 : over;
    }
    h.steps.push_back(asked_at(now, draw ? *draw : random.between(draws.low, draws.high)));
    so_far.advance(h.steps.back(), random);
  }
}

step saved(std::int64_t wait, std::int64_t percent) {
  step s{set_option, 0, {value::word(static_cast<std::int64_t>(model::option::retry_control_options))}};
  s.args[saved_wait_at] = value::of(wait);
  s.args[saved_jitter_at] = value::of(percent);
  return s;
}
step timeout(std::int64_t start, std::int64_t secs, std::int64_t now) {
  return {is_timeout_reached, 0, {value::of(start), value::of(secs), value::of(now)}};
}

// INTERVAL, or the first policy that the port knows instead.
model::policy usual_policy(range const& policies) {
  auto const known = [&](model::policy which) {
    return policies.admits(value::word(static_cast<std::int64_t>(which)));
  };
  if (known(model::policy::interval)) return model::policy::interval;
  return static_cast<model::policy>(std::countr_zero(policies.words));
}

// Each function where it succeeds, where it fails and where it is given NULL: once in every run, however short.
void add_each_function(std::vector<history>& to, domain const& d, std::int64_t draw) {
  using enum model::option;
  step const retrieved{retrieve_options, 0, {}};
  step const again{reset, 0, {}};
  step const ended{destroy, 0, {}};
  auto const usual = usual_policy(d.args[create][policy_at]);
  step const alone = made(usual, 0);
  auto const on = [](std::uint8_t instance, step s) {
    s.on = instance;
    return s;
  };
  auto const retry = [&](std::int64_t reading) { return asked_at(reading, draw); };
  auto const unknown = [](std::int64_t name) { return step{set_option, 0, {value::word(name), value::of(1)}}; };
  to.push_back({{}, {with_words(alone, 0, fail_malloc)}});
  to.push_back({{}, {made(model::policy::none, 0), retry(100), retrieved, ended}});
  to.push_back({{}, {made(model::policy::exponential_backoff, 0), retrieved, ended}});
  to.push_back(
      {{},
       {alone, with_words(retrieved, 0, fail_option_create), with_words(retrieved, 0, fail_option_add), retrieved}});
  to.push_back(
      {{},
       {alone, saved(7, 50), retrieved, with_words(saved(8, 60), 0, fail_option_feed), saved(0, 60), saved(9, 101)}});
  to.push_back(
      {{},
       {alone, set(initial_wait_time_in_secs, 9), set(initial_wait_time_in_secs, 0), set(max_jitter_percent, 100),
        set(max_jitter_percent, 101), unknown(3), unknown(4), unknown(5), unknown(6), retrieved}});
  to.push_back(
      {{},
       {alone, retry(100), with_words(retry(100), null_handle, 0), with_words(retry(100), null_action, 0),
        with_words(set(max_jitter_percent, 7), null_handle, 0), with_words(set(max_jitter_percent, 7), null_name, 0),
        with_words(set(max_jitter_percent, 7), null_value, 0), with_words(retrieved, null_handle, 0),
        with_words(timeout(0, 1, 1), null_out, 0), with_words(again, null_handle, 0), with_words(ended, null_handle, 0),
        retry(104), retrieved}});
  to.push_back({{}, {alone, retry(100), retry(104), again, retry(103), retry(107), retry(108), retrieved}});
  to.push_back({{}, {alone, retry(-1), retry(100), retry(-1), retry(105), retry(90), retry(110)}});
  to.push_back({{},
                {on(0, alone), on(1, made(model::policy::linear_backoff, 0)), on(0, retry(100)), on(1, retry(102)),
                 on(0, retry(105)), on(1, retry(107)), on(0, retry(110)), on(1, retry(116)), on(1, retry(117)),
                 on(0, retrieved), on(1, retrieved)}});
  to.push_back({{}, {made(usual, 10), retry(100), retry(105), retry(109), retry(110), retry(111)}});
  to.push_back({{}, {made(model::policy::immediate, 10), retry(100), retry(100), retry(109), retry(110)}});
  to.push_back(
      {{},
       {alone, timeout(-1, 0, 0), timeout(0, 0, -1), timeout(100, 5, 104), timeout(100, 5, 105), timeout(100, 0, 99)}});
}

// Options that are set, refused and saved behind each retry, and the end behind some: what goes wrong there may take
// many retries.
void add_each_stage(std::vector<history>& to, domain const& d, std::int64_t draw, random_bits& random) {
  using enum model::option;
  step const retrieved{retrieve_options, 0, {}};
  step const again{reset, 0, {}};
  step const unknown{set_option, 0, {value::word(3), value::of(1)}};
  step const alone = made(usual_policy(d.args[create][policy_at]), 0);
  for (bool const fails : {false, true}) {  // some ports cannot be told to fail
    history all{{}, {alone}};
    for (std::int64_t retries = 1; retries <= 64; ++retries) {
      add_retries(all, d, draw, 2, random);
      all.steps.push_back(retrieved);
      if (fails) {
        for (auto const how : {fail_option_create, fail_option_add}) all.steps.push_back(with_words(retrieved, 0, how));
        continue;
      }
      all.steps.insert(all.steps.end(), {set(initial_wait_time_in_secs, 0), set(max_jitter_percent, 101), unknown,
                                         saved(0, 101), set(initial_wait_time_in_secs, 2 + retries % 2)});
    }
    all.steps.insert(all.steps.end(), {again, retrieved});
    to.push_back(std::move(all));
  }
  for (auto const retries : std::initializer_list<std::size_t>{2, 12, 51, 100}) {
    history h{{}, {alone}};
    add_retries(h, d, draw, retries, random);
    if (retries % 2 == 1) h.steps.push_back(again);
    h.steps.insert(h.steps.end(), {retrieved, {destroy, 0, {}}});
    to.push_back(std::move(h));
  }
}

// Draws that take a wait to just below a whole second, and to it or just beyond: whoever adds up parts of the product
// carries there, or not.
void add_carries(std::vector<history>& to, domain const& d) {
  if (d.draws.kind == spec::draw_kind::hidden) return;
  using enum model::policy;
  __extension__ using u128 = unsigned __int128;
  constexpr u128 hundredths = 100;
  u128 const most = d.draws.kind == spec::draw_kind::unit ? d.draws.size : d.draws.size - 1;
  auto const& draws = d.args[should_retry][draw_at];
  for (auto const which : {exponential_backoff_with_jitter, random}) {
    for (auto const& [initial, percent] : {std::pair{1'001, 7}, {70'001, 99}, {0x7fff'ffff, 50}}) {
      u128 const range = u128(static_cast<unsigned>(initial)) * static_cast<unsigned>(which == random ? 100 : percent);
      u128 const whole = range / hundredths;  // seconds, of which some are drawn
      history h{{}, made_with(which, 0, initial, percent)};
      for (u128 const seconds : {u128{1}, whole / 3, whole / 2, whole - 1}) {
        auto const below = static_cast<std::int64_t>((seconds * hundredths * most - 1) / range);
        for (auto const draw : {below, below + 1}) {
          if (!draws.admits(value::of(draw))) continue;
          random_bits unused(1);
          h.steps.push_back({reset, 0, {}});
          add_retries(h, d, draw, 3, unused);
        }
      }
      to.push_back(std::move(h));
    }
  }
}

}  // namespace

std::vector<history> corners(domain const& d, random_bits& random) {
  constexpr std::size_t beyond_doubles = 1'100;
  auto const& draws = d.args[should_retry][draw_at];
  std::vector<history> result;
  for (auto which = model::policy::immediate; which <= model::policy::random;
       which = static_cast<model::policy>(static_cast<int>(which) + 1)) {
    for (auto const draw : {draws.low, draws.high}) {
      history h{{}, {made(which, 0)}};
      add_retries(h, d, draw, 80, random);
      result.push_back(h);
      for (std::int64_t const initial : {std::int64_t{100}, std::int64_t{0x8000'0000}, u32_max}) {
        h.steps = made_with(which, 0, initial, 100);
        add_retries(h, d, draw, 12, random);
        result.push_back(h);
      }
    }
    // Waits beyond 16 bits and a jitter that is no tenth, more of them than a double's exponent can hold.
    history h{{}, made_with(which, 0, 70'001, 7)};
    add_retries(h, d, std::nullopt, 1'150, random);
    result.push_back(h);
    auto const draw = random.between(draws.low, draws.high);
    // The two ends of time are further apart than a difference can say.
    for (auto const limit : {std::int64_t{0}, u32_max}) {
      for (auto const& [from, to] : {std::pair{time_min, time_max},
                                     {time_max, time_min},
                                     {time_min, std::int64_t{0}},
                                     {std::int64_t{-2}, time_max},
                                     {std::int64_t{0}, time_min}}) {
        h.steps = {made(which, limit), asked_at(from, draw), asked_at(to, draw), asked_at(from, draw)};
        result.push_back(h);
      }
    }
  }
  // As many retries before a limit ends them.
  history limited{{}, made_with(model::policy::immediate, 60, 70'001, 7)};
  limited.steps.insert(limited.steps.end(), beyond_doubles, asked_at(100, draws.low));
  for (auto const reading : {159, 160}) limited.steps.push_back(asked_at(reading, draws.low));
  result.push_back(std::move(limited));
  step const alone = made(usual_policy(d.args[create][policy_at]), 0);
  history h{{}, {alone}};
  for (std::int64_t number = 0; number <= 102; ++number) {
    for (auto const name : {model::option::initial_wait_time_in_secs, model::option::max_jitter_percent})
      h.steps.push_back(set(name, number));
    h.steps.push_back({retrieve_options, 0, {}});
  }
  result.push_back(h);
  for (auto const& from : try_clock) {
    h.steps = {alone};
    for (bool const overflows : {false, true}) {  // last: nothing is judged after it
      for (auto const& to : try_clock) {
        std::int64_t difference = 0;
        if (__builtin_sub_overflow(to.value, from.value, &difference) != overflows) continue;
        for (std::int64_t const secs : {std::int64_t{0}, std::int64_t{1}, u32_max})
          h.steps.push_back(timeout(from.value, secs, to.value));
      }
    }
    result.push_back(h);
  }
  add_carries(result, d);
  add_each_function(result, d, draws.low);
  add_each_stage(result, d, draws.low, random);
  return result;
}

}  // namespace backoff::systems::azure_c_calls
