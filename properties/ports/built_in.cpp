#include "ports/built_in.hpp"

#include <algorithm>

#include "histories/present.hpp"

namespace backoff::systems {

#define BACKOFF_SYSTEM(stem)                        \
  std::span<built_in const> stem##_library_ports(); \
  std::span<built_in const> stem##_c_ports();       \
  std::span<built_in const> stem##_right_ports();   \
  std::span<built_in const> stem##_wrong_ports();
#include "systems.def"
#undef BACKOFF_SYSTEM

}  // namespace backoff::systems

namespace backoff::ports {

namespace {

struct lists {
  std::string_view stem;
  std::span<built_in const> (*library)();
  std::span<built_in const> (*c)();
  std::span<built_in const> (*right)();
  std::span<built_in const> (*wrong)();
};

lists const& lists_of(std::string_view stem) {
  static constexpr lists all[] = {
#define BACKOFF_SYSTEM(stem)                                                                   \
  {#stem, systems::stem##_library_ports, systems::stem##_c_ports, systems::stem##_right_ports, \
   systems::stem##_wrong_ports},
#include "systems.def"
#undef BACKOFF_SYSTEM
  };
  return *std::ranges::find(all, stem, &lists::stem);
}

}  // namespace

std::span<built_in const> library_ports(std::string_view stem) { return lists_of(stem).library(); }
std::span<built_in const> c_ports(std::string_view stem) { return lists_of(stem).c(); }
std::span<built_in const> right_ports(std::string_view stem) { return lists_of(stem).right(); }
std::span<built_in const> wrong_ports(std::string_view stem) { return lists_of(stem).wrong(); }

built_in const* find_built_in(std::string_view stem, std::string_view name) {
  for (auto const list : {library_ports(stem), c_ports(stem), right_ports(stem), wrong_ports(stem)}) {
    auto const at = std::ranges::find(list, name, &built_in::name);
    if (at != list.end()) return &*at;
  }
  return nullptr;
}

built_in_subject::built_in_subject(shape const& s, built_in const& port)
    : shape_(&s), port_(&port), rejected_(s.rejected_word) {
  capabilities_.name = port.name;
  capabilities_.version = BACKOFF_VERSION;
  capabilities_.language = "C++";
  capabilities_.takes = documented_domain(s, port.draws);
  capabilities_.takes.features = s.features & ~port.lacks;
  without_missing_words(s, capabilities_.takes);
  for (std::size_t i = 0; i < s.params.size(); ++i) {
    auto& r = capabilities_.takes.params[i];
    if (s.params[i].words.empty()) r.high = std::min(r.high, port.widest);
    r.declared = true;
  }
  for (auto const& [name, most] : port.at_most)
    capabilities_.takes.params[histories::present(s.find_param(name))].high = most;
}

std::vector<result> built_in_subject::run(std::span<history const> histories) {
  std::vector<result> results;
  results.reserve(histories.size());
  for (auto const& h : histories) {
    auto answers = port_->run(h);
    for (std::size_t i = 0; port_->lacks != 0 && i < shape_->answers.size(); ++i) {
      auto const needs = shape_->answers[i].needs;
      if (!needs || capabilities_.takes.offers(*needs)) continue;
      for (auto& a : answers) a[i] = {};
    }
    bool const rejected = rejected_ && !answers.empty() && answers.front()[0] == observed::word(*rejected_);
    if (rejected) {
      results.push_back({result_kind::rejected, std::move(answers), "parameters refused"});
    } else {
      results.push_back({result_kind::answered, std::move(answers), {}});
    }
  }
  return results;
}

}  // namespace backoff::ports
