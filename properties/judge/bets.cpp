#include "judge/bets.hpp"

#include <algorithm>
#include <cmath>

namespace backoff::conformance {
namespace {

double fraction(double x) noexcept { return x - std::floor(x); }

}  // namespace

density_bet::density_bet(unsigned bins, double prior) noexcept
    : mass_(bins, prior), prior_(prior), total_(bins * prior) {}

std::vector<double> density_bet::shares() const {
  auto shares = mass_;
  double const points = total_ - static_cast<double>(mass_.size()) * prior_;
  for (auto& share : shares) share = points > 0 ? (share - prior_) / points : 0;
  return shares;
}

double bet_on_density(std::span<double> mass, double& total, double low, double high) noexcept {
  auto const bins = static_cast<double>(mass.size());
  double const from = fraction(low) * bins;
  double const width = (high - low) * bins;
  auto const bin = [&](double at) noexcept { return static_cast<std::size_t>(at) % mass.size(); };
  double covered = 0;  // the mass of the interval
  double const first = std::floor(from);
  double const last = std::floor(from + width);
  auto const overlap = [&](double at) noexcept {
    return std::max(std::min(at + 1, from + width) - std::max(at, from), 0.0);
  };
  if (first == last) {  // within one bin, real values among them
    double const growth = std::log(mass[bin(first)] / total * bins);
    mass[bin(first)] += 1;
    total += 1;
    return growth;
  }
  for (double at = first; at <= last; ++at) covered += mass[bin(at)] * overlap(at);
  double const growth = std::log(covered / width / total * bins);
  for (double at = first; at <= last; ++at) mass[bin(at)] += overlap(at) / width;
  total += 1;
  return growth;
}

void event_bet::bet(bool happened, double probability) noexcept {
  double const expected = share();
  gained_ += happened ? std::log(expected / probability) : std::log((1 - expected) / (1 - probability));
  seen_ += happened ? 1 : 0;
  tried_ += 1;
}

}  // namespace backoff::conformance
