#include "plans/delay_law.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "explain/admitted_delays.hpp"
#include "explain/delay_cycles.hpp"

namespace backoff::plans {
namespace {

constexpr std::uint64_t draw_size = std::uint64_t{1} << 32;
constexpr std::size_t grid = 256;     // of draws
constexpr std::size_t paths = 4'096;  // of clients, where delays depend on those before
constexpr std::size_t path_length = 40;
constexpr std::size_t values_max = 48;  // of a draw of whole numbers, for each to be seen among the samples

// Plays the document for given draws.
class player {
 public:
  player(judged_system const& document, history with, bool hides)
      : document_(&document),
        with_(std::move(with)),
        hides_(hides),
        source_(hides_ || !document.shape().has_draws() ? draw_source{spec::draw_kind::hidden, 1}
                                                        : draw_source{spec::draw_kind::u32, draw_size}),
        canonical_(document.readings().admitting(spec::standing::canonical)),
        unit_s_(std::pow(10, unit_of(document.shape()))) {}

  struct played_delays {
    std::vector<std::pair<double, double>> ranges;  // points, unless draws are hidden
    bool ends = false;
  };

  // The delays for these draws, of [0, draw_size), one for each retry.
  [[nodiscard]] played_delays operator()(std::span<std::uint64_t const> draws, random_bits& random) const {
    auto const& s = document_->shape();
    auto const takes = documented_domain(s, source_);
    std::vector<value> values;
    for (auto const d : draws)
      values.push_back(hides_ || !s.has_draws() ? value{} : value::of(static_cast<std::int64_t>(d)));
    played_delays all;
    auto const h = asking_for(with_, s, takes, std::move(values));
    all.ends = !h || h->steps.size() < calls_before(s) + draws.size();
    if (!h) return all;
    for (auto const& d : admitted_delays(s, document_->play(*h, source_, canonical_, random).admitted)) {
      if (!d.may_retry || !d.range) {
        all.ends = true;
        break;
      }
      all.ranges.emplace_back(d.range->first * unit_s_, d.range->second * unit_s_);
    }
    return all;
  }

  [[nodiscard]] bool hides() const { return hides_; }

 private:
  judged_system const* document_;
  history with_;
  bool hides_;
  draw_source source_;
  spec::cube canonical_;
  double unit_s_;
};

}  // namespace

double quantiles::of(double draw) const {
  if (are_steps) return at[std::min(static_cast<std::size_t>(draw * static_cast<double>(at.size())), at.size() - 1)];
  double const place = draw * static_cast<double>(at.size() - 1);
  auto const i = std::min(static_cast<std::size_t>(place), at.size() - 2);
  return at[i] + (at[i + 1] - at[i]) * (place - static_cast<double>(i));
}

double quantiles::mean() const noexcept {
  if (are_steps) return std::accumulate(at.begin(), at.end(), 0.0) / static_cast<double>(at.size());
  double const inner = std::accumulate(at.begin(), at.end(), 0.0) - (at.front() + at.back()) / 2;
  return inner / static_cast<double>(at.size() - 1);
}

delay_law::delay_law(judged_system const& document, history const& with, std::size_t retries) {
  player const play(document, with, document.shape().draws_are_hidden);
  random_bits random(1);
  if (document.learns_from_answers()) retries = std::min(retries, path_length);
  bool const draws = document.shape().has_draws() && !play.hides();
  auto const last = draws ? grid : 1;
  for (std::size_t j = 0; j <= last; ++j) {
    // The low bits are at random: a draw may be mapped by its remainder.
    auto const low = j == 0 || j == last ? 0 : random() % (draw_size / last);
    std::vector<std::uint64_t> const same(retries, std::min(draw_size / last * j + low, draw_size - 1));
    auto const played = play(same, random);
    ends_ |= played.ends;
    may_go_on_ |= j > 0 && played.ranges.size() != delays_.size();
    delays_.resize(j == 0 ? played.ranges.size() : std::min(delays_.size(), played.ranges.size()));
    for (std::size_t i = 0; i < delays_.size(); ++i)
      delays_[i].at.push_back(j == 0 ? played.ranges[i].first : played.ranges[i].second);
  }
  // Where a greater draw may give a shorter delay, the draw is mapped by its remainder: the sampled delays are as
  // likely as each other, and those of a wide range are even over it.
  auto const hidden = player(document, with, true)(std::vector<std::uint64_t>(retries), random).ranges;
  for (std::size_t i = 0; i < delays_.size(); ++i) {
    auto& each = delays_[i];
    if (std::ranges::is_sorted(each.at)) continue;
    std::ranges::sort(each.at);
    auto values = each.at;
    auto const [repeated, end] = std::ranges::unique(values);
    values.erase(repeated, end);
    auto const few = values.size() <= values_max;
    each.at = few ? std::move(values) : std::vector{hidden[i].first, hidden[i].second};
    each.are_steps = few;
  }
  if (!document.learns_from_answers() || !draws) return;
  for (std::size_t n = 0; n < paths; ++n) {
    std::vector<std::uint64_t> own(retries);
    for (auto& d : own) d = random() >> 32U;
    auto& path = clients_.emplace_back();
    for (auto const& range : play(own, random).ranges) path.push_back(range.first);
  }
  auto const extremes = delays_;  // of all draws at their least and at their greatest
  take_clients(std::min(retries, extremes.size()));
  for (std::size_t i = 0; i < delays_.size(); ++i) {
    delays_[i].at.front() = extremes[i].least();
    delays_[i].at.back() = extremes[i].greatest();
  }
}

delay_law::delay_law(std::vector<std::vector<double>> clients, std::size_t retries, double stretch)
    : clients_(std::move(clients)) {
  for (auto& path : clients_)
    for (auto& delay : path) delay *= stretch;
  take_clients(retries);
}

delay_law delay_law::stretched(double by) const {
  auto other = *this;
  for (auto& each : other.delays_)
    for (auto& delay : each.at) delay *= by;
  for (auto& path : other.clients_)
    for (auto& delay : path) delay *= by;
  return other;
}

void delay_law::take_clients(std::size_t retries) {
  auto const shortest = std::ranges::min_element(clients_, {}, &std::vector<double>::size)->size();
  ends_ |= shortest < retries;
  delays_.assign(std::min(retries, shortest), {});
  for (std::size_t i = 0; i < delays_.size(); ++i) {
    std::vector<double> seen;
    seen.reserve(clients_.size());
    for (auto const& path : clients_) seen.push_back(path[i]);
    std::ranges::sort(seen);
    for (std::size_t j = 0; j < grid; ++j) delays_[i].at.push_back(seen[j * seen.size() / grid]);
    delays_[i].at.push_back(seen.back());
  }
}

}  // namespace backoff::plans
