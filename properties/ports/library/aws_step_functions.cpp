// The library as a port: in picoseconds, fine enough for delays that nobody can tell from exact ones.
#include "backoff/aws_step_functions.hpp"

#include <array>

#include "ports/built_in.hpp"

namespace backoff::conformance {
namespace {

namespace core = backoff::aws_step_functions;

constexpr std::int32_t places = 12;
using picoseconds = core::retry_run<std::uint64_t, 1'000'000'000'000>;

// A number of picoseconds, written in seconds: 20 digits may be one or two more than a decimal keeps.
observed seconds(std::uint64_t delay) {
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
  core::ratio const rate{static_cast<std::uint32_t>(h.params[1].n), 1'000};
  auto const checked = picoseconds::with(h.params[0].n, rate, static_cast<std::uint32_t>(h.params[2].n));
  std::vector<picoseconds> instances(instances_max, checked.value);
  std::vector<answer> answers;
  for (auto const& step : h.steps) {
    auto const decided = instances[step.on].next();
    auto& a = answers.emplace_back();
    bool const granted = decided.status == core::status::retry;
    a[0] = observed::word(granted ? 0 : 1);
    if (granted) a[1] = seconds(decided.delay);
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

}  // namespace backoff::conformance
