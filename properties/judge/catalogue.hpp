// The catalogue of a document, as people read it: requirements with their places, readings with their alternatives.
// It comes from the page of the document, spec/STEM/system.yaml, and is compiled in: the program reads no file for it.
// Checked by: properties/judge/catalogue_test.cpp (names agree with model and claims, references resolve).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "histories/text.hpp"

namespace backoff::judge {

struct requirement_text {
  std::string id;
  std::string place;
  std::string strength;
  std::string text;
  std::string formula;
  std::vector<std::string> readings;
  std::string unchecked;           // why neither claim nor spec checks it; else empty
  std::vector<std::string> specs;  // suite.test of spec/STEM/*_test.cpp
};

struct alternative_text {
  std::string name;
  std::string standing;
  std::string text;
};

struct reading_text {
  std::string name;
  std::string question;
  std::vector<std::string> rests_on;
  std::vector<alternative_text> alternatives;
  std::string told_apart_by;  // a replay token; empty where only statistics can tell
};

struct catalogue {
  std::string document_name;  // as one line shows it
  std::string title;
  std::string publisher;
  std::string document_version;
  std::string formula;
  std::vector<requirement_text> requirements;
  std::vector<reading_text> readings;
  bool is_yours = false;  // whether a file of the user declares it

  [[nodiscard]] requirement_text const* find_requirement(std::string_view id) const noexcept;
  [[nodiscard]] reading_text const* find_reading(std::string_view name) const noexcept;
};

[[nodiscard]] catalogue const& catalogue_of(std::string_view stem);
// Adds the catalogue of a system that is declared at run time. Call before any thread starts.
void add_catalogue(std::string stem, catalogue c);

// The histories that tell each reading's alternatives apart, in the catalogue's order.
[[nodiscard]] std::vector<history> distinguishing_histories(std::string_view stem);

}  // namespace backoff::judge
