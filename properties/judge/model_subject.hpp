// The exact model, played as a port under one joint assignment: what the judge must always pass, or, with a hazard
// among its readings, always fail.
#pragma once

#include "judge/judged_system.hpp"
#include "judge/subject.hpp"

namespace backoff::conformance {

class model_subject final : public subject {
 public:
  model_subject(judged_system const& system, spec::cube assignment, draw_source draws, std::uint64_t seed)
      : system_(&system), assignment_(assignment), random_(seed) {
    about_.name = "model";
    about_.takes = documented_domain(system.shape(), draws);
    about_.takes.features = system.shape().features;
  }
  [[nodiscard]] capabilities const& describes() const override { return about_; }
  [[nodiscard]] std::vector<result> run(std::span<history const> histories) override {
    std::vector<result> results;
    for (auto const& h : histories) {
      auto const admitted = system_->admitted(h, about_.takes.draws, assignment_);
      results.push_back({result::kind::answered, play(admitted, random_), {}});
    }
    return results;
  }

 private:
  judged_system const* system_;
  spec::cube assignment_;
  random_bits random_;
  capabilities about_;
};

}  // namespace backoff::conformance
