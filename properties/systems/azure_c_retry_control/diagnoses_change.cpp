#include "systems/azure_c_retry_control/diagnoses_change.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "histories/systems.hpp"
#include "judge/explorer.hpp"
#include "systems/azure_c_retry_control/claims.hpp"

namespace backoff::systems::azure_c_diagnoses {

std::optional<granted> granted_in(model::state const& s, model::cycle const& at) {
  if (s.initial_wait.low != s.initial_wait.high || s.max_jitter.low != s.max_jitter.high) return {};
  return granted{s.policy, static_cast<seconds>(s.initial_wait.low), static_cast<seconds>(at.retry_count),
                 static_cast<seconds>(s.max_jitter.low)};
}

seconds doubled(seconds initial, seconds times) { return times > 31 ? initial << 32U : initial << times; }
seconds grown(granted const& g) {
  if (g.under == policy::linear_backoff) return g.initial * g.n;
  return g.is_exponential() ? doubled(g.initial, g.n - 1) : g.initial;
}
quotient drawn_part(granted const& g, u128 base, u128 fixed, u128 drawn, u128 of) {
  return {base * (fixed * g.most + drawn * g.draw), of * g.most};
}
quotient jittered(granted const& g, seconds base) {
  if (g.under == policy::random) return drawn_part(g, base, 0, 1, 1);
  if (g.under != policy::exponential_backoff_with_jitter) return {base, 1};
  return drawn_part(g, base, 100, g.percent, 100);
}
quotient documented_wait(granted const& g) { return jittered(g, grown(g)); }
quotient at_most(quotient const& x, seconds most) { return x.over > u128{most} * x.under ? quotient{most, 1} : x; }

spec::integer rounded(quotient const& x, model::wait_rounding how) {
  auto over = x.over;
  if (how == model::wait_rounding::nearest) over += x.under / 2;
  if (how == model::wait_rounding::ceil) over += x.under - 1;
  return static_cast<spec::integer>(over / x.under);
}

namespace {

struct changed_binding {
  struct state {
    model::state at;
    std::optional<seconds> first_draw;
    friend bool operator==(state const&, state const&) noexcept = default;
  };
  using facts = azure_c_retry_control_facts;
  struct outcome {
    spec::expectation answer;
    changed_binding::facts facts;
  };

  std::shared_ptr<change const> changed;

  static histories::shape const& shape() noexcept { return azure_c_retry_control_shape; }
  static spec::reading_table const& readings() noexcept { return model::readings(); }
  static std::vector<spec::cube> assignments(spec::draw_kind draws) { return model::assignments(draws); }
  static auto claims() noexcept { return azure_c_retry_control_claims(); }
  static state start(history const&) { return {}; }
  void observe(state& s, answer const& port) const {
    auto seen = port;
    if (!changed->learns) seen[model::field_initial_wait] = seen[model::field_max_jitter] = {};
    model::observe(s.at, seen);
  }

  [[nodiscard]] outcome step(history const& h, std::size_t i, state& s, draw_source const& draws,
                             spec::chooser& readings) const {
    auto call = h.steps[i];
    auto const before = s.at;
    if (changed->takes) changed->takes(call, s.at);
    auto taken = calls::take(call, draws, s.at, readings);
    bool const is_granted = call.op == calls::should_retry && taken.facts.may_grant && !taken.facts.fails;
    if (changed->waits && is_granted) {
      wait(call, before, s, draws, readings);
      auto& used = taken.answer[model::field_draws_used];  // another wait may need no draw
      if (used.kind() == admissible_kind::lattice) used = admissible::integers(0, 1, 2);
    }
    if (changed->makes) changed->makes({h.steps[i], before, s.at, taken});
    return {std::move(taken.answer), {taken.facts, false}};
  }

 private:
  void wait(histories::step const& call, model::state const& before, state& s, draw_source const& draws,
            spec::chooser& readings) const {
    auto& to = s.at.if_granted ? *s.at.if_granted : s.at.at;
    if (s.at.policy == policy::immediate) return;
    auto known = granted_in(s.at, to);
    if (!known) {
      to.wait = {0, for_ever};
      return;
    }
    auto& g = *known;
    g.before = static_cast<seconds>(before.at.wait.low);
    auto const& drawn = call.args[calls::draw_at];
    if (drawn.kind == value_kind::integer && draws.size > 1) {
      g.draw = static_cast<seconds>(drawn.n);
      g.most = draws.kind == spec::draw_kind::unit ? draws.size : draws.size - 1;
    }
    g.first_draw = s.first_draw.value_or(g.draw);
    s.first_draw = g.first_draw;
    auto const x = changed->waits(g);
    auto const how = x.over % x.under == 0 ? model::wait_rounding::truncate
                                           : readings.choose<model::wait_rounding>(model::reading::wait_rounding);
    auto const whole = rounded(at_most(x, changed->is_cut ? seconds_max : seconds{1} << 62U), how);
    to.wait = {whole, whole};
  }
};

}  // namespace

void changes::add(std::string name, std::string sentence, change what) {
  auto const changed = std::make_shared<change const>(std::move(what));
  auto const system = std::make_shared<explorer<changed_binding>>(changed_binding{changed});
  all_.push_back({std::move(name), std::move(sentence),
                  [system, asked = std::make_shared<examiner>(*system)](history const& h, documented& document) {
                    return document.answers(h, *asked);
                  },
                  claim_});
}

}  // namespace backoff::systems::azure_c_diagnoses
