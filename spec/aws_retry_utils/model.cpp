#include "aws_retry_utils/model.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>

#include "relation/rational.hpp"

namespace backoff::spec::aws_retry_utils {
namespace {

constexpr reading_table table{all_readings};

// Both draws are mapped alike; each has a bound of its own.
constexpr full_jitter_readings readings_of(reading bound) noexcept {
  return {static_cast<unsigned>(bound), static_cast<unsigned>(reading::empty_window),
          static_cast<unsigned>(reading::draw_mapping), static_cast<unsigned>(reading::delay_resolution)};
}

// The first windows that are possible, before any capping: whole numbers where both ends are, else an interval. One
// where the draw and its mapping say which; two neighbours where rounding leaves it open; all where the draw is hidden.
template <class Number>
struct windows {
  Number low;
  Number high;
};
bool only_the_ends(windows<integer> const& w) noexcept { return w.high - w.low <= 1; }

template <class Number>
Number grown(Number const& window, integer cap, window_growth how) noexcept {
  Number const twice = 2 * window;
  if (how == window_growth::min) return std::min(twice, Number(cap));
  if (how == window_growth::comment) return twice < cap ? twice : window;
  if (window < cap / 2) return twice;
  return how == window_growth::compare_half ? Number(cap) : window;
}

// The least lattice that holds both; unjudged where the first is.
admissible joined(admissible const& a, admissible const& b) noexcept {
  if (a == b || a.is() == admissible::kind::unjudged) return a;
  auto const last = [](admissible const& x) noexcept { return x.first() + (x.count() - 1) * x.step(); };
  auto const inner = [](admissible const& x) noexcept { return x.count() > 1 ? x.step() : 0; };
  integer const step = std::gcd(std::gcd(inner(a), inner(b)), a.first() - b.first());
  integer const first = std::min(a.first(), b.first());
  return admissible::integers(first, step, (std::max(last(a), last(b)) - first) / step + 1);
}

admissible word(status s) noexcept { return admissible::word(static_cast<std::uint8_t>(s)); }

// A place in a cycle, so many doublings after its first window.
class place {
 public:
  place(parameters const& p, state const& s, chooser& readings) noexcept
      : cap_(p.max_backoff_s), readings_(&readings), retries_(s.retries), doublings_(s.retries) {
    if (readings.choose<attempt_origin>(reading::attempt_origin) == attempt_origin::one) ++doublings_;
  }

  // The window that grew from this first one. A whole one stays whole, and is computed without fractions.
  template <class Number>
  [[nodiscard]] Number grown_from(Number window) const noexcept {
    if constexpr (std::is_same_v<Number, rational>) {
      bool const is_whole = denominator(window) == 1;
      if (is_whole) return Number(grown_from(static_cast<integer>(numerator(window))));
    }
    window = cut(window);
    for (integer n = doublings_; n > 0; --n) {
      Number const next = grown(window, cap_, growth());
      if (next == window) return window;
      window = next;
    }
    return window;
  }

  // The largest that grew from any of them, and what none is below. Mostly a larger window stays the larger one; but
  // where growth may stop short of the cap, the largest may come from further below: from those that were the last to
  // double once more.
  template <class Number>
  [[nodiscard]] windows<Number> grown_from(windows<Number> const& first) const noexcept {
    Number largest = grown_from(first.high);
    if (first.low == first.high) return {largest, largest};
    if (keeps_order()) return {grown_from(first.low), largest};
    Number const high = cut(first.high);
    Number const low = cut(first.low);
    Number below = low;
    Number last(growth() == window_growth::freeze ? cap_ / 2 : (cap_ + 1) / 2);  // the least that does not double
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
  [[nodiscard]] admissible shown(windows<integer> const& first) const noexcept {
    admissible const window = shown_now(first);
    if (retries_ > 0) return window;
    return joined(window, admissible::integers(first.low, 1, first.high - first.low + 1));
  }
  [[nodiscard]] admissible shown(windows<rational> const& first) const noexcept {
    auto const now = grown_from(first);
    if (retries_ > 0) return admissible::between({now.low, now.high});
    closed_interval const both{std::min(now.low, first.low), std::max(now.high, first.high)};
    bool const are_two = first.low == first.high && both.low != both.high;
    return are_two ? admissible::either(both) : admissible::between(both);
  }

 private:
  static constexpr integer doublings_max = 34;  // more than a window of 1 needs to pass the largest cap

  [[nodiscard]] window_growth growth() const noexcept {
    return readings_->choose<window_growth>(reading::window_growth);
  }
  [[nodiscard]] bool keeps_order() const noexcept {
    return doublings_ == 0 || growth() == window_growth::min || growth() == window_growth::compare_half;
  }
  template <class Number>
  [[nodiscard]] Number cut(Number const& window) const noexcept {
    bool const passes = window > cap_;
    if (passes && readings_->choose<first_window>(reading::first_window) == first_window::capped) return Number(cap_);
    return window;
  }
  [[nodiscard]] admissible shown_now(windows<integer> const& first) const noexcept {
    auto const now = grown_from(first);
    if (now.low == now.high) return admissible::exactly(now.high);
    if (only_the_ends(first))
      return joined(admissible::exactly(grown_from(first.low)), admissible::exactly(grown_from(first.high)));
    integer const apart = keeps_order() ? integer{1} << std::min(doublings_, doublings_max) : 1;
    integer const step = std::gcd(apart, now.high - now.low);
    return admissible::integers(now.low, step, (now.high - now.low) / step + 1);
  }

  integer cap_;
  chooser* readings_;
  integer retries_;
  integer doublings_;
};

// initial_backoff_s and the jitter of the last reset. Real where jitter is: a port maps both of its draws alike.
struct first_windows {
  windows<integer> whole;
  std::optional<windows<rational>> real;
};

first_windows after_reset(parameters const& p, draw const& base, chooser& readings) noexcept {
  integer const initial = p.initial_backoff_s;
  if (readings.choose<base_jitter>(reading::base_jitter) == base_jitter::none) return {{initial, initial}, {}};
  auto const jitter = full_jitter(p.max_jitter_s, base, readings, readings_of(reading::jitter_bound));
  if (jitter.is() == admissible::kind::interval) {
    auto const& [low, high] = jitter.ends();
    return {{}, windows<rational>{initial + low, initial + high}};
  }
  integer const first = initial + jitter.first();
  return {{first, first + jitter.count() - 1}, {}};
}

bool undefined_at_zero(chooser& readings) noexcept {
  return readings.choose<empty_window>(reading::empty_window) == empty_window::undefined;
}

// A jitter of 0 is a remainder of a division by 0 where the reading says so, and a reset then does anything.
bool undefined_reset(parameters const& p, chooser& readings) noexcept {
  if (p.max_jitter_s > 0 || !undefined_at_zero(readings)) return false;
  return readings.choose<base_jitter>(reading::base_jitter) == base_jitter::added;
}

draw_mapping mapping_of(draw const& from, chooser& readings) noexcept {
  if (from.is == draw::kind::hidden) return draw_mapping::other;
  return readings.choose<draw_mapping>(reading::draw_mapping);
}

// A sleep, and the windows that it may have been drawn from, as far as claims speak of them.
struct sleep {
  admissible time;
  integer longest;  // of the windows, rounded up
  bool at_cap;      // all of them are the cap
};

sleep slept(place const& at, windows<integer> const& first, integer cap, draw const& from, chooser& readings) noexcept {
  auto const where = readings_of(reading::upper_bound);
  auto const now = at.grown_from(first);
  sleep result{admissible::unjudged(), now.high, now.low == cap && now.high == cap};
  if (now.low == now.high) {
    result.time = full_jitter(now.high, from, readings, where);
  } else if (mapping_of(from, readings) == draw_mapping::near) {
    auto const least = full_jitter(now.low, from, readings, where);
    auto const most = full_jitter(now.high, from, readings, where);
    bool const is_judged = least.is() != admissible::kind::unjudged;
    integer const end = most.first() + most.count();
    if (is_judged) result.time = admissible::integers(least.first(), 1, end - least.first());
  } else if (only_the_ends(first)) {
    result.time = joined(full_jitter(at.grown_from(first.low), from, readings, where),
                         full_jitter(at.grown_from(first.high), from, readings, where));
  } else if (first.low > 0 || !undefined_at_zero(readings)) {
    result.time = full_jitter(now.high, draw{}, readings, where);
  }
  return result;
}

sleep slept(place const& at, windows<rational> const& first, integer cap, draw const& from,
            chooser& readings) noexcept {
  auto const now = at.grown_from(first);
  auto const longest = static_cast<integer>((numerator(now.high) + denominator(now.high) - 1) / denominator(now.high));
  sleep result{admissible::unjudged(), longest, now.low == cap && now.high == cap};
  if (now.high == 0) {
    result.time = full_jitter(0, from, readings, readings_of(reading::upper_bound));
    return result;
  }
  if (first.low == 0 && undefined_at_zero(readings)) return result;
  auto const mapping = mapping_of(from, readings);
  if (mapping == draw_mapping::near) {
    auto const least = near_the_share(now.low, now.low, from, fraction_of_a_unit);
    auto const most = near_the_share(now.high, now.high, from, fraction_of_a_unit);
    result.time = admissible::between({least.low, most.high});
  } else if (mapping == draw_mapping::other) {
    result.time = admissible::between({0, now.high});
  } else {
    rational const exactly = rational(from.value) * now.high / rational(from.size);
    result.time = admissible::between({exactly, exactly});
  }
  return result;
}

void show_state(outcome& to, parameters const& p, state const& s, chooser& readings) noexcept {
  if (!p.shows_state) return;
  auto const first = after_reset(p, s.base, readings);
  place const at(p, s, readings);
  to.answer[field_attempts_done] = admissible::exactly(s.retries);
  to.answer[field_next_jitter_max] = first.real ? at.shown(*first.real) : at.shown(first.whole);
}

void leave_undefined(outcome& step) noexcept { step.answer.fill(admissible::unjudged()); }

bool exhausts(parameters const& p, state const& s, chooser& readings) noexcept {
  if (p.max_attempts == 0) return false;
  if (s.retries >= p.max_attempts) return true;
  if (s.retries + 1 < p.max_attempts) return false;
  return readings.choose<exhaustion_call>(reading::exhaustion_call) == exhaustion_call::n;
}

// The call that reports exhaustion; whether a call that comes too early still sleeps, and counts, is left open.
outcome exhaust(parameters const& p, state& s, draw const& from, chooser& readings, facts const& before) noexcept {
  outcome result{{word(status::exhausted)}, before};
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
  show_state(result, p, s, readings);
  return result;
}

}  // namespace

reading_table const& readings() noexcept { return table; }

std::vector<cube> assignments(draw::kind draws) noexcept {
  return consistent_assignments(table, readings_of(reading::upper_bound), draws);
}

outcome reset(parameters const& p, state& s, draw const& from, chooser& readings) noexcept {
  outcome result{{word(status::ok)}, {}};
  result.facts.again = s.began != origin::never;
  s = state{from, 0, false, result.facts.again ? origin::later_reset : origin::first_reset};
  if (undefined_reset(p, readings)) {
    leave_undefined(result);
  } else {
    show_state(result, p, s, readings);
  }
  return result;
}

outcome back_off(parameters const& p, state& s, draw const& from, chooser& readings) noexcept {
  facts f;
  f.limited = p.max_attempts > 0;
  f.again = s.began > origin::first_reset;
  f.by_itself = s.began == origin::itself;
  f.retries = s.retries;
  f.limit = p.max_backoff_s;
  if (exhausts(p, s, readings)) return exhaust(p, s, from, readings, f);
  f.grants = true;
  outcome result{{word(status::retry)}, f};
  auto const first = after_reset(p, s.base, readings);
  place const at(p, s, readings);
  auto const sleep = first.real ? slept(at, *first.real, p.max_backoff_s, from, readings)
                                : slept(at, first.whole, p.max_backoff_s, from, readings);
  result.facts.at_cap = sleep.at_cap;
  result.facts.limit = std::max(sleep.longest, p.max_backoff_s);
  result.answer[field_slept] = sleep.time;
  if (sleep.time.is() == admissible::kind::unjudged) {
    leave_undefined(result);
    return result;
  }
  ++s.retries;
  show_state(result, p, s, readings);
  return result;
}

integer jitters(parameters const& p, chooser& readings) noexcept {
  auto const first = after_reset(p, draw{}, readings);
  return first.real ? 0 : first.whole.high - first.whole.low + 1;
}

admissible sleeps(parameters const& p, integer retries, integer jitter, chooser& readings) noexcept {
  place const at(p, state{{}, retries}, readings);
  integer const window = at.grown_from(p.initial_backoff_s + jitter);
  return full_jitter(window, draw{}, readings, readings_of(reading::upper_bound));
}

}  // namespace backoff::spec::aws_retry_utils
