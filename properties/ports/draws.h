/* What every port_main.c has beside the helper: where the environment has DRAWS=opaque, the port draws by itself. */
#include <stdbool.h>

#include "ports/helpers/c/backoff_port.h"

/* The reply to start, with these members: the systems, and what else the port declares. */
#define FIRMWARE "{\"port\":{\"name\":\"firmware\",\"version\":\"1\",\"language\":\"C\"},"
#define declaring(members) (is_opaque() ? FIRMWARE "\"draws\":\"opaque\"," members "}" : FIRMWARE members "}")

inline static bool is_opaque(void) {
  char const* const draws = getenv("DRAWS");
  return draws != NULL && strcmp(draws, "opaque") == 0;
}

/* In [0, largest]: what the oracle gives, or one of the port's own. These are good enough for every test of the oracle
 * (xorshift64*), and the same in every run. */
inline static uint32_t drawn(uint64_t given, uint32_t largest) {
  static uint64_t state = 0x9e3779b97f4a7c15u;
  if (!is_opaque()) {
    return (uint32_t)given;
  }
  state ^= state >> 12;
  state ^= state << 25;
  state ^= state >> 27;
  return (uint32_t)((state * 0x2545f4914f6cdd1du >> 32) * ((uint64_t)largest + 1) >> 32);
}
