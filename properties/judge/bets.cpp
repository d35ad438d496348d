#include "judge/bets.hpp"

#include <algorithm>
#include <cmath>

namespace backoff::judge {
namespace {

double fraction(double x) noexcept { return x - std::floor(x); }

}  // namespace

density_bet::density_bet(unsigned bins, double prior) : mass_(bins, prior), prior_(prior), total_(bins * prior) {}

std::vector<double> density_bet::shares() const {
  auto shares = mass_;
  double const points = total_ - static_cast<double>(mass_.size()) * prior_;
  for (auto& share : shares) share = points > 0 ? (share - prior_) / points : 0;
  return shares;
}

double bet_on_density(std::span<double> mass, double& total, double low, double high) {
  auto const bins = static_cast<double>(mass.size());
  double const from = fraction(low) * bins;
  double const width = (high - low) * bins;
  double const first = std::floor(from);
  double const last = std::floor(from + width);
  std::size_t const begin = static_cast<std::size_t>(first) % mass.size();
  if (first == last) {  // within one bin, real values among them
    double const growth = std::log(mass[begin] / total * bins);
    mass[begin] += 1;
    total += 1;
    return growth;
  }
  // The first and the last bin are covered in part, those between them as a whole: there may be a thousand.
  std::size_t const end = static_cast<std::size_t>(last) % mass.size();
  auto const for_each_between = [&](auto visit) {
    auto at = begin;
    for (auto left = static_cast<std::size_t>(last - first); left > 1; --left) {
      at = at + 1 == mass.size() ? 0 : at + 1;
      visit(mass[at]);
    }
  };
  double const of_first = first + 1 - from;
  double const of_last = from + width - last;
  double covered = mass[begin] * of_first;  // the mass of the interval
  for_each_between([&](double m) { covered += m; });
  covered += mass[end] * of_last;
  double const growth = std::log(covered / width / total * bins);
  mass[begin] += of_first / width;
  for_each_between([each = 1 / width](double& m) { m += each; });
  mass[end] += of_last / width;
  total += 1;
  return growth;
}

void event_bet::bet(bool happened, double probability) {
  double const expected = (static_cast<double>(count_.seen) + 0.5) / (static_cast<double>(count_.tried) + 1);
  gained_ += happened ? std::log(expected / probability) : std::log((1 - expected) / (1 - probability));
  count_ += {happened ? 1U : 0U, 1, probability};
}

}  // namespace backoff::judge
