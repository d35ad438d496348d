// Faults of options: their defaults, which values are taken and kept, how they are fed and saved.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "systems/azure_c_retry_control/diagnoses_change.hpp"

namespace backoff::systems::azure_c_diagnoses {
namespace {

void add_defaults(changes& all) {
  all.told_by("options_have_the_documented_defaults");
  auto const defaults = [&](std::string name, std::string sentence, std::function<void(model::state&)> of) {
    all.add(std::move(name), std::move(sentence), {.makes = [of = std::move(of)](made const& m) {
              if (m.call.op == calls::create) of(m.after);
            }});
  };
  for (spec::integer const n : {0, 1, 5, 10, 30, 60}) {
    defaults("default-wait", fmt::format("has a default initial wait of {} s under all policies", n),
             [n](model::state& s) { s.initial_wait = {n, n}; });
    defaults("default-jitter", fmt::format("has a default jitter of {} percent", n),
             [n](model::state& s) { s.max_jitter = {n, n}; });
  }
  defaults("defaults-swapped", "has the default initial waits the wrong way round", [](model::state& s) {
    auto const n = s.initial_wait.low == 1 ? 5 : 1;
    s.initial_wait = {n, n};
  });
}

// What set_option makes of some values, also of saved ones: whether it accepts them, and whether it keeps them.
struct values {
  option which;
  bool (*are)(spec::integer);
  bool accepts;
  bool keeps;
  bool alone = true;  // set by its own name
  bool saved = true;  // set as part of saved options

  [[nodiscard]] bool is_wait() const { return which == option::initial_wait_time_in_secs; }
  // The one that is given; nullptr: none of these is.
  [[nodiscard]] value* among(step& s) const {
    if (s.op != calls::set_option) return nullptr;
    auto const is = calls::option_of(s);
    auto* v = alone && is == which ? &s.args[calls::number_at]
              : saved && is == option::retry_control_options
                  ? &s.args[is_wait() ? calls::saved_wait_at : calls::saved_jitter_at]
                  : nullptr;
    return v != nullptr && v->kind == value_kind::integer && are(v->n) ? v : nullptr;
  }
  // Takes them for a value that is good, or bad.
  void take(step& call) const {
    if (auto* v = among(call)) v->n = accepts ? 1 : is_wait() ? 0 : 101;
  }
  void make(made const& m) const {
    auto call = m.call;
    auto const* v = among(call);
    if (v == nullptr || m.is_of_null() || (!accepts && !keeps)) return;
    auto const& kept = is_wait() ? m.before.initial_wait : m.before.max_jitter;
    auto& now = is_wait() ? m.after.initial_wait : m.after.max_jitter;
    now = keeps ? model::values{v->n, v->n} : kept;
    bool const is_open = accepts && keeps && m.outcome.facts.fails;  // a feed, by another option
    if (is_open) now = {std::min(v->n, kept.low), std::max(v->n, kept.high)};
  }
};

void add_values(changes& all) {
  auto const sets_some = [&](std::string name, std::string sentence, values of) {
    all.add(std::move(name), std::move(sentence),
            {.takes = [=](step& call, model::state&) { of.take(call); }, .makes = [=](made const& m) { of.make(m); }});
  };
  auto const sets = [&](std::string const& name, std::string const& sentence, values of) {
    sets_some(name, sentence, of);
    of.saved = false;
    sets_some(name, sentence + ", but not in saved options", of);
    std::swap(of.alone, of.saved);
    sets_some(name, sentence + " in saved options", of);
  };
  constexpr auto wait = option::initial_wait_time_in_secs;
  constexpr auto jitter = option::max_jitter_percent;
  constexpr auto is_0 = [](spec::integer n) { return n == 0; };
  constexpr auto some = [](spec::integer n) { return n != 0; };
  constexpr auto is_100 = [](spec::integer n) { return n == 100; };
  constexpr auto over_100 = [](spec::integer n) { return n > 100; };
  constexpr auto over_int = [](spec::integer n) { return n > 0x7fff'ffff; };
  constexpr auto any = [](spec::integer) { return true; };
  constexpr auto up_to_100 = [](spec::integer n) { return n <= 100; };
  all.told_by("bad_option_values_are_refused");
  sets("accepts-no-wait", "accepts an initial wait of 0", {wait, is_0, true, true});
  sets("ignores-no-wait", "returns 0 for an initial wait of 0 and ignores it", {wait, is_0, true, false});
  sets("keeps-what-it-refuses", "keeps an initial wait of 0 although it refuses it", {wait, is_0, false, true});
  sets("accepts-all-jitter", "accepts more than 100 percent of jitter", {jitter, over_100, true, true});
  sets("ignores-much-jitter", "returns 0 for more than 100 percent of jitter and ignores it",
       {jitter, over_100, true, false});
  sets("keeps-what-it-refuses", "keeps more than 100 percent of jitter although it refuses it",
       {jitter, over_100, false, true});
  all.told_by("options_can_be_set");
  sets("refuses-all-of-it", "refuses a jitter of 100 percent", {jitter, is_100, false, false});
  sets("refuses-no-jitter", "refuses a jitter of 0 percent", {jitter, is_0, false, false});
  sets("wait-is-an-int", "refuses an initial wait that does not fit a signed 32-bit integer",
       {wait, over_int, false, false});
  sets("wait-cannot-be-set", "refuses every initial wait", {wait, any, false, false});
  sets("jitter-cannot-be-set", "refuses every jitter", {jitter, any, false, false});
  all.told_by("options_are_as_they_were_set");
  sets_some("wait-is-not-kept", "returns 0 for an initial wait and ignores it", {wait, some, true, false});
  sets_some("jitter-is-not-kept", "returns 0 for a jitter and ignores it", {jitter, up_to_100, true, false});
  all.add("options-swapped", "takes one option for the other", {.takes = [](step& call, model::state&) {
            if (call.op != calls::set_option) return;
            auto& name = call.args[calls::name_at].n;
            auto const is = calls::option_of(call);
            if (is == option::initial_wait_time_in_secs || is == option::max_jitter_percent)
              name = is == option::initial_wait_time_in_secs ? 1 : 0;
          }});
}

bool is_fed(made const& m) {
  bool const saved = m.call.op == calls::set_option && calls::option_of(m.call) == option::retry_control_options;
  return saved && !m.is_of_null();
}
// Whether options were fed; those that are not kept are as before.
bool fed(made const& m, bool keeps_wait, bool keeps_jitter) {
  if (is_fed(m) && !keeps_wait) m.after.initial_wait = m.before.initial_wait;
  if (is_fed(m) && !keeps_jitter) m.after.max_jitter = m.before.max_jitter;
  return is_fed(m);
}

void add_feeds(changes& all) {
  auto const feeds = [&](std::string name, std::string sentence, bool wait, bool jitter) {
    all.add(std::move(name), std::move(sentence), {.makes = [=](made const& m) { fed(m, wait, jitter); }});
  };
  feeds("feeds-the-wait-alone", "forgets the jitter of saved options", true, false);
  feeds("feeds-the-jitter-alone", "forgets the initial wait of saved options", false, true);
  feeds("feeds-nothing", "ignores saved options", false, false);
  auto const result = [&](std::string name, std::string sentence, bool (*is_meant)(made const&),
                          admissible const& what) {
    all.add(std::move(name), std::move(sentence), {.makes = [=](made const& m) {
              if (is_meant(m)) m.answer(model::field_result) = what;
            }});
  };
  constexpr auto fed_in_vain = [](made const& m) { return fed(m, false, false); };
  result("saved-options-are-not-known", "refuses saved options", fed_in_vain, admissible::not_zero());
  result("feeds-nothing", "ignores saved options, good or bad", fed_in_vain, admissible::exactly(0));
  result(
      "swallows-a-failed-feed", "returns 0 where saved options cannot be fed",
      [](made const& m) { return is_fed(m) && (calls::fails_of(m.call) & calls::fail_option_feed) != 0; },
      admissible::exactly(0));
  result(
      "accepts-any-name", "accepts every name of an option",
      [](made const& m) {
        return m.call.op == calls::set_option && !m.is_of_null() && calls::option_of(m.call) == option::unsupported;
      },
      admissible::exactly(0));
  result(
      "null-succeeds", "returns 0 for NULL",
      [](made const& m) { return m.is_of_null() && m.answer(model::field_result).kind() == admissible_kind::not_zero; },
      admissible::exactly(0));
}

void add_saved(changes& all) {
  auto const saved = [&](std::string name, std::string sentence, model::field which, std::optional<spec::integer> n) {
    all.add(std::move(name), std::move(sentence),
            {.makes =
                 [=](made const& m) {
                   if (m.call.op == calls::retrieve_options && m.succeeds())
                     m.answer(which) = n ? admissible::exactly(*n) : admissible::not_finite();
                 },
             .learns = false});
  };
  saved("saves-no-wait", "leaves the initial wait out of what it saves", model::field_initial_wait, {});
  saved("saves-no-jitter", "leaves the jitter out of what it saves", model::field_max_jitter, {});
  saved("saves-the-default-jitter", "saves a jitter of 5 percent, whatever it is", model::field_max_jitter, 5);
  all.add("saves-what-it-can", "saves what it can where not all can be saved", {.makes = [](made const& m) {
            bool const partly = m.call.op == calls::retrieve_options && m.fails() &&
                                (calls::fails_of(m.call) & calls::fail_option_create) == 0;
            if (!partly) return;
            for (auto const field : {model::field_initial_wait, model::field_max_jitter})
              m.answer(field) = admissible::unjudged();
          }});
}

}  // namespace

void add_options(changes& all) {
  add_defaults(all);
  add_values(all);
  add_feeds(all);
  add_saved(all);
}

}  // namespace backoff::systems::azure_c_diagnoses
