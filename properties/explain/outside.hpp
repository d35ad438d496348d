// Whether a port conforms outside every region of its findings: it is asked fresh histories of a plan, under every
// claim that fails a port. Checked by: properties/explain/outside_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "explain/where.hpp"

namespace backoff::explain {

struct outside {
  std::vector<std::vector<constraint>> regions{};  // of the findings
  std::uint64_t tried = 0;                         // histories in none of them
  std::uint64_t held = 0;                          // of these, histories that broke no claim that fails a port
  // Whether the port conforms outside the regions, as far as was tried.
  [[nodiscard]] bool conforms() const noexcept { return tried >= least && held == tried; }

  static constexpr std::uint64_t least = 100;
  static constexpr std::uint64_t most = 1'000;
};

// Asks the port histories of another seed than the run's, until enough of them lie outside. Asks none if a history of
// `known` fails and lies outside.
[[nodiscard]] outside try_outside(run const& judged, subject& port, std::vector<std::vector<constraint>> regions,
                                  std::span<evidence const> known, std::uint64_t seed, search_limits const& limits);

// The opposite of the regions, such as "base_ms <= max_ms and calls <= 1024" or "not (a_ms > 5 and b_ms > 5)".
[[nodiscard]] std::string to_words(shape const& s, domain const& takes, outside const& of);

}  // namespace backoff::explain
