// The library as a port: its u16 and its u32 instance.
#include <array>

#include "backoff.h"
#include "backoff/aws_retry_utils.hpp"
#include "ports/built_in.hpp"

namespace backoff::conformance {
namespace {

namespace core = backoff::aws_retry_utils;

// The document knows no cycle that was never reset, and neither does the library.
template <class W>
std::vector<answer> run_core(history const& h) {
  auto const param = [&](std::size_t i) { return static_cast<std::uint64_t>(h.params[i].n); };
  auto const checked =
      core::check_parameters<W>(param(0), param(1), param(2), static_cast<std::uint32_t>(h.params[3].n));
  std::vector<core::retry_cycle<W>> instances(instances_max, core::retry_cycle<W>(checked.value, 0U));
  std::vector<answer> answers;
  for (auto const& step : h.steps) {
    auto& a = answers.emplace_back();
    auto& cycle = instances[step.on];
    auto const draw = static_cast<std::uint32_t>(step.args[0].n);
    if (step.op == 1) {
      cycle.reset(draw);
      a[0] = observed::word(2);
    } else {
      auto const decided = cycle.back_off(draw);
      bool const granted = decided.status == core::status::retry;
      a[0] = observed::word(granted ? 0 : 1);
      if (granted) a[1] = observed::of(static_cast<spec::integer>(decided.sleep_s));
    }
    a[2] = observed::of(static_cast<spec::integer>(cycle.attempts_done()));
    a[3] = observed::of(static_cast<spec::integer>(cycle.next_jitter_max()));
  }
  return answers;
}

std::vector<answer> run_c(history const& h) {
  auto const param = [&](std::size_t i) { return static_cast<std::uint32_t>(h.params[i].n); };
  backoff_aws_retry_utils_parameters const parameters{param(0), param(1), param(2), param(3)};
  std::array<backoff_aws_retry_utils, instances_max> instances;
  for (auto& state : instances) backoff_aws_retry_utils_init(&state, &parameters, 0);
  std::vector<answer> answers;
  for (auto const& step : h.steps) {
    auto& a = answers.emplace_back();
    auto& state = instances[step.on];
    auto const draw = static_cast<std::uint32_t>(step.args[0].n);
    if (step.op == 1) {
      backoff_aws_retry_utils_reset(&state, draw);
      a[0] = observed::word(2);
    } else {
      std::uint32_t sleep_s = 0;
      bool const granted = backoff_aws_retry_utils_back_off(&state, draw, &sleep_s) == BACKOFF_OK;
      a[0] = observed::word(granted ? 0 : 1);
      if (granted) a[1] = observed::of(static_cast<spec::integer>(sleep_s));
    }
    a[2] = observed::of(static_cast<spec::integer>(backoff_aws_retry_utils_attempts_done(&state)));
    a[3] = observed::of(static_cast<spec::integer>(backoff_aws_retry_utils_next_jitter_max(&state)));
  }
  return answers;
}

}  // namespace

std::span<built_in const> aws_retry_utils_library_ports() {
  static std::array const ports{
      built_in{"library", "the library, 32 bits wide", run_core<std::uint32_t>},
      built_in{"library-u16", "the library, 16 bits wide", run_core<std::uint16_t>, {}, 0xffff},
  };
  return ports;
}

std::span<built_in const> aws_retry_utils_c_ports() {
  static std::array const ports{
      built_in{"c", "the library through its C interface", run_c},
  };
  return ports;
}

}  // namespace backoff::conformance
