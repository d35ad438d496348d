#include "relation/number.hpp"

#include <algorithm>

namespace backoff::spec {
namespace {

constexpr integer room_for_a_digit = 100'000'000'000'000'000;  // 10^17: what is less takes one more
constexpr std::int32_t read_exponent_max = 100'000;

class reader {
 public:
  explicit reader(std::string_view text) noexcept : rest_(text) {}

  [[nodiscard]] bool at_end() const noexcept { return rest_.empty(); }

  [[nodiscard]] bool skip(char c) noexcept {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  [[nodiscard]] bool at_digit() const noexcept {
    if (rest_.empty()) return false;
    return rest_.front() >= '0' && rest_.front() <= '9';
  }

  [[nodiscard]] int digit() noexcept {
    int const value = rest_.front() - '0';
    rest_.remove_prefix(1);
    return value;
  }

 private:
  std::string_view rest_;
};

void append_digit(decimal& d, int digit, bool after_point) noexcept {
  if (d.mantissa < room_for_a_digit) {
    d.mantissa = d.mantissa * 10 + digit;
    d.exponent -= after_point ? 1 : 0;
    return;
  }
  d.exponent += after_point ? 0 : 1;
  d.inexact = d.inexact || digit != 0;
}

std::int32_t read_exponent(reader& in) noexcept {
  std::int32_t value = 0;
  while (in.at_digit()) value = std::min(read_exponent_max, value * 10 + in.digit());
  return value;
}

void normalise(decimal& d) noexcept {
  while (d.exponent < 0) {
    if (d.mantissa % 10 != 0) break;
    d.mantissa /= 10;
    ++d.exponent;
  }
  while (d.exponent > 0 && d.mantissa < room_for_a_digit) {
    d.mantissa *= 10;
    --d.exponent;
  }
}

}  // namespace

std::optional<decimal> parse_decimal(std::string_view text) noexcept {
  reader in(text);
  decimal d;
  bool const negative = in.skip('-');
  if (!in.at_digit()) return std::nullopt;
  if (!in.skip('0')) {
    while (in.at_digit()) append_digit(d, in.digit(), false);
  }
  if (in.skip('.')) {
    if (!in.at_digit()) return std::nullopt;
    while (in.at_digit()) append_digit(d, in.digit(), true);
  }
  bool const scientific = in.skip('e') || in.skip('E');
  if (scientific) {
    bool const below_one = in.skip('-');
    if (!below_one) static_cast<void>(in.skip('+'));
    if (!in.at_digit()) return std::nullopt;
    std::int32_t const exponent = read_exponent(in);
    d.exponent += below_one ? -exponent : exponent;
  }
  if (!in.at_end()) return std::nullopt;
  normalise(d);
  if (negative) d.mantissa = -d.mantissa;
  return d;
}

}  // namespace backoff::spec
