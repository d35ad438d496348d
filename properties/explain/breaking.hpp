// Learns, while a port is judged, in which regions it breaks. The port is sent no more histories of these regions, so
// that the others can be judged. Checked by: properties/explain/breaking_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "explain/region.hpp"

namespace backoff::explain {

// A region in which the port broke, and how the histories of the run lie in it.
struct breaking_region {
  std::vector<constraint> where;
  std::uint64_t broke = 0;     // histories that broke the port, from which the region was learnt
  std::uint64_t inside = 0;    // of the answered histories that were kept until then, how many lie inside
  std::uint64_t answered = 0;  // how many answered histories were kept until then
  std::uint64_t unsent = 0;    // histories inside since then
};

class breaking {
 public:
  // Another region is learnt from this many histories that broke the port and lie in no known region.
  static constexpr std::uint64_t learnt_from = 12;
  static constexpr std::size_t regions_max = 5;
  // At most one in four of the answered histories may lie in a region: a wider region is mostly chance.
  static constexpr std::size_t answered_min = 20;
  static constexpr std::size_t outside_share = 4;

  breaking(shape const& s, domain const& takes);

  // Takes the next histories of the run with their results. False: enough histories broke the port, and no region tells
  // them from the others.
  [[nodiscard]] bool see(std::span<history const> histories, std::span<result const> results);
  [[nodiscard]] bool contains(history const& h) const;
  [[nodiscard]] breaking_region const* around(history const& h) const;
  [[nodiscard]] std::vector<breaking_region> const& regions() const noexcept { return regions_; }
  // Histories that broke the port since the last region was learnt.
  [[nodiscard]] std::size_t pending() const noexcept { return broke_.size(); }

 private:
  [[nodiscard]] bool learn_another();

  shape const* shape_;
  domain const* takes_;
  std::vector<history> broke_;
  std::vector<history> answered_;  // the first ones
  std::size_t answered_calls_ = 0;
  std::vector<breaking_region> regions_;
};

// In words, such as "max_ms = 0: in all 12 such histories, and in 0 of 600 that the port had answered by then; 566 more
// were not sent".
[[nodiscard]] std::string to_words(shape const& s, domain const& takes, breaking_region const& r);

}  // namespace backoff::explain
