/* Retry Utilities (AWS IoT Device SDK C 202009.00), source-compatible: the header of the drop-in. The names are those
 * of the document. Checked by: lib/package/consumers_test.py, by `check --library`.
 *
 * The constants are those that the library was compiled with. For others, compile its source with the application, and
 * with the same definitions: c99/aws_retry_utils.c. Define the two functions at the end, or compile
 * c99/retry_utils_system.c as well.
 */
#ifndef RETRY_UTILS_H
#define RETRY_UTILS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 0: no limit. */
#ifndef MAX_RETRY_ATTEMPTS
#define MAX_RETRY_ATTEMPTS 4U
#endif
#ifndef INITIAL_RETRY_BACKOFF_SECONDS
/* Of the first window. */
#define INITIAL_RETRY_BACKOFF_SECONDS 1U
#endif
#ifndef MAX_RETRY_BACKOFF_SECONDS
/* No window is wider. */
#define MAX_RETRY_BACKOFF_SECONDS 128U
#endif
#ifndef MAX_JITTER_VALUE_SECONDS
/* Added to the first window at most. */
#define MAX_JITTER_VALUE_SECONDS 5U
#endif

/* What a back-off answers. */
typedef enum { RetryUtilsSuccess = 0, RetryUtilsRetriesExhausted } RetryUtilsStatus_t;

/* One retry cycle: the application's memory. */
typedef struct RetryUtilsParams {
  uint32_t attemptsDone;  /* back-off cycles completed */
  uint32_t nextJitterMax; /* the window of the next sleep, seconds */
} RetryUtilsParams_t;

/* To be called before the loop, and again to begin anew. Takes one random number.
 * pRetryParams must not be NULL: builds without NDEBUG assert it. */
void RetryUtils_ParamsReset(RetryUtilsParams_t* pRetryParams);

/* Sleeps a random time of the window, then doubles the window up to MAX_RETRY_BACKOFF_SECONDS. Once exhausted it
 * neither sleeps nor changes anything, until the next reset. Takes one random number.
 * pRetryParams must not be NULL: builds without NDEBUG assert it. Everything of aws_retry_utils.hpp holds. */
RetryUtilsStatus_t RetryUtils_BackoffAndSleep(RetryUtilsParams_t* pRetryParams);

/* ---- For applications that bring their own: these are weak, one that is defined elsewhere takes their place ---- */

/* A random number, uniform in [0, 2^32) or as far as RAND_MAX. Without one of yours: random() of POSIX, seeded from
 * getentropy() before its first number, because devices that draw the same numbers retry together; on Windows rand_s().
 */
uint32_t backoff_retry_utils_random(void);
/* Returns when that time is over. Without one of yours: sleep() of POSIX, again where a signal cuts it short; on
 * Windows Sleep(). */
void backoff_retry_utils_sleep(uint32_t seconds);

#ifdef __cplusplus
}
#endif
#endif
