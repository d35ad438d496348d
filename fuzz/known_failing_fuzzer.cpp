// Fuzz target: the file of known failures. Whatever it says, it is read or refused with its line; what is read excuses
// some histories, and never ends a run.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "histories/generate.hpp"
#include "session/exit_codes.hpp"
#include "session/known_failing.hpp"

using namespace backoff::oracle;

// The first byte is the system.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  auto const& system = *judged_systems()[data[0] % judged_systems().size()];
  std::string_view text(reinterpret_cast<char const*>(data + 1), size - 1);
  std::vector<std::string> lines;
  for (std::size_t end = 0; end != std::string_view::npos;
       text.remove_prefix(end == std::string_view::npos ? 0 : end + 1)) {
    end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
  }
  try {
    auto const known = known_failing::parse(system, "known", lines);
    auto takes = documented_domain(system.shape(), {});
    for (std::uint64_t i = 0; i < 4; ++i) {
      random_bits random(1, i);
      auto const excused = known.excused(generate(system.shape(), takes, random));
      claim_mask all = 0;
      for (auto const& line : known.lines()) all |= line.claims;
      if ((excused & ~all) != 0) __builtin_trap();
    }
  } catch (usage_error const&) {  // NOLINT(bugprone-empty-catch): it says what is wrong with the line
  }
  return 0;
}
