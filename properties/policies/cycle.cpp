// What a call does to a cycle: it begins anew, ends, is granted or is lost.
#include <algorithm>
#include <utility>

#include "histories/present.hpp"
#include "policies/model.hpp"

namespace backoff::policies {
namespace {

using spec::integer;
using spec::rational;

constexpr auto retry_or_exhausted = std::uint32_t{1} << static_cast<unsigned>(status::retry) |
                                    std::uint32_t{1} << static_cast<unsigned>(status::exhausted);

spec::closed_interval ends_of(spec::admissible const& a) {
  if (a.kind() != spec::admissible_kind::lattice) return a.ends();
  spec::closed_interval ends{a.first(), a.last()};
  if (a.has_ends()) ends = {std::min(ends.low, a.ends().low), std::max(ends.high, a.ends().high)};
  return ends;
}

// Whether doubles hold it, and sums of such numbers: halves, quarters, and so on.
bool is_exact(rational const& x) {
  constexpr integer parts = 1'024;
  return rational(x * parts).is_whole();
}

}  // namespace

number model::sum(number const& a, rational const& b) const {
  rational all = a.value + b;
  if (is_exact_) {
    // Fractions of fractions would grow without end.
    constexpr unsigned bits = 128;
    if (!all.fits_words() && msb(denominator(all)) > bits)
      all = rounded(all, rational(1, spec::big_integer(1) << bits), rounding::floor);
    return {std::move(all), false};
  }
  bool const is_rough = a.rough || !is_exact(all);
  return checked(std::move(all), is_rough);
}

bool operator==(cycle const& a, cycle const& b) noexcept {
  bool const alike = a.retries == b.retries && a.exhausted == b.exhausted && a.is_lost == b.is_lost &&
                     a.after_reset == b.after_reset && a.waits_of_0 == b.waits_of_0;
  if (!alike || a.times == b.times) return alike;
  auto const& x = *a.times;
  auto const& y = *b.times;
  return x.previous == y.previous && x.before_previous == y.before_previous && x.elapsed == y.elapsed &&
         x.longest == y.longest;
}

template <class Names>
std::optional<bool> model::holds(formula const& f, quick_formula const& quickly, setting const& given,
                                 Names names) const {
  given.quick[window_name_] = quick(0);
  if (auto const is = quickly.holds(given.quick.data())) return is;
  return decided(f, names());
}

std::optional<bool> model::decided(formula const& f, scope const& names) const {
  if (is_exact_) {
    evaluator exactly(names, 0);
    bool const is = exactly.holds(f.tree);
    return has_failed(exactly, f, names) ? std::nullopt : std::optional(is);
  }
  evaluator v(names, 1);
  auto const is = v.decided(f.tree);
  if (has_failed(v, f, names)) return std::nullopt;
  if (!v.leaned()) return is;
  evaluator otherwise(names, -1);
  return otherwise.decided(f.tree) == is ? is : std::nullopt;
}

template <class Names>
std::optional<bool> model::holds_without_delay(std::size_t condition, setting const& given, Names names) const {
  std::optional<bool> all = true;
  for (auto const& [part, quickly] : conditions_[condition].without_delay) {
    auto const is = holds(part, quickly, given, names);
    if (!is) {
      all = std::nullopt;
    } else if (!*is) {
      return false;
    }
  }
  return all;
}

bool model::holds_exactly(std::size_t condition, scope const& names) const {
  return std::ranges::all_of(conditions_[condition].without_delay, [&](part_of_condition const& part) {
    evaluator v(names, 0);
    return v.holds(part.formula.tree);
  });
}

template <class Names>
model::going_on model::goes_on(std::size_t condition, setting const& given, number const& elapsed,
                               spec::closed_interval const& delays, Names names) const {
  auto const& p = *policy_;
  auto const& f = p.going_on[condition];
  using enum going_on::kind;
  bool any = false;
  bool all = true;
  std::unique_ptr<scope> exactly;
  auto const judge = [&](rational const& end) {
    number const delay{end, !is_exact(end)};
    given.quick[window_name_] = quick(0);
    given.quick[p.elapsed()] = quick(elapsed);
    given.quick[p.delay_name()] = quick(delay);
    if (auto const is = conditions_[condition].formula.holds(given.quick.data())) {
      any |= *is;
      all &= *is;
      return;
    }
    if (!exactly) exactly = std::make_unique<scope>(names());
    exactly->set(p.elapsed(), elapsed);
    exactly->set(p.delay_name(), delay);
    auto const is = decided(f, *exactly);
    any |= is != false;
    all &= is == true;
  };
  judge(delays.low);
  bool const is_range = delays.low < delays.high;
  if (is_range) judge(delays.high);
  bool const is_between = is_range && trend_of(f.tree) == trend::either_way;  // the ends do not tell what is between
  if (all && !is_between) return {yes};
  if (!any && !is_between) return {no};
  going_on result{maybe};
  if (!is_range || is_between) return result;
  if (!exactly) exactly = std::make_unique<scope>(names());
  exactly->set(p.elapsed(), elapsed);
  result.room = room_of(f.tree, *exactly, delays, false);
  return result;
}

// How a formula changes as the delay grows; a condition: whether it begins or ceases to hold.
model::trend model::trend_of(expression const& e) const {
  using enum operation;
  using enum trend;
  if (!e.uses(policy_->delay_name())) return none;
  auto const turned = [](trend t) { return t == grows ? falls : t == falls ? grows : t; };
  auto const both_of = [](trend a, trend b) { return a == none || a == b ? b : b == none ? a : either_way; };
  auto const part = [&](std::size_t i) { return trend_of(e.of[i]); };
  switch (e.op) {
    case name:
      return grows;
    case negate:
    case negation:
      return turned(part(0));
    case add:
    case both:
    case any:
      return both_of(part(0), part(1));
    case operation::min:
    case operation::max: {
      auto all = none;
      for (std::size_t i = 0; i < e.of.size(); ++i) all = both_of(all, part(i));
      return all;
    }
    case subtract:
    case greater:
    case at_least:
      return both_of(part(0), turned(part(1)));
    case less:
    case at_most:
      return both_of(turned(part(0)), part(1));
    case multiply:
    case divide: {  // by a number that is written there, and above 0
      auto const is_positive = [&](std::size_t i) { return e.of[i].op == number && e.of[i].number > 0; };
      if (is_positive(1)) return part(0);
      return e.op == multiply && is_positive(0) ? part(1) : either_way;
    }
    case operation::floor:
    case operation::ceil:
    case operation::round:
    case trunc:
      return e.of.size() == 1 ? part(0) : either_way;
    default:
      return either_way;
  }
}

// Where the condition, or what is not it, ceases to hold as the delay grows: of several that must hold the least, of
// several of which one must, the largest. Nothing where no delay of the range is too long.
std::optional<rational> model::room_of(expression const& e, scope& names, spec::closed_interval const& of,
                                       bool is_negated) const {
  auto const delay_name = policy_->delay_name();
  auto const holds_at = [&](rational const& delay) {
    names.set(delay_name, number{delay, false});
    evaluator v(names, 1);
    return v.decided(e) != is_negated;  // where doubles may find either, it may hold
  };
  if (e.op == operation::negation) return room_of(e.of[0], names, of, !is_negated);
  bool const is_junction = e.op == operation::both || e.op == operation::any;
  if (is_junction) {
    auto const a = room_of(e.of[0], names, of, is_negated);
    auto const b = room_of(e.of[1], names, of, is_negated);
    bool const all_must_hold = (e.op == operation::both) != is_negated;
    if (a && b) return all_must_hold ? std::min(*a, *b) : std::max(*a, *b);
    return all_must_hold ? (a ? a : b) : std::nullopt;
  }
  if (holds_at(of.high)) return std::nullopt;
  if (!holds_at(of.low)) return of.low;
  constexpr int halvings = 48;
  auto const apart = [&](rational const& delay) {
    names.set(delay_name, number{delay, false});
    evaluator v(names, 1);
    return rational(v.value(e.of[1]).value - v.value(e.of[0]).value);
  };
  auto const at_low = apart(of.low);
  auto const at_high = apart(of.high);
  bool const is_linear = apart((of.low + of.high) / 2) * 2 == at_low + at_high && at_low != at_high;
  auto room = of;
  if (is_linear) {
    room.high = of.low + (of.high - of.low) * at_low / (at_low - at_high);
  } else {
    for (int i = 0; i < halvings; ++i) {
      rational const middle = (room.low + room.high) / 2;
      (holds_at(middle) ? room.low : room.high) = middle;
    }
  }
  auto const slack = (abs(room.high) + abs(names.exact[policy_->elapsed()].value)) * grain;
  return std::max(of.low, rational(room.high + slack));
}

void model::end(state& s, outcome& result, bool by_condition) noexcept {
  result.answer[field_delay] = spec::admissible::nothing();
  result.facts.grants = false;
  result.facts.announces = !s.exhausted;
  result.facts.by_condition = by_condition;
  s.exhausted = true;
  result.answer[field_status] = spec::admissible::word(static_cast<std::uint8_t>(status::exhausted));
}

void model::lose(state& s, outcome& result) noexcept {
  s.is_lost = true;
  s.undecided.reset();
  result.facts.is_lost = true;
  result.facts.grants = false;
  result.facts.may_end = false;
  result.answer[field_status] = spec::admissible::words(retry_or_exhausted);
  result.answer[field_delay] = spec::admissible::unjudged();
}

// It returns one object, which is then never moved: an expectation is long.
outcome model::next(state& s, histories::step const& call, spec::draw const& from, spec::chooser& readings) const {
  auto const& p = *policy_;
  outcome result;
  facts& f = result.facts;
  s.undecided.reset();
  std::unique_ptr<scope> known;  // what names are worth, where machine words do not tell
  auto const names = [&]() -> scope const& {
    if (!known) known = std::make_unique<scope>(names_at(s, call));
    return *known;
  };
  set_quick_names(s, call);
  if (p.renews && !s.is_lost) {
    auto const renews = holds(*p.renews, present(renews_), *s.given, names);
    bool const is_open = !renews || (s.exhausted && *renews);
    if (is_open) {
      lose(s, result);
      return result;
    }
    if (*renews) {
      bool const after_reset = s.after_reset;
      f.renewed = s.retries > 0 || p.counts;
      s = fresh(std::move(s.given));
      s.after_reset = after_reset;
      known.reset();
      set_quick_names(s, call);
    }
  }
  f.after_reset = s.after_reset;
  f.retries = s.retries;
  if (s.is_lost) {
    lose(s, result);
    return result;
  }
  std::optional<integer> limit;
  if (!p.attempts.empty()) {
    auto const which = chosen(attempts_, readings);
    auto const& of = p.attempts[which];
    limit = p.depends_on_call(of.tree) ? limit_of(of, names()) : limit_of(*s.given, which);
  }
  f.limited = limit.has_value();
  if (limit && s.retries >= *limit) {
    end(s, result, false);
    return result;
  }
  f.grants = true;
  auto const which = p.going_on.empty() ? 0 : chosen(while_, readings);
  auto const* const condition = p.going_on.empty() ? nullptr : &p.going_on[which];
  bool const asks_for_delay = condition != nullptr && condition->tree.uses(p.delay_name());
  auto const goes_on_anyway = condition == nullptr ? true : holds_without_delay(which, *s.given, names);
  bool const is_open = !goes_on_anyway.has_value();
  bool const is_beyond = is_open && !holds_exactly(which, names());
  // A port in doubles may find a little time left where none is, and wait for it. After that it finds none. Nor does a
  // port find any that has reported exhaustion.
  bool const stands_still = is_open && (s.exhausted || (is_beyond && s.waits_of_0 >= 2));
  if (goes_on_anyway == false || stands_still) {
    end(s, result, true);
    return result;
  }
  f.chosen = choose(s, readings);
  quick_draw delay;
  bool at_bound = false;
  bool const is_quick = make_quickly(s, f.chosen, delay, at_bound);
  if (is_quick) f.is_random = delay.is != quick_draw::kind::none;
  if (!is_quick || !grant_quickly(delay, from, readings, result.answer)) {
    f.made_of = make(s, call, f.chosen, s.retries, !is_open);
    if (!f.made_of && is_open) {
      lose(s, result);
      return result;
    }
    if (!f.made_of) {
      result.answer[field_status] = spec::admissible::unjudged();
      result.answer[field_delay] = spec::admissible::unjudged();
      ++s.retries;
      return result;
    }
    auto const& found = *f.made_of;
    result.answer = granted(found, from, readings, {});
    f.is_random = found.delay.is_random();
    at_bound = found.at_bound;
  }
  if (is_beyond && has_bound_) at_bound = true;  // no exact client is there
  auto const highest = [&]() {
    if (is_quick) return delay.high.value();
    auto const& [of, otherwise, is_at, tells] = *f.made_of;
    return otherwise ? std::max(of.highest(), otherwise->highest()) : of.highest();
  };
  if (condition != nullptr) {
    auto const delays = ends_of(result.answer[field_delay]);
    auto const elapsed = s.times ? s.times->elapsed : number{};
    going_on on{is_open ? going_on::kind::maybe : going_on::kind::yes};
    if (asks_for_delay) on = goes_on(which, *s.given, elapsed, delays, names);
    if (on.is == going_on::kind::no) {
      end(s, result, true);
      return result;
    }
    f.may_end = on.is == going_on::kind::maybe;
    f.is_sure = on.is == going_on::kind::yes;
    if (f.is_sure && tracks_time_ && p.draws())
      f.is_sure = goes_on(which, *s.given, s.times->longest, delays, names).is == going_on::kind::yes;
    if (f.may_end) {
      f.in_window = result.answer[field_delay];
      if (on.room && !f.made_of) f.made_of = make(s, call, f.chosen, s.retries);
      if (on.room) result.answer = granted(*f.made_of, from, readings, on.room);
      result.answer[field_status] = spec::admissible::words(retry_or_exhausted);
      s.undecided = static_cast<cycle const&>(s);
    }
  }
  if (s.exhausted) {
    lose(s, result);
    return result;
  }
  f.where = has(region::capped) && at_bound                                 ? region::capped
            : has(region::first) && s.retries == 0                          ? region::first
            : has(region::later) && (s.retries != 0 || !has(region::first)) ? region::later
            : has(region::first)                                            ? region::first
                                                                            : region::capped;
  if (auto const& longest = longest_of(*s.given, f.chosen)) {
    bool const is_within =
        is_quick && longest->quick.is == quick_number::kind::exact && !is_less(longest->quick, delay.high);
    f.limit = is_within ? longest->value : std::max(longest->value, highest());
  }
  auto const counts = p.counts ? holds(*p.counts, present(counts_), *s.given, names) : true;
  if (!counts) s.is_lost = true;
  if (counts.value_or(true)) ++s.retries;
  s.waits_of_0 = is_beyond && !f.is_random && highest() == 0 ? s.waits_of_0 + 1 : 0;
  if (s.times) s.times = after(*s.times, is_exact_ ? ends_of(result.answer[field_delay]).high : highest());
  return result;
}

// After a delay that may be so long.
boost::intrusive_ptr<waited const> model::after(waited const& earlier, rational const& highest) const {
  boost::intrusive_ptr const times(new waited(earlier));
  if (policy_->prev2) times->before_previous = earlier.previous;
  if (policy_->prev) times->previous = {highest, !highest.is_whole()};
  times->before = earlier.elapsed;
  if (tracks_time_) {
    times->elapsed = sum(earlier.elapsed, highest);
    times->longest = sum(earlier.longest, highest);
  }
  return times;
}

outcome model::reset(state& s) const {
  s = fresh(std::move(s.given));
  s.after_reset = true;
  outcome result;
  result.answer[field_status] = spec::admissible::word(static_cast<std::uint8_t>(status::ok));
  return result;
}

void model::observe(state& s, spec::answer const& port) const {
  bool const gave_up = port[field_status] == spec::observed::word(static_cast<std::uint8_t>(status::exhausted));
  if (s.undecided && gave_up) {
    static_cast<cycle&>(s) = *s.undecided;
    s.exhausted = true;
  }
  s.undecided.reset();
  if (port[field_delay].kind != spec::observed_kind::number || gave_up || !s.times) return;
  auto const value = spec::to_rational(port[field_delay].value);
  if (value > 0) s.waits_of_0 = 0;
  boost::intrusive_ptr const times(new waited(*s.times));
  if (policy_->prev) times->previous = {value, !value.is_whole()};
  if (tracks_time_ && !is_exact_) times->elapsed = sum(times->before, value);
  s.times = times;
}

void model::let_pass(state& s, spec::decimal const& time) const {
  if (!tracks_time_ || !s.times) return;
  boost::intrusive_ptr const times(new waited(*s.times));
  times->elapsed = sum(times->elapsed, spec::to_rational(time));
  times->longest = sum(times->longest, spec::to_rational(time));
  s.times = times;
}

}  // namespace backoff::policies
