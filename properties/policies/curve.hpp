// A number that depends on its draws in any way: a draw that is used twice, compared or an exponent, or several draws.
// It is computed exactly at single draws, and in doubles where chances are asked for.
// Checked by: properties/policies/evaluate_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "policies/evaluate.hpp"

namespace backoff::policies {

// What a draw is drawn from: a real number from low to high, or one of `count` whole numbers from low on.
struct draw_range {
  unsigned which = 0;
  spec::rational low = 0;
  spec::rational high = 0;
  spec::integer count = 0;  // 0: a real number
};

// What the double is, exactly; it is finite.
[[nodiscard]] spec::rational exactly(double x);

class curve {
 public:
  // Of one draw or more. Of several, each is used once, and in no condition: the ends of their ranges then lead to the
  // ends of the values.
  curve(expression const& of, scope names, bool exclusive, std::vector<draw_range> draws);

  // Why it has no value at some draw.
  [[nodiscard]] std::optional<fault> const& found() const { return fault_; }
  [[nodiscard]] bool is_of_several() const noexcept { return draws_.size() > 1; }
  [[nodiscard]] draw_range const& draw() const { return draws_.front(); }
  [[nodiscard]] spec::closed_interval const& ends() const noexcept { return ends_; }
  // Whether chances are known: not of a whole draw of many numbers.
  [[nodiscard]] bool tells_chances() const noexcept;

  // A position of the one draw: a part of its range, or how many whole numbers come before it. Of several draws, a
  // number of [0, 1) whose binary digits are dealt to them in turn. The values there; several where doubles may go
  // either way.
  [[nodiscard]] std::vector<spec::rational> at(spec::rational const& position) const;
  // What lies between these positions leads to.
  [[nodiscard]] spec::closed_interval between(spec::rational const& from, spec::rational const& to) const;
  // The chance of smaller values, or of these and the value itself.
  [[nodiscard]] double chance_below(double value, bool or_at) const;

 private:
  // Positions from one to another, between which the same is compared, rounded and chosen, and values only rise or
  // only fall.
  struct piece {
    double from = 0;
    double to = 0;
    double value_from = 0;
    double value_to = 0;
  };
  struct look {
    double value = 0;
    std::uint64_t decisions = 0;  // what is chosen on the way
    double most = 0;              // the largest number that is added or subtracted
  };
  using positions = std::vector<double>;

  [[nodiscard]] look look_at(positions const& at) const;
  [[nodiscard]] look look_at(double at) const { return look_at(positions{at}); }
  [[nodiscard]] double about(expression const& e, positions const& at, look& on_the_way) const;
  void find_pieces();
  void add_piece(double from, double to, unsigned turns_left);
  void find_others();
  // Adds the values at these positions to the ends.
  void reach(std::vector<spec::rational> const& at);
  [[nodiscard]] std::vector<spec::rational> values_at(std::vector<spec::rational> const& at) const;
  [[nodiscard]] double share_below(piece const& p, positions at, double value, bool or_at) const;
  // How many positions there are.
  [[nodiscard]] double size_of(draw_range const& d) const noexcept {
    return d.count == 0 ? 1 : static_cast<double>(d.count);
  }

  expression const* of_;
  scope names_;
  bool exclusive_;
  std::vector<draw_range> draws_;  // that which is solved for comes first
  std::vector<piece> pieces_;      // of one real draw
  positions values_;               // of one whole draw, by its number
  std::vector<positions> others_;  // of several: what the others may be, all alike
  spec::closed_interval ends_{0, 0};
  mutable std::optional<fault> fault_;
};

}  // namespace backoff::policies
