#include "judge/e_process.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace backoff::judge {
namespace {

constexpr unsigned many_bins = 1024;
constexpr std::uint64_t coarse = 64;          // windows with no more values have no fine structure to test
constexpr std::uint64_t few_values = 32;      // windows with no more values are tested value by value
constexpr double steps_of_15_bits = 32'768;   // the values of the smallest generator that rand() may be
constexpr double finer_than_15_bits = 0.25;   // of such a step
constexpr std::uint64_t middle_and_ends = 3;  // the fewest values that have both
constexpr std::uint64_t told_apart_by_floats = std::uint64_t{1} << 22;

}  // namespace

draw_test_text const& text_of(draw_test t) noexcept {
  static constexpr std::array<draw_test_text, draw_tests> texts{{
      {"halves", "one half of the window is drawn more often than the other", about_draws::uniform},
      {"quarters", "some quarters of the window are drawn more often than others", about_draws::uniform},
      {"sixteenths", "some sixteenths of what can be drawn come more often than others", about_draws::uniform},
      {"grains", "few of the window's values are ever drawn, or some far more often than others", about_draws::uniform},
      {"single-values", "some values of small windows are drawn more often than others", about_draws::uniform},
      {"upper-end", "the largest value of the window is drawn more often, or less, than others", about_draws::uniform},
      {"lower-end", "the smallest value of the window is drawn more often, or less, than others", about_draws::uniform},
      {"half-ends", "both ends of the window are drawn half as often as the values between them", about_draws::uniform},
      {"fine-digits", "the draws have 16 bits or fewer, or some values of wide windows come far more often than others",
       about_draws::uniform},
      {"low-bit", "even values are drawn more often than odd ones, or less", about_draws::uniform},
      {"after-previous", "a draw depends on the quarter of the window that the one before it fell in",
       about_draws::independent},
      {"near-previous", "a draw depends on the one before it", about_draws::independent},
      {"near-cycle-before", "after a reset, a draw depends on the same one before it", about_draws::independent},
      {"near-history-before", "a fresh instance draws as the one before it did", about_draws::independent},
      {"near-other-instance", "two instances draw alike", about_draws::independent},
      {"near-other-process", "two processes draw alike", about_draws::seeded},
      {"late-lower-end", "the smallest value of the window is drawn more often, or less, than others",
       about_draws::uniform},
      {"late-upper-end", "the largest value of the window is drawn more often, or less, than others",
       about_draws::uniform},
      {"late-halves", "one half of the window is drawn more often than the other", about_draws::uniform},
      {"late-grains", "some sixteenths of what can be drawn come more often than others", about_draws::uniform},
      {"late-repeats", "a draw is often the one before it", about_draws::independent},
  }};
  return texts[static_cast<std::size_t>(t)];
}

draw_tests_mask tests_of(about_draws claim) noexcept {
  draw_tests_mask result = 0;
  for (std::size_t i = 0; i < draw_tests; ++i) {
    draw_test const t{static_cast<std::uint8_t>(i)};
    if (text_of(t).claim == claim) result |= bit(t);
  }
  return result;
}

draw_bets::draw_bets(draw_tests_mask tests)
    : tests_(tests),
      halves_(2, usual_prior),
      quarters_(4, usual_prior),
      sixteenths_(16, usual_prior),
      grains_(many_bins, sparse_prior),
      digits_(4, usual_prior),
      after_{quarters_, quarters_, quarters_, quarters_},
      near_{sixteenths_, sixteenths_, sixteenths_, sixteenths_, sixteenths_} {}

void draw_bets::take_value(drawn_part const& drawn) {
  if (drawn.lowest > 0 && drawn.lowest < 1) lower_.bet(drawn.below <= 0, drawn.lowest);
  if (drawn.highest > 0 && drawn.highest < 1) upper_.bet(drawn.upto >= 1, drawn.highest);
  if (drawn.values < 2) return;
  auto const m = static_cast<double>(drawn.values);
  if (drawn.values >= middle_and_ends) {
    bool const is_end = drawn.below <= 0 || drawn.upto >= 1;
    half_ends_ += std::log((is_end ? m / 2 : m) / (m - 1));
    if (drawn.values <= told_apart_by_floats)
      low_bit_.bet(std::fmod(std::round(drawn.below * m), 2) == 0, std::ceil(m / 2) / m);
  }
  if (drawn.values > few_values) return;
  auto& of_this_size =
      values_.try_emplace(drawn.values, static_cast<unsigned>(drawn.values), usual_prior).first->second;
  double const before = of_this_size.gained();
  double const at = std::round(drawn.below * m);  // the whole number of a bin, which division may have missed
  of_this_size.bet((at + 0.5) / m, (at + 0.5) / m);
  single_values_ += of_this_size.gained() - before;
}

void draw_bets::take(drawn_part const& drawn, drawn_before const& before) {
  ++draws_;
  spread_ = {std::min(spread_.low, drawn.upto), std::max(spread_.high, drawn.below)};
  halves_.bet(drawn.below, drawn.upto);
  quarters_.bet(drawn.below, drawn.upto);
  sixteenths_.bet(drawn.below, drawn.upto);
  // The condition depends on the window, not on the value drawn. A bet that left out values which a cap makes frequent
  // would not be fair.
  if (drawn.values == 0 || drawn.values > coarse) grains_.bet(drawn.below, drawn.upto);
  double const digits = drawn.width() * steps_of_15_bits;
  if (digits < finer_than_15_bits) digits_.bet(drawn.below * steps_of_15_bits, drawn.below * steps_of_15_bits + digits);
  take_value(drawn);
  if (before.in_cycle) {
    after_[static_cast<std::size_t>(*before.in_cycle * 4) % after_.size()].bet(drawn.below, drawn.upto);
  }
  auto const compare = [&](density_bet& with, std::optional<double> const& earlier) {
    if (earlier) with.bet(drawn.below - *earlier, drawn.upto - *earlier);
  };
  compare(near_[0], before.in_cycle);
  compare(near_[1], before.cycle_ago);
  compare(near_[2], before.in_history);
  compare(near_[3], before.on_other);
  compare(near_[4], before.in_process);
  late_.take(drawn, before.in_cycle);
  if (drawn.again) late_again_.take(drawn, before.in_cycle);
}

// For each late test, the logarithm of the mean of its two capitals: over all cycles, and over those that follow a
// reset.
std::array<double, late_tests> draw_bets::late_gained() const {
  auto all = late_.gained();
  auto const again = late_again_.gained();
  for (std::size_t t = 0; t < late_tests; ++t) {
    auto const [less, more] = std::minmax(all[t], again[t]);
    all[t] = more + std::log((1 + std::exp(less - more)) / 2);
  }
  return all;
}

std::array<double, late_tests> draw_bets::late_most() const noexcept {
  auto all = late_.most();
  auto const again = late_again_.most();
  for (std::size_t t = 0; t < late_tests; ++t) all[t] = std::max(all[t], again[t]);
  return all;
}

draw_bets::late_place draw_bets::found(std::size_t late) const {
  bool const after_reset = late_again_.gained()[late] > late_.gained()[late];
  return {(after_reset ? late_again_ : late_).found(late), after_reset};
}

std::optional<draw_test> draw_bets::found_at_the_start() const {
  auto const late = late_.found_at_the_start();
  if (!late) return {};
  return static_cast<draw_test>(static_cast<std::size_t>(draw_test::late_lower_end) + *late);
}

event_count draw_bets::at_an_end(bool upper, late_place const& of) const {
  return (of.after_reset ? late_again_ : late_).at_an_end(upper, of.attempt);
}

std::array<double, draw_tests> draw_bets::gains(std::array<double, late_tests> const& late) const noexcept {
  double after = 0;
  for (auto const& a : after_) after += a.gained();
  return {halves_.gained(),
          quarters_.gained(),
          sixteenths_.gained(),
          grains_.gained(),
          single_values_,
          upper_.gained(),
          lower_.gained(),
          half_ends_,
          digits_.gained(),
          low_bit_.gained(),
          after,
          near_[0].gained(),
          near_[1].gained(),
          near_[2].gained(),
          near_[3].gained(),
          near_[4].gained(),
          late[0],
          late[1],
          late[2],
          late[3],
          late[4]};
}

draw_test draw_bets::best(draw_tests_mask among) const {
  auto const all = gains(late_gained());
  auto best = static_cast<draw_test>(std::countr_zero(tests_ & among));
  for_each_test(among, [&](draw_test t) {
    if (all[static_cast<std::size_t>(t)] > all[static_cast<std::size_t>(best)]) best = t;
  });
  return best;
}

double draw_bets::most_gained(draw_tests_mask among) const {
  auto const all = gains(late_most());
  double most = 0;
  for_each_test(among, [&](draw_test t) { most = std::max(most, all[static_cast<std::size_t>(t)]); });
  return most;
}

double draw_bets::most_of(std::array<double, draw_tests> const& all) const {
  double most = -HUGE_VAL;
  for_each_test(tests_, [&](draw_test t) { most = std::max(most, all[static_cast<std::size_t>(t)]); });
  return most;
}

bool draw_bets::has_gained(double gain) const { return most_of(gains(late_most())) >= gain && gained() >= gain; }

double draw_bets::gained() const {
  auto const all = gains(late_gained());
  double const most = most_of(all);
  double sum = 0;
  for_each_test(tests_, [&](draw_test t) { sum += std::exp(all[static_cast<std::size_t>(t)] - most); });
  return most + std::log(sum / std::popcount(tests_));
}

}  // namespace backoff::judge
