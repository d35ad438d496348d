// Answers that a port might give, right or wrong, for tests of claims and judge.
#pragma once

#include "histories/shape.hpp"

namespace backoff::judge {

// A number near small documented values, a fraction, a huge one, or none.
inline observed any_number(random_bits& random) noexcept {
  switch (random.between(0, 5)) {
    case 0:
      return {observed_kind::not_a_number, 0, {}};
    case 1:
      return observed::of(random.between(-3, 3));
    case 2:
      return observed::of(spec::decimal{random.between(-30, 30), -1, false});
    case 3:
      return observed::of(spec::decimal{1, 60, false});
    default:
      return observed::of(random.between(0, 100));
  }
}

// An answer to that operation with every field that its words demand, now and then without what may be missing.
inline answer any_answer(shape const& s, std::uint8_t op, random_bits& random) noexcept {
  answer a;
  for (std::size_t i = 0; i < s.answers.size(); ++i) {
    auto const& f = s.answers[i];
    if (f.only && a[f.only->field] != observed::word(f.only->word)) continue;
    if (!f.answers(op) || f.idle(a) || (f.optional && random.one_in(4))) continue;
    a[i] = f.words.empty() ? any_number(random) : observed::word(static_cast<std::uint8_t>(random() % f.words.size()));
  }
  return a;
}

}  // namespace backoff::judge
