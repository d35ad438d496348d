// A made-up system that uses every form of field and every rule that a shape can declare. For tests alone: it is no
// document's, and no registry knows it.
#pragma once

#include <array>

#include "history/shape.hpp"

namespace backoff::conformance::every_form {

inline constexpr std::array rate_specials{special{1'500'000, "a rate and a half"}, special{1'000'001, "just above 1"}};
inline constexpr std::array<std::string_view, 2> policy_words{"linear", "constant"};
inline constexpr std::array<std::string_view, 2> status_words{"answered", "error"};

inline constexpr std::array params{
    field{"rate", field::kind::decimal, 1'000'000, 100'000'000, {}, rate_specials, 6},
    field{"policy", field::kind::keyword, 0, 0, policy_words},
    field{.name = "margin_s", .high = 9, .left_out = 4},
    field{.name = "budget_s", .high = 99, .needs = feature::state},
};
inline constexpr std::array args{
    field{"offset_s", field::kind::decimal, -2'500, 2'500, {}, {}, 3},
    field{.name = "elapsed_s", .high = 99, .needs = feature::state},
    field{.name = "final",
          .is = field::kind::keyword,
          .words = boolean_words,
          .written = field::form::boolean,
          .left_out = 8},
};
inline constexpr std::array operations{operation{"open", args, 1}, operation{"ask", args, 3}};
inline constexpr std::array answers{
    answer_field{.name = "status", .words = status_words, .written = answer_field::form::implied},
    answer_field{.name = "delay_s", .only = answer_field::companion{0, 0}},
    answer_field{.name = "retry",
                 .words = boolean_words,
                 .only = answer_field::companion{0, 0},
                 .written = answer_field::form::boolean},
    answer_field{.name = "attempts", .only = answer_field::companion{2, 1}, .needs = feature::state},
};

// open comes first, once.
inline void repair(history& h) {
  for (std::size_t i = 0; i < h.steps.size(); ++i) h.steps[i].op = i == 0 ? 0 : 1;
}
inline std::string_view misuse(history const& h) {
  history repaired = h;
  repair(repaired);
  return repaired == h ? "" : "open comes first, and once";
}

inline constexpr shape system{.stem = "every_form",
                              .params = params,
                              .operations = operations,
                              .answers = answers,
                              .error_word = 1,
                              .features = bit(feature::instances) | bit(feature::state),
                              .misuse = misuse,
                              .repair = repair};

}  // namespace backoff::conformance::every_form
