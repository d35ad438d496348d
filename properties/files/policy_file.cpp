#include "files/policy_file.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <map>

#include "files/sha256.hpp"
#include "histories/printable.hpp"
#include "histories/systems.hpp"
#include "judge/judged_system.hpp"
#include "policies/declare.hpp"
#include "session/exit_codes.hpp"
#include "session/input_file.hpp"
#include "shelf.hpp"  // generated: spec/policies

namespace backoff::files {
namespace {

constexpr std::size_t digits = 12;  // of the digest: enough to tell two files apart

struct declared_file {
  std::string path;
  std::string text;
};

std::map<std::string, declared_file, std::less<>>& files() {
  static std::map<std::string, declared_file, std::less<>> by_name;
  return by_name;
}

std::string version_of(std::string_view text) {
  sha256 digest;
  digest.add(text);
  return "sha-256 " + digest.digest().substr(0, digits);
}

policies::policy read_of_the_shelf(std::pair<std::string_view, std::string_view> const& from) {
  return policies::read_policy(std::string(from.first) + ".yaml", std::string(from.second));
}

auto const* on_the_shelf(std::string_view name) {
  return std::ranges::find(shelf, name, [](auto const& each) { return each.first; });
}

void declare_of_the_shelf(std::string_view name) {
  auto const* const at = on_the_shelf(name);
  if (at == std::end(shelf)) return;
  auto policy = read_of_the_shelf(*at);
  policy.is_of_the_shelf = true;
  policies::declare(std::move(policy), version_of(at->second));
}

}  // namespace

std::string declare_file(std::string const& path) {
  auto const text = read_whole_file(path, "a policy, in YAML or JSON");
  try {
    auto policy = policies::read_policy(path, text);
    auto const name = policy.name;
    auto const warnings = policy.warnings;
    auto const known = files().find(name);
    if (known != files().end() && known->second.path == path) return name;
    policies::declare(std::move(policy), version_of(text));
    files()[name] = {path, text};
    for (auto const& w : warnings) std::fprintf(stderr, "backoff-oracle: warning: %s\n", w.c_str());
    return name;
  } catch (policies::policy_error const& e) {
    throw usage_error(e.what());
  }
}

void know_the_shelf() { histories::when_unknown(declare_of_the_shelf); }

std::vector<shelf_policy> shelf_policies() {
  std::vector<shelf_policy> all;
  for (auto const& each : shelf) all.push_back({std::string(each.first), read_of_the_shelf(each).document});
  return all;
}

bool is_policy_file(std::string const& word) {
  if (judge::find_judged_system(word) != nullptr) return false;
  for (std::string_view const end : {".yaml", ".yml", ".json"}) {
    if (word.ends_with(end)) return true;
  }
  std::error_code none;
  return std::filesystem::is_regular_file(word, none);
}

std::string system_of_word(std::string const& word) { return is_policy_file(word) ? declare_file(word) : word; }

std::optional<policy_source> policy_source_of(std::string_view stem) {
  if (auto const at = files().find(stem); at != files().end())
    return policy_source{histories::printable(std::filesystem::path(at->second.path).filename().string()),
                         at->second.text};
  auto const* const at = on_the_shelf(stem);
  if (at == std::end(shelf)) return std::nullopt;
  return policy_source{std::string(stem) + ".yaml", std::string(at->second)};
}

std::string word_for_system(std::string_view stem) {
  auto const at = files().find(stem);
  return at == files().end() ? std::string(stem) : at->second.path;
}

}  // namespace backoff::files
