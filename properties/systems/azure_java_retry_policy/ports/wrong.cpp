// Wrong ports of the Java SDK's retry policies: faults that retry code has shipped. Each must be caught by the claim
// that it names; those of a hazard reading must be recognised as such, and pass when it is pinned.
#include <utility>

#include "ports/built_in.hpp"
#include "systems/azure_java_retry_policy/ports/documented.hpp"

namespace backoff::systems {
namespace {

using namespace reference_policy;

constexpr double timer_max = 2'147'483'647;

double count_of(asked const& q) { return static_cast<double>(q.x); }
double doubled(std::int64_t n) { return std::ldexp(1, static_cast<int>(std::min<std::int64_t>(n, 200))); }

struct linear : as_documented {
  static double factor(asked const& q) { return std::max(count_of(q) - 1, 0.0); }
};
struct square : as_documented {
  static double factor(asked const& q) { return (count_of(q) - 1) * (count_of(q) - 1); }
};
struct power_of_three : as_documented {
  static double factor(asked const& q) {
    return q.x < 1 ? 0 : std::pow(3, static_cast<double>(std::min<std::int64_t>(q.x - 1, 200))) - 1;
  }
};
struct forgets_the_one : as_documented {  // 2^(x-1)
  static double factor(asked const& q) { return q.x < 1 ? 0 : doubled(q.x - 1); }
};
struct exponent_too_large : as_documented {
  static double factor(asked const& q) { return doubled(q.x) - 1; }
};
struct exponent_too_small : as_documented {  // counts retries that are over
  static double factor(asked const& q) { return q.x < 2 ? 0 : doubled(q.x - 2) - 1; }
};
struct counts_its_calls : as_documented {  // and not the retries that it is told of
  template <class P>
  static double delay(asked const& q, memory& m) {
    asked own = q;
    own.x = m.calls;
    return as_documented::delay<as_documented>(own, m);
  }
};
struct no_minimum : as_documented {
  template <class P>
  static double delay(asked const& q, memory& m) {
    return as_documented::delay<P>(q, m) - std::min(q.cmin, q.cmax);
  }
};
struct minimum_wins : as_documented {
  template <class P>
  static double delay(asked const& q, memory& m) {
    return std::max(as_documented::delay<P>(q, m), q.cmin);
  }
};
struct not_capped : as_documented {
  template <class P>
  static double delay(asked const& q, memory& m) {
    return q.cmin + factor(q) * random(q, unit(q, m));
  }
};
struct cap_before_jitter : as_documented {  // the growth is capped, and the minimum added afterwards
  template <class P>
  static double delay(asked const& q, memory& m) {
    return q.cmin + std::min(factor(q) * random(q, unit(q, m)), q.cmax);
  }
};
struct jitter_past_the_cap : as_documented {
  template <class P>
  static double delay(asked const& q, memory& m) {
    double const window = std::min(q.cmin + factor(q) * q.c, q.cmax);
    return window * (1 - q.ju + unit(q, m) * (q.jd + q.ju));
  }
};
struct no_jitter : as_documented {
  static double random(asked const& q, double) { return q.c; }
};
struct whole_factors : as_documented {  // an integer holds 0 of 0.5
  static double random(asked const& q, double u) {
    double const low = q.c * (1 - std::floor(q.jd));
    return low + u * (q.c * (1 - std::floor(q.ju)) - low);
  }
};
struct half_of_the_jitter : as_documented {
  static double unit(asked const& q, memory& m) { return as_documented::unit(q, m) / 2; }
};
struct factors_swapped : as_documented {  // C · (1 - Ju) to C · (1 + Jd)
  static double random(asked const& q, double u) { return q.c * (1 - q.ju + u * (q.jd + q.ju)); }
};
struct factors_themselves : as_documented {  // C · Ju to C · Jd
  static double random(asked const& q, double u) { return q.c * (q.ju + u * (q.jd - q.ju)); }
};
struct one_draw_for_ever : as_documented {
  static double unit(asked const& q, memory& m) {
    if (m.first_u < 0) m.first_u = as_documented::unit(q, m);
    return m.first_u;
  }
};
struct jitter_compounds : as_documented {  // what was drawn goes into the next delay
  template <class P>
  static double delay(asked const& q, memory& m) {
    double const own = as_documented::delay<P>(q, m);
    return m.calls == 1 ? own : std::min(own + m.last_delay / 10, q.cmax);
  }
};
struct faster_after_throttling : as_documented {
  template <class P>
  static double delay(asked const& q, memory& m) {
    double const own = as_documented::delay<P>(q, m);
    return q.error == service ? own / 2 : own;
  }
};
struct slower_each_time_after_throttling : as_documented {  // its own count, of what it has seen
  template <class P>
  static double delay(asked const& q, memory& m) {
    double const own = as_documented::delay<P>(q, m);
    return q.error == service ? std::min(own * static_cast<double>(m.calls), q.cmax) : own;
  }
};
struct mixed_policies_for_services : as_documented {  // twice the wait at first, then none
  static bool passes(asked const& q) { return q.error == protocol || (q.error == service && q.x < 4); }
  template <class P>
  static double delay(asked const& q, memory& m) {
    double const own = as_documented::delay<P>(q, m);
    return q.error == service ? std::min(2 * own, q.cmax) : own;
  }
};
struct faster_when_asked_again : as_documented {  // the second time it does not wait
  template <class P>
  static double delay(asked const& q, memory& m) {
    double const own = as_documented::delay<P>(q, m);
    return m.calls > 1 && own == m.last_delay ? std::min(q.cmin, q.cmax) : own;
  }
};
struct shared_state : faster_when_asked_again {
  static memory& instance(std::array<memory, instances_max>& all, std::uint8_t) { return all[0]; }
};
struct seconds_for_milliseconds : as_documented {
  static double rounded(double delay, asked const&) { return delay * 1'000; }
};
struct milliseconds_for_seconds : as_documented {
  static double rounded(double delay, asked const&) { return delay / 1'000; }
};
struct rounded_to_tens : as_documented {
  static double rounded(double delay, asked const&) { return std::floor(delay / 10) * 10; }
};
struct mixed_rounding : as_documented {  // one reading for short intervals, another for longer ones
  static double rounded(double delay, asked const& q) { return q.c < 500 ? delay : std::floor(delay); }
};
struct overflow_to_zero : as_documented {  // a shift past 32 bits
  static double factor(asked const& q) { return q.x > 32 ? 0 : as_documented::factor(q); }
};
struct negative_beyond_i32 : as_documented {
  template <class P>
  static double delay(asked const& q, memory& m) {
    double const raw = q.cmin + factor(q) * random(q, unit(q, m));
    return raw > timer_max ? -1 : std::min(raw, q.cmax);
  }
};
struct timer_wraps : as_documented {  // the host's timer turns longer waits into 1 ms
  static double rounded(double delay, asked const&) { return delay > timer_max ? 1 : delay; }
};
struct throws_after_1024 : as_documented {
  static bool fails(asked const& q) { return q.policy == exponential && is_retryable(q) && q.x > 1'024; }
};
struct throws_on_an_empty_range : as_documented {
  static bool fails(asked const& q) { return q.policy == exponential && is_retryable(q) && (q.c == 0 || q.jd == q.ju); }
};
struct throws_on_an_inverted_range : as_documented {
  static bool fails(asked const& q) { return q.policy == exponential && is_retryable(q) && q.jd < q.ju; }
};
struct zero_times_infinity : as_documented {
  static double factor(asked const& q) {
    return q.x < 1 ? 0 : std::ldexp(1, static_cast<int>(std::min<std::int64_t>(q.x - 1, 2'000))) - 1;
  }
};
struct rejects_large_intervals : as_documented {
  static bool rejects(history const& h) { return read(h, {}).c > timer_max; }
};
struct rejects_some_inverted : as_documented {
  static bool rejects(history const& h) {
    auto const q = read(h, {});
    return q.policy == exponential && q.cmin > q.cmax;
  }
};
struct rejects_whole_factors : as_documented {  // takes fractions below 1
  static bool rejects(history const& h) {
    auto const q = read(h, {});
    return q.policy == exponential && (q.jd >= 1 || q.ju >= 1);
  }
};
struct custom_policies_throw : as_documented {  // not implemented
  static bool fails(asked const& q) { return q.policy == custom && is_retryable(q); }
};
struct interval_of_a_second : as_documented {  // by default
  static double random(asked const& q, double u) { return as_documented::random(q, u) * (q.c == 100 ? 10 : 1); }
};
struct no_maximum_by_default : as_documented {
  template <class P>
  static double delay(asked const& q, memory& m) {
    asked own = q;
    if (own.cmax == 10'000) own.cmax = 60'000;
    return as_documented::delay<P>(own, m);
  }
};

struct retries_everything : as_documented {
  static bool passes(asked const&) { return true; }
};
struct retries_the_unknown : as_documented {
  static bool passes(asked const& q) { return is_retryable(q) || q.error == unknown; }
};
struct retries_the_terminal : as_documented {
  static bool passes(asked const& q) { return is_retryable(q) || q.error == terminal; }
};
struct custom_forces : as_documented {
  static bool passes(asked const& q) { return is_retryable(q) || (q.policy == custom && q.custom_retry); }
};
struct gives_up_on_services_later : as_documented {
  static bool passes(asked const& q) { return q.error == protocol || (q.error == service && q.x < 3); }
};
struct gives_up_on_protocols : as_documented {
  static bool passes(asked const& q) { return q.error == service; }
};
struct ends_after_ten : as_documented {
  static bool passes(asked const& q) { return is_retryable(q) && q.x <= 10; }
};
struct no_retry_retries_once : as_documented {
  static bool disabled(asked const& q) { return q.policy == no_retry && q.x > 1; }
};
struct ignores_the_veto : as_documented {
  static bool custom_retries(asked const&) { return true; }
};
struct custom_never_retries : as_documented {
  static bool custom_retries(asked const&) { return false; }
};
struct custom_delays_are_lost : as_documented {  // undefined, made a number
  static double custom_delay(asked const&) { return std::nan(""); }
};
struct caps_custom_delays : as_documented {
  static double custom_delay(asked const& q) { return std::min(q.custom_delay, 10'000.0); }
};
struct ignores_custom_delays : as_documented {
  static double custom_delay(asked const&) { return 100; }
};
struct asks_about_everything : as_documented {
  static bool consults(asked const&) { return true; }
};
struct asks_about_nothing : as_documented {
  static bool consults(asked const&) { return false; }
};
struct no_time_limit : as_documented {
  static bool in_time(asked const&, double, memory const&) { return true; }
};
struct operations_take_no_time : as_documented {  // only waits count
  static bool in_time(asked const& q, double delay, memory const& m) { return m.slept + delay <= q.total; }
};
struct ends_with_the_time : as_documented {  // a wait that ends with the total time exceeds it
  static bool in_time(asked const& q, double delay, memory const&) { return q.elapsed + delay < q.total; }
};
struct looks_at_the_wait_alone : as_documented {
  static bool in_time(asked const& q, double delay, memory const&) { return delay <= q.total; }
};

built_in wrong(std::string_view name, std::string_view sentence, std::vector<answer> (*run)(history const&),
               std::string_view claim, std::vector<std::string_view> hazard = {}, std::size_t steps = 6) {
  return {.name = name, .sentence = sentence, .run = run, .claim = claim, .follows = std::move(hazard), .steps = steps};
}

}  // namespace

std::span<built_in const> azure_java_retry_policy_wrong_ports() {
  static std::vector<built_in> const ports{
      wrong("linear", "grows by the interval", run<linear>, "delay_follows_the_formula"),
      wrong("square", "grows with the square of the count", run<square>, "delay_follows_the_formula"),
      wrong("power-of-three", "grows threefold", run<power_of_three>, "delay_follows_the_formula"),
      wrong("forgets-the-one", "2^(x-1)", run<forgets_the_one>, "first_delay_is_cmin"),
      wrong("exponent-too-large", "2^x - 1", run<exponent_too_large>, "first_delay_is_cmin", {"exponent=whole"}),
      wrong("exponent-too-small", "2^(x-2) - 1", run<exponent_too_small>, "delay_follows_the_formula"),
      wrong("counts-its-calls", "counts calls, not the retries that it is told of", run<counts_its_calls>,
            "same_count_and_draw_same_delay"),
      wrong("no-minimum", "adds no minimum", run<no_minimum>, "delay_is_never_below_cmin"),
      wrong("minimum-wins", "waits the minimum where it is past the maximum", run<minimum_wins>,
            "delay_never_exceeds_cmax"),
      wrong("not-capped", "no maximum", run<not_capped>, "delay_never_exceeds_cmax"),
      wrong("cap-before-jitter", "caps the growth and adds the minimum", run<cap_before_jitter>,
            "delay_never_exceeds_cmax"),
      wrong("jitter-past-the-cap", "jitters what was capped", run<jitter_past_the_cap>, "delay_never_exceeds_cmax"),
      wrong("no-jitter", "always the whole interval", run<no_jitter>, "delay_follows_the_formula"),
      wrong("whole-factors", "keeps the jitter factors in integers", run<whole_factors>, "delay_follows_the_formula"),
      wrong("half-of-the-jitter", "never reaches the upper half", run<half_of_the_jitter>, "delay_follows_the_formula"),
      wrong("factors-swapped", "jitters upwards", run<factors_swapped>, "delay_follows_the_formula"),
      wrong("factors-themselves", "takes the factors themselves", run<factors_themselves>, "delay_follows_the_formula"),
      wrong("one-draw-for-ever", "draws once and keeps it", run<one_draw_for_ever>, "delay_follows_the_formula"),
      wrong("jitter-compounds", "carries jitter on", run<jitter_compounds>, "same_count_and_draw_same_delay"),
      wrong("faster-after-throttling", "waits half as long after service errors", run<faster_after_throttling>,
            "delay_is_never_below_cmin"),
      wrong("slower-each-time-after-throttling", "waits longer after each service error",
            run<slower_each_time_after_throttling>, "same_count_and_draw_same_delay"),
      wrong("mixed-policies-for-services", "waits longer after service errors, and then retries them no more",
            run<mixed_policies_for_services>, "service_errors_are_treated_alike"),
      wrong("faster-when-asked-again", "does not wait the same time twice", run<faster_when_asked_again>,
            "same_count_and_draw_same_delay"),
      wrong("shared-state", "all instances remember together", run<shared_state>, "instances_are_independent"),
      wrong("seconds-for-milliseconds", "delays are a thousand times too long", run<seconds_for_milliseconds>,
            "delay_never_exceeds_cmax"),
      wrong("milliseconds-for-seconds", "delays are a thousand times too short", run<milliseconds_for_seconds>,
            "delay_is_never_below_cmin"),
      wrong("rounded-to-tens", "waits tens of milliseconds", run<rounded_to_tens>, "delay_follows_the_formula"),
      wrong("mixed-rounding", "rounds long intervals only", run<mixed_rounding>, "delay_follows_the_formula"),
      wrong("overflow-to-zero", "a shift past 32 bits is nothing", run<overflow_to_zero>, "delay_stays_at_cmax"),
      wrong("negative-beyond-i32", "a product past 31 bits is negative", run<negative_beyond_i32>,
            "delay_is_never_negative"),
      wrong("timer-wraps", "delays beyond 2^31 ms become 1 ms", run<timer_wraps>, "delay_stays_at_cmax"),
      wrong("throws-after-1024", "a double's exponent overflows", run<throws_after_1024>, "no_call_fails"),
      wrong("throws-on-an-empty-range", "an empty range is an error", run<throws_on_an_empty_range>, "no_call_fails"),
      wrong("throws-on-an-inverted-range", "an inverted range is an error while deciding",
            run<throws_on_an_inverted_range>, "no_call_fails"),
      wrong("custom-policies-throw", "asking a custom policy is an error", run<custom_policies_throw>, "no_call_fails"),
      wrong("zero-times-infinity", "0 times infinity is no number", run<zero_times_infinity>, "delay_is_a_number"),
      wrong("rejects-large-intervals", "takes 31 bits where it declared 32", run<rejects_large_intervals>,
            "documented_parameters_are_taken"),
      wrong("rejects-some-inverted", "refuses inverted bounds, but not inverted factors", run<rejects_some_inverted>,
            "documented_parameters_are_taken"),
      wrong("rejects-whole-factors", "refuses jitter factors of 1", run<rejects_whole_factors>,
            "documented_parameters_are_taken"),
      wrong("interval-of-a-second", "1000 ms by default", run<interval_of_a_second>, "delay_follows_the_formula"),
      wrong("a-minute-by-default", "a maximum of 60000 ms by default", run<no_maximum_by_default>,
            "delay_never_exceeds_cmax"),
      wrong("retries-everything", "has no filter", run<retries_everything>, "only_retryable_errors_are_retried"),
      wrong("retries-the-unknown", "retries what it does not know", run<retries_the_unknown>,
            "unknown_errors_are_not_retried"),
      wrong("retries-the-terminal", "retries what is terminal", run<retries_the_terminal>,
            "terminal_errors_are_not_retried"),
      wrong("custom-forces", "lets a custom policy retry anything", run<custom_forces>,
            "only_retryable_errors_are_retried"),
      wrong("gives-up-on-services-later", "retries service errors twice", run<gives_up_on_services_later>,
            "service_errors_are_treated_alike"),
      wrong("gives-up-on-protocols", "retries service errors alone", run<gives_up_on_protocols>,
            "retryable_errors_are_retried"),
      wrong("ends-after-ten", "a limit of its own", run<ends_after_ten>, "retryable_errors_are_retried"),
      wrong("no-retry-retries-once", "one retry all the same", run<no_retry_retries_once>, "no_retry_never_retries"),
      wrong("ignores-the-veto", "retries whatever a custom policy says", run<ignores_the_veto>,
            "custom_policy_may_veto"),
      wrong("custom-never-retries", "takes every custom policy for a veto", run<custom_never_retries>,
            "retryable_errors_are_retried"),
      wrong("custom-delays-are-lost", "retries without what a custom policy declares", run<custom_delays_are_lost>,
            "delay_is_a_number"),
      wrong("caps-custom-delays", "caps what a custom policy declares", run<caps_custom_delays>,
            "custom_delay_is_taken"),
      wrong("ignores-custom-delays", "waits its own time", run<ignores_custom_delays>, "custom_delay_is_taken"),
      wrong("asks-about-everything", "asks the policy before the filter", run<asks_about_everything>,
            "other_errors_never_reach_a_policy"),
      wrong("asks-about-nothing", "never asks the policy", run<asks_about_nothing>,
            "retryable_errors_reach_the_policy"),
      wrong("no-time-limit", "ignores the total time", run<no_time_limit>, "total_time_ends_retries"),
      wrong("operations-take-no-time", "counts waits towards the total time, not operations",
            run<operations_take_no_time>, "total_time_ends_retries"),
      wrong("ends-with-the-time", "does not use the total time up", run<ends_with_the_time>, "total_time_ends_retries"),
      wrong("looks-at-the-wait-alone", "holds each wait to the total time", run<looks_at_the_wait_alone>,
            "total_time_ends_retries"),
  };
  return ports;
}

}  // namespace backoff::systems
