// Which reading a failed run blames: it is settled after the last history, whatever came first. The same fault is told
// in the same way beside every open reading.
#include "judge/blame.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>

#include "judge/countdown_test.hpp"
#include "judge/counterexample.hpp"
#include "judge/effort_test.hpp"
#include "judge/faulty_model_test.hpp"
#include "judge/plan.hpp"

namespace {

using namespace backoff::judge;
using backoff::spec::cube;
using backoff::spec::standing;
using countdown::asked;
using countdown::right_plus;
namespace spec = backoff::spec;

auto const countdown_about = countdown::about_port();

run judged_countdown(std::initializer_list<std::pair<history, result>> all) {
  auto judged = countdown::begun(countdown::system, countdown_about);
  for (auto const& [h, r] : all) judged.judge(h, r);
  judged.settle_blame();
  return judged;
}

std::vector<std::string> explained(run const& judged) {
  return deviations(judged.system().readings(), judged.explained_by());
}

// The first history is right under the canonical reading by chance, all others follow the open one.
TEST(blame, is_settled_by_all_histories_and_not_by_the_first_that_refutes) {
  auto const judged = judged_countdown({{asked(9, 1), right_plus(asked(9, 1), 0)},
                                        {asked(5, 1), right_plus(asked(5, 1), -1)},
                                        {asked(6, 1), right_plus(asked(6, 1), -1)},
                                        {asked(7, 1), right_plus(asked(7, 1), -1)}});
  EXPECT_EQ(explained(judged), std::vector<std::string>{"first=from-minus-1"});
  ASSERT_EQ(judged.breaches().size(), 1U);
  EXPECT_EQ(judged.breaches()[0].histories, 1U);
  EXPECT_EQ(judged.breaches()[0].first.tried, asked(9, 1));
  EXPECT_EQ(judged.failing_histories(), 1U);
  EXPECT_EQ(judged.counts().at_stake[countdown::counts_down], 4U);
}

TEST(blame, goes_to_the_nearest_to_canonical_of_those_that_explain_as_much) {
  auto const judged =
      judged_countdown({{asked(9, 1), right_plus(asked(9, 1), 0)}, {asked(5, 1), right_plus(asked(5, 1), -1)}});
  EXPECT_EQ(explained(judged), std::vector<std::string>{});
}

// However late it comes: without it the reading that it refuted would explain all that is kept.
TEST(blame, forgets_no_history_that_refutes_a_reading) {
  auto judged = countdown::begun(countdown::system, countdown_about);
  for (int i = 0; i < 1'100; ++i) judged.judge(asked(0, 1), right_plus(asked(0, 1), 0));
  judged.judge(asked(5, 1), right_plus(asked(5, 1), -1));
  judged.judge(asked(9, 1), right_plus(asked(9, 1), 0));
  judged.settle_blame();
  ASSERT_EQ(judged.breaches().size(), 1U);
  EXPECT_EQ(judged.breaches()[0].first.tried, asked(5, 1));
  EXPECT_EQ(judged.verdict(), verdict::does_not_conform);
}

// A rare history tells apart, after blame is settled, two readings that had explained as much.
TEST(blame, goes_to_the_reading_that_a_later_history_follows) {
  auto judged = countdown::begun(countdown::system, countdown_about);
  for (int i = 0; i < 2'100; ++i) judged.judge(asked(9, 1), right_plus(asked(9, 1), 5));
  judged.judge(asked(0, 1), right_plus(asked(0, 1), 0));  // both explain it
  EXPECT_EQ(explained(judged), std::vector<std::string>{});
  judged.judge(asked(5, 1), right_plus(asked(5, 1), -1));
  EXPECT_EQ(explained(judged), std::vector<std::string>{"first=from-minus-1"});
  EXPECT_EQ(judged.witnesses().back().seen.tried, asked(5, 1));  // a certificate needs it
  judged.judge(asked(6, 1), right_plus(asked(6, 1), 0));         // none of them explains it
  judged.settle_blame();
  EXPECT_EQ(explained(judged), std::vector<std::string>{"first=from-minus-1"});
  EXPECT_EQ(judged.failing_histories(), 2'101U);
}

TEST(blame, is_settled_once) {
  auto judged = judged_countdown({{asked(9, 1), right_plus(asked(9, 1), 0)},
                                  {asked(5, 1), right_plus(asked(5, 1), -1)},
                                  {asked(6, 1), right_plus(asked(6, 1), -1)}});
  EXPECT_EQ(explained(judged), std::vector<std::string>{"first=from-minus-1"});
  for (std::int64_t i = 0; i < 4; ++i) judged.judge(asked(7, 1), right_plus(asked(7, 1), 0));
  judged.settle_blame();
  EXPECT_EQ(explained(judged), std::vector<std::string>{"first=from-minus-1"});
  EXPECT_EQ(judged.breaches()[0].histories, 5U);
}

TEST(blame, is_settled_by_enough_histories_before_the_last) {
  auto judged = countdown::begun(countdown::system, countdown_about);
  judged.judge(asked(9, 1), right_plus(asked(9, 1), 0));
  for (int i = 0; i < 5'000; ++i) judged.judge(asked(5, 1), right_plus(asked(5, 1), -1));
  EXPECT_EQ(explained(judged), std::vector<std::string>{"first=from-minus-1"}) << "nobody has asked for it";
  EXPECT_EQ(judged.breaches()[0].histories, 1U);
}

TEST(blame, is_settled_by_enough_calls_before_the_last) {
  auto judged = countdown::begun(countdown::system, countdown_about);
  judged.judge(asked(9, 1), right_plus(asked(9, 1), 0));
  auto const longer = asked(5, 6);
  for (int i = 0; i < 90; ++i) {
    auto h = asked(5, 1'000);
    judged.judge(h, right_plus(h, -1));
  }
  EXPECT_EQ(explained(judged), std::vector<std::string>{"first=from-minus-1"}) << "nobody has asked for it";
}

// A finding on two histories: the first shows the reading, the last the fault. A sample of the port they are not.
TEST(blame, of_a_replay_is_as_its_finding_was_shown) {
  auto judged = countdown::begun(countdown::system, countdown_about, {.whole = false});
  judged.judge(asked(5, 1), right_plus(asked(5, 1), -1));
  judged.judge(asked(9, 1), right_plus(asked(9, 1), 0));
  judged.settle_blame();
  EXPECT_EQ(explained(judged), std::vector<std::string>{"first=from-minus-1"});
  ASSERT_EQ(judged.breaches().size(), 1U);
  EXPECT_EQ(judged.breaches()[0].first.tried, asked(9, 1));
}

TEST(blame, leaves_a_run_alone_that_nothing_refutes) {
  auto const judged = judged_countdown({{asked(5, 3), right_plus(asked(5, 3), -1)}});
  EXPECT_TRUE(judged.breaches().empty());
  EXPECT_EQ(explained(judged), std::vector<std::string>{"first=from-minus-1"});
}

TEST(blame, keeps_what_was_not_answered) {
  auto about = countdown_about;
  about.takes.params[0].declared = true;
  auto judged = countdown::begun(countdown::system, about);
  judged.judge(asked(3, 1), {result_kind::rejected, {}, "no"});
  judged.judge(asked(9, 1), right_plus(asked(9, 1), 0));
  for (int i = 0; i < 3; ++i) judged.judge(asked(5, 1), right_plus(asked(5, 1), -1));
  EXPECT_EQ(judged.failing_histories(), 4U);
  judged.settle_blame();
  EXPECT_EQ(judged.failing_histories(), 2U);
  EXPECT_EQ(judged.breaches().size(), 2U);
}

TEST(one_by_one, lists_each_joint_reading_once_the_canonical_first) {
  auto const all = countdown::table.admitting(standing::hazard);
  auto const each = one_by_one(countdown::table, {all, countdown::table.admitting(standing::open)});
  EXPECT_EQ(each.size(), 6U);
  EXPECT_EQ(each.front(), countdown::table.admitting(standing::canonical));
  EXPECT_TRUE(std::ranges::is_sorted(each, {}, [](cube c) { return countdown::table.deviations(c); }));
}

// --- the same fault beside every open reading ---

constexpr number_fault paired_faults[] = {{"zero from the third", to_zero, 2},
                                          {"twice, in some histories", doubled, 0, 3},
                                          {"zero", to_zero},
                                          {"one more", one_more},
                                          {"one more late", one_more, 3},
                                          {"far too long", far_longer, 1},
                                          {"the one before", as_before, 1}};

// Under these readings a port answers where it would otherwise have failed or ended, or with numbers that it would
// otherwise have raised. The fault is then also in answers that the canonical port does not give, which have claims of
// their own: these are not compared.
struct further_answers {
  std::string_view reading;
  std::string_view claim;
};
constexpr further_answers further[] = {{"overflow", "overflow_saturates_or_fails"},
                                       {"overflow", "delay_never_exceeds_31_bits"},
                                       {"exhaustion-state", "exhaustion_lasts_until_reset"},
                                       {"below-minimum", "delay_is_never_negative"},
                                       {"below-minimum", "delay_is_never_below_cmin"}};

// Every claim that a finding names: of claims that are parts of one rule, whichever leads.
std::set<std::string_view> findings(run const& judged) {
  std::set<std::string_view> all;
  for (auto const& b : judged.breaches()) {
    if (b.fails && !b.follows_from) all.insert(judged.system().claims()[b.claim].name);
  }
  return all;
}

std::set<std::string_view> comparable(std::set<std::string_view> all, std::vector<std::string> const& followed) {
  for (auto const& departure : followed) {
    for (auto const& f : further) {
      if (departure.starts_with(std::string(f.reading) + "=")) all.erase(f.claim);
    }
  }
  return all;
}

struct pair_counts {
  std::size_t all = 0;
  std::size_t alike = 0;
};

// For each port that departs from the canonical reading in one place at most, draws given: whether the findings of the
// fault are those beside the canonical reading. Ports are left out whose answers the fault does not change.
pair_counts told_alike(judged_system const& system, number_fault const& fault, std::uint64_t histories) {
  auto const& table = system.readings();
  draw_source const draws{spec::draw_kind::u32, std::uint64_t{1} << 32};
  auto open = table.admitting(standing::open);
  open.bits &= spec::exactly_mapped(table).bits;
  auto const all = one_by_one(table, spec::common_cubes(table, system.assignments(draws.kind), {open}));
  int const fewest = table.deviations(all.front());
  std::optional<std::set<std::string_view>> usual;
  pair_counts counts;
  for (auto const reading : all) {
    if (table.deviations(reading) > fewest + 1) break;
    faulty_model port(system, reading, draws, 1, fault);
    auto judged = std::get<run>(run::begin(system, port.describes(), {}));
    drive(judged, port, histories, 1);
    if (!usual) usual = findings(judged);
    auto const followed = deviations(table, reading);
    auto const told = comparable(findings(judged), followed);
    auto const of_canonical = comparable(*usual, followed);
    counts.all += told.empty() && of_canonical.empty() ? 0 : 1;
    counts.alike += told == of_canonical && !told.empty() ? 1 : 0;
  }
  return counts;
}

// With patience all faults; otherwise the first ones.
TEST(soundness, a_fault_beside_an_open_reading_is_told_as_it_is_beside_the_canonical_one) {
  bool const patient = effort_multiplier() > 1;
  std::size_t const faults = patient ? std::size(paired_faults) : 2;
  pair_counts pairs;
  for (auto const* system : judged_systems()) {
    for (auto const& fault : std::span(paired_faults).first(faults)) {
      auto const [all, alike] = told_alike(*system, fault, patient ? 1'200 : 600);
      pairs.all += all;
      pairs.alike += alike;
    }
  }
  EXPECT_GT(pairs.all, 0U);
  EXPECT_GE(pairs.alike * 100, pairs.all * 93);
}

}  // namespace
