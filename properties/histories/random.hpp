// Reproducible pseudo-random numbers: the same seed gives the same histories on every platform, which the standard
// distributions do not promise. The generator is SplitMix64 (Steele, Lea, Flood 2014): history i of a run is computed
// without the histories before it.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

namespace backoff::histories {

class random_bits {
 public:
  using result_type = std::uint64_t;

  // An independent stream for each index of a seed.
  explicit constexpr random_bits(std::uint64_t seed, std::uint64_t index = 0) noexcept
      : state_(mixed(seed + 0x632be59bd9b4e019U) + index * 0x9e3779b97f4a7c15U) {
    state_ = mixed(state_);
  }

  static constexpr result_type min() noexcept { return 0; }
  static constexpr result_type max() noexcept { return std::numeric_limits<result_type>::max(); }
  constexpr result_type operator()() noexcept { return mixed(state_ += 0x9e3779b97f4a7c15U); }

  // An integer in [low, high], with a bias below 2^-32 for ranges of up to 32 bits, which is harmless in test data.
  [[nodiscard]] constexpr std::int64_t between(std::int64_t low, std::int64_t high) {
    std::uint64_t const size = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
    if (size == 0) return static_cast<std::int64_t>((*this)());
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + (*this)() % size);
  }
  [[nodiscard]] constexpr bool one_in(std::uint64_t n) noexcept { return (*this)() % n == 0; }
  template <class T>
  [[nodiscard]] constexpr T const& pick(std::span<T const> from) noexcept {
    return from[(*this)() % from.size()];
  }

 private:
  static constexpr std::uint64_t mixed(std::uint64_t z) noexcept {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  std::uint64_t state_;
};

}  // namespace backoff::histories
