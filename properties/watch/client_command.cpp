#include "watch/client_command.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace backoff::watch {
namespace {

constexpr std::string_view host = "127.0.0.1";

using placeholder = std::pair<std::string_view, std::string (*)(std::string const& port)>;
constexpr std::array placeholders{
    placeholder{"{url}", [](std::string const& port) { return "http://" + std::string(host) + ":" + port; }},
    placeholder{"{host}", [](std::string const&) { return std::string(host); }},
    placeholder{"{port}", [](std::string const& port) { return port; }},
    placeholder{"{target}", [](std::string const& port) { return std::string(host) + ":" + port; }},
};

std::string_view name_of(std::string_view variable) { return variable.substr(0, variable.find('=')); }

void set(std::vector<std::string>& environment, std::string variable) {
  auto const same = [&](std::string const& each) { return name_of(each) == name_of(variable); };
  std::erase_if(environment, same);
  environment.push_back(std::move(variable));
}

}  // namespace

bool names_the_server(std::span<std::string const> command, std::span<std::string const> environment) {
  auto const names = [](std::string const& text) {
    return std::ranges::any_of(placeholders,
                               [&](auto const& each) { return text.find(each.first) != std::string::npos; });
  };
  return std::ranges::any_of(command, names) || std::ranges::any_of(environment, names);
}

std::string with_server(std::string_view text, int port) {
  std::string result;
  while (!text.empty()) {
    auto const* const found =
        std::ranges::find_if(placeholders, [&](auto const& each) { return text.starts_with(each.first); });
    bool const is_text = found == placeholders.end();
    result += is_text ? std::string(1, text.front()) : found->second(std::to_string(port));
    text.remove_prefix(is_text ? 1 : found->first.size());
  }
  return result;
}

std::vector<std::string> with_server(std::span<std::string const> texts, int port) {
  std::vector<std::string> all;
  for (auto const& each : texts) all.push_back(with_server(each, port));
  return all;
}

std::vector<std::string> client_environment(std::span<std::string const> added, std::uint64_t index, int port) {
  std::vector<std::string> all;
  for (auto** variable = ::environ; variable != nullptr && *variable != nullptr; ++variable)
    all.emplace_back(*variable);
  for (auto const* const name : {"no_proxy", "NO_PROXY"}) {
    auto const* const direct = std::getenv(name);
    auto const others = direct == nullptr || *direct == '\0' ? std::string() : direct + std::string(",");
    set(all, std::string(name) + "=" + others + std::string(host));
  }
  set(all, "BACKOFF_RUN=" + std::to_string(index));
  for (auto& each : with_server(added, port)) set(all, std::move(each));
  return all;
}

}  // namespace backoff::watch
