#include "judge/catalogue.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <ranges>
#include <utility>

#include "catalogue_json.hpp"
#include "histories/text_parts.hpp"
#include "specs.hpp"

namespace backoff::judge {
namespace {

using nlohmann::json;

// By requirement, the specs that name it. Each line of `text` is a spec and the requirements that it names.
std::map<std::string_view, std::vector<std::string>> specs_by_requirement(std::string_view text) {
  std::map<std::string_view, std::vector<std::string>> specs;
  for (auto const line : text_parts::split(text, '\n')) {
    auto const words = text_parts::split(line, ' ');
    for (auto const id : words | std::views::drop(1)) specs[id].emplace_back(words.front());
  }
  return specs;
}

catalogue parse(std::string_view text, std::string_view specs) {
  json const j = json::parse(text);
  auto by_requirement = specs_by_requirement(specs);
  auto const& document = j.at("document");
  catalogue c{document.at("name"),
              document.at("title"),
              document.at("publisher"),
              document.at("version"),
              j.at("formula"),
              {},
              {}};
  for (auto const& r : j.at("requirements")) {
    c.requirements.push_back({r.at("id"), r.at("place"), r.at("strength"), r.at("text"), r.at("formula"),
                              r.at("readings"), r.value("unchecked", ""),
                              std::move(by_requirement[r.at("id").get_ref<std::string const&>()])});
  }
  for (auto const& r : j.at("readings")) {
    std::string const told = r.at("told_apart_by");
    auto& reading = c.readings.emplace_back(
        reading_text{r.at("name"), r.at("question"), r.at("rests_on"), {}, told == "statistics" ? "" : told});
    for (auto const& a : r.at("alternatives"))
      reading.alternatives.push_back({a.at("name"), a.at("standing"), a.at("text")});
  }
  return c;
}

std::map<std::string, catalogue, std::less<>> every_catalogue() {
  std::map<std::string, catalogue, std::less<>> all;
#define BACKOFF_SYSTEM(stem) all.emplace(#stem, parse(spec::stem##_catalogue_json, spec::stem##_specs));
#include "systems.def"
#undef BACKOFF_SYSTEM
  return all;
}

auto& catalogues() {
  static auto all = every_catalogue();
  return all;
}

}  // namespace

requirement_text const* catalogue::find_requirement(std::string_view id) const noexcept {
  auto const at = std::ranges::find(requirements, id, &requirement_text::id);
  return at == requirements.end() ? nullptr : &*at;
}

reading_text const* catalogue::find_reading(std::string_view name) const noexcept {
  auto const at = std::ranges::find(readings, name, &reading_text::name);
  return at == readings.end() ? nullptr : &*at;
}

catalogue const& catalogue_of(std::string_view stem) { return catalogues().find(stem)->second; }

void add_catalogue(std::string stem, catalogue c) { catalogues().emplace(std::move(stem), std::move(c)); }

std::vector<history> distinguishing_histories(std::string_view stem) {
  std::vector<history> result;
  for (auto const& reading : catalogue_of(stem).readings) {
    if (!reading.told_apart_by.empty()) result.push_back(parse_token(reading.told_apart_by).cases.front());
  }
  return result;
}

}  // namespace backoff::judge
