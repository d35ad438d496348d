// The languages that `init` writes adapters in. Their forms and helpers are files of properties/ports/helpers, as text
// in the program.
#pragma once

#include <span>
#include <string_view>

namespace backoff::oracle {

struct init_language {
  std::string_view name;
  // In these, NAME is the policy's name, and TITLE the same without _, each word with a capital.
  std::string_view adapter;  // its file
  std::string_view build;    // the command; empty: none
  std::string_view port;     // the command that starts it
  std::string_view form;
  std::string_view helper;  // its file
  std::string_view helper_text;
};

[[nodiscard]] std::span<init_language const> init_languages();

}  // namespace backoff::oracle
