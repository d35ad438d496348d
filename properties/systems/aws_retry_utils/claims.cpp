#include "systems/aws_retry_utils/claims.hpp"

#include <array>
#include <limits>

namespace backoff::conformance {
namespace {

namespace model = spec::aws_retry_utils;
using view = claim_view<model::facts>;

constexpr std::uint8_t back_off = 0;  // as properties/systems/aws_retry_utils/history.cpp lists the operations

bool says(view const& v, model::status s) noexcept {
  return v.port[model::field_status] == observed::word(static_cast<std::uint8_t>(s));
}
observed const& slept(view const& v) noexcept { return v.port[model::field_slept]; }
bool has_sleep(view const& v) noexcept { return slept(v).is == observed::kind::number; }
bool called_back_off(view const& v) noexcept { return v.tried.steps[v.step].op == back_off; }
bool granted(view const& v) noexcept { return v.facts.grants; }
bool retried(view const& v) noexcept { return called_back_off(v) && says(v, model::status::retry); }
bool answered(view const& v) noexcept { return granted(v) && !says(v, model::status::error); }
// What comes in a later cycle or beside another instance has a claim of its own.
bool plain(view const& v) noexcept { return !v.facts.again && !v.shared; }
bool admitted(view const& v, model::field f) noexcept { return v.documented[f].admits(v.port[f]); }
bool sleep_is_admitted(view const& v) noexcept { return admitted(v, model::field_slept); }
bool admitted_retry(view const& v) noexcept {
  return says(v, model::status::retry) && has_sleep(v) && sleep_is_admitted(v);
}
bool slept_a_number(view const& v) noexcept { return retried(v) && has_sleep(v); }
bool wanted_sleep(view const& v) noexcept { return granted(v) && slept_a_number(v); }

bool after_exhaustion(view const& v) noexcept { return granted(v) ? v.facts.by_itself : !v.facts.announces; }

bool always(view const&) noexcept { return true; }
bool never(view const&) noexcept { return false; }
bool says_retry(view const& v) noexcept { return says(v, model::status::retry); }
bool says_exhausted(view const& v) noexcept { return says(v, model::status::exhausted); }

// A port shows its state in every answer but that of a call that fails, or in none.
bool shows(view const& v, model::field f) noexcept {
  return v.port[f].is != observed::kind::absent && !says(v, model::status::error);
}

// Up to the tolerance of real answers; an integer is held to the limit exactly.
bool within_limit(view const& v) noexcept {
  if (slept(v).value.integral()) return slept(v).value.mantissa <= v.facts.limit;
  return spec::admissible::between(0, v.facts.limit).admits(slept(v)) || slept(v).value.mantissa < 0;
}

// ---- What a port can be put to whose parameters are compiled in ----

enum param : std::size_t { initial_s, max_s, jitter_s, max_attempts };

bool has_limit(domain const& d) noexcept { return d.params[max_attempts].high > 0; }
bool has_no_limit(domain const& d) noexcept { return d.params[max_attempts].low == 0; }
bool begins_below_the_cap(domain const& d) noexcept { return d.params[initial_s].low < d.params[max_s].high; }
bool doubles_below_the_cap(domain const& d) noexcept {
  bool const retries_twice = has_no_limit(d) || d.params[max_attempts].high > 1;
  return retries_twice && 2 * d.params[initial_s].low < d.params[max_s].high;
}
bool reaches_the_cap(domain const& d) noexcept {
  auto window = d.params[initial_s].high + d.params[jitter_s].high;
  auto retries = has_no_limit(d) ? std::numeric_limits<std::int64_t>::max() : d.params[max_attempts].high;
  for (; window > 0 && window < d.params[max_s].low && retries > 1; --retries) window *= 2;
  return retries > 0 && window >= d.params[max_s].low;
}

// The requirement nearest to the claim stands first: it is the one that a verdict quotes.
constexpr std::array<std::string_view, 1> both_functions{"AWS-RU-007"};
constexpr std::array<std::string_view, 1> entropy{"AWS-RU-015"};
constexpr std::array<std::string_view, 3> random_amount{"AWS-RU-003", "AWS-RU-016", "AWS-RU-022"};
constexpr std::array<std::string_view, 4> capped{"AWS-RU-018", "AWS-RU-003", "AWS-RU-005", "AWS-RU-006"};
constexpr std::array<std::string_view, 4> jittered_cap{"AWS-RU-003", "AWS-RU-016", "AWS-RU-005", "AWS-RU-018"};
constexpr std::array<std::string_view, 6> first{"AWS-RU-026", "AWS-RU-013", "AWS-RU-012",
                                                "AWS-RU-016", "AWS-RU-006", "AWS-RU-002"};
constexpr std::array<std::string_view, 3> doubled{"AWS-RU-017", "AWS-RU-004", "AWS-RU-006"};
constexpr std::array<std::string_view, 1> own_state{"AWS-RU-010"};
constexpr std::array<std::string_view, 4> reset{"AWS-RU-010", "AWS-RU-011", "AWS-RU-013", "AWS-RU-021"};
constexpr std::array<std::string_view, 2> many_draws{"AWS-RU-003", "AWS-RU-016"};
constexpr std::array<std::string_view, 3> until_limit{"AWS-RU-025", "AWS-RU-019", "AWS-RU-022"};
constexpr std::array<std::string_view, 1> unlimited{"AWS-RU-020"};
constexpr std::array<std::string_view, 2> limit{"AWS-RU-025", "AWS-RU-019"};
constexpr std::array<std::string_view, 3> lasting{"AWS-RU-025", "AWS-RU-021", "AWS-RU-019"};
constexpr std::array<std::string_view, 2> acknowledged{"AWS-RU-007", "AWS-RU-010"};
constexpr std::array<std::string_view, 2> counted{"AWS-RU-023", "AWS-RU-011"};
constexpr std::array<std::string_view, 4> next_window{"AWS-RU-017", "AWS-RU-027", "AWS-RU-012", "AWS-RU-018"};

// ---- Which requirement a call breaks, where a claim has several ----

// A reset draws its jitter, and a sleep is drawn: where one of them throws, that is most often why.
std::string_view that_it_is_answered(view const& v) noexcept {
  return called_back_off(v) ? "AWS-RU-003" : "AWS-RU-013";
}
// A sleep that its window has is drawn wrongly; others have another window.
std::string_view of_a_first_sleep(view const& v) noexcept {
  bool const is_inside = spec::admissible::between(0, v.facts.limit).admits(slept(v));
  return is_inside ? "AWS-RU-003" : "AWS-RU-026";
}
std::string_view of_a_reset(view const& v) noexcept {
  if (!granted(v) || !admitted(v, model::field_attempts_done)) return "AWS-RU-011";
  return "AWS-RU-012";
}
std::string_view of_a_window(view const& v) noexcept { return called_back_off(v) ? "AWS-RU-017" : "AWS-RU-012"; }

// Rules of the document that several claims are parts of.
constexpr std::string_view delay_formula = "the delay formula";
constexpr std::string_view attempt_limit = "the limit of attempts";

constexpr std::array claims{
    citing<model::facts>(
        that_it_is_answered,
        claim<model::facts>{
            {"no_call_fails", "every call is answered; none throws or reports an error", both_functions},
            always,
            [](view const& v) noexcept { return !says(v, model::status::error); }}),
    claim<model::facts>{
        {"sleep_is_a_number", "every granted retry comes with a finite sleep", random_amount}, retried, has_sleep},
    claim<model::facts>{bound_of(delay_formula, {"sleep_is_never_negative", "no sleep is below 0 s", random_amount}),
                        slept_a_number, [](view const& v) noexcept { return slept(v).value.mantissa >= 0; }},
    claim<model::facts>{
        bound_of(delay_formula, {"sleep_never_exceeds_cap", "no sleep is longer than max_backoff_s", capped}),
        slept_a_number, within_limit},
    claim<model::facts>{
        part_of(
            delay_formula,
            {"jitter_survives_the_cap",
             "once the window has reached max_backoff_s, sleeps are still drawn from the whole of [0, max_backoff_s]",
             jittered_cap,
             strength::must,
             {},
             {},
             reaches_the_cap}),
        [](view const& v) noexcept { return wanted_sleep(v) && v.facts.at_cap && plain(v); }, sleep_is_admitted},
    citing<model::facts>(
        of_a_first_sleep,
        claim<model::facts>{
            part_of(delay_formula,
                    {"first_sleep_is_drawn_from_the_base",
                     "the first sleep after a reset is drawn from [0, min(initial_backoff_s + jitter, max_backoff_s)]",
                     first,
                     strength::must,
                     {},
                     {},
                     begins_below_the_cap}),
            [](view const& v) noexcept {
              return wanted_sleep(v) && !v.facts.at_cap && plain(v) && v.facts.retries == 0;
            },
            sleep_is_admitted}),
    claim<model::facts>{
        starting_from("first_sleep_is_drawn_from_the_base",
                      part_of(delay_formula,
                              {"window_doubles_after_each_sleep",
                               "below max_backoff_s, each sleep is drawn from a window twice as wide as the one before",
                               doubled,
                               strength::must,
                               {},
                               {},
                               doubles_below_the_cap})),
        [](view const& v) noexcept { return wanted_sleep(v) && !v.facts.at_cap && plain(v) && v.facts.retries > 0; },
        sleep_is_admitted},
    claim<model::facts>{comparing(dependence::instances, {"instances_are_independent",
                                                          "what is called on one instance changes no answer of another",
                                                          own_state, strength::must, feature::instances}),
                        [](view const& v) noexcept { return wanted_sleep(v) && v.shared && !v.facts.again; },
                        sleep_is_admitted},
    citing<model::facts>(
        of_a_reset,
        claim<model::facts>{
            comparing(dependence::reset,
                      {"reset_starts_a_fresh_cycle",
                       "after a later reset the instance answers as after the first, with a jitter drawn anew", reset}),
            [](view const& v) noexcept { return answered(v) && v.facts.again; }, admitted_retry}),
    claim<model::facts>{part_of(attempt_limit, {"retries_until_max_attempts",
                                                "the first max_attempts calls of a cycle each sleep",
                                                until_limit,
                                                strength::must,
                                                {},
                                                {},
                                                has_limit}),
                        [](view const& v) noexcept { return answered(v) && v.facts.limited; }, says_retry},
    claim<model::facts>{part_of(attempt_limit, {"zero_attempts_are_unlimited",
                                                "where max_attempts is 0 every call sleeps",
                                                unlimited,
                                                strength::must,
                                                {},
                                                {},
                                                has_no_limit}),
                        [](view const& v) noexcept { return answered(v) && !v.facts.limited; }, says_retry},
    claim<model::facts>{
        part_of(attempt_limit, {"exhausted_after_max_attempts",
                                "call max_attempts + 1 of a cycle reports exhaustion and does not sleep",
                                limit,
                                strength::must,
                                {},
                                {},
                                has_limit}),
        [](view const& v) noexcept { return v.facts.announces; }, says_exhausted},
    claim<model::facts>{
        part_of(attempt_limit,
                {"exhaustion_lasts_until_reset",
                 "an exhausted cycle stays exhausted until it is reset, and is fresh then; by itself only "
                 "where that is read so",
                 lasting,
                 strength::must,
                 {},
                 {},
                 has_limit}),
        [](view const& v) noexcept {
          return called_back_off(v) && after_exhaustion(v) && !says(v, model::status::error);
        },
        [](view const& v) noexcept { return granted(v) ? admitted_retry(v) : says_exhausted(v); }},
    claim<model::facts>{{"reset_is_acknowledged", "reset answers ok", acknowledged},
                        [](view const& v) noexcept { return !called_back_off(v) && !says(v, model::status::error); },
                        [](view const& v) noexcept { return says(v, model::status::ok); }},
    claim<model::facts>{
        {"attempts_done_counts_sleeps", "attempts_done is 0 after a reset and one more after each sleep", counted,
         strength::must, feature::state},
        [](view const& v) noexcept { return shows(v, model::field_attempts_done); },
        [](view const& v) noexcept { return admitted(v, model::field_attempts_done); }},
    citing<model::facts>(
        of_a_window,
        claim<model::facts>{
            part_of(delay_formula,
                    {"next_jitter_max_is_the_next_window",
                     "next_jitter_max is initial_backoff_s + jitter after a reset, and doubles after each sleep up "
                     "to max_backoff_s",
                     next_window, strength::must, feature::state}),
            [](view const& v) noexcept { return shows(v, model::field_next_jitter_max); },
            [](view const& v) noexcept { return admitted(v, model::field_next_jitter_max); }}),
    claim<model::facts>{{"sleeps_fill_their_window",
                         "each sleep of a window is as likely as any other",
                         many_draws,
                         strength::must,
                         {},
                         about_draws::uniform},
                        never,
                        always},
    claim<model::facts>{{"sleeps_are_independent",
                         "no draw depends on others, of this cycle, of another one or of another instance",
                         many_draws,
                         strength::must,
                         {},
                         about_draws::independent},
                        never,
                        always},
    claim<model::facts>{{"processes_draw_differently", "two processes of a port do not draw the same sleeps", entropy,
                         strength::recommended, feature::fresh_process, about_draws::seeded},
                        never,
                        always},
};

}  // namespace

std::span<claim<model::facts> const> aws_retry_utils_claims() noexcept { return claims; }

}  // namespace backoff::conformance
