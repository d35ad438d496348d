/* What aws_retry_utils.c draws and sleeps with where the application does not say: the system's functions, as weak
 * symbols. POSIX and Windows. Checked by: lib/package/consumers_test.py, by `check --library`.
 */
#if defined _WIN32
#define _CRT_RAND_S /* rand_s */
#elif !defined _GNU_SOURCE
#define _GNU_SOURCE /* getentropy, random */
#endif
#include <stdlib.h>
#if defined _WIN32
#define NOMINMAX
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#else
#include <unistd.h>
#endif
#if defined __APPLE__
#include <sys/random.h>
#endif

#include "retry_utils.h"

#if defined _WIN32
/* Each number is the system's own: there is nothing to seed. */
__attribute__((weak)) uint32_t backoff_retry_utils_random(void) {
  unsigned int number = 0U;
  if (rand_s(&number) != 0) number = (unsigned int)rand();
  return number;
}
__attribute__((weak)) void backoff_retry_utils_sleep(uint32_t seconds) {
  uint32_t left;
  for (left = seconds; left > 0U; --left) Sleep(1000);
}
#else
/* Once a process: a generator that is seeded anew at each reset makes those of one moment alike. */
__attribute__((weak)) uint32_t backoff_retry_utils_random(void) {
  static char seeded = 0;
  if (!__atomic_test_and_set(&seeded, __ATOMIC_RELAXED)) {
    unsigned int seed = 1U;
    if (getentropy(&seed, sizeof seed) == 0) srandom(seed);
  }
  return (uint32_t)random();
}
__attribute__((weak)) void backoff_retry_utils_sleep(uint32_t seconds) {
  unsigned int left = seconds;
  while (left > 0U) left = sleep(left);
}
#endif
