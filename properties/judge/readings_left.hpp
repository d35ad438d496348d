// The joint readings of the document that a port may still follow: those that nothing it did has refuted. The set only
// shrinks. It includes hazards, as one of them may explain a port that no admitted reading fits.
// Checked by: properties/judge/readings_left_test.cpp.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "judge/terms.hpp"

namespace backoff::judge {

// Of all assignments in the cubes, the one with the fewest non-canonical alternatives. `cubes` is not empty.
[[nodiscard]] spec::cube simplest_among(spec::reading_table const& table,
                                        std::vector<spec::cube> const& cubes) noexcept;

class readings_left {
 public:
  // Begins with all assignments that fit the port's kind of draw and the pinned alternatives.
  explicit readings_left(terms const& held_to);

  // Before the first history: restricts the initial assignments to `cube`. Changes nothing if that would leave no
  // admitted assignment.
  void begin_within(spec::cube cube);
  // Keeps what the answers to one history leave of each set of assignments.
  void narrow(std::span<assignment_outcome const> outcomes);
  // Keeps what hidden draws leave of with_hazards() and of never_broken().
  void narrow_to(std::vector<spec::cube> left, std::vector<spec::cube> never_broken) {
    left_ = std::move(left);
    never_broken_ = std::move(never_broken);
  }

  // initial: the assignments at the start that are admitted. initial_with_hazards: all at the start.
  [[nodiscard]] std::vector<spec::cube> const& initial() const noexcept { return initial_; }
  [[nodiscard]] std::vector<spec::cube> const& initial_with_hazards() const noexcept { return initial_with_hazards_; }
  // admitted: the assignments left that are admitted. with_hazards: all that are left.
  [[nodiscard]] std::vector<spec::cube> admitted() const { return admitted_of(left_); }
  [[nodiscard]] std::vector<spec::cube> const& with_hazards() const noexcept { return left_; }
  // Of with_hazards(), those under which no claim of any strength was broken.
  [[nodiscard]] std::vector<spec::cube> const& never_broken() const noexcept { return never_broken_; }

  [[nodiscard]] bool admits(spec::cube c) const { return table_->common(c, admitted_).has_value(); }
  [[nodiscard]] std::vector<spec::cube> admitted_of(std::vector<spec::cube> const& from) const;
  // The assignments at the start with at most one alternative that is not admitted.
  [[nodiscard]] std::vector<spec::cube> initial_with_one_hazard() const;

 private:
  spec::reading_table const* table_;
  spec::cube admitted_;
  std::vector<spec::cube> initial_;
  std::vector<spec::cube> initial_with_hazards_;
  std::vector<spec::cube> left_;
  std::vector<spec::cube> never_broken_;
};

}  // namespace backoff::judge
