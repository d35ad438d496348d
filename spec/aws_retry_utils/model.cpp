#include "aws_retry_utils/model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include "relation/rational.hpp"

namespace backoff::spec::aws_retry_utils {
namespace {

constexpr reading_table table{all_readings};

// The two draws of the document, each mapped, bounded and resolved in its own way.
constexpr full_jitter_readings of_jitter{
    static_cast<unsigned>(reading::jitter_bound), static_cast<unsigned>(reading::empty_window),
    static_cast<unsigned>(reading::jitter_mapping), static_cast<unsigned>(reading::jitter_resolution)};
constexpr full_jitter_readings of_sleep{
    static_cast<unsigned>(reading::upper_bound), static_cast<unsigned>(reading::empty_window),
    static_cast<unsigned>(reading::draw_mapping), static_cast<unsigned>(reading::delay_resolution)};

// The first windows that are possible, before any capping: whole numbers where both ends are, else an interval. One
// where the draw and its mapping say which; two neighbours where rounding leaves it open; all where the draw is hidden.
template <class Number>
struct windows {
  Number low;
  Number high;
};
bool only_the_ends(windows<integer> const& w) noexcept { return w.high - w.low <= 1; }

integer floor_of(rational const& window) { return static_cast<integer>(window); }
integer ceiling_of(integer window) { return window; }
integer ceiling_of(rational const& window) { return static_cast<integer>(-floored(-window)); }

// The least lattice that holds both.
admissible joined(admissible const& a, admissible const& b) {
  if (a == b) return a;
  auto const inner = [](admissible const& x) { return x.count() > 1 ? x.step() : 0; };
  integer const step = std::gcd(std::gcd(inner(a), inner(b)), a.first() - b.first());
  integer const first = std::min(a.first(), b.first());
  return admissible::integers(first, step, (std::max(a.last(), b.last()) - first) / step + 1);
}

admissible word(status s) { return admissible::word(static_cast<std::uint8_t>(s)); }

// A place in a cycle, so many doublings after its first window. Windows are in seconds, or in so many parts of one.
class place {
 public:
  place(parameters const& p, integer retries, chooser& readings, integer parts = 1)
      : cap_(p.max_backoff_s * parts),
        half_(p.max_backoff_s / 2 * parts),
        readings_(&readings),
        retries_(retries),
        doublings_(retries) {
    if (readings.choose<attempt_origin>(reading::attempt_origin) == attempt_origin::one) ++doublings_;
  }

  // The window that grew from this first one. A whole one stays whole, and is computed without fractions.
  template <class Number>
  [[nodiscard]] Number grown_from(Number window) const {
    if constexpr (std::is_same_v<Number, rational>) {
      bool const is_whole = window.is_whole();
      if (is_whole) return Number(grown_from(static_cast<integer>(window)));
    }
    window = cut(window);
    for (integer n = doublings_; n > 0; --n) {
      Number const next = grown(window, growth());
      if (next == window) break;
      window = next;
    }
    return window;
  }

  // The largest that grew from any of them, and what none is below. Mostly a larger window stays the larger one; but
  // where growth may stop short of the cap, the largest may come from further below: from those that were the last to
  // double once more.
  template <class Number>
  [[nodiscard]] windows<Number> grown_from(windows<Number> const& first) const {
    Number largest = grown_from(first.high);
    if (first.low == first.high) return {largest, largest};
    if (keeps_order()) return {grown_from(first.low), largest};
    Number const high = cut(first.high);
    Number const low = cut(first.low);
    Number below = low;
    Number last(growth() == window_growth::freeze ? half_ : (cap_ + 1) / 2);  // the least that does not double
    if constexpr (std::is_same_v<Number, integer>) {
      --below;
      --last;
    }
    integer factor = 2;
    for (integer n = std::min(doublings_, doublings_max); n > 0; --n) {
      if (below < last && last <= high) largest = std::max(largest, Number(last * factor));
      last /= 2;
      factor *= 2;
    }
    return {low, largest};
  }

  // What the window may be shown as. Before the first back-off it may also be shown as a reset is documented to set it,
  // neither capped nor doubled: no sleep tells.
  [[nodiscard]] admissible shown(windows<integer> const& first) const {
    admissible const window = shown_now(first);
    if (retries_ > 0) return window;
    return joined(window, admissible::integers(first.low, 1, first.high - first.low + 1));
  }
  [[nodiscard]] admissible shown(windows<rational> const& first) const {
    auto const now = grown_from(first);
    if (retries_ > 0) return admissible::between({now.low, now.high});
    closed_interval const both{std::min(now.low, first.low), std::max(now.high, first.high)};
    bool const are_two = first.low == first.high && both.low != both.high;
    return are_two ? admissible::either(both) : admissible::between(both);
  }

  [[nodiscard]] bool keeps_order() const {
    return doublings_ == 0 || growth() == window_growth::min || growth() == window_growth::compare_half;
  }

 private:
  static constexpr integer doublings_max = 34;  // more than a window of 1 needs to pass the largest cap

  [[nodiscard]] window_growth growth() const { return readings_->choose<window_growth>(reading::window_growth); }
  template <class Number>
  [[nodiscard]] Number grown(Number const& window, window_growth how) const {
    Number const twice = 2 * window;
    if (how == window_growth::min) return std::min(twice, Number(cap_));
    if (how == window_growth::comment) return twice < cap_ ? twice : window;
    if (window < half_) return twice;
    return how == window_growth::compare_half ? Number(cap_) : window;
  }
  template <class Number>
  [[nodiscard]] Number cut(Number const& window) const {
    bool const passes = window > cap_;
    if (passes && readings_->choose<first_window>(reading::first_window) == first_window::capped) return Number(cap_);
    return window;
  }
  [[nodiscard]] admissible shown_now(windows<integer> const& first) const {
    auto const now = grown_from(first);
    if (now.low == now.high) return admissible::exactly(now.high);
    if (only_the_ends(first))
      return joined(admissible::exactly(grown_from(first.low)), admissible::exactly(grown_from(first.high)));
    integer const apart = keeps_order() ? integer{1} << std::min(doublings_, doublings_max) : 1;
    integer const step = std::gcd(apart, now.high - now.low);
    return admissible::integers(now.low, step, (now.high - now.low) / step + 1);
  }

  integer cap_;
  integer half_;
  chooser* readings_;
  integer retries_;
  integer doublings_;
};

// initial_backoff_s and the jitter of the last reset. Real where the jitter is.
struct first_windows {
  windows<integer> whole;
  std::optional<windows<rational>> real;
};

first_windows after_reset(parameters const& p, draw const& base, chooser& readings) {
  integer const initial = p.initial_backoff_s;
  if (readings.choose<base_jitter>(reading::base_jitter) == base_jitter::none) return {{initial, initial}, {}};
  auto const jitter = full_jitter(p.max_jitter_s, base, readings, of_jitter);
  if (jitter.kind() == admissible_kind::interval) {
    auto const& [low, high] = jitter.ends();
    return {{}, windows<rational>{initial + low, initial + high}};
  }
  integer const first = initial + jitter.first();
  return {{first, first + jitter.count() - 1}, {}};
}

bool undefined_at_zero(chooser& readings) {
  return readings.choose<empty_window>(reading::empty_window) == empty_window::undefined;
}

// A jitter of 0 is a remainder of a division by 0 where the reading says so, and a reset then does anything.
bool undefined_reset(parameters const& p, chooser& readings) {
  if (p.max_jitter_s > 0 || !undefined_at_zero(readings)) return false;
  return readings.choose<base_jitter>(reading::base_jitter) == base_jitter::added;
}

draw_mapping mapping_of(draw const& from, chooser& readings) {
  if (from.kind == draw_kind::hidden) return draw_mapping::other;
  return readings.choose<draw_mapping>(reading::draw_mapping);
}

// A sleep, and the windows that it may have been drawn from, as far as claims speak of them.
struct sleep {
  admissible time;
  integer longest;  // of the windows, rounded up
  bool at_cap;      // all of them are the cap
};

bool sleeps_are_real(draw const& from, chooser& readings) {
  if (mapping_of(from, readings) == draw_mapping::real) return true;
  return readings.choose<delay_resolution>(reading::delay_resolution) == delay_resolution::real;
}

// Real sleeps of any window between two; undefined where one of them may be empty.
admissible real_sleep(windows<rational> const& of, draw const& from, chooser& readings) {
  if (of.low == 0 && undefined_at_zero(readings)) return admissible::unjudged();
  auto const mapping = mapping_of(from, readings);
  if (mapping == draw_mapping::other) return admissible::between({0, of.high});
  if (mapping == draw_mapping::near) {
    auto const least = near_the_share(of.low, of.low, from, fraction_of_a_unit);
    auto const most = near_the_share(of.high, of.high, from, fraction_of_a_unit);
    return admissible::between({least.low, most.high});
  }
  rational const share = rational(from.value) / rational(from.size);
  return admissible::between({share * of.low, share * of.high});
}

// Whether a draw has another quotient in the narrowest of several windows than in the widest: then its remainders in
// all of them are not between these two.
bool leaves_any_remainder(windows<integer> const& of, draw const& from, chooser& readings) {
  bool const inclusive = readings.choose<upper_bound>(reading::upper_bound) == upper_bound::inclusive;
  integer const more = inclusive ? 1 : 0;
  auto const r = static_cast<integer>(from.value);
  integer const narrowest = of.low + more;
  return narrowest == 0 || r / narrowest > r / (of.high + more);
}

// The whole sleeps, up to `longest`, of every window from `of.low` to `of.high`. If `of_these_alone`, there are only
// these two windows.
admissible whole_sleep(windows<integer> const& of, bool of_these_alone, integer longest, draw const& from,
                       chooser& readings) {
  auto const least = full_jitter(of.low, from, readings, of_sleep);
  if (least.kind() == admissible_kind::unjudged) return least;
  auto const mapping = mapping_of(from, readings);
  bool const is_any = mapping == draw_mapping::modulo && !of_these_alone && leaves_any_remainder(of, from, readings);
  auto const both = joined(least, full_jitter(of.high, is_any ? draw{} : from, readings, of_sleep));
  integer const step = mapping != draw_mapping::near && of_these_alone ? both.step() : 1;
  integer const last = std::min(both.last(), longest);
  integer const count = (last - both.first()) / step + 1;
  return count == 1 ? admissible::exactly(both.first()) : admissible::integers(both.first(), step, count);
}

admissible slept(place const& at, windows<integer> const& first, windows<integer> const& now, draw const& from,
                 chooser& readings) {
  bool const of_the_ends = only_the_ends(first);
  if (now.low == now.high) return full_jitter(now.high, from, readings, of_sleep);
  windows<integer> ends = now;
  if (of_the_ends) std::tie(ends.low, ends.high) = std::minmax({at.grown_from(first.low), at.grown_from(first.high)});
  if (!sleeps_are_real(from, readings)) return whole_sleep(ends, of_the_ends, now.high, from, readings);
  auto const real = real_sleep({ends.low, ends.high}, from, readings);
  bool const is_mapped = of_the_ends && mapping_of(from, readings) == draw_mapping::real;
  bool const is_one = real.kind() == admissible_kind::unjudged || from.value == 0;
  if (!is_mapped || is_one) return real;
  return admissible::either(real.ends());
}

// Of a window with a fraction, a whole sleep is drawn as of the whole window below it or above it, and is no longer
// than it; doubles may take a window that is nearly whole for one that is.
admissible slept(place const&, windows<rational> const&, windows<rational> const& now, draw const& from,
                 chooser& readings) {
  if (now.high == 0) return full_jitter(0, from, readings, of_sleep);
  if (sleeps_are_real(from, readings)) return real_sleep(now, from, readings);
  windows<integer> const whole{floor_of(now.low), ceiling_of(now.high)};
  integer const longest = floor_of(now.high + now.high / (integer{1} << 40));
  return whole_sleep(whole, only_the_ends(whole), longest, from, readings);
}

template <class Number>
sleep sleep_of(place const& at, windows<Number> const& first, integer cap, draw const& from, chooser& readings) {
  auto const now = at.grown_from(first);
  return {slept(at, first, now, from, readings), ceiling_of(now.high), now.low == cap && now.high == cap};
}

void show_state(outcome& to, parameters const& p, state const& s, first_windows const& first, chooser& readings) {
  place const at(p, s.retries, readings);
  to.answer[field_attempts_done] = admissible::exactly(s.retries);
  to.answer[field_next_jitter_max] = first.real ? at.shown(*first.real) : at.shown(first.whole);
}

void show_new_cycle(outcome& to, parameters const& p, state const& s, chooser& readings) {
  if (p.shows_state) show_state(to, p, s, after_reset(p, s.base, readings), readings);
}

void leave_undefined(outcome& step) noexcept { step.answer.fill(admissible::unjudged()); }

bool exhausts(parameters const& p, state const& s, chooser& readings) {
  if (p.max_attempts == 0) return false;
  if (s.retries >= p.max_attempts) return true;
  if (s.retries + 1 < p.max_attempts) return false;
  return readings.choose<exhaustion_call>(reading::exhaustion_call) == exhaustion_call::n;
}

// The call that reports exhaustion; whether a call that comes too early still sleeps, and counts, is left open.
outcome exhaust(parameters const& p, state& s, draw const& from, chooser& readings, facts const& before) {
  outcome result{{}, before};
  result.answer[field_status] = word(status::exhausted);
  result.facts.announces = !s.exhausted;
  bool const early = s.retries < p.max_attempts;
  s.exhausted = true;
  if (readings.choose<exhaustion_state>(reading::exhaustion_state) == exhaustion_state::resets_itself) {
    s = state{from, 0, false, origin::itself};
    if (undefined_reset(p, readings)) {
      leave_undefined(result);
      return result;
    }
  } else if (early && p.shows_state) {
    result.answer[field_attempts_done] = result.answer[field_next_jitter_max] = admissible::unjudged();
    return result;
  }
  show_new_cycle(result, p, s, readings);
  return result;
}

}  // namespace

reading_table const& readings() noexcept { return table; }

std::vector<cube> assignments(draw_kind draws) {
  std::vector<cube> both;
  auto const of_sleeps = consistent_assignments(table, of_sleep, draws);
  for (auto const jitter : consistent_assignments(table, of_jitter, draws)) {
    for (auto const sleep : of_sleeps) both.push_back({jitter.bits & sleep.bits});
  }
  return both;
}

outcome reset(parameters const& p, state& s, draw const& from, chooser& readings) {
  outcome result;
  result.answer[field_status] = word(status::ok);
  result.facts.again = s.began != origin::never;
  s = state{from, 0, false, result.facts.again ? origin::later_reset : origin::first_reset};
  if (undefined_reset(p, readings)) {
    leave_undefined(result);
  } else {
    show_new_cycle(result, p, s, readings);
  }
  return result;
}

outcome back_off(parameters const& p, state& s, draw const& from, chooser& readings) {
  facts f;
  f.limited = p.max_attempts > 0;
  f.again = s.began > origin::first_reset;
  f.by_itself = s.began == origin::itself;
  f.retries = s.retries;
  f.limit = p.max_backoff_s;
  if (exhausts(p, s, readings)) return exhaust(p, s, from, readings, f);
  f.grants = true;
  outcome result{{}, f};
  result.answer[field_status] = word(status::retry);
  auto const first = after_reset(p, s.base, readings);
  place const at(p, s.retries, readings);
  auto const sleep = first.real ? sleep_of(at, *first.real, p.max_backoff_s, from, readings)
                                : sleep_of(at, first.whole, p.max_backoff_s, from, readings);
  result.facts.at_cap = sleep.at_cap;
  result.facts.limit = std::max(sleep.longest, p.max_backoff_s);
  result.answer[field_slept] = sleep.time;
  if (sleep.time.kind() == admissible_kind::unjudged) {
    leave_undefined(result);
    return result;
  }
  ++s.retries;
  if (p.shows_state) show_state(result, p, s, first, readings);
  return result;
}

// In so many parts of a second a real jitter is told.
constexpr integer parts_of_a_second = 8;

bool jitter_is_real(parameters const& p, chooser& readings) {
  if (p.max_jitter_s == 0) return false;
  if (readings.choose<base_jitter>(reading::base_jitter) == base_jitter::none) return false;
  return readings.choose<delay_resolution>(reading::jitter_resolution) == delay_resolution::real;
}

integer jitters(parameters const& p, chooser& readings) {
  bool const is_real = jitter_is_real(p, readings);
  bool const may_be_empty = p.initial_backoff_s == 0 && p.max_jitter_s > 0;
  if (may_be_empty && (is_real || sleeps_are_real(draw{}, readings))) return 0;
  if (is_real) return p.max_jitter_s * parts_of_a_second;
  auto const first = after_reset(p, draw{}, readings);
  return first.whole.high - first.whole.low + 1;
}

std::optional<integer> window_of_first_sleep(parameters const& p, integer shown, chooser& readings) {
  if (readings.choose<attempt_origin>(reading::attempt_origin) == attempt_origin::one) return {};
  return place(p, 0, readings).grown_from(shown);
}

std::optional<admissible> first_windows_shown(parameters const& p, chooser& readings) {
  if (undefined_reset(p, readings)) return {};
  if (readings.choose<attempt_origin>(reading::attempt_origin) == attempt_origin::one) return {};
  auto const first = after_reset(p, draw{}, readings);
  if (first.real) {
    if (first.real->high > p.max_backoff_s) return {};
    return admissible::between({first.real->low, first.real->high});
  }
  if (first.whole.high > p.max_backoff_s) return {};
  return admissible::integers(first.whole.low, 1, first.whole.high - first.whole.low + 1);
}

admissible sleeps(integer window, chooser& readings) { return full_jitter(window, draw{}, readings, of_sleep); }

void choices(parameters const& p, integer retries, std::span<double> each, chooser& readings) {
  bool const is_real = jitter_is_real(p, readings);
  integer const parts = is_real ? 2 * parts_of_a_second : 1;
  bool const sleeps_real = sleeps_are_real(draw{}, readings);
  bool const inclusive = !sleeps_real && readings.choose<upper_bound>(reading::upper_bound) == upper_bound::inclusive;
  place const at(p, retries, readings, parts);
  integer jitter = is_real ? 1 : 0;
  for (auto& numbers : each) {
    integer const window = at.grown_from(p.initial_backoff_s * parts + jitter);
    auto const exactly = static_cast<double>(window) / static_cast<double>(parts);
    numbers = sleeps_real ? exactly : inclusive ? std::floor(exactly) + 1 : std::max(exactly, 1.0);
    jitter += is_real ? 2 : 1;
  }
}

}  // namespace backoff::spec::aws_retry_utils
