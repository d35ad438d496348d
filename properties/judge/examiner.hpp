// The judge's engine. It runs a model for sets of assignments at once. The model forks only on the readings that it
// consults; forks that reach the same state merge again; assignments that an answer refutes are dropped at that step.
// Readings that a history does not tell apart therefore cost nothing. An examiner reuses its memory from one history to
// the next; each thread needs an examiner of its own.
// Checked by: properties/judge/examiner_test.cpp by hand; judge_test.cpp compares it with judging every joint
// assignment on its own.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "judge/model_runner.hpp"

namespace backoff::judge {

// The outcome of one history for a set of assignments that it does not tell apart.
struct assignment_outcome {
  spec::cube where;
  bool alive = true;
  claim_mask broken = 0;    // claims broken where the assignments died, or broken without killing them
  claim_mask at_stake = 0;  // claims that could have been broken
};

// The claims of a history under one assignment. Broken claims do not end the judging; an unjudged step does.
struct claim_report {
  claim_mask broken = 0;
  claim_mask at_stake = 0;
  std::vector<claim_mask> broken_at;           // by step
  std::vector<claim_mask> leaning_at;          // of these, those that another claim's break would explain
  std::map<unsigned, std::string_view> cited;  // by broken claim, the requirement that its first break cites
  // Whether the claim is broken at the first call that breaks any claim of `among`.
  [[nodiscard]] bool leads(unsigned claim, claim_mask among) const noexcept;
};

// Answers to a history, and what the document admits at each step, given the answers before it.
struct played {
  std::vector<spec::expectation> admitted;
  std::vector<answer> answers;
};

// Assignments under which the document admits the same at every step, whatever was answered before.
struct foreseen {
  std::vector<spec::cube> where;
  std::vector<spec::expectation> admitted;  // ends early where a step is unjudged
};

class judged_system;

class examiner {
 public:
  explicit examiner(judged_system const& system);

  // Judges answers under every assignment of `alive`. An assignment dies at the first step that breaks one of the
  // `killing` claims under it. Other broken claims do not end the judging, so that they hide no worse break.
  // Assignments that the history does not tell apart share one outcome. The outcomes are valid until the examiner is
  // asked again.
  [[nodiscard]] std::span<assignment_outcome const> judge(history const& h, std::span<answer const> answers,
                                                          draw_source const& draws, std::span<spec::cube const> alive,
                                                          claim_mask selected, claim_mask killing);

  // Judges answers under one assignment, to the end even if claims are broken. The report is valid until the examiner
  // is asked again.
  [[nodiscard]] claim_report const& broken_claims(history const& h, std::span<answer const> answers,
                                                  draw_source const& draws, spec::cube assignment);

  // What the document admits at each step under one assignment, given these answers. Ends early where a step is
  // unjudged.
  [[nodiscard]] std::vector<spec::expectation> admitted(history const& h, std::span<answer const> answers,
                                                        draw_source const& draws, spec::cube assignment);

  // What the document admits at each step, for each group of assignments that admit the same; in the order of the
  // assignments.
  [[nodiscard]] std::vector<foreseen> foresee(history const& h, draw_source const& draws,
                                              std::span<spec::cube const> of);

  // Plays the model as a port. Its answer to each step is one of those admitted after its earlier answers; `random`
  // draws it, or `choose` chooses it.
  [[nodiscard]] played play(history const& h, draw_source const& draws, spec::cube assignment, random_bits& random);
  using chosen_answer = std::function<answer(std::size_t step, spec::expectation const& admitted)>;  // does not throw
  [[nodiscard]] played play(history const& h, draw_source const& draws, spec::cube assignment,
                            chosen_answer const& choose);
  // The same, with what passes before each step besides the delays, in their unit.
  using passing_time = std::function<spec::decimal(std::size_t step)>;  // does not throw
  [[nodiscard]] played play(history const& h, draw_source const& draws, spec::cube assignment,
                            chosen_answer const& choose, passing_time const& passes);

 private:
  // Assignments under which the history has come to one and the same state.
  struct branch {
    spec::cube where;
    std::size_t state;
    claim_mask at_stake;
    claim_mask noted;  // claims broken that kill nothing
  };
  struct call;  // a step, and the claims to test there

  template <class Before, class Observe>
  void follow(history const& h, draw_source const& draws, spec::cube assignment, Before before, Observe observe);
  void fork(call const& asked, branch const& from, answer const& port, std::vector<branch>& to);
  void merge(std::vector<branch>& branches);
  void merge_across(std::uint64_t field, std::vector<branch>& branches);

  shape const* shape_;
  spec::reading_table const* table_;
  std::unique_ptr<model_runner> model_;
  std::size_t states_ = 0;                       // made by the step being taken
  std::array<std::vector<branch>, 2> branches_;  // before and after the step; pointers swap them
  std::vector<spec::cube> pending_;
  std::vector<assignment_outcome> outcomes_;
  claim_report report_;
};

}  // namespace backoff::judge
