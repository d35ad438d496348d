/* Included before lib/c99/aws_retry_utils.c: the constants that it has compiled in, as the oracle gives them. */
#include <stdint.h>

extern uint32_t initial_s, max_s, max_jitter_s, max_attempts;

#define INITIAL_RETRY_BACKOFF_SECONDS initial_s
#define MAX_RETRY_BACKOFF_SECONDS max_s
#define MAX_JITTER_VALUE_SECONDS max_jitter_s
#define MAX_RETRY_ATTEMPTS max_attempts
