/* Retry with back-off for a small device, after the sample of AWS Prescriptive Guidance. See
 * aws_prescriptive_sample.c. */
#ifndef AWS_PRESCRIPTIVE_SAMPLE_H
#define AWS_PRESCRIPTIVE_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

struct retrying {
  int32_t max_retries; /* requests in all, but always one */
  int32_t retries;     /* requests made */
  int32_t wait_ms;     /* before the next one */
};

void retrying_init(struct retrying* self, int32_t max_retries);
int32_t retrying_wait_ms(struct retrying const* self);
bool retrying_answered(struct retrying* self, int32_t http_status);

#endif
