#include "relation/full_jitter.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

namespace backoff::spec {
namespace {

rational fraction_of(draw const& from, integer whole) { return rational(from.value) * whole / rational(from.size); }

integer floor_of(rational const& x) { return static_cast<integer>(floored(x)); }

admissible hidden_delay(integer window, chooser& readings, full_jitter_readings const& where) {
  if (readings.choose<delay_resolution>(where.delay_resolution) == delay_resolution::real) {
    return admissible::between(0, window);
  }
  bool const inclusive = readings.choose<upper_bound>(where.upper_bound) == upper_bound::inclusive;
  return admissible::integers(0, 1, inclusive ? window + 1 : window);
}

admissible near_delay(integer window, draw const& from, chooser& readings, full_jitter_readings const& where) {
  bool const is_real = readings.choose<delay_resolution>(where.delay_resolution) == delay_resolution::real;
  if (is_real) return admissible::between(near_the_share(window, window, from, fraction_of_a_unit));
  bool const inclusive = readings.choose<upper_bound>(where.upper_bound) == upper_bound::inclusive;
  auto const ends = near_numbers(inclusive ? window + 1 : window, window, from);
  auto const least = floor_of(ends.low);
  return admissible::integers(least, 1, floor_of(ends.high) - least + 1);
}

// floor(r · m / S), give or take 2^-40 of it, in integers: the share is below 2^33, so that it is off by less than 1.
admissible scaled_delay(integer m, draw const& from) {
  __extension__ using wide = unsigned __int128;
  constexpr unsigned fineness = 40;
  wide const product = wide{from.value} * static_cast<std::uint64_t>(m);
  wide const left = product % from.size;
  bool const divides_exactly = std::has_single_bit(from.size);  // then a whole product is never computed as less
  bool const may_be_less = !divides_exactly && left << fineness < product;
  bool const may_be_more = (left << fineness) + product >= wide{from.size} << fineness;
  auto const share = static_cast<integer>(product / from.size);
  integer const least = may_be_less ? share - 1 : share;
  integer const most = std::min(may_be_more ? share + 1 : share, m - 1);
  return admissible::integers(least, 1, most - least + 1);
}

// d = r mod m for some m: m divides every r - d and exceeds every d. Where every d is its r, it is proportional too.
bool is_modulo(std::span<drawn_delay const> delays) {
  integer divisor = 0;
  integer largest = 0;
  for (auto const& [from, delay] : delays) {
    if (from.kind == draw_kind::unit || !delay.value.integral()) return false;
    integer const multiple = static_cast<integer>(from.value) - delay.value.mantissa;
    if (delay.value.mantissa < 0) return false;
    divisor = std::gcd(divisor, multiple);
    largest = std::max(largest, delay.value.mantissa);
  }
  return divisor > largest;
}

// d = floor(r · m / S), or d = r · m / S but for rounding, for some whole m.
bool is_proportional(std::span<drawn_delay const> delays, bool floored) {
  rational const grain(1, integer{1} << 38);
  rational low = 0;
  rational high = rational(big_integer(1) << 80);
  for (auto const& [from, delay] : delays) {
    if (floored && !delay.value.integral()) return false;
    rational const d = to_rational(delay.value);
    if (from.value == 0) {
      if (d != 0) return false;
      continue;
    }
    rational const scale = rational(from.size) / rational(from.value);
    rational const least = (floored ? d : rational(d * (1 - grain))) * scale;
    rational const most = (floored ? rational(d + 1) : rational(d * (1 + grain))) * scale;
    low = std::max(low, least);
    high = std::min(high, most);
  }
  rational const smallest((numerator(low) + denominator(low) - 1) / denominator(low));
  return floored ? smallest < high : smallest <= high;
}

// d = floor(r / q) for some whole q.
bool is_divided(std::span<drawn_delay const> delays) noexcept {
  integer least = 1;
  integer most = std::numeric_limits<integer>::max();
  for (auto const& [from, delay] : delays) {
    if (from.kind == draw_kind::unit || !delay.value.integral() || delay.value.mantissa < 0) return false;
    auto const r = static_cast<integer>(from.value);
    integer const d = delay.value.mantissa;
    least = std::max(least, r / (d + 1) + 1);
    if (d > 0) most = std::min(most, r / d);
  }
  return least <= most;
}

// Delays that tell of no mapping: one is no number, or all are the same.
bool tell_nothing(std::span<drawn_delay const> delays) noexcept {
  auto const is_number = [](drawn_delay const& d) { return d.delay.kind == observed_kind::number; };
  auto const is_first = [&](drawn_delay const& d) { return d.delay == delays.front().delay; };
  return !std::ranges::all_of(delays, is_number) || std::ranges::all_of(delays, is_first);
}

}  // namespace

admissible full_jitter(integer window, draw const& from, chooser& readings, full_jitter_readings const& where) {
  if (window == 0) {
    if (readings.choose<empty_window>(where.empty_window) == empty_window::undefined) return admissible::unjudged();
    return admissible::exactly(0);
  }
  if (from.kind == draw_kind::hidden) return hidden_delay(window, readings, where);
  auto const mapping = readings.choose<draw_mapping>(where.draw_mapping);
  if (mapping == draw_mapping::other) return hidden_delay(window, readings, where);
  if (mapping == draw_mapping::near) return near_delay(window, from, readings, where);
  if (mapping == draw_mapping::real) {
    rational const delay = fraction_of(from, window);
    return admissible::between({delay, delay});
  }
  bool const inclusive = readings.choose<upper_bound>(where.upper_bound) == upper_bound::inclusive;
  integer const size = inclusive ? window + 1 : window;
  auto const r = static_cast<integer>(from.value);
  if (mapping == draw_mapping::modulo) return admissible::exactly(r % size);
  if (mapping == draw_mapping::divided)
    return admissible::exactly(r / ((static_cast<integer>(from.size) - 1) / size + 1));
  return scaled_delay(size, from);
}

closed_interval near_the_share(rational const& window, rational const& m, draw const& from, rational const& unit) {
  constexpr integer parts_of_a_float = integer{1} << 22;
  rational const share = m * rational(from.value) / rational(from.size);
  rational const slack = unit + m / std::min(static_cast<integer>(from.size), parts_of_a_float);
  return {std::max<rational>(share - slack, 0), std::min<rational>(share + slack, window)};
}

closed_interval near_numbers(rational const& m, rational const& end, draw const& from) {
  bool const is_last = near_the_share(m, m, from, 0).high == m;
  auto const ends = near_the_share(is_last ? end : rational(m - 1), m, from, 1);
  return {-floored(-ends.low), floored(ends.high)};
}

std::vector<cube> consistent_assignments(reading_table const& table, full_jitter_readings const& where,
                                         draw_kind draws) {
  cube const all = table.admitting(standing::hazard);
  if (draws == draw_kind::hidden) return {all};
  auto const mapped = [&](draw_mapping mapping) {
    return table.with(all, where.draw_mapping, static_cast<unsigned>(mapping));
  };
  auto const resolved = [&](cube from, delay_resolution resolution) {
    return table.with(from, where.delay_resolution, static_cast<unsigned>(resolution));
  };
  std::vector<cube> result{resolved(mapped(draw_mapping::scaled), delay_resolution::whole),
                           resolved(mapped(draw_mapping::real), delay_resolution::real), mapped(draw_mapping::near),
                           mapped(draw_mapping::other)};
  if (draws != draw_kind::unit) {
    result.push_back(resolved(mapped(draw_mapping::modulo), delay_resolution::whole));
    result.push_back(resolved(mapped(draw_mapping::divided), delay_resolution::whole));
  }
  join_cubes(table, result);
  return result;
}

cube exactly_mapped(reading_table const& table) noexcept {
  cube exact = table.admitting(standing::hazard);
  for (auto const mapping : draw_mappings) {
    auto const reading = table.find(mapping);
    if (!reading) continue;
    for (auto const* name : {"near", "other"}) exact.bits &= ~table.bit(*reading, *table.find(*reading, name));
  }
  return exact;
}

bool in_most_groups(std::span<drawn_delay const> delays, bool (*explained)(std::span<drawn_delay const>)) {
  constexpr std::size_t size = 8;
  std::size_t groups = 0;
  std::size_t met = 0;
  for (std::size_t at = 0; at < delays.size(); at += size) {
    auto const few = delays.subspan(at, std::min(size, delays.size() - at));
    ++groups;
    if (tell_nothing(few) || explained(few)) ++met;
  }
  return 3 * met >= 2 * groups;
}

bool follows_a_listed_mapping(std::span<drawn_delay const> delays) noexcept {
  return in_most_groups(delays, [](std::span<drawn_delay const> few) {
    return is_modulo(few) || is_proportional(few, true) || is_proportional(few, false) || is_divided(few);
  });
}

}  // namespace backoff::spec
