// Bytes to histories and back, for engines that search by bytes. Every input decodes to a history inside the domain, so
// that a fuzzer wastes no input. The encoding of a history decodes to the same history, so that the findings of one
// engine are seeds for another.
// Checked by: properties/histories/decode_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "histories/shape.hpp"

namespace backoff::histories {

// A field is one byte that picks a word, a set of words, a special value, an end of the range or its neighbour, or that
// the field is left out. Or it is 255 and eight little-endian bytes, taken modulo the size of the range. A step is one
// byte for the operation and the instance, then its fields.
// Missing bytes count as 0. A history has at most `decoded_steps_max` steps.
inline constexpr std::size_t decoded_steps_max = 1'200;
[[nodiscard]] history decode(shape const& s, domain const& d, std::span<std::uint8_t const> bytes);

// The bytes that decode to h, for h inside the domain.
[[nodiscard]] std::vector<std::uint8_t> encode(shape const& s, domain const& d, history const& h);

}  // namespace backoff::histories
