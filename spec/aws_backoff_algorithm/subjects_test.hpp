// Everything that has to meet the requirements of backoffAlgorithm, behind one face: the library at u16 and at u32, and
// the model under its canonical readings.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <ostream>
#include <type_traits>
#include <vector>

#include "aws_backoff_algorithm/model.hpp"
#include "backoff/aws_backoff_algorithm.hpp"
#include "tests/model_choices.hpp"

namespace backoff::spec::aws_backoff_algorithm {

namespace core = backoff::aws_backoff_algorithm;
using delays = std::vector<integer>;

// What one call of next answered.
struct answered {
  bool granted;
  integer delay_ms;  // 0 where nothing was granted
  friend bool operator==(answered, answered) noexcept = default;
};
inline constexpr answered exhausted{false, 0};
constexpr answered wait(integer delay_ms) { return {true, delay_ms}; }

inline void PrintTo(answered const& a, std::ostream* out) {
  a.granted ? *out << "wait " << a.delay_ms : *out << "exhausted";
}

// One retry cycle of some subject.
class cycle {
 public:
  cycle() = default;
  cycle(cycle const&) = delete;
  cycle& operator=(cycle const&) = delete;
  virtual ~cycle() = default;
  virtual answered next(std::uint32_t draw) = 0;
  virtual void reset() = 0;
};

inline core::attempt_limit limit_of(parameters const& p) {
  if (!p.max_attempts) return core::attempt_limit::forever();
  return core::attempt_limit::of(static_cast<std::uint32_t>(*p.max_attempts));
}

template <word W>
class library_cycle final : public cycle {
 public:
  explicit library_cycle(parameters const& p)
      : core_({static_cast<W>(p.base_ms), static_cast<W>(p.max_ms), limit_of(p)}) {}
  answered next(std::uint32_t draw) override {
    auto const decided = core_.next(draw);
    return {decided.status == core::status::retry, decided.delay_ms};
  }
  void reset() override { core_.reset(); }

 private:
  core::full_jitter<W> core_;
};

class model_cycle final : public cycle {
 public:
  explicit model_cycle(parameters const& p) : parameters_(p) {}
  answered next(std::uint32_t value) override {
    draw const from{draw::kind::u32, value, std::uint64_t{1} << 32};
    auto const outcome = under(readings(), readings().admitting(standing::canonical), [&](chooser& choices) {
      return aws_backoff_algorithm::next(parameters_, state_, from, choices);
    });
    auto const& status_field = outcome.answer[field_status];
    auto const& delay_field = outcome.answer[field_delay];
    EXPECT_TRUE(outcome.answer == (expectation{status_field, delay_field})) << "a field that the system does not have";
    if (status_field == admissible::word(static_cast<std::uint8_t>(status::exhausted))) {
      EXPECT_EQ(delay_field, admissible::nothing());
      return exhausted;
    }
    EXPECT_EQ(status_field, admissible::word(static_cast<std::uint8_t>(status::retry)));
    EXPECT_EQ(delay_field, admissible::exactly(delay_field.first()));
    return wait(delay_field.first());
  }
  void reset() override {
    auto const outcome = aws_backoff_algorithm::reset(state_);
    EXPECT_EQ(outcome.answer[field_status], admissible::word(static_cast<std::uint8_t>(status::ok)));
  }

 private:
  parameters parameters_;
  state state_;
};

using fresh_cycle = std::function<std::unique_ptr<cycle>()>;

// Calls `demand` with a maker of fresh cycles for each subject wide enough for the parameters.
inline void each_subject(parameters const& p, std::function<void(fresh_cycle const&)> const& demand) {
  auto const run = [&]<class Cycle>(std::type_identity<Cycle>, char const* name) {
    SCOPED_TRACE(name);
    demand([&] { return std::make_unique<Cycle>(p); });
  };
  integer const widest = std::numeric_limits<std::uint16_t>::max();
  if (p.base_ms <= widest && p.max_ms <= widest)
    run(std::type_identity<library_cycle<std::uint16_t>>{}, "library, u16");
  run(std::type_identity<library_cycle<std::uint32_t>>{}, "library, u32");
  run(std::type_identity<model_cycle>{}, "model");
}

inline std::vector<answered> answers(cycle& to, std::vector<std::uint32_t> const& draws) {
  std::vector<answered> result;
  for (auto const d : draws) result.push_back(to.next(d));
  return result;
}

// Holds a subject to its windows from the outside: a draw w becomes the delay w in no window below w, and a draw w + 1
// becomes 0 in no window above it.
inline void expect_windows(fresh_cycle const& fresh, std::vector<std::uint32_t> const& windows) {
  auto const reaching = fresh();
  auto const passing = fresh();
  for (std::size_t n = 0; n < windows.size(); ++n) {
    EXPECT_EQ(reaching->next(windows[n]), wait(windows[n])) << "retry " << n << ": the window is below " << windows[n];
    EXPECT_EQ(passing->next(windows[n] + 1), wait(0)) << "retry " << n << ": the window is not " << windows[n];
  }
}

}  // namespace backoff::spec::aws_backoff_algorithm
