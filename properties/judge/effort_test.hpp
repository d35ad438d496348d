// How many random histories a test tries: as many as every change can wait for; in the stages of the night and the
// week, so many times as many. Checked by: these stages' tests, which say the numbers.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace backoff::judge {

// BACKOFF_PATIENCE, a whole number from 1; without it 1.
inline std::uint16_t effort_multiplier() {
  char const* const said = std::getenv("BACKOFF_PATIENCE");
  std::string_view const text = said == nullptr ? "1" : said;
  std::uint16_t times = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), times);
  if (error != std::errc() || end != text.data() + text.size() || times == 0) {
    std::abort();  // never less than was asked for
  }
  return times;
}

}  // namespace backoff::judge
