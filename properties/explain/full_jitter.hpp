// Hypotheses about a delay drawn from a window that doubles: the documented answers, with another window or another way
// of drawing from it. What the two systems that draw so share.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "explain/diagnosis.hpp"

namespace backoff::conformance::diagnoses {

using number = std::int64_t;
inline constexpr number huge = number{1} << 61;

// Where a retry stands.
struct retry {
  number initial;        // what the base is made of
  number base;           // the window of the first retry
  number cap;            // of windows
  number n;              // retries before it, since the last reset
  number n_ever;         // the same, whatever was reset
  double before;         // the delay before it in its cycle
  std::uint64_t draw;    // given to it
  documented const& by;  // maps draws
};

inline number times(number a, number b) noexcept { return a > 0 && b > huge / a ? huge : a * b; }
inline number doubled(number base, number n) noexcept {
  for (; n > 0 && base > 0 && base < huge; --n) base = times(base, 2);
  return base;
}

// Full jitter; a hypothesis replaces what it doubts.
struct as_documented {
  static number window(retry const& p) { return std::min(doubled(p.base, p.n), p.cap); }
  static observed delay(retry const& p, number window) { return p.by.jitter(p.draw, window); }
};

inline double of(observed const& o) noexcept {
  auto x = static_cast<double>(o.value.mantissa);
  for (auto e = o.value.exponent; e < 0; ++e) x /= 10;
  for (auto e = o.value.exponent; e > 0; --e) x *= 10;
  return x;
}

struct caps_the_delay : as_documented {
  static number window(retry const& p) { return doubled(p.base, p.n); }
  static observed delay(retry const& p, number window) {
    return real(std::min(of(as_documented::delay(p, window)), static_cast<double>(p.cap)));
  }
};
struct never_caps : as_documented {
  static number window(retry const& p) { return doubled(p.base, p.n); }
};
struct first_window_uncapped : as_documented {
  static number window(retry const& p) { return p.n == 0 ? p.base : as_documented::window(p); }
};
struct linear : as_documented {
  static number window(retry const& p) { return std::min(times(p.base, p.n + 1), p.cap); }
};
struct square : as_documented {
  static number window(retry const& p) { return std::min(times(p.base, times(p.n + 1, p.n + 1)), p.cap); }
};
struct square_of_retries : as_documented {
  static number window(retry const& p) { return std::min(p.n == 0 ? p.base : times(p.base, times(p.n, p.n)), p.cap); }
};
struct power_of_base : as_documented {
  static number window(retry const& p) {
    number w = p.base;
    for (number i = 0; i < p.n && w > 1 && w < p.cap; ++i) w = times(w, p.base);
    return std::min(w, p.cap);
  }
};
struct threefold : as_documented {
  static number window(retry const& p) {
    number w = p.base;
    for (number i = 0; i < p.n && w > 0 && w < p.cap; ++i) w = times(w, 3);
    return std::min(w, p.cap);
  }
};
struct half_at_first : as_documented {
  static number window(retry const& p) { return std::min(p.n == 0 ? p.base / 2 : doubled(p.base, p.n - 1), p.cap); }
};
struct base_twice : as_documented {
  static number window(retry const& p) { return std::min(doubled(p.base, std::max<number>(p.n - 1, 0)), p.cap); }
};
struct doubled_at_once : as_documented {
  static number window(retry const& p) { return std::min(doubled(p.base, p.n + 1), p.cap); }
};
struct never_grows : as_documented {
  static number window(retry const& p) { return std::min(p.base, p.cap); }
};
struct constant : never_grows {
  static observed delay(retry const&, number window) { return observed::of(window); }
};
struct no_jitter : as_documented {
  static observed delay(retry const&, number window) { return observed::of(window); }
};
struct no_jitter_at_the_cap : as_documented {
  static observed delay(retry const& p, number window) {
    return window == p.cap ? observed::of(window) : as_documented::delay(p, window);
  }
};
struct equal_jitter : as_documented {
  static observed delay(retry const& p, number window) {
    return real(static_cast<double>(window / 2) + of(p.by.jitter(p.draw, window / 2)));
  }
};
struct equal_jitter_rounded_up : as_documented {
  static observed delay(retry const& p, number window) {
    return real(static_cast<double>(window / 2) + of(p.by.jitter(p.draw, window - window / 2)));
  }
};
struct equal_jitter_of_reals : as_documented {
  static observed delay(retry const& p, number window) {
    return real((static_cast<double>(window) + of(p.by.jitter(p.draw, window))) / 2);
  }
};
struct at_least_the_base : as_documented {
  static observed delay(retry const& p, number window) {
    auto const least = static_cast<double>(std::min(p.base, p.cap));
    return real(std::max(least, of(p.by.jitter(p.draw, window))));
  }
};
struct half_of_the_jitter : as_documented {
  static observed delay(retry const& p, number window) { return p.by.jitter(p.draw, window / 2); }
};
struct jitter_past_the_window : as_documented {
  static observed delay(retry const& p, number window) {
    return real(of(as_documented::delay(p, window)) + static_cast<double>(window / 2));
  }
};
struct window_and_jitter : as_documented {
  static observed delay(retry const& p, number window) {
    return real(of(as_documented::delay(p, window)) + static_cast<double>(window));
  }
};
// The first window, capped, and what next(window) makes of it at each retry.
template <class Next>
number stepped(retry const& p, Next next) {
  number w = std::min(p.base, p.cap);
  for (number i = 0; i < p.n && w > 0; ++i) {
    auto const then = next(w);
    if (then == w) break;
    w = then;
  }
  return w;
}
// Doubles while the window is below half of the cap, and stays there.
struct freezes_below_the_cap : as_documented {
  static number window(retry const& p) {
    return stepped(p, [&](number w) { return w < p.cap / 2 ? 2 * w : w; });
  }
};
// Doubles where the result is below the cap.
struct never_reaches_the_cap : as_documented {
  static number window(retry const& p) {
    return stepped(p, [&](number w) { return 2 * w < p.cap ? 2 * w : w; });
  }
};
// Doubles whatever is below the cap.
struct passes_the_cap : as_documented {
  static number window(retry const& p) {
    return stepped(p, [&](number w) { return w < p.cap ? 2 * w : w; });
  }
};
struct begins_anew_past_the_cap : as_documented {
  static number window(retry const& p) {
    return stepped(p, [&](number w) { return 2 * w <= p.cap ? 2 * w : p.initial; });
  }
};
template <int most>
struct stops_doubling : as_documented {
  static number window(retry const& p) { return std::min(doubled(p.base, std::min<number>(p.n, most)), p.cap); }
};
struct adds_the_initial : as_documented {
  static number window(retry const& p) { return std::min(p.base + times(p.initial, p.n), p.cap); }
};
struct none_at_first : as_documented {
  static observed delay(retry const& p, number window) {
    return p.n == 0 ? observed::of(0) : as_documented::delay(p, window);
  }
};
struct from_one : as_documented {
  static observed delay(retry const& p, number window) {
    return window == 0 ? observed::of(0) : real(1 + of(p.by.jitter(p.draw, window - 1)));
  }
};
struct from_the_initial : as_documented {
  static observed delay(retry const& p, number window) {
    auto const drawn = of(p.by.jitter(p.draw, std::max<number>(window - p.initial, 0)));
    return real(std::min(static_cast<double>(p.initial) + drawn, static_cast<double>(p.cap)));
  }
};
template <int most>
struct in_percent : as_documented {
  static observed delay(retry const& p, number window) {
    return real(std::floor(static_cast<double>(window) * of(p.by.jitter(p.draw, most)) / 100));
  }
};
// So many percent of the window to either side of it.
template <int percent, bool caps>
struct around_the_window : as_documented {
  static observed delay(retry const& p, number window) {
    auto const drawn = of(p.by.jitter(p.draw, window * (2 * percent) / 100));
    auto const delay = static_cast<double>(window * (100 - percent) / 100) + drawn;
    return real(caps ? std::min(delay, static_cast<double>(p.cap)) : delay);
  }
};
// From the base to three times the delay before, at most the cap.
struct decorrelated : as_documented {
  static observed delay(retry const& p, number) {
    auto const before = p.n == 0 ? static_cast<double>(p.base) : p.before;
    auto const width = std::max(3 * before - static_cast<double>(p.base), 0.0);
    auto const drawn = of(p.by.jitter(p.draw, static_cast<number>(width)));
    return real(std::min(static_cast<double>(p.base) + drawn, static_cast<double>(p.cap)));
  }
};
struct compounds : as_documented {
  static number window(retry const& p) {
    return std::min(p.n == 0 ? p.base : static_cast<number>(2 * p.before), p.cap);
  }
};
template <int bits>
struct shift_masked : as_documented {
  static number window(retry const& p) { return std::min(doubled(p.base, p.n % bits), p.cap); }
};
// The product in so many bits, without a sign.
template <int bits>
struct product_wraps : as_documented {
  static number window(retry const& p) {
    auto const mask = (std::uint64_t{1} << bits) - 1;
    auto const w = p.n < bits ? (static_cast<std::uint64_t>(p.base) << p.n) & mask : 0;
    return std::min(static_cast<number>(w), p.cap);
  }
};
// The same, of a window that was capped before it doubles.
template <int bits>
struct doubling_wraps : as_documented {
  static number window(retry const& p) {
    return stepped(p, [&](number w) { return std::min(2 * w % (number{1} << bits), p.cap); });
  }
};
struct reset_keeps_the_window : as_documented {
  static number window(retry const& p) { return std::min(doubled(p.base, p.n_ever), p.cap); }
};

// Where each cycle begins: its base, and how many retries came before. One an instance.
struct cycle {
  number base = 0;
  number n = 0;
  number n_ever = 0;
  double before = 0;
};

// Answers, with delays as P has them. Begin(step, cycle) is called at each reset.
template <class P, class Begin>
std::vector<answer> with_delays(std::vector<answer> all, history const& h, documented& document, number base,
                                number cap, Begin begin) {
  auto const& s = document.shape();
  auto const reset = s.find_operation("reset");
  std::array<cycle, instances_max> cycles;
  cycles.fill({base});
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto const& step = h.steps[i];
    auto& c = cycles[step.on];
    if (reset && step.op == *reset) {
      c.n = 0;
      begin(step, c);
    }
    bool const waits = step.op == 0 && all[i][s.delay].is == observed::kind::number;
    if (!waits) continue;
    auto const draw = static_cast<std::uint64_t>(step.args[s.draw_of(0)].n);
    retry const p{base, c.base, cap, c.n, c.n_ever, c.before, draw, document};
    all[i][s.delay] = P::delay(p, P::window(p));
    c.before = of(all[i][s.delay]);
    ++c.n;
    ++c.n_ever;
  }
  return all;
}

template <class System, int... most>
void add_stops(std::vector<diagnosis>& all) {
  (all.push_back({"stops-doubling", most == 1 ? "doubles once at most" : fmt::format("doubles {} times at most", most),
                  System::template answers<stops_doubling<most>>}),
   ...);
}

template <class System, int percent>
void add_around(std::vector<diagnosis>& all) {
  auto const sentence = fmt::format("draws from {} to {} percent of the window", 100 - percent, 100 + percent);
  all.push_back(
      {"both-sides", sentence + ", and caps the delay", System::template answers<around_the_window<percent, true>>});
  all.push_back({"both-sides", sentence, System::template answers<around_the_window<percent, false>>});
}

// For a system whose `answers<P>` is that.
template <class System>
std::vector<diagnosis> full_jitter_diagnoses() {
  std::vector<diagnosis> all{
      {"caps-the-delay", "caps the delay, not the window", System::template answers<caps_the_delay>},
      {"never-caps", "never caps the window", System::template answers<never_caps>},
      {"first-window-uncapped", "does not cap the first window", System::template answers<first_window_uncapped>},
      {"no-jitter", "waits the whole window and does not draw", System::template answers<no_jitter>},
      {"no-delay-at-first", "does not wait before the first retry", System::template answers<none_at_first>},
      {"no-jitter-at-the-cap", "waits the whole window at the cap and does not draw there",
       System::template answers<no_jitter_at_the_cap>},
      {"equal-jitter", "draws from the upper half of the window (equal jitter)",
       System::template answers<equal_jitter>},
      {"equal-jitter", "draws from the upper half of the window (equal jitter)",
       System::template answers<equal_jitter_rounded_up>},
      {"equal-jitter", "draws from the upper half of the window (equal jitter)",
       System::template answers<equal_jitter_of_reals>},
      {"never-below-the-base", "never waits less than the base", System::template answers<at_least_the_base>},
      {"half-of-the-jitter", "draws from the lower half of the window", System::template answers<half_of_the_jitter>},
      {"jitter-past-the-window", "adds half of the window to what it draws",
       System::template answers<jitter_past_the_window>},
      {"window-and-jitter", "adds the whole window to what it draws", System::template answers<window_and_jitter>},
      {"never-draws-0", "draws from 1 to the window", System::template answers<from_one>},
      {"whole-percents", "draws a whole percentage of the window, up to 99", System::template answers<in_percent<99>>},
      {"whole-percents", "draws a whole percentage of the window, up to 100",
       System::template answers<in_percent<100>>},
      {"decorrelated-jitter", "draws from the base to three times the delay before (decorrelated jitter)",
       System::template answers<decorrelated>},
      {"compounds", "doubles the delay before, with its random part", System::template answers<compounds>},
      {"starts-late", "starts one doubling late, with half of the base", System::template answers<half_at_first>},
      {"starts-late", "starts to double one retry late", System::template answers<base_twice>},
      {"starts-early", "starts one doubling early", System::template answers<doubled_at_once>},
      {"linear", "adds the base for each retry in place of doubling", System::template answers<linear>},
      {"square", "grows with the square of the count in place of doubling", System::template answers<square>},
      {"square", "grows with the square of the count in place of doubling",
       System::template answers<square_of_retries>},
      {"power-of-base", "raises the base to a power in place of doubling", System::template answers<power_of_base>},
      {"threefold", "triples the window in place of doubling", System::template answers<threefold>},
      {"never-grows", "draws from the first window each time", System::template answers<never_grows>},
      {"constant", "always waits the base, and neither doubles nor draws", System::template answers<constant>},
      {"stops-below-the-cap", "stops doubling at half of the cap", System::template answers<freezes_below_the_cap>},
      {"stops-below-the-cap", "doubles only if the result stays below the cap",
       System::template answers<never_reaches_the_cap>},
      {"passes-the-cap", "doubles each window below the cap, past it", System::template answers<passes_the_cap>},
      {"begins-anew-past-the-cap", "begins with the base again where doubling would pass the cap",
       System::template answers<begins_anew_past_the_cap>},
      {"shift-masked", "shifts by the count modulo 32", System::template answers<shift_masked<32>>},
      {"shift-masked", "shifts by the count modulo 64", System::template answers<shift_masked<64>>},
      {"product-wraps", "keeps 16 bits of the window", System::template answers<product_wraps<16>>},
      {"product-wraps", "keeps 32 bits of the window", System::template answers<product_wraps<32>>},
      {"product-wraps", "keeps 16 bits of the window whenever it doubles",
       System::template answers<doubling_wraps<16>>},
      {"product-wraps", "keeps 32 bits of the window whenever it doubles",
       System::template answers<doubling_wraps<32>>},
      {"reset-keeps-the-window", "does not forget the window at a reset",
       System::template answers<reset_keeps_the_window>},
      {"reset-keeps-the-count", "does not forget the count of retries at a reset",
       System::template counting_on<as_documented>},
  };
  add_around<System, 10>(all);
  add_around<System, 20>(all);
  add_around<System, 25>(all);
  add_around<System, 50>(all);
  add_stops<System, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 16, 20, 30, 31>(all);
  return all;
}

}  // namespace backoff::conformance::diagnoses
