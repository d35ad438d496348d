// What is probably wrong in a port of the sample code: (2^n − 1) · 100 ms before request n, counted from 0.
#include <array>

#include "explain/diagnosis.hpp"
#include "systems/aws_prescriptive_sample/faults.hpp"

namespace backoff::systems {
namespace {

using namespace sample_faults;

// The loop with a fault. What a port makes of a wait that 31 bits cannot hold is no part of its fault.
std::vector<answer> loop(doing const& does, history const& h, documented& document) {
  std::vector<answer> all;
  std::array<double, instances_max> n{};
  std::array<bool, instances_max> ended{};
  bool is_over = false;
  auto const most = does.limit(static_cast<double>(h.params[0].n));
  for (auto const& step : h.steps) {
    auto& now = n[step.on];
    bool const again = does.retries(step.args[0].n) && now + 1 < most;
    double const delay = does.wait(now);
    auto const* port = document.of_the_port(all.size());
    bool const is_open = delay >= longest_ms && port != nullptr &&
                         ((*port)[1].kind != observed_kind::number || encoded((*port)[1]) >= longest_ms);
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

}  // namespace

std::vector<diagnosis> aws_prescriptive_sample_diagnoses() {
  std::vector<diagnosis> all;
  for (auto const& f : all_faults()) {
    if (f.name.empty()) continue;
    all.push_back({f.name, f.sentence,
                   [&does = f.does](history const& h, documented& document) { return loop(does, h, document); }});
  }
  return all;
}

}  // namespace backoff::systems
