// Bytes to histories and back, for engines that search by bytes. Every input is a history inside the domain, so that a
// fuzzer wastes none; the encoding of a history decodes to it, so that what one engine finds is a seed for another.
// Checked by: properties/histories/history_test.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "histories/shape.hpp"

namespace backoff::histories {

// A field: one byte that picks a word, a special value or an end of the range, or 255 and eight bytes, little-endian,
// taken modulo the range. A step: one byte for the operation and the instance, and its fields. Missing bytes count as
// 0; at most `decoded_steps_max` steps.
inline constexpr std::size_t decoded_steps_max = 1'200;
[[nodiscard]] history decode(shape const& s, domain const& d, std::span<std::uint8_t const> bytes);

// The bytes that decode to h, for h inside the domain.
[[nodiscard]] std::vector<std::uint8_t> encode(shape const& s, domain const& d, history const& h);

}  // namespace backoff::histories
