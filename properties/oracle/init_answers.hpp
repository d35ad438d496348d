// What `init` is told: the numbers of the sentence that a client documents, each read from a flag or an answer. Readers
// throw usage_error: what was written, and what was expected. Checked by: properties/oracle/init_test.py.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace backoff::oracle {

using picoseconds = std::uint64_t;
using millionths = std::uint32_t;

enum class growth : std::uint8_t { constant, linear, power };
enum class jitter : std::uint8_t { none, full, equal, part, added, decorrelated };

struct init_answers {
  std::string name;
  std::string language;
  std::string unit;  // of delays; empty: that of the first delay
  picoseconds base = 0;
  std::optional<picoseconds> cap;
  jitter jittered = jitter::none;
  millionths part = 0;    // of jitter::part
  picoseconds added = 0;  // at most, of jitter::added
  growth grows = growth::power;
  millionths factor = 0;  // of growth::power; of decorrelated jitter, by which the last delay is multiplied
  std::optional<std::uint64_t> retries;
  bool draws_given = false;
};

void read_name(init_answers& to, std::string const& text);
void read_language(init_answers& to, std::string const& text);
void read_unit(init_answers& to, std::string const& text);
void read_base(init_answers& to, std::string const& text);
void read_jitter(init_answers& to, std::string const& text);
void read_factor(init_answers& to, std::string const& text);  // after the jitter
void read_cap(init_answers& to, std::string const& text);     // after the first delay
void read_retries(init_answers& to, std::string const& text);
void read_draws(init_answers& to, std::string const& text);

// As a decimal number without superfluous zeros, in the unit of the answers.
[[nodiscard]] std::string in_unit(init_answers const& of, picoseconds duration);
[[nodiscard]] std::string decimal(millionths n);

// The policy and the adapter.
[[nodiscard]] std::string policy_text(init_answers const& of);
[[nodiscard]] std::string adapter_text(init_answers const& of, std::string const& form);
// The sentence again: 1 s, x 1.6 each time, at most 120 s.
[[nodiscard]] std::string sentence_of(init_answers const& of);
// my_policy: MyPolicy.
[[nodiscard]] std::string in_capitals(std::string const& name);

}  // namespace backoff::oracle
