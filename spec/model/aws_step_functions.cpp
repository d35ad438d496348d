#include "model/aws_step_functions.hpp"

#include <algorithm>
#include <array>

namespace backoff::spec::aws_step_functions {
namespace {

using enum standing;

// In the order of the enumerations of the header, which aws_step_functions_readings_test.cpp demands.
constexpr std::array origin_names{alternative{"previous-try", canonical}, alternative{"first-failure", open}};
constexpr std::array rounding_names{alternative{"exact", canonical},
                                    alternative{"floor", open},
                                    alternative{"nearest", open},
                                    alternative{"nearest-even", open},
                                    alternative{"ceil", open},
                                    alternative{"floor-each-step", open},
                                    alternative{"nearest-each-step", open},
                                    alternative{"nearest-even-each-step", open},
                                    alternative{"ceil-each-step", open}};
constexpr std::array unit_names{alternative{"second", canonical}, alternative{"millisecond", open},
                                alternative{"microsecond", open}, alternative{"nanosecond", open}};
constexpr std::array overflow_names{alternative{"saturates", canonical}, alternative{"infinity", hazard},
                                    alternative{"negative", hazard}, alternative{"wraps", hazard}};

constexpr std::array rows{spec::reading{"delay-origin", origin_names}, spec::reading{"delay-rounding", rounding_names},
                          spec::reading{"rounding-unit", unit_names}, spec::reading{"overflow", overflow_names}};
constexpr reading_table table{rows};

constexpr integer rate_one = 1'000;
constexpr integer exact_in_binary = 125;  // thousandths that make an eighth

whole power_of_ten(unsigned exponent) noexcept { return boost::multiprecision::pow(whole(10), exponent); }

whole const grains = power_of_ten(90);  // of one second
whole const milli_grains = grains / 1'000;
whole const common_grains = power_of_ten(15);  // a factor of most values, out of the way of slower divisions
whole const seconds_end = grains << 41;        // where a second is less than 2^-40
whole const doubles_end = grains << 32;        // what is shorter and of 20 binary places has 52 of them at most
whole const binary_grain = grains >> 20;       // 2^-20 s
whole const endless_from = grains << 1024;
whole const word_size = whole(1) << 32;

enclosure seconds(integer s) noexcept { return {s * grains, s * grains, false}; }

// Beyond 2^41 s a second more is less than anyone can tell: whole seconds then, which are cheap to compare.
rational in_seconds(whole const& g) noexcept {
  if (g >= seconds_end) return rational(whole(g / grains) + 1);
  whole num = g;
  whole den = grains;
  while (den > 1) {
    whole part;
    whole left;
    divide_qr(num, common_grains, part, left);
    if (left != 0) break;
    num = part;
    den /= common_grains;
  }
  return rational(num, den);
}

admissible between(whole const& low, whole const& high) noexcept {
  return admissible::between({in_seconds(low), in_seconds(high)});
}

// Whether doubles may miss the value: the rate is no eighth, or the value has more digits than 32 before and 20 after
// the binary point.
bool blurred(parameters const& p, whole const& x) noexcept {
  if (p.rate_thousandths % exact_in_binary != 0 || x >= doubles_end) return true;
  return x % binary_grain != 0;
}

// As far as doubles may be off.
enclosure widened(parameters const& p, enclosure const& v) noexcept {
  enclosure wide = v;
  if (blurred(p, v.low)) wide.low -= v.low >> 40;
  if (blurred(p, v.high)) wide.high += v.high >> 40;
  return wide;
}

struct rounding {
  delay_rounding how = delay_rounding::exact;
  whole unit = 1;
  [[nodiscard]] bool each_step() const noexcept { return how >= delay_rounding::floor_each_step; }
};

// How the value is to be rounded. Nobody can tell where it is whole anyway, or so large that seconds do not matter.
rounding rounding_of(parameters const& p, enclosure const& v, chooser& readings) noexcept {
  if (v.low >= seconds_end) return {};
  bool const is_whole = v.low == v.high && v.high % grains == 0;
  if (is_whole && !blurred(p, v.high)) return {};
  auto const how = readings.choose<delay_rounding>(reading::delay_rounding);
  if (how == delay_rounding::exact) return {};
  auto const unit = readings.choose<rounding_unit>(reading::rounding_unit);
  return {how, grains / power_of_ten(3 * static_cast<unsigned>(unit))};
}

whole rounded(whole const& x, rounding const& r) noexcept {
  whole const below = x / r.unit;
  whole const twice_left = 2 * (x - below * r.unit);
  bool up = false;
  if (r.how == delay_rounding::ceil || r.how == delay_rounding::ceil_each_step) up = twice_left > 0;
  if (r.how == delay_rounding::nearest || r.how == delay_rounding::nearest_each_step) up = twice_left >= r.unit;
  if (r.how == delay_rounding::nearest_even || r.how == delay_rounding::nearest_even_each_step) {
    up = twice_left > r.unit || (twice_left == r.unit && below % 2 != 0);
  }
  return (up ? whole(below + 1) : below) * r.unit;
}

enclosure rounded(parameters const& p, enclosure const& v, rounding const& r) noexcept {
  enclosure const wide = widened(p, v);
  return {rounded(wide.low, r), rounded(wide.high, r), v.endless};
}

// The formula's value as it is given out; the first is the interval itself.
enclosure given(parameters const& p, enclosure const& v, bool first, chooser& readings) noexcept {
  if (first) return v;
  auto const r = rounding_of(p, v, readings);
  if (r.how == delay_rounding::exact || r.each_step()) return v;
  return rounded(p, v, r);
}

// The wait that the value stands for, and whether it is computed at all.
enclosure wait(parameters const& p, state const& s, enclosure const& value, chooser& readings) noexcept {
  enclosure const here = given(p, value, s.retries == 0, readings);
  if (s.retries == 0 || here.endless) return here;
  if (readings.choose<delay_origin>(reading::delay_origin) == delay_origin::previous_try) return here;
  enclosure const before = given(p, s.reached, s.retries == 1, readings);
  bool const is_rounded = rounding_of(p, value, readings).how != delay_rounding::exact;
  enclosure const from = is_rounded ? before : widened(p, before);
  enclosure const to = is_rounded ? here : widened(p, here);
  return {to.low - from.high, to.high - from.low, false};
}

// The low 32 bits of the number of milliseconds; anything they can hold where that number is not known.
admissible in_32_bits(enclosure const& delay, bool has_sign) noexcept {
  whole const end = has_sign ? whole(word_size / 2) : word_size;
  whole const milliseconds = delay.low / milli_grains;
  bool const is_known = milliseconds == delay.high / milli_grains;
  if (delay.endless || !is_known) {
    return between((end - word_size) * milli_grains, (end - 1) * milli_grains);
  }
  if (milliseconds < end) return between(delay.low, delay.high);
  whole const low_bits = milliseconds % word_size;
  whole const held = (low_bits < end ? low_bits : whole(low_bits - word_size)) * milli_grains;
  return between(held, held);
}

admissible held(enclosure const& delay, chooser& readings) noexcept {
  auto const what = readings.choose<overflow>(reading::overflow);
  if (what == overflow::infinity && delay.endless) return admissible::not_finite();
  if (what == overflow::negative || what == overflow::wraps) return in_32_bits(delay, what == overflow::negative);
  return between(std::min<whole>(delay.low, held_s_max * grains), delay.high);
}

}  // namespace

reading_table const& readings() noexcept { return table; }

std::vector<cube> assignments() noexcept {
  cube const all = table.admitting(hazard);
  auto const r = static_cast<unsigned>(reading::delay_rounding);
  auto const unit = static_cast<unsigned>(reading::rounding_unit);
  return {table.with(table.with(all, r, 0), unit, 0), cube{all.bits & ~table.bit(r, 0)}};
}

enclosure grown(parameters const& p, enclosure const& reached, chooser& readings) noexcept {
  enclosure next{reached.low * p.rate_thousandths / rate_one,
                 (reached.high * p.rate_thousandths + (rate_one - 1)) / rate_one, false};
  if (reached.endless || next.low >= endless_from) {
    // Any finite answer is below: the longest number that a port can write counts as 10^98.
    return {endless_from, power_of_ten(99) * grains, true};
  }
  auto const r = rounding_of(p, next, readings);
  return r.each_step() ? rounded(p, next, r) : next;
}

outcome next(parameters const& p, state& s, chooser& readings) noexcept {
  outcome result;
  facts& f = result.facts;
  f.retries = s.retries;
  if (s.retries >= p.max_attempts) {
    f.announces = !s.exhausted;
    s.exhausted = true;
    result.answer[field_status] = admissible::word(static_cast<std::uint8_t>(status::exhausted));
    return result;
  }
  f.grants = true;
  enclosure const value = s.retries == 0 ? seconds(p.interval_s) : grown(p, s.reached, readings);
  enclosure const delay = wait(p, s, value, readings);
  f.beyond = delay.high > held_s_max * grains;
  result.answer[field_status] = admissible::word(static_cast<std::uint8_t>(status::retry));
  result.answer[field_delay] = f.beyond ? held(delay, readings) : between(delay.low, delay.high);
  s.reached = value;
  ++s.retries;
  return result;
}

}  // namespace backoff::spec::aws_step_functions
