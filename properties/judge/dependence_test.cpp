// Claims of dependence: which calls a port is asked again, and whom the claims accuse. A port that is a function of its
// own calls is never told that its instances share state, that a reset leaves something behind or that equal calls
// differ.
#include "judge/dependence.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

#include "histories/present.hpp"
#include "histories/text.hpp"
#include "judge/countdown_test.hpp"
#include "judge/counterexample.hpp"
#include "judge/effort_test.hpp"
#include "judge/faulty_model_test.hpp"
#include "judge/plan.hpp"
#include "ports/built_in.hpp"

namespace {

using namespace backoff::ports;
using backoff::spec::cube;
using backoff::spec::standing;
namespace spec = backoff::spec;

constexpr std::uint64_t u32_size = std::uint64_t{1} << 32;

std::vector<std::string> alone_text(char const* token, std::size_t step, dependence on) {
  auto const set = parse_token(token);
  std::vector<std::string> all;
  for (auto const& a : alone(*set.system, set.cases.front(), step, on))
    all.push_back(to_token({set.system, {a.calls}}));
  return all;
}

using texts = std::vector<std::string>;

TEST(alone, of_instances_are_the_calls_on_that_one_until_then) {
  std::string const p = "aws_backoff_algorithm/base_ms=2,max_ms=9,max_attempts=3/";
  EXPECT_EQ(alone_text((p + "next:1,next:2~1,next:3,next:4~1,next:5").c_str(), 3, dependence::instances),
            texts{p + "next:2,next:4"});
}

TEST(alone, of_a_reset_are_the_calls_since_the_last_one) {
  std::string const p = "aws_backoff_algorithm/base_ms=2,max_ms=9,max_attempts=3/";
  EXPECT_EQ(alone_text((p + "next:1,reset,next:2,reset,next:3,next:4").c_str(), 5, dependence::reset),
            texts{p + "next:3,next:4"});
  EXPECT_EQ(alone_text((p + "next:1,next:2").c_str(), 1, dependence::reset), texts{});
  EXPECT_EQ(alone_text((p + "next:1,reset,next:2,reset").c_str(), 3, dependence::reset), texts{p + "next:2,reset"});
}

TEST(alone, of_a_reset_of_null_are_the_calls_since_the_one_before) {
  std::string const p = "azure_c_retry_control//";
  auto const all = alone_text((p + "create:INTERVAL:0,reset,should_retry:1:0,reset:handle,should_retry:2:0").c_str(), 4,
                              dependence::reset);
  ASSERT_FALSE(all.empty());
  for (auto const& a : all) EXPECT_EQ(a, p + "create:INTERVAL:0,should_retry:1:0,reset:handle,should_retry:2:0");
}

TEST(alone, of_a_reset_begins_with_it_where_every_instance_does) {
  std::string const p = "aws_retry_utils/initial_backoff_s=1,max_backoff_s=9,max_jitter_s=3,max_attempts=4/";
  EXPECT_EQ(alone_text((p + "reset:1,backoff:2,reset:3,backoff:4").c_str(), 3, dependence::reset),
            texts{p + "reset:3,backoff:4"});
}

TEST(alone, of_a_reset_keeps_what_outlasts_it) {
  std::string const p = "azure_c_retry_control//";
  EXPECT_EQ(alone_text((p + "create:LINEAR_BACKOFF:9,set_option:initial_wait_time_in_secs:7,should_retry:1:0,reset,"
                            "should_retry:5:0")
                           .c_str(),
                       4, dependence::reset),
            (texts{p + "create:LINEAR_BACKOFF:9,set_option:initial_wait_time_in_secs:7,should_retry:5:0",
                   p + "create:LINEAR_BACKOFF:9,should_retry:5:0"}));
}

TEST(alone, of_an_equal_call_is_that_call) {
  std::string const p = "azure_java_retry_policy/policy=exponential_backoff_with_jitter/";
  EXPECT_EQ(alone_text((p + "decide:2:true:5,decide:3:true:5,decide:2:true:5").c_str(), 2, dependence::repeats),
            texts{p + "decide:2:true:5"});
}

// --- the countdown, whose instances may share ---

struct countdown_dependence : countdown::binding {
  inline static auto all = [] {
    auto claims = countdown::claims;
    claims[countdown::independent].compares = dependence::instances;
    return claims;
  }();
  static auto claims() noexcept { return std::span(all); }
};

history two_instances(std::int64_t from) {
  history h = countdown::asked(from, 3);
  h.steps[1].on = 1;
  return h;
}

run judged_on(judged_system const& system, countdown::port& port, std::vector<history> const& tried,
              run_options options = {}) {
  auto judged = countdown::begun(system, port.describes(), std::move(options));
  for (auto const& h : tried) judged.judge(h, port.run(std::span(&h, 1)).front());
  judged.settle_blame();
  return judged;
}

// Judged on these histories, then compared with itself.
run compared_with_itself(judged_system const& system, countdown::port& port, std::vector<history> const& tried,
                         run_options options = {}) {
  auto judged = judged_on(system, port, tried, std::move(options));
  judged.settle_dependence(compare_with_itself(judged, port));
  return judged;
}

// Whether it is told as a fault of its own.
bool is_broken(run const& judged, unsigned claim) {
  return std::ranges::any_of(judged.breaches(), [&](breach const& b) { return b.claim == claim && !b.follows_from; });
}

// Each instance says so many less at each call.
result counts_by(history const& h, spec::integer by) {
  std::array<spec::integer, instances_max> left{};
  left.fill(h.params[0].n);
  result r;
  for (auto const& call : h.steps) {
    r.answers.push_back(countdown::says(left[call.on]));
    left[call.on] -= by;
  }
  return r;
}

// One count for all instances.
result counts_together(history const& h) {
  result r;
  spec::integer left = h.params[0].n;
  for (std::size_t i = 0; i < h.steps.size(); ++i) r.answers.push_back(countdown::says(left--));
  return r;
}

TEST(dependence, a_wrong_formula_is_told_as_one_beside_other_instances_too) {
  explorer<countdown_dependence> const system;
  countdown::port port([](history const& h) { return counts_by(h, 2); });
  auto const judged = compared_with_itself(system, port, {two_instances(9), two_instances(8), countdown::asked(9, 2)});
  ASSERT_EQ(judged.breaches().size(), 1U);
  EXPECT_EQ(judged.breaches()[0].claim, countdown::counts_down);
  EXPECT_EQ(judged.breaches()[0].first.index, 2U);
  EXPECT_EQ(judged.failing_histories(), 3U);
}

TEST(dependence, what_the_calls_break_by_themselves_is_the_finding) {
  explorer<countdown_dependence> const system;
  countdown::port port([](history const& h) { return counts_by(h, 2); });
  auto const judged = compared_with_itself(system, port, {two_instances(9), two_instances(8)});
  ASSERT_EQ(judged.breaches().size(), 1U);
  auto const b = judged.breaches()[0];
  EXPECT_EQ(b.claim, countdown::counts_down);
  EXPECT_EQ(b.first.tried.steps.size(), 2U);
  EXPECT_EQ(b.histories, 1U);
  EXPECT_EQ(judged.counts().at_stake[b.claim], 3U) << "in both histories, and in the shorter one";
  EXPECT_EQ(judged.verdict(), verdict::does_not_conform);
}

TEST(dependence, what_is_known_to_fail_is_no_finding_where_the_calls_are_by_themselves) {
  explorer<countdown_dependence> const system;
  countdown::port port([](history const& h) { return counts_by(h, 2); });
  auto judged = judged_on(system, port, {two_instances(9)});
  auto all = compare_with_itself(judged, port);
  for (auto& c : all) c.excused = claim_mask{1} << countdown::counts_down;
  judged.settle_dependence(all);
  EXPECT_TRUE(judged.breaches().empty());
  EXPECT_FALSE(judged.is_unexplained());
}

TEST(dependence, shared_state_is_shared_state) {
  explorer<countdown_dependence> const system;
  countdown::port port(counts_together);
  auto const judged = compared_with_itself(system, port, {two_instances(9), two_instances(8)});
  ASSERT_EQ(judged.breaches().size(), 1U);
  EXPECT_EQ(judged.breaches()[0].claim, countdown::independent);
  EXPECT_EQ(judged.breaches()[0].follows_from, std::nullopt);
}

// It was found where nothing was broken before it; the history that the comparison leaves breaks another claim first.
TEST(dependence, is_broken_in_the_history_that_the_comparison_leaves) {
  explorer<countdown_dependence> const system;
  countdown::port port(counts_together);
  auto judged = judged_on(system, port, {two_instances(9)});
  evidence const seen{1, two_instances(9), {result_kind::answered, std::vector(3, countdown::says(5)), ""}};
  judged.settle_dependence(std::array{compared{countdown::independent, false, seen}});
  auto const all = judged.breaches();
  auto const b = std::ranges::find(all, countdown::independent, &breach::claim);
  ASSERT_NE(b, all.end());
  EXPECT_EQ(b->first.index, 1U);
  EXPECT_FALSE(b->leads);
  EXPECT_TRUE(breaks_claim(judged, *b, b->first.tried, b->first.got));
}

TEST(dependence, what_is_asked_for_alone_is_withdrawn_and_nothing_put_in_its_place) {
  explorer<countdown_dependence> const system;
  countdown::port port([](history const& h) { return counts_by(h, 2); });
  run_options options;
  options.claims = claim_mask{1} << countdown::independent;
  auto const judged = compared_with_itself(system, port, {two_instances(9)}, options);
  EXPECT_TRUE(judged.breaches().empty());
  EXPECT_FALSE(judged.is_unexplained()) << "what is wrong is not judged";
}

// The shorter history is as wrong as the whole, and the claim that it breaks is not asked for there.
TEST(dependence, that_is_withdrawn_with_nothing_in_its_place_leaves_no_pass) {
  explorer<countdown_dependence> const system;
  countdown::port port([](history const& h) { return counts_by(h, 2); });
  auto judged = judged_on(system, port, {two_instances(9)});
  auto const alone = countdown::asked(9, 1);
  judged.settle_dependence(std::array{compared{countdown::independent, true, {0, alone, counts_by(alone, 1)}}});
  EXPECT_TRUE(judged.breaches().empty());
  EXPECT_TRUE(judged.is_unexplained());
  EXPECT_EQ(judged.verdict(), verdict::inconclusive);
}

// A pinned reading may ask more of a reset than the port does: no other claim tells what is wrong.
TEST(dependence, on_what_was_before_a_reset_is_the_finding_where_nothing_else_is_broken) {
  auto& compares = countdown_dependence::all[countdown::independent].compares;
  compares = dependence::reset;
  explorer<countdown_dependence> const system;
  compares = dependence::instances;
  countdown::port port([](history const& h) { return counts_by(h, 2); });
  auto judged = judged_on(system, port, {two_instances(9)});
  auto const alone = countdown::asked(9, 1);
  judged.settle_dependence(std::array{compared{countdown::independent, true, {0, alone, counts_by(alone, 1)}}});
  ASSERT_EQ(judged.breaches().size(), 1U);
  EXPECT_EQ(judged.breaches()[0].claim, countdown::independent);
  EXPECT_EQ(judged.verdict(), verdict::does_not_conform);
}

judged_system const& java() { return *find_judged_system("azure_java_retry_policy"); }

// Waits a wrong delay after an error of a protocol, at the calls of a history for which `is_wrong` holds.
countdown::port after_protocol_errors(bool (*is_wrong)(std::size_t)) {
  static built_in_subject library(java().shape(), library_ports("azure_java_retry_policy").front());
  auto const answers = [is_wrong](history const& h) {
    auto r = library.run(std::span(&h, 1)).front();
    for (std::size_t i = 0; i < h.steps.size(); ++i) {
      if (h.steps[i].args[3] == value::word(0) && is_wrong(i)) r.answers[i][2] = observed::of(700);
    }
    return r;
  };
  return countdown::port(answers, library.describes());
}

// Beside another instance: an error of a protocol after one of the service, with the same count and draw.
history protocol_after_service() {
  return parse_token(
             "azure_java_retry_policy/policy=exponential_backoff_with_jitter/decide:3::0:terminal:0~1,"
             "decide:5::0:service:0,decide:5::0:protocol:0")
      .cases.front();
}

TEST(dependence, of_one_kind_is_looked_for_behind_that_of_another) {
  auto port = after_protocol_errors([](std::size_t) { return true; });
  auto const judged = compared_with_itself(java(), port, {protocol_after_service()});
  ASSERT_EQ(judged.breaches().size(), 1U);
  EXPECT_EQ(java().claims()[judged.breaches()[0].claim].name, "delay_follows_the_formula");
  EXPECT_EQ(judged.breaches()[0].first.tried.steps.size(), 1U);
}

// The delay depends on the call before. The claim that was broken is about another instance.
TEST(dependence, of_another_kind_is_no_pass) {
  auto port = after_protocol_errors([](std::size_t i) { return i > 0; });
  auto const judged = compared_with_itself(java(), port, {protocol_after_service()});
  EXPECT_TRUE(judged.breaches().empty());
  EXPECT_EQ(judged.verdict(), verdict::inconclusive);
}

TEST(dependence, a_port_that_does_not_answer_alone_is_not_excused) {
  explorer<countdown_dependence> const system;
  for (auto const& silent :
       {result{result_kind::broke, {}, "gone"}, result{result_kind::answered, {countdown::fails}, ""}}) {
    countdown::port port([&](history const& h) { return h.steps.size() == 2 ? silent : counts_by(h, 2); });
    auto const judged = compared_with_itself(system, port, {two_instances(9)});
    EXPECT_TRUE(is_broken(judged, countdown::independent));
  }
}

TEST(dependence, is_asked_where_something_else_was_wrong_before) {
  explorer<countdown_dependence> const system;
  countdown::port port([&](history const& h) {
    auto r = counts_by(h, 2);
    r.answers[0] = countdown::says(99);
    return r;
  });
  auto const judged = compared_with_itself(system, port, {two_instances(9), countdown::asked(9, 2)});
  EXPECT_FALSE(is_broken(judged, countdown::independent));
}

TEST(dependence, the_smallest_histories_are_compared_and_not_all) {
  explorer<countdown_dependence> const system;
  std::size_t alone_asked = 0;
  countdown::port port([&](history const& h) {
    bool const is_alone = std::ranges::none_of(h.steps, [](step const& s) { return s.on != 0; });
    alone_asked += is_alone ? 1 : 0;
    return counts_by(h, 2);
  });
  std::vector<history> tried(40, two_instances(9));
  static_cast<void>(compared_with_itself(system, port, tried));
  EXPECT_EQ(alone_asked, 8U);
}

TEST(dependence, one_history_that_shows_it_is_enough) {
  explorer<countdown_dependence> const system;
  countdown::port port([](history const& h) { return h.params[0].n == 8 ? counts_together(h) : counts_by(h, 2); });
  auto const judged = compared_with_itself(
      system, port, {two_instances(9), two_instances(8), countdown::asked(9, 2), countdown::asked(7, 1)});
  EXPECT_TRUE(is_broken(judged, countdown::independent));
}

// backoffAlgorithm with one window for all instances, which no reset makes small again.
result one_window(history const& h) {
  enum status : std::uint8_t { retry = 0, ok = 2 };
  result r{result_kind::answered, {}, {}};
  auto window = h.params[0].n;
  for (auto const& call : h.steps) {
    bool const is_reset = call.op != 0;
    r.answers.push_back({observed::word(is_reset ? ok : retry)});
    if (is_reset) continue;
    r.answers.back()[1] = observed::of(call.args[0].n % (window + 1));
    window *= 2;
  }
  return r;
}

struct one_window_for_all {
  one_window_for_all() {
    unsigned const origin = present(system.readings().find("attempt-origin"));
    options.pinned = {{origin, present(system.readings().find(origin, "zero"))}};
  }
  static capabilities about() {
    capabilities a;
    a.takes = documented_domain(system.shape(), {});
    a.takes.features = bit(feature::instances);
    return a;
  }
  static history asked(std::string const& calls) {
    return parse_token("aws_backoff_algorithm/base_ms=4,max_ms=100,max_attempts=9/" + calls).cases.front();
  }
  inline static judged_system const& system = *find_judged_system("aws_backoff_algorithm");
  countdown::port port{one_window, about()};
  run_options options;
};

TEST(dependence, on_other_instances_is_told_before_dependence_on_what_was_before_a_reset) {
  one_window_for_all of;
  auto const claims = of.system.claims();
  auto const judged = compared_with_itself(
      of.system, of.port, {of.asked("next:7"), of.asked("next:1,reset,next:7"), of.asked("next:1,next:7~1")},
      of.options);
  auto const found = judged.breaches();
  ASSERT_GE(found.size(), 2U);
  EXPECT_EQ(claims[found[0].claim].compares, dependence::instances);
  EXPECT_EQ(claims[found[1].claim].compares, dependence::reset);
}

// By itself the port answers the calls behind the reset alike. The pinned reading asks for another answer there.
TEST(dependence, that_a_pinned_reading_asks_for_and_a_port_lacks_is_a_finding) {
  auto const& system = *find_judged_system("azure_c_retry_control");
  built_in_subject port(system.shape(), library_ports(system.shape().stem).front());
  unsigned const options = present(system.readings().find("reset-options"));
  run_options pinned;
  pinned.pinned = {{options, present(system.readings().find(options, "defaults"))}};
  auto judged = countdown::begun(system, port.describes(), pinned);
  drive(judged, port, 1'000, 1);
  EXPECT_TRUE(judged.readings().admitted().empty());
  EXPECT_FALSE(judged.breaches().empty());
  EXPECT_EQ(judged.verdict(), verdict::does_not_conform);
}

TEST(dependence, is_asked_of_claims_alone) {
  explorer<countdown_dependence> const system;
  auto about = countdown::about_port();
  about.takes.params[0].declared = true;
  countdown::port port([](history const& h) { return counts_by(h, 1); });
  auto judged = countdown::begun(system, about);
  judged.judge(countdown::asked(5, 1), {result_kind::rejected, {}, ""});
  ASSERT_EQ(judged.breaches().size(), 1U);
  EXPECT_TRUE(compare_with_itself(judged, port).empty());
  EXPECT_EQ(system.admitted(countdown::asked(5, 2), {}, {}, judged.explained_by()).size(), 2U);
  EXPECT_FALSE(system.shows_draws());
  EXPECT_FALSE(system.learns_from_answers());
}

// --- hidden draws, where the same calls may be answered otherwise ---

class hidden_port final : public subject {
 public:
  // second_delay: of the call on the second instance, beside the other, or nothing; alone the answer is right or none.
  hidden_port(std::function<spec::integer()> second_delay, bool answers_alone)
      : second_delay_(std::move(second_delay)), answers_alone_(answers_alone) {
    about_.takes =
        documented_domain(find_judged_system("aws_backoff_algorithm")->shape(), {spec::draw_kind::hidden, 1});
    about_.takes.features = bit(feature::instances);
  }
  [[nodiscard]] capabilities const& describes() const noexcept override { return about_; }
  [[nodiscard]] std::vector<result> run(std::span<history const> histories) override {
    std::vector<result> all;
    for (auto const& h : histories) {
      auto& r = all.emplace_back();
      for (auto const& call : h.steps)
        r.answers.push_back({observed::word(0), observed::of(call.on == 0 ? 1 : second_delay_())});
      if (h.steps.size() == 1 && !answers_alone_) r = {result_kind::broke, {}, "gone"};
    }
    return all;
  }

 private:
  capabilities about_;
  std::function<spec::integer()> second_delay_;
  bool answers_alone_;
};

TEST(dependence, of_hidden_draws_is_what_is_often_wrong_beside_others_and_never_alone) {
  auto const& system = *find_judged_system("aws_backoff_algorithm");
  auto const tried = without_hidden_draws(
      parse_token("aws_backoff_algorithm/base_ms=4,max_ms=100,max_attempts=3/next:1,next:2~1").cases, system.shape(),
      documented_domain(system.shape(), {spec::draw_kind::hidden, 1}));
  auto const is_same = [&](std::function<spec::integer()> delay, bool answers_alone) {
    hidden_port port(std::move(delay), answers_alone);
    auto judged = std::get<run>(run::begin(system, port.describes(), {}));
    judged.judge(tried.front(), port.run(tried).front());
    judged.settle_blame();
    auto const compared = compare_with_itself(judged, port);
    EXPECT_EQ(compared.size(), 1U);
    return !compared.empty() && compared.front().same;
  };
  for (bool const answers_alone : {true, false}) EXPECT_FALSE(is_same([] { return 99; }, answers_alone));
  int asked = 0;
  EXPECT_TRUE(is_same([&] { return asked++ == 0 ? 99 : 1; }, true))
      << "seldom wrong: chance, as far as anyone can tell";
}

// --- recorded answers ---

// What was answered, and nothing else.
class recorded final : public subject {
 public:
  recorded(judged_system const& system, draw_source const& draws) {
    about_.takes = documented_domain(system.shape(), draws);
    about_.takes.features = bit(feature::instances);
  }
  [[nodiscard]] capabilities const& describes() const noexcept override { return about_; }
  [[nodiscard]] std::vector<result> run(std::span<history const> histories) override {
    return std::vector<result>(histories.size(), {result_kind::unsent, {}, ""});
  }

 private:
  capabilities about_;
};

// The last delay is wrong: behind a reset, which nothing but a claim of dependence judges.
std::vector<breach> broken_as_recorded(bool document_only, draw_source const& draws) {
  auto const& system = *find_judged_system("aws_backoff_algorithm");
  auto asked = parse_token("aws_backoff_algorithm/base_ms=2,max_ms=9,max_attempts=forever/next:1,reset,next:1").cases;
  auto const& right = library_ports(system.shape().stem).front();
  auto got = built_in_subject(system.shape(), right).run(asked).front();
  asked = without_hidden_draws(asked, system.shape(), documented_domain(system.shape(), draws));
  got.answers.back()[system.shape().delay] = observed::of(9);
  recorded port(system, draws);
  run_options options;
  options.document_only = document_only;
  auto judged = std::get<run>(run::begin(system, port.describes(), options));
  judged.judge(asked.front(), got);
  judged.settle_blame();
  judged.settle_dependence(compare_with_itself(judged, port));
  auto const claims = system.claims();
  auto const at = std::ranges::find(claims, "reset_starts_a_fresh_cycle", &claim_text::name);
  EXPECT_TRUE(judged.is_not_compared(static_cast<unsigned>(at - claims.begin())));
  return judged.breaches();
}

TEST(without_comparison, the_calls_by_themselves_are_judged_and_no_dependence_is) {
  auto const claims = find_judged_system("aws_backoff_algorithm")->claims();
  for (auto const& draws : {draw_source{}, draw_source{spec::draw_kind::hidden, 1}}) {
    auto const found = broken_as_recorded(false, draws);
    ASSERT_FALSE(found.empty());
    for (auto const& b : found) EXPECT_FALSE(claims[b.claim].compares) << claims[b.claim].name;
    EXPECT_EQ(found.front().first.tried.steps.size(), 1U);
  }
}

TEST(without_comparison, fails_no_port_that_the_claim_does_not_fail) {
  EXPECT_TRUE(broken_as_recorded(true, {}).empty());
}

TEST(without_comparison, a_claim_whose_calls_cannot_stand_alone_stays_broken) {
  auto& compares = countdown_dependence::all[countdown::independent].compares;
  compares = dependence::reset;
  explorer<countdown_dependence> const system;
  compares = dependence::instances;
  countdown::port port([](history const& h) { return counts_by(h, 2); });
  auto const judged = compared_with_itself(system, port, {two_instances(9)});
  EXPECT_TRUE(is_broken(judged, countdown::independent));
}

// Judged on what was recorded of these histories. The port cannot be asked; the other histories may tell.
run as_recorded(judged_system const& system, subject& port, std::vector<history> const& tried,
                run_options options = {}) {
  auto const results = port.run(tried);
  auto judged = countdown::begun(system, port.describes(), std::move(options));
  for (std::size_t i = 0; i < tried.size(); ++i) judged.judge(tried[i], results[i]);
  judged.settle_blame();
  countdown::port silent([](history const&) { return result{result_kind::unsent, {}, ""}; }, port.describes());
  auto found = compare_with_itself(judged, silent);
  confirm_by_the_others(judged, found, tried, results);
  judged.settle_dependence(found);
  return judged;
}

// So many histories of one instance, and so many of two.
std::vector<history> of_one_and_of_two(std::size_t one, std::size_t two) {
  std::vector<history> all(one, countdown::asked(9, 3));
  all.insert(all.end(), two, two_instances(9));
  return all;
}

TEST(as_recorded, shared_state_is_told_where_enough_other_histories_are_right) {
  auto& compares = countdown_dependence::all[countdown::independent].compares;
  for (auto const on : {dependence::instances, dependence::repeats}) {
    compares = on;
    explorer<countdown_dependence> const system;
    compares = dependence::instances;
    for (auto const& [one, two, is_told] :
         {std::tuple(200U, 4U, true), std::tuple(200U, 1U, false), std::tuple(4U, 4U, false)}) {
      countdown::port port(counts_together);
      auto const judged = as_recorded(system, port, of_one_and_of_two(one, two));
      ASSERT_EQ(judged.breaches().size(), 1U);
      auto const b = judged.breaches().front();
      EXPECT_EQ(b.claim, is_told ? countdown::independent : countdown::counts_down) << one << " and " << two;
      EXPECT_EQ(b.first.tried.steps.size(), is_told ? 3U : 1U);
      EXPECT_EQ(judged.is_not_compared(countdown::independent), !is_told);
    }
  }
}

TEST(as_recorded, a_wrong_formula_is_no_shared_state) {
  explorer<countdown_dependence> const system;
  countdown::port port([](history const& h) { return counts_by(h, 2); });
  auto const judged = as_recorded(system, port, of_one_and_of_two(200, 20));
  EXPECT_FALSE(is_broken(judged, countdown::independent));
  EXPECT_TRUE(is_broken(judged, countdown::counts_down));
}

TEST(as_recorded, what_was_rejected_tells_nothing) {
  explorer<countdown_dependence> const system;
  countdown::port port(
      [](history const& h) { return h.steps[1].on == 0 ? result{result_kind::rejected, {}, ""} : counts_together(h); });
  EXPECT_FALSE(is_broken(as_recorded(system, port, of_one_and_of_two(200, 4)), countdown::independent));
}

TEST(as_recorded, nothing_is_told_of_calls_that_were_asked_again_or_are_right_alone) {
  explorer<countdown_dependence> const system;
  countdown::port port(counts_together);
  auto const tried = of_one_and_of_two(200, 20);
  auto const judged = judged_on(system, port, tried);
  auto const alone = countdown::asked(9, 1);
  for (auto const& [by, asked] : {std::pair(0, false), std::pair(2, true)}) {
    std::vector found{compared{countdown::independent, true, {200, alone, counts_by(alone, by)}, 0, asked}};
    confirm_by_the_others(judged, found, tried, port.run(tried));
    EXPECT_TRUE(found.front().same);
  }
}

// One window for all instances explains what resets seem to leave behind.
TEST(as_recorded, one_dependence_explains_what_another_seems_to_break) {
  one_window_for_all of;
  std::vector<history> tried(200, of.asked("next:4"));
  tried.insert(tried.end(), 10, of.asked("next:1,next:7~1"));
  tried.push_back(of.asked("next:1,next:7~1,reset~1,next:7~1"));
  auto const judged = as_recorded(of.system, of.port, tried, of.options);
  ASSERT_EQ(judged.breaches().size(), 1U);
  EXPECT_EQ(of.system.claims()[judged.breaches().front().claim].name, "instances_are_independent");
}

// --- ports that are functions of their own calls ---

TEST(soundness, no_function_of_its_own_calls_is_told_to_depend_on_others) {
  constexpr number_fault kinds[] = {{"zero", to_zero},
                                    {"one more", one_more},
                                    {"doubled", doubled},
                                    {"far longer", far_longer},
                                    {"the one before", as_before}};
  unsigned ports = 0;
  unsigned wrong = 0;
  for (auto const* system : judged_systems()) {
    auto const& table = system->readings();
    for (std::uint64_t i = 0; i < 40U * effort_multiplier(); ++i) {
      random_bits random(17, i);
      bool const hidden = system->shape().has_draws() && system->shows_draws() && random.one_in(3);
      draw_source const draws =
          hidden ? draw_source{spec::draw_kind::hidden, 1} : draw_source{spec::draw_kind::u32, u32_size};
      auto fault = kinds[random() % std::size(kinds)];
      // Decisions of the Java policy know their count: what depends on earlier calls there is no function of its own.
      fault.from = system->shape().remembers ? static_cast<std::size_t>(random.between(0, 4)) : 0;
      if (!system->shape().remembers && fault.spoil == as_before) fault = kinds[0];
      fault.one_in = static_cast<std::uint64_t>(random.between(1, 3));
      auto open = table.admitting(standing::canonical);
      auto const all = system->assignments(draws.kind);
      auto const fits = std::ranges::find_if(all, [&](cube c) { return table.common(c, open).has_value(); });
      faulty_model port(*system, table.simplest(fits == all.end() ? all.front() : present(table.common(*fits, open))),
                        draws, i, fault);
      auto judged = std::get<run>(run::begin(*system, port.describes(), {}));
      drive(judged, port, 150, i);
      ++ports;
      wrong += judged.verdict() == verdict::does_not_conform ? 1 : 0;
      plan asked(system->shape(), port.describes().takes, 150, i);
      auto const some = asked.next(150);
      auto const recorded = as_recorded(*system, port, {some.begin(), some.end()});
      for (run const* told : {&std::as_const(judged), &recorded}) {
        for (auto const& b : told->breaches()) {
          if (b.follows_from || !b.is_of_a_claim() || !system->claims()[b.claim].compares) continue;
          ADD_FAILURE() << system->shape().stem << ", " << fault.name << " from call " << fault.from
                        << (hidden ? ", hidden" : "") << (told == &recorded ? ", recorded" : "") << ", port " << i
                        << ": " << system->claims()[b.claim].name << " on "
                        << to_token({&system->shape(), {b.first.tried}});
        }
      }
    }
  }
  std::printf("dependence: %u ports that are functions of their own calls, %u of them wrong\n", ports, wrong);
  EXPECT_GT(wrong, ports / 2);
}

}  // namespace
