// Fuzz target: everything of the protocol that reads foreign text, as two systems have it: the simplest, and the one
// with the most fields. Whatever the bytes are, a reader answers or throws what it documents.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "histories/json.hpp"
#include "histories/systems.hpp"
#include "histories/text.hpp"
#include "protocol/messages.hpp"

using namespace backoff::oracle;

namespace {

void read(shape const& s, history const& asked, std::string_view text) {
  auto const reads = [](auto read) {
    try {
      static_cast<void>(read());
    } catch (protocol_error const&) {  // NOLINT(bugprone-empty-catch): it says what is wrong with the text
    } catch (text_error const&) {      // NOLINT(bugprone-empty-catch): so does this
    }
  };
  reads([&] { return parse_start_reply(s, text); });
  reads([&] { return parse_run_reply(s, s.features, 1, std::span(&asked, 1), text); });
  reads([&] { return parse_request(text, &s); });
  reads([&] {
    auto const set = parse_json(text);
    if (set.cases.front().steps.size() < 1'000 && parse_json(to_json(set)).cases != set.cases) std::abort();
    return 0;
  });
  reads([&] {  // what is accepted as a token says the same again
    auto const set = parse_token(text);
    if (set.cases.front().steps.size() < 1'000 && parse_token(to_token(set)).cases != set.cases) std::abort();
    return 0;
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static history const jitter =
      parse_token("aws_backoff_algorithm/base_ms=2,max_ms=5,max_attempts=3/next:7,reset").cases[0];
  static history const control =
      parse_token(
          "azure_c_retry_control//create:RANDOM:0,should_retry:5:7,retrieve_options,is_timeout_reached:0:5:5,reset")
          .cases[0];
  std::string_view const text(reinterpret_cast<char const*>(data), size);
  read(*find_shape("aws_backoff_algorithm"), jitter, text);
  read(*find_shape("azure_c_retry_control"), control, text);
  return 0;
}
