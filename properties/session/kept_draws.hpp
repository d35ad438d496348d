// The samples of hidden draws in the order in which they were judged, within a bound. A certificate has them, because
// the tests of draws rest on all of them; the judge itself keeps none.
// Checked by: properties/certify/certificates_test.py.
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
    std::vector<spec::answer> elsewhere;  // what a second process answered; empty: none was asked
  };

  void see(sample s) {
    steps_ += s.seen.tried.steps.size() + s.elsewhere.size();
    if (left_out_ != 0 || steps_ > steps_max) {
      ++left_out_;  // the samples are a sequence: those after a gap tell nothing
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
