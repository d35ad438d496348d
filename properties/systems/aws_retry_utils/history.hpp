// What the histories of Retry Utilities 202009.00 and their judge agree on.
#pragma once

#include <cstdint>

namespace backoff::systems {

// Where draws are hidden, a reset's jitter is inferred from the sleeps that follow it if there are at most this many:
// whole seconds, or eighths of one.
inline constexpr std::int64_t inferred_jitters_max = 64;

}  // namespace backoff::systems
