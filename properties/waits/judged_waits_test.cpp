// Waits as a machine would measure them, right and wrong, without a program: noise, stalls, all kinds of faults.
#include "waits/judged_waits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "files/policy_file.hpp"
#include "histories/present.hpp"
#include "policies/declare.hpp"
#include "session/options.hpp"
#include "session/parameters.hpp"

namespace backoff::waits {
namespace {

constexpr double alpha = 1e-9;
using fault = wait_finding::fault;

// A wait before retry n, from 1, in milliseconds; nothing: the program gives up.
using program = std::function<std::optional<double>(unsigned n, double before, std::mt19937_64& draws)>;

double u(std::mt19937_64& draws) { return std::uniform_real_distribution<double>(0, 1)(draws); }

struct machine {
  double noise_ms = 0.2;  // the mean of an exponential
  double slow = 0.002;    // of the waits are slow, by
  double slow_ms = 300;   // so much
  double own_ms = 0;      // that the program takes in each wait
  double first_ms = 0;    // more in the first
  tolerance allowed{3'000'000, 8'000'000, 8'000'000, {}};
};

std::vector<failed_cycle> measured(program const& p, std::uint64_t runs, unsigned attempts, machine const& m,
                                   std::uint64_t seed = 1) {
  std::vector<failed_cycle> all;
  for (std::uint64_t run = 0; run < runs; ++run) {
    std::mt19937_64 draws(1000 * seed + run);
    std::mt19937_64 noise(7 + 1000 * seed + run);
    failed_cycle c;
    double before = 0;
    std::int64_t now = static_cast<std::int64_t>(run) * 1'000'000'000'000;
    for (unsigned n = 1; n <= attempts; ++n) {
      auto const ms = p(n, before, draws);
      if (!ms) {
        c.gave_up = failed_cycle::end{1, 0};
        break;
      }
      before = *ms;
      double late = m.own_ms + (n == 1 ? m.first_ms : 0) + std::exponential_distribution<double>(1 / m.noise_ms)(noise);
      if (u(noise) < m.slow) late += m.slow_ms;
      auto const ns = static_cast<std::int64_t>((*ms + late) * 1e6);
      now += ns;
      c.waits.push_back({ns, now});
    }
    all.push_back(std::move(c));
  }
  return all;
}

failure_arguments failures_of(std::string_view stem, std::string_view script, std::optional<std::uint32_t> after = {}) {
  auto read = watch::read_script(script, after);
  return {named_system(stem), std::get<watch::script>(std::move(read)), {}};
}

judged_waits judged(std::string_view stem, history const& with, std::vector<failed_cycle> const& cycles,
                    machine const& m = {}) {
  know_the_shelf();
  return judge_waits(named_system(stem), with, failures_of(stem, "503"), cycles, m.allowed, alpha);
}

history defaults(std::string_view stem) {
  know_the_shelf();
  auto const& s = named_system(stem).shape();
  history h;
  for (std::size_t i = 0; i < s.params.size(); ++i) h.params[i] = s.defaults[i];
  return h;
}

std::vector<fault> faults_of(judged_waits const& j) {
  std::vector<fault> all;
  all.reserve(j.findings.size());
  for (auto const& f : j.findings) all.push_back(f.what);
  return all;
}

// gRPC: 1 s, times 1.6, at most 120 s, 20 % either way.
double grpc(unsigned n) { return std::min(120'000.0, 1000 * std::pow(1.6, n - 1)); }
std::optional<double> right_grpc(unsigned n, double, std::mt19937_64& d) { return grpc(n) * (0.8 + 0.4 * u(d)); }
// The blog's decorrelated jitter: base 100 ms, cap 10 s.
std::optional<double> right_decorrelated(unsigned n, double before, std::mt19937_64& d) {
  double const last = n == 1 ? 100 : before;
  return std::min(10'000.0, 100 + u(d) * (3 * last - 100));
}

std::string first_sentence(judged_waits const& j) {
  return j.findings.empty() ? std::string() : j.findings.front().sentence;
}

// Each of the samples of 20 runs is one that a user might see.
TEST(judge_waits, accuses_no_right_program_on_a_busy_machine) {
  machine const m{2, 0.005, 2'000, 0, 0, {12'000'000, 45'000'000, 45'000'000, {}}};
  for (std::uint64_t sample = 0; sample < 500; ++sample) {
    auto const cycles = measured(right_grpc, 20, 8, m, sample);
    auto const j = judged("grpc_connection_backoff", defaults("grpc_connection_backoff"), cycles, m);
    ASSERT_EQ(first_sentence(j), "") << "sample " << sample;
  }
}

// What watch allows on an idle machine. The program takes the same time in each wait, and more in the first.
machine idle(double own_ms = 0, double first_ms = 0) {
  return {3, 0.002, 300, own_ms, first_ms, {3'000'000, 104'000'000, 24'000'000, {}}};
}

TEST(judge_waits, accuses_no_right_program_that_takes_a_time_of_its_own) {
  for (std::uint64_t sample = 0; sample < 64; ++sample) {
    auto const own = static_cast<double>(sample % 8) * 10;
    auto const eighths = sample / 8;
    auto const m = idle(own, static_cast<double>(eighths) * (95 - own) / 8);
    auto const j = judged("grpc_connection_backoff", defaults("grpc_connection_backoff"),
                          measured(right_grpc, 100, 8, m, sample), m);
    ASSERT_EQ(first_sentence(j), "") << "sample " << sample;
    ASSERT_EQ(j.draws, 800U);
  }
}

TEST(judge_waits, finds_faults_of_draws_in_a_program_that_takes_a_time_of_its_own) {
  auto const m = idle(40, 30);
  auto const found = [&](program const& p, std::uint64_t runs) {
    auto const j = judged("grpc_connection_backoff", defaults("grpc_connection_backoff"), measured(p, runs, 8, m), m);
    return j.findings.empty() ? std::string() : j.findings.front().sentence;
  };
  auto const part = [](double from, double to) -> program {
    return [from, to](unsigned n, double, std::mt19937_64& d) {
      return grpc(n) * (0.8 + 0.4 * (from + (to - from) * u(d)));
    };
  };
  EXPECT_NE(found(part(0.5, 0.5), 20), "");
  EXPECT_NE(found(part(0.5, 1), 50), "");
  EXPECT_NE(found(part(0.15, 0.85), 200), "");
  EXPECT_EQ(found(part(0.02, 0.98), 200), "");
}

TEST(judge_waits, accuses_no_range_that_depends_on_the_delay_before) {
  for (std::uint64_t sample = 0; sample < 20; ++sample) {
    auto const cycles = measured(right_decorrelated, 50, 8, {}, sample);
    auto const j = judged("aws_blog_decorrelated_jitter", defaults("aws_blog_decorrelated_jitter"), cycles);
    ASSERT_EQ(first_sentence(j), "") << "sample " << sample;
    ASSERT_GT(j.draws, 200U);
  }
}

struct wrong {
  char const* name;
  program waits;
  fault found;
};

TEST(judge_waits, finds_each_fault_in_fifty_runs) {
  wrong const all[] = {
      {"too short by 30 ms once in ten",
       [](unsigned n, double, std::mt19937_64& d) -> std::optional<double> {
         return n == 4 && u(d) < 0.1 ? grpc(n) * 0.8 - 30 : grpc(n) * (0.8 + 0.4 * u(d));
       },
       fault::early},
      {"too long before the fifth retry",
       [](unsigned n, double, std::mt19937_64& d) -> std::optional<double> {
         return n == 5 ? grpc(n) * 1.2 + 20 : grpc(n) * (0.8 + 0.4 * u(d));
       },
       fault::late},
      {"grows by 1.7",
       [](unsigned n, double, std::mt19937_64& d) -> std::optional<double> {
         return 1000 * std::pow(1.7, n - 1) * (0.8 + 0.4 * u(d));
       },
       fault::late},
      {"no jitter", [](unsigned n, double, std::mt19937_64&) -> std::optional<double> { return grpc(n); },
       fault::draws},
      {"the upper half only",
       [](unsigned n, double, std::mt19937_64& d) -> std::optional<double> { return grpc(n) * (1 + 0.2 * u(d)); },
       fault::draws},
      {"every process draws the same",
       [](unsigned n, double, std::mt19937_64&) -> std::optional<double> {
         std::mt19937_64 same(n);
         return grpc(n) * (0.8 + 0.4 * u(same));
       },
       fault::draws},
  };
  for (auto const& w : all) {
    auto const j = judged("grpc_connection_backoff", defaults("grpc_connection_backoff"), measured(w.waits, 50, 8, {}));
    auto const found = faults_of(j);
    EXPECT_NE(std::ranges::find(found, w.found), found.end()) << w.name;
  }
}

TEST(judge_waits, says_that_every_process_draws_the_same_whatever_it_draws) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    auto const same = [seed](unsigned n, double, std::mt19937_64&) -> std::optional<double> {
      std::mt19937_64 draws(n + 100 * seed);
      return grpc(n) * (0.8 + 0.4 * u(draws));
    };
    auto const j = judged("grpc_connection_backoff", defaults("grpc_connection_backoff"), measured(same, 20, 8, {}));
    ASSERT_FALSE(j.findings.empty()) << seed;
    EXPECT_NE(j.findings.front().sentence.find("every process draws the same"), std::string::npos)
        << j.findings.front().sentence;
  }
}

std::string draws_found(program const& p, std::uint64_t runs, std::string_view stem = "grpc_connection_backoff") {
  return first_sentence(judged(stem, defaults(stem), measured(p, runs, 8, {})));
}

// Each says what is so: processes that draw alike are not ranges that are filled in part, nor is no jitter.
TEST(judge_waits, says_how_draws_are_wrong) {
  auto const part = [](double from, double to) -> program {
    return [from, to](unsigned n, double, std::mt19937_64& d) {
      return grpc(n) * (0.8 + 0.4 * (from + (to - from) * u(d)));
    };
  };
  EXPECT_NE(draws_found(part(0.5, 0.5), 20).find("no jitter"), std::string::npos);
  EXPECT_NE(draws_found(part(1, 1), 20).find("no jitter"), std::string::npos);
  auto const none =
      judged("grpc_connection_backoff", defaults("grpc_connection_backoff"), measured(part(1, 1), 20, 8, {}));
  EXPECT_GT(none.findings.front().seen, 0U) << "as many waits as the sentence says";
  for (auto const& [from, to] : {std::pair(0.25, 0.75), std::pair(0.0, 0.5), std::pair(0.5, 1.0)}) {
    auto const said = draws_found(part(from, to), 20);
    EXPECT_NE(said.find("each quarter"), std::string::npos) << from << ": " << said;
  }
}

TEST(judge_waits, does_not_blame_the_machine_on_the_program) {
  auto const grown = [](unsigned n, double, std::mt19937_64& d) -> std::optional<double> {
    return grpc(n) * (0.8 + 0.4 * u(d)) + (n == 3 ? 5'000 : 0);
  };
  auto cycles = measured(grown, 4, 8, {});
  auto const few = judged("grpc_connection_backoff", defaults("grpc_connection_backoff"), cycles);
  EXPECT_TRUE(few.findings.empty());
  EXPECT_NE(few.doubt.find("4 of 32 waits"), std::string::npos) << few.doubt;
  // A stall that samples show: waits that end in it do not count. Nothing is told of a retry without another wait.
  machine m;
  auto const stalled = [&] {
    return judged("grpc_connection_backoff", defaults("grpc_connection_backoff"), cycles, m);
  };
  for (auto& c : cycles) m.allowed.stalls.emplace_back(c.waits[2].ended_ns - 1, c.waits[2].ended_ns + 1);
  EXPECT_EQ(stalled().in_stalls, 4U);
  EXPECT_TRUE(stalled().findings.empty());
  EXPECT_EQ(stalled().doubt, "no wait before retry 3 was judged, as the machine was slow; more --runs tell");
  cycles.push_back(measured(right_grpc, 5, 8, {}).back());
  EXPECT_EQ(stalled().waits, 36U);
  EXPECT_TRUE(stalled().findings.empty());
  EXPECT_EQ(stalled().doubt.find("no wait before"), std::string::npos);
}

// If a wrong program might have passed, the verdict is open.
TEST(judge_waits, does_not_call_draws_right_where_wrong_ones_would_pass) {
  auto const m = idle();
  auto const judged_runs = [&](program const& p, std::uint64_t runs) {
    return judged("grpc_connection_backoff", defaults("grpc_connection_backoff"), measured(p, runs, 8, m), m);
  };
  program const alike = [](unsigned n, double, std::mt19937_64&) { return grpc(n) * 1.2; };
  program const seeded = [](unsigned n, double, std::mt19937_64&) {
    std::mt19937_64 same(n);
    return grpc(n) * (0.8 + 0.4 * u(same));
  };
  for (std::uint64_t runs = 1; runs < 20; ++runs) {
    for (auto const& wrong : {alike, seeded}) {
      auto const j = judged_runs(wrong, runs);
      EXPECT_TRUE(!j.findings.empty() || !j.doubt.empty()) << runs;
    }
  }
  EXPECT_NE(judged_runs(right_grpc, 1).doubt.find("8 draws are too few to tell from a program without jitter"),
            std::string::npos);
  EXPECT_NE(judged_runs(right_grpc, 5).doubt.find("from processes that all draw the same"), std::string::npos);
  auto const enough = judged_runs(right_grpc, 20);
  EXPECT_EQ(enough.doubt, "");
  ASSERT_GT(enough.narrowest, 0.1);
  for (double const at : {0.0, 0.5, 1.0}) {
    auto const part = enough.narrowest - 0.05;
    auto const j = judged_runs(
        [&](unsigned n, double, std::mt19937_64& d) { return grpc(n) * (0.8 + 0.4 * (at * (1 - part) + part * u(d))); },
        20);
    EXPECT_FALSE(j.findings.empty()) << at;
  }
}

TEST(judge_waits, finds_draws_of_a_run_that_follow_from_each_other) {
  program const once = [](unsigned n, double, std::mt19937_64& d) {
    std::mt19937_64 first = d;  // which the caller does not draw from
    return grpc(n) * (0.8 + 0.4 * u(first));
  };
  program const in_steps = [](unsigned n, double, std::mt19937_64& d) {
    std::mt19937_64 first = d;
    return grpc(n) * (0.8 + 0.4 * std::fmod(u(first) + 0.37 * n, 1));
  };
  EXPECT_NE(draws_found(once, 20).find("depend on each other"), std::string::npos);
  EXPECT_NE(draws_found(in_steps, 20).find("depend on each other"), std::string::npos);
}

TEST(judge_waits, leaves_open_what_the_slack_hides) {
  program const right = [](unsigned n, double, std::mt19937_64&) { return 100.0 * std::pow(2, n - 1); };
  auto const judged_with = [&](program const& p, std::int64_t early_ms, std::int64_t late_ms) {
    machine m;
    m.slow = 0;
    m.allowed = {early_ms * 1'000'000, late_ms * 1'000'000, 1'000'000, {}};
    know_the_shelf();
    auto const with =
        session::parameters_of(named_system("aws_step_functions").shape(),
                               std::vector<std::string>{"interval_s=1", "backoff_rate=2", "max_attempts=5"});
    return judged("aws_step_functions", with,
                  measured([&](unsigned n, double b, std::mt19937_64& d) { return *p(n, b, d) * 10; }, 10, 3, m), m);
  };
  EXPECT_EQ(judged_with(right, 3, 100).doubt, "");
  EXPECT_NE(judged_with(right, 4'000, 100).doubt.find("a program that does not wait would pass"), std::string::npos);
  EXPECT_EQ(judged_with(right, 2'000, 100).doubt, "") << "the third wait is long enough";
  EXPECT_NE(judged_with(right, 3, 4'000).doubt.find("longer than each documented delay"), std::string::npos);
}

TEST(judge_waits, puts_no_more_than_one_in_a_hundred_down_to_the_machine) {
  auto cycles = measured(right_grpc, 40, 4, {});
  auto const doubt = [&] {
    return judged("grpc_connection_backoff", defaults("grpc_connection_backoff"), cycles).doubt;
  };
  cycles[7].waits[2].ns += 5'000'000'000;
  EXPECT_EQ(doubt(), "");
  cycles[9].waits[2].ns += 5'000'000'000;
  EXPECT_EQ(
      doubt(),
      "2 of 160 waits were longer than the document admits, too few to tell from a slow machine; more --runs tell");
  cycles[9].waits[2].ended_ns = cycles[7].waits[2].ended_ns;
  EXPECT_NE(doubt().find("fewer --jobs or more --runs tell"), std::string::npos) << "both end at one moment";
}

TEST(judge_waits, tests_no_draws_of_waits_that_ended_in_a_stall) {
  auto cycles = measured(right_grpc, 20, 1, {});
  EXPECT_EQ(judged("grpc_connection_backoff", defaults("grpc_connection_backoff"), cycles).draws, 20U);
  machine m;
  for (std::size_t i = 0; i < 10; ++i) {
    cycles[i].waits[0].ns = 1'200'000'000;
    m.allowed.stalls.emplace_back(cycles[i].waits[0].ended_ns, cycles[i].waits[0].ended_ns);
  }
  auto const j = judged("grpc_connection_backoff", defaults("grpc_connection_backoff"), cycles, m);
  EXPECT_EQ(j.draws, 10U);
  EXPECT_TRUE(j.findings.empty());
}

TEST(judge_waits, tests_no_draws_before_a_retry_where_many_waits_are_late) {
  auto const late = [](unsigned n, double, std::mt19937_64& d) -> std::optional<double> {
    return n == 2 && u(d) < 0.3 ? grpc(n) * 1.2 + 300 : grpc(n) * (0.8 + 0.4 * u(d));
  };
  auto const j = judged("grpc_connection_backoff", defaults("grpc_connection_backoff"), measured(late, 40, 2, {}));
  EXPECT_TRUE(j.rows[0].draws_tested);
  EXPECT_FALSE(j.rows[1].draws_tested);
  EXPECT_EQ(j.draws, 40U);
}

// resque-retry's exponential backoff gives 5 retries at the most by its policy's parameters.
TEST(judge_waits, counts_the_retries_where_the_document_limits_them) {
  auto with = defaults("aws_backoff_algorithm");
  auto const& s = named_system("aws_backoff_algorithm").shape();
  with.params[present(s.find_param("base_ms"))] = value::of(100);
  with.params[present(s.find_param("max_ms"))] = value::of(1000);
  with.params[present(s.find_param("max_attempts"))] = value::of(4);
  auto const after = [](unsigned retries) {
    return [retries](unsigned n, double, std::mt19937_64& d) -> std::optional<double> {
      if (n > retries) return std::nullopt;
      return std::floor(u(d) * std::min(1000.0, 100 * std::pow(2, n - 1)));
    };
  };
  auto const four = judged("aws_backoff_algorithm", with, measured(after(4), 10, 8, {}));
  EXPECT_TRUE(four.limits_retries);
  EXPECT_TRUE(four.findings.empty()) << four.findings.front().sentence;
  EXPECT_EQ(faults_of(judged("aws_backoff_algorithm", with, measured(after(3), 10, 8, {}))),
            std::vector{fault::gave_up});
  EXPECT_EQ(faults_of(judged("aws_backoff_algorithm", with, measured(after(5), 10, 8, {}))),
            std::vector{fault::too_many});
  EXPECT_FALSE(judged("grpc_connection_backoff", defaults("grpc_connection_backoff"), measured(right_grpc, 1, 2, {}))
                   .limits_retries);
}

std::shared_ptr<judged_system const> policy_of(std::string const& text) {
  return policies::undeclared(policies::read_policy("p.yaml", text), policies::thoroughness::brief);
}

// What a program does that has waited so long, and whose clock says so much; nothing: it gives up. In milliseconds.
using timed_program = std::function<std::optional<double>(double waited, double clock, std::mt19937_64& draws)>;

// Its clock begins `start_ms` before its first attempt. Each attempt takes the same time.
std::vector<failed_cycle> measured_by_time(timed_program const& p, std::uint64_t runs, double start_ms,
                                           double attempt_ms, std::uint64_t seed = 1) {
  std::vector<failed_cycle> all;
  for (std::uint64_t run = 0; run < runs; ++run) {
    std::mt19937_64 draws(1000 * seed + run);
    failed_cycle c;
    c.begun_ns = std::llround(start_ms * 1e6);
    c.last_tried_ns = std::llround(attempt_ms * 1e6);
    double waited = 0;
    double clock = start_ms + attempt_ms;
    while (c.waits.size() < 60) {
      auto const ms = p(waited, clock, draws);
      if (!ms) {
        c.gave_up = failed_cycle::end{1, 0};
        break;
      }
      double const measured = *ms + 0.2 + u(draws);
      waited += *ms;
      clock += measured + attempt_ms;
      auto const ended = static_cast<std::int64_t>(run) * 1'000'000'000'000 + std::llround(clock * 1e6);
      c.waits.push_back({std::llround(measured * 1e6), ended, std::llround(attempt_ms * 1e6)});
    }
    all.push_back(std::move(c));
  }
  return all;
}

judged_waits judged_by_time(judged_system const& document, std::vector<failed_cycle> const& cycles) {
  history with;
  failure_arguments const failures(document, {{{watch::failure::kind::status, 503}}, {}}, {});
  auto const m = idle();
  return judge_waits(document, with, failures, cycles, m.allowed, alpha);
}

TEST(judge_waits, takes_the_time_elapsed_for_that_of_the_delays_or_for_that_of_the_attempts_too) {
  auto const cut = policy_of("name: cut\nunit: ms\ndelay: min(200 * 2^n, 1000 - elapsed)\nwhile: elapsed < 1000\n");
  auto const next = [](double& n) { return 200 * std::pow(2, n++); };
  for (double const start_ms : {0.0, 60.0, 600.0}) {
    for (double const attempt_ms : {0.5, 40.0, 900.0}) {
      for (bool const counts_attempts : {false, true}) {
        double n = 0;
        auto const right = [&](double waited, double clock, std::mt19937_64&) -> std::optional<double> {
          if (waited == 0) n = 0;
          double const left = 1000 - (counts_attempts ? clock : waited);
          return left <= 0 ? std::nullopt : std::optional(std::min(next(n), left));
        };
        auto const j = judged_by_time(*cut, measured_by_time(right, 20, start_ms, attempt_ms));
        EXPECT_TRUE(j.findings.empty()) << start_ms << attempt_ms << counts_attempts << j.findings.front().sentence;
        EXPECT_TRUE(j.limits_retries);
      }
    }
  }
  double n = 0;
  auto const found = [&](timed_program const& p) {
    return faults_of(judged_by_time(*cut, measured_by_time(p, 20, 10, 1)));
  };
  auto const begin = [&](double waited) {
    if (waited == 0) n = 0;
  };
  EXPECT_EQ(found([&](double waited, double, std::mt19937_64&) -> std::optional<double> {
              begin(waited);
              return waited >= 1000 ? std::nullopt : std::optional(next(n));
            }),
            std::vector{fault::late})
      << "cuts nothing";
  EXPECT_EQ(found([&](double waited, double, std::mt19937_64&) -> std::optional<double> {
              begin(waited);
              return waited >= 600 ? std::nullopt : std::optional(next(n));
            }),
            std::vector{fault::gave_up})
      << "leaves out the last wait";
  EXPECT_EQ(found([&](double waited, double, std::mt19937_64&) -> std::optional<double> {
              begin(waited);
              return std::min(next(n), 2000 - waited) > 0 ? std::optional(std::min(next(n), 2000 - waited))
                                                          : std::nullopt;
            }).front(),
            fault::late)
      << "twice the deadline";
}

TEST(judge_waits, knows_that_a_budget_ends_the_retries_whatever_is_drawn) {
  auto const budget = policy_of(
      "name: budget\nunit: ms\nparameters:\n  budget: {default: 3000, range: [1, 3600000]}\n"
      "delay: uniform(0, 1000)\nwhile: elapsed + delay <= budget\n");
  auto const drawing = [](double most, bool counts_attempts) -> timed_program {
    return [=](double waited, double clock, std::mt19937_64& d) -> std::optional<double> {
      double const wait = 1000 * u(d);
      return (counts_attempts ? clock : waited) + wait <= most ? std::optional(wait) : std::nullopt;
    };
  };
  auto const with = [&](timed_program const& p, std::uint64_t seed) {
    history h;
    h.params[0] = budget->shape().defaults[0];
    failure_arguments const failures(*budget, {{{watch::failure::kind::status, 503}}, {}}, {});
    return judge_waits(*budget, h, failures, measured_by_time(p, 30, 20, 2, seed), idle().allowed, alpha);
  };
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    for (bool const counts_attempts : {false, true}) {
      auto const j = with(drawing(3000, counts_attempts), seed);
      ASSERT_TRUE(j.findings.empty()) << seed << counts_attempts << j.findings.front().sentence;
      EXPECT_TRUE(j.limits_retries);
      EXPECT_GT(j.draws, 50U);
    }
  }
  auto const four_times = with(drawing(12'000, false), 1);
  ASSERT_EQ(faults_of(four_times), std::vector{fault::too_many});
  EXPECT_NE(four_times.findings.front().sentence.find("at most, after 2.9 s of waits"), std::string::npos)
      << four_times.findings.front().sentence;
  EXPECT_EQ(faults_of(with(drawing(1'000, false), 1)), std::vector{fault::gave_up});
}

// Where a server lets an attempt hang, it sees late that the client has gone.
TEST(judge_waits, may_be_shorter_only_after_an_attempt_that_hung) {
  auto const steady = policy_of("name: steady\nunit: ms\ndelay: 800\nattempts: 2\n");
  failure_arguments const failures(*steady, {{{watch::failure::kind::status, 503}, {watch::failure::kind::hang}}, {}},
                                   {});
  std::vector<failed_cycle> cycles(20);
  auto m = idle();
  m.allowed.early_after_hang_ns = 100'000'000;
  auto const found = [&](std::int64_t after_status_ms, std::int64_t after_hang_ms) {
    for (std::size_t i = 0; i < cycles.size(); ++i) {
      auto const at = static_cast<std::int64_t>(i + 1) * 10'000'000'000;
      cycles[i].waits = {{after_status_ms * 1'000'000, at}, {after_hang_ms * 1'000'000, at + 1'000'000'000}};
    }
    return faults_of(judge_waits(*steady, history{}, failures, cycles, m.allowed, alpha));
  };
  EXPECT_EQ(found(800, 750), std::vector<fault>());
  EXPECT_EQ(found(750, 800), std::vector{fault::early});
  EXPECT_EQ(found(800, 650), std::vector{fault::early});
}

TEST(longest_delays, are_those_of_each_retry_whatever_was_waited_before) {
  auto const longest = [](std::string const& text) {
    auto const policy = policy_of("name: p\nunit: ms\n" + text);
    failure_arguments const failures(*policy, {{{watch::failure::kind::status, 503}}, {}}, {});
    return longest_delays(*policy, history{}, failures, 4);
  };
  EXPECT_EQ(longest("delay: 500 * 2^n\nwhile: elapsed < 7000\n"), (std::vector{5e8, 1e9, 2e9, 4e9}));
  EXPECT_EQ(longest("delay: uniform(100, prev * 3)\nprev: 100\n").back(), 81e8);
  EXPECT_EQ(longest("delay: 100\nattempts: 2\n"), (std::vector{1e8, 1e8, 0.0, 0.0}));
}

TEST(judge_waits, calls_one_wait_for_all_retries_no_jitter) {
  auto const full = policy_of("name: full\nunit: ms\ndelay: uniform(0, 1000 * 2^n)\n");
  failure_arguments const failures(*full, {{{watch::failure::kind::status, 503}}, {}}, {});
  auto const half = [](unsigned, double, std::mt19937_64&) -> std::optional<double> { return 500; };
  machine const m;
  auto const j = judge_waits(*full, history{}, failures, measured(half, 40, 5, m), m.allowed, alpha);
  ASSERT_EQ(faults_of(j), std::vector{fault::draws});
  EXPECT_EQ(j.findings.front().sentence, "no jitter: each wait is about 500 ms");
}

// Six programs that run side by side all wait three seconds too long, where no sample was late by more than a
// millisecond.
TEST(judge_waits, puts_long_waits_at_once_down_to_the_machine_only_if_it_was_slow) {
  std::vector<failed_cycle> cycles(6);
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    auto const at = static_cast<std::int64_t>(i) * 10'000'000;
    cycles[i].waits = {
        {1'000'000'000, 1'000'000'000 + at}, {4'000'000'000, 5'000'000'000 + at}, {4'000'000'000, 9'000'000'000 + at}};
  }
  auto const steady = policy_of("name: steady\nunit: s\ndelay: 1\nattempts: 3\n");
  history const with;
  failure_arguments const failures(*steady, {{{watch::failure::kind::status, 503}}, {}}, {});
  auto m = idle();
  auto const judged_now = [&] { return judge_waits(*steady, with, failures, cycles, m.allowed, alpha); };
  m.allowed.late_most_ns = 200'000'000;
  EXPECT_EQ(faults_of(judged_now()), (std::vector{fault::late, fault::late}));
  m.allowed.late_most_ns = 3'000'000'000;
  EXPECT_TRUE(judged_now().findings.empty());
  EXPECT_NE(judged_now().doubt.find("12 of 18 waits"), std::string::npos) << judged_now().doubt;
}

TEST(judge_waits, finds_a_program_that_never_comes_back) {
  auto cycles = measured(right_grpc, 3, 4, {});
  for (auto& c : cycles) c.open_ns = 60'000'000'000;
  auto const j = judged("grpc_connection_backoff", defaults("grpc_connection_backoff"), cycles);
  ASSERT_EQ(faults_of(j), std::vector{fault::never_came_back});
  EXPECT_EQ(j.findings.front().sentence,
            "after 4 retries it did not come back for 60.0 s; the longest documented delay is 7.9 s");
  for (auto& c : cycles) c.open_ns = 7'000'000'000;  // the fifth delay may be 7.9 s
  EXPECT_TRUE(judged("grpc_connection_backoff", defaults("grpc_connection_backoff"), cycles).findings.empty());
}

}  // namespace
}  // namespace backoff::waits
