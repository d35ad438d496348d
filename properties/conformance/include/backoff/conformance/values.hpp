// What goes to a port and comes back, for every system.
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace backoff {

// A number that a port answers: any integer, negative ones too, or a floating-point number, judged by its shortest
// decimal. NaN and infinities are answers, and judged.
class number {
 public:
  // NOLINTBEGIN(google-explicit-constructor): a port returns a plain number
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  number(T n) : text_(std::to_string(n)) {}
  template <std::floating_point T>
  number(T x) : text_(std::isfinite(x) ? shortest(x) : std::string()) {}
  // NOLINTEND(google-explicit-constructor)
  // "1.25", for ports that compute with exact decimals.
  // cppcheck-suppress passedByValue ; it is moved from
  [[nodiscard]] static number decimal(std::string text) { return number(std::move(text)); }

  // Empty: not a number.
  [[nodiscard]] std::string const& text() const noexcept { return text_; }

 private:
  // cppcheck-suppress passedByValue ; it is moved from
  explicit number(std::string text) noexcept : text_(std::move(text)) {}
  template <class T>
  static std::string shortest(T x) {
    char digits[64];
    return {digits, std::to_chars(digits, digits + sizeof digits, x).ptr};
  }
  std::string text_;
};

// A draw that the port is given in place of its generator's.
struct draw {
  std::uint32_t value;  // 0..2^32 - 1; what rand() returns, under draws::rand
  [[nodiscard]] double unit() const noexcept { return value / 4294967296.0; }  // in [0, 1), under draws::unit
};

// Thrown by who makes a port: these parameters are refused. Any other exception is an answer, `error`.
struct rejected : std::runtime_error {
  using runtime_error::runtime_error;
};

}  // namespace backoff
