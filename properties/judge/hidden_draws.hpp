// What hidden randomness says of the readings. Each joint assignment that is alive has the tests of e_process.hpp on
// the draws as that assignment sees them. An assignment whose tests gain 1/alpha is refuted, like one that an answer
// contradicts. The assignment that a port follows is refuted with probability alpha at most, whatever is tried and
// whenever the run stops. Assignments that see the same draws share their tests.
// Checked by: properties/judge/hidden_draws_test.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "judge/e_process.hpp"
#include "judge/kind_of_fault.hpp"
#include "judge/model_runner.hpp"

namespace backoff::judge {

class judged_system;

// One draw of a history: its instance, its number there from 0, and the number of the draw at the same place of the
// cycle before, if there is one.
struct placed_draw {
  drawn_part part;
  std::uint8_t on = 0;
  std::uint32_t number = 0;
  std::optional<std::uint32_t> cycle_ago{};
  friend bool operator==(placed_draw const& a, placed_draw const& b) noexcept {
    return std::tie(a.part, a.on, a.number) == std::tie(b.part, b.on, b.number);
  }
};
using draw_sequence = std::vector<placed_draw>;  // of one history, by number, then instance

// Tests of draws, history by history.
// A generator that is seeded with the clock's second repeats its draws within that second. Most histories that are
// asked twice in a row are asked within one second, and then draw alike. The bet against such a generator is fair where
// half of them draw alike. It wins in the long run where about a quarter or fewer do. The port's clock is not known:
// where a history draws otherwise than just before, a second has passed. Within a second, a draw is tested only if it
// lies further on in the sequence than all draws before it.
class sampled_draws {
 public:
  explicit sampled_draws(draw_tests_mask tests) : bets_(tests) {}
  [[nodiscard]] bool has_gained(double gain) const { return bets_.has_gained(gain) || changes_gained_ >= gain; }
  // gained: the logarithm of the larger of the two capitals. draws: how many were seen, repeated ones included.
  [[nodiscard]] double gained() const { return std::max(bets_.gained(), changes_gained_); }
  [[nodiscard]] std::uint64_t draws() const { return bets_.draws() + repeated_; }
  // Takes the draws of one history. elsewhere: those that another process made for it. again: the history before was
  // the same. comes_again: the history counts for the power of the tests.
  void take(draw_sequence history, draw_sequence const& elsewhere, bool again = false, bool comes_again = true);
  [[nodiscard]] draw_bets const& bets() const noexcept { return bets_; }
  // Takes a history after its draws are refuted. It only helps to name what is wrong with them.
  void take_beyond(draw_sequence const& history, draw_sequence const& elsewhere);
  // The bets, on the draws of take_beyond too; these refute nothing.
  [[nodiscard]] draw_bets const& bets_so_far() const noexcept { return beyond_ ? *beyond_ : bets_; }
  // The claim that the draws break.
  [[nodiscard]] about_draws broken() const { return kind_.broken(bets_so_far()); }
  // awaits_repetition: draws were taken for repeated ones, but no history has come twice in a row yet, which would test
  // that. repeats_as_supposed: no draws were taken for repeated ones, or the histories that came twice in a row bear it
  // out.
  [[nodiscard]] bool awaits_repetition() const noexcept { return repeated_ != 0 && changes_gained_ == 0; }
  [[nodiscard]] bool repeats_as_supposed() const noexcept { return repeated_ == 0 || changes_gained_ < 0; }

  // layouts: the windows that were drawn from, as histories without values. order: the layout of each history, in the
  // order in which they came. The layouts hold 300,000 draws at most; a history with a further layout does not count
  // for power.
  [[nodiscard]] std::span<draw_sequence const> layouts() const noexcept { return layouts_; }
  [[nodiscard]] std::span<std::uint32_t const> order() const noexcept { return order_; }

 private:
  void take_repeating(draw_sequence history, bool again);

  draw_bets bets_;
  kind_of_fault kind_;
  std::optional<draw_bets> beyond_;  // the same bets on later draws too
  draw_sequence before_;             // of the history before
  double changes_gained_ = 0;        // logarithm of a capital, by bets that draws do not repeat
  std::uint64_t repeated_ = 0;
  std::uint32_t fresh_ = 0;  // the first number that was not drawn in this second
  std::vector<draw_sequence> layouts_;
  std::vector<std::uint32_t> order_;
  std::size_t layout_draws_ = 0;
};

// Assignments that no draw has told apart, and the tests of the draws as they see them.
struct suspects {
  std::vector<spec::cube> where;
  sampled_draws draws;
};

class hidden_draws {
 public:
  // alpha in (0, 1): the probability with which a right port may be refuted.
  hidden_draws(judged_system const& system, double alpha, draw_tests_mask tests, std::vector<spec::cube> alive);

  // Takes the draws of one history, and those of a second process where one answered it. Returns whether the history
  // refutes an assignment.
  bool absorb(history const& h, std::span<answer const> answers, std::span<answer const> elsewhere,
              bool comes_again = true);
  // Keeps only the assignments of `alive`: something other than draws has refuted the rest.
  void narrow_to(std::vector<spec::cube> const& alive);
  // Tests only the assignments of these cubes from now on. The others stay alive, untested.
  void keep_testing(std::vector<spec::cube> const& cubes);

  // Goes on with an assignment that draws have refuted: later draws tell better what is wrong with them.
  void follow(spec::cube refuted) { followed_ = refuted; }

  // What is left of these cubes.
  [[nodiscard]] std::vector<spec::cube> living(std::vector<spec::cube> const& of) const;
  // Whether draws have refuted it.
  [[nodiscard]] bool refutes(spec::cube assignment) const;
  // The draws as that assignment sees them, even if they have refuted it. Null where something else has refuted it, or
  // where it is not tested.
  [[nodiscard]] sampled_draws const* draws_of(spec::cube assignment) const;
  // A number that grows with each draw that the assignment sees, repeated ones too. It is not the count of these draws:
  // it counts most of them twice.
  [[nodiscard]] std::uint64_t drawn(spec::cube assignment) const;
  // Whether an assignment that is left still waits for a history that comes twice in a row.
  [[nodiscard]] bool awaits_repetition() const noexcept {
    return std::ranges::any_of(alive_, [](suspects const& s) { return s.draws.awaits_repetition(); });
  }
  // What an assignment sees in a history.
  [[nodiscard]] draw_sequence seen_by(spec::cube assignment, history const& h, std::span<answer const> answers);

 private:
  [[nodiscard]] bool is_among(suspects const& s, spec::cube assignment) const;

  struct view;  // the draws of one history as some assignments see them
  void look(history const& h, std::span<answer const> answers, spec::cube from, std::vector<view>& to);

  judged_system const* system_;
  std::unique_ptr<model_runner> model_;
  double refuting_gain_;
  std::vector<suspects> alive_;
  std::vector<suspects> refuted_;
  std::optional<spec::cube> followed_;
  std::vector<spec::cube> untested_;
  std::vector<spec::cube> pending_;
  history before_;
};

}  // namespace backoff::judge
