#include "judge/kind_of_fault.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace backoff::judge {
namespace {

constexpr std::size_t draws_max = 8'192;
constexpr double small_max = 64;  // values of a small window
// From these attempts on a fault is looked for.
constexpr std::array<std::uint32_t, 25> attempts{0,  2,  3,  4,  5,  6,  7,  8,  9,  11, 13, 15, 17,
                                                 20, 23, 26, 29, 32, 36, 40, 44, 48, 54, 60, 70};
// Bins, and the pseudo-count of each. The finest division learns a repeated value at once.
struct division {
  unsigned bins;
  double prior;
};
constexpr std::array divisions{division{2, usual_prior}, division{4, usual_prior}, division{16, usual_prior},
                               division{1'024, 1.0 / 1'024}};

}  // namespace

void kind_of_fault::take(drawn_part const& drawn, std::uint8_t on, std::optional<double> previous) {
  bool const as_before = previous.has_value() && values_[on] == drawn.values;
  values_[on] = drawn.values;
  if (draws_.size() < draws_max) draws_.push_back({drawn.below, drawn.upto, drawn.attempt, as_before, previous});
}

// What bets on the place in the window gain from that attempt on: on all draws, on those whose window is as wide as the
// one before, or on each kind of window apart. Small windows round, each size in its way, and windows at the cap may
// have another shape.
double kind_of_fault::gained_by_place(std::uint32_t from) const {
  double most = 0;
  for (auto const [bins, prior] : divisions) {
    density_bet const fresh(bins, prior);
    density_bet all = fresh;
    density_bet as_before = fresh;
    std::map<double, density_bet> kinds;  // by the number of values, if it is small; else by -1 or 0
    for (auto const& d : draws_) {
      if (d.attempt < from) continue;
      double const values = std::round(1 / (d.upto - d.below));
      all.bet(d.below, d.upto);
      if (d.as_before) as_before.bet(d.below, d.upto);
      kinds.try_emplace(values <= small_max ? values : d.as_before ? -1 : 0, fresh).first->second.bet(d.below, d.upto);
    }
    double apart = 0;
    for (auto const& [kind, bet] : kinds) apart += bet.gained();
    most = std::max({most, all.gained(), as_before.gained(), apart});
  }
  return most;
}

double kind_of_fault::gained_by_distance(std::uint32_t from) const {
  double most = 0;
  for (auto const [bins, prior] : divisions) {
    density_bet distance(bins, prior);
    for (auto const& d : draws_) {
      if (d.attempt >= from && d.previous) distance.bet(d.below - *d.previous, d.upto - *d.previous);
    }
    most = std::max(most, distance.gained());
  }
  return most;
}

about_draws kind_of_fault::broken(draw_bets const& bets) const {
  auto const uneven = tests_of(about_draws::uniform) & bets.tests();
  auto const depending = bets.tests() & ~uneven;
  if (depending == 0) return about_draws::uniform;
  auto const claim = text_of(bets.best(depending)).claim;
  if (uneven == 0) return claim;
  double by_place = bets.most_gained(uneven);
  double by_others = bets.most_gained(depending);
  for (auto const from : attempts) {
    by_place = std::max(by_place, gained_by_place(from));
    by_others = std::max(by_others, gained_by_distance(from));
  }
  return by_place >= by_others ? about_draws::uniform : claim;
}

}  // namespace backoff::judge
