// Retry Utilities' own functions: each call is one of the core's cycle, taken up where the parameters left it.
// Checked by: lib/package/consumers_test.py, by `check --library`.
#include "backoff/aws_retry_utils.hpp"

#if defined _WIN32
#define _CRT_RAND_S  // rand_s
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

#include "exported.hpp"
#include "retry_utils.h"

namespace {

namespace core = backoff::aws_retry_utils;
using cycle = core::retry_cycle<uint32_t>;

constexpr core::parameters<uint32_t> constants{INITIAL_RETRY_BACKOFF_SECONDS, MAX_RETRY_BACKOFF_SECONDS,
                                               MAX_JITTER_VALUE_SECONDS, MAX_RETRY_ATTEMPTS};

void keep(RetryUtilsParams_t& in, cycle const& of) noexcept {
  in.attemptsDone = of.attempts_done();
  in.nextJitterMax = of.next_jitter_max();
}

}  // namespace

#if defined _WIN32
// Each number is the system's own: there is nothing to seed.
BACKOFF_EXPORTED __attribute__((weak)) uint32_t backoff_retry_utils_random(void) {
  unsigned number = 0;
  if (rand_s(&number) != 0) number = static_cast<unsigned>(rand());
  return number;
}
BACKOFF_EXPORTED __attribute__((weak)) void backoff_retry_utils_sleep(uint32_t seconds) {
  for (uint32_t left = seconds; left > 0; --left) Sleep(1000);
}
#else
// Once a process: a generator that is seeded anew at each reset makes those of one moment alike.
BACKOFF_EXPORTED __attribute__((weak)) uint32_t backoff_retry_utils_random(void) {
  static bool seeded = false;
  if (!__atomic_test_and_set(&seeded, __ATOMIC_RELAXED)) {
    unsigned seed = 1;
    if (getentropy(&seed, sizeof seed) == 0) srandom(seed);
  }
  return static_cast<uint32_t>(random());
}
BACKOFF_EXPORTED __attribute__((weak)) void backoff_retry_utils_sleep(uint32_t seconds) {
  for (unsigned left = seconds; left > 0;) left = sleep(left);
}
#endif

BACKOFF_EXPORTED void RetryUtils_ParamsReset(RetryUtilsParams_t* params) {
  keep(*params, cycle(constants, backoff_retry_utils_random()));
}

BACKOFF_EXPORTED RetryUtilsStatus_t RetryUtils_BackoffAndSleep(RetryUtilsParams_t* params) {
  auto resumed = cycle::resume(constants, params->nextJitterMax, params->attemptsDone);
  auto const decided = resumed.back_off(backoff_retry_utils_random());
  if (decided.status == core::status::exhausted) return RetryUtilsRetriesExhausted;
  backoff_retry_utils_sleep(decided.sleep_s);
  keep(*params, resumed);
  return RetryUtilsSuccess;
}
