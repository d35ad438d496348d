// Caps and waits that people configure: tried for the parameters of policies.
#pragma once

#include <array>

#include "history/shape.hpp"

namespace backoff::conformance {

inline constexpr std::array everyday_ms{
    special{1'000, "a second"},         special{5'000, "five seconds"},  special{60'000, "a minute"},
    special{100'000, "a round number"}, special{120'000, "two minutes"}, special{300'000, "five minutes"},
    special{600'000, "ten minutes"},    special{3'600'000, "an hour"},   special{86'400'000, "a day"},
};
inline constexpr std::array everyday_s{
    special{1, "a second"},       special{5, "five seconds"}, special{60, "a minute"},
    special{300, "five minutes"}, special{3'600, "an hour"},  special{86'400, "a day"},
};

}  // namespace backoff::conformance
