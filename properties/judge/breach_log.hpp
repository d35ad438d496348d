// The claims that a port broke so far, each with the first history that showed it. Which claims broke at the same call
// is kept too: from that, judge/causes.hpp learns which break follows from which. Checked by:
// properties/judge/breach_log_test.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

#include "judge/evidence.hpp"
#include "judge/terms.hpp"

namespace backoff::judge {

// A broken claim. `first` is the first history that broke it with nothing broken at an earlier call, or, where there is
// none, the first that broke it. claim = no_answer: the port rejected or skipped a history inside its declared ranges.
struct breach {
  static constexpr unsigned no_answer = 63;  // beyond all claims of a system
  unsigned claim = no_answer;
  bool fails = true;  // whether it fails the port: its strength and the options decide that
  std::uint64_t histories = 0;
  evidence first;
  bool leads = false;  // whether nothing was broken at an earlier call of `first`
  // The cause of this break: of the causes, the one that explains most of the calls that break this claim. Every such
  // call has some cause.
  std::optional<unsigned> follows_from{};
  // Set where several claims of one rule are broken and none follows from another: the claim among them that tells
  // most. It is the finding, and this one is not.
  std::optional<unsigned> told_with{};
  [[nodiscard]] bool is_a_finding() const noexcept { return !follows_from && !told_with; }
  [[nodiscard]] bool is_of_a_claim() const noexcept { return claim != no_answer; }
};
inline constexpr claim_mask no_answer_mask = claim_mask{1} << breach::no_answer;

// Whether the breach refutes conformance to the document.
[[nodiscard]] bool refutes(terms const& held_to, breach const& b);
// Whether its claim is about the draws of many histories: no history alone breaks it.
[[nodiscard]] bool is_about_draws(judged_system const& system, breach const& b) noexcept;

// A call that broke claims for the first time in its history. fresh: these claims. broken: all claims broken up to that
// call; only those broken at it, if the port answered an error. leans_on: claims whose break would explain these
// breaks, wherever it happened; none if the port answered an error.
struct claims_at_one_call {
  claim_mask fresh;
  claim_mask broken;
  claim_mask leans_on;
  [[nodiscard]] auto all() const noexcept { return std::tie(fresh, broken, leans_on); }
  friend bool operator<(claims_at_one_call const& a, claims_at_one_call const& b) noexcept { return a.all() < b.all(); }
};

class breach_log {
 public:
  explicit breach_log(terms const& held_to) noexcept : held_to_(&held_to) {}

  // Notes what one history broke. note: takes claims for which no single call is known. note_by_call: notes each claim
  // at the call that breaks it first. It does not note claims in `known`, but lists them among the claims broken at a
  // call. Returns the claims that it noted.
  void note(claim_mask broken, judged_history const& seen);
  claim_mask note_by_call(claim_report const& report, judged_history const& seen, claim_mask known);
  // Counts a history that breaks a claim which fails the port.
  void count_if_failing(claim_mask broken) noexcept;

  // Forgets what was noted of claims, to be noted again under another reading.
  void forget_claims();
  // Puts the claims of `right` in place of the broken claims of `wrong`.
  void rename(claim_mask wrong, claim_mask right);
  [[nodiscard]] std::optional<breach> withdraw(unsigned claim);
  void put_back(breach const& b) { all_.emplace(b.claim, b); }
  // Confirms that the claim of dependence is broken, as that history shows.
  void confirm(unsigned claim, evidence const& shown, bool leads);
  // Makes this claim the finding of its rule: see run::tell_first.
  void tell_first(unsigned claim) noexcept { told_first_ |= claim_mask{1} << claim; }

  [[nodiscard]] std::map<unsigned, breach> const& all() const noexcept { return all_; }
  [[nodiscard]] claim_mask broken() const;
  [[nodiscard]] std::map<claims_at_one_call, std::uint64_t> const& together() const noexcept { return together_; }
  // Histories that broke a claim which fails the port.
  [[nodiscard]] std::uint64_t failing_histories() const noexcept { return failing_; }
  // Broken claims of dependence that the comparison of the port with itself confirmed.
  [[nodiscard]] claim_mask dependent() const noexcept { return dependent_; }
  [[nodiscard]] claim_mask told_first() const noexcept { return told_first_; }

 private:
  void note_one(unsigned claim, judged_history const& seen, bool leads);
  [[nodiscard]] claim_mask leaned_on_by(claim_mask claims) const noexcept;

  terms const* held_to_;
  std::map<unsigned, breach> all_;
  std::map<claims_at_one_call, std::uint64_t> together_;  // and how often each came
  std::uint64_t failing_ = 0;
  claim_mask dependent_ = 0;
  claim_mask told_first_ = 0;
};

}  // namespace backoff::judge
