#include "aws_step_functions/model.hpp"

#include <algorithm>
#include <array>

namespace backoff::spec::aws_step_functions {
namespace {

constexpr reading_table table{all_readings};

constexpr integer rate_one = 1'000;
constexpr integer exact_in_binary = 125;  // thousandths that make an eighth

rational power_of_ten(unsigned exponent) { return pow(big_integer(10), exponent); }
rational power_of_two(unsigned exponent) { return big_integer(1) << exponent; }

big_integer const grains = numerator(power_of_ten(90));  // of one second
rational const seconds_end = power_of_two(41);           // where a second is less than 2^-40
rational const doubles_end = power_of_two(32);       // what is shorter and of 20 binary places has 52 of them at most
constexpr integer binary_grains = integer{1} << 20;  // of one second
rational const endless_from = power_of_two(1024);
rational const read_end = power_of_ten(80);      // longer decimals are read as no shorter than this
rational const longest_read = power_of_ten(99);  // and as shorter than this
constexpr integer word_size = integer{1} << 32;

constexpr unsigned forgiven = 40;  // binary places of every real answer, and of what several products come to
constexpr unsigned of_one_product = 50;
// Less than that below the formula, a port has not saturated: rounding seconds that nobody can tell apart, each step
// after the one before, makes 2^-41 for each of a thousand steps at the slowest growth.
constexpr unsigned of_many_seconds = 30;

rational part(unsigned binary_places) { return rational(1) / (integer{1} << binary_places); }

// x · rate; where that has more places than a grain, the grains on both sides of it. The denominators of most long
// numbers divide that of a grain: such numbers are divided by a word, not by another long number.
closed_interval product(rational const& x, parameters const& p) {
  constexpr unsigned bits_of_rate_one = 10;
  if (msb(denominator(x)) + bits_of_rate_one <= msb(grains)) {
    rational const exact = x * (rational(p.rate_thousandths) / rate_one);
    if (exact.fits_words() || grains % denominator(exact) == 0) return {exact, exact};
  }
  big_integer n = numerator(x) * p.rate_thousandths;
  big_integer by = rate_one;
  big_integer whole;
  big_integer rest;
  divide_qr(grains, denominator(x), whole, rest);
  if (rest == 0) {
    n *= whole;
  } else {
    n *= grains;
    by *= denominator(x);
  }
  divide_qr(n, by, whole, rest);
  rational const low(whole, grains);
  return {low, rest == 0 ? low : rational(whole + 1, grains)};
}

// Beyond 2^41 s a second more is less than anyone can tell: whole seconds then, which are cheap to compare.
rational as_told(rational const& s) {
  if (s.is_whole()) return s;
  return s < seconds_end ? s : floored(s) + 1;
}

admissible between(rational const& low, rational const& high) {
  auto const least = as_told(low);
  return admissible::between({least, low == high ? least : as_told(high)});
}

admissible given_out(enclosure const& v) {
  if (v.is_an_end) return admissible::either({as_told(v.low), as_told(v.high)});
  return between(v.low, v.high);
}

// Whether doubles may miss the value: the rate is no eighth, or the value has more digits than 32 before and 20 after
// the binary point.
bool blurred(parameters const& p, rational const& x) {
  if (p.rate_thousandths % exact_in_binary != 0 || x >= doubles_end) return true;
  return !x.is_whole() && !(x * binary_grains).is_whole();
}

// As far as doubles may be off, which that many binary places hold. factor: what the value is a product of may be
// missed.
enclosure widened(parameters const& p, enclosure const& v, unsigned places, bool factor = false) {
  enclosure wide = v;
  if (factor || blurred(p, v.low)) wide.low *= 1 - part(places);
  if (factor || blurred(p, v.high)) wide.high *= 1 + part(places);
  return wide;
}

struct rounding {
  delay_rounding how = delay_rounding::exact;
  integer units = 1;  // of one second
  [[nodiscard]] bool each_step() const noexcept { return how >= delay_rounding::floor_each_step; }
};

// How the value is to be rounded. Nobody can tell where it is whole anyway, or so large that seconds do not matter.
rounding rounding_of(parameters const& p, enclosure const& v, chooser& readings, bool factor = false) {
  if (v.low >= seconds_end) return {};
  bool const is_whole = v.low == v.high && v.high.is_whole();
  if (is_whole && !factor && !blurred(p, v.high)) return {};
  auto const how = readings.choose<delay_rounding>(reading::delay_rounding);
  if (how == delay_rounding::exact) return {};
  constexpr std::array<integer, 4> units{1'000, 1'000'000, 1'000'000'000, 1};  // as the reading lists them
  return {how, units[readings.choose(static_cast<unsigned>(reading::rounding_unit))]};
}

rational rounded(rational const& x, rounding const& r) {
  rational const in_units = x * r.units;
  rational const below = floored(in_units);
  rational const twice_left = 2 * (in_units - below);
  bool up = false;
  if (r.how == delay_rounding::ceil || r.how == delay_rounding::ceil_each_step) up = twice_left > 0;
  if (r.how == delay_rounding::nearest || r.how == delay_rounding::nearest_each_step) up = twice_left >= 1;
  if (r.how == delay_rounding::nearest_even || r.how == delay_rounding::nearest_even_each_step) {
    up = twice_left > 1 || (twice_left == 1 && !(below / 2).is_whole());
  }
  return (up ? below + 1 : below) / r.units;
}

// Neighbours further apart than anyone forgives are told apart; of nearer ones, anything between them.
enclosure rounded(parameters const& p, enclosure const& v, rounding const& r, bool factor = false) {
  enclosure const wide = widened(p, v, r.each_step() ? of_one_product : forgiven, factor);
  enclosure result{rounded(wide.low, r), rounded(wide.high, r), v.endless, false};
  rational const apart = result.high - result.low;
  result.is_an_end = apart * r.units == 1 && apart > result.high * part(forgiven);
  return result;
}

// The formula's value as it is given out; the first is the interval itself.
enclosure given(parameters const& p, enclosure const& v, bool first, chooser& readings) {
  if (first) return v;
  auto const r = rounding_of(p, v, readings);
  if (r.how == delay_rounding::exact || r.each_step()) return v;
  return rounded(p, v, r);
}

// The wait that the value stands for. Under first-failure it begins at the retry before, and the state keeps both.
enclosure wait(parameters const& p, state& s, enclosure const& value, chooser& readings) {
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
admissible in_32_bits(enclosure const& delay, bool has_sign) {
  constexpr integer milli_parts = 1'000;
  auto const between_milliseconds = [](rational const& low, rational const& high) {
    return between(low / milli_parts, high / milli_parts);
  };
  integer const end = has_sign ? word_size / 2 : word_size;
  rational const milliseconds = floored(delay.low * milli_parts);
  bool const is_known = milliseconds == floored(delay.high * milli_parts);
  if (delay.endless || !is_known) return between_milliseconds(end - word_size, end - 1);
  if (milliseconds < end) return between(delay.low, delay.high);
  rational const low_bits = milliseconds - floored(milliseconds / word_size) * word_size;
  rational const held = low_bits < end ? low_bits : low_bits - word_size;
  return between_milliseconds(held, held);
}

admissible held(enclosure const& delay, state const& s, chooser& readings) {
  auto const what = readings.choose<overflow>(reading::overflow);
  if (what == overflow::infinity && delay.endless) return admissible::not_finite();
  if (what == overflow::negative || what == overflow::wraps) return in_32_bits(delay, what == overflow::negative);
  if (s.longest) return between(*s.longest, *s.longest);
  auto const at_least = std::max<rational>(s.answered, held_s_max);
  return between(std::min(delay.low, at_least), delay.high < read_end ? delay.high : longest_read);
}

// What is left of the value, as a port answered it: the nearer end, or what is within what is forgiven. All of it where
// the answer is none of these, as where it is no value of the formula.
void settle(enclosure& v, rational const& answered, rational const& since) {
  if (v.low == v.high) return;
  rational const x = answered + since;
  rational const off = abs(x) * part(forgiven);
  rational const least = x - off;
  rational const most = x + off;
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

std::vector<cube> assignments() {
  cube const all = table.admitting(standing::hazard);
  auto const r = static_cast<unsigned>(reading::delay_rounding);
  auto const unit = static_cast<unsigned>(reading::rounding_unit);
  return {table.with(table.with(all, r, 0), unit, 0), cube{all.bits & ~table.bit(r, 0)}};
}

enclosure grown(parameters const& p, enclosure const& reached, chooser& readings) {
  auto const [low, above] = product(reached.low, p);
  if (reached.endless || low >= endless_from) return {endless_from, longest_read, true, false};
  rational const high = reached.low == reached.high ? above : product(reached.high, p).high;
  enclosure const next{low, high, false, false};
  bool const factor = blurred(p, reached.low) || blurred(p, reached.high);
  auto const r = rounding_of(p, next, readings, factor);
  return r.each_step() ? rounded(p, next, r, factor) : next;
}

outcome next(parameters const& p, state& s, chooser& readings) {
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
  enclosure const value =
      s.retries == 0 ? enclosure{p.interval_s, p.interval_s, false, false} : grown(p, s.reached, readings);
  enclosure const delay = wait(p, s, value, readings);
  f.beyond = delay.high > held_s_max;
  result.answer[field_status] = admissible::word(static_cast<std::uint8_t>(status::retry));
  result.answer[field_delay] = f.beyond ? held(delay, s, readings) : given_out(delay);
  if (f.beyond) s.unsaturated = std::min<rational>(delay.low * (1 - part(of_many_seconds)), read_end);
  s.reached = value;
  ++s.retries;
  return result;
}

void observe(state& s, answer const& port) {
  if (port[field_delay].kind == observed_kind::number) {
    rational const x = to_rational(port[field_delay].value);
    if (x < s.unsaturated) s.longest = x;
    settle(s.reached, x, s.since);
    settle(s.offset, x, s.since);
    s.answered = x > held_s_max ? std::min(x, read_end) : 0;
  }
  s.unsaturated = 0;
}

}  // namespace backoff::spec::aws_step_functions
