// Under which joint reading a port is explained that no admitted one fits: the one under which the fewest histories
// break a claim; of several, the one that breaks the fewest claims; of these, the nearest to the canonical. A port that
// follows an open reading and has one fault is then told that fault, whatever history came first. Checked by:
// properties/judge/blame_test.cpp.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "judge/evidence.hpp"
#include "judge/readings_left.hpp"

namespace backoff::judge {

// A history that blame is settled on, and the claims that were judged on it.
struct witnessed {
  evidence seen;
  claim_mask selected;
  claim_mask at_stake;  // as it was counted
};

// The joint readings of these cubes, one by one, from the nearest to the canonical to the farthest.
[[nodiscard]] std::vector<spec::cube> one_by_one(spec::reading_table const& table,
                                                 std::vector<spec::cube> const& cubes) noexcept;

// The joint reading that is blamed, and all those under which as few histories fail: a later history may tell them
// apart.
struct blamed {
  spec::cube reading;
  std::vector<spec::cube> as_few;
};
// `among` holds one joint reading at least.
[[nodiscard]] blamed least_blamed(examiner& with, terms const& held_to, std::vector<spec::cube> const& among,
                                  std::span<witnessed const> histories) noexcept;

// Whom the run blames, as its histories come. At first that is the reading that survived longest; once there are enough
// histories, or no more, it is settled.
class blame {
 public:
  explicit blame(terms const& held_to) noexcept : held_to_(&held_to) {}

  // Nothing: some admitted reading is left, which explains the run.
  [[nodiscard]] std::optional<spec::cube> const& on() const noexcept { return on_; }
  void put_on(spec::cube reading) noexcept { on_ = reading; }

  // Keeps what blame is settled on, and at any time what refutes a reading. Whether there is enough to settle it.
  bool keep(judged_history const& seen, claim_mask at_stake, bool refutes_one) noexcept;
  // Once: the histories that are kept decide. Whether blame has moved. `refuted` says what draws have refuted; nothing
  // where draws are not tested.
  template <class Refuted>
  bool settle(examiner& with, readings_left const& left, std::optional<Refuted> const& refuted) noexcept {
    is_settled_ = true;
    auto const [best, as_few] = least_blamed(with, *held_to_, left.initial(), kept_);
    if (!refuted) as_few_ = as_few;
    // What no answer breaks may be what draws have refuted: then the answers that refuted the last reading are the
    // finding.
    if (best == *on_ || (refuted && (*refuted)(best))) return false;
    on_ = best;
    return true;
  }
  // Once it is settled: whether that history tells apart readings that had explained as much. Those that do not explain
  // it are left out, and blame may move.
  bool moves_with(judged_history const& seen, examiner& with) noexcept;

  [[nodiscard]] bool is_settled() const noexcept { return is_settled_; }
  // The histories that blame is settled on, in their order.
  [[nodiscard]] std::span<witnessed const> kept() const noexcept { return kept_; }
  // Of the history that was kept last.
  void was_at_stake(claim_mask claims) noexcept { kept_.back().at_stake = claims; }

 private:
  terms const* held_to_;
  std::optional<spec::cube> on_;
  bool is_settled_ = false;
  std::vector<spec::cube> as_few_;  // joint readings under which as few histories fail, once it is
  std::vector<witnessed> kept_;     // the first histories, and those from the first one on that refuted all
  std::size_t kept_steps_ = 0;
};

}  // namespace backoff::judge
