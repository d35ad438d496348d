// The histories of Retry Utilities 202009.00: back off with a draw, and reset with one, which comes first.
#include "systems/aws_retry_utils/history.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "history/generate.hpp"
#include "history/systems.hpp"

namespace backoff::conformance {
namespace {

constexpr std::int64_t u16_max = 0xffff;
constexpr std::int64_t u32_max = 0xffff'ffff;

constexpr std::array initial_specials{
    special{0, "nothing but jitter"},
    special{1, "smallest window that holds a choice"},
    special{2, "doubles onto odd caps' halves"},
    special{3, "odd"},
    special{0x7fff, "largest that a u16 can double"},
    special{0x8000, "u16: doubling overflows at once"},
    special{u16_max, "u16: any jitter overflows"},
    special{0x1'0000, "first beyond u16"},
    special{0x7fff'ffff, "largest that a u32 can double"},
    special{0x8000'0000, "u32: doubling overflows at once"},
    special{u32_max, "u32: any jitter overflows"},
};
constexpr std::array max_specials{
    special{0, "every window is empty"},
    special{1, "the window can hold 0 and 1 only"},
    special{5, "odd cap: its half is rounded down"},
    special{6, "even cap"},
    special{128, "an everyday cap"},
    special{u16_max - 1, "largest even u16 cap"},
    special{u16_max, "largest u16 cap"},
    special{0x1'0000, "first cap beyond u16"},
    special{0x7fff'ffff, "longest wait of a 32-bit timer in its own unit"},
    special{0x8000'0000, "first wait beyond it"},
    special{u32_max - 1, "largest even cap"},
    special{u32_max, "largest cap: window + 1 overflows u32"},
};
constexpr std::array jitter_specials{
    special{0, "no jitter: the remainder of a division by 0 in some"},
    special{1, "0 or 1; below 1 it is always 0"},
    special{5, "an everyday jitter"},
    special{u16_max, "largest u16 jitter"},
    special{u32_max, "largest jitter: every draw is one"},
};
constexpr std::array attempt_specials{
    special{0, "no limit"},
    special{1, "one retry"},
    special{2, "two retries"},
    special{16, "one doubling short of u16's end"},
    special{17, "past u16's end"},
    special{33, "past u32's end"},
    special{0x100, "a u8 makes 0 of it"},
    special{0x1'0000, "a u16 makes 0 of it"},
    special{0x8000'0000, "an i32 makes it negative"},
    special{u32_max, "largest count"},
};

constexpr std::array params{
    field{"initial_backoff_s", field::kind::integer, 0, u32_max, {}, initial_specials},
    field{"max_backoff_s", field::kind::integer, 0, u32_max, {}, max_specials},
    field{"max_jitter_s", field::kind::integer, 0, u32_max, {}, jitter_specials},
    field{"max_attempts", field::kind::integer, 0, u32_max, {}, attempt_specials},
};
constexpr std::array draw_args{field{"draw", field::kind::draw, 0, 0, {}, {}}};
constexpr std::array operations{operation{"backoff", draw_args, 6}, operation{"reset", draw_args, 1}};
constexpr std::array<std::string_view, 4> status_words{"retry", "exhausted", "ok", "error"};
constexpr std::array answers{
    answer_field{.name = "status", .words = status_words},
    answer_field{.name = "slept_s", .only = answer_field::companion{0, 0}},
    answer_field{.name = "attempts_done", .needs = feature::state},
    answer_field{.name = "next_jitter_max", .needs = feature::state},
};

constexpr std::size_t initial_s = 0;
constexpr std::size_t max_s = 1;
constexpr std::size_t jitter_s = 2;
constexpr std::size_t max_attempts = 3;
constexpr std::uint8_t backoff = 0;
constexpr std::uint8_t reset = 1;

void set(history& h, domain const& d, std::size_t param, std::int64_t n) {
  if (n >= d.params[param].low && n <= d.params[param].high) h.params[param] = value::of(n);
}

// Two thirds of the caps stand beside a power of two times a first window, where windows reach them: one below, at, one
// above; and at the odd cap whose rounded half is a window. Half of the jitters are no larger than the initial
// back-off, as users have them. Half of the limits stand where the history ends.
void correlate(history& h, domain const& d, random_bits& random) {
  if (random.one_in(2)) set(h, d, jitter_s, random.between(0, std::max<std::int64_t>(h.params[initial_s].n, 3)));
  if (!random.one_in(3)) {
    auto near = std::max<std::int64_t>(h.params[initial_s].n, 1);
    if (random.one_in(2)) near += random.between(0, h.params[jitter_s].n);
    for (auto doublings = random.between(0, 12); doublings > 0 && near <= u32_max; --doublings) near *= 2;
    set(h, d, max_s, near + random.between(-1, 1));
  }
  if (random.one_in(2)) set(h, d, max_attempts, static_cast<std::int64_t>(h.steps.size()) - random.between(0, 4));
}

// Every instance begins with a reset: its first call is made one.
void repair(history& h) {
  std::array<bool, instances_max> begun{};
  for (auto& call : h.steps) {
    if (!begun[call.on]) call.op = reset;
    begun[call.on] = true;
  }
}

std::string_view misuse(history const& h) {
  history repaired = h;
  repair(repaired);
  return repaired == h ? "" : "every instance begins with a reset";
}

value unlimited_or_most(range const& limit) { return value::of(limit.low == 0 ? 0 : limit.high); }

// Two sleeps show the jitter of their reset. The largest draw tells of the first window where draws are scaled or
// divided; where they are reduced, one that hardly passes the second window leaves what this one lacks to it. Windows
// that are no wider than the square root of all draws are divided to different sleeps.
std::vector<history> jitter_probes(domain const& d, random_bits& random) {
  std::int64_t const wide = d.draws.size < (1U << 24U) ? 4'000 : 15'000;
  history h;
  auto const set = [&](std::size_t param, std::int64_t wanted) {
    h.params[param] = value::of(std::clamp(wanted, d.params[param].low, d.params[param].high));
    return h.params[param].n;
  };
  auto const& draws = d.args[backoff][0];
  auto const widest = set(jitter_s, wide);
  if (widest == 0) return {};
  auto const first = set(initial_s, widest) + widest;
  set(max_s, 4 * first);
  h.params[max_attempts] = unlimited_or_most(d.params[max_attempts]);
  h.steps = {{reset, 0, {}},
             {backoff, 0, {value::of(draws.high)}},
             {backoff, 0, {value::of(std::min(2 * first + 1, draws.high))}}};
  std::vector<history> result;
  for (auto const draw : probing_draws(d, draws, widest, random)) {
    h.steps[0].args[0] = value::of(draw);
    result.push_back(h);
  }
  return result;
}

bool probes_jitter(history const& h) { return h.steps.size() == 3; }

// The first sleep after a reset that drew 0, which is a jitter of 0 under every listed mapping, with windows as wide as
// the domain lets them be below the cap. Then those of the jitter.
std::vector<history> mapping_probes(domain const& d, random_bits& random) {
  history h;
  auto const& initial = d.params[initial_s];
  auto const& cap = d.params[max_s];
  h.params[jitter_s] = value::of(std::clamp<std::int64_t>(1, d.params[jitter_s].low, d.params[jitter_s].high));
  h.params[max_attempts] = unlimited_or_most(d.params[max_attempts]);
  auto const& draws = d.args[backoff][0];
  h.steps = {{reset, 0, {value::of(draws.low)}}, {backoff, 0, {}}};
  std::vector<history> result;
  for (auto const window : probing_windows(d, cap.high / 2)) {
    h.params[initial_s] = value::of(std::clamp(window, initial.low, initial.high));
    h.params[max_s] = value::of(std::clamp(4 * h.params[initial_s].n, cap.low, cap.high));
    for (auto const draw : probing_draws(d, draws, h.params[initial_s].n, random)) {
      h.steps[1].args[0] = value::of(draw);
      result.push_back(h);
    }
  }
  std::ranges::copy(jitter_probes(d, random), std::back_inserter(result));
  return result;
}

// More doublings than a double's exponent can hold, of the smallest and the largest windows; and of a first window
// beyond 16 bits and above the cap, which is no multiple of it, with a limit that is met.
std::vector<history> corners(domain const& d, random_bits& random) {
  constexpr std::size_t calls = 1'100;
  std::vector<history> result;
  auto const& initial = d.params[initial_s];
  auto const& draws = d.args[backoff][0];
  for (auto const first : {initial.low, std::min(initial.low + 1, initial.high), initial.high}) {
    history h;
    h.params[initial_s] = value::of(first);
    h.params[max_s] = value::of(d.params[max_s].high);
    h.params[jitter_s] = value::of(d.params[jitter_s].low);
    h.params[max_attempts] = unlimited_or_most(d.params[max_attempts]);
    h.steps.push_back({reset, 0, {value::of(draws.low)}});
    for (std::size_t i = 0; i < calls; ++i)
      h.steps.push_back({backoff, 0, {value::of(random.between(draws.low, draws.high))}});
    result.push_back(std::move(h));
  }
  auto limited = result.back();
  for (auto const& [at, wanted] :
       {std::pair{initial_s, 100'003}, {max_s, 50'021}, {jitter_s, 3}, {max_attempts, static_cast<int>(calls) - 10}})
    limited.params[at] = value::of(std::clamp<std::int64_t>(wanted, d.params[at].low, d.params[at].high));
  result.push_back(std::move(limited));
  return result;
}

struct sampled {
  std::int64_t initial, cap, jitter, sleeps;
};

// On so many instances in turns, as far as the port's limit allows.
std::vector<history> samples_of(domain const& d, std::initializer_list<sampled> all, std::uint8_t instances) {
  std::vector<history> result;
  for (auto const& [i, c, j, sleeps] : all) {
    history h;
    auto const set = [&](std::size_t at, std::int64_t to) {
      h.params[at] = value::of(std::clamp(to, d.params[at].low, d.params[at].high));
    };
    set(initial_s, i);
    set(max_s, c);
    set(jitter_s, j);
    h.params[max_attempts] = unlimited_or_most(d.params[max_attempts]);
    auto const limit = h.params[max_attempts].n;
    for (std::uint8_t on = 0; on < instances; ++on) h.steps.push_back({reset, on, {}});
    for (std::int64_t k = 0; k < (limit == 0 ? sleeps : std::min(sleeps, limit)); ++k)
      h.steps.push_back({backoff, static_cast<std::uint8_t>(k % instances), {}});
    if (std::ranges::find(result, h) == result.end()) result.push_back(std::move(h));
  }
  return result;
}

// One small odd cap without jitter, an everyday cap with some, and the widest windows; on two instances in turns, where
// there are several. The everyday one goes through a second cycle.
std::vector<history> samples(domain const& d) {
  auto all = samples_of(d, {{2, 11, 0, 12}, {1, 128, 5, 12}, {d.params[initial_s].high, d.params[max_s].high, 5, 12}},
                        std::min<std::uint8_t>(d.instances(), 2));
  auto& everyday = all[std::min<std::size_t>(1, all.size() - 1)].steps;
  auto const cycle = everyday;
  everyday.insert(everyday.end(), cycle.begin(), cycle.end());
  return all;
}

// As many doublings as lead to the widest windows from the smallest, everyday ones and the largest first window; a
// window of a few values; past 64, 256 and 1,024.
std::vector<history> long_samples(domain const& d) {
  auto const top = d.params[max_s].high;
  return samples_of(d,
                    {{1, top, 0, 72},
                     {1, 128, 5, 72},
                     {d.params[initial_s].high, top, 5, 72},
                     {2, 11, 0, 72},
                     {3, top, 0, 300},
                     {1, 128, 5, 300},
                     {1, top, 0, 1'100},
                     {1, 128, 5, 1'100}},
                    1);
}

// The first draw is the reset's; without draws, until the attempts are used up or enough is shown.
std::vector<step> example(history const& h, std::span<value const> draws) {
  constexpr std::int64_t shown_retries = 8;
  std::vector<step> steps{{reset, 0, {}}};
  auto const limit = h.params[max_attempts].n;
  auto const calls = limit > 0 && limit < shown_retries ? limit + 1 : shown_retries;
  for (std::int64_t k = 0; k < calls && draws.empty(); ++k) steps.push_back({backoff, 0, {}});
  for (std::size_t k = 0; k < draws.size(); ++k) {
    if (k > 0) steps.push_back({backoff, 0, {}});
    steps.back().args[0] = draws[k];
  }
  return steps;
}

}  // namespace

shape const aws_retry_utils_shape{
    .stem = "aws_retry_utils",
    .params = params,
    .operations = operations,
    .answers = answers,
    .error_word = 3,
    .features = bit(feature::instances) | bit(feature::state) | bit(feature::fresh_process),
    .correlate = correlate,
    .corners = corners,
    .mapping_probes = mapping_probes,
    .probes_jitter = probes_jitter,
    .samples = samples,
    .long_samples = long_samples,
    // The first window is itself drawn, by a reset: of a cycle whose jitter may be any of many, the sleeps at the cap
    // alone tell.
    .tells_draws = {[](history const& h) { return 8 * h.params[jitter_s].n < aws_retry_utils::inferred_jitters_max; },
                    "max_jitter_s above 7"},
    .misuse = misuse,
    .repair = repair,
    .example = example};

}  // namespace backoff::conformance
