// What shows a broken claim: the smallest history, or the smallest set of them, and the reading that would excuse it.
#include "judge/counterexample.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "histories/present.hpp"
#include "judge/countdown_test.hpp"

namespace {

using namespace backoff::judge;
namespace spec = backoff::spec;
using countdown::asked;
using countdown::right_plus;
using countdown::said;

result const broke{result_kind::broke, {}, "gone"};

std::vector<history> every_small_history() {
  std::vector<history> all;
  for (std::int64_t from = 0; from < 10; ++from) {
    for (std::size_t calls = 1; calls < 13; ++calls) all.push_back(asked(from, calls));
  }
  return all;
}

// A run over these histories, judged to its end.
struct judged_port {
  explicit judged_port(std::function<result(history const&)> answers,
                       std::vector<history> const& tried = every_small_history())
      : port(std::move(answers)), judged(countdown::begun(countdown::system, port.describes())) {
    for (auto const& h : tried) judged.judge(h, port.run(std::span(&h, 1)).front());
  }
  [[nodiscard]] counterexample shown() { return minimise(judged, port, judged.breaches().front()); }

  countdown::port port;
  run judged;
};

TEST(counterexample, is_the_smallest_history_and_names_the_hazard_that_would_excuse_it) {
  judged_port p([](history const& h) { return right_plus(h, 1); });
  auto const c = p.shown();
  ASSERT_EQ(c.histories.size(), 1U);
  EXPECT_EQ(c.histories[0].tried, asked(1, 1));  // from 0, from-minus-1 has ended, where no must speaks
  EXPECT_EQ(c.excuses, std::vector<std::string>{"first=from-plus-1"});
  EXPECT_EQ(c.shows.claim, countdown::counts_down);
  EXPECT_EQ(c.how, how_shown::together);
  EXPECT_EQ(deviations(countdown::table, c.explained_by), std::vector<std::string>{"first=from-minus-1"});
}

// Of a fault in one of several regions.
TEST(counterexample, is_the_smallest_of_those_that_may_show_it) {
  judged_port p([](history const& h) { return right_plus(h, 50); });
  auto shown = p.judged.breaches().front();
  auto const within = [](history const& h) { return h.params[0].n > 4; };
  shown.first = {99, asked(7, 3), right_plus(asked(7, 3), 50)};
  auto const c = minimise(p.judged, p.port, shown, within);
  ASSERT_EQ(c.histories.size(), 1U);
  EXPECT_EQ(c.histories[0].tried, asked(5, 1));
  EXPECT_EQ(p.shown().histories[0].tried, asked(1, 1));
  // One that an open reading fits is not replaced by one of elsewhere that none fits.
  shown.first = {99, asked(7, 3), right_plus(asked(7, 3), -1)};
  EXPECT_TRUE(within(minimise(p.judged, p.port, shown, within).histories.back().tried));
}

TEST(counterexample, has_no_excuse_where_no_reading_fits) {
  judged_port p([](history const& h) { return right_plus(h, 50); });
  auto const c = p.shown();
  EXPECT_EQ(c.histories.size(), 1U);
  EXPECT_EQ(c.excuses, std::vector<std::string>{});
}

TEST(counterexample, is_excused_by_a_hazard_whatever_is_only_advised) {
  judged_port p([](history const& h) {
    auto r = right_plus(h, 1);
    for (std::size_t i = 0; i < r.answers.size(); ++i) {
      if (static_cast<std::int64_t>(i) > h.params[0].n + 1) r.answers[i] = countdown::says(7);
    }
    return r;
  });
  EXPECT_EQ(p.shown().excuses, std::vector<std::string>{"first=from-plus-1"}) << "and not end=undefined too";
}

TEST(counterexample, of_advice_is_excused_by_a_hazard_only_where_it_fits_all_histories) {
  explorer<countdown::advised> const system;
  auto const about = countdown::about_port();
  auto judged = countdown::begun(system, about);
  evidence const first{0, asked(5, 1), said({6})};
  judged.judge(first.tried, first.got);
  ASSERT_EQ(judged.breaches().size(), 1U);
  EXPECT_EQ(excuses_of(judged, judged.breaches().front(), first), std::vector<std::string>{"first=from-plus-1"});
  judged.judge(asked(3, 1), said({9}));
  EXPECT_EQ(excuses_of(judged, judged.breaches().front(), first), std::vector<std::string>{});
}

// Of backoffAlgorithm, a port that never draws the cap itself. Read as exhausted one call sooner, nothing is said of
// its last delay, but there is none to be granted.
result never_the_cap(history const& h) {
  result r{result_kind::answered, {}, {}};
  auto window = h.params[0].n;
  for (auto const& call : h.steps) {
    r.answers.push_back({observed::word(0), observed::of(call.args[0].n % window)});
    window = std::min(2 * window, h.params[1].n);
  }
  return r;
}

TEST(counterexample, of_one_history_may_fit_a_hazard_that_others_refute) {
  auto const about = countdown::about_port();
  auto judged = countdown::begun(countdown::system, about);
  evidence const fitting{0, asked(5, 1), said({6})};
  evidence const other{1, asked(3, 1), said({9})};
  for (auto const& e : {fitting, other}) judged.judge(e.tried, e.got);
  auto const shown = judged.breaches().front();
  EXPECT_EQ(excuses_of(judged, shown, fitting), std::vector<std::string>{});
  EXPECT_EQ(fits_of(judged, shown, std::array{fitting}), std::vector<std::string>{"first=from-plus-1"});
  EXPECT_EQ(fits_of(judged, shown, std::array{fitting, other}), std::vector<std::string>{});
  EXPECT_EQ(fits_of(judged, breach{}, std::array{fitting}), std::vector<std::string>{}) << "no claim";
}

TEST(counterexample, has_no_excuse_under_which_anything_else_is_broken) {
  auto const& system = *find_judged_system("aws_backoff_algorithm");
  capabilities takes_all;
  takes_all.takes = documented_domain(system.shape(), {});
  countdown::port port(never_the_cap, takes_all);
  unsigned const mapping = present(system.readings().find("draw-mapping"));
  run_options options;
  options.pinned = {{mapping, present(system.readings().find(mapping, "modulo"))}};
  auto judged = countdown::begun(system, port.describes(), options);
  auto const next = [](std::int64_t draw) { return step{0, 0, {value::of(draw)}}; };
  history const h{{value::of(7), value::of(6), value::of(2)}, {next(6), next(6)}};
  judged.judge(h, port.run(std::span(&h, 1)).front());
  ASSERT_FALSE(judged.breaches().empty());
  EXPECT_FALSE(judged.readings().with_hazards().empty());
  evidence const whole{0, h, port.run(std::span(&h, 1)).front()};
  auto const excuses = excuses_of(judged, judged.breaches().front(), whole);
  EXPECT_EQ(excuses, (std::vector<std::string>{"upper-bound=exclusive", "first-window=uncapped"}))
      << "not exhaustion-call=n, which differs less and breaks a claim of the interface";
}

TEST(counterexample, is_a_history_of_each_reading_where_a_port_mixes_them) {
  judged_port p([](history const& h) { return right_plus(h, h.params[0].n < 5 ? 0 : -1); });
  auto const c = p.shown();
  ASSERT_EQ(c.histories.size(), 2U);
  EXPECT_LT(c.histories[0].tried.params[0].n, 5);
  EXPECT_EQ(c.histories[1].tried, asked(5, 1));
  for (auto const& e : c.histories)
    EXPECT_FALSE(left_by(p.judged, std::span(&e, 1), p.judged.readings().initial()).empty())
        << "one alone refutes the port";
}

TEST(counterexample, makes_each_of_its_histories_small) {
  judged_port p([](history const& h) { return right_plus(h, h.params[0].n < 5 ? 0 : -1); },
                {asked(2, 2), asked(3, 7), asked(8, 9)});
  auto const c = p.shown();
  ASSERT_EQ(c.histories.size(), 2U);
  EXPECT_EQ(c.histories[0].tried, asked(1, 1));
  EXPECT_EQ(c.histories[0].got.answers, said({1}).answers);
  EXPECT_EQ(c.histories[0].index, 0U);
  EXPECT_EQ(c.histories[1].tried, asked(5, 1));
  EXPECT_EQ(c.histories[1].got.answers, said({4}).answers);
  EXPECT_EQ(c.histories[1].index, 2U);
}

TEST(counterexample, of_a_claim_is_broken_by_answers_alone) {
  judged_port const p([](history const& h) { return right_plus(h, 1); });
  auto const shown = p.judged.breaches().front();
  EXPECT_TRUE(breaks_claim(p.judged, shown, asked(5, 1), said({6})));
  EXPECT_FALSE(breaks_claim(p.judged, shown, asked(5, 1), {result_kind::rejected, {countdown::says(6)}, ""}));
  EXPECT_FALSE(breaks_claim(p.judged, shown, asked(5, 1), broke));
  auto later = shown;
  later.leads = false;  // something else may be broken before
  EXPECT_TRUE(breaks_claim(p.judged, later, asked(5, 1), said({6})));
}

TEST(counterexample, leaves_out_histories_that_refuted_what_the_last_one_refutes_too) {
  judged_port p([](history const& h) { return h.params[0].n == 9 ? right_plus(h, 20) : right_plus(h, 0); });
  EXPECT_EQ(p.judged.refuting().size(), 2U);
  auto const c = p.shown();
  ASSERT_EQ(c.histories.size(), 1U);
  EXPECT_EQ(c.histories[0].tried, asked(9, 1));
}

TEST(counterexample, of_an_interface_claim_needs_no_reading_refuted) {
  // Silence after the end would excuse it, and only where nothing before that was right by another reading.
  judged_port p([](history const& h) {
    auto r = right_plus(h, 0);
    for (std::size_t i = 0; i < r.answers.size(); ++i) {
      if (static_cast<std::int64_t>(i) > h.params[0].n) r.answers[i] = countdown::says(7);
    }
    return r;
  });
  auto const c = p.shown();
  EXPECT_EQ(c.shows.claim, countdown::stops_at_zero);
  ASSERT_EQ(c.histories.size(), 1U);
  EXPECT_EQ(c.histories[0].tried, asked(0, 2));
  EXPECT_EQ(c.excuses, std::vector<std::string>{"end=undefined"});
}

TEST(counterexample, is_not_excused_by_a_reading_that_is_silent_before_the_broken_step) {
  judged_port p([](history const& h) {
    auto r = right_plus(h, 0);
    if (static_cast<std::int64_t>(h.steps.size()) > h.params[0].n + 3) r.answers.back() = countdown::says(7);
    return r;
  });
  auto const c = p.shown();
  EXPECT_EQ(c.shows.claim, countdown::stops_at_zero);
  EXPECT_EQ(c.histories[0].tried, asked(0, 4));
  EXPECT_EQ(c.excuses, std::vector<std::string>{});
}

TEST(counterexample, of_a_missing_answer_is_a_history_that_still_gets_none) {
  auto const refuses = [](history const& h) {
    return h.steps.size() > 3 ? result{h.params[0].n > 4 ? result_kind::rejected : result_kind::skipped, {}, "no"}
                              : right_plus(h, -1);
  };
  countdown::port port(refuses);
  auto about = port.describes();
  about.takes.params[0].declared = true;
  auto judged = countdown::begun(countdown::system, about);
  for (auto const& h : {asked(3, 1), asked(8, 11)}) judged.judge(h, refuses(h));
  auto const c = minimise(judged, port, judged.breaches().front());
  ASSERT_EQ(c.histories.size(), 1U);
  EXPECT_EQ(c.histories[0].tried, asked(0, 4));
  EXPECT_EQ(c.histories[0].got.kind, result_kind::skipped);
  EXPECT_EQ(c.excuses, std::vector<std::string>{}) << "it follows from-minus-1, which excuses nothing";
  EXPECT_TRUE(still_shown(judged, c, std::vector<result>{{result_kind::rejected, {}, ""}}));
  EXPECT_FALSE(still_shown(judged, c, std::vector<result>{said({0, 0, 0, 0})}));
}

TEST(counterexample, is_still_shown_where_asking_again_refutes_all_again) {
  judged_port p([](history const& h) { return right_plus(h, h.params[0].n < 5 ? 0 : -1); });
  auto c = p.shown();
  EXPECT_TRUE(show_again(p.judged, p.port, c));
  EXPECT_EQ(c.again.asked, 0U) << "no chance";
  std::vector<result> again{c.histories[0].got, c.histories[1].got};
  EXPECT_TRUE(still_shown(p.judged, c, again));
  again[1] = right_plus(c.histories[1].tried, 0);
  EXPECT_FALSE(still_shown(p.judged, c, again));  // the last one is right now
  again = {right_plus(c.histories[0].tried, -1), c.histories[1].got};
  EXPECT_FALSE(still_shown(p.judged, c, again));  // both are from-minus-1 now
  again = {broke, c.histories[1].got};
  EXPECT_FALSE(still_shown(p.judged, c, again));  // what is not answered refutes nothing
  again[0] = {result_kind::rejected, c.histories[0].got.answers, ""};
  EXPECT_FALSE(still_shown(p.judged, c, again));
  again = {c.histories[0].got, broke};
  EXPECT_FALSE(still_shown(p.judged, c, again));
}

TEST(counterexample, of_a_port_that_breaks_while_it_is_shrunk_is_left_as_it_was) {
  int asked_so_far = 0;
  judged_port p([&](history const& h) { return ++asked_so_far > 120 ? broke : right_plus(h, 1); });
  ASSERT_EQ(asked_so_far, 120);
  auto const first = p.judged.breaches().front().first;
  auto const c = p.shown();
  ASSERT_EQ(c.histories.size(), 1U);
  EXPECT_EQ(c.histories[0].tried, first.tried);
  EXPECT_EQ(c.histories[0].got.kind, result_kind::answered);
  EXPECT_EQ(c.histories[0].got.answers, first.got.answers);
}

// Countdown of a port that draws for itself, which its claims alone say: two of them are parts of one rule.
struct drawing : countdown::binding {
  static constexpr std::array all{
      claim<countdown::facts>{{.name = "first_call",
                               .sentence = "the first call says the number itself",
                               .requirements = countdown::none,
                               .rule = "the count",
                               .of_rule = part::bound},
                              [](countdown::view const& v) noexcept { return v.step == 0; },
                              countdown::is_admitted},
      claim<countdown::facts>{{.name = "later_calls",
                               .sentence = "each call says one less",
                               .requirements = countdown::none,
                               .rule = "the count"},
                              [](countdown::view const& v) noexcept { return v.step != 0 && !v.facts.ended; },
                              countdown::is_admitted},
      claim<countdown::facts>{
          {"draws_are_even", "all come equally often", countdown::none, strength::must, {}, about_draws::uniform},
          [](countdown::view const&) noexcept { return false; },
          countdown::is_admitted},
  };
  static auto claims() noexcept { return std::span(all); }
};
enum drawing_claim : unsigned { first_call, later_calls };
explorer<drawing> const by_chance;

TEST(counterexample, asks_a_system_whose_answers_tell_of_no_draw) {
  EXPECT_EQ(by_chance.admitted(asked(5, 2), {}, {}, by_chance.readings().admitting(backoff::spec::standing::canonical))
                .size(),
            2U);
  EXPECT_FALSE(by_chance.shows_draws());
  EXPECT_FALSE(by_chance.learns_from_answers());
}

// A run of histories that a port answers with so many probabilities of a wrong call.
struct drawing_port {
  // How much a call says too much, by its number; asked once a call.
  using fault = std::function<spec::integer(std::size_t)>;
  explicit drawing_port(fault f, std::vector<history> const& tried = every_small_history())
      : wrong(std::move(f)),
        about(all_declared()),
        port(
            [this](history const& h) {
              auto r = right_plus(h, 0);
              for (std::size_t i = 0; i < r.answers.size(); ++i) {
                if (auto const added = wrong(i); added != 0) r.answers[i] = countdown::says(added);
              }
              return silent ? broke : r;
            },
            about),
        judged(countdown::begun(by_chance, about, {.claims = 3})) {
    for (auto const& h : tried) judged.judge(h, port.run(std::span(&h, 1)).front());
  }
  static capabilities all_declared() {
    auto about = countdown::about_port({spec::draw_kind::hidden});
    about.takes.params[0].declared = true;
    return about;
  }
  [[nodiscard]] breach found() const {
    auto const all = judged.breaches();
    return *std::ranges::find_if(all, [](breach const& b) { return b.is_a_finding(); });
  }
  [[nodiscard]] counterexample shown() { return minimise(judged, port, found()); }
  [[nodiscard]] spec::integer in_one_of(unsigned n) { return random() % n == 0 ? 99 : 0; }

  std::mt19937 random{1};
  fault wrong;
  bool silent = false;
  capabilities about;
  countdown::port port;
  run judged;
};

TEST(counterexample, of_a_port_that_draws_is_a_history_that_breaks_often) {
  drawing_port p([&p](std::size_t) { return p.in_one_of(2); });
  auto c = p.shown();
  EXPECT_EQ(c.how, how_shown::together);
  ASSERT_EQ(c.histories.size(), 1U);
  EXPECT_EQ(c.histories[0].tried, asked(0, 1));
  EXPECT_EQ(c.histories[0].got.answers, said({99}).answers);
  ASSERT_TRUE(show_again(p.judged, p.port, c));
  EXPECT_EQ(c.again.asked, 32U);
  EXPECT_GT(c.again.broke, 8U);
  EXPECT_LT(c.again.broke, 24U);
  EXPECT_EQ(c.histories[0].got.answers, said({99}).answers);
}

TEST(counterexample, of_a_port_that_draws_is_not_smaller_than_breaks_in_an_eighth_of_its_tries) {
  drawing_port p([&p](std::size_t) { return p.in_one_of(2); }, std::vector(20, asked(9, 10)));
  p.wrong = [&p](std::size_t) { return p.in_one_of(30); };
  auto const c = p.shown();
  EXPECT_LT(c.histories[0].tried.steps.size(), 10U);
  EXPECT_GT(c.histories[0].tried.steps.size(), 2U);
}

TEST(counterexample, of_a_rare_fault_is_asked_for_until_it_shows) {
  drawing_port p([&](std::size_t i) { return i == 0 ? p.in_one_of(150) : 0; });
  auto c = p.shown();
  EXPECT_EQ(c.how, how_shown::together);
  ASSERT_TRUE(show_again(p.judged, p.port, c));
  EXPECT_GT(c.again.asked, 32U);
  EXPECT_EQ(c.again.broke, 1U);
}

TEST(counterexample, of_a_rare_fault_in_a_long_history_is_left_long) {
  drawing_port p([](std::size_t i) { return i == 0 ? 99 : 0; }, {asked(9, 2'000)});
  p.wrong = [&p](std::size_t i) { return i == 0 ? p.in_one_of(100) : 0; };
  auto const c = p.shown();
  EXPECT_EQ(c.how, how_shown::together);
  EXPECT_GT(c.histories[0].tried.steps.size(), 1U) << "it takes too many calls";
}

TEST(counterexample, of_a_port_that_draws_and_is_right_when_asked_again_is_unsteady) {
  drawing_port p([&p](std::size_t) { return p.in_one_of(2); });
  auto const first = p.found().first;
  p.wrong = [](std::size_t) { return 0; };
  auto const c = p.shown();
  EXPECT_EQ(c.how, how_shown::unsteady);
  EXPECT_EQ(c.histories[0].tried, first.tried);
  EXPECT_EQ(c.histories[0].got.answers, first.got.answers);
  EXPECT_EQ(c.again.asked, 1'024U);
  p.silent = true;
  EXPECT_EQ(p.shown().how, how_shown::together) << "nobody was asked";
}

TEST(counterexample, of_a_port_that_draws_shows_the_part_of_a_rule_that_breaks_again) {
  drawing_port p([&p](std::size_t) { return p.in_one_of(2); }, std::vector(40, asked(9, 9)));
  ASSERT_EQ(p.found().claim, first_call);
  p.wrong = [&](std::size_t i) { return p.in_one_of(i == 0 ? 100 : 2); };
  auto c = p.shown();
  EXPECT_EQ(c.how, how_shown::together);
  ASSERT_TRUE(show_again(p.judged, p.port, c));
  EXPECT_EQ(c.shows.claim, later_calls);
  EXPECT_EQ(c.shows.told_with, first_call);
  EXPECT_EQ(c.histories[0].tried, asked(1, 2));
  p.judged.judge(asked(3, 1), {result_kind::rejected, {}, "which is no part of it"});
  EXPECT_EQ(parts_of_rule(p.judged, c.shows).size(), 2U);

  p.judged.tell_first(later_calls);
  for (auto const& b : p.judged.breaches()) EXPECT_EQ(b.is_a_finding(), b.claim != first_call);
}

}  // namespace
