// How a system says what a history of delays in a row needs: the unit of the delays, and the calls.
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
[[nodiscard]] std::optional<int> unit_of(std::string_view name);
// That of a system's delays; 0 where they say none.
[[nodiscard]] int unit_of(shape const& s);
// Whether answers of that system are delays: a number of seconds or of parts of one.
[[nodiscard]] bool tells_delays(shape const& s) noexcept;

[[nodiscard]] bool is_number(field const& f) noexcept;

// Calls before the one that answers the first delay: a reset that has to come first, or the request that is no retry.
[[nodiscard]] std::size_t calls_before(shape const& s);

// Sets the calls of h to those that ask a fresh instance for one delay per draw. False: the system forbids such calls.
[[nodiscard]] bool add_calls(history& h, shape const& s, domain const& takes, std::span<value const> draws);

// The least and the greatest number; nothing where there is no range.
[[nodiscard]] std::optional<std::pair<double, double>> ends_of(spec::admissible const& range);

// Single readings of these cubes, up to that many, those nearest to the document first. How draws are mapped makes no
// difference where they are hidden.
[[nodiscard]] std::vector<spec::cube> single_readings(spec::reading_table const& table, std::vector<spec::cube> all,
                                                      std::size_t most);

}  // namespace backoff::explain
