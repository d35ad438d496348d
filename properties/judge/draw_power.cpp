#include "judge/draw_power.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "history/random.hpp"

namespace backoff::conformance {
namespace {

constexpr unsigned runs = 10;
constexpr std::uint64_t seed = 1;
constexpr double past_the_cap = 0.37;  // of the draws, where the window before the cap was 1.6 times as wide
constexpr std::int64_t unit = std::int64_t{1} << 53;

double uniform(random_bits& random) noexcept {
  return static_cast<double>(random.between(0, unit - 1)) / static_cast<double>(unit);
}

double const almost_one = std::nextafter(1.0, 0.0);

// What a fault knows when it draws: a point of [0, 1) that stands for a value of the window.
struct drawing {
  placed_draw const& at;
  bool widest;      // no window of the history is wider
  double previous;  // on the same instance; any, where there is none
  random_bits& random;
  random_bits& same_again;  // begins anew with each history
};

struct faulty {
  draw_fault fault;
  double (*draw)(drawing const&) noexcept;
};

constexpr std::array faults{
    faulty{{"no-jitter", "the largest value of each window, always", true},
           [](drawing const&) noexcept { return almost_one; }},
    faulty{{"half-window", "the lower half of each window alone", true},
           [](drawing const& d) noexcept { return uniform(d.random) / 2; }},
    faulty{{"less-of-two", "the smaller one of two draws", true},
           [](drawing const& d) noexcept { return std::min(uniform(d.random), uniform(d.random)); }},
    faulty{{"mass-at-the-cap", "more than a third of the draws at the top of the widest window", true},
           [](drawing const& d) noexcept {
             double const u = uniform(d.random);
             return d.widest && uniform(d.random) < past_the_cap ? almost_one : u;
           }},
    faulty{{"repeats", "every second draw repeats the one before", true},
           [](drawing const& d) noexcept { return d.random.one_in(2) ? d.previous : uniform(d.random); }},
    faulty{{"same-again", "each fresh instance draws the same sequence", true},
           [](drawing const& d) noexcept { return uniform(d.same_again); }},
    faulty{{"half-ends", "both ends of each window half as often as the other values", false},
           [](drawing const& d) noexcept {
             auto const m = static_cast<double>(d.at.part.values);
             double const u = uniform(d.random);
             return m < 2 ? u : (std::round(u * (m - 1)) + 0.5) / m;
           }},
    faulty{{"15-bit-generator", "a generator of 15 bits, by remainder", false},
           [](drawing const& d) noexcept {
             constexpr std::int64_t size = 32'768;
             std::int64_t const r = d.random.between(0, size - 1);
             if (d.at.part.values == 0) return static_cast<double>(r) / size;
             auto const m = static_cast<std::int64_t>(d.at.part.values);
             return (static_cast<double>(r % m) + 0.5) / static_cast<double>(m);
           }},
};

// The value of that draw which the point falls on.
drawn_part value_at(drawn_part const& of, double point) noexcept {
  if (of.values > 0) {
    auto const m = static_cast<double>(of.values);
    double const k = std::floor(point * m);
    return {k / m, (k + 1) / m, of.lowest, of.highest, of.values};
  }
  if (of.cells > 0) {
    auto const m = static_cast<double>(of.cells);
    double const k = std::floor(point * m);
    return {k / m, (k + 1) / m, 0, 0, 0, of.cells};
  }
  if (point < of.lowest) return {0, of.lowest, of.lowest, of.highest, 0};
  if (point >= 1 - of.highest) return {1 - of.highest, 1, of.lowest, of.highest, 0};
  return {point, point, of.lowest, of.highest, 0};
}

draw_sequence drawn_by(faulty const& fault, draw_sequence history, random_bits& random) noexcept {
  random_bits same_again(seed);
  std::uint64_t widest = 0;
  for (auto const& d : history) widest = std::max(widest, d.part.values);
  std::array<double, instances_max> previous{};
  for (auto& d : history) {
    double const point = fault.draw({d, d.part.values == widest, previous[d.on], random, same_again});
    d.part = value_at(d.part, point);
    previous[d.on] = point;
  }
  return history;
}

bool catches(faulty const& fault, sampled_draws const& sampled, double gain, draw_tests_mask tests,
             random_bits& random) noexcept {
  sampled_draws tried(tests);
  for (auto const index : sampled.order()) {
    tried.take(drawn_by(fault, sampled.layouts()[index], random), {});
    if (tried.bets().gained() >= gain) return true;
  }
  return false;
}

}  // namespace

std::vector<power> power_on(sampled_draws const& sampled, double alpha, draw_tests_mask tests) noexcept {
  std::vector<power> result;
  for (auto const& f : faults) {
    power p{&f.fault, 0, runs};
    for (unsigned run = 0; run < runs; ++run) {
      random_bits random(seed, run);
      if (catches(f, sampled, -std::log(alpha), tests, random)) ++p.caught;
    }
    result.push_back(p);
  }
  return result;
}

}  // namespace backoff::conformance
