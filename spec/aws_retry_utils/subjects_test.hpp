// Everything that has to meet the requirements of Retry Utilities, behind one face: the library at u16 and at u32, and
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

#include "aws_retry_utils/model.hpp"
#include "backoff/aws_retry_utils.hpp"
#include "tests/model_choices.hpp"

namespace backoff::spec::aws_retry_utils {

namespace core = backoff::aws_retry_utils;

// What one call of back off answered.
struct answered {
  bool granted;
  integer slept_s;  // 0 where nothing was granted
  friend bool operator==(answered, answered) noexcept = default;
};
inline constexpr answered exhausted{false, 0};
constexpr answered sleep(integer slept_s) { return {true, slept_s}; }

inline void PrintTo(answered const& a, std::ostream* out) {
  a.granted ? *out << "sleep " << a.slept_s : *out << "exhausted";
}

// The documented fields of the state.
struct shown {
  integer attempts_done;
  integer next_jitter_max;
  friend bool operator==(shown, shown) noexcept = default;
};

inline void PrintTo(shown const& s, std::ostream* out) {
  *out << s.attempts_done << " done, next up to " << s.next_jitter_max;
}

// One retry cycle of some subject, reset when it was made.
class cycle {
 public:
  cycle() = default;
  cycle(cycle const&) = delete;
  cycle& operator=(cycle const&) = delete;
  virtual ~cycle() = default;
  virtual void reset(std::uint32_t draw) = 0;
  virtual answered back_off(std::uint32_t draw) = 0;
  [[nodiscard]] virtual shown state() const = 0;
};

template <word W>
class library_cycle final : public cycle {
 public:
  library_cycle(parameters const& p, std::uint32_t draw)
      : core_({static_cast<W>(p.initial_backoff_s), static_cast<W>(p.max_backoff_s), static_cast<W>(p.max_jitter_s),
               static_cast<std::uint32_t>(p.max_attempts)},
              draw) {}
  void reset(std::uint32_t draw) override { core_.reset(draw); }
  answered back_off(std::uint32_t draw) override {
    auto const decided = core_.back_off(draw);
    return {decided.status == core::status::retry, decided.sleep_s};
  }
  [[nodiscard]] shown state() const override { return {core_.attempts_done(), core_.next_jitter_max()}; }

 private:
  core::retry_cycle<W> core_;
};

// Before the first back-off the model also admits that the window is shown as a reset sets it, not yet capped.
class model_cycle final : public cycle {
 public:
  model_cycle(parameters const& p, std::uint32_t draw) : parameters_(p) {
    parameters_.shows_state = true;
    reset(draw);
  }
  void reset(std::uint32_t value) override {
    auto const outcome = call(aws_retry_utils::reset, value);
    EXPECT_EQ(outcome.answer[field_status], admissible::word(static_cast<std::uint8_t>(status::ok)));
    EXPECT_EQ(outcome.answer[field_slept], admissible::nothing());
  }
  answered back_off(std::uint32_t value) override {
    auto const outcome = call(aws_retry_utils::back_off, value);
    auto const& slept = outcome.answer[field_slept];
    if (outcome.answer[field_status] == admissible::word(static_cast<std::uint8_t>(status::exhausted))) {
      EXPECT_EQ(slept, admissible::nothing());
      return exhausted;
    }
    EXPECT_EQ(outcome.answer[field_status], admissible::word(static_cast<std::uint8_t>(status::retry)));
    EXPECT_EQ(slept, admissible::exactly(slept.first()));
    return sleep(slept.first());
  }
  [[nodiscard]] shown state() const override { return shown_; }

 private:
  template <class Call>
  outcome call(Call const& what, std::uint32_t value) {
    draw const from{draw::kind::u32, value, std::uint64_t{1} << 32};
    auto const outcome = under(readings(), readings().admitting(standing::canonical),
                               [&](chooser& choices) { return what(parameters_, state_, from, choices); });
    auto const& next = outcome.answer[field_next_jitter_max];
    shown_ = {outcome.answer[field_attempts_done].first(), next.first()};
    EXPECT_EQ(outcome.answer[field_attempts_done], admissible::exactly(shown_.attempts_done));
    EXPECT_EQ(next.count(), state_.retries == 0 && next.first() == parameters_.max_backoff_s ? next.count() : 1);
    return outcome;
  }

  parameters parameters_;
  aws_retry_utils::state state_;
  shown shown_{};
};

using fresh_cycle = std::function<std::unique_ptr<cycle>(std::uint32_t draw)>;

// Calls `demand` with a maker of cycles, each reset with a draw, for each subject wide enough for the parameters.
inline void each_subject(parameters const& p, std::function<void(fresh_cycle const&)> const& demand) {
  auto const run = [&]<class Cycle>(std::type_identity<Cycle>, char const* name) {
    SCOPED_TRACE(name);
    demand([&](std::uint32_t draw) { return std::make_unique<Cycle>(p, draw); });
  };
  integer const widest = std::numeric_limits<std::uint16_t>::max();
  if (p.initial_backoff_s <= widest && p.max_backoff_s <= widest && p.max_jitter_s <= widest)
    run(std::type_identity<library_cycle<std::uint16_t>>{}, "library, u16");
  run(std::type_identity<library_cycle<std::uint32_t>>{}, "library, u32");
  run(std::type_identity<model_cycle>{}, "model");
}

inline std::vector<answered> answers(cycle& to, std::vector<std::uint32_t> const& draws) {
  std::vector<answered> result;
  for (auto const d : draws) result.push_back(to.back_off(d));
  return result;
}

// Holds a subject to its windows from the outside: a draw w becomes a sleep of w in no window below w, and a draw w + 1
// becomes 0 in no window above it.
inline void expect_windows(fresh_cycle const& fresh, std::uint32_t reset_draw,
                           std::vector<std::uint32_t> const& windows) {
  auto const reaching = fresh(reset_draw);
  auto const passing = fresh(reset_draw);
  for (std::size_t n = 0; n < windows.size(); ++n) {
    EXPECT_EQ(reaching->state(), (shown{static_cast<integer>(n), windows[n]}));
    EXPECT_EQ(reaching->back_off(windows[n]), sleep(windows[n]))
        << "retry " << n << ": the window is below " << windows[n];
    EXPECT_EQ(passing->back_off(windows[n] + 1), sleep(0)) << "retry " << n << ": the window is not " << windows[n];
  }
}

}  // namespace backoff::spec::aws_retry_utils
