// What is probably wrong in a port of the Java retry policies:
// min(cmin_ms + (2^(x-1) - 1) · rand(c_ms · (1 - jd), c_ms · (1 - ju)), cmax_ms), x the retry_count, from 1.
#include <algorithm>
#include <array>
#include <cmath>

#include "explain/constraint.hpp"
#include "explain/diagnosis.hpp"

namespace backoff::systems {
namespace {

struct asked {
  double c, cmin, cmax, jd, ju;
  double x;
  double u;  // of the draw, in [0, 1)
  // Of the range from c * low to c * high; no difference of large numbers, which would lose digits.
  [[nodiscard]] double drawn(double low, double high) const { return c * (low * (1 - u) + high * u); }
  [[nodiscard]] double random() const { return drawn(1 - jd, 1 - ju); }
  [[nodiscard]] double capped(double growth) const { return std::min(cmin + growth, cmax); }
};

double doubled(double n) { return std::ldexp(1, static_cast<int>(std::min(n, 1'000.0))); }
double factor(asked const& q) { return q.x < 1 ? 0 : doubled(q.x - 1) - 1; }
double as_documented(asked const& q) { return q.capped(factor(q) * q.random()); }

enum param : std::size_t { policy, c_ms, cmin_ms, cmax_ms, jd, ju, total_time_ms };
enum argument : std::size_t { retry_count, retryable, draw, error, elapsed_ms, custom_retry, custom_delay_ms };
constexpr auto by_default = value::word(0);
constexpr auto no_retry = value::word(1);
constexpr auto custom = value::word(2);

constexpr double longest = 0xffff'ffff;
bool is_short(observed const& delay) { return delay.kind == observed_kind::number && encoded(delay) < 0x7fff'ffff; }

// The documented answers, had the retries no end in time.
std::vector<answer> timeless(history h, documented& document) {
  h.params[total_time_ms] = {};
  return document.answers(h);
}

// The documented answers, with f of each call for the delays of the policy with jitter. A longer or shorter wait may
// end the time for all retries, or no longer end it: where it does, the port's word for that is taken.
template <auto f>
std::vector<answer> delays(history const& h, documented& document) {
  if (h.params[policy] != by_default) return document.answers(h);
  auto all = timeless(h, document);
  auto const& s = document.shape();
  auto const& total = h.params[total_time_ms];
  auto const param = [&](std::size_t i) {
    return static_cast<double>(value_of(s, h, i).n) / (s.params[i].scale == 0 ? 1 : 1'000);
  };
  asked q{param(c_ms), param(cmin_ms), param(cmax_ms), param(jd), param(ju), 0, 0};
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto const& args = h.steps[i].args;
    if (all[i][s.delay].kind != observed_kind::number) continue;
    q.x = static_cast<double>(args[retry_count].n);
    q.u = static_cast<double>(args[draw].n) / static_cast<double>(document.draws());
    double const delay = f(q);
    all[i][s.delay] = real(delay);
    auto const* port = document.of_the_port(i);
    // What a port makes of a delay that it cannot hold is no part of its fault.
    if (delay > longest && port != nullptr && !is_short((*port)[s.delay])) {
      all[i] = *port;
      continue;
    }
    bool const is_over = total.kind != value_kind::absent &&
                         static_cast<double>(args[elapsed_ms].n) + delay >= static_cast<double>(total.n);
    if (is_over && port != nullptr && (*port)[s.delay].kind == observed_kind::absent) all[i] = *port;
  }
  return all;
}

constexpr auto linear = [](asked const& q) { return q.capped(std::max(q.x - 1, 0.0) * q.random()); };
constexpr auto square = [](asked const& q) { return q.capped((q.x - 1) * (q.x - 1) * q.random()); };
constexpr auto threefold = [](asked const& q) {
  return q.capped((q.x < 1 ? 0 : std::pow(3, std::min(q.x - 1, 600.0)) - 1) * q.random());
};
constexpr auto not_one_less = [](asked const& q) { return q.capped((q.x < 1 ? 0 : doubled(q.x - 1)) * q.random()); };
constexpr auto early = [](asked const& q) { return q.capped((doubled(q.x) - 1) * q.random()); };
constexpr auto late = [](asked const& q) { return q.capped((q.x < 2 ? 0 : doubled(q.x - 2) - 1) * q.random()); };
constexpr auto less_the_minimum = [](asked const& q) { return as_documented(q) - std::min(q.cmin, q.cmax); };
constexpr auto minimum_wins = [](asked const& q) { return std::max(as_documented(q), q.cmin); };
constexpr auto uncapped = [](asked const& q) { return q.cmin + factor(q) * q.random(); };
constexpr auto growth_capped = [](asked const& q) { return q.cmin + std::min(factor(q) * q.random(), q.cmax); };
constexpr auto drawn_last = [](asked const& q) {
  return std::min(q.cmin + factor(q) * q.c, q.cmax) * ((1 - q.jd) * (1 - q.u) + (1 - q.ju) * q.u);
};
constexpr auto without_jitter = [](asked const& q) { return q.capped(factor(q) * q.c); };
constexpr auto whole_factors = [](asked const& q) {
  auto whole = q;
  whole.jd = std::floor(q.jd);
  whole.ju = std::floor(q.ju);
  return as_documented(whole);
};
constexpr auto either_way = [](asked const& q) { return q.capped(factor(q) * q.drawn(1 - q.ju, 1 + q.jd)); };
constexpr auto factors = [](asked const& q) { return q.capped(factor(q) * q.drawn(q.ju, q.jd)); };
constexpr auto factors_in_turn = [](asked const& q) { return q.capped(factor(q) * q.drawn(q.jd, q.ju)); };
constexpr auto from_the_interval = [](asked const& q) { return q.capped(factor(q) * q.drawn(1, 1 - q.jd)); };
constexpr auto to_the_interval = [](asked const& q) { return q.capped(factor(q) * q.drawn(1 - q.jd, 1)); };
constexpr auto middle = [](asked const& q) { return q.capped(factor(q) * q.c * (1 - (q.jd + q.ju) / 2)); };
constexpr auto lowest = [](asked const& q) { return q.capped(factor(q) * q.c * (1 - q.jd)); };
constexpr auto highest = [](asked const& q) { return q.capped(factor(q) * q.c * (1 - q.ju)); };
constexpr auto upwards = [](asked const& q) { return q.capped(factor(q) * q.drawn(1 + q.ju, 1 + q.jd)); };
constexpr auto down_and_up = [](asked const& q) { return q.capped(factor(q) * q.drawn(1 - q.jd, 1 + q.ju)); };
constexpr auto without_minimum = [](asked const& q) { return std::min(factor(q) * q.random(), q.cmax); };
constexpr auto minimum_twice = [](asked const& q) { return q.capped(q.cmin + factor(q) * q.random()); };
constexpr auto at_least_minimum = [](asked const& q) {
  return std::min(std::max(q.cmin, factor(q) * q.random()), q.cmax);
};
constexpr auto fixed_at_the_cap = [](asked const& q) {
  return q.cmin + factor(q) * q.c * (1 - std::min(q.jd, q.ju)) >= q.cmax ? q.cmax : as_documented(q);
};
constexpr auto linear_from_one = [](asked const& q) { return q.capped(q.x * q.random()); };
constexpr auto square_from_one = [](asked const& q) { return q.capped(q.x * q.x * q.random()); };
template <int most>
constexpr auto stops_at = [](asked const& q) {
  auto less = q;
  less.x = std::min(q.x, most + 1.0);
  return as_documented(less);
};
// 2^(x-1) - 1 as the shifts of a usual type make it.
template <int bits>
constexpr auto shifted = [](asked const& q) {
  auto const by = static_cast<int>(std::fmod(q.x - 1, bits));
  return q.capped((std::ldexp(1, by) - 1) * q.random());
};
constexpr auto shifted_signed = [](asked const& q) {
  auto const by = static_cast<int>(std::fmod(q.x - 1, 32));
  auto const e = std::ldexp(1, by) - 1;
  return q.capped((e < 0x7fff'ffff ? e : e - 0x1p32) * q.random());
};
template <double (*rounds)(double), int unit>
constexpr auto rounded = [](asked const& q) { return rounds(as_documented(q) / unit) * unit; };
constexpr auto half = [](asked const& q) {
  auto less = q;
  less.u = q.u / 2;
  return as_documented(less);
};

// --- what is retried ---

// Ends the retries where is_over(total, elapsed, delay) says so, which need not look at the delay.
template <auto is_over>
std::vector<answer> other_end(history const& h, documented& document) {
  auto const& total = h.params[total_time_ms];
  if (total.kind == value_kind::absent) return document.answers(h);
  auto all = timeless(h, document);
  auto const& s = document.shape();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i][s.delay].kind != observed_kind::number) continue;
    auto const elapsed = static_cast<double>(h.steps[i].args[elapsed_ms].n);
    if (is_over(static_cast<double>(total.n), elapsed, encoded(all[i][s.delay]))) {
      all[i][1] = observed::word(0);  // no retry
      all[i][s.delay] = {};
    }
  }
  return all;
}
constexpr auto just_in_time = [](double total, double elapsed, double delay) { return elapsed + delay >= total; };
constexpr auto elapsed_alone = [](double total, double elapsed, double) { return elapsed > total; };
constexpr auto all_elapsed = [](double total, double elapsed, double) { return elapsed >= total; };
constexpr auto delay_alone = [](double total, double, double delay) { return delay > total; };

std::vector<answer> retries_everything(history const& h, documented& document) {
  auto all_good = h;
  for (auto& step : all_good.steps) {
    if (step.args[error].kind != value_kind::absent) step.args[error] = value::word(0);
    if (step.args[retryable].kind != value_kind::absent) step.args[retryable] = value::word(1);
  }
  return document.answers(all_good);
}

// Under no_retry, what the default policy answers up to that count.
template <std::int64_t most, bool at_once = false>
std::vector<answer> no_retry_retries(history const& h, documented& document) {
  auto all = document.answers(h);
  if (h.params[policy] != no_retry) return all;
  auto other = h;
  other.params[policy] = by_default;
  auto const granted = document.answers(other);
  for (std::size_t i = 0; i < std::min(all.size(), granted.size()); ++i) {
    if (h.steps[i].args[retry_count].n > most) continue;
    all[i] = granted[i];
    auto& delay = all[i][document.shape().delay];
    if (at_once && delay.kind == observed_kind::number) delay = observed::of(0);
  }
  return all;
}

// The time for all retries ends those whose capped delay ends too late.
std::vector<answer> custom_is_capped(history const& h, documented& document) {
  if (h.params[policy] != custom) return document.answers(h);
  auto capped = h;
  auto const most = value_of(document.shape(), h, cmax_ms).n;
  for (auto& step : capped.steps) step.args[custom_delay_ms].n = std::min(step.args[custom_delay_ms].n, most);
  return document.answers(capped);
}

}  // namespace

std::vector<diagnosis> azure_java_retry_policy_diagnoses() {
  return {
      {"linear", "grows by the interval for each retry instead of doubling", delays<linear>},
      {"square", "grows with the square of the count instead of doubling", delays<square>},
      {"power-of-three", "grows threefold instead of doubling", delays<threefold>},
      {"one-not-subtracted", "multiplies by 2^(x-1) instead of 2^(x-1) - 1", delays<not_one_less>},
      {"starts-early", "starts one doubling early", delays<early>},
      {"starts-late", "starts one doubling late", delays<late>},
      {"no-minimum", "does not add cmin_ms", delays<less_the_minimum>},
      {"no-minimum", "does not add cmin_ms", delays<without_minimum>},
      {"minimum-twice", "adds cmin_ms twice", delays<minimum_twice>},
      {"minimum-not-added", "waits cmin_ms at least, but does not add it", delays<at_least_minimum>},
      {"minimum-wins", "waits cmin_ms where it is beyond cmax_ms", delays<minimum_wins>},
      {"not-capped", "never caps the delay", delays<uncapped>},
      {"cap-before-minimum", "caps what it draws and adds cmin_ms afterwards", delays<growth_capped>},
      {"jitter-past-the-cap", "draws a part of the capped delay", delays<drawn_last>},
      {"no-jitter", "does not draw: it multiplies the interval itself", delays<without_jitter>},
      {"whole-factors", "holds jd and ju in whole numbers", delays<whole_factors>},
      {"half-of-the-jitter", "draws from the lower half only", delays<half>},
      {"jitter-upwards", "draws from c_ms * (1 - ju) to c_ms * (1 + jd)", delays<either_way>},
      {"factors-themselves", "draws from c_ms * ju to c_ms * jd", delays<factors>},
      {"factors-themselves", "draws from c_ms * jd to c_ms * ju", delays<factors_in_turn>},
      {"ignores-ju", "draws from c_ms to c_ms * (1 - jd)", delays<from_the_interval>},
      {"ignores-ju", "draws from c_ms * (1 - jd) to c_ms", delays<to_the_interval>},
      {"no-jitter", "does not draw: it takes the middle of the range", delays<middle>},
      {"no-jitter", "does not draw: it takes the lower end of the range", delays<lowest>},
      {"no-jitter", "does not draw: it takes the upper end of the range", delays<highest>},
      {"jitter-upwards", "draws from c_ms * (1 + ju) to c_ms * (1 + jd)", delays<upwards>},
      {"jitter-upwards", "draws from c_ms * (1 - jd) to c_ms * (1 + ju)", delays<down_and_up>},
      {"no-jitter-at-the-cap", "waits cmax_ms and does not draw once the window reaches it", delays<fixed_at_the_cap>},
      {"linear", "multiplies the interval by x", delays<linear_from_one>},
      {"square", "multiplies the interval by x * x", delays<square_from_one>},
      {"stops-growing", "doubles 10 times at most", delays<stops_at<10>>},
      {"stops-growing", "doubles 16 times at most", delays<stops_at<16>>},
      {"stops-growing", "doubles 20 times at most", delays<stops_at<20>>},
      {"stops-growing", "doubles 30 times at most", delays<stops_at<30>>},
      {"stops-growing", "doubles 31 times at most", delays<stops_at<31>>},
      {"stops-growing", "doubles 32 times at most", delays<stops_at<32>>},
      {"shift-masked", "shifts by the count modulo 32", delays<shifted<32>>},
      {"shift-masked", "shifts a signed 32-bit integer by the count modulo 32", delays<shifted_signed>},
      {"shift-masked", "shifts by the count modulo 64", delays<shifted<64>>},
      {"limit-early", "does not retry where the wait ends exactly at total_time_ms", other_end<just_in_time>},
      {"limit-of-elapsed", "compares elapsed_ms alone with total_time_ms", other_end<elapsed_alone>},
      {"limit-of-elapsed", "compares elapsed_ms alone with total_time_ms, and does not retry where they are equal",
       other_end<all_elapsed>},
      {"limit-of-delay", "compares the delay alone with total_time_ms", other_end<delay_alone>},
      {"retries-everything", "retries whatever the error is", retries_everything},
      {"no-retry-retries", "retries once under no_retry", no_retry_retries<1>},
      {"no-retry-retries", "retries once under no_retry, at once", no_retry_retries<1, true>},
      {"no-retry-retries", "retries under no_retry as by default", no_retry_retries<0x7fff'ffff>},
      {"rounded", "rounds delays down to a multiple of 1000", delays<rounded<std::floor, 1'000>>},
      {"rounded", "rounds delays down to a whole number", delays<rounded<std::floor, 1>>},
      {"rounded", "rounds delays to the nearest whole number", delays<rounded<std::round, 1>>},
      {"custom-is-capped", "caps the delay of a custom policy at cmax_ms", custom_is_capped},
  };
}

}  // namespace backoff::systems
