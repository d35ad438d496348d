#include "systems/aws_prescriptive_sample/claims.hpp"

#include <array>

namespace backoff::conformance {
namespace {

namespace model = spec::aws_prescriptive_sample;
using view = claim_view<model::facts>;
using kind = model::answer_kind;

constexpr spec::integer longest_ms = 0x7fff'ffff;

bool says(view const& v, model::status s) noexcept {
  return v.port[model::field_status] == observed::word(static_cast<std::uint8_t>(s));
}
bool says(view const& v, model::retry r) noexcept {
  return v.port[model::field_retry] == observed::word(static_cast<std::uint8_t>(r));
}
observed const& delay(view const& v) noexcept { return v.port[model::field_delay]; }
bool has_delay(view const& v) noexcept { return delay(v).is == observed::kind::number; }

bool answered(view const& v) noexcept { return !v.facts.fails && says(v, model::status::answered); }
bool waited(view const& v) noexcept { return answered(v) && has_delay(v); }
// Where the document has the request fail, a wait that no timer takes is a wrong one all the same.
bool said_a_wait(view const& v) noexcept { return says(v, model::status::answered) && has_delay(v); }
// What is seen beside another instance has a claim of its own, if a count shared with it could be the reason.
bool plain(view const& v) noexcept { return answered(v) && !v.shared; }
bool plain_wait(view const& v) noexcept { return waited(v) && !v.shared; }

bool status_is_admitted(view const& v) noexcept {
  return v.documented[model::field_status].admits(v.port[model::field_status]);
}
bool delay_is_admitted(view const& v) noexcept { return v.documented[model::field_delay].admits(delay(v)); }
bool retry_is_admitted(view const& v) noexcept {
  return v.documented[model::field_retry].admits(v.port[model::field_retry]);
}
bool goes_on(view const& v) noexcept { return says(v, model::retry::yes); }
bool stops(view const& v) noexcept { return says(v, model::retry::no); }

// Up to the tolerance of real answers; an integer is held to the limit exactly.
bool within_limit(view const& v) noexcept {
  if (delay(v).value.integral()) return delay(v).value.mantissa <= longest_ms;
  return delay(v).value.mantissa < 0 || spec::admissible::between(0, longest_ms).admits(delay(v));
}

// The requirement nearest to the claim stands first: it is the one that a verdict quotes.
constexpr std::array<std::string_view, 2> formula{"AWS-PS-013", "AWS-PS-003"};
constexpr std::array<std::string_view, 2> whole_number{"AWS-PS-015", "AWS-PS-013"};
constexpr std::array<std::string_view, 3> longest{"AWS-PS-015", "AWS-PS-003", "AWS-PS-013"};
constexpr std::array<std::string_view, 2> first{"AWS-PS-014", "AWS-PS-013"};
constexpr std::array<std::string_view, 2> success{"AWS-PS-016", "AWS-PS-011"};
constexpr std::array<std::string_view, 1> transient{"AWS-PS-017"};
constexpr std::array<std::string_view, 1> failure{"AWS-PS-018"};
constexpr std::array<std::string_view, 2> limit{"AWS-PS-019", "AWS-PS-012"};
constexpr std::array<std::string_view, 1> own_count{"AWS-PS-020"};

// ---- Which requirement a call breaks, where a claim has several ----

// One request is made whatever the limit is. Late requests have long waits, which a port may not hold.
std::string_view of_a_request_that_fails(view const& v) noexcept {
  constexpr spec::integer few = 8;
  if (v.tried.params[0].n == 0 && v.facts.retries == 0) return "AWS-PS-019";
  return v.facts.retries > few ? "AWS-PS-015" : "AWS-PS-014";
}
// What has gone on after the same answer before has counted to some limit.
std::string_view of_a_run_that_ends(view const& v) noexcept {
  auto const& now = v.tried.steps[v.step];
  auto const before = std::span(v.tried.steps).first(v.step);
  bool const went_on = std::ranges::any_of(before, [&](step const& s) noexcept { return s.args == now.args; });
  return went_on ? "AWS-PS-019" : "AWS-PS-017";
}

// Rules of the document that several claims are parts of.
constexpr std::string_view delay_formula = "the delay formula";
constexpr std::string_view retried_answers = "which answers are retried";

constexpr std::array claims{
    citing<model::facts>(
        of_a_request_that_fails,
        claim<model::facts>{
            {"no_request_fails", "every request whose wait fits 31 bits is waited for and made; none throws", first},
            [](view const& v) noexcept { return !v.facts.overflows; },
            [](view const& v) noexcept { return !says(v, model::status::error); }}),
    claim<model::facts>{
        {"delay_is_a_number", "every request comes after a finite wait", whole_number}, answered, has_delay},
    claim<model::facts>{
        bound_of(delay_formula, {"delay_is_never_negative", "no wait is below 0 ms", whole_number}),
        [](view const& v) noexcept { return said_a_wait(v) && v.documented[model::field_delay].first() >= 0; },
        [](view const& v) noexcept { return delay(v).value.mantissa >= 0; }},
    claim<model::facts>{
        bound_of(delay_formula, {"delay_never_exceeds_31_bits", "no wait is longer than 2^31 - 1 ms", longest}),
        said_a_wait, within_limit},
    claim<model::facts>{
        part_of(delay_formula,
                {"overflow_saturates_or_fails",
                 "where (2^n - 1) * 100 passes 2^31 - 1 ms, all requests fail, or all waits are 2^31 - 1 ms", longest}),
        [](view const& v) noexcept { return v.facts.overflows && !v.shared; },
        [](view const& v) noexcept { return status_is_admitted(v) && (!waited(v) || delay_is_admitted(v)); }},
    claim<model::facts>{
        part_of(delay_formula, {"first_request_is_not_waited_for", "the wait before the first request is 0 ms", first}),
        [](view const& v) noexcept { return plain_wait(v) && v.facts.retries == 0; }, delay_is_admitted},
    claim<model::facts>{
        part_of(delay_formula,
                {"delay_doubles_and_adds_100_ms",
                 "each wait is twice the one before and 100 ms more: (2^n - 1) * 100 ms after n retries", formula}),
        [](view const& v) noexcept { return plain_wait(v) && v.facts.retries > 0 && !v.facts.overflows; },
        delay_is_admitted},
    claim<model::facts>{
        part_of(retried_answers, {"success_ends_the_run", "no request follows one that is answered 200", success}),
        [](view const& v) noexcept { return answered(v) && v.facts.answered == kind::success; }, stops},
    claim<model::facts>{
        part_of(retried_answers, {"other_answers_end_the_run",
                                  "no request follows one that is answered neither 200 nor 429 nor 504", failure}),
        [](view const& v) noexcept {
          return answered(v) && (v.facts.answered == kind::failure || v.facts.answered == kind::undecided);
        },
        retry_is_admitted},
    citing<model::facts>(
        of_a_run_that_ends,
        claim<model::facts>{
            part_of(retried_answers,
                    {"throttling_and_time_outs_are_retried",
                     "below the limit, a request that is answered 429 or 504 is followed by another", transient}),
            [](view const& v) noexcept { return plain(v) && v.facts.answered == kind::transient && !v.facts.last; },
            goes_on}),
    claim<model::facts>{
        {"max_retries_limits_the_requests", "no request follows request max(1, max_retries)", limit},
        [](view const& v) noexcept { return plain(v) && v.facts.answered == kind::transient && v.facts.last; },
        stops},
    claim<model::facts>{comparing(dependence::instances, {"instances_are_independent",
                                                          "what is called on one instance changes no answer of another",
                                                          own_count, strength::must, feature::instances}),
                        [](view const& v) noexcept { return v.shared; },
                        [](view const& v) noexcept {
                          if (!status_is_admitted(v)) return false;
                          bool const delay_holds = !waited(v) || delay_is_admitted(v);
                          bool const counts = answered(v) && v.facts.answered == kind::transient;
                          return delay_holds && (!counts || retry_is_admitted(v));
                        }},
};

}  // namespace

std::span<claim<model::facts> const> aws_prescriptive_sample_claims() noexcept { return claims; }

}  // namespace backoff::conformance
