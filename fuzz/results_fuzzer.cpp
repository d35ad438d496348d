// Fuzz target: results files, and what is read from them for a verdict. Whatever a file holds, it is read or refused
// with its place. Each is tried twice: as it is, and with the digest that its last line should have, as no search
// guesses one.
#include <cstdint>

#include "files/results.hpp"
#include "histories/systems.hpp"
#include "readers.hpp"
#include "session/exit_codes.hpp"

using namespace backoff;

namespace {

void read(std::string_view text) {
  fuzz::file_of_text const file(text);
  try {
    files::results_file results(file.path());
    auto const* const s = histories::find_shape(results.header().system);
    if (s == nullptr) return;
    static_cast<void>(results.probes(*s));
    static_cast<void>(results.twice(*s));
    static_cast<void>(results.broke());
    static_cast<void>(results.findings(*s));
    while (!results.next(*s).empty()) {
    }
  } catch (session::usage_error const&) {  // NOLINT(bugprone-empty-catch): it says what is wrong with the file
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const text(reinterpret_cast<char const*>(data), size);
  read(text);
  constexpr std::string_view key = R"("sha256":")";
  auto const at = text.rfind(key);
  if (at == std::string_view::npos) return 0;
  files::sha256 digest;
  digest.add(text.substr(0, at + key.size()));
  read(std::string(text.substr(0, at + key.size())) + digest.digest() + "\"}\n");
  return 0;
}
