// What is proved for all inputs, in words: proof_test.cpp proves exactly these, and the program shows them. No Z3 here.
// Checked by: proof_test.cpp.
#pragma once

#include <array>
#include <string_view>

namespace backoff::engines::proof {

struct theorem_text {
  std::string_view name;
  std::string_view sentence;
  std::string_view assumptions;   // of the inputs, in words; empty: none
  std::string_view widths;        // of the words that it is proved for
  std::string_view requirements;  // ids, separated by spaces
};

inline constexpr std::array theorems{
    // kernels
    theorem_text{"window_starts_at_the_smaller_of_base_and_cap", "The first window is min(base, cap).", "",
                 "u16, u32, u64", "AWS-BA-005 AWS-BA-006"},
    theorem_text{"jittered_window_starts_at_the_smaller_of_sum_and_cap",
                 "The first window with jitter is min(base + jitter, cap), and no step wraps.", "", "u16, u32, u64",
                 "AWS-RU-012 AWS-RU-018"},
    theorem_text{
        "window_doubles_up_to_its_cap",
        "The window after min(base * 2^n, cap) is min(base * 2^(n+1), cap), for every base, cap and n, and no step "
        "wraps. With the first window, it is min(base * 2^n, cap) for all n by induction, and never shrinks.",
        "the window is min(base * 2^n, cap), the hypothesis of the induction", "u16, u32, u64",
        "AWS-BA-004 AWS-BA-005 AWS-BA-006 AWS-RU-004 AWS-RU-005 AWS-RU-006 AWS-RU-017 AWS-RU-018"},
    theorem_text{"jitter_is_a_remainder_within_its_window",
                 "The delay is draw mod (window + 1), in [0, window]. Nothing is divided by zero.",
                 "only window + 1 may wrap, if draw and window have the same width",
                 "window and draw of u16 and u32, u32 and u32, u32 and u64",
                 "AWS-BA-003 AWS-BA-006 AWS-RU-003 AWS-RU-013 AWS-RU-016"},
    theorem_text{"sum_stops_at_the_top", "The saturating sum is min(a + b, 2^bits - 1).",
                 "its only sum may wrap; the code detects the overflow by that", "u32, u64",
                 "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_015 SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_032"},
    theorem_text{"product_stops_at_the_top",
                 "The saturating product is min(a * b, 2^bits - 1), and the wide product does not wrap.", "",
                 "u16 by u32, u32 by u64", "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_030"},
    theorem_text{"doublings_stop_at_the_top",
                 "The doubled base is min(base * 2^n, 2^bits - 1) for every n. Each shift is by less than the width "
                 "and loses no bit.",
                 "", "u32, u64", "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_031 SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_032"},
    theorem_text{
        "proportional_jitter_is_rounded_down_once",
        "The part is floor(whole * percent * r / (100 * rand_max)), at most the whole. No step wraps, and nothing "
        "is divided by zero.",
        "percent <= 100, r <= rand_max, rand_max >= 1", "u16 in u32, u32 in u64",
        "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_032 SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_033"},
    // aws_backoff_algorithm
    theorem_text{
        "full_jitter_follows_its_window",
        "A fresh cycle has the window min(base, max). A call with the window min(base * 2^n, max) grants a retry "
        "after draw mod (window + 1), and sets the window to min(base * 2^(n+1), max).",
        "no limit; the next theorem covers limits", "u16, u32", "AWS-BA-003 AWS-BA-004 AWS-BA-005 AWS-BA-006"},
    theorem_text{"cycle_is_exhausted_exactly_after_max_attempts",
                 "After n retries, a call grants another if and only if n < max_attempts, and its count does not wrap. "
                 "Otherwise it answers exhausted with a delay of 0, and changes nothing.",
                 "n <= max_attempts and window <= max, which every call preserves", "u16, u32",
                 "AWS-BA-I01 AWS-BA-I02"},
    theorem_text{"parameters_in_milliseconds_are_never_cut",
                 "Parameters of 64 bits are refused if and only if one does not fit. The base is stored unchanged.", "",
                 "u16, u32", "AWS-BA-005 AWS-BA-006"},
    // aws_retry_utils
    theorem_text{"retry_cycle_follows_its_window",
                 "A back-off with the window min(first * 2^n, max) sleeps draw mod (window + 1), sets the window "
                 "to min(first * 2^(n+1), max) and counts itself.",
                 "no limit; the count may wrap, without effect", "u16, u32",
                 "AWS-RU-003 AWS-RU-004 AWS-RU-005 AWS-RU-006 AWS-RU-016 AWS-RU-017 AWS-RU-018 AWS-RU-020 AWS-RU-023"},
    theorem_text{
        "reset_starts_at_the_jittered_window",
        "After a reset the window is min(initial + draw mod (max_jitter + 1), max) and the count is 0, for any "
        "cycle before it.",
        "", "u16, u32", "AWS-RU-010 AWS-RU-011 AWS-RU-012 AWS-RU-013 AWS-RU-018 AWS-RU-021"},
    theorem_text{"back_off_is_exhausted_exactly_after_max_attempts",
                 "After n back-offs, another is granted and counted if and only if n < max_attempts. Otherwise the "
                 "answer is exhausted with a sleep of 0, and nothing changes.",
                 "max_attempts >= 1, n <= max_attempts and window <= max, which every call preserves", "u16, u32",
                 "AWS-RU-019 AWS-RU-023"},
    // aws_prescriptive_sample
    theorem_text{"sample_delay_follows_its_formula",
                 "The delay is (2^n - 1) * 100 for every n up to 24, and an error for every larger n. No step wraps.",
                 "", "u32", "AWS-PS-013 AWS-PS-014 AWS-PS-015"},
    theorem_text{"sample_delay_never_shrinks",
                 "The delay grows with the count of retries. A count above one that has the error has the error too.",
                 "", "u32", "AWS-PS-003"},
    theorem_text{
        "sample_makes_at_most_max_retries_requests",
        "After n retries, 429 and 504 get another if and only if n + 1 < max_retries and the previous wait was not an "
        "error, and the count does not wrap. 200 and 500 never get one.",
        "n = 0 or n < max_retries, which every call preserves", "u32", "AWS-PS-016 AWS-PS-017 AWS-PS-018 AWS-PS-019"},
    // aws_step_functions
    theorem_text{"wide_product_is_exact",
                 "The product of a wide integer and a 64-bit one is exact. No sum of a limb and a carry wraps.", "",
                 "4 limbs with registers of 64 bits, 2 with those of 32", "AWS-SF-002 AWS-SF-003"},
    theorem_text{"wide_difference_is_exact", "A wide integer minus the product of another and a 64-bit one is exact.",
                 "it is not negative", "4 limbs with registers of 64 bits, 2 with those of 32", "AWS-SF-002"},
    theorem_text{"wide_comparison_is_exact", "Wide integers compare as their values do.",
                 "the top limb of each is not 0, which every operation preserves", "up to 4 limbs of 32 bits",
                 "AWS-SF-002"},
    theorem_text{"quotient_is_never_estimated_too_large",
                 "The amount subtracted for a part of the quotient never exceeds what is left: m = 1, or m * b * 2^h "
                 "<= r * 2^e for some "
                 "b * 2^h > d, where r and d are the leading 2h bits of number and divisor, and e is the "
                 "number of bits by which the number is longer.",
                 "the quotient is below 2^64", "registers of 32 and 64 bits, e in [0, 64]", "AWS-SF-002"},
    theorem_text{"run_is_exhausted_exactly_after_max_attempts",
                 "After n retries, a call grants another if and only if n < max_attempts, and its count does not wrap. "
                 "Otherwise it answers exhausted with a delay of 0.",
                 "n <= max_attempts, which every call preserves; the waits are those of 3 s at a rate of 1.5, which "
                 "the count does "
                 "not depend on; the product is at its start",
                 "u32", "AWS-SF-004 AWS-SF-005 AWS-SF-I01"},
    // azure_c_retry_control
    theorem_text{
        "linear_wait_is_a_multiple_up_to_the_top",
        "Under INTERVAL the wait is the initial one. Under LINEAR_BACKOFF it is min(initial * retry_count, 2^32 - 1).",
        "retry_count >= 1", "u32", "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_029 SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_030"},
    theorem_text{"exponential_wait_doubles_up_to_the_top",
                 "Under EXPONENTIAL_BACKOFF the wait is min(initial * 2^(retry_count - 1), 2^32 - 1) for every count.",
                 "retry_count >= 1", "u32", "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_031"},
    theorem_text{
        "jittered_wait_is_rounded_down_once_up_to_the_top",
        "Under EXPONENTIAL_BACKOFF_WITH_JITTER the wait is min(base + floor(base * percent * r / (100 * rand_max)), "
        "2^32 - 1).",
        "retry_count = 1, where the base is any number; the bases of other counts are those of "
        "exponential_wait_doubles_up_to_the_top; percent <= 100, r <= rand_max, rand_max >= 1; the last sum may wrap; "
        "the code detects the overflow by that",
        "u32", "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_032"},
    theorem_text{"random_wait_is_rounded_down_once", "Under RANDOM the wait is floor(initial * r / rand_max).",
                 "r <= rand_max, rand_max >= 1", "u32", "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_033"},
    theorem_text{
        "elapsed_time_is_signed_and_exact",
        "A time has elapsed if and only if now - since >= seconds in exact integers, for every pair of readings.",
        "its only difference is taken modulo 2^64", "i64",
        "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_023 SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_024 "
        "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_025 SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_061 "
        "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_062"},
    theorem_text{"retry_count_counts_what_is_granted",
                 "From every state and at every reading of the clock, a call counts the retry that it grants, and "
                 "nothing else. The count stays at 2^32 - 1. A call reads the clock at most three times.",
                 "the policies IMMEDIATE and INTERVAL; sums and differences of times may wrap", "u32, i64",
                 "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_015"},
    // azure_java_retry_policy
    theorem_text{"policy_takes_its_constants_whole",
                 "Times are converted to nanoseconds and C * (1 - J) is computed, without a wrap and without "
                 "rounding. Only factors above 1 are refused.",
                 "", "u32, u64", "AZ-JR-013 AZ-JR-014 AZ-JR-015 AZ-JR-016 AZ-JR-017"},
    theorem_text{"random_part_is_exact_between_its_ends",
                 "The random part is from + draw / 2^32 * (to - from), exact to its last bit, whichever end is larger.",
                 "both ends are at most 2^32 - 1 ms; read off at x = 2", "u32, u64", "AZ-JR-012 AZ-JR-016 AZ-JR-017"},
    theorem_text{
        "delay_is_its_formula_at_every_count",
        "F(x) = min(Cmin + (2^(x-1) - 1) * rand, Cmax), exact to the last bit of the draw: the error is 0 in units of "
        "2^-32 ns, and less than 1 ns in whole nanoseconds. It lies in [min(Cmin, Cmax), Cmax] and does not shrink as "
        "x grows.",
        "times are at most 2^32 - 1 ms. Either the ends are not inverted, and the random part is 0 or at least 1 us: "
        "every x. Or they are not inverted: x <= 24. Or they are inverted: x <= 16",
        "u32, u64", "AZ-JR-006 AZ-JR-007 AZ-JR-009 AZ-JR-012 AZ-JR-014 AZ-JR-015"},
    theorem_text{"time_budget_is_exceeded_by_what_does_not_fit",
                 "A budget is exceeded if and only if elapsed + delay > total in exact integers. No step wraps.", "",
                 "u64", "AZ-JR-010"},
};

}  // namespace backoff::engines::proof
