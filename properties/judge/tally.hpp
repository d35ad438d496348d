// What a run has seen so far, in numbers. Checked by: properties/judge/tally_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "judge/breach_log.hpp"

namespace backoff::judge {

class tally {
 public:
  explicit tally(judged_system const& system);

  void take(history const& h, result const& r);
  void put_at_stake(claim_mask claims) noexcept;
  void take_back(claim_mask claims) noexcept;

  [[nodiscard]] std::uint64_t all() const noexcept { return judged + rejected + skipped + broke; }
  // Whether the port rejected or skipped more histories than were judged: what it answered says nothing of the rest.
  [[nodiscard]] bool turned_most_away() const noexcept { return rejected + skipped > judged; }
  // Whether some answer had the field without which the claim cannot be checked.
  [[nodiscard]] bool tells(claim_text const& c) const noexcept;

  std::uint64_t judged = 0;
  std::uint64_t rejected = 0;
  std::uint64_t skipped = 0;
  std::uint64_t broke = 0;
  std::size_t most_calls = 0;                                   // of one instance, in a history that was answered
  std::array<std::uint64_t, breach::no_answer + 1> at_stake{};  // by claim: histories that put it at stake

 private:
  std::vector<std::uint8_t> untold_;  // fields in claim_text::told_by that no answer has had yet
};

}  // namespace backoff::judge
