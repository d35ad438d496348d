// The policies of the shelf, and others, as tests have them.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "policies/declare.hpp"

namespace backoff::policies {

inline std::vector<std::string> shelf_names() {
  std::vector<std::string> all;
  for (auto const& file : std::filesystem::directory_iterator(BACKOFF_SHELF)) all.push_back(file.path().stem());
  std::ranges::sort(all);
  return all;
}

inline std::string shelf_text(std::string const& name) {
  std::ifstream file(std::string(BACKOFF_SHELF "/") + name + ".yaml");
  return {std::istreambuf_iterator<char>(file), {}};
}

// Declared once, under its name.
inline judge::judged_system const& known(std::string const& name, std::string const& text) {
  auto const* system = judge::find_judged_system(name);
  return system != nullptr ? *system : declare(read_policy(name, text), "1");
}

inline judge::judged_system const& shelf(std::string const& name) { return known(name, shelf_text(name)); }

}  // namespace backoff::policies
