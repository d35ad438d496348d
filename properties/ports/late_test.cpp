// Faults that begin late: each falls, wherever it begins and whatever region it is kept to, or changes nothing that a
// document does not admit. Few of them at every change, all of them nightly.
#include "ports/late.hpp"

#include <gtest/gtest.h>

#include "histories/generate.hpp"
#include "histories/present.hpp"
#include "judge/effort_test.hpp"
#include "judge/plan.hpp"

namespace {

using namespace backoff::ports;

constexpr std::uint64_t usual_cases = 10'000;

// Where faults begin: at every attempt that retry code usually reaches, and where 7, 8 and 10 bits end.
std::vector<std::uint32_t> late_attempts() {
  std::vector<std::uint32_t> all;
  for (std::uint32_t k = 1; k <= 70; ++k) all.push_back(k);
  for (std::uint32_t const end : {128U, 256U, 1'024U}) {
    for (std::uint32_t k = end - 2; k <= end + 2; ++k) all.push_back(k);
  }
  return all;
}

// Each late fault on trial as `check` would have it: with the histories of a whole run, up to the one that settles it.
class late_trial {
 public:
  explicit late_trial(judged_system const& system, std::uint64_t seed = 1) : system_(&system), seed_(seed) {
    late_subject right(system.shape(), no_fault());
    plan histories(system.shape(), right.describes().takes, usual_cases, seed);
    auto const all = histories.next(usual_cases);
    histories_.assign(all.begin(), all.end());
    right_ = right.run(histories_);
  }

  // Whether a claim breaks, draws given. What right answers tell of the readings is only asked where the wrong ones do
  // not settle it.
  [[nodiscard]] bool catches(late_fault const& fault) const {
    late_subject port(system_->shape(), fault);
    auto judged = begun(port);
    bool shown = false;
    for (std::size_t i = 0; i < histories_.size(); ++i) {
      if (histories_[i].steps.size() < least_calls(fault) || !fault.where->holds(histories_[i])) continue;
      auto said = port.run(std::span(&histories_[i], 1));
      if (said.front().answers == right_[i].answers) continue;
      judged.judge(histories_[i], said.front());
      if (!judged.breaches().empty()) return true;
      shown = true;
    }
    if (!shown) return false;
    auto whole = begun(port);
    drive(whole, port, usual_cases, seed_);
    return !whole.breaches().empty();
  }

  // The same, draws hidden in the port.
  [[nodiscard]] bool catches_hidden(late_fault const& fault) const {
    constexpr std::size_t some = 64;
    late_subject port(system_->shape(), fault, &generators().front());
    auto judged = begun(port);
    plan histories(system_->shape(), port.describes().takes, usual_cases, seed_, judged.draws().are_tested());
    for (auto batch = histories.next(some); !batch.empty(); batch = histories.next(some)) {
      auto const first = histories.given() - batch.size();
      auto const results = port.run(batch);
      for (std::size_t i = 0; i < batch.size(); ++i)
        judged.judge(batch[i], results[i], histories.kind_of(first + i, batch[i]));
      if (!judged.breaches().empty()) return true;
    }
    return false;
  }

 private:
  [[nodiscard]] late_fault no_fault() const {
    return {late_kind::zero, ~std::uint32_t{0}, late_ports_of(system_->shape().stem).regions.data()};
  }
  // A port that remembers nothing is asked for any count at once.
  [[nodiscard]] std::size_t least_calls(late_fault const& fault) const {
    return system_->shape().remembers ? fault.from : 1;
  }
  run begun(late_subject& port) const {
    auto judged = std::get<run>(run::begin(*system_, port.describes(), {}));
    auto const probes = mapping_probes(judged, seed_);
    judged.settle_mapping(probes, port.run(probes));
    return judged;
  }

  judged_system const* system_;
  std::uint64_t seed_;
  std::vector<history> histories_;
  std::vector<result> right_;
};

late_region const& whole_of(judged_system const& system) { return late_ports_of(system.shape().stem).regions.front(); }

class late_faults : public testing::TestWithParam<judged_system const*> {};

// Histories made to show the fault, in its region: whether any of their answers is not admitted.
bool shows(judged_system const& system, late_fault const& fault, random_bits& random) {
  constexpr int tries = 12;
  constexpr std::size_t beyond = 20;
  late_subject port(system.shape(), fault);
  auto judged = std::get<run>(run::begin(system, port.describes(), {}));
  for (int i = 0; i < tries; ++i) {
    history h;
    generate(h, system.shape(), port.describes().takes, random, fault.from + beyond);
    if (!inside(system.shape(), port.describes().takes, h)) continue;
    judged.judge(h, port.run(std::span(&h, 1)).front());
  }
  return !judged.breaches().empty();
}

TEST_P(late_faults, with_given_draws_fall_or_change_nothing_that_counts) {
  auto const& system = *GetParam();
  late_trial const trial(system);
  random_bits random(1);
  auto const attempts = late_attempts();
  std::size_t const every = effort_multiplier() > 1 ? 1 : 13;
  int caught = 0;
  for (auto const& region : late_ports_of(system.shape().stem).regions) {
    for (std::size_t kind = 0; kind < late_names.size(); ++kind) {
      for (std::size_t i = kind; i < attempts.size(); i += every) {
        late_fault const fault{static_cast<late_kind>(kind), attempts[i], &region};
        if (trial.catches(fault)) {
          ++caught;
        } else {
          EXPECT_FALSE(shows(system, fault, random)) << system.shape().stem << " " << name_of(fault);
        }
      }
    }
  }
  EXPECT_GT(caught, 50 / static_cast<int>(effort_multiplier() > 1 ? 1 : 2));
  for (std::uint32_t const from : {70U, 128U, 256U, 1'024U}) {
    late_fault const fault{late_kind::error, from, &whole_of(system)};
    EXPECT_TRUE(trial.catches(fault)) << name_of(fault) << ": no history goes so far";
  }
}

TEST_P(late_faults, begin_where_they_say) {
  auto const& s = GetParam()->shape();
  late_subject right(s, {late_kind::error, 1'000'000, &whole_of(*GetParam())});
  late_subject wrong(s, {late_kind::error, 5, &whole_of(*GetParam())});
  auto const takes = right.describes().takes;
  int shorter = 0;
  for (std::uint64_t i = 0; i < 1'000; ++i) {
    random_bits random(1, i);
    auto const h = generate(s, takes, random);
    auto const one = right.run(std::span(&h, 1)).front().answers;
    auto const other = wrong.run(std::span(&h, 1)).front().answers;
    EXPECT_TRUE(s.remembers ? h.steps.size() > 4 || one == other : true);
    shorter += one != other ? 1 : 0;
  }
  EXPECT_GT(shorter, 20);
  EXPECT_LT(shorter, 1'000);
}

TEST_P(late_faults, keep_to_their_region) {
  auto const& s = GetParam()->shape();
  for (auto const& region : late_ports_of(s.stem).regions) {
    late_subject right(s, {late_kind::error, 1'000'000, &region});
    late_subject wrong(s, {late_kind::error, 1, &region});
    int inside_it = 0;
    for (std::uint64_t i = 0; i < 400; ++i) {
      random_bits random(2, i);
      auto const h = generate(s, right.describes().takes, random);
      bool const same = right.run(std::span(&h, 1)).front().answers == wrong.run(std::span(&h, 1)).front().answers;
      EXPECT_TRUE(same || region.holds(h)) << region.name;
      inside_it += same ? 0 : 1;
    }
    EXPECT_GT(inside_it, 0) << s.stem << " " << region.name;
  }
}

TEST_P(late_faults, are_found_by_their_names) {
  auto const stem = GetParam()->shape().stem;
  for (auto const& region : late_ports_of(stem).regions) {
    late_fault const fault{late_kind::one_less, 70, &region};
    auto const found = find_late_fault(stem, name_of(fault));
    ASSERT_TRUE(found);
    EXPECT_EQ(present(found).kind, fault.kind);
    EXPECT_EQ(present(found).from, fault.from);
    EXPECT_EQ(present(found).where, fault.where);
  }
  for (auto const wrong : {"late-zero", "late-zero@", "late-zero@0", "late-zero@x", "late-no@1", "late-zero@1-",
                           "late-zero@1-no", "zero@1", "late-zero@99999999999"})
    EXPECT_FALSE(find_late_fault(stem, wrong)) << wrong;
}
INSTANTIATE_TEST_SUITE_P(systems, late_faults, testing::ValuesIn(judged_systems().begin(), judged_systems().end()),
                         [](auto const& each) { return std::string(each.param->shape().stem); });

// Draws hidden: the commonest of them, and one that begins where ten bits end.
class late_hidden_faults : public testing::TestWithParam<judged_system const*> {};
TEST_P(late_hidden_faults, fall_where_they_are_gross) {
  auto const& system = *GetParam();
  late_trial const trial(system);
  for (auto const kind : {late_kind::zero, late_kind::half}) {
    for (std::uint32_t const from : {21U, 64U}) {
      late_fault const fault{kind, from, &whole_of(system)};
      EXPECT_TRUE(trial.catches_hidden(fault)) << system.shape().stem << " " << name_of(fault);
    }
  }
  late_fault const last{late_kind::zero, 1'024, &whole_of(system)};
  EXPECT_TRUE(trial.catches_hidden(last)) << system.shape().stem << " " << name_of(last);
}
std::vector<judged_system const*> systems_that_draw() {
  std::vector<judged_system const*> all(judged_systems().begin(), judged_systems().end());
  std::erase_if(all, [](auto const* each) { return !each->shows_draws(); });
  return all;
}
INSTANTIATE_TEST_SUITE_P(systems, late_hidden_faults, testing::ValuesIn(systems_that_draw()),
                         [](auto const& each) { return std::string(each.param->shape().stem); });

}  // namespace
