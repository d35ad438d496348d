#include "reports/not_checked.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "histories/present.hpp"
#include "histories/text_parts.hpp"
#include "judge/catalogue.hpp"

namespace backoff::reports {

namespace {

// What only a port with the feature shows.
std::string_view what_shows(feature f) {
  switch (f) {
    case feature::instances:
      return "several instances at once";
    case feature::clock_script:
      return "a clock that moves during a call";
    case feature::nulls:
      return "null arguments";
    case feature::faults:
      return "failures of what the port calls";
    case feature::live:
      return "memory that stays behind";
    case feature::state:
      return "the documented fields of its state";
    case feature::total_time:
      return "a limit on the total time";
    case feature::errors:
      return "which errors are retried";
    case feature::custom_policy:
      return "policies of the caller's own";
    case feature::fresh_process:
      return "whether two processes draw the same";
  }
  return "";
}

// Whether every limit that the port takes grants at most that many retries.
bool grants_no_more(run const& judged, std::uint64_t retries) {
  auto const& s = judged.system().shape();
  auto const at = s.find_param("max_attempts");
  if (!at) return false;
  auto const& limit = judged.about().takes.params[*at];
  bool const may_be_endless = limit.words != 0 || (s.params[*at].words.empty() && limit.low == 0);
  return !may_be_endless && static_cast<std::uint64_t>(limit.high) <= retries;
}

// Which calls were not tried because they come late; empty where no call depends on earlier ones, or where the port
// grants no more.
std::string beyond_calls(run const& judged) {
  auto const most = judged.counts().most_calls;
  if (!judged.system().shape().remembers || grants_no_more(judged, most)) return "";
  return fmt::format("calls beyond the first {} of an instance: no history has more", most);
}

// Which hidden draws were not tested because they come late; empty where the port grants no more retries.
std::string beyond_attempts(run const& judged) {
  auto const [tested, drawn] = judged.draws().attempts();
  if (judged.draws().powers().empty() || grants_no_more(judged, tested)) return "";
  std::string why = "no sample goes further";
  if (tested < drawn && group_of(tested) != group_of(drawn)) why = "there were too few draws";
  if (judged.about().max_line != 0) why += ", as requests are no longer than the port's max_line";
  return "hidden draws beyond attempt " + std::to_string(tested) + ": " + why;
}

// Why no history put the claim at stake; empty where one did, or where the port has nothing that the claim is about.
std::string not_at_stake(run const& judged, unsigned claim) {
  auto const& c = judged.system().claims()[claim];
  auto const& takes = judged.about().takes;
  if (!judged.held_to().selected(claim)) return "not selected";
  if (judged.is_not_compared(claim))
    return "recorded answers do not show what the port answers without the other calls";
  if (judged.counts().at_stake[claim] != 0 || (c.needs && !takes.offers(*c.needs))) return {};
  if (c.possible != nullptr && !c.possible(takes)) return "the ranges that the port declares exclude it";
  if (!judged.counts().tells(c)) return untold(judged.system().shape(), c);
  if (c.draws && *c.draws != about_draws::seeded) return "no answer shows a draw with a known window";
  return "no history put it at stake";
}

using text_lines = std::vector<std::string>;

void add_hazards(text_lines& lines, std::vector<reading_line> const& readings) {
  std::string hazards;
  for (auto const& line : readings) {
    for (auto const& hazard : line.hazards)
      hazards.append(hazards.empty() ? "" : ", ").append(line.name).append("=").append(hazard);
  }
  // Where no reading explains the port, its findings say which hazards it matches.
  bool const is_explained = std::ranges::any_of(readings, [](auto const& line) { return !line.left.empty(); });
  if (!hazards.empty() && is_explained)
    lines.push_back("hazard readings that these answers do not rule out: " + hazards);
}

// How the port maps draws that are given to it.
void add_mappings(text_lines& lines, run const& judged) {
  for (auto const name : spec::draw_mappings) {
    auto const how = mapping_of(judged.held_to(), judged.readings(), name);
    bool const of_jitter = name != spec::draw_mappings.front();
    if (how == mapped::nearly) {
      lines.push_back(
          fmt::format("the last unit of each {}: no listed mapping gives it, so the draws are also tested as hidden "
                      "({}: near)",
                      of_jitter ? "jitter" : "delay", name));
    } else if (how == mapped::otherwise) {
      lines.push_back(
          fmt::format("the mapping of {}: it is not a listed one, so the draws are tested as hidden ({}: other)",
                      of_jitter ? "jitters" : "draws", name));
    }
  }
}

void add_draws(text_lines& lines, run const& judged) {
  if (!judged.system().shape().has_draws()) {
    // Nothing here is random.
  } else if (judged.grade() == grade::exact) {
    lines.emplace_back("the port's own random numbers: the oracle supplied the draws");
  } else {
    add_mappings(lines, judged);
  }
  if (judged.draws().are_excused()) {
    lines.emplace_back("the distribution of the delays, except for known failures");
  }
  if (judged.grade() == grade::membership) {
    lines.emplace_back("the distribution of the delays: delays inside their windows need not be random");
  }
  if (judged.grade() != grade::distribution) return;
  lines.emplace_back(
      "dependence of a draw on draws other than the previous one, or the same one of the previous cycle, of the "
      "previous history or of another instance");
  auto const& tells_draws = judged.system().shape().tells_draws;
  if (tells_draws.in != nullptr) {
    lines.emplace_back("a fault of hidden draws in a small region of the parameters: few draws fall there");
    if (!tells_draws.not_with.empty()) lines.push_back(fmt::format("hidden draws with {}", tells_draws.not_with));
  } else {
    lines.emplace_back("hidden draws at parameter values that no sample has");
  }
}

// Values that a port is not asked for.
void add_values(text_lines& lines, run const& judged) {
  auto const& takes = judged.about().takes;
  auto const args = judged.system().shape().operations.front().args;
  for (std::size_t i = 0; i < args.size(); ++i) {
    auto const& usual = args[i].usual_low;
    if (usual && !takes.args[0][i].declared)
      lines.push_back(
          fmt::format("{} below {}: the oracle asks only ports whose ranges include it", args[i].name, *usual));
  }
  for (auto const condition : judged.system().shape().conditions)
    lines.push_back(fmt::format("parameters that do not meet {}: the policy rules them out", condition));
  auto const params = judged.system().shape().params;
  for (std::size_t i = 0; i < params.size(); ++i) {
    auto const& r = takes.params[i];
    if (params[i].kind == field_kind::decimal && r.low != r.high)
      lines.push_back(fmt::format("{} with more than {} decimal place{}", params[i].name, params[i].scale,
                                  params[i].scale == 1 ? "" : "s"));
  }
}

// Faults that are rare, or come late.
void add_rare_faults(text_lines& lines, run const& judged) {
  for (auto const& p : judged.draws().powers()) {
    if (p.caught < p.tried)
      lines.push_back(std::string(p.fault->name) + ": " + std::string(p.fault->sentence) + " (" +
                      std::to_string(p.caught) + " of " + std::to_string(p.tried) +
                      " simulated runs would have been caught)");
  }
  for (auto const& beyond : {beyond_attempts(judged), beyond_calls(judged)}) {
    if (!beyond.empty()) lines.push_back(beyond);
  }
  lines.emplace_back("a fault at a single value of a parameter: the run samples values");
}

void add_claims(text_lines& lines, run const& judged) {
  auto const claims = judged.system().claims();
  for (unsigned i = 0; i < claims.size(); ++i) {
    if (claims[i].draws && judged.grade() != grade::distribution) continue;  // add_draws says this
    if (auto const why = not_at_stake(judged, i); !why.empty())
      lines.push_back(std::string(claims[i].name) + ": " + why);
  }
}

void add_features(text_lines& lines, run const& judged) {
  for (std::size_t i = 0; i < feature_names.size(); ++i) {
    feature const f{static_cast<std::uint8_t>(i)};
    bool const known = (judged.system().shape().features & bit(f)) != 0;
    bool const drawn = f != feature::fresh_process || judged.grade() != grade::exact;
    if (known && drawn && !judged.about().takes.offers(f))
      lines.push_back(std::string(what_shows(f)) + ": the port does not list the feature " +
                      std::string(feature_names[i]));
  }
}

// What the document advises, and no history tries.
void add_advice(text_lines& lines, run const& judged) {
  auto const claims = judged.system().claims();
  auto const tried = [&](std::string_view requirement) {
    for (unsigned i = 0; i < claims.size(); ++i) {
      if (judged.counts().at_stake[i] != 0 && std::ranges::count(claims[i].requirements, requirement) != 0) return true;
    }
    return false;
  };
  text_lines advice;
  std::string only;
  for (auto const& r : catalogue_of(judged.system().shape().stem).requirements) {
    if (r.strength != "recommended" || tried(r.id)) continue;
    advice.push_back(r.id);
    only = r.text;
  }
  if (advice.size() == 1) lines.push_back(advice.front() + " (recommended): " + only);
  if (advice.size() > 1)
    lines.push_back(text_parts::comma_separated(advice) +
                    " (recommended): no history tries them; `backoff-oracle explain ID` prints each");
}

}  // namespace

std::vector<std::string> not_checked(run const& judged, std::vector<reading_line> const& readings) {
  auto const& n = judged.counts();
  if (n.judged == 0) return {"anything: no history was answered"};
  text_lines lines;
  add_hazards(lines, readings);
  add_draws(lines, judged);
  add_values(lines, judged);
  add_rare_faults(lines, judged);
  if (n.turned_most_away()) {
    lines.push_back(fmt::format(
        "{} of {} histories: the port rejected or skipped them, or they were not sent; declare ranges to be "
        "asked only what the port takes",
        n.rejected + n.skipped, n.all()));
  }
  add_claims(lines, judged);
  add_features(lines, judged);
  add_advice(lines, judged);
  return lines;
}

std::string untold(shape const& s, claim_text const& claim) {
  return fmt::format("no answer of the port says {}", s.answers[present(claim.told_by)].name);
}

}  // namespace backoff::reports
