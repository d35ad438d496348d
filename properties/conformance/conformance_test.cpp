// Ports in this process: the library under every system, which conforms, and one fault each, which is named. Then what
// the options change, what is thrown, and what is printed.
#include "backoff/conformance.hpp"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <sstream>
#include <stdexcept>

#include "backoff.h"
#include "backoff/aws_backoff_algorithm.hpp"
#include "backoff/aws_prescriptive_sample.hpp"
#include "backoff/aws_retry_utils.hpp"
#include "backoff/aws_step_functions.hpp"
#include "backoff/azure_java_retry_policy.hpp"

namespace {

using namespace backoff;
using ::testing::AssertionResult;

std::vector<std::string> claims_of(judgement const& j) {
  std::vector<std::string> names;
  for (auto const& f : j.findings()) names.push_back(f.claim);
  return names;
}

// It fails, and names the claim.
AssertionResult catches(judgement const& j, std::string const& claim) {
  auto const names = claims_of(j);
  if (!j && std::ranges::count(names, claim) == 1) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "expected a finding of " << claim << ":\n" << j.message();
}

namespace algorithm {

using system = systems::aws_backoff_algorithm;
namespace core = backoff::aws_backoff_algorithm;

struct library {
  core::full_jitter<std::uint32_t> cycle;

  explicit library(system::parameters const& p)
      : cycle(core::check_parameters<std::uint32_t>(
                  p.base_ms, p.max_ms,
                  p.max_attempts ? core::attempt_limit::of(*p.max_attempts) : core::attempt_limit::forever())
                  .value) {}
  std::optional<std::uint32_t> next(draw d) {
    auto const decided = cycle.next(d.value);
    return decided.status == core::status::retry ? std::optional(decided.delay_ms) : std::nullopt;
  }
  void reset() { cycle.reset(); }
};

// Caps what it drew, not the window.
struct caps_last {
  system::parameters p;
  std::uint64_t window = p.base_ms;
  std::uint32_t done = 0;

  explicit caps_last(system::parameters const& given) : p(given) {}
  std::optional<std::uint64_t> next(draw d) {
    if (done == p.max_attempts) return std::nullopt;
    ++done;
    auto const drawn = d.value % (window + 1);
    window = std::min(2 * window, std::uint64_t{1} << 40);
    return std::min<std::uint64_t>(drawn, p.max_ms);
  }
  void reset() {
    window = p.base_ms;
    done = 0;
  }
};

auto const make_library = [](system::parameters const& p) { return library(p); };
auto const make_caps_last = [](system::parameters const& p) { return caps_last(p); };

}  // namespace algorithm

TEST(conforms, aws_backoff_algorithm) {
  EXPECT_TRUE(conforms<algorithm::system>(algorithm::make_library));
  EXPECT_TRUE(catches(conforms<algorithm::system>(algorithm::make_caps_last), "jitter_survives_the_cap"));
}

// Its own generator, of which some bits are used.
struct draws_itself : algorithm::library {
  std::uint32_t mask;
  std::mt19937 random;
  draws_itself(algorithm::system::parameters const& p, std::uint32_t of, std::uint32_t seed)
      : library(p), mask(of), random(seed) {}
  auto next() { return library::next({static_cast<std::uint32_t>(random()) & mask}); }
};

TEST(conforms, draws_of_its_own_are_tested) {
  std::uint32_t seed = 0;
  auto const by = [&](std::uint32_t mask) {
    return [&seed, mask](auto const& p) { return draws_itself(p, mask, ++seed); };
  };
  auto const right = conforms<algorithm::system>(by(~0U));
  EXPECT_TRUE(right);
  EXPECT_NE(right.report().find("grade       distribution: draws hidden in the port\n"), std::string::npos);
  auto const wrong = conforms<algorithm::system>(by(~1U), {.alpha = 0.01});
  EXPECT_NE(wrong.message().find(" where 1e+02 to 1 refutes\n"), std::string::npos) << wrong;
  EXPECT_FALSE(wrong);
  ASSERT_FALSE(wrong.findings().empty());
  EXPECT_EQ(wrong.findings().front().token, "");
  EXPECT_NE(wrong.message().find("replay      .cases = 10000, .seed = 1\n"), std::string::npos) << wrong;
}

TEST(conforms, a_fault_by_chance_is_small_and_its_token_shows_it) {
  std::uint32_t seed = 0;
  struct sometimes_too_long : draws_itself {
    std::uint32_t longest;
    sometimes_too_long(algorithm::system::parameters const& p, std::uint32_t s)
        : draws_itself(p, ~0U, s), longest(p.max_ms) {}
    std::optional<std::uint32_t> next() {
      bool const wrong = random() % 4 == 0;
      return wrong ? std::optional(longest + 1) : draws_itself::next();
    }
  };
  auto const make = [&](auto const& p) { return sometimes_too_long(p, ++seed); };
  options narrow{.claim = {"delay_never_exceeds_cap"}, .ranges = {"max_ms 0..9999"}};
  auto const j = conforms<algorithm::system>(make, narrow);
  ASSERT_TRUE(catches(j, "delay_never_exceeds_cap"));
  EXPECT_NE(j.message().find("  by chance    the port draws for itself: "), std::string::npos) << j;
  narrow.replay = j.findings().front().token;
  EXPECT_TRUE(narrow.replay.ends_with("/next")) << narrow.replay;
  for (int i = 0; i < 9; ++i)
    EXPECT_TRUE(catches(conforms<algorithm::system>(make, narrow), "delay_never_exceeds_cap"));
}

TEST(conforms, delays_are_numbers_of_any_kind) {
  struct real : algorithm::caps_last {
    using caps_last::caps_last;
    std::optional<double> next(draw d) {
      if (done == p.max_attempts) return std::nullopt;
      double const cap = std::min(std::ldexp(p.base_ms, static_cast<int>(done++)), static_cast<double>(p.max_ms));
      return d.unit() * cap;
    }
    void reset() { done = 0; }
  };
  auto const how = options{.draws = draws::unit()};
  auto const j = conforms<algorithm::system>([](auto const& p) { return real(p); }, how);
  EXPECT_TRUE(j);
  EXPECT_NE(j.message().find("draw-mapping=real, delay-resolution=real"), std::string::npos) << j;

  struct nothing_known {
    [[nodiscard]] std::optional<number> next(draw) const { return answer; }
    void reset() const {}
    number answer;
  };
  auto const always = [&](number const& n) {
    return conforms<algorithm::system>([&](auto const&) { return nothing_known{n}; });
  };
  EXPECT_TRUE(catches(always(-1), "delay_is_never_negative"));
  EXPECT_TRUE(catches(always(std::nan("")), "delay_is_a_number"));
  EXPECT_TRUE(catches(always(std::numeric_limits<float>::infinity()), "delay_is_a_number"));
  EXPECT_TRUE(catches(always(number::decimal("1e12")), "delay_never_exceeds_cap"));
}

TEST(conforms, aws_retry_utils) {
  using system = systems::aws_retry_utils;
  namespace core = backoff::aws_retry_utils;
  struct library {
    core::retry_cycle<std::uint32_t> cycle;

    explicit library(system::parameters const& p)
        : cycle(core::check_parameters<std::uint32_t>(p.initial_backoff_s, p.max_backoff_s, p.max_jitter_s,
                                                      p.max_attempts)
                    .value,
                0U) {}
    std::optional<std::uint32_t> backoff(draw d) {
      auto const decided = cycle.back_off(d.value);
      return decided.status == core::status::retry ? std::optional(decided.sleep_s) : std::nullopt;
    }
    void reset(draw d) { cycle.reset(d.value); }
  };
  struct with_fields : library {
    using library::library;
    [[nodiscard]] system::state fields() const { return {cycle.attempts_done(), cycle.next_jitter_max()}; }
  };
  struct counts_from_one : library {
    using library::library;
    [[nodiscard]] system::state fields() const { return {cycle.attempts_done() + 1, cycle.next_jitter_max()}; }
  };
  struct never_resets : library {
    bool fresh = true;
    using library::library;
    void reset(draw d) {
      if (fresh) library::reset(d);
      fresh = false;
    }
  };
  EXPECT_TRUE(conforms<system>([](auto const& p) { return library(p); }));
  auto const all = conforms<system>([](auto const& p) { return with_fields(p); });
  EXPECT_TRUE(all);
  EXPECT_NE(all.report().find("attempts_done_counts_sleeps"), std::string::npos) << all.report();
  EXPECT_TRUE(
      catches(conforms<system>([](auto const& p) { return counts_from_one(p); }), "attempts_done_counts_sleeps"));
  EXPECT_TRUE(catches(conforms<system>([](auto const& p) { return never_resets(p); }), "reset_starts_a_fresh_cycle"));
}

TEST(conforms, aws_prescriptive_sample) {
  using system = systems::aws_prescriptive_sample;
  struct library {
    backoff::aws_prescriptive_sample::retry_loop loop;
    system::attempted attempt(int http_status) {
      auto const delay_ms = loop.delay_ms();
      if (delay_ms == backoff::aws_prescriptive_sample::no_delay) throw std::overflow_error("no such wait");
      return {delay_ms, loop.retry_after(http_status)};
    }
  };
  struct ends_at_429 : library {
    system::attempted attempt(int http_status) { return library::attempt(http_status == 429 ? 200 : http_status); }
  };
  auto const loop = [](auto const& p) {
    return backoff::aws_prescriptive_sample::retry_loop(static_cast<std::uint32_t>(p.max_retries));
  };
  EXPECT_TRUE(conforms<system>([&](auto const& p) { return library{loop(p)}; }));
  EXPECT_TRUE(catches(conforms<system>([&](auto const& p) { return ends_at_429{{loop(p)}}; }),
                      "throttling_and_time_outs_are_retried"));
}

TEST(conforms, aws_step_functions) {
  using system = systems::aws_step_functions;
  using picoseconds = backoff::aws_step_functions::retry_run<std::uint64_t, 1'000'000'000'000>;
  struct library {
    picoseconds run;
    explicit library(system::parameters const& p, std::uint32_t more = 0)
        : run(picoseconds::with(p.interval_s, {p.backoff_rate_thousandths, 1'000}, p.max_attempts + more).value) {}
    std::optional<number> next() {
      auto const decided = run.next();
      if (decided.status != backoff::aws_step_functions::status::retry) return std::nullopt;
      auto const part = std::to_string(decided.delay % 1'000'000'000'000 + 1'000'000'000'000);
      return number::decimal(std::to_string(decided.delay / 1'000'000'000'000) + "." + part.substr(1));
    }
  };
  struct one_too_many : library {
    explicit one_too_many(system::parameters const& p) : library(p, 1) {}
  };
  auto const few = options{.ranges = {"max_attempts 0..43"}};
  EXPECT_TRUE(conforms<system>([](auto const& p) { return library(p); }, few));
  EXPECT_TRUE(
      catches(conforms<system>([](auto const& p) { return one_too_many(p); }, few), "exhausted_after_max_attempts"));
}

namespace java {

using system = systems::azure_java_retry_policy;
namespace core = backoff::azure_java_retry_policy;

double milliseconds(core::wait const& delay) {
  return (static_cast<double>(delay.ns) + std::ldexp(static_cast<double>(delay.part), -32)) / 1e6;
}

struct library {
  system::parameters p;

  // The policy of the caller's history, in the call at hand.
  struct policy {
    system::parameters const& p;
    system::call const& c;
    core::decision operator()(std::uint32_t retry_count, core::error last) const {
      if (p.which == system::policy::no_retry) return core::no_retry{}(retry_count, last);
      if (p.which == system::policy::custom)
        return {c.custom_retry, {c.custom_delay_ms * std::uint64_t{1'000'000}, 0U}};
      auto const checked = core::exponential_backoff_with_jitter::with(
          {p.c_ms, p.cmin_ms, p.cmax_ms, p.jd_thousandths * 1'000, p.ju_thousandths * 1'000});
      return checked.value.decide(retry_count, c.drawn.value_or(draw{}).value);
    }
  };

  [[nodiscard]] system::decision decide(system::call const& c) const {
    auto const kind =
        c.last ? static_cast<core::error>(*c.last) : (c.retryable ? core::error::protocol : core::error::terminal);
    core::time_budget time{};
    if (p.total_time_ms)
      time = {*p.total_time_ms * std::uint64_t{1'000'000}, c.elapsed_ms.value_or(0) * std::uint64_t{1'000'000}};
    policy asked{p, c};
    auto const out = core::after_failure(asked, c.retry_count, kind, time);
    return {out.retry, milliseconds(out.delay), out.consulted};
  }
};

struct below_cmin : library {
  [[nodiscard]] system::decision decide(system::call const& c) const {
    auto decided = library::decide(c);
    if (decided.retry && p.cmin_ms > 0) decided.delay_ms = p.cmin_ms - 1;
    return decided;
  }
};

}  // namespace java

TEST(conforms, azure_java_retry_policy) {
  auto const library = [](auto const& p) { return java::library{p}; };
  EXPECT_TRUE(conforms<java::system>(library));
  auto const all = conforms<java::system>(library, {.features = {"total_time", "errors", "custom_policy"}});
  EXPECT_TRUE(all);
  for (auto const* claim :
       {"retryable_errors_reach_the_policy", "total_time_ends_retries", "unknown_errors_are_not_retried"})
    EXPECT_NE(all.report().find(claim), std::string::npos) << all.report();
  EXPECT_TRUE(catches(conforms<java::system>([](auto const& p) { return java::below_cmin{{p}}; }),
                      "delay_is_never_below_cmin"));
}

namespace control {

using system = systems::azure_c_retry_control;

struct library {
  system::surroundings* world;
  backoff_azure_c_retry_control state{};

  explicit library(system::parameters const& p) : world(&p.world) {}
  [[nodiscard]] backoff_azure_c_retry_control_surroundings around() const {
    return {[](void* w) { return static_cast<system::surroundings*>(w)->get_time(); },
            [](void* w) { return static_cast<system::surroundings*>(w)->rand().value; }, world, 0xffff'ffff};
  }
  bool create(system::policy which, std::uint32_t limit) {
    return backoff_azure_c_retry_control_init(&state, static_cast<std::int32_t>(which), limit) == BACKOFF_OK;
  }
  std::optional<system::action> should_retry() {
    auto const world_now = around();
    std::int32_t action = 0;
    if (backoff_azure_c_retry_control_should_retry(&state, &world_now, &action) != BACKOFF_OK) return std::nullopt;
    return static_cast<system::action>(action);
  }
  bool set_option(std::string_view name, std::uint32_t value) {
    if (name == "initial_wait_time_in_secs")
      return backoff_azure_c_retry_control_set_initial_wait_time_in_secs(&state, value) == BACKOFF_OK;
    if (name == "max_jitter_percent")
      return backoff_azure_c_retry_control_set_max_jitter_percent(&state, value) == BACKOFF_OK;
    return false;
  }
  bool set_options(system::saved_options const& saved) {
    auto const set = [&](char const* name, std::optional<std::uint32_t> v) { return !v || set_option(name, *v); };
    return set("initial_wait_time_in_secs", saved.initial_wait_time_in_secs) &&
           set("max_jitter_percent", saved.max_jitter_percent);
  }
  [[nodiscard]] std::optional<system::saved_options> retrieve_options() const {
    return system::saved_options{backoff_azure_c_retry_control_initial_wait_time_in_secs(&state),
                                 backoff_azure_c_retry_control_max_jitter_percent(&state)};
  }
  [[nodiscard]] std::optional<bool> is_timeout_reached(std::int64_t start, std::uint32_t timeout_s) const {
    auto const world_now = around();
    std::uint8_t out = 0;
    bool const failed =
        backoff_azure_c_retry_control_is_timeout_reached(start, timeout_s, &world_now, &out) != BACKOFF_OK;
    return failed ? std::nullopt : std::optional(out != 0);
  }
  void reset() { backoff_azure_c_retry_control_reset(&state); }
};

struct takes_any_jitter : library {
  using library::library;
  bool set_option(std::string_view name, std::uint32_t value) {
    return library::set_option(name, value) || (name == "max_jitter_percent" && value > 100);
  }
};

struct saves_one_option : library {
  using library::library;
  [[nodiscard]] static std::optional<system::saved_options> retrieve_options() { return system::saved_options{1, {}}; }
};

struct reads_twice : library {
  using library::library;
  std::optional<system::action> should_retry() {
    world->get_time();
    return library::should_retry();
  }
};

}  // namespace control

TEST(conforms, azure_c_retry_control) {
  auto const library = conforms<control::system>([](auto const& p) { return control::library(p); });
  EXPECT_TRUE(library);
  EXPECT_EQ(library.report().find("feature clock_script"), std::string::npos) << library.report();
  EXPECT_TRUE(catches(conforms<control::system>([](auto const& p) { return control::takes_any_jitter(p); }),
                      "bad_option_values_are_refused"));
  auto const one_option = conforms<control::system>([](auto const& p) { return control::saves_one_option(p); });
  EXPECT_NE(one_option.message().find("retrieve_options: expected both options"), std::string::npos) << one_option;
  auto const reads_twice = [](auto const& p) { return control::reads_twice(p); };
  EXPECT_TRUE(catches(conforms<control::system>(reads_twice), "should_retry_succeeds")) << "where the second one fails";
  EXPECT_TRUE(catches(conforms<control::system>(reads_twice, {.claim = {"clock_is_read_where_documented"}}),
                      "clock_is_read_where_documented"))
      << "of the interface: a fault of the document comes first";
}

TEST(conforms, gtest_prints_the_finding) {
  static judgement const j = conforms<algorithm::system>(algorithm::make_caps_last);
  EXPECT_NONFATAL_FAILURE(EXPECT_TRUE(j), R"(
violation 1: jitter_survives_the_cap (must), broken in )");
  std::ostringstream out;
  out << j;
  EXPECT_EQ(out.str(), j.message());
  EXPECT_NE(j.report().find(j.message().substr(0, j.message().find("verdict"))), std::string::npos);
  EXPECT_TRUE(j.message().ends_with("\nverdict: does not conform to aws_backoff_algorithm: jitter_survives_the_cap\n"))
      << j;
}

TEST(conforms, a_token_shows_the_same_finding_alone) {
  auto const j = conforms<algorithm::system>(algorithm::make_caps_last);
  ASSERT_EQ(j.findings().size(), 1U);
  auto const& f = j.findings().front();
  EXPECT_EQ(f.requirement, "AWS-BA-003");
  EXPECT_TRUE(f.fails);
  EXPECT_NE(j.message().find("  replay      .replay = \"" + f.token + "\"\n"), std::string::npos);
  auto const again = conforms<algorithm::system>(algorithm::make_caps_last, {.replay = f.token});
  EXPECT_NE(again.report().find("\ncases       1 judged"), std::string::npos) << again.report();
  EXPECT_EQ(claims_of(again), claims_of(j));
  EXPECT_TRUE(conforms<algorithm::system>(algorithm::make_library, {.replay = f.token}));
}

TEST(conforms, what_breaks_the_interface_fails_unless_the_document_alone_counts) {
  struct deaf : algorithm::library {
    using library::library;
    void reset() {}
  };
  auto const make = [](auto const& p) { return deaf(p); };
  auto const j = conforms<algorithm::system>(make);
  EXPECT_TRUE(catches(j, "reset_starts_a_fresh_cycle"));
  EXPECT_NE(
      j.message().find("\nverdict: follows the document aws_backoff_algorithm, grade exact; breaks the interface: "),
      std::string::npos)
      << j;
  EXPECT_TRUE(conforms<algorithm::system>(make, {.document_only = true}));
  EXPECT_TRUE(conforms<algorithm::system>(make, {.ranges = {"op next"}})) << "it says that it has no reset";
  EXPECT_TRUE(conforms<algorithm::system>(algorithm::make_library, {.ranges = {"op next or reset"}}));
  for (auto const* range : {"op", "op reset", "op next or halt"})
    EXPECT_THROW(static_cast<void>(conforms<algorithm::system>(make, {.ranges = {range}})), std::exception) << range;
}

TEST(conforms, options_are_those_of_check) {
  auto const with = [](options const& how) { return conforms<algorithm::system>(algorithm::make_caps_last, how); };
  EXPECT_TRUE(with({.skip = {"jitter_*", "inst*", "reset_s*"}}));
  EXPECT_TRUE(with({.known_failing = {"jitter_survives_the_cap * # it is known", "instances_are_independent * # by it",
                                      "reset_starts_a_fresh_cycle * # by it"}}));
  EXPECT_TRUE(catches(with({.claim = {"jitter_*"}}), "jitter_survives_the_cap"));
  // What is known is not shown, but what else breaks.
  auto const beyond =
      with({.claim = {"jitter_*"}, .known_failing = {"jitter_survives_the_cap max_ms<7 # it is known"}});
  EXPECT_TRUE(catches(beyond, "jitter_survives_the_cap"));
  EXPECT_NE(beyond.message().find(" max_ms=7 "), std::string::npos) << beyond;
  EXPECT_NE(with({.cases = 2'000, .max_failures = 1}).message().find("broken in 1 history\n"), std::string::npos);
  auto const library = [](options const& how) { return conforms<algorithm::system>(algorithm::make_library, how); };
  EXPECT_FALSE(library({.known_failing = {"jitter_survives_the_cap * # it is mended"}})) << "stale";
  EXPECT_FALSE(library({.reading = {"draw-mapping=scaled"}}));
  EXPECT_TRUE(library({.strict = true}));
  // Follows an open reading, which is not the canonical one.
  struct exclusive : algorithm::caps_last {
    using caps_last::caps_last;
    std::optional<std::uint64_t> next(draw d) {
      if (done == p.max_attempts) return std::nullopt;
      ++done;
      window = std::min<std::uint64_t>(window, p.max_ms);
      return d.value % std::max<std::uint64_t>(std::exchange(window, 2 * window), 1);
    }
  };
  auto const other = [](auto const& p) { return exclusive(p); };
  EXPECT_TRUE(conforms<algorithm::system>(other));
  EXPECT_FALSE(conforms<algorithm::system>(other, {.strict = true}));
  auto const told = library({.cases = 3'000,
                             .seed = 5,
                             .name = "mine",
                             .draws = draws::rand(32'767),
                             .ranges = {"base_ms 1..9", "max_ms 70", "max_attempts 2..4 or forever"},
                             .instances = false})
                        .report();
  for (auto const* line : {"port        mine (C++)\n", "base_ms 1..9, max_ms 70, max_attempts 2..4 or forever\n",
                           "draws injected, 0..32767\n", "; seed 5\n", "does not list the feature instances\n"})
    EXPECT_NE(told.find(line), std::string::npos) << line << told;
  EXPECT_NE(library({.ranges = {"max_attempts forever"}}).report().find("max_attempts forever\n"), std::string::npos);
}

TEST(conforms, options_that_name_nothing_are_refused) {
  auto const refused = [](options const& how) -> std::string {
    try {
      static_cast<void>(conforms<algorithm::system>(algorithm::make_library, how));
    } catch (std::invalid_argument const& e) {
      return e.what();
    }
    return "taken";
  };
  auto const has = [&](options const& how, std::string const& text) {
    return refused(how).find(text) != std::string::npos ? ::testing::AssertionSuccess()
                                                        : ::testing::AssertionFailure() << refused(how);
  };
  EXPECT_TRUE(has({.level = 3}, "level: expected 1 or 2"));
  EXPECT_TRUE(has({.alpha = 0}, "alpha: expected"));
  EXPECT_TRUE(has({.alpha = 1}, "alpha: expected"));
  EXPECT_TRUE(has({.claim = {"nonsense"}}, "no claim of aws_backoff_algorithm matches 'nonsense'"));
  EXPECT_TRUE(has({.reading = {"nonsense=1"}}, "expected NAME=VALUE"));
  EXPECT_TRUE(has({.known_failing = {"nonsense *"}}, "known_failing:1: "));
  EXPECT_TRUE(
      has({.replay = "aws_step_functions/interval_s=1,backoff_rate=2,max_attempts=1/next"}, "of aws_step_functions"));
  EXPECT_TRUE(has({.replay = "aws_backoff_algorithm/base_ms=1"}, "expected SYSTEM/PARAMETERS/STEPS"));
  EXPECT_TRUE(
      has({.replay = "aws_backoff_algorithm/base_ms=1,max_ms=1,max_attempts=1/next:0", .ranges = {"base_ms 2..3"}},
          "outside the ranges"));
  EXPECT_TRUE(has({.draws = draws::rand(0)}, "rand_max"));
  EXPECT_TRUE(has({.ranges = {"base_s 1"}}, "did you mean base_ms?"));
  EXPECT_TRUE(has({.ranges = {"base_ms 3..1"}}, "LOW not above HIGH"));
  EXPECT_TRUE(has({.ranges = {"base_ms 1 or 3"}}, "expected base_ms=LOW..HIGH"));
  EXPECT_TRUE(has({.ranges = {"base_ms"}}, "expected base_ms=LOW..HIGH"));
  EXPECT_TRUE(has({.ranges = {"base_ms 4294967296"}}, "leaves nothing to try: expected some of base_ms 0..4294967295"));
  EXPECT_TRUE(has({.features = {"nonsense"}}, "'nonsense'"));
  EXPECT_TRUE(has({.features = {"clock_script"}}, "'clock_script'"));
  EXPECT_TRUE(has({.features = {"fresh_process"}}, "'fresh_process'"));
}

TEST(conforms, what_a_port_throws_is_an_answer) {
  struct throws_late : algorithm::library {
    int calls = 0;
    using library::library;
    std::optional<std::uint32_t> next(draw d) {
      if (++calls == 3) throw std::runtime_error("out of\tpatience");
      return library::next(d);
    }
  };
  auto const late = conforms<algorithm::system>([](auto const& p) { return throws_late(p); });
  EXPECT_TRUE(catches(late, "no_call_fails"));
  EXPECT_NE(late.message().find("  the port     says: out of?patience\n"), std::string::npos) << late;
  EXPECT_NE(late.message().find("       3  next     0  retry 0   error   <--\n"), std::string::npos) << late;

  struct throws_an_int : algorithm::library {
    using library::library;
    std::optional<std::uint32_t> next(draw) { throw 7; }
  };
  auto const odd = conforms<algorithm::system>([](auto const& p) { return throws_an_int(p); });
  EXPECT_NE(odd.message().find("says: an exception that is no std::exception\n"), std::string::npos) << odd;

  auto const refuses = conforms<algorithm::system>([](auto const& p) {
    if (p.base_ms == 0) throw rejected("no base");
    return algorithm::library(p);
  });
  EXPECT_NE(refuses.report().find(" rejected, 0 skipped"), std::string::npos);
  EXPECT_EQ(refuses.report().find(" 0 rejected"), std::string::npos) << refuses.report();
}

TEST(conforms, a_port_that_remembers_is_said_to_be_unsteady) {
  int made = 0;
  struct forgets : algorithm::library {
    bool wrong;
    forgets(algorithm::system::parameters const& p, bool is_wrong) : library(p), wrong(is_wrong) {}
    std::optional<std::uint32_t> next(draw d) { return wrong ? std::optional(p_max) : library::next(d); }
    std::uint32_t p_max = 4'000'000'000;
  };
  auto const j = conforms<algorithm::system>([&](auto const& p) { return forgets(p, ++made == 5'000); },
                                             {.ranges = {"max_ms 0..9999"}});
  EXPECT_TRUE(catches(j, "delay_never_exceeds_cap"));
  EXPECT_NE(j.message().find("  unsteady     asked again, the port answered as documented"), std::string::npos) << j;
}

// The protocol's lines, answered by hand.
std::string answer_line(std::string_view line, std::string const& systems) {
  if (line.find("\"start\"") != std::string_view::npos)
    return R"({"protocol":1,"port":{"name":"spoken"},"systems":[")" + systems +
           R"("],"ranges":{"max_attempts":["0","0"]}})";
  auto const id = line.substr(line.find("\"id\":") + 5);
  std::string reply = "{\"id\":" + std::string(id.substr(0, id.find_first_not_of("0123456789"))) + ",\"results\":[";
  for (auto at = line.find("\"steps\":["); at != std::string_view::npos;) {
    auto const next = line.find("\"steps\":[", at + 1);
    auto const steps = line.substr(at, next - at);
    std::string answers;
    for (auto op = steps.find("\"op\""); op != std::string_view::npos; op = steps.find("\"op\"", op + 1)) {
      bool const reset = steps.substr(op).starts_with("\"op\":\"reset\"");
      answers += std::string(answers.empty() ? "" : ",") + (reset ? R"({"status":"ok"})" : R"({"status":"exhausted"})");
    }
    reply += std::string(reply.back() == '[' ? "" : ",") + "{\"steps\":[" + answers + "]}";
    at = next;
  }
  return reply + "]}";
}

TEST(conforms, a_port_may_speak_the_protocol) {
  auto const name = "aws_backoff_algorithm";
  auto const j = conforms(name, [](std::string_view line) { return answer_line(line, "aws_backoff_algorithm"); });
  EXPECT_NE(j.report().find("port        spoken\n"), std::string::npos) << j.report();
  EXPECT_EQ(j.report().find("BROKEN"), std::string::npos) << j.report();
  EXPECT_NE(j.message().find("inconclusive"), std::string::npos) << j;
  EXPECT_THROW(static_cast<void>(conforms(name, [](std::string_view l) { return answer_line(l, "another"); })),
               std::invalid_argument);
  EXPECT_THROW(static_cast<void>(conforms("nonsense", [](std::string_view l) { return std::string(l); })),
               std::invalid_argument);
  auto const breaks = [](std::string_view l) {
    return l.find("\"run\"") == std::string_view::npos ? answer_line(l, "aws_backoff_algorithm") : "{}";
  };
  EXPECT_THROW(static_cast<void>(conforms(name, breaks)), std::invalid_argument);
}

}  // namespace
