#include "systems/azure_c_retry_control/claims.hpp"

#include <algorithm>
#include <array>

#include "azure_c_retry_control/claim_texts.hpp"
#include "systems/azure_c_retry_control/history.hpp"

namespace backoff::systems {
namespace {

namespace said = pages::azure_c_retry_control::said;
namespace model = spec::azure_c_retry_control;
namespace calls = systems::azure_c_calls;
using facts = azure_c_retry_control_facts;
using view = claim_view<facts>;

step const& call(view const& v) noexcept { return v.tried.steps[v.step]; }
bool called(view const& v, calls::call::type which) noexcept { return call(v).op == which; }
bool says(view const& v, model::status s) noexcept {
  return v.port[model::field_status] == observed::word(static_cast<std::uint8_t>(s));
}
bool answered(view const& v) noexcept { return !says(v, model::status::error); }
bool says_action(view const& v, model::action a) noexcept {
  return v.port[model::field_action] == observed::word(static_cast<std::uint8_t>(a));
}
bool admitted(view const& v, model::field f) { return v.documented[f].admits(v.port[f]); }
bool shows(view const& v, model::field f) noexcept { return answered(v) && v.port[f].kind != observed_kind::absent; }

bool has_result(view const& v) noexcept {
  return called(v, calls::should_retry) || called(v, calls::set_option) || called(v, calls::is_timeout_reached);
}
bool succeeds(view const& v) noexcept { return v.port[model::field_result] == observed::of(0); }
bool result_is_admitted(view const& v) { return admitted(v, model::field_result); }
bool action_is_admitted(view const& v) { return admitted(v, model::field_action); }

bool gives_options(view const& v) noexcept {
  return v.port[model::field_initial_wait].kind != observed_kind::absent ||
         v.port[model::field_max_jitter].kind != observed_kind::absent;
}
bool gives_none(view const& v) noexcept { return !gives_options(v); }
bool options_are_admitted(view const& v) {
  return admitted(v, model::field_initial_wait) && admitted(v, model::field_max_jitter);
}

bool null_argument(view const& v) noexcept {
  return v.facts.null_argument && !called(v, calls::reset) && !called(v, calls::destroy);
}

// Calls that fail for another reason than NULL.
bool fails(view const& v, calls::call::type which) noexcept {
  return answered(v) && called(v, which) && v.facts.fails && !v.facts.null_argument;
}
// Calls that must succeed, or may.
bool works(view const& v, calls::call::type which) noexcept {
  return answered(v) && called(v, which) && !v.facts.fails;
}

bool stops_at_once(view const& v) noexcept {
  return works(v, calls::should_retry) && v.facts.policy == model::policy::none;
}
// should_retry decides, and says so.
bool decides(view const& v) noexcept {
  return works(v, calls::should_retry) && v.facts.policy != model::policy::none && succeeds(v);
}
bool first(view const& v) noexcept { return decides(v) && v.facts.first; }
// Neither NOW nor LATER.
bool stops(view const& v) noexcept { return !v.facts.may_grant && !v.facts.may_wait; }
bool over(view const& v) noexcept { return v.facts.past_limit || stops(v); }
bool at_limit(view const& v) noexcept { return decides(v) && !v.facts.first && over(v); }
bool later_retry(view const& v) noexcept { return decides(v) && !v.facts.first && !over(v); }
bool immediate(view const& v) noexcept { return v.facts.policy == model::policy::immediate; }
bool waits(view const& v) noexcept { return later_retry(v) && !immediate(v); }

// Whether the call fails only because a retry is granted, or would fail if one were: that reads the clock again.
bool hangs_on_the_wait(view const& v) noexcept {
  if (v.facts.past_limit || immediate(v)) return false;
  if (v.facts.fails) return v.facts.may_grant && succeeds(v) && says_action(v, model::action::retry_later);
  auto const further = std::span(call(v).args).subspan(calls::clock_at + 1, calls::readings_max - 1);
  return v.facts.may_wait &&
         std::ranges::any_of(further, [](value const& r) { return r.kind != value_kind::absent && r.n == -1; });
}

// What comes after a reset, beside another instance, before the last reading or at a further poll has its own claim.
bool first_wait_alone(view const& v) noexcept {
  return waits(v) && !v.facts.after_reset && !v.shared && !v.facts.backwards && !v.facts.polled;
}
template <model::policy Which>
bool waits_under(view const& v) noexcept {
  return first_wait_alone(v) && v.facts.policy == Which;
}

// set_option: which it is, and whether it is a value of that option.
bool names_number(view const& v) noexcept {
  auto const name = calls::option_of(call(v));
  return name == model::option::initial_wait_time_in_secs || name == model::option::max_jitter_percent;
}
bool names_saved(view const& v) noexcept { return calls::option_of(call(v)) == model::option::retry_control_options; }
bool feed_fails(view const& v) noexcept { return (calls::fails_of(call(v)) & calls::fail_option_feed) != 0; }
bool names_nothing(view const& v) noexcept { return calls::option_of(call(v)) == model::option::unsupported; }

// Whether the options of this instance are still those that it was created with.
bool never_set(view const& v) noexcept {
  auto const before = std::span(v.tried.steps).first(v.step);
  return std::ranges::none_of(before, [&](step const& s) { return s.on == call(v).on && s.op == calls::set_option; });
}
bool retrieves(view const& v) noexcept { return works(v, calls::retrieve_options); }

bool shows_live(view const& v) noexcept { return shows(v, model::field_live) && !v.shared; }
bool live_is_admitted(view const& v) { return admitted(v, model::field_live); }
// What else an answer shows is held to the document where the answer itself is as documented.
bool right(view const& v) {
  return result_is_admitted(v) && (!called(v, calls::should_retry) || !succeeds(v) || action_is_admitted(v));
}
bool always(view const&) noexcept { return true; }

// ---- What a port can be put to that knows some policies ----

template <model::policy... Any>
bool knows(domain const& d) noexcept {
  auto const& policies = d.args[calls::create][calls::policy_at];
  return (policies.admits(value::word(static_cast<std::int64_t>(Any))) || ...);
}
using p = model::policy;
constexpr auto* waiting =
    knows<p::interval, p::linear_backoff, p::exponential_backoff, p::exponential_backoff_with_jitter, p::random>;
constexpr auto* retrying = knows<p::immediate, p::interval, p::linear_backoff, p::exponential_backoff,
                                 p::exponential_backoff_with_jitter, p::random>;
constexpr auto* drawing = knows<p::exponential_backoff_with_jitter, p::random>;

// A port whose clock cannot fail declares a range without -1.
bool fails_at(domain const& d, calls::call::type which, std::size_t at) noexcept {
  return d.args[which][at].admits(value::of(-1));
}
bool retries_by_a_clock_that_fails(domain const& d) noexcept {
  return retrying(d) && fails_at(d, calls::should_retry, calls::clock_at);
}
bool times_out_without_a_time(domain const& d) noexcept {
  return fails_at(d, calls::is_timeout_reached, calls::start_at) ||
         fails_at(d, calls::is_timeout_reached, calls::timeout_clock_at);
}

using id = std::string_view;

// ---- Which requirement a call breaks, where a claim has several ----

// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): it joins literals
#define SRS(n) id("SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_" n)
// That the call returns; of NULL, and of an instance.
id that_it_returns(view const& v) noexcept {
  // By the number of the call: should_retry, create, set_option, retrieve_options, is_timeout_reached, reset, destroy.
  constexpr std::array<std::array<id, 2>, 7> of_calls{{{SRS("018"), SRS("010")},
                                                       {SRS("009"), SRS("009")},
                                                       {SRS("044"), SRS("036")},
                                                       {SRS("054"), SRS("045")},
                                                       {SRS("063"), SRS("058")},
                                                       {SRS("035"), SRS("034")},
                                                       {SRS("056"), SRS("055")}}};
  if (called(v, calls::create) && v.facts.fails) return SRS("003");
  return of_calls[call(v).op][v.facts.null_argument ? 1 : 0];
}
bool names_wait(view const& v) noexcept {
  return calls::option_of(call(v)) == model::option::initial_wait_time_in_secs;
}
id of_a_value_that_can_be_set(view const& v) noexcept { return names_wait(v) ? SRS("038") : SRS("040"); }
id of_a_bad_value(view const& v) noexcept {
  auto const& wait = call(v).args[calls::saved_wait_at];
  bool const is_a_wait = names_saved(v) ? wait.kind != value_kind::absent && wait.n == 0 : names_wait(v);
  return is_a_wait ? SRS("037") : SRS("039");
}
// What is missing; nothing: both are there.
id of_a_missing_option(view const& v) noexcept {
  if (gives_none(v)) return SRS("054");
  if (v.port[model::field_initial_wait].kind != observed_kind::number) return SRS("050");
  return v.port[model::field_max_jitter].kind != observed_kind::number ? SRS("051") : id();
}
id of_a_default(view const& v) {
  if (auto const missing = of_a_missing_option(v); !missing.empty()) return missing;
  if (admitted(v, model::field_initial_wait)) return SRS("007");
  bool const is_exponential = v.facts.policy == model::policy::exponential_backoff ||
                              v.facts.policy == model::policy::exponential_backoff_with_jitter;
  return is_exponential ? SRS("005") : SRS("006");
}
id of_what_was_set(view const& v) {
  if (auto const missing = of_a_missing_option(v); !missing.empty()) return missing;
  auto const before = std::span(v.tried.steps).first(v.step);
  bool const was_fed = std::ranges::any_of(before, [&](step const& s) {
    return s.on == call(v).on && s.op == calls::set_option &&
           calls::option_of(s) == model::option::retry_control_options;
  });
  if (was_fed) return SRS("041");
  return admitted(v, model::field_initial_wait) ? SRS("040") : SRS("038");
}
id of_a_timeout_that_fails(view const& v) noexcept {
  return call(v).args[calls::start_at].n == -1 ? SRS("057") : SRS("060");
}
id of_the_timeout(view const& v) {
  return v.documented[model::field_timed_out].admits(observed::word(1)) ? SRS("061") : SRS("062");
}
id of_what_is_left(view const& v) noexcept {
  if (called(v, calls::create)) return SRS("003");
  return called(v, calls::destroy) ? SRS("055") : SRS("053");
}
#undef SRS

constexpr claim<facts> claims[] = {
    citing<facts>(that_it_returns, {said::no_call_fails, always,
                                    [](view const& v) {
                                      return called(v, calls::create) ? answered(v) : admitted(v, model::field_status);
                                    }}),
    {said::create_gives_an_instance, [](view const& v) { return works(v, calls::create); },
     [](view const& v) { return says(v, model::status::ok); }},
    {said::create_without_memory_gives_null,
     [](view const& v) { return answered(v) && called(v, calls::create) && v.facts.fails; },
     [](view const& v) { return says(v, model::status::null); }},
    citing<facts>(that_it_returns,
                  {said::null_arguments_are_refused, [](view const& v) { return answered(v) && null_argument(v); },
                   [](view const& v) { return has_result(v) ? result_is_admitted(v) : gives_none(v); }}),
    {only_where(knows<p::none>, said::policy_none_stops), stops_at_once,
     [](view const& v) { return result_is_admitted(v) && (!succeeds(v) || action_is_admitted(v)); }},
    {only_where(retries_by_a_clock_that_fails, said::failed_clock_fails_the_call),
     [](view const& v) { return fails(v, calls::should_retry); }, result_is_admitted, hangs_on_the_wait},
    {only_where(retrying, said::should_retry_succeeds),
     [](view const& v) { return works(v, calls::should_retry) && v.facts.policy != model::policy::none; },
     result_is_admitted, hangs_on_the_wait},
    {only_where(retrying, said::first_retry_is_granted_at_once), first, action_is_admitted},
    {only_where(retrying, said::limit_stops_retrying), at_limit, action_is_admitted},
    {only_where(knows<p::immediate>, said::immediate_grants_every_retry),
     [](view const& v) { return later_retry(v) && immediate(v); }, action_is_admitted},
    {said::instances_are_independent, [](view const& v) { return v.shared && (waits(v) || retrieves(v)); },
     [](view const& v) { return retrieves(v) ? options_are_admitted(v) : action_is_admitted(v); }},
    {said::reset_starts_a_fresh_cycle,
     [](view const& v) { return v.facts.after_reset && !v.shared && (waits(v) || retrieves(v)); },
     [](view const& v) { return retrieves(v) ? options_are_admitted(v) : action_is_admitted(v); }},
    {only_where(waiting, said::clock_going_back_is_too_early),
     [](view const& v) { return waits(v) && v.facts.backwards && !v.facts.after_reset && !v.shared; },
     action_is_admitted},
    {only_where(waiting, said::asking_again_redraws_nothing),
     [](view const& v) {
       return waits(v) && v.facts.polled && !v.facts.backwards && !v.facts.after_reset && !v.shared;
     },
     action_is_admitted},
    {only_where(knows<p::interval>, said::interval_waits_the_initial_time), waits_under<model::policy::interval>,
     action_is_admitted},
    {only_where(knows<p::linear_backoff>, said::linear_wait_grows_by_the_initial_time),
     waits_under<model::policy::linear_backoff>, action_is_admitted},
    {only_where(knows<p::exponential_backoff>, said::exponential_wait_doubles),
     waits_under<model::policy::exponential_backoff>, action_is_admitted},
    {only_where(knows<p::exponential_backoff_with_jitter>, said::jitter_lengthens_the_doubled_wait),
     waits_under<model::policy::exponential_backoff_with_jitter>, action_is_admitted},
    {only_where(knows<p::random>, said::random_wait_is_part_of_the_initial_one), waits_under<model::policy::random>,
     action_is_admitted},
    {said::clock_is_read_where_documented, [](view const& v) { return shows(v, model::field_clock_reads) && right(v); },
     [](view const& v) { return admitted(v, model::field_clock_reads); }},
    {said::a_wait_draws_once, [](view const& v) { return shows(v, model::field_draws_used) && right(v); },
     [](view const& v) { return admitted(v, model::field_draws_used); }},
    citing<facts>(of_a_value_that_can_be_set,
                  {said::options_can_be_set,
                   [](view const& v) { return works(v, calls::set_option) && names_number(v); }, result_is_admitted}),
    citing<facts>(of_a_bad_value, {said::bad_option_values_are_refused,
                                   [](view const& v) {
                                     bool const has_values = names_number(v) || (names_saved(v) && !feed_fails(v));
                                     return fails(v, calls::set_option) && has_values;
                                   },
                                   result_is_admitted}),
    {said::unknown_options_are_refused, [](view const& v) { return fails(v, calls::set_option) && names_nothing(v); },
     result_is_admitted},
    {said::saved_options_can_be_fed, [](view const& v) { return works(v, calls::set_option) && names_saved(v); },
     result_is_admitted},
    {said::failed_feed_is_reported,
     [](view const& v) { return fails(v, calls::set_option) && names_saved(v) && feed_fails(v); }, result_is_admitted},
    citing<facts>(of_a_default,
                  {said::options_have_the_documented_defaults,
                   [](view const& v) { return retrieves(v) && !v.facts.after_reset && !v.shared && never_set(v); },
                   options_are_admitted}),
    citing<facts>(of_what_was_set,
                  {said::options_are_as_they_were_set,
                   [](view const& v) { return retrieves(v) && !v.facts.after_reset && !v.shared && !never_set(v); },
                   options_are_admitted}),
    {said::options_that_cannot_be_saved_are_null, [](view const& v) { return fails(v, calls::retrieve_options); },
     gives_none},
    citing<facts>(of_a_timeout_that_fails,
                  {only_where(times_out_without_a_time, said::timeout_needs_a_start_and_a_clock),
                   [](view const& v) { return fails(v, calls::is_timeout_reached); }, result_is_admitted}),
    {said::is_timeout_reached_succeeds, [](view const& v) { return works(v, calls::is_timeout_reached); },
     result_is_admitted},
    citing<facts>(of_the_timeout, {said::timeout_is_reached_once_it_has_passed,
                                   [](view const& v) { return works(v, calls::is_timeout_reached) && succeeds(v); },
                                   [](view const& v) { return admitted(v, model::field_timed_out); }}),
    {said::an_instance_is_allocated,
     [](view const& v) { return shows_live(v) && called(v, calls::create) && !v.facts.fails; }, live_is_admitted},
    {said::destroy_frees_everything,
     [](view const& v) { return shows_live(v) && called(v, calls::destroy) && !v.facts.null_argument; },
     live_is_admitted},
    citing<facts>(of_what_is_left, {said::other_calls_keep_nothing,
                                    [](view const& v) {
                                      bool const ends = called(v, calls::destroy) && !v.facts.null_argument;
                                      bool const begins = called(v, calls::create) && !v.facts.fails;
                                      return shows_live(v) && !ends && !begins;
                                    },
                                    live_is_admitted}),
    {only_where(drawing, said::waits_fill_their_range)},
    {only_where(drawing, said::waits_are_independent)},
    {only_where(drawing, said::processes_draw_differently)},
};
static_assert(are_all_of_the_page(claims, said::all));

}  // namespace

claim_list<facts> azure_c_retry_control_claims() noexcept { return claim_list<facts>::of<claims>(); }

}  // namespace backoff::systems
