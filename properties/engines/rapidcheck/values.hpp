// Integers of a domain for properties: most of them where formulas go wrong, at the ends of the domain, around powers
// of two and around numbers that the caller names. RapidCheck shrinks them towards the low end, so that a smaller value
// is of the domain too. They share nothing with properties/histories, whose values the judge tries: a second search,
// independent of the first. Used by: kernels_test.cpp here, properties/systems/*/properties_test.cpp.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace backoff::engines::rapidcheck::values {

template <class W>
inline constexpr W top = std::numeric_limits<W>::max();

// The same numbers at full size from the first test on, shrunk towards `low`.
inline rc::Gen<std::uint64_t> shrunk_towards(std::uint64_t low, rc::Gen<std::uint64_t> numbers) {
  return [low, numbers = std::move(numbers)](rc::Random const& random, int) {
    return rc::shrinkable::shrinkRecur(numbers(random, rc::kNominalSize).value(), [low](std::uint64_t number) {
      return rc::shrink::towards<std::uint64_t>(number, low);
    });
  };
}

// Integers in [low, high], `special` ones and their neighbours among them as far as the domain has them.
template <class W = std::uint64_t>
rc::Gen<W> between(W low_end, W high_end, std::vector<std::uint64_t> special = {}) {
  using rc::gen::inRange;
  auto const low = static_cast<std::uint64_t>(low_end);
  auto const high = static_cast<std::uint64_t>(high_end);
  auto const span = high - low;
  auto const held = [=](std::uint64_t number) { return std::clamp(number, low, high); };
  special.push_back(low);
  special.push_back(high);
  auto const powers = rc::gen::apply([=](unsigned bit, unsigned more) { return held((1ULL << bit) + more - 1U); },
                                     inRange(0U, 64U), inRange(0U, 3U));
  auto const neighbours = rc::gen::apply([=](std::uint64_t near, unsigned more) { return held(near + more - 2U); },
                                         rc::gen::elementOf(special), inRange(0U, 5U));
  auto const ends = rc::gen::elementOf(special);
  auto const small = rc::gen::map(inRange<std::uint64_t>(0, 20), [=](auto more) { return low + std::min(more, span); });
  auto const inside = [=](std::uint64_t n) { return span == top<std::uint64_t> ? n : low + n % (span + 1U); };
  auto const anywhere = rc::gen::map(rc::gen::arbitrary<std::uint64_t>(), inside);
  auto const of_each_length = rc::gen::apply([=](std::uint64_t n, unsigned shift) { return inside(n >> shift); },
                                             rc::gen::arbitrary<std::uint64_t>(), inRange(0U, 64U));
  return rc::gen::cast<W>(shrunk_towards(low, rc::gen::weightedOneOf<std::uint64_t>({{2, rc::gen::map(ends, held)},
                                                                                     {2, neighbours},
                                                                                     {2, powers},
                                                                                     {2, small},
                                                                                     {2, anywhere},
                                                                                     {2, of_each_length}})));
}

// Every number of a width.
template <class W>
rc::Gen<W> any(std::vector<std::uint64_t> special = {}) {
  return between<W>(0, top<W>, std::move(special));
}

// At most `most` of them, as a list that RapidCheck shortens.
template <class T>
rc::Gen<std::vector<T>> up_to(std::size_t most, rc::Gen<T> of) {
  return rc::gen::mapcat(between<std::size_t>(0, most), [of = std::move(of)](std::size_t count) {
    return rc::gen::container<std::vector<T>>(count, of);
  });
}

// The property at one of these widths.
template <class... W, class Property>
void at_some_width(Property const& property) {
  auto const bits = *rc::gen::element(8U * static_cast<unsigned>(sizeof(W))...).as("bits");
  static_cast<void>(((bits == 8U * sizeof(W) && (property.template operator()<W>(), true)) || ...));
}

// A draw of the library's: of 32 bits, and of 64 where windows have as many.
template <class W>
using draw_for = std::conditional_t<sizeof(W) == 8, std::uint64_t, std::uint32_t>;

// Often at the end of a window, or one past it.
template <class W>
draw_for<W> some_draw(std::uint64_t window = 0) {
  return *any<draw_for<W>>({window, window + 1U}).as("draw");
}

}  // namespace backoff::engines::rapidcheck::values
