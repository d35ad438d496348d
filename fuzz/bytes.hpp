// What the targets of functions share: numbers from an input, and demands. Inputs are read from the front; what is
// behind their end is 0, and every target ends there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace backoff::fuzz {

inline void demand(bool holds) {
  if (!holds) std::abort();
}

// Most numbers are one byte that picks what functions may stumble over.
class source {
 public:
  source(std::uint8_t const* data, std::size_t size) noexcept : data_(data), left_(size) {}
  [[nodiscard]] bool at_end() const noexcept { return left_ == 0; }
  std::uint8_t byte() noexcept {
    if (left_ == 0) return 0;
    --left_;
    return *data_++;
  }
  std::uint64_t number() noexcept {
    constexpr std::uint64_t ends[] = {0,
                                      1,
                                      2,
                                      100,
                                      101,
                                      1'000'000,
                                      1'000'001,
                                      0xffff,
                                      0x7fff'ffff,
                                      0x8000'0000,
                                      0xffff'fffe,
                                      0xffff'ffff,
                                      0x1'0000'0000,
                                      0x7fff'ffff'ffff'ffff,
                                      0x8000'0000'0000'0000,
                                      0xffff'ffff'ffff'ffff};
    auto const first = byte();
    if (first < 16) return ends[first];
    if (first < 240) return first;
    std::uint64_t n = 0;
    for (unsigned shift = 0; shift < 64; shift += 8) n |= std::uint64_t{byte()} << shift;
    return n;
  }
  std::uint32_t u32() noexcept { return static_cast<std::uint32_t>(number()); }
  std::int32_t i32() noexcept { return static_cast<std::int32_t>(u32()); }
  std::int64_t i64() noexcept { return static_cast<std::int64_t>(number()); }

 private:
  std::uint8_t const* data_;
  std::size_t left_;
};

// One of these, by the next byte.
template <std::size_t N>
void one_of(void (*const (&parts)[N])(source&), source& in) {
  parts[in.byte() % N](in);
}

// One after the other, until the input ends.
template <std::size_t N>
void each_of(void (*const (&parts)[N])(source&), std::uint8_t const* data, std::size_t size) {
  source in(data, size);
  while (!in.at_end()) one_of(parts, in);
}

}  // namespace backoff::fuzz
