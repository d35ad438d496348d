// Runs one system's model for the examiner, which knows the model's states only by number. Each step makes new states
// from those before it, numbered from 0 in the order in which they are made.
// One implementation, for every system: properties/judge/explorer.hpp. Checked by: properties/judge/examiner_test.cpp.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>

#include "histories/shape.hpp"
#include "judge/e_process.hpp"
#include "relation/readings.hpp"
#include "relation/relation.hpp"

namespace backoff::judge {

// A set of claims of one system, by index.
using claim_mask = std::uint64_t;
[[nodiscard]] constexpr bool includes(claim_mask claims, unsigned claim) noexcept {
  return ((claims >> claim) & 1U) != 0;
}
[[nodiscard]] constexpr bool any(claim_mask claims) noexcept { return claims != 0; }

template <class Visit>
void for_each_bit(std::uint64_t mask, Visit visit) {
  for (; mask != 0; mask &= mask - 1) visit(static_cast<unsigned>(std::countr_zero(mask)));
}

// A step of a history, and what its model needs to take it.
struct place {
  history const& tried;
  std::size_t step;
  draw_source const& draws;
  bool shared;                     // another instance was called before
  answer const* before = nullptr;  // the port's answer to the call before; null at the first
};

// The claims that one answer puts at stake and breaks, under the alternatives that the model chose. They mean nothing
// where the step is unjudged.
struct tested {
  bool unjudged;
  claim_mask at_stake;
  claim_mask broken;
  claim_mask leaning = 0;  // of the broken ones, those that another claim's break would explain
};

// What one answer shows of a draw. If the answer is not admitted or not judged, the rest of the history does not count.
struct seen_draw {
  bool admitted;
  std::optional<drawn_part> part;  // absent: the answer tells nothing of a draw
};

// Whether the step is judged and admits every field of the answer. Fields that need a feature may be absent.
[[nodiscard]] bool is_admitted(shape const& s, spec::expectation const& documented, answer const& port);

class model_runner {
 public:
  virtual ~model_runner() = default;

  // Makes state 0, in which every instance is fresh.
  virtual void start(history const& h) = 0;
  // Takes the step from state `from`, tests the answer by the selected claims, and lets the new state observe it.
  [[nodiscard]] virtual tested test(place const& at, std::size_t from, spec::chooser& readings, answer const& port,
                                    claim_mask selected) = 0;
  // The requirement that the last break of the claim cites; empty: the claim's first requirement.
  [[nodiscard]] virtual std::string_view cited(unsigned claim) const noexcept = 0;
  // Takes the step, and says where the answer stands among those that the document makes possible. A system whose
  // answers show no draws need not take the step.
  [[nodiscard]] virtual seen_draw draw(place const& at, std::size_t from, spec::chooser& readings, answer const& port);
  // Takes the step, and says what the document admits.
  [[nodiscard]] virtual spec::expectation admitted(place const& at, std::size_t from, spec::chooser& readings) = 0;
  // Lets the newest state observe those fields of the answer that are admitted.
  virtual void observe(place const& at, spec::expectation const& documented, answer const& port) = 0;
  // Lets so much time pass before the step, in the unit of delays: besides the delays, which count by themselves. A
  // system that asks for no time need not know.
  virtual void let_pass(place const& at, spec::decimal const& time);
  // Whether two states after the step are equal.
  [[nodiscard]] virtual bool same(std::size_t a, std::size_t b) const noexcept = 0;
  // The states after the step are now those before the next.
  virtual void advance() noexcept = 0;
};

}  // namespace backoff::judge
