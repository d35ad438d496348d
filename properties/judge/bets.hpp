// What tests of hidden randomness are made of: a draw as they see it, and bets on where the next one falls. Each bet is
// a likelihood ratio that is chosen before the draw is seen. Checked by: properties/judge/e_process_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

namespace backoff::judge {

// The place of an observed value in its window. The window is the set of values that a document makes possible. The
// place is the probability-integral transform: the interval [below, upto] that the value occupies, or one point where
// values are real. For a right port it is uniform on [0, 1).
struct drawn_part {
  double below = 0;           // P(smaller values)
  double upto = 0;            // P(smaller values or this one); equal to `below` for a real value
  double lowest = 0;          // P(the smallest value); 0: no value has a mass of its own there
  double highest = 0;         // P(the largest value)
  std::uint64_t values = 0;   // how many equally likely values there are; 0: they are not equally likely
  std::uint64_t cells = 0;    // about how many cells there are, if only the cell of a real value is known; else 0
  std::uint32_t attempt = 0;  // the attempt that it was drawn for, from 1; 0: drawn before the first, by a reset
  bool again = false;         // whether its instance drew it after its first cycle of attempts
  // Whether draws repeat, under this reading, until the clock's second changes: see sampled_draws in
  // judge/hidden_draws.hpp.
  bool repeats = false;
  [[nodiscard]] double width() const noexcept { return upto - below; }
  [[nodiscard]] double middle() const noexcept { return below + width() / 2; }
  friend bool operator==(drawn_part const& a, drawn_part const& b) noexcept {
    auto const all = [](drawn_part const& p) {
      return std::tie(p.below, p.upto, p.lowest, p.highest, p.values, p.cells, p.attempt, p.again, p.repeats);
    };
    return all(a) == all(b);
  }
};

inline constexpr double usual_prior = 0.5;
inline constexpr double sparse_prior = 1.0 / 64;  // for so many bins that most stay empty where the draws are coarse

// Bets that the next point, somewhere in [low, high], falls where earlier points fell (Krichevsky and Trofimov's
// estimator, on equal bins of the circle [0, 1)). Adds the point to `mass`, whose sum is `total`. Returns the logarithm
// of the capital's growth.
[[nodiscard]] double bet_on_density(std::span<double> mass, double& total, double low, double high);

// A sequence of bets on a density.
class density_bet {
 public:
  // prior: the pseudo-count of each bin. A smaller one learns sooner where few bins are used.
  density_bet(unsigned bins, double prior);
  // [low, high], high - low <= 1; read modulo 1.
  void bet(double low, double high) { gained_ += bet_on_density(mass_, total_, low, high); }
  // The logarithm of the capital.
  [[nodiscard]] double gained() const { return gained_; }
  // The share of each bin among the points so far.
  [[nodiscard]] std::vector<double> shares() const;

 private:
  std::vector<double> mass_;
  double prior_;
  double total_;
  double gained_ = 0;
};

// A density_bet with a fixed number of bins, which allocates nothing.
template <std::size_t Bins>
class density_of {
 public:
  explicit constexpr density_of(double prior) noexcept : total_(prior * Bins) { mass_.fill(prior); }
  void bet(double low, double high) { gained_ += bet_on_density(mass_, total_, low, high); }
  [[nodiscard]] double gained() const { return gained_; }

 private:
  std::array<double, Bins> mass_{};
  double total_;
  double gained_ = 0;
};

// How often an event came, and should have come.
struct event_count {
  std::uint64_t seen = 0;
  std::uint64_t tried = 0;
  double expected = 0;
  event_count& operator+=(event_count const& other) noexcept {
    seen += other.seen;
    tried += other.tried;
    expected += other.expected;
    return *this;
  }
};

// Bets on one event, by how often it came before. Its documented probability may change from draw to draw.
class event_bet {
 public:
  void bet(bool happened, double probability);
  [[nodiscard]] double gained() const { return gained_; }
  [[nodiscard]] event_count const& count() const noexcept { return count_; }

 private:
  event_count count_;
  double gained_ = 0;
};

}  // namespace backoff::judge
