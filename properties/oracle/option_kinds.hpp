// The kinds of options that verbs have, and their help. Checked by: properties/oracle/oracle_test.py.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "session/options.hpp"

namespace backoff::oracle {

inline constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

// A whole number of [low, high], written with nothing but digits.
[[nodiscard]] CLI::Validator whole_number(std::uint64_t low, std::uint64_t high);
// A decimal number of [low, high].
[[nodiscard]] CLI::Validator number(double low, double high, std::string const& expected);
[[nodiscard]] CLI::Validator seconds();
// A time such as 250ms, 30s, 5min or 2h; a number alone is seconds. Adds the option, which sets `to` to seconds.
CLI::Option* add_time(CLI::App& verb, std::string const& name, std::function<void(double)> to,
                      std::string const& about);
[[nodiscard]] CLI::Validator one_of(std::vector<std::string> words);
[[nodiscard]] CLI::Validator path();

CLI::Option* add_shard(CLI::App& verb, shard& to);
CLI::Option* add_file(CLI::App& verb, std::string const& name, std::string& to, std::string const& about);
// The help lists the options of a verb by purpose.
void group(CLI::App& verb, char const* heading, std::initializer_list<char const*> names);

// The help: lines that fit a terminal, and the port behind --, of which CLI11 knows nothing.
[[nodiscard]] std::shared_ptr<CLI::Formatter> help_text();

}  // namespace backoff::oracle
