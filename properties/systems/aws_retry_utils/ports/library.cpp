// The library as a port: its u16 and its u32 instance.
#include <array>

#include "aws_retry_utils/page.hpp"
#include "backoff.h"
#include "backoff/aws_retry_utils.hpp"
#include "ports/built_in.hpp"

namespace backoff::systems {
namespace {

namespace page = pages::aws_retry_utils;
namespace core = backoff::aws_retry_utils;

// The document knows no cycle that was never reset, and neither does the library.
template <class W>
std::vector<answer> run_core(history const& h) {
  auto const param = [&](std::size_t i) { return static_cast<std::uint64_t>(h.params[i].n); };
  auto const checked = core::check_parameters<W>(param(page::param::initial_backoff_s),
                                                 param(page::param::max_backoff_s), param(page::param::max_jitter_s),
                                                 static_cast<std::uint32_t>(h.params[page::param::max_attempts].n));
  std::vector<core::retry_cycle<W>> instances(instances_max, core::retry_cycle<W>(checked.value, 0U));
  std::vector<answer> answers;
  for (auto const& step : h.steps) {
    auto& a = answers.emplace_back();
    auto& cycle = instances[step.on];
    auto const draw = static_cast<std::uint32_t>(step.args[page::backoff_args::draw].n);
    if (step.op == page::call::reset) {
      cycle.reset(draw);
      a[page::reply::status] = observed::word(page::status_word::ok);
    } else {
      auto const decided = cycle.back_off(draw);
      bool const granted = decided.status == core::status::retry;
      a[page::reply::status] = observed::word(granted ? page::status_word::retry : page::status_word::exhausted);
      if (granted) a[page::reply::slept_s] = observed::of(static_cast<spec::integer>(decided.sleep_s));
    }
    a[page::reply::attempts_done] = observed::of(static_cast<spec::integer>(cycle.attempts_done()));
    a[page::reply::next_jitter_max] = observed::of(static_cast<spec::integer>(cycle.next_jitter_max()));
  }
  return answers;
}

std::vector<answer> run_c(history const& h) {
  auto const param = [&](std::size_t i) { return static_cast<std::uint32_t>(h.params[i].n); };
  backoff_aws_retry_utils_parameters const parameters{
      param(page::param::initial_backoff_s), param(page::param::max_backoff_s), param(page::param::max_jitter_s),
      param(page::param::max_attempts)};
  std::array<backoff_aws_retry_utils, instances_max> instances;
  for (auto& state : instances) backoff_aws_retry_utils_init(&state, &parameters, 0);
  std::vector<answer> answers;
  for (auto const& step : h.steps) {
    auto& a = answers.emplace_back();
    auto& state = instances[step.on];
    auto const draw = static_cast<std::uint32_t>(step.args[page::backoff_args::draw].n);
    if (step.op == page::call::reset) {
      backoff_aws_retry_utils_reset(&state, draw);
      a[page::reply::status] = observed::word(page::status_word::ok);
    } else {
      std::uint32_t sleep_s = 0;
      bool const granted = backoff_aws_retry_utils_back_off(&state, draw, &sleep_s) == BACKOFF_OK;
      a[page::reply::status] = observed::word(granted ? page::status_word::retry : page::status_word::exhausted);
      if (granted) a[page::reply::slept_s] = observed::of(static_cast<spec::integer>(sleep_s));
    }
    a[page::reply::attempts_done] =
        observed::of(static_cast<spec::integer>(backoff_aws_retry_utils_attempts_done(&state)));
    a[page::reply::next_jitter_max] =
        observed::of(static_cast<spec::integer>(backoff_aws_retry_utils_next_jitter_max(&state)));
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

}  // namespace backoff::systems
