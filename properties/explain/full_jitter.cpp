#include "explain/full_jitter.hpp"

#include <array>

namespace backoff::explain {
namespace {

struct cycle {
  double base;
  std::optional<double> first_jitter{};
  double n = 0;
  double n_ever = 0;
  double before = 0;
};

std::vector<answer> with_delays(faults::doing const& does, history const& h, documented& document) {
  auto const& s = document.shape();
  auto const reset = s.find_operation("reset");
  auto const most_jitter = s.find_param("max_jitter_s");
  auto const initial = static_cast<double>(h.params[0].n);
  auto const cap = static_cast<double>(h.params[1].n);
  auto all = does.counts_on ? without_resets(h, document) : document.answers(h);
  std::array<cycle, instances_max> cycles;
  cycles.fill({initial});
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto const& step = h.steps[i];
    auto const draw = static_cast<std::uint64_t>(step.args[s.draw_of(0)].n);
    auto& c = cycles[step.on];
    if (step.op == reset) {
      auto const most = most_jitter ? static_cast<double>(h.params[*most_jitter].n) : 0;
      auto const jitter = std::trunc(document.jitter_of_reset(draw, most));
      if (!c.first_jitter) c.first_jitter = jitter;
      c.base = does.base({initial, jitter, *c.first_jitter});
      c.n = 0;
    }
    bool const waits = step.op == 0 && all[i][s.delay].kind == observed_kind::number;
    if (!waits) continue;
    auto const drawn = [&](double window) { return document.jitter(draw, window); };
    c.before = does.delay_of({initial, c.base, cap, c.n, c.n_ever, c.before, drawn});
    all[i][s.delay] = real(c.before);
    ++c.n;
    ++c.n_ever;
  }
  return all;
}

}  // namespace

void add_hypotheses(std::vector<diagnosis>& all, std::vector<faults::fault> const& table) {
  for (auto const& f : table) {
    if (f.name.empty()) continue;
    all.push_back({f.name, f.sentence, [&does = f.does](history const& h, documented& document) {
                     return with_delays(does, h, document);
                   }});
  }
}

}  // namespace backoff::explain
