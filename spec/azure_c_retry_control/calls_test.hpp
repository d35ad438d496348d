// What the words of an example's call ask of any implementation, and the words of what it decides.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/examples.hpp"

namespace backoff::spec::azure_c_retry_control {

// Where the word is among them; behind all of them, if it is not.
inline std::size_t place_of(std::string const& word, examples::words const& among) {
  return static_cast<std::size_t>(std::ranges::find(among, word) - among.begin());
}

struct asked {
  asked(examples::parameters const& row, examples::call const& c) : with_(c.with) {
    with_.insert(row.begin(), row.end());  // what the call does not name
    for (auto const& reading : examples::parts(word("clock"), '.')) clock.push_back(examples::demanded_number(reading));
    auto const drawn = examples::parts(word("draw"), '/');
    r = examples::as<std::uint32_t>(examples::number(drawn.at(0)).value_or(0));
    if (drawn.size() == 2) rand_max = examples::as<std::uint32_t>(examples::demanded_number(drawn[1]));
    examples::words const names{"NONE",           "IMMEDIATE",           "INTERVAL",
                                "LINEAR_BACKOFF", "EXPONENTIAL_BACKOFF", "EXPONENTIAL_BACKOFF_WITH_JITTER",
                                "RANDOM"};
    policy = static_cast<std::uint8_t>(place_of(word("policy"), names));
    auto const values = examples::parts(word("value"), '/');
    is_saved = values.size() == 2;
    for (auto const& v : values) options.push_back(examples::number(v));
  }

  // An argument, or nothing where it was left out.
  [[nodiscard]] std::string word(std::string const& name) const {
    return with_.contains(name) ? with_.at(name) : std::string();
  }
  template <class W>
  [[nodiscard]] W number(std::string const& name) const {
    return examples::as<W>(with_, name);
  }

  std::vector<std::int64_t> clock;
  std::uint32_t r, rand_max = 0xffff'ffff;  // of a draw that is one number, or for the model alone
  std::uint8_t policy;
  std::vector<std::optional<std::int64_t>> options;  // a number, or what was saved of the two options
  bool is_saved;

 private:
  examples::parameters with_;
};

// The action or whether the time is over, or nothing where the call fails; so many readings; so many draws, if any.
inline std::string decided(std::optional<std::string> const& what, std::size_t reads, std::size_t draws = 0) {
  return examples::joined(
      {what.value_or("fails"), std::to_string(reads), draws == 0 ? std::string() : std::to_string(draws)});
}
inline std::string action_word(std::size_t action) {
  return action < 3 ? examples::words{"now", "later", "stop"}[action] : "another action";
}
inline std::string memory_word(std::int64_t live) {
  return live == 0 ? "none" : live == 1 ? "held" : std::to_string(live) + " allocations";
}

}  // namespace backoff::spec::azure_c_retry_control
