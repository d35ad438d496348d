/* The retry policies of the Azure IoT device SDK for Java, for a device that speaks C. See
 * azure_java_retry_policy.c. */
#ifndef AZURE_JAVA_RETRY_POLICY_H
#define AZURE_JAVA_RETRY_POLICY_H

#include <stdbool.h>
#include <stdint.h>

enum failure { FAILURE_PROTOCOL, FAILURE_SERVICE, FAILURE_TERMINAL, FAILURE_UNKNOWN };

struct decision {
  bool retry;
  double delay_ms;
};

/* A policy says whether to retry and when. It may keep a pointer to whatever it needs. */
typedef struct decision (*retry_policy)(void* own, uint32_t retry_count, enum failure last);

/* The default policy: own is a struct backoff. */
struct backoff {
  double c_ms;
  double cmin_ms;
  double cmax_ms;
  double jd;
  double ju;
  uint32_t draw; /* a random number for the next decision */
};
void backoff_init(struct backoff* self);
struct decision backoff_decide(void* own, uint32_t retry_count, enum failure last);

struct decision no_retry_decide(void* own, uint32_t retry_count, enum failure last);

struct retrying {
  retry_policy policy;
  void* own;
  bool limited;
  double total_time_ms; /* where limited */
};
struct decision retrying_failed(struct retrying const* self, uint32_t retry_count, enum failure last,
                                double elapsed_ms);

#endif
