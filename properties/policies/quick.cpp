#include "policies/quick.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "relation/common_factor.hpp"

namespace backoff::policies {
namespace {

using spec::big_integer;
using spec::common_of;
using spec::integer;
using spec::rational;
using kind = quick_number::kind;
__extension__ using word_pair = __int128;

constexpr integer longest = std::numeric_limits<integer>::max();
constexpr integer delay_max = 1'000'000'000'000'000'000;
constexpr integer power_bits_max = 65'536;  // of a power that the evaluator computes
constexpr double least_about = 1e-290;      // below, doubles have fewer digits
constexpr double rough_exponent_max = 1e6;  // up to which a power in doubles is off by less than a millionth
constexpr double hardly = 1e-3;             // what so small a part changes, does not add to that
constexpr double grain_about = 0x1p-40 * surely;
constexpr integer held_max = integer{1} << 53;

bool fits(word_pair n) { return n >= -longest && n <= longest; }

bool is_held(integer num, integer den) {
  return den == 1 || (std::has_single_bit(static_cast<std::uint64_t>(den)) && num > -held_max && num < held_max);
}

bool set_exact(quick_number& result, integer num, integer den, bool rough) noexcept {
  set(result, num, den, rough || !is_held(num, den));
  return true;
}

// An infinity is larger than all that words hold, as long as nothing makes it smaller.
bool set_about(quick_number& result, double n) noexcept {
  result.is = kind::about;
  result.rough = true;
  result.roughly = n;
  return n > least_about;
}

// Where words do not hold the result. Nothing is subtracted that could make it much less exact.
bool set_sum_about(quick_number& result, double a, double b) noexcept {
  bool const is_close = a > 0 && (b >= 0 || -b <= a * hardly);
  return is_close && set_about(result, a + b);
}

// What is much less than its terms, doubles miss by more than its own grain.
bool is_lost(quick_number const& a, quick_number const& b, quick_number const& result) {
  constexpr double part = 0.5;
  return (a.rough || b.rough) && std::abs(result.about()) < part * std::max(std::abs(a.about()), std::abs(b.about()));
}

bool exact_or_about_sum(quick_number const& a, quick_number const& b, quick_number& result) {
  if (a.is != kind::exact || b.is != kind::exact)
    return a.is == kind::about ? set_sum_about(result, a.roughly, b.about())
                               : set_sum_about(result, b.roughly, a.about());
  if (integer whole = 0; a.den == 1 && b.den == 1 && !__builtin_add_overflow(a.num, b.num, &whole) && whole >= -longest)
    return set_exact(result, whole, 1, a.rough || b.rough);
  integer const common = common_of(a.den, b.den);
  word_pair const num = word_pair{a.num} * (b.den / common) + word_pair{b.num} * (a.den / common);
  integer const too = common == 1 ? 1 : common_of(static_cast<integer>(num % common), common);
  word_pair const den = word_pair{a.den / common} * (b.den / too);
  if (fits(num / too) && fits(den))
    return set_exact(result, static_cast<integer>(num / too), static_cast<integer>(den), a.rough || b.rough);
  return set_sum_about(result, std::max(a.about(), b.about()), std::min(a.about(), b.about()));
}

bool sum(quick_number const& a, quick_number const& b, quick_number& result) {
  return exact_or_about_sum(a, b, result) && !is_lost(a, b, result);
}

bool multiply(quick_number const& a, quick_number const& b, quick_number& result) {
  if (a.is == kind::exact && b.is == kind::exact) {
    integer whole = 0;
    bool const is_whole =
        a.den == 1 && b.den == 1 && !__builtin_mul_overflow(a.num, b.num, &whole) && whole >= -longest;
    if (is_whole) return set_exact(result, whole, 1, a.rough || b.rough);
    integer const across = common_of(a.num, b.den);
    integer const back = common_of(b.num, a.den);
    word_pair const num = word_pair{a.num / across} * (b.num / back);
    word_pair const den = word_pair{a.den / back} * (b.den / across);
    if (fits(num) && fits(den))
      return set_exact(result, static_cast<integer>(num), static_cast<integer>(den), a.rough || b.rough);
  }
  double const x = a.about();
  double const y = b.about();
  bool const is_unknown = std::isinf(x * y) && std::min(x, y) < 1;
  return x > 0 && y > 0 && !is_unknown && set_about(result, x * y);
}

bool invert(quick_number& n) noexcept {
  if (n.is != kind::exact || n.num == 0) return false;
  integer const den = n.num < 0 ? -n.num : n.num;
  n.num = n.num < 0 ? -n.den : n.den;
  n.den = den;
  return true;
}

// Whether a < b, where that is sure; both may be `about`.
std::optional<bool> less(quick_number const& a, quick_number const& b) {
  if (a.is == kind::exact && b.is == kind::exact) return is_less(a, b);
  double const x = a.about();
  double const y = b.about();
  if (x * surely < y || x <= 0) return true;  // one that is only known about is above 0
  if (x > y * surely || y <= 0) return false;
  return std::nullopt;
}

// As the evaluator counts them.
integer bits_of(quick_number const& n) {
  auto const bits = [](integer x) {
    return static_cast<integer>(std::bit_width(static_cast<std::uint64_t>(x < 0 ? -x : x)));
  };
  return std::max(bits(n.num), bits(n.den));
}

// base^times, if words hold it.
bool raise(integer base, integer times, integer& result) noexcept {
  result = 1;
  if (base == 1) return true;
  for (;;) {
    if ((times & 1) != 0 && __builtin_mul_overflow(result, base, &result)) return false;
    times >>= 1;
    if (times == 0) return result >= -longest;
    if (__builtin_mul_overflow(base, base, &base)) return false;
  }
}

bool power(quick_number const& base, quick_number const& exponent, quick_number& result) {
  if (base.is != kind::exact || exponent.is != kind::exact) return false;
  if (exponent.den != 1) {
    return base.num > 0 && std::abs(exponent.about()) <= rough_exponent_max &&
           set_about(result, std::pow(base.about(), exponent.about()));
  }
  if (exponent.num == 0) return set_exact(result, 1, 1, false);
  if (base.den == 1 && (base.num == 0 || base.num == 1)) {
    result = base;
    return exponent.num > 0 || base.num != 0;
  }
  integer const times = exponent.num < 0 ? -exponent.num : exponent.num;
  if (times > power_bits_max || times * bits_of(base) > power_bits_max) return false;
  if (base.num == 2 && base.den == 1 && exponent.num > 0) {
    constexpr integer held_in_words = 62;
    return times <= held_in_words ? set_exact(result, integer{1} << times, 1, base.rough)
                                  : set_about(result, std::ldexp(1.0, static_cast<int>(times)));
  }
  integer top = 1;
  integer bottom = 1;
  if (!raise(base.num, times, top) || !raise(base.den, times, bottom))
    return base.num > 0 && set_about(result, std::pow(base.about(), exponent.about()));
  if (exponent.num > 0) return set_exact(result, top, bottom, base.rough);
  return set_exact(result, top < 0 ? -bottom : bottom, top < 0 ? -top : top, base.rough);
}

// n / unit rounded, times the unit; nothing where doubles may round otherwise.
bool round(quick_number const& n, quick_number unit, rounding how, quick_number& result) {
  if (n.is == kind::word || unit.is != kind::exact || unit.num <= 0) return false;
  quick_number parts;
  auto inverse = unit;
  if (!invert(inverse) || !multiply(n, inverse, parts)) return false;
  if (parts.is == kind::about) return parts.roughly * 1e-9 > 1 && n.about() > 0 && set_about(result, n.about());
  bool const halves = how == rounding::nearest;
  word_pair const num = halves ? word_pair{parts.num} * 2 + parts.den : word_pair{parts.num};
  word_pair const den = halves ? word_pair{parts.den} * 2 : word_pair{parts.den};
  word_pair below = num / den;
  if (num % den < 0) --below;
  if (n.rough) {
    double const above = static_cast<double>(num - below * den) / static_cast<double>(den);
    double const slack = std::abs(parts.about()) * 4 * grain_about;
    // At ends of steps, doubles may fall on either side.
    if (above <= slack || 1 - above <= slack) return false;
  }
  bool const is_whole = num % den == 0;
  word_pair const rounded = how == rounding::ceil && !is_whole ? below + 1 : below;
  if (!fits(rounded)) return false;
  auto const times = quick(static_cast<integer>(rounded));
  if (!multiply(times, unit, result) || result.is != kind::exact) return false;
  result.rough = false;
  return true;
}

}  // namespace

quick_number quick(number const& n) {
  if (n.most > 0) return {kind::unknown, true, 0, 1, 0};
  auto const num = numerator(n.value);
  auto const den = denominator(n.value);
  if (num >= -longest && num <= longest && den <= longest)
    return {kind::exact, n.rough, static_cast<integer>(num), static_cast<integer>(den), 0};
  if (n.value <= unset()) return {kind::word, false, static_cast<integer>(unset() - n.value), 1, 0};
  return {n.value < 0 ? kind::unknown : kind::about, true, 0, 1, static_cast<double>(n.value)};
}

quick_number quick_decimal(integer n, unsigned scale) {
  integer units = 1;
  for (unsigned k = 0; k < scale; ++k) units *= 10;
  integer const common = common_of(n, units);
  integer const den = units / common;
  return {kind::exact, !std::has_single_bit(static_cast<std::uint64_t>(den)), n / common, den, 0};
}

bool is_less(quick_number const& a, quick_number const& b) noexcept {
  return a.den == b.den ? a.num < b.num : word_pair{a.num} * b.den < word_pair{b.num} * a.den;
}

quick_formula::quick_formula(expression const& e) {
  nodes_.emplace_back();
  add(0, e);
}

void quick_formula::add(std::size_t at, expression const& e) {
  node n;
  n.op = e.op;
  n.draws = e.draws;
  n.has_power = e.has_power;
  n.is_tangled = e.is_tangled;
  n.parts = static_cast<std::uint16_t>(e.of.size());
  n.first = static_cast<std::uint16_t>(nodes_.size());
  n.name = static_cast<std::uint16_t>(e.name);
  if (e.op == operation::number) {
    n.number = quick(number{e.number, false});
    if (n.number.is == kind::exact) n.number.rough = !is_held(n.number.num, n.number.den);
  }
  nodes_[at] = n;
  nodes_.resize(nodes_.size() + e.of.size());
  for (std::size_t i = 0; i < e.of.size(); ++i) add(n.first + i, e.of[i]);
}

// One evaluation. Each function says whether it has an answer.
class quick_formula::run {
 public:
  run(quick_formula const& of, quick_names names, bool exclusive)
      : nodes_(of.nodes_.data()), names_(names), exclusive_(exclusive) {}

  [[nodiscard]] node const& root() const noexcept { return *nodes_; }

  [[nodiscard]] bool value(node const& e, quick_number& result) const {
    switch (e.op) {
      case operation::number:
        result = e.number;
        return true;
      case operation::name:
        result = names_[e.name];
        return true;
      case operation::negate:
        if (!value(part(e, 0), result) || result.is != kind::exact) return false;
        result.num = -result.num;
        return true;
      case operation::add:
      case operation::subtract: {
        quick_number room[2];
        auto const* const a = get(part(e, 0), room[0]);
        auto const* const b = get(part(e, 1), room[1]);
        if (a == nullptr || b == nullptr) return false;
        if (e.op == operation::add) return sum(*a, *b, result);
        if (b->is != kind::exact) return false;
        auto negative = *b;
        negative.num = -negative.num;
        return sum(*a, negative, result);
      }
      case operation::multiply: {  // of 0 there is nothing to compute, however large the other is
        std::size_t const first = part(e, 0).has_power ? 1 : 0;
        quick_number room[2];
        auto const* const a = get(part(e, first), room[0]);
        if (a == nullptr) return false;
        if (a->is == kind::exact && a->num == 0) return set_exact(result, 0, 1, false);
        auto const* const b = get(part(e, 1 - first), room[1]);
        return b != nullptr && multiply(*a, *b, result);
      }
      case operation::divide: {
        quick_number by;
        quick_number room;
        if (!number_of(part(e, 1), by) || !invert(by)) return false;
        auto const* const n = get(part(e, 0), room);
        return n != nullptr && multiply(*n, by, result);
      }
      case operation::power: {
        quick_number room[2];
        auto const* const base = get(part(e, 0), room[0]);
        auto const* const exponent = get(part(e, 1), room[1]);
        return base != nullptr && exponent != nullptr && power(*base, *exponent, result);
      }
      case operation::min:
      case operation::max:
        return extreme(e, result);
      case operation::clamp: {
        quick_number low;
        quick_number high;
        if (!number_of(part(e, 1), low) || !number_of(part(e, 2), high) || !number_of(part(e, 0), result)) return false;
        auto const is_inverted = less(high, low);
        auto const is_below = less(result, low);
        auto const is_above = less(high, result);
        if (is_inverted != false || !is_below || !is_above) return false;
        if (*is_below || *is_above) result = *is_below ? low : high;
        return true;
      }
      case operation::choose: {
        auto const is = holds(part(e, 0));
        return is && value(part(e, *is ? 1 : 2), result);
      }
      case operation::floor:
      case operation::ceil:
      case operation::round:
      case operation::trunc: {
        quick_number n;
        quick_number unit = quick(1);
        bool const known = number_of(part(e, 0), n) && (e.parts < 2 || number_of(part(e, 1), unit));
        return known && round(n, unit, how_of(e.op, n.is == kind::exact && n.num < 0), result);
      }
      default:
        return false;
    }
  }

  [[nodiscard]] std::optional<bool> holds(node const& e) const {
    if (e.op == operation::both || e.op == operation::any) {
      auto const a = holds(part(e, 0));
      if (!a || *a == (e.op == operation::any)) return a;
      return holds(part(e, 1));
    }
    if (e.op == operation::negation) {
      auto const a = holds(part(e, 0));
      return a ? std::optional(!*a) : a;
    }
    quick_number a;
    quick_number b;
    if (!compared(part(e, 0), a) || !compared(part(e, 1), b)) return std::nullopt;
    if (a.is == kind::word || b.is == kind::word) {
      bool const is_order = e.op != operation::equal && e.op != operation::unequal;
      if (is_order) return std::nullopt;
      return (a.is == b.is && a.num == b.num) == (e.op == operation::equal);
    }
    auto const is_below = less(a, b);
    auto const is_above = less(b, a);
    if (!is_below || !is_above) return std::nullopt;
    bool const is_close =
        (a.rough || b.rough) &&
        std::abs(a.about() - b.about()) <= std::max(std::abs(a.about()), std::abs(b.about())) * 4 * grain_about;
    if (is_close) return std::nullopt;
    switch (e.op) {
      case operation::less:
        return is_below;
      case operation::at_most:
        return !*is_above;
      case operation::greater:
        return is_above;
      case operation::at_least:
        return !*is_below;
      case operation::equal:
        return !*is_below && !*is_above;
      default:
        return *is_below || *is_above;
    }
  }

  [[nodiscard]] bool draw(node const& e, quick_draw& result) const {
    using what = quick_draw::kind;
    if (!e.draws) return fixed(e, result);
    bool const is_in_a_branch = e.op == operation::choose && !part(e, 0).draws;
    if (e.is_tangled && !is_in_a_branch) return false;
    switch (e.op) {
      case operation::uniform:
        result.is = what::real;
        result.is_open = false;
        result.count = 1;
        return exact(part(e, 0), result.low) && exact(part(e, 1), result.high) && settle(result);
      case operation::integer:
        return whole_draw(e, result);
      case operation::negate:
        return draw(part(e, 0), result) && negate(result);
      case operation::add:
      case operation::subtract: {
        std::size_t const first = part(e, 0).draws ? 0 : 1;
        quick_number other;
        if (!draw(part(e, first), result) || !exact(part(e, 1 - first), other)) return false;
        if (e.op == operation::subtract && first == 0) other.num = -other.num;
        if (e.op == operation::subtract && first == 1 && !negate(result)) return false;
        if (result.is == what::whole && other.den != 1) return false;
        quick_draw const d = result;
        return sum(d.low, other, result.low) && sum(d.high, other, result.high) && settle(result);
      }
      case operation::multiply: {
        std::size_t const first = part(e, 0).draws ? 0 : 1;
        quick_number other;
        return draw(part(e, first), result) && exact(part(e, 1 - first), other) && scale(result, other);
      }
      case operation::divide: {
        quick_number by;
        return exact(part(e, 1), by) && invert(by) && draw(part(e, 0), result) && scale(result, by);
      }
      case operation::min:
      case operation::max:
        return bounded(e, result);
      case operation::choose: {
        auto const is = holds(part(e, 0));
        return is && draw(part(e, *is ? 1 : 2), result);
      }
      default:  // a rounding, or a clamp
        return false;
    }
  }

 private:
  [[nodiscard]] node const& part(node const& e, std::size_t i) const { return nodes_[e.first + i]; }

  [[nodiscard]] bool number_of(node const& e, quick_number& result) const {
    return value(e, result) && result.is <= kind::about;
  }
  // A number or a name is read where it is; anything else is computed into `room`. Null: it is not known.
  [[nodiscard]] quick_number const* get(node const& e, quick_number& room) const {
    auto const* n = &room;
    if (e.op == operation::number) {
      n = &e.number;
    } else if (e.op == operation::name) {
      n = &names_[e.name];
    } else if (!value(e, room)) {
      return nullptr;
    }
    return n->is <= kind::about ? n : nullptr;
  }
  [[nodiscard]] bool exact(node const& e, quick_number& result) const {
    return value(e, result) && result.is == kind::exact;
  }
  [[nodiscard]] bool fixed(node const& e, quick_draw& result) const {
    return exact(e, result.low) && fix(result, result.low);
  }
  static bool fix(quick_draw& d, quick_number n) noexcept {
    d = {quick_draw::kind::none, false, n, n, 1};
    return true;
  }
  [[nodiscard]] bool compared(node const& e, quick_number& result) const {
    if (e.op == operation::number) {
      result = e.number;
    } else if (e.op == operation::name) {
      result = names_[e.name];
    } else {
      return number_of(e, result);
    }
    return result.is != kind::unknown;
  }

  [[nodiscard]] bool extreme(node const& e, quick_number& result) const {
    quick_number room[2];
    auto const* found = get(part(e, 0), room[0]);
    auto* spare = &room[found == &room[0] ? 1 : 0];
    for (std::size_t i = 1; found != nullptr && i < e.parts; ++i) {
      auto const* const n = get(part(e, i), *spare);
      if (n == nullptr) return false;
      auto const is_new = e.op == operation::min ? less(*n, *found) : less(*found, *n);
      if (!is_new) return false;
      if (!*is_new) continue;
      found = n;
      if (n == spare) spare = &room[spare == &room[0] ? 1 : 0];
    }
    if (found != nullptr) result = *found;
    return found != nullptr;
  }

  // A real draw whose ends are equal is a fixed number. False where the lower end is above the higher one.
  [[nodiscard]] static bool settle(quick_draw& d) {
    if (d.low.is != kind::exact || d.high.is != kind::exact || is_less(d.high, d.low)) return false;
    bool const is_fixed = d.is == quick_draw::kind::real && is_equal(d.low, d.high);
    return !is_fixed || fix(d, d.low);
  }

  [[nodiscard]] static bool negate(quick_draw& d) {
    if (d.is == quick_draw::kind::whole) return false;
    std::swap(d.low, d.high);
    d.low.num = -d.low.num;
    d.high.num = -d.high.num;
    return true;
  }

  [[nodiscard]] static bool scale(quick_draw& d, quick_number const& by) {
    if (d.is == quick_draw::kind::whole) return false;
    if (by.num == 0) return fix(d, quick(0));
    quick_draw const of = d;
    if (!multiply(of.low, by, d.low) || !multiply(of.high, by, d.high)) return false;
    if (by.num < 0) std::swap(d.low, d.high);
    return d.low.is == kind::exact && d.high.is == kind::exact;
  }

  [[nodiscard]] bool whole_draw(node const& e, quick_draw& result) const {
    quick_number room[2];
    auto const* const from = get(part(e, 0), room[0]);
    auto const* const to = get(part(e, 1), room[1]);
    bool const are_known = from != nullptr && to != nullptr && from->is == kind::exact && to->is == kind::exact;
    if (!are_known || is_less(*to, *from)) return false;
    auto const& low = *from;
    auto const& high = *to;
    if (is_less(low, quick(-delay_max)) || is_less(quick(delay_max), high)) return false;
    auto& first = result.low;
    auto& last = result.high;
    bool const are_whole = low.den == 1 && high.den == 1 && !low.rough && !high.rough;
    if (are_whole) {
      set(first, low.num);
      set(last, high.num);
    } else if (!round(low, quick(1), rounding::ceil, first) || !round(high, quick(1), rounding::floor, last)) {
      return false;
    }
    bool const is_open = exclusive_ && is_equal(last, high) && last.num > first.num;
    if (is_open) --last.num;
    if (last.num < first.num) return false;
    result.count = last.num - first.num + 1;
    result.is_open = is_open;
    result.is = result.count == 1 && !is_open ? quick_draw::kind::none : quick_draw::kind::whole;
    return true;
  }

  // Where a bound cuts some of the values, it is the evaluator's.
  [[nodiscard]] bool bounded(node const& e, quick_draw& result) const {
    for (std::size_t i = 0; i < e.parts; ++i) {
      if (part(e, i).draws && !draw(part(e, i), result)) return false;
    }
    for (std::size_t i = 0; i < e.parts; ++i) {
      if (part(e, i).draws) continue;
      quick_number n;
      if (!number_of(part(e, i), n)) return false;
      bool const is_min = e.op == operation::min;
      auto const cuts = is_min ? less(n, result.high) : less(result.low, n);
      if (!cuts) return false;
      if (!*cuts) continue;
      auto const leaves_some = is_min ? less(result.low, n) : less(n, result.high);
      if (leaves_some != false || n.is != kind::exact) return false;
      fix(result, n);
    }
    return true;
  }

  node const* nodes_;
  quick_names names_;
  bool exclusive_;
};

bool quick_formula::value(quick_names names, quick_number& result) const {
  run const r(*this, names, false);
  return r.value(r.root(), result) && result.is <= kind::about;
}

std::optional<bool> quick_formula::holds(quick_names names) const {
  run const r(*this, names, false);
  return r.holds(r.root());
}

bool quick_formula::draw(quick_names names, bool exclusive, quick_draw& result) const {
  run const r(*this, names, exclusive);
  return r.draw(r.root(), result);
}

}  // namespace backoff::policies
