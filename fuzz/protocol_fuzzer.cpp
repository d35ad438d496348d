// Fuzz target: everything that reads foreign text. Whatever the bytes are, a reader answers or throws what it
// documents.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "history/json.hpp"
#include "history/systems.hpp"
#include "history/text.hpp"
#include "protocol/fast_reply.hpp"
#include "protocol/messages.hpp"

using namespace backoff::conformance;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const text(reinterpret_cast<char const*>(data), size);
  auto const& s = *find_shape("aws_backoff_algorithm");
  history const asked{{value::of(2), value::of(5), value::of(3)}, {{0, 0, {value::of(7)}}, {1, 0, {}}}};
  auto const reads = [](auto read) {
    try {
      static_cast<void>(read());
    } catch (protocol_error const&) {
    } catch (text_error const&) {
    }
  };
  reads([&] { return parse_start_reply(s, text); });
  reads([&] { return parse_run_reply(s, s.features, 1, std::span(&asked, 1), text); });
  reads([&] {  // what the short way reads, the long way reads too
    auto const usual = read_usual_reply(s, s.features, 1, std::span(&asked, 1), text);
    if (usual &&
        usual->front().answers != parse_any_run_reply(s, s.features, 1, std::span(&asked, 1), text).front().answers)
      std::abort();
    return 0;
  });
  reads([&] { return parse_request(text, &s); });
  reads([&] { return parse_json(text); });
  reads([&] {  // what is accepted as a token says the same again
    auto const set = parse_token(text);
    if (set.cases.front().steps.size() < 1'000 && parse_token(to_token(set)).cases != set.cases) std::abort();
    return 0;
  });
  return 0;
}
