// The laws of documents, of the shelf and of policies that a test declares.
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "files/policy_file.hpp"
#include "plans/delay_law.hpp"
#include "policies/declare.hpp"
#include "session/options.hpp"
#include "session/parameters.hpp"

namespace backoff::plans {

struct followed {
  followed(std::string_view stem, std::vector<std::string> const& params) {
    files::know_the_shelf();
    document = &session::named_system(stem);
    exact = policies::followed_exactly(*document);
    if (exact) document = exact.get();
    with = session::parameters_of(document->shape(), params);
  }

  std::shared_ptr<judge::judged_system const> exact;
  judge::judged_system const* document = nullptr;
  histories::history with;
};

struct law_of_document : private followed, public delay_law {
  explicit law_of_document(std::string_view stem, std::vector<std::string> const& params = {})
      : followed(stem, params), delay_law(*document, with) {}
};

// rest: the policy without its name.
struct law_of_policy : law_of_document {
  explicit law_of_policy(std::string const& rest) : law_of_document(declared(rest)) {}

 private:
  static std::string declared(std::string const& rest) {
    static int count = 0;
    auto name = "planned_" + std::to_string(++count);
    static_cast<void>(policies::declare(policies::read_policy(name, "name: " + name + "\n" + rest), ""));
    return name;
  }
};

}  // namespace backoff::plans
