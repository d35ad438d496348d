// What to call when there is no memory left. properties/oracle/main.cpp installs a new handler that ends the program.
// operator new calls the handler itself; code that takes memory in another way calls it through these functions.
// Checked by: properties/oracle/out_of_memory/memory_test.cpp.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

#include "layers.hpp"

namespace backoff::session {

[[noreturn]] inline void out_of_memory() {
  if (auto* const ends = std::get_new_handler(); ends != nullptr) ends();
  throw std::bad_alloc();
}

// malloc and realloc, for libraries in C that abort, hang or report something else where there is no memory.
inline void* demand_memory(void* memory) {
  if (memory == nullptr) out_of_memory();
  return memory;
}
inline void* demanded_malloc(std::size_t size) { return demand_memory(std::malloc(size == 0 ? 1 : size)); }
inline void* demanded_realloc(void* old, std::size_t size) {
  return demand_memory(std::realloc(old, size == 0 ? 1 : size));
}

}  // namespace backoff::session
