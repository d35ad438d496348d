// Hypotheses that any system can have.
#include <algorithm>
#include <cmath>

#include "explain/diagnosis.hpp"
#include "histories/present.hpp"

namespace backoff::explain {

namespace {

using answers_to = std::function<std::vector<answer>(history const&, documented&)>;

answers_to delays(double (*change)(double)) {
  return [=](history const& h, documented& document) {
    return other_delays(h, document, [=](std::size_t, double d) { return change(d); });
  };
}

// Every call that is documented to wait.
answers_to waits(void (*change)(answer&, shape const&)) {
  return [=](history const& h, documented& document) {
    auto all = document.answers(h);
    auto const& s = document.shape();
    for (auto& a : all) {
      if (a[s.delay].kind == observed_kind::number) change(a, s);
    }
    return all;
  };
}

void says_that_it_is_exhausted(answer& a, shape const& s) {
  if (auto const says = says_exhausted(s)) a = *says;
}

std::vector<answer> on_one_instance(history const& h, documented& document) {
  auto shared = h;
  for (auto& step : shared.steps) step.on = 0;
  return document.answers(shared);
}

// The limit that max_attempts sets; nothing where its value means no limit.
std::optional<std::int64_t> limit_of(history const& h, documented& document) {
  auto const& s = document.shape();
  auto const at = s.find_param("max_attempts");
  if (!at || h.params[*at].kind != value_kind::integer) return std::nullopt;
  auto const n = h.params[*at].n;
  if (n > 0) return n;
  auto const all = document.answers(h);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (h.steps[i].op == 0 && all[i][s.delay].kind == observed_kind::number) return std::nullopt;
  }
  return n;
}
std::vector<answer> with_limit(history h, documented& document, std::int64_t limit) {
  h.params[present(document.shape().find_param("max_attempts"))].n = limit;
  return document.answers(h);
}
std::vector<answer> one_too_many(history const& h, documented& document) {
  auto const limit = limit_of(h, document);
  return limit ? with_limit(h, document, *limit + 1) : document.answers(h);
}
std::vector<answer> no_limit(history const& h, documented& document) {
  constexpr std::int64_t most = 0xffff'ffff;
  return limit_of(h, document) ? with_limit(h, document, most) : document.answers(h);
}
// The last call of a cycle that should be granted is the first that is not.
std::vector<answer> one_too_few(history const& h, documented& document) {
  auto all = document.answers(h);
  auto const& s = document.shape();
  auto const limit = limit_of(h, document);
  auto const says = says_exhausted(s);
  if (!limit || !says) return all;
  auto const attempts = attempts_of(s, h);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (attempts[i] == *limit && attempts[i] != 0) all[i] = *says;
  }
  return all;
}

constexpr double i32_max = 0x7fff'ffff;

}  // namespace

std::vector<diagnosis> common_faults() {
  return {
      {"no-delay", "does not wait", waits([](answer& a, shape const& s) { a[s.delay] = observed::of(0); })},
      {"seconds-for-milliseconds", "answers a thousand times the delay, as if a unit were mistaken",
       delays([](double d) { return d * 1'000; })},
      {"milliseconds-for-seconds", "answers a thousandth of the delay, as if a unit were mistaken",
       delays([](double d) { return d * 0.001; })},
      {"milliseconds-for-seconds", "answers a thousandth of the delay, as if a unit were mistaken",
       delays([](double d) { return std::floor(d / 1'000); })},
      {"shared-state", "keeps one state for all instances", on_one_instance},
      {"negative-beyond-i32", "holds delays in a signed 32-bit integer, which turns negative",
       delays([](double d) { return d > i32_max ? d - std::ldexp(1.0, 32) : d; })},
      {"timer-wraps", "waits 1 where a delay does not fit a signed 32-bit integer",
       delays([](double d) { return d > i32_max ? 1.0 : d; })},
      {"reset-does-nothing", "does nothing at a reset", without_resets},
      {"one-attempt-too-many", "grants one retry more than max_attempts", one_too_many},
      {"one-attempt-too-few", "grants one retry fewer than max_attempts", one_too_few},
      {"never-gives-up", "never gives up", no_limit},
      {"not-a-number", "answers no number",
       waits([](answer& a, shape const& s) { a[s.delay] = {observed_kind::not_a_number, 0, {}}; })},
      {"fails", "fails", waits([](answer& a, shape const& s) { a = {observed::word(s.error_word)}; })},
      {"exhausted", "says that its retries are exhausted", waits(says_that_it_is_exhausted)},
  };
}

}  // namespace backoff::explain
