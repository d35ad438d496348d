#include "judge/causes.hpp"

#include <algorithm>
#include <map>
#include <ranges>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

namespace backoff::judge {
namespace {

// By broken claim, the cause that its break follows from. Causes are the confirmed claims of dependence, and as few
// others as a greedy search finds, such that a cause explains each call that breaks a claim. Of equally good claims the
// search takes the first in the order of the page, which tells most. A claim explains a call if it is broken at that
// call or before it, or if the call leans on it. A broken claim that is no cause follows from the cause that most often
// explains a call that breaks it. A call that fails follows from nothing that an earlier call broke: a wrong number is
// no reason to crash. A claim that refutes the port never follows from one that does not.
class consequences {
 public:
  consequences(terms const& held_to, breach_log const& log) : held_to_(&held_to), log_(&log), broken_(log.broken()) {
    std::vector<unsigned> claims;
    for (auto const& [claim, b] : log.all()) claims.push_back(claim);
    std::ranges::sort(claims, {}, [&](unsigned c) { return std::pair(-weight(c), c); });
    for (std::span<unsigned const> left(claims); !left.empty();) {
      auto const lighter = std::ranges::find_if(left, [&](unsigned c) { return weight(c) != weight(left.front()); });
      std::span const alike(left.begin(), lighter);
      choose_causes(alike);
      explain(alike);
      left = {lighter, left.end()};
    }
  }
  [[nodiscard]] std::map<unsigned, unsigned> const& all() const noexcept { return all_; }

 private:
  [[nodiscard]] int weight(unsigned claim) const {
    auto const& b = log_->all().at(claim);
    return static_cast<int>(refutes(*held_to_, b)) + static_cast<int>(b.fails);
  }

  // How many of the calls that broke a claim satisfy `counts`.
  template <class Counts>
  [[nodiscard]] std::uint64_t calls(Counts counts) const noexcept {
    std::uint64_t all = 0;
    for (auto const& [call, times] : log_->together())
      all += times * static_cast<std::uint64_t>(any(call.fresh & broken_) && counts(call));
    return all;
  }

  void choose_causes(std::span<unsigned const> alike) {
    auto const unexplained = [&](unsigned claim) {
      return calls([&](claims_at_one_call const& call) {
        bool const explained = any((call.broken | call.leans_on) & causes_);
        return includes(call.broken, claim) & !explained;
      });
    };
    for (unsigned const claim : alike) causes_ |= log_->dependent() & claim_mask{1} << claim;
    for (auto most = std::ranges::max_element(alike, {}, unexplained); unexplained(*most) != 0;
         most = std::ranges::max_element(alike, {}, unexplained))
      causes_ |= claim_mask{1} << *most;
    for (unsigned const claim : alike) {  // later choices may have made an early one needless
      claim_mask const others = causes_ & ~(claim_mask{1} << claim);
      auto const needed = calls([&](claims_at_one_call const& call) {
        claim_mask const explains = call.broken | call.leans_on;
        return includes(explains, claim) && !any(explains & others);
      });
      if (needed == 0) causes_ &= others | log_->dependent();
    }
  }

  void explain(std::span<unsigned const> alike) {
    for (unsigned const claim : alike) {
      std::pair<std::uint64_t, unsigned> nearest{0, claim};
      for_each_bit(causes_, [&](unsigned c) {
        auto const together = calls([&](claims_at_one_call const& call) {
          return includes(call.broken, claim) && includes(call.broken | call.leans_on, c);
        });
        nearest = std::max(nearest, {together, c});
      });
      // NOLINTNEXTLINE(readability-implicit-bool-conversion): neither is looked at alone
      if (!includes(causes_, claim) & (nearest.first != 0)) all_.emplace(claim, nearest.second);
    }
  }

  terms const* held_to_;
  breach_log const* log_;
  claim_mask broken_;
  claim_mask causes_ = 0;
  std::map<unsigned, unsigned> all_;
};

void tell_earlier_calls_first(terms const& held_to, std::vector<breach>& all) noexcept {
  auto const text = [&](breach const& b) {
    return b.is_of_a_claim() ? held_to.system().claims()[b.claim] : claim_text{};
  };
  for (auto at = all.begin(); at != all.end(); ++at) {
    auto const name = text(*at).starts_from;
    if (name.empty()) continue;
    auto const earlier = std::find_if(at, all.end(), [&](breach const& b) { return text(b).name == name; });
    if (earlier != all.end()) std::rotate(at, earlier, earlier + 1);
  }
}

// Where several causes of one rank are parts of one rule, makes one part the finding for all of them: a part that is to
// be told first, otherwise the part that tells most, if it breaks in an eighth of the histories of the most frequent
// part. Of equal parts it takes the first.
void tell_rules_once(terms const& held_to, claim_mask told_first, std::vector<breach>& all) {
  auto const claims = held_to.system().claims();
  auto const rule = [&](breach const& b) {
    bool const is_cause = b.is_of_a_claim() && !b.follows_from;
    return is_cause ? claims[b.claim].rule : std::string_view{};
  };
  auto const kind = [&](breach const& b) { return std::tuple(rule(b), refutes(held_to, b), b.fails); };
  for (auto& b : all) {
    if (rule(b).empty()) continue;
    auto alike = all | std::views::filter([&](breach const& a) { return kind(a) == kind(b); });
    auto const most = std::ranges::max_element(alike, {}, &breach::histories)->histories;
    auto const first = std::ranges::max_element(alike, {}, [&](breach const& a) {
      return std::tuple(includes(told_first, a.claim), 8 * a.histories >= most, claims[a.claim].of_rule);
    });
    if (first->claim != b.claim) b.told_with = first->claim;
  }
  for (auto& b : all) {
    if (!b.follows_from) continue;
    auto const cause = std::ranges::find(all, *b.follows_from, &breach::claim);
    b.follows_from = cause->told_with.value_or(cause->claim);
  }
}

}  // namespace

std::vector<breach> told_in_order(terms const& held_to, breach_log const& log, tally const& seen) {
  auto const rank = [&](breach const& b) { return refutes(held_to, b) ? 0 : b.fails ? 1 : 2; };
  auto const compares = [&](breach const& b) {
    constexpr int nothing = static_cast<int>(dependence::repeats) + 1;
    bool const depends = includes(log.dependent(), b.claim);
    return depends ? static_cast<int>(*held_to.system().claims()[b.claim].compares) : nothing;
  };
  auto const before = [&](breach const& a, breach const& b) {
    if (rank(a) != rank(b)) return rank(a) < rank(b);
    if (compares(a) != compares(b)) return compares(a) < compares(b);
    return a.histories * seen.at_stake[b.claim] > b.histories * seen.at_stake[a.claim];
  };
  consequences const follow(held_to, log);
  std::vector<breach> told;
  for (auto const& [claim, b] : log.all()) {
    auto const at = told.insert(std::ranges::upper_bound(told, b, before), b);
    if (auto const cause = follow.all().find(claim); cause != follow.all().end()) at->follows_from = cause->second;
  }
  tell_earlier_calls_first(held_to, told);
  tell_rules_once(held_to, log.told_first(), told);
  return told;
}

}  // namespace backoff::judge
