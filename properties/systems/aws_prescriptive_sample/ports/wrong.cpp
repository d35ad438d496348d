// Wrong ports of the sample loop: faults that retry code has shipped. Each must be caught by the claim that it names;
// those of a hazard reading must be recognised as such, and pass when it is pinned.
#include <array>
#include <string>

#include "ports/built_in.hpp"
#include "systems/aws_prescriptive_sample/ports/documented.hpp"

namespace backoff::conformance {
namespace {

using namespace plain_loop;

number cut(number delay) { return delay > longest_ms ? longest_ms : delay; }

// The waits.
struct square : as_documented {  // n² for 2^n
  static observed delay(loop const& l) { return observed::of(cut(l.n * l.n * 100)); }
};
struct linear : as_documented {
  static observed delay(loop const& l) { return observed::of(cut(l.n * 100)); }
};
struct power_of_ten : as_documented {
  static observed delay(loop const& l) {
    number power = 1;
    for (number i = 0; i < l.n && power < longest_ms; ++i) power *= 10;
    return observed::of(cut((power - 1) * 100));
  }
};
struct exponent_from_one : as_documented {
  static observed delay(loop const& l) { return observed::of(cut(hundreds(l.n + 1))); }
};
struct exponent_too_late : as_documented {
  static observed delay(loop const& l) { return observed::of(cut(hundreds(l.n > 0 ? l.n - 1 : 0))); }
};
struct one_not_subtracted : as_documented {
  static observed delay(loop const& l) { return observed::of(cut(hundreds(l.n) + 100)); }
};
struct constant : as_documented {
  static observed delay(loop const& l) { return observed::of(l.n == 0 ? number{0} : number{100}); }
};
struct jittered : as_documented {  // adds what the document knows nothing of
  static observed delay(loop const& l) { return observed::of(cut(hundreds(l.n) + (l.n * 37) % 100)); }
};
struct in_seconds : as_documented {
  static observed delay(loop const& l) {
    auto exact = as_documented::delay(l);
    if (exact.value.mantissa != 0) exact.value = *spec::parse_decimal(std::to_string(exact.value.mantissa) + "e-3");
    return exact;
  }
};
struct in_microseconds : as_documented {
  static observed delay(loop const& l) { return observed::of(cut(hundreds(l.n)) * 1000); }
};

// The overflow.
struct wraps : as_documented {  // an i32 that takes 32 bits of the product
  static observed delay(loop const& l) {
    auto const low = static_cast<std::uint32_t>(hundreds(l.n < 32 ? l.n : 32));
    return observed::of(static_cast<number>(static_cast<std::int32_t>(low)));
  }
};
struct wraps_unsigned : as_documented {
  static observed delay(loop const& l) {
    return observed::of(number{static_cast<std::uint32_t>(hundreds(l.n < 32 ? l.n : 32))});
  }
};
struct shift_masked : as_documented {  // 1 << n, where a machine takes n modulo 32: after 32 retries, a hot loop
  static observed delay(loop const& l) { return observed::of(cut(hundreds(l.n % 32))); }
};
struct overflow_to_zero : as_documented {
  static observed delay(loop const& l) { return observed::of(hundreds(l.n) > longest_ms ? 0 : hundreds(l.n)); }
};
struct timer_wraps : as_documented {  // the host's timer turns longer waits into 1 ms
  static observed delay(loop const& l) { return observed::of(hundreds(l.n) > longest_ms ? 1 : hundreds(l.n)); }
};
struct smallest_integer : as_documented {  // what a conversion out of range gives on many machines
  static observed delay(loop const& l) {
    return observed::of(hundreds(l.n) > longest_ms ? -longest_ms - 1 : hundreds(l.n));
  }
};
struct no_limit : as_documented {
  static observed delay(loop const& l) { return observed::of(hundreds(l.n)); }
};
struct capped_early : as_documented {  // a minute at most, which the document does not know
  static observed delay(loop const& l) { return observed::of(hundreds(l.n) > 60'000 ? 60'000 : hundreds(l.n)); }
};
struct infinite : as_documented {  // 2 ** n in doubles: infinity, never cut
  static observed delay(loop const& l) {
    return l.n > 1023 ? observed{observed::kind::not_a_number, 0, {}} : as_documented::delay(l);
  }
};
struct throws_after_1023 : as_documented {
  static bool fails(loop const& l) { return l.n > 1023; }
};
struct throws_too_early : as_documented {  // at n = 24 already: the power was to fit 31 bits with its factor doubled
  static bool fails(loop const& l) { return hundreds(l.n) > longest_ms / 2; }
};
struct saturates_then_throws : as_documented {  // one reading at n = 25, another beyond
  static bool fails(loop const& l) { return l.n > 25; }
};

// The answers that are retried.
struct unavailable_too : as_documented {
  static bool retries(number status) { return as_documented::retries(status) || status == 503; }
};
struct all_that_may_pass : as_documented {
  static bool retries(number status) { return unavailable_too::retries(status) || status == 502 || status == 408; }
};
struct all_server_errors : as_documented {
  static bool retries(number status) { return status == 429 || status >= 500; }
};
struct all_but_success : as_documented {
  static bool retries(number status) { return status != 200; }
};
struct time_outs_of_all_kinds : as_documented {
  static bool retries(number status) { return as_documented::retries(status) || status == 408; }
};
struct throttling_only : as_documented {
  static bool retries(number status) { return status == 429; }
};
struct time_outs_only : as_documented {
  static bool retries(number status) { return status == 504; }
};
struct success_too : as_documented {  // a fall-through from the case of success
  static bool retries(number status) { return as_documented::retries(status) || status == 200; }
};

// The limit.
struct one_request_too_many : as_documented {  // max_retries counts what comes after the first
  static bool allows_another(loop const& l) { return l.n < l.limit; }
};
struct one_request_too_few : as_documented {
  static bool allows_another(loop const& l) { return l.n + 2 < l.limit; }
};
struct no_request_without_retries : as_documented {  // looks at the limit before the first request
  static bool fails(loop const& l) { return l.limit == 0; }
};
struct limit_ignored : as_documented {
  static bool allows_another(loop const&) { return true; }
};
struct gives_up_after_ten : as_documented {  // a limit of its own
  static bool allows_another(loop const& l) { return l.n < 9 && as_documented::allows_another(l); }
};
struct limit_in_16_bits : as_documented {
  static bool allows_another(loop const& l) { return l.n + 1 < (l.limit & 0xffff); }
};
struct shared_count : as_documented {
  static loop& instance(std::array<loop, instances_max>& all, std::uint8_t) { return all[0]; }
};

template <class P>
built_in wrong(std::string_view name, std::string_view sentence, std::string_view claim,
               std::vector<std::string_view> hazard = {}, std::size_t steps = 3) {
  return {name, sentence, run<P>, {}, longest_ms, claim, std::move(hazard), steps};
}

}  // namespace

std::span<built_in const> aws_prescriptive_sample_wrong_ports() {
  constexpr std::string_view first = "first_request_is_not_waited_for";
  constexpr std::string_view formula = "delay_doubles_and_adds_100_ms";
  constexpr std::string_view overflow = "overflow_saturates_or_fails";
  constexpr std::string_view negative = "delay_is_never_negative";
  constexpr std::string_view longest = "delay_never_exceeds_31_bits";
  constexpr std::string_view others = "other_answers_end_the_run";
  constexpr std::string_view transient = "throttling_and_time_outs_are_retried";
  constexpr std::string_view limit = "max_retries_limits_the_requests";
  static std::vector<built_in> const ports{
      wrong<square>("square", "the wait grows with the square of the count", formula),
      wrong<linear>("linear", "the wait grows by 100 ms", formula),
      wrong<power_of_ten>("power-of-ten", "the base is ten", formula),
      wrong<exponent_from_one>("exponent-from-one", "waits before the first request", first),
      wrong<exponent_too_late>("exponent-too-late", "the exponent is one too small", formula),
      wrong<one_not_subtracted>("one-not-subtracted", "2^n for 2^n - 1", first),
      wrong<constant>("constant", "always waits 100 ms", formula),
      wrong<jittered>("jittered", "adds a few milliseconds", formula),
      wrong<in_seconds>("in-seconds", "waits are a thousand times too short", formula),
      wrong<in_microseconds>("in-microseconds", "waits are a thousand times too long", longest, {}, 16),
      wrong<wraps>("wraps", "32 bits of the product, signed", negative, {"overflow=wraps"}, 26),
      wrong<wraps_unsigned>("wraps-unsigned", "32 bits of the product, unsigned", longest, {}, 26),
      wrong<shift_masked>("shift-masked", "after 32 retries the waits start again", overflow, {}, 33),
      wrong<overflow_to_zero>("overflow-to-zero", "overflow gives no wait at all", overflow, {}, 26),
      wrong<timer_wraps>("timer-wraps", "overflow gives 1 ms", overflow, {}, 26),
      wrong<smallest_integer>("smallest-integer", "overflow gives -2^31", negative, {}, 26),
      wrong<no_limit>("no-limit", "waits of months", longest, {}, 26),
      wrong<capped_early>("capped-early", "waits a minute at most", formula, {}, 11),
      wrong<infinite>("infinite", "a double's exponent overflows", "delay_is_a_number", {}, 1025),
      wrong<throws_after_1023>("throws-after-1023", "a double's exponent overflows, and throws", overflow, {}, 1025),
      wrong<throws_too_early>("throws-too-early", "fails at a wait that fits", "no_request_fails", {}, 25),
      wrong<saturates_then_throws>("saturates-then-throws", "the longest wait once, then fails", overflow, {}, 27),
      wrong<unavailable_too>("unavailable-too", "retries 503", others, {"status-filter=prose"}, 1),
      wrong<all_that_may_pass>("all-that-may-pass", "retries 408, 502 and 503", others, {"status-filter=prose"}, 1),
      wrong<all_server_errors>("all-server-errors", "retries every 5xx", others, {}, 1),
      wrong<all_but_success>("all-but-success", "retries everything but 200", others, {}, 1),
      wrong<time_outs_of_all_kinds>("all-time-outs", "retries 408", others, {}, 1),
      wrong<throttling_only>("throttling-only", "gives up after 504", transient, {}, 1),
      wrong<time_outs_only>("time-outs-only", "gives up after 429", transient, {}, 1),
      wrong<success_too>("success-too", "goes on after 200", "success_ends_the_run", {}, 1),
      wrong<one_request_too_many>("one-request-too-many", "makes max_retries + 1 requests", limit,
                                  {"limit-counts=retries"}, 1),
      wrong<one_request_too_few>("one-request-too-few", "makes max_retries - 1 requests", transient, {}, 1),
      wrong<no_request_without_retries>("no-request-without-retries", "fails where max_retries is 0",
                                        "no_request_fails", {}, 1),
      wrong<limit_ignored>("limit-ignored", "retries for ever", limit, {}, 1),
      wrong<gives_up_after_ten>("gives-up-after-ten", "a limit of its own", transient, {}, 10),
      wrong<limit_in_16_bits>("limit-in-16-bits", "keeps 16 bits of max_retries", transient),
      wrong<shared_count>("shared-count", "all instances count together", "instances_are_independent"),
  };
  return ports;
}

}  // namespace backoff::conformance
