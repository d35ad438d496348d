// Fuzz target: formulas that the grammar makes from the input. Machine words have the evaluator's answers or none, and
// the texts of a formula are read as that formula: properties/policies/made_formula_test.hpp.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>

#include "policies/made_formula_test.hpp"

using namespace backoff::policies;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::span const bytes(data, size);
  for (auto const& wrong : {asked_in_words(bytes).wrong, wrong_in_texts(bytes)}) {
    if (wrong.empty()) continue;
    std::fprintf(stderr, "%s\n", wrong.c_str());
    std::abort();
  }
  return 0;
}
