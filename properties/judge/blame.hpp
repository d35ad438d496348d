// Chooses the joint reading that explains a port when no admitted one fits: the one under which the fewest histories
// break a claim; of several, the one under which the fewest claims break; of these, the nearest to the canonical one. A
// port that follows an open reading and has one fault is then told that fault, whatever history came first. Checked by:
// properties/judge/blame_test.cpp.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "judge/evidence.hpp"
#include "judge/judged_draws.hpp"
#include "judge/readings_left.hpp"

namespace backoff::judge {

// A history that blame is settled on, and the claims that were judged on it.
struct witnessed {
  evidence seen;
  claim_mask selected;
  claim_mask at_stake;  // the claims that the tally counted as at stake
};

// Each joint reading in these cubes, as a cube of its own; the nearest to the canonical one comes first.
[[nodiscard]] std::vector<spec::cube> one_by_one(spec::reading_table const& table,
                                                 std::vector<spec::cube> const& cubes);

// The joint reading that is blamed, and all joint readings under which equally few histories fail. A later history may
// tell them apart.
struct blamed {
  spec::cube reading;
  std::vector<spec::cube> as_few;
};
// `among` holds one joint reading at least.
[[nodiscard]] blamed least_blamed(examiner& with, terms const& held_to, std::vector<spec::cube> const& among,
                                  std::span<witnessed const> histories);

// The reading that a run blames, as its histories come. At first that is the reading that survived longest. It is
// settled once enough histories are kept, or after the last history.
class blame {
 public:
  explicit blame(terms const& held_to) noexcept : held_to_(&held_to) {}

  // The blamed reading; nothing while an admitted reading is left, which explains the run.
  [[nodiscard]] std::optional<spec::cube> const& on() const noexcept { return on_; }
  void put_on(spec::cube reading) noexcept { on_ = reading; }

  // Keeps a history to settle blame on: one of the first, or one that refutes a reading. Returns whether blame can be
  // settled.
  bool keep(judged_history const& seen, claim_mask at_stake, bool refutes_one);
  // Settles blame by the histories that are kept; called once. Returns whether blame has moved.
  bool settle(examiner& with, readings_left const& left, judged_draws const& draws);
  // Once blame is settled, several readings may explain the port equally well. Drops those of them that this history
  // refutes, unless it refutes all. Blame may then move. Returns whether any was dropped.
  bool moves_with(judged_history const& seen, examiner& with);

  [[nodiscard]] bool is_settled() const noexcept { return is_settled_; }
  // The histories that blame is settled on, in their order.
  [[nodiscard]] std::span<witnessed const> kept() const { return kept_; }
  // Notes the claims at stake on the history that was kept last.
  void was_at_stake(claim_mask claims) noexcept { kept_.back().at_stake = claims; }

 private:
  terms const* held_to_;
  std::optional<spec::cube> on_;
  bool is_settled_ = false;
  std::vector<spec::cube> as_few_;  // once it is settled: the readings under which as few histories fail
  std::vector<witnessed> kept_;     // the first; as many again once a reading is blamed; any that refutes a reading
  std::size_t kept_steps_ = 0;
};

}  // namespace backoff::judge
