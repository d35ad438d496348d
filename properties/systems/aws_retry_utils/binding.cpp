// Binds the model of Retry Utilities 202009.00 and its claims to the judge.
#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "aws_retry_utils/model.hpp"
#include "aws_retry_utils/page.hpp"
#include "histories/present.hpp"
#include "histories/systems.hpp"
#include "judge/drawn.hpp"
#include "judge/explorer.hpp"
#include "relation/rational.hpp"
#include "systems/aws_retry_utils/claims.hpp"
#include "systems/aws_retry_utils/history.hpp"

namespace backoff::systems {
namespace {

namespace page = pages::aws_retry_utils;
namespace model = spec::aws_retry_utils;

constexpr std::uint8_t backoff = 0;  // as properties/systems/aws_retry_utils/history.cpp lists the operations

using spec::distribution;

// What the sleeps of a cycle tell of it, where draws are hidden: how likely each jitter of its reset is, if these are
// few; and the window of the next sleep, as the port shows it.
struct cycle_told {
  std::array<double, inferred_jitters_max> weights{};
  std::size_t jitters = 0;  // 0: too many, or unknown
  std::optional<spec::integer> shown{};
  bool is_over = false;  // what follows may be another cycle
};

// The sleep among those that some jitter makes possible, which begin at 0. Nothing where none of these jitters explains
// it after the ones before, as hazards alone admit; nor does what follows it then.
std::optional<drawn_part> part_of_mixture(model::parameters const& p, model::outcome const& o,
                                          drawn_part const& among_all, cycle_told& cycle, spec::chooser& readings) {
  auto const& all = o.answer[model::field_slept];
  bool const is_whole = among_all.values > 0;
  auto const most = static_cast<double>(is_whole ? spec::rational(all.count()) : all.ends().high);
  double const slept = is_whole ? std::round(among_all.below * most) : among_all.below * most;
  double const next = is_whole ? slept + 1 : slept;
  drawn_part part;
  double before = 0;
  bool fits = false;
  std::array<double, inferred_jitters_max> counts;
  model::choices(p, o.facts.retries, std::span(counts).first(cycle.jitters), readings);
  for (std::size_t j = 0; j < cycle.jitters; ++j) {
    double const count = counts[j];
    auto& weight = cycle.weights[j];
    before += weight;
    part.below += weight * std::min(slept / count, 1.0);
    part.upto += weight * std::min(next / count, 1.0);
    if (is_whole) {
      part.lowest += weight * std::min(1 / count, 1.0);
      part.highest += weight * std::max(count - (most - 1), 0.0) / count;
      weight *= std::max(std::min(next, count) - slept, 0.0) / count;
    } else {
      weight = slept <= count ? weight / count : 0;
    }
    fits |= weight > 0;
  }
  if (!fits) return {};
  for (auto& weight : cycle.weights) weight /= before;
  // The longest sleep alone ends at 1, however unlikely the others beyond this one are.
  double const end = is_whole && next >= most ? 1.0 : std::nextafter(1.0, 0.0);
  return drawn_part{std::min(part.below / before, end), std::min(part.upto / before, end), part.lowest / before,
                    part.highest / before, 0};
}

spec::integer longest_of(spec::admissible const& sleeps) {
  if (sleeps.has_ends()) return static_cast<spec::integer>(sleeps.ends().high);
  return sleeps.first() + sleeps.count() - 1;
}

bool is_whole(spec::observed const& shows) {
  return shows.kind == spec::observed_kind::number && shows.value.integral();
}

// The jitter of a reset, where the port shows the window that it leads to.
std::optional<drawn_part> jitter_told(model::parameters const& p, cycle_told& cycle, spec::observed const& shows,
                                      spec::chooser& readings) {
  auto const jitters = model::jitters(p, readings);
  cycle = {};
  cycle.weights.fill(1);
  if (jitters <= inferred_jitters_max) cycle.jitters = static_cast<std::size_t>(jitters);
  if (!is_whole(shows)) return {};
  cycle.shown = model::window_of_first_sleep(p, shows.value.mantissa, readings);
  auto const windows = model::first_windows_shown(p, readings);
  auto const part = windows ? part_of(*windows, shows) : std::nullopt;
  return part ? std::optional(within_remainders(*part)) : std::nullopt;
}

// A sleep. Those of one cycle are dependent where a jitter was drawn that none but they show: each is placed among
// those that were possible after the ones before. The jitter is of no account at the cap, nor where the port shows the
// window.
std::optional<drawn_part> sleep_told(model::parameters const& p, cycle_told& cycle, model::outcome const& o,
                                     answer const& port, spec::chooser& readings) {
  auto const& shows = port[model::field_next_jitter_max];
  auto const& slept = port[model::field_slept];
  auto const& possible = o.answer[model::field_slept];
  if (!o.facts.grants) cycle = {.is_over = true};
  auto const window = std::exchange(cycle.shown, is_whole(shows) ? std::optional(shows.value.mantissa) : std::nullopt);
  if (cycle.is_over) return {};
  bool const as_shown = window && !o.facts.at_cap;
  if (as_shown) cycle.jitters = 0;  // the sleep says nothing of them, so that their weights are not kept
  bool const is_known = cycle.jitters > 0 || o.facts.at_cap || as_shown;
  if (!is_known) return {};
  bool const is_mixed = cycle.jitters > 1 && !o.facts.at_cap;
  auto const admitted = as_shown ? model::sleeps(*window, readings) : possible;
  bool const is_beyond = !admitted.admits(slept);  // the window that the port shows: then it counts as the longest
  auto part = part_of(admitted, is_beyond ? spec::observed::of(longest_of(admitted)) : slept);
  if (part) part = is_mixed ? part_of_mixture(p, o, *part, cycle, readings) : within_remainders(*part);
  if (part) part->attempt = attempt_after(o.facts.retries);
  return part;
}

struct binding {
  struct state : model::state {
    cycle_told cycle;  // only draw_told uses it, and nothing compares its states
  };
  using facts = model::facts;

  static histories::shape const& shape() noexcept { return aws_retry_utils_shape; }
  static spec::reading_table const& readings() noexcept { return model::readings(); }
  static std::vector<spec::cube> assignments(spec::draw_kind draws) { return model::assignments(draws); }
  static auto claims() noexcept { return aws_retry_utils_claims(); }

  static model::parameters parameters(history const& h) noexcept {
    return {h.params[page::param::initial_backoff_s].n, h.params[page::param::max_backoff_s].n,
            h.params[page::param::max_jitter_s].n, h.params[page::param::max_attempts].n, true};
  }

  static state start(history const&) { return {}; }

  static model::outcome step(history const& h, std::size_t i, state& at, draw_source const& draws,
                             spec::chooser& readings) {
    histories::step const& call = h.steps[i];
    auto const p = parameters(h);
    auto const from = drawn(call.args[page::backoff_args::draw], draws);
    return call.op != backoff ? model::reset(p, at, from, readings) : model::back_off(p, at, from, readings);
  }

  static std::optional<drawn_part> draw_told(history const& h, std::size_t i, state& at, model::outcome const& o,
                                             answer const& port, spec::chooser& readings) {
    auto part = h.steps[i].op != backoff
                    ? jitter_told(parameters(h), at.cycle, port[model::field_next_jitter_max], readings)
                    : sleep_told(parameters(h), at.cycle, o, port, readings);
    if (!part) return {};
    if (readings.choose<distribution>(model::reading::distribution) != distribution::uniform) return {};
    part->repeats = readings.choose(static_cast<unsigned>(model::reading::reseed)) != 0;
    return part;
  }
};

}  // namespace

judged_system const* aws_retry_utils_judged() { return new explorer<binding>; }

}  // namespace backoff::systems
