// Hypotheses about a delay drawn from a window that doubles: the documented answers, with another window or another way
// of drawing from it. What the two systems that draw so share.
#pragma once

#include <algorithm>
#include <array>

#include "explain/diagnosis.hpp"

namespace backoff::conformance::diagnoses {

using number = std::int64_t;
inline constexpr number huge = number{1} << 61;

// Where a retry stands.
struct retry {
  number base;           // the window of the first retry
  number cap;            // of windows
  number n;              // retries before it, since the last reset
  number n_ever;         // the same, whatever was reset
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
// Doubles while the window is below half of the cap, and stays there.
struct freezes_below_the_cap : as_documented {
  static number window(retry const& p) {
    number w = std::min(p.base, p.cap);
    for (number i = 0; i < p.n && i < 64 && w > 0; ++i) w = w < p.cap / 2 ? 2 * w : w;
    return w;
  }
};
// Doubles where the result is below the cap.
struct never_reaches_the_cap : as_documented {
  static number window(retry const& p) {
    number w = std::min(p.base, p.cap);
    for (number i = 0; i < p.n && i < 64 && w > 0; ++i) w = 2 * w < p.cap ? 2 * w : w;
    return w;
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
struct reset_keeps_the_window : as_documented {
  static number window(retry const& p) { return std::min(doubled(p.base, p.n_ever), p.cap); }
};

// Where each cycle begins: its base, and how many retries came before. One an instance.
struct cycle {
  number base = 0;
  number n = 0;
  number n_ever = 0;
};

// The documented answers, with delays as P has them. Begin(history, step, cycle) is called at each reset.
template <class P, class Begin>
std::vector<answer> answers_of(history const& h, documented& document, number base, number cap, Begin begin) {
  auto all = document.answers(h);
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
    retry const p{c.base, cap, c.n, c.n_ever, static_cast<std::uint64_t>(step.args[s.draw_of(0)].n), document};
    all[i][s.delay] = P::delay(p, P::window(p));
    ++c.n;
    ++c.n_ever;
  }
  return all;
}

// For a system whose `answers<P>` is that.
template <class System>
std::vector<diagnosis> full_jitter_diagnoses() {
  return {
      {"caps-the-delay", "caps the delay, not the window", System::template answers<caps_the_delay>},
      {"never-caps", "never caps the window", System::template answers<never_caps>},
      {"first-window-uncapped", "does not cap the first window", System::template answers<first_window_uncapped>},
      {"no-jitter", "waits the whole window and does not draw", System::template answers<no_jitter>},
      {"no-jitter-at-the-cap", "waits the whole window at the cap and does not draw there",
       System::template answers<no_jitter_at_the_cap>},
      {"equal-jitter", "draws from the upper half of the window (equal jitter)",
       System::template answers<equal_jitter>},
      {"equal-jitter", "draws from the upper half of the window (equal jitter)",
       System::template answers<equal_jitter_rounded_up>},
      {"half-of-the-jitter", "draws from the lower half of the window", System::template answers<half_of_the_jitter>},
      {"jitter-past-the-window", "adds half of the window to what it draws",
       System::template answers<jitter_past_the_window>},
      {"window-and-jitter", "adds the whole window to what it draws", System::template answers<window_and_jitter>},
      {"starts-late", "starts one doubling late, with half of the base", System::template answers<half_at_first>},
      {"starts-late", "starts to double one retry late", System::template answers<base_twice>},
      {"starts-early", "starts one doubling early", System::template answers<doubled_at_once>},
      {"linear", "adds the base for each retry in place of doubling", System::template answers<linear>},
      {"square", "grows with the square of the count in place of doubling", System::template answers<square>},
      {"power-of-base", "raises the base to a power in place of doubling", System::template answers<power_of_base>},
      {"threefold", "triples the window in place of doubling", System::template answers<threefold>},
      {"never-grows", "draws from the first window each time", System::template answers<never_grows>},
      {"constant", "always waits the base, and neither doubles nor draws", System::template answers<constant>},
      {"stops-below-the-cap", "stops doubling at half of the cap", System::template answers<freezes_below_the_cap>},
      {"stops-below-the-cap", "doubles only if the result stays below the cap",
       System::template answers<never_reaches_the_cap>},
      {"shift-masked", "shifts by the count modulo 32", System::template answers<shift_masked<32>>},
      {"shift-masked", "shifts by the count modulo 64", System::template answers<shift_masked<64>>},
      {"product-wraps", "keeps 16 bits of the window", System::template answers<product_wraps<16>>},
      {"product-wraps", "keeps 32 bits of the window", System::template answers<product_wraps<32>>},
      {"reset-keeps-the-window", "does not forget the window at a reset",
       System::template answers<reset_keeps_the_window>},
  };
}

}  // namespace backoff::conformance::diagnoses
