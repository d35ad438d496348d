#include "policies/evaluate.hpp"

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <vector>

#include "histories/present.hpp"
#include "policies/curve.hpp"

namespace backoff::policies {
namespace {

using spec::big_integer;
using spec::integer;
using spec::rational;

constexpr unsigned bits_max = 65'536;  // of a number: beyond that none is computed
constexpr unsigned bits_exact = 256;   // of a fraction that doubles miss, above and below its line together
constexpr unsigned bits_of_a_double = 53;
rational const draw_max = rational(integer{1'000'000'000'000'000'000});

unsigned bits_of(big_integer const& n) { return n == 0 ? 0 : static_cast<unsigned>(msb(n)) + 1; }

// Whether doubles hold it exactly; integers count as held, as ports have machine words for them.
bool is_held(rational const& x) {
  if (x.is_whole()) return true;
  big_integer const d = denominator(x);
  if ((d & (d - 1)) != 0) return false;
  return bits_of(abs(numerator(x))) <= bits_of_a_double;
}

using wide = boost::multiprecision::cpp_bin_float_50;
wide const logarithm_max = 45'000;

wide wide_of(rational const& x) { return wide(numerator(x)) / wide(denominator(x)); }

// What doubles compute of it is off by less than the grain.
number real(wide const& x) {
  constexpr int bits = 100;
  int exponent = 0;
  auto const digits = static_cast<big_integer>(round(ldexp(frexp(x, &exponent), bits)));
  auto const shift = static_cast<unsigned>(std::abs(exponent - bits));
  big_integer const power = big_integer(1) << shift;
  return {exponent < bits ? rational(digits, power) : rational(digits * power), true};
}

double size_of(rational const& x) { return std::abs(static_cast<double>(x)); }

number with_term(number n, double term) {
  bool const is_larger = n.rough && std::isfinite(term) && term > size_of(n.value) * surely;
  n.most = is_larger ? term : 0;
  return n;
}

number sum(number const& a, number const& b) {
  auto const term = std::max({size_of(a.value), size_of(b.value), a.most, b.most});
  return with_term(checked(a.value + b.value, a.rough || b.rough), term);
}

number product(number const& a, number const& b) {
  auto const term = std::max(a.most * size_of(b.value), b.most * size_of(a.value));
  return with_term(checked(a.value * b.value, a.rough || b.rough), term);
}

number quotient(number const& a, number const& b) {
  auto const by = size_of(b.value);
  auto const term = std::max(a.most / by, b.most / by * (size_of(a.value) / by));
  return with_term(checked(a.value / b.value, a.rough || b.rough), term);
}

number negative(number n) {
  n.value = -n.value;
  return n;
}

double const grain_of_doubles = static_cast<double>(grain);

// base^exponent is this; the exponent is above 0.
number with_term_of_power(number const& raised, number const& base, double exponent) {
  if (base.most == 0) return raised;
  auto const size = size_of(base.value);
  auto const slack = base.most * grain_of_doubles;
  return with_term(raised, size > slack ? size_of(raised.value) * exponent * base.most / size
                                        : std::pow(slack, exponent) / grain_of_doubles);
}

// Where `low` exceeds `high` by no more than doubles may miss, `high` becomes `low`.
void turn_back(number const& low, number& high) {
  if (low.value > high.value && low.value - high.value <= std::max(low.slack(), high.slack())) {
    high.value = low.value;
    high.rough = true;
    high.most = std::max(low.most, high.most);
  }
}

// Whether doubles may see either as the larger one: they are apart by no more than the grain of the largest term.
bool are_close(number const& a, number const& b) {
  if (!a.rough && !b.rough) return false;
  auto const apart = abs(a.value - b.value);
  if (apart <= std::max(abs(a.value), abs(b.value)) * grain) return true;
  auto const most = std::max(a.most, b.most);
  return most > 0 && apart <= exactly(most) * grain;
}

// Returns `wanted`. Where doubles may choose `other` instead, the result has the larger slack of both.
number one_of(number wanted, number const& other) {
  if (other.most > wanted.most && are_close(wanted, other)) {
    wanted.rough = true;
    wanted.most = other.most;
  }
  return wanted;
}

}  // namespace

number checked(rational value, bool rough) {
  if (!rough && is_held(value)) return {std::move(value), false};
  bool const is_long = bits_of(abs(numerator(value))) + bits_of(denominator(value)) > bits_exact;
  return is_long ? real(wide_of(value)) : number{std::move(value), true};
}

rounding how_of(operation op, bool is_negative) noexcept {
  if (op == operation::trunc) return is_negative ? rounding::ceil : rounding::floor;
  return op == operation::floor ? rounding::floor : op == operation::ceil ? rounding::ceil : rounding::nearest;
}

void scope::set(unsigned name, number n) {
  about[name] = static_cast<double>(n.value);
  exact[name] = std::move(n);
}

void scope::set(unsigned name, integer n) {
  about[name] = static_cast<double>(n);
  exact[name] = {n, false};
}

number evaluator::fail(std::string_view what, expression const& at, bool too_large) {
  if (!fault_) fault_ = fault{what, at.column, too_large};
  return {};
}

number evaluator::value(expression const& e) {
  switch (e.op) {
    case operation::number:
      return checked(e.number, false);
    case operation::name:
      if (names_->exact[e.name].value == unset()) return fail("a value that is not set", e);
      return names_->exact[e.name];
    case operation::negate:
      return negative(value(e.of[0]));
    case operation::add:
    case operation::subtract: {
      auto const a = value(e.of[0]);
      auto const b = value(e.of[1]);
      return sum(a, e.op == operation::add ? b : negative(b));
    }
    case operation::multiply: {  // of 0 there is nothing to compute, however large the other is
      auto const a = value(e.of[e.of[0].has_power ? 1 : 0]);
      if (a.value == 0) return {};
      auto const b = value(e.of[e.of[0].has_power ? 0 : 1]);
      return product(a, b);
    }
    case operation::divide: {
      auto const by = value(e.of[1]);
      if (by.value == 0) return fail("division by zero", e);
      auto const n = value(e.of[0]);
      return quotient(n, by);
    }
    case operation::power:
      return power(e);
    case operation::exp:
    case operation::log:
    case operation::sqrt:
    case operation::tanh:
      return real_function(e);
    case operation::min:
      return least(e);
    case operation::max: {
      auto most = value(e.of[0]);
      for (std::size_t i = 1; i < e.of.size(); ++i) {
        auto const n = value(e.of[i]);
        most = n.value > most.value ? one_of(n, most) : one_of(most, n);
      }
      return most;
    }
    case operation::clamp: {
      auto const low = value(e.of[1]);
      auto high = value(e.of[2]);
      turn_back(low, high);
      if (low.value > high.value) return fail("clamp with its low end above its high end", e);
      auto n = value(e.of[0]);
      return n.value < low.value    ? one_of(low, n)
             : n.value > high.value ? one_of(high, n)
                                    : one_of(one_of(n, low), high);
    }
    case operation::choose:
      return value(holds(e.of[0]) ? e.of[1] : e.of[2]);
    case operation::uniform:
    case operation::integer:
      return drawn_[e.name];
    default:
      return round(e);
  }
}

// What is surely larger than another operand is not computed: powers outgrow their cap soon.
number evaluator::least(expression const& e) {
  double best = std::numeric_limits<double>::infinity();
  if (e.has_power) {
    for (auto const& part : e.of) best = std::min(best, about(part));  // NaN is passed over
  }
  std::optional<number> least;
  for (auto const& part : e.of) {
    if (e.has_power && about(part) > best * surely) continue;
    auto n = value(part);
    least = !least ? n : n.value < least->value ? one_of(n, *least) : one_of(*least, n);
  }
  return present(std::move(least));
}

// Nothing is subtracted, so that no error grows; NaN where something is, or a value is below 0.
double evaluator::about(expression const& e) const {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  auto const not_negative = [](double x) { return x >= 0 ? x : none; };
  auto const part = [&](std::size_t i) { return about(e.of[i]); };
  switch (e.op) {
    case operation::number:
      return not_negative(static_cast<double>(e.number));
    case operation::name:
      return not_negative(names_->about[e.name]);
    case operation::add:
      return part(0) + part(1);
    case operation::subtract: {
      constexpr double hardly = 1e-3;  // a smaller difference has fewer digits
      double const from = part(0);
      double const less = part(1);
      return less <= from * hardly ? from - less : none;
    }
    case operation::multiply: {
      double const a = part(0);
      double const b = part(1);
      return a == 0 || b == 0 ? 0 : a * b;
    }
    case operation::divide:
      return part(1) > 0 ? part(0) / part(1) : none;
    case operation::exp:
      return std::exp(part(0));
    case operation::log:
      return not_negative(std::log(part(0)));
    case operation::sqrt:
      return std::sqrt(part(0));
    case operation::tanh:
      return std::tanh(part(0));
    case operation::power: {
      double const exponent = part(1);
      double const base = part(0);
      if (base == 0 && exponent == 0) return 1;
      constexpr double most = 1e9;  // up to which a power in doubles is off by less than a millionth
      if (exponent > most) return base > 1.001 ? std::numeric_limits<double>::infinity() : none;
      return base > 0 && exponent >= 0 ? std::pow(base, exponent) : none;
    }
    case operation::min:
    case operation::max: {  // each part is looked at once: there may be such operations in them
      double result = part(0);
      for (std::size_t i = 1; i < e.of.size(); ++i) {
        double const x = part(i);
        if (std::isnan(x) || std::isnan(result)) {
          result = none;
        } else {
          result = e.op == operation::min ? std::min(result, x) : std::max(result, x);
        }
      }
      return result;
    }
    default:
      return none;
  }
}

number evaluator::power(expression const& e) {
  auto const base = value(e.of[0]);
  auto const exponent = value(e.of[1]);
  if (fault_) return {};
  if (!exponent.value.is_whole()) {
    if (base.value < 0) return fail("a power that is not whole, of a number below 0", e);
    auto const size = static_cast<double>(exponent.value);
    if (base.value == 0) {
      return size > 0 ? with_term_of_power({0, base.rough}, base, size)
                      : fail("division by zero: a negative power of 0", e);
    }
    auto const logarithm = wide_of(exponent.value) * log(wide_of(base.value));
    return abs(logarithm) > logarithm_max ? fail("a power that is too large to compute", e, true)
                                          : with_term_of_power(real(exp(logarithm)), base, size);
  }
  if (exponent.value == 0) return {1, false};  // in any arithmetic
  bool const inverse = exponent.value < 0;
  if (inverse && base.value == 0) return fail("division by zero: a negative power of 0", e);
  if (base.value == 1) return number{base};
  if (base.value == 0) return with_term_of_power(base, base, static_cast<double>(exponent.value));
  big_integer const times = abs(numerator(exponent.value));
  big_integer const n = numerator(base.value);
  big_integer const d = denominator(base.value);
  big_integer const bits = times * std::max(bits_of(abs(n)), bits_of(d));
  if (base.rough && bits > bits_exact / 2) {
    auto const one = wide_of(base.value);
    bool const is_too_large = times > std::numeric_limits<int>::max() ||
                              std::abs(std::log(std::abs(static_cast<double>(one)))) * static_cast<double>(times) >
                                  static_cast<double>(logarithm_max);
    return is_too_large
               ? fail("a power that is too large to compute", e, true)
               : with_term_of_power(real(pow(one, static_cast<int>(exponent.value))), base, size_of(exponent.value));
  }
  if (bits > bits_max) return fail("a power that is too large to compute", e, true);
  auto const k = static_cast<unsigned>(times);
  big_integer const top = pow(n, k);
  big_integer const bottom = pow(d, k);
  auto const raised = checked(inverse ? rational(bottom, top) : rational(top, bottom), base.rough);
  return with_term_of_power(raised, base, size_of(exponent.value));
}

// The slope of the function scales what doubles lose in its argument.
number evaluator::real_function(expression const& e) {
  auto n = value(e.of[0]);
  if (fault_) return {};
  bool const is_root = e.op == operation::sqrt;
  if (is_root && n.value < 0 && n.value + n.slack() >= 0) n.value = 0;
  auto const& x = n.value;
  if (is_root && x < 0) return fail("sqrt of a number below 0", e);
  auto const term = std::max(n.most, size_of(x));
  if (e.op == operation::log) {
    if (x <= 0) return fail("log of a number that is not above 0", e);
    auto const found = x == 1 ? number{0, n.rough} : real(log(wide_of(x)));
    return n.rough ? with_term(found, term / size_of(x)) : found;
  }
  if (is_root) {
    auto root = x == 0 ? number{0, n.rough} : real(sqrt(wide_of(x)));
    root.rough = n.rough || root.value * root.value != x;
    return with_term_of_power(root, n, 0.5);
  }
  if (x == 0 && !n.rough) return {e.op == operation::exp ? 1 : 0, false};
  if (e.op == operation::exp) {
    auto const power = wide_of(x);
    if (abs(power) > logarithm_max) return fail("a power that is too large to compute", e, true);
    auto const found = x == 0 ? number{1, true} : real(exp(power));
    return n.rough ? with_term(found, size_of(found.value) * term) : found;
  }
  return with_term(x == 0 ? number{0, true} : real(tanh(wide_of(x))), n.rough ? n.most : 0);
}

rational evaluator::unit_of(expression const& e) {
  if (e.of.size() < 2) return 1;
  auto const unit = value(e.of[1]);
  if (unit.value > 0) return unit.value;
  fail("a unit to round to that is not above 0", e);
  return 1;
}

number evaluator::round(number const& n, rational const& unit, rounding how, int lean) {
  auto const exact = rounded(n.value, unit, how);
  if (!n.rough) return {exact, false};
  rational const slack = n.slack();
  auto const low = rounded(n.value - slack, unit, how);
  auto const high = rounded(n.value + slack, unit, how);
  if (low == high) return {exact, false};
  leaned_ = true;
  return {lean < 0 ? low : lean > 0 ? high : exact, false};
}

number evaluator::round(expression const& e) {
  auto const unit = unit_of(e);
  auto const n = value(e.of[0]);
  return round(n, unit, how_of(e.op, n.value < 0), lean_);
}

bool evaluator::holds(expression const& e) {
  auto const found = decided(e);
  leaned_ |= !found.has_value();
  return found.value_or(lean_ < 0);
}

std::optional<bool> evaluator::decided(expression const& e) {
  switch (e.op) {
    case operation::both:
    case operation::any: {
      bool const settles = e.op == operation::any;  // whatever the other part is
      auto const first = decided(e.of[0]);
      if (first == settles) return settles;
      bool const may_be_asked_alone = !first.has_value() && !fault_;
      auto const second = decided(e.of[1]);
      if (may_be_asked_alone && fault_) {  // a port that finds the first part settled does not ask for the second
        fault_.reset();
        return std::nullopt;
      }
      if (second == settles) return settles;
      return first.has_value() && second.has_value() ? std::optional(!settles) : std::nullopt;
    }
    case operation::negation: {
      auto const found = decided(e.of[0]);
      return found.has_value() ? std::optional(!*found) : std::nullopt;
    }
    default:
      break;
  }
  auto const compared = [&](expression const& part) {
    return part.op == operation::name ? names_->exact[part.name] : value(part);
  };
  auto const a = compared(e.of[0]);
  auto const b = compared(e.of[1]);
  if (a.value == unset() || b.value == unset()) {
    bool const is_order = e.op != operation::equal && e.op != operation::unequal;
    if (is_order) static_cast<void>(fail("a value that is not set", e));
    return !is_order && (a.value == b.value) == (e.op == operation::equal);
  }
  if (lean_ != 0 && are_close(a, b)) return std::nullopt;
  switch (e.op) {
    case operation::less:
      return a.value < b.value;
    case operation::at_most:
      return a.value <= b.value;
    case operation::greater:
      return a.value > b.value;
    case operation::at_least:
      return a.value >= b.value;
    case operation::equal:
      return a.value == b.value;
    default:
      return a.value != b.value;
  }
}

drawn evaluator::whole_draw(expression const& e) {
  auto const low = value(e.of[0]);
  auto high = value(e.of[1]);
  turn_back(low, high);
  if (fault_) return {};
  if (low.value > high.value) {
    fail("a draw with its low end above its high end", e);
    return {};
  }
  if (abs(low.value) > draw_max || high.value > draw_max) {
    fail("a draw of numbers that are too large to compute", e, true);
    return {};
  }
  auto const first = round(low, 1, rounding::ceil, -lean_).value;
  auto last = round(high, 1, rounding::floor, lean_).value;
  bool const is_open = exclusive_ && last == high.value && last > first;
  if (is_open) last -= 1;
  if (last < first) {
    fail("a draw of whole numbers where there is none", e);
    return {};
  }
  rational const count = last - first + 1;
  return drawn::whole(static_cast<integer>(numerator(first)), static_cast<integer>(numerator(count)), is_open);
}

drawn evaluator::real_draw(expression const& e) {
  auto const low = value(e.of[0]);
  auto high = value(e.of[1]);
  turn_back(low, high);
  if (low.value <= high.value) return drawn::real(low, high);
  fail("a draw with its low end above its high end", e);
  return {};
}

// One that no draw can be followed through: it is computed at single draws.
drawn evaluator::tangled(expression const& e) {
  std::vector<draw_range> ranges;
  auto const find = [&](auto const& self, expression const& part) -> void {
    for (auto const& each : part.of) self(self, each);
    bool const is_new =
        draws_itself(part.op) && std::ranges::find(ranges, part.name, &draw_range::which) == ranges.end();
    if (!is_new) return;
    bool const is_whole = part.op == operation::integer;
    auto const d = is_whole ? whole_draw(part) : real_draw(part);
    ranges.push_back({part.name, d.lowest(), d.highest(), is_whole ? d.count() : 0});
  };
  find(find, e);
  if (fault_) return {};
  auto of = std::make_shared<curve const>(e, *names_, exclusive_, std::move(ranges));
  if (of->found()) fault_ = of->found();
  return drawn::along(std::move(of));
}

drawn evaluator::draw(expression const& e) {
  if (!e.draws) return drawn(value(e));
  bool const is_in_a_branch = e.op == operation::choose && !e.of[0].draws;
  if (e.is_tangled && !is_in_a_branch) return tangled(e);
  switch (e.op) {
    case operation::uniform:
      return real_draw(e);
    case operation::integer:
      return whole_draw(e);
    case operation::negate: {
      auto d = draw(e.of[0]);
      d.negate();
      return d;
    }
    case operation::add:
    case operation::multiply:
    case operation::subtract: {
      bool const first = e.of[0].draws;
      auto d = draw(e.of[first ? 0 : 1]);
      auto other = value(e.of[first ? 1 : 0]);
      if (e.op == operation::subtract && first) other = negative(std::move(other));
      if (e.op == operation::subtract && !first) d.negate();
      if (e.op == operation::multiply) {
        d.multiply(other);
      } else {
        d.add(other);
      }
      return d;
    }
    case operation::divide: {
      auto const by = value(e.of[1]);
      if (by.value == 0) {
        fail("division by zero", e);
        return {};
      }
      auto d = draw(e.of[0]);
      d.multiply(quotient({1, false}, by));
      return d;
    }
    case operation::min:
    case operation::max: {
      auto const drawing = std::ranges::find_if(e.of, &expression::draws);
      auto d = draw(*drawing);
      for (auto const& part : e.of) {
        if (part.draws) continue;
        // What is surely larger than all that may be drawn is not computed.
        if (e.op == operation::min && part.has_power && about(part) > static_cast<double>(d.highest()) * surely)
          continue;
        auto const n = value(part);
        if (e.op == operation::min) {
          d.at_most(n);
        } else {
          d.at_least(n);
        }
      }
      return d;
    }
    case operation::clamp: {
      auto const low = value(e.of[1]);
      auto high = value(e.of[2]);
      turn_back(low, high);
      if (low.value > high.value) {
        fail("clamp with its low end above its high end", e);
        return {};
      }
      auto d = draw(e.of[0]);
      d.at_least(low);
      d.at_most(high);
      return d;
    }
    case operation::choose:
      return draw(holds(e.of[0]) ? e.of[1] : e.of[2]);
    default: {  // a rounding
      auto const unit = unit_of(e);
      auto d = draw(e.of[0]);
      if (!d.is_random()) return drawn(round(d.fixed(), unit, how_of(e.op, d.fixed().value < 0), lean_));
      bool const is_negative = d.lowest() < 0;
      if (e.op == operation::trunc && is_negative && d.highest() > 0) {
        fail("trunc of a draw on both sides of 0", e);
        return {};
      }
      d.round(how_of(e.op, is_negative), unit);
      return d;
    }
  }
}

}  // namespace backoff::policies
