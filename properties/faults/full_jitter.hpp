// The faults of a delay drawn from a window that doubles, each once. A row is a wrong port, a hypothesis of the
// diagnosis, or both. They share the fault's formula and nothing else: a port, made by ports/full_jitter.hpp, computes
// the rest in plain steps; for a hypothesis, explain/full_jitter.cpp asks the model.
// Checked by: properties/explain/faults_test.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "layers.hpp"

namespace backoff::faults {

// What the base of a cycle is made of; without jitter in backoffAlgorithm.
struct parts {
  double initial;
  double jitter = 0;
  double first_jitter = 0;  // of the instance's first reset
};

// Where a retry stands. All but delays are whole numbers, which doubles hold exactly as long as it matters.
struct retry {
  double initial;                         // what the base is made of
  double base;                            // the window of the first retry
  double cap;                             // of windows
  double n;                               // retries before it, since the last reset
  double n_ever;                          // the same, whatever was reset
  double before;                          // the delay before it in its cycle
  std::function<double(double)> drawn{};  // from 0 to that
};

inline double doubled(double base, double n) { return std::ldexp(base, static_cast<int>(std::min(n, 1'000.0))); }

// What a fault does otherwise than documented.
struct doing {
  std::function<double(parts const&)> base = [](parts const& p) { return p.initial + p.jitter; };
  std::function<double(retry const&)> grows = [](retry const& p) { return doubled(p.base, p.n); };
  std::function<double(retry const&)> window{};  // where it is not what grows, capped
  std::function<double(retry const&, double window)> delay = [](retry const& p, double w) { return p.drawn(w); };
  bool counts_on = false;  // through resets

  [[nodiscard]] double window_of(retry const& p) const { return window ? window(p) : std::min(grows(p), p.cap); }
  [[nodiscard]] double delay_of(retry const& p) const { return delay(p, window_of(p)); }
};

using in_each = std::array<std::string_view, 2>;  // system: backoffAlgorithm, Retry Utilities
enum system : std::size_t { backoff_algorithm, retry_utils };

// A fault as a port. What follows `steps` is no part of a hypothesis.
struct wrong_port {
  std::string_view name{};
  in_each caught{};           // by the claim that must; a system without it has no such port
  in_each hazard{};           // that must be recognised
  std::size_t steps = 6;      // at most, and a reset where that begins, to show it
  bool shows_state = false;   // where the system has one to show
  bool shares_state = false;  // all instances
  std::function<bool(double granted, double limit)> ended = [](double granted, double limit) {
    return granted >= limit;
  };
  std::function<bool(retry const&)> fails = [](retry const&) { return false; };
};

struct fault {
  std::string name;  // of the hypothesis; empty: the diagnosis has none here
  std::string sentence;
  doing does{};
  wrong_port port{};
};

// Claims.
inline constexpr in_each past_the_cap{"delay_never_exceeds_cap", "sleep_never_exceeds_cap"};
inline constexpr in_each at_the_cap{"jitter_survives_the_cap", "jitter_survives_the_cap"};
inline constexpr in_each at_first{"first_delay_is_drawn_from_the_base", "first_sleep_is_drawn_from_the_base"};
inline constexpr in_each growing{"window_doubles_with_each_retry", "window_doubles_after_each_sleep"};
inline constexpr in_each below_0{"delay_is_never_negative", "sleep_is_never_negative"};
inline constexpr in_each no_number{"delay_is_a_number", "sleep_is_a_number"};
inline constexpr in_each failing{"no_call_fails", "no_call_fails"};
inline constexpr in_each after_reset{"reset_starts_a_fresh_cycle", "reset_starts_a_fresh_cycle"};
inline constexpr in_each too_late{"exhausted_after_max_attempts", "exhausted_after_max_attempts"};
inline constexpr in_each too_early{"retries_until_max_attempts", "retries_until_max_attempts"};
inline constexpr in_each unlimited{"forever_never_exhausts", "zero_attempts_are_unlimited"};
inline constexpr in_each dependent{"instances_are_independent", "instances_are_independent"};
constexpr in_each both(std::string_view name) { return {name, name}; }
constexpr in_each only(system here, in_each const& names) {
  return {here == backoff_algorithm ? names[0] : "", here == retry_utils ? names[1] : ""};
}

inline doing grows(std::function<double(retry const&)> f) { return {.grows = std::move(f)}; }
inline doing window(std::function<double(retry const&)> f) { return {.window = std::move(f)}; }
inline doing delay(std::function<double(retry const&, double)> f) { return {.delay = std::move(f)}; }
inline fault row(std::string name, std::string sentence, doing does, wrong_port port = {}) {
  return {std::move(name), std::move(sentence), std::move(does), std::move(port)};
}

// The first window, capped, and what next(window) makes of it at each retry.
template <class Next>
double stepped(retry const& p, Next next) {
  double w = std::min(p.base, p.cap);
  for (std::uint64_t i = 0; static_cast<double>(i) < p.n; ++i) {
    auto const then = next(w);
    if (then == w) break;
    w = then;
  }
  return w;
}

inline double in_whole_halves(double window) { return std::floor(window / 2); }

inline doing stops_doubling(double most) {
  return grows([=](retry const& p) { return doubled(p.base, std::min(p.n, most)); });
}
inline doing in_percent(double most) {
  return delay([=](retry const& p, double w) { return std::floor(w * p.drawn(most) / 100); });
}
// So many percent of the window to either side of it.
inline doing around_the_window(double percent, bool caps) {
  return delay([=](retry const& p, double w) {
    auto const delay = std::floor(w * (100 - percent) / 100) + p.drawn(std::floor(w * 2 * percent / 100));
    return caps ? std::min(delay, p.cap) : delay;
  });
}
inline doing shift_masked(double bits) {
  return grows([=](retry const& p) { return doubled(p.base, std::fmod(p.n, bits)); });
}
// The product in so many bits, without a sign; the same, of a window that was capped before it doubles.
inline doing product_wraps(double size) {
  return grows([=](retry const& p) { return std::fmod(doubled(p.base, p.n), size); });
}
inline doing doubling_wraps(double size) {
  return window(
      [=](retry const& p) { return stepped(p, [&](double w) { return std::min(std::fmod(2 * w, size), p.cap); }); });
}

constexpr double longest_i32 = 0x7fff'ffff;
constexpr double doublings_in_a_double = 1'023;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Of hypotheses the most telling first.
inline std::vector<fault> const& full_jitter() {
  static auto const table = [] {
    auto const uncapped = [](retry const& p) { return doubled(p.base, p.n); };
    std::vector<fault> all{
        row("caps-the-delay", "caps the delay, not the window",
            {.window = uncapped, .delay = [](retry const& p, double w) { return std::min(p.drawn(w), p.cap); }},
            {"cap-after-jitter", at_the_cap}),
        row("never-caps", "never caps the window", window(uncapped), {"cap-ignored", past_the_cap}),
        row("first-window-uncapped", "does not cap the first window",
            window([](retry const& p) { return p.n == 0 ? p.base : std::min(doubled(p.base, p.n), p.cap); }),
            {"first-window-uncapped", past_the_cap, both("first-window=uncapped")}),
        row("no-jitter", "waits the whole window and does not draw", delay([](retry const&, double w) { return w; }),
            {"no-jitter", at_first}),
        row("no-delay-at-first", "does not wait before the first retry",
            delay([](retry const& p, double w) { return p.n == 0 ? 0 : p.drawn(w); })),
        row("no-jitter-at-the-cap", "waits the whole window at the cap and does not draw there",
            delay([](retry const& p, double w) { return w == p.cap ? w : p.drawn(w); }),
            {"jitter-gone-at-the-cap", at_the_cap}),
        row("equal-jitter", "draws from the upper half of the window (equal jitter)",
            delay([](retry const& p, double w) { return in_whole_halves(w) + p.drawn(in_whole_halves(w)); })),
        row("equal-jitter", "draws from the upper half of the window (equal jitter)",
            delay([](retry const& p, double w) { return in_whole_halves(w) + p.drawn(w - in_whole_halves(w)); })),
        row("equal-jitter", "draws from the upper half of the window (equal jitter)",
            delay([](retry const& p, double w) { return (w + p.drawn(w)) / 2; })),
        row("never-below-the-base", "never waits less than the base",
            delay([](retry const& p, double w) { return std::max(std::min(p.base, p.cap), p.drawn(w)); })),
        row("half-of-the-jitter", "draws from the lower half of the window",
            delay([](retry const& p, double w) { return p.drawn(in_whole_halves(w)); })),
        row("jitter-past-the-window", "adds half of the window to what it draws",
            delay([](retry const& p, double w) { return p.drawn(w) + in_whole_halves(w); }),
            {"jitter-past-the-cap", past_the_cap}),
        row("window-and-jitter", "adds the whole window to what it draws",
            delay([](retry const& p, double w) { return p.drawn(w) + w; })),
        row("never-draws-0", "draws from 1 to the window",
            delay([](retry const& p, double w) { return w == 0 ? 0 : 1 + p.drawn(w - 1); })),
        row("whole-percents", "draws a whole percentage of the window, up to 99", in_percent(99)),
        row("whole-percents", "draws a whole percentage of the window, up to 100", in_percent(100)),
        row("decorrelated-jitter", "draws from the base to three times the delay before (decorrelated jitter)",
            delay([](retry const& p, double) {
              auto const width = 3 * (p.n == 0 ? p.base : p.before) - p.base;
              return std::min(p.base + p.drawn(std::max(width, 0.0)), p.cap);
            })),
        row("compounds", "doubles the delay before, with its random part",
            grows([](retry const& p) { return p.n == 0 ? p.base : std::floor(2 * p.before); })),
        row("starts-late", "starts one doubling late, with half of the base",
            grows([](retry const& p) { return p.n == 0 ? in_whole_halves(p.base) : doubled(p.base, p.n - 1); }),
            {"doubles-too-late", only(backoff_algorithm, at_first)}),
        row("starts-late", "starts to double one retry late",
            grows([](retry const& p) { return doubled(p.base, std::max(p.n - 1, 0.0)); }),
            {"doubles-too-late", only(retry_utils, growing)}),
        row("starts-early", "starts one doubling early", grows([](retry const& p) { return doubled(p.base, p.n + 1); }),
            {"doubles-too-early", only(retry_utils, at_first), both("attempt-origin=one")}),
        row("linear", "adds the base for each retry instead of doubling",
            grows([](retry const& p) { return p.base * (p.n + 1); }), {"linear", growing}),
        row("square", "grows with the square of the count instead of doubling",
            grows([](retry const& p) { return p.base * (p.n + 1) * (p.n + 1); }), {"square", growing}),
        row("square", "grows with the square of the count instead of doubling",
            grows([](retry const& p) { return p.n == 0 ? p.base : p.base * p.n * p.n; })),
        row("power-of-base", "raises the base to a power instead of doubling",
            grows([](retry const& p) { return std::pow(p.base, p.n + 1); }), {"power-of-base", growing}),
        row("threefold", "triples the window instead of doubling",
            grows([](retry const& p) { return p.base * std::pow(3, std::min(p.n, 500.0)); })),
        row("never-grows", "draws from the first window each time", grows([](retry const& p) { return p.base; })),
        row("constant", "always waits the base, and neither doubles nor draws",
            delay([](retry const& p, double) { return std::min(p.base, p.cap); }),
            {"constant", only(backoff_algorithm, at_first)}),
        row("stops-below-the-cap", "stops doubling at half of the cap", window([](retry const& p) {
              return stepped(p, [&](double w) { return w < in_whole_halves(p.cap) ? 2 * w : w; });
            }),
            {"freeze", at_the_cap, {"", "window-growth=freeze"}}),
        row("stops-below-the-cap", "doubles only if the result stays below the cap",
            window([](retry const& p) { return stepped(p, [&](double w) { return 2 * w < p.cap ? 2 * w : w; }); }),
            {"comment", at_the_cap, {"", "window-growth=comment"}}),
        row("passes-the-cap", "doubles each window below the cap, past it",
            window([](retry const& p) { return stepped(p, [&](double w) { return w < p.cap ? 2 * w : w; }); })),
        row("begins-anew-past-the-cap", "begins with the base again where doubling would pass the cap",
            window([](retry const& p) {
              return stepped(p, [&](double w) { return 2 * w <= p.cap ? 2 * w : p.initial; });
            })),
        row("shift-masked", "shifts by the count modulo 32", shift_masked(32)),
        row("shift-masked", "shifts by the count modulo 64", shift_masked(64)),
        row("product-wraps", "keeps 16 bits of the window", product_wraps(0x1p16)),
        row("product-wraps", "keeps 32 bits of the window", product_wraps(0x1p32)),
        row("product-wraps", "keeps 16 bits of the window whenever it doubles", doubling_wraps(0x1p16)),
        row("product-wraps", "keeps 32 bits of the window whenever it doubles", doubling_wraps(0x1p32)),
        row("reset-keeps-the-window", "does not forget the window at a reset",
            grows([](retry const& p) { return doubled(p.base, p.n_ever); }),
            {"reset-keeps-the-window", only(backoff_algorithm, after_reset)}),
        row("reset-keeps-the-count", "does not forget the count of retries at a reset", {.counts_on = true},
            {"reset-keeps-the-count", after_reset, {}, 6, true}),
        // Of these the diagnosis of any system has some.
        row("", "all instances count together", {},
            {.name = "shared-state", .caught = dependent, .shares_state = true}),
        row("", "grants max_attempts + 1 retries", {},
            {.name = "one-attempt-too-many",
             .caught = too_late,
             .ended = [](double granted, double limit) { return granted > limit; }}),
        row("", "grants max_attempts - 1 retries", {},
            {.name = "one-attempt-too-few",
             .caught = too_early,
             .hazard = both("exhaustion-call=n"),
             .ended = [](double granted, double limit) { return granted + 1 >= limit; }}),
        row("", "a limit of its own", {},
            {.name = "ends-after-ten",
             .caught = unlimited,
             .steps = 11,
             .ended = [](double granted, double limit) { return granted >= std::min(limit, 10.0); }}),
        row("", "16 doublings overflow to a window of 0",
            grows([](retry const& p) { return p.n >= 16 ? 0 : doubled(p.base, p.n); }),
            {"overflow-to-zero", at_the_cap, {}, 17}),
        row("", "long delays turn negative",
            delay([](retry const& p, double w) { return p.drawn(w) > longest_i32 ? p.drawn(w) - 0x1p32 : p.drawn(w); }),
            {"negative-beyond-i32", below_0}),
        row("", "delays beyond 2^31 ms become 1 ms",
            delay([](retry const& p, double w) { return p.drawn(w) > longest_i32 ? 1 : p.drawn(w); }),
            {"timer-wraps", only(backoff_algorithm, at_the_cap)}),
        row("", "a double's exponent overflows", {},
            {.name = "throws-after-1023",
             .caught = failing,
             .steps = 1'025,
             .fails = [](retry const& p) { return p.n > doublings_in_a_double; }}),
        row("", "an empty window is an error", {},
            {.name = "throws-on-empty",
             .caught = only(backoff_algorithm, failing),
             .hazard = both("empty-window=undefined"),
             .fails = [](retry const& p) { return p.base == 0 || p.cap == 0; }}),
        row("", "delays are a thousand times too long",
            delay([](retry const& p, double w) { return p.drawn(w) * 1'000; }),
            {"seconds-for-milliseconds", only(backoff_algorithm, past_the_cap)}),
        row("", "an empty window gives NaN", delay([](retry const& p, double w) { return w == 0 ? nan : p.drawn(w); }),
            {"not-a-number", no_number, {"empty-window=undefined", ""}}),
        row("", "a base of 0 times 2^1024 in doubles", delay([](retry const& p, double w) {
              return p.base == 0 && p.n > doublings_in_a_double ? nan : p.drawn(w);
            }),
            {"zero-times-infinity", only(backoff_algorithm, no_number), {}, 1'025}),
        row("", "counts from zero below small caps, from one below large ones",
            grows([](retry const& p) { return doubled(p.base, p.cap < 100 ? p.n : p.n + 1); }),
            {"mixed-growth", only(backoff_algorithm, at_first)}),
        row("", "doubles below half of the cap, then jumps to it", window([](retry const& p) {
              return stepped(p, [&](double w) { return w < in_whole_halves(p.cap) ? 2 * w : p.cap; });
            }),
            {"compare-half", growing, both("window-growth=compare-half")}),
    };
    for (auto const percent : {10, 20, 25, 50}) {
      auto const sentence = "draws from " + std::to_string(100 - percent) + " to " + std::to_string(100 + percent) +
                            " percent of the window";
      all.push_back({"both-sides", sentence + ", and caps the delay", around_the_window(percent, true)});
      all.push_back({"both-sides", sentence, around_the_window(percent, false)});
    }
    for (auto const most : {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 16, 20, 30, 31}) {
      auto const times = most == 1 ? "once" : std::to_string(most) + " times";
      all.push_back({"stops-doubling", "doubles " + times + " at most", stops_doubling(most)});
    }
    return all;
  }();
  return table;
}

}  // namespace backoff::faults
