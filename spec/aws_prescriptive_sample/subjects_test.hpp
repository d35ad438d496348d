// Everything that has to meet the requirements of the sample loop, behind one face: the library, and the model under
// its canonical readings.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <type_traits>
#include <vector>

#include "aws_prescriptive_sample/model.hpp"
#include "backoff/aws_prescriptive_sample.hpp"
#include "tests/model_choices.hpp"

namespace backoff::spec::aws_prescriptive_sample {

namespace core = backoff::aws_prescriptive_sample;
using statuses = std::vector<int>;

// What became of one request: the wait before it, and whether another one follows; or that there is no such wait.
struct answered {
  integer delay_ms;
  bool retry;
  bool failed = false;
  friend bool operator==(answered, answered) noexcept = default;
};
inline void PrintTo(answered const& a, std::ostream* out) {
  if (a.failed) *out << "failed, ";
  *out << "wait " << a.delay_ms << (a.retry ? ", retry" : ", stop");
}
constexpr answered goes_on(integer delay_ms) { return {delay_ms, true}; }
constexpr answered stops(integer delay_ms) { return {delay_ms, false}; }
constexpr answered failed{0, false, true};

// One run of some subject.
class run {
 public:
  run() = default;
  run(run const&) = delete;
  run& operator=(run const&) = delete;
  virtual ~run() = default;
  virtual answered attempt(int http_status) = 0;
};

class library_run final : public run {
 public:
  explicit library_run(integer max_retries) : core_(static_cast<std::uint32_t>(max_retries)) {}
  answered attempt(int http_status) override {
    if (core_.delay_ms() == core::no_delay) return failed;
    integer const delay_ms = core_.delay_ms();
    return {delay_ms, core_.retry_after(http_status)};
  }

 private:
  core::retry_loop core_;
};

class model_run final : public run {
 public:
  explicit model_run(integer max_retries) : parameters_{max_retries} {}
  answered attempt(int http_status) override {
    auto const outcome = under(readings(), readings().admitting(standing::canonical), [&](chooser& choices) {
      return aws_prescriptive_sample::attempt(parameters_, state_, http_status, choices);
    });
    bool const is_error = outcome.answer[field_status] == admissible::word(static_cast<std::uint8_t>(status::error));
    if (is_error || outcome.answer[field_status].is() == admissible::kind::unjudged) return failed;
    auto const& delay = outcome.answer[field_delay];
    auto const& again = outcome.answer[field_retry];
    auto const answered_word = admissible::word(static_cast<std::uint8_t>(status::answered));
    EXPECT_TRUE(outcome.answer == (expectation{answered_word, delay, again}))
        << "a field that the system does not have";
    EXPECT_EQ(delay, admissible::exactly(delay.first()));
    EXPECT_EQ(again, admissible::word(again.word()));
    return {delay.first(), again.word() == static_cast<std::uint8_t>(retry::yes)};
  }

 private:
  parameters parameters_;
  state state_;
};

using fresh_run = std::function<std::unique_ptr<run>()>;

// Calls `demand` with a maker of fresh runs for each subject.
inline void each_subject(integer max_retries, std::function<void(fresh_run const&)> const& demand) {
  auto const hold = [&]<class Run>(std::type_identity<Run>, char const* name) {
    SCOPED_TRACE(name);
    demand([&] { return std::make_unique<Run>(max_retries); });
  };
  hold(std::type_identity<library_run>{}, "library");
  hold(std::type_identity<model_run>{}, "model");
}

inline std::vector<answered> answers(run& to, statuses const& http) {
  std::vector<answered> result;
  for (int const status : http) result.push_back(to.attempt(status));
  return result;
}

}  // namespace backoff::spec::aws_prescriptive_sample
