// Runs that tests begin: of the countdown, and of backoffAlgorithm where a test wants draws.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "histories/present.hpp"
#include "judge/countdown_test.hpp"

namespace backoff::judge {

inline std::string refusal(judged_system const& system, capabilities const& about, run_options options = {}) {
  auto const begins = run::begin(system, about, std::move(options));
  auto const* const why = std::get_if<std::string>(&begins);
  return why == nullptr ? "" : *why;
}

inline judged_system const& backoff_algorithm() { return *find_judged_system("aws_backoff_algorithm"); }

inline capabilities about_drawing(draw_source draws, std::optional<std::string> mapping = {}) {
  capabilities about;
  about.takes = documented_domain(backoff_algorithm().shape(), draws);
  about.mapping = std::move(mapping);
  return about;
}

inline std::pair<unsigned, unsigned> named(std::string_view reading, std::string_view alternative) {
  auto const& table = backoff_algorithm().readings();
  unsigned const r = present(table.find(reading));
  return {r, present(table.find(r, alternative))};
}

inline bool all_have(std::vector<spec::cube> const& cubes, std::string_view reading, std::string_view alternative) {
  auto const& table = backoff_algorithm().readings();
  auto const [r, a] = named(reading, alternative);
  // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): what it refers to is constant
  return std::ranges::all_of(cubes, [&](spec::cube c) { return (c.bits & table.field(r)) == table.bit(r, a); });
}

inline bool any_has(std::vector<spec::cube> const& cubes, std::string_view reading, std::string_view alternative) {
  auto const& table = backoff_algorithm().readings();
  auto const [r, a] = named(reading, alternative);
  // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): what it refers to is constant
  return std::ranges::any_of(cubes, [&](spec::cube c) { return (c.bits & table.bit(r, a)) != 0; });
}

inline constexpr std::uint64_t u32_size = std::uint64_t{1} << 32;

namespace countdown {

inline auto const about_countdown = about_port();

inline run after(std::initializer_list<std::pair<history, result>> all, run_options options = {}) {
  auto judged = begun(countdown::system, about_countdown, std::move(options));
  for (auto const& [h, r] : all) judged.judge(h, r);
  return judged;
}

}  // namespace countdown
}  // namespace backoff::judge
