// Generated histories: special values first, then random ones, short and long. Plain data in, plain data out; the same
// (domain, random stream) gives the same history.
// Checked by: properties/histories/history_test.cpp (which special values and lengths really occur).
#pragma once

#include "histories/shape.hpp"

namespace backoff::histories {

[[nodiscard]] history generate(shape const& s, domain const& d, random_bits& random);
// The same in the memory of an earlier history; of that many steps, where a number is given.
void generate(history& h, shape const& s, domain const& d, random_bits& random, std::optional<std::size_t> steps = {});

// A value of the range: often a special one, otherwise spread over magnitudes.
[[nodiscard]] value generate_value(field const& f, range const& r, random_bits& random);
// The same, or a set of words; nothing where the port cannot be sent the field, or where it is left out.
[[nodiscard]] value generate_any(field const& f, range const& r, domain const& d, random_bits& random);

// Windows that show how a port maps draws to delays, none wider than that. Halves, thirds and quarters of the first are
// whole, so that a wrong window of an exact mapping is whole too. Where draws are coarse, the second shows more: it is
// odd, so that a float of 32 bits rounds what the draws become, and so wide that it rounds whole numbers too.
[[nodiscard]] std::vector<std::int64_t> probing_windows(domain const& d, std::int64_t most);

// Draws that show how a port maps them to delays in [0, window]: the two ends; and pairs on either side of where one
// whole delay ends and the next begins, scaled or divided, in an exclusive window and in an inclusive one. Coarse
// arithmetic is off by one there. Each four pairs are followed by one draw by chance.
[[nodiscard]] std::vector<std::int64_t> probing_draws(domain const& d, range const& draws, std::int64_t window,
                                                      random_bits& random);

}  // namespace backoff::histories
