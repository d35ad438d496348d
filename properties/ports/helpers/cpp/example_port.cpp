// A port of backoffAlgorithm that the oracle can judge. Replace `window` and `draw % …` with your code.
#include <algorithm>
#include <cstdint>

#include "backoff_port.hpp"
using backoff_port::json;

backoff_port::instance port(json const& params) {
  return [base = params["base_ms"].as<std::uint64_t>(), max = params["max_ms"].as<std::uint64_t>(),
          limit = params["max_attempts"], attempts = 0U](json const& step) mutable -> json {
    if (step["op"] == "reset") {
      attempts = 0;
      return {{"status", "ok"}};
    }
    if (limit != "forever" && attempts >= limit.as<std::uint64_t>()) return {{"status", "exhausted"}};
    auto window = base;
    for (auto i = 0U; i < attempts && window < max; i++) window *= 2;
    window = std::min(window, max);
    attempts++;
    return {{"status", "retry"}, {"delay_ms", step["draw"].as<std::uint64_t>() % (window + 1)}};
  };
}

int main() {
  return backoff_port::serve(R"({"port":{"name":"example","version":"1","language":"C++"},
    "systems":["aws_backoff_algorithm"],"features":["instances"]})",
                             port);
}
