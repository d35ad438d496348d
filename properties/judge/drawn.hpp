// The draw that a call carries, as the models take it; and the draw that an answer tells of, as the tests of hidden
// randomness take it. Checked by: properties/judge/judge_test.cpp, properties/judge/hidden_draws_test.cpp.
#pragma once

#include <optional>

#include "histories/shape.hpp"
#include "judge/e_process.hpp"
#include "relation/full_jitter.hpp"
#include "relation/relation.hpp"

namespace backoff::judge {

// Hidden where the call carries none: the port drew for itself.
inline spec::draw drawn(value const& v, draw_source const& draws) noexcept {
  if (v.kind == value_kind::absent) return {spec::draw_kind::hidden, 0, draws.size};
  return {draws.kind, static_cast<std::uint64_t>(v.n), draws.size};
}

[[nodiscard]] double as_double(spec::decimal const& d) noexcept;

// The attempt that follows so many retries, as drawn_part counts.
[[nodiscard]] constexpr std::uint32_t attempt_after(spec::integer retries) noexcept {
  return static_cast<std::uint32_t>(retries + 1);
}

// Where an admitted number stands among those that a document admits and makes equally likely: a lattice of several, or
// an interval of some length. Nothing where it tells of no draw.
[[nodiscard]] std::optional<drawn_part> part_of(spec::admissible const& all, spec::observed const& port) noexcept;

// The same draw in a part of its window. Documents do not say how a generator fills a window. In a wide one the values
// up to the remainder of 2^32 and those beyond are two windows: a draw is even within its own, whether it was even in
// both together or a number of 32 bits modulo their size.
[[nodiscard]] drawn_part within_remainders(drawn_part const& part) noexcept;

}  // namespace backoff::judge
