// What helpers_test.py asks of a helper: says what arrived, and answers numbers of each kind from its own.
#include <cstdint>

#include "backoff_port.hpp"
using backoff_port::json;

backoff_port::instance port(json const& params) {
  if (params.find("reject") != nullptr) throw backoff_port::rejected(params["reject"].text);
  if (params.find("nothing") != nullptr) return {};
  return [params, calls = 0](json const& step) mutable -> json {
    calls++;
    if (step["op"] == "integer" && step["value"].text[0] == '-')
      return {{"status", "ok"}, {"value", step["value"].as<std::int64_t>()}};
    if (step["op"] == "integer") return {{"status", "ok"}, {"value", step["value"].as<std::uint64_t>()}};
    if (step["op"] == "real") return {{"status", "ok"}, {"value", step["value"].as<double>()}};
    if (step["op"] == "truth")
      return {{"status", "ok"}, {"value", step["value"].kind == json::plain && step["value"] == "true"}};
    if (step["op"] == "fail") throw std::domain_error(step["value"].text);
    return {{"status", "ok"}, {"calls", calls}, {"step", step}, {"params", params}};
  };
}

int main() {  // NOLINT(bugprone-exception-escape): it ends so where it cannot speak
  return backoff_port::serve(
      R"({"port":{"name":"echo","version":"1","language":"C++"},"systems":["echo","other"],
    "features":["instances"],"ranges":{"value":["0","18446744073709551615"]}})",
      port);
}
