// Which document's formula a port's delays follow, whatever system the port answers for. The port is asked for delays
// in the words of its own system. Each document is asked the same calls in the document's words. Its parameters take
// the values of the port's parameters, matched in every possible way. Where no document explains the delays so, those
// that the port does not have are found by search. How many retries a port grants is not compared. Checked by:
// properties/oracle/any_test.py.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "judge/judged_system.hpp"
#include "judge/subject.hpp"

namespace backoff::explain {

// Whether answers of that system are delays: a number of seconds or of parts of one.
[[nodiscard]] bool tells_delays(shape const& s) noexcept;

// Histories that ask a fresh instance for some delays in a row, with everyday parameters and random draws.
[[nodiscard]] std::vector<history> histories_of_delays(shape const& s, domain const& takes, std::size_t count,
                                                       std::uint64_t seed);

// How well one document explains the delays.
struct likeness {
  // exactly: each delay is the documented one. spread: each lies in its documented range, and together they are spread
  // over it as documented. inside: the same, but spread otherwise, or too few to tell.
  enum class kind : std::uint8_t { exactly, spread, inside };

  judged_system const* document = nullptr;
  kind how = kind::inside;
  std::uint64_t explained = 0;  // histories
  std::uint64_t compared = 0;   // those whose parameters the document allows
  std::uint64_t whole = 0;      // explained up to the port's last delay: the document may grant fewer retries
  std::vector<std::pair<std::string, std::string>> with{};  // its parameter; the port's parameter, or a number
  std::vector<std::string> fitted{};                        // those of them that were found by search

  [[nodiscard]] bool explains() const noexcept {
    return explained == compared && 2 * whole >= compared && how != kind::inside;
  }
  // Whether it explains most of them.
  [[nodiscard]] bool is_near() const noexcept { return 2 * explained > compared && how != kind::inside; }
};

// The documents that explain at least one in ten histories, the best first. A document of kind `inside` must explain
// them all; one of kind `spread`, half as many as another that explains the delays. got: what the port answered to each
// of the histories.
[[nodiscard]] std::vector<likeness> likenesses(judged_system const& spoken, draw_source const& draws,
                                               std::span<history const> asked, std::span<result const> got,
                                               std::span<judged_system const* const> documents);

}  // namespace backoff::explain
