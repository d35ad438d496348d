// The catalogue that people read and the code that judges say the same: names, standings, references; and each
// reading's distinguishing history tells its alternatives apart, executed on every one of them.
#include "judge/catalogue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "judge/judged_system.hpp"
#include "judge/model_subject.hpp"

namespace {

using namespace backoff::judge;
using backoff::spec::standing;
namespace spec = backoff::spec;

standing standing_of(std::string const& word) {
  if (word == "canonical") return standing::canonical;
  EXPECT_TRUE(word == "open" || word == "hazard") << word;
  return word == "open" ? standing::open : standing::hazard;
}

TEST(catalogue, names_the_readings_of_the_model) {
  for (auto const* system : judged_systems()) {
    auto const& readings = catalogue_of(system->shape().stem).readings;
    auto const model = system->readings().readings();
    ASSERT_EQ(readings.size(), model.size());
    for (std::size_t r = 0; r < model.size(); ++r) {
      EXPECT_EQ(readings[r].name, model[r].name);
      ASSERT_EQ(readings[r].alternatives.size(), model[r].alternatives.size()) << readings[r].name;
      for (std::size_t a = 0; a < model[r].alternatives.size(); ++a) {
        EXPECT_EQ(readings[r].alternatives[a].name, model[r].alternatives[a].name);
        EXPECT_EQ(standing_of(readings[r].alternatives[a].standing), model[r].alternatives[a].standing)
            << readings[r].name;
      }
      EXPECT_EQ(std::ranges::count(readings[r].alternatives, "canonical", &alternative_text::standing), 1);
    }
  }
}

TEST(catalogue, refers_only_to_what_it_has) {
  for (auto const* system : judged_systems()) {
    auto const& c = catalogue_of(system->shape().stem);
    std::set<std::string> ids;
    for (auto const& r : c.requirements) {
      EXPECT_TRUE(ids.insert(r.id).second) << r.id << " is there twice";
      for (auto const& name : r.readings) EXPECT_NE(c.find_reading(name), nullptr) << r.id << " names " << name;
      constexpr std::array<std::string_view, 4> strengths{"must", "recommended", "may", "interface"};
      EXPECT_TRUE(std::ranges::count(strengths, r.strength)) << r.id;
      EXPECT_FALSE(r.place.empty() || r.text.empty() || r.formula.empty()) << r.id;
    }
    for (auto const& r : c.readings) {
      for (auto const& id : r.rests_on) EXPECT_NE(c.find_requirement(id), nullptr) << r.name << " rests on " << id;
    }
  }
}

TEST(catalogue, finds_nothing_under_a_name_that_is_none) {
  for (auto const* system : judged_systems()) {
    auto const& c = catalogue_of(system->shape().stem);
    EXPECT_EQ(c.find_requirement("AWS-XX-999"), nullptr);
    EXPECT_EQ(c.find_reading("no-such-reading"), nullptr);
  }
}

TEST(catalogue, names_the_specs_of_each_requirement) {
  auto const& c = catalogue_of("aws_backoff_algorithm");
  for (auto const& r : c.requirements) {
    bool const uneven = r.id == "AWS-BA-001" || r.id == "AWS-BA-003";
    EXPECT_EQ(std::ranges::count(r.specs, "aws_backoff_algorithm.distribution_changes_no_answer"), uneven) << r.id;
    EXPECT_EQ(std::ranges::count(r.specs, ""), 0) << r.id;
    EXPECT_EQ(std::set<std::string>(r.specs.begin(), r.specs.end()).size(), r.specs.size()) << r.id;
  }
}

TEST(catalogue, has_a_distinguishing_history_of_each_reading_that_answers_tell_apart) {
  auto const& c = catalogue_of("aws_backoff_algorithm");
  EXPECT_EQ(c.find_reading("distribution")->told_apart_by, "");
  std::vector<history> all;
  for (auto const& r : c.readings) {
    if (r.name != "distribution") all.push_back(parse_token(r.told_apart_by).cases.front());
  }
  EXPECT_EQ(distinguishing_histories("aws_backoff_algorithm"), all);
}

// Whether answers admitted under `played` are refuted under `other`.
bool told_apart(judged_system const& system, history const& h, spec::cube played, spec::cube other) {
  draw_source const draws{};
  random_bits random(1);
  auto const answers = system.play(h, draws, played, random).answers;
  return system.broken_claims(h, answers, draws, other).broken != 0;
}

// The assignment nearest to the canonical one that has this alternative.
spec::cube nearest(judged_system const& system, unsigned r, unsigned a) {
  auto const& table = system.readings();
  spec::cube best{};
  for (auto const c : system.assignments(spec::draw_kind::u32)) {
    auto const both = table.common(c, table.with(c, r, a));
    if (both && (best.bits == 0 || table.deviations(table.simplest(*both)) < table.deviations(best)))
      best = table.simplest(*both);
  }
  return best;
}

// The same calls on each instance.
history on_every_instance(history const& of) {
  history h = of;
  h.steps.clear();
  for (auto call : of.steps) {
    for (call.on = 0; call.on < instances_max; ++call.on) h.steps.push_back(call);
  }
  return h;
}

// Two alternatives judged together come to the outcome that each comes to alone: where they come to different states,
// of one instance or of all, they stay apart.
TEST(catalogue, distinguishing_histories_tell_alternatives_apart_in_company) {
  claim_mask const all = ~claim_mask{0};
  for (auto const* system : judged_systems()) {
    auto const& table = system->readings();
    for (unsigned r = 0; r < table.readings().size(); ++r) {
      auto const& text = catalogue_of(system->shape().stem).readings[r];
      if (text.told_apart_by.empty()) continue;
      auto const told = parse_token(text.told_apart_by).cases.front();
      auto const played = nearest(*system, r, 0);
      for (auto const& h : {told, on_every_instance(told)}) {
        random_bits random(1);
        auto const answers = system->play(h, {}, played, random).answers;
        for (unsigned b = 1; b < text.alternatives.size(); ++b) {
          std::vector const both{spec::cube{played.bits | table.bit(r, b)}};
          auto const outcomes = system->judge(h, answers, {}, both, all, all);
          for (auto const one : {played, table.with(both[0], r, b)}) {
            bool const lives = std::ranges::any_of(outcomes, [&](assignment_outcome const& f) {
              return f.alive && table.common(f.where, one).has_value();
            });
            EXPECT_EQ(lives, system->broken_claims(h, answers, {}, one).broken == 0) << text.name << ' ' << b;
          }
        }
      }
    }
  }
}

TEST(catalogue, distinguishing_histories_tell_every_pair_of_alternatives_apart) {
  for (auto const* system : judged_systems()) {
    for (unsigned r = 0; r < system->readings().readings().size(); ++r) {
      auto const& text = catalogue_of(system->shape().stem).readings[r];
      if (text.told_apart_by.empty()) continue;
      auto const h = parse_token(text.told_apart_by).cases.front();
      for (unsigned a = 0; a < text.alternatives.size(); ++a) {
        for (unsigned b = 0; b < text.alternatives.size(); ++b) {
          // What is undefined, or a mapping unknown, admits all that the others do; near and doubles admit what is
          // exact.
          bool const vague = text.alternatives[b].name == "undefined" || text.alternatives[b].name == "other" ||
                             text.alternatives[a].name == "undefined" || text.alternatives[a].name == "other" ||
                             text.alternatives[b].name == "near" || text.alternatives[b].name == "doubles";
          if (a == b || vague) continue;
          EXPECT_TRUE(told_apart(*system, h, nearest(*system, r, a), nearest(*system, r, b)))
              << text.name << ": " << text.alternatives[a].name << " passes for " << text.alternatives[b].name;
        }
      }
    }
  }
}

TEST(catalogue, of_a_system_that_is_declared_is_added) {
  requirement_text known;
  known.id = "OWN-1";
  catalogue own;
  own.requirements.push_back(known);
  add_catalogue("declared-catalogue", own);
  EXPECT_NE(catalogue_of("declared-catalogue").find_requirement("OWN-1"), nullptr);
}

}  // namespace
