#include "systems/aws_step_functions/claims.hpp"

#include "aws_step_functions/claim_texts.hpp"

namespace backoff::systems {
namespace {

namespace said = pages::aws_step_functions::said;
namespace model = spec::aws_step_functions;
using view = claim_view<model::facts>;

bool says(view const& v, model::status s) noexcept {
  return v.port[model::field_status] == observed::word(static_cast<std::uint8_t>(s));
}
observed const& delay(view const& v) { return v.port[model::field_delay]; }
bool has_delay(view const& v) noexcept { return delay(v).kind == observed_kind::number; }
bool retried(view const& v) noexcept { return says(v, model::status::retry); }
bool is_admitted(view const& v) { return v.documented[model::field_delay].admits(delay(v)); }

bool always(view const&) noexcept { return true; }
bool says_retry(view const& v) noexcept { return says(v, model::status::retry); }
bool says_exhausted(view const& v) noexcept { return says(v, model::status::exhausted); }

// A granted retry with a delay to look at. What comes beside another instance has a claim of its own.
bool wanted_delay(view const& v) { return v.facts.grants && retried(v) && has_delay(v); }
bool wanted_alone(view const& v) noexcept { return wanted_delay(v) && !v.shared; }

std::string_view of_long_delays(view const&) noexcept { return "AWS-SF-007"; }

constexpr claim<model::facts> claims[] = {
    {said::no_call_fails, always, [](view const& v) { return !says(v, model::status::error); }},
    {said::delay_is_a_number, retried, [](view const& v) { return has_delay(v) || is_admitted(v); }},
    {said::delay_is_never_negative, [](view const& v) { return retried(v) && has_delay(v); },
     [](view const& v) { return delay(v).value.mantissa >= 0 || is_admitted(v); }},
    {said::first_delay_is_the_interval,
     [](view const& v) { return wanted_alone(v) && !v.facts.beyond && v.facts.retries == 0; }, is_admitted},
    {said::delay_grows_by_the_rate,
     [](view const& v) { return wanted_alone(v) && !v.facts.beyond && v.facts.retries > 0; }, is_admitted},
    citing<model::facts>(
        of_long_delays,
        {said::long_delays_saturate, [](view const& v) { return wanted_alone(v) && v.facts.beyond; }, is_admitted}),
    {said::instances_are_independent, [](view const& v) { return wanted_delay(v) && v.shared; }, is_admitted},
    {said::retries_until_max_attempts, [](view const& v) { return v.facts.grants && !says(v, model::status::error); },
     says_retry},
    {said::exhausted_after_max_attempts, [](view const& v) { return v.facts.announces; }, says_exhausted},
    {said::exhaustion_is_sticky, [](view const& v) { return !v.facts.grants && !v.facts.announces; }, says_exhausted},
};
static_assert(are_all_of_the_page(claims, said::all));

}  // namespace

claim_list<model::facts> aws_step_functions_claims() noexcept { return claim_list<model::facts>::of<claims>(); }

}  // namespace backoff::systems
