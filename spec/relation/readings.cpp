#include "relation/readings.hpp"

#include <cstddef>

namespace backoff::spec {

cube reading_table::admitting(standing worst) const noexcept {
  cube all;
  for (unsigned r = 0; r < readings_.size(); ++r) {
    for (unsigned a = 0; a < readings_[r].alternatives.size(); ++a) {
      if (readings_[r].alternatives[a].standing <= worst) all.bits |= bit(r, a);
    }
  }
  return all;
}

std::optional<cube> reading_table::common(cube a, cube b) const noexcept {
  cube const both{a.bits & b.bits};
  for (unsigned r = 0; r < readings_.size(); ++r) {
    if ((both.bits & field(r)) == 0) return std::nullopt;
  }
  return both;
}

std::optional<cube> reading_table::joined(cube a, cube b) const {
  int differing = 0;
  for (unsigned each = 0; each < readings_.size(); ++each) {
    if ((a.bits & field(each)) != (b.bits & field(each))) ++differing;
  }
  if (differing > 1) return std::nullopt;
  return cube{a.bits | b.bits};
}

cube reading_table::with(cube from, unsigned reading, unsigned alternative) const noexcept {
  return {(from.bits & ~field(reading)) | bit(reading, alternative)};
}

cube reading_table::simplest(cube of) const noexcept {
  cube const canonical = admitting(standing::canonical);
  cube result;
  for (unsigned at = 0; at < readings_.size(); ++at) {
    std::uint64_t const here = of.bits & field(at);
    std::uint64_t const good = here & canonical.bits;
    std::uint64_t const from = good != 0 ? good : here;
    result.bits |= from & (~from + 1);
  }
  return result;
}

int reading_table::deviations(cube assignment) const {
  return std::popcount(assignment.bits & ~admitting(standing::canonical).bits);
}

std::optional<unsigned> reading_table::find(std::string_view reading) const noexcept {
  for (unsigned r = 0; r < readings_.size(); ++r) {
    if (readings_[r].name == reading) return r;
  }
  return std::nullopt;
}

std::optional<unsigned> reading_table::find(unsigned reading, std::string_view alternative) const noexcept {
  for (unsigned a = 0; a < readings_[reading].alternatives.size(); ++a) {
    if (readings_[reading].alternatives[a].name == alternative) return a;
  }
  return std::nullopt;
}

std::vector<cube> common_cubes(reading_table const& table, std::vector<cube> const& a, std::vector<cube> const& b) {
  std::vector<cube> result;
  for (auto const x : a) {
    for (auto const y : b) {
      if (auto const both = table.common(x, y)) result.push_back(*both);
    }
  }
  return result;
}

void join_cubes(reading_table const& table, std::vector<cube>& cubes) {
  for (std::size_t i = 0; i < cubes.size();) {
    bool grown = false;
    for (std::size_t j = i + 1; j < cubes.size(); ++j) {
      auto const both = table.joined(cubes[i], cubes[j]);
      if (!both) continue;
      cubes[i] = *both;
      cubes.erase(cubes.begin() + static_cast<std::ptrdiff_t>(j));
      grown = true;
      break;
    }
    i = grown ? 0 : i + 1;
  }
}

}  // namespace backoff::spec
