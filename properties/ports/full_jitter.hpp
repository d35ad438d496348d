// The wrong ports of backoffAlgorithm and the Retry Utilities: full jitter in plain steps, with a fault of
// faults/full_jitter.hpp. Shares nothing with the library or the model.
#pragma once

#include "faults/full_jitter.hpp"
#include "ports/built_in.hpp"

namespace backoff::ports {

inline std::vector<answer> run_with(fault const& f, system which, history const& h) {
  struct cycle {
    double base;
    double n = 0, n_ever = 0, count = 0;
    std::optional<double> first_jitter{};
  };
  bool const jitters = which == retry_utils;
  auto const initial = static_cast<double>(h.params[0].n);
  auto const cap = static_cast<double>(h.params[1].n);
  auto const& limit = h.params[jitters ? 3 : 2];
  bool const is_limited = jitters ? limit.n != 0 : limit.kind == value_kind::integer;
  double const most = is_limited ? static_cast<double>(limit.n) : std::numeric_limits<double>::infinity();
  std::array<cycle, instances_max> instances;
  instances.fill({initial});
  auto const shown = [](double x) {
    return std::isnan(x) ? observed{observed_kind::not_a_number, 0, {}} : observed::of(static_cast<std::int64_t>(x));
  };
  std::vector<answer> answers;
  for (auto const& step : h.steps) {
    auto& c = instances[f.port.shares_state ? 0 : step.on];
    auto const draw = static_cast<double>(step.args[0].n);
    auto const drawn = [&](double window) { return std::fmod(draw, window + 1); };
    auto const now = [&] { return retry{initial, c.base, cap, c.n, c.n_ever, 0, drawn}; };
    auto& a = answers.emplace_back();
    if (step.op == 1) {
      auto const jitter = jitters ? std::fmod(draw, static_cast<double>(h.params[2].n) + 1) : 0;
      if (!c.first_jitter) c.first_jitter = jitter;
      c.base = f.does.base({initial, jitter, *c.first_jitter});
      c.n = 0;
      if (!f.does.counts_on) c.count = 0;
      a[0] = observed::word(2);
    } else if (f.port.ended(c.count, most)) {
      a[0] = observed::word(1);
    } else if (f.port.fails(now())) {
      a[0] = observed::word(3);
      return answers;
    } else {
      a = {observed::word(0), shown(f.does.delay_of(now()))};
      ++c.n;
      ++c.n_ever;
      ++c.count;
    }
    if (!f.port.shows_state || !jitters) continue;
    a[2] = shown(c.count);
    a[3] = shown(f.does.window_of(now()));
  }
  return answers;
}

inline void add_wrong_ports(std::vector<built_in>& all, std::vector<fault> const& table, system which) {
  for (auto const& f : table) {
    auto const& port = f.port;
    if (port.caught[which].empty()) continue;
    built_in made{port.name, f.sentence, [&f, which](history const& h) { return run_with(f, which, h); }};
    made.claim = port.caught[which];
    if (!port.hazard[which].empty()) made.follows = {port.hazard[which]};
    made.steps = port.steps + which;
    made.lacks = which == retry_utils && !port.shows_state ? bit(feature::state) : 0;
    all.push_back(std::move(made));
  }
}

}  // namespace backoff::ports
