/* When to retry, for a small device. See azure_c_retry_control.c. */
#ifndef AZURE_C_RETRY_CONTROL_H
#define AZURE_C_RETRY_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the platform supplies; each may fail. Times are seconds, INDEFINITE_TIME where the clock fails. */
#define INDEFINITE_TIME ((int64_t)-1)
#define PLATFORM_RAND_MAX 32767u

struct saved_options;

void* platform_malloc(size_t size);
void platform_free(void* memory);
int64_t platform_time(void);
uint32_t platform_rand(void); /* 0 .. PLATFORM_RAND_MAX */
struct saved_options* options_create(void);
void options_destroy(struct saved_options* options);
int options_add(struct saved_options* options, char const* name, uint32_t value);
int options_feed(struct saved_options const* options, void* to,
                 int (*set)(void* to, char const* name, void const* value));

enum retry_policy {
  RETRY_NONE,
  RETRY_IMMEDIATE,
  RETRY_INTERVAL,
  RETRY_LINEAR_BACKOFF,
  RETRY_EXPONENTIAL_BACKOFF,
  RETRY_EXPONENTIAL_BACKOFF_WITH_JITTER,
  RETRY_RANDOM
};
enum retry_action { RETRY_NOW, RETRY_LATER, STOP_RETRYING };

struct retry_control;

struct retry_control* retry_control_create(enum retry_policy policy, uint32_t max_retry_time_s);
int retry_control_should_retry(struct retry_control* self, enum retry_action* action);
void retry_control_reset(struct retry_control* self);
int retry_control_set_option(struct retry_control* self, char const* name, void const* value);
struct saved_options* retry_control_retrieve_options(struct retry_control const* self);
void retry_control_destroy(struct retry_control* self);
int is_timeout_reached(int64_t start, uint32_t timeout_s, bool* is_timed_out);

#endif
