// One system as the judge sees it, whatever its model: judge a history under all assignments still alive, say which
// claims are broken under one of them, say what the document admits, and play the model itself as a port.
// One definition a system: properties/judge/STEM.cpp. Checked by: properties/judge/judge_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "claims/claim.hpp"
#include "history/shape.hpp"
#include "model/readings.hpp"
#include "model/relation.hpp"

namespace backoff::conformance {

// A set of claims of one system, by index.
using claim_mask = std::uint64_t;

// What one history did to a set of assignments that share its fate.
struct fate {
  spec::cube where;
  bool alive = true;
  claim_mask broken = 0;    // claims broken where the assignments died, or broken without killing them
  claim_mask at_stake = 0;  // claims that could have been broken
};

// The claims of a history under one assignment, judged to the end; steps beyond an unjudged one do not count.
struct claim_report {
  claim_mask broken = 0;
  claim_mask at_stake = 0;
  std::vector<claim_mask> broken_at;  // by step
};

class judged_system {
 public:
  virtual ~judged_system() = default;

  [[nodiscard]] virtual conformance::shape const& shape() const noexcept = 0;
  [[nodiscard]] virtual spec::reading_table const& readings() const noexcept = 0;
  // The joint assignments that make sense for a kind of draw, hazards included.
  [[nodiscard]] virtual std::vector<spec::cube> assignments(spec::draw::kind draws) const = 0;
  [[nodiscard]] virtual std::span<claim_text const> claims() const noexcept = 0;

  // Judges answers under every assignment of `alive`. An assignment dies at the first step that breaks one of the
  // `killing` claims under it; a broken claim that does not kill ends the judging of that history. Assignments that no
  // reading has told apart share one fate.
  [[nodiscard]] virtual std::vector<fate> judge(history const& h, std::span<answer const> answers,
                                                draw_source const& draws, std::span<spec::cube const> alive,
                                                claim_mask selected, claim_mask killing) const = 0;

  [[nodiscard]] virtual claim_report broken_claims(history const& h, std::span<answer const> answers,
                                                   draw_source const& draws, spec::cube assignment) const = 0;

  // What the document admits at each step, under one assignment; ends early where a step is unjudged.
  [[nodiscard]] virtual std::vector<spec::expectation> admitted(history const& h, draw_source const& draws,
                                                                spec::cube assignment) const = 0;
};

[[nodiscard]] std::span<judged_system const* const> judged_systems() noexcept;
[[nodiscard]] judged_system const* find_judged_system(std::string_view stem) noexcept;

// One answer for each expectation, drawn where several are admitted: the model played as a port.
[[nodiscard]] std::vector<answer> play(std::span<spec::expectation const> admitted, random_bits& random);

}  // namespace backoff::conformance
