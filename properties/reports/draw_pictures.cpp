#include "reports/draw_pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "judge/drawn.hpp"

namespace backoff::reports {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t path_max = 300;  // points of a path

draw_tests_mask tests_of_draws(run const& judged) {
  draw_tests_mask mask = 0;
  auto const claims = judged.system().claims();
  for (unsigned i = 0; i < claims.size(); ++i) {
    auto const& draws = claims[i].draws;
    if (draws && judged.held_to().selected(i) && judged.held_to().refutes_readings(i)) mask |= tests_of(*draws);
  }
  return mask;
}

}  // namespace

draws_again::draws_again(run const& judged)
    : judged_(&judged),
      tests_(tests_of_draws(judged)),
      seen_(judged.system(), judged.draws().alpha_of_a_test(), tests_, {judged.explained_by()}),
      bets_(tests_) {}

void draws_again::see(history const& h, std::span<answer const> answers, std::span<answer const> elsewhere) {
  double const refutes = -std::log(judged_->draws().alpha_of_a_test());
  if (bets_.bets().draws() != 0 && bets_.bets().gained() >= refutes) return;
  auto const explained = judged_->explained_by();
  auto const one = seen_.seen_by(explained, h, answers);
  auto const other = seen_.seen_by(explained, h, elsewhere);
  for (auto const& d : one) add(d.part);
  bets_.take(one, other);
  auto const n = bets_.bets().draws();
  if (!path_.empty() && path_.back().first == n) path_.pop_back();
  path_.emplace_back(n, bets_.bets().gained() / std::numbers::ln10);
}

std::vector<picture> draws_again::made() const {
  auto const n = bets_.bets().draws();
  if (n == 0) return {};
  json path = json::array({json::array({0, 0})});
  double highest = 0;
  for (auto const& p : path_) highest = std::max(highest, p.second);
  auto const every = path_.size() / path_max + 1;
  for (std::size_t i = 0; i < path_.size(); ++i) {
    bool const peak = path_[i].second == highest;
    if (i % every == 0 || i + 1 == path_.size() || peak) path.push_back({path_[i].first, path_[i].second});
  }
  auto const threshold = -std::log10(judged_->draws().alpha_of_a_test());
  auto const expected = static_cast<double>(n) / bins;
  auto const [fewest, most] = std::ranges::minmax(bins_);
  json const histogram{{"bins", bins_}, {"expected", expected}};
  json const evidence{{"path", path}, {"threshold", threshold}};
  return {{"draws", "Where the draws stand in their windows",
           fmt::format("Each of {} draws by its place in the window of the document. Of {} equal parts, each has "
                       "{:.4g} draws if the port is right, but for chance. Seen: {:.4g} to {:.4g}.",
                       n, bins, expected, fewest, most),
           histogram.dump()},
          {"evidence", "Evidence against the port, draw by draw",
           fmt::format("What bets against documented draws have made of 1: 10^{:.2f} at most, 10^{:.2f} after the "
                       "last of {} draws; "
                       "10^{:.3g} refutes.",
                       highest, path_.back().second, n, threshold),
           evidence.dump()}};
}

void draws_again::add(drawn_part const& d) {
  auto const upto = std::max(d.upto, d.below);
  if (upto - d.below <= 0) {
    bins_[std::min(bins - 1, static_cast<std::size_t>(d.below * bins))] += 1;
    return;
  }
  for (std::size_t k = 0; k < bins; ++k) {
    auto const low = std::max(d.below, static_cast<double>(k) / bins);
    auto const high = std::min(upto, static_cast<double>(k + 1) / bins);
    if (high > low) bins_[k] += (high - low) / (upto - d.below);
  }
}

}  // namespace backoff::reports
