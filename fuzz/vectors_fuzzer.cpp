// Fuzz target: answers to test vectors, in both of their forms. Whatever a file holds, there is a result for every
// vector or a refusal that names the place. Each file is tried twice: as it is, and with the last line that it should
// have, as no search guesses a checksum.
#include <fmt/format.h>

#include <boost/crc.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "files/vector_answers.hpp"
#include "readers.hpp"
#include "session/exit_codes.hpp"

using namespace backoff;

namespace {

void read(files::vector_suite const& suite, std::string_view text) {
  fuzz::file_of_text const file(text);
  try {
    auto const results = files::read_answered(file.path(), suite);
    if (results.size() != suite.all().size()) __builtin_trap();
    for (std::size_t i = 0; i < results.size(); ++i) {
      bool const answered = results[i].kind == histories::result_kind::answered;
      if (answered && results[i].answers.size() > suite.all()[i].asked.steps.size()) __builtin_trap();
    }
  } catch (session::usage_error const&) {  // NOLINT(bugprone-empty-catch): it says what is wrong with the file
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static files::vector_suite const suites[] = {files::vector_suite({"aws_backoff_algorithm", "", 1, 2, 4}),
                                               files::vector_suite({"azure_c_retry_control", "", 1, 2, 4})};
  if (size == 0) return 0;
  auto const& suite = suites[data[0] % 2];
  std::string_view const text(reinterpret_cast<char const*>(data + 1), size - 1);
  read(suite, text);

  bool const lines = data[0] % 4 < 2;
  std::string whole = (lines ? "# " : "{\"header\":") + suite.header_json().dump() + (lines ? "\n" : "}\n");
  whole += text;
  if (!whole.ends_with('\n')) whole += '\n';
  boost::crc_32_type crc;
  crc.process_bytes(whole.data(), whole.size());
  auto const count = suite.all().size();
  whole += lines ? fmt::format("# end {} {:08x}\n", count, crc.checksum())
                 : fmt::format("{{\"end\":{{\"count\":{},\"crc32\":\"{:08x}\"}}}}\n", count, crc.checksum());
  read(suite, whole);
  return 0;
}
