/* Retries at growing intervals for a small device without floating point. See aws_step_functions.c. */
#ifndef AWS_STEP_FUNCTIONS_H
#define AWS_STEP_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#define DIGITS_KEPT 24
#define DIGITS_MAX 40

struct retries {
  uint32_t rate_thousandths;
  uint32_t left;
  uint8_t digit[DIGITS_MAX]; /* of the next delay in seconds, the lowest first */
  int count;                 /* how many of them, at least one */
  int exponent;              /* the delay is that number times 10^exponent */
};

void retries_init(struct retries* self, uint32_t interval_s, uint32_t rate_thousandths, uint32_t max_attempts);

/* False: the retries are used up. Otherwise the delay is written as a decimal number, such as 45e-1. */
bool retries_next(struct retries* self, char* delay_s);

#endif
