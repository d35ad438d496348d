// Policies on the command line: a file in place of a system's name. Checked by: properties/policies/program_test.py.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace backoff::files {

// The system of that file, made known under the name that the file gives it. Throws usage_error: what is wrong with the
// file, with its line.
std::string declare_file(std::string const& path);

// The shelf, spec/policies: policies of public documents, which are in the program. Each is known by its name once
// find_shape or find_judged_system has looked for it.
void know_the_shelf();
struct shelf_policy {
  std::string name;
  std::string document;
};
[[nodiscard]] std::vector<shelf_policy> shelf_policies();

// A word that stands for a system: its name, or a policy's file, which is declared then. What ends in .yaml, .yml or
// .json is a file, and so is any other word that names one and no system.
[[nodiscard]] std::string system_of_word(std::string const& word);
[[nodiscard]] bool is_policy_file(std::string const& word);

// What a declared policy was read from: the file's name without its folder, and its bytes.
struct policy_source {
  std::string file;
  std::string text;
};
// Of that system; nothing where it is no policy.
[[nodiscard]] std::optional<policy_source> policy_source_of(std::string_view stem);

// What to write for that system on the command line: its name, or the file that declares it.
[[nodiscard]] std::string word_for_system(std::string_view stem);

}  // namespace backoff::files
