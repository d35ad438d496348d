// The verbs list and explain: what the oracle knows, without a port.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "engines/proof/theorems.hpp"
#include "files/policy_file.hpp"
#include "histories/text_parts.hpp"
#include "judge/catalogue.hpp"
#include "judge/draw_power.hpp"
#include "judge/e_process.hpp"
#include "oracle/terminal.hpp"
#include "oracle/verbs.hpp"
#include "policies/expression.hpp"
#include "session/names.hpp"
#include "waits/watched_report.hpp"

namespace backoff::oracle {
namespace {

using json = nlohmann::ordered_json;

void print(std::string const& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

// The claims of a requirement.
std::vector<std::string> claims_of(judged_system const& system, std::string_view requirement) {
  std::vector<std::string> names;
  for (auto const& c : system.claims()) {
    if (std::ranges::count(c.requirements, requirement) != 0) names.emplace_back(c.name);
  }
  return names;
}

using engines::proof::theorem_text;

std::vector<std::string> requirements_of(theorem_text const& t) {
  std::istringstream words{std::string(t.requirements)};
  return {std::istream_iterator<std::string>(words), {}};
}

// The theorems that name one of these requirements.
std::vector<theorem_text> theorems_about(std::vector<requirement_text> const& requirements) {
  std::vector<theorem_text> about;
  std::ranges::copy_if(engines::proof::theorems, std::back_inserter(about), [&](theorem_text const& t) {
    auto const ids = requirements_of(t);
    return std::ranges::any_of(requirements, [&](auto const& r) { return std::ranges::count(ids, r.id) != 0; });
  });
  return about;
}

json reading_json(reading_text const& r) {
  json j{{"name", r.name},
         {"convention", is_convention(r.name)},
         {"canonical", ""},
         {"open", json::array()},
         {"hazard", json::array()}};
  for (auto const& a : r.alternatives) {
    if (a.standing == "canonical") {
      j["canonical"] = a.name;
    } else {
      j[a.standing].push_back(a.name);
    }
  }
  return j;
}

json system_json(judged_system const& system) {
  auto const& c = catalogue_of(system.shape().stem);
  json j{{"name", system.shape().stem},
         {"requirements", json::array()},
         {"readings", json::array()},
         {"claims", json::array()},
         {"theorems", json::array()}};
  for (auto const& r : c.requirements) {
    auto checks = claims_of(system, r.id);
    checks.insert(checks.end(), r.specs.begin(), r.specs.end());
    j["requirements"].push_back({{"id", r.id}, {"place", r.place}, {"strength", r.strength}, {"checks", checks}});
    if (!r.unchecked.empty()) j["requirements"].back()["unchecked"] = r.unchecked;
  }
  for (auto const& r : c.readings) j["readings"].push_back(reading_json(r));
  for (auto const& claim : system.claims()) j["claims"].push_back(claim.name);
  for (auto const& t : theorems_about(c.requirements))
    j["theorems"].push_back({{"name", t.name}, {"widths", t.widths}, {"requirements", requirements_of(t)}});
  return j;
}

// Which document, and its formula.
std::string system_heading(judged_system const& system) {
  auto const& c = catalogue_of(system.shape().stem);
  auto const source =
      c.publisher.empty() ? c.document_name : fmt::format("{}, {} ({})", c.title, c.document_version, c.publisher);
  return fmt::format("{}\n  {}\n  {}\n", system.shape().stem, source, c.formula);
}

std::string system_text(judged_system const& system) {
  auto const& c = catalogue_of(system.shape().stem);
  auto text = system_heading(system);
  text += "\n  requirements\n";
  std::size_t id_width = 12;
  for (auto const& r : c.requirements) id_width = std::max(id_width, r.id.size());
  for (auto const& r : c.requirements)
    text += fmt::format("    {:<{}} {:<12} {}\n", r.id, id_width, r.strength, r.text);
  text += "\n  readings\n";
  for (auto const& r : c.readings) {
    text += fmt::format("    {:<18}", r.name);
    for (auto const& a : r.alternatives)
      text += fmt::format(" {}{}", a.name, a.standing == "open" ? "" : " (" + a.standing + ")");
    text += "\n";
  }
  text += "\n  claims\n";
  for (auto const& claim : system.claims()) text += fmt::format("    {:<36} {}\n", claim.name, claim.sentence);
  auto const proved = theorems_about(c.requirements);
  if (!proved.empty()) text += "\n  theorems\n";
  for (auto const& t : proved) text += fmt::format("    {}\n", t.name);
  return text;
}

// The whole catalogue of a system in words: each requirement with its place, each reading with its question.
std::string system_page(judged_system const& system) {
  auto const& c = catalogue_of(system.shape().stem);
  auto text = system_heading(system);
  text += "\n  requirements\n";
  for (auto const& r : c.requirements)
    text += fmt::format("    {} ({}), {}\n      {}\n", r.id, r.strength, r.place, r.text);
  text += "\n  readings\n";
  for (auto const& r : c.readings) {
    text += fmt::format("    {}: {}\n", r.name, r.question);
    for (auto const& a : r.alternatives) text += fmt::format("      {} ({}): {}\n", a.name, a.standing, a.text);
  }
  text += "\n  claims\n";
  for (auto const& claim : system.claims())
    text += fmt::format("    {} ({})\n      {}\n", claim.name, text_parts::comma_separated(claim.requirements),
                        claim.sentence);
  auto const proved = theorems_about(c.requirements);
  if (!proved.empty()) text += "\n  theorems about the library, proved for all inputs\n";
  for (auto const& t : proved) text += fmt::format("    {}\n      {}\n", t.name, t.sentence);
  return text;
}

std::string requirement_page(judged_system const& system, requirement_text const& r) {
  std::string text = fmt::format("{} ({}), requirement of {}\n\n  {}\n\n  formula   {}\n  place     {}\n", r.id,
                                 r.strength, system.shape().stem, r.text, r.formula, r.place);
  if (!r.readings.empty()) text += fmt::format("  readings  {}\n", text_parts::comma_separated(r.readings));
  auto const claims = claims_of(system, r.id);
  if (!r.unchecked.empty()) text += fmt::format("  checks    none: {}\n", r.unchecked);
  if (!claims.empty()) text += fmt::format("  claims    {}\n", text_parts::comma_separated(claims));
  if (!r.specs.empty()) text += fmt::format("  specs     {}\n", text_parts::listed(r.specs, "\n            "));
  std::vector<std::string_view> proved;
  for (auto const& t : theorems_about({r})) proved.push_back(t.name);
  if (!proved.empty()) text += fmt::format("  theorems  {}\n", text_parts::listed(proved, "\n            "));
  return text;
}

std::string reading_page(judged_system const& system, reading_text const& r) {
  std::string text = fmt::format("{}, reading of {}\n\n  {}\n\n", r.name, system.shape().stem, r.question);
  for (auto const& a : r.alternatives) text += fmt::format("  {:<14} {:<10} {}\n", a.name, a.standing, a.text);
  if (is_convention(r.name))
    text += "\n  No document decides this. It is a convention of the protocol, so --strict leaves it open.\n";
  text += fmt::format("\n  rests on        {}\n", text_parts::comma_separated(r.rests_on));
  text += fmt::format("  told apart by   {}\n", r.told_apart_by.empty() ? "statistics only" : r.told_apart_by);
  return text;
}

std::string claim_page(judged_system const& system, claim_text const& c) {
  std::string text =
      fmt::format("{} ({}), claim about {}\n\n  {}\n\n  requirements  {}\n", c.name, strength_name(c.strength),
                  system.shape().stem, c.sentence, text_parts::comma_separated(c.requirements));
  for (auto const id : c.requirements) {
    auto const& r = *catalogue_of(system.shape().stem).find_requirement(id);
    text += fmt::format("\n  {} ({}), {}\n    {}\n    {}\n", r.id, r.strength, r.place, r.text, r.formula);
  }
  if (c.needs) {
    text +=
        fmt::format("\n  needs     the feature {} of the port\n", feature_names[static_cast<std::size_t>(*c.needs)]);
  } else {
    text += "\n";
  }
  if (c.draws) text += "  judged    by tests on many hidden draws\n";
  text += fmt::format("  check it  backoff-oracle check {} --claim {} -- PORT\n", word_for_system(system.shape().stem),
                      c.name);
  return text;
}

// A theorem is about the library alone; the kernels are those of several systems.
std::string theorem_page(theorem_text const& t) {
  std::string text = fmt::format("{}, theorem about the library, proved for all inputs\n\n  {}\n\n  requirements  {}\n",
                                 t.name, t.sentence, text_parts::comma_separated(requirements_of(t)));
  text += fmt::format("  widths        {}\n  given         {}\n", t.widths,
                      t.assumptions.empty() ? "nothing" : t.assumptions);
  return text;
}

// Those of the documents, and what was declared.
std::vector<judged_system const*> every_system() {
  std::vector<judged_system const*> all(judged_systems().begin(), judged_systems().end());
  all.insert(all.end(), declared_systems().begin(), declared_systems().end());
  return all;
}

// The claims that need a feature, each name once.
std::vector<std::string_view> claims_that_need(std::size_t feature) {
  std::vector<std::string_view> names;
  for (auto const* system : every_system()) {
    for (auto const& c : system->claims()) {
      bool const needs = c.needs && static_cast<std::size_t>(*c.needs) == feature;
      if (needs && std::ranges::count(names, c.name) == 0) names.push_back(c.name);
    }
  }
  return names;
}

// What a verdict names besides: of every system, so that no `list` has it.
struct named_page {
  std::string name;
  std::string text;
};

std::vector<named_page> common_pages() {
  std::vector<named_page> all;
  auto const add = [&](std::string_view name, std::string_view kind, std::string_view sentence) {
    all.push_back({std::string(name), fmt::format("{}, {}\n\n  {}\n", name, kind, sentence)});
  };
  for (auto const& claim : wait_claims()) add(claim.name, "claim of watch on every program", claim.sentence);
  add(session::no_answer_name, "claim about every port", session::no_answer_sentence);
  add(session::no_break_name, "claim about every port", session::no_break_sentence);
  for (auto const& f : judge::draw_faults())
    add(f.name, f.gross ? "simulated fault of hidden draws, which a pass excludes" : "simulated fault of hidden draws",
        f.sentence);
  for (std::size_t i = 0; i < judge::draw_tests; ++i) {
    auto const& t = judge::text_of(static_cast<judge::draw_test>(i));
    add(t.name, "test of hidden draws", fmt::format("If it fails: {}.", t.finding));
  }
  for (std::size_t i = 0; i < feature_names.size(); ++i) {
    auto const claims = claims_that_need(i);
    if (!claims.empty())
      add(feature_names[i], "feature of a port",
          fmt::format("Needed by the claims {}.", text_parts::comma_separated(claims)));
  }
  return all;
}

// NAME, or NAME=ALTERNATIVE as verdicts have it.
reading_text const* named_reading(catalogue const& c, std::string const& id) {
  auto const equals = id.find('=');
  auto const* const r = c.find_reading(id.substr(0, equals));
  if (r == nullptr || equals == std::string::npos) return r;
  return std::ranges::count(r->alternatives, id.substr(equals + 1), &alternative_text::name) == 0 ? nullptr : r;
}

// Everything of that name or id, over all systems.
std::string pages(std::string const& id) {
  static_cast<void>(find_judged_system(id.substr(0, id.find('.'))));  // a policy of the shelf, or what it says
  std::string text;
  auto const add = [&](std::string const& page) { text += (text.empty() ? "" : "\n") + page; };
  for (auto const* system : every_system()) {
    auto const& c = catalogue_of(system->shape().stem);
    if (system->shape().stem == id) add(system_page(*system));
    if (auto const* r = c.find_requirement(id)) add(requirement_page(*system, *r));
    if (auto const* r = named_reading(c, id)) add(reading_page(*system, *r));
    for (auto const& claim : system->claims()) {
      if (claim.name == id) add(claim_page(*system, claim));
    }
  }
  for (auto const& t : engines::proof::theorems) {
    if (t.name == id) add(theorem_page(t));
  }
  for (auto const& page : common_pages()) {
    if (page.name == id) add(page.text);
  }
  return text;
}

std::vector<std::string> every_name() {
  std::vector<std::string> names;
  for (auto const* system : every_system()) {
    auto const& c = catalogue_of(system->shape().stem);
    names.emplace_back(system->shape().stem);
    for (auto const& r : c.requirements) names.emplace_back(r.id);
    for (auto const& r : c.readings) names.emplace_back(r.name);
    for (auto const& claim : system->claims()) names.emplace_back(claim.name);
  }
  for (auto const& t : engines::proof::theorems) names.emplace_back(t.name);
  for (auto const& page : common_pages()) names.push_back(page.name);
  return names;
}

// What SYSTEM can be: a line for each document, and the names of the shelf in two columns.
std::string names_text() {
  std::string text = "Documents\n\n";
  for (auto const* system : judged_systems())
    text += fmt::format("  {:<25}{}\n", system->shape().stem, catalogue_of(system->shape().stem).document_name);
  text += "\nThe shelf: policies after other public documents\n\n";
  auto const shelf = shelf_policies();
  auto const rows = (shelf.size() + 1) / 2;
  for (std::size_t i = 0; i < rows; i++) {
    bool const has_second = i + rows < shelf.size();
    text += "  " + (has_second ? fmt::format("{:<36}{}", shelf[i].name, shelf[i + rows].name) : shelf[i].name) + "\n";
  }
  text +=
      "\n`backoff-oracle list NAME` lists the requirements, readings and claims of one;\n"
      "`backoff-oracle explain NAME` explains them. List a policy file by its path.\n";
  return text;
}

}  // namespace

exit_code list(std::string const& only, bool as_json) {
  json j{{"systems", json::array()}};
  std::string text = only.empty() ? names_text() : "";
  for (auto const* system : every_system()) {
    if (!only.empty() && system != &named_system(only)) continue;
    j["systems"].push_back(system_json(*system));
    if (!only.empty()) text += system_text(*system);
  }
  print(as_json ? j.dump(2) + "\n" : fitting(text));
  return conforms;
}

exit_code explain(std::string const& id) {
  auto const text = pages(id);
  if (text.empty())
    throw usage_error(
        "nothing is called '" + id +
        "': expected a system, a requirement, a reading, a claim, a theorem, or another name that a verdict shows, "
        "or a policy file, whose name ends in .yaml, .yml or .json" +
        policies::nearest_name(id, every_name()));
  print(fitting(text));
  return conforms;
}

}  // namespace backoff::oracle
