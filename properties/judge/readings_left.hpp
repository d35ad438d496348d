// Which joint readings of the document a port still may follow: those that nothing it did has refuted. The set is only
// ever intersected. Hazards are kept in it too, since one of them may explain a port that no admitted reading fits.
// Checked by: properties/judge/readings_left_test.cpp.
#pragma once

#include <span>
#include <vector>

#include "judge/terms.hpp"

namespace backoff::judge {

// The assignment with the fewest readings that are not canonical, of all in the cubes; there is one at least.
[[nodiscard]] spec::cube simplest_among(spec::reading_table const& table,
                                        std::vector<spec::cube> const& cubes) noexcept;

class readings_left {
 public:
  // All that make sense for the port's kind of draws, and agree with what is pinned.
  explicit readings_left(terms const& held_to) noexcept;

  // Before the first history: only assignments in `cube` are left, from the start on. Nothing changes where the options
  // leave no choice.
  void begin_within(spec::cube cube) noexcept;
  // What the answers to one history left of each set of assignments.
  void narrow(std::span<assignment_outcome const> outcomes) noexcept;
  // The same of draws: `living` says what is left of some cubes.
  template <class Living>
  void narrow_to(Living living) noexcept {
    left_ = living(left_);
    never_broken_ = living(never_broken_);
  }

  // What is admitted of all that was there at the start; the same with hazards.
  [[nodiscard]] std::vector<spec::cube> const& initial() const noexcept { return initial_; }
  [[nodiscard]] std::vector<spec::cube> const& initial_with_hazards() const noexcept { return initial_with_hazards_; }
  // What is left of them.
  [[nodiscard]] std::vector<spec::cube> admitted() const noexcept { return admitted_of(left_); }
  [[nodiscard]] std::vector<spec::cube> const& with_hazards() const noexcept { return left_; }
  // Of these, the ones under which no claim of any strength is broken.
  [[nodiscard]] std::vector<spec::cube> const& never_broken() const noexcept { return never_broken_; }

  [[nodiscard]] bool admits(spec::cube c) const noexcept { return table_->common(c, admitted_).has_value(); }
  [[nodiscard]] std::vector<spec::cube> admitted_of(std::vector<spec::cube> const& from) const noexcept;
  // What is admitted at the start, and what one hazard beside it makes possible.
  [[nodiscard]] std::vector<spec::cube> initial_with_one_hazard() const noexcept;

 private:
  spec::reading_table const* table_;
  spec::cube admitted_;
  std::vector<spec::cube> initial_;
  std::vector<spec::cube> initial_with_hazards_;
  std::vector<spec::cube> left_;
  std::vector<spec::cube> never_broken_;
};

}  // namespace backoff::conformance
