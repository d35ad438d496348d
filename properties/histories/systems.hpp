// Every system's shape. The list of stems is made by the build from spec/*/system.yaml; what is declared at run time
// is found by its name too, but is none of the list.
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
[[nodiscard]] shape const* find_shape(std::string_view stem) noexcept;

// Makes a system findable that is in no list; it must outlive the program's use of systems. Before any thread.
void add_shape(shape const& s);

}  // namespace backoff::histories
