// Right ports of the Step Functions example: in doubles, in integers, saturating where it suits them, and one for each
// open reading. Each must pass, and its reading be reported.
#include <functional>
#include <optional>
#include <utility>

#include "backoff/aws_step_functions.hpp"
#include "ports/built_in.hpp"
#include "systems/aws_step_functions/ports/documented.hpp"
#include "systems/aws_step_functions/ports/rounded.hpp"

namespace backoff::systems {
namespace {

using namespace reference_steps;

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
// Whole units, multiplied by thousandths and cut at each step; stays at the longest that 63 bits hold.
template <int Units>
std::vector<answer> run_in_integers(history const& h) {
  __extension__ using wide = unsigned __int128;
  constexpr auto longest_units = static_cast<wide>(std::numeric_limits<std::int64_t>::max());
  struct counting_units {
    std::int64_t delay;
    std::int64_t n;
  };
  std::vector<counting_units> instances(instances_max, {h.params[0].n * Units, 0});
  std::vector<answer> answers;
  for (auto const& step : h.steps) {
    auto& c = instances[step.on];
    if (c.n >= h.params[2].n) {
      answers.push_back({observed::word(1)});
      continue;
    }
    answers.push_back({observed::word(0), number(static_cast<double>(c.delay) / Units)});
    auto const grown = static_cast<wide>(c.delay) * static_cast<wide>(h.params[1].n) / 1'000;
    c.delay = static_cast<std::int64_t>(std::min(grown, longest_units));
    ++c.n;
  }
  return answers;
}

// ---- Other ways to write the same ----

struct by_squaring : as_documented {  // squares and multiplies
  static double value(counting const& c, history const&) {
    double result = c.interval, power = c.rate;
    for (auto n = c.n; n > 0; n /= 2, power *= power) {
      if (n % 2 != 0) result *= power;
    }
    return c.interval == 0 ? 0 : std::min(result, longest);
  }
};
struct by_logarithms : as_documented {
  static double value(counting const& c, history const&) {
    double const log = std::log(c.interval) + static_cast<double>(c.n) * std::log(c.rate);
    return c.interval == 0 ? 0 : log > 709 ? longest_kept : std::min(std::exp(log), longest_kept);
  }
  static constexpr double longest_kept = 1e300;
};
struct long_doubles : as_documented {
  static double value(counting const& c, history const& h) {
    auto const power = std::pow(static_cast<long double>(h.params[1].n) / 1'000, static_cast<long double>(c.n));
    auto const product = static_cast<long double>(c.interval) * power;
    return c.interval == 0 ? 0 : product < longest ? static_cast<double>(product) : longest;
  }
};
struct recursive : as_documented {  // one call for each retry before
  static double value(counting const& c, history const&) { return c.interval == 0 ? 0 : at(c.interval, c.rate, c.n); }
  static double at(double interval, double rate, std::int64_t n) {
    return n == 0 || interval >= longest ? interval : at(std::min(interval * rate, longest), rate, n - 1);
  }
};

// A port with a state of its own: made of interval, thousandths of the rate and limit, it says the next delay.
template <class Port>
std::vector<answer> serve(history const& h) {
  std::vector<Port> instances(instances_max, Port(h.params[0].n, h.params[1].n, h.params[2].n));
  std::vector<answer> answers;
  for (auto const& step : h.steps) {
    auto const delay = instances[step.on].next();
    answers.push_back({observed::word(delay ? 0 : 1)});
    if (delay) answers.back()[1] = number(*delay);
  }
  return answers;
}

// 64 bits for whole seconds and 64 for the rest. What is past 2^32 s stays at that.
struct fixed_point {
  fixed_point(std::int64_t interval, std::int64_t rate, std::int64_t limit)
      : now(static_cast<wide>(interval) << 64), thousandths(static_cast<std::uint64_t>(rate)), left(limit) {}
  std::optional<double> next() {
    if (left-- <= 0) return {};
    auto const delay = std::ldexp(static_cast<double>(now), -64);
    now = std::min(now / 1'000 * thousandths + now % 1'000 * thousandths / 1'000, most);
    return delay;
  }
  __extension__ using wide = unsigned __int128;
  static constexpr wide most = wide{1} << 96;
  wide now;
  std::uint64_t thousandths;
  std::int64_t left;
};
// Exact fractions, as far as 128 bits go; then doubles.
struct fractions {
  fractions(std::int64_t interval, std::int64_t rate, std::int64_t limit)
      : over(static_cast<wide>(interval)), factor(static_cast<std::uint64_t>(rate)), left(limit) {
    value = static_cast<double>(interval);
  }
  std::optional<double> next() {
    if (left-- <= 0) return {};
    auto const delay = value;
    bool const fits = over < (wide{1} << 90) && under < (wide{1} << 100);
    if (fits) {
      over *= factor;
      under *= 1'000;
      value = static_cast<double>(over) / static_cast<double>(under);
    } else {
      value = std::min(value * (static_cast<double>(factor) / 1'000), longest);
    }
    return delay;
  }
  __extension__ using wide = unsigned __int128;
  wide over;
  wide under = 1;
  std::uint64_t factor;
  std::int64_t left;
  double value;
};
// A closure that multiplies after it answers.
struct closure {
  closure(std::int64_t interval, std::int64_t rate, std::int64_t limit)
      : next([now = static_cast<double>(interval), by = static_cast<double>(rate) / 1'000,
              left = limit]() mutable -> std::optional<double> {
          if (left == 0) return {};
          --left;
          return std::exchange(now, std::fmin(now * by, longest));
        }) {}
  std::function<std::optional<double>()> next;
};

// The library at home on a small device: 32-bit milliseconds.
std::vector<answer> run_in_32_bits(history const& h) {
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
  constexpr int milli = 1'000;
  constexpr int micro = 1'000'000;
  constexpr int nano = 1'000'000'000;
  static std::vector<built_in> const ports{
      right("plain", "multiplies doubles, each by the one before", run<as_documented>,
            {"delay-origin=previous-try", "delay-rounding=exact", "overflow=saturates"}),
      right("power", "takes a power for each delay", run<power>, {"delay-origin=previous-try", "delay-rounding=exact"}),
      right("squares", "squares and multiplies", run<by_squaring>, {"delay-rounding=exact", "overflow=saturates"}),
      right("logarithms", "adds logarithms", run<by_logarithms>, {"delay-rounding=exact", "overflow=saturates"}),
      right("long-doubles", "takes powers of long doubles", run<long_doubles>, {"delay-rounding=exact"}),
      right("recursive", "calls itself for the delay before", run<recursive>, {"delay-rounding=exact"}),
      right("fixed-point", "keeps 64 bits of a second", serve<fixed_point>,
            {"delay-rounding=exact", "overflow=saturates"}),
      right("fractions", "multiplies fractions as long as they fit", serve<fractions>, {"delay-rounding=exact"}),
      right("closure", "is a closure", serve<closure>, {"delay-rounding=exact", "overflow=saturates"}),
      right("held-by-a-timer", "waits no longer than 2^31 - 1 ms", run<held_by_a_timer>, {"overflow=saturates"}),
      right("in-32-bits", "waits no longer than 2^32 - 1 s", run<in_32_bits>, {"overflow=saturates"}),
      right("floor", "waits whole milliseconds, rounded down", run<at_the_end<whole, milli>>,
            {"delay-rounding=floor", "rounding-unit=millisecond"}),
      right("nearest", "waits whole milliseconds, the nearest", run<at_the_end<half_up, milli>>,
            {"delay-rounding=nearest", "rounding-unit=millisecond"}),
      right("nearest-even", "waits whole milliseconds, halves to the even one", run<at_the_end<half_even, milli>>,
            {"delay-rounding=nearest-even", "rounding-unit=millisecond"}),
      right("ceil", "waits whole milliseconds, rounded up", run<at_the_end<up, milli>>,
            {"delay-rounding=ceil", "rounding-unit=millisecond"}),
      right("floor-each-step", "carries the millisecond below on", run<at_each_step<whole, milli>>,
            {"delay-rounding=floor-each-step", "rounding-unit=millisecond"}),
      right("nearest-each-step", "carries the nearest millisecond on", run<at_each_step<half_up, milli>>,
            {"delay-rounding=nearest-each-step", "rounding-unit=millisecond"}),
      right("nearest-even-each-step", "carries the nearest even millisecond on", run<at_each_step<half_even, milli>>,
            {"delay-rounding=nearest-even-each-step", "rounding-unit=millisecond"}),
      right("ceil-each-step", "carries the next millisecond on", run<at_each_step<up, milli>>,
            {"delay-rounding=ceil-each-step", "rounding-unit=millisecond"}),
      right("nearest-even-microseconds", "waits whole microseconds", run<at_the_end<half_even, micro>>,
            {"delay-rounding=nearest-even", "rounding-unit=microsecond"}),
      right("nearest-microseconds-each-step", "carries the nearest microsecond on", run<at_each_step<half_up, micro>>,
            {"delay-rounding=nearest-each-step", "rounding-unit=microsecond"}),
      right("floor-nanoseconds", "waits whole nanoseconds", run<at_the_end<whole, nano>>,
            {"delay-rounding=floor", "rounding-unit=nanosecond"}),
      right("integers", "multiplies whole milliseconds", run_in_integers<milli>,
            {"delay-rounding=floor-each-step", "rounding-unit=millisecond"}),
      right("integer-nanoseconds", "multiplies whole nanoseconds", run_in_integers<nano>,
            {"delay-rounding=floor-each-step", "rounding-unit=nanosecond"}),
      built_in{.name = "library-in-milliseconds",
               .sentence = "the library, 32-bit milliseconds",
               .run = run_in_32_bits,
               .follows = {"delay-rounding=nearest", "rounding-unit=millisecond"},
               .at_most = {{"max_attempts", 43}}},
  };
  return ports;
}

}  // namespace backoff::systems
