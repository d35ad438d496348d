#include "policies/drawn.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>

#include "histories/present.hpp"
#include "policies/curve.hpp"

namespace backoff::policies {
namespace {

using spec::floored;
using spec::integer;
using spec::rational;

rational const finest = rational(1 << 16);  // parts of its width in which a draw is tested
rational const alike = rational(1 << 20);   // parts of its width by which no test tells two draws apart
constexpr integer doubles_end = integer{1} << 53;
rational const told_apart = rational(integer{1} << 39);  // whole numbers below it, whatever is forgiven

bool fits(rational const& x) { return x.is_whole() && abs(x) <= rational(std::numeric_limits<integer>::max() / 4); }
integer integer_of(rational const& x) { return static_cast<integer>(numerator(x)); }

}  // namespace

rational number::slack() const {
  if (!rough) return 0;
  return (most == 0 ? abs(value) : exactly(most)) * grain;
}

rational rounded(rational const& x, rational const& unit, rounding how) {
  rational const parts = x / unit;
  switch (how) {
    case rounding::floor:
      return floored(parts) * unit;
    case rounding::ceil:
      return -floored(-parts) * unit;
    default:
      return floored(parts + rational(1, 2)) * unit;
  }
}

drawn drawn::real(number const& low, number const& high) {
  drawn d(low);
  d.slack_ = std::max(lost_in_sums(low), lost_in_sums(high));
  if (low.value == high.value) return d;
  d.is_ = source::real;
  d.to_ = high.value;
  d.most_ = std::max(abs(low.value), abs(high.value));
  d.rough_ = low.rough || high.rough;
  return d;
}

drawn drawn::whole(integer first, integer count, bool is_open) {
  drawn d(number{first, false});
  if (count == 1 && !is_open) return d;
  d.is_open_ = is_open;
  d.is_ = source::whole;
  d.step_ = 1;
  d.count_ = count;
  return d;
}

drawn drawn::along(std::shared_ptr<curve const> of) {
  auto const& ends = of->ends();
  drawn d(number{ends.low, true});
  if (ends.low == ends.high) return d;
  d.is_ = of->is_of_several() || of->draw().count == 0 ? source::real : source::whole;
  d.to_ = ends.high;
  d.count_ = of->draw().count;
  d.curve_ = std::move(of);
  return d;
}

bool drawn::falls() const {
  if (curve_)
    return is_of_one_draw() && curve_->at(0).front() > curve_->at(is_ == source::real ? 1 : count_ - 1).front();
  return is_ == source::real ? to_ < from_.value : step_ < 0;
}

bool drawn::is_of_one_draw() const noexcept { return !curve_ || !curve_->is_of_several(); }

void drawn::add(number const& n) {
  rough_ |= n.rough;
  slack_ = std::max(slack_, lost_in_sums(n));
  if (changes_.empty() && !curve_) {
    from_.value += n.value;
    to_ += n.value;
    most_ = std::max<rational>({most_, abs(n.value), abs(from_.value), abs(to_)});
    from_.rough |= n.rough;
  } else {
    change_by({change_kind::add, n.value});
  }
}

void drawn::multiply(number const& n) {
  if (n.value < 0) {
    negate();
    multiply({-n.value, n.rough});
    return;
  }
  if (n.value == 0) {
    *this = drawn(number{0, false});
    return;
  }
  rough_ |= n.rough;
  if (n.most != 0) slack_ = std::max<rational>(slack_, n.slack() / n.value * std::max(abs(lowest()), abs(highest())));
  slack_ *= n.value;
  if (changes_.empty() && !curve_) {
    from_.value *= n.value;
    to_ *= n.value;
    most_ *= n.value;
    step_ *= n.value;
    from_.rough |= n.rough;
  } else {
    change_by({change_kind::scale, n.value});
  }
}

// Bounds and roundings change sides.
void drawn::negate() {
  from_.value = -from_.value;
  to_ = -to_;
  step_ = -step_;
  for (auto& c : changes_) {
    using kind = change_kind;
    if (c.kind == kind::add || c.kind == kind::at_most || c.kind == kind::at_least) c.by = -c.by;
    c.kind = c.kind == kind::at_most    ? kind::at_least
             : c.kind == kind::at_least ? kind::at_most
             : c.kind == kind::floor    ? kind::ceil
             : c.kind == kind::ceil     ? kind::floor
                                        : c.kind;
  }
}

void drawn::become(number const& n) {
  auto const slack = slack_;
  *this = drawn(n);
  slack_ = std::max(slack, slack_);
}

void drawn::at_most(number const& n) {
  if (n.value - lost_in_sums(n) >= highest()) return;
  slack_ = std::max(slack_, lost_in_sums(n));
  if (n.value >= highest()) return;
  if (n.value <= lowest()) {
    become(n);
    return;
  }
  change_by({change_kind::at_most, n.value});
}

void drawn::at_least(number const& n) {
  if (n.value + lost_in_sums(n) <= lowest()) return;
  slack_ = std::max(slack_, lost_in_sums(n));
  if (n.value <= lowest()) return;
  if (n.value >= highest()) {
    become(n);
    return;
  }
  change_by({change_kind::at_least, n.value});
}

void drawn::round(rounding how, rational const& unit) {
  change_by({how == rounding::floor  ? change_kind::floor
             : how == rounding::ceil ? change_kind::ceil
                                     : change_kind::nearest,
             unit});
}

// An open end is approached from below and never reached: what is rounded there goes down.
rational drawn::changed(rational x, bool is_open_end) const {
  if (changes_.empty()) return x;
  using kind = change_kind;
  for (auto const& c : changes_) {
    if (c.kind == kind::add) x += c.by;
    if (c.kind == kind::scale) x *= c.by;
    if (c.kind == kind::at_most && c.by < x) {
      x = c.by;
      is_open_end = false;
    }
    if (c.kind == kind::at_least) x = std::max(x, c.by);
    if (c.kind == kind::floor || c.kind == kind::nearest || c.kind == kind::ceil) {
      auto const how = c.kind == kind::floor  ? rounding::floor
                       : c.kind == kind::ceil ? rounding::ceil
                                              : rounding::nearest;
      rational const edge = c.kind == kind::nearest ? rational(x / c.by + rational(1, 2)) : rational(x / c.by);
      bool const down = is_open_end && c.kind != kind::ceil && edge.is_whole();
      x = rounded(x, c.by, how);
      if (down) x -= c.by;
      is_open_end = false;
    }
  }
  return x;
}

rational drawn::low_end() const {
  if (curve_) return curve_->ends().low;
  if (is_ == source::none || (is_ == source::whole && step_ > 0)) return from_.value;
  rational const last = is_ == source::real ? to_ : rational(from_.value + step_ * (count_ - 1));
  return std::min(from_.value, last);
}

rational drawn::high_end() const {
  if (curve_) return curve_->ends().high;
  if (is_ == source::none) return from_.value;
  rational const last = is_ == source::real ? to_ : rational(from_.value + step_ * (count_ - 1));
  return std::max(from_.value, last);
}

rational drawn::lowest() const { return changed(low_end()); }
rational drawn::highest() const { return changed(high_end(), is_ == source::real); }

bool drawn::is_cut() const noexcept {
  return std::ranges::any_of(
      changes_, [](change const& c) { return c.kind == change_kind::at_most || c.kind == change_kind::at_least; });
}

std::optional<drawn::grid> drawn::values_grid() const {
  using kind = change_kind;
  std::optional<grid> g;
  if (is_ == source::whole && !curve_) g = {from_.value, abs(step_)};
  for (auto const& c : changes_) {
    if (c.kind == kind::floor || c.kind == kind::ceil || c.kind == kind::nearest) g = {0, c.by};
    if (!g) continue;
    if (c.kind == kind::add) g->at += c.by;
    if (c.kind == kind::scale) g = {g->at * c.by, g->step * c.by};
  }
  return g;
}

spec::admissible drawn::about(rational const& low, rational const& high) const {
  bool const is_delay = low >= 0;  // which nothing makes less than 0
  return spec::admissible::between(
      {is_delay ? std::max<rational>(low - slack_, 0) : rational(low - slack_), high + slack_});
}

spec::admissible drawn::possible() const {
  bool const plain = is_ == source::whole && !curve_ && changes_.empty() && step_ == 1 && fits(from_.value);
  if (plain && count_ > 1) return spec::admissible::integers(integer_of(from_.value), 1, count_);
  rational const low = lowest();
  rational const high = highest();
  auto const g = values_grid();
  if (low == high && (g || slack_ == 0)) return admissible_of({low}, g.has_value());
  bool const countable = g && fits(g->at) && fits(g->step) && fits(low) && fits(high);
  if (!countable) return about(low, high);
  rational const first = g->at + rounded(low - g->at, g->step, rounding::ceil);
  rational const last = g->at + rounded(high - g->at, g->step, rounding::floor);
  bool const cut_below = first != low;
  bool const cut_above = last != high;
  if (first > last) return admissible_of({low, high}, true);
  auto lattice =
      spec::admissible::integers(integer_of(first), integer_of(g->step), integer_of((last - first) / g->step) + 1);
  if (cut_below && cut_above) return spec::admissible::between({low, high});
  if (cut_below || cut_above) return lattice.or_exactly(integer_of(cut_below ? low : high));
  return lattice;
}

rational drawn::nudged(rational const& x, int lean) const {
  return lean == 0 ? x : rational(x + abs(x) * grain * lean);
}

std::vector<rational> drawn::values(spec::draw const& of, spec::draw_mapping mapping) const {
  if (is_ == source::none) return {from_.value};
  auto const along_the_curve = [&](rational const& position) {
    auto all = curve_->at(position);
    for (auto& x : all) x = changed(x);
    return all;
  };
  if (is_ == source::real) {
    if (curve_) return along_the_curve(rational(of.value) / rational(of.size));
    rational const x = from_.value + (to_ - from_.value) * rational(of.value) / rational(of.size);
    bool const rounds = values_grid().has_value();
    auto const within = [&](rational const& lost) -> std::vector<rational> {
      return {changed(std::max<rational>(x - lost, low_end())), changed(x),
              changed(std::min<rational>(x + lost, high_end()))};
    };
    rational const lost = 2 * most_ / doubles_end;  // of a small difference of large numbers
    if (!rounds && lost > abs(x) * grain) return within(lost);
    if (rounds && slack_ > abs(x) * grain) return within(slack_);
    if (!rounds) return {changed(x)};
    auto const bits = msb(numerator(abs(x) + 1));
    bool const in_doubles = !rough_ && bits <= 53;
    if (in_doubles && x.is_whole()) return {changed(x)};
    return {changed(nudged(x, -1)), changed(nudged(x, 1))};
  }
  bool const plain = changes_.empty() && step_ == 1 && fits(from_.value);
  auto const value_of = [&](integer k) -> std::vector<rational> {
    if (curve_) return along_the_curve(k);
    return {plain ? rational(integer_of(from_.value) + k) : changed(from_.value + step_ * k)};
  };
  auto const r = static_cast<integer>(of.value);
  if (mapping == spec::draw_mapping::modulo) return value_of(r % count_);
  if (mapping == spec::draw_mapping::divided) return value_of(r / ((static_cast<integer>(of.size) - 1) / count_ + 1));
  rational const scaled = rational(of.value) * count_ / rational(of.size);
  // Where the size is a power of two, doubles compute no less than a whole product of a number that they hold.
  bool const is_held = (of.size & (of.size - 1)) == 0 && count_ < doubles_end;
  auto const least = integer_of(floored(is_held ? scaled : rational(scaled - scaled * grain)));
  auto const most = std::min(integer_of(floored(scaled + scaled * grain)), count_ - 1);
  std::vector<rational> all;
  auto const add = [&](std::vector<rational> const& more) { all.insert(all.end(), more.begin(), more.end()); };
  for (auto k = least; k <= most && all.size() < 4; ++k) add(value_of(k));
  if (most - least >= 4) add(value_of(most));  // what lies between them, doubles cannot tell apart either
  return all;
}

spec::admissible drawn::near(spec::draw const& of) const {
  bool const is_real = is_ == source::real;
  auto const share =
      is_real ? spec::near_the_share(1, 1, of, 0) : spec::near_numbers(count_, is_open_ ? count_ : count_ - 1, of);
  if (curve_) {
    auto const ends = curve_->between(share.low, is_real ? share.high : std::min<rational>(share.high, count_ - 1));
    rational const rounds = is_real ? spec::fraction_of_a_unit : rational(0);
    drawn inside = *this;
    inside.at_least({changed(ends.low) - rounds, false});
    inside.at_most({changed(ends.high) + rounds, false});
    return inside.possible();
  }
  rational const step = is_real ? rational(to_ - from_.value) : step_;
  auto const at = [&](rational const& position) { return changed(from_.value + step * position); };
  rational const one_end = at(share.low);
  rational const other_end = at(share.high);
  auto const g = values_grid();
  rational const rounds = !is_real ? rational(0) : g ? g->step : spec::fraction_of_a_unit;
  drawn inside = *this;
  bool const reaches_the_open_end = share.high == count_;
  if (!is_real && reaches_the_open_end) ++inside.count_;
  inside.at_least({std::min(one_end, other_end) - rounds, false});
  inside.at_most({std::max(one_end, other_end) + rounds, false});
  return inside.possible();
}

spec::admissible drawn::admitted(std::vector<rational> values) const {
  if (slack_ > 0 && !values_grid()) return about(std::ranges::min(values), std::ranges::max(values));
  return admissible_of(std::move(values), values_grid().has_value());
}

// Backwards through the changes: of which draws is the value below that one.
rational drawn::chance_below(rational value, bool or_at) const {
  using kind = change_kind;
  for (auto const& c : std::views::reverse(changes_)) {
    rational const& by = c.by;
    if (c.kind == kind::add) value -= by;
    if (c.kind == kind::scale) value /= by;
    if (c.kind == kind::at_most && (or_at ? by <= value : by < value)) return 1;
    if (c.kind == kind::at_least && (or_at ? by > value : by >= value)) return 0;
    if (c.kind == kind::floor || c.kind == kind::nearest) {  // x < edge
      rational const parts = or_at ? rational(floored(value / by) + 1) : rational(-floored(-value / by));
      value = by * (c.kind == kind::floor ? parts : rational(parts - rational(1, 2)));
      or_at = false;
    }
    if (c.kind == kind::ceil) {  // x <= edge
      value = by * (or_at ? floored(value / by) : rational(-floored(-value / by) - 1));
      or_at = true;
    }
  }
  if (curve_) return exactly(curve_->chance_below(static_cast<double>(value), or_at));
  rational const low = low_end();
  if (is_ == source::real) return std::clamp<rational>((value - low) / (high_end() - low), 0, 1);
  rational const position = (value - low) / abs(step_);
  rational const below = or_at ? rational(floored(position) + 1) : rational(-floored(-position));
  return std::clamp<rational>(below / count_, 0, 1);
}

bool drawn::fills_doubles() const {
  if (curve_ && !curve_->tells_chances()) return false;
  rational const most = std::max(abs(lowest()), abs(highest()));
  bool const are_apart = is_ == source::whole && !curve_ && present(values_grid()).step >= 1 && most < told_apart;
  return are_apart || (highest() - lowest()) * finest >= most;
}

bool drawn::is_drawn_as(drawn const& other) const {
  if (!is_random() || !other.is_random()) return false;
  rational const least = lowest();
  rational const most = highest();
  rational const slack = (most - least) / alike;
  if (abs(other.lowest() - least) > slack || abs(other.highest() - most) > slack) return false;
  auto const near = [](rational const& a, rational const& b) { return abs(a - b) * alike <= 1; };
  return near(chance_below(least, true), other.chance_below(other.lowest(), true)) &&
         near(chance_below(most, false), other.chance_below(other.highest(), false));
}

std::optional<judge::drawn_part> drawn::part_of(rational value) const {
  rational const low = lowest();
  rational const high = highest();
  if (is_ == source::none || low == high) return std::nullopt;
  auto const g = values_grid();
  // What a port computes in doubles may miss a value that has a chance of its own by a hair.
  auto const snap = [&](rational const& to) {
    if (abs(value - to) <= std::max<rational>(abs(to) * grain, slack_)) value = to;
  };
  if (g) snap(rational(g->at + rounded(value - g->at, g->step, rounding::nearest)));
  snap(low);
  snap(high);
  value = std::clamp(value, low, high);
  auto const as_double = [](rational const& x) { return static_cast<double>(x); };
  judge::drawn_part part;
  part.below = as_double(chance_below(value, false));
  part.upto = as_double(chance_below(value, true));
  part.lowest = as_double(chance_below(low, true));
  part.highest = as_double(1 - chance_below(high, false));
  if (is_ == source::whole && !curve_ && changes_.empty() && count_ < told_apart)
    part.values = static_cast<std::uint64_t>(count_);
  if (is_ == source::real && g) part.cells = static_cast<std::uint64_t>(as_double((high - low) / g->step)) + 1;
  if (!is_of_one_draw() && part.upto == part.below) {  // its chances are means, and no finer than that
    constexpr double cells = 1'024;
    part.below = std::min(std::floor(part.below * cells), cells - 1) / cells;
    part.upto = part.below + 1 / cells;
    part.cells = static_cast<std::uint64_t>(cells);
  }
  if (!g && part.upto == part.below) part.below = part.upto = std::min(part.below, std::nextafter(1.0, 0.0));
  return part;
}

spec::admissible admissible_of(std::vector<rational> values, bool whole) {
  std::ranges::sort(values);
  auto const again = std::ranges::unique(values);
  values.erase(again.begin(), again.end());
  auto const& low = values.front();
  auto const& high = values.back();
  bool const countable = whole && std::ranges::all_of(values, fits);
  if (values.size() == 1) {
    return countable ? spec::admissible::exactly(integer_of(low)) : spec::admissible::between({low, low});
  }
  if (values.size() == 2 && high - low > 4 * grain * abs(high)) {
    if (countable) return spec::admissible::integers(integer_of(low), integer_of(high - low), 2);
    return spec::admissible::either({low, high});
  }
  // Of neighbours that doubles may not tell apart, anything between them.
  if (countable) return spec::admissible::integers(integer_of(low), 1, integer_of(high - low) + 1);
  return spec::admissible::between({low, high});
}

}  // namespace backoff::policies
