#include "plans/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace backoff::plans {
namespace {

constexpr double high = 0.99;
constexpr double in_99_of_100 = 2.576;    // standard deviations of a normal distribution
constexpr double unlikely = 1e-9;         // the probability of a retry within the budget that is not looked at
constexpr double fine = 1e-4;             // of the time passed: nearer values of a delay are joined
constexpr std::size_t looked_at = 1'000;  // retries within the budget

// Of fewer pieces, whose quantiles differ by `most` at most. differs: by how much they do.
std::vector<piece> joined(std::vector<piece> const& all, double most, double& differs) {
  std::vector<piece> fewer;
  double before = 0;  // of the piece that is made
  for (std::size_t first = 0; first < all.size();) {
    auto last = first;
    double off = 0;
    for (auto next = first + 1; next < all.size(); ++next) {
      double const slope = (all[next].high - all[first].low) / (all[next].upto - before);
      double farthest = 0;
      for (auto i = first; i < next; ++i) {
        double const at = all[first].low + slope * (all[i].upto - before);
        farthest = std::max({farthest, std::abs(at - all[i].high), std::abs(at - all[i + 1].low)});
      }
      if (farthest > most) break;
      last = next;
      off = farthest;
    }
    fewer.push_back({all[last].upto, all[first].low, all[last].high});
    before = all[last].upto;
    differs = std::max(differs, off);
    first = last + 1;
  }
  return fewer;
}

// The time passed as a distribution: its function at evenly spaced times, and linear in between.
class passed_time {
 public:
  // With an independent delay more.
  [[nodiscard]] passed_time then(spread_delay const& delay) const {
    constexpr std::size_t work = 1 << 23;
    constexpr std::size_t points_max = 1 << 17;
    constexpr std::size_t points_min = 1 << 12;
    passed_time after;
    after.low_ = low_ + delay.least();
    after.error_s_ = error_s_ + delay.error_s;
    double const span = this->span() + delay.greatest() - delay.least();
    if (span <= 0) return after;
    double differs = 0;
    auto const pieces = joined(delay.pieces, fine * span, differs);
    after.error_s_ += differs;
    auto const points = std::clamp(work / pieces.size(), points_min, points_max);
    after.width_ = span / static_cast<double>(points - 1);
    after.error_s_ += after.width_;
    after.below_.assign(points, 0);
    double before = 0;
    for (auto const& p : pieces) {
      double const share = p.upto - before;
      before = p.upto;
      for (std::size_t i = 0; i < points; ++i) {
        double const at = after.time(i);
        after.below_[i] += p.low == p.high ? share * below(at - p.low)
                                           : share * (area(at - p.low) - area(at - p.high)) / (p.high - p.low);
      }
    }
    after.areas_.assign(points, 0);
    for (std::size_t i = 1; i < points; ++i) {
      after.below_[i] = std::clamp(after.below_[i], after.below_[i - 1], 1.0);
      after.areas_[i] = after.areas_[i - 1] + after.width_ * (after.below_[i - 1] + after.below_[i]) / 2;
    }
    return after;
  }

  [[nodiscard]] double quantile(double share) const {
    if (below_.empty()) return low_;
    auto const i = static_cast<std::size_t>(std::ranges::lower_bound(below_, share) - below_.begin());
    if (i == 0) return low_;
    if (i == below_.size()) return low_ + span();
    double const rise = below_[i] - below_[i - 1];
    return time(i) - (rise > 0 ? width_ * (below_[i] - share) / rise : 0);
  }
  // The probability of that time, or a shorter one.
  [[nodiscard]] double below(double at) const {
    if (at < low_) return 0;
    if (below_.empty() || at >= low_ + span()) return 1;
    auto const [i, part] = place(at);
    return below_[i] + part * (below_[i + 1] - below_[i]);
  }
  [[nodiscard]] double error_s() const noexcept { return error_s_; }

 private:
  [[nodiscard]] double time(std::size_t i) const noexcept { return low_ + width_ * static_cast<double>(i); }
  [[nodiscard]] double span() const noexcept {
    return below_.empty() ? 0 : width_ * static_cast<double>(below_.size() - 1);
  }
  struct placed {
    std::size_t i;
    double part;
  };
  [[nodiscard]] placed place(double at) const noexcept {
    double const cells = (at - low_) / width_;
    auto const i = std::min(static_cast<std::size_t>(cells), below_.size() - 2);
    return {i, cells - static_cast<double>(i)};
  }
  // The integral of the function up to that time.
  [[nodiscard]] double area(double at) const {
    if (at <= low_) return 0;
    if (below_.empty()) return at - low_;
    double const beyond = at - low_ - span();
    if (beyond >= 0) return areas_.back() + beyond;
    auto const [i, part] = place(at);
    return areas_[i] + width_ * part * (below_[i] + part * (below_[i + 1] - below_[i]) / 2);
  }

  double low_ = 0;
  double width_ = 0;
  std::vector<double> below_;  // empty: the time is `low_`
  std::vector<double> areas_;
  double error_s_ = 0;
};

// The retries that the schedule has come to.
class progress_of_clients {
 public:
  explicit progress_of_clients(delay_law& law) : law_(&law) {}

  // Nothing: no client is granted one more.
  [[nodiscard]] retry_law const* next() {
    auto const* const r = law_->retry(n_);
    if (r == nullptr) return nullptr;
    are_independent_ &= r->is_independent;
    auto const& d = r->delay;
    sum_ = {sum_.least + d.least(), sum_.mean + d.mean(), 0, sum_.greatest + d.greatest()};
    if (are_independent_) {
      time_ = time_.then(d);
    } else {
      add_clients();
    }
    ++n_;
    return r;
  }

  [[nodiscard]] planned_retry row(spread_delay const& delay, schedule_error& error) const {
    planned_retry r{{delay.least(), delay.mean(), delay.quantile(high), delay.greatest()}, sum_};
    if (are_independent_) {
      r.passed.p99 = std::min(time_.quantile(high), sum_.greatest);
      error.seconds = std::max(error.seconds, time_.error_s());
    } else {
      auto const at = [&](double share) {
        return sorted_[static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(sorted_.size() - 1))];
      };
      auto const n = static_cast<double>(sorted_.size());
      error.are_ends_seen = true;
      r.passed.mean = std::accumulate(sorted_.begin(), sorted_.end(), 0.0) / n;
      r.passed.p99 = at(high);
      double squares = 0;
      for (double const s : sorted_) squares += (s - r.passed.mean) * (s - r.passed.mean);
      double const apart = in_99_of_100 * std::sqrt(high * (1 - high) / n);
      auto const part = [](double off, double of) { return of > 0 ? off / of : 0; };
      error.mean_part = std::max(error.mean_part, part(in_99_of_100 * std::sqrt(squares) / n, r.passed.mean));
      error.p99_part = std::max(error.p99_part, part((at(high + apart) - at(high - apart)) / 2, r.passed.p99));
    }
    if (delay.is_simulated && error.mean_part == 0) add_error_of_samples(delay, error);
    return r;
  }

  // Whether all clients are granted the retry within that time.
  [[nodiscard]] bool is_sure(double budget_s) const {
    return sum_.greatest <= budget_s * (1 + 1e-12) && is_granted_to_all();
  }
  // The probability of that.
  [[nodiscard]] double within(double budget_s, schedule_error& error) const {
    double const slack = 1e-12 * budget_s;
    if (is_sure(budget_s)) return 1;
    if (sum_.least > budget_s + slack) return 0;
    if (are_independent_) {
      double const off = time_.error_s();
      error.probability = std::max(error.probability, (time_.below(budget_s + off) - time_.below(budget_s - off)) / 2);
      return time_.below(budget_s + off);  // a step of the function may be that much too late
    }
    auto const all = static_cast<double>(law_->clients(n_ - 1).size());
    error.probability = std::max(error.probability, std::sqrt(std::log(2 / 0.01) / (2 * all)));
    return static_cast<double>(std::ranges::upper_bound(sorted_, budget_s + slack) - sorted_.begin()) / all;
  }
  [[nodiscard]] spread const& sum() const noexcept { return sum_; }

 private:
  [[nodiscard]] bool is_granted_to_all() const {
    return are_independent_ || sorted_.size() == law_->clients(n_ - 1).size();
  }
  void add_clients() {
    sorted_.clear();
    sum_.least = std::numeric_limits<double>::infinity();
    sum_.greatest = 0;
    auto const add = [&](std::vector<std::vector<double>> const& clients, bool are_samples) {
      for (auto const& delays : clients) {
        if (delays.size() <= n_) continue;
        double const passed =
            std::accumulate(delays.begin(), delays.begin() + static_cast<std::ptrdiff_t>(n_) + 1, 0.0);
        sum_.least = std::min(sum_.least, passed);
        sum_.greatest = std::max(sum_.greatest, passed);
        if (are_samples) sorted_.push_back(passed);
      }
    };
    add(law_->clients(n_), true);
    add(law_->corner_clients(), false);
    std::ranges::sort(sorted_);
  }
  static void add_error_of_samples(spread_delay const& delay, schedule_error& error) {
    auto const n = static_cast<double>(simulated_clients);
    double const apart = in_99_of_100 * std::sqrt(high * (1 - high) / n);
    double const mean = delay.mean();
    error.mean_part = in_99_of_100 * (delay.greatest() - delay.least()) / (2 * std::sqrt(n) * mean);
    error.p99_part =
        (delay.quantile(std::min(high + apart, 1.0)) - delay.quantile(high - apart)) / (2 * delay.quantile(high));
    error.probability = std::sqrt(std::log(2 / 0.01) / (2 * n));
  }

  delay_law* law_;
  std::size_t n_ = 0;
  spread sum_;
  bool are_independent_ = true;  // all delays so far
  passed_time time_;
  std::vector<double> sorted_;  // otherwise: what has passed for each simulated client
};

within_budget within(delay_law& law, double budget_s, schedule_error& error) {
  within_budget w;
  w.budget_s = budget_s;
  w.most = law.most_within(budget_s);
  progress_of_clients clients(law);
  auto const most = law.is_simulated() ? simulated_retries : looked_at;
  for (std::size_t n = 0; n < most; ++n) {
    if (clients.next() == nullptr) break;
    double const probability = clients.within(budget_s, error);
    if (probability < unlikely) break;
    w.probability.push_back(probability);
    w.mean = w.mean.value_or(0) + probability;
    if (clients.is_sure(budget_s) && w.least == n) ++w.least;
    if (n + 1 == most) w.mean.reset();
  }
  if (w.most) w.most = std::max(*w.most, w.probability.size());
  return w;
}

}  // namespace

schedule scheduled(delay_law& law, std::size_t retries, std::optional<double> budget_s) {
  schedule all;
  progress_of_clients clients(law);
  while (all.retries.size() < retries) {
    auto const* const next = law.retry(all.retries.size());
    if (next == nullptr) break;
    all.granted_next = next->granted;
    if (next->granted < 1) break;
    all.retries.push_back(clients.row(clients.next()->delay, all.error));
    all.granted_next = 0;
  }
  if (all.retries.size() == retries) all.granted_next = law.retry(retries) != nullptr ? law.retry(retries)->granted : 0;
  if (budget_s) all.within = within(law, *budget_s, all.error);
  return all;
}

}  // namespace backoff::plans
