#include "history/systems.hpp"

namespace backoff::conformance {

std::span<shape const* const> shapes() noexcept {
  static constexpr shape const* all[] = {
#define BACKOFF_SYSTEM(stem) &stem##_shape,
#include "systems.def"
#undef BACKOFF_SYSTEM
  };
  return all;
}

shape const* find_shape(std::string_view stem) noexcept {
  for (auto const* s : shapes()) {
    if (s->stem == stem) return s;
  }
  return nullptr;
}

}  // namespace backoff::conformance
