// One system as the judge sees it, whatever its model: its shape, readings and claims, and its model in motion.
// One definition a system: properties/systems/STEM/binding.cpp. Nothing of the judge throws; out of memory, it ends.
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

// A system as a port may have it instead, with one usual fault.
struct variant {
  std::string name;
  std::string sentence;                         // the port probably …
  std::shared_ptr<judged_system const> system;  // with the same shape and readings
};

class judged_system {
 public:
  virtual ~judged_system() = default;

  [[nodiscard]] virtual histories::shape const& shape() const noexcept = 0;
  [[nodiscard]] virtual spec::reading_table const& readings() const noexcept = 0;
  // The joint assignments that make sense for a kind of draw, hazards included.
  [[nodiscard]] virtual std::vector<spec::cube> assignments(spec::draw_kind draws) const noexcept = 0;
  [[nodiscard]] virtual std::span<claim_text const> claims() const noexcept = 0;
  // Whether its answers tell of hidden draws, so that these can be tested.
  [[nodiscard]] virtual bool shows_draws() const noexcept = 0;
  // Whether the set that it admits at a call may depend on the answers to earlier calls.
  [[nodiscard]] virtual bool learns_from_answers() const noexcept = 0;
  [[nodiscard]] virtual std::unique_ptr<model_runner> runner() const noexcept = 0;
  // What was found wrong with the specification itself while it was asked, not with a port: a declared formula may have
  // no value somewhere. Empty: nothing.
  [[nodiscard]] virtual std::string own_fault() const { return {}; }
  // Those that can be made of the specification by rule.
  [[nodiscard]] virtual std::vector<variant> variants() const { return {}; }

  // What an examiner says, for whoever asks once: judge/examiner.hpp.
  [[nodiscard]] std::vector<assignment_outcome> judge(history const& h, std::span<answer const> answers,
                                                      draw_source const& draws, std::span<spec::cube const> alive,
                                                      claim_mask selected, claim_mask killing) const noexcept;
  [[nodiscard]] claim_report broken_claims(history const& h, std::span<answer const> answers, draw_source const& draws,
                                           spec::cube assignment) const noexcept;
  [[nodiscard]] std::vector<spec::expectation> admitted(history const& h, std::span<answer const> answers,
                                                        draw_source const& draws, spec::cube assignment) const noexcept;
  [[nodiscard]] played play(history const& h, draw_source const& draws, spec::cube assignment,
                            random_bits& random) const noexcept;
};

[[nodiscard]] std::span<judged_system const* const> judged_systems() noexcept;
[[nodiscard]] judged_system const* find_judged_system(std::string_view stem) noexcept;
// Makes a system findable that is in no list; it must outlive the program's use of systems. Before any thread.
void add_judged_system(judged_system const& system) noexcept;
[[nodiscard]] std::span<judged_system const* const> declared_systems() noexcept;

// One answer of those admitted, drawn where there are several.
[[nodiscard]] answer play(spec::expectation const& admitted, random_bits& random) noexcept;

}  // namespace backoff::judge
