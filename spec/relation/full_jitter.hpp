// From a draw to the admissible delays inside a window, under every reading of "random between 0 and". Shared by the
// two AWS documents that say so. Checked by: spec/tests/full_jitter_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "relation/rational.hpp"
#include "relation/readings.hpp"
#include "relation/relation.hpp"

namespace backoff::spec {

// Where a step's randomness comes from. u32 and rand: an integer in [0, size). unit: value / size in [0, 1).
// hidden: the port drew for itself.
enum class draw_kind : std::uint8_t { u32, rand, unit, hidden };
struct draw {
  draw_kind kind = draw_kind::hidden;
  std::uint64_t value = 0;
  std::uint64_t size = 1;
  friend bool operator==(draw const&, draw const&) noexcept = default;
};

enum class upper_bound : unsigned { inclusive, exclusive };
enum class empty_window : unsigned { zero, undefined };
enum class draw_mapping : unsigned { modulo, scaled, real, divided, near, other };
enum class delay_resolution : unsigned { whole, real };  // named integer and real
enum class distribution : unsigned { uniform, unspecified };

// The indices of the four readings in a system's table.
struct full_jitter_readings {
  unsigned upper_bound;
  unsigned empty_window;
  unsigned draw_mapping;
  unsigned delay_resolution;
};

// The admissible delays for a window in [0, 2^33), in the unit of the window. With m = window + 1 (inclusive) or window
// (exclusive) and a draw r of size S:
//   modulo r mod m · scaled floor(r · m / S) · real r · window / S · divided floor(r / (floor((S − 1) / m) + 1))
//   near any delay about r · m / S · other, or hidden: {0, …, m − 1} or [0, window].
// Many ports scale in doubles. The floor of any product within relative 2^-40 of the exact one is therefore admitted,
// but never m, and none below the exact one where S is a power of two. Near is for coarser arithmetic. It admits whole
// delays within 1 + m / min(S, 2^22) of r · m / S, and real delays within 1/100 + window / min(S, 2^22) of r · window /
// S. The first summand allows for rounding. The second is the share of one draw, or of one of the parts that a 32-bit
// float is sure to tell apart. The last draws may become the window, even where it is exclusive. An empty window (0)
// admits 0 alone, or is unjudged where the reading empty-window says so.
[[nodiscard]] admissible full_jitter(integer window, draw const& from, chooser& readings,
                                     full_jitter_readings const& where);

// Numbers within `unit` + m / min(S, 2^22) of the draw's share of m, inside [0, window].
[[nodiscard]] closed_interval near_the_share(rational const& window, rational const& m, draw const& from,
                                             rational const& unit);
inline rational const fraction_of_a_unit{1, 100};  // by which near rounds real delays
// The first and the last whole number near the draw's share of m, below m. The last draws may also become `end`: m for
// an exclusive window, m - 1 for an inclusive one.
[[nodiscard]] closed_interval near_numbers(rational const& m, rational const& end, draw const& from);

// The joint assignments that make sense for a kind of draw: a unit draw has no remainder and cannot be divided, and an
// exact mapping settles whether delays are integers or reals.
[[nodiscard]] std::vector<cube> consistent_assignments(reading_table const& table, full_jitter_readings const& where,
                                                       draw_kind draws);

// The names of the readings of how a draw becomes a delay. A table may have none, one or both.
inline constexpr std::array<std::string_view, 2> draw_mappings{"draw-mapping", "jitter-mapping"};
// All assignments that say which delay each draw becomes: those without the alternatives near and other.
[[nodiscard]] cube exactly_mapped(reading_table const& table) noexcept;

struct drawn_delay {
  draw from;
  observed delay;
};
// Whether `explained` holds for two thirds of the groups of eight delays, which a port drew from the same window. A
// port that differs at single draws has the mapping of the others, and a fault. Constant delays do not depend on the
// draw; they count as explained, so that the port is judged by the exact mappings.
[[nodiscard]] bool in_most_groups(std::span<drawn_delay const> delays, bool (*explained)(std::span<drawn_delay const>));

// Whether one exact mapping explains most groups, with any whole window: modulo, scaled, real or divided.
[[nodiscard]] bool follows_a_listed_mapping(std::span<drawn_delay const> delays) noexcept;

}  // namespace backoff::spec
