// Nothing is allocated by any step of any system, be it taken through the headers, the policies of hosted/ or the
// interface for C. Both malloc and operator new are this program's own: while a step is taken, each call is counted.
// Exit: 0 none allocates, 1 one did, 2 the counters count nothing. `no_heap --plant` allocates in one, and must fail.
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <random>
#include <string_view>

#include "backoff.h"
#include "backoff/hosted/delays.hpp"
#include "backoff/hosted/policies.hpp"
#include "backoff/hosted/retry.hpp"

namespace {

int calls = 0;
bool counting = false;
alignas(std::max_align_t) std::array<unsigned char, 4'194'304> arena{};
std::size_t used = 0;

void* take(std::size_t bytes) noexcept {
  if (counting) ++calls;
  std::size_t const at = (used + 15U) / 16U * 16U;
  if (bytes > arena.size() - at) return nullptr;
  used = at + bytes;
  return arena.data() + at;
}

}  // namespace

// What is given back is not used again.
extern "C" void* malloc(std::size_t bytes) { return take(bytes); }
extern "C" void* calloc(std::size_t count, std::size_t bytes) { return take(count * bytes); }  // arena is all zeros
extern "C" void* realloc(void* old, std::size_t bytes) {
  void* const fresh = take(bytes);
  auto const* const from = static_cast<unsigned char*>(old);
  if (from != nullptr && fresh != nullptr) {
    auto const there = static_cast<std::size_t>(arena.data() + arena.size() - from);
    std::memmove(fresh, from, bytes < there ? bytes : there);
  }
  return fresh;
}
extern "C" void* aligned_alloc(std::size_t, std::size_t bytes) { return take(bytes); }
extern "C" void free(void*) {}
void* operator new(std::size_t bytes) { return take(bytes); }
void* operator new[](std::size_t bytes) { return take(bytes); }
void operator delete(void*) noexcept {}
void operator delete[](void*) noexcept {}
void operator delete(void*, std::size_t) noexcept {}
void operator delete[](void*, std::size_t) noexcept {}

namespace {

using namespace std::chrono_literals;
using backoff::aws_backoff_algorithm::attempt_limit;
namespace policies = backoff::policies;
namespace control = backoff::azure_c_retry_control;

bool allocates = false;

template <class Step>
void expect_none(char const* name, Step const& step) {
  int const before = calls;
  counting = true;
  step();
  counting = false;
  if (calls == before) return;
  allocates = true;
  std::printf("%s: %d allocations\n", name, calls - before);
}

template <class Policy>
void ask(Policy policy) {
  std::minstd_rand random;
  for (int second = 0; second < 40; ++second)
    static_cast<void>(backoff::what_next(policy, 10s, std::chrono::seconds(second), random));
}

void cores() {
  expect_none("aws_backoff_algorithm", [] {
    backoff::aws_backoff_algorithm::full_jitter<std::uint32_t> cycle({100, 5'000, attempt_limit::of(5)});
    for (std::uint32_t i = 0; i < 8; ++i) static_cast<void>(cycle.next(i * 1'000'003U));
    cycle.reset();
  });
  expect_none("aws_retry_utils", [] {
    backoff::aws_retry_utils::retry_cycle<std::uint32_t> cycle({1, 128, 5, 4}, std::uint32_t{3});
    for (std::uint32_t i = 0; i < 6; ++i) static_cast<void>(cycle.back_off(i * 1'000'003U));
    cycle.reset(std::uint32_t{4});
  });
  expect_none("aws_step_functions", [] {
    auto run = backoff::aws_step_functions::retry_run<std::uint64_t, 1'000'000'000>::with(3, {3, 2}, 9).value;
    for (int i = 0; i < 11; ++i) static_cast<void>(run.next());
  });
  expect_none("aws_prescriptive_sample", [] {
    backoff::aws_prescriptive_sample::retry_loop loop(4);
    while (loop.retry_after(429)) static_cast<void>(loop.delay_ms());
  });
  for (auto const which : {control::policy::none, control::policy::immediate, control::policy::interval,
                           control::policy::linear_backoff, control::policy::exponential_backoff,
                           control::policy::exponential_backoff_with_jitter, control::policy::random}) {
    expect_none("azure_c_retry_control", [which] {
      auto state = control::create(which, 50);
      for (std::int64_t now = 0; now < 60; ++now)
        static_cast<void>(control::should_retry(
            state, [now]() noexcept { return now; }, []() noexcept { return control::draw{7, 9}; }));
      control::reset(state);
    });
    expect_none("policies::azure_c_retry_control",
                [which] { ask(policies::azure_c_retry_control(control::create(which, 20))); });
  }
  expect_none("azure_java_retry_policy", [] {
    using namespace backoff::azure_java_retry_policy;
    exponential_backoff_with_jitter const policy;
    for (std::uint32_t i = 0; i < 20; ++i)
      static_cast<void>(after_failure(
          [&](std::uint32_t count, error) noexcept { return policy.decide(count, 1U << i); }, i, error::service));
  });
}

void hosted() {
  using backoff::draw_mapping;
  for (auto const mapping : {draw_mapping::modulo, draw_mapping::unbiased}) {
    expect_none("policies::aws_backoff_algorithm",
                [mapping] { ask(policies::aws_backoff_algorithm(100ms, 5s, attempt_limit::of(5), mapping)); });
    expect_none("policies::aws_retry_utils", [mapping] { ask(policies::aws_retry_utils(1s, 128s, 5s, 4, mapping)); });
  }
  expect_none("policies::aws_step_functions", [] { ask(policies::aws_step_functions::with(3s, {3, 2}, 9).value); });
  expect_none("policies::aws_prescriptive_sample", [] { ask(policies::aws_prescriptive_sample(4)); });
  expect_none("policies::azure_java_retry_policy", [] { ask(policies::azure_java_retry_policy()); });
  expect_none("delays", [] {
    std::minstd_rand random;
    for (auto const wait : backoff::delays(policies::aws_prescriptive_sample(9), random)) static_cast<void>(wait);
  });
  expect_none("retry", [] {
    std::minstd_rand random;
    policies::aws_backoff_algorithm const at_once(0ms, 0ms, attempt_limit::of(5));
    static_cast<void>(backoff::retry(at_once, [] { return false; }, random));
  });
}

std::int64_t get_time(void* context) { return (*static_cast<std::int64_t*>(context))++; }
std::uint32_t draw(void*) { return 5; }

void interface_for_c() {
  expect_none("backoff_aws_backoff_algorithm", [] {
    backoff_aws_backoff_algorithm state;
    std::uint32_t delay_ms = 0;
    backoff_aws_backoff_algorithm_init(&state, 100, 5'000, 3);
    while (backoff_aws_backoff_algorithm_next(&state, 77, &delay_ms) == BACKOFF_OK) continue;
    backoff_aws_backoff_algorithm_reset(&state);
    backoff_aws_backoff_algorithm_u16 narrow;
    std::uint16_t delay_u16_ms = 0;
    backoff_aws_backoff_algorithm_u16_init(&narrow, 100, 5'000, 3);
    while (backoff_aws_backoff_algorithm_u16_next(&narrow, 77, &delay_u16_ms) == BACKOFF_OK) continue;
  });
  expect_none("backoff_aws_retry_utils", [] {
    backoff_aws_retry_utils state;
    backoff_aws_retry_utils_parameters const parameters{1, 128, 5, 4};
    std::uint32_t sleep_s = 0;
    backoff_aws_retry_utils_init(&state, &parameters, 3);
    while (backoff_aws_retry_utils_back_off(&state, 77, &sleep_s) == BACKOFF_OK) continue;
    backoff_aws_retry_utils_reset(&state, 4);
  });
  expect_none("backoff_aws_step_functions", [] {
    backoff_aws_step_functions state;
    std::uint64_t delay_ns = 0;
    static_cast<void>(backoff_aws_step_functions_init(&state, 3, 3, 2, 9));
    while (backoff_aws_step_functions_next(&state, &delay_ns) == BACKOFF_OK) continue;
  });
  expect_none("backoff_aws_prescriptive_sample", [] {
    backoff_aws_prescriptive_sample state;
    backoff_aws_prescriptive_sample_init(&state, 5);
    while (backoff_aws_prescriptive_sample_retry_after(&state, 504) != 0)
      static_cast<void>(backoff_aws_prescriptive_sample_delay_ms(&state));
  });
  for (std::int32_t policy = 0; policy <= BACKOFF_AZURE_C_RETRY_CONTROL_RANDOM; ++policy) {
    expect_none("backoff_azure_c_retry_control", [policy] {
      backoff_azure_c_retry_control state;
      std::int64_t now = 0;
      std::int32_t action = 0;
      backoff_azure_c_retry_control_surroundings const around{get_time, draw, &now, 9};
      static_cast<void>(backoff_azure_c_retry_control_init(&state, policy, 50));
      for (int i = 0; i < 60; ++i)
        static_cast<void>(backoff_azure_c_retry_control_should_retry(&state, &around, &action));
      backoff_azure_c_retry_control_reset(&state);
    });
  }
  expect_none("backoff_azure_java_retry_policy", [] {
    backoff_azure_java_retry_policy state;
    backoff_azure_java_retry_policy_parameters parameters;
    backoff_azure_java_retry_policy_wait delay;
    backoff_azure_java_retry_policy_defaults(&parameters);
    static_cast<void>(backoff_azure_java_retry_policy_init(&state, &parameters));
    for (std::uint32_t i = 0; i < 20; ++i) backoff_azure_java_retry_policy_delay(&state, i, 1U << i, &delay);
    static_cast<void>(backoff_azure_java_retry_policy_after_failure(backoff_azure_java_retry_policy_no_retry, nullptr,
                                                                    1, 0, nullptr, &delay));
  });
}

}  // namespace

int main(int argc, char** argv) {
  counting = true;
  void* volatile by_new = ::operator new(1);
  void* volatile by_malloc = std::malloc(1);
  counting = false;
  if (by_new == nullptr || by_malloc == nullptr || calls != 2) return 2;
  cores();
  hosted();
  interface_for_c();
  if (argc > 1 && std::string_view(argv[1]) == "--plant")
    expect_none("planted", [] { ::operator delete(::operator new(1)); });
  return allocates ? 1 : 0;
}
