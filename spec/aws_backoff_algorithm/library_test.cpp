// What the library adds to the requirements of backoffAlgorithm: checked parameters, limits, copies, what an instance
// shows of itself; and the library against the model on every history of a small domain.
#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <vector>

#include "aws_backoff_algorithm/model.hpp"
#include "backoff/aws_backoff_algorithm.hpp"
#include "tests/checks.hpp"

namespace backoff::aws_backoff_algorithm {
namespace {

using std::uint16_t;
using std::uint32_t;
using std::uint64_t;

using limit = attempt_limit;

// All of it works at compile time.
constexpr decision<uint16_t> last_of(parameters<uint16_t> const& p, std::initializer_list<uint32_t> draws) {
  full_jitter<uint16_t> cycle(p);
  decision<uint16_t> last{};
  for (auto const draw : draws) last = cycle.next(draw);
  return last;
}
static_assert(last_of({2, 100, limit::forever()}, {0, 0, 8}).delay_ms == 8);
static_assert(last_of({2, 100, limit::forever()}, {0, 0, 9}).delay_ms == 0);
static_assert(last_of({2, 100, limit::of(2)}, {0, 0, 9}).status == status::exhausted);
static_assert(check_parameters<uint16_t>(0x1'0000, 1, limit::of(3)).error == parameter_error::base_ms_too_wide);
static_assert([] {
  full_jitter<uint16_t> cycle({2, 100, limit::of(1)});
  static_cast<void>(cycle.next(0U));
  cycle.reset();
  return cycle.window_ms() == 2 && cycle.attempts_done() == 0;
}());

template <class W>
class check_parameters_at : public testing::Test {};
using firmware_widths = testing::Types<uint16_t, uint32_t>;
TYPED_TEST_SUITE(check_parameters_at, firmware_widths);

TYPED_TEST(check_parameters_at, names_the_parameter_that_does_not_fit) {
  checks("AWS-BA-006", "AWS-BA-I01");
  uint64_t const top = std::numeric_limits<TypeParam>::max();
  uint64_t const far = ~uint64_t{0};
  struct {
    uint64_t base;
    uint64_t max;
    parameter_error error;
    uint64_t clamped_base;
    uint64_t clamped_max;
  } const rows[]{
      {0, 0, parameter_error::none, 0, 0},
      {7, 500, parameter_error::none, 7, 500},
      {500, 7, parameter_error::none, 500, 7},
      {top, top, parameter_error::none, top, top},
      {top + 1, 7, parameter_error::base_ms_too_wide, top, 7},
      {7, top + 1, parameter_error::max_ms_too_wide, 7, top},
      {top + 1, top + 1, parameter_error::base_ms_too_wide, top, top},
      {far, top, parameter_error::base_ms_too_wide, top, top},
      {top, far, parameter_error::max_ms_too_wide, top, top},
  };
  for (auto const& row : rows) {
    auto const checked = check_parameters<TypeParam>(row.base, row.max, limit::of(42));
    EXPECT_EQ(checked.error, row.error) << row.base << ", " << row.max;
    EXPECT_EQ(checked.value.base_ms, row.clamped_base);
    EXPECT_EQ(checked.value.max_ms, row.clamped_max);
    EXPECT_TRUE(checked.value.max_attempts.allows(41));
    EXPECT_FALSE(checked.value.max_attempts.allows(42));
  }
}

TEST(attempt_limit, allows_as_many_as_it_counts) {
  checks("AWS-BA-I01");
  uint32_t const most = 4'294'967'295;
  struct {
    uint32_t count;
    uint32_t done;
    bool allowed;
  } const rows[]{{0, 0, false},   {0, most, false},       {1, 0, true},       {1, 1, false},
                 {most, 0, true}, {most, most - 1, true}, {most, most, false}};
  for (auto const& row : rows) {
    EXPECT_EQ(limit::of(row.count).allows(row.done), row.allowed) << row.done << " of " << row.count;
    EXPECT_FALSE(limit::of(row.count).unlimited());
    EXPECT_TRUE(limit::forever().allows(row.done));
  }
  EXPECT_TRUE(limit::forever().unlimited());
}

template <class W>
class full_jitter_at : public testing::Test {};
TYPED_TEST_SUITE(full_jitter_at, firmware_widths);

TYPED_TEST(full_jitter_at, copies_go_their_own_ways) {
  checks("AWS-BA-007");
  full_jitter<TypeParam> original({3, 100, limit::of(2)});
  static_cast<void>(original.next(0U));
  auto copy = original;
  EXPECT_EQ(copy.next(6U).delay_ms, 6);
  EXPECT_EQ(copy.next(6U).status, status::exhausted);
  EXPECT_EQ(original.attempts_done(), 1U);
  EXPECT_EQ(original.window_ms(), 6);
  EXPECT_EQ(original.next(5U).delay_ms, 5);
  copy = original;
  copy.reset();
  EXPECT_EQ(copy.window_ms(), 3);
  EXPECT_EQ(original.window_ms(), 12);
}

TYPED_TEST(full_jitter_at, shows_its_window_and_counts_its_retries) {
  checks("AWS-BA-004", "AWS-BA-005", "AWS-BA-I02", "AWS-BA-I03");
  full_jitter<TypeParam> cycle({0x4000, 0xffff, limit::of(4)});
  uint32_t done = 0;
  for (TypeParam const window : std::initializer_list<TypeParam>{0x4000, 0x8000, 0xffff, 0xffff}) {
    EXPECT_EQ(cycle.window_ms(), window);
    EXPECT_EQ(cycle.attempts_done(), done++);
    EXPECT_EQ(cycle.next(uint32_t{window}).delay_ms, window);
  }
  for (int after = 0; after < 3; ++after) {
    EXPECT_EQ(cycle.next(1U).status, status::exhausted);
    EXPECT_EQ(cycle.attempts_done(), 4U) << "an exhausted cycle stands still";
    EXPECT_EQ(cycle.window_ms(), 0xffff);
  }
  cycle.reset();
  EXPECT_EQ(cycle.attempts_done(), 0U);
  EXPECT_EQ(cycle.window_ms(), 0x4000);
}

TYPED_TEST(full_jitter_at, counts_nothing_without_a_limit) {
  checks("AWS-BA-I01");
  full_jitter<TypeParam> cycle({1, 4, limit::forever()});
  for (int k = 0; k < 10; ++k) {
    EXPECT_EQ(cycle.next(0U).status, status::retry);
    EXPECT_EQ(cycle.attempts_done(), 0U);
  }
  EXPECT_EQ(cycle.window_ms(), 4);
}

}  // namespace
}  // namespace backoff::aws_backoff_algorithm

namespace backoff::spec::aws_backoff_algorithm {
namespace {

namespace core = backoff::aws_backoff_algorithm;

// One step from the same place, for every draw of the domain; nothing where all agree.
template <class W>
std::optional<std::uint32_t> first_disagreement(core::full_jitter<W> const& library, parameters const& p,
                                                state const& s) {
  cube const canonical = readings().admitting(standing::canonical);
  std::vector<cube> elsewhere;
  for (std::uint32_t value = 0; value <= 60; ++value) {
    auto trial = library;
    state trial_state = s;
    chooser choices(readings(), canonical, elsewhere);
    draw const from{draw_kind::u32, value, std::uint64_t{1} << 32};
    auto const wanted = aws_backoff_algorithm::next(p, trial_state, from, choices).answer[field_delay];
    if (trial.next(value).delay_ms != wanted.first() || wanted.count() != 1) return value;
  }
  return std::nullopt;
}

template <class W>
class small_domain : public testing::Test {};
using both_widths = testing::Types<std::uint16_t, std::uint32_t>;
TYPED_TEST_SUITE(small_domain, both_widths);

TYPED_TEST(small_domain, library_equals_model_on_every_history) {
  checks("AWS-BA-003", "AWS-BA-004", "AWS-BA-005", "AWS-BA-006");
  for (integer base = 0; base <= 40; ++base) {
    for (integer max = 0; max <= 40; ++max) {
      parameters const p{base, max, std::nullopt};
      core::full_jitter<TypeParam> library(
          {static_cast<TypeParam>(base), static_cast<TypeParam>(max), core::attempt_limit::forever()});
      state s;
      for (; s.retries < 8; ++s.retries) {
        ASSERT_EQ(first_disagreement(library, p, s), std::nullopt)
            << "base " << base << ", max " << max << ", retry " << s.retries;
        static_cast<void>(library.next(std::uint32_t{0}));
      }
    }
  }
}

TYPED_TEST(small_domain, resumed_cycle_goes_on_as_the_one_it_was) {
  checks("AWS-BA-007");
  using cycle = core::full_jitter<TypeParam>;
  core::parameters<TypeParam> const p{3, 20, core::attempt_limit::of(4)};
  cycle whole(p);
  for (std::uint32_t draw = 7; draw < 13; ++draw) {
    auto resumed = cycle::resume(p, whole.window_ms(), whole.attempts_done());
    auto const one = whole.next(draw);
    auto const other = resumed.next(draw);
    EXPECT_EQ(other.status, one.status);
    EXPECT_EQ(other.delay_ms, one.delay_ms);
    EXPECT_EQ(resumed.window_ms(), whole.window_ms());
    EXPECT_EQ(resumed.attempts_done(), whole.attempts_done());
    resumed.reset();
    EXPECT_EQ(resumed.window_ms(), 3);
    EXPECT_EQ(resumed.attempts_done(), 0U);
  }
  EXPECT_EQ(cycle::resume(p, 20, 0).window_ms(), 20);
  EXPECT_EQ(cycle::resume(p, 21, 0).window_ms(), 20) << "no window is above the maximum";
}

}  // namespace
}  // namespace backoff::spec::aws_backoff_algorithm
