// Wrong ports of Retry Utilities 202009.00: faults that retry code has shipped. Each must be caught by the claim that
// it names; those of a hazard reading must be recognised as such, and pass when it is pinned.
#include <limits>

#include "systems/aws_retry_utils/ports/documented.hpp"

namespace backoff::conformance {
namespace {

using namespace plain_utils;

double first(cycle const& c) { return as_documented::first_window(c); }

struct cap_ignored : as_documented {
  static double grown(cycle const& c) { return least(2 * c.window, huge); }
};
struct linear : as_documented {
  static double grown(cycle const& c) { return least(c.window + first(c), c.cap); }
};
struct square : as_documented {
  static double grown(cycle const& c) { return least(first(c) * (c.done + 1) * (c.done + 1), c.cap); }
};
struct power_of_base : as_documented {
  static double grown(cycle const& c) { return least(c.window * first(c), c.cap); }
};
struct jitter_compounds : as_documented {  // added again after each sleep
  static double grown(cycle const& c) { return least(2 * c.window + c.jitter, c.cap); }
};
struct doubles_too_early : as_documented {
  static double first_window(cycle const& c) { return least(2 * first(c), c.cap); }
};
struct doubles_too_late : as_documented {
  static double grown(cycle const& c) { return c.done <= 1 ? c.window : as_documented::grown(c); }
};
struct no_base_jitter : as_documented {
  static double first_window(cycle const& c) { return least(c.initial, c.cap); }
};
struct jitter_alone : as_documented {
  static constexpr bool shows_state = true;
  static double first_window(cycle const& c) { return least(c.jitter, c.cap); }
};
struct jitter_drawn_once : as_documented {  // at the first reset; later ones keep it
  template <class P>
  static void reset(cycle& c, std::uint64_t draw) {
    as_documented::reset<P>(c, c.resets == 0 ? draw : c.drawn);
  }
};
struct one_draw_for_all : as_documented {  // drawn at the reset, and used again for every sleep
  static double sleep(std::uint64_t, double window, cycle const& c) { return remainder(c.drawn, window + 1); }
};
struct always_zero : as_documented {  // the draw is divided by the generator's size in integers
  static double sleep(std::uint64_t draw, double window, cycle const&) {
    return static_cast<double>(draw / static_cast<std::uint64_t>(u32_size)) * window;
  }
};
struct no_jitter : as_documented {
  static double sleep(std::uint64_t, double window, cycle const&) { return window; }
};
struct jitter_gone_at_the_cap : as_documented {
  static double sleep(std::uint64_t draw, double window, cycle const& c) {
    return window == c.cap ? window : as_documented::sleep(draw, window, c);
  }
};
struct cap_after_jitter : cap_ignored {
  static double first_window(cycle const& c) { return c.initial + c.jitter; }
  static double sleep(std::uint64_t draw, double window, cycle const& c) {
    return least(as_documented::sleep(draw, window, c), c.cap);
  }
};
struct jitter_past_the_cap : as_documented {  // half of the window is added to what was drawn
  static double sleep(std::uint64_t draw, double window, cycle const& c) {
    return as_documented::sleep(draw, window, c) + std::floor(window / 2);
  }
};
struct jitter_subtracted : as_documented {
  static double sleep(std::uint64_t draw, double window, cycle const& c) {
    return as_documented::sleep(draw, window, c) - c.jitter;
  }
};
struct reset_keeps_the_window : as_documented {
  template <class P>
  static void reset(cycle& c, std::uint64_t draw) {
    double const before = c.window;
    bool const begun = c.resets > 0;
    as_documented::reset<P>(c, draw);
    if (begun) c.window = before;
  }
};
struct reset_keeps_the_count : as_documented {
  static constexpr bool shows_state = true;
  template <class P>
  static void reset(cycle& c, std::uint64_t draw) {
    double const before = c.done;
    as_documented::reset<P>(c, draw);
    c.done = before;
  }
};
struct shared_state : as_documented {
  static cycle& instance(std::array<cycle, instances_max>& all, std::uint8_t) { return all[0]; }
};
struct one_attempt_too_many : as_documented {
  static bool ended(cycle const& c) { return c.limit > 0 && c.done > c.limit; }
};
struct one_attempt_too_few : as_documented {
  static bool ended(cycle const& c) { return c.limit > 0 && c.done + 1 >= c.limit; }
};
struct never_exhausted : as_documented {
  static bool ended(cycle const&) { return false; }
};
struct zero_attempts_are_none : as_documented {
  static bool ended(cycle const& c) { return c.done >= c.limit; }
};
struct ends_after_ten : as_documented {
  static bool ended(cycle const& c) { return c.done >= 10 || as_documented::ended(c); }
};
struct starts_again_without_a_word : as_documented {  // exhaustion is reported once, and the window goes on growing
  template <class P>
  static void exhausted(cycle& c, std::uint64_t) {
    c.done = 0;
  }
};
struct overflow_to_zero : as_documented {  // 16 doublings in a u16
  static double grown(cycle const& c) { return c.done >= 16 ? 0 : as_documented::grown(c); }
};
struct first_window_wraps : as_documented {  // a u32 holds the sum of initial back-off and jitter
  static double first_window(cycle const& c) { return least(std::fmod(c.initial + c.jitter, u32_size), c.cap); }
};
struct negative_beyond_i32 : as_documented {
  static double sleep(std::uint64_t draw, double window, cycle const& c) {
    double const s = as_documented::sleep(draw, window, c);
    return s > 0x7fff'ffff ? s - u32_size : s;
  }
};
struct timer_wraps
    : as_documented {  // the host's timer counts milliseconds in 31 bits, and turns longer waits into 1 ms
  static double sleep(std::uint64_t draw, double window, cycle const& c) {
    double const s = as_documented::sleep(draw, window, c);
    return s * 1000 > 0x7fff'ffff ? 0 : s;
  }
};
struct throws_after_1023 : as_documented {
  static bool fails(cycle const& c) { return c.done > 1023; }
};
struct throws_on_an_empty_window : as_documented {  // of jitter or of sleep
  static constexpr bool shows_state = true;
  static bool reset_fails(cycle const& c) { return c.jitter_max == 0; }
  static bool fails(cycle const& c) { return c.window == 0; }
};
struct not_a_number_when_empty : as_documented {  // 0 / 0
  static double sleep(std::uint64_t draw, double window, cycle const& c) {
    return window == 0 ? std::numeric_limits<double>::quiet_NaN() : as_documented::sleep(draw, window, c);
  }
};
struct milliseconds_for_seconds : as_documented {
  static double sleep(std::uint64_t draw, double window, cycle const& c) {
    return as_documented::sleep(draw, window, c) * 1000;
  }
};
struct compare_half : as_documented {
  static double grown(cycle const& c) { return c.window < std::floor(c.cap / 2) ? 2 * c.window : c.cap; }
};
struct mixed_growth : as_documented {  // one reading below a cap of 100, another above
  static double grown(cycle const& c) {
    if (c.cap < 100) return as_documented::grown(c);
    return compare_half::grown(c);
  }
};
struct first_window_uncapped : as_documented {
  static double first_window(cycle const& c) { return c.initial + c.jitter; }
};
struct freezes_below_the_cap : as_documented {
  static double grown(cycle const& c) { return c.window < std::floor(c.cap / 2) ? 2 * c.window : c.window; }
};
struct doubles_only_below_the_cap : as_documented {
  static double grown(cycle const& c) { return 2 * c.window < c.cap ? 2 * c.window : c.window; }
};
struct does_not_sleep_at_last : as_documented {  // the last retry is announced as done
  static std::uint8_t granted(cycle const& c) { return c.done + 1 == c.limit ? 2 : 0; }
};
struct reset_sleeps : as_documented {  // one function for both
  static std::uint8_t reset_done(cycle const&) { return 0; }
};
struct reset_stays_exhausted : as_documented {
  static std::uint8_t reset_done(cycle const& c) { return c.resets > 0 && ended(c) ? 1 : 2; }
};
struct counts_every_call : as_documented {
  static constexpr bool shows_state = true;
  template <class P>
  static void exhausted(cycle& c, std::uint64_t) {
    c.done += 1;
  }
};
struct shows_twice_the_window : as_documented {  // as if the next doubling were done already; sleeps are right
  static constexpr bool shows_state = true;
  static double first_window(cycle const& c) { return least(2 * first(c), 2 * c.cap); }
  static double sleep(std::uint64_t draw, double window, cycle const&) { return remainder(draw, window / 2 + 1); }
  static double grown(cycle const& c) { return least(2 * c.window, 2 * c.cap); }
};

template <class P>
built_in wrong(std::string_view name, std::string_view sentence, std::string_view claim,
               std::vector<std::string_view> hazard = {}, std::size_t steps = 7) {
  built_in how;
  how.claim = claim;
  how.follows = std::move(hazard);
  how.steps = steps;
  return port<P>(name, sentence, how);
}

constexpr std::string_view first_sleep = "first_sleep_is_drawn_from_the_base";
constexpr std::string_view doubling = "window_doubles_after_each_sleep";
constexpr std::string_view at_the_cap = "jitter_survives_the_cap";
constexpr std::string_view past_the_cap = "sleep_never_exceeds_cap";
constexpr std::string_view fresh_cycle = "reset_starts_a_fresh_cycle";

}  // namespace

std::span<built_in const> aws_retry_utils_wrong_ports() {
  static std::vector<built_in> const ports{
      wrong<cap_ignored>("cap-ignored", "the window grows past the cap", past_the_cap),
      wrong<linear>("linear", "the window grows by the first one", doubling),
      wrong<square>("square", "the window grows with the square of the count", doubling),
      wrong<power_of_base>("power-of-base", "the window is a power of the first one", doubling),
      wrong<jitter_compounds>("jitter-compounds", "the jitter of the reset is added at each doubling", doubling),
      wrong<doubles_too_early>("doubles-too-early", "the exponent counts from one", first_sleep,
                               {"attempt-origin=one"}),
      wrong<doubles_too_late>("doubles-too-late", "the first window comes twice", doubling),
      wrong<no_base_jitter>("no-base-jitter", "the first window is the initial back-off alone", first_sleep,
                            {"base-jitter=none"}),
      wrong<jitter_alone>("jitter-alone", "the first window is the jitter alone", first_sleep),
      wrong<jitter_drawn_once>("jitter-drawn-once", "later resets keep the first jitter", fresh_cycle),
      wrong<one_draw_for_all>("one-draw-for-all", "the draw of the reset serves every sleep", first_sleep),
      wrong<always_zero>("always-zero", "integer division leaves nothing of the draw", first_sleep),
      wrong<no_jitter>("no-jitter", "always sleeps the whole window", first_sleep),
      wrong<jitter_gone_at_the_cap>("jitter-gone-at-the-cap", "sleeps exactly max_backoff_s at the cap", at_the_cap),
      wrong<cap_after_jitter>("cap-after-jitter", "caps what was drawn, not the window", at_the_cap),
      wrong<jitter_past_the_cap>("jitter-past-the-cap", "adds to what was drawn", past_the_cap),
      wrong<jitter_subtracted>("jitter-subtracted", "takes the jitter from what was drawn", "sleep_is_never_negative"),
      wrong<reset_keeps_the_window>("reset-keeps-the-window", "a later reset forgets the window", fresh_cycle),
      wrong<reset_keeps_the_count>("reset-keeps-the-count", "reset forgets the count", fresh_cycle),
      wrong<shared_state>("shared-state", "all instances share one set of parameters", "instances_are_independent"),
      wrong<one_attempt_too_many>("one-attempt-too-many", "grants max_attempts + 1 retries",
                                  "exhausted_after_max_attempts"),
      wrong<one_attempt_too_few>("one-attempt-too-few", "grants max_attempts - 1 retries", "retries_until_max_attempts",
                                 {"exhaustion-call=n"}),
      wrong<never_exhausted>("never-exhausted", "knows no limit", "exhausted_after_max_attempts"),
      wrong<zero_attempts_are_none>("zero-attempts-are-none", "takes 0 for no retry at all",
                                    "zero_attempts_are_unlimited"),
      wrong<ends_after_ten>("ends-after-ten", "a limit of its own", "zero_attempts_are_unlimited", {}, 12),
      wrong<starts_again_without_a_word>("starts-again", "an exhausted cycle goes on with the window it had",
                                         "exhaustion_lasts_until_reset"),
      wrong<overflow_to_zero>("overflow-to-zero", "16 doublings overflow to a window of 0", at_the_cap, {}, 18),
      wrong<first_window_wraps>("first-window-wraps", "initial back-off and jitter overflow 32 bits", at_the_cap),
      wrong<negative_beyond_i32>("negative-beyond-i32", "long sleeps turn negative", "sleep_is_never_negative"),
      wrong<timer_wraps>("timer-wraps", "sleeps beyond 2^31 ms become 1 ms", at_the_cap),
      wrong<throws_after_1023>("throws-after-1023", "a double's exponent overflows", "no_call_fails", {}, 1026),
      wrong<throws_on_an_empty_window>("throws-on-empty", "an empty window is an error", "no_call_fails",
                                       {"empty-window=undefined"}),
      wrong<not_a_number_when_empty>("not-a-number", "an empty window gives NaN", "sleep_is_a_number"),
      wrong<milliseconds_for_seconds>("milliseconds-for-seconds", "sleeps are a thousand times too long", past_the_cap),
      wrong<mixed_growth>("mixed-growth", "small caps double, large ones are jumped to", doubling),
      wrong<first_window_uncapped>("first-window-uncapped", "the first window may exceed the cap", past_the_cap,
                                   {"first-window=uncapped"}),
      wrong<compare_half>("compare-half", "doubles below half of the cap, then jumps to it", doubling,
                          {"window-growth=compare-half"}),
      wrong<freezes_below_the_cap>("freeze", "stops doubling at half of the cap", at_the_cap, {"window-growth=freeze"}),
      wrong<doubles_only_below_the_cap>("comment", "doubles only if the result stays below the cap", at_the_cap,
                                        {"window-growth=comment"}),
      wrong<does_not_sleep_at_last>("does-not-sleep-at-last", "reports success in place of the last sleep",
                                    "retries_until_max_attempts"),
      wrong<reset_sleeps>("reset-sleeps", "backs off in its reset too", "reset_is_acknowledged"),
      wrong<reset_stays_exhausted>("reset-stays-exhausted", "answers the reset of an exhausted cycle as that cycle",
                                   "reset_is_acknowledged"),
      wrong<counts_every_call>("counts-every-call", "counts the calls that only report exhaustion",
                               "attempts_done_counts_sleeps"),
      wrong<shows_twice_the_window>("shows-twice-the-window", "shows the window as if it had doubled already",
                                    "next_jitter_max_is_the_next_window"),
  };
  return ports;
}

}  // namespace backoff::conformance
