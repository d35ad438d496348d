#include "histories/systems.hpp"

#include <vector>

namespace backoff::histories {
namespace {

std::vector<shape const*>& declared() noexcept {
  static std::vector<shape const*> all;
  return all;
}

void (*declare_unknown)(std::string_view) = [](std::string_view) {};

}  // namespace

std::span<shape const* const> shapes() noexcept {
  static constexpr shape const* all[] = {
#define BACKOFF_SYSTEM(stem) &systems::stem##_shape,
#include "systems.def"
#undef BACKOFF_SYSTEM
  };
  return all;
}

shape const* find_known_shape(std::string_view stem) noexcept {
  for (auto const* s : shapes()) {
    if (s->stem == stem) return s;
  }
  for (auto const* s : declared()) {
    if (s->stem == stem) return s;
  }
  return nullptr;
}

shape const* find_shape(std::string_view stem) {
  if (auto const* known = find_known_shape(stem)) return known;
  declare_unknown(stem);
  return find_known_shape(stem);
}

void when_unknown(void (*declare)(std::string_view stem)) noexcept { declare_unknown = declare; }

void add_shape(shape const& s) { declared().push_back(&s); }

}  // namespace backoff::histories
