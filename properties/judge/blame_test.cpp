// Whom a failed run blames: settled after the last history, whatever came first; and the same fault is told in the same
// way beside every open reading.
#include "judge/blame.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "judge/countdown_test.hpp"
#include "judge/counterexample.hpp"
#include "judge/faulty_model_test.hpp"
#include "judge/patience_test.hpp"
#include "judge/plan.hpp"

namespace {

using namespace backoff::conformance;
using backoff::spec::cube;
using backoff::spec::standing;
using countdown::asked;
using countdown::right_plus;
using countdown::said;
namespace spec = backoff::spec;

auto const countdown_about = countdown::about_port();
constexpr std::uint64_t u32_size = std::uint64_t{1} << 32;

run judged_countdown(std::initializer_list<std::pair<history, result>> all) {
  auto judged = countdown::begun(countdown::system, countdown_about);
  for (auto const& [h, r] : all) judged.absorb(h, r);
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
  EXPECT_EQ(judged.at_stake(countdown::counts_down), 4U);
}

TEST(blame, goes_to_the_nearest_to_canonical_of_those_that_explain_as_much) {
  auto const judged =
      judged_countdown({{asked(9, 1), right_plus(asked(9, 1), 0)}, {asked(5, 1), right_plus(asked(5, 1), -1)}});
  EXPECT_EQ(explained(judged), std::vector<std::string>{});
}

TEST(blame, is_settled_once) {
  auto judged = judged_countdown({{asked(9, 1), right_plus(asked(9, 1), 0)},
                                  {asked(5, 1), right_plus(asked(5, 1), -1)},
                                  {asked(6, 1), right_plus(asked(6, 1), -1)}});
  EXPECT_EQ(explained(judged), std::vector<std::string>{"first=from-minus-1"});
  for (std::int64_t i = 0; i < 4; ++i) judged.absorb(asked(7, 1), right_plus(asked(7, 1), 0));
  judged.settle_blame();
  EXPECT_EQ(explained(judged), std::vector<std::string>{"first=from-minus-1"});
  EXPECT_EQ(judged.breaches()[0].histories, 5U);
}

TEST(blame, is_settled_by_enough_histories_before_the_last) {
  auto judged = countdown::begun(countdown::system, countdown_about);
  judged.absorb(asked(9, 1), right_plus(asked(9, 1), 0));
  for (int i = 0; i < 5'000; ++i) judged.absorb(asked(5, 1), right_plus(asked(5, 1), -1));
  EXPECT_EQ(explained(judged), std::vector<std::string>{"first=from-minus-1"}) << "nobody has asked for it";
  EXPECT_EQ(judged.breaches()[0].histories, 1U);
}

TEST(blame, is_settled_by_enough_calls_before_the_last) {
  auto judged = countdown::begun(countdown::system, countdown_about);
  judged.absorb(asked(9, 1), right_plus(asked(9, 1), 0));
  auto const longer = asked(5, 6);
  for (int i = 0; i < 90; ++i) {
    auto h = asked(5, 1'000);
    judged.absorb(h, right_plus(h, -1));
  }
  EXPECT_EQ(explained(judged), std::vector<std::string>{"first=from-minus-1"}) << "nobody has asked for it";
}

// A finding on two histories: the first shows the reading, the last the fault. A sample of the port they are not.
TEST(blame, of_a_replay_is_as_its_finding_was_shown) {
  auto judged = countdown::begun(countdown::system, countdown_about, {.whole = false});
  judged.absorb(asked(5, 1), right_plus(asked(5, 1), -1));
  judged.absorb(asked(9, 1), right_plus(asked(9, 1), 0));
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
  judged.absorb(asked(3, 1), {result::kind::rejected, {}, "no"});
  judged.absorb(asked(9, 1), right_plus(asked(9, 1), 0));
  for (int i = 0; i < 3; ++i) judged.absorb(asked(5, 1), right_plus(asked(5, 1), -1));
  EXPECT_EQ(judged.failing_histories(), 4U);
  judged.settle_blame();
  EXPECT_EQ(judged.failing_histories(), 2U);
  EXPECT_EQ(judged.breaches().size(), 2U);
}

// --- what follows from what ---

// A wrong first call is followed by an error: nothing says that one leads to the other.
TEST(consequence, is_nothing_that_breaks_at_a_later_call) {
  result r = said({7, 4});
  r.answers.push_back(countdown::fails);
  auto const judged = judged_countdown({{asked(5, 3), r}, {asked(5, 1), said({9})}});
  auto const breaches = judged.breaches();
  ASSERT_EQ(breaches.size(), 2U);
  for (auto const& b : breaches) {
    EXPECT_EQ(b.leads, b.claim == countdown::counts_down);
    EXPECT_EQ(b.follows_from, std::nullopt);
  }
}

TEST(consequence, is_none_where_the_other_is_whole_once) {
  result r = said({7, 4});
  r.answers.push_back(countdown::fails);
  auto const judged =
      judged_countdown({{asked(5, 3), r}, {asked(5, 1), {result::kind::answered, {countdown::fails}, ""}}});
  for (auto const& b : judged.breaches()) {
    EXPECT_TRUE(b.leads);
    EXPECT_EQ(b.follows_from, std::nullopt) << b.claim;
  }
}

TEST(consequence, what_fails_the_port_never_follows_from_what_does_not) {
  auto const h = asked(0, 3);
  result r = said({0, 7, 7});
  auto judged = countdown::begun(countdown::system, countdown_about);
  judged.absorb(asked(5, 1), said({9}));
  judged.absorb(h, r);
  judged.settle_blame();
  for (auto const& b : judged.breaches()) EXPECT_FALSE(b.fails && b.follows_from);
}

TEST(one_by_one, lists_each_joint_reading_once_the_canonical_first) {
  auto const all = countdown::table.admitting(standing::hazard);
  auto const each = one_by_one(countdown::table, {all, countdown::table.admitting(standing::open)});
  EXPECT_EQ(each.size(), 6U);
  EXPECT_EQ(each.front(), countdown::table.admitting(standing::canonical));
  EXPECT_TRUE(std::ranges::is_sorted(each, {}, [](cube c) { return countdown::table.deviations(c); }));
}

// --- the same fault beside every open reading ---

// With patience all of them; otherwise the first ones.
constexpr number_fault faults[] = {{"zero from the third", to_zero, 2},
                                   {"twice, in some histories", doubled, 0, 3},
                                   {"zero", to_zero},
                                   {"one more", one_more},
                                   {"one more late", one_more, 3},
                                   {"far too long", far_longer, 1},
                                   {"the one before", as_before, 1}};
constexpr std::size_t impatient_faults = 2;

// Under these readings a port goes on where it would otherwise have failed or ended. The fault is then also in answers
// that the canonical port does not give, which have a claim of their own.
struct more_answers {
  std::string_view reading;
  std::string_view claim;
};
constexpr more_answers further[] = {{"overflow", "overflow_saturates_or_fails"},
                                    {"overflow", "delay_never_exceeds_31_bits"},
                                    {"exhaustion-state", "exhaustion_lasts_until_reset"}};

using names = std::set<std::string_view>;

names causes(run const& judged) {
  names all;
  for (auto const& b : judged.breaches()) {
    if (b.fails && !b.follows_from) all.insert(judged.system().claims()[b.claim].name);
  }
  return all;
}

// Without the claims about further answers under a reading that this one departs in.
names comparable(names all, spec::reading_table const& table, cube followed) {
  for (auto const& departure : deviations(table, followed)) {
    for (auto const& m : further) {
      if (departure.starts_with(std::string(m.reading) + "=")) all.erase(m.claim);
    }
  }
  return all;
}

TEST(soundness, a_fault_beside_an_open_reading_is_told_as_it_is_beside_the_canonical_one) {
  unsigned pairs = 0;
  unsigned alike = 0;
  for (auto const* system : judged_systems()) {
    auto const& table = system->readings();
    draw_source const draws{spec::draw::kind::u32, u32_size};
    auto open = table.admitting(standing::open);
    if (auto const mapping = table.find("draw-mapping"))
      open.bits &= ~table.bit(*mapping, *table.find(*mapping, "other"));
    std::vector<cube> admitted;
    for (auto const c : system->assignments(draws.is)) {
      if (auto const both = table.common(c, open)) admitted.push_back(*both);
    }
    auto const all = one_by_one(table, admitted);
    int const fewest = table.deviations(all.front());
    for (auto const& f : std::span(faults).first(patience() > 1 ? std::size(faults) : impatient_faults)) {
      std::optional<names> usual;
      for (auto const reading : all) {
        if (table.deviations(reading) > fewest + 1) break;
        faulty_model port(*system, reading, draws, 1, f);
        auto judged = std::get<run>(run::begin(*system, port.describes(), {}));
        drive(judged, port, patience() > 1 ? 1'200 : 600, 1);
        if (!usual) usual = causes(judged);
        auto const told = comparable(causes(judged), table, reading);
        auto const expected = comparable(*usual, table, reading);
        if (told.empty() && expected.empty()) continue;  // that fault changes nothing here
        ++pairs;
        bool const same = told == expected;
        alike += same ? 1 : 0;
        if (!same) {
          std::string text = std::string(system->shape().stem) + " " + f.name + " with";
          for (auto const& d : deviations(table, reading)) text += " " + d;
          text += " (told under";
          for (auto const& d : deviations(table, judged.explained_by())) text += " " + d;
          text += "):";
          for (auto const c : told) text.append(" ").append(c);
          text += "; canonical:";
          for (auto const c : expected) text.append(" ").append(c);
          std::puts(text.c_str());
        }
      }
    }
  }
  std::printf("blame: %u of %u pairs alike\n", alike, pairs);
  EXPECT_GE(alike * 100, pairs * 93);
}

}  // namespace
