// A number that depends on draws: where they may lead, and what was done to them on the way. Every step on the way of
// one draw keeps the order of values, so that ends, chances and single draws can all be followed exactly. What depends
// on draws in another way is computed: policies/curve.hpp. Checked by: properties/policies/evaluate_test.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "judge/e_process.hpp"
#include "relation/full_jitter.hpp"
#include "relation/rational.hpp"

namespace backoff::policies {

class curve;

// What doubles and a conversion of units may be off, relatively.
inline spec::rational const grain = spec::rational(1) / (spec::integer{1} << 40);

// A number, and whether a machine's doubles may have missed it: what is rounded or compared next may then fall on
// either side.
struct number {
  spec::rational value = 0;
  bool rough = false;
  double most = 0;  // the largest term of the sums on the way to it, where that is larger than the number; else 0

  // By how much doubles may miss it: of the number, or of that term, the grain.
  [[nodiscard]] spec::rational slack() const;
  friend bool operator==(number const&, number const&) noexcept = default;
};

// Rounded by `how` to a multiple of the unit.
enum class rounding : std::uint8_t { floor, ceil, nearest };
[[nodiscard]] spec::rational rounded(spec::rational const& x, spec::rational const& unit, rounding how);

class drawn {
 public:
  drawn() = default;
  explicit drawn(number n) : from_(std::move(n)), slack_(lost_in_sums(from_)) {}
  // A real draw of [low, high]; low <= high.
  [[nodiscard]] static drawn real(number const& low, number const& high);
  // A whole draw: one of `count` numbers from `first` on. The next one is left out if the end is open.
  [[nodiscard]] static drawn whole(spec::integer first, spec::integer count, bool is_open = false);

  // What the curve's draws lead to.
  [[nodiscard]] static drawn along(std::shared_ptr<curve const> of);

  [[nodiscard]] bool is_random() const noexcept { return is_ != source::none; }
  // Whether the value is least at the highest draw.
  [[nodiscard]] bool falls() const;
  // Whether one draw that is given says what the value is.
  [[nodiscard]] bool is_of_one_draw() const noexcept;
  [[nodiscard]] bool is_curve() const noexcept { return curve_ != nullptr; }
  // Of a whole draw: how many numbers.
  [[nodiscard]] spec::integer count() const noexcept { return count_; }
  // What it is, where it is not random.
  [[nodiscard]] number const& fixed() const { return from_; }

  void add(number const& n);
  void multiply(number const& n);
  void negate();
  void at_most(number const& n);
  void at_least(number const& n);
  void round(rounding how, spec::rational const& unit);

  // The least and the largest value; of a rounded real draw, those that have a chance.
  [[nodiscard]] spec::rational lowest() const;
  [[nodiscard]] spec::rational highest() const;
  // By how much doubles may miss any of them, beyond the grain of each.
  [[nodiscard]] spec::rational const& slack() const noexcept { return slack_; }
  // Whether a bound cuts its values, which are no line over the draw then.
  [[nodiscard]] bool is_cut() const noexcept;

  // What is possible where the draw cannot be seen.
  [[nodiscard]] spec::admissible possible() const;
  // The values that a draw leads to; several where a machine's doubles may go one way or another. `mapping` is none but
  // `real` for a real draw and `modulo`, `scaled` or `divided` for a whole one.
  [[nodiscard]] std::vector<spec::rational> values(spec::draw const& of, spec::draw_mapping mapping) const;
  // The values within what the mapping `near` forgives: of a whole draw one number more to either side, and at the last
  // draws the one that is left out; of a real one a hundredth of the value's unit, or what it is rounded to.
  [[nodiscard]] spec::admissible near(spec::draw const& of) const;
  // Those values as the answers that a document admits.
  [[nodiscard]] spec::admissible admitted(std::vector<spec::rational> values) const;
  // Whether doubles, and all that is forgiven them, are fine enough for the draw: of 1e12 + uniform(0, 1) they are not.
  [[nodiscard]] bool fills_doubles() const;
  // Whether no test of draws can tell it from the other.
  [[nodiscard]] bool is_drawn_as(drawn const& other) const;
  // Where a possible value stands among all of them; nothing where only one is possible.
  [[nodiscard]] std::optional<judge::drawn_part> part_of(spec::rational value) const;

  friend bool operator==(drawn const&, drawn const&) noexcept = default;

 private:
  enum class source : std::uint8_t { none, real, whole };
  enum class change_kind : std::uint8_t { add, scale, at_most, at_least, floor, ceil, nearest };
  struct change {
    change_kind kind;
    spec::rational by;
    friend bool operator==(change const&, change const&) noexcept = default;
  };
  struct grid {
    spec::rational at;
    spec::rational step;
  };

  // By how much doubles may miss the number, where that is more than its grain.
  [[nodiscard]] static spec::rational lost_in_sums(number const& n) { return n.most == 0 ? 0 : n.slack(); }
  // Replaces all values by this bound. The slack of what it replaces stays.
  void become(number const& n);
  void change_by(change c) { changes_.push_back(std::move(c)); }
  [[nodiscard]] spec::rational changed(spec::rational x, bool is_open_end = false) const;
  [[nodiscard]] spec::rational nudged(spec::rational const& x, int lean) const;
  // All between these, and what doubles may miss them by.
  [[nodiscard]] spec::admissible about(spec::rational const& low, spec::rational const& high) const;
  [[nodiscard]] spec::rational low_end() const;
  [[nodiscard]] spec::rational high_end() const;
  // The multiples that all values are, but for bounds that cut them.
  [[nodiscard]] std::optional<grid> values_grid() const;
  // The chance of smaller values, or of these and the value itself.
  [[nodiscard]] spec::rational chance_below(spec::rational value, bool or_at) const;

  source is_ = source::none;
  number from_;              // the value at the lowest draw; what it is, where nothing is random
  spec::rational to_ = 0;    // real: at the end of the draws, which may be below from_
  spec::rational most_ = 0;  // real: the largest number on the way to these
  spec::rational step_ = 0;
  spec::integer count_ = 1;
  bool is_open_ = false;
  bool rough_ = false;
  spec::rational slack_ = 0;
  std::shared_ptr<curve const> curve_;  // in place of the numbers above
  std::vector<change> changes_;
};

// The few values as one admissible set: a number, two, a lattice; otherwise all between the least and the largest.
[[nodiscard]] spec::admissible admissible_of(std::vector<spec::rational> values, bool whole);

}  // namespace backoff::policies
