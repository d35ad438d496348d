// Retry Utilities' own functions: each call is one of the core's cycle, taken up where the parameters left it.
// Checked by: lib/package/consumers_test.py, by `check --library`.
#include "backoff/aws_retry_utils.hpp"

#include <stdlib.h>
#include <unistd.h>

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
