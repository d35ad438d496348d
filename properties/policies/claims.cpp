#include "policies/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "histories/present.hpp"

namespace backoff::policies {
namespace {

using view = claim_view<facts>;

bool says(view const& v, status s) noexcept {
  auto const& said = v.port[field_status];
  return said.kind == observed_kind::keyword && said.keyword == static_cast<std::uint8_t>(s);
}
observed const& delay(view const& v) { return v.port[field_delay]; }
bool has_delay(view const& v) noexcept { return delay(v).kind == observed_kind::number; }
bool called_next(view const& v) noexcept { return v.tried.steps[v.step].op == call_next; }
bool retried(view const& v) noexcept { return called_next(v) && says(v, status::retry) && !v.facts.is_lost; }
bool answered(view const& v) noexcept { return v.facts.grants && !says(v, status::error); }
// What comes after a reset or beside another instance has a claim of its own.
bool first_cycle_alone(view const& v) noexcept { return !v.facts.after_reset && !v.facts.renewed && !v.shared; }
bool wanted_delay(view const& v) { return v.facts.grants && retried(v) && has_delay(v); }
bool delay_is_admitted(view const& v) {
  return (v.facts.may_end ? v.facts.in_window : v.documented[field_delay]).admits(delay(v));
}
bool grants_as_documented(view const& v) {
  if (v.facts.may_end && says(v, status::exhausted)) return true;
  return says(v, status::retry) && has_delay(v) && delay_is_admitted(v);
}

bool can_be_reset(domain const& d) noexcept { return d.answers(call_reset); }

template <std::size_t Parameter>
bool takes_numbers(domain const& d) noexcept {
  return d.params[Parameter].numbers;
}
template <std::size_t Parameter>
bool takes_forever(domain const& d) noexcept {
  return d.params[Parameter].words != 0;
}
using possibility = bool (*)(domain const&);
template <std::size_t... I>
constexpr std::array<std::pair<possibility, possibility>, sizeof...(I)> by_parameter(
    std::index_sequence<I...>) noexcept {
  return {std::pair<possibility, possibility>{takes_numbers<I>, takes_forever<I>}...};
}
constexpr auto limit_by = by_parameter(std::make_index_sequence<params_max>());

template <std::size_t Argument>
bool varies(domain const& d) noexcept {
  auto const& r = d.args[call_next][Argument];
  return (r.numbers && r.low < r.high) || std::popcount(r.words) + static_cast<int>(r.numbers) > 1;
}
template <std::size_t... I>
constexpr std::array<possibility, sizeof...(I)> by_argument(std::index_sequence<I...>) noexcept {
  return {varies<I>...};
}
constexpr auto varies_by = by_argument(std::make_index_sequence<args_max>());

// Where the condition asks for one argument and nothing that changes from call to call by itself, only a port that
// takes several values of it can meet and fail the condition.
possibility by_the_argument_of(policy const& p, expression const& condition) {
  auto const changing = condition.names >> p.parameters.size();
  bool const asks_for_one = std::has_single_bit(changing) && p.depends_on_call(condition);
  return asks_for_one ? varies_by[static_cast<std::size_t>(std::countr_zero(changing))] : nullptr;
}

bool says_retry(view const& v) noexcept { return says(v, status::retry); }
bool says_exhausted(view const& v) noexcept { return says(v, status::exhausted); }

// Up to the tolerance of real answers; an integer is held to the limit exactly.
bool within_limit(view const& v) {
  if (delay(v).value.integral()) return spec::rational(delay(v).value.mantissa) <= present(v.facts.limit);
  return delay(v).value.mantissa < 0 || spec::admissible::between({0, present(v.facts.limit)}).admits(delay(v));
}

// Of a retry whose delay is in its window, whether it was granted in time.
bool may_be_ended_by_condition(view const& v) {
  if (v.facts.by_condition) return true;
  return v.facts.may_end &&
         (says(v, status::exhausted) || (says(v, status::retry) && has_delay(v) && delay_is_admitted(v)));
}

template <region Region>
bool stands_in(view const& v) noexcept {
  return wanted_delay(v) && v.facts.where == Region && first_cycle_alone(v);
}

struct functions {
  bool (*at_stake)(view const&);
  bool (*holds)(view const&);
};
// What each claim asks, in the order of `about`. Claims about many draws ask nothing of a single call.
enum class about : std::uint8_t {
  failing,
  number,
  sign,
  bound,
  capped,
  first,
  later,
  instances,
  renewal,
  reset,
  grants,
  limit,
  endless_condition,
  condition,
  stickiness,
  endless,
  acknowledgement,
};
constexpr std::array all_functions{
    functions{[](view const& v) { return !v.facts.is_lost; }, [](view const& v) { return !says(v, status::error); }},
    functions{retried, has_delay},
    functions{[](view const& v) { return retried(v) && has_delay(v); },
              [](view const& v) { return delay(v).value.mantissa >= 0; }},
    functions{[](view const& v) { return retried(v) && has_delay(v) && v.facts.limit; }, within_limit},
    functions{stands_in<region::capped>, delay_is_admitted},
    functions{stands_in<region::first>, delay_is_admitted},
    functions{stands_in<region::later>, delay_is_admitted},
    functions{[](view const& v) { return wanted_delay(v) && v.shared && !v.facts.after_reset; }, delay_is_admitted},
    functions{[](view const& v) { return answered(v) && v.facts.renewed && !v.facts.after_reset; },
              grants_as_documented},
    functions{[](view const& v) { return answered(v) && v.facts.after_reset; }, grants_as_documented},
    functions{[](view const& v) { return answered(v) && v.facts.limited && !v.facts.may_end; }, says_retry},
    functions{[](view const& v) { return v.facts.announces && !v.facts.by_condition; }, says_exhausted},
    functions{[](view const& v) { return answered(v) && !v.facts.limited && !v.facts.may_end; }, says_retry},
    functions{may_be_ended_by_condition,
              [](view const& v) {
                bool const in_time = v.facts.may_end && v.documented[field_delay].admits(delay(v));
                return says(v, status::exhausted) || in_time;
              }},
    functions{[](view const& v) {
                return called_next(v) && !v.facts.grants && !v.facts.announces && !v.facts.by_condition &&
                       !v.facts.is_lost;
              },
              says_exhausted},
    functions{[](view const& v) { return answered(v) && !v.facts.limited; }, says_retry},
    functions{[](view const& v) { return !called_next(v); }, [](view const& v) { return says(v, status::ok); }},
};
static_assert(all_functions.size() == policy_claims::functions_max);

constexpr std::string_view delay_rule = "the delay formula";
constexpr std::string_view attempt_rule = "the limit of attempts";

// The text of one formula, or of several readings.
std::string text_of(std::vector<formula> const& all) {
  std::vector<std::string> texts;
  for (auto const& f : all) {
    if (f.standing != spec::standing::hazard) texts.push_back(f.text);
  }
  auto const others = texts.size() - 1;
  if (others == 0) return texts[0];
  if (others == 1) return fmt::format("{}, or, read otherwise, {}", texts[0], texts[1]);
  return fmt::format("{}, or as {} other readings have it", texts[0], others);
}

// Those of delays, and what is drawn under the names in them.
std::string delays_of(policy const& p, std::vector<formula> const& all) {
  auto text = text_of(all);
  for (auto const& d : p.draws_by_name)
    text += (&d == p.draws_by_name.data() ? ", where " : ", ") + d.name + " = " + d.text;
  return text;
}

}  // namespace

policy_claims claims_of(policy const& p, model const& m, requirement_ids& ids) {
  auto const id = [&](std::string const& part) -> std::string_view {
    return ids.all.emplace_back(p.name + "." + part);
  };
  ids.delay = id("delay");
  ids.window = p.window.empty() ? ids.delay : id("window");
  ids.first = p.first.empty() ? ids.delay : id("first");
  bool const ends_by_condition_alone = p.attempts.empty() && !p.going_on.empty();
  ids.going_on = p.going_on.empty() ? std::string_view() : id("while");
  ids.attempts = ends_by_condition_alone ? ids.going_on : id("attempts");
  ids.renews = id("reset");
  ids.draws = id("draws");
  ids.seeds = id("seeds");
  ids.interface = id("interface");
  auto const of = [&](std::string_view one) -> std::span<std::string_view const> {
    return ids.lists.emplace_back(std::array{one});
  };
  bool const random = p.draws();
  policy_claims claims;
  auto const add = [&](about what, claim_text const& text) {
    auto const which = static_cast<std::size_t>(what);
    claims.bits[which] = std::uint64_t{1} << claims.all.size();
    claims.all.push_back({text, all_functions[which].at_stake, all_functions[which].holds});
  };
  add(about::failing, {"no_call_fails", "every call is answered; none throws or reports an error", of(ids.delay)});
  add(about::number, {"delay_is_a_number", "every granted retry comes with a finite delay", of(ids.delay)});
  add(about::sign, {.name = "delay_is_never_negative",
                    .sentence = "no delay is below 0",
                    .requirements = of(ids.delay),
                    .rule = delay_rule,
                    .of_rule = part::bound});
  if (m.has_bound()) {
    add(about::bound, {.name = "window_never_exceeds_cap",
                       .sentence = "no delay is longer than the formula allows at its upper bound",
                       .requirements = of(ids.window),
                       .rule = delay_rule,
                       .of_rule = part::bound});
  }
  if (m.has(region::capped)) {
    add(about::capped, {.name = random ? "capped_delay_within_window" : "capped_delay_is_as_declared",
                        .sentence = "once the formula has reached its upper bound, each delay is as it says there",
                        .requirements = of(ids.window),
                        .rule = delay_rule,
                        .of_rule = part::special_case});
  }
  std::string_view const first = random ? "first_delay_within_window" : "first_delay_is_as_declared";
  if (m.has(region::first)) {
    add(about::first, {.name = first,
                       .sentence = "the first delay of a fresh instance is as the formula says",
                       .requirements = of(ids.first),
                       .rule = delay_rule});
  }
  if (m.has(region::later)) {
    add(about::later, {.name = random ? "delay_within_window" : "delay_is_as_declared",
                       .sentence = "each delay after the first is as the formula says",
                       .requirements = of(ids.delay),
                       .rule = delay_rule,
                       .starts_from = first});
  }
  add(about::instances, {.name = "instances_are_independent",
                         .sentence = "what is called on one instance changes no answer of another",
                         .requirements = of(ids.interface),
                         .strength = strength::interface,
                         .needs = feature::instances,
                         .compares = dependence::instances});
  if (p.renews) {
    add(about::renewal,
        {.name = "condition_starts_a_fresh_cycle",
         .sentence = "the delay of a call that meets the condition of reset is the first of a fresh cycle",
         .requirements = of(ids.renews),
         .possible = by_the_argument_of(p, p.renews->tree)});
  }
  add(about::reset, {.name = "reset_starts_a_fresh_cycle",
                     .sentence = "after reset the instance answers as if newly made",
                     .requirements = of(ids.interface),
                     .strength = strength::interface,
                     .possible = can_be_reset,
                     .compares = dependence::reset});
  auto const by = p.limit_parameter();
  auto const add_limit = [&](about what, std::string_view name, std::string_view sentence, possibility possible) {
    add(what, {.name = name,
               .sentence = sentence,
               .requirements = of(ids.attempts),
               .possible = possible,
               .rule = attempt_rule});
  };
  if (!p.attempts.empty()) {
    possibility const limited = by ? limit_by[*by].first : nullptr;
    add_limit(about::grants, "retries_up_to_the_limit", "each call before the limit of attempts grants a retry",
              limited);
    add_limit(about::limit, "attempts_limited", "the first call beyond the limit of attempts reports exhaustion",
              limited);
  }
  if (!p.going_on.empty()) {
    if (p.may_be_endless())
      add(about::endless_condition, {.name = "retries_while_the_condition_holds",
                                     .sentence = "each call for which the condition of while holds grants a retry",
                                     .requirements = of(ids.going_on),
                                     .possible = by ? limit_by[*by].second : nullptr,
                                     .rule = attempt_rule});
    add(about::condition, {.name = "condition_ends_retries",
                           .sentence = "a call for which the condition of while fails reports exhaustion",
                           .requirements = of(ids.going_on),
                           .possible = by_the_argument_of(p, p.going_on.front().tree),
                           .rule = attempt_rule});
  }
  if (!p.attempts.empty())
    add_limit(about::stickiness, "exhaustion_is_sticky", "an exhausted cycle stays exhausted until reset",
              by ? limit_by[*by].first : nullptr);
  if (p.may_be_endless() && p.going_on.empty())
    add_limit(about::endless, "never_exhausts", "without a limit every call grants a retry",
              by ? limit_by[*by].second : nullptr);
  add(about::acknowledgement, {.name = "reset_is_acknowledged",
                               .sentence = "reset answers ok",
                               .requirements = of(ids.interface),
                               .strength = strength::interface,
                               .possible = can_be_reset});
  if (!random) return claims;
  claims.all.push_back({{.name = "delays_fill_their_window",
                         .sentence = "each value of the window is as likely as the draw in the formula makes it",
                         .requirements = of(ids.draws),
                         .draws = about_draws::uniform}});
  claims.all.push_back(
      {{.name = "delays_are_independent",
        .sentence = "no delay depends on others, of this instance or of another, but through the formula",
        .requirements = of(ids.draws),
        .draws = about_draws::independent}});
  claims.all.push_back({{.name = "processes_draw_differently",
                         .sentence = "two processes of a port do not draw the same delays",
                         .requirements = of(ids.seeds),
                         .strength = p.demands_seeds ? strength::must : strength::recommended,
                         .needs = feature::fresh_process,
                         .draws = about_draws::seeded}});
  return claims;
}

claim_list<facts> policy_claims::list() const noexcept {
  return claim_list<facts>::of<all_functions>(all, bits.data());
}

judge::catalogue catalogue_of(policy const& p, model const& m, requirement_ids const& ids, std::string const& version) {
  catalogue c;
  auto const file = p.file.substr(p.file.rfind('/') + 1);
  c.is_yours = !p.is_of_the_shelf;
  c.title = c.is_yours ? file : p.document;
  c.document_name = (c.is_yours ? "as you declared it in " : "after ") + c.title + ", " + version;
  c.document_version = version;
  auto const formula_of = [&](std::vector<formula> const& all) {
    return "delay_" + p.unit + " = " + delays_of(p, all);
  };
  c.formula = formula_of(p.delay);
  if (!p.window.empty()) c.formula += ", where window = " + text_of(p.window);
  auto const where = [&](place at) {
    return (p.document.empty() ? "" : p.document + "; ") + file +
           (at.line == 0 ? "" : ", line " + std::to_string(at.line));
  };
  auto const add = [&](std::string_view id, place at, char const* strength, std::string text, std::string formula,
                       std::vector<std::string> readings) {
    std::erase_if(readings, [&](std::string const& r) { return !m.readings().find(r); });
    c.requirements.push_back(
        {std::string(id), where(at), strength, std::move(text), std::move(formula), std::move(readings), "", {}});
  };
  add(ids.delay, p.delay.front().at, "must", "Each delay is " + delays_of(p, p.delay) + ".", formula_of(p.delay),
      {"delay", "ends", "draw-mapping"});
  if (ids.window != ids.delay)
    add(ids.window, p.window.front().at, "must", "The window of a delay is " + text_of(p.window) + ".",
        "window = " + text_of(p.window), {"window"});
  if (ids.first != ids.delay)
    add(ids.first, p.first.front().at, "must", "The first delay is " + delays_of(p, p.first) + ".", formula_of(p.first),
        {"first"});
  auto const condition = [&](std::string_view id, formula const& f, std::string const& sentence, std::string const& key,
                             std::vector<std::string> readings) {
    add(id, f.at, "must", sentence, key + " " + f.text, std::move(readings));
  };
  if (!p.going_on.empty())
    condition(ids.going_on, p.going_on.front(), "A retry is granted only while " + text_of(p.going_on) + ".", "while",
              {"while"});
  if (p.renews)
    condition(ids.renews, *p.renews, "A call for which " + p.renews->text + " begins a fresh cycle.", "reset", {});
  if (p.attempts.empty() && p.going_on.empty()) {
    add(ids.attempts, {}, "must", "No limit of attempts is declared: every call grants a retry.", "attempts = forever",
        {});
  } else if (!p.attempts.empty()) {
    add(ids.attempts, p.attempts.front().at, "must",
        "Retries 1 to " + text_of(p.attempts) + " of a cycle are granted, and no more.",
        "attempts = " + text_of(p.attempts), {"attempts"});
  }
  if (p.draws()) {
    add(ids.seeds, p.delay.front().at, p.demands_seeds ? "must" : "recommended",
        "Each process has a seed of its own: two processes do not draw alike.", formula_of(p.delay), {});
    add(ids.draws, p.delay.front().at, "must",
        "Draws are independent, and each value of their range is as likely as any other.", formula_of(p.delay),
        {"draw-mapping"});
  }
  add(ids.interface, {}, "interface", "Instances share nothing, and a reset makes an instance like new.",
      "answers depend on the calls since the last reset alone", {});
  auto const reading = [&](char const* name, std::string_view id, std::string question,
                           std::vector<formula> const& all) {
    if (!m.readings().find(name)) return;
    auto& r = c.readings.emplace_back(reading_text{name, std::move(question), {std::string(id)}, {}, ""});
    for (auto const& f : all) {
      constexpr std::array<char const*, 3> standings{"canonical", "open", "hazard"};
      r.alternatives.push_back({f.name, standings[static_cast<std::size_t>(f.standing)], f.text});
    }
  };
  reading("window", ids.window, "Which formula is the window?", p.window);
  reading("delay", ids.delay, "Which formula is the delay?", p.delay);
  reading("first", ids.first, "Which formula is the first delay?", p.first);
  reading("attempts", ids.attempts, "Which formula is the limit of attempts?", p.attempts);
  reading("while", ids.going_on, "Under which condition is a retry granted?", p.going_on);
  for (auto const& r : m.readings().readings()) {
    if (r.name != "ends" && r.name != "draw-mapping") continue;
    bool const ends = r.name == "ends";
    auto& text = c.readings.emplace_back(reading_text{
        std::string(r.name),
        ends ? "May a whole draw be the upper end of its range?" : "How does a draw that is given become a delay?",
        {std::string(ids.delay)},
        {},
        ""});
    for (auto const& a : r.alternatives) {
      std::string const says =
          ends                  ? "the upper end is " + std::string(a.name)
          : a.name == "modulo"  ? "the remainder of the draw by the number of values"
          : a.name == "scaled"  ? "low + draw * values: the draw, as a fraction, times the number of values"
          : a.name == "real"    ? "low + draw * (high - low)"
          : a.name == "divided" ? "the draw divided by the number of draws for each value"
          : a.name == "near"    ? "at most one value, or a hundredth, away from low + draw * (high - low)"
                                : "any other mapping: the draws count as hidden";
      text.alternatives.push_back(
          {std::string(a.name), a.standing == spec::standing::canonical ? "canonical" : "open", says});
    }
  }
  return c;
}

}  // namespace backoff::policies
