// The samples of hidden draws in the order in which they were judged, within a bound. A certificate has them, as
// e-values rest on all of them; the judge itself keeps none. Checked by: properties/certify/certificates_test.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "judge/blame.hpp"

namespace backoff::session {

class kept_draws {
 public:
  struct sample {
    judge::evidence seen;
    std::vector<spec::answer> elsewhere;  // of a second process, where one answered it too
  };

  void see(sample s) {
    steps_ += s.seen.tried.steps.size() + s.elsewhere.size();
    if (left_out_ != 0 || steps_ > steps_max) {
      ++left_out_;  // of a sequence, what follows a gap tells nothing
    } else {
      all_.push_back(std::move(s));
    }
  }
  [[nodiscard]] std::vector<sample> const& all() const noexcept { return all_; }
  [[nodiscard]] std::uint64_t left_out() const noexcept { return left_out_; }

 private:
  static constexpr std::size_t steps_max = 300'000;
  std::vector<sample> all_;
  std::size_t steps_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace backoff::session
