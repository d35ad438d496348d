// Enumeration: every history of up to six calls after create, over an alphabet of eleven, under each policy, with a
// limit and without: the library's actions, readings, draws and waits are the model's. Shorter ones, with what goes
// wrong told call by call: spec/azure_c_retry_control/histories_test.cpp.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <tuple>

#include "azure_c_retry_control/model.hpp"
#include "backoff/azure_c_retry_control.hpp"

namespace {

namespace core = backoff::azure_c_retry_control;
namespace model = backoff::spec::azure_c_retry_control;
namespace spec = backoff::spec;

constexpr int longest = 6;
constexpr std::uint32_t rand_max = 3;

// Seconds to the first reading and from it to the second, and a draw; or another call.
enum class letter_kind : std::uint8_t { retry, fail_first, fail_second, reset, set_wait, set_jitter };
struct letter {
  letter_kind kind;
  std::int64_t step = 0;
  std::int64_t between = 0;
  std::uint32_t r = 0;
};
using enum letter_kind;
constexpr std::array alphabet{
    letter{retry, 0, 0, 3}, letter{retry, 1, 0, 2},  letter{retry, 4, 0, 3},       letter{retry, 5, 1, 1},
    letter{retry, 10, 0},   letter{retry, -2, 0, 0}, letter{fail_first},           letter{fail_second, 3, 0, 1},
    letter{reset},          letter{set_wait},        letter{set_jitter, 0, 0, 70},
};

struct both {
  core::retry_control library;
  model::state model;
  std::int64_t time = 100;
};

class script {
 public:
  explicit script(std::array<std::int64_t, 2> readings, std::uint32_t r) noexcept : readings_(readings), r_(r) {}
  auto clock() noexcept {
    return [this]() noexcept { return readings_[reads++ == 0 ? 0 : 1]; };
  }
  auto draws() {
    return [this]() noexcept {
      ++drawn;
      return core::draw{r_, rand_max};
    };
  }
  spec::integer reads = 0;
  spec::integer drawn = 0;

 private:
  std::array<std::int64_t, 2> readings_;
  std::uint32_t r_;
};

bool retried_alike(both& b, letter const& call, spec::chooser& choices, std::uint32_t wrong_r) noexcept {
  b.time += call.step;
  std::array<spec::integer, 2> readings{b.time, b.time + call.between};
  if (call.kind == fail_first) readings = {-1, -1};
  if (call.kind == fail_second) readings[1] = -1;
  script s({readings[0], readings[1]}, call.r ^ wrong_r);
  auto const decided = core::should_retry(b.library, s.clock(), s.draws());
  model::surroundings with{};
  with.clock = readings;
  with.from = {spec::draw_kind::rand, call.r, rand_max + 1};
  auto const admitted = model::should_retry(with, b.model, choices).answer;
  spec::answer port;
  port[model::field_status] = spec::observed::word(0);
  port[model::field_result] = spec::observed::of(decided.decided ? 0 : 1);
  if (decided.decided) port[model::field_action] = spec::observed::word(static_cast<std::uint8_t>(decided.action));
  port[model::field_clock_reads] = spec::observed::of(s.reads);
  port[model::field_draws_used] = spec::observed::of(s.drawn);
  for (auto const f : {model::field_result, model::field_action, model::field_clock_reads, model::field_draws_used}) {
    if (!admitted[f].admits(port[f])) return false;
  }
  model::observe(b.model, port);
  bool const waits = decided.decided && decided.action == core::action::retry_now;
  auto const& wait = b.model.at.wait;
  return !waits || (wait.low == wait.high && wait.low == b.library.current_wait_time_in_secs);
}

bool alike(both& b, letter const& call, spec::chooser& choices, std::uint32_t wrong_r) noexcept {
  if (call.kind == reset) {
    core::reset(b.library);
    static_cast<void>(model::reset({}, b.model, choices));
    return true;
  }
  if (call.kind == set_wait) {
    static_cast<void>(model::set_option(model::option::initial_wait_time_in_secs, {3, {}}, {}, b.model));
    return core::set_initial_wait_time_in_secs(b.library, 3);
  }
  if (call.kind == set_jitter) {
    static_cast<void>(model::set_option(model::option::max_jitter_percent, {call.r, {}}, {}, b.model));
    return core::set_max_jitter_percent(b.library, call.r);
  }
  return retried_alike(b, call, choices, wrong_r);
}

struct count {
  std::uint64_t histories = 0;
  std::uint64_t different = 0;
};

// What follows a difference is not looked at.
void each_history(both const& from, int calls, spec::chooser& choices, std::uint32_t wrong_r, count& n) noexcept {
  ++n.histories;
  if (calls == 0) return;
  for (auto const& call : alphabet) {
    both next = from;
    if (alike(next, call, choices, wrong_r)) {
      each_history(next, calls - 1, choices, wrong_r, n);
    } else {
      ++n.different;
    }
  }
}

count tried(int policy, std::uint32_t limit, int calls, std::uint32_t wrong_r = 0) {
  std::vector<spec::cube> none;
  spec::chooser choices(model::readings(), model::readings().admitting(spec::standing::canonical), none);
  both fresh{core::create(static_cast<core::policy>(policy), limit), {}};
  static_cast<void>(model::create(static_cast<model::policy>(policy), limit, {}, fresh.model));
  count n;
  each_history(fresh, calls, choices, wrong_r, n);
  return n;
}

class histories : public testing::TestWithParam<std::tuple<int, std::uint32_t>> {};

TEST_P(histories, of_retry_control_are_answered_by_the_library_as_by_the_model) {
  auto const [policy, limit] = GetParam();
  auto const n = tried(policy, limit, longest);
  EXPECT_EQ(n.different, 0U);
  std::uint64_t all = 0;
  for (int i = 0; i <= longest; ++i) all = all * alphabet.size() + 1;
  EXPECT_EQ(n.histories, all);
}

INSTANTIATE_TEST_SUITE_P(each_policy, histories, testing::Combine(testing::Range(0, 7), testing::Values(0U, 12U)));

// Two-sided: a library that is given other draws than the model differs where a policy draws, and only there.
TEST(enumeration_of_histories, finds_a_wrong_draw) {
  for (int policy = 0; policy < 7; ++policy) {
    bool const draws = policy == static_cast<int>(model::policy::random) ||
                       policy == static_cast<int>(model::policy::exponential_backoff_with_jitter);
    EXPECT_EQ(tried(policy, 0, 4, 3).different != 0, draws) << policy;
  }
}

}  // namespace
