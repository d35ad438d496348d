// For programs that read and write batches.
#pragma once

#include <cstdlib>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace backoff::protocol {

// Keeps the memory of a batch for the next one. The C library would give it back to the system after each batch, and
// ask for it again.
inline void keep_memory() noexcept {
#ifdef __GLIBC__
  constexpr int most = 256 << 20;
  mallopt(M_TRIM_THRESHOLD, most);
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
#endif
}

}  // namespace backoff::protocol
