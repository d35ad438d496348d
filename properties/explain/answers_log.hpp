// What a port answered in a run. Checked by: properties/explain/diagnosis_test.cpp.
#pragma once

#include <span>
#include <vector>

#include "judge/run.hpp"

namespace backoff::explain {

// All answers of a run, a few bytes each, in the order of its histories. Histories are not kept: the run's plan gives
// them again.
class answers_log {
 public:
  explicit answers_log(histories::shape const& s) : shape_(&s), fields_(s.answers.size()) {}
  void add(result const& r);
  [[nodiscard]] bool is_answered(std::size_t index) const noexcept { return is_answer_[index]; }
  // Whether these are the answers of that history, which was answered. Reals may differ by 2^-40 of the larger one.
  [[nodiscard]] bool has(std::size_t index, std::span<answer const> answers) const noexcept;
  // The answers, in as many digits as were kept.
  [[nodiscard]] std::vector<answer> at(std::size_t index) const;
  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }
  // Whether all answers were kept: the log stops at a limit of memory.
  [[nodiscard]] bool is_whole() const { return whole_; }

 private:
  histories::shape const* shape_;
  std::size_t fields_;
  std::vector<double> values_;
  std::vector<std::size_t> ends_;  // of each history's values
  std::vector<bool> is_answer_;
  bool whole_ = true;
};

}  // namespace backoff::explain
