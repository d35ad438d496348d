// A made-up system for tests. It uses every form of field and every rule that a shape can declare. It belongs to no
// document and is not in the list of systems.
#pragma once

#include <array>

#include "histories/shape.hpp"

namespace backoff::histories::every_form {

inline constexpr std::array rate_specials{special{1'500'000, "a rate and a half"}, special{1'000'001, "just above 1"}};
inline constexpr std::array<std::string_view, 2> policy_words{"linear", "constant"};
inline constexpr std::array<std::string_view, 2> status_words{"answered", "error"};

inline constexpr std::array params{
    field{"rate", field_kind::decimal, 1'000'000, 100'000'000, {}, rate_specials, 6},
    field{"policy", field_kind::keyword, 0, 0, policy_words},
    field{.name = "margin_s", .high = 9, .left_out = 4},
    field{.name = "budget_s", .high = 99, .needs = feature::state},
};
inline constexpr std::array args{
    field{"offset_s", field_kind::decimal, -2'500, 2'500, {}, {}, 3},
    field{.name = "elapsed_s", .high = 99, .needs = feature::state},
    field{.name = "final",
          .kind = field_kind::keyword,
          .words = boolean_words,
          .written = field::form::boolean,
          .left_out = 8},
};
inline constexpr std::array<std::string_view, 3> null_words{"handle", "name", "value"};
inline constexpr std::array save_args{
    field{.name = "clock_s", .low = -9, .high = 9, .written = field::form::list},
    field{.name = "clock_s",
          .low = -9,
          .high = 9,
          .written = field::form::item,
          .needs = feature::clock_script,
          .left_out = 4},
    field{.name = "clock_s",
          .low = -9,
          .high = 9,
          .written = field::form::item,
          .needs = feature::clock_script,
          .left_out = 8},
    field{.name = "first_s", .high = 9, .left_out = 8, .object = "saved"},
    field{.name = "last_s", .high = 9, .left_out = 8, .object = "saved"},
    field{.name = "null", .kind = field_kind::set, .words = null_words, .needs = feature::nulls, .left_out = 8},
};
inline constexpr std::array operations{operation{"open", args, 1}, operation{"ask", args, 3},
                                       operation{"save", save_args, 2}};
inline constexpr std::uint32_t asked = 0b011;
inline constexpr std::uint32_t saved = 0b100;
inline constexpr std::array answers{
    answer_field{.name = "status", .words = status_words, .written = answer_field::form::implied},
    answer_field{.name = "delay_s", .only = answer_field::companion{0, 0}, .calls = asked},
    answer_field{.name = "retry",
                 .words = boolean_words,
                 .only = answer_field::companion{0, 0},
                 .written = answer_field::form::boolean,
                 .calls = asked},
    answer_field{.name = "attempts", .only = answer_field::companion{2, 1}, .needs = feature::state},
    answer_field{.name = "first_s", .calls = saved, .object = "options"},
    answer_field{.name = "last_s", .calls = saved, .object = "options"},
    answer_field{.name = "spent_s", .calls = saved, .optional = true},
    answer_field{.name = "code", .calls = saved, .optional = true},
    answer_field{.name = "outcome", .words = policy_words, .calls = saved, .if_zero = 7},
};

// open comes first, once.
inline void repair(history& h) {
  while (!h.steps.empty() && h.steps[0].op == 2) h.steps.erase(h.steps.begin());
  for (std::size_t i = 0; i < h.steps.size(); ++i) {
    if (h.steps[i].op != 2) h.steps[i].op = i == 0 ? 0 : 1;
  }
}
inline std::string_view misuse(history const& h) {
  history repaired = h;
  repair(repaired);
  return repaired == h ? "" : "open comes first, and once";
}

inline constexpr shape system{
    {.stem = "every_form",
     .params = params,
     .operations = operations,
     .answers = answers,
     .error_word = 1,
     .features = bit(feature::instances) | bit(feature::state) | bit(feature::clock_script) | bit(feature::nulls)},
    {.misuse = misuse, .repair = [](history& h, domain const&) { repair(h); }}};

}  // namespace backoff::histories::every_form
