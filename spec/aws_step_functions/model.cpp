#include "aws_step_functions/model.hpp"

#include <algorithm>
#include <array>

namespace backoff::spec::aws_step_functions {
namespace {

constexpr reading_table table{all_readings};

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
whole const read_end = power_of_ten(80) * grains;      // longer decimals are read as no shorter than this
whole const longest_read = power_of_ten(99) * grains;  // and as shorter than this
whole const word_size = whole(1) << 32;

constexpr unsigned forgiven = 40;  // binary places of every real answer, and of what several products come to
constexpr unsigned of_one_product = 50;
// Less than that below the formula, a port has not saturated: rounding seconds that nobody can tell apart, each step
// after the one before, makes 2^-41 for each of a thousand steps at the slowest growth.
constexpr unsigned of_many_seconds = 30;

enclosure seconds(integer s) noexcept { return {s * grains, s * grains, false, false}; }

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

admissible given_out(enclosure const& v) noexcept {
  if (v.is_an_end) return admissible::either({in_seconds(v.low), in_seconds(v.high)});
  return between(v.low, v.high);
}

// Whether doubles may miss the value: the rate is no eighth, or the value has more digits than 32 before and 20 after
// the binary point.
bool blurred(parameters const& p, whole const& x) noexcept {
  if (p.rate_thousandths % exact_in_binary != 0 || x >= doubles_end) return true;
  return x % binary_grain != 0;
}

// As far as doubles may be off, which that many binary places hold. factor: what the value is a product of may be
// missed.
enclosure widened(parameters const& p, enclosure const& v, unsigned places, bool factor = false) noexcept {
  enclosure wide = v;
  if (factor || blurred(p, v.low)) wide.low -= v.low >> places;
  if (factor || blurred(p, v.high)) wide.high += v.high >> places;
  return wide;
}

struct rounding {
  delay_rounding how = delay_rounding::exact;
  whole unit = 1;
  [[nodiscard]] bool each_step() const noexcept { return how >= delay_rounding::floor_each_step; }
};

// How the value is to be rounded. Nobody can tell where it is whole anyway, or so large that seconds do not matter.
rounding rounding_of(parameters const& p, enclosure const& v, chooser& readings, bool factor = false) noexcept {
  if (v.low >= seconds_end) return {};
  bool const is_whole = v.low == v.high && v.high % grains == 0;
  if (is_whole && !factor && !blurred(p, v.high)) return {};
  auto const how = readings.choose<delay_rounding>(reading::delay_rounding);
  if (how == delay_rounding::exact) return {};
  auto const unit = readings.choose<rounding_unit>(reading::rounding_unit);
  if (unit == rounding_unit::second) return {how, grains};
  return {how, grains / power_of_ten(3 * (static_cast<unsigned>(unit) + 1))};
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

// Neighbours further apart than anyone forgives are told apart; of nearer ones, anything between them.
enclosure rounded(parameters const& p, enclosure const& v, rounding const& r, bool factor = false) noexcept {
  enclosure const wide = widened(p, v, r.each_step() ? of_one_product : forgiven, factor);
  enclosure result{rounded(wide.low, r), rounded(wide.high, r), v.endless, false};
  whole const apart = result.high - result.low;
  result.is_an_end = apart == r.unit && apart > result.high >> forgiven;
  return result;
}

// The formula's value as it is given out; the first is the interval itself.
enclosure given(parameters const& p, enclosure const& v, bool first, chooser& readings) noexcept {
  if (first) return v;
  auto const r = rounding_of(p, v, readings);
  if (r.how == delay_rounding::exact || r.each_step()) return v;
  return rounded(p, v, r);
}

// The wait that the value stands for. Under first-failure it begins at the retry before, and the state keeps both.
enclosure wait(parameters const& p, state& s, enclosure const& value, chooser& readings) noexcept {
  enclosure const here = given(p, value, s.retries == 0, readings);
  if (s.retries == 0 || here.endless) return here;
  if (readings.choose<delay_origin>(reading::delay_origin) == delay_origin::previous_try) return here;
  bool const is_rounded = rounding_of(p, value, readings).how != delay_rounding::exact;
  enclosure const before = s.retries == 1 ? s.reached : s.offset;
  enclosure const from = is_rounded ? before : widened(p, before, forgiven);
  enclosure const to = is_rounded ? here : widened(p, here, forgiven);
  s.offset = here;
  s.since = before.low;
  return {to.low - from.high, to.high - from.low, false, to.is_an_end && from.low == from.high};
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

admissible held(enclosure const& delay, state const& s, chooser& readings) noexcept {
  auto const what = readings.choose<overflow>(reading::overflow);
  if (what == overflow::infinity && delay.endless) return admissible::not_finite();
  if (what == overflow::negative || what == overflow::wraps) return in_32_bits(delay, what == overflow::negative);
  if (s.longest) return between(*s.longest, *s.longest);
  whole const at_least = std::max<whole>(s.answered, held_s_max * grains);
  return between(std::min<whole>(delay.low, at_least), delay.high < read_end ? delay.high : longest_read);
}

whole as_read(decimal const& d) noexcept {
  rational const x = to_rational(d);
  return whole(numerator(x) * grains / denominator(x));
}

// What is left of the value, as a port answered x: the nearer end, or what is within what is forgiven. All of it where
// x is none of these, as where it is no value of the formula.
void settle(enclosure& v, whole const& x) noexcept {
  whole const off = abs(x) >> forgiven;
  whole const least = x - off;
  whole const most = x + off;
  if (least > v.high || most < v.low) return;
  if (v.is_an_end) {
    v.low = v.high = x - v.low < v.high - x ? v.low : v.high;
    v.is_an_end = false;
  } else {
    v.low = std::max(v.low, least);
    v.high = std::min(v.high, most);
  }
}

}  // namespace

reading_table const& readings() noexcept { return table; }

std::vector<cube> assignments() noexcept {
  cube const all = table.admitting(standing::hazard);
  auto const r = static_cast<unsigned>(reading::delay_rounding);
  auto const unit = static_cast<unsigned>(reading::rounding_unit);
  return {table.with(table.with(all, r, 0), unit, 0), cube{all.bits & ~table.bit(r, 0)}};
}

enclosure grown(parameters const& p, enclosure const& reached, chooser& readings) noexcept {
  enclosure next{reached.low * p.rate_thousandths / rate_one,
                 (reached.high * p.rate_thousandths + (rate_one - 1)) / rate_one, false, false};
  if (reached.endless || next.low >= endless_from) {
    return {endless_from, longest_read, true, false};
  }
  bool const factor = blurred(p, reached.low) || blurred(p, reached.high);
  auto const r = rounding_of(p, next, readings, factor);
  return r.each_step() ? rounded(p, next, r, factor) : next;
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
  result.answer[field_delay] = f.beyond ? held(delay, s, readings) : given_out(delay);
  if (f.beyond) s.unsaturated = std::min<whole>(delay.low - (delay.low >> of_many_seconds), read_end);
  s.reached = value;
  ++s.retries;
  return result;
}

void observe(state& s, answer const& port) noexcept {
  if (port[field_delay].kind == observed_kind::number) {
    whole const x = as_read(port[field_delay].value);
    if (x < s.unsaturated) s.longest = x;
    settle(s.reached, x + s.since);
    settle(s.offset, x + s.since);
    s.answered = x > held_s_max * grains ? std::min(x, read_end) : whole(0);
  }
  s.unsaturated = 0;
}

}  // namespace backoff::spec::aws_step_functions
