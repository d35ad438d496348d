// What is probably wrong in a port of the Step Functions example: interval_s · backoff_rate^n.
#include <algorithm>
#include <array>
#include <cmath>

#include "explain/diagnosis.hpp"

namespace backoff::conformance {
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
    if (all[i][1].is != observed::kind::number) continue;
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
      {"linear", "adds the interval each time in place of multiplying", delays<linear>},
      {"linear", "multiplies by the count in place of raising the rate to its power", delays<by_rate>},
      {"linear", "adds what the first step adds each time in place of multiplying", delays<by_rest>},
      {"square", "grows with the square of the count", delays<square>},
      {"constant", "always waits the interval", delays<constant>},
      {"compounds", "multiplies by a power of the rate that grows from retry to retry", delays<compounds>},
      {"power-of-base", "raises the interval to a power in place of the rate", delays<of_interval>},
      {"rate-as-seconds", "adds the rate each time in place of multiplying by it", delays<sums>},
      {"waits-once", "waits before the first retry alone", delays<once>},
      {"stops-growing", "multiplies twice at most", delays<up_to<2>>},
      {"stops-growing", "multiplies three times at most", delays<up_to<3>>},
      {"stops-growing", "multiplies four times at most", delays<up_to<4>>},
      {"stops-growing", "multiplies five times at most", delays<up_to<5>>},
      {"stops-growing", "multiplies ten times at most", delays<up_to<10>>},
      {"doubling", "doubles whatever the rate is", delays<doubling>},
  };
}

}  // namespace backoff::conformance
