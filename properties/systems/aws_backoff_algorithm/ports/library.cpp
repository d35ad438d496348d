// The library as a port: its u16 and its u32 instance.
#include <array>

#include "aws_backoff_algorithm/page.hpp"
#include "backoff.h"
#include "backoff/aws_backoff_algorithm.hpp"
#include "ports/built_in.hpp"

namespace backoff::systems {
namespace {

namespace page = pages::aws_backoff_algorithm;
namespace core = backoff::aws_backoff_algorithm;

template <class W>
std::vector<answer> run_core(history const& h) {
  auto const& limit = h.params[page::param::max_attempts];
  auto const attempts = limit.kind == value_kind::keyword
                            ? core::attempt_limit::forever()
                            : core::attempt_limit::of(static_cast<std::uint32_t>(limit.n));
  auto const checked = core::check_parameters<W>(static_cast<std::uint64_t>(h.params[page::param::base_ms].n),
                                                 static_cast<std::uint64_t>(h.params[page::param::max_ms].n), attempts);
  core::full_jitter<W> const fresh(checked.value);
  std::array instances{fresh, fresh, fresh};
  static_assert(instances.size() == instances_max);
  std::vector<answer> answers;
  answers.reserve(h.steps.size());
  for (auto const& step : h.steps) {
    auto& a = answers.emplace_back();
    auto& cycle = instances[step.on];
    if (step.op == page::call::reset) {
      cycle.reset();
      a[page::reply::status] = observed::word(page::status_word::ok);
      continue;
    }
    auto const decided = cycle.next(static_cast<std::uint32_t>(step.args[page::next_args::draw].n));
    bool const granted = decided.status == core::status::retry;
    a[page::reply::status] = observed::word(granted ? page::status_word::retry : page::status_word::exhausted);
    if (granted) a[page::reply::delay_ms] = observed::of(static_cast<spec::integer>(decided.delay_ms));
  }
  return answers;
}

// The functions of C, 32 and 16 bits wide.
struct wide_c {
  using state = backoff_aws_backoff_algorithm;
  using width = std::uint32_t;
  static constexpr auto init = backoff_aws_backoff_algorithm_init;
  static constexpr auto init_forever = backoff_aws_backoff_algorithm_init_forever;
  static constexpr auto next = backoff_aws_backoff_algorithm_next;
  static constexpr auto reset = backoff_aws_backoff_algorithm_reset;
};
struct narrow_c {
  using state = backoff_aws_backoff_algorithm_u16;
  using width = std::uint16_t;
  static constexpr auto init = backoff_aws_backoff_algorithm_u16_init;
  static constexpr auto init_forever = backoff_aws_backoff_algorithm_u16_init_forever;
  static constexpr auto next = backoff_aws_backoff_algorithm_u16_next;
  static constexpr auto reset = backoff_aws_backoff_algorithm_u16_reset;
};

template <class C>
std::vector<answer> run_c(history const& h) {
  auto const base_ms = static_cast<typename C::width>(h.params[page::param::base_ms].n);
  auto const max_ms = static_cast<typename C::width>(h.params[page::param::max_ms].n);
  auto const& limit = h.params[page::param::max_attempts];
  std::array<typename C::state, instances_max> instances;
  for (auto& state : instances) {
    if (limit.kind == value_kind::keyword) {
      C::init_forever(&state, base_ms, max_ms);
    } else {
      C::init(&state, base_ms, max_ms, static_cast<std::uint32_t>(limit.n));
    }
  }
  std::vector<answer> answers;
  answers.reserve(h.steps.size());
  for (auto const& step : h.steps) {
    auto& a = answers.emplace_back();
    auto& state = instances[step.on];
    if (step.op == page::call::reset) {
      C::reset(&state);
      a[page::reply::status] = observed::word(page::status_word::ok);
      continue;
    }
    typename C::width delay_ms{};
    bool const granted =
        C::next(&state, static_cast<std::uint32_t>(step.args[page::next_args::draw].n), &delay_ms) == BACKOFF_OK;
    a[page::reply::status] = observed::word(granted ? page::status_word::retry : page::status_word::exhausted);
    if (granted) a[page::reply::delay_ms] = observed::of(static_cast<spec::integer>(delay_ms));
  }
  return answers;
}

}  // namespace

std::span<built_in const> aws_backoff_algorithm_library_ports() {
  static std::array const ports{
      built_in{"library", "the library, 32 bits wide", run_core<std::uint32_t>},
      built_in{"library-u16", "the library, 16 bits wide", run_core<std::uint16_t>, {}, 0xffff},
  };
  return ports;
}

std::span<built_in const> aws_backoff_algorithm_c_ports() {
  static std::array const ports{
      built_in{"c", "the library through its C interface, 32 bits wide", run_c<wide_c>},
      built_in{"c-u16", "the library through its C interface, 16 bits wide", run_c<narrow_c>, {}, 0xffff},
  };
  return ports;
}

}  // namespace backoff::systems
