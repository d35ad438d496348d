// The library as a port: in picoseconds, fine enough for delays that nobody can tell from exact ones.
#include <array>

#include "aws_step_functions/page.hpp"
#include "backoff.h"
#include "backoff/aws_step_functions.hpp"
#include "ports/built_in.hpp"

namespace backoff::systems {
namespace {

namespace page = pages::aws_step_functions;
namespace core = backoff::aws_step_functions;

using picoseconds = core::retry_run<std::uint64_t, 1'000'000'000'000>;

// A number of 10^-places seconds, written in seconds: 20 digits may be one or two more than a decimal keeps.
observed seconds(std::uint64_t delay, std::int32_t places) {
  spec::decimal d{0, -places, false};
  std::uint64_t left = delay;
  while (left > 999'999'999'999'999'999U || (left != 0 && left % 10 == 0)) {
    d.inexact = d.inexact || left % 10 != 0;
    left /= 10;
    ++d.exponent;
  }
  d.mantissa = static_cast<spec::integer>(left);
  for (; d.exponent > 0; --d.exponent) d.mantissa *= 10;
  if (d.mantissa == 0) d.exponent = 0;
  return observed::of(d);
}

std::vector<answer> run_core(history const& h) {
  core::ratio const rate{static_cast<std::uint32_t>(h.params[page::param::backoff_rate].n), 1'000};
  auto const checked = picoseconds::with(h.params[page::param::interval_s].n, rate,
                                         static_cast<std::uint32_t>(h.params[page::param::max_attempts].n));
  std::vector<picoseconds> instances(instances_max, checked.value);
  std::vector<answer> answers;
  for (auto const& step : h.steps) {
    auto const decided = instances[step.on].next();
    auto& a = answers.emplace_back();
    bool const granted = decided.status == core::status::retry;
    a[page::reply::status] = observed::word(granted ? page::status_word::retry : page::status_word::exhausted);
    if (granted) a[page::reply::delay_s] = seconds(decided.delay, 12);
  }
  return answers;
}

std::vector<answer> run_c(history const& h) {
  std::array<backoff_aws_step_functions, instances_max> instances;
  for (auto& state : instances) {
    auto const rate = static_cast<std::uint32_t>(h.params[page::param::backoff_rate].n);
    auto const attempts = static_cast<std::uint32_t>(h.params[page::param::max_attempts].n);
    static_cast<void>(
        backoff_aws_step_functions_init(&state, h.params[page::param::interval_s].n, rate, 1'000, attempts));
  }
  std::vector<answer> answers;
  for (auto const& step : h.steps) {
    auto& a = answers.emplace_back();
    std::uint64_t delay_ns = 0;
    bool const granted = backoff_aws_step_functions_next(&instances[step.on], &delay_ns) == BACKOFF_OK;
    a[page::reply::status] = observed::word(granted ? page::status_word::retry : page::status_word::exhausted);
    if (granted) a[page::reply::delay_s] = seconds(delay_ns, 9);
  }
  return answers;
}

}  // namespace

std::span<built_in const> aws_step_functions_library_ports() {
  static std::array const ports{
      built_in{.name = "library",
               .sentence = "the library, in picoseconds",
               .run = run_core,
               .at_most = {{"max_attempts", 43}}},  // as many as it follows exactly at every rate of three decimals
  };
  return ports;
}

std::span<built_in const> aws_step_functions_c_ports() {
  static std::array const ports{
      built_in{.name = "c",
               .sentence = "the library through its C interface, in nanoseconds",
               .run = run_c,
               .follows = {"delay-rounding=nearest", "rounding-unit=nanosecond"},
               .at_most = {{"max_attempts", 43}}},
  };
  return ports;
}

}  // namespace backoff::systems
