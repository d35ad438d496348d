// The shape of every system. The build makes the list of stems from spec/*/system.yaml. A system that is declared at
// run time is found by its stem, but is not in the list.
#pragma once

#include <span>
#include <string_view>

#include "histories/shape.hpp"

namespace backoff::systems {

#define BACKOFF_SYSTEM(stem) extern shape const stem##_shape;
#include "systems.def"
#undef BACKOFF_SYSTEM

}  // namespace backoff::systems

namespace backoff::histories {

[[nodiscard]] std::span<shape const* const> shapes() noexcept;
[[nodiscard]] shape const* find_shape(std::string_view stem);
// The same, of what is known already.
[[nodiscard]] shape const* find_known_shape(std::string_view stem) noexcept;
// Before find_shape finds nothing, `declare` may make that system known.
void when_unknown(void (*declare)(std::string_view stem)) noexcept;

// Lets find_shape find a shape that is not in the list. The shape must outlive every use of it. Call before any thread
// starts.
void add_shape(shape const& s);

}  // namespace backoff::histories
