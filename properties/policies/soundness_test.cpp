// The shelf's policies, played as ports: each conforms to itself under every one of its readings, with every kind of
// draw, and does not conform to what it is after one small change of its formulas, or of its draws somewhere.
#include <gtest/gtest.h>

#include <charconv>
#include <cmath>

#include "histories/generate.hpp"
#include "histories/present.hpp"
#include "judge/effort_test.hpp"
#include "judge/model_subject.hpp"
#include "judge/plan.hpp"
#include "policies/drawing_port_test.hpp"
#include "policies/shelf_test.hpp"

namespace backoff::policies {
namespace {

// The same policy with one word of it changed, under another name.
judged_system const& changed(std::string const& name, std::string const& from, std::string const& to) {
  static unsigned count = 0;
  auto text = shelf_text(name);
  auto const other = "changed_" + std::to_string(++count);
  auto const replace = [&](std::string const& old, std::string const& by) {
    auto const at = text.find(old);
    EXPECT_NE(at, std::string::npos) << old;
    text.replace(at, old.size(), by);
  };
  replace("\nname: " + name, "\nname: " + other);
  replace(from, to);
  return known(other, text);
}

verdict verdict_on(judged_system const& system, subject& port, std::uint64_t cases, std::uint64_t seed = 1) {
  auto begun = run::begin(system, port.describes(), {});
  auto& judged = std::get<run>(begun);
  drive(judged, port, cases, seed);

  return judged.verdict();
}

constexpr std::array<draw_source, 2> sources{draw_source{spec::draw_kind::u32, std::uint64_t{1} << 32},
                                             draw_source{spec::draw_kind::unit, std::uint64_t{1} << 32}};

// Every way to read the policy under which a draw decides the delay, hazards apart.
std::vector<spec::cube> ways_to_draw(judged_system const& system) {
  auto const& table = system.readings();
  std::vector<spec::cube> all;
  for (auto const cube : system.assignments(drawing_port::draws.kind)) {
    auto const admitted = table.common(cube, table.admitting(spec::standing::open));
    auto const mapping = table.find("draw-mapping");
    if (!admitted || !mapping) continue;
    auto const played = table.simplest(*admitted);
    if (table.common(played, spec::exactly_mapped(table))) all.push_back(played);
  }
  return all;
}

class policies : public testing::TestWithParam<std::string> {};

TEST_P(policies, conform_to_themselves_under_each_reading) {
  auto const& system = shelf(GetParam());
  for (auto const& draws : sources) {
    auto const& table = system.readings();
    for (auto const cube : system.assignments(draws.kind)) {
      auto const admitted = table.common(cube, table.admitting(spec::standing::open));
      ASSERT_TRUE(admitted);
      auto const played = table.simplest(present(admitted));
      auto const mapping = table.find("draw-mapping");
      // Of what is admitted otherwise, any may be played, which is no distribution.
      bool const inexact = mapping && !table.common(played, spec::exactly_mapped(table));
      if (inexact) continue;
      model_subject port(system, played, draws, 1);
      EXPECT_EQ(verdict_on(system, port, 300), verdict::conforms) << static_cast<int>(draws.kind);
    }
  }
}

TEST_P(policies, conform_to_themselves_with_draws_of_their_own) {
  auto const& system = shelf(GetParam());
  for (auto const played : ways_to_draw(system)) {
    for (std::uint64_t seed = 1; seed <= effort_multiplier(); ++seed) {
      drawing_port port(system, played, seed);
      EXPECT_EQ(verdict_on(system, port, 2'000, seed), verdict::conforms) << seed;
    }
  }
}

// A port that has the upper 24 bits of a draw, as a float of 32 bits does.
class float_port final : public subject {
 public:
  float_port(judged_system const& system, spec::cube reading, draw_source const& draws)
      : formulas_(system, reading, draws, 1), drawn_(system.shape().draw_of(0)) {}
  [[nodiscard]] capabilities const& describes() const noexcept override { return formulas_.describes(); }
  [[nodiscard]] std::vector<result> run(std::span<history const> histories) override {
    std::vector<history> drawn(histories.begin(), histories.end());
    for (auto& h : drawn) {
      for (auto& call : h.steps) {
        if (call.op == 0) call.args[drawn_].n &= ~std::int64_t{0xff};
      }
    }
    return formulas_.run(drawn);
  }

 private:
  model_subject formulas_;
  std::size_t drawn_;
};

TEST_P(policies, are_followed_by_ports_with_coarser_draws) {
  auto const& system = shelf(GetParam());
  auto const& table = system.readings();
  constexpr draw_source u32{};
  for (auto const cube : system.assignments(u32.kind)) {
    auto const played = table.simplest(present(table.common(cube, table.admitting(spec::standing::open))));
    auto const is_played = [&](std::string_view name) {
      auto const mapping = table.find("draw-mapping");
      auto const alternative = mapping ? table.find(*mapping, name) : std::nullopt;
      return alternative && (played.bits & table.bit(*mapping, *alternative)) != 0;
    };
    if (!is_played("real") && !is_played("scaled")) continue;
    float_port port(system, played, u32);
    EXPECT_NE(verdict_on(system, port, 2'000), verdict::does_not_conform);
  }
}

INSTANTIATE_TEST_SUITE_P(shelf, policies, testing::ValuesIn(shelf_names()),
                         [](auto const& tested) { return tested.param; });

TEST(policies, may_demand_that_processes_draw_differently) {
  for (std::string const strength : {"must", "recommended"}) {
    auto const& system = changed("aws_blog_full_jitter", "\nunit:", "\nseeds: " + strength + "\nunit:");
    auto const reading = ways_to_draw(system).front();
    auto const seeded = [&](std::uint64_t seed) {
      drawing_port port(system, reading, seed);
      port.takes().features |= bit(feature::fresh_process);
      return port;
    };
    for (bool const alike : {false, true}) {
      auto port = seeded(1);
      auto judged = std::get<run>(run::begin(system, port.describes(), {}));
      drive(judged, port, 2'000, 1);
      auto const both = plan(system.shape(), judged.about().takes, 2'000, 1, true).for_two_processes();
      auto const one = seeded(2).run(both);
      auto const other = seeded(alike ? 2 : 3).run(both);
      for (std::size_t i = 0; i < both.size(); ++i) judged.judge_twice(both[i], one[i], other[i]);
      EXPECT_EQ(judged.verdict() == verdict::does_not_conform, alike && strength == "must") << strength << alike;
      EXPECT_EQ(judged.breaches().empty(), !alike) << strength << alike;
    }
  }
}

TEST(policies, do_not_conform_to_what_differs_in_one_place) {
  for (auto const& [name, from, to] :
       {std::array{"aws_blog_full_jitter", "base * 2^n", "base * 2^n + 1"},
        std::array{"aws_blog_full_jitter", "min(cap, base * 2^n)", "min(cap, base * 3^n)"},
        std::array{"aws_blog_equal_jitter", "window / 2 + uniform", "window / 3 + uniform"},
        std::array{"aws_blog_equal_jitter", "uniform(0, window / 2)", "uniform(0, window / 3)"},
        std::array{"aws_blog_decorrelated_jitter", "prev * 3)", "prev * 2.99)"},
        std::array{"aws_blog_decorrelated_jitter", "prev: base", "prev: base + 1"},
        std::array{"grpc_connection_backoff", "multiplier^n", "multiplier^(n + 1)"},
        std::array{"grpc_connection_backoff", "(1 + jitter)", "(1 + jitter / 2)"},
        std::array{"google_cloud_truncated", "integer(0, 1000)", "integer(0, 999)"},
        std::array{"kubernetes_crash_loop", "min(300", "min(301"},
        std::array{"temporal_retry_policy", "attempts: maximum_retries", "attempts: maximum_retries\nfirst: 1"},
        std::array{"kafka_reconnect_backoff", "reconnect_backoff_ms * 2^n", "reconnect_backoff_ms * 2^min(n, 10)"},
        std::array{"tcp_rto_backoff", "n + 1", "n"}, std::array{"urllib3_retry", "first: 0", "first: 0.001"},
        std::array{"aws_sdk_standard_retry", "max_attempts - 1", "max_attempts"},
        std::array{"aws_sdk_standard_retry", "from-0: min(max_backoff, uniform(0, 1)",
                   "from-0: min(max_backoff, uniform(0, 0.9)"},
        std::array{"opentelemetry_collector_exporter", "initial_interval * multiplier^n",
                   "initial_interval * multiplier^(n + 1)"}}) {
    SCOPED_TRACE(std::string(name) + ": " + to);
    auto const& right = shelf(name);
    auto const& wrong = changed(name, from, to);
    auto const source = sources[1];
    auto const& table = wrong.readings();
    auto const possible = wrong.assignments(source.kind);
    model_subject port(wrong, table.simplest(possible.front()), source, 1);
    EXPECT_EQ(verdict_on(right, port, 1'000), verdict::does_not_conform);
  }
}

constexpr char const* everyday = R"(
name: everyday
unit: ms
parameters:
  base: {default: 1000, range: [1, 60000]}
  cap: {default: 120000, range: [1, 3600000]}
  limit: {default: forever, range: [0, 100]}
window: min(cap, base * 1.6^n)
delay: uniform(0.8 * window, 1.2 * window)
attempts: limit
)";

// What samples by themselves do not show: they have no limit, and few bases.
// A window that has reached its bound stays there only if nothing can make it fall.
TEST(policies, have_windows_that_leave_their_bounds) {
  auto const& system = known("leaving", R"(
name: leaving
unit: ms
parameters: {base: {default: 400, range: [1, 1000]}, factor: {default: 0.5, range: [0.5, 2.0]}}
window: min(100, base * factor^n)
delay: integer(0, window)
)");
  history h;
  h.steps.resize(6);
  examiner judged(system);
  auto const widths = [&](std::int64_t base, std::int64_t tenths) {
    h.params = {value::of(base), value{value_kind::decimal, 1, tenths}};
    std::vector<spec::integer> all;
    auto const canonical = system.readings().admitting(spec::standing::canonical);
    for (auto const& e : judged.admitted(h, {}, {spec::draw_kind::hidden, 1}, canonical))
      all.push_back(e[1].count() - 1);
    return all;
  };
  EXPECT_EQ(widths(400, 5), (std::vector<spec::integer>{100, 100, 100, 50, 25, 12}));
  EXPECT_EQ(widths(30, 20), (std::vector<spec::integer>{30, 60, 100, 100, 100, 100}));
}

TEST(hidden_draws_of_a_policy, count_wherever_histories_go) {
  auto const& system = known("everyday", everyday);
  auto const right = ways_to_draw(system).front();
  auto const is_limited = [](history const& h, std::size_t) { return h.params[2].kind == value_kind::integer; };
  auto const is_late = [](history const&, std::size_t calls) { return calls >= 20; };
  auto const has_small_base = [](history const& h, std::size_t) { return h.params[0].n < 1'000 && h.params[0].n > 6; };
  auto const has_everyday_cap = [](history const& h, std::size_t) {
    return h.params[1].n > 1'000 && h.params[1].n < 100'000;
  };
  for (where_fixed const& fixed :
       {where_fixed(is_limited), where_fixed(is_late), where_fixed(has_small_base), where_fixed(has_everyday_cap)}) {
    drawing_port port(system, right, 1, fixed);
    EXPECT_EQ(verdict_on(system, port, 2'000), verdict::does_not_conform);
  }
}

// Where nobody knows what a right port draws from: windows that doubles may miss, and draws next to nothing beside what
// is added to them.
TEST(hidden_draws_of_a_policy, are_tested_only_where_their_window_is_known) {
  for (auto const& [name, draw] :
       {std::pair{"missed", "integer(0, 10 * 1.1)"}, std::pair{"fine", "1000000 * 2^n + uniform(0, 1)"},
        std::pair{"wide", "integer(0, 3 * 2^n)"},
        std::pair{"grown", "integer(1000000000000000 * 2^n, 1000000000000000 * 2^n + 9)"}}) {
    SCOPED_TRACE(name);
    auto const& system = known(name, "name: " + std::string(name) + "\nunit: ms\ndelay: " + draw + "\n");
    for (auto const played : ways_to_draw(system)) {
      drawing_port port(system, played, 1);
      EXPECT_NE(verdict_on(system, port, 1'000), verdict::does_not_conform);
    }
  }
}

judged_system const& of_delay(std::string const& name, std::string const& delay) {
  return known(name, "name: " + name +
                         "\nunit: ms\nparameters: {base: {default: 1000, range: [1, 60000]}}\ndelay: " + delay + "\n");
}

// Bounds and roundings around a draw give single values a probability of their own.
TEST(hidden_draws_of_a_policy, may_be_heaped_up_by_a_bound_or_rounded) {
  int number = 0;
  for (auto const* draw :
       {"min(30000, uniform(24000, 36000))", "max(base, uniform(0, 3 * base))", "min(2 * base, uniform(0, 2.1 * base))",
        "max(500, min(900, uniform(0, 1000)))", "min(30, integer(0, 60))", "max(5, integer(0, 1000))",
        "floor(uniform(0.5, 49.5))", "round(uniform(0, 50))", "min(40, round(uniform(0, 50)))",
        "base + min(100, uniform(0, 101))"}) {
    SCOPED_TRACE(draw);
    auto const& system = of_delay("heaped_" + std::to_string(++number), draw);
    for (auto const played : ways_to_draw(system)) {
      for (std::uint64_t seed = 1; seed <= effort_multiplier(); ++seed) {
        drawing_port port(system, played, seed);
        EXPECT_EQ(verdict_on(system, port, 2'000, seed), verdict::conforms) << seed;
      }
    }
  }
}

// Where parameters are at an end of their ranges, bounds cut windows that they leave alone elsewhere.
TEST(hidden_draws_of_a_policy, are_right_at_the_ends_of_the_ranges_of_the_shelf) {
  int number = 0;
  for (auto const* name : {"aws_blog_full_jitter", "aws_blog_equal_jitter", "aws_blog_decorrelated_jitter",
                           "grpc_connection_backoff", "google_cloud_truncated", "temporal_retry_policy",
                           "kafka_reconnect_backoff", "aws_sdk_standard_retry", "opentelemetry_collector_exporter"}) {
    auto const& system = shelf(name);
    auto const& params = system.shape().params;
    for (auto const played : ways_to_draw(system)) {
      for (std::size_t at = 0; at < 2 * params.size(); ++at) {
        if (effort_multiplier() == 1 && ++number % 7 != 0) continue;
        drawing_port port(system, played, 1);
        auto& range = port.takes().params[at / 2];
        if (range.low == range.high) continue;
        (at % 2 == 0 ? range.high : range.low) = at % 2 == 0 ? range.low : range.high;
        EXPECT_NE(verdict_on(system, port, 1'000), verdict::does_not_conform)
            << name << ", " << params[at / 2].name << " at its " << (at % 2 == 0 ? "least" : "most");
      }
    }
  }
}

// A port that is told a draw of [0, 1) and has a formula of its own.
class own_formula final : public subject {
 public:
  using formula = double (*)(double draw, double base, int retries);
  own_formula(judged_system const& system, formula delay) : delay_(delay) {
    about_.takes = documented_domain(system.shape(), sources[1]);
    about_.takes.features = system.shape().features & ~bit(feature::fresh_process);
  }
  [[nodiscard]] capabilities const& describes() const noexcept override { return about_; }
  [[nodiscard]] std::vector<result> run(std::span<history const> histories) override {
    std::vector<result> all;
    for (auto const& h : histories) {
      result r{result_kind::answered, {}, {}};
      std::array<int, instances_max> retries{};
      for (auto const& call : h.steps) {
        answer a{};
        if (call.op == 1) {
          retries[call.on] = 0;
          a[0] = spec::observed::word(2);  // ok
        } else {
          double const draw = static_cast<double>(call.args[0].n) / static_cast<double>(sources[1].size);
          a[0] = spec::observed::word(0);  // retry
          double const delay = delay_(draw, static_cast<double>(h.params[0].n), retries[call.on]++);
          a[1] = spec::observed::of(present(spec::parse_decimal(written(delay))));
        }
        r.answers.push_back(a);
      }
      all.push_back(std::move(r));
    }
    return all;
  }

 private:
  static std::string written(double x) {
    std::array<char, 64> text{};
    auto const end = std::to_chars(text.begin(), text.end(), x, std::chars_format::scientific).ptr;
    return {text.begin(), end};
  }

  formula delay_;
  capabilities about_;
};

struct judged_as {
  judge::verdict verdict;
  judge::grade grade;
  friend bool operator==(judged_as const&, judged_as const&) = default;
  friend void PrintTo(judged_as const& j, std::ostream* to) {
    *to << static_cast<int>(j.verdict) << "/" << static_cast<int>(j.grade);
  }
};
judged_as judged(judged_system const& system, own_formula::formula formula) {
  own_formula port(system, formula);
  auto judged = std::get<run>(run::begin(system, port.describes(), {}));
  drive(judged, port, 1'000, 1);
  return {judged.verdict(), judged.grade()};
}

TEST(given_draws_of_a_policy, are_taken_with_the_sign_that_the_formula_has) {
  auto const& falling = of_delay("falling", "base - uniform(0, base)");
  constexpr judged_as exactly{verdict::conforms, grade::exact};
  constexpr judged_as by_distribution{verdict::conforms, grade::distribution};
  own_formula::formula const rises = [](double draw, double base, int) { return draw * base; };
  own_formula::formula const falls = [](double draw, double base, int) { return base - draw * base; };
  EXPECT_EQ(judged(falling, falls), exactly);
  EXPECT_EQ(judged(falling, rises), by_distribution);
  auto const& rising = of_delay("rising", "uniform(0, base)");
  EXPECT_EQ(judged(rising, rises), exactly);
  EXPECT_EQ(judged(rising, falls), by_distribution);
}

// (double)rand() / RAND_MAX * w is near; a longer window, or later delays, are a fault all the same.
TEST(given_draws_of_a_policy, may_be_divided_by_the_largest_of_them) {
  auto const& rising = of_delay("rising", "uniform(0, base)");
  static constexpr auto closed = [](double draw) { return draw * 4294967296.0 / 4294967295.0; };
  own_formula::formula const to_the_end = [](double draw, double base, int) { return closed(draw) * base; };
  own_formula::formula const longer = [](double draw, double base, int) { return closed(draw) * base * 1.001; };
  own_formula::formula const later = [](double draw, double base, int) { return closed(draw) * base + 0.005; };
  EXPECT_EQ(judged(rising, to_the_end), (judged_as{verdict::conforms, grade::distribution}));
  EXPECT_EQ(judged(rising, longer), (judged_as{verdict::does_not_conform, grade::exact}));
  EXPECT_EQ(judged(rising, later), (judged_as{verdict::does_not_conform, grade::exact}));
}

TEST(given_draws_of_a_policy, may_be_small_differences_of_doubles) {
  auto const& falling = of_delay("falling_far", "base * 2^n - uniform(0, base * 2^n)");
  own_formula::formula const in_doubles = [](double draw, double base, int retries) {
    double const window = base * std::pow(2.0, std::min(retries, 600));
    return window - draw * window;
  };
  EXPECT_EQ(judged(falling, in_doubles), (judged_as{verdict::conforms, grade::exact}));
}

TEST(given_draws_of_a_policy, that_are_whole_are_held_to_doubles_where_these_end) {
  auto const& wide = of_delay("beyond_doubles", "integer(0, base * 3^n)");
  own_formula::formula const in_doubles = [](double draw, double base, int retries) {
    return std::floor(draw * (base * std::pow(3.0, std::min(retries, 600)) + 1));
  };
  own_formula::formula const off_by_a_millionth = [](double draw, double base, int retries) {
    double const window = base * std::pow(3.0, std::min(retries, 600)) + 1;
    return std::floor(draw * (window > 1e17 ? window * (1 - 1e-6) : window));
  };
  EXPECT_EQ(judged(wide, in_doubles), (judged_as{verdict::conforms, grade::exact}));
  EXPECT_EQ(judged(wide, off_by_a_millionth).verdict, verdict::does_not_conform);
}

// A port that differs at one draw has the mapping of all the others, and a fault.
TEST(given_draws_of_a_policy, are_mapped_as_most_of_them_are) {
  auto const& rising = of_delay("rising", "uniform(0, base)");
  own_formula::formula const zero_is_none = [](double draw, double base, int) {
    return (draw == 0 ? 0.5 : draw) * base;
  };
  EXPECT_EQ(judged(rising, zero_is_none), (judged_as{verdict::does_not_conform, grade::exact}));
}

// A delay beyond 10^18 ends what is judged of a history, and hides the draws of other instances: none of that history
// may count then.
TEST(hidden_draws_of_a_policy, count_in_histories_where_no_draw_hides_another) {
  auto const tells = [](std::string const& name, std::string const& delay, std::initializer_list<std::uint8_t> on) {
    auto const& system = known(name, "name: " + name + "\nunit: ms\nprev: 10\ndelay: " + delay + "\n");
    history h;
    for (auto const i : on) h.steps.push_back({0, i, {}});
    return system.shape().tells_draws.in(h);
  };
  EXPECT_TRUE(tells("endless", "uniform(10, prev * 3)", {0, 0}));
  EXPECT_FALSE(tells("endless", "uniform(10, prev * 3)", {0, 1}));
  EXPECT_TRUE(tells("bounded", "min(5000, uniform(10, prev * 3))", {0, 1}));
  EXPECT_FALSE(tells("beyond", "min(1e19, uniform(10, prev * 3))", {0, 1}));
}

TEST(histories, knows_the_waits_that_people_configure_in_the_unit_of_the_policy) {
  for (auto const& [unit, hour] :
       {std::pair{"ns", 3'600'000'000'000}, {"us", 3'600'000'000}, {"ms", 3'600'000}, {"s", 3'600}}) {
    auto const text = std::string("name: hour_in_") + unit + "\nunit: " + unit +
                      "\nparameters:\n  cap: {default: 5, range: [1, 5000000000000]}\ndelay: cap\n";
    auto const& specials = known(std::string("hour_in_") + unit, text).shape().params[0].specials;
    EXPECT_EQ(std::ranges::count(specials, hour, &special::value), 1) << unit;
  }
}

}  // namespace
}  // namespace backoff::policies
