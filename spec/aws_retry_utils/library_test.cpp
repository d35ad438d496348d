// What no example of Retry Utilities says of the library: checked parameters, copies, use at compile time; and the
// library against the model on every history of a small domain.
#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>

#include "aws_retry_utils/model.hpp"
#include "backoff/aws_retry_utils.hpp"
#include "tests/checks.hpp"

namespace backoff::aws_retry_utils {
namespace {

using std::uint16_t;
using std::uint32_t;
using std::uint64_t;

// All of it works at compile time.
constexpr decision<uint16_t> last_of(parameters<uint16_t> const& p, uint32_t reset,
                                     std::initializer_list<uint32_t> draws) {
  retry_cycle<uint16_t> cycle(p, reset);
  decision<uint16_t> last{};
  for (auto const draw : draws) last = cycle.back_off(draw);
  return last;
}
static_assert(last_of({2, 100, 3, 0}, 1, {0, 0, 12}).sleep_s == 12);
static_assert(last_of({2, 100, 3, 0}, 1, {0, 0, 13}).sleep_s == 0);
static_assert(last_of({2, 100, 3, 2}, 1, {0, 0, 9}).status == status::exhausted);
static_assert(check_parameters<uint16_t>(0x1'0000, 1, 1, 3).error == parameter_error::initial_backoff_s_too_wide);
static_assert([] {
  retry_cycle<uint16_t> cycle({2, 100, 3, 1}, 0U);
  static_cast<void>(cycle.back_off(0U));
  cycle.reset(3U);
  return cycle.next_jitter_max() == 5 && cycle.attempts_done() == 0;
}());

template <class W>
class check_parameters_of_utils : public testing::Test {};
using firmware_widths = testing::Types<uint16_t, uint32_t>;
TYPED_TEST_SUITE(check_parameters_of_utils, firmware_widths);

TYPED_TEST(check_parameters_of_utils, names_the_first_parameter_that_does_not_fit) {
  checks("AWS-RU-010");
  using enum parameter_error;
  uint64_t const top = std::numeric_limits<TypeParam>::max();
  uint64_t const far = ~uint64_t{0};
  struct {
    uint64_t initial, max, jitter;
    parameter_error error;
    uint64_t clamped_initial, clamped_max, clamped_jitter;
  } const rows[]{
      {0, 0, 0, none, 0, 0, 0},
      {7, 500, 3, none, 7, 500, 3},
      {500, 7, 9, none, 500, 7, 9},
      {top, top, top, none, top, top, top},
      {top + 1, 7, 3, initial_backoff_s_too_wide, top, 7, 3},
      {7, top + 1, 3, max_backoff_s_too_wide, 7, top, 3},
      {7, 500, top + 1, max_jitter_s_too_wide, 7, 500, top},
      {top + 1, top + 1, top + 1, initial_backoff_s_too_wide, top, top, top},
      {top, far, far, max_backoff_s_too_wide, top, top, top},
      {far, top, far, initial_backoff_s_too_wide, top, top, top},
      {top, top, far, max_jitter_s_too_wide, top, top, top},
  };
  for (auto const& row : rows) {
    auto const checked = check_parameters<TypeParam>(row.initial, row.max, row.jitter, 42);
    EXPECT_EQ(checked.error, row.error) << row.initial << ", " << row.max << ", " << row.jitter;
    EXPECT_EQ(checked.value.initial_backoff_s, row.clamped_initial);
    EXPECT_EQ(checked.value.max_backoff_s, row.clamped_max);
    EXPECT_EQ(checked.value.max_jitter_s, row.clamped_jitter);
    EXPECT_EQ(checked.value.max_attempts, 42U);
  }
}

template <class W>
class retry_cycle_at : public testing::Test {};
TYPED_TEST_SUITE(retry_cycle_at, firmware_widths);

TYPED_TEST(retry_cycle_at, copies_go_their_own_ways) {
  checks("AWS-RU-010");
  retry_cycle<TypeParam> original({3, 100, 5, 2}, 0U);
  static_cast<void>(original.back_off(0U));
  auto copy = original;
  EXPECT_EQ(copy.back_off(6U).sleep_s, 6);
  EXPECT_EQ(copy.back_off(6U).status, status::exhausted);
  EXPECT_EQ(copy.back_off(6U).sleep_s, 0);
  EXPECT_EQ(original.attempts_done(), 1U);
  EXPECT_EQ(original.next_jitter_max(), 6);
  EXPECT_EQ(original.back_off(5U).sleep_s, 5);
  copy = original;
  copy.reset(4U);
  EXPECT_EQ(copy.next_jitter_max(), 7);
  EXPECT_EQ(original.next_jitter_max(), 12);
}

}  // namespace
}  // namespace backoff::aws_retry_utils

namespace backoff::spec::aws_retry_utils {
namespace {

namespace core = backoff::aws_retry_utils;

// One step from the same place, for every draw of the domain; nothing where all agree.
template <class W>
std::optional<std::uint32_t> first_disagreement(core::retry_cycle<W> const& library, parameters const& p,
                                                state const& s) {
  cube const canonical = readings().admitting(standing::canonical);
  std::vector<cube> elsewhere;
  for (std::uint32_t value = 0; value <= 16; ++value) {
    auto trial = library;
    state trial_state = s;
    chooser choices(readings(), canonical, elsewhere);
    draw const from{draw_kind::u32, value, std::uint64_t{1} << 32};
    auto const wanted = back_off(p, trial_state, from, choices).answer;
    auto const got = trial.back_off(value);
    bool const granted = wanted[field_status] == admissible::word(static_cast<std::uint8_t>(status::retry));
    if (granted != (got.status == core::status::retry)) return value;
    if (granted && wanted[field_slept] != admissible::exactly(got.sleep_s)) return value;
    if (wanted[field_attempts_done] != admissible::exactly(trial.attempts_done())) return value;
    if (wanted[field_next_jitter_max] != admissible::exactly(trial.next_jitter_max())) return value;
  }
  return std::nullopt;
}

template <class W>
class small_domain_of_utils : public testing::Test {};
using both_widths = testing::Types<std::uint16_t, std::uint32_t>;
TYPED_TEST_SUITE(small_domain_of_utils, both_widths);

// Enumeration: every initial back-off, maximum, jitter and draw up to 5, 12, 2 and 16; four retries or no limit, and
// calls enough to exhaust the one and to arrive at the maximum with the other.
TYPED_TEST(small_domain_of_utils, library_equals_model_on_every_history) {
  checks("AWS-RU-006", "AWS-RU-012", "AWS-RU-017", "AWS-RU-019", "AWS-RU-023");
  std::vector<cube> elsewhere;
  for (integer initial = 0; initial <= 5; ++initial) {
    for (integer max = 0; max <= 12; ++max) {
      for (integer jitter = 0; jitter <= 2; ++jitter) {
        for (std::uint32_t reset_draw = 0; reset_draw <= 2; ++reset_draw) {
          parameters const p{initial, max, jitter, initial % 2 == 0 ? 0 : 4, true};
          core::retry_cycle<TypeParam> library(
              {static_cast<TypeParam>(initial), static_cast<TypeParam>(max), static_cast<TypeParam>(jitter),
               static_cast<std::uint32_t>(p.max_attempts)},
              reset_draw);
          state s;
          draw from{draw_kind::u32, reset_draw, std::uint64_t{1} << 32};
          chooser choices(readings(), readings().admitting(standing::canonical), elsewhere);
          static_cast<void>(reset(p, s, from, choices));
          for (int call = 0; call < 6; ++call) {
            ASSERT_EQ(first_disagreement(library, p, s), std::nullopt)
                << "initial " << initial << ", max " << max << ", jitter " << jitter << ", call " << call;
            static_cast<void>(library.back_off(std::uint32_t{0}));
            from.value = 0;
            static_cast<void>(back_off(p, s, from, choices));
          }
        }
      }
    }
  }
}

TYPED_TEST(small_domain_of_utils, resumed_cycle_goes_on_as_the_one_it_was) {
  checks("AWS-RU-010");
  using cycle = core::retry_cycle<TypeParam>;
  core::parameters<TypeParam> const p{3, 20, 5, 4};
  cycle whole(p, std::uint32_t{2});
  for (std::uint32_t draw = 7; draw < 13; ++draw) {
    auto resumed = cycle::resume(p, whole.next_jitter_max(), whole.attempts_done());
    auto const one = whole.back_off(draw);
    auto const other = resumed.back_off(draw);
    EXPECT_EQ(other.status, one.status);
    EXPECT_EQ(other.sleep_s, one.sleep_s);
    EXPECT_EQ(resumed.next_jitter_max(), whole.next_jitter_max());
    EXPECT_EQ(resumed.attempts_done(), whole.attempts_done());
    resumed.reset(std::uint32_t{4});
    EXPECT_EQ(resumed.next_jitter_max(), 7);
    EXPECT_EQ(resumed.attempts_done(), 0U);
  }
  EXPECT_EQ(cycle::resume(p, 20, 0).next_jitter_max(), 20);
  EXPECT_EQ(cycle::resume(p, 21, 0).next_jitter_max(), 20) << "no window is above the maximum";
}

}  // namespace
}  // namespace backoff::spec::aws_retry_utils
