// A run: the answers of a subject so far, and the readings of the document that they leave. It takes each answer
// through the steps of the judge:
//   terms          what the port is held to
//   draw_mapping   how the port maps given draws to delays, from its answers to probes
//   readings_left  which readings the histories leave; where they leave none, the run is refuted
//   judged_draws   what samples show of hidden draws
//   blame          the reading under which a refuted run is explained
//   breach_log     which claims are broken under that reading
//   causes         which of these are told, and which only follow from others
//   verdict        what the run comes to
// Checked by: properties/judge/run_test.cpp rule by rule, judge_test.cpp and the wrong ports of properties/systems as a
// whole.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "judge/blame.hpp"
#include "judge/breach_log.hpp"
#include "judge/judged_draws.hpp"
#include "judge/tally.hpp"
#include "judge/verdict.hpp"

namespace backoff::judge {

// A history that broke a claim of dependence, after the port was asked only the calls that the claim is about. `same`:
// the port answered these alike without the other calls, so its answer does not depend on them, and `seen` is the
// shorter history. Otherwise `seen` is the history itself. Recorded answers may lack the shorter history: then `asked`
// is false, and the port is taken to answer alike unless other histories tell (see confirm_by_the_others). `explained`:
// such calls as another, confirmed claim of dependence is about stand in the history.
struct compared {
  unsigned claim;
  bool same;
  evidence seen;
  claim_mask excused = 0;  // claims that are known to fail on `seen`
  bool asked = true;
  bool explained = false;
};

class run {
 public:
  // A run, or one line that says why there is none: no joint assignment fits the options and the port's kind of draw,
  // or the port names an unknown mapping. `about` must outlive the run.
  [[nodiscard]] static std::variant<run, std::string> begin(judged_system const& system, capabilities const& about,
                                                            run_options options);

  // Settles how the subject maps draws, from its answers to the probes of the system's draw mapping. Draws that it does
  // not map exactly are tested as hidden draws are.
  void settle_mapping(std::span<history const> probes, std::span<result const> results);
  // Whether the result is judged call by call. Answers are. So is a rejection by a port that has declared all its
  // ranges, where the document has a word for rejection.
  [[nodiscard]] bool counts_as_answered(result const& r) const noexcept;
  // known_failures: claims that are known to fail on this history; they may include `no_answer_mask`. Returns those
  // that failed. They do not count against the port. An answer that breaks one refutes no reading, as a known fault is
  // no evidence of how the document was read. Other claims that the answer breaks under every reading still count.
  claim_mask judge(history const& h, result const& r, sample_kind sample = sample_kind::none,
                   claim_mask known_failures = 0);
  // Judges one sample that two fresh processes answered.
  claim_mask judge_twice(history const& h, result const& one, result const& other, claim_mask known_failures = 0);
  // After the last history: settles the reading under which a refuted run is explained. Until then, that is the reading
  // that survived longest.
  void settle_blame();
  // After settle_blame: takes the comparisons of the port with itself. A claim of dependence that none of them confirms
  // is withdrawn; the claims that the shorter history breaks are noted in its place, unless another claim explains
  // them.
  void settle_dependence(std::span<compared const> all);
  // After the last history: computes which faults of hidden draws the samples would have shown.
  void settle_power();
  // Makes this claim the finding of its rule. Asked again, the port broke this claim, and not the one that tells most.
  void tell_first(unsigned claim) noexcept { broken_.tell_first(claim); }

  [[nodiscard]] terms const& held_to() const noexcept { return *held_to_; }
  [[nodiscard]] judged_system const& system() const noexcept { return held_to_->system(); }
  [[nodiscard]] run_options const& options() const noexcept { return held_to_->options(); }
  [[nodiscard]] capabilities const& about() const { return held_to_->about(); }
  [[nodiscard]] readings_left const& readings() const noexcept { return readings_; }
  [[nodiscard]] judged_draws const& draws() const { return draws_; }
  [[nodiscard]] tally const& counts() const noexcept { return counts_; }

  [[nodiscard]] judge::verdict verdict() const;
  [[nodiscard]] judge::verdict verdict_by_the_document() const;
  [[nodiscard]] claim_mask unexercised_musts() const noexcept;
  // Asked where no finding refutes the run: whether no admitted assignment is left even so. A claim of dependence then
  // refuted the last one, and was withdrawn. Always false where some `must` claims are not judged, or where known
  // failures were excused.
  [[nodiscard]] bool is_unexplained() const;
  [[nodiscard]] judge::grade grade() const noexcept { return draws_.grade(); }
  // The least exact of the port's mappings of the draws that the document maps.
  [[nodiscard]] mapped mapping() const noexcept { return mapping_of(*held_to_, readings_); }

  // What is broken, in the order in which it is told.
  [[nodiscard]] std::vector<breach> breaches() const;
  [[nodiscard]] bool refutes(breach const& b) const { return judge::refutes(*held_to_, b); }
  // Histories that broke a claim which fails the port.
  [[nodiscard]] std::uint64_t failing_histories() const noexcept { return broken_.failing_histories(); }
  // Whether a broken claim of dependence is not judged, as the port could not be asked again.
  [[nodiscard]] bool is_not_compared(unsigned claim) const noexcept { return includes(not_compared_, claim); }
  // Every history that refuted an admitted assignment.
  [[nodiscard]] std::vector<evidence> const& refuting() const noexcept { return refuting_; }
  // witnesses: the histories on which blame is settled, in the order of the run. witnesses_of: first the history that
  // first showed the breach, then those of the witnesses that break its claim too.
  [[nodiscard]] std::span<witnessed const> witnesses() const noexcept { return blame_.kept(); }
  [[nodiscard]] std::vector<evidence> witnesses_of(breach const& b);
  // The assignment under which the run is explained.
  [[nodiscard]] spec::cube explained_by() const;
  // samples: those under that assignment; null where there are none. samples_against: those that broke a claim about
  // draws.
  [[nodiscard]] sampled_draws const* samples() const { return draws_.samples_under(explained_by()); }
  [[nodiscard]] sampled_draws const& samples_against(unsigned claim) const;

 private:
  run(std::shared_ptr<terms const> held_to, readings_left readings);
  [[nodiscard]] claim_report const& explained(evidence const& e);
  [[nodiscard]] claim_report const& explained(judged_history const& seen);
  claim_mask judge_answers_but(claim_mask known_failures, judged_history const& seen);
  void judge_answers(judged_history const& seen);
  [[nodiscard]] claim_mask note_refusal(judged_history const& seen, claim_mask known_failures);
  claim_mask judge_draws(judged_history const& seen, std::span<answer const> elsewhere, sample_kind sample,
                         bool is_clean, claim_mask known_failures);
  [[nodiscard]] claim_mask note_all(judged_history const& seen);
  void withdraw(compared const& c, std::vector<breach>& withdrawn);

  std::shared_ptr<terms const> held_to_;  // the steps refer to it, wherever the run is moved
  examiner examiner_;
  readings_left readings_;
  judged_draws draws_;
  blame blame_;
  breach_log broken_;
  tally counts_;
  bool answers_excused_ = false;  // whether a known failure has excused an answer
  claim_mask not_compared_ = 0;
  std::vector<evidence> refuting_;
};

}  // namespace backoff::judge
