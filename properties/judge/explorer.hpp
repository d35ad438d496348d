// The judge's engine for one model. It runs the model for sets of assignments at once: the model forks only on the
// readings that it consults, forks that arrive at the same state merge again, and what an answer refutes is pruned at
// that step. Undistinguished readings therefore cost nothing.
//
// A Binding names the model's State and Facts and provides
//   State start(history const&) · Outcome step(history const&, std::size_t, State&, draw_source const&, chooser&)
// where Outcome has `answer` (an expectation) and `facts`; plus shape(), readings(), assignments(), claims().
// Checked by: properties/judge/judge_test.cpp, which compares it with judging every joint assignment on its own.
#pragma once

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "judge/judged_system.hpp"

namespace backoff::conformance {

template <class Binding>
class explorer final : public judged_system {
  using state = typename Binding::state;
  using facts = typename Binding::facts;

 public:
  explorer() {
    for (auto const& c : Binding::claims()) texts_.push_back(c);
  }

  [[nodiscard]] conformance::shape const& shape() const noexcept override { return Binding::shape(); }
  [[nodiscard]] spec::reading_table const& readings() const noexcept override { return Binding::readings(); }
  [[nodiscard]] std::vector<spec::cube> assignments(spec::draw::kind draws) const override {
    return Binding::assignments(draws);
  }
  [[nodiscard]] std::span<claim_text const> claims() const noexcept override { return texts_; }

  [[nodiscard]] std::vector<fate> judge(history const& h, std::span<answer const> answers, draw_source const& draws,
                                        std::span<spec::cube const> alive, claim_mask selected,
                                        claim_mask killing) const override {
    std::vector<fate> done;
    std::vector<branch> live;
    for (auto const where : alive) live.push_back({where, fresh(h), 0});
    std::vector<branch> next;
    for (std::size_t i = 0; i < answers.size() && !live.empty(); ++i) {
      next.clear();
      for (auto const& from : live) {
        for_each_fork(h, i, from, draws, [&](branch const& to, auto const& outcome) {
          if (unjudged(outcome.answer)) {
            done.push_back({to.where, true, 0, to.at_stake});
            return;
          }
          auto const [at_stake, broken] = test(h, i, answers[i], outcome, selected);
          claim_mask const stake = to.at_stake | at_stake;
          if (broken != 0) {
            done.push_back({to.where, (broken & killing) == 0, broken, stake});
          } else {
            next.push_back({to.where, to.at, stake});
          }
        });
      }
      merge(next);
      std::swap(live, next);
    }
    for (auto const& b : live) done.push_back({b.where, true, 0, b.at_stake});
    return done;
  }

  [[nodiscard]] claim_report broken_claims(history const& h, std::span<answer const> answers, draw_source const& draws,
                                           spec::cube assignment) const override {
    claim_report report;
    walk(h, answers.size(), draws, assignment, [&](std::size_t i, auto const& outcome) {
      auto const [at_stake, broken] = test(h, i, answers[i], outcome, ~claim_mask{0});
      report.at_stake |= at_stake;
      report.broken |= broken;
      report.broken_at.push_back(broken);
    });
    return report;
  }

  [[nodiscard]] std::vector<spec::expectation> admitted(history const& h, draw_source const& draws,
                                                        spec::cube assignment) const override {
    std::vector<spec::expectation> result;
    walk(h, h.steps.size(), draws, assignment,
         [&](std::size_t, auto const& outcome) { result.push_back(outcome.answer); });
    return result;
  }

 private:
  using states = std::array<state, instances_max>;  // of each instance

  struct branch {
    spec::cube where;
    states at;
    claim_mask at_stake;
  };

  static states fresh(history const& h) {
    states all;
    all.fill(Binding::start(h));
    return all;
  }

  static bool uses_another_before(history const& h, std::size_t i) noexcept {
    auto const other = [&](step const& s) { return s.on != h.steps[i].on; };
    return std::any_of(h.steps.begin(), h.steps.begin() + static_cast<std::ptrdiff_t>(i), other);
  }

  static bool unjudged(spec::expectation const& e) noexcept { return e[0].is() == spec::admissible::kind::unjudged; }

  // Runs the model from one branch for every alternative that it consults there.
  template <class Visit>
  static void for_each_fork(history const& h, std::size_t i, branch const& from, draw_source const& draws,
                            Visit&& visit) {
    std::vector<spec::cube> pending{from.where};
    while (!pending.empty()) {
      spec::cube const where = pending.back();
      pending.pop_back();
      branch to{where, from.at, from.at_stake};
      spec::chooser readings(Binding::readings(), where, pending);
      auto const outcome = Binding::step(h, i, to.at[h.steps[i].on], draws, readings);
      to.where = readings.here();
      visit(std::as_const(to), outcome);
    }
  }

  // Runs the model under one assignment, until a step is unjudged.
  template <class Visit>
  static void walk(history const& h, std::size_t steps, draw_source const& draws, spec::cube assignment,
                   Visit&& visit) {
    states at = fresh(h);
    std::vector<spec::cube> none;
    for (std::size_t i = 0; i < steps; ++i) {
      spec::chooser readings(Binding::readings(), assignment, none);
      auto const outcome = Binding::step(h, i, at[h.steps[i].on], draws, readings);
      if (unjudged(outcome.answer)) return;
      visit(i, outcome);
    }
  }

  struct tested {
    claim_mask at_stake;
    claim_mask broken;
  };

  template <class Outcome>
  static tested test(history const& h, std::size_t i, answer const& port, Outcome const& outcome, claim_mask selected) {
    claim_view<facts> const view{h, i, port, outcome.answer, outcome.facts, uses_another_before(h, i)};
    tested result{0, 0};
    claim_mask bit = 1;
    for (auto const& c : Binding::claims()) {
      if ((selected & bit) != 0 && c.at_stake(view)) {
        result.at_stake |= bit;
        if (!c.holds(view)) result.broken |= bit;
      }
      bit <<= 1;
    }
    return result;
  }

  // Joins branches of equal state whose cubes differ in one reading alone, reading by reading: sorted by the rest of
  // their bits, such branches stand side by side.
  static void merge(std::vector<branch>& branches) {
    auto const& table = Binding::readings();
    for (unsigned r = 0; r < table.readings().size() && branches.size() > 1; ++r) {
      std::uint64_t const field = table.field(r);
      std::sort(branches.begin(), branches.end(), [field](branch const& a, branch const& b) {
        return std::pair(a.where.bits & ~field, a.where.bits) < std::pair(b.where.bits & ~field, b.where.bits);
      });
      std::size_t kept = 0;
      for (std::size_t i = 0; i < branches.size(); ++i) {
        auto const rest = branches[i].where.bits & ~field;
        std::size_t k = kept;
        while (k > 0 && (branches[k - 1].where.bits & ~field) == rest && !(branches[k - 1].at == branches[i].at)) --k;
        if (k > 0 && (branches[k - 1].where.bits & ~field) == rest) {
          branches[k - 1].where.bits |= branches[i].where.bits;
          branches[k - 1].at_stake |= branches[i].at_stake;
        } else {
          if (kept != i) branches[kept] = branches[i];
          ++kept;
        }
      }
      branches.erase(branches.begin() + static_cast<std::ptrdiff_t>(kept), branches.end());
    }
  }

  std::vector<claim_text> texts_;
};

}  // namespace backoff::conformance
