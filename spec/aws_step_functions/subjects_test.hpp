// Everything that has to meet the requirements of the Step Functions example, behind one face: the library in
// picoseconds, in milliseconds and in whole seconds, and the model under its canonical readings.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <string_view>
#include <vector>

#include "aws_step_functions/model.hpp"
#include "backoff/aws_step_functions.hpp"
#include "tests/model_choices.hpp"

namespace backoff::spec::aws_step_functions {

namespace core = backoff::aws_step_functions;

using picoseconds = core::retry_run<std::uint64_t, 1'000'000'000'000>;
using milliseconds = core::retry_run<std::uint32_t, 1'000, 1'024>;
using short_seconds = core::retry_run<std::uint16_t, 1, 128>;

inline rational seconds_of(std::string_view text) { return to_rational(parse_decimal(text).value()); }

// What one call of next answered.
struct answered {
  bool granted;
  rational delay_s;  // 0 where nothing was granted
  friend bool operator==(answered const&, answered const&) = default;
};
inline answered const exhausted{false, 0};
inline answered wait(std::string_view delay_s) { return {true, seconds_of(delay_s)}; }

inline void PrintTo(answered const& a, std::ostream* out) {
  a.granted ? *out << "wait " << a.delay_s : *out << "exhausted";
}

// One run of retries of some subject.
class retrying {
 public:
  retrying() = default;
  retrying(retrying const&) = delete;
  retrying& operator=(retrying const&) = delete;
  virtual ~retrying() = default;
  virtual answered next() = 0;
};

inline core::ratio ratio_of(integer thousandths) { return {static_cast<std::uint32_t>(thousandths), 1'000}; }

template <class Run>
Run library_run(parameters const& p) {
  auto const checked =
      Run::with(p.interval_s, ratio_of(p.rate_thousandths), static_cast<std::uint32_t>(p.max_attempts));
  EXPECT_EQ(checked.error, core::parameter_error::none);
  return checked.value;
}

template <class Run, std::int64_t TicksPerSecond>
class library_retrying final : public retrying {
 public:
  explicit library_retrying(parameters const& p) : run_(library_run<Run>(p)) {}
  answered next() override {
    auto const decided = run_.next();
    rational const delay(decided.delay, TicksPerSecond);
    return {decided.status == core::status::retry, delay};
  }

 private:
  Run run_;
};

class model_retrying final : public retrying {
 public:
  explicit model_retrying(parameters const& p) : parameters_(p) {}
  answered next() override {
    auto const outcome = under(readings(), readings().admitting(standing::canonical), [&](chooser& choices) {
      return aws_step_functions::next(parameters_, state_, choices);
    });
    auto const& status_field = outcome.answer[field_status];
    auto const& delay_field = outcome.answer[field_delay];
    EXPECT_TRUE(outcome.answer == (expectation{status_field, delay_field})) << "a field that the system does not have";
    if (status_field == admissible::word(static_cast<std::uint8_t>(status::exhausted))) {
      EXPECT_EQ(delay_field, admissible::nothing());
      return exhausted;
    }
    EXPECT_EQ(status_field, admissible::word(static_cast<std::uint8_t>(status::retry)));
    EXPECT_EQ(delay_field.ends().low, delay_field.ends().high);
    return {true, delay_field.ends().high};
  }

 private:
  parameters parameters_;
  state state_;
};

using fresh_run = std::function<std::unique_ptr<retrying>()>;

// Calls `demand` with a maker of fresh runs for the library and the model. The numbers asked for must be whole
// milliseconds, and none longer than the shortest of them can hold: 2^32 - 1 ms.
inline void each_subject(parameters const& p, std::function<void(fresh_run const&)> const& demand) {
  auto const held = [&](char const* name, fresh_run const& fresh) {
    SCOPED_TRACE(name);
    demand(fresh);
  };
  held("library, ps", [&] { return std::make_unique<library_retrying<picoseconds, 1'000'000'000'000>>(p); });
  held("library, ms", [&] { return std::make_unique<library_retrying<milliseconds, 1'000>>(p); });
  held("model", [&] { return std::make_unique<model_retrying>(p); });
}

inline std::vector<answered> answers(retrying& to, std::size_t calls) {
  std::vector<answered> result;
  for (std::size_t k = 0; k < calls; ++k) result.push_back(to.next());
  return result;
}

}  // namespace backoff::spec::aws_step_functions
