// Wrong ports of the Step Functions example: faults that retry code has shipped. Each must be caught by the claim that
// it names; those of a hazard reading must be recognised as such, and pass when it is pinned.
#include <string>

#include "ports/built_in.hpp"
#include "relation/rational.hpp"
#include "systems/aws_step_functions/ports/documented.hpp"
#include "systems/aws_step_functions/ports/rounded.hpp"

namespace backoff::systems {
namespace {

using namespace reference_steps;

double count_of(counting const& c) { return static_cast<double>(c.n); }

struct linear : as_documented {
  static double value(counting const& c, history const&) {
    return std::min(c.interval * (1 + count_of(c) * (c.rate - 1)), longest);
  }
};
// n · 10^exponent, as a line of JSON says it.
observed written(std::int64_t n, int exponent) {
  return observed::of(*spec::parse_decimal(std::to_string(n) + "e" + std::to_string(exponent)));
}

struct rate_as_seconds : as_documented {  // "an increase multiplier of 1.5 seconds"
  static double value(counting const& c, history const&) { return c.interval + count_of(c) * c.rate; }
};
struct square : as_documented {
  static double value(counting const& c, history const&) { return c.interval * (count_of(c) + 1) * (count_of(c) + 1); }
};
struct powers_of_two : as_documented {  // the rate is never looked at
  static double value(counting const& c, history const&) {
    return std::min(std::ldexp(c.interval, static_cast<int>(std::min<std::int64_t>(c.n, 900))), longest);
  }
};
struct power_of_the_interval : as_documented {
  static double value(counting const& c, history const&) {
    return std::min(std::pow(c.interval, count_of(c) + 1), longest);
  }
};
struct whole_rate : as_documented {  // an integer holds 1 of 1.5
  static double grown(counting const& c) { return std::min(c.last * std::floor(c.rate), longest); }
  static double value(counting const& c, history const&) { return c.n == 0 ? c.interval : grown(c); }
};
struct multiplies_too_early : as_documented {
  static double value(counting const& c, history const&) {
    return c.n == 0 ? c.interval * c.rate : as_documented::grown(c);
  }
};
struct multiplies_too_late : as_documented {
  static double value(counting const& c, history const&) { return c.n < 2 ? c.interval : as_documented::grown(c); }
};
struct compounds : as_documented {  // the rate itself grows by the rate
  static double value(counting const& c, history const&) {
    return c.n == 0 ? c.interval : std::min(c.last * std::min(std::pow(c.rate, count_of(c)), longest), longest);
  }
};
struct total_so_far : as_documented {
  static observed delay(double, counting const& c, history const&) { return number(std::min(c.total, longest)); }
};
struct milliseconds_for_seconds : as_documented {
  static observed delay(double value, counting const&, history const&) {
    return number(std::min(value * 1'000, longest));
  }
};
struct kiloseconds : as_documented {
  static observed delay(double value, counting const&, history const&) { return number(value / 1'000); }
};
struct capped : as_documented {
  static observed delay(double value, counting const&, history const&) { return number(std::min(value, 3'600.0)); }
};
struct jittered : as_documented {
  static observed delay(double value, counting const& c, history const&) {
    return number(c.n == 0 ? value : value * 0.9);
  }
};
struct rounded_to_tenths : as_documented {
  static observed delay(double value, counting const&, history const&) {
    return number(value < 1e15 ? std::floor(value * 10) / 10 : value);
  }
};
struct mixed_rounding : as_documented {  // one reading for short intervals, another for longer ones
  static observed delay(double value, counting const& c, history const&) {
    return number(c.interval < 30 ? in_units(value, whole, 1'000) : value);
  }
};
struct first_failure : as_documented {
  static observed delay(double value, counting const& c, history const&) {
    if (c.n == 0) return number(value);
    // Past the largest double there is no difference left to take.
    return number(value == longest ? longest : value - c.last);
  }
};

struct rounded_offsets : as_documented {
  static observed delay(double value, counting const& c, history const&) {
    double const here = in_units(value, whole, 1'000);
    if (c.n == 0) return number(here);
    return number(value == longest ? longest : here - in_units(c.last, whole, 1'000));
  }
};

struct somewhere_above : as_documented {  // no growth, but noise: up to a second more at each retry
  static observed delay(double, counting const& c, history const&) {
    return number(c.interval + std::fmod(count_of(c) * 0.618, 1.0) * count_of(c));
  }
};
struct waits_once : as_documented {  // then a hot loop
  static observed delay(double value, counting const& c, history const&) { return number(c.n == 0 ? value : 0); }
};
struct rounds_either_way : as_documented {  // down and up in turns, and carries it on
  static double value(counting const& c, history const&) {
    return c.n == 0 ? c.interval : in_units(grown(c), c.n % 2 == 0 ? up : whole, 1'000);
  }
};
struct saturates_and_goes_on : as_documented {  // at a longest wait that is another each time
  static observed delay(double value, counting const& c, history const&) {
    return number(value > timer_max ? timer_max + count_of(c) * 0.001 : value);
  }
};
struct constant_after_five : as_documented {
  static double value(counting const& c, history const&) {
    return c.n == 0 ? c.interval : c.n > 5 ? c.last : as_documented::grown(c);
  }
};
struct one_attempt_too_many : as_documented {
  static bool ended(counting& c) { return c.n > c.limit; }
};
struct one_attempt_too_few : as_documented {  // the first call counts as one of them
  static bool ended(counting& c) { return c.n + 1 >= c.limit; }
};
struct at_least_one : as_documented {  // do … while
  static bool ended(counting& c) { return c.n >= std::max<std::int64_t>(c.limit, 1); }
};
struct starts_again : as_documented {
  static bool ended(counting& c) {
    if (!as_documented::ended(c)) return false;
    c.n = 0;
    return true;
  }
};
struct shared_state : as_documented {
  static counting& instance(std::array<counting, instances_max>& all, std::uint8_t) { return all[0]; }
};
struct overflow_to_zero : as_documented {  // a hot loop
  static observed delay(double value, counting const&, history const&) { return number(value > timer_max ? 0 : value); }
};
struct timer_wraps : as_documented {  // the host's timer turns longer waits into 1 ms
  static observed delay(double value, counting const&, history const&) {
    return number(value > timer_max ? 0.001 : value);
  }
};
struct negative_beyond_i64 : as_documented {  // nanoseconds, cast to a signed 64-bit number
  static observed delay(double value, counting const&, history const&) {
    return number(value * 1e9 < 9'223'372'036'854'775'807.0 ? value : -9'223'372'036.854775808);
  }
};
struct longer_than_documented : as_documented {  // jumps to a year where a timer ends
  static observed delay(double value, counting const&, history const&) {
    return number(value > timer_max ? std::max(value, 31'536'000.0) : value);
  }
};
struct infinite : as_documented {
  static double value(counting const& c, history const&) { return c.n == 0 ? c.interval : c.last * c.rate; }
  static observed delay(double value, counting const& c, history const&) { return number(c.interval == 0 ? 0 : value); }
};
struct zero_times_infinity : as_documented {
  static observed delay(double value, counting const& c, history const&) {
    return number(c.interval == 0 ? 0 * std::pow(c.rate, count_of(c)) : value);
  }
};
struct difference_of_sums : as_documented {  // interval · (rate^n - 1) / (rate - 1)
  static observed delay(double value, counting const& c, history const&) {
    return number(c.rate == 1 ? 0.0 / (c.rate - 1) : value);
  }
};
struct throws_beyond_doubles : as_documented {
  static bool fails(counting const& c) { return std::isinf(std::pow(c.rate, count_of(c))); }
};
struct throws_without_an_interval : as_documented {
  static bool fails(counting const& c) { return c.interval == 0; }
};

// (int32_t) or (uint32_t) of the exact number of milliseconds, where it does not fit.
template <bool Signed>
std::vector<answer> run_in_32_bits(history const& h) {
  using whole = boost::multiprecision::cpp_int;
  whole const word = whole(1) << 32;
  whole const end = Signed ? whole(word / 2) : word;
  struct exact {
    whole num;
    whole den = 1;
    std::int64_t n = 0;
  };
  std::vector<exact> instances(instances_max, exact{whole(h.params[0].n), 1, 0});
  std::vector<answer> answers;
  for (auto const& step : h.steps) {
    auto& c = instances[step.on];
    if (c.n >= h.params[2].n) {
      answers.push_back({observed::word(1)});
      continue;
    }
    whole const ms = c.num * 1'000 / c.den;
    if (ms < end) {
      auto const nearest_ps = static_cast<std::int64_t>(whole((c.num * 2'000'000'000'000 + c.den) / (2 * c.den)));
      answers.push_back({observed::word(0), written(nearest_ps, -12)});
    } else {
      whole const low = ms % word;
      auto const held = static_cast<std::int64_t>(low < end ? low : whole(low - word));
      answers.push_back({observed::word(0), written(held, -3)});
    }
    c.num *= h.params[1].n;
    c.den *= 1'000;
    ++c.n;
  }
  return answers;
}

built_in wrong(std::string_view name, std::string_view sentence, std::vector<answer> (*run)(history const&),
               std::string_view claim, std::vector<std::string_view> hazard = {}, std::size_t steps = 6) {
  return {.name = name, .sentence = sentence, .run = run, .claim = claim, .follows = std::move(hazard), .steps = steps};
}

}  // namespace

std::span<built_in const> aws_step_functions_wrong_ports() {
  constexpr std::size_t late = 12;     // a short interval takes that long to outgrow a timer
  constexpr std::size_t rare = 1'100;  // shown only by histories that few are as long as
  static std::vector<built_in> const ports{
      wrong("linear", "grows by a fixed amount", run<linear>, "delay_grows_by_the_rate"),
      wrong("rate-as-seconds", "adds the rate instead of multiplying by it", run<rate_as_seconds>,
            "delay_grows_by_the_rate"),
      wrong("square", "grows with the square of the count", run<square>, "delay_grows_by_the_rate"),
      wrong("powers-of-two", "doubles whatever the rate", run<powers_of_two>, "delay_grows_by_the_rate"),
      wrong("power-of-the-interval", "takes powers of the interval", run<power_of_the_interval>,
            "delay_grows_by_the_rate"),
      wrong("whole-rate", "keeps the rate in an integer", run<whole_rate>, "delay_grows_by_the_rate"),
      wrong("multiplies-too-early", "the exponent counts from one", run<multiplies_too_early>,
            "first_delay_is_the_interval"),
      wrong("multiplies-too-late", "the exponent is one too small", run<multiplies_too_late>,
            "delay_grows_by_the_rate"),
      wrong("compounds", "multiplies the rate by itself at each retry", run<compounds>, "delay_grows_by_the_rate"),
      wrong("total-so-far", "answers the sum of all waits", run<total_so_far>, "delay_grows_by_the_rate"),
      wrong("milliseconds-for-seconds", "delays are a thousand times too long", run<milliseconds_for_seconds>,
            "first_delay_is_the_interval"),
      wrong("seconds-for-milliseconds", "delays are a thousand times too short", run<kiloseconds>,
            "first_delay_is_the_interval"),
      wrong("capped", "never waits longer than an hour", run<capped>, "delay_grows_by_the_rate"),
      wrong("jittered", "takes a tenth off", run<jittered>, "delay_grows_by_the_rate"),
      wrong("rounded-to-tenths", "waits whole tenths of a second", run<rounded_to_tenths>, "delay_grows_by_the_rate"),
      wrong("mixed-rounding", "rounds short intervals only", run<mixed_rounding>, "delay_grows_by_the_rate"),
      wrong("first-failure", "counts from the first failure", run<first_failure>, "delay_grows_by_the_rate",
            {"delay-origin=first-failure"}),
      wrong("rounded-offsets", "counts whole milliseconds from the first failure", run<rounded_offsets>,
            "delay_grows_by_the_rate", {"delay-origin=first-failure"}),
      wrong("floor-seconds", "waits whole seconds: 3, 4, 6", run<at_the_end<whole, 1>>, "delay_grows_by_the_rate",
            {"rounding-unit=second"}),
      wrong("nearest-seconds", "waits whole seconds, the nearest", run<at_the_end<half_up, 1>>,
            "delay_grows_by_the_rate", {"rounding-unit=second"}),
      wrong("nearest-even-seconds", "waits whole seconds, halves to the even one", run<at_the_end<half_even, 1>>,
            "delay_grows_by_the_rate", {"rounding-unit=second"}),
      wrong("ceil-seconds", "waits whole seconds, rounded up", run<at_the_end<up, 1>>, "delay_grows_by_the_rate",
            {"rounding-unit=second"}),
      wrong("floor-seconds-each-step", "1 s at a rate of 1.5 never grows", run<at_each_step<whole, 1>>,
            "delay_grows_by_the_rate", {"rounding-unit=second"}),
      wrong("nearest-seconds-each-step", "carries the nearest second on: 3, 5, 8", run<at_each_step<half_up, 1>>,
            "delay_grows_by_the_rate", {"rounding-unit=second"}),
      wrong("nearest-even-seconds-each-step", "carries the nearest even second on", run<at_each_step<half_even, 1>>,
            "delay_grows_by_the_rate", {"rounding-unit=second"}),
      wrong("ceil-seconds-each-step", "carries the next second on", run<at_each_step<up, 1>>, "delay_grows_by_the_rate",
            {"rounding-unit=second"}),
      wrong("somewhere-above", "waits the interval and up to a second more for each retry", run<somewhere_above>,
            "delay_grows_by_the_rate"),
      wrong("waits-once", "does not wait after the first retry", run<waits_once>, "delay_grows_by_the_rate"),
      wrong("rounds-either-way", "rounds down and up in turns", run<rounds_either_way>, "delay_grows_by_the_rate"),
      wrong("saturates-and-goes-on", "its longest wait grows by a millisecond", run<saturates_and_goes_on>,
            "long_delays_saturate", {}, late),
      wrong("constant-after-five", "stops growing", run<constant_after_five>, "delay_grows_by_the_rate", {}, 7),
      wrong("one-attempt-too-many", "grants max_attempts + 1 retries", run<one_attempt_too_many>,
            "exhausted_after_max_attempts"),
      wrong("one-attempt-too-few", "counts attempts, not retries", run<one_attempt_too_few>,
            "retries_until_max_attempts"),
      wrong("at-least-one", "retries once where none is configured", run<at_least_one>, "exhausted_after_max_attempts"),
      wrong("starts-again", "starts again after the last retry", run<starts_again>, "exhaustion_is_sticky"),
      wrong("shared-state", "all instances count together", run<shared_state>, "instances_are_independent"),
      wrong("overflow-to-zero", "does not wait at all beyond 2^31 ms", run<overflow_to_zero>, "long_delays_saturate",
            {}, late),
      wrong("timer-wraps", "delays beyond 2^31 ms become 1 ms", run<timer_wraps>, "long_delays_saturate", {}, late),
      wrong("negative-beyond-i64", "nanoseconds overflow", run<negative_beyond_i64>, "delay_is_never_negative", {},
            late),
      wrong("longer-than-documented", "jumps to a year where a timer ends", run<longer_than_documented>,
            "long_delays_saturate", {}, late),
      wrong("negative", "signed 32-bit milliseconds", run_in_32_bits<true>, "delay_is_never_negative",
            {"overflow=negative"}, late),
      wrong("wraps", "unsigned 32-bit milliseconds", run_in_32_bits<false>, "long_delays_saturate", {"overflow=wraps"},
            late),
      wrong("infinite", "doubles overflow", run<infinite>, "delay_is_a_number", {"overflow=infinity"}, rare),
      wrong("zero-times-infinity", "0 times infinity is no number", run<zero_times_infinity>, "delay_is_a_number", {},
            rare),
      wrong("difference-of-sums", "divides by 0 at a rate of 1", run<difference_of_sums>, "delay_is_a_number"),
      wrong("throws-beyond-doubles", "a power that no double holds is an error", run<throws_beyond_doubles>,
            "no_call_fails", {}, rare),
      wrong("throws-without-an-interval", "an interval of 0 is an error", run<throws_without_an_interval>,
            "no_call_fails"),
  };
  return ports;
}

}  // namespace backoff::systems
