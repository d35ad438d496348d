// Wrong ports of backoffAlgorithm v1.3.0: faults that retry code has shipped. Each must be caught by the claim that it
// names; those of a hazard reading must be recognised as such, and pass when it is pinned.
#include <array>

#include "ports/built_in.hpp"
#include "systems/aws_backoff_algorithm/ports/documented.hpp"

namespace backoff::conformance {
namespace {

using namespace plain;

constexpr number huge = number{1} << 40;

struct cap_ignored : as_documented {
  static number window(cycle const& c) { return doubled(c.base, c.n); }
};
struct linear : as_documented {
  static number window(cycle const& c) { return least(c.base * (c.n + 1), c.cap); }
};
struct square : as_documented {
  static number window(cycle const& c) {
    return least(c.base * least((c.n + 1) * (c.n + 1), huge / (c.base + 1)), c.cap);
  }
};
struct power_of_base : as_documented {  // base^(n+1)
  static number window(cycle const& c) {
    number w = c.base;
    for (number i = 0; i < c.n && w < c.cap && w > 1; ++i) w = w > huge / c.base ? huge : w * c.base;
    return least(w, c.cap);
  }
};
struct doubles_too_late : as_documented {
  static number window(cycle const& c) {
    return c.n == 0 ? least(c.base / 2, c.cap) : least(doubled(c.base, c.n - 1), c.cap);
  }
};
struct constant : as_documented {
  static observed delay(std::uint64_t, number, cycle const& c) { return observed::of(least(c.base, c.cap)); }
};
struct no_jitter : as_documented {
  static observed delay(std::uint64_t, number window, cycle const&) { return observed::of(window); }
};
struct jitter_gone_at_the_cap : as_documented {
  static observed delay(std::uint64_t draw, number window, cycle const& c) {
    return window == c.cap ? observed::of(window) : as_documented::delay(draw, window, c);
  }
};
struct cap_after_jitter : as_documented {
  static number window(cycle const& c) { return doubled(c.base, c.n); }
  static observed delay(std::uint64_t draw, number window, cycle const& c) {
    return observed::of(least(as_documented::delay(draw, window, c).value.mantissa, c.cap));
  }
};
struct jitter_past_the_cap : as_documented {  // half of the window is added to what was drawn
  static observed delay(std::uint64_t draw, number window, cycle const& c) {
    return observed::of(as_documented::delay(draw, window, c).value.mantissa + window / 2);
  }
};
struct reset_keeps_the_window : as_documented {
  static void reset(cycle& c) { c.count = 0; }
};
struct reset_keeps_the_count : as_documented {
  static void reset(cycle& c) { c.n = 0; }
};
struct one_attempt_too_many : as_documented {
  static bool ended(cycle& c) { return c.limit && c.count > *c.limit; }
};
struct one_attempt_too_few : as_documented {
  static bool ended(cycle& c) { return c.limit && c.count + 1 >= *c.limit; }
};
struct starts_again_when_exhausted : as_documented {
  static bool ended(cycle& c) {
    if (!as_documented::ended(c)) return false;
    reset(c);
    return true;
  }
};
struct ends_after_ten : as_documented {
  static bool ended(cycle& c) { return c.count >= 10 || as_documented::ended(c); }
};
struct shared_state : as_documented {
  static cycle& instance(std::array<cycle, instances_max>& all, std::uint8_t) { return all[0]; }
};
struct overflow_to_zero : as_documented {  // 16 doublings in a u16
  static number window(cycle const& c) { return c.n >= 16 ? 0 : as_documented::window(c); }
};
struct negative_beyond_i32 : as_documented {
  static observed delay(std::uint64_t draw, number window, cycle const& c) {
    number const d = as_documented::delay(draw, window, c).value.mantissa;
    return observed::of(d > 0x7fff'ffff ? d - (number{1} << 32) : d);
  }
};
struct timer_wraps_beyond_i32 : as_documented {  // the host's timer turns longer waits into 1 ms
  static observed delay(std::uint64_t draw, number window, cycle const& c) {
    number const d = as_documented::delay(draw, window, c).value.mantissa;
    return observed::of(d > 0x7fff'ffff ? 1 : d);
  }
};
struct throws_after_1023 : as_documented {
  static bool fails(cycle const& c) { return c.n > 1023; }
};
struct throws_on_an_empty_window : as_documented {
  static bool fails(cycle const& c) { return window(c) == 0; }
};
struct seconds_for_milliseconds : as_documented {
  static observed delay(std::uint64_t draw, number window, cycle const& c) {
    return observed::of(as_documented::delay(draw, window, c).value.mantissa * 1000);
  }
};
struct not_a_number_when_empty : as_documented {  // 0 / 0
  static observed delay(std::uint64_t draw, number window, cycle const& c) {
    return window == 0 ? observed{observed::kind::not_a_number, 0, {}} : as_documented::delay(draw, window, c);
  }
};
struct zero_times_infinity : as_documented {  // min(base · 2 ** n, cap) in doubles
  static observed delay(std::uint64_t draw, number window, cycle const& c) {
    bool const overflows = c.base == 0 && c.n > 1023;
    return overflows ? observed{observed::kind::not_a_number, 0, {}} : as_documented::delay(draw, window, c);
  }
};
struct compare_half : as_documented {
  static number window(cycle const& c) {
    number w = least(c.base, c.cap);
    for (number i = 0; i < c.n && i < 64; ++i) w = w < c.cap / 2 ? 2 * w : c.cap;
    return w;
  }
};
struct mixed_growth : as_documented {  // one reading below a cap of 100, another above
  static number window(cycle const& c) { return least(doubled(c.base, c.cap < 100 ? c.n : c.n + 1), c.cap); }
};
struct first_window_uncapped : as_documented {
  static number window(cycle const& c) { return c.n == 0 ? c.base : as_documented::window(c); }
};
struct freezes_below_the_cap : as_documented {
  static number window(cycle const& c) {
    number w = least(c.base, c.cap);
    for (number i = 0; i < c.n && i < 64; ++i) w = w < c.cap / 2 ? 2 * w : w;
    return w;
  }
};
struct doubles_only_below_the_cap : as_documented {
  static number window(cycle const& c) {
    number w = least(c.base, c.cap);
    for (number i = 0; i < c.n && i < 64; ++i) w = 2 * w < c.cap ? 2 * w : w;
    return w;
  }
};

std::vector<answer> run_with_silent_resets(history const& h) {
  auto answers = run<as_documented>(h);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (h.steps[i].op == 1) answers[i] = exhausted();
  }
  return answers;
}

template <class P>
built_in wrong(std::string_view name, std::string_view sentence, std::string_view claim,
               std::vector<std::string_view> hazard = {}, std::size_t steps = 6) {
  return {name, sentence, run<P>, {}, 0xffff'ffff, claim, std::move(hazard), steps};
}

}  // namespace

std::span<built_in const> aws_backoff_algorithm_wrong_ports() {
  static std::vector<built_in> const ports{
      wrong<cap_ignored>("cap-ignored", "the window is never capped", "delay_never_exceeds_cap"),
      wrong<linear>("linear", "the window grows by the base", "window_doubles_with_each_retry"),
      wrong<square>("square", "the window grows with the square of the count", "window_doubles_with_each_retry"),
      wrong<power_of_base>("power-of-base", "the window is a power of the base", "window_doubles_with_each_retry"),
      wrong<doubles_too_late>("doubles-too-late", "the exponent is one too small",
                              "first_delay_is_drawn_from_the_base"),
      wrong<constant>("constant", "always waits the base", "first_delay_is_drawn_from_the_base"),
      wrong<no_jitter>("no-jitter", "always waits the whole window", "first_delay_is_drawn_from_the_base"),
      wrong<jitter_gone_at_the_cap>("jitter-gone-at-the-cap", "waits exactly max_ms at the cap",
                                    "jitter_survives_the_cap"),
      wrong<cap_after_jitter>("cap-after-jitter", "caps what was drawn, not the window", "jitter_survives_the_cap"),
      wrong<jitter_past_the_cap>("jitter-past-the-cap", "adds to what was drawn", "delay_never_exceeds_cap"),
      wrong<reset_keeps_the_window>("reset-keeps-the-window", "reset forgets the exponent",
                                    "reset_starts_a_fresh_cycle"),
      wrong<reset_keeps_the_count>("reset-keeps-the-count", "reset forgets the count", "reset_starts_a_fresh_cycle"),
      wrong<shared_state>("shared-state", "all instances count together", "instances_are_independent"),
      built_in{"reset-says-exhausted",
               "answers a reset as if the cycle had ended",
               run_with_silent_resets,
               {},
               0xffff'ffff,
               "reset_is_acknowledged"},
      wrong<one_attempt_too_many>("one-attempt-too-many", "grants max_attempts + 1 retries",
                                  "exhausted_after_max_attempts"),
      wrong<one_attempt_too_few>("one-attempt-too-few", "grants max_attempts - 1 retries", "retries_until_max_attempts",
                                 {"exhaustion-call=n"}),
      wrong<starts_again_when_exhausted>("starts-again", "an exhausted cycle starts again by itself",
                                         "exhaustion_is_sticky"),
      wrong<ends_after_ten>("ends-after-ten", "a limit of its own", "forever_never_exhausts", {}, 11),
      wrong<overflow_to_zero>("overflow-to-zero", "16 doublings overflow to a window of 0", "jitter_survives_the_cap",
                              {}, 17),
      wrong<negative_beyond_i32>("negative-beyond-i32", "long delays turn negative", "delay_is_never_negative"),
      wrong<timer_wraps_beyond_i32>("timer-wraps", "delays beyond 2^31 ms become 1 ms", "jitter_survives_the_cap"),
      wrong<throws_after_1023>("throws-after-1023", "a double's exponent overflows", "no_call_fails", {}, 1025),
      wrong<throws_on_an_empty_window>("throws-on-empty", "an empty window is an error", "no_call_fails",
                                       {"empty-window=undefined"}),
      wrong<seconds_for_milliseconds>("seconds-for-milliseconds", "delays are a thousand times too long",
                                      "delay_never_exceeds_cap"),
      wrong<not_a_number_when_empty>("not-a-number", "an empty window gives NaN", "delay_is_a_number",
                                     {"empty-window=undefined"}),
      wrong<zero_times_infinity>("zero-times-infinity", "a base of 0 times 2^1024 in doubles", "delay_is_a_number", {},
                                 1025),
      wrong<mixed_growth>("mixed-growth", "counts from zero below small caps, from one below large ones",
                          "first_delay_is_drawn_from_the_base"),
      wrong<first_window_uncapped>("first-window-uncapped", "the first window may exceed the cap",
                                   "delay_never_exceeds_cap", {"first-window=uncapped"}),
      wrong<compare_half>("compare-half", "doubles below half of the cap, then jumps to it",
                          "window_doubles_with_each_retry", {"window-growth=compare-half"}),
      wrong<freezes_below_the_cap>("freeze", "stops doubling at half of the cap", "jitter_survives_the_cap"),
      wrong<doubles_only_below_the_cap>("comment", "doubles only if the result stays below the cap",
                                        "jitter_survives_the_cap"),
  };
  return ports;
}

}  // namespace backoff::conformance
