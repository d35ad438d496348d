// Names for joint assignments: a test says what it pins and gets the canonical reading of everything else. And what a
// table says of a reading, in words.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "histories/present.hpp"
#include "relation/readings.hpp"

namespace backoff::spec {

struct pin {
  std::string_view reading;
  std::string_view alternative;
};

inline cube pinned(reading_table const& table, std::vector<pin> const& pins) {
  cube result = table.admitting(standing::canonical);
  for (auto const& p : pins) {
    unsigned const reading = histories::present(table.find(p.reading));
    result = table.with(result, reading, histories::present(table.find(reading, p.alternative)));
  }
  return result;
}

// The reading's name, and its alternatives in their order: those that are not canonical with their standing.
template <class Reading>
std::vector<std::string> names_and_standings(reading_table const& table, Reading r) {
  constexpr std::string_view suffixes[]{"", " open", " hazard"};
  auto const& [name, alternatives] = table.readings()[static_cast<unsigned>(r)];
  std::vector<std::string> found{std::string(name)};
  for (auto const& a : alternatives) found.emplace_back(a.name).append(suffixes[static_cast<unsigned>(a.standing)]);
  return found;
}

// What `model` answers under one assignment. With nothing left to choose, no model may fork.
template <class Model>
auto under(reading_table const& table, cube assignment, Model const& model) {
  std::vector<cube> elsewhere;
  chooser readings(table, assignment, elsewhere);
  auto result = model(readings);
  EXPECT_EQ(elsewhere.size(), 0U) << "forked under a single assignment";
  return result;
}

}  // namespace backoff::spec
