/* One port of full jitter for each way to map a draw to a delay, with a fault if told so. mappings_test.py lists the
   ways. Usage: mappings ARITHMETIC END SIGN BITS TICKS ROUNDING [FAULT NUMBER] */
#include <math.h>

#include "backoff_port.h"

__extension__ typedef unsigned __int128 u128;

static char const *arithmetic, *end, *sign, *rounding, *fault = "none";
static int is_unit, bits = 32, digits;
static uint64_t ticks, at, largest;

struct cycle {
  int begun;
  uint64_t window;
};

static int same(char const* a, char const* b) { return !strcmp(a, b); }
static uint64_t smaller(uint64_t a, uint64_t b) { return a < b ? a : b; }

static double scaled(uint64_t r, uint64_t n, uint64_t size) {
  u128 const product = (u128)r * n;
  return (double)(uint64_t)(same(rounding, "rounded") ? (2 * product + size) / (2 * (u128)size) : product / size);
}

static double rounded(double x) {
  return same(rounding, "cut") ? floor(x) : same(rounding, "rounded") ? floor(x + 0.5) : x;
}

/* From a draw to one of n numbers, or to n itself too if the end is closed. All of them are below 2^53. */
static double mapped(uint64_t r, uint64_t n) {
  uint64_t const less = same(end, "closed");
  int const kept = same(arithmetic, "top16") ? 16 : 24;
  if (same(arithmetic, "modulo")) return (double)(r % n);
  if (same(arithmetic, "high")) return (double)((r >> (bits / 4)) % n);
  /* NOLINTNEXTLINE(bugprone-integer-division): as it is named */
  if (same(arithmetic, "divided")) return (double)(r / (largest / n + 1));
  if (same(arithmetic, "integers")) return scaled(r, n, largest + 1 - less);
  if (same(arithmetic, "doubles")) return rounded((double)r / (double)(largest + 1 - less) * (double)n);
  if (same(arithmetic, "floats")) return rounded((double)((float)r / (float)(largest + 1 - less) * (float)n));
  return scaled(r >> (bits - kept), n, (UINT64_C(1) << kept) - less);
}

static double delay(uint64_t r, uint64_t window) {
  if (same(fault, "first") && r == 0) r = at;
  if (same(fault, "last") && r == largest) r -= at;
  if (same(fault, "halved") && window > at) window /= 2;
  if (same(fault, "longer") && window > at) window += 1;
  if (window == 0) return 0;
  uint64_t const most = window * ticks;
  double const top = (double)(same(end, "exclusive") && same(rounding, "cut") ? most - 1 : most);
  double x = fmin(mapped(r, most + same(end, "inclusive")), (double)most);
  if (same(sign, "mirrored")) x = fmax(0, top - x);
  if (same(fault, "cell") && floor(x / (double)ticks) == (double)at) x -= (double)ticks;
  return x;
}

static void port(void* self, json params, json step) {
  struct cycle* const c = self;
  uint64_t const cap = natural(params, "max_ms");
  c->window = smaller(c->begun++ ? 2 * c->window : natural(params, "base_ms"), cap);
  double const x =
      is_unit ? delay(natural(member(step, "draw"), "num"), c->window) : delay(natural(step, "draw"), c->window);
  answer("status", "retry");
  if (same(rounding, "none")) {
    answer_real("delay_ms", x);
  } else {
    answer("delay_ms", "%.0fe-%d", x, digits);
  }
}

int main(int argc, char** argv) {
  static char about[400];
  if (argc < 7) return 2;
  arithmetic = argv[1], end = argv[2], sign = argv[3], rounding = argv[6];
  is_unit = same(argv[4], "unit");
  if (!is_unit) bits = atoi(argv[4]);
  largest = (UINT64_C(1) << bits) - 1;
  ticks = strtoull(argv[5], NULL, 10), digits = (int)strlen(argv[5]) - 1;
  if (argc > 8) fault = argv[7], at = strtoull(argv[8], NULL, 10);
  snprintf(about, sizeof about,
           "{\"protocol\":1,\"port\":{\"name\":\"mappings\",\"version\":\"1\",\"language\":\"C\"},\"max_batch\":256,"
           "\"systems\":[\"aws_backoff_algorithm\",\"mirrored\"],\"draw_kind\":\"%s\",\"rand_max\":%" PRIu64
           ",\"ranges\":{\"max_attempts\":{\"forever\":true},\"op\":[\"next\"]}}",
           is_unit      ? "unit"
           : bits == 32 ? "u32"
                        : "rand",
           largest);
  return serve(about, sizeof(struct cycle), port);
}
