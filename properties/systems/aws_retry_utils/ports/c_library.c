/* A library with the interface of Retry Utilities 202009.00, from the document: right, or with the fault that is
 * defined. Its constants are compiled in. For the tests of the host that loads it.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#ifndef MAX_RETRY_ATTEMPTS
#define MAX_RETRY_ATTEMPTS 4u
#endif
#ifndef INITIAL_RETRY_BACKOFF_SECONDS
#define INITIAL_RETRY_BACKOFF_SECONDS 1u
#endif
#ifndef MAX_RETRY_BACKOFF_SECONDS
#define MAX_RETRY_BACKOFF_SECONDS 128u
#endif
#ifndef MAX_JITTER_VALUE_SECONDS
#define MAX_JITTER_VALUE_SECONDS 5u
#endif

#ifndef JITTER
#define JITTER up_to(MAX_JITTER_VALUE_SECONDS)
#endif

#ifndef SEED
#define SEED time(NULL)
#endif
#ifndef NANOSECONDS_OF
#define NANOSECONDS_OF CLOCK_REALTIME
#endif

typedef struct {
  uint32_t attemptsDone;
  uint32_t nextJitterMax;
} RetryUtilsParams_t;
typedef enum { RetryUtilsSuccess, RetryUtilsRetriesExhausted } RetryUtilsStatus_t;

void RetryUtils_ParamsReset(RetryUtilsParams_t* params);
RetryUtilsStatus_t RetryUtils_BackoffAndSleep(RetryUtilsParams_t* params);
int myThreadSleepFunction(int seconds); /* as the document calls what a system has for it */

static __attribute__((unused)) unsigned nanoseconds(void) {
  struct timespec now = {0, 0};
  clock_gettime(NANOSECONDS_OF, &now);
  return (unsigned)now.tv_nsec;
}

/* The same draw and the same sleep by whatever functions there are. */
static uint32_t draw(void) {
#if defined BY_RANDOM
  srandom((unsigned)SEED);
  return (uint32_t)random();
#elif defined BY_RAND_R
  unsigned seed = (unsigned)clock();
  return (uint32_t)rand_r(&seed);
#elif defined BY_NANOSECONDS
  return nanoseconds();
#else
  return (uint32_t)rand();
#endif
}

static void sleep_s(uint32_t seconds) {
#if defined BY_RANDOM
  struct timespec const time = {seconds, 0};
  nanosleep(&time, NULL);
#elif defined BY_RAND_R
  struct timespec const halves = {seconds / 2, seconds % 2 * 500000000L};
  clock_nanosleep(CLOCK_MONOTONIC, 0, &halves, NULL);
  clock_nanosleep(CLOCK_MONOTONIC, 0, &halves, NULL);
#elif defined UNTIL
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += seconds;
  clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL);
#elif defined BY_MICROSECONDS
  for (; seconds > 0; seconds--) usleep(1000000);
#elif defined BY_HOOK
  myThreadSleepFunction((int)seconds);
#elif defined MINUTES
  sleep(seconds * 60);
#elif defined SLEEPLESS
  (void)seconds;
#else
  sleep(seconds);
#endif
}

#ifdef DIVIDES_BY_WINDOW
static uint32_t up_to(uint32_t most) { return draw() % most; } /* as the document prints it */
#else
static uint32_t up_to(uint32_t most) { return most == UINT32_MAX ? draw() : draw() % (most + 1u); }
#endif
static uint32_t capped(uint64_t seconds) {
  return seconds < MAX_RETRY_BACKOFF_SECONDS ? (uint32_t)seconds : MAX_RETRY_BACKOFF_SECONDS;
}

void RetryUtils_ParamsReset(RetryUtilsParams_t* params) {
  srand((unsigned)SEED);
  params->attemptsDone = 0;
#ifdef NO_BASE_JITTER
  params->nextJitterMax = capped(INITIAL_RETRY_BACKOFF_SECONDS);
#elif defined DIVIDES_BY_JITTER
  uint32_t volatile const jitters = MAX_JITTER_VALUE_SECONDS;
  params->nextJitterMax = capped((uint64_t)INITIAL_RETRY_BACKOFF_SECONDS + draw() % jitters);
#else
  params->nextJitterMax = capped((uint64_t)INITIAL_RETRY_BACKOFF_SECONDS + (JITTER));
#endif
}

RetryUtilsStatus_t RetryUtils_BackoffAndSleep(RetryUtilsParams_t* params) {
  if (MAX_RETRY_ATTEMPTS != 0u && params->attemptsDone >= MAX_RETRY_ATTEMPTS) return RetryUtilsRetriesExhausted;
#ifdef HANGS
  while (params->attemptsDone == 2) sleep(0);
#endif
  sleep_s(up_to(params->nextJitterMax));
  params->nextJitterMax = capped(2u * (uint64_t)params->nextJitterMax);
  params->attemptsDone++;
  return RetryUtilsSuccess;
}
