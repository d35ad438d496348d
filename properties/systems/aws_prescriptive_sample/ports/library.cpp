// The library as a port.
#include <array>

#include "aws_prescriptive_sample/page.hpp"
#include "backoff.h"
#include "backoff/aws_prescriptive_sample.hpp"
#include "ports/built_in.hpp"

namespace backoff::systems {
namespace {

namespace page = pages::aws_prescriptive_sample;
std::vector<answer> run_core(history const& h) {
  using backoff::aws_prescriptive_sample::retry_loop;
  retry_loop const fresh(static_cast<std::uint32_t>(h.params[page::param::max_retries].n));
  std::array instances{fresh, fresh, fresh};
  static_assert(instances.size() == instances_max);
  std::vector<answer> answers;
  answers.reserve(h.steps.size());
  for (auto const& step : h.steps) {
    auto& loop = instances[step.on];
    if (loop.delay_ms() == backoff::aws_prescriptive_sample::no_delay) {
      answers.push_back({observed::word(page::status_word::error)});
      return answers;
    }
    auto const delay_ms = static_cast<spec::integer>(loop.delay_ms());
    bool const again = loop.retry_after(static_cast<int>(step.args[page::attempt_args::http_status].n));
    answers.push_back(
        {observed::word(page::status_word::answered), observed::of(delay_ms), observed::word(again ? 1 : 0)});
  }
  return answers;
}

std::vector<answer> run_c(history const& h) {
  std::array<backoff_aws_prescriptive_sample, instances_max> instances;
  for (auto& state : instances)
    backoff_aws_prescriptive_sample_init(&state, static_cast<std::uint32_t>(h.params[page::param::max_retries].n));
  std::vector<answer> answers;
  answers.reserve(h.steps.size());
  for (auto const& step : h.steps) {
    auto& state = instances[step.on];
    auto const wait_ms = backoff_aws_prescriptive_sample_delay_ms(&state);
    if (wait_ms == BACKOFF_AWS_PRESCRIPTIVE_SAMPLE_NO_DELAY) {
      answers.push_back({observed::word(page::status_word::error)});
      return answers;
    }
    auto const delay_ms = static_cast<spec::integer>(wait_ms);
    auto const status = static_cast<std::int32_t>(step.args[page::attempt_args::http_status].n);
    auto const again = backoff_aws_prescriptive_sample_retry_after(&state, status);
    answers.push_back({observed::word(page::status_word::answered), observed::of(delay_ms), observed::word(again)});
  }
  return answers;
}

}  // namespace

std::span<built_in const> aws_prescriptive_sample_library_ports() {
  static std::array const ports{built_in{"library", "the library", run_core}};
  return ports;
}

std::span<built_in const> aws_prescriptive_sample_c_ports() {
  static std::array const ports{
      built_in{"c", "the library through its C interface", run_c},
  };
  return ports;
}

}  // namespace backoff::systems
