#include "systems/azure_c_retry_control/claims.hpp"

#include <algorithm>
#include <array>

#include "systems/azure_c_retry_control/history.hpp"

namespace backoff::conformance {
namespace {

namespace model = spec::azure_c_retry_control;
namespace calls = azure_c_retry_control;
using facts = azure_c_retry_control_facts;
using view = claim_view<facts>;

step const& call(view const& v) noexcept { return v.tried.steps[v.step]; }
bool called(view const& v, calls::call which) noexcept { return call(v).op == which; }
bool says(view const& v, model::status s) noexcept {
  return v.port[model::field_status] == observed::word(static_cast<std::uint8_t>(s));
}
bool answered(view const& v) noexcept { return !says(v, model::status::error); }
bool says_action(view const& v, model::action a) noexcept {
  return v.port[model::field_action] == observed::word(static_cast<std::uint8_t>(a));
}
bool admitted(view const& v, model::field f) noexcept { return v.documented[f].admits(v.port[f]); }
bool shows(view const& v, model::field f) noexcept { return answered(v) && v.port[f].is != observed::kind::absent; }

bool has_result(view const& v) noexcept {
  return called(v, calls::should_retry) || called(v, calls::set_option) || called(v, calls::is_timeout_reached);
}
bool succeeds(view const& v) noexcept { return v.port[model::field_result] == observed::of(0); }
bool result_is_admitted(view const& v) noexcept { return admitted(v, model::field_result); }
bool action_is_admitted(view const& v) noexcept { return admitted(v, model::field_action); }

bool gives_options(view const& v) noexcept {
  return v.port[model::field_initial_wait].is != observed::kind::absent ||
         v.port[model::field_max_jitter].is != observed::kind::absent;
}
bool gives_none(view const& v) noexcept { return !gives_options(v); }
bool options_are_admitted(view const& v) noexcept {
  return admitted(v, model::field_initial_wait) && admitted(v, model::field_max_jitter);
}

bool null_argument(view const& v) noexcept {
  return v.facts.null_argument && !called(v, calls::reset) && !called(v, calls::destroy);
}

// Calls that fail for another reason than NULL.
bool fails(view const& v, calls::call which) noexcept {
  return answered(v) && called(v, which) && v.facts.fails && !v.facts.null_argument;
}
// Calls that must succeed, or may.
bool works(view const& v, calls::call which) noexcept { return answered(v) && called(v, which) && !v.facts.fails; }

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
         std::ranges::any_of(further, [](value const& r) noexcept { return r.is != value::kind::absent && r.n == -1; });
}

// What comes after a reset, beside another instance, before the last reading or at a further poll has its own claim.
bool plain(view const& v) noexcept {
  return waits(v) && !v.facts.after_reset && !v.shared && !v.facts.backwards && !v.facts.polled;
}
template <model::policy Which>
bool waits_under(view const& v) noexcept {
  return plain(v) && v.facts.policy == Which;
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
  return std::ranges::none_of(before,
                              [&](step const& s) noexcept { return s.on == call(v).on && s.op == calls::set_option; });
}
bool retrieves(view const& v) noexcept { return works(v, calls::retrieve_options); }

bool shows_live(view const& v) noexcept { return shows(v, model::field_live) && !v.shared; }
bool live_is_admitted(view const& v) noexcept { return admitted(v, model::field_live); }
// What else an answer shows is held to the document where the answer itself is as documented.
bool right(view const& v) noexcept {
  return result_is_admitted(v) && (!called(v, calls::should_retry) || !succeeds(v) || action_is_admitted(v));
}
bool always(view const&) noexcept { return true; }
bool never(view const&) noexcept { return false; }

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
bool fails_at(domain const& d, calls::call which, std::size_t at) noexcept {
  return d.args[which][at].admits(value::of(-1));
}
bool retries_by_a_clock_that_fails(domain const& d) noexcept {
  return retrying(d) && fails_at(d, calls::should_retry, calls::clock_at);
}
bool times_out_without_a_time(domain const& d) noexcept {
  return fails_at(d, calls::is_timeout_reached, calls::start_at) ||
         fails_at(d, calls::is_timeout_reached, calls::timeout_clock_at);
}

constexpr std::array<std::string_view, 10> what_waits{
    "first_retry_is_granted_at_once",    "clock_going_back_is_too_early",          "asking_again_redraws_nothing",
    "interval_waits_the_initial_time",   "linear_wait_grows_by_the_initial_time",  "exponential_wait_doubles",
    "jitter_lengthens_the_doubled_wait", "random_wait_is_part_of_the_initial_one", "reset_starts_a_fresh_cycle",
    "instances_are_independent"};

// The requirement nearest to the claim stands first: it is the one that a verdict quotes.
#define SRS(n) "SRS_IOTHUB_CLIENT_RETRY_CONTROL_09_" n
using id = std::string_view;
constexpr std::array functions{id(SRS("018")), id(SRS("034")), id(SRS("035")), id(SRS("055")), id(SRS("056"))};
constexpr std::array created{id(SRS("009"))};
constexpr std::array not_created{id(SRS("003"))};
constexpr std::array nulls{id(SRS("010")), id(SRS("036")), id(SRS("045")), id(SRS("058"))};
constexpr std::array none{id(SRS("027"))};
constexpr std::array clock_failed{id(SRS("014")), id(SRS("012")), id(SRS("020")),
                                  id(SRS("022")), id(SRS("016")), id("AZ-RC-U06")};
constexpr std::array success{id(SRS("018")), id(SRS("026"))};
constexpr std::array first_retry{id(SRS("019")), id(SRS("008")), id(SRS("011"))};
constexpr std::array limit{id(SRS("023")), id(SRS("004")), id(SRS("011")), id(SRS("013"))};
constexpr std::array at_once{id(SRS("028")), id(SRS("013"))};
constexpr std::array interval{id(SRS("029")), id(SRS("006")), id(SRS("017")), id(SRS("024")), id(SRS("025"))};
constexpr std::array linear{id(SRS("030")), id(SRS("015")), id(SRS("017")), id(SRS("024")), id(SRS("025"))};
constexpr std::array exponential{id(SRS("031")), id(SRS("005")), id(SRS("015")), id(SRS("024")), id(SRS("025"))};
constexpr std::array jittered{id(SRS("032")), id(SRS("007")), id(SRS("015")), id(SRS("024")), id(SRS("025"))};
constexpr std::array drawn{id(SRS("033")), id(SRS("017")), id(SRS("024")), id(SRS("025"))};
constexpr std::array seeds{id("AZ-RC-I01")};
constexpr std::array evenly{id(SRS("033")), id(SRS("032"))};
constexpr std::array drawn_once{id(SRS("017")), id(SRS("024")), id(SRS("025"))};
constexpr std::array backwards{id(SRS("024")), id(SRS("016"))};
constexpr std::array reset{id(SRS("035")), id("AZ-RC-U01"), id(SRS("008"))};
constexpr std::array own_memory{id(SRS("002")), id(SRS("004"))};
constexpr std::array readings{id("AZ-RC-I02")};
constexpr std::array draws{id(SRS("017")), id(SRS("032")), id(SRS("033"))};
constexpr std::array bad_values{id(SRS("037")), id(SRS("039")), id("AZ-RC-U02"), id("AZ-RC-U04")};
constexpr std::array unknown{id(SRS("043"))};
constexpr std::array settable{id(SRS("044")), id(SRS("038")), id(SRS("040")), id("AZ-RC-U02"), id("AZ-RC-U04")};
constexpr std::array feed{id(SRS("041")), id(SRS("044")), id("AZ-RC-U05")};
constexpr std::array feed_failed{id(SRS("042"))};
constexpr std::array defaults{id(SRS("007")), id(SRS("005")),  id(SRS("006")), id(SRS("050")),
                              id(SRS("051")), id("AZ-RC-U03"), id("AZ-RC-U04")};
constexpr std::array kept{id(SRS("038")), id(SRS("040")), id(SRS("041")), id(SRS("046")), id(SRS("054"))};
constexpr std::array not_retrieved{id(SRS("052")), id(SRS("047"))};
constexpr std::array no_timeout{id(SRS("060")), id(SRS("057")), id("AZ-RC-U06")};
constexpr std::array timeout{id(SRS("061")), id(SRS("062"))};
constexpr std::array timeout_works{id(SRS("063"))};
constexpr std::array allocated{id(SRS("002"))};
constexpr std::array freed{id(SRS("056"))};
constexpr std::array nothing_left{id(SRS("053")), id(SRS("003")), id(SRS("055"))};
#undef SRS

// ---- Which requirement a call breaks, where a claim has several ----

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
  bool const is_a_wait = names_saved(v) ? wait.is != value::kind::absent && wait.n == 0 : names_wait(v);
  return is_a_wait ? SRS("037") : SRS("039");
}
// What is missing; nothing: both are there.
id of_a_missing_option(view const& v) noexcept {
  if (gives_none(v)) return SRS("054");
  if (v.port[model::field_initial_wait].is != observed::kind::number) return SRS("050");
  return v.port[model::field_max_jitter].is != observed::kind::number ? SRS("051") : id();
}
id of_a_default(view const& v) noexcept {
  if (auto const missing = of_a_missing_option(v); !missing.empty()) return missing;
  if (admitted(v, model::field_initial_wait)) return SRS("007");
  bool const is_exponential = v.facts.policy == model::policy::exponential_backoff ||
                              v.facts.policy == model::policy::exponential_backoff_with_jitter;
  return is_exponential ? SRS("005") : SRS("006");
}
id of_what_was_set(view const& v) noexcept {
  if (auto const missing = of_a_missing_option(v); !missing.empty()) return missing;
  auto const before = std::span(v.tried.steps).first(v.step);
  bool const was_fed = std::ranges::any_of(before, [&](step const& s) noexcept {
    return s.on == call(v).on && s.op == calls::set_option &&
           calls::option_of(s) == model::option::retry_control_options;
  });
  if (was_fed) return SRS("041");
  return admitted(v, model::field_initial_wait) ? SRS("040") : SRS("038");
}
id of_a_timeout_that_fails(view const& v) noexcept {
  return call(v).args[calls::start_at].n == -1 ? SRS("057") : SRS("060");
}
id of_the_timeout(view const& v) noexcept {
  return v.documented[model::field_timed_out].admits(observed::word(1)) ? SRS("061") : SRS("062");
}
id of_what_is_left(view const& v) noexcept {
  if (called(v, calls::create)) return SRS("003");
  return called(v, calls::destroy) ? SRS("055") : SRS("053");
}
#undef SRS

constexpr auto must = strength::must;

// Rules of the document that several claims are parts of.
constexpr std::string_view wait_formulas = "the waits";
constexpr std::string_view failing_calls = "when should_retry fails";
constexpr std::string_view option_values = "which option values are taken";
constexpr std::string_view kept_options = "what options are kept";
constexpr std::string_view timeout_rule = "the timeout";
constexpr std::string_view memory = "memory";

constexpr std::array claims{
    citing<facts>(that_it_returns,
                  claim<facts>{{"no_call_fails", "every call returns; none throws or reports an error", functions},
                               always,
                               [](view const& v) noexcept {
                                 return called(v, calls::create) ? answered(v) : admitted(v, model::field_status);
                               }}),
    claim<facts>{{"create_gives_an_instance", "an instance can be created for every policy and limit", created},
                 [](view const& v) noexcept { return works(v, calls::create); },
                 [](view const& v) noexcept { return says(v, model::status::ok); }},
    claim<facts>{{"create_without_memory_gives_null", "where no memory is left there is no instance", not_created, must,
                  feature::faults},
                 [](view const& v) noexcept { return answered(v) && called(v, calls::create) && v.facts.fails; },
                 [](view const& v) noexcept { return says(v, model::status::null); }},
    citing<facts>(
        that_it_returns,
        claim<facts>{{"null_arguments_are_refused", "a call with NULL for what it needs fails, and gives nothing",
                      nulls, must, feature::nulls},
                     [](view const& v) noexcept { return answered(v) && null_argument(v); },
                     [](view const& v) noexcept { return has_result(v) ? result_is_admitted(v) : gives_none(v); }}),
    claim<facts>{
        only_where(knows<p::none>,
                   {"policy_none_stops", "under NONE every call answers STOP_RETRYING and succeeds", none}),
        stops_at_once,
        [](view const& v) noexcept { return result_is_admitted(v) && (!succeeds(v) || action_is_admitted(v)); }},
    claim<facts>{
        leaning_on(what_waits, only_where(retries_by_a_clock_that_fails,
                                          part_of(failing_calls, {"failed_clock_fails_the_call",
                                                                  "should_retry fails where a reading of the clock "
                                                                  "that it needs fails, now or when the last retry was "
                                                                  "granted",
                                                                  clock_failed}))),
        [](view const& v) noexcept { return fails(v, calls::should_retry); }, result_is_admitted, hangs_on_the_wait},
    claim<facts>{
        leaning_on(what_waits, only_where(retrying, part_of(failing_calls,
                                                            {"should_retry_succeeds",
                                                             "should_retry returns 0 where nothing fails", success}))),
        [](view const& v) noexcept { return works(v, calls::should_retry) && v.facts.policy != model::policy::none; },
        result_is_admitted, hangs_on_the_wait},
    claim<facts>{only_where(retrying, {"first_retry_is_granted_at_once",
                                       "the first retry of a cycle is granted at once", first_retry}),
                 first, action_is_admitted},
    claim<facts>{
        only_where(retrying, {"limit_stops_retrying",
                              "retrying stops once max_retry_time_s have passed since the first retry", limit}),
        at_limit, action_is_admitted},
    claim<facts>{only_where(knows<p::immediate>, {"immediate_grants_every_retry",
                                                  "under IMMEDIATE every retry is granted at once", at_once}),
                 [](view const& v) noexcept { return later_retry(v) && immediate(v); }, action_is_admitted},
    claim<facts>{comparing(dependence::instances,
                           {"instances_are_independent", "what is called on one instance changes no answer of another",
                            own_memory, must, feature::instances}),
                 [](view const& v) noexcept { return v.shared && (waits(v) || retrieves(v)); },
                 [](view const& v) noexcept { return retrieves(v) ? options_are_admitted(v) : action_is_admitted(v); }},
    claim<facts>{comparing(dependence::reset, {"reset_starts_a_fresh_cycle",
                                               "after a reset the instance answers as one just created", reset}),
                 [](view const& v) noexcept { return v.facts.after_reset && !v.shared && (waits(v) || retrieves(v)); },
                 [](view const& v) noexcept { return retrieves(v) ? options_are_admitted(v) : action_is_admitted(v); }},
    claim<facts>{
        only_where(waiting, special_case_of(wait_formulas,
                                            {"clock_going_back_is_too_early",
                                             "a clock that went back has not reached the end of any wait", backwards})),
        [](view const& v) noexcept { return waits(v) && v.facts.backwards && !v.facts.after_reset && !v.shared; },
        action_is_admitted},
    claim<facts>{
        only_where(waiting,
                   special_case_of(wait_formulas,
                                   {"asking_again_redraws_nothing",
                                    "a wait that was asked for too early is over when it was to be over", drawn_once})),
        [](view const& v) noexcept {
          return waits(v) && v.facts.polled && !v.facts.backwards && !v.facts.after_reset && !v.shared;
        },
        action_is_admitted},
    claim<facts>{only_where(knows<p::interval>,
                            part_of(wait_formulas, {"interval_waits_the_initial_time",
                                                    "under INTERVAL each wait is the initial one", interval})),
                 waits_under<model::policy::interval>, action_is_admitted},
    claim<facts>{
        only_where(
            knows<p::linear_backoff>,
            part_of(wait_formulas, {"linear_wait_grows_by_the_initial_time",
                                    "under LINEAR_BACKOFF the wait after retry n is n times the initial one", linear})),
        waits_under<model::policy::linear_backoff>, action_is_admitted},
    claim<facts>{
        only_where(
            knows<p::exponential_backoff>,
            part_of(wait_formulas, {"exponential_wait_doubles",
                                    "under EXPONENTIAL_BACKOFF the wait after retry n is 2^(n-1) times the initial one",
                                    exponential})),
        waits_under<model::policy::exponential_backoff>, action_is_admitted},
    claim<facts>{
        only_where(
            knows<p::exponential_backoff_with_jitter>,
            part_of(
                wait_formulas,
                {"jitter_lengthens_the_doubled_wait",
                 "under EXPONENTIAL_BACKOFF_WITH_JITTER that wait grows by a random part of max_jitter_percent of it",
                 jittered})),
        waits_under<model::policy::exponential_backoff_with_jitter>, action_is_admitted},
    claim<facts>{
        only_where(knows<p::random>,
                   part_of(wait_formulas, {"random_wait_is_part_of_the_initial_one",
                                           "under RANDOM each wait is a random part of the initial one", drawn})),
        waits_under<model::policy::random>, action_is_admitted},
    claim<facts>{
        told_by(model::field_clock_reads, {"clock_is_read_where_documented",
                                           "each call reads the clock as often as the document names get_time; "
                                           "other clocks do not count",
                                           readings, strength::interface, feature::clock_script}),
        [](view const& v) noexcept { return shows(v, model::field_clock_reads) && right(v); },
        [](view const& v) noexcept { return admitted(v, model::field_clock_reads); }},
    claim<facts>{told_by(model::field_draws_used,
                         {"a_wait_draws_once",
                          "a wait that is random takes one random number, and a call that sets no wait takes none",
                          draws, must, feature::clock_script}),
                 [](view const& v) noexcept { return shows(v, model::field_draws_used) && right(v); },
                 [](view const& v) noexcept { return admitted(v, model::field_draws_used); }},
    citing<facts>(
        of_a_value_that_can_be_set,
        claim<facts>{part_of(option_values, {"options_can_be_set", "every value of an option can be set", settable}),
                     [](view const& v) noexcept { return works(v, calls::set_option) && names_number(v); },
                     result_is_admitted}),
    citing<facts>(
        of_a_bad_value,
        claim<facts>{part_of(option_values,
                             {"bad_option_values_are_refused",
                              "an initial wait of 0 and a jitter of more than 100 percent are refused, saved or not",
                              bad_values}),
                     [](view const& v) noexcept {
                       bool const has_values = names_number(v) || (names_saved(v) && !feed_fails(v));
                       return fails(v, calls::set_option) && has_values;
                     },
                     result_is_admitted}),
    claim<facts>{{"unknown_options_are_refused", "any other name is refused", unknown},
                 [](view const& v) noexcept { return fails(v, calls::set_option) && names_nothing(v); },
                 result_is_admitted},
    claim<facts>{part_of(option_values, {"saved_options_can_be_fed", "saved options can be set, all at once", feed}),
                 [](view const& v) noexcept { return works(v, calls::set_option) && names_saved(v); },
                 result_is_admitted},
    claim<facts>{part_of(option_values, {"failed_feed_is_reported", "a feed that fails fails the call", feed_failed,
                                         must, feature::faults}),
                 [](view const& v) noexcept { return fails(v, calls::set_option) && names_saved(v) && feed_fails(v); },
                 result_is_admitted},
    citing<facts>(
        of_a_default,
        claim<facts>{
            part_of(kept_options,
                    {"options_have_the_documented_defaults",
                     "an initial wait is 1 s under the exponential policies, 5 s under the others; jitter is 5 percent",
                     defaults}),
            [](view const& v) noexcept { return retrieves(v) && !v.facts.after_reset && !v.shared && never_set(v); },
            options_are_admitted}),
    citing<facts>(
        of_what_was_set,
        claim<facts>{
            part_of(kept_options, {"options_are_as_they_were_set",
                                   "retrieved options are those set last; a refused value changes nothing", kept}),
            [](view const& v) noexcept { return retrieves(v) && !v.facts.after_reset && !v.shared && !never_set(v); },
            options_are_admitted}),
    claim<facts>{{"options_that_cannot_be_saved_are_null", "where the set cannot be made or added to, there is none",
                  not_retrieved, must, feature::faults},
                 [](view const& v) noexcept { return fails(v, calls::retrieve_options); },
                 gives_none},
    citing<facts>(
        of_a_timeout_that_fails,
        claim<facts>{
            only_where(times_out_without_a_time,
                       part_of(timeout_rule,
                               {"timeout_needs_a_start_and_a_clock",
                                "is_timeout_reached fails where it began at no time or the clock fails", no_timeout})),
            [](view const& v) noexcept { return fails(v, calls::is_timeout_reached); }, result_is_admitted}),
    claim<facts>{part_of(timeout_rule, {"is_timeout_reached_succeeds",
                                        "is_timeout_reached returns 0 where nothing fails", timeout_works}),
                 [](view const& v) noexcept { return works(v, calls::is_timeout_reached); }, result_is_admitted},
    citing<facts>(
        of_the_timeout,
        claim<facts>{
            part_of(timeout_rule,
                    {"timeout_is_reached_once_it_has_passed",
                     "a timeout is reached when timeout_s have passed since the start, and not before", timeout}),
            [](view const& v) noexcept { return works(v, calls::is_timeout_reached) && succeeds(v); },
            [](view const& v) noexcept { return admitted(v, model::field_timed_out); }}),
    claim<facts>{part_of(memory, {"an_instance_is_allocated", "an instance has memory of its own", allocated, must,
                                  feature::live}),
                 [](view const& v) noexcept { return shows_live(v) && called(v, calls::create) && !v.facts.fails; },
                 live_is_admitted},
    claim<facts>{
        part_of(memory, {"destroy_frees_everything", "nothing is left of an instance that was destroyed", freed, must,
                         feature::live}),
        [](view const& v) noexcept { return shows_live(v) && called(v, calls::destroy) && !v.facts.null_argument; },
        live_is_admitted},
    citing<facts>(of_what_is_left,
                  claim<facts>{part_of(memory, {"other_calls_keep_nothing",
                                                "no other call leaves more or less allocated than it found",
                                                nothing_left, must, feature::live}),
                               [](view const& v) noexcept {
                                 bool const ends = called(v, calls::destroy) && !v.facts.null_argument;
                                 bool const begins = called(v, calls::create) && !v.facts.fails;
                                 return shows_live(v) && !ends && !begins;
                               },
                               live_is_admitted}),
    claim<facts>{only_where(drawing, {"waits_fill_their_range",
                                      "each wait that is drawn is as likely as any other in its range",
                                      evenly,
                                      must,
                                      {},
                                      about_draws::uniform}),
                 never, always},
    claim<facts>{only_where(drawing, {"waits_are_independent",
                                      "no wait that is drawn depends on others, of this instance or of another",
                                      evenly,
                                      must,
                                      {},
                                      about_draws::independent}),
                 never, always},
    claim<facts>{
        only_where(drawing, {"processes_draw_differently", "two processes of a port do not draw the same waits", seeds,
                             strength::interface, feature::fresh_process, about_draws::seeded}),
        never, always},
};

}  // namespace

std::span<claim<facts> const> azure_c_retry_control_claims() noexcept { return claims; }

}  // namespace backoff::conformance
