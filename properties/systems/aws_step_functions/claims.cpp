#include "systems/aws_step_functions/claims.hpp"

#include <array>

namespace backoff::conformance {
namespace {

namespace model = spec::aws_step_functions;
using view = claim_view<model::facts>;

bool says(view const& v, model::status s) noexcept {
  return v.port[model::field_status] == observed::word(static_cast<std::uint8_t>(s));
}
observed const& delay(view const& v) noexcept { return v.port[model::field_delay]; }
bool has_delay(view const& v) noexcept { return delay(v).is == observed::kind::number; }
bool retried(view const& v) noexcept { return says(v, model::status::retry); }
bool is_admitted(view const& v) noexcept { return v.documented[model::field_delay].admits(delay(v)); }

bool always(view const&) noexcept { return true; }
bool says_retry(view const& v) noexcept { return says(v, model::status::retry); }
bool says_exhausted(view const& v) noexcept { return says(v, model::status::exhausted); }

// A granted retry with a delay to look at. What comes beside another instance has a claim of its own.
bool wanted_delay(view const& v) noexcept { return v.facts.grants && retried(v) && has_delay(v); }
bool plain(view const& v) noexcept { return wanted_delay(v) && !v.shared; }

// The requirement nearest to the claim stands first: it is the one that a verdict quotes.
constexpr std::array<std::string_view, 2> formula{"AWS-SF-002", "AWS-SF-001"};
constexpr std::array<std::string_view, 1> first{"AWS-SF-001"};
constexpr std::array<std::string_view, 3> growth{"AWS-SF-002", "AWS-SF-003", "AWS-SF-006"};
constexpr std::array<std::string_view, 1> own_count{"AWS-SF-008"};
constexpr std::array<std::string_view, 1> limit{"AWS-SF-004"};
constexpr std::array<std::string_view, 2> failure{"AWS-SF-005", "AWS-SF-004"};
constexpr std::array<std::string_view, 1> sticky{"AWS-SF-I01"};

std::string_view of_long_delays(view const&) noexcept { return "AWS-SF-007"; }

// Rules of the document that several claims are parts of.
constexpr std::string_view delay_formula = "the delay formula";
constexpr std::string_view attempt_limit = "the limit of attempts";

constexpr std::array claims{
    claim<model::facts>{{"no_call_fails", "every call is answered; none throws or reports an error", formula},
                        always,
                        [](view const& v) noexcept { return !says(v, model::status::error); }},
    claim<model::facts>{{"delay_is_a_number", "every granted retry comes with a finite delay", formula},
                        retried,
                        [](view const& v) noexcept { return has_delay(v) || is_admitted(v); }},
    claim<model::facts>{bound_of(delay_formula, {"delay_is_never_negative", "no delay is below 0 s", formula}),
                        [](view const& v) noexcept { return retried(v) && has_delay(v); },
                        [](view const& v) noexcept { return delay(v).value.mantissa >= 0 || is_admitted(v); }},
    claim<model::facts>{
        part_of(delay_formula, {"first_delay_is_the_interval", "the first retry comes after interval_s", first}),
        [](view const& v) noexcept { return plain(v) && !v.facts.beyond && v.facts.retries == 0; }, is_admitted},
    claim<model::facts>{
        starting_from("first_delay_is_the_interval",
                      part_of(delay_formula,
                              {"delay_grows_by_the_rate",
                               "each further delay is backoff_rate times the one before; there is no cap", growth})),
        [](view const& v) noexcept { return plain(v) && !v.facts.beyond && v.facts.retries > 0; }, is_admitted},
    citing<model::facts>(
        of_long_delays,
        claim<model::facts>{
            special_case_of(delay_formula, {"long_delays_saturate",
                                            "a delay that some timers cannot hold is the formula's, or the "
                                            "longest that the port can hold: 2147483 s "
                                            "or more. From then on the delay stays there",
                                            formula}),
            [](view const& v) noexcept { return plain(v) && v.facts.beyond; }, is_admitted}),
    claim<model::facts>{comparing(dependence::instances, {"instances_are_independent",
                                                          "what is called on one instance changes no answer of another",
                                                          own_count, strength::must, feature::instances}),
                        [](view const& v) noexcept { return wanted_delay(v) && v.shared; }, is_admitted},
    claim<model::facts>{
        part_of(attempt_limit,
                {"retries_until_max_attempts", "the first max_attempts calls each grant a retry", limit}),
        [](view const& v) noexcept { return v.facts.grants && !says(v, model::status::error); }, says_retry},
    claim<model::facts>{
        part_of(attempt_limit,
                {"exhausted_after_max_attempts",
                 "call max_attempts + 1 reports that the retries are used up: three retries are four calls", failure}),
        [](view const& v) noexcept { return v.facts.announces; }, says_exhausted},
    claim<model::facts>{
        part_of(attempt_limit, {"exhaustion_is_sticky", "once the retries are used up, every later call says so",
                                sticky, strength::interface}),
        [](view const& v) noexcept { return !v.facts.grants && !v.facts.announces; }, says_exhausted},
};

}  // namespace

std::span<claim<model::facts> const> aws_step_functions_claims() noexcept { return claims; }

}  // namespace backoff::conformance
