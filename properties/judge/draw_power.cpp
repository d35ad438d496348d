#include "judge/draw_power.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>

namespace backoff::judge {
namespace {

constexpr unsigned runs = 10;
constexpr std::uint64_t seed = 1;
constexpr double likely = 0.5;
constexpr double past_the_cap = 0.37;  // share of draws above the cap, if the window is 1.6 times as wide without it

double uniform(random_bits& random) noexcept {
  return static_cast<double>(random() % (std::uint64_t{1} << 53)) * 0x1p-53;
}

double const almost_one = std::nextafter(1.0, 0.0);

constexpr std::array faults{
    draw_fault{"no-jitter", "the largest value of each window, always", true,
               [](drawing const&) { return almost_one; }},
    draw_fault{"half-window", "the lower half of each window alone", true,
               [](drawing const& d) { return uniform(d.random) / 2; }},
    draw_fault{"less-of-two", "the smaller one of two draws", true,
               [](drawing const& d) { return std::min(uniform(d.random), uniform(d.random)); }},
    draw_fault{"mass-at-the-cap", "more than a third of the draws at the top of the widest window", true,
               [](drawing const& d) {
                 double const u = uniform(d.random);
                 return d.widest && uniform(d.random) < past_the_cap ? almost_one : u;
               }},
    draw_fault{"repeats", "every second draw repeats the one before", true,
               [](drawing const& d) { return d.random.one_in(2) ? d.previous : uniform(d.random); }},
    draw_fault{"same-again", "each fresh instance draws the same sequence", true,
               [](drawing const& d) { return uniform(d.same_again); }},
    draw_fault{"half-ends", "both ends of each window half as often as the other values", false,
               [](drawing const& d) {
                 double const u = uniform(d.random);
                 if (d.at.part.values == 0) return u;
                 auto const m = static_cast<double>(d.at.part.values);
                 return (std::round(u * (m - 1)) + 0.5) / m;
               }},
    draw_fault{"15-bit-generator", "a generator of 15 bits, by remainder", false,
               [](drawing const& d) {
                 constexpr std::uint64_t size = 32'768;
                 auto const r = d.random() % size;
                 auto const m = d.at.part.values;
                 if (m == 0) return static_cast<double>(r) / size;
                 return (static_cast<double>(r % m) + 0.5) / static_cast<double>(m);
               }},
};

// The value of the window on which the point falls, as a drawn_part.
drawn_part value_at(drawn_part const& of, double point) noexcept {
  auto part = of;
  if (auto const m = static_cast<double>(std::max(of.values, of.cells)); m > 0) {
    double const k = std::floor(point * m);
    part.below = k / m;
    part.upto = (k + 1) / m;
  } else if (point < of.lowest) {
    part.below = 0;
    part.upto = of.lowest;
  } else if (point >= 1 - of.highest) {
    part.below = 1 - of.highest;
    part.upto = 1;
  } else {
    part.below = part.upto = point;
  }
  return part;
}

bool catches(draw_fault const& fault, sampled_draws const& sampled, double gain, draw_tests_mask tests,
             random_bits& random) {
  sampled_draws tried(tests);
  for (auto const index : sampled.order()) {
    tried.take(drawn_by(fault, sampled.layouts()[index], random), {});
    if (tried.bets().has_gained(gain)) return true;
  }
  return false;
}

// The last attempt such that the tests catch a fault which begins there or earlier: every draw from that attempt on
// falls on `point`. Where that is likely anyway, it is no fault.
std::uint32_t caught_up_to(double point, sampled_draws const& sampled, double gain, draw_tests_mask tests,
                           std::uint32_t& drawn) {
  late_draws bets;
  auto const first_of = attempt_groups();
  std::size_t shown = 0;  // from this group on, such draws are likely anyway, and so no fault
  for (auto const index : sampled.order()) {
    std::array<std::optional<double>, instances_max> previous;
    for (auto const& d : sampled.layouts()[index]) {
      if (d.part.attempt == 0) continue;
      auto const part = value_at(d.part, point);
      bets.take(part, previous[d.on]);
      previous[d.on] = part.middle();
      if (part.width() <= likely) shown = std::max(shown, group_of(part.attempt) + 1);
    }
  }
  drawn = bets.last();
  auto const caught = [&](std::size_t from) {
    for (std::size_t t = 0; t < late_tests; ++t) {
      draw_test const is{static_cast<std::uint8_t>(static_cast<std::size_t>(draw_test::late_lower_end) + t)};
      // This capital counts for a half: draw_bets takes the mean of it and of the capital over the cycles after a
      // reset.
      if ((tests & bit(is)) != 0 && bets.gained_from(from, t) >= gain + std::numbers::ln2) return true;
    }
    return false;
  };
  std::uint32_t tested = 0;
  auto const end = static_cast<std::size_t>(std::ranges::upper_bound(first_of, drawn) - first_of.begin());
  for (std::size_t from = 0; from < end; ++from) {
    if (from < shown && !caught(from)) break;
    tested = first_of[from];
  }
  return tested;
}

}  // namespace

attempts_tested late_power_on(sampled_draws const& sampled, double alpha, draw_tests_mask tests) {
  double const gain = std::log(std::popcount(tests)) - std::log(alpha);
  attempts_tested result;
  result.tested = std::min(caught_up_to(0, sampled, gain, tests, result.drawn),
                           caught_up_to(almost_one, sampled, gain, tests, result.drawn));
  return result;
}

std::span<draw_fault const> draw_faults() noexcept { return faults; }

draw_sequence drawn_by(draw_fault const& fault, draw_sequence windows, random_bits& random) {
  random_bits same_again(seed);
  std::uint64_t widest = 0;
  for (auto const& d : windows) widest = std::max(widest, d.part.values);
  std::array<double, instances_max> previous{};
  for (auto& d : windows) {
    double const point = fault.draw({d, d.part.values == widest, previous[d.on], random, same_again});
    d.part = value_at(d.part, point);
    previous[d.on] = point;
  }
  return windows;
}

std::vector<power> power_on(sampled_draws const& sampled, double alpha, draw_tests_mask tests) {
  std::vector<power> result;
  for (auto const& f : faults) {
    power p{&f, 0, runs};
    for (unsigned run = 0; run < runs; ++run) {
      random_bits random(seed, run);
      if (catches(f, sampled, -std::log(alpha), tests, random)) ++p.caught;
    }
    result.push_back(p);
  }
  return result;
}

}  // namespace backoff::judge
