#include "systems/aws_backoff_algorithm/claims.hpp"

#include "aws_backoff_algorithm/claim_texts.hpp"
#include "aws_backoff_algorithm/page.hpp"

namespace backoff::systems {
namespace {

namespace page = pages::aws_backoff_algorithm;
namespace said = page::said;
namespace model = spec::aws_backoff_algorithm;
using view = claim_view<model::facts>;

bool says(view const& v, model::status s) noexcept {
  return v.port[model::field_status] == observed::word(static_cast<std::uint8_t>(s));
}
observed const& delay(view const& v) { return v.port[model::field_delay]; }
bool has_delay(view const& v) noexcept { return delay(v).kind == observed_kind::number; }
bool called_next(view const& v) noexcept { return v.tried.steps[v.step].op == page::call::next; }
bool granted(view const& v) { return v.facts.grants; }
bool retried(view const& v) noexcept { return called_next(v) && says(v, model::status::retry); }
bool answered(view const& v) noexcept { return granted(v) && !says(v, model::status::error); }
// What comes after a reset or beside another instance has a claim of its own.
bool first_cycle_alone(view const& v) noexcept { return !v.facts.after_reset && !v.shared; }
bool admitted_retry(view const& v) {
  return says(v, model::status::retry) && has_delay(v) && v.documented[model::field_delay].admits(delay(v));
}
bool wanted_delay(view const& v) { return granted(v) && retried(v) && has_delay(v); }
bool delay_is_admitted(view const& v) { return v.documented[model::field_delay].admits(delay(v)); }

// What a port takes of what the document does not name: a reset, a limit, none.
bool can_be_reset(domain const& d) noexcept { return d.answers(page::call::reset); }
bool can_be_limited(domain const& d) noexcept { return d.params[page::param::max_attempts].numbers; }
bool can_go_on_forever(domain const& d) noexcept { return d.params[page::param::max_attempts].words != 0; }

bool always(view const&) noexcept { return true; }
bool says_retry(view const& v) noexcept { return says(v, model::status::retry); }
bool says_exhausted(view const& v) noexcept { return says(v, model::status::exhausted); }

// Up to the tolerance of real answers; an integer is held to the limit exactly.
bool within_limit(view const& v) {
  if (delay(v).value.integral()) return delay(v).value.mantissa <= v.facts.limit;
  return spec::admissible::between(0, v.facts.limit).admits(delay(v)) || delay(v).value.mantissa < 0;
}

constexpr claim<model::facts> claims[] = {
    {said::no_call_fails, always, [](view const& v) { return !says(v, model::status::error); }},
    {said::delay_is_a_number, retried, has_delay},
    {said::delay_is_never_negative, [](view const& v) { return retried(v) && has_delay(v); },
     [](view const& v) { return delay(v).value.mantissa >= 0; }},
    {said::delay_never_exceeds_cap, [](view const& v) { return retried(v) && has_delay(v); }, within_limit},
    {said::jitter_survives_the_cap,
     [](view const& v) { return wanted_delay(v) && v.facts.at_cap && first_cycle_alone(v); }, delay_is_admitted},
    {said::first_delay_is_drawn_from_the_base,
     [](view const& v) { return wanted_delay(v) && !v.facts.at_cap && first_cycle_alone(v) && v.facts.retries == 0; },
     delay_is_admitted},
    {said::window_doubles_with_each_retry,
     [](view const& v) { return wanted_delay(v) && !v.facts.at_cap && first_cycle_alone(v) && v.facts.retries > 0; },
     delay_is_admitted},
    {said::instances_are_independent, [](view const& v) { return wanted_delay(v) && v.shared && !v.facts.after_reset; },
     delay_is_admitted},
    {only_where(can_be_reset, said::reset_starts_a_fresh_cycle),
     [](view const& v) { return answered(v) && v.facts.after_reset; }, admitted_retry},
    {only_where(can_be_limited, said::retries_until_max_attempts),
     [](view const& v) { return answered(v) && v.facts.limited; }, says_retry},
    {only_where(can_go_on_forever, said::forever_never_exhausts),
     [](view const& v) { return answered(v) && !v.facts.limited; }, says_retry},
    {only_where(can_be_limited, said::exhausted_after_max_attempts), [](view const& v) { return v.facts.announces; },
     says_exhausted},
    {only_where(can_be_limited, said::exhaustion_is_sticky),
     [](view const& v) { return called_next(v) && !granted(v) && !v.facts.announces; }, says_exhausted},
    {only_where(can_be_reset, said::reset_is_acknowledged), [](view const& v) { return !called_next(v); },
     [](view const& v) { return says(v, model::status::ok); }},
    {said::delays_fill_their_window},
    {said::delays_are_independent},
    {said::processes_draw_differently},
};
static_assert(are_all_of_the_page(claims, said::all));

}  // namespace

claim_list<model::facts> aws_backoff_algorithm_claims() noexcept { return claim_list<model::facts>::of<claims>(); }

}  // namespace backoff::systems
