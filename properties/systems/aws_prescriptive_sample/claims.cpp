#include "systems/aws_prescriptive_sample/claims.hpp"

#include "aws_prescriptive_sample/claim_texts.hpp"
#include "aws_prescriptive_sample/page.hpp"

namespace backoff::systems {
namespace {

namespace said = pages::aws_prescriptive_sample::said;
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
observed const& delay(view const& v) { return v.port[model::field_delay]; }
bool has_delay(view const& v) noexcept { return delay(v).kind == observed_kind::number; }

bool answered(view const& v) noexcept { return !v.facts.fails && says(v, model::status::answered); }
bool waited(view const& v) { return answered(v) && has_delay(v); }
// Where the document has the request fail, a wait that no timer takes is a wrong one all the same.
bool said_a_wait(view const& v) noexcept { return says(v, model::status::answered) && has_delay(v); }
// What is seen beside another instance has a claim of its own, if a count shared with it could be the reason.
bool answered_alone(view const& v) noexcept { return answered(v) && !v.shared; }
bool waited_alone(view const& v) noexcept { return waited(v) && !v.shared; }

bool status_is_admitted(view const& v) { return v.documented[model::field_status].admits(v.port[model::field_status]); }
bool delay_is_admitted(view const& v) { return v.documented[model::field_delay].admits(delay(v)); }
bool retry_is_admitted(view const& v) { return v.documented[model::field_retry].admits(v.port[model::field_retry]); }
bool goes_on(view const& v) { return says(v, model::retry::yes); }
bool stops(view const& v) noexcept { return says(v, model::retry::no); }

// Up to the tolerance of real answers; an integer is held to the limit exactly.
bool within_limit(view const& v) {
  if (delay(v).value.integral()) return delay(v).value.mantissa <= longest_ms;
  return delay(v).value.mantissa < 0 || spec::admissible::between(0, longest_ms).admits(delay(v));
}

// ---- Which requirement a call breaks, where a claim has several ----

// One request is made whatever the limit is. Late requests have long waits, which a port may not hold.
std::string_view of_a_request_that_fails(view const& v) noexcept {
  constexpr spec::integer few = 8;
  if (v.tried.params[pages::aws_prescriptive_sample::param::max_retries].n == 0 && v.facts.retries == 0)
    return "AWS-PS-019";
  return v.facts.retries > few ? "AWS-PS-015" : "AWS-PS-014";
}
// What has gone on after the same answer before has counted to some limit.
std::string_view of_a_run_that_ends(view const& v) noexcept {
  auto const& now = v.tried.steps[v.step];
  auto const before = std::span(v.tried.steps).first(v.step);
  bool const went_on = std::ranges::any_of(before, [&](step const& s) { return s.args == now.args; });
  return went_on ? "AWS-PS-019" : "AWS-PS-017";
}

constexpr claim<model::facts> claims[] = {
    citing<model::facts>(of_a_request_that_fails,
                         {said::no_request_fails, [](view const& v) { return !v.facts.overflows; },
                          [](view const& v) { return !says(v, model::status::error); }}),
    {said::delay_is_a_number, answered, has_delay},
    {said::delay_is_never_negative,
     [](view const& v) { return said_a_wait(v) && v.documented[model::field_delay].first() >= 0; },
     [](view const& v) { return delay(v).value.mantissa >= 0; }},
    {said::delay_never_exceeds_31_bits, said_a_wait, within_limit},
    {said::overflow_saturates_or_fails, [](view const& v) { return v.facts.overflows && !v.shared; },
     [](view const& v) { return status_is_admitted(v) && (!waited(v) || delay_is_admitted(v)); }},
    {said::first_request_is_not_waited_for, [](view const& v) { return waited_alone(v) && v.facts.retries == 0; },
     delay_is_admitted},
    {said::delay_doubles_and_adds_100_ms,
     [](view const& v) { return waited_alone(v) && v.facts.retries > 0 && !v.facts.overflows; }, delay_is_admitted},
    {said::success_ends_the_run, [](view const& v) { return answered(v) && v.facts.answered == kind::success; }, stops},
    {said::other_answers_end_the_run,
     [](view const& v) {
       return answered(v) && (v.facts.answered == kind::failure || v.facts.answered == kind::undecided);
     },
     retry_is_admitted},
    citing<model::facts>(
        of_a_run_that_ends,
        {said::throttling_and_time_outs_are_retried,
         [](view const& v) { return answered_alone(v) && v.facts.answered == kind::transient && !v.facts.last; },
         goes_on}),
    {said::max_retries_limits_the_requests,
     [](view const& v) { return answered_alone(v) && v.facts.answered == kind::transient && v.facts.last; }, stops},
    {said::instances_are_independent, [](view const& v) { return v.shared; },
     [](view const& v) {
       if (!status_is_admitted(v)) return false;
       bool const delay_holds = !waited(v) || delay_is_admitted(v);
       bool const counts = answered(v) && v.facts.answered == kind::transient;
       return delay_holds && (!counts || retry_is_admitted(v));
     }},
};
static_assert(are_all_of_the_page(claims, said::all));

}  // namespace

claim_list<model::facts> aws_prescriptive_sample_claims() noexcept { return claim_list<model::facts>::of<claims>(); }

}  // namespace backoff::systems
