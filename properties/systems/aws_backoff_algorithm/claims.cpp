#include "systems/aws_backoff_algorithm/claims.hpp"

#include <array>

namespace backoff::conformance {
namespace {

namespace model = spec::aws_backoff_algorithm;
using view = claim_view<model::facts>;

constexpr std::uint8_t next = 0;  // as properties/systems/aws_backoff_algorithm/history.cpp lists the operations

bool says(view const& v, model::status s) noexcept {
  return v.port[model::field_status] == observed::word(static_cast<std::uint8_t>(s));
}
observed const& delay(view const& v) noexcept { return v.port[model::field_delay]; }
bool has_delay(view const& v) noexcept { return delay(v).is == observed::kind::number; }
bool called_next(view const& v) noexcept { return v.tried.steps[v.step].op == next; }
bool granted(view const& v) noexcept { return v.facts.grants; }
bool retried(view const& v) noexcept { return called_next(v) && says(v, model::status::retry); }
bool answered(view const& v) noexcept { return granted(v) && !says(v, model::status::error); }
// What comes after a reset or beside another instance has a claim of its own.
bool plain(view const& v) noexcept { return !v.facts.after_reset && !v.shared; }
bool admitted_retry(view const& v) noexcept {
  return says(v, model::status::retry) && has_delay(v) && v.documented[model::field_delay].admits(delay(v));
}
bool wanted_delay(view const& v) noexcept { return granted(v) && retried(v) && has_delay(v); }
bool delay_is_admitted(view const& v) noexcept { return v.documented[model::field_delay].admits(delay(v)); }

// What a port takes of what the document does not name: a reset, a limit, none.
bool can_be_reset(domain const& d) noexcept { return d.answers(1); }
bool can_be_limited(domain const& d) noexcept { return d.params[2].numbers; }
bool can_go_on_forever(domain const& d) noexcept { return d.params[2].words != 0; }

bool always(view const&) noexcept { return true; }
bool never(view const&) noexcept { return false; }
bool says_retry(view const& v) noexcept { return says(v, model::status::retry); }
bool says_exhausted(view const& v) noexcept { return says(v, model::status::exhausted); }

// Up to the tolerance of real answers; an integer is held to the limit exactly.
bool within_limit(view const& v) noexcept {
  if (delay(v).value.integral()) return delay(v).value.mantissa <= v.facts.limit;
  return spec::admissible::between(0, v.facts.limit).admits(delay(v)) || delay(v).value.mantissa < 0;
}

// The requirement nearest to the claim stands first: it is the one that a verdict quotes.
constexpr std::array<std::string_view, 1> formula{"AWS-BA-006"};
constexpr std::array<std::string_view, 2> random_amount{"AWS-BA-003", "AWS-BA-006"};
constexpr std::array<std::string_view, 3> new_draws{"AWS-BA-008", "AWS-BA-003", "AWS-BA-006"};
constexpr std::array<std::string_view, 1> entropy{"AWS-BA-009"};
constexpr std::array<std::string_view, 3> capped{"AWS-BA-005", "AWS-BA-003", "AWS-BA-006"};
constexpr std::array<std::string_view, 4> jittered_cap{"AWS-BA-003", "AWS-BA-001", "AWS-BA-005", "AWS-BA-006"};
constexpr std::array<std::string_view, 3> first{"AWS-BA-006", "AWS-BA-001", "AWS-BA-002"};
constexpr std::array<std::string_view, 2> doubled{"AWS-BA-004", "AWS-BA-006"};
constexpr std::array<std::string_view, 1> own_state{"AWS-BA-007"};
constexpr std::array<std::string_view, 1> reset{"AWS-BA-I03"};
constexpr std::array<std::string_view, 1> limit{"AWS-BA-I01"};
constexpr std::array<std::string_view, 1> sticky{"AWS-BA-I02"};

// Rules of the document that several claims are parts of.
constexpr std::string_view delay_formula = "the delay formula";
constexpr std::string_view attempt_limit = "the limit of attempts";

constexpr std::array claims{
    claim<model::facts>{{"no_call_fails", "every call is answered; none throws or reports an error", formula},
                        always,
                        [](view const& v) noexcept { return !says(v, model::status::error); }},
    claim<model::facts>{
        {"delay_is_a_number", "every granted retry comes with a finite delay", random_amount}, retried, has_delay},
    claim<model::facts>{bound_of(delay_formula, {"delay_is_never_negative", "no delay is below 0 ms", random_amount}),
                        [](view const& v) noexcept { return retried(v) && has_delay(v); },
                        [](view const& v) noexcept { return delay(v).value.mantissa >= 0; }},
    claim<model::facts>{bound_of(delay_formula, {"delay_never_exceeds_cap", "no delay is longer than max_ms", capped}),
                        [](view const& v) noexcept { return retried(v) && has_delay(v); }, within_limit},
    claim<model::facts>{
        part_of(
            delay_formula,
            {"jitter_survives_the_cap",
             "once the window has reached max_ms, delays are still drawn from the whole of [0, max_ms]", jittered_cap}),
        [](view const& v) noexcept { return wanted_delay(v) && v.facts.at_cap && plain(v); }, delay_is_admitted},
    claim<model::facts>{
        part_of(delay_formula,
                {"first_delay_is_drawn_from_the_base",
                 "the first delay of a fresh cycle is drawn from the first window, which max_ms limits", first}),
        [](view const& v) noexcept { return wanted_delay(v) && !v.facts.at_cap && plain(v) && v.facts.retries == 0; },
        delay_is_admitted},
    claim<model::facts>{
        starting_from(
            "first_delay_is_drawn_from_the_base",
            part_of(delay_formula,
                    {"window_doubles_with_each_retry",
                     "below max_ms, each delay is drawn from a window twice as wide as the one before", doubled})),
        [](view const& v) noexcept { return wanted_delay(v) && !v.facts.at_cap && plain(v) && v.facts.retries > 0; },
        delay_is_admitted},
    claim<model::facts>{comparing(dependence::instances, {"instances_are_independent",
                                                          "what is called on one instance changes no answer of another",
                                                          own_state, strength::must, feature::instances}),
                        [](view const& v) noexcept { return wanted_delay(v) && v.shared && !v.facts.after_reset; },
                        delay_is_admitted},
    claim<model::facts>{
        comparing(dependence::reset, only_where(can_be_reset, {"reset_starts_a_fresh_cycle",
                                                               "after reset the instance answers as if newly made",
                                                               reset, strength::interface})),
        [](view const& v) noexcept { return answered(v) && v.facts.after_reset; }, admitted_retry},
    claim<model::facts>{
        only_where(can_be_limited, part_of(attempt_limit, {"retries_until_max_attempts",
                                                           "the first max_attempts calls of a cycle each grant a retry",
                                                           limit, strength::interface})),
        [](view const& v) noexcept { return answered(v) && v.facts.limited; }, says_retry},
    claim<model::facts>{
        only_where(can_go_on_forever,
                   part_of(attempt_limit, {"forever_never_exhausts", "without a limit every call grants a retry", limit,
                                           strength::interface})),
        [](view const& v) noexcept { return answered(v) && !v.facts.limited; }, says_retry},
    claim<model::facts>{
        only_where(can_be_limited, part_of(attempt_limit, {"exhausted_after_max_attempts",
                                                           "call max_attempts + 1 of a cycle reports exhaustion", limit,
                                                           strength::interface})),
        [](view const& v) noexcept { return v.facts.announces; }, says_exhausted},
    claim<model::facts>{
        only_where(can_be_limited,
                   part_of(attempt_limit, {"exhaustion_is_sticky", "an exhausted cycle stays exhausted until reset",
                                           sticky, strength::interface})),
        [](view const& v) noexcept { return called_next(v) && !granted(v) && !v.facts.announces; }, says_exhausted},
    claim<model::facts>{
        only_where(can_be_reset, {"reset_is_acknowledged", "reset answers ok", reset, strength::interface}),
        [](view const& v) noexcept { return !called_next(v); },
        [](view const& v) noexcept { return says(v, model::status::ok); }},
    claim<model::facts>{{"delays_fill_their_window",
                         "each delay of a window is as likely as any other",
                         random_amount,
                         strength::must,
                         {},
                         about_draws::uniform},
                        never,
                        always},
    claim<model::facts>{{"delays_are_independent",
                         "no delay depends on others, of this instance or of another",
                         new_draws,
                         strength::must,
                         {},
                         about_draws::independent},
                        never,
                        always},
    claim<model::facts>{{"processes_draw_differently", "two processes of a port do not draw the same delays", entropy,
                         strength::recommended, feature::fresh_process, about_draws::seeded},
                        never,
                        always},
};

}  // namespace

std::span<claim<model::facts> const> aws_backoff_algorithm_claims() noexcept { return claims; }

}  // namespace backoff::conformance
