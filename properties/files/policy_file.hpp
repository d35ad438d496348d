// Policies on the command line: a file in place of a system's name. Checked by: properties/policies/program_test.py.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace backoff::files {

// The system of that file, made known under the name that the file gives it. Throws usage_error: what is wrong with the
// file, with its line.
std::string declare_file(std::string const& path);
// The same for a file whose text is known.
std::string declare_text(std::string const& path, std::string const& text);

// A word that stands for a system: its name, or a policy's file, which is declared then. What ends in .yaml, .yml or
// .json is a file, and so is any other word that names one and no system.
[[nodiscard]] std::string system_of_word(std::string const& word);
[[nodiscard]] bool is_policy_file(std::string const& word);

// What to write for that system on the command line: its name, or the file that declares it.
[[nodiscard]] std::string word_for_system(std::string_view stem);

}  // namespace backoff::files
