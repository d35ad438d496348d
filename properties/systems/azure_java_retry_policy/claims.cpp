#include "systems/azure_java_retry_policy/claims.hpp"

#include <array>

namespace backoff::conformance {
namespace {

namespace model = spec::azure_java_retry_policy;
using view = claim_view<model::facts>;
using model::error;
using model::policy;

constexpr std::size_t retry_count = 0;  // as properties/systems/azure_java_retry_policy/history.cpp lists the arguments
constexpr std::size_t draw = 2;
constexpr std::size_t elapsed_ms = 4;
constexpr std::size_t jd = 4;  // of the parameters, in thousandths
constexpr std::size_t ju = 5;
constexpr std::size_t total_time_ms = 6;

bool says(view const& v, model::status s) noexcept {
  return v.port[model::field_status] == observed::word(static_cast<std::uint8_t>(s));
}
bool retries(view const& v) noexcept { return v.port[model::field_retry] == observed::word(1); }
observed const& delay(view const& v) noexcept { return v.port[model::field_delay]; }
bool has_delay(view const& v) noexcept { return delay(v).is == observed::kind::number; }

bool is_admitted(view const& v, std::size_t field) noexcept { return v.documented[field].admits(v.port[field]); }
bool status_is_admitted(view const& v) noexcept { return is_admitted(v, model::field_status); }
bool retry_is_admitted(view const& v) noexcept { return is_admitted(v, model::field_retry); }
bool delay_is_admitted(view const& v) noexcept { return is_admitted(v, model::field_delay); }
bool consulted_is_admitted(view const& v) noexcept { return is_admitted(v, model::field_consulted); }

// Whether what a port takes has one of these policies.
template <policy... Any>
bool knows(domain const& d) noexcept {
  return (d.params[0].admits(value::word(static_cast<std::int64_t>(Any))) || ...);
}
constexpr auto* backing_off = knows<policy::exponential_backoff_with_jitter>;
constexpr auto* custom = knows<policy::custom>;
constexpr auto* retrying = knows<policy::exponential_backoff_with_jitter, policy::custom>;

bool always(view const&) noexcept { return true; }
bool never(view const&) noexcept { return false; }
bool fails(view const& v) noexcept { return says(v, model::status::error); }

// A decision where the document has one: what is said of parameters that may be refused has a claim of its own.
bool decided(view const& v) noexcept { return says(v, model::status::answered) && status_is_admitted(v); }

// Why the document has it that there is no retry, or that there is one.
bool stops_for(view const& v, error e) noexcept { return decided(v) && v.facts.error == e; }
bool reaches(view const& v, policy p) noexcept { return decided(v) && v.facts.passes && v.facts.policy == p; }
bool policy_retries(view const& v) noexcept {
  return decided(v) && v.facts.passes && !v.facts.vetoed && v.facts.policy != policy::no_retry;
}

// By the service, under the default policy.
bool refused(view const& v) noexcept {
  return reaches(v, policy::exponential_backoff_with_jitter) && v.facts.error == error::service;
}

// A retry with a delay to look at, where the document has one.
bool wanted_delay(view const& v) noexcept {
  return decided(v) && retries(v) && has_delay(v) &&
         v.documented[model::field_delay].is() != spec::admissible::kind::absent;
}
bool backs_off(view const& v) noexcept {
  return wanted_delay(v) && v.facts.policy == policy::exponential_backoff_with_jitter;
}

// Whether the decision before was about the same count and draw, and was to wait as well: its delay must come again.
bool repeats(view const& v) noexcept {
  if (v.before == nullptr || (*v.before)[model::field_delay].is != observed::kind::number) return false;
  auto const& now = v.tried.steps[v.step].args;
  auto const& before = v.tried.steps[v.step - 1].args;
  return now[retry_count] == before[retry_count] && now[draw] == before[draw];
}
// What comes again, or beside another instance, has a claim of its own.
bool plain(view const& v) noexcept { return backs_off(v) && !repeats(v) && !v.shared; }

// A port that keeps to the total time stops earlier or later if its delay is wrong, which shows only where it retries.
bool hangs_on_the_delay(view const& v) noexcept {
  if (!retries(v)) return true;
  auto const room = v.tried.params[total_time_ms].n - v.tried.steps[v.step].args[elapsed_ms].n;
  return has_delay(v) && room >= 0 && spec::admissible::between(0, room).admits(delay(v));
}
constexpr std::array<std::string_view, 10> what_delays{
    "retryable_errors_are_retried",   "service_errors_are_treated_alike",
    "delay_never_exceeds_cmax",       "delay_is_never_below_cmin",
    "delay_is_never_negative",        "first_delay_is_cmin",
    "delay_follows_the_formula",      "delay_stays_at_cmax",
    "same_count_and_draw_same_delay", "custom_delay_is_taken"};

// The requirement nearest to the claim stands first: it is the one that a verdict quotes.
constexpr std::array<std::string_view, 2> answer{"AZ-JR-018", "AZ-JR-012"};
constexpr std::array<std::string_view, 6> constants{"AZ-JR-012", "AZ-JR-013", "AZ-JR-014",
                                                    "AZ-JR-015", "AZ-JR-016", "AZ-JR-017"};
constexpr std::array<std::string_view, 2> unknown{"AZ-JR-024", "AZ-JR-002"};
constexpr std::array<std::string_view, 2> terminal{"AZ-JR-002", "AZ-JR-005"};
constexpr std::array<std::string_view, 3> filter{"AZ-JR-001", "AZ-JR-002", "AZ-JR-005"};
constexpr std::array<std::string_view, 1> disabled{"AZ-JR-019"};
constexpr std::array<std::string_view, 2> veto{"AZ-JR-022", "AZ-JR-020"};
constexpr std::array<std::string_view, 3> granted{"AZ-JR-018", "AZ-JR-001", "AZ-JR-020"};
constexpr std::array<std::string_view, 2> alike{"AZ-JR-007", "AZ-JR-018"};
constexpr std::array<std::string_view, 1> time{"AZ-JR-010"};
constexpr std::array<std::string_view, 2> waits{"AZ-JR-012", "AZ-JR-018"};
constexpr std::array<std::string_view, 2> minimum{"AZ-JR-014", "AZ-JR-006"};
constexpr std::array<std::string_view, 2> maximum{"AZ-JR-015", "AZ-JR-012"};
constexpr std::array<std::string_view, 2> first{"AZ-JR-012", "AZ-JR-014"};
constexpr std::array<std::string_view, 1> seeds{"AZ-JR-I01"};
constexpr std::array<std::string_view, 8> formula{"AZ-JR-012", "AZ-JR-008", "AZ-JR-009", "AZ-JR-011",
                                                  "AZ-JR-013", "AZ-JR-014", "AZ-JR-016", "AZ-JR-017"};
constexpr std::array<std::string_view, 4> jitter{"AZ-JR-012", "AZ-JR-008", "AZ-JR-016", "AZ-JR-017"};
constexpr std::array<std::string_view, 2> new_jitter{"AZ-JR-012", "AZ-JR-008"};
constexpr std::array<std::string_view, 2> function{"AZ-JR-007", "AZ-JR-012"};
constexpr std::array<std::string_view, 2> custom_delay{"AZ-JR-023", "AZ-JR-020"};
constexpr std::array<std::string_view, 2> reach{"AZ-JR-020", "AZ-JR-018"};
constexpr std::array<std::string_view, 1> out_of_reach{"AZ-JR-021"};

// ---- Which requirement a call breaks, where a claim has several ----

// That of the policy that decides; where the ends of its random factor meet or cross, that of the ends.
std::string_view that_it_is_answered(view const& v) noexcept {
  if (v.facts.policy == policy::custom) return "AZ-JR-020";
  if (v.facts.policy == policy::no_retry) return "AZ-JR-019";
  auto const& p = v.tried.params;
  bool const are_set = p[jd].is != value::kind::absent && p[ju].is != value::kind::absent;
  bool const meets = are_set && p[jd].n <= p[ju].n;
  return meets ? "AZ-JR-017" : "AZ-JR-012";
}
// A longer delay breaks the bound, a shorter one the formula.
std::string_view of_the_longest_delay(view const& v) noexcept {
  bool const is_shorter = spec::admissible::between(0, v.facts.most_ms).admits(delay(v));
  return is_shorter ? "AZ-JR-012" : "AZ-JR-015";
}

// Rules of the document that several claims are parts of.
constexpr std::string_view delay_formula = "the delay formula";
constexpr std::string_view error_filter = "the error filter";
constexpr std::string_view retried_errors = "which errors are retried";
constexpr std::string_view asked_policies = "what a custom policy is asked";

constexpr std::array claims{
    citing<model::facts>(that_it_is_answered, claim<model::facts>{{"no_call_fails", "every call is answered; none throws or reports an error", answer},
                        always,
                        [](view const& v) noexcept { return !fails(v); }}),
    claim<model::facts>{
        {"documented_parameters_are_taken", "no parameters are refused; inverted bounds always or never", constants},
        [](view const& v) noexcept { return !fails(v); },
        status_is_admitted},
    claim<model::facts>{part_of(error_filter, {"unknown_errors_are_not_retried",
                                               "an error that the filter does not know ends the operation", unknown,
                                               strength::must, feature::errors}),
                        [](view const& v) noexcept { return stops_for(v, error::unknown); }, retry_is_admitted},
    claim<model::facts>{part_of(error_filter, {"terminal_errors_are_not_retried",
                                               "a terminal error ends the operation, whatever the policy", terminal,
                                               strength::must, feature::errors}),
                        [](view const& v) noexcept { return stops_for(v, error::terminal); }, retry_is_admitted},
    claim<model::facts>{
        part_of(error_filter, {"only_retryable_errors_are_retried",
                               "an error that is not retryable ends the operation, whatever the policy", filter}),
        [](view const& v) noexcept { return decided(v) && !v.facts.passes; }, retry_is_admitted},
    claim<model::facts>{only_where(knows<policy::no_retry>,
                                   {"no_retry_never_retries", "the policy no_retry ends every operation", disabled}),
                        [](view const& v) noexcept { return reaches(v, policy::no_retry); }, retry_is_admitted},
    claim<model::facts>{
        only_where(custom, {"custom_policy_may_veto", "a custom policy that decides against a retry ends the operation",
                            veto, strength::must, feature::custom_policy}),
        [](view const& v) noexcept { return reaches(v, policy::custom) && v.facts.vetoed; }, retry_is_admitted},
    claim<model::facts>{
        only_where(backing_off,
                   part_of(retried_errors,
                           {"service_errors_are_treated_alike",
                            "after an error that the service reports, the default policy always retries or never",
                            alike, strength::must, feature::errors})),
        [](view const& v) noexcept { return refused(v) && (!v.facts.limited || v.facts.vetoed); }, retry_is_admitted},
    claim<model::facts>{
        only_where(retrying, part_of(retried_errors,
                                     {"retryable_errors_are_retried",
                                      "without a total time, what filter and policy let through is retried", granted})),
        [](view const& v) noexcept { return policy_retries(v) && !v.facts.limited && !refused(v); }, retry_is_admitted},
    claim<model::facts>{
        leaning_on(what_delays,
                   only_where(retrying, {"total_time_ends_retries",
                                         "a retry is granted if its wait ends within the total time, and only then",
                                         time, strength::must, feature::total_time})),
        [](view const& v) noexcept { return policy_retries(v) && v.facts.limited; }, retry_is_admitted,
        hangs_on_the_delay},
    claim<model::facts>{only_where(retrying, {"delay_is_a_number", "every retry comes with a finite delay", waits}),
                        [](view const& v) noexcept { return decided(v) && retries(v); }, has_delay},
    claim<model::facts>{
        only_where(retrying, bound_of(delay_formula, {"delay_is_never_negative", "no delay is below 0 ms", minimum})),
        wanted_delay, [](view const& v) noexcept { return delay(v).value.mantissa >= 0 || delay_is_admitted(v); }},
    claim<model::facts>{
        only_where(backing_off,
                   bound_of(delay_formula, {"delay_never_exceeds_cmax",
                                            "no delay of the default policy is longer than cmax_ms", maximum})),
        backs_off,
        [](view const& v) noexcept {
          return delay_is_admitted(v) || delay(v).value.mantissa < 0 ||
                 spec::admissible::between(0, v.facts.most_ms).admits(delay(v));
        }},
    claim<model::facts>{
        only_where(
            backing_off,
            bound_of(delay_formula, {"delay_is_never_below_cmin",
                                     "no delay of the default policy is shorter than min(cmin_ms, cmax_ms)", minimum})),
        backs_off,
        [](view const& v) noexcept {
          return delay_is_admitted(v) || !spec::admissible::between(0, v.facts.least_ms).admits(delay(v)) ||
                 spec::admissible::between(v.facts.least_ms, v.facts.least_ms).admits(delay(v));
        }},
    claim<model::facts>{
        only_where(backing_off,
                   part_of(delay_formula, {"first_delay_is_cmin",
                                           "before the first retry the wait is the minimum, without jitter", first})),
        [](view const& v) noexcept { return plain(v) && v.facts.retry_count < 2 && !v.facts.at_cap; },
        delay_is_admitted},
    claim<model::facts>{
        only_where(backing_off,
                   part_of(delay_formula,
                           {"delay_follows_the_formula",
                            "below cmax_ms the wait is cmin_ms and 2^(x-1) - 1 times a random part of the interval",
                            formula})),
        [](view const& v) noexcept { return plain(v) && v.facts.retry_count >= 2 && !v.facts.at_cap; },
        delay_is_admitted},
    citing<model::facts>(of_the_longest_delay, claim<model::facts>{
        only_where(backing_off,
                   part_of(delay_formula, {"delay_stays_at_cmax",
                                           "where every draw would exceed cmax_ms, the wait is cmax_ms", maximum})),
        [](view const& v) noexcept { return plain(v) && v.facts.at_cap; }, delay_is_admitted}),
    claim<model::facts>{
        comparing(dependence::repeats,
                  only_where(backing_off,
                             {"same_count_and_draw_same_delay",
                              "a delay depends on the count and the draw, not on the error or on what came before",
                              function})),
        [](view const& v) noexcept { return backs_off(v) && repeats(v) && !v.shared; }, delay_is_admitted},
    claim<model::facts>{
        comparing(dependence::instances,
                  only_where(backing_off, {"instances_are_independent",
                                           "what is decided for one instance changes no delay of another", function,
                                           strength::must, feature::instances})),
        [](view const& v) noexcept { return backs_off(v) && v.shared; }, delay_is_admitted},
    claim<model::facts>{only_where(custom, {"custom_delay_is_taken", "the wait is what the custom policy declares",
                                            custom_delay, strength::must, feature::custom_policy}),
                        [](view const& v) noexcept { return wanted_delay(v) && v.facts.policy == policy::custom; },
                        delay_is_admitted},
    claim<model::facts>{
        only_where(custom, part_of(asked_policies, {"retryable_errors_reach_the_policy",
                                                    "a custom policy is asked about every retryable error", reach,
                                                    strength::must, feature::custom_policy})),
        [](view const& v) noexcept {
          return decided(v) && v.facts.passes && v.port[model::field_consulted].is != observed::kind::absent;
        },
        consulted_is_admitted},
    claim<model::facts>{
        only_where(custom, part_of(asked_policies, {"other_errors_never_reach_a_policy",
                                                    "a custom policy is not asked about an error that is not retryable",
                                                    out_of_reach, strength::must, feature::custom_policy})),
        [](view const& v) noexcept {
          return decided(v) && !v.facts.passes && v.port[model::field_consulted].is != observed::kind::absent;
        },
        consulted_is_admitted},
    claim<model::facts>{only_where(backing_off, {"jitter_fills_its_range",
                                                 "each delay between the ends of F(x) is as likely as any other",
                                                 jitter,
                                                 strength::must,
                                                 {},
                                                 about_draws::uniform}),
                        never, always},
    claim<model::facts>{only_where(backing_off, {"jitter_is_independent",
                                                 "no delay depends on others, of this instance or of another",
                                                 new_jitter,
                                                 strength::must,
                                                 {},
                                                 about_draws::independent}),
                        never, always},
    claim<model::facts>{
        only_where(backing_off, {"processes_draw_differently", "two processes of a port do not draw the same delays",
                                 seeds, strength::interface, feature::fresh_process, about_draws::seeded}),
        never, always},
};

}  // namespace

std::span<claim<model::facts> const> azure_java_retry_policy_claims() noexcept { return claims; }

}  // namespace backoff::conformance
