// What a file of theorems hands to proof_test.cpp: for each theorem of theorems.hpp its proof, and a fault.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engines/proof/executor.hpp"
#include "engines/proof/shipped.hpp"

namespace backoff::engines::proof {

// A counterexample, run natively. Where a theorem speaks of several numbers they are told one after the other.
struct replay {
  std::vector<std::uint64_t> closed_form, shipped, faulty;
};

struct inputs {
  std::map<std::string, std::string> texts;
  template <std::integral I = std::uint64_t>
  [[nodiscard]] I of(std::string const& name) const {
    return static_cast<I>(std::stoull(texts.at(name)));
  }
};

struct theorem {
  std::string_view name;
  std::function<outcome()> prove;                 // of the shipped code, at every width
  std::function<outcome()> refute;                // the same of the fault; C++ arithmetic, wraps and all
  std::function<replay(inputs const&)> natively;  // that counterexample
};

// All of them, up to the first that is not proved.
inline outcome all(std::vector<outcome> const& parts) {
  outcome sum{verdict::proved, "", {}, 0, 0};
  for (auto const& part : parts) {
    sum.paths += part.paths;
    sum.forks += part.forks;
    if (sum.verdict != verdict::proved) continue;
    sum.verdict = part.verdict;
    sum.where = part.where;
    sum.inputs = part.inputs;
  }
  return sum;
}

// a mod b, for b > 0.
inline z3::expr remainder(path& p, z3::expr const& a, z3::expr const& b) { return a - p.quotient(a, b) * b; }

__extension__ using native_wide = unsigned __int128;

}  // namespace backoff::engines::proof
