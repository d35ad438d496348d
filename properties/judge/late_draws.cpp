#include "judge/late_draws.hpp"

#include <algorithm>
#include <cmath>
#include <ranges>
#include <utility>

namespace backoff::judge {
namespace {

// The first attempt of each group: attempts that stand alone, then groups that are finer where 7, 8 and 10 bits end and
// where the exponent of a double ends. (Templates compute it: coverage would show a function that only the compiler
// runs as never run.)
using apart = std::make_integer_sequence<std::uint32_t, attempts_apart + 1>;
using together =
    std::integer_sequence<std::uint32_t, 80, 96, 112, 120, 126, 127, 128, 129, 130, 132, 144, 160, 192, 224, 248, 254,
                          255, 256, 257, 258, 264, 288, 320, 384, 448, 512, 640, 768, 896, 992, 1'016, 1'022, 1'023,
                          1'024, 1'025, 1'026, 1'028, 1'032, 1'040, 1'056, 1'072, 1'088>;
template <class Apart, class Together>
constexpr int first_of = 0;
template <std::uint32_t... Before, std::uint32_t... Later>
constexpr std::array
    first_of<std::integer_sequence<std::uint32_t, Before...>, std::integer_sequence<std::uint32_t, Later...>>{Before...,
                                                                                                              Later...};
constexpr auto const& first_attempts = first_of<apart, together>;
constexpr std::size_t groups = first_attempts.size();

// Each test has two capitals per group: one bets on the group alone, one on it and all that follow.
constexpr double capitals = 2 * groups;
constexpr std::uint64_t wide = 1'024;  // in windows with no more values, a value repeats by chance
constexpr std::size_t repeated_max = 64;

// No logarithm of a capital counts for more than this, so that the sum of all capitals is finite.
constexpr double ample = 600;

}  // namespace

std::span<std::uint32_t const> attempt_groups() noexcept { return first_attempts; }

std::size_t group_of(std::uint32_t attempt) {
  if (attempt <= attempts_apart) return attempt;
  return static_cast<std::size_t>(std::ranges::upper_bound(first_attempts, attempt) - first_attempts.begin()) - 1;
}

void late_draws::take(drawn_part const& part, std::optional<double> previous) {
  auto const at = group_of(part.attempt);
  if (at >= groups_.size()) groups_.resize(at + 1);
  last_ = std::max(last_, part.attempt);
  auto& g = groups_[at];
  if (part.lowest > 0 && part.lowest < 1) g.lower.bet(part.below <= 0, part.lowest);
  if (part.highest > 0 && part.highest < 1) g.upper.bet(part.upto >= 1, part.highest);
  if (previous && part.values > 1) bet_on_a_repeat(g, part, *previous);
  g.halves.bet(part.below, part.upto);
  g.grains.bet(part.below, part.upto);
}

void late_draws::bet_on_a_repeat(group& g, drawn_part const& part, double previous) {
  auto const m = static_cast<double>(part.values);
  bool const is_wide = part.values > wide;
  if (is_wide && repeated_before(previous, m)) return;
  bool const repeats = part.below <= previous && previous < part.upto;
  g.again.bet(repeats, 1 / m);
  if (repeats && is_wide && repeated_.size() < repeated_max) repeated_.push_back({previous, std::floor(previous * m)});
}

bool late_draws::repeated_before(double previous, double values) const noexcept {
  double const number = std::floor(previous * values);
  return std::ranges::any_of(
      repeated_, [&](repeated const& r) { return r.number == number || std::floor(r.share * values) == number; });
}

std::array<double, late_tests> late_draws::gained() const {
  std::array<double, late_tests> sum;
  sum.fill(capitals - 2 * static_cast<double>(groups_.size()));  // nothing was bet there
  std::array<double, late_tests> later{};
  for (auto const& g : std::views::reverse(groups_)) {
    auto const here = g.gained();
    for (std::size_t t = 0; t < late_tests; ++t) {
      later[t] += here[t];
      sum[t] += std::exp(std::min(here[t], ample)) + std::exp(std::min(later[t], ample));
    }
  }
  for (auto& s : sum) s = std::log(s / capitals);
  return sum;
}

std::array<double, late_tests> late_draws::most() const noexcept {
  std::array<double, late_tests> most{};  // a mean is at most its largest term
  std::array<double, late_tests> later{};
  for (auto const& g : std::views::reverse(groups_)) {
    auto const here = g.gained();
    for (std::size_t t = 0; t < late_tests; ++t) {
      later[t] += here[t];
      most[t] = std::max({most[t], here[t], later[t]});
    }
  }
  return most;
}

late_draws::place late_draws::found(std::size_t test) const {
  place best{0, false};
  double most = -HUGE_VAL;
  double later = 0;
  for (std::size_t i = groups_.size(); i-- > 0;) {
    double const here = groups_[i].gained()[test];
    later += here;
    for (bool const and_later : {false, true}) {
      double const gain = and_later ? later : here;
      if (gain > most) best = {first_attempts[i], and_later};
      most = std::max(most, gain);
    }
  }
  return best;
}

std::optional<std::size_t> late_draws::found_at_the_start() const {
  constexpr double much = 14;   // a million to 1
  constexpr double little = 5;  // 150 to 1
  if (groups_.empty()) return {};
  auto const first = groups_.front().gained();
  auto const most = std::ranges::max_element(first);
  if (*most < much) return {};
  for (std::size_t t = 0; t < late_tests; ++t) {
    double later = 0;
    for (auto const& g : groups_ | std::views::drop(1)) later += g.gained()[t];
    if (later > little) return {};
  }
  return static_cast<std::size_t>(most - first.begin());
}

event_count late_draws::at_an_end(bool upper, place const& of) const {
  auto const first = group_of(of.attempt);
  auto const end = of.and_later ? groups_.size() : first + 1;
  event_count all;
  for (auto i = first; i < end; ++i) all += (upper ? groups_[i].upper : groups_[i].lower).count();
  return all;
}

double late_draws::gained_from(std::size_t from, std::size_t test) const noexcept {
  double later = -std::log(capitals);
  for (auto i = from; i < groups_.size(); ++i) later += groups_[i].gained()[test];
  return later;
}

}  // namespace backoff::judge
