#include "explain/changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "explain/constraint.hpp"
#include "explain/delay_cycles.hpp"

namespace backoff::explain {
namespace {

std::string with_unit(shape const& s, double delay) {
  auto const name = s.answers[s.delay].name;
  auto const at = name.rfind('_');
  return fmt::format("{}{}", delay, at == std::string_view::npos ? "" : fmt::format(" {}", name.substr(at + 1)));
}

// A hypothesis: the port answers as documented to the history as `change` leaves it.
template <class Change>
diagnosis other_input(std::string name, std::string sentence, Change change) {
  return {std::move(name), std::move(sentence), [change](history const& h, documented& document) {
            auto other = h;
            change(other);
            return document.answers(other);
          }};
}

// --- parameters ---

template <class Of>
diagnosis other_value(std::string name, std::string sentence, shape const& s, std::size_t at, Of of) {
  return other_input(std::move(name), std::move(sentence), [at, of, &s](history& h) {
    auto& v = h.params[at];
    v = value_of(s, h, at);
    if (explain::is_number(v)) v.n = std::clamp(of(v.n), s.params[at].low, s.params[at].high);
  });
}

void add_values(std::vector<diagnosis>& all, shape const& s, std::size_t at) {
  auto const& f = s.params[at];
  if (!is_number(f)) return;
  std::int64_t unit = 1;
  for (auto i = f.scale; i > 0; --i) unit *= 10;
  auto const name = [&](char const* what) { return fmt::format("{}-{}", f.name, what); };
  if (f.scale != 0) {
    all.push_back(other_value(name("is-cut"), fmt::format("cuts {} to a whole number", f.name), s, at,
                              [unit](std::int64_t n) { return n / unit * unit; }));
  }
  all.push_back(other_value(name("is-ignored"), fmt::format("does as if {} were 0", f.name), s, at,
                            [](std::int64_t) { return std::int64_t{0}; }));
  all.push_back(
      other_value(name("is-ignored"), fmt::format("ignores {}", f.name), s, at, [f](std::int64_t) { return f.high; }));
  if (f.by_default) {
    all.push_back(other_value(name("is-ignored"), fmt::format("does as if {} were left out", f.name), s, at,
                              [f](std::int64_t) { return *f.by_default; }));
  }
  for (int const bits : {8, 16, 31, 32}) {
    auto const most = std::int64_t{1} << bits;
    if (f.high < most || f.scale != 0) continue;
    all.push_back(other_value(name("wraps"), fmt::format("keeps {} in {} bits", f.name, bits), s, at,
                              [most](std::int64_t n) { return n % most; }));
    all.push_back(other_value(name("is-clamped"), fmt::format("does as if {} were {} at most", f.name, most - 1), s, at,
                              [most](std::int64_t n) { return std::min(n, most - 1); }));
  }
}

void add_swaps(std::vector<diagnosis>& all, shape const& s, std::size_t at) {
  for (std::size_t other = 0; other < at; ++other) {
    auto const& f = s.params[at];
    auto const& g = s.params[other];
    if (!is_number(f) || f.kind != g.kind || f.scale != g.scale) continue;
    all.push_back(other_input("swapped", fmt::format("takes {} for {}, and the reverse", g.name, f.name),
                              [at, other, &s](history& h) {
                                auto const one = value_of(s, h, at);
                                h.params[at] = value_of(s, h, other);
                                h.params[other] = one;
                              }));
  }
}

// --- counts ---

// The documented answers, with delays of another history: call i takes the delay of call at[i] of `others`, if any.
std::vector<answer> with_delays_of(history const& h, documented& document, history const& others,
                                   std::vector<std::optional<std::size_t>> const& at) {
  auto all = document.answers(h);
  auto const delay = document.shape().delay;
  auto const from = document.answers(others);
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto const& its = at[i];
    if (!its || *its >= from.size()) continue;
    auto const& other = from[*its];
    if (all[i][delay].kind == observed_kind::number && other[delay].kind == observed_kind::number)
      all[i][delay] = other[delay];
  }
  return all;
}

void without_limit(shape const& s, history& h) {
  auto const limit = s.find_param("max_attempts");
  if (!limit) return;
  auto const& words = s.params[*limit].words;
  h.params[*limit] = words.empty() ? s.params[*limit].number(s.params[*limit].high) : value::word(0);
}

// The delays of a port that counts one call too many before the first call of each cycle, or that does not count the
// first.
template <bool more>
std::vector<answer> shifted(history const& h, documented& document) {
  auto const& s = document.shape();
  auto const attempts = attempts_of(s, h);
  auto others = h;
  without_limit(s, others);
  others.steps.clear();
  std::vector<std::optional<std::size_t>> at;
  for (std::size_t i = 0; i < h.steps.size(); ++i) {
    bool const is_first = attempts[i] == 1;
    if (is_first && more) others.steps.push_back(h.steps[i]);
    at.push_back(is_first && !more ? std::nullopt : std::optional(others.steps.size()));
    if (at.back()) others.steps.push_back(h.steps[i]);
  }
  return with_delays_of(h, document, others, at);
}

// Each call answered as the first of its cycle.
std::vector<answer> never_counts(history const& h, documented& document) {
  auto const& s = document.shape();
  auto all = document.answers(h);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (h.steps[i].op != 0 || all[i][s.delay].kind != observed_kind::number) continue;
    auto alone = h;
    alone.steps.clear();
    for (std::size_t k = 0; k < i; ++k) {
      if (h.steps[k].op != 0 && h.steps[k].on == h.steps[i].on) alone.steps.push_back(h.steps[k]);
    }
    alone.steps.push_back(h.steps[i]);
    without_limit(s, alone);
    auto const answered = document.answers(alone);
    if (answered.size() == alone.steps.size()) all[i][s.delay] = answered.back()[s.delay];
  }
  return all;
}

// --- draws ---

// Each call of the first operation takes another draw: of(its own, the first of its instance, the one before).
template <class Of>
diagnosis other_draw(std::string name, std::string sentence, std::size_t at, Of of) {
  return other_input(std::move(name), std::move(sentence), [at, of](history& h) {
    std::array<std::optional<std::int64_t>, instances_max> firsts;
    std::array<std::int64_t, instances_max> before{};
    for (auto& step : h.steps) {
      auto& draw = step.args[at];
      if (step.op != 0 || draw.kind != value_kind::integer) continue;
      auto const own = draw.n;
      auto& first = firsts[step.on];
      if (!first) first = own;
      draw.n = of(own, *first, before[step.on]);
      before[step.on] = own;
    }
  });
}

void add_draws(std::vector<diagnosis>& all, shape const& s) {
  if (!s.has_draws()) return;
  auto const at = s.draw_of(0);
  all.push_back(other_draw("drawn-once", "draws once and keeps the number", at,
                           [](std::int64_t, std::int64_t first, std::int64_t) { return first; }));
  all.push_back(other_draw("draw-before", "takes the draw of the call before", at,
                           [](std::int64_t, std::int64_t, std::int64_t before) { return before; }));
}

// --- delays ---

std::vector<answer> summed_up(history const& h, documented& document) {
  std::array<double, instances_max> sum{};
  auto const attempts = attempts_of(document.shape(), h);
  return other_delays(h, document, [&](std::size_t i, double delay) {
    auto& now = sum[h.steps[i].on];
    return now = attempts[i] == 1 ? delay : now + delay;
  });
}

void add_roundings(std::vector<diagnosis>& all) {
  for (double const unit : {1.0, 0.1, 10.0, 100.0, 1'000.0}) {
    auto const add = [&](char const* how, double (*rounds)(double)) {
      auto const to = unit == 1 ? std::string("whole number") : fmt::format("multiple of {}", unit);
      all.push_back({"rounded", fmt::format("rounds delays {} {}", how, to),
                     [unit, rounds](history const& h, documented& document) {
                       return other_delays(h, document, [&](std::size_t, double d) { return rounds(d / unit) * unit; });
                     }});
    };
    add("down to a", std::floor);
    add("up to a", std::ceil);
    add("to the nearest", std::round);
  }
}

}  // namespace

std::vector<diagnosis> changes_of(shape const& s) {
  std::vector<diagnosis> all;
  if (auto const own = own_count(s)) {
    auto const& count = s.operations.front().args[*own];
    auto const [low, high] = std::pair(count.low, count.high);
    for (int const by : {1, -1}) {
      all.push_back(other_input(by > 0 ? "count-ahead" : "count-behind",
                                fmt::format("counts {} one too {}", count.name, by > 0 ? "high" : "low"),
                                [=](history& h) {
                                  for (auto& step : h.steps) {
                                    auto& v = step.args[*own];
                                    if (step.op == 0 && v.kind == value_kind::integer)
                                      v.n = std::clamp(v.n + by, low, high);
                                  }
                                }));
    }
  } else {
    all.push_back({"count-ahead", "counts one attempt too many", shifted<true>});
    all.push_back({"count-behind", "counts one attempt too few", shifted<false>});
    all.push_back({"never-counts", "answers each call as the first of its cycle", never_counts});
    all.push_back({"sum", "waits the sum of all delays of the cycle", summed_up});
    add_draws(all, s);
  }
  for (std::size_t i = 0; i < s.params.size(); ++i) add_values(all, s, i);
  for (std::size_t i = 0; i < s.params.size(); ++i) add_swaps(all, s, i);
  add_roundings(all);
  return all;
}

std::vector<diagnosis> bounds_at(shape const& s, observed const& delay) {
  if (delay.kind != observed_kind::number) return {};
  auto const bound = encoded(delay);
  auto const text = with_unit(s, bound);
  auto const longest = [bound](history const& h, documented& document) {
    auto all = other_delays(h, document, [&](std::size_t, double d) { return std::min(d, bound); });
    // Where the document has an error, because the type cannot hold the delay, a port with a bound waits the bound and
    // goes on.
    auto const& of = document.shape();
    auto const error = std::ranges::find(all, observed::word(of.error_word), [](answer const& a) { return a[0]; });
    auto const* port = document.of_the_port(static_cast<std::size_t>(error - all.begin()));
    if (error == all.end() || port == nullptr || encoded((*port)[of.delay]) != bound) return all;
    for (all.erase(error, all.end()); port != nullptr; port = document.of_the_port(all.size())) all.push_back(*port);
    return all;
  };
  auto const shortest = [bound](history const& h, documented& document) {
    return other_delays(h, document, [&](std::size_t, double d) { return std::max(d, bound); });
  };
  return {{"never-longer", "never waits longer than " + text, longest},
          {"never-shorter", "never waits less than " + text, shortest}};
}

std::vector<diagnosis> likenesses_of(shape const& s, step const& wrong) {
  std::vector<diagnosis> all;
  auto const args = s.operations[wrong.op].args;
  for (std::size_t i = 0; i < args.size(); ++i) {
    auto const& f = args[i];
    auto const one = wrong.args[i];
    if (one.kind == value_kind::absent || f.kind == field_kind::draw || f.kind == field_kind::set) continue;
    std::vector<value> others;
    others.reserve(f.words.size() + f.specials.size());
    for (std::size_t w = 0; w < f.words.size(); ++w) others.push_back(value::word(static_cast<std::int64_t>(w)));
    for (auto const& special : f.specials) others.push_back(f.number(special.value));
    for (auto const& other : others) {
      if (other == one) continue;
      all.push_back(other_input("not-told-apart",
                                fmt::format("takes {} {} for {}", f.name, to_text(f, one), to_text(f, other)),
                                [op = wrong.op, i, one, other](history& h) {
                                  for (auto& step : h.steps) {
                                    if (step.op == op && step.args[i] == one) step.args[i] = other;
                                  }
                                }));
    }
  }
  return all;
}

}  // namespace backoff::explain
