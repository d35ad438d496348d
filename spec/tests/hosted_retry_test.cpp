// The loop: what it asks of its callables and in which order, how it ends, and that what they throw comes through.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>
#include <variant>
#include <vector>

#include "backoff/hosted/policies.hpp"
#include "backoff/hosted/retry.hpp"
#include "tests/checks.hpp"
#include "tests/scripted_generator.hpp"

namespace backoff {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

struct broken : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// What the loop meets: a clock that runs while operations are tried and while it sleeps, what each try does, and what
// the policy says. It writes down what happens, and breaks off where it is told to.
struct world {
  std::vector<int> answers{};  // in turn; the last one stays; from 1000 on it throws
  std::vector<next_step> steps{};
  nanoseconds each_try{};
  std::string breaks_off{};  // once the log is this
  bool sleeps = true;
  bool notes_retries = false;
  bool clock_breaks = false;
  bool clock_breaks_after_try = false;
  nanoseconds clock{500ns};
  std::size_t tries = 0;
  std::size_t asked = 0;
  std::string log{};

  void note(std::string const& what) {
    log += what + ' ';
    if (log == breaks_off) throw broken(log);
  }
  int attempt() {
    int const answer = answers[tries < answers.size() ? tries : answers.size() - 1];
    ++tries;
    clock += each_try;
    clock_breaks = clock_breaks_after_try;
    note(std::to_string(answer));
    if (answer >= 2000) throw std::logic_error("no luck " + std::to_string(answer));
    if (answer >= 1000) throw std::system_error(answer, std::generic_category(), "out there");
    return answer;
  }
};

using fixed = scripted_generator;
struct scripted_policy {
  world* of;
  next_step what_next(nanoseconds elapsed, fixed&) const {
    of->note("ask@" + std::to_string(elapsed.count()));
    if (of->asked < of->steps.size()) return of->steps[of->asked++];
    return {advice::give_up, 0ns};
  }
};
struct asleep {
  world* of;
  bool operator()(nanoseconds wait) const {
    of->note("sleep-" + std::to_string(wait.count()));
    of->clock += wait;
    return of->sleeps;
  }
};
struct told {
  world* of;
  nanoseconds operator()() const {
    if (of->clock_breaks) throw broken("clock");
    return of->clock;
  }
};
struct negative {  // results that are worth a retry
  world* of;
  bool operator()(int answer) const {
    of->note("look");
    return answer < 0;
  }
};
struct of_system {  // exceptions that are
  world* of;
  exceptions_of<std::system_error> these{};
  bool operator()(std::exception_ptr const& thrown) const {
    of->note("caught");
    return these(thrown);
  }
};

struct noted {  // what on_retry is told; it writes it down where it is asked to
  world* of;
  template <class Result>
  void operator()(failed_try<Result> const& failed) const {
    if (!of->notes_retries) return;
    of->note("retry-" + std::to_string(failed.tries) + '-' + std::to_string(failed.wait.count()) + '-' +
             of_result(failed.result) + of_exception(failed.thrown));
  }
  static std::string of_result(std::optional<int> const& result) {
    return result.has_value() ? "returned" + std::to_string(*result) : "";
  }
  static std::string of_result(std::optional<nothing> const& result) { return result.has_value() ? "returned" : ""; }
  static std::string of_exception(std::exception_ptr const& thrown) {
    if (thrown == nullptr) return "";
    try {
      std::rethrow_exception(thrown);
    } catch (std::system_error const& error) {
      return "threw" + std::to_string(error.code().value());
    }
  }
};

auto options_of(world& w, std::optional<nanoseconds> total = {}) {
  return retry_options<negative, of_system, asleep, told, noted>{total, {&w}, {&w}, {&w}, {&w}, {&w}};
}
struct attempt_of {
  world* of;
  int operator()() const { return of->attempt(); }
};
struct void_attempt_of {
  world* of;
  void operator()() const { static_cast<void>(of->attempt()); }
};

retried<int> run(world& w, std::optional<nanoseconds> total = {}) {
  fixed generator;
  return retry(scripted_policy{&w}, attempt_of{&w}, generator, options_of(w, total));
}
retried<nothing> run_void(world& w, std::optional<nanoseconds> total = {}) {
  fixed generator;
  return retry(scripted_policy{&w}, void_attempt_of{&w}, generator, options_of(w, total));
}
next_step in(nanoseconds wait) { return {advice::try_again, wait}; }
next_step again_in(nanoseconds wait) { return {advice::ask_again, wait}; }

TEST(hosted_retry, a_final_result_ends_it_at_once) {
  for (int const answer : {0, 7}) {
    world w{.answers = {answer}};
    auto const end = run(w);
    EXPECT_EQ(end.result, answer);
    EXPECT_EQ(end.tries, 1U);
    EXPECT_TRUE(end.answered());
    EXPECT_EQ(w.log, std::to_string(answer) + " look ") << "nobody is asked, nothing sleeps";
  }
}

TEST(hosted_retry, results_that_are_worth_it_are_retried_after_the_wait) {
  checks("AWS-RU-002", "AWS-RU-008");
  world w{.answers = {-1, -2, 5}, .steps = {in(3ns), in(40ns)}, .each_try = 100ns};
  auto const end = run(w);
  EXPECT_EQ(end.result, 5);
  EXPECT_EQ(end.tries, 3U);
  EXPECT_EQ(end.ending, ending::answered);
  EXPECT_EQ(w.log, "-1 look ask@100 sleep-3 -2 look ask@203 sleep-40 5 look ")
      << "time is that since the first try began";
}

TEST(hosted_retry, policy_that_wants_to_be_asked_again_is_before_the_next_try) {
  world w{.answers = {-1, 5}, .steps = {again_in(3ns), again_in(4ns), in(0ns)}};
  EXPECT_EQ(run(w).tries, 2U);
  EXPECT_EQ(w.log, "-1 look ask@0 sleep-3 ask@3 sleep-4 ask@7 sleep-0 5 look ");
}

TEST(hosted_retry, policy_that_gives_up_leaves_the_last_result) {
  checks("AWS-PS-012", "AWS-SF-005");
  world w{.answers = {-1, -2}, .steps = {in(3ns)}};
  auto const end = run(w);
  EXPECT_EQ(end.result, -2);
  EXPECT_EQ(end.tries, 2U);
  EXPECT_EQ(end.ending, ending::gave_up);
  EXPECT_FALSE(end.answered());
  EXPECT_EQ(w.log, "-1 look ask@0 sleep-3 -2 look ask@3 ") << "and nothing sleeps at the end";
}

TEST(hosted_retry, total_time_counts_tries_and_waits) {
  checks("AZ-JR-010");
  world w{.answers = {-1}, .steps = {in(10ns), in(10ns), in(10ns)}, .each_try = 100ns};
  auto const end = run(w, 220ns);
  EXPECT_EQ(end.tries, 3U) << "210 + 10 is 220: a wait may end with it, a try may be later";
  EXPECT_EQ(end.ending, ending::out_of_time);
  EXPECT_EQ(w.log, "-1 look ask@100 sleep-10 -1 look ask@210 sleep-10 -1 look ask@320 ");
}

TEST(hosted_retry, a_sleep_can_be_interrupted) {
  world w{.answers = {-1}, .steps = {in(10ns)}, .sleeps = false};
  auto const end = run(w);
  EXPECT_EQ(end.ending, ending::interrupted);
  EXPECT_EQ(end.tries, 1U);
}

TEST(hosted_retry, on_retry_is_told_of_each_sleep_before_it) {
  world w{.answers = {-1, 1000, -2, 5}, .steps = {in(3ns), again_in(4ns), in(0ns), in(6ns)}, .notes_retries = true};
  EXPECT_EQ(run(w).tries, 4U);
  EXPECT_EQ(w.log,
            "-1 look ask@0 retry-1-3-returned-1 sleep-3 1000 caught ask@3 retry-2-4-threw1000 sleep-4 "
            "ask@7 retry-2-0-threw1000 sleep-0 -2 look ask@7 retry-3-6-returned-2 sleep-6 5 look ");
  world without_result{.answers = {1001, 1}, .steps = {in(7ns)}, .notes_retries = true};
  EXPECT_EQ(run_void(without_result).tries, 2U);
  EXPECT_EQ(without_result.log, "1001 caught ask@0 retry-1-7-threw1001 sleep-7 1 ");
}

TEST(hosted_retry, on_retry_is_not_told_of_a_sleep_that_does_not_come) {
  world late{.answers = {-1}, .steps = {in(3ns), in(9ns)}, .notes_retries = true};
  EXPECT_EQ(run(late, 8ns).ending, ending::out_of_time);
  EXPECT_EQ(late.log, "-1 look ask@0 retry-1-3-returned-1 sleep-3 -1 look ask@3 ");
  world given_up{.answers = {-1}, .notes_retries = true};
  EXPECT_EQ(run(given_up).ending, ending::gave_up);
  EXPECT_EQ(given_up.log, "-1 look ask@0 ");
}

TEST(hosted_retry, exceptions_that_are_worth_it_are_retried) {
  world w{.answers = {1000, -1, 1001, 5}, .steps = {in(1ns), in(2ns), in(3ns)}};
  auto const end = run(w);
  EXPECT_EQ(end.result, 5);
  EXPECT_EQ(end.tries, 4U);
  EXPECT_EQ(w.log, "1000 caught ask@0 sleep-1 -1 look ask@1 sleep-2 1001 caught ask@3 sleep-3 5 look ");
}

TEST(hosted_retry, last_exception_is_passed_on_and_so_is_one_that_is_not_worth_it) {
  checks("AWS-PS-009");
  world w{.answers = {-1, 1000, 1001}, .steps = {in(1ns), in(2ns)}};
  try {
    static_cast<void>(run(w));
    FAIL();
  } catch (std::system_error const& last) {
    EXPECT_EQ(last.code().value(), 1001);
  }
  EXPECT_EQ(w.log, "-1 look ask@0 sleep-1 1000 caught ask@1 sleep-2 1001 caught ask@3 ");
  world other{.answers = {2000}, .steps = {in(1ns)}};
  EXPECT_THROW(static_cast<void>(run(other)), std::logic_error);
  EXPECT_EQ(other.log, "2000 caught ") << "nobody is asked";
}

TEST(hosted_retry, operation_without_a_result_succeeds_when_it_returns) {
  world w{.answers = {1000, 1}, .steps = {in(1ns)}};
  auto const end = run_void(w);
  static_assert(std::is_same_v<decltype(end), retried<nothing> const>);
  EXPECT_EQ(end.tries, 2U);
  EXPECT_TRUE(end.answered());
  EXPECT_EQ(w.log, "1000 caught ask@0 sleep-1 1 ");
  world other{.answers = {1000}};
  EXPECT_THROW(static_cast<void>(run_void(other)), std::system_error);
  world third{.answers = {2000}};
  EXPECT_THROW(static_cast<void>(run_void(third)), std::logic_error);
  world late{.answers = {1000}, .steps = {in(9ns)}};
  EXPECT_THROW(static_cast<void>(run_void(late, 8ns)), std::system_error);
  EXPECT_EQ(late.log, "1000 caught ask@0 ");
  world asked_again{.answers = {1000, 1}, .steps = {again_in(2ns), in(0ns)}};
  EXPECT_EQ(run_void(asked_again).tries, 2U);
  EXPECT_EQ(asked_again.log, "1000 caught ask@0 sleep-2 ask@2 sleep-0 1 ");
  world interrupted{.answers = {1000}, .steps = {in(9ns), in(9ns)}, .sleeps = false};
  EXPECT_THROW(static_cast<void>(run_void(interrupted)), std::system_error);
  EXPECT_EQ(interrupted.log, "1000 caught ask@0 sleep-9 ");
}

// Whatever throws: nothing more happens, and the exception is that one.
TEST(hosted_retry, exceptions_of_its_callables_come_through) {
  for (std::string const log : {"1000 caught ", "1000 caught ask@0 ", "1000 caught ask@0 sleep-1 ",
                                "1000 caught ask@0 sleep-1 -1 look ", "1000 caught ask@0 sleep-1 -1 look ask@1 "}) {
    world w{.answers = {1000, -1}, .steps = {in(1ns)}, .breaks_off = log};
    EXPECT_THROW(static_cast<void>(run(w)), broken);
    EXPECT_EQ(w.log, log);
  }
  for (std::string const log : {"1000 caught ", "1000 caught ask@0 ", "1000 caught ask@0 sleep-1 "}) {
    world w{.answers = {1000}, .steps = {in(1ns)}, .breaks_off = log};
    EXPECT_THROW(static_cast<void>(run_void(w)), broken);
    EXPECT_EQ(w.log, log);
  }
}

TEST(hosted_retry, exceptions_of_on_retry_come_through) {
  std::string const log = "1000 caught ask@0 retry-1-1-threw1000 ";
  world w{.answers = {1000}, .steps = {in(1ns)}, .breaks_off = log, .notes_retries = true};
  EXPECT_THROW(static_cast<void>(run(w)), broken);
  EXPECT_EQ(w.log, log);
  world without_result{.answers = {1000}, .steps = {in(1ns)}, .breaks_off = log, .notes_retries = true};
  EXPECT_THROW(static_cast<void>(run_void(without_result)), broken);
  EXPECT_EQ(without_result.log, log);
}

TEST(hosted_retry, exceptions_of_a_clock_come_through) {
  world before{.answers = {-1}, .clock_breaks = true};
  EXPECT_THROW(static_cast<void>(run(before)), broken);
  EXPECT_THROW(static_cast<void>(run_void(before)), broken);
  EXPECT_EQ(before.tries, 0U) << "read before the first try";
  world after{.answers = {-1}, .clock_breaks_after_try = true};
  EXPECT_THROW(static_cast<void>(run(after)), broken);
  EXPECT_EQ(after.tries, 1U) << "and after each";
}

TEST(hosted_retry, exceptions_of_are_those_and_what_derives_from_them) {
  exceptions_of<std::logic_error, std::system_error> const these;
  EXPECT_TRUE(these(std::make_exception_ptr(std::logic_error("as it is"))));
  EXPECT_TRUE(these(std::make_exception_ptr(std::invalid_argument("derived"))));
  EXPECT_TRUE(these(std::make_exception_ptr(std::system_error(1, std::generic_category()))));
  EXPECT_FALSE(these(std::make_exception_ptr(std::runtime_error("another"))));
  EXPECT_FALSE(these(std::make_exception_ptr(1)));
  EXPECT_FALSE(no_exception{}(std::make_exception_ptr(1)));
}

// Every policy here behind one type.
struct any_policy {
  std::variant<policies::aws_backoff_algorithm, scripted_policy> policy;
  next_step what_next(nanoseconds elapsed, fixed& generator) {
    return std::visit([&](auto& one) { return one.what_next(elapsed, generator); }, policy);
  }
};

// Where nothing is said: false is a failure, no exception is worth a retry, this thread sleeps.
TEST(hosted_retry, has_defaults) {
  fixed generator{{1}};
  using backoff::aws_backoff_algorithm::attempt_limit;
  any_policy const three{policies::aws_backoff_algorithm(1ms, 1ms, attempt_limit::of(3))};
  int tries = 0;
  int succeeds_at = 3;
  std::function<bool()> const operation = [&] {
    if (++tries == 100) throw broken("at try 100");
    return tries == succeeds_at;
  };
  auto const before = std::chrono::steady_clock::now();
  auto const end = retry(three, operation, generator);
  EXPECT_TRUE(end.result);
  EXPECT_EQ(end.tries, 3U);
  EXPECT_GE(std::chrono::steady_clock::now() - before, 2ms);
  succeeds_at = -1;
  auto const failed = retry(three, operation, generator);
  EXPECT_FALSE(failed.result);
  EXPECT_EQ(failed.tries, 4U) << "a policy is copied: three retries, again";
  EXPECT_EQ(failed.ending, ending::gave_up);
  auto const late = retry(three, operation, generator, retry_options{.total_time = 0s});
  EXPECT_EQ(late.ending, ending::out_of_time);
  EXPECT_EQ(late.tries, 1U);
  tries = 99;
  EXPECT_THROW(static_cast<void>(retry(three, operation, generator)), broken);
  tries = 0;
  succeeds_at = 3;
  world w{.answers = {}, .steps = {again_in(2ms), in(0ns), in(0ns)}};
  EXPECT_TRUE(retry(any_policy{scripted_policy{&w}}, operation, generator).result);
  EXPECT_EQ(w.asked, 3U);
  generator.draws.clear();
  EXPECT_THROW(static_cast<void>(retry(three, operation, generator)), std::runtime_error);
  auto const now = steady_now{}();
  EXPECT_LE(now, std::chrono::steady_clock::now().time_since_epoch());
  EXPECT_GE(now, before.time_since_epoch());
}

}  // namespace
}  // namespace backoff
