// A port of backoffAlgorithm v1.3.0 that reads requests with a scanner and writes with to_chars, so that a benchmark of
// the oracle measures the oracle. It trusts its input: it is for the benchmark alone.
#include <charconv>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <string>
#include <string_view>

#include "backoff/aws_backoff_algorithm.hpp"

namespace {

namespace core = backoff::aws_backoff_algorithm;

// The characters of a line, from left to right.
struct scanner {
  std::string_view rest;

  // Goes on behind the next `key`, if it comes before the next `end`.
  bool past(std::string_view key, std::string_view end) {
    auto const at = rest.find(key);
    if (at == std::string_view::npos || at > rest.find(end)) return false;
    rest.remove_prefix(at + key.size());
    return true;
  }
  std::uint32_t number() {
    std::uint32_t n = 0;
    auto const [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), n);
    rest.remove_prefix(static_cast<std::size_t>(stop - rest.data()));
    return n;
  }
};

void append(std::string& out, std::uint64_t n) {
  char digits[20];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, n).ptr);
}

void answer_case(scanner& in, std::string& out) {
  auto const base = in.past(R"("base_ms":")", "]") ? in.number() : 0;
  auto const cap = in.past(R"("max_ms":")", "]") ? in.number() : 0;
  static_cast<void>(in.past(R"("max_attempts":")", "]"));
  auto const limit = in.rest.front() == 'f' ? core::attempt_limit::forever() : core::attempt_limit::of(in.number());
  core::full_jitter<std::uint32_t> cycle(core::check_parameters<std::uint32_t>(base, cap, limit).value);
  out += R"({"steps":[)";
  while (in.past(R"({"op":")", "]")) {
    if (out.back() == '}') out += ',';
    if (in.rest.front() == 'r') {
      cycle.reset();
      out += R"({"status":"ok"})";
      continue;
    }
    static_cast<void>(in.past(R"("draw":")", "]"));
    auto const decided = cycle.next(in.number());
    if (decided.status == core::status::retry) {
      out += R"({"status":"retry","delay_ms":")";
      append(out, decided.delay_ms);
      out += R"("})";
    } else {
      out += R"({"status":"exhausted"})";
    }
  }
  out += "]}";
}

}  // namespace

int main() {
  std::ios::sync_with_stdio(false);
  std::string line;
  std::string out;
  while (std::getline(std::cin, line) && line.find(R"("cmd":"stop")") == std::string::npos) {
    scanner in{line};
    if (!in.past(R"("id":)", "]")) {
      out =
          R"({"protocol":1,"port":{"name":"scanner"},"systems":["aws_backoff_algorithm"],"max_batch":256,"features":[]})";
    } else {
      out = R"({"id":)";
      append(out, in.number());
      out += R"(,"results":[)";
      while (in.past(R"("params":{)", "\n")) {
        if (out.back() == '}') out += ',';
        answer_case(in, out);
      }
      out += "]}";
    }
    std::cout << out << '\n' << std::flush;
  }
}
