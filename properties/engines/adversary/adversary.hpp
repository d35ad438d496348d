// The worst port that passes. An adversary follows one joint reading from beginning to end, as every port that passes
// must, and gives at each call the admitted answer that lies farthest from the canonical one, or always the lowest, or
// the highest, the tolerance for real numbers used up. It measures
//   - how far from the canonical reading a port may be, and by which reading;
//   - how many values, or how wide an interval, one joint reading admits at one call, given the answers before it. With
//     draws given that must be one value: what lies between documented values is no reading of a document.
// Checked by: properties/engines/adversary/adversary_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "judge/judged_system.hpp"

namespace backoff::engines::adversary {

// The farthest from a canonical answer that an admitted number was, and what admits it.
struct farthest {
  double absolute = 0;  // in the unit of the field
  double relative = 0;  // of the canonical number, where that is not 0
  std::string reading;  // of the absolute one: "reading=alternative", those that are not canonical
  std::string token;    // the history that shows it
};

// The most that one joint reading admits at one call.
struct widest {
  std::uint64_t values = 0;  // integers, or words
  double width = 0;          // of an interval, relative to its larger end
  std::size_t step = 0;      // where, counted from 1; of the shortest history that shows it
  std::string reading;
  std::string token;
};

// One field of the answers under one kind of draws.
struct field_range {
  std::string_view field;
  farthest deviation;
  widest admitted;
  std::uint64_t calls = 0;  // at which the field was admitted at all
};

struct played_worst {
  judged_system const* system;
  draw_source draws;
  std::size_t readings = 0;  // joint readings that were followed
  std::uint64_t histories = 0;
  std::uint64_t calls = 0;
  std::uint64_t unjudged = 0;  // histories that a reading leaves unjudged from some call on
  std::vector<field_range> fields;
};

// Histories of that seed, each under some joint readings: the canonical one, each open alternative alone and some
// combinations, in turns. Ports with no listed mapping of draws are left out: they are judged as if draws were hidden.
// Restricted: what of the parameters is tried, where not all.
using restriction = void (*)(domain&);
[[nodiscard]] played_worst worst_port(judged_system const& system, draw_source draws, std::uint64_t histories,
                                      std::uint64_t seed, restriction restricted = nullptr);

// The kinds of draws that a port of the system may have; one where nothing is drawn.
[[nodiscard]] std::vector<draw_source> kinds_of_draws(judged_system const& system);

// Rows of Markdown.
[[nodiscard]] std::string table_row(played_worst const& played);

}  // namespace backoff::engines::adversary
