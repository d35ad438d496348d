#include "systems/aws_retry_utils/claims.hpp"

#include <limits>

#include "aws_retry_utils/claim_texts.hpp"
#include "aws_retry_utils/page.hpp"

namespace backoff::systems {
namespace {

namespace page = pages::aws_retry_utils;
namespace said = page::said;
namespace model = spec::aws_retry_utils;
using view = claim_view<model::facts>;

bool says(view const& v, model::status s) noexcept {
  return v.port[model::field_status] == observed::word(static_cast<std::uint8_t>(s));
}
observed const& slept(view const& v) { return v.port[model::field_slept]; }
bool has_sleep(view const& v) noexcept { return slept(v).kind == observed_kind::number; }
bool called_back_off(view const& v) noexcept { return v.tried.steps[v.step].op == page::call::backoff; }
bool granted(view const& v) { return v.facts.grants; }
bool retried(view const& v) noexcept { return called_back_off(v) && says(v, model::status::retry); }
bool answered(view const& v) noexcept { return granted(v) && !says(v, model::status::error); }
// What comes in a later cycle or beside another instance has a claim of its own.
bool first_cycle_alone(view const& v) noexcept { return !v.facts.again && !v.shared; }
bool admitted(view const& v, model::field f) { return v.documented[f].admits(v.port[f]); }
bool sleep_is_admitted(view const& v) { return admitted(v, model::field_slept); }
bool admitted_retry(view const& v) { return says(v, model::status::retry) && has_sleep(v) && sleep_is_admitted(v); }
bool slept_a_number(view const& v) noexcept { return retried(v) && has_sleep(v); }
bool wanted_sleep(view const& v) noexcept { return granted(v) && slept_a_number(v); }

bool after_exhaustion(view const& v) noexcept { return granted(v) ? v.facts.by_itself : !v.facts.announces; }

bool always(view const&) noexcept { return true; }
bool says_retry(view const& v) noexcept { return says(v, model::status::retry); }
bool says_exhausted(view const& v) noexcept { return says(v, model::status::exhausted); }

// A port shows its state in every answer but that of a call that fails, or in none.
bool shows(view const& v, model::field f) noexcept {
  return v.port[f].kind != observed_kind::absent && !says(v, model::status::error);
}

// Up to the tolerance of real answers; an integer is held to the limit exactly.
bool within_limit(view const& v) {
  if (slept(v).value.integral()) return slept(v).value.mantissa <= v.facts.limit;
  return spec::admissible::between(0, v.facts.limit).admits(slept(v)) || slept(v).value.mantissa < 0;
}

// ---- What a port can be put to whose parameters are compiled in ----

using namespace page::param;

bool has_limit(domain const& d) noexcept { return d.params[max_attempts].high > 0; }
bool has_no_limit(domain const& d) noexcept { return d.params[max_attempts].low == 0; }
bool begins_below_the_cap(domain const& d) noexcept {
  return d.params[initial_backoff_s].low < d.params[max_backoff_s].high;
}
bool doubles_below_the_cap(domain const& d) noexcept {
  bool const retries_twice = has_no_limit(d) || d.params[max_attempts].high > 1;
  return retries_twice && 2 * d.params[initial_backoff_s].low < d.params[max_backoff_s].high;
}
bool reaches_the_cap(domain const& d) noexcept {
  auto window = d.params[initial_backoff_s].high + d.params[max_jitter_s].high;
  auto retries = has_no_limit(d) ? std::numeric_limits<std::int64_t>::max() : d.params[max_attempts].high;
  for (; window > 0 && window < d.params[max_backoff_s].low && retries > 1; --retries) window *= 2;
  return retries > 0 && window >= d.params[max_backoff_s].low;
}

// ---- Which requirement a call breaks, where a claim has several ----

// A reset draws its jitter, and a sleep is drawn: where one of them throws, that is most often why.
std::string_view that_it_is_answered(view const& v) noexcept {
  return called_back_off(v) ? "AWS-RU-003" : "AWS-RU-013";
}
// A sleep that its window has is drawn wrongly; others have another window.
std::string_view of_a_first_sleep(view const& v) {
  bool const is_inside = spec::admissible::between(0, v.facts.limit).admits(slept(v));
  return is_inside ? "AWS-RU-003" : "AWS-RU-026";
}
std::string_view of_a_reset(view const& v) {
  if (!granted(v) || !admitted(v, model::field_attempts_done)) return "AWS-RU-011";
  return "AWS-RU-012";
}
std::string_view of_a_window(view const& v) noexcept { return called_back_off(v) ? "AWS-RU-017" : "AWS-RU-012"; }

constexpr claim<model::facts> claims[] = {
    citing<model::facts>(that_it_is_answered,
                         {said::no_call_fails, always, [](view const& v) { return !says(v, model::status::error); }}),
    {said::sleep_is_a_number, retried, has_sleep},
    {said::sleep_is_never_negative, slept_a_number, [](view const& v) { return slept(v).value.mantissa >= 0; }},
    {said::sleep_never_exceeds_cap, slept_a_number, within_limit},
    {only_where(reaches_the_cap, said::jitter_survives_the_cap),
     [](view const& v) { return wanted_sleep(v) && v.facts.at_cap && first_cycle_alone(v); }, sleep_is_admitted},
    citing<model::facts>(of_a_first_sleep, {only_where(begins_below_the_cap, said::first_sleep_is_drawn_from_the_base),
                                            [](view const& v) {
                                              return wanted_sleep(v) && !v.facts.at_cap && first_cycle_alone(v) &&
                                                     v.facts.retries == 0;
                                            },
                                            sleep_is_admitted}),
    {only_where(doubles_below_the_cap, said::window_doubles_after_each_sleep),
     [](view const& v) { return wanted_sleep(v) && !v.facts.at_cap && first_cycle_alone(v) && v.facts.retries > 0; },
     sleep_is_admitted},
    {said::instances_are_independent, [](view const& v) { return wanted_sleep(v) && v.shared && !v.facts.again; },
     sleep_is_admitted},
    citing<model::facts>(of_a_reset, {said::reset_starts_a_fresh_cycle,
                                      [](view const& v) { return answered(v) && v.facts.again; }, admitted_retry}),
    {only_where(has_limit, said::retries_until_max_attempts),
     [](view const& v) { return answered(v) && v.facts.limited; }, says_retry},
    {only_where(has_no_limit, said::zero_attempts_are_unlimited),
     [](view const& v) { return answered(v) && !v.facts.limited; }, says_retry},
    {only_where(has_limit, said::exhausted_after_max_attempts), [](view const& v) { return v.facts.announces; },
     says_exhausted},
    {only_where(has_limit, said::exhaustion_lasts_until_reset),
     [](view const& v) { return called_back_off(v) && after_exhaustion(v) && !says(v, model::status::error); },
     [](view const& v) { return granted(v) ? admitted_retry(v) : says_exhausted(v); }},
    {said::reset_is_acknowledged, [](view const& v) { return !called_back_off(v) && !says(v, model::status::error); },
     [](view const& v) { return says(v, model::status::ok); }},
    {said::attempts_done_counts_sleeps, [](view const& v) { return shows(v, model::field_attempts_done); },
     [](view const& v) { return admitted(v, model::field_attempts_done); }},
    citing<model::facts>(of_a_window, {said::next_jitter_max_is_the_next_window,
                                       [](view const& v) { return shows(v, model::field_next_jitter_max); },
                                       [](view const& v) { return admitted(v, model::field_next_jitter_max); }}),
    {with_a_start("AWS-RU-013", said::sleeps_fill_their_window)},
    {said::sleeps_are_independent},
    {said::processes_draw_differently},
};
static_assert(are_all_of_the_page(claims, said::all));

}  // namespace

claim_list<model::facts> aws_retry_utils_claims() noexcept { return claim_list<model::facts>::of<claims>(); }

}  // namespace backoff::systems
