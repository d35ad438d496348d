// The histories of a policy, as properties/systems/STEM/history.cpp has them for a document: parameters, calls and
// answers. What is special about values comes from the formulas: where a minimum switches, where machine words end.
// Checked by: properties/policies/program_test.py.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "histories/shape.hpp"
#include "policies/model.hpp"

namespace backoff::policies {

// What a shape refers to.
struct words_of_shape {
  std::deque<std::vector<histories::special>> specials;
  std::deque<std::vector<std::string_view>> words;
  std::vector<std::string_view> conditions;
  std::vector<histories::field> params;
  std::vector<histories::field> args;  // of next
  std::vector<histories::operation> operations;
  std::vector<histories::answer_field> answers;
  std::string delay;
  std::shared_ptr<void const> maker;  // of histories
};

// All three must outlive the shape.
[[nodiscard]] histories::shape shape_of(policy const& p, model const& m, words_of_shape& words);

// A history of the defaults, without calls.
[[nodiscard]] histories::history of_defaults(policy const& p);

}  // namespace backoff::policies
