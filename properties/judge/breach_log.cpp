#include "judge/breach_log.hpp"

namespace backoff::judge {

bool refutes(terms const& held_to, breach const& b) { return !b.is_of_a_claim() || held_to.refutes_readings(b.claim); }

bool is_about_draws(judged_system const& system, breach const& b) noexcept {
  return b.is_of_a_claim() && system.claims()[b.claim].draws.has_value();
}

void breach_log::note_one(unsigned claim, judged_history const& seen, bool leads) {
  bool const fails_the_port = claim == breach::no_answer || held_to_->fails(claim);
  auto& b = all_.try_emplace(claim, breach{claim, fails_the_port, 0, {}}).first->second;
  if (b.histories == 0 || (leads && !b.leads)) {
    b.first = seen.kept();
    b.leads = leads;
  }
  ++b.histories;
}

void breach_log::count_if_failing(claim_mask broken) noexcept {
  if (any(broken & (held_to_->failing_claims() | no_answer_mask))) ++failing_;
}

void breach_log::note(claim_mask broken, judged_history const& seen) {
  for_each_bit(broken, [&](unsigned i) { note_one(i, seen, true); });
  count_if_failing(broken);
}

// Claims whose break would explain that these are broken.
claim_mask breach_log::leaned_on_by(claim_mask claims) const noexcept {
  claim_mask all = 0;
  for_each_bit(claims, [&](unsigned i) {
    for (auto const name : held_to_->system().claims()[i].leans_on)
      all |= held_to_->claims_where([&](claim_text const& c, unsigned) { return c.name == name; });
  });
  return all;
}

claim_mask breach_log::note_by_call(claim_report const& report, judged_history const& seen, claim_mask known) {
  claim_mask so_far = 0;
  claim_mask leans_on = 0;
  auto const error = observed::word(held_to_->system().shape().error_word);
  for (std::size_t call = 0; call < report.broken_at.size(); ++call) {
    claim_mask const broken = report.broken_at[call] & seen.selected;
    claim_mask const fresh = broken & ~so_far;
    bool const leads = !any(so_far);
    so_far |= fresh;
    if (!any(fresh & ~known)) continue;
    if (!any(fresh & ~report.leaning_at[call])) leans_on |= leaned_on_by(fresh);
    bool const failed = seen.got.answers[call][0] == error;
    ++together_[failed ? claims_at_one_call{fresh, broken, 0} : claims_at_one_call{fresh, so_far, leans_on}];
    for_each_bit(fresh & ~known, [&](unsigned i) { note_one(i, seen, leads); });
  }
  return so_far & ~known;
}

void breach_log::forget_claims() {
  std::erase_if(all_, [](auto const& b) { return b.first != breach::no_answer; });
  failing_ = all_.empty() ? 0 : all_.begin()->second.histories;
  together_.clear();
}

void breach_log::rename(claim_mask wrong, claim_mask right) {
  for (auto b = all_.begin(); b != all_.end();) {
    if (!b->second.is_of_a_claim() || !includes(wrong, b->first)) {
      ++b;
      continue;
    }
    auto const seen = b->second;
    b = all_.erase(b);
    for_each_bit(right, [&](unsigned i) {
      all_.try_emplace(i, breach{i, held_to_->fails(i), seen.histories, seen.first, seen.leads});
    });
  }
}

std::optional<breach> breach_log::withdraw(unsigned claim) {
  auto taken = all_.extract(claim);
  return taken ? std::optional(std::move(taken.mapped())) : std::nullopt;
}

void breach_log::confirm(unsigned claim, evidence const& shown, bool leads) {
  dependent_ |= claim_mask{1} << claim;
  auto& b = all_.at(claim);
  b.first = shown;
  b.leads = leads;
}

claim_mask breach_log::broken() const {
  claim_mask claims = 0;
  for (auto const& [claim, b] : all_) claims |= claim_mask{1} << claim;
  return claims;
}

}  // namespace backoff::judge
