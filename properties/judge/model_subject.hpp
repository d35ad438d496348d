// The exact model, played as a port under one joint assignment: what the judge must always pass, or, with a hazard
// among its readings, always fail.
#pragma once

#include "judge/judged_system.hpp"
#include "judge/subject.hpp"

namespace backoff::judge {

class model_subject final : public subject {
 public:
  model_subject(judged_system const& system, spec::cube assignment, draw_source draws, std::uint64_t seed);
  [[nodiscard]] capabilities const& describes() const noexcept override { return about_; }
  [[nodiscard]] std::vector<result> run(std::span<history const> histories) override;

 private:
  examiner examiner_;
  spec::cube assignment_;
  random_bits random_;
  capabilities about_;
};

}  // namespace backoff::judge
