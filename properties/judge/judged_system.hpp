// One system as the judge sees it, whatever its model: its shape, readings and claims, and a runner of its model.
// properties/systems/STEM/binding.cpp defines the system of a document. The judge throws no exceptions; the program
// ends when memory runs out.
// Checked by: properties/judge/judged_system_test.cpp.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "claims/claim.hpp"
#include "histories/shape.hpp"
#include "judge/examiner.hpp"
#include "judge/model_runner.hpp"
#include "relation/readings.hpp"
#include "relation/relation.hpp"

namespace backoff::judge {

// The system with one common fault, as a port may implement it.
struct variant {
  std::string name;
  std::string sentence;                         // completes "the port probably …"
  std::shared_ptr<judged_system const> system;  // with the same shape and readings
};

class judged_system {
 public:
  virtual ~judged_system() = default;

  [[nodiscard]] virtual histories::shape const& shape() const noexcept = 0;
  [[nodiscard]] virtual spec::reading_table const& readings() const noexcept = 0;
  // The joint assignments that make sense for a kind of draw, hazards included.
  [[nodiscard]] virtual std::vector<spec::cube> assignments(spec::draw_kind draws) const = 0;
  [[nodiscard]] virtual std::span<claim_text const> claims() const noexcept = 0;
  // Whether its answers tell of hidden draws, so that these can be tested.
  [[nodiscard]] virtual bool shows_draws() const = 0;
  // Whether the set that it admits at a call may depend on the answers to earlier calls.
  [[nodiscard]] virtual bool learns_from_answers() const noexcept = 0;
  [[nodiscard]] virtual std::unique_ptr<model_runner> runner() const = 0;
  // A fault found in the specification itself, not in a port: a declared formula may have no value somewhere. Empty:
  // none.
  [[nodiscard]] virtual std::string own_fault() const { return {}; }
  // The variants that rules derive from the specification.
  [[nodiscard]] virtual std::vector<variant> variants() const { return {}; }

  // The functions of judge/examiner.hpp, for a caller that asks once.
  [[nodiscard]] std::vector<assignment_outcome> judge(history const& h, std::span<answer const> answers,
                                                      draw_source const& draws, std::span<spec::cube const> alive,
                                                      claim_mask selected, claim_mask killing) const;
  [[nodiscard]] claim_report broken_claims(history const& h, std::span<answer const> answers, draw_source const& draws,
                                           spec::cube assignment) const;
  [[nodiscard]] std::vector<spec::expectation> admitted(history const& h, std::span<answer const> answers,
                                                        draw_source const& draws, spec::cube assignment) const;
  [[nodiscard]] played play(history const& h, draw_source const& draws, spec::cube assignment,
                            random_bits& random) const;
};

[[nodiscard]] std::span<judged_system const* const> judged_systems();
[[nodiscard]] judged_system const* find_judged_system(std::string_view stem);
// Adds a system that is declared at run time to those that find_judged_system knows. The system must outlive all uses.
// Call before any thread starts.
void add_judged_system(judged_system const& system);
[[nodiscard]] std::span<judged_system const* const> declared_systems() noexcept;

// One of the admitted answers; a random one where there are several.
[[nodiscard]] answer play(spec::expectation const& admitted, random_bits& random);

}  // namespace backoff::judge
