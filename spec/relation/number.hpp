// Numbers as the specification uses them: integers, and decimals exactly as a port wrote them. Rationals are in
// rational.hpp, which costs seconds to compile. Checked by: spec/tests/number_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace backoff::spec {

using integer = std::int64_t;

// mantissa · 10^exponent. Normalised: an integer below 10^18 has exponent 0, a larger one 18 digits, everything else
// the smallest mantissa that keeps its digits. At most 18 digits are kept; `inexact` says that a dropped one was not 0.
struct decimal {
  integer mantissa = 0;
  std::int32_t exponent = 0;
  bool inexact = false;

  [[nodiscard]] constexpr bool integral() const noexcept { return exponent == 0 && !inexact; }
  friend bool operator==(decimal const&, decimal const&) noexcept = default;
};

// Reads a JSON number (-12, 0.5, 1e-3) and nothing else: no sign +, no leading zeros, no bare point, no NaN.
// An exponent beyond ±100000 counts as ±100000, because no documented number comes near. -0 is 0.
[[nodiscard]] std::optional<decimal> parse_decimal(std::string_view text) noexcept;

}  // namespace backoff::spec
