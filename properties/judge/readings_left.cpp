#include "judge/readings_left.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace backoff::judge {

spec::cube simplest_among(spec::reading_table const& table, std::vector<spec::cube> const& cubes) noexcept {
  auto const best = std::ranges::min_element(
      cubes, {}, [&](spec::cube c) { return std::pair(table.deviations(table.simplest(c)), table.simplest(c).bits); });
  return table.simplest(*best);
}

readings_left::readings_left(terms const& held_to)
    : table_(&held_to.system().readings()),
      admitted_(held_to.admitted()),
      left_(held_to.system().assignments(held_to.draws().kind)) {
  for (auto const& [reading, alternative] : held_to.options().pinned) {
    std::vector<spec::cube> pinned;
    for (auto const c : left_) {
      if (auto const both = table_->common(c, table_->with(c, reading, alternative))) pinned.push_back(*both);
    }
    left_ = std::move(pinned);
  }
  never_broken_ = left_;
  initial_with_hazards_ = left_;
  initial_ = admitted();
}

std::vector<spec::cube> readings_left::admitted_of(std::vector<spec::cube> const& from) const {
  return spec::common_cubes(*table_, from, {admitted_});
}

void readings_left::begin_within(spec::cube cube) {
  auto left = spec::common_cubes(*table_, left_, {cube});
  auto admitted = admitted_of(left);
  if (admitted.empty()) return;
  left_ = std::move(left);
  never_broken_ = left_;
  initial_with_hazards_ = left_;
  initial_ = std::move(admitted);
}

void readings_left::narrow(std::span<assignment_outcome const> outcomes) {
  auto const narrows = [&](assignment_outcome const& o) {
    return !o.alive || (any(o.broken) && std::ranges::any_of(never_broken_, [&](spec::cube c) {
                          return table_->common(c, o.where).has_value();
                        }));
  };
  if (std::ranges::none_of(outcomes, narrows)) return;
  std::vector<spec::cube> never_broken;
  left_.clear();
  for (auto const& o : outcomes) {
    if (!o.alive) continue;
    left_.push_back(o.where);
    if (any(o.broken)) continue;
    std::ranges::copy(spec::common_cubes(*table_, never_broken_, {o.where}), std::back_inserter(never_broken));
  }
  spec::join_cubes(*table_, left_);
  spec::join_cubes(*table_, never_broken);
  never_broken_ = std::move(never_broken);
}

std::vector<spec::cube> readings_left::initial_with_one_hazard() const {
  auto const hazards = table_->admitting(spec::standing::hazard);
  std::vector<spec::cube> all = initial_;
  for (unsigned r = 0; r < table_->readings().size(); ++r) {
    spec::cube const wider{(admitted_.bits & ~table_->field(r)) | (hazards.bits & table_->field(r))};
    std::ranges::copy(spec::common_cubes(*table_, initial_with_hazards_, {wider}), std::back_inserter(all));
  }
  return all;
}

}  // namespace backoff::judge
