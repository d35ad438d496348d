// Wrong ports of the sample loop: faults that retry code has shipped. Each must be caught by the claim that it names;
// those of a hazard reading must be recognised as such, and pass when it is pinned.
#include <array>
#include <string>

#include "ports/built_in.hpp"
#include "systems/aws_prescriptive_sample/faults.hpp"

namespace backoff::systems {
namespace {

using namespace sample_faults;

observed shown(double ms) {
  if (std::isnan(ms)) return {observed_kind::not_a_number, 0, {}};
  if (ms == std::floor(ms)) return observed::of(static_cast<std::int64_t>(ms));
  return observed::of(*spec::parse_decimal(std::to_string(std::llround(ms * 1'000)) + "e-3"));
}

// The loop in plain steps, with a fault.
std::vector<answer> run_with(fault const& f, history const& h) {
  auto const max_retries = static_cast<double>(h.params[0].n);
  std::array<double, instances_max> requests{};
  std::vector<answer> answers;
  for (auto const& step : h.steps) {
    auto& n = requests[f.port.shares_count ? 0 : step.on];
    if (f.port.fails(n, max_retries)) {
      answers.push_back({observed::word(1)});
      return answers;
    }
    auto const delay = shown(f.port.held(f.does.wait(n)));
    ++n;
    bool const again = f.does.retries(step.args[0].n) && n < f.does.limit(max_retries);
    answers.push_back({observed::word(0), delay, observed::word(again ? 1 : 0)});
  }
  return answers;
}

}  // namespace

std::span<built_in const> aws_prescriptive_sample_wrong_ports() {
  static auto const ports = [] {
    std::vector<built_in> all;
    for (auto const& f : all_faults()) {
      auto const& port = f.port;
      if (port.name.empty()) continue;
      auto const run = [&f](history const& h) { return run_with(f, h); };
      all.push_back({port.name, f.sentence, run, {}, static_cast<std::int64_t>(longest_ms), port.claim});
      if (!port.hazard.empty()) all.back().follows = {port.hazard};
      all.back().steps = port.steps;
    }
    return all;
  }();
  return ports;
}

}  // namespace backoff::systems
