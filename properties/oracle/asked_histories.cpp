#include "oracle/asked_histories.hpp"

#include <algorithm>

namespace backoff::oracle {

void asked_histories::add(std::span<history const> histories) {
  if (!planned_) unplanned_.insert(unplanned_.end(), histories.begin(), histories.end());
  count_ += histories.size();
}

std::vector<history> asked_histories::before(std::uint64_t index) const {
  auto const first_of = [](std::vector<history> const& all, std::uint64_t count) {
    return std::vector(all.begin(),
                       all.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(count, all.size())));
  };
  if (index >= count_) return first_of(samples_, index - count_);  // a fresh process, which was asked nothing else
  if (!planned_) return first_of(unplanned_, index);
  std::uint64_t const count = std::min(index, most);
  plan again = *planned_;
  again.skip(index - count);
  auto const asked = again.next(static_cast<std::size_t>(count));
  return {asked.begin(), asked.end()};
}

}  // namespace backoff::oracle
