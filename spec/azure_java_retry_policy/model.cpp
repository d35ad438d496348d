#include "azure_java_retry_policy/model.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace backoff::spec::azure_java_retry_policy {
namespace {

using whole = big_integer;

constexpr reading_table table{all_readings};

constexpr integer factor_one = 1'000;
constexpr integer exact_in_binary = 125;  // thousandths that make an eighth
constexpr integer doubles_end = integer{1} << 53;
rational const fineness(1, integer{1} << 40);  // as far as doubles may be off

// Towards 0.
rational cut(rational const& x) { return static_cast<integer>(x); }
rational ceiled(rational const& x) { return -floored(-x); }

admissible word(bool b) { return admissible::word(b ? 1 : 0); }
admissible either() { return admissible::words(0b11); }

// The ends of the random factor: C · (1 - Jd) and C · (1 - Ju).
rational end_of(parameters const& p, integer thousandths) {
  return rational(p.c_ms * (factor_one - thousandths)) / factor_one;
}
bool ends_are_inverted(parameters const& p) noexcept { return p.jd_thousandths < p.ju_thousandths; }
bool bounds_are_inverted(parameters const& p) noexcept { return p.cmin_ms > p.cmax_ms || ends_are_inverted(p); }
bool eighths(parameters const& p) noexcept {
  bool const jd = p.jd_thousandths % exact_in_binary == 0;
  bool const ju = p.ju_thousandths % exact_in_binary == 0;
  return jd && ju;
}

// Numbers from low to high: all of them or, where step is not 0, low, low + step and so on below high, and high.
// Doubles may miss them by `slack`.
struct range {
  rational low;
  rational high;
  integer step = 0;
  rational slack{};
};

range whole_numbers(rational low, rational high) { return {std::move(low), std::move(high), 1, 0}; }
range point(rational const& at) { return {at, at, 0, 0}; }

// floor(r · n / S), as doubles have it: a product just below a whole number may become that number; where S is no power
// of two the quotient is off already, either way.
range scaled(draw const& from, rational const& n) {
  rational const exact = n * rational(from.value) / rational(from.size);
  rational const slack = exact * fineness;
  rational const least = std::has_single_bit(from.size) ? exact : rational(exact - slack);
  return whole_numbers(floored(least), std::min<rational>(floored(exact + slack), n - 1));
}

range real_factor(parameters const& p, draw const& from, chooser& readings) {
  rational const a = end_of(p, p.jd_thousandths);
  rational const b = end_of(p, p.ju_thousandths);
  // The document knows no way from the higher end to the lower: any number between them.
  if (ends_are_inverted(p)) return {b, a};
  if (from.kind == draw_kind::hidden) return {a, b};
  auto const mapping = readings.choose<draw_mapping>(reading::draw_mapping);
  bool const is_of_reals = mapping == draw_mapping::real || mapping == draw_mapping::near;
  if (!is_of_reals) return {a, b};
  rational const width = b - a;
  if (mapping == draw_mapping::real) return point(a + width * rational(from.value) / rational(from.size));
  auto const share = near_the_share(width, width, from, 0);
  return {a + share.low, a + share.high, 0, fraction_of_a_unit};
}

range integer_factor(parameters const& p, draw const& from, bool inclusive, chooser& readings) {
  rational const least = end_of(p, std::max(p.jd_thousandths, p.ju_thousandths));
  rational const most = end_of(p, std::min(p.jd_thousandths, p.ju_thousandths));
  rational const grain = eighths(p) ? rational(0) : fineness;
  rational const low = floored(least - least * grain);
  rational const high = floored(most + most * grain);
  rational const low_at_most = floored(least + least * grain);
  rational const high_at_least = floored(most - most * grain);
  bool const sure = low == low_at_most && high == high_at_least;
  if (!sure || ends_are_inverted(p)) return whole_numbers(low, high);
  bool const reaches_high = inclusive || high == low;
  rational const last = reaches_high ? high : rational(high - 1);
  if (from.kind == draw_kind::hidden) return whole_numbers(low, last);
  auto const mapping = readings.choose<draw_mapping>(reading::draw_mapping);
  rational const n = last - low + 1;
  if (mapping == draw_mapping::scaled) {
    range const part = scaled(from, n);
    return whole_numbers(low + part.low, low + part.high);
  }
  if (mapping == draw_mapping::near) {
    auto const ends = near_numbers(n, high - low, from);
    return whole_numbers(low + ends.low, low + ends.high);
  }
  bool const is_by_remainder = mapping == draw_mapping::modulo;
  if (!is_by_remainder && mapping != draw_mapping::divided) return whole_numbers(low, last);
  whole const r(from.value);
  whole const size = numerator(n);
  whole const numbers_apart = (whole(from.size) - 1) / size + 1;
  rational const drawn = low + rational(is_by_remainder ? whole(r % size) : whole(r / numbers_apart));
  return whole_numbers(drawn, drawn);
}

// Whether every number on the way to a delay has at most 53 bits: all are multiples of one part, of which none has more
// than the longest delay.
bool exact_in_doubles(parameters const& p, draw const& from, rational const& factor, rational const& longest) {
  rational const drawn = rational(from.value) / rational(from.size);
  whole const parts = 8 * denominator(drawn) * denominator(factor);
  bool const binary = eighths(p) && std::has_single_bit(from.size);
  return binary && longest * parts <= doubles_end;
}

// 2^(x-1) - 1; 2^x - 1. Beyond 2^128 any factor but 0 is past every maximum: the least is 2^-64 thousandths.
rational power_less_one(integer exponent) {
  constexpr integer enough = 128;
  constexpr integer in_words = 62;
  if (exponent <= in_words) return (integer{1} << exponent) - 1;
  return rational((whole(1) << static_cast<unsigned>(std::min(exponent, enough))) - 1);
}

// Rounds whatever has fractions.
range rounded(range const& r, rational const& least, rational const& cmax, chooser& readings) {
  bool const is_whole = r.step != 0 || (r.low == r.high && r.slack == 0 && r.low.is_whole());
  if (is_whole) return r;
  auto const how = readings.choose<delay_rounding>(reading::delay_rounding);
  if (how == delay_rounding::exact) return r;
  rational const low = std::min<rational>(std::max<rational>(r.low - r.slack, least), cmax);
  rational const high = std::min<rational>(r.high + r.slack, cmax);
  if (how == delay_rounding::truncate) return whole_numbers(floored(low), cut(high));
  if (how == delay_rounding::ceil) return whole_numbers(ceiled(low), ceiled(high));
  rational const half(1, 2);
  return whole_numbers(ceiled(low - half), floored(high + half));
}

// What the formula is evaluated with: the power of two less one, and how many times the wait is waited.
struct growth {
  rational factor;
  integer times;
};

// times · (Cmin + factor · random), at most Cmax.
range computed(parameters const& p, draw const& from, growth const& by, chooser& readings) {
  auto const& [factor, times] = by;
  rational const cmax = p.cmax_ms;
  auto const kind = readings.choose<rand_kind>(reading::rand_kind);
  range const random = kind == rand_kind::real
                           ? real_factor(p, from, readings)
                           : integer_factor(p, from, kind == rand_kind::integer_inclusive, readings);
  rational const one_end = times * (p.cmin_ms + factor * random.low);
  rational const other_end = times * (p.cmin_ms + factor * random.high);
  range result{std::min(one_end, other_end), std::max(one_end, other_end), 0, 0};
  if (result.low - result.low * fineness >= cmax) return point(cmax);
  bool const adds = factor > 0;
  if (random.step != 0 && adds) {
    // Beyond the maximum the step is of no account, and may be larger than an integer.
    rational const step = std::min<rational>(times * factor, cmax + 1);
    result.step = static_cast<integer>(numerator(step));
  } else {
    rational const longest = times * (p.cmin_ms + abs(factor) * random.high);
    if (!exact_in_doubles(p, from, factor, longest)) result.slack = std::min(longest, cmax) * fineness;
  }
  // Nothing that is added to the minimum makes it less, in doubles either.
  rational const least = adds ? rational(times * p.cmin_ms) : rational(result.low - result.slack - random.slack);
  if (random.slack > 0 && result.low < cmax) {
    result.low = std::max<rational>(result.low - random.slack, least);
    result.high += random.slack;
  }
  result.low = std::min(result.low, cmax);
  result.high = std::min(result.high, cmax);
  return rounded(result, least, cmax, readings);
}

// Before the first retry the factor is -1/2.
range before_the_first(parameters const& p, draw const& from, integer times, chooser& readings) {
  bool const held = readings.choose<below_minimum>(reading::below_minimum) == below_minimum::held;
  if (held) return point(std::min(times * p.cmin_ms, p.cmax_ms));
  range r = computed(p, from, {rational(-1, 2), times}, readings);
  r.low -= r.slack;  // what cancels out leaves an error behind that is no longer relative to what is left
  r.high += r.slack;
  return r;
}

range backed_off(parameters const& p, failure const& f, integer times, chooser& readings) {
  if (times * p.cmin_ms >= p.cmax_ms && f.retry_count > 0) return point(p.cmax_ms);
  bool const less_one = readings.choose<exponent>(reading::exponent) == exponent::less_one;
  if (less_one && f.retry_count == 0) return before_the_first(p, f.from, times, readings);
  rational const factor = power_less_one(less_one ? f.retry_count - 1 : f.retry_count);
  if (factor == 0) return point(std::min(times * p.cmin_ms, p.cmax_ms));
  // Nothing to ask where the least of all kinds is past the maximum.
  rational const least = floored(end_of(p, std::max(p.jd_thousandths, p.ju_thousandths)) * (1 - fineness));
  if (times * (p.cmin_ms + factor * least) >= p.cmax_ms) return point(p.cmax_ms);
  return computed(p, f.from, {factor, times}, readings);
}

// What the default policy waits.
range waited(parameters const& p, failure const& f, error_shapes_delay how, chooser& readings) {
  if (how == error_shapes_delay::longest) return point(p.cmax_ms);
  return backed_off(p, f, how == error_shapes_delay::doubled ? 2 : 1, readings);
}

bool passes_the_filter(error e, chooser& readings) {
  if (e != error::service) return e == error::protocol || e == error::retryable;
  return readings.choose<service_filter>(reading::service_filter) == service_filter::passes;
}

// What the default policy makes of an error that passes.
error_shapes_delay shape_of(error e, chooser& readings) {
  if (e != error::service) return error_shapes_delay::count_alone;
  return readings.choose<error_shapes_delay>(reading::error_shapes_delay);
}

admissible delays_of(range const& r) {
  if (r.step == 0) return admissible::between({r.low, r.high});
  auto const first = static_cast<integer>(numerator(r.low));
  auto const last = static_cast<integer>(numerator(r.high));
  if (first == last) return admissible::exactly(first);
  integer const count = (last - first) / r.step + 1;
  auto const lattice = admissible::integers(first, r.step, count);
  return first + (count - 1) * r.step == last ? lattice : lattice.or_exactly(last);
}

// As far as doubles may be off when elapsed time and delay are added up and compared with the total.
rational margin_of(range const& r, integer total_ms) {
  rational const grains = std::max(denominator(r.low), denominator(r.high));
  bool const exact = r.slack == 0 && total_ms * grains < doubles_end;
  return exact ? rational(0) : rational(r.slack + total_ms * fineness);
}

// What is left of the delays when they may not be longer than `room`.
range within(range const& r, rational const& room) {
  if (r.high <= room) return r;
  range result = r;
  result.high = room;
  if (r.step != 0) result.high = r.low + floored((room - r.low) / r.step) * r.step;
  return result;
}

// Whether there is time left for the delay; where that depends on what was drawn, a retry admits what is short enough.
admissible in_time(parameters const& p, integer elapsed_ms, range& r, chooser& readings) {
  if (!p.total_time_ms) return word(true);
  integer const room = *p.total_time_ms - elapsed_ms;
  if (room < 0) return word(false);
  rational const margin = margin_of(r, *p.total_time_ms);
  if (r.high + margin <= room) return word(true);
  if (readings.choose<total_time>(reading::total_time) == total_time::has_been_exceeded) return word(true);
  if (r.low - margin > room) return word(false);
  r = within(r, room + margin);
  return either();
}

}  // namespace

reading_table const& readings() noexcept { return table; }

std::vector<cube> assignments(draw_kind draws) {
  cube const all = table.admitting(standing::hazard);
  if (draws == draw_kind::hidden) return {all};
  auto const rest_of = [](auto name, auto alternative) {
    return ~table.bit(static_cast<unsigned>(name), static_cast<unsigned>(alternative));
  };
  auto const mapped = [](cube from, draw_mapping mapping) {
    return table.with(from, static_cast<unsigned>(reading::draw_mapping), static_cast<unsigned>(mapping));
  };
  cube const real = table.with(all, static_cast<unsigned>(reading::rand_kind), static_cast<unsigned>(rand_kind::real));
  cube const integers{all.bits & rest_of(reading::rand_kind, rand_kind::real)};
  std::vector<cube> result{mapped(real, draw_mapping::real), mapped(integers, draw_mapping::scaled),
                           mapped(all, draw_mapping::near), mapped(all, draw_mapping::other)};
  if (draws != draw_kind::unit) {
    result.push_back(mapped(integers, draw_mapping::modulo));
    result.push_back(mapped(integers, draw_mapping::divided));
  }
  join_cubes(table, result);
  return result;
}

outcome decide(parameters const& p, failure const& f, chooser& readings) {
  outcome result;
  facts& at = result.facts;
  at.policy = p.policy;
  at.error = f.error;
  at.retry_count = f.retry_count;
  at.limited = p.total_time_ms.has_value();
  bool const is_custom = p.policy == policy::custom;
  bool const is_jittered = p.policy == policy::exponential_backoff_with_jitter;
  at.least_ms = std::min(p.cmin_ms, p.cmax_ms);
  at.most_ms = p.cmax_ms;
  at.vetoed = is_custom && !f.custom_retry;
  at.inverted = is_jittered && bounds_are_inverted(p);

  auto& answer = result.answer;
  bool const taken =
      !at.inverted || readings.choose<inverted_bounds>(reading::inverted_bounds) == inverted_bounds::taken;
  answer[field_status] = admissible::word(static_cast<std::uint8_t>(taken ? status::answered : status::rejected));
  if (!taken) return result;
  at.passes = passes_the_filter(f.error, readings);
  // Whether a built-in policy was asked, only the port could know; a custom one need not be asked once time is over.
  bool const over = f.elapsed_ms > p.total_time_ms.value_or(f.elapsed_ms);
  bool const untold = !is_custom || (at.passes && over);
  answer[field_consulted] = untold ? either() : word(at.passes);
  answer[field_retry] = word(false);
  if (!at.passes || at.vetoed || p.policy == policy::no_retry) return result;

  auto const how = is_jittered ? shape_of(f.error, readings) : error_shapes_delay::count_alone;
  at.vetoed = how == error_shapes_delay::ends;
  if (at.vetoed) return result;
  range delays = is_custom ? point(f.custom_delay_ms) : waited(p, f, how, readings);
  at.at_cap = is_jittered && delays.low == p.cmax_ms;
  answer[field_retry] = in_time(p, f.elapsed_ms, delays, readings);
  if (answer[field_retry] == word(false)) return result;
  answer[field_delay] = delays_of(delays);
  return result;
}

}  // namespace backoff::spec::azure_java_retry_policy
