// Draws from the generators of <random>, and from others of the same interface. The numbers are the same on every
// platform, which std::uniform_int_distribution does not promise.
// Checked by: spec/tests/hosted_random_test.cpp, which counts every outcome of small widths.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <random>

#include "backoff/kernels/jitter.hpp"

namespace backoff {

// How a draw becomes a number in [0, window]. modulo: as the documents have it, draw mod (window + 1) of one draw,
// whose probabilities may differ by one part in floor(2^32 / (window + 1)). unbiased: the same, but draws from the
// incomplete last block are discarded and drawn again.
enum class draw_mapping : std::uint8_t { modulo, unbiased };

// bits := uniform in [0, 2^Count). Takes one number of the generator, and another one as long as the number is beyond
// the greatest multiple of 2^Count that the generator's range holds: fewer than two, on average. The range must hold
// 2^Count values.
template <unsigned Count, std::uniform_random_bit_generator Generator>
[[nodiscard]] constexpr std::uint64_t uniform_bits(Generator& generator) {
  constexpr std::uint64_t range = std::uint64_t{Generator::max()} - std::uint64_t{Generator::min()};
  constexpr std::uint64_t greatest = std::numeric_limits<std::uint64_t>::max() >> (64U - Count);
  constexpr std::uint64_t share = ((range - greatest) >> (Count - 1U) >> 1U) + 1U;
  for (;;) {
    std::uint64_t const bits = (std::uint64_t{generator()} - std::uint64_t{Generator::min()}) / share;
    if constexpr (((range - greatest) & greatest) == 0U) {
      return bits;  // the range is a multiple
    } else {
      if (bits <= greatest) return bits;
    }
  }
}

// word := uniform in [0, 2^bits(W)), exactly as even as the generator is, whatever its range. With std::mt19937 a word
// of 32 bits is one number; with std::mt19937_64 it is the upper half of one. A generator with a smaller range makes a
// word of several numbers, the first of them on top. What the generator throws goes through. Two processes draw alike
// where their generators do: seed each anew, from std::random_device. AWS-BA-008, AWS-BA-009, AWS-RU-015, AZ-RC-I01,
// AZ-JR-I01.
template <std::unsigned_integral W, std::uniform_random_bit_generator Generator>
[[nodiscard]] constexpr W uniform_word(Generator& generator) {
  constexpr std::uint64_t range = std::uint64_t{Generator::max()} - std::uint64_t{Generator::min()};
  constexpr bool is_power = (range & (range + 1U)) == 0U;
  constexpr unsigned whole_bits = static_cast<unsigned>(std::bit_width(range)) - static_cast<unsigned>(!is_power);
  constexpr unsigned parts = (word_bits<W> + whole_bits - 1U) / whole_bits;
  constexpr unsigned bits = (word_bits<W> + parts - 1U) / parts;
  auto word = static_cast<W>(uniform_bits<bits>(generator));
  if constexpr (parts > 1U) {
    for (unsigned part = 1; part < parts; ++part)
      word = static_cast<W>((word << bits) | static_cast<W>(uniform_bits<bits>(generator)));
  }
  return word;
}

// draw := uniform among the first floor(2^bits(W) / (window + 1)) · (window + 1) words, so that jitter_full(window,
// draw) is uniform in [0, window]. Every window of the width is valid. Consumes one word or more, fewer than two on
// average. AWS-BA-003, AWS-RU-003, AWS-RU-013, AWS-RU-016; readings upper-bound: inclusive, draw-mapping: modulo.
template <std::unsigned_integral W, std::uniform_random_bit_generator Generator>
[[nodiscard]] constexpr W fair_draw(W window, Generator& generator) {
  constexpr W greatest = std::numeric_limits<W>::max();
  W const left_over = jitter_full(window, static_cast<W>(greatest - window));  // 2^bits(W) mod (window + 1)
  for (;;) {
    W const draw = uniform_word<W>(generator);
    if (draw <= static_cast<W>(greatest - left_over)) return draw;
  }
}

// number := uniform integer in [0, top]. Every top of the width is valid; draws as fair_draw.
template <std::unsigned_integral W, std::uniform_random_bit_generator Generator>
[[nodiscard]] constexpr W uniform_up_to(W top, Generator& generator) {
  return jitter_full(top, fair_draw(top, generator));
}

// One draw for a window, mapped as asked. Where the mapping is modulo the window does not matter: one word.
template <std::unsigned_integral W, std::uniform_random_bit_generator Generator>
[[nodiscard]] constexpr W draw_for(W window, draw_mapping mapping, Generator& generator) {
  if (mapping == draw_mapping::unbiased) return fair_draw(window, generator);
  return uniform_word<W>(generator);
}

}  // namespace backoff
