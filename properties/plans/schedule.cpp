#include "plans/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace backoff::plans {
namespace {

constexpr std::size_t cells = 4'096;
constexpr std::size_t pieces = 256;  // of a delay, equally likely
constexpr double high = 0.99;

// The time passed as a distribution over evenly spaced points, each as likely as its weight.
struct distribution {
  double low = 0;
  double width = 0;  // of a cell; 0: all is at `low`
  std::vector<double> weight{1};

  [[nodiscard]] double point(std::size_t i) const { return low + width * static_cast<double>(i); }
  [[nodiscard]] double quantile(double p) const {
    double sum = 0;
    for (std::size_t i = 0; i < weight.size(); ++i) {
      sum += weight[i];
      if (sum >= p) return point(i);
    }
    return point(weight.size() - 1);
  }
  [[nodiscard]] double below(double limit) const {
    double sum = 0;
    for (std::size_t i = 0; i < weight.size(); ++i) sum += point(i) <= limit + width / 2 ? weight[i] : 0;
    return std::min(1.0, sum);
  }
};

// With an independent delay more.
distribution later(distribution const& before, quantiles const& delay) {
  auto const count = delay.are_steps ? delay.at.size() : delay.is_drawn() ? pieces : 1;
  distribution after;
  after.low = before.low + delay.least();
  double const span = before.width * static_cast<double>(before.weight.size() - 1) + delay.greatest() - delay.least();
  if (span == 0) return after;
  after.width = span / static_cast<double>(cells - 1);
  after.weight.assign(cells, 0);
  for (std::size_t i = 0; i < before.weight.size(); ++i) {
    if (before.weight[i] == 0) continue;
    for (std::size_t j = 0; j < count; ++j) {
      double const wait = delay.of((static_cast<double>(j) + 0.5) / static_cast<double>(count));
      double const at = std::round((before.point(i) + wait - after.low) / after.width);
      auto const cell = static_cast<std::size_t>(std::clamp(at, 0.0, static_cast<double>(cells - 1)));
      after.weight[cell] += before.weight[i] / static_cast<double>(count);
    }
  }
  return after;
}

double widest_piece(quantiles const& delay) {
  if (delay.are_steps) return 0;
  double widest = 0;
  for (std::size_t j = 0; j < pieces; ++j) {
    double const from = static_cast<double>(j) / static_cast<double>(pieces);
    widest = std::max(widest, delay.of(from + 1 / static_cast<double>(pieces)) - delay.of(from));
  }
  return widest;
}

// How many of the delays fit.
std::size_t fitting(schedule const& all, double budget, double spread::* of) {
  return static_cast<std::size_t>(
      std::ranges::count_if(all.retries, [&](planned_retry const& r) { return r.passed.*of <= budget; }));
}

}  // namespace

schedule scheduled(delay_law const& law, std::size_t retries, std::optional<double> budget_s) {
  schedule all;
  distribution passed;
  std::vector<double> since(law.clients().size());  // of each client
  spread sum;
  std::vector<double> probability;
  for (std::size_t i = 0; i < std::min(retries, law.delays().size()); ++i) {
    auto const& delay = law.delays()[i];
    planned_retry row;
    row.delay = {delay.least(), delay.mean(), delay.of(high), delay.greatest()};
    sum = {sum.least + row.delay.least, sum.mean + row.delay.mean, 0, sum.greatest + row.delay.greatest};
    row.passed = sum;
    if (since.empty()) {
      passed = later(passed, delay);
      row.passed.p99 = std::min(passed.quantile(high), sum.greatest);
      all.error_s += passed.width / 2 + widest_piece(delay) / 2;
      if (budget_s) probability.push_back(passed.below(*budget_s));
    } else {
      for (std::size_t n = 0; n < since.size(); ++n) since[n] += law.clients()[n][i];
      auto sorted = since;
      std::ranges::sort(sorted);
      row.passed.p99 = sorted[static_cast<std::size_t>(high * static_cast<double>(sorted.size()))];
      row.passed.mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / static_cast<double>(sorted.size());
      auto const n = static_cast<double>(sorted.size());
      all.error_p = std::sqrt(std::log(2 / 0.01) / (2 * n));
      if (budget_s)
        probability.push_back(static_cast<double>(std::ranges::upper_bound(sorted, *budget_s) - sorted.begin()) / n);
    }
    all.retries.push_back(row);
  }
  if (!budget_s) return all;
  for (std::size_t i = 0; i < probability.size(); ++i) {
    if (all.retries[i].passed.greatest <= *budget_s) probability[i] = 1;
    if (all.retries[i].passed.least > *budget_s) probability[i] = 0;
  }
  within_budget w{*budget_s, fitting(all, *budget_s, &spread::greatest),
                  std::accumulate(probability.begin(), probability.end(), 0.0), fitting(all, *budget_s, &spread::least),
                  std::move(probability)};
  all.within = std::move(w);
  return all;
}

}  // namespace backoff::plans
