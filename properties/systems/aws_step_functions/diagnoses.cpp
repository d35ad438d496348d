// What is probably wrong in a port of the Step Functions example: interval_s · backoff_rate^n.
#include <algorithm>
#include <array>
#include <cmath>

#include "explain/diagnosis.hpp"

namespace backoff::systems {
namespace {

// The documented answers, with f(interval, rate, n) for delays. What a port makes of delays beyond those that all hold
// is no part of its fault.
template <auto f>
std::vector<answer> delays(history const& h, documented& document) {
  auto all = document.answers(h);
  std::array<double, instances_max> n{};
  auto const interval = static_cast<double>(h.params[0].n);
  auto const rate = static_cast<double>(h.params[1].n) / 1'000;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i][1].kind != observed_kind::number) continue;
    constexpr double held_by_all = 2'147'483.647;
    auto const delay = f(interval, rate, n[h.steps[i].on]++);
    auto const* port = document.of_the_port(i);
    bool const is_open = delay > held_by_all && port != nullptr && encoded((*port)[1]) >= held_by_all;
    all[i][1] = is_open ? (*port)[1] : real(delay);
  }
  return all;
}

constexpr auto early = [](double interval, double rate, double n) { return interval * std::pow(rate, n + 1); };
constexpr auto late = [](double interval, double rate, double n) { return interval * std::pow(rate, n - 1); };
constexpr auto second = [](double interval, double rate, double n) {
  return interval * (n == 0 ? 1 : std::pow(rate, n - 1));
};
constexpr auto linear = [](double interval, double, double n) { return interval * (n + 1); };
constexpr auto by_rate = [](double interval, double rate, double n) { return n == 0 ? interval : interval * rate * n; };
constexpr auto by_rest = [](double interval, double rate, double n) { return interval * (1 + n * (rate - 1)); };
constexpr auto square = [](double interval, double, double n) { return interval * (n + 1) * (n + 1); };
constexpr auto constant = [](double interval, double, double) { return interval; };
constexpr auto compounds = [](double interval, double rate, double n) {
  return interval * std::pow(rate, n * (n + 1) / 2);
};
constexpr auto of_interval = [](double interval, double, double n) { return std::pow(interval, n + 1); };
constexpr auto sums = [](double interval, double rate, double n) { return interval + rate * n; };
constexpr auto tenths = [](double interval, double rate, double n) {
  return interval * std::pow(std::floor(rate * 10 + 1e-9) / 10, n);
};
constexpr auto whole_rate = [](double interval, double rate, double n) {
  return interval * std::pow(std::floor(rate), n);
};
constexpr auto nearest_rate = [](double interval, double rate, double n) {
  return interval * std::pow(std::round(rate), n);
};
constexpr auto next_rate = [](double interval, double rate, double n) {
  return interval * std::pow(std::ceil(rate), n);
};
constexpr auto sum = [](double interval, double rate, double n) {
  return rate == 1 ? interval * (n + 1) : interval * (std::pow(rate, n + 1) - 1) / (rate - 1);
};
constexpr auto in_32_bits = [](double interval, double rate, double n) {
  double const ms = std::floor(interval * std::pow(rate, n) * 1'000);
  return std::fmod(ms, 0x1p32) / 1'000;
};
// Rounded at each step, in units of a second.
template <double (*rounds)(double), int per_second>
constexpr auto stepwise = [](double interval, double rate, double n) {
  double delay = interval;
  for (std::uint32_t i = 0; i < n && delay < 1e9 && delay > 0; ++i) {
    auto const next = rounds(delay * rate * per_second) / per_second;
    if (next == delay) break;
    delay = next;
  }
  return delay;
};
constexpr auto as_percent = [](double interval, double rate, double n) { return interval * std::pow(1 + rate, n); };
constexpr auto once = [](double interval, double, double n) { return n == 0 ? interval : 0; };
template <int most>
constexpr auto up_to =
    [](double interval, double rate, double n) { return interval * std::pow(rate, std::min<double>(n, most)); };
constexpr auto doubling = [](double interval, double, double n) { return interval * std::pow(2, n); };

}  // namespace

std::vector<diagnosis> aws_step_functions_diagnoses() {
  return {
      {"starts-early", "starts one step early and multiplies the first delay too", delays<early>},
      {"starts-late", "starts one step late and divides the first delay by the rate", delays<late>},
      {"multiplies-late", "multiplies from the third delay on, not from the second", delays<second>},
      {"linear", "adds the interval each time where it should multiply", delays<linear>},
      {"linear", "multiplies the rate by n where it should compute rate^n", delays<by_rate>},
      {"linear", "adds a constant where it should multiply", delays<by_rest>},
      {"square", "grows with the square of the count", delays<square>},
      {"constant", "always waits the interval", delays<constant>},
      {"rate-as-percent", "computes (1 + backoff_rate)^n instead of backoff_rate^n", delays<as_percent>},
      {"compounds", "multiplies by a power of the rate that grows from retry to retry", delays<compounds>},
      {"power-of-base", "computes interval^(n+1) instead of interval * rate^n", delays<of_interval>},
      {"rate-as-seconds", "adds the rate each time where it should multiply by it", delays<sums>},
      {"waits-once", "waits before the first retry alone", delays<once>},
      {"stops-growing", "multiplies twice at most", delays<up_to<2>>},
      {"stops-growing", "multiplies three times at most", delays<up_to<3>>},
      {"stops-growing", "multiplies four times at most", delays<up_to<4>>},
      {"stops-growing", "multiplies five times at most", delays<up_to<5>>},
      {"stops-growing", "multiplies ten times at most", delays<up_to<10>>},
      {"doubling", "doubles whatever the rate is", delays<doubling>},
      {"backoff_rate-is-cut", "cuts backoff_rate to a whole number", delays<whole_rate>},
      {"rate-rounded", "rounds backoff_rate to a whole number", delays<nearest_rate>},
      {"rate-rounded", "rounds backoff_rate up to a whole number", delays<next_rate>},
      {"rate-rounded", "cuts backoff_rate to one decimal place", delays<tenths>},
      {"sum", "waits the sum of all delays of the cycle", delays<sum>},
      {"rounds-each-step", "rounds down to whole seconds at each step", delays<stepwise<std::floor, 1>>},
      {"rounds-each-step", "rounds to the nearest second at each step", delays<stepwise<std::round, 1>>},
      {"rounds-each-step", "rounds up to whole seconds at each step", delays<stepwise<std::ceil, 1>>},
      {"product-wraps", "keeps 32 bits of the milliseconds", delays<in_32_bits>},
  };
}

}  // namespace backoff::systems
