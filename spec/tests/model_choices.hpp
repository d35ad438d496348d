// Names for joint assignments: a test says what it pins and gets the canonical reading of everything else.
#pragma once

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "model/readings.hpp"

namespace backoff::spec {

struct pin {
  std::string_view reading;
  std::string_view alternative;
};

inline cube pinned(reading_table const& table, std::vector<pin> const& pins) {
  cube result = table.admitting(standing::canonical);
  for (auto const& p : pins) {
    unsigned const reading = table.find(p.reading).value();
    result = table.with(result, reading, table.find(reading, p.alternative).value());
  }
  return result;
}

// What `model` answers under one assignment. With nothing left to choose, no model may fork.
template <class Model>
auto under(reading_table const& table, cube assignment, Model const& model) {
  std::vector<cube> elsewhere;
  chooser readings(table, assignment, elsewhere);
  auto const result = model(readings);
  EXPECT_EQ(elsewhere.size(), 0U) << "forked under a single assignment";
  return result;
}

}  // namespace backoff::spec
