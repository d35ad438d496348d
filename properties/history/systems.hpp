// Every system's shape. The list of stems is made by the build from spec/*/catalogue.json.
#pragma once

#include <span>
#include <string_view>

#include "history/shape.hpp"

namespace backoff::conformance {

#define BACKOFF_SYSTEM(stem) extern shape const stem##_shape;
#include "systems.def"
#undef BACKOFF_SYSTEM

[[nodiscard]] std::span<shape const* const> shapes() noexcept;
[[nodiscard]] shape const* find_shape(std::string_view stem) noexcept;

}  // namespace backoff::conformance
