// Right ports of the Step Functions example: in doubles, in integers, saturating where it suits them, and one for each
// open reading. Each must pass, and its reading be reported.
#include "backoff/aws_step_functions.hpp"

#include <cfenv>

#include "ports/built_in.hpp"
#include "ports/plain_steps.hpp"

namespace backoff::conformance {
namespace {

using namespace plain_steps;

struct power : as_documented {  // each delay anew
  static double value(counting const& c, history const&) {
    return std::min(c.interval * std::pow(c.rate, static_cast<double>(c.n)), longest);
  }
  static observed delay(double value, counting const& c, history const&) { return number(c.interval == 0 ? 0 : value); }
};
struct held_by_a_timer : as_documented {
  static observed delay(double value, counting const&, history const&) { return number(std::min(value, timer_max)); }
};
struct in_32_bits : as_documented {  // seconds, and no more than these can count
  static double grown(counting const& c) { return std::min(c.last * c.rate, 4'294'967'295.0); }
  static double value(counting const& c, history const&) { return c.n == 0 ? c.interval : grown(c); }
};
struct first_failure : as_documented {
  static observed delay(double value, counting const& c, history const&) {
    if (c.n == 0) return number(value);
    // Past the largest double there is no difference left to take.
    return number(value == longest ? longest : value - c.last);
  }
};

double whole(double x) { return std::floor(x); }
double half_up(double x) { return x - std::floor(x) < 0.5 ? std::floor(x) : std::ceil(x); }
double half_even(double x) { return std::nearbyint(x); }
double up(double x) { return std::ceil(x); }

constexpr double in_units(double x, double (*round)(double), int units) {
  return x * units < longest ? round(x * units) / units : x;
}

template <double (*Round)(double), int Units>
struct at_the_end : as_documented {
  static observed delay(double value, counting const&, history const&) { return number(in_units(value, Round, Units)); }
};
template <double (*Round)(double), int Units>
struct at_each_step : as_documented {
  static double value(counting const& c, history const&) {
    return c.n == 0 ? c.interval : in_units(grown(c), Round, Units);
  }
};
struct rounded_offsets : as_documented {
  static observed delay(double value, counting const& c, history const&) {
    double const here = in_units(value, whole, 1);
    if (c.n == 0) return number(here);
    return number(value == longest ? longest : here - in_units(c.last, whole, 1));
  }
};

// Milliseconds in integers, multiplied by thousandths and cut at each step; stays at the longest that fits.
std::vector<answer> run_in_integers(history const& h) {
  constexpr std::uint64_t most_ms = std::numeric_limits<std::uint64_t>::max() / 0xffff'ffff;
  struct counting_ms {
    std::uint64_t delay_ms;
    std::int64_t n;
  };
  std::vector<counting_ms> instances(instances_max, {static_cast<std::uint64_t>(h.params[0].n) * 1'000, 0});
  std::vector<answer> answers;
  for (auto const& step : h.steps) {
    auto& c = instances[step.on];
    if (c.n >= h.params[2].n) {
      answers.push_back({observed::word(1)});
      continue;
    }
    auto const ms = static_cast<spec::integer>(c.delay_ms);
    answers.push_back({observed::word(0), number(static_cast<double>(ms) / 1'000)});
    c.delay_ms = std::min(c.delay_ms, most_ms) * static_cast<std::uint64_t>(h.params[1].n) / 1'000;
    ++c.n;
  }
  return answers;
}

// The library at home on a small device: 32-bit milliseconds.
std::vector<answer> run_core(history const& h) {
  namespace core = backoff::aws_step_functions;
  using milliseconds = core::retry_run<std::uint32_t, 1'000>;
  core::ratio const rate{static_cast<std::uint32_t>(h.params[1].n), 1'000};
  auto const checked = milliseconds::with(h.params[0].n, rate, static_cast<std::uint32_t>(h.params[2].n));
  std::vector<milliseconds> instances(instances_max, checked.value);
  std::vector<answer> answers;
  for (auto const& step : h.steps) {
    auto const decided = instances[step.on].next();
    bool const granted = decided.status == core::status::retry;
    answers.push_back({observed::word(granted ? 0 : 1)});
    if (granted) answers.back()[1] = number(static_cast<double>(decided.delay) / 1'000);
  }
  return answers;
}

built_in right(std::string_view name, std::string_view sentence, std::vector<answer> (*run)(history const&),
               std::vector<std::string_view> follows) {
  return {.name = name, .sentence = sentence, .run = run, .follows = std::move(follows)};
}

}  // namespace

std::span<built_in const> aws_step_functions_right_ports() {
  constexpr int micro = 1'000'000;
  constexpr int nano = 1'000'000'000;
  static std::vector<built_in> const ports{
      right("plain", "multiplies doubles, each by the one before", run<as_documented>,
            {"delay-origin=previous-try", "delay-rounding=exact", "overflow=saturates"}),
      right("power", "takes a power for each delay", run<power>, {"delay-origin=previous-try", "delay-rounding=exact"}),
      right("held-by-a-timer", "waits no longer than 2^31 - 1 ms", run<held_by_a_timer>, {"overflow=saturates"}),
      right("in-32-bits", "waits no longer than 2^32 - 1 s", run<in_32_bits>, {"overflow=saturates"}),
      right("first-failure", "counts from the first failure", run<first_failure>,
            {"delay-origin=first-failure", "delay-rounding=exact"}),
      right("floor", "waits whole seconds, rounded down", run<at_the_end<whole, 1>>,
            {"delay-rounding=floor", "rounding-unit=second"}),
      right("nearest", "waits whole seconds, the nearest", run<at_the_end<half_up, 1>>,
            {"delay-rounding=nearest", "rounding-unit=second"}),
      right("nearest-even", "waits whole seconds, halves to the even one", run<at_the_end<half_even, 1>>,
            {"delay-rounding=nearest-even", "rounding-unit=second"}),
      right("ceil", "waits whole seconds, rounded up", run<at_the_end<up, 1>>,
            {"delay-rounding=ceil", "rounding-unit=second"}),
      right("floor-each-step", "multiplies whole seconds", run<at_each_step<whole, 1>>,
            {"delay-rounding=floor-each-step", "rounding-unit=second"}),
      right("nearest-each-step", "carries the nearest second on", run<at_each_step<half_up, 1>>,
            {"delay-rounding=nearest-each-step", "rounding-unit=second"}),
      right("nearest-even-each-step", "carries the nearest even second on", run<at_each_step<half_even, 1>>,
            {"delay-rounding=nearest-even-each-step", "rounding-unit=second"}),
      right("ceil-each-step", "carries the next second on", run<at_each_step<up, 1>>,
            {"delay-rounding=ceil-each-step", "rounding-unit=second"}),
      right("floor-milliseconds", "waits whole milliseconds", run<at_the_end<whole, 1'000>>,
            {"delay-rounding=floor", "rounding-unit=millisecond"}),
      right("nearest-even-microseconds", "waits whole microseconds", run<at_the_end<half_even, micro>>,
            {"delay-rounding=nearest-even", "rounding-unit=microsecond"}),
      right("floor-nanoseconds", "waits whole nanoseconds", run<at_the_end<whole, nano>>,
            {"delay-rounding=floor", "rounding-unit=nanosecond"}),
      right("integers", "multiplies whole milliseconds", run_in_integers,
            {"delay-rounding=floor-each-step", "rounding-unit=millisecond"}),
      right("rounded-offsets", "counts whole seconds from the first failure", run<rounded_offsets>,
            {"delay-origin=first-failure", "delay-rounding=floor", "rounding-unit=second"}),
      built_in{.name = "library-in-milliseconds",
               .sentence = "the library, 32-bit milliseconds",
               .run = run_core,
               .follows = {"delay-rounding=nearest", "rounding-unit=millisecond"},
               .at_most = {{"max_attempts", 43}}},
  };
  return ports;
}

}  // namespace backoff::conformance
