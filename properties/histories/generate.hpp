// Generated histories, short and long, of special and random values. Plain data in, plain data out; the same domain and
// random stream give the same history.
// Checked by: properties/histories/generate_test.cpp (which special values and lengths really occur).
#pragma once

#include "histories/shape.hpp"

namespace backoff::histories {

[[nodiscard]] history generate(shape const& s, domain const& d, random_bits& random);
// The same, in the memory of an earlier history. `steps` sets the number of steps.
void generate(history& h, shape const& s, domain const& d, random_bits& random, std::optional<std::size_t> steps = {});

// A value of the range: often a special one, otherwise spread over magnitudes.
[[nodiscard]] value generate_value(field const& f, range const& r, random_bits& random);
// The same, also for a field that is a set of words. The value is absent where the port does not take the field, and at
// times where a history may leave it out.
[[nodiscard]] value generate_any(field const& f, range const& r, domain const& d, random_bits& random);

// Windows that show how a port maps draws to delays, none wider than `most`. The first is divisible by 2, 3 and 4 where
// `most` allows it, so that a half, a third or a quarter of it is whole. Where a draw has fewer than 2^24 values, there
// is a second. It is odd, so that a 32-bit float rounds scaled draws. Where `most` allows it, it is also so wide that
// the float rounds whole numbers.
[[nodiscard]] std::vector<std::int64_t> probing_windows(domain const& d, std::int64_t most);

// Draws that show how a port maps them to delays in [0, window]. First come the smallest and the largest draw. Then
// come pairs of draws on either side of the border between two whole delays, because coarse arithmetic is off by one
// there. Of each four pairs, two are for delays in [0, window) and two for delays in [0, window]: one for a port that
// scales a draw, and one for a port that divides it. A random draw follows each four pairs.
[[nodiscard]] std::vector<std::int64_t> probing_draws(domain const& d, range const& draws, std::int64_t window,
                                                      random_bits& random);

}  // namespace backoff::histories
