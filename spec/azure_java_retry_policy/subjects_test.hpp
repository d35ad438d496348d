// Everything that has to meet the requirements of the Java SDK's retry policies, behind one face: the library and the
// model under its canonical readings.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <ostream>
#include <string_view>

#include "azure_java_retry_policy/model.hpp"
#include "backoff/azure_java_retry_policy.hpp"
#include "tests/model_choices.hpp"

namespace backoff::spec::azure_java_retry_policy {

namespace core = backoff::azure_java_retry_policy;

inline rational ms_of(std::string_view text) { return to_rational(parse_decimal(text).value()); }

// A wait of the library in milliseconds, every bit of it.
inline rational ms_of(core::wait const& w) {
  return (rational(w.ns) + rational(w.part, std::uint64_t{1} << 32)) / 1'000'000;
}

inline draw u32(std::uint64_t value) { return {draw::kind::u32, value, std::uint64_t{1} << 32}; }

// What was answered to one failure.
struct answered {
  bool retry;
  rational delay_ms;  // 0 without a retry
  friend bool operator==(answered const&, answered const&) = default;
};
inline answered const no{false, 0};
inline answered wait(std::string_view delay_ms) { return {true, ms_of(delay_ms)}; }

inline void PrintTo(answered const& a, std::ostream* out) {
  a.retry ? *out << "retry after " << a.delay_ms << " ms" : *out << "no retry";
}

// An answer, and whether the policy was consulted where only a custom one can tell.
struct full_answer {
  answered decided;
  bool consulted;
};

inline core::error core_error(error e) {
  constexpr core::error names[]{core::error::protocol, core::error::service,  core::error::terminal,
                                core::error::unknown,  core::error::protocol, core::error::terminal};
  return names[static_cast<std::size_t>(e)];
}

inline core::parameters core_parameters(parameters const& p) {
  auto const u = [](integer n) { return static_cast<std::uint32_t>(n); };
  return {u(p.c_ms), u(p.cmin_ms), u(p.cmax_ms), u(p.jd_thousandths * 1'000), u(p.ju_thousandths * 1'000)};
}

// Any of the three policies, as a user would hand it to the library.
struct core_policy {
  parameters const& p;
  failure const& f;
  core::decision operator()(std::uint32_t retry_count, core::error last) const noexcept {
    if (p.policy == policy::no_retry) return core::no_retry{}(retry_count, last);
    if (p.policy == policy::custom) {
      return {f.custom_retry, {static_cast<std::uint64_t>(f.custom_delay_ms) * 1'000'000, 0U}};
    }
    auto const checked = core::exponential_backoff_with_jitter::with(core_parameters(p));
    EXPECT_EQ(checked.error, core::parameter_error::none);
    return checked.value.decide(retry_count, static_cast<std::uint32_t>(f.from.value));
  }
};

inline core::time_budget core_time(parameters const& p, failure const& f) {
  constexpr std::uint64_t ns_per_ms = 1'000'000;
  if (!p.total_time_ms) return {};
  return {static_cast<std::uint64_t>(*p.total_time_ms) * ns_per_ms,
          static_cast<std::uint64_t>(f.elapsed_ms) * ns_per_ms};
}

inline full_answer library_answer(parameters const& p, failure const& f) {
  core_policy policy{p, f};
  auto const out =
      core::after_failure(policy, static_cast<std::uint32_t>(f.retry_count), core_error(f.error), core_time(p, f));
  return {{out.retry, ms_of(out.delay)}, out.consulted};
}

inline expectation model_expectation(parameters const& p, failure const& f, std::vector<pin> const& pins = {}) {
  return under(readings(), pinned(readings(), pins), [&](chooser& choices) { return decide(p, f, choices); }).answer;
}

inline admissible word_of(bool b) { return admissible::word(b ? 1 : 0); }

inline full_answer model_answer(parameters const& p, failure const& f) {
  auto const e = model_expectation(p, f);
  EXPECT_EQ(e[field_status], admissible::word(static_cast<std::uint8_t>(status::answered)));
  for (std::size_t i = field_consulted + 1; i < e.size(); ++i) EXPECT_EQ(e[i], admissible::nothing());
  bool const consulted = e[field_consulted].word() != 0;
  if (e[field_retry] == word_of(false)) {
    EXPECT_EQ(e[field_delay], admissible::nothing());
    return {no, consulted};
  }
  EXPECT_EQ(e[field_retry], word_of(true));
  EXPECT_EQ(e[field_delay].ends().low, e[field_delay].ends().high);
  return {{true, e[field_delay].ends().high}, consulted};
}

using decider = std::function<full_answer(parameters const&, failure const&)>;

inline void each_subject(std::function<void(decider const&)> const& demand) {
  for (auto const& [name, subject] :
       {std::pair<char const*, decider>{"library", library_answer}, {"model", model_answer}}) {
    SCOPED_TRACE(name);
    demand(subject);
  }
}

// The answer to one failure, of library and model alike.
inline void expect(parameters const& p, failure const& f, answered const& wanted) {
  each_subject([&](decider const& decide) {
    EXPECT_EQ(decide(p, f).decided, wanted) << "x = " << f.retry_count << ", draw " << f.from.value;
  });
}

inline failure retry(integer x, std::uint64_t draw = 0) { return {.retry_count = x, .from = u32(draw)}; }

constexpr std::uint64_t half = std::uint64_t{1} << 31;
constexpr std::uint64_t top = 0xffff'ffff;

}  // namespace backoff::spec::azure_java_retry_policy
