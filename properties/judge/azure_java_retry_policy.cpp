// Binds the model of the Java SDK's retry policies and its claims to the judge.
#include "claims/azure_java_retry_policy.hpp"

#include "history/systems.hpp"
#include "judge/drawn.hpp"
#include "judge/explorer.hpp"
#include "model/azure_java_retry_policy.hpp"

namespace backoff::conformance {
namespace {

namespace model = spec::azure_java_retry_policy;

// In the order of the shape's parameters and arguments.
spec::integer or_default(value const& v, spec::integer by_default) noexcept {
  return v.is == value::kind::absent ? by_default : v.n;
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
          total.is == value::kind::absent ? std::nullopt : std::optional<spec::integer>(total.n)};
}

model::error error_of(value const& retryable, value const& error) noexcept {
  if (error.is != value::kind::absent) return static_cast<model::error>(error.n);
  return retryable.n != 0 ? model::error::retryable : model::error::not_retryable;
}

model::failure failure_of(step const& call, draw_source const& draws) noexcept {
  auto const& [count, retryable, from, error, elapsed, custom_retry, custom_delay] = call.args;
  return {count.n, error_of(retryable, error), drawn(from, draws), elapsed.n, custom_retry.n != 0, custom_delay.n};
}

struct binding {
  // Nothing that came before changes a decision.
  struct state {
    friend bool operator==(state const&, state const&) noexcept { return true; }
  };
  using facts = model::facts;

  static conformance::shape const& shape() noexcept { return azure_java_retry_policy_shape; }
  static spec::reading_table const& readings() noexcept { return model::readings(); }
  static std::vector<spec::cube> assignments(spec::draw::kind draws) noexcept { return model::assignments(draws); }
  static auto claims() noexcept { return azure_java_retry_policy_claims(); }

  static state start(history const&) noexcept { return {}; }

  static model::outcome step(history const& h, std::size_t i, state&, draw_source const& draws,
                             spec::chooser& readings) noexcept {
    return model::decide(parameters_of(h), failure_of(h.steps[i], draws), readings);
  }
};

}  // namespace

judged_system const* azure_java_retry_policy_judged() noexcept { return new explorer<binding>; }

}  // namespace backoff::conformance
