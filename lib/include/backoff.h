/* The C interface of the trusted core: every function of every system, for C99, C++ and languages that call C.
 *
 * It runs the code of the C++ headers, which document each formula. The caller owns the state: an opaque value of
 * fixed size, which can be copied, kept in an array or passed to another thread. The functions allocate nothing, have
 * no global state and compute no floating point. Draws and clock readings come from the caller. No pointer may be null
 * unless the function allows it; the functions do not check this. Requirement ids of azure_c_retry_control are without
 * their common beginning SRS_IOTHUB_CLIENT_RETRY_CONTROL_.
 *
 * Checked by: spec/tests/c_abi_test.cpp, and judged like any port: properties/systems/STEM/ports/library.cpp.
 */
#ifndef BACKOFF_H
#define BACKOFF_H

#include <stdint.h>

#if defined __GNUC__
#define BACKOFF_API __attribute__((visibility("default")))
#else
/* Exported from the shared library. */
#define BACKOFF_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface: of all layouts, values and functions here. A program needs a library of the version
 * that it was compiled with. The soname of the shared library contains this number. */
#define BACKOFF_ABI_VERSION 0
/* The version that the library was built with. */
BACKOFF_API uint32_t backoff_abi_version(void);

/* Return values. Errors are negative; if several apply, a function returns the first in this list. The state after a
 * failed init is usable: it grants no retry, unless the function documents something else. */
typedef int32_t backoff_status;
enum {
  BACKOFF_OK = 0,                    /* done; a requested retry is granted */
  BACKOFF_EXHAUSTED = 1,             /* the retries are exhausted */
  BACKOFF_CLOCK_FAILED = -1,         /* a required reading of the clock failed */
  BACKOFF_INTERVAL_NEGATIVE = -2,    /* aws_step_functions */
  BACKOFF_INTERVAL_TOO_WIDE = -3,    /* beyond 2^32 - 1 s */
  BACKOFF_RATE_UNDEFINED = -4,       /* a denominator of 0 */
  BACKOFF_RATE_BELOW_ONE = -5,       /* delays would shrink */
  BACKOFF_PRODUCT_TOO_WIDE = -6,     /* the exact product outgrows the state before the last attempt */
  BACKOFF_POLICY_UNKNOWN = -7,       /* azure_c_retry_control */
  BACKOFF_INITIAL_WAIT_ZERO = -8,    /* below 1 s */
  BACKOFF_JITTER_ABOVE_HUNDRED = -9, /* percent */
  BACKOFF_JD_ABOVE_ONE = -10,        /* azure_java_retry_policy */
  BACKOFF_JU_ABOVE_ONE = -11
};

/* ---- aws_backoff_algorithm: full jitter, milliseconds ----
 *
 *   sleep_ms = random_between(0, min(2^n * base_ms, max_ms)),  n = retries already granted, from 0
 */
#define BACKOFF_AWS_BACKOFF_ALGORITHM_SIZE 24
/* The state of a cycle. */
typedef union {
  uint32_t alignment;                                      /* for the compiler */
  unsigned char bytes[BACKOFF_AWS_BACKOFF_ALGORITHM_SIZE]; /* opaque */
} backoff_aws_backoff_algorithm;

/* A fresh cycle, which grants max_attempts retries. base_ms, max_ms and max_attempts in [0, 2^32), all of them valid: 0
 * attempts grant none, base_ms 0 gives delays of 0, base_ms above max_ms a first window of max_ms. AWS-BA-007. */
BACKOFF_API void backoff_aws_backoff_algorithm_init(backoff_aws_backoff_algorithm* state, uint32_t base_ms,
                                                    uint32_t max_ms, uint32_t max_attempts);
/* The same without a limit: it is never exhausted, and attempts_done stays 0. */
BACKOFF_API void backoff_aws_backoff_algorithm_init_forever(backoff_aws_backoff_algorithm* state, uint32_t base_ms,
                                                            uint32_t max_ms);
/* delay_ms := draw mod (window_ms + 1), window_ms = min(base_ms * 2^n, max_ms); with window_ms = 2^32 - 1 the draw
 * itself. draw in [0, 2^32), uniform for uniform delays; exactly one is consumed. Saturates, never wraps. BACKOFF_OK;
 * or BACKOFF_EXHAUSTED from call max_attempts + 1 on, with a delay of 0, nothing changed and the draw ignored. No
 * error. AWS-BA-003 to AWS-BA-006, AWS-BA-008, AWS-BA-I01, AWS-BA-I02; readings attempt-origin: zero, upper-bound:
 * inclusive, window-growth: min, first-window: capped, exhaustion-call: n-plus-1, empty-window: zero, draw-mapping:
 * modulo. */
BACKOFF_API backoff_status backoff_aws_backoff_algorithm_next(backoff_aws_backoff_algorithm* state, uint32_t draw,
                                                              uint32_t* delay_ms);
/* Back to a fresh cycle with the same parameters. AWS-BA-I03. */
BACKOFF_API void backoff_aws_backoff_algorithm_reset(backoff_aws_backoff_algorithm* state);
/* The window that the next delay is drawn from, milliseconds. */
BACKOFF_API uint32_t backoff_aws_backoff_algorithm_window_ms(backoff_aws_backoff_algorithm const* state);
/* The number of retries granted since the last reset; always 0 without a limit. */
BACKOFF_API uint32_t backoff_aws_backoff_algorithm_attempts_done(backoff_aws_backoff_algorithm const* state);

/* The same 16 bits wide, for small processors: base_ms, max_ms and delays in [0, 2^16). */
#define BACKOFF_AWS_BACKOFF_ALGORITHM_U16_SIZE 20
/* The state of a cycle. */
typedef union {
  uint32_t alignment;                                          /* for the compiler */
  unsigned char bytes[BACKOFF_AWS_BACKOFF_ALGORITHM_U16_SIZE]; /* opaque */
} backoff_aws_backoff_algorithm_u16;

/* As backoff_aws_backoff_algorithm_init, 16 bits wide. */
BACKOFF_API void backoff_aws_backoff_algorithm_u16_init(backoff_aws_backoff_algorithm_u16* state, uint16_t base_ms,
                                                        uint16_t max_ms, uint32_t max_attempts);
/* As backoff_aws_backoff_algorithm_init_forever, 16 bits wide. */
BACKOFF_API void backoff_aws_backoff_algorithm_u16_init_forever(backoff_aws_backoff_algorithm_u16* state,
                                                                uint16_t base_ms, uint16_t max_ms);
/* As backoff_aws_backoff_algorithm_next, 16 bits wide. */
BACKOFF_API backoff_status backoff_aws_backoff_algorithm_u16_next(backoff_aws_backoff_algorithm_u16* state,
                                                                  uint32_t draw, uint16_t* delay_ms);
/* As backoff_aws_backoff_algorithm_reset, 16 bits wide. */
BACKOFF_API void backoff_aws_backoff_algorithm_u16_reset(backoff_aws_backoff_algorithm_u16* state);
/* As backoff_aws_backoff_algorithm_window_ms, 16 bits wide. */
BACKOFF_API uint16_t backoff_aws_backoff_algorithm_u16_window_ms(backoff_aws_backoff_algorithm_u16 const* state);
/* As backoff_aws_backoff_algorithm_attempts_done, 16 bits wide. */
BACKOFF_API uint32_t backoff_aws_backoff_algorithm_u16_attempts_done(backoff_aws_backoff_algorithm_u16 const* state);

/* ---- aws_retry_utils: a window that begins with a jitter, seconds ----
 *
 *   reset:    window_s = min(initial_backoff_s + random_between(0, max_jitter_s), max_backoff_s)
 *   back off: sleep_s = random_between(0, window_s), then window_s = min(2 * window_s, max_backoff_s)
 */
#define BACKOFF_AWS_RETRY_UTILS_SIZE 24
/* The state of a cycle. */
typedef union {
  uint32_t alignment;                                /* for the compiler */
  unsigned char bytes[BACKOFF_AWS_RETRY_UTILS_SIZE]; /* opaque */
} backoff_aws_retry_utils;

/* Seconds; all in [0, 2^32), every set of them valid. max_attempts 0: no limit. */
typedef struct {
  uint32_t initial_backoff_s; /* of the first window */
  uint32_t max_backoff_s;     /* no window is wider */
  uint32_t max_jitter_s;      /* added to the first window at most */
  uint32_t max_attempts;      /* retries of a cycle; 0: no limit */
} backoff_aws_retry_utils_parameters;

/* A cycle that was reset with this draw. The parameters are copied. AWS-RU-010, AWS-RU-014. */
BACKOFF_API void backoff_aws_retry_utils_init(backoff_aws_retry_utils* state,
                                              backoff_aws_retry_utils_parameters const* parameters, uint32_t draw);
/* window_s := min(initial_backoff_s + draw mod (max_jitter_s + 1), max_backoff_s); attempts_done := 0. draw in [0,
 * 2^32), uniform for uniform jitter; exactly one is consumed. Saturates, never wraps. No error, whatever came before.
 * AWS-RU-010 to AWS-RU-013, AWS-RU-021; readings jitter-bound: inclusive, base-jitter: added, first-window: capped,
 * empty-window: zero, draw-mapping: modulo. */
BACKOFF_API void backoff_aws_retry_utils_reset(backoff_aws_retry_utils* state, uint32_t draw);
/* sleep_s := draw mod (window_s + 1), which the caller sleeps; then window_s := min(2 * window_s, max_backoff_s),
 * attempts_done := attempts_done + 1. draw in [0, 2^32), uniform for uniform delays; exactly one is consumed.
 * Saturates, never wraps. BACKOFF_OK; or, with a limit, BACKOFF_EXHAUSTED from call max_attempts + 1 on until the next
 * reset: sleep_s is 0, nothing changes, and the draw is ignored. No error. AWS-RU-002 to AWS-RU-006, AWS-RU-016 to
 * AWS-RU-020, AWS-RU-022, AWS-RU-023; readings attempt-origin: zero, upper-bound: inclusive, window-growth: min,
 * exhaustion-call: n-plus-1, exhaustion-state: stays, empty-window: zero, draw-mapping: modulo. */
BACKOFF_API backoff_status backoff_aws_retry_utils_back_off(backoff_aws_retry_utils* state, uint32_t draw,
                                                            uint32_t* sleep_s);
/* The window that the next sleep is drawn from, seconds. */
BACKOFF_API uint32_t backoff_aws_retry_utils_next_jitter_max(backoff_aws_retry_utils const* state);
/* Back-offs since the last reset. Without a limit the count wraps at 2^32, which does not end the cycle. */
BACKOFF_API uint32_t backoff_aws_retry_utils_attempts_done(backoff_aws_retry_utils const* state);

/* ---- aws_step_functions: a wait that grows by a rate, nanoseconds ----
 *
 *   delay(n) = interval_s * (rate_num / rate_den)^n,  n = retries already granted, from 0
 */
#define BACKOFF_AWS_STEP_FUNCTIONS_SIZE 152
/* The state of a run. */
typedef union {
  uint64_t alignment;                                   /* for the compiler */
  unsigned char bytes[BACKOFF_AWS_STEP_FUNCTIONS_SIZE]; /* opaque */
} backoff_aws_step_functions;

/* A fresh run of at most max_attempts retries, in [0, 2^32). interval_s in [0, 2^32) seconds; rate_num / rate_den in
 * [1, 2^32). The product is exact for 43 attempts at any rate of three decimals, 64 at two, 127 at one; for any number
 * at a whole rate, at 1.25 and at 1.5: see backoff/aws_step_functions.hpp. Outside of that an error from
 * BACKOFF_INTERVAL_NEGATIVE to BACKOFF_PRODUCT_TOO_WIDE, and a run that grants nothing.
 * AWS-SF-001, AWS-SF-003 to AWS-SF-006. */
BACKOFF_API backoff_status backoff_aws_step_functions_init(backoff_aws_step_functions* state, int64_t interval_s,
                                                           uint32_t rate_num, uint32_t rate_den, uint32_t max_attempts);
/* delay_ns := the exact product, rounded once to the nearest nanosecond, halves up; no later delay is computed from it.
 * Saturates at 2^64 - 1, never wraps. BACKOFF_OK; or BACKOFF_EXHAUSTED from call max_attempts + 1 on, with a delay of 0
 * and nothing changed. No error, no draw. AWS-SF-001 to AWS-SF-008, AWS-SF-I01; readings delay-origin: previous-try,
 * delay-rounding: at the end, to the nearest, overflow: saturates. */
BACKOFF_API backoff_status backoff_aws_step_functions_next(backoff_aws_step_functions* state, uint64_t* delay_ns);
/* Retries granted so far. */
BACKOFF_API uint32_t backoff_aws_step_functions_attempts_done(backoff_aws_step_functions const* state);

/* ---- aws_prescriptive_sample: the sample loop, milliseconds ----
 *
 *   delay_ms = (2^n - 1) * 100 before request n + 1,  n = requests already made, from 0
 */
#define BACKOFF_AWS_PRESCRIPTIVE_SAMPLE_SIZE 8
/* The state of a run. */
typedef union {
  uint32_t alignment;                                        /* for the compiler */
  unsigned char bytes[BACKOFF_AWS_PRESCRIPTIVE_SAMPLE_SIZE]; /* opaque */
} backoff_aws_prescriptive_sample;

/* A run of at most max(1, max_retries) requests, none of them made. max_retries in [0, 2^32). AWS-PS-019, AWS-PS-020.
 */
BACKOFF_API void backoff_aws_prescriptive_sample_init(backoff_aws_prescriptive_sample* state, uint32_t max_retries);
/* The delay where the wait does not fit a signed 32-bit number: the run has failed. AWS-PS-015. */
#define BACKOFF_AWS_PRESCRIPTIVE_SAMPLE_NO_DELAY UINT32_MAX
/* The wait before the next request: (2^n - 1) * 100 up to n = 24, then the error
 * BACKOFF_AWS_PRESCRIPTIVE_SAMPLE_NO_DELAY. No draw. AWS-PS-003, AWS-PS-013 to AWS-PS-015; reading overflow: error. */
BACKOFF_API uint32_t backoff_aws_prescriptive_sample_delay_ms(backoff_aws_prescriptive_sample const* state);
/* Takes the answer to that request, any number. 1: another one follows, after the next delay. 0: the run is over, by
 * success, by a status other than 429 and 504, because its requests are used up, or because it had failed. AWS-PS-011,
 * AWS-PS-012, AWS-PS-016 to AWS-PS-019; readings status-filter: code, limit-counts: requests. */
BACKOFF_API uint8_t backoff_aws_prescriptive_sample_retry_after(backoff_aws_prescriptive_sample* state,
                                                                int32_t http_status);
/* Whether an answer calls for another request, however many there were: 1 for 429 and 504, 0 for every other number.
 * AWS-PS-016 to AWS-PS-018; reading status-filter: code. */
BACKOFF_API uint8_t backoff_aws_prescriptive_sample_calls_for_retry(int32_t http_status);
/* How often another request was granted. */
BACKOFF_API uint32_t backoff_aws_prescriptive_sample_retries(backoff_aws_prescriptive_sample const* state);

/* ---- azure_c_retry_control: retry now, later or no more, seconds ---- */
#define BACKOFF_AZURE_C_RETRY_CONTROL_SIZE 40
/* The state of an instance. */
typedef union {
  uint64_t alignment;                                      /* for the compiler */
  unsigned char bytes[BACKOFF_AZURE_C_RETRY_CONTROL_SIZE]; /* opaque */
} backoff_azure_c_retry_control;

enum {
  BACKOFF_AZURE_C_RETRY_CONTROL_NONE = 0,
  BACKOFF_AZURE_C_RETRY_CONTROL_IMMEDIATE = 1,
  BACKOFF_AZURE_C_RETRY_CONTROL_INTERVAL = 2,
  BACKOFF_AZURE_C_RETRY_CONTROL_LINEAR_BACKOFF = 3,
  BACKOFF_AZURE_C_RETRY_CONTROL_EXPONENTIAL_BACKOFF = 4,
  BACKOFF_AZURE_C_RETRY_CONTROL_EXPONENTIAL_BACKOFF_WITH_JITTER = 5,
  BACKOFF_AZURE_C_RETRY_CONTROL_RANDOM = 6
};
enum {
  BACKOFF_AZURE_C_RETRY_CONTROL_RETRY_NOW = 0,
  BACKOFF_AZURE_C_RETRY_CONTROL_RETRY_LATER = 1,
  BACKOFF_AZURE_C_RETRY_CONTROL_STOP_RETRYING = 2
};

/* Clock and generator. get_time: seconds of one clock, whose zero does not matter; -1 where it fails. rand: uniform in
 * [0, rand_max], rand_max >= 1. Both are given the context, and neither throws. */
typedef struct {
  int64_t (*get_time)(void* context); /* the next reading of the clock, or -1 where it fails */
  uint32_t (*rand)(void* context);    /* the next random number, in [0, rand_max] */
  void* context;                      /* handed to both */
  uint32_t rand_max;                  /* at least 1 */
} backoff_azure_c_retry_control_surroundings;

/* A new instance: initial wait 1 second for both exponential policies and 5 for the others, jitter 5 percent, no limit
 * where max_retry_time_in_secs is 0. BACKOFF_OK; or BACKOFF_POLICY_UNKNOWN, and the policy is NONE. 09_004 to 09_008,
 * AZ-RC-U03, AZ-RC-U04. */
BACKOFF_API backoff_status backoff_azure_c_retry_control_init(backoff_azure_c_retry_control* state, int32_t policy,
                                                              uint32_t max_retry_time_in_secs);
/* As after init, but for the options, which stay. 09_035, AZ-RC-U01; reading reset-options: survive. */
BACKOFF_API void backoff_azure_c_retry_control_reset(backoff_azure_c_retry_control* state);
/* Sets the initial wait, in [1, 2^32) seconds; or BACKOFF_INITIAL_WAIT_ZERO, and nothing changes. 09_037, 09_038,
 * AZ-RC-U02. */
BACKOFF_API backoff_status
backoff_azure_c_retry_control_set_initial_wait_time_in_secs(backoff_azure_c_retry_control* state, uint32_t seconds);
/* The initial wait, seconds. */
BACKOFF_API uint32_t
backoff_azure_c_retry_control_initial_wait_time_in_secs(backoff_azure_c_retry_control const* state);
/* Sets the jitter, in [0, 100] percent; or BACKOFF_JITTER_ABOVE_HUNDRED, and nothing changes. 09_039, 09_040,
 * AZ-RC-U04. */
BACKOFF_API backoff_status backoff_azure_c_retry_control_set_max_jitter_percent(backoff_azure_c_retry_control* state,
                                                                                uint32_t percent);
/* The jitter, percent. */
BACKOFF_API uint32_t backoff_azure_c_retry_control_max_jitter_percent(backoff_azure_c_retry_control const* state);
/* The number of retries granted since the last reset. */
BACKOFF_API uint32_t backoff_azure_c_retry_control_retry_count(backoff_azure_c_retry_control const* state);
/* The wait that began with the last retry, seconds. */
BACKOFF_API uint32_t
backoff_azure_c_retry_control_current_wait_time_in_secs(backoff_azure_c_retry_control const* state);
/* *action := RETRY_NOW, RETRY_LATER or STOP_RETRYING; a retry granted is counted and starts the next wait, rounded
 * down, saturating at 2^32 - 1 s. Reads the clock up to three times and then takes one draw at most. BACKOFF_OK; or
 * BACKOFF_CLOCK_FAILED with STOP_RETRYING: where the last reading failed, all calls up to the next reset fail. 09_010
 * to 09_033 but for null arguments; readings first-call: ends, stop-sticky: re-evaluated, immediate-limit: limit-first,
 * clock-backwards: signed, difference-overflow: exact, failed-016: fails, quotients: real, wait-rounding: truncate,
 * product-rounding: exact, count-origin: one, overflow: saturates. */
BACKOFF_API backoff_status backoff_azure_c_retry_control_should_retry(
    backoff_azure_c_retry_control* state, backoff_azure_c_retry_control_surroundings const* surroundings,
    int32_t* action);
/* *timed_out := 1 where now - start_time >= timeout_in_secs, 0 otherwise. Reads the clock once, unless start_time is
 * -1. BACKOFF_OK; or BACKOFF_CLOCK_FAILED with 0: start_time is -1 or the clock fails. 09_057, 09_059 to 09_063. */
BACKOFF_API backoff_status backoff_azure_c_retry_control_is_timeout_reached(
    int64_t start_time, uint32_t timeout_in_secs, backoff_azure_c_retry_control_surroundings const* surroundings,
    uint8_t* timed_out);

/* ---- azure_java_retry_policy: an error filter, and an algorithm that says when to retry ----
 *
 *   F(x) = min(Cmin + (2^(x-1) - 1) * rand(C * (1 - Jd), C * (1 - Ju)), Cmax),  x = retries, this one included
 */
#define BACKOFF_AZURE_JAVA_RETRY_POLICY_SIZE 32
/* The state of the default policy. */
typedef union {
  uint64_t alignment;                                        /* for the compiler */
  unsigned char bytes[BACKOFF_AZURE_JAVA_RETRY_POLICY_SIZE]; /* opaque */
} backoff_azure_java_retry_policy;

/* Errors; every other number counts as unknown. */
enum {
  BACKOFF_AZURE_JAVA_RETRY_POLICY_PROTOCOL = 0,
  BACKOFF_AZURE_JAVA_RETRY_POLICY_SERVICE = 1,
  BACKOFF_AZURE_JAVA_RETRY_POLICY_TERMINAL = 2,
  BACKOFF_AZURE_JAVA_RETRY_POLICY_UNKNOWN = 3
};

/* Times in milliseconds, any of 32 bits; jitter factors in millionths, [0, 1000000]. */
typedef struct {
  uint32_t c_ms;          /* C */
  uint32_t cmin_ms;       /* Cmin: no wait is shorter */
  uint32_t cmax_ms;       /* Cmax: no wait is longer */
  uint32_t jd_millionths; /* Jd, in millionths */
  uint32_t ju_millionths; /* Ju, in millionths */
} backoff_azure_java_retry_policy_parameters;

/* ns + part / 2^32 nanoseconds, exact. */
typedef struct {
  uint64_t ns;   /* whole nanoseconds */
  uint32_t part; /* 2^-32 ns */
} backoff_azure_java_retry_policy_wait;

/* How much time an operation has for all of its tries and waits together, and how much of it has passed. */
typedef struct {
  uint64_t total_ns;   /* for all tries and waits together */
  uint64_t elapsed_ns; /* passed of it */
} backoff_azure_java_retry_policy_time;

/* A policy. Returns 1 and sets *delay, which is 0 before the call, if retry number retry_count is to follow this error;
 * returns 0 if not. It does not throw. */
typedef uint8_t backoff_azure_java_retry_policy_decide(void* context, uint32_t retry_count, int32_t error,
                                                       backoff_azure_java_retry_policy_wait* delay);

/* The documented defaults: 100, 100, 10000 ms, Jd 0.5, Ju 0.25. AZ-JR-013 to AZ-JR-017. */
BACKOFF_API void backoff_azure_java_retry_policy_defaults(backoff_azure_java_retry_policy_parameters* parameters);
/* 1 for protocol and service errors, 0 for all others. AZ-JR-001 to AZ-JR-005, AZ-JR-024. */
BACKOFF_API uint8_t backoff_azure_java_retry_policy_is_retryable(int32_t error);
/* The default policy with these parameters. Inverted bounds are no error: with Cmin > Cmax the delay is Cmax, with Jd <
 * Ju the draw runs from the higher end down. BACKOFF_OK; or BACKOFF_JD_ABOVE_ONE, BACKOFF_JU_ABOVE_ONE, and the
 * documented defaults. AZ-JR-007, AZ-JR-011, AZ-JR-012. */
BACKOFF_API backoff_status backoff_azure_java_retry_policy_init(
    backoff_azure_java_retry_policy* state, backoff_azure_java_retry_policy_parameters const* parameters);
/* *delay := F(retry_count), exact: nothing is rounded. retry_count in [0, 2^32); at 0 the factor counts as 0. draw in
 * [0, 2^32), uniform: u = draw / 2^32; exactly one is consumed. Saturates at Cmax. No error. AZ-JR-006 to AZ-JR-009,
 * AZ-JR-012, AZ-JR-014, AZ-JR-015; readings exponent: less-one, below-minimum: held, rand-kind: real, delay-rounding:
 * exact, inverted-bounds: taken, draw-mapping: real. */
BACKOFF_API void backoff_azure_java_retry_policy_delay(backoff_azure_java_retry_policy const* state,
                                                       uint32_t retry_count, uint32_t draw,
                                                       backoff_azure_java_retry_policy_wait* delay);
/* The policy that disables retries: 0, and a delay of 0. context may be null. AZ-JR-019. */
BACKOFF_API uint8_t backoff_azure_java_retry_policy_no_retry(void* context, uint32_t retry_count, int32_t error,
                                                             backoff_azure_java_retry_policy_wait* delay);
/* What becomes of one failure: filter, then policy, then time. BACKOFF_OK: wait for *delay, then retry.
 * BACKOFF_EXHAUSTED, with a delay of 0: the error is not retryable, and the policy was not asked; the policy decided
 * against it; or the wait would exceed the total time. time may be null: no limit. Calls the policy at most once;
 * consumes nothing itself. AZ-JR-001 to AZ-JR-005, AZ-JR-009, AZ-JR-010, AZ-JR-018, AZ-JR-020 to AZ-JR-024; reading
 * total-time: would-be-exceeded. */
BACKOFF_API backoff_status backoff_azure_java_retry_policy_after_failure(
    backoff_azure_java_retry_policy_decide* policy, void* context, uint32_t retry_count, int32_t error,
    backoff_azure_java_retry_policy_time const* time, backoff_azure_java_retry_policy_wait* delay);

#ifdef __cplusplus
}
#endif
#endif
