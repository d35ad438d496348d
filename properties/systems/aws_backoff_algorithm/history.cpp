// The histories of backoffAlgorithm v1.3.0: next with a draw, and reset.
#include <algorithm>

#include "aws_backoff_algorithm/page.hpp"
#include "histories/generate.hpp"
#include "histories/systems.hpp"

namespace backoff::systems {
namespace {

namespace call = pages::aws_backoff_algorithm::call;
using namespace pages::aws_backoff_algorithm::param;
constexpr auto draw_at = pages::aws_backoff_algorithm::next_args::draw;

// Two thirds of the caps stand beside a power of two times the base, where windows reach them: one below, at, one
// above; and at the odd cap whose rounded half is a window. Half of the limits stand where the history ends.
void correlate(history& h, domain const& d, random_bits& random) {
  auto const& cap = d.params[max_ms];
  if (!random.one_in(3)) {
    std::int64_t near = std::max<std::int64_t>(h.params[base_ms].n, 1);
    for (auto doublings = random.between(0, 12); doublings > 0 && near <= cap.high; --doublings) near *= 2;
    near += random.between(-1, 1);
    if (near >= cap.low && near <= cap.high) h.params[max_ms] = value::of(near);
  }
  auto const& limit = d.params[max_attempts];
  if (limit.numbers && random.one_in(2)) {
    auto const near = static_cast<std::int64_t>(h.steps.size()) - random.between(0, 3);
    if (near >= limit.low && near <= limit.high) h.params[max_attempts] = value::of(near);
  }
}

// The first delay of a fresh cycle, with windows as wide as the domain lets them be below the cap.
std::vector<history> mapping_probes(domain const& d, random_bits& random) {
  history h;
  auto const& base = d.params[base_ms];
  auto const& cap = d.params[max_ms];
  auto const& limit = d.params[max_attempts];
  h.params[max_attempts] = limit.words != 0 ? value::word(0) : value::of(limit.high);
  h.steps.resize(1);
  std::vector<history> result;
  for (auto const window : probing_windows(d, cap.high / 2)) {
    h.params[base_ms] = value::of(std::clamp(window, base.low, base.high));
    h.params[max_ms] = value::of(std::clamp(4 * h.params[base_ms].n, cap.low, cap.high));
    for (auto const draw : probing_draws(d, d.args[call::next][draw_at], h.params[base_ms].n, random)) {
      h.steps[0].args[draw_at] = value::of(draw);
      result.push_back(h);
    }
  }
  return result;
}

// More doublings than a double's exponent can hold: of the smallest and the largest windows, of everyday ones, and of
// bases beyond 16 bits, below a cap that is no multiple of them and above it. The last one has a limit, and meets it.
std::vector<history> corners(domain const& d, random_bits& random) {
  constexpr std::int64_t calls = 1'100;
  constexpr std::int64_t met = calls - 10;
  std::vector<history> result;
  auto const& base = d.params[base_ms];
  auto const& cap = d.params[max_ms];
  auto const& limit = d.params[max_attempts];
  struct corner {
    std::int64_t base, cap;
    bool limited = false;
  };
  for (auto const& [b, c, limited] : std::initializer_list<corner>{{base.low, cap.high},
                                                                   {base.low + 1, cap.high},
                                                                   {base.high, cap.high},
                                                                   {2, 11},
                                                                   {100, 20'000},
                                                                   {70'001, 1'000'003},
                                                                   {100'003, 50'021, true}}) {
    history h;
    h.params[base_ms] = value::of(std::clamp(b, base.low, base.high));
    h.params[max_ms] = value::of(std::clamp(c, cap.low, cap.high));
    bool const forever = limit.words != 0 && (!limited || !limit.numbers);
    h.params[max_attempts] =
        forever ? value::word(0) : value::of(limited ? std::clamp(met, limit.low, limit.high) : limit.high);
    auto const& draws = d.args[call::next][draw_at];
    for (std::int64_t i = 0; i < calls; ++i)
      h.steps.push_back({0, 0, {value::of(random.between(draws.low, draws.high))}});
    result.push_back(std::move(h));
  }
  return result;
}

struct sampled {
  std::int64_t base, cap, calls;
};

// On so many instances in turns, as far as the port's limit allows.
std::vector<history> samples_of(domain const& d, std::initializer_list<sampled> all, std::int64_t instances) {
  auto const& base = d.params[base_ms];
  auto const& cap = d.params[max_ms];
  auto const& limit = d.params[max_attempts];
  std::vector<history> result;
  for (auto const& [b, c, calls] : all) {
    history h;
    h.params[base_ms] = value::of(std::clamp(b, base.low, base.high));
    h.params[max_ms] = value::of(std::clamp(c, cap.low, cap.high));
    h.params[max_attempts] = limit.words != 0 ? value::word(0) : value::of(std::min(calls, limit.high));
    for (std::int64_t i = 0; i < std::min(calls, limit.words != 0 ? calls : limit.high); ++i)
      h.steps.push_back({0, static_cast<std::uint8_t>(i % instances), {}});
    if (std::ranges::find(result, h) == result.end()) result.push_back(std::move(h));
  }
  return result;
}

// A small odd cap, two everyday ones and the widest windows; on two instances in turns, where there are several. The
// first everyday one goes through a second cycle.
std::vector<history> samples(domain const& d) {
  auto const instances = std::min<std::int64_t>(d.instances(), 2);
  auto all = samples_of(
      d, {{2, 11, 12}, {100, 20'000, 12}, {d.params[base_ms].high, d.params[max_ms].high, 12}, {1'000, 60'000, 12}},
      instances);
  auto& everyday = all[std::min<std::size_t>(1, all.size() - 1)].steps;
  if (!d.answers(call::reset)) return all;
  auto const cycle = everyday;
  for (std::int64_t on = 0; on < instances; ++on) everyday.push_back({call::reset, static_cast<std::uint8_t>(on), {}});
  everyday.insert(everyday.end(), cycle.begin(), cycle.end());
  return all;
}

// As many doublings as lead to the widest windows from the smallest, everyday ones and the largest base; a window of a
// few values; past 64, 256 and 1,024.
std::vector<history> long_samples(domain const& d) {
  auto const top = d.params[max_ms].high;
  return samples_of(d,
                    {{1, top, 72},
                     {100, 20'000, 72},
                     {d.params[base_ms].high, top, 72},
                     {2, 11, 72},
                     {3, top, 300},
                     {100, 20'000, 300},
                     {1, top, 1'100},
                     {100, 20'000, 1'100}},
                    1);
}

}  // namespace

shape const aws_backoff_algorithm_shape{pages::aws_backoff_algorithm::declared,
                                        {.correlate = correlate,
                                         .corners = corners,
                                         .mapping_probes = mapping_probes,
                                         .samples = samples,
                                         .long_samples = long_samples,
                                         .tells_draws = {[](history const&) { return true; }}}};

}  // namespace backoff::systems
