// The histories of Retry Utilities 202009.00: back off with a draw, and reset with one, which comes first.
#include "systems/aws_retry_utils/history.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "aws_retry_utils/page.hpp"
#include "histories/generate.hpp"
#include "histories/systems.hpp"

namespace backoff::systems {
namespace {

namespace call = pages::aws_retry_utils::call;
using namespace pages::aws_retry_utils::param;
constexpr auto draw_at = pages::aws_retry_utils::backoff_args::draw;  // and of reset

constexpr std::int64_t u32_max = 0xffff'ffff;

void set(history& h, domain const& d, std::size_t param, std::int64_t n) {
  if (n >= d.params[param].low && n <= d.params[param].high) h.params[param] = value::of(n);
}

// Two thirds of the caps stand beside a power of two times a first window, where windows reach them: one below, at, one
// above; and at the odd cap whose rounded half is a window. Half of the jitters are no larger than the initial
// back-off, as users have them. Half of the limits stand where the history ends.
void correlate(history& h, domain const& d, random_bits& random) {
  if (random.one_in(2))
    set(h, d, max_jitter_s, random.between(0, std::max<std::int64_t>(h.params[initial_backoff_s].n, 3)));
  if (!random.one_in(3)) {
    auto near = std::max<std::int64_t>(h.params[initial_backoff_s].n, 1);
    if (random.one_in(2)) near += random.between(0, h.params[max_jitter_s].n);
    for (auto doublings = random.between(0, 12); doublings > 0 && near <= u32_max; --doublings) near *= 2;
    set(h, d, max_backoff_s, near + random.between(-1, 1));
  }
  if (random.one_in(2)) set(h, d, max_attempts, static_cast<std::int64_t>(h.steps.size()) - random.between(0, 4));
}

// Every instance begins with a reset: its first call is made one.
void repair(history& h) {
  std::array<bool, instances_max> begun{};
  for (auto& s : h.steps) {
    if (!begun[s.on]) s.op = call::reset;
    begun[s.on] = true;
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
  auto const& draws = d.args[call::backoff][draw_at];
  auto const widest = set(max_jitter_s, wide);
  if (widest == 0) return {};
  auto const first = set(initial_backoff_s, widest) + widest;
  set(max_backoff_s, 4 * first);
  h.params[max_attempts] = unlimited_or_most(d.params[max_attempts]);
  h.steps = {{call::reset, 0, {}},
             {call::backoff, 0, {value::of(draws.high)}},
             {call::backoff, 0, {value::of(std::min(2 * first + 1, draws.high))}}};
  std::vector<history> result;
  for (auto const draw : probing_draws(d, draws, widest, random)) {
    h.steps[0].args[draw_at] = value::of(draw);
    result.push_back(h);
  }
  return result;
}

bool probes_jitter(history const& h) { return h.steps.size() == 3; }

// The first sleep after a reset that drew 0, which is a jitter of 0 under every listed mapping, with windows as wide as
// the domain lets them be below the cap. Then those of the jitter.
std::vector<history> mapping_probes(domain const& d, random_bits& random) {
  history h;
  auto const& initial = d.params[initial_backoff_s];
  auto const& cap = d.params[max_backoff_s];
  h.params[max_jitter_s] =
      value::of(std::clamp<std::int64_t>(1, d.params[max_jitter_s].low, d.params[max_jitter_s].high));
  h.params[max_attempts] = unlimited_or_most(d.params[max_attempts]);
  auto const& draws = d.args[call::backoff][draw_at];
  h.steps = {{call::reset, 0, {value::of(draws.low)}}, {call::backoff, 0, {}}};
  std::vector<history> result;
  for (auto const window : probing_windows(d, cap.high / 2)) {
    h.params[initial_backoff_s] = value::of(std::clamp(window, initial.low, initial.high));
    h.params[max_backoff_s] = value::of(std::clamp(4 * h.params[initial_backoff_s].n, cap.low, cap.high));
    for (auto const draw : probing_draws(d, draws, h.params[initial_backoff_s].n, random)) {
      h.steps[1].args[draw_at] = value::of(draw);
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
  auto const& initial = d.params[initial_backoff_s];
  auto const& draws = d.args[call::backoff][draw_at];
  for (auto const first : {initial.low, std::min(initial.low + 1, initial.high), initial.high}) {
    history h;
    h.params[initial_backoff_s] = value::of(first);
    h.params[max_backoff_s] = value::of(d.params[max_backoff_s].high);
    h.params[max_jitter_s] = value::of(d.params[max_jitter_s].low);
    h.params[max_attempts] = unlimited_or_most(d.params[max_attempts]);
    h.steps.push_back({call::reset, 0, {value::of(draws.low)}});
    for (std::size_t i = 0; i < calls; ++i)
      h.steps.push_back({call::backoff, 0, {value::of(random.between(draws.low, draws.high))}});
    result.push_back(std::move(h));
  }
  auto limited = result.back();
  for (auto const& [at, wanted] : {std::pair{initial_backoff_s, 100'003},
                                   {max_backoff_s, 50'021},
                                   {max_jitter_s, 3},
                                   {max_attempts, static_cast<int>(calls) - 10}})
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
    set(initial_backoff_s, i);
    set(max_backoff_s, c);
    set(max_jitter_s, j);
    h.params[max_attempts] = unlimited_or_most(d.params[max_attempts]);
    auto const limit = h.params[max_attempts].n;
    for (std::uint8_t on = 0; on < instances; ++on) h.steps.push_back({call::reset, on, {}});
    for (std::int64_t k = 0; k < (limit == 0 ? sleeps : std::min(sleeps, limit)); ++k)
      h.steps.push_back({call::backoff, static_cast<std::uint8_t>(k % instances), {}});
    if (std::ranges::find(result, h) == result.end()) result.push_back(std::move(h));
  }
  return result;
}

// One small odd cap without jitter, an everyday cap with some, and the widest windows; on two instances in turns, where
// there are several. The everyday one goes through a second cycle.
std::vector<history> samples(domain const& d) {
  auto all = samples_of(
      d, {{2, 11, 0, 12}, {1, 128, 5, 12}, {d.params[initial_backoff_s].high, d.params[max_backoff_s].high, 5, 12}},
      std::min<std::uint8_t>(d.instances(), 2));
  auto& everyday = all[std::min<std::size_t>(1, all.size() - 1)].steps;
  auto const cycle = everyday;
  everyday.insert(everyday.end(), cycle.begin(), cycle.end());
  return all;
}

// As many doublings as lead to the widest windows from the smallest, everyday ones and the largest first window; a
// window of a few values; past 64, 256 and 1,024.
std::vector<history> long_samples(domain const& d) {
  auto const top = d.params[max_backoff_s].high;
  return samples_of(d,
                    {{1, top, 0, 72},
                     {1, 128, 5, 72},
                     {d.params[initial_backoff_s].high, top, 5, 72},
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
  std::vector<step> steps{{call::reset, 0, {}}};
  auto const limit = h.params[max_attempts].n;
  auto const calls = limit > 0 && limit < shown_retries ? limit + 1 : shown_retries;
  for (std::int64_t k = 0; k < calls && draws.empty(); ++k) steps.push_back({call::backoff, 0, {}});
  for (std::size_t k = 0; k < draws.size(); ++k) {
    if (k > 0) steps.push_back({call::backoff, 0, {}});
    steps.back().args[draw_at] = draws[k];
  }
  return steps;
}

}  // namespace

shape const aws_retry_utils_shape{
    pages::aws_retry_utils::declared,
    {.correlate = correlate,
     .corners = corners,
     .mapping_probes = mapping_probes,
     .probes_jitter = probes_jitter,
     .samples = samples,
     .long_samples = long_samples,
     // The first window is itself drawn, by a reset: of a cycle whose jitter may be any
     // of many, the sleeps at the cap alone tell.
     .tells_draws = {[](history const& h) { return 8 * h.params[max_jitter_s].n < inferred_jitters_max; },
                     "max_jitter_s above 7"},
     .misuse = misuse,
     .repair = [](history& h, domain const&) { repair(h); },
     .example = example}};

}  // namespace backoff::systems
