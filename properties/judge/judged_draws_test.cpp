// A run that tests hidden draws, from the samples of the plan to the verdict: on ports whose faults show in few of
// them. properties/ports/hidden_test.cpp has the long searches.
#include "judge/judged_draws.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "histories/present.hpp"
#include "histories/text.hpp"
#include "judge/begun_test.hpp"
#include "judge/counterexample.hpp"
#include "judge/plan.hpp"
#include "ports/hidden.hpp"
#include "systems/aws_backoff_algorithm/ports/documented.hpp"

namespace {

using namespace backoff::systems;
namespace spec = backoff::spec;
using countdown::begun;

constexpr std::uint64_t seed = 1;
generator const& good() { return generators().front(); }
judged_system const& full_jitter() { return *find_judged_system("aws_backoff_algorithm"); }
built_in const& port_named(std::string_view name) { return *find_built_in("aws_backoff_algorithm", name); }

struct judged_port {
  judged_port(built_in const& port, std::uint64_t cases, run_options options = {})
      : subject(full_jitter().shape(), port, good(), seed),
        judged(std::get<run>(run::begin(full_jitter(), subject.describes(), std::move(options)))) {
    drive(judged, subject, cases, seed);
  }
  hidden_subject subject;
  run judged;
};

claim_mask about(std::optional<about_draws> which) {
  claim_mask mask = 0;
  auto const claims = full_jitter().claims();
  for (unsigned i = 0; i < claims.size(); ++i) {
    if (claims[i].draws && (!which || claims[i].draws == which)) mask |= claim_mask{1} << i;
  }
  return mask;
}

struct rounds_to_nearest : reference_port::as_documented {
  static observed delay(std::uint64_t draw, reference_port::number window, reference_port::cycle const&) {
    return observed::of(std::llround(static_cast<double>(draw) / 4'294'967'296.0 * static_cast<double>(window)));
  }
};
struct truncated_to_the_top
    : reference_port::as_documented {  // int(rand() / RAND_MAX · window): the largest draw alone gives it
  static observed delay(std::uint64_t draw, reference_port::number window, reference_port::cycle const&) {
    return observed::of(static_cast<reference_port::number>(draw * static_cast<std::uint64_t>(window) / 0xffff'ffff));
  }
};

// The lower half of each window, and after so many retries no delay at all.
template <int retries>
struct half_and_negative : reference_port::as_documented {
  static observed delay(std::uint64_t draw, reference_port::number window, reference_port::cycle const& c) {
    if (c.n >= retries) return observed::of(-1);
    return as_documented::delay(draw, window / 2, c);
  }
};
template <int retries>
struct negative : reference_port::as_documented {
  static observed delay(std::uint64_t draw, reference_port::number window, reference_port::cycle const& c) {
    return c.n >= retries ? observed::of(-1) : as_documented::delay(draw, window, c);
  }
};

claim_mask named(run const& judged) {
  claim_mask all = 0;
  for (auto const& b : judged.breaches()) {
    if (b.is_of_a_claim()) all |= claim_mask{1} << b.claim;
  }
  return all;
}

// What is wrong with draws is told when all of them are seen. This port draws once for a cycle: the few draws that
// refute it look as if a window was not filled. Once it refuses a history as well.
TEST(judged_draws, names_what_draws_break_once_all_are_seen) {
  hidden_subject port(full_jitter().shape(), port_named("library"), *find_generator("drawn-once"), seed);
  auto about_port = port.describes();
  for (auto& r : about_port.takes.params) r.declared = true;
  for (auto& op : about_port.takes.args) {
    for (auto& r : op) r.declared = true;
  }
  auto judged = std::get<run>(run::begin(full_jitter(), about_port, {}));
  drive(judged, port, 20, seed);
  ASSERT_TRUE(judged.draws().refute_all());
  EXPECT_EQ(named(judged), about(about_draws::uniform));
  history const h{{value::of(1), value::of(1), value::of(1)}, {{0, 0, {}}}};
  judged.judge(h, {result_kind::rejected, {}, "not today"});
  drive(judged, port, 400, seed);
  judged.settle_blame();
  EXPECT_EQ(named(judged), about(about_draws::independent));
  EXPECT_TRUE(std::ranges::any_of(judged.breaches(), [](breach const& b) { return !b.is_of_a_claim(); }));
}

TEST(judged_draws, a_hazard_reading_that_explains_the_draws_is_named) {
  auto const& retry_utils = *find_judged_system("aws_retry_utils");
  for (std::string_view const name : {"freeze", "comment"}) {
    hidden_subject subject(retry_utils.shape(), *find_built_in("aws_retry_utils", name), good(), seed);
    auto judged = std::get<run>(run::begin(retry_utils, subject.describes(), {}));
    drive(judged, subject, 900, seed);
    auto const shown = minimise(judged, subject, judged.breaches().front());
    EXPECT_EQ(shown.how, how_shown::samples);
    EXPECT_EQ(shown.excuses, std::vector{"window-growth=" + std::string(name)});
  }
}

// These runs end while hazards are half refuted.
TEST(judged_draws, no_hazard_is_named_that_draws_speak_against) {
  auto const& retry_utils = *find_judged_system("aws_retry_utils");
  for (std::string_view const name : {"linear", "doubles-too-late"}) {
    unsigned half_refuted = 0;
    hidden_subject subject(retry_utils.shape(), *find_built_in("aws_retry_utils", name), good(), seed);
    auto judged = std::get<run>(run::begin(retry_utils, subject.describes(), {}));
    drive(judged, subject, 78, seed);
    ASSERT_FALSE(judged.breaches().empty());
    auto const named = minimise(judged, subject, judged.breaches().front()).excuses;
    double const little = -std::log(judged.draws().alpha_of_a_test()) / 2;
    for (auto const c : one_by_one(retry_utils.readings(), judged.readings().with_hazards())) {
      auto const* const under = judged.draws().samples_under(c);
      if (under == nullptr || under->bets().gained() < little) continue;
      ++half_refuted;
      EXPECT_NE(named, deviations(retry_utils.readings(), c)) << name;
    }
    EXPECT_GT(half_refuted, 0U) << name;
  }
}

TEST(judged_draws, of_a_port_without_jitter_matches_the_hazard_that_says_nothing_of_distributions) {
  judged_port p(port_named("no-jitter"), 300);
  ASSERT_FALSE(p.judged.breaches().empty());
  EXPECT_EQ(minimise(p.judged, p.subject, p.judged.breaches().front()).excuses,
            std::vector<std::string>{"distribution=unspecified"});
}

TEST(judged_draws, no_hazard_is_named_where_the_draws_speak_against_all) {
  auto const& retry_utils = *find_judged_system("aws_retry_utils");
  auto const& table = retry_utils.readings();
  run_options options;
  for (std::string_view const name : {"window-growth", "distribution"})
    options.pinned.emplace_back(present(table.find(name)), 0U);  // canonical
  hidden_subject subject(retry_utils.shape(), *find_built_in("aws_retry_utils", "freeze"), good(), seed);
  auto judged = std::get<run>(run::begin(retry_utils, subject.describes(), options));
  drive(judged, subject, 900, seed);
  EXPECT_EQ(minimise(judged, subject, judged.breaches().front()).excuses, std::vector<std::string>{});
}

// Only jumping to an odd maximum early, counted from one, explains 13 at the second call. Draws without jitter refute
// that as well, and the answer stays what the port is told of.
TEST(judged_draws, draws_refute_what_an_answer_has_left) {
  auto const& system = full_jitter();
  hidden_subject port(system.shape(), port_named("no-jitter"), good(), seed);
  auto judged = std::get<run>(run::begin(system, port.describes(), {}));
  auto const tried =
      without_hidden_draws(parse_token("aws_backoff_algorithm/base_ms=3,max_ms=13,max_attempts=3/next:1,next:1").cases,
                           system.shape(), port.describes().takes)
          .front();
  auto const waits = [](spec::integer ms) { return answer{observed::word(0), observed::of(ms)}; };
  judged.judge(tried, {result_kind::answered, {waits(1), waits(13)}, ""});
  EXPECT_TRUE(judged.readings().admitted().empty());
  auto const left = judged.readings().with_hazards();
  EXPECT_FALSE(left.empty());
  drive(judged, port, 300, seed);
  EXPECT_NE(judged.readings().with_hazards(), left);
  EXPECT_FALSE(judged.draws().refute_all());
  EXPECT_EQ(judged.verdict(), verdict::does_not_conform);
}

// The same answer of a port that draws as it should: draws refute what is left of the readings, and nothing of it.
TEST(judged_draws, draws_that_refute_hazards_alone_are_no_finding) {
  hidden_subject port(full_jitter().shape(), port_named("library"), good(), seed);
  auto judged = std::get<run>(run::begin(full_jitter(), port.describes(), {}));
  history const h{{value::of(3), value::of(13), value::of(3)}, {{0, 0, {}}, {0, 0, {}}}};
  auto const waits = [](spec::integer ms) { return answer{observed::word(0), observed::of(ms)}; };
  judged.judge(h, {result_kind::answered, {waits(1), waits(13)}, ""});
  auto const left = judged.readings().with_hazards();
  ASSERT_FALSE(left.empty());
  drive(judged, port, 300, seed);
  EXPECT_NE(judged.readings().with_hazards(), left);
  EXPECT_EQ(named(judged) & about({}), 0U);
}

TEST(judged_draws, a_distribution_that_is_left_open_refutes_nothing) {
  auto const& system = full_jitter();
  unsigned const r = present(system.readings().find("distribution"));
  run_options options;
  options.pinned = {{r, present(system.readings().find(r, "unspecified"))}};
  judged_port const p(port_named("no-jitter"), 300, options);
  EXPECT_TRUE(p.judged.breaches().empty());
  EXPECT_EQ(p.judged.verdict(), verdict::inconclusive) << "nothing was tested";
}

TEST(judged_draws, little_data_is_inconclusive) {
  for (std::uint64_t const cases : {std::uint64_t{1}, std::uint64_t{10}, std::uint64_t{30}}) {
    judged_port const p(port_named("library"), cases);
    EXPECT_EQ(p.judged.verdict(), verdict::inconclusive) << cases;
  }
}

// Two processes of the library with these seeds, after so many histories of the first of them.
run seeded_with(std::uint64_t one_seed, std::uint64_t other_seed, run_options options = {}, std::uint64_t cases = 400) {
  auto const& system = full_jitter();
  auto const& port = port_named("library");
  static capabilities const about = hidden_subject(system.shape(), port, good(), 0).describes();
  hidden_subject one(system.shape(), port, good(), one_seed);
  hidden_subject other(system.shape(), port, good(), other_seed);
  auto judged = std::get<run>(run::begin(system, about, std::move(options)));
  drive(judged, one, cases, seed);
  plan const samples(system.shape(), judged.about().takes, 1'000, seed, true);
  auto const histories = samples.for_two_processes();
  one = hidden_subject(system.shape(), port, good(), one_seed);
  auto const a = one.run(histories);
  auto const b = other.run(histories);
  for (std::size_t i = 0; i < histories.size(); ++i) judged.judge_twice(histories[i], a[i], b[i]);
  return judged;
}

// A seed that all processes share shows only between two of them. It is against the document's advice: a finding that
// fails a port only where every finding does.
TEST(judged_draws, two_processes_with_one_seed_draw_alike) {
  run const shared = seeded_with(7, 7);
  EXPECT_EQ(shared.verdict(), verdict::conforms);
  ASSERT_EQ(shared.breaches().size(), 1U);
  auto const found = shared.breaches().front();
  EXPECT_FALSE(found.fails);
  EXPECT_EQ(full_jitter().claims()[found.claim].name, "processes_draw_differently");
  EXPECT_EQ(shared.samples_against(found.claim).bets().best(~0U), draw_test::near_other_process);
  EXPECT_FALSE(shared.draws().refute_all());
  EXPECT_EQ(shared.draws().alpha_of_a_test(), shared.options().alpha) << "one test alone can fail the port";

  run_options strict;
  strict.strict = true;
  run const strictly = seeded_with(7, 7, strict);
  EXPECT_EQ(strictly.verdict(), verdict::does_not_conform);
  ASSERT_EQ(strictly.breaches().size(), 1U);
  EXPECT_TRUE(strictly.breaches().front().fails);
  EXPECT_EQ(strictly.samples_against(found.claim).bets().best(~0U), draw_test::near_other_process);
  EXPECT_EQ(strictly.draws().alpha_of_a_test(), strict.alpha / 2) << "two can, with the same probability in all";

  run const apart = seeded_with(7, 8);
  EXPECT_TRUE(apart.breaches().empty());
  EXPECT_EQ(apart.counts().at_stake[found.claim], 48U);
  EXPECT_GT(apart.counts().at_stake[0], 400U);
}

// A window jumps to the cap one doubling early: answers tell that of a port that counts from zero, and draws of one
// that counts from one.
TEST(judged_draws, what_answers_and_draws_refute_together_has_a_finding) {
  hidden_subject const about(full_jitter().shape(), port_named("library"), good(), seed);
  auto judged = std::get<run>(run::begin(full_jitter(), about.describes(), {}));
  plan histories(full_jitter().shape(), about.describes().takes, 2'000, seed, true);
  random_bits random(1);
  for (auto batch = histories.next(1); !batch.empty(); batch = histories.next(1)) {
    auto const& h = batch[0];
    auto const i = histories.given() - 1;
    bool const is_plain = std::ranges::all_of(h.steps, [](step const& s) { return s.op == 0 && s.on == 0; });
    if (h.params[2].kind != value_kind::keyword || !is_plain) continue;
    result r{result_kind::answered, {}, {}};
    auto const cap = h.params[1].n;
    for (auto window = std::min(h.params[0].n, cap); r.answers.size() < h.steps.size();
         window = window > cap / 3 ? cap : 2 * window)
      r.answers.push_back({observed::word(0), observed::of(random.between(0, window))});
    judged.judge(h, r, histories.kind_of(i, h));
  }
  judged.settle_blame();
  EXPECT_EQ(judged.verdict(), verdict::does_not_conform);
  EXPECT_FALSE(judged.breaches().empty());
}

// If attempts count from zero, both answers break a claim. If they count from one, only the first answer does. Draws
// refute neither reading.
TEST(judged_draws, blame_goes_to_the_reading_that_fewer_answers_break) {
  hidden_subject const about(full_jitter().shape(), port_named("library"), good(), seed);
  auto judged = std::get<run>(run::begin(full_jitter(), about.describes(), {}));
  history const first_call{{value::of(1'000), value::of(4'000), value::word(0)}, {{0, 0, {}}}};
  for (std::int64_t const ms : {3'000, 1'500})
    judged.judge(first_call, {result_kind::answered, {{observed::word(0), observed::of(ms)}}, {}},
                 sample_kind::repeated);
  judged.settle_blame();
  ASSERT_FALSE(judged.breaches().empty());
  EXPECT_EQ(judged.breaches().front().histories, 1U);
}

// Of 0 or 1 in a window of two values, likeness takes longer to show than in one of three, which a hazard reading has.
TEST(judged_draws, processes_that_draw_alike_are_noted_when_the_reading_that_explains_them_shows_it) {
  hidden_subject const about(full_jitter().shape(), port_named("library"), good(), seed);
  auto judged = std::get<run>(run::begin(full_jitter(), about.describes(), {}));
  history const first_call{{value::of(1), value::of(100), value::word(0)}, {{0, 0, {}}}};
  random_bits random(1);
  auto const more = [&](int histories) {
    for (int i = 0; i < histories && judged.breaches().empty(); ++i) {
      result const r{result_kind::answered, {{observed::word(0), observed::of(random.between(0, 1))}}, {}};
      EXPECT_EQ(judged.judge_twice(first_call, r, r), 0U) << "nothing is known to fail";
    }
  };
  more(38);
  EXPECT_TRUE(judged.breaches().empty());
  more(50);
  ASSERT_EQ(judged.breaches().size(), 1U);
  EXPECT_EQ(judged.breaches().front().first.index, judged.counts().all() - 1);
  result const r{result_kind::answered, {{observed::word(0), observed::of(1)}}, {}};
  for (int i = 0; i < 3; ++i) judged.judge_twice(first_call, r, r);
  EXPECT_EQ(judged.breaches().front().histories, 1U) << "once";
  EXPECT_EQ(full_jitter().claims()[judged.breaches().front().claim].name, "processes_draw_differently");
}

// However many samples leave a hazard: those that follow can still refute it.
TEST(judged_draws, tests_each_hazard_to_the_end) {
  auto const& table = full_jitter().readings();
  unsigned const r = present(table.find("first-window"));
  auto const hazard =  // whose first window has a value more
      table.with(table.admitting(backoff::spec::standing::canonical), r, present(table.find(r, "uncapped")));
  history const short_one{{value::of(2), value::of(1), value::word(0)}, {{0, 0, {}}}};
  history long_one = short_one;
  for (int i = 0; i < 100; ++i) long_one.steps.insert(long_one.steps.end(), {{1, 0, {}}, {0, 0, {}}});
  for (int const before : {0, 38, 39, 60}) {
    hidden_subject port(full_jitter().shape(), port_named("library"), good(), seed);
    auto judged = std::get<run>(run::begin(full_jitter(), port.describes(), {}));
    auto const sample = [&](history const& h) {
      judged.judge(h, port.run(std::span(&h, 1)).front(), sample_kind::repeated);
    };
    for (int i = 0; i < before; ++i) sample(short_one);
    sample(long_one);
    bool const lives = std::ranges::any_of(judged.readings().with_hazards(),
                                           [&](auto const& c) { return table.common(c, hazard).has_value(); });
    EXPECT_FALSE(lives) << before;
    EXPECT_TRUE(judged.breaches().empty());
  }
}

TEST(judged_draws, processes_are_compared_only_where_that_is_judged) {
  EXPECT_TRUE(seeded_with(7, 7, {~about(about_draws::seeded)}).breaches().empty());
  run const alone = seeded_with(7, 7, {about(about_draws::seeded)});
  EXPECT_EQ(alone.grade(), grade::membership) << "advice alone gives no verdict";
}

// r * w / RAND_MAX is off by one at so few borders that scaled explains nearly all probes too.
TEST(judged_draws, mappings_are_near_that_are_off_at_any_border) {
  auto const& system = full_jitter();
  built_in const truncates{"truncated-to-the-top", "", reference_port::run<truncated_to_the_top>};
  for (std::uint64_t i = 1; i <= 8; ++i) {
    built_in_subject subject(system.shape(), truncates);
    auto judged = std::get<run>(run::begin(system, subject.describes(), {}));
    auto const probes = mapping_probes(judged, i);
    judged.settle_mapping(probes, subject.run(probes));
    EXPECT_EQ(judged.mapping(), mapped::nearly) << "seed " << i;
  }
}

// A mapping of draws that is not exact is judged by what it makes of even draws too. One that reaches the largest value
// by the largest draw alone is near the exclusive one; one that rounds is not, for each end comes half as often.
TEST(judged_draws, unlisted_mappings_of_given_draws_are_tested_too) {
  auto const& system = full_jitter();
  built_in const rounds{"rounds-to-nearest", "", reference_port::run<rounds_to_nearest>};
  built_in const truncates{"truncated-to-the-top", "", reference_port::run<truncated_to_the_top>};
  auto const* const right = &port_named("reversed");
  for (auto const* port : {right, &rounds, &truncates}) {
    built_in_subject subject(system.shape(), *port);
    auto judged = std::get<run>(run::begin(system, subject.describes(), {}));
    drive(judged, subject, 1'200, seed);
    EXPECT_EQ(judged.mapping(), port == right ? mapped::otherwise : mapped::nearly) << port->name;
    EXPECT_EQ(judged.grade(), grade::distribution) << port->name;
    EXPECT_EQ(judged.verdict(), port == &rounds ? verdict::does_not_conform : verdict::conforms) << port->name;
  }
}

TEST(judged_draws, passes_with_power_and_refutes_what_it_can) {
  judged_port const right(port_named("library"), 400);
  EXPECT_EQ(right.judged.verdict(), verdict::conforms);
  EXPECT_FALSE(right.judged.draws().are_settled());
  EXPECT_FALSE(right.judged.draws().powers().empty());
  EXPECT_GT(right.judged.samples()->bets().draws(), 1'000U);

  judged_port const wrong(port_named("cap-after-jitter"), 400);
  EXPECT_EQ(wrong.judged.verdict(), verdict::does_not_conform);
  EXPECT_TRUE(wrong.judged.draws().refute_all());
  EXPECT_EQ(&wrong.judged.samples_against(wrong.judged.breaches().front().claim), wrong.judged.samples());
  EXPECT_TRUE(wrong.judged.draws().powers().empty());
  ASSERT_EQ(wrong.judged.breaches().size(), 1U);
  EXPECT_EQ(full_jitter().claims()[wrong.judged.breaches().front().claim].name, "delays_fill_their_window");
  EXPECT_EQ(wrong.judged.failing_histories(), 1U);
}

// A run ends soon after it is settled: there is nothing more to be learnt.
TEST(judged_draws, ends_early_where_the_case_is_clear) {
  judged_port const p(port_named("no-jitter"), 2'000);
  EXPECT_TRUE(p.judged.draws().are_settled());
  EXPECT_LT(p.judged.counts().judged, 1'500U);
}

// What answers alone refute is named by them, and draws add nothing.
TEST(judged_draws, leaves_the_blame_to_answers_that_refute_alone) {
  judged_port const p(port_named("cap-ignored"), 300);
  EXPECT_EQ(p.judged.verdict(), verdict::does_not_conform);
  EXPECT_FALSE(p.judged.draws().refute_all());
  for (auto const& b : p.judged.breaches()) EXPECT_FALSE(full_jitter().claims()[b.claim].draws.has_value());
}

// Beside answers that are wrong in few samples, draws are judged on, by the samples without such an answer.
TEST(judged_draws, finds_uneven_draws_beside_answers_that_are_rarely_wrong) {
  auto const named_by = [](std::vector<answer> (*how)(history const&)) {
    built_in const port{"", "", how};
    hidden_subject subject(full_jitter().shape(), port, good(), seed);
    auto judged = std::get<run>(run::begin(full_jitter(), subject.describes(), {}));
    history const once{{value::of(1), value::of(9), value::word(0)}, {{0, 0, {}}}};
    judged.judge(once, {result_kind::answered, {{observed::word(0), observed::of(-1)}}, {}});
    EXPECT_FALSE(judged.breaches().empty()) << "answers refute all readings first";
    drive(judged, subject, 1'500, seed);
    EXPECT_FALSE(judged.draws().refute_all());
    return named(judged);
  };
  auto const alone = named_by(reference_port::run<negative<200>>);
  EXPECT_EQ(alone & about({}), 0U);
  EXPECT_EQ(named_by(reference_port::run<half_and_negative<200>>), alone | about(about_draws::uniform));
  EXPECT_EQ(named_by(reference_port::run<half_and_negative<4>>) & about({}), 0U)
      << "what is left of such samples shows nothing else";
}

// A sample of empty windows tells of no draw, and puts nothing about draws at stake.
TEST(judged_draws, puts_nothing_at_stake_where_no_draw_is_told) {
  hidden_subject const about_port(full_jitter().shape(), port_named("library"), good(), seed);
  auto judged = std::get<run>(run::begin(full_jitter(), about_port.describes(), {}));
  auto const claims = full_jitter().claims();
  auto const at_stake = [&] {
    auto const uniform = std::ranges::find_if(claims, [](auto const& c) { return c.draws == about_draws::uniform; });
    return judged.counts().at_stake[static_cast<std::size_t>(uniform - claims.begin())];
  };
  for (std::int64_t const base : {0, 1}) {
    history const h{{value::of(base), value::of(9), value::word(0)}, {{0, 0, {}}}};
    judged.judge(h, {result_kind::answered, {{observed::word(0), observed::of(0)}}, {}}, sample_kind::repeated);
    EXPECT_EQ(at_stake(), static_cast<std::uint64_t>(base)) << "a window of " << base;
  }
}

TEST(judged_draws, tests_what_is_selected) {
  judged_port const none(port_named("no-jitter"), 300, {~about({})});
  EXPECT_EQ(none.judged.grade(), grade::membership);
  EXPECT_EQ(none.judged.verdict(), verdict::inconclusive);
  EXPECT_EQ(none.judged.samples(), nullptr);
  judged_port const one(port_named("no-jitter"), 300, {~about(about_draws::uniform)});
  ASSERT_FALSE(one.judged.breaches().empty());
  EXPECT_EQ(full_jitter().claims()[one.judged.breaches().front().claim].draws, about_draws::independent);
}

TEST(judged_draws, takes_no_sample_of_draws_that_are_given) {
  built_in_subject port(full_jitter().shape(), port_named("library"));
  auto judged = std::get<run>(run::begin(full_jitter(), port.describes(), {}));
  EXPECT_FALSE(judged.draws().are_tested());
  plan const histories(full_jitter().shape(), judged.about().takes, 100, seed, judged.draws().are_tested());
  EXPECT_TRUE(histories.for_two_processes().empty());
  history const h{{value::of(2), value::of(7), value::word(0)}, {{0, 0, {value::of(1)}}}};
  judged.judge(h, port.run(std::span(&h, 1)).front(), sample_kind::repeated);
  judged.judge_twice(h, port.run(std::span(&h, 1)).front(), port.run(std::span(&h, 1)).front());
  judged.settle_power();
  EXPECT_TRUE(judged.draws().powers().empty());
}

// A sample that one of two processes does not answer compares nothing.
TEST(judged_draws, compares_processes_that_both_answer) {
  hidden_subject port(full_jitter().shape(), port_named("library"), good(), seed);
  auto judged = std::get<run>(run::begin(full_jitter(), port.describes(), {}));
  history const h{{value::of(2), value::of(7), value::word(0)}, {{0, 0, {}}}};
  auto const answered = port.run(std::span(&h, 1)).front();
  result const refused{result_kind::skipped, {}, "not today"};
  judged.judge_twice(h, answered, refused);
  judged.judge_twice(h, refused, answered);
  EXPECT_EQ(judged.samples()->bets().draws(), 0U);
  for (unsigned i = 0; i < full_jitter().claims().size(); ++i) {
    if (full_jitter().claims()[i].draws) {
      EXPECT_EQ(judged.counts().at_stake[i], 0U);
    }
  }
  judged.judge_twice(h, answered, answered);
  EXPECT_EQ(judged.samples()->bets().draws(), 1U);
}

// The samples of a plan stand between generated histories and corners, and there are none where there is no room.
TEST(judged_draws, plans_samples) {
  hidden_subject const port(full_jitter().shape(), port_named("library"), good(), seed);
  for (std::uint64_t const total : {std::uint64_t{3}, std::uint64_t{400}}) {
    plan histories(full_jitter().shape(), port.describes().takes, total, seed, true);
    std::uint64_t samples = 0;
    for (std::uint64_t i = 0; i < total; ++i) samples += histories.samples(i) ? 1 : 0;
    EXPECT_EQ(samples > 100, total == 400);
    EXPECT_FALSE(histories.samples(0));
    EXPECT_FALSE(histories.samples(total - 1));
  }
}

// --- which grade ---

TEST(judged_draws, hidden_draws_lower_the_grade_only_where_the_system_has_draws) {
  draw_source const hidden{spec::draw_kind::hidden, 1};
  EXPECT_EQ(begun(backoff_algorithm(), about_drawing(hidden)).grade(), grade::distribution);
  EXPECT_EQ(begun(backoff_algorithm(), about_drawing({})).grade(), grade::exact);
  EXPECT_EQ(begun(countdown::system, countdown::about_port(hidden)).grade(), grade::exact);
}

// Of the Java policies, one alone draws.
TEST(judged_draws, a_port_that_never_draws_has_nothing_to_hide) {
  auto const& system = *find_judged_system("azure_java_retry_policy");
  capabilities about;
  about.takes = documented_domain(system.shape(), {spec::draw_kind::hidden, 1});
  for (std::uint64_t const policies : {1U, 2U, 3U}) {  // with jitter, no_retry, both
    about.takes.params[0].words = policies;
    auto const judged = begun(system, about);
    EXPECT_EQ(judged.grade(), policies == 2 ? grade::exact : grade::distribution);
    EXPECT_EQ(judged.mapping(), mapped::exactly);
  }
}

TEST(judged_draws, hidden_draws_that_no_answer_tells_of_are_not_tested) {
  for (auto const* system : judged_systems()) {
    if (!system->shape().has_draws()) continue;
    capabilities about;
    about.takes = documented_domain(system->shape(), {spec::draw_kind::hidden, 1});
    auto const judged = begun(*system, about);
    EXPECT_EQ(judged.draws().are_tested(), system->shows_draws());
    EXPECT_EQ(judged.grade(), system->shows_draws() ? grade::distribution : grade::membership);
  }
}

TEST(judged_draws, an_unlisted_mapping_counts_as_hidden_draws) {
  claim_mask about_draws = 0;
  auto const claims = backoff_algorithm().claims();
  for (unsigned i = 0; i < claims.size(); ++i) about_draws |= claims[i].draws ? claim_mask{1} << i : 0;
  for (auto const& draws : {draw_source{}, {spec::draw_kind::rand, 32'768}, {spec::draw_kind::unit, u32_size}}) {
    auto const about = about_drawing(draws, "other");
    auto const judged = begun(backoff_algorithm(), about);
    EXPECT_EQ(judged.mapping(), mapped::otherwise);
    EXPECT_EQ(judged.grade(), grade::distribution);
    EXPECT_EQ(begun(backoff_algorithm(), about, {.claims = ~about_draws}).grade(), grade::membership);
  }
  EXPECT_EQ(begun(backoff_algorithm(), about_drawing({spec::draw_kind::hidden, 1}, "other")).mapping(), mapped::exactly)
      << "what is hidden is mapped in no way that matters";
}

}  // namespace
