// The histories of the Java SDK's retry policies: decide, and nothing else.
#include <algorithm>
#include <array>

#include "azure_java_retry_policy/model.hpp"
#include "azure_java_retry_policy/page.hpp"
#include "histories/generate.hpp"
#include "histories/present.hpp"
#include "histories/systems.hpp"
#include "relation/linear_mapping.hpp"

namespace backoff::systems {
namespace {

namespace call = pages::azure_java_retry_policy::call;
using namespace pages::azure_java_retry_policy::param;
using namespace pages::azure_java_retry_policy::decide_args;
using namespace pages::azure_java_retry_policy::policy_word;
using pages::azure_java_retry_policy::arguments_of_decide;
using pages::azure_java_retry_policy::parameters;

constexpr std::int64_t u32_max = 0xffff'ffff;
constexpr std::int64_t one = 1'000;  // of a jitter factor

bool has(value const& v) noexcept { return v.kind != value_kind::absent; }
bool is_custom(history const& h) noexcept { return h.params[policy].n == custom; }

bool lacks_something(history const& h, step const& s) noexcept {
  if (has(s.args[retryable]) == has(s.args[error])) return true;
  return is_custom(h) && (!has(s.args[custom_retry]) || !has(s.args[custom_delay_ms]));
}

// The document's constants belong to one policy, and scripted decisions to another.
void repair(history& h) {
  if (h.params[policy].n != exponential_backoff_with_jitter) {
    for (auto const p : {c_ms, cmin_ms, cmax_ms, jd, ju}) h.params[p] = {};
  }
  for (auto& s : h.steps) {
    if (has(s.args[error])) s.args[retryable] = {};
    if (!is_custom(h)) s.args[custom_retry] = s.args[custom_delay_ms] = {};
  }
  std::erase_if(h.steps, [&](step const& s) { return lacks_something(h, s); });
}

std::string_view misuse(history const& h) {
  history repaired = h;
  repair(repaired);
  if (repaired.params != h.params)
    return "only exponential_backoff_with_jitter takes c_ms, cmin_ms, cmax_ms, jd and ju";
  for (auto const& s : h.steps) {
    if (has(s.args[retryable]) == has(s.args[error])) return "a decision needs either retryable or error";
    if (lacks_something(h, s)) return "a custom policy needs custom_retry and custom_delay_ms in each decision";
  }
  return repaired == h ? "" : "only a custom policy takes custom_retry and custom_delay_ms";
}

void place(value& v, field const& f, range const& r, std::int64_t wanted) {
  if (wanted >= r.low && wanted <= r.high) v = f.number(wanted);
}

// As far as the port has the field: retryable, of a kind that is named where kinds are.
step deciding(domain const& d, std::int64_t x, std::int64_t from) {
  step s;
  s.args[retry_count] = value::of(x);
  s.args[draw] = value::of(from);
  bool const named = d.offers(feature::errors);
  s.args[named ? error : retryable] = value::word(named ? 0 : 1);
  if (d.offers(feature::total_time)) s.args[elapsed_ms] = value::of(0);
  return s;
}

std::int64_t number_of(history const& h, std::size_t p) {
  return has(h.params[p]) ? h.params[p].n : present(parameters[p].by_default);
}

// Half of the constants are everyday ones; most bounds and factors are not inverted; half of the counts are small
// enough for the cap to be ahead, others are up to 128; an eighth of the histories has counts of 21 to 33 that nothing
// caps; a third of the decisions repeat the one before but for the error and the time; and a
// third of the elapsed times stand where the total time is nearly over.
void correlate(history& h, domain const& d, random_bits& random) {
  auto const sorted = [&](std::size_t low, std::size_t high, unsigned often) {
    if (has(h.params[low]) && has(h.params[high]) && h.params[low].n > h.params[high].n && !random.one_in(often)) {
      if (d.params[low].admits(h.params[high]) && d.params[high].admits(h.params[low]))
        std::swap(h.params[low], h.params[high]);
    }
  };
  if (random.one_in(2)) {
    for (auto const& [p, most] : {std::pair{c_ms, 2'000}, {cmin_ms, 1'000}, {cmax_ms, 200'000}}) {
      if (has(h.params[p])) place(h.params[p], parameters[p], d.params[p], random.between(0, most));
    }
  }
  bool const uncapped = has(h.params[c_ms]) && has(h.params[cmax_ms]) && random.one_in(8);
  if (uncapped) {
    place(h.params[c_ms], parameters[c_ms], d.params[c_ms], random.between(1, 3));
    place(h.params[cmax_ms], parameters[cmax_ms], d.params[cmax_ms], u32_max);
  }
  sorted(cmin_ms, cmax_ms, 8);
  sorted(ju, jd, 8);
  auto const& counts = d.args[call::decide][retry_count];
  for (std::size_t i = 0; i < h.steps.size(); ++i) {
    auto& args = h.steps[i].args;
    auto const count = uncapped           ? random.between(21, 33)
                       : random.one_in(4) ? random.between(0, 128)
                                          : random.between(0, 20);
    if (!random.one_in(3)) place(args[retry_count], arguments_of_decide[retry_count], counts, count);
    if (i > 0 && random.one_in(3)) {
      args[retry_count] = h.steps[i - 1].args[retry_count];
      args[draw] = h.steps[i - 1].args[draw];
    }
    // Most errors are retryable: little happens after the others.
    if (has(args[retryable]) && random.one_in(2) && d.args[call::decide][retryable].admits(value::word(1)))
      args[retryable] = value::word(1);
    if (has(args[error]) && random.one_in(2) && d.args[call::decide][error].admits(value::word(0)))
      args[error] = value::word(random.one_in(2) && d.args[call::decide][error].admits(value::word(1)) ? 1 : 0);
    if (has(h.params[total_time_ms]) && has(args[elapsed_ms])) {
      std::array const left{std::int64_t{0}, number_of(h, cmin_ms), number_of(h, cmax_ms),
                            number_of(h, cmin_ms) + 2 * number_of(h, c_ms), args[custom_delay_ms].n};
      auto const wanted = h.params[total_time_ms].n - left[random() % left.size()] + random.between(-1, 1);
      if (!random.one_in(3))
        place(args[elapsed_ms], arguments_of_decide[elapsed_ms], d.args[call::decide][elapsed_ms], wanted);
    }
  }
}

bool backs_off(domain const& d) { return d.params[policy].admits(value::word(exponential_backoff_with_jitter)); }

void set(history& h, domain const& d, std::size_t p, std::int64_t n) {
  h.params[p] = parameters[p].number(std::clamp(n, d.params[p].low, d.params[p].high));
}

// The second retry, whose random part counts once, with intervals as wide as the domain lets them be below the maximum.
std::vector<history> mapping_probes(domain const& d, random_bits& random) {
  if (!backs_off(d)) return {};
  history h;
  h.params[policy] = value::word(exponential_backoff_with_jitter);
  set(h, d, cmin_ms, 0);
  set(h, d, jd, one);
  set(h, d, ju, 0);
  auto const& counts = d.args[call::decide][retry_count];
  auto const& draws = d.args[call::decide][draw];
  std::vector<history> result;
  for (auto const window : probing_windows(d, d.params[c_ms].high)) {
    set(h, d, cmax_ms, 4 * (window + h.params[cmin_ms].n));
    set(h, d, c_ms, window);
    for (auto const from : probing_draws(d, draws, h.params[c_ms].n, random)) {
      h.steps = {deciding(d, std::clamp<std::int64_t>(2, counts.low, counts.high), from)};
      result.push_back(h);
    }
  }
  return result;
}

// The defaults from 0 to 128 retries, and a millisecond from 21 to 33, where nothing caps it; counts past every shift
// and exponent, with a draw of nothing and with any; one interval that is nothing. Then every decision of a custom
// policy about every error.
std::vector<history> corners(domain const& d, random_bits& random) {
  std::vector<history> result;
  auto const& draws = d.args[call::decide][draw];
  history h;
  h.params[policy] = value::word(exponential_backoff_with_jitter);
  for (std::int64_t x = 0; x <= 100; ++x) {
    h.steps.clear();
    for (auto const from : {draws.low, random.between(draws.low, draws.high), draws.high})
      h.steps.push_back(deciding(d, x, from));
    result.push_back(h);
  }
  auto const any_draw = [&](std::int64_t first, std::int64_t last) {
    h.steps.clear();
    for (auto x = first; x <= last; ++x) h.steps.push_back(deciding(d, x, random.between(draws.low, draws.high)));
    result.push_back(h);
  };
  any_draw(101, 128);
  set(h, d, c_ms, 1);
  set(h, d, cmin_ms, 0);
  set(h, d, cmax_ms, u32_max);
  any_draw(21, 33);
  for (auto const p : {cmin_ms, cmax_ms}) h.params[p] = {};
  for (auto const& [c, lower] : {std::pair{100, one}, {0, std::int64_t{500}}, {1'000, std::int64_t{500}}}) {
    set(h, d, c_ms, c);
    set(h, d, jd, lower);
    for (std::int64_t const x : {0, 31, 32, 33, 63, 64, 65, 1'024, 1'025, 1'026, 0x7fff'ffff}) {
      h.steps = {deciding(d, x, draws.low)};
      result.push_back(h);
    }
  }
  return result;
}

struct sampled {
  std::int64_t c, cmin, cmax, jd, ju;
};

// At each count from the second retry to the last, and at those that follow.
std::vector<history> samples_of(domain const& d, std::initializer_list<sampled> all, std::int64_t last,
                                std::initializer_list<std::int64_t> later) {
  if (!backs_off(d)) return {};
  std::vector<history> result;
  auto const& counts = d.args[call::decide][retry_count];
  for (auto const& [c, least, most, lower, upper] : all) {
    history h;
    h.params[policy] = value::word(exponential_backoff_with_jitter);
    set(h, d, c_ms, c);
    set(h, d, cmin_ms, least);
    set(h, d, cmax_ms, most);
    set(h, d, jd, lower);
    set(h, d, ju, upper);
    auto const ask = [&](std::int64_t x) {
      if (x < counts.low || x > counts.high) return;
      h.steps.push_back(deciding(d, x, 0));
      h.steps.back().args[draw] = {};
    };
    for (std::int64_t x = 2; x <= last; ++x) ask(x);
    for (auto const x : later) ask(x);
    if (std::ranges::find(result, h) == result.end()) result.push_back(std::move(h));
  }
  return result;
}

// The defaults, an interval as wide as it may be, and one of a second; counts whose delays the maximum does not cut
// off.
std::vector<history> samples(domain const& d) {
  return samples_of(
      d, {{100, 100, 10'000, 500, 250}, {std::int64_t{1} << 24, 0, u32_max, one, 0}, {1'000, 500, 600'000, 500, 250}},
      8, {});
}

// The shortest interval, which is drawn from up to a count of 33 and after that cut off unless it is next to nothing;
// the everyday one, cut off early. At every count to 72, and around where machine words and exponents end.
std::vector<history> long_samples(domain const& d) {
  return samples_of(d, {{1, 0, u32_max, one, 0}, {100, 0, 10'000, one, 250}}, 72,
                    {126, 127, 128, 129, 130, 254, 255, 256, 257, 258, 1'022, 1'023, 1'024, 1'025, 1'026});
}

// The first retries, half of the way through the jitter where no draws are given.
std::vector<step> example(history const& h, std::span<value const> draws) {
  constexpr std::int64_t shown = 10;
  std::vector<step> steps;
  for (std::int64_t x = 1; x <= shown; ++x) {
    step s;
    s.args[retry_count] = value::of(x);
    s.args[retryable] = value::word(1);
    if (!draws.empty()) s.args[draw] = draws[static_cast<std::size_t>(x - 1) % draws.size()];
    if (is_custom(h)) {
      s.args[custom_retry] = value::word(1);
      s.args[custom_delay_ms] = value::of(1'000);
    }
    steps.push_back(s);
  }
  return steps;
}

}  // namespace

shape const azure_java_retry_policy_shape{
    pages::azure_java_retry_policy::declared,
    {.correlate = correlate,
     .corners = corners,
     .mapping_probes = mapping_probes,
     .follows_a_listed_mapping = spec::follows_a_linear_mapping,
     .samples = samples,
     .long_samples = long_samples,
     // With a total time, a long wait is told as none.
     .tells_draws = {[](history const& h) { return !has(h.params[total_time_ms]); }, "a total_time_ms"},
     .misuse = misuse,
     .repair = [](history& h, domain const&) { repair(h); },
     .example = example}};

}  // namespace backoff::systems
