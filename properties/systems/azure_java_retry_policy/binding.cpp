// Binds the model of the Java SDK's retry policies and its claims to the judge.
#include <algorithm>
#include <cmath>
#include <variant>

#include "azure_java_retry_policy/model.hpp"
#include "histories/systems.hpp"
#include "judge/drawn.hpp"
#include "judge/explorer.hpp"
#include "systems/azure_java_retry_policy/claims.hpp"

namespace backoff::systems {
namespace {

namespace model = spec::azure_java_retry_policy;

// In the order of the shape's parameters and arguments.
spec::integer or_default(value const& v, spec::integer by_default) noexcept {
  return v.kind == value_kind::absent ? by_default : v.n;
}

model::parameters parameters_of(history const& h) noexcept {
  constexpr model::parameters d;
  auto const& [policy, c, cmin, cmax, jd, ju, total, none] = h.params;
  return {static_cast<model::policy>(policy.n),
          or_default(c, d.c_ms),
          or_default(cmin, d.cmin_ms),
          or_default(cmax, d.cmax_ms),
          or_default(jd, d.jd_thousandths),
          or_default(ju, d.ju_thousandths),
          total.kind == value_kind::absent ? std::nullopt : std::optional<spec::integer>(total.n)};
}

model::error error_of(value const& retryable, value const& error) noexcept {
  if (error.kind != value_kind::absent) return static_cast<model::error>(error.n);
  return static_cast<bool>(retryable.n) ? model::error::retryable : model::error::not_retryable;
}

model::failure failure_of(step const& call, draw_source const& draws) noexcept {
  auto const& [count, retryable, from, error, elapsed, custom_retry, custom_delay] = call.args;
  return {count.n,   error_of(retryable, error),        drawn(from, draws),
          elapsed.n, static_cast<bool>(custom_retry.n), custom_delay.n};
}

// The ends between which F(x) is drawn, ms, and the maximum, which cuts off what is beyond: it lies between them, or
// beyond both.
struct ends {
  double low;
  double high;
  double most;
};
std::optional<ends> free_ends(model::parameters const& p, model::facts const& f, spec::chooser& readings) {
  if (f.policy != model::policy::exponential_backoff_with_jitter || f.limited || f.retry_count < 1) return {};
  if (f.error == model::error::service) return {};  // a policy of its own may decide about it
  bool const less_one = readings.choose<model::exponent>(model::reading::exponent) == model::exponent::less_one;
  constexpr spec::integer far_beyond = 900;  // every maximum, and not yet the end of a double's exponent
  double const power = std::exp2(static_cast<double>(std::min(f.retry_count - (less_one ? 1 : 0), far_beyond))) - 1;
  auto const end = [&](spec::integer thousandths) {
    return static_cast<double>(p.cmin_ms) + power * static_cast<double>(p.c_ms * (1'000 - thousandths)) / 1'000;
  };
  ends const drawn{end(p.jd_thousandths), end(p.ju_thousandths), static_cast<double>(p.cmax_ms)};
  if (drawn.low >= drawn.high || drawn.low >= drawn.most) return {};
  return drawn;
}

struct binding {
  using state = std::monostate;  // nothing that came before changes a decision
  using facts = model::facts;

  static histories::shape const& shape() noexcept { return azure_java_retry_policy_shape; }
  static spec::reading_table const& readings() noexcept { return model::readings(); }
  static std::vector<spec::cube> assignments(spec::draw_kind draws) { return model::assignments(draws); }
  static auto claims() noexcept { return azure_java_retry_policy_claims(); }

  static state start(history const&) { return {}; }

  static model::outcome step(history const& h, std::size_t i, state&, draw_source const& draws,
                             spec::chooser& readings) {
    return model::decide(parameters_of(h), failure_of(h.steps[i], draws), readings);
  }

  // What the maximum cuts off is one value, of real numbers.
  static std::optional<drawn_part> draw_told(history const& h, std::size_t, state&, model::outcome const& o,
                                             answer const& port, spec::chooser& readings) {
    auto const& delay = port[model::field_delay];
    if (delay.kind != observed_kind::number) return {};
    auto const between = free_ends(parameters_of(h), o.facts, readings);
    if (!between) return {};
    bool const cut = between->high > between->most;
    auto const attempt = static_cast<std::uint32_t>(o.facts.retry_count);
    if (readings.choose<model::rand_kind>(model::reading::rand_kind) != model::rand_kind::real) {
      auto whole = cut ? std::nullopt : part_of(o.answer[model::field_delay], delay);
      if (whole) whole->attempt = attempt;
      return whole;
    }
    auto const how = readings.choose<model::delay_rounding>(model::reading::delay_rounding);
    constexpr double added_at_most[]{0, 0, 0.5, 1};  // by rounding, in the order of the alternatives
    double const added = added_at_most[static_cast<std::size_t>(how)];
    double const at = as_double(delay.value) - added;
    double const grain = how == model::delay_rounding::exact ? 0 : 1;
    auto const part = [&](double ms) {
      return std::clamp((ms - between->low) / (between->high - between->low), 0.0, 1.0);
    };
    if (!cut) return drawn_part{.below = part(at), .upto = part(at + grain), .attempt = attempt};
    constexpr double hardly_any = 0x1p-53;  // what doubles can still tell from nothing
    double const kept = std::max(part(between->most - added), hardly_any);
    bool const is_cut = as_double(delay.value) >= between->most;
    return drawn_part{.below = is_cut ? kept : part(at),
                      .upto = is_cut ? 1 : std::min(part(at + grain), kept),
                      .highest = 1 - kept,
                      .attempt = attempt};
  }
};

}  // namespace

judged_system const* azure_java_retry_policy_judged() { return new explorer<binding>; }

}  // namespace backoff::systems
