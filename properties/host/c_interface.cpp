#include "host/c_interface.hpp"

#include <algorithm>

#include "histories/present.hpp"
#include "histories/systems.hpp"
#include "histories/text_parts.hpp"
#include "host/surroundings.hpp"

namespace backoff::systems {

#define BACKOFF_C_INTERFACE(stem) extern c_interface const stem##_interface;
#include "c_interfaces.def"
#undef BACKOFF_C_INTERFACE

}  // namespace backoff::systems

namespace backoff::host {

surroundings* around = nullptr;

std::span<c_interface const* const> c_interfaces() noexcept {
  static constexpr c_interface const* all[] = {
#define BACKOFF_C_INTERFACE(stem) &systems::stem##_interface,
#include "c_interfaces.def"
#undef BACKOFF_C_INTERFACE
  };
  return all;
}

c_interface const* find_c_interface(std::string_view stem) noexcept {
  auto const at = std::ranges::find(c_interfaces(), stem, &c_interface::stem);
  return at == c_interfaces().end() ? nullptr : *at;
}

random_bits drawn_from(history const& h) noexcept {
  std::uint64_t digest = 0xcbf29ce484222325U;  // FNV-1a, of numbers instead of bytes
  auto const add = [&](std::int64_t n) { digest = (digest ^ static_cast<std::uint64_t>(n)) * 0x100000001b3U; };
  for (auto const& v : h.params) add(v.n);
  for (auto const& s : h.steps) {
    add(s.op);
    add(s.on);
    for (auto const& v : s.args) add(v.n);
  }
  return random_bits(digest);
}

domain taken_by(c_interface const& of, std::span<std::string const> constants, void const* function) {
  shape const& s = *find_shape(of.stem);
  domain d = documented_domain(s, of.draws);
  d.features = of.features;
  for (auto& r : d.params) r.declared = true;
  of.narrow(d, function);
  if (of.constants.empty() && !constants.empty())
    throw text_error("a library of " + std::string(of.stem) + " has no constants: its parameters are arguments");

  std::string names;
  for (auto const& c : of.constants) names.append(names.empty() ? "" : ", ").append(c.param);
  std::vector<std::int64_t> values;
  for (auto const& c : of.constants) values.push_back(c.by_default);
  std::vector<bool> given(of.constants.size());
  for (std::string_view const word : constants) {
    auto const equals = word.find('=');
    auto const name = word.substr(0, equals);
    auto const i =
        static_cast<std::size_t>(std::ranges::find(of.constants, name, &constant::param) - of.constants.begin());
    if (equals == std::string_view::npos || i == of.constants.size())
      throw text_error(text_parts::shown(word) + ": expected NAME=VALUE with NAME one of: " + names);
    if (given[i]) throw text_error(text_parts::shown(name) + " is given twice");
    given[i] = true;
    auto const at = present(s.find_param(name));
    values[i] = parse_value(s.params[at], d.params[at], word.substr(equals + 1)).n;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto& r = d.params[present(s.find_param(of.constants[i].param))];
    r.low = r.high = values[i];
  }
  return d;
}

}  // namespace backoff::host
