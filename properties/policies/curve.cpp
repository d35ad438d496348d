#include "policies/curve.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <tuple>
#include <utility>

namespace backoff::policies {
namespace {

using spec::integer;
using spec::rational;

constexpr double same_value = 1e-12;         // doubles that differ by no more are the same value
constexpr double near = 1e-9;                // of the ends: what is no farther from them is computed exactly
constexpr unsigned looks = 64;               // at which turns and decisions are looked for
constexpr std::size_t pieces_max = 1'024;    // no chances are known of more
constexpr integer numbers_max = 4'096;       // of a whole draw: no chances are known of more
constexpr unsigned others_of_two = 64;       // what the other of two draws may be, for a mean
constexpr unsigned others_of_more = 16;      // what each other may be
constexpr double lost_in_doubles = 0x1p-49;  // of the largest number on the way, where a difference of such is small
constexpr double largest = 1e30;
constexpr double below_1 = 1 - 0x1p-53;
constexpr unsigned interleaved_digits = 60;  // of a position that stands for several draws

void decide(std::uint64_t& decisions, std::uint64_t what) {
  constexpr std::uint64_t prime = 1'099'511'628'211U;  // of FNV-1a
  decisions = (decisions ^ what) * prime;
}

spec::closed_interval hull(spec::closed_interval const& of, rational const& with) {
  return {std::min(of.low, with), std::max(of.high, with)};
}

bool is_below(double a, double value, bool or_at) noexcept {
  double const slack = std::abs(value) * same_value;
  return or_at ? a <= value + slack : a < value - slack;
}

}  // namespace

rational exactly(double x) {
  constexpr int bits = 53;
  int exponent = 0;
  auto const digits = spec::big_integer(static_cast<std::int64_t>(std::ldexp(std::frexp(x, &exponent), bits)));
  auto const power = spec::big_integer(1) << static_cast<unsigned>(std::abs(exponent - bits));
  return exponent < bits ? rational(digits, power) : rational(digits * power);
}

curve::curve(expression const& of, scope names, bool exclusive, std::vector<draw_range> draws)
    : of_(&of), names_(std::move(names)), exclusive_(exclusive), draws_(std::move(draws)) {
  std::ranges::sort(draws_, {}, [](draw_range const& d) { return std::tuple(d.count != 0, -d.count, d.which); });
  auto const start = values_at(std::vector<rational>(draws_.size(), 0)).front();
  ends_ = {start, start};
  if (is_of_several()) {
    find_others();
  } else if (draw().count == 0 || draw().count > numbers_max) {
    find_pieces();
  } else {
    for (integer k = 0; k < draw().count; ++k) {
      values_.push_back(look_at(static_cast<double>(k)).value);
      reach({rational(k)});
    }
  }
}

bool curve::tells_chances() const noexcept {
  if (is_of_several()) return true;
  auto const is_number = [](piece const& p) { return std::isfinite(p.value_from) && std::isfinite(p.value_to); };
  if (draw().count == 0) return pieces_.size() < pieces_max && std::ranges::all_of(pieces_, is_number);
  return draw().count <= numbers_max;
}

std::vector<rational> curve::values_at(std::vector<rational> const& at) const {
  std::vector<number> drawn_there;
  for (std::size_t i = 0; i < draws_.size(); ++i) {
    auto const& d = draws_[i];
    if (drawn_there.size() <= d.which) drawn_there.resize(d.which + 1);
    drawn_there[d.which] = d.count == 0 ? number{d.low + (d.high - d.low) * at[i], true} : number{d.low + at[i], false};
  }
  positions about_there;
  for (auto const& position : at) about_there.push_back(static_cast<double>(position));
  auto const lost = exactly(std::min(look_at(about_there).most, largest) * lost_in_doubles);
  std::vector<rational> all;
  for (int const lean : {-1, 1}) {
    evaluator v(names_, lean, exclusive_, drawn_there);
    auto x = v.value(*of_).value;
    if (v.found() && !fault_) fault_ = v.found();
    if (x < 0 && x >= -lost) x = 0;
    all.push_back(x);
    if (lost > abs(x) * grain) {
      all.push_back(x < 0 ? x : std::max<rational>(x - lost, 0));
      all.push_back(x + lost / 2);  // three are neighbours, and all between them is admitted
      all.push_back(x + lost);
    }
    if (!v.leaned()) break;
  }
  return all;
}

std::vector<rational> curve::at(rational const& position) const {
  if (!is_of_several()) return values_at({position});
  auto const digits = static_cast<integer>(numerator(floored(position * (integer{1} << interleaved_digits))));
  std::vector<integer> dealt(draws_.size(), 0);
  for (unsigned i = 0; i < interleaved_digits; ++i)
    dealt[i % dealt.size()] += (digits >> (interleaved_digits - 1 - i) & 1)
                               << (interleaved_digits - 1 - i / dealt.size());
  std::vector<rational> positions_of_each;
  for (std::size_t i = 0; i < draws_.size(); ++i) {
    rational const share = rational(dealt[i]) / (integer{1} << interleaved_digits);
    positions_of_each.push_back(draws_[i].count == 0 ? share : floored(share * draws_[i].count));
  }
  return values_at(positions_of_each);
}

void curve::reach(std::vector<rational> const& at) {
  for (auto const& value : values_at(at)) ends_ = hull(ends_, value);
}

spec::closed_interval curve::between(rational const& from, rational const& to) const {
  auto const first = at(from).front();
  spec::closed_interval result{first, first};
  auto const add = [&](rational const& position) {
    for (auto const& value : at(position)) result = hull(result, value);
  };
  add(from);
  add(to);
  for (auto const& p : pieces_) {
    for (double const end : {p.from, p.to}) {
      auto const position = exactly(end);
      if (position > from && position < to) add(position);
    }
  }
  if (!values_.empty()) {
    for (rational k = rounded(from, 1, rounding::ceil); k < to; k += 1) add(k);
  }
  return result;
}

curve::look curve::look_at(positions const& at) const {
  look l;
  l.value = about(*of_, at, l);
  return l;
}

double curve::about(expression const& e, positions const& at, look& on_the_way) const {
  auto& decisions = on_the_way.decisions;
  auto const part = [&](std::size_t i) { return about(e.of[i], at, on_the_way); };
  auto const summand = [&](std::size_t i) {
    double const x = part(i);
    on_the_way.most = std::max(on_the_way.most, std::abs(x));
    return x;
  };
  auto const extreme = [&](auto is_beyond) {
    double const before = on_the_way.most;
    double best = part(0);
    double most = std::exchange(on_the_way.most, before);
    std::uint64_t which = 0;
    for (std::size_t i = 1; i < e.of.size(); ++i) {
      double const other = part(i);
      double const of_other = std::exchange(on_the_way.most, before);
      if (!is_beyond(other, best)) continue;
      best = other;
      most = of_other;
      which = i;
    }
    decide(decisions, which);
    on_the_way.most = most;
    return best;
  };
  auto const rounds = [&](auto how) {
    double const unit = e.of.size() < 2 ? 1 : part(1);
    double const parts = how(part(0) / unit);
    decide(decisions, static_cast<std::uint64_t>(std::hash<double>{}(parts)));
    return parts * unit;
  };
  auto const holds = [&](auto compare) {
    bool const is = compare(part(0), part(1));
    decide(decisions, is ? 1 : 2);
    return is ? 1.0 : 0.0;
  };
  switch (e.op) {
    case operation::number:
      return static_cast<double>(e.number);
    case operation::name:
      return names_.about[e.name];
    case operation::uniform:
    case operation::integer: {
      std::size_t i = 0;
      while (draws_[i].which != e.name) ++i;
      auto const& d = draws_[i];
      auto const low = static_cast<double>(d.low);
      return d.count == 0 ? low + (static_cast<double>(d.high) - low) * at[i] : low + at[i];
    }
    case operation::negate:
      return -part(0);
    case operation::add:
      return summand(0) + summand(1);
    case operation::subtract:
      return summand(0) - summand(1);
    case operation::multiply:
      return part(0) * part(1);
    case operation::divide:
      return part(0) / part(1);
    case operation::power:
      return std::pow(part(0), part(1));
    case operation::exp:
      return std::exp(part(0));
    case operation::log:
      return std::log(part(0));
    case operation::sqrt:
      return std::sqrt(part(0));
    case operation::tanh:
      return std::tanh(part(0));
    case operation::min:
      return extreme(std::less<>());
    case operation::max:
      return extreme(std::greater<>());
    case operation::clamp: {
      double const before = on_the_way.most;
      double const x = part(0);
      double const of_x = std::exchange(on_the_way.most, before);
      double const low = part(1);
      double const high = part(2);
      bool const is_inside = x >= low && x <= high;
      decide(decisions, is_inside ? 3 : x < low ? 1 : 2);
      if (is_inside) on_the_way.most = of_x;
      return std::max(low, std::min(high, x));
    }
    case operation::floor:
      return rounds([](double x) { return std::floor(x); });
    case operation::ceil:
      return rounds([](double x) { return std::ceil(x); });
    case operation::round:
      return rounds([](double x) { return std::floor(x + 0.5); });
    case operation::trunc:
      return rounds([](double x) { return std::trunc(x); });
    case operation::choose: {
      double const before = on_the_way.most;
      bool const is_met = part(0) != 0;
      on_the_way.most = before;
      return part(is_met ? 1 : 2);
    }
    case operation::less:
      return holds(std::less<>());
    case operation::at_most:
      return holds(std::less_equal<>());
    case operation::greater:
      return holds(std::greater<>());
    case operation::at_least:
      return holds(std::greater_equal<>());
    case operation::equal:
      return holds(std::equal_to<>());
    case operation::unequal:
      return holds(std::not_equal_to<>());
    case operation::both:
      return part(0) != 0 ? part(1) : 0;
    case operation::any:
      return part(0) != 0 ? 1 : part(1);
    case operation::negation:
      break;
  }
  return part(0) == 0 ? 1 : 0;
}

// Of a whole draw of many numbers as if it were a real one: its ends are found so.
void curve::find_pieces() {
  double const size = size_of(draw());
  double from = 0;
  look before = look_at(from);
  for (unsigned i = 1; i <= looks; ++i) {
    double const to = size * i / looks;
    look const here = look_at(to);
    while (before.decisions != here.decisions && pieces_.size() < pieces_max) {
      double low = std::max(from, size * (i - 1) / looks);  // decided as before
      double high = to;
      while (high - low >= size * 0x1p-60) {
        double const middle = (low + high) / 2;
        if (middle <= low || middle >= high) break;
        (look_at(middle).decisions == before.decisions ? low : high) = middle;
      }
      add_piece(from, low, looks);
      from = high;
      before = look_at(high);
    }
    before = here;
  }
  if (from < size) add_piece(from, size, looks);
  double least = pieces_.front().value_from;
  double most = least;
  for (auto const& p : pieces_) {
    least = std::min({least, p.value_from, p.value_to});
    most = std::max({most, p.value_from, p.value_to});
  }
  double const slack = (most - least) * near;
  for (auto const& p : pieces_) {
    for (auto const& [end, value] : {std::pair{p.from, p.value_from}, std::pair{p.to, p.value_to}}) {
      bool const is_between = value > least + slack && value < most - slack;  // not where doubles have no value
      if (is_between) continue;
      bool const is_real = draw().count == 0;
      reach({exactly(is_real ? end : std::min(std::floor(end), size - 1))});
      if (!is_real) reach({exactly(std::min(std::floor(end) + 1, size - 1))});
    }
  }
}

// Splits it where values turn.
void curve::add_piece(double from, double to, unsigned turns_left) {
  auto const value = [&](double x) { return look_at(x).value; };
  double const first = value(from);
  double const last = value(to);
  double const step = (to - from) / looks;
  double before = first;
  int direction = 0;
  for (unsigned i = 1; i <= looks && turns_left > 0; ++i) {
    double const here = i == looks ? last : value(from + step * i);
    double const change = here - before;
    before = here;
    int const turned = std::abs(change) <= std::abs(here) * same_value ? 0 : change > 0 ? 1 : -1;
    if (turned == 0 || direction == turned) continue;
    if (direction == 0) {
      direction = turned;
      continue;
    }
    double low = from + step * std::max(0.0, i - 2.0);
    double high = from + step * i;
    for (int k = 0; k < 80; ++k) {
      double const a = low + (high - low) / 3;
      double const b = high - (high - low) / 3;
      bool const is_behind_a = (value(b) - value(a)) * direction > 0;
      (is_behind_a ? low : high) = is_behind_a ? a : b;
    }
    pieces_.push_back({from, low, first, value(low)});
    add_piece(low, to, turns_left - 1);
    return;
  }
  pieces_.push_back({from, to, first, last});
}

// The ends are at the corners: each draw is used once, and there values only rise or only fall with it.
void curve::find_others() {
  auto const count = draws_.size();
  for (unsigned corner = 0; corner < 1U << count; ++corner) {
    positions last(count);
    positions before_it(count);
    for (std::size_t i = 0; i < count; ++i) {
      bool const is_high = ((corner >> i) & 1U) != 0;
      bool const is_real = draws_[i].count == 0;
      last[i] = !is_high ? 0 : is_real ? 1 : size_of(draws_[i]) - 1;
      before_it[i] = is_high && is_real ? below_1 : last[i];
    }
    bool const is_reached = look_at(last).decisions == look_at(before_it).decisions;
    std::vector<rational> exact;
    for (double const x : is_reached ? last : before_it) exact.push_back(exactly(x));
    reach(exact);
  }
  others_ = {positions(count, 0)};
  auto const most = count == 2 ? others_of_two : others_of_more;
  for (std::size_t i = 1; i < count; ++i) {
    double const size = size_of(draws_[i]);
    bool const each = draws_[i].count != 0 && size <= most;
    auto const parts = each ? static_cast<unsigned>(size) : most;
    std::vector<positions> all;
    for (auto const& one : others_) {
      for (unsigned k = 0; k < parts; ++k) {
        double const middle = (k + 0.5) / parts * size;
        all.push_back(one);
        all.back()[i] = draws_[i].count == 0 ? middle : middle - 0.5;
      }
    }
    others_ = std::move(all);
  }
}

double curve::share_below(piece const& p, positions at, double value, bool or_at) const {
  double const least = std::min(p.value_from, p.value_to);
  double const most = std::max(p.value_from, p.value_to);
  if (most - least <= std::max(std::abs(most), std::abs(least)) * same_value)
    return is_below(least, value, or_at) ? 1 : 0;
  if (value <= least) return 0;
  if (value >= most) return 1;
  bool const rises = p.value_to > p.value_from;
  double low = p.from;
  double high = p.to;
  double x = low + (high - low) * ((value - p.value_from) / (p.value_to - p.value_from));
  for (int i = 0; i < 50; ++i) {
    at.front() = x;
    double const there = look_at(at).value;
    if (std::abs(there - value) <= (most - least) * same_value) break;
    ((there < value) == rises ? low : high) = x;
    x = (low + high) / 2;
  }
  double const share = (x - p.from) / (p.to - p.from);
  return rises ? share : 1 - share;
}

double curve::chance_below(double value, bool or_at) const {
  double all = 0;
  if (!values_.empty()) {
    for (double const v : values_) all += is_below(v, value, or_at) ? 1 : 0;
    return all / static_cast<double>(values_.size());
  }
  if (!is_of_several()) {
    double width = 0;
    for (auto const& p : pieces_) {
      all += (p.to - p.from) * share_below(p, {0}, value, or_at);
      width += p.to - p.from;
    }
    return all / width;
  }
  for (auto at : others_) {
    if (draw().count == 0) {
      piece p{0, 1};
      p.value_from = look_at(at).value;
      at.front() = 1;
      p.value_to = look_at(at).value;
      all += share_below(p, at, value, or_at);
      continue;
    }
    // Of whole numbers, how many lead to a smaller value: those before one of them, or those behind it.
    auto const is_there = [&](double k) {
      at.front() = k;
      return is_below(look_at(at).value, value, or_at);
    };
    double const last = size_of(draw()) - 1;
    bool const at_first = is_there(0);
    if (at_first == is_there(last)) {
      all += at_first ? 1 : 0;
      continue;
    }
    double low = 0;
    double high = last;
    while (high - low > 1) {
      double const middle = std::floor((low + high) / 2);
      (is_there(middle) == at_first ? low : high) = middle;
    }
    all += (at_first ? high : last + 1 - high) / (last + 1);
  }
  return all / static_cast<double>(others_.size());
}

}  // namespace backoff::policies
