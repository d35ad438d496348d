// What is probably wrong in a port of the sample code: (2^n − 1) · 100 ms before request n, counted from 0.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "explain/diagnosis.hpp"

namespace backoff::conformance {
namespace {

constexpr double longest_ms = 0x7fff'ffff;

constexpr bool is_documented(std::int64_t status) { return status == 429 || status == 504; }

// The loop as documented, but for the wait f(n) before request n, the statuses that it tries again and its limit. What
// a port makes of a wait that 31 bits cannot hold is no part of its fault.
template <class Wait, class Retries>
std::vector<answer> loop(history const& h, documented& document, Wait wait, Retries retries, std::int64_t more = 0) {
  std::vector<answer> all;
  std::array<int, instances_max> n{};
  std::array<bool, instances_max> ended{};
  bool is_over = false;
  for (auto const& step : h.steps) {
    auto& now = n[step.on];
    bool const again = retries(step.args[0].n) && now + 1 < h.params[0].n + more;
    double const delay = wait(now);
    auto const* port = document.of_the_port(all.size());
    bool const is_open = delay >= longest_ms && port != nullptr &&
                         ((*port)[1].is != observed::kind::number || encoded((*port)[1]) >= longest_ms);
    is_over |= ended[step.on];  // a request after the last one may be answered in any way, and what follows it
    ended[step.on] |= !again && (port == nullptr || (*port)[2] == observed::word(0));
    if (is_open || (is_over && port != nullptr)) {
      all.push_back(*port);
    } else {
      all.push_back({observed::word(0), real(delay), observed::word(again ? 1 : 0)});
    }
    ++now;
  }
  return all;
}
constexpr auto documented_wait = [](int n) { return 100.0 * (std::ldexp(1, n) - 1); };
template <auto f>
std::vector<answer> delays(history const& h, documented& document) {
  return loop(h, document, f, is_documented);
}
template <auto f>
std::vector<answer> statuses(history const& h, documented& document) {
  return loop(h, document, documented_wait, f);
}
template <int more>
std::vector<answer> limit(history const& h, documented& document) {
  return loop(h, document, documented_wait, is_documented, more);
}
template <int unit>
constexpr auto of_unit = [](int n) { return unit * (std::ldexp(1, n) - 1); };
template <int of>
constexpr auto only = [](std::int64_t status) { return status == of; };
template <int from, int to>
constexpr auto a_class = [](std::int64_t status) { return is_documented(status) || (status >= from && status <= to); };
constexpr auto any_error = [](std::int64_t status) { return status >= 400; };
constexpr auto all_but_200 = [](std::int64_t status) { return status != 200; };
constexpr auto triangle = [](int n) { return 100.0 * n * (n + 1) / 2; };
constexpr auto every = [](std::int64_t) { return true; };

template <int status>
void add_status(std::vector<diagnosis>& all) {
  constexpr auto too = [](std::int64_t s) { return is_documented(s) || s == status; };
  constexpr auto for_504 = [](std::int64_t s) { return s == 429 || s == status; };
  constexpr auto for_429 = [](std::int64_t s) { return s == 504 || s == status; };
  all.push_back({"retries-another-status", fmt::format("retries {} too", status), statuses<too>});
  all.push_back({"retries-another-status", fmt::format("retries {} in place of 504", status), statuses<for_504>});
  all.push_back({"retries-another-status", fmt::format("retries {} in place of 429", status), statuses<for_429>});
}

constexpr auto minus_after = [](int n) { return 100.0 * std::ldexp(1, n) - 1; };
constexpr auto minus_after_the_first = [](int n) { return n == 0 ? 0 : 100.0 * std::ldexp(1, n) - 1; };
constexpr auto whole_after_the_first = [](int n) { return n == 0 ? 0 : 100.0 * std::ldexp(1, n); };
constexpr auto half_after_the_first = [](int n) { return n == 0 ? 0 : 100.0 * std::ldexp(1, n - 1); };
constexpr auto minus_in_the_exponent = [](int n) { return 100.0 * std::ldexp(1, n - 1); };
constexpr auto exclusive_or = [](int n) { return 100.0 * ((2 ^ n) - 1); };
constexpr auto wide = [](int n) { return 100.0 * (std::ldexp(1, n + 1) - 2); };
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
  std::vector<diagnosis> all{
      {"starts-early", "starts one doubling early", delays<early>},
      {"starts-late", "starts one doubling late", delays<late>},
      {"one-not-subtracted", "waits 2^n in place of 2^n - 1 times 100 ms", delays<whole_power>},
      {"one-not-subtracted", "waits 2^n times 100 ms, but 0 at first", delays<whole_after_the_first>},
      {"one-not-subtracted", "waits 2^(n-1) times 100 ms", delays<minus_in_the_exponent>},
      {"one-not-subtracted", "waits 2^(n-1) times 100 ms, but 0 at first", delays<half_after_the_first>},
      {"one-not-subtracted", "waits 2^n * 100 - 1 in place of (2^n - 1) * 100 ms", delays<minus_after>},
      {"one-not-subtracted", "waits 2^n * 100 - 1 in place of (2^n - 1) * 100 ms, but 0 at first",
       delays<minus_after_the_first>},
      {"xor", "takes the exclusive or of 2 and n in place of 2^n", delays<exclusive_or>},
      {"unit", "waits (2^n - 1) seconds", delays<of_unit<1'000>>},
      {"unit", "waits (2^n - 1) * 10 ms", delays<of_unit<10>>},
      {"unit", "waits (2^n - 1) * 200 ms", delays<of_unit<200>>},
      {"unit", "waits (2^n - 1) * 50 ms", delays<of_unit<50>>},
      {"unit", "waits (2^n - 1) * 1 ms", delays<of_unit<1>>},
      {"starts-early", "waits (2^(n+1) - 2) * 100 ms", delays<wide>},
      {"one-attempt-too-many", "makes one request more than max_retries", limit<1>},
      {"one-attempt-too-few", "makes one request fewer than max_retries", limit<-1>},
      {"never-gives-up", "ignores max_retries", limit<1'000'000>},
      {"one-status-alone", "does not retry 504", statuses<only<429>>},
      {"one-status-alone", "does not retry 429", statuses<only<504>>},
      {"retries-nothing", "never retries", statuses<only<-1>>},
      {"retries-a-class", "retries every 5xx status", statuses<a_class<500, 599>>},
      {"retries-a-class", "retries every 4xx status", statuses<a_class<400, 499>>},
      {"retries-a-class", "retries every status from 400 on", statuses<any_error>},
      {"retries-a-class", "retries 2xx statuses too", statuses<a_class<200, 299>>},
      {"retries-a-class", "retries 2xx statuses but 200 too", statuses<a_class<201, 299>>},
      {"retries-a-class", "retries 3xx statuses too", statuses<a_class<300, 399>>},
      {"retries-a-class", "retries every status but 200", statuses<all_but_200>},
      {"retries-everything", "retries whatever the status is", statuses<every>},
      {"linear", "adds 100 ms each time where it should double", delays<linear>},
      {"triangle", "grows with n * (n + 1) / 2 in place of doubling", delays<triangle>},
      {"square", "grows with the square of the count in place of doubling", delays<square>},
      {"power-of-ten", "computes 10^n in place of 2^n", delays<power_of_ten>},
      {"constant", "always waits 100 ms", delays<constant>},
      {"shift-masked", "shifts by the count modulo 32", delays<masked>},
  };
  add_status<408>(all);
  add_status<500>(all);
  add_status<502>(all);
  add_status<503>(all);
  add_status<200>(all);
  add_status<0>(all);
  return all;
}

}  // namespace backoff::conformance
