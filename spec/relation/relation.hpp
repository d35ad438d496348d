// The specification as a relation: what a port answered, and which answers a document admits.
// Checked by: spec/tests/relation_test.cpp.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <initializer_list>
#include <memory>

#include "relation/number.hpp"

namespace backoff::spec {

// One field of an answer. `not_a_number` is null, NaN or an infinity where a number belongs.
enum class observed_kind : std::uint8_t { absent, number, keyword, not_a_number };
struct observed {
  observed_kind kind = observed_kind::absent;
  std::uint8_t keyword = 0;
  decimal value;

  [[nodiscard]] static observed of(decimal d) { return {observed_kind::number, 0, d}; }
  [[nodiscard]] static observed of(integer n) { return {observed_kind::number, 0, {n, 0, false}}; }
  [[nodiscard]] static observed word(std::uint8_t index) { return {observed_kind::keyword, index, {}}; }
  friend bool operator==(observed const&, observed const&) noexcept = default;
};

// The fields of one answer, in the order in which its system lists them.
inline constexpr std::size_t answer_fields_max = 10;
using answer = std::array<observed, answer_fields_max>;

struct closed_interval;  // of rationals: relation/rational.hpp

// The admissible values of one field: keywords, an integer lattice and perhaps one integer more, a closed interval with
// exact ends (one real value is an interval of equal ends), either of two real values, or every number but 0.
// `not_finite` admits what is no number where one belongs: an overflow to infinity. `unjudged` admits everything and is
// no evidence.
enum class admissible_kind : std::uint8_t {
  absent,
  unjudged,
  keyword,
  lattice,
  interval,
  either,
  not_finite,
  not_zero
};

class admissible {
 public:
  // NOLINTNEXTLINE(modernize-use-equals-default)
  constexpr admissible() noexcept {}  // not defaulted: of an array, g++ would first clear every byte
  [[nodiscard]] static admissible nothing() noexcept { return {}; }
  [[nodiscard]] static admissible unjudged() noexcept { return admissible(admissible_kind::unjudged); }
  [[nodiscard]] static admissible not_finite() noexcept { return admissible(admissible_kind::not_finite); }
  [[nodiscard]] static admissible not_zero() noexcept { return admissible(admissible_kind::not_zero); }
  [[nodiscard]] static admissible word(std::uint8_t index) { return words(std::uint32_t{1} << index); }
  // Any word whose bit is set; mask > 0.
  [[nodiscard]] static admissible words(std::uint32_t mask) noexcept {
    return admissible(admissible_kind::keyword, mask);
  }
  [[nodiscard]] static admissible exactly(integer value) { return integers(value, 1, 1); }
  // {first + k · step : 0 <= k < count}; step > 0, count > 0.
  [[nodiscard]] static admissible integers(integer first, integer step, integer count) noexcept {
    return admissible(admissible_kind::lattice, 0, first, step, count);
  }
  // This lattice and one value outside it, such as the maximum that cuts it.
  [[nodiscard]] admissible or_exactly(integer value) const;
  // [low, high]; low <= high.
  [[nodiscard]] static admissible between(closed_interval ends);
  [[nodiscard]] static admissible between(integer low, integer high);
  // One end or the other, and nothing between; low < high.
  [[nodiscard]] static admissible either(closed_interval ends);

  // Whether the port's value is admissible: an integer exactly; a real value within relative 2^-40, also of the ends.
  [[nodiscard]] bool admits(observed const& port) const;

  [[nodiscard]] admissible_kind kind() const noexcept { return kind_; }
  // word: the admissible word with the lowest index. words: all admissible words, a bit each.
  [[nodiscard]] std::uint8_t word() const { return static_cast<std::uint8_t>(std::countr_zero(words_)); }
  [[nodiscard]] std::uint32_t words() const noexcept { return words_; }
  [[nodiscard]] integer first() const noexcept { return first_; }
  [[nodiscard]] integer step() const { return step_; }
  [[nodiscard]] integer count() const noexcept { return count_; }
  [[nodiscard]] integer last() const noexcept { return first_ + step_ * (count_ - 1); }
  [[nodiscard]] bool has_ends() const noexcept { return ends_ != nullptr; }
  // The ends of an interval, or the two values of `either`. Of a lattice with one value more: that value, twice.
  [[nodiscard]] closed_interval const& ends() const noexcept { return *ends_; }
  friend bool operator==(admissible const& a, admissible const& b) noexcept;

 private:
  explicit admissible(admissible_kind k, std::uint32_t words = 0, integer first = 0, integer step = 1,
                      integer count = 0) noexcept
      : kind_(k), words_(words), first_(first), step_(step), count_(count) {}

  admissible_kind kind_ = admissible_kind::absent;
  std::uint32_t words_ = 0;
  integer first_ = 0;
  integer step_ = 1;
  integer count_ = 0;
  std::shared_ptr<closed_interval const> ends_;
};

// What a document admits for one step, field by field. A step makes and drops many of these, and most answers have few
// fields; those after the last one that was set are nothing, and are not made.
class expectation {
 public:
  expectation() noexcept {}  // not defaulted: of a union, that would be deleted
  expectation(std::initializer_list<admissible> first) noexcept : used_(first.size()) {
    std::ranges::uninitialized_copy(first, fields_);
  }
  expectation(expectation const& other) noexcept : used_(other.used_) {
    std::uninitialized_copy_n(other.fields_, used_, fields_);
  }
  expectation(expectation&& other) noexcept : used_(other.used_) {
    std::uninitialized_move_n(other.fields_, used_, fields_);
  }
  expectation& operator=(expectation other) noexcept {
    std::destroy_n(fields_, used_);
    used_ = other.used_;
    std::uninitialized_move_n(other.fields_, used_, fields_);
    return *this;
  }
  ~expectation() { std::destroy_n(fields_, used_); }

  [[nodiscard]] static constexpr std::size_t size() noexcept { return answer_fields_max; }
  [[nodiscard]] admissible& operator[](std::size_t field) {
    for (; used_ <= field; ++used_) std::construct_at(fields_ + used_);
    return fields_[field];
  }
  [[nodiscard]] admissible const& operator[](std::size_t field) const {
    return field < used_ ? fields_[field] : nothing;
  }
  void fill(admissible const& all) noexcept {
    for (std::size_t i = 0; i < size(); ++i) (*this)[i] = all;
  }
  friend bool operator==(expectation const& a, expectation const& b) noexcept;

 private:
  static admissible const nothing;

  union {
    admissible fields_[answer_fields_max];
  };
  std::size_t used_ = 0;
};

}  // namespace backoff::spec
