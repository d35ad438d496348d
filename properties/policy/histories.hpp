// The histories of a policy, as properties/history/STEM.cpp has them for a document: parameters, calls and answers.
// What is special about values comes from the formulas: where a minimum switches, where machine words end. Checked by:
// properties/policy/program_test.py.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "history/shape.hpp"
#include "policy/model.hpp"

namespace backoff::declared {

// What a shape refers to.
struct words_of_shape {
  std::vector<std::vector<conformance::special>> specials;
  std::vector<conformance::field> params;
  std::vector<conformance::operation> operations;
  std::vector<conformance::answer_field> answers;
  std::string delay;
  std::shared_ptr<void const> maker;  // of histories
};

// All three must outlive the shape.
[[nodiscard]] conformance::shape shape_of(policy const& p, model const& m, words_of_shape& words);

// A history of the defaults, without calls.
[[nodiscard]] conformance::history of_defaults(policy const& p);

}  // namespace backoff::declared
