/* Retries at growing intervals as a firmware developer would write them from the document:
 *
 *   delay_s = interval_s * backoff_rate^n,  n = retries already granted
 *
 * Without floating point: the delay is a decimal number, and the rate is a number of thousandths. Digits beyond 24 are
 * dropped. It is here to be broken: the script `ports` makes every small fault in it and asks the oracle to notice. It
 * shares nothing with the library and with the wrong ports that the properties know.
 */
#include "port.h"

#include <stdio.h>

static void append_digits(struct retries* self, uint64_t number) {
  while (number > 0U) {
    self->digit[self->count] = (uint8_t)(number % 10U);
    number /= 10U;
    self->count += 1;
  }
}

static void drop_lowest_digit(struct retries* self) {
  self->count -= 1;
  for (int place = 0; place < self->count; place++) {
    self->digit[place] = self->digit[place + 1];
  }
  self->exponent += 1;
}

static void multiply_by_the_rate(struct retries* self) {
  uint64_t carry = 0U;
  for (int i = 0; i < self->count; i++) {
    carry += (uint64_t)self->digit[i] * self->rate_thousandths;
    self->digit[i] = (uint8_t)(carry % 10U);
    carry /= 10U;
  }
  append_digits(self, carry);
  self->exponent -= 3;
  while (self->count > DIGITS_KEPT) {
    drop_lowest_digit(self);
  }
}

void retries_init(struct retries* self, uint32_t interval_s, uint32_t rate_thousandths, uint32_t max_attempts) {
  self->rate_thousandths = rate_thousandths;
  self->left = max_attempts;
  self->exponent = 0;
  self->digit[0] = (uint8_t)(interval_s % 10U);
  self->count = 1;
  append_digits(self, interval_s / 10U);
}

bool retries_next(struct retries* self, char* delay_s) {
  if (self->left == 0U) {
    return false;
  }
  self->left -= 1U;
  for (int i = self->count - 1; i >= 0; i--) {
    *delay_s++ = (char)('0' + self->digit[i]);
  }
  sprintf(delay_s, "e%d", self->exponent);
  multiply_by_the_rate(self);
  return true;
}
