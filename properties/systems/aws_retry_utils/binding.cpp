// Binds the model of Retry Utilities 202009.00 and its claims to the judge.
#include <algorithm>
#include <cmath>

#include "aws_retry_utils/model.hpp"
#include "history/systems.hpp"
#include "judge/drawn.hpp"
#include "judge/explorer.hpp"
#include "systems/aws_retry_utils/claims.hpp"
#include "systems/aws_retry_utils/history.hpp"

namespace backoff::conformance {
namespace {

namespace model = spec::aws_retry_utils;

constexpr std::uint8_t backoff = 0;  // as properties/systems/aws_retry_utils/history.cpp lists the operations

using spec::distribution;

// How likely each jitter of the last reset is, by the sleeps that followed it: where draws are hidden and jitters few.
struct cycle_weights {
  std::array<double, aws_retry_utils::inferred_jitters_max> weights{};
  std::size_t jitters = 0;  // 0: too many, or unknown
};

// The sleep among those that some jitter makes possible, which begin at 0. Nothing where none of these jitters explains
// it after the ones before, as hazards alone admit; nor does what follows it then.
std::optional<drawn_part> part_of_mixture(model::parameters const& p, spec::integer retries,
                                          drawn_part const& among_all, cycle_weights& cycle,
                                          spec::chooser& readings) noexcept {
  auto const most = static_cast<double>(among_all.values);
  double const slept = std::round(among_all.below * most);
  drawn_part part;
  double before = 0;
  bool fits = false;
  for (std::size_t j = 0; j < cycle.jitters; ++j) {
    auto const count = static_cast<double>(model::sleeps(p, retries, static_cast<spec::integer>(j), readings).count());
    auto& weight = cycle.weights[j];
    before += weight;
    part.below += weight * std::min(slept / count, 1.0);
    part.upto += weight * std::min((slept + 1) / count, 1.0);
    part.lowest += weight / count;
    if (count == most) part.highest += weight / count;
    weight = slept < count ? weight / count : 0;
    fits |= weight > 0;
  }
  if (!fits) return {};
  for (auto& weight : cycle.weights) weight /= before;
  // The longest sleep alone ends at 1, however unlikely the others beyond this one are.
  double const end = slept + 1 < most ? std::nextafter(1.0, 0.0) : 1.0;
  return drawn_part{part.below / before, std::min(part.upto / before, end), part.lowest / before, part.highest / before,
                    0};
}

struct binding {
  struct state : model::state {
    cycle_weights cycle;  // by draw_told alone, whose states are never compared
  };
  using facts = model::facts;

  static conformance::shape const& shape() noexcept { return aws_retry_utils_shape; }
  static spec::reading_table const& readings() noexcept { return model::readings(); }
  static std::vector<spec::cube> assignments(spec::draw::kind draws) { return model::assignments(draws); }
  static auto claims() noexcept { return aws_retry_utils_claims(); }

  static model::parameters parameters(history const& h) noexcept {
    return {h.params[0].n, h.params[1].n, h.params[2].n, h.params[3].n, true};
  }

  static state start(history const&) noexcept { return {}; }

  static model::outcome step(history const& h, std::size_t i, state& at, draw_source const& draws,
                             spec::chooser& readings) noexcept {
    conformance::step const& call = h.steps[i];
    auto const p = parameters(h);
    auto const from = drawn(call.args[0], draws);
    return call.op != backoff ? model::reset(p, at, from, readings) : model::back_off(p, at, from, readings);
  }

  // The sleeps of one cycle are dependent where a jitter was drawn that none but they show: each is placed among those
  // that were possible after the ones before.
  static std::optional<drawn_part> draw_told(history const& h, std::size_t i, state& at, model::outcome const& o,
                                             answer const& port, spec::chooser& readings) noexcept {
    auto const p = parameters(h);
    if (h.steps[i].op != backoff) {
      auto const jitters = model::jitters(p, readings);
      at.cycle = {};
      at.cycle.weights.fill(1);
      if (jitters <= aws_retry_utils::inferred_jitters_max) at.cycle.jitters = static_cast<std::size_t>(jitters);
      return {};
    }
    if (!o.facts.grants) at.cycle.jitters = 0;  // what follows may be another cycle
    if (at.cycle.jitters == 0 || readings.choose<distribution>(model::reading::distribution) != distribution::uniform)
      return {};
    bool const each_second = readings.choose(static_cast<unsigned>(model::reading::reseed)) != 0;
    auto part = part_of(o.answer[model::field_slept], port[model::field_slept]);
    if (part) {
      part = at.cycle.jitters > 1 ? part_of_mixture(p, o.facts.retries, *part, at.cycle, readings)
                                  : within_remainders(*part);
    }
    if (part) {
      part->attempt = attempt_after(o.facts.retries);
      part->repeats = each_second;
    }
    return part;
  }
};

}  // namespace

judged_system const* aws_retry_utils_judged() noexcept { return new explorer<binding>; }

}  // namespace backoff::conformance
