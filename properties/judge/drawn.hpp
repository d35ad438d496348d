// The draw that a call carries, as the models take it; and the draw that an answer tells of, as the tests of hidden
// randomness take it. Checked by: properties/judge/judge_test.cpp, properties/judge/hidden_draws_test.cpp.
#pragma once

#include <optional>

#include "histories/shape.hpp"
#include "judge/e_process.hpp"
#include "relation/full_jitter.hpp"
#include "relation/relation.hpp"

namespace backoff::judge {

// The draw that a call carries; hidden where it carries none, as the port draws for itself then.
inline spec::draw drawn(value const& v, draw_source const& draws) {
  if (v.kind == value_kind::absent) return {spec::draw_kind::hidden, 0, draws.size};
  return {draws.kind, static_cast<std::uint64_t>(v.n), draws.size};
}

[[nodiscard]] double as_double(spec::decimal const& d) noexcept;

// The attempt that follows so many retries, as drawn_part counts.
[[nodiscard]] constexpr std::uint32_t attempt_after(spec::integer retries) noexcept {
  return static_cast<std::uint32_t>(retries + 1);
}

// Where an admitted number stands among those that the document admits with equal likelihood: a lattice of several
// numbers, or an interval of positive length. Nothing where the number shows no draw.
[[nodiscard]] std::optional<drawn_part> part_of(spec::admissible const& all, spec::observed const& port);

// The draw within a part of its window. Documents do not say how a generator fills a window. A port that takes a number
// of 32 bits modulo the size of a wide window draws the values below the remainder of 2^32 more often than the others.
// The two parts are therefore tested as two windows: a draw is uniform within its own part, whichever way the port
// draws.
[[nodiscard]] drawn_part within_remainders(drawn_part const& part) noexcept;

}  // namespace backoff::judge
