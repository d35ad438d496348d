#include "systems/azure_java_retry_policy/claims.hpp"

#include "azure_java_retry_policy/claim_texts.hpp"
#include "azure_java_retry_policy/page.hpp"

namespace backoff::systems {
namespace {

namespace said = pages::azure_java_retry_policy::said;
namespace model = spec::azure_java_retry_policy;
using view = claim_view<model::facts>;
using model::error;
using model::policy;

using namespace pages::azure_java_retry_policy::param;
using namespace pages::azure_java_retry_policy::decide_args;

bool says(view const& v, model::status s) noexcept {
  return v.port[model::field_status] == observed::word(static_cast<std::uint8_t>(s));
}
bool retries(view const& v) noexcept { return v.port[model::field_retry] == observed::word(1); }
observed const& delay(view const& v) { return v.port[model::field_delay]; }
bool has_delay(view const& v) noexcept { return delay(v).kind == observed_kind::number; }

bool is_admitted(view const& v, std::size_t field) { return v.documented[field].admits(v.port[field]); }
bool status_is_admitted(view const& v) { return is_admitted(v, model::field_status); }
bool retry_is_admitted(view const& v) { return is_admitted(v, model::field_retry); }
bool delay_is_admitted(view const& v) { return is_admitted(v, model::field_delay); }
bool consulted_is_admitted(view const& v) { return is_admitted(v, model::field_consulted); }

// Whether what a port takes has one of these policies.
template <policy... Any>
bool knows(domain const& d) noexcept {
  return (d.params[pages::azure_java_retry_policy::param::policy].admits(value::word(static_cast<std::int64_t>(Any))) ||
          ...);
}
constexpr auto* backing_off = knows<policy::exponential_backoff_with_jitter>;
constexpr auto* custom = knows<policy::custom>;
constexpr auto* retrying = knows<policy::exponential_backoff_with_jitter, policy::custom>;

bool always(view const&) noexcept { return true; }
bool fails(view const& v) noexcept { return says(v, model::status::error); }

// A decision where the document has one: what is said of parameters that may be refused has a claim of its own.
bool decided(view const& v) { return says(v, model::status::answered) && status_is_admitted(v); }

// Why the document has it that there is no retry, or that there is one.
bool stops_for(view const& v, error e) { return decided(v) && v.facts.error == e; }
bool reaches(view const& v, policy p) { return decided(v) && v.facts.passes && v.facts.policy == p; }
bool policy_retries(view const& v) {
  return decided(v) && v.facts.passes && !v.facts.vetoed && v.facts.policy != policy::no_retry;
}

// By the service, under the default policy.
bool refused(view const& v) {
  return reaches(v, policy::exponential_backoff_with_jitter) && v.facts.error == error::service;
}

// A retry with a delay to look at, where the document has one.
bool wanted_delay(view const& v) {
  return decided(v) && retries(v) && has_delay(v) &&
         v.documented[model::field_delay].kind() != spec::admissible_kind::absent;
}
bool backs_off(view const& v) { return wanted_delay(v) && v.facts.policy == policy::exponential_backoff_with_jitter; }

// Whether the decision before was about the same count and draw, and was to wait as well: its delay must come again.
bool repeats(view const& v) noexcept {
  if (v.before == nullptr || (*v.before)[model::field_delay].kind != observed_kind::number) return false;
  auto const& now = v.tried.steps[v.step].args;
  auto const& before = v.tried.steps[v.step - 1].args;
  return now[retry_count] == before[retry_count] && now[draw] == before[draw];
}
// What comes again, or beside another instance, has a claim of its own.
bool backs_off_alone(view const& v) { return backs_off(v) && !repeats(v) && !v.shared; }

// A port that keeps to the total time stops earlier or later if its delay is wrong, which shows only where it retries.
bool hangs_on_the_delay(view const& v) {
  if (!retries(v)) return true;
  auto const room = v.tried.params[total_time_ms].n - v.tried.steps[v.step].args[elapsed_ms].n;
  return has_delay(v) && room >= 0 && spec::admissible::between(0, room).admits(delay(v));
}

// ---- Which requirement a call breaks, where a claim has several ----

// That of the policy that decides; where the ends of its random factor meet or cross, that of the ends.
std::string_view that_it_is_answered(view const& v) noexcept {
  if (v.facts.policy == policy::custom) return "AZ-JR-020";
  if (v.facts.policy == policy::no_retry) return "AZ-JR-019";
  auto const& p = v.tried.params;
  bool const are_set = p[jd].kind != value_kind::absent && p[ju].kind != value_kind::absent;
  bool const meets = are_set && p[jd].n <= p[ju].n;
  return meets ? "AZ-JR-017" : "AZ-JR-012";
}
// A longer delay breaks the bound, a shorter one the formula.
std::string_view of_the_longest_delay(view const& v) {
  bool const is_shorter = spec::admissible::between(0, v.facts.most_ms).admits(delay(v));
  return is_shorter ? "AZ-JR-012" : "AZ-JR-015";
}

constexpr claim<model::facts> claims[] = {
    citing<model::facts>(that_it_is_answered, {said::no_call_fails, always, [](view const& v) { return !fails(v); }}),
    {said::documented_parameters_are_taken, [](view const& v) { return !fails(v); }, status_is_admitted},
    {said::unknown_errors_are_not_retried, [](view const& v) { return stops_for(v, error::unknown); },
     retry_is_admitted},
    {said::terminal_errors_are_not_retried, [](view const& v) { return stops_for(v, error::terminal); },
     retry_is_admitted},
    {said::only_retryable_errors_are_retried, [](view const& v) { return decided(v) && !v.facts.passes; },
     retry_is_admitted},
    {only_where(knows<policy::no_retry>, said::no_retry_never_retries),
     [](view const& v) { return reaches(v, policy::no_retry); }, retry_is_admitted},
    {only_where(custom, said::custom_policy_may_veto),
     [](view const& v) { return reaches(v, policy::custom) && v.facts.vetoed; }, retry_is_admitted},
    {only_where(backing_off, said::service_errors_are_treated_alike),
     [](view const& v) { return refused(v) && (!v.facts.limited || v.facts.vetoed); }, retry_is_admitted},
    {only_where(retrying, said::retryable_errors_are_retried),
     [](view const& v) { return policy_retries(v) && !v.facts.limited && !refused(v); }, retry_is_admitted},
    {only_where(retrying, said::total_time_ends_retries),
     [](view const& v) { return policy_retries(v) && v.facts.limited; }, retry_is_admitted, hangs_on_the_delay},
    {only_where(retrying, said::delay_is_a_number), [](view const& v) { return decided(v) && retries(v); }, has_delay},
    {only_where(retrying, said::delay_is_never_negative), wanted_delay,
     [](view const& v) { return delay(v).value.mantissa >= 0 || delay_is_admitted(v); }},
    {only_where(backing_off, said::delay_never_exceeds_cmax), backs_off,
     [](view const& v) {
       return delay_is_admitted(v) || delay(v).value.mantissa < 0 ||
              spec::admissible::between(0, v.facts.most_ms).admits(delay(v));
     }},
    {only_where(backing_off, said::delay_is_never_below_cmin), backs_off,
     [](view const& v) {
       return delay_is_admitted(v) || !spec::admissible::between(0, v.facts.least_ms).admits(delay(v)) ||
              spec::admissible::between(v.facts.least_ms, v.facts.least_ms).admits(delay(v));
     }},
    {only_where(backing_off, said::first_delay_is_cmin),
     [](view const& v) { return backs_off_alone(v) && v.facts.retry_count < 2 && !v.facts.at_cap; }, delay_is_admitted},
    {only_where(backing_off, said::delay_follows_the_formula),
     [](view const& v) { return backs_off_alone(v) && v.facts.retry_count >= 2 && !v.facts.at_cap; },
     delay_is_admitted},
    citing<model::facts>(of_the_longest_delay,
                         {only_where(backing_off, said::delay_stays_at_cmax),
                          [](view const& v) { return backs_off_alone(v) && v.facts.at_cap; }, delay_is_admitted}),
    {only_where(backing_off, said::same_count_and_draw_same_delay),
     [](view const& v) { return backs_off(v) && repeats(v) && !v.shared; }, delay_is_admitted},
    {only_where(backing_off, said::instances_are_independent), [](view const& v) { return backs_off(v) && v.shared; },
     delay_is_admitted},
    {only_where(custom, said::custom_delay_is_taken),
     [](view const& v) { return wanted_delay(v) && v.facts.policy == policy::custom; }, delay_is_admitted},
    {only_where(custom, said::retryable_errors_reach_the_policy),
     [](view const& v) {
       return decided(v) && v.facts.passes && v.port[model::field_consulted].kind != observed_kind::absent;
     },
     consulted_is_admitted},
    {only_where(custom, said::other_errors_never_reach_a_policy),
     [](view const& v) {
       return decided(v) && !v.facts.passes && v.port[model::field_consulted].kind != observed_kind::absent;
     },
     consulted_is_admitted},
    {only_where(backing_off, said::jitter_fills_its_range)},
    {only_where(backing_off, said::jitter_is_independent)},
    {only_where(backing_off, said::processes_draw_differently)},
};
static_assert(are_all_of_the_page(claims, said::all));

}  // namespace

claim_list<model::facts> azure_java_retry_policy_claims() noexcept { return claim_list<model::facts>::of<claims>(); }

}  // namespace backoff::systems
