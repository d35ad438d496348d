// The histories of retry control: create first, then calls at readings of a clock, which stand where the waits and the
// limit end. A port shows no wait, so the canonical model is asked where to look.
#include "systems/azure_c_retry_control/history.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "azure_c_retry_control/page.hpp"
#include "histories/generate.hpp"
#include "histories/systems.hpp"

namespace backoff::systems {
namespace azure_c_calls {
namespace {

namespace model = spec::azure_c_retry_control;

constexpr std::int64_t u32_max = 0xffff'ffff;
constexpr std::int64_t time_max = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t time_min = std::numeric_limits<std::int64_t>::min();

struct words_of_call {
  std::size_t null_at;
  std::int64_t nulls;  // that the call can take
  std::size_t fail_at;
  std::int64_t fails;
};
constexpr std::size_t nowhere = args_max;
constexpr std::array<words_of_call, operations.size()> word_args{{
    {should_retry_args::null, null_handle | null_action, nowhere, 0},
    {nowhere, 0, create_args::fail, fail_malloc},
    {set_option_args::null, null_handle | null_name | null_value, set_option_args::fail, fail_option_feed},
    {retrieve_options_args::null, null_handle, retrieve_options_args::fail, fail_option_create | fail_option_add},
    {is_timeout_reached_args::null, null_out, nowhere, 0},
    {reset_args::null, null_handle, nowhere, 0},
    {destroy_args::null, null_handle, nowhere, 0},
}};

bool given(value const& v) noexcept { return v.kind != value_kind::absent; }

value& word_of(step& s, std::size_t at) noexcept { return s.args[at]; }

// Words that this call cannot use are taken away.
void keep_words(step& s) noexcept {
  auto const& words = word_args[s.op];
  auto const keep = [&](std::size_t at, std::int64_t mask) noexcept {
    if (at == nowhere || !given(s.args[at])) return;
    auto& v = word_of(s, at);
    v = (v.n & mask) == 0 ? value{} : value::words(v.n & mask);
  };
  keep(words.null_at, words.nulls);
  keep(words.fail_at, words.fails);
}

// An option that is a number has one, saved options have a member at least.
bool keep_option_value(step& s) noexcept {
  if (option_of(s) != model::option::retry_control_options) {
    s.args[saved_wait_at] = s.args[saved_jitter_at] = {};
    return given(s.args[number_at]);
  }
  s.args[number_at] = {};
  return given(s.args[saved_wait_at]) || given(s.args[saved_jitter_at]);
}

// ---- Which calls are allowed ----

enum class stage : std::uint8_t { none, created, not_created, destroyed };

// Asked of all steps in order: why a call cannot stand where it does; where it can, nothing.
class order {
 public:
  std::string_view operator()(step const& s) noexcept {
    auto& at = stages_[s.on];
    bool const null = (nulls_of(s) & null_handle) != 0;
    if (s.op == create) {
      if (at != stage::none) return "an instance is created once";
      at = (fails_of(s) & fail_malloc) != 0 ? stage::not_created : stage::created;
      return "";
    }
    if (at == stage::none) return "an instance begins with create";
    if (at == stage::destroyed) return "nothing follows destroy";
    if (at == stage::not_created && !null && s.op != is_timeout_reached)
      return "an instance that could not be created is NULL";
    if (s.op == destroy && !null) at = stage::destroyed;
    return "";
  }

 private:
  std::array<stage, instances_max> stages_{};
};

void repair(history& h) {
  order asked;
  std::erase_if(h.steps, [&](step& s) {
    keep_words(s);
    return (s.op == set_option && !keep_option_value(s)) || !asked(s).empty();
  });
}

std::string_view misuse(history const& h) {
  order asked;
  for (auto const& s : h.steps) {
    step kept = s;
    keep_words(kept);
    if (kept != s) return "NULL or a failure is asked for where the call has none";
    if (s.op == set_option && (!keep_option_value(kept) || kept != s))
      return "set_option needs a number, or saved options, as its name demands";
    if (auto const why = asked(s); !why.empty()) return why;
  }
  return "";
}

// ---- Where to look ----

std::int64_t later(std::int64_t t, std::int64_t secs) noexcept {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(t, secs, &sum)) return sum;
  return secs < 0 ? time_min : time_max;
}

// The instances of a history as far as it is made, as the canonical reading has them.
class played {
 public:
  explicit played(domain const& d) noexcept : draws_(d.draws) {}

  [[nodiscard]] model::state const& of(std::uint8_t on) const noexcept { return states_[on]; }
  [[nodiscard]] std::int64_t last_reading() const noexcept { return reading_; }

  // Where a port may answer either way, it is random which.
  void advance(step const& s, random_bits& random) {
    std::vector<spec::cube> elsewhere;
    spec::chooser readings(model::readings(), model::readings().admitting(spec::standing::canonical), elsewhere);
    auto& at = states_[s.on];
    auto const o = take(s, draws_, at, readings);
    answer a;
    a[model::field_result] = observed::of(o.facts.fails ? 1 : 0);
    bool const is_later = o.facts.may_wait && (!o.facts.may_grant || random.one_in(2));
    a[model::field_action] = observed::word(is_later ? 1 : 0);
    model::observe(at, a);
    if (s.op == should_retry && s.args[clock_at].n != -1) reading_ = s.args[clock_at].n;
  }

 private:
  draw_source draws_;
  std::array<model::state, instances_max> states_{};
  std::int64_t reading_ = 100;
};

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

value any_of(field const& f, range const& r, random_bits& random) { return generate_value(f, r, random); }

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
    if (!misplaced && !(must_live && s.op == set_option)) {
      if (s.op == create && must_live) s.args[create_args::fail] = {};
      continue;
    }
    step made{first ? create : should_retry, s.on, {}};
    auto const args = operations[made.op].args;
    std::size_t const kept = first ? 2 : 1;
    for (std::size_t i = 0; i < kept; ++i) made.args[i] = any_of(args[i], d.args[made.op][i], random);
    if (!first && d.draws.kind != spec::draw_kind::hidden)
      made.args[draw_at] = any_of(args[draw_at], d.args[made.op][draw_at], random);
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
  h.steps = {{create, 0, {policy, any_of(arguments_of_create[limit_at], ranges[limit_at], random)}}};
  auto const set = [&](model::option which, value const& number) {
    auto const name = value::word(static_cast<std::int64_t>(which));
    auto const& takes = d.args[set_option];
    if (takes[name_at].admits(name) && takes[number_at].admits(number))
      h.steps.push_back({set_option, 0, {name, number}});
  };
  if (!random.one_in(4)) {
    auto number = d.args[set_option][number_at];
    number.low = std::max<std::int64_t>(number.low, 1);
    set(model::option::initial_wait_time_in_secs, any_of(arguments_of_set_option[saved_wait_at], number, random));
  }
  if (!random.one_in(4))
    set(model::option::max_jitter_percent, value::of(random.one_in(2) ? 100 : random.between(1, 100)));
  played so_far(d);
  for (auto const& s : h.steps) so_far.advance(s, random);
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
      s.args[policy_at] = any_of(arguments_of_create[policy_at], d.args[create][policy_at], random);
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

// ---- What random histories seldom show ----

step made(model::policy which, std::int64_t limit) {
  return {create, 0, {value::word(static_cast<std::int64_t>(which)), value::of(limit)}};
}
step set(model::option name, std::int64_t number) {
  return {set_option, 0, {value::word(static_cast<std::int64_t>(name)), value::of(number)}};
}
step asked_at(std::int64_t reading, std::int64_t draw) {
  step s{should_retry, 0, {value::of(reading)}};
  s.args[draw_at] = value::of(draw);
  return s;
}

// Retries as soon as each wait is over, `calls` of them in all. As far as retry code usually goes and past 1,000
// retries, each is asked for one second too early before. Without a draw, of any.
void add_retries(history& h, domain const& d, std::optional<std::int64_t> draw, std::size_t calls,
                 random_bits& random) {
  constexpr std::int64_t usual_retries = 72;
  auto const& draws = d.args[should_retry][draw_at];
  played so_far(d);
  for (auto const& s : h.steps) so_far.advance(s, random);
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
step with_words(step s, std::int64_t nulls, std::int64_t fails) {
  auto const& words = word_args[s.op];
  if (nulls != 0) s.args[words.null_at] = value::words(nulls);
  if (fails != 0) s.args[words.fail_at] = value::words(fails);
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
  __extension__ typedef unsigned __int128 u128;
  constexpr u128 hundredths = 100;
  u128 const most = d.draws.kind == spec::draw_kind::unit ? d.draws.size : d.draws.size - 1;
  auto const& draws = d.args[should_retry][draw_at];
  for (auto const which : {exponential_backoff_with_jitter, random}) {
    for (auto const& [initial, percent] : {std::pair{1'001, 7}, {70'001, 99}, {0x7fff'ffff, 50}}) {
      u128 const range = u128(static_cast<unsigned>(initial)) * static_cast<unsigned>(which == random ? 100 : percent);
      u128 const whole = range / hundredths;  // seconds, of which some are drawn
      history h{{},
                {made(which, 0), set(model::option::initial_wait_time_in_secs, initial),
                 set(model::option::max_jitter_percent, percent)}};
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
        h.steps = {made(which, 0), set(model::option::initial_wait_time_in_secs, initial),
                   set(model::option::max_jitter_percent, 100)};
        add_retries(h, d, draw, 12, random);
        result.push_back(h);
      }
    }
    // Waits beyond 16 bits and a jitter that is no tenth, more of them than a double's exponent can hold.
    history h{{},
              {made(which, 0), set(model::option::initial_wait_time_in_secs, 70'001),
               set(model::option::max_jitter_percent, 7)}};
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
  history limited{{},
                  {made(model::policy::immediate, 60), set(model::option::initial_wait_time_in_secs, 70'001),
                   set(model::option::max_jitter_percent, 7)}};
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
    result.push_back(std::move(h));
    h.steps.clear();
  };
  for (auto const every : {cell, std::int64_t{1}}) {
    call(made(random, 0));
    if (every == cell) call(set(model::option::initial_wait_time_in_secs, wait));
    for (std::int64_t i = 0; i <= polls; ++i) ask(start + i * every);
    finish();
  }
  call(made(exponential_backoff_with_jitter, 0));
  call(set(model::option::initial_wait_time_in_secs, wait));
  call(set(model::option::max_jitter_percent, 100));
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
  history h{{},
            {made(exponential_backoff_with_jitter, 0), set(model::option::initial_wait_time_in_secs, 2),
             set(model::option::max_jitter_percent, 100), ask(start)}};
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
  for (auto const& s : h.steps) so_far.advance(s, random);
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

}  // namespace

std::int64_t nulls_of(step const& s) noexcept {
  auto const at = word_args[s.op].null_at;
  return at == nowhere ? 0 : s.args[at].n;
}

std::int64_t fails_of(step const& s) noexcept {
  auto const at = word_args[s.op].fail_at;
  return at == nowhere ? 0 : s.args[at].n;
}

std::span<std::string_view const> option_names() noexcept { return words_of_name; }

model::option option_of(step const& s) noexcept {
  return static_cast<model::option>(std::min(s.args[name_at].n, static_cast<std::int64_t>(model::option::unsupported)));
}

model::outcome take(step const& s, draw_source const& draws, model::state& at, spec::chooser& readings) noexcept {
  auto const nulls = nulls_of(s);
  auto const fails = fails_of(s);
  model::surroundings with{};
  with.null_handle = (nulls & null_handle) != 0;
  with.null_out = (nulls & (null_action | null_out)) != 0;
  with.null_name = (nulls & null_name) != 0;
  with.null_value = (nulls & null_value) != 0;
  with.malloc_fails = (fails & fail_malloc) != 0;
  with.option_create_fails = (fails & fail_option_create) != 0;
  with.option_add_fails = (fails & fail_option_add) != 0;
  with.option_feed_fails = (fails & fail_option_feed) != 0;
  std::array<spec::integer, readings_max> clock{};
  auto const read = [&](std::size_t from, std::size_t most) noexcept {
    std::size_t n = 0;
    for (; n < most && given(s.args[from + n]); ++n) clock[n] = s.args[from + n].n;
    with.clock = std::span(clock).first(n);
  };
  auto const saved = [&](std::size_t i) noexcept -> std::optional<spec::integer> {
    if (!given(s.args[i])) return std::nullopt;
    return s.args[i].n;
  };
  switch (s.op) {
    case should_retry: {
      read(clock_at, readings_max);
      auto const& draw = s.args[draw_at];
      with.from = {draws.kind, static_cast<std::uint64_t>(draw.n), draws.size};
      if (!given(draw)) with.from = {spec::draw_kind::hidden, 0, draws.size};
      return model::should_retry(with, at, readings);
    }
    case create:
      return model::create(static_cast<model::policy>(s.args[policy_at].n), s.args[limit_at].n, with, at);
    case set_option:
      return model::set_option(option_of(s), {s.args[number_at].n, {saved(saved_wait_at), saved(saved_jitter_at)}},
                               with, at);
    case retrieve_options:
      return model::retrieve_options(with, at);
    case is_timeout_reached:
      read(timeout_clock_at, timeout_readings_max);
      return model::is_timeout_reached(s.args[start_at].n, s.args[timeout_at].n, with, at, readings);
    case reset:
      return model::reset(with, at, readings);
    default:
      return model::destroy(with, at);
  }
}

}  // namespace azure_c_calls

shape const azure_c_retry_control_shape{
    pages::azure_c_retry_control::declared,
    {.correlate = azure_c_calls::correlate,
     .corners = azure_c_calls::corners,
     .samples = azure_c_calls::samples,
     .long_samples = azure_c_calls::long_samples,
     .tells_draws = {azure_c_calls::tells_waits,
                     "a clock that fails as a retry is granted, or readings 2^62 seconds from zero"},
     .misuse = azure_c_calls::misuse,
     .repair = azure_c_calls::repair,
     .example = azure_c_calls::example}};

}  // namespace backoff::systems
