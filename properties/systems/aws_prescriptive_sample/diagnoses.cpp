// What is probably wrong in a port of the sample code: (2^n − 1) · 100 ms before request n, counted from 0.
#include <algorithm>
#include <array>
#include <cmath>

#include "explain/diagnosis.hpp"

namespace backoff::conformance {
namespace {

constexpr double longest_ms = 0x7fff'ffff;

// The loop as documented, with f(n) for the wait before request n.
template <auto f>
std::vector<answer> delays(history const& h, documented&) {
  std::vector<answer> all;
  std::array<int, instances_max> n{};
  for (auto const& step : h.steps) {
    auto& now = n[step.on];
    bool const may_pass = step.args[0].n == 429 || step.args[0].n == 504;
    bool const again = may_pass && now + 1 < h.params[0].n;
    all.push_back({observed::word(0), real(std::min(f(now), longest_ms)), observed::word(again ? 1 : 0)});
    ++now;
  }
  return all;
}

constexpr auto square = [](int n) { return 100.0 * n * n; };
constexpr auto linear = [](int n) { return 100.0 * n; };
constexpr auto constant = [](int) { return 100.0; };
constexpr auto power_of_ten = [](int n) { return 100.0 * (std::pow(10, n) - 1); };
constexpr auto early = [](int n) { return 100.0 * (std::ldexp(1, n + 1) - 1); };
constexpr auto late = [](int n) { return n == 0 ? 0 : 100.0 * (std::ldexp(1, n - 1) - 1); };
constexpr auto whole_power = [](int n) { return 100.0 * std::ldexp(1, n); };
constexpr auto masked = [](int n) { return 100.0 * (std::ldexp(1, n % 32) - 1); };

}  // namespace

std::vector<diagnosis> aws_prescriptive_sample_diagnoses() {
  return {
      {"starts-early", "starts one doubling early", delays<early>},
      {"starts-late", "starts one doubling late", delays<late>},
      {"one-not-subtracted", "waits 2^n in place of 2^n - 1 times 100 ms", delays<whole_power>},
      {"linear", "adds 100 ms each time in place of doubling", delays<linear>},
      {"square", "grows with the square of the count in place of doubling", delays<square>},
      {"power-of-ten", "raises ten to a power in place of two", delays<power_of_ten>},
      {"constant", "always waits 100 ms", delays<constant>},
      {"shift-masked", "shifts by the count modulo 32", delays<masked>},
  };
}

}  // namespace backoff::conformance
