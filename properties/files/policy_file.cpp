#include "files/policy_file.hpp"

#include <cstdio>
#include <filesystem>
#include <map>

#include "files/sha256.hpp"
#include "judge/judged_system.hpp"
#include "policies/declare.hpp"
#include "session/exit_codes.hpp"
#include "session/input_file.hpp"

namespace backoff::files {
namespace {

constexpr std::size_t digits = 12;  // of the digest: enough to tell two files apart

std::map<std::string, std::string, std::less<>>& files() {
  static std::map<std::string, std::string, std::less<>> by_name;
  return by_name;
}

}  // namespace

std::string declare_text(std::string const& path, std::string const& text) {
  try {
    auto policy = policies::read_policy(path, text);
    auto const name = policy.name;
    auto const warnings = policy.warnings;
    auto const known = files().find(name);
    if (known != files().end() && known->second == path) return name;
    sha256 digest;
    digest.add(text);
    policies::declare(std::move(policy), "sha-256 " + digest.digest().substr(0, digits));
    files()[name] = path;
    for (auto const& w : warnings) std::fprintf(stderr, "backoff-oracle: warning: %s\n", w.c_str());
    return name;
  } catch (policies::policy_error const& e) {
    throw usage_error(e.what());
  }
}

std::string declare_file(std::string const& path) {
  return declare_text(path, read_whole_file(path, "a policy, in YAML or JSON"));
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

std::string word_for_system(std::string_view stem) {
  auto const at = files().find(stem);
  return at == files().end() ? std::string(stem) : at->second;
}

}  // namespace backoff::files
