// A run: what a subject answered so far, and what that leaves of the document's readings. It is the path of one verdict
// through the judge, step by step:
//   terms          what the port is held to
//   draw_mapping   how it maps given draws, by probes
//   readings_left  which readings a history leaves; none: the run is refuted
//   judged_draws   what samples say of hidden draws
//   blame          under which reading a refuted run is explained
//   breach_log     what is broken under it, and causes: what is told of that
//   verdict        what it all comes to
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

// A history that broke a claim of dependence. `same`: the port answers the calls in question alike without the others,
// so nothing depends on them, and `seen` is that shorter history; otherwise `seen` is the history itself. Recorded
// answers cannot be asked for the shorter history, unless it is among them: then it is taken to be answered alike.
struct compared {
  unsigned claim;
  bool same;
  evidence seen;
  claim_mask excused = 0;  // claims that are known to fail on `seen`
  bool asked = true;
};

class run {
 public:
  // A run, or one line that says why there is none: no joint assignment satisfies the options for this kind of draw, or
  // the port names a mapping that is none. `about` must outlive the run.
  [[nodiscard]] static std::variant<run, std::string> begin(judged_system const& system, capabilities const& about,
                                                            run_options options) noexcept;

  // The probes of the system's draw mapping, answered by the subject: settles how draws are mapped. Unless exactly,
  // they are tested as hidden ones are.
  void settle_mapping(std::span<history const> probes, std::span<result const> results) noexcept;
  // Whether a result is held against the document step by step: answers are, and so is a rejection where a reading
  // admits some, of a port that has declared all its ranges.
  [[nodiscard]] bool counts_as_answered(result const& r) const noexcept;
  // known_failures: claims that are known to fail on this history, `no_answer_mask` included; which of them did is
  // returned. They are not held against the port there, and an answer that breaks one refutes no reading: what is known
  // to be wrong is no evidence of how the document was read. What else the answer breaks under every reading still
  // counts.
  claim_mask judge(history const& h, result const& r, sample_kind sample = sample_kind::none,
                   claim_mask known_failures = 0) noexcept;
  // The same sample answered by two fresh processes.
  claim_mask judge_twice(history const& h, result const& one, result const& other,
                         claim_mask known_failures = 0) noexcept;
  // After the last history: under which reading the run is explained. Before, the one that survived longest stands in.
  void settle_blame() noexcept;
  // After that, the port's answers when it was compared with itself. A claim of dependence that it never broke is no
  // finding: what the shorter history breaks is one instead.
  void settle_dependence(std::span<compared const> all) noexcept;
  // After the last history: what the samples would have shown.
  void settle_power() noexcept;
  // Of broken parts of a rule that one is the finding: it shows again, and the most telling one does not.
  void tell_first(unsigned claim) noexcept { broken_.tell_first(claim); }

  [[nodiscard]] terms const& held_to() const noexcept { return *held_to_; }
  [[nodiscard]] judged_system const& system() const noexcept { return held_to_->system(); }
  [[nodiscard]] run_options const& options() const noexcept { return held_to_->options(); }
  [[nodiscard]] capabilities const& about() const noexcept { return held_to_->about(); }
  [[nodiscard]] readings_left const& readings() const noexcept { return readings_; }
  [[nodiscard]] judged_draws const& draws() const noexcept { return draws_; }
  [[nodiscard]] tally const& counts() const noexcept { return counts_; }

  [[nodiscard]] judge::verdict verdict() const noexcept;
  [[nodiscard]] judge::verdict verdict_by_the_document() const noexcept;
  [[nodiscard]] claim_mask unexercised_musts() const noexcept;
  // Of a run that no finding refutes: whether no admitted assignment is left all the same. A claim of dependence that
  // was withdrawn has refuted the last of them. Where only some claims are judged, or failures are known, that is as it
  // should be.
  [[nodiscard]] bool is_unexplained() const noexcept;
  [[nodiscard]] judge::grade grade() const noexcept { return draws_.grade(); }
  // Of all draws that a document maps: the least exact.
  [[nodiscard]] mapped mapping() const noexcept { return mapping_of(*held_to_, readings_); }

  // What is broken, in the order in which it is told.
  [[nodiscard]] std::vector<breach> breaches() const noexcept;
  [[nodiscard]] bool refutes(breach const& b) const noexcept { return judge::refutes(*held_to_, b); }
  // Histories that broke a claim which fails the port.
  [[nodiscard]] std::uint64_t failing_histories() const noexcept { return broken_.failing_histories(); }
  // A claim of dependence that was broken, by a port that could not be asked again: it is not judged.
  [[nodiscard]] bool is_not_compared(unsigned claim) const noexcept { return includes(not_compared_, claim); }
  // Every history that refuted an admitted assignment.
  [[nodiscard]] std::vector<evidence> const& refuting() const noexcept { return refuting_; }
  // The histories that blame is settled on, in their order; of those and the first, those that break the claim.
  [[nodiscard]] std::span<witnessed const> witnesses() const noexcept { return blame_.kept(); }
  [[nodiscard]] std::vector<evidence> witnesses_of(breach const& b) noexcept;
  // The assignment under which the run is explained.
  [[nodiscard]] spec::cube explained_by() const noexcept;
  // The samples under it; absent without any. Those that broke a claim about draws.
  [[nodiscard]] sampled_draws const* samples() const noexcept { return draws_.samples_under(explained_by()); }
  [[nodiscard]] sampled_draws const& samples_against(unsigned claim) const noexcept;

 private:
  run(std::shared_ptr<terms const> held_to, readings_left readings) noexcept;
  [[nodiscard]] claim_report const& explained(evidence const& e) noexcept;
  [[nodiscard]] claim_report const& explained(judged_history const& seen) noexcept;
  claim_mask judge_answers_but(claim_mask known_failures, judged_history const& seen) noexcept;
  void judge_answers(judged_history const& seen) noexcept;
  [[nodiscard]] claim_mask note_refusal(judged_history const& seen, claim_mask known_failures) noexcept;
  claim_mask judge_draws(judged_history const& seen, std::span<answer const> elsewhere, sample_kind sample,
                         bool is_clean, claim_mask known_failures) noexcept;
  [[nodiscard]] claim_mask note_all(judged_history const& seen) noexcept;
  void withdraw(compared const& c, std::vector<breach>& withdrawn) noexcept;

  std::shared_ptr<terms const> held_to_;  // the steps refer to it, wherever the run is moved
  examiner examiner_;
  readings_left readings_;
  judged_draws draws_;
  blame blame_;
  breach_log broken_;
  tally counts_;
  bool answers_excused_ = false;  // some, by what is known to fail
  claim_mask not_compared_ = 0;
  std::vector<evidence> refuting_;
};

}  // namespace backoff::judge
