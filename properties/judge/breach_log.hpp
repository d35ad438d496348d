// What a port broke so far: for each broken claim the first history that showed it, and which claims broke at the same
// call, from which judge/causes.hpp learns what follows from what. Checked by: properties/judge/breach_log_test.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

#include "judge/evidence.hpp"
#include "judge/terms.hpp"

namespace backoff::judge {

// A broken claim: the first history that showed it, one in which nothing was broken at an earlier call where there is
// such a history. claim = no_answer: a history inside the declared ranges was rejected or skipped.
struct breach {
  static constexpr unsigned no_answer = 63;  // beyond all claims of a system
  unsigned claim = no_answer;
  bool fails = true;  // by its strength and the options
  std::uint64_t histories = 0;
  evidence first;
  bool leads = false;  // whether nothing was broken before, in the first history
  // The claim whose break explains this one: wherever this one is broken, another one is too, that one most often, at
  // the same call.
  std::optional<unsigned> follows_from{};
  // Where several claims of one rule are broken, each somewhere by itself: the most telling of them, which is the
  // finding.
  std::optional<unsigned> told_with{};
  [[nodiscard]] bool is_a_finding() const noexcept { return !follows_from && !told_with; }
  [[nodiscard]] bool is_of_a_claim() const noexcept { return claim != no_answer; }
};
inline constexpr claim_mask no_answer_mask = claim_mask{1} << breach::no_answer;

// Whether breaking it refutes readings of the document.
[[nodiscard]] bool refutes(terms const& held_to, breach const& b) noexcept;

// What a call that broke a claim for the first time in its history tells of causes: these claims; all that were broken
// up to that call, or at that call alone where it failed; and those whose break elsewhere would explain it.
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

  // One history: the broken claims, of which no call is known; or each at the call that breaks it first. Those that are
  // `known` are only counted beside the others. Returns what it noted.
  void note(claim_mask broken, judged_history const& seen) noexcept;
  claim_mask note_by_call(claim_report const& report, judged_history const& seen, claim_mask known) noexcept;
  // A history that breaks a claim which fails the port is counted.
  void count_if_failing(claim_mask broken) noexcept;

  // Forgets all that was noted of claims: it is noted again, under another reading.
  void forget_claims() noexcept;
  // Another claim than `wrong` ones: `right` ones are broken in their place.
  void rename(claim_mask wrong, claim_mask right) noexcept;
  [[nodiscard]] std::optional<breach> withdraw(unsigned claim) noexcept;
  void put_back(breach const& b) noexcept { all_.emplace(b.claim, b); }
  // The claim of dependence is broken indeed, as that history shows.
  void confirm(unsigned claim, evidence const& shown, bool leads) noexcept;
  // Of broken parts of a rule that one is the finding: it shows again, and the most telling one does not.
  void tell_first(unsigned claim) noexcept { told_first_ |= claim_mask{1} << claim; }

  [[nodiscard]] std::map<unsigned, breach> const& all() const noexcept { return all_; }
  [[nodiscard]] claim_mask broken() const noexcept;
  [[nodiscard]] std::map<claims_at_one_call, std::uint64_t> const& together() const noexcept { return together_; }
  // Histories that broke a claim which fails the port.
  [[nodiscard]] std::uint64_t failing_histories() const noexcept { return failing_; }
  // Claims of dependence that the port breaks, compared with itself.
  [[nodiscard]] claim_mask dependent() const noexcept { return dependent_; }
  [[nodiscard]] claim_mask told_first() const noexcept { return told_first_; }

 private:
  void note_one(unsigned claim, judged_history const& seen, bool leads) noexcept;
  [[nodiscard]] claim_mask leaned_on_by(claim_mask claims) const noexcept;

  terms const* held_to_;
  std::map<unsigned, breach> all_;
  std::map<claims_at_one_call, std::uint64_t> together_;  // how often
  std::uint64_t failing_ = 0;
  claim_mask dependent_ = 0;
  claim_mask told_first_ = 0;
};

}  // namespace backoff::conformance
