// Delays in a row, as a port answered them to histories that ask for nothing else; and how a system says what such a
// history needs: units, limits of attempts, the calls.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "judge/subject.hpp"
#include "relation/number.hpp"
#include "relation/readings.hpp"
#include "relation/relation.hpp"

namespace backoff::explain {

// The power of ten of the unit that a name ends in, in seconds.
[[nodiscard]] std::optional<int> unit_of(std::string_view name) noexcept;
// That of a system's delays; 0 where they say none.
[[nodiscard]] int unit_of(shape const& s) noexcept;

[[nodiscard]] bool is_number(field const& f) noexcept;
// Whether its name says that it limits the retries; and whether it does, or can be without end.
[[nodiscard]] bool counts_attempts(field const& f) noexcept;
[[nodiscard]] bool is_limit(field const& f) noexcept;
// No limit, or the highest.
[[nodiscard]] value unlimited(field const& f, range const& r) noexcept;

// Whether its name says that it is the longest delay.
[[nodiscard]] bool is_cap(std::string_view name) noexcept;

// Calls before the one that answers the first delay: a reset that has to come first, or the request that is no retry.
[[nodiscard]] std::size_t calls_before(shape const& s);

// Sets the calls of h to those that ask a fresh instance for one delay per draw. False: the system forbids such calls.
[[nodiscard]] bool add_calls(history& h, shape const& s, domain const& takes, std::span<value const> draws);

// The least and the greatest number; nothing where there is no range.
[[nodiscard]] std::optional<std::pair<double, double>> ends_of(spec::admissible const& range) noexcept;

// Single readings of these cubes, up to that many, those nearest to the document first. How draws are mapped makes no
// difference where they are hidden.
[[nodiscard]] std::vector<spec::cube> single_readings(spec::reading_table const& table, std::vector<spec::cube> all,
                                                      std::size_t most);

// What a port was asked, and the delays that it answered.
struct cycle {
  history const* asked;
  std::vector<value> draws;  // of the calls that answered a delay
  std::vector<spec::decimal> delays;
};

// Those with a delay at least, up to the first answer without one.
[[nodiscard]] std::vector<cycle> cycles_of(shape const& s, std::span<history const> asked, std::span<result const> got);

}  // namespace backoff::explain
