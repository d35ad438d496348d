#include "histories/systems.hpp"

#include <vector>

namespace backoff::histories {
namespace {

std::vector<shape const*>& declared() noexcept {
  static std::vector<shape const*> all;
  return all;
}

}  // namespace

std::span<shape const* const> shapes() noexcept {
  static constexpr shape const* all[] = {
#define BACKOFF_SYSTEM(stem) &systems::stem##_shape,
#include "systems.def"
#undef BACKOFF_SYSTEM
  };
  return all;
}

shape const* find_shape(std::string_view stem) noexcept {
  for (auto const* s : shapes()) {
    if (s->stem == stem) return s;
  }
  for (auto const* s : declared()) {
    if (s->stem == stem) return s;
  }
  return nullptr;
}

void add_shape(shape const& s) { declared().push_back(&s); }

}  // namespace backoff::histories
