// Formulas that the grammar makes from random bytes: machine words and rationals agree on them, and so do their texts.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <vector>

#include "histories/generate.hpp"
#include "policies/made_formula_test.hpp"

namespace backoff::policies {
namespace {

using bytes = std::vector<std::uint8_t>;

rc::Gen<bytes> some_bytes() { return rc::gen::scale(2.0, rc::gen::arbitrary<bytes>()); }

RC_GTEST_PROP(properties_formulas, machine_words_have_the_answers_of_the_evaluator, ()) {
  RC_ASSERT(asked_in_words(*some_bytes()).wrong == "");
}

// Else the property would hold of words that never answer.
TEST(made_formulas, have_answers_in_words_often) {
  constexpr unsigned formulas = 1'000;
  unsigned answers = 0;
  for (unsigned seed = 0; seed < formulas; ++seed) {
    histories::random_bits random(seed);
    bytes all(64);
    for (auto& b : all) b = static_cast<std::uint8_t>(random.between(0, 255));
    answers += asked_in_words(all).given;
  }
  EXPECT_GT(answers, formulas / 3);
}

RC_GTEST_PROP(properties_formulas, texts_are_read_as_what_they_say, ()) {
  RC_ASSERT(wrong_in_texts(*some_bytes()) == "");
}

// A name that stands for a formula is worth what that is.
RC_GTEST_PROP(properties_formulas, names_may_be_replaced_by_what_they_are_worth, ()) {
  formula_maker make(*some_bytes());
  auto const e = make.formula();
  auto const names = make.names();
  RC_PRE(!e.draws);
  auto const base = names.exact.exact[1];
  RC_PRE(!base.rough);
  evaluator v(names.exact, 1);
  evaluator w(names.exact, 1);
  auto const other = with(e, 1, number_of(base.value));
  RC_ASSERT(!other.uses(1));
  RC_ASSERT(size_of(other) == size_of(e));
  auto const value = v.value(e);
  auto const replaced = w.value(other);
  RC_ASSERT(v.found().has_value() == w.found().has_value());
  RC_ASSERT(v.found() || value == replaced);
  RC_ASSERT(is_same(rewritten(e, [](expression const&) { return std::optional<expression>(); }), e));
}

}  // namespace
}  // namespace backoff::policies
