// The library as a port: what its delays hold is written to the last digit.
#include <array>

#include "azure_java_retry_policy/page.hpp"
#include "backoff.h"
#include "backoff/azure_java_retry_policy.hpp"
#include "ports/built_in.hpp"

namespace backoff::systems {
namespace {

namespace page = pages::azure_java_retry_policy;
namespace core = backoff::azure_java_retry_policy;

// A delay in milliseconds: its nanoseconds, and as many digits of what is left as a decimal keeps.
observed milliseconds(core::wait const& delay) {
  constexpr std::int32_t ns_places = -6;
  spec::decimal d{static_cast<spec::integer>(delay.ns), ns_places, false};
  for (std::uint64_t part = delay.part; part != 0 && d.mantissa < 10'000'000'000'000'000;) {
    part *= 10;
    d.mantissa = d.mantissa * 10 + static_cast<spec::integer>(part >> 32);
    part &= 0xffff'ffff;
    --d.exponent;
  }
  while (d.exponent < 0 && d.mantissa % 10 == 0) {
    d.mantissa /= 10;
    ++d.exponent;
  }
  return observed::of(d);
}

std::uint32_t u32(value const& v, std::uint32_t by_default, std::uint32_t scale = 1) {
  return v.kind == value_kind::absent ? by_default : static_cast<std::uint32_t>(v.n) * scale;
}

core::parameters constants(history const& h) {
  constexpr core::parameters d;
  auto const& p = h.params;
  return {u32(p[1], d.c_ms), u32(p[2], d.cmin_ms), u32(p[3], d.cmax_ms), u32(p[4], d.jd_millionths, 1'000),
          u32(p[5], d.ju_millionths, 1'000)};
}

core::error error_of(step const& s) {
  if (s.args[page::decide_args::error].kind != value_kind::absent)
    return static_cast<core::error>(s.args[page::decide_args::error].n);
  return s.args[page::decide_args::retryable].n != 0 ? core::error::protocol : core::error::terminal;
}

core::time_budget time_of(history const& h, step const& s) {
  constexpr std::uint64_t ns_per_ms = 1'000'000;
  if (h.params[page::param::total_time_ms].kind == value_kind::absent) return {};
  return {static_cast<std::uint64_t>(h.params[page::param::total_time_ms].n) * ns_per_ms,
          static_cast<std::uint64_t>(s.args[page::decide_args::elapsed_ms].n) * ns_per_ms};
}

// The history's policy, which knows the call that it is asked in.
struct policy_of {
  std::int64_t which;
  core::exponential_backoff_with_jitter const& jittered;
  step const& call;
  core::decision operator()(std::uint32_t retry_count, core::error last) const {
    if (which == page::policy_word::no_retry) return core::no_retry{}(retry_count, last);
    if (which == page::policy_word::custom)
      return {call.args[page::decide_args::custom_retry].n != 0,
              {static_cast<std::uint64_t>(call.args[page::decide_args::custom_delay_ms].n) * 1'000'000, 0U}};
    return jittered.decide(retry_count, static_cast<std::uint32_t>(call.args[page::decide_args::draw].n));
  }
};

observed boolean(bool b) { return observed::word(b ? 1 : 0); }

std::vector<answer> run_core(history const& h) {
  // No state: one policy serves all instances.
  auto const checked = core::exponential_backoff_with_jitter::with(constants(h));
  std::vector<answer> answers;
  for (auto const& s : h.steps) {
    policy_of policy{h.params[page::param::policy].n, checked.value, s};
    auto const out = core::after_failure(policy, static_cast<std::uint32_t>(s.args[page::decide_args::retry_count].n),
                                         error_of(s), time_of(h, s));
    auto& a = answers.emplace_back();
    a[page::reply::status] = observed::word(page::status_word::answered);
    a[page::reply::retry] = boolean(out.retry);
    if (out.retry) a[page::reply::delay_ms] = milliseconds(out.delay);
    a[page::reply::consulted] = boolean(out.consulted);
  }
  return answers;
}

// The history's policy, and the call that it is asked in.
struct asked_call {
  std::int64_t which;
  backoff_azure_java_retry_policy const* jittered;
  step const* call;
  bool consulted = false;
};
std::uint8_t decide(void* context, std::uint32_t retry_count, std::int32_t last,
                    backoff_azure_java_retry_policy_wait* delay) {
  auto& a = *static_cast<asked_call*>(context);
  a.consulted = true;
  if (a.which == page::policy_word::no_retry)
    return backoff_azure_java_retry_policy_no_retry(nullptr, retry_count, last, delay);
  if (a.which == page::policy_word::custom) {
    *delay = {static_cast<std::uint64_t>(a.call->args[page::decide_args::custom_delay_ms].n) * 1'000'000, 0};
    return a.call->args[page::decide_args::custom_retry].n != 0;
  }
  auto const draw = static_cast<std::uint32_t>(a.call->args[page::decide_args::draw].n);
  backoff_azure_java_retry_policy_delay(a.jittered, retry_count, draw, delay);
  return 1;
}

std::vector<answer> run_c(history const& h) {
  auto const p = constants(h);
  backoff_azure_java_retry_policy_parameters const parameters{p.c_ms, p.cmin_ms, p.cmax_ms, p.jd_millionths,
                                                              p.ju_millionths};
  backoff_azure_java_retry_policy jittered;
  static_cast<void>(backoff_azure_java_retry_policy_init(&jittered, &parameters));
  std::vector<answer> answers;
  for (auto const& s : h.steps) {
    constexpr std::uint64_t ns_per_ms = 1'000'000;
    bool const limited = h.params[page::param::total_time_ms].kind != value_kind::absent;
    backoff_azure_java_retry_policy_time const time{
        static_cast<std::uint64_t>(h.params[page::param::total_time_ms].n) * ns_per_ms,
        static_cast<std::uint64_t>(s.args[page::decide_args::elapsed_ms].n) * ns_per_ms};
    asked_call policy{h.params[page::param::policy].n, &jittered, &s};
    backoff_azure_java_retry_policy_wait delay{};
    auto const status = backoff_azure_java_retry_policy_after_failure(
        decide, &policy, static_cast<std::uint32_t>(s.args[page::decide_args::retry_count].n),
        static_cast<std::int32_t>(error_of(s)), limited ? &time : nullptr, &delay);
    auto& a = answers.emplace_back();
    a[page::reply::status] = observed::word(page::status_word::answered);
    a[page::reply::retry] = boolean(status == BACKOFF_OK);
    if (status == BACKOFF_OK) a[page::reply::delay_ms] = milliseconds({delay.ns, delay.part});
    a[page::reply::consulted] = boolean(policy.consulted);
  }
  return answers;
}

}  // namespace

std::span<built_in const> azure_java_retry_policy_library_ports() {
  static std::array const ports{
      built_in{.name = "library", .sentence = "the library, exactly", .run = run_core},
  };
  return ports;
}

std::span<built_in const> azure_java_retry_policy_c_ports() {
  static std::array const ports{
      built_in{"c", "the library through its C interface", run_c},
  };
  return ports;
}

}  // namespace backoff::systems
