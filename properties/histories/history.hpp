// A history: parameters, and the calls on one or more fresh instances made with them, as plain data. A shape says what
// the numbers mean.
// Checked by: properties/histories/decode_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "layers.hpp"
#include "relation/relation.hpp"

namespace backoff::histories {

using spec::answer;
using spec::observed;
using spec::observed_kind;

// One parameter or argument: an integer (of a draw, the numerator), a decimal n · 10^-scale, a word of its field by its
// index, or a set of words, a bit each.
enum class value_kind : std::uint8_t { absent, integer, decimal, keyword, set };
struct value {
  value_kind kind = value_kind::absent;
  std::uint8_t scale = 0;
  std::int64_t n = 0;

  [[nodiscard]] static constexpr value of(std::int64_t n) { return {value_kind::integer, 0, n}; }
  [[nodiscard]] static constexpr value word(std::int64_t index) { return {value_kind::keyword, 0, index}; }
  [[nodiscard]] static constexpr value words(std::int64_t mask) noexcept { return {value_kind::set, 0, mask}; }
  friend bool operator==(value const&, value const&) noexcept = default;
};

inline constexpr std::size_t params_max = 8;
inline constexpr std::size_t args_max = 7;

// How many instances one history may use. All have the parameters of the history.
inline constexpr std::size_t instances_max = 3;

struct step {
  std::uint8_t op = 0;
  std::uint8_t on = 0;  // the instance it is called on
  std::array<value, args_max> args{};
  friend bool operator==(step const&, step const&) noexcept = default;
};

struct history {
  std::array<value, params_max> params{};
  std::vector<step> steps;
  friend bool operator==(history const&, history const&) noexcept = default;
};

// What became of one history: the answers to its steps (fewer only where the last answer is an error), or why there are
// none. In a system that has a word for rejections, a rejected history has that word as its one answer.
// unsent: the request would be longer than the longest line that the port takes. broke: the port crashed, hung or broke
// the protocol.
enum class result_kind : std::uint8_t { answered, rejected, skipped, unsent, broke };
struct result {
  result_kind kind = result_kind::answered;
  std::vector<answer> answers;
  std::string why;  // what the port said of an error or a rejection, or why there are no answers
};

}  // namespace backoff::histories
