// Binds the model of Retry Utilities 202009.00 and its claims to the judge.
#include "claims/aws_retry_utils.hpp"

#include "history/systems.hpp"
#include "judge/drawn.hpp"
#include "judge/explorer.hpp"
#include "model/aws_retry_utils.hpp"

namespace backoff::conformance {
namespace {

namespace model = spec::aws_retry_utils;

struct binding {
  using state = model::state;
  using facts = model::facts;

  static conformance::shape const& shape() noexcept { return aws_retry_utils_shape; }
  static spec::reading_table const& readings() noexcept { return model::readings(); }
  static std::vector<spec::cube> assignments(spec::draw::kind draws) { return model::assignments(draws); }
  static auto claims() noexcept { return aws_retry_utils_claims(); }

  static state start(history const&) noexcept { return {}; }

  static model::outcome step(history const& h, std::size_t i, state& at, draw_source const& draws,
                             spec::chooser& readings) noexcept {
    conformance::step const& call = h.steps[i];
    model::parameters const p{h.params[0].n, h.params[1].n, h.params[2].n, h.params[3].n, true};
    auto const from = drawn(call.args[0], draws);
    return call.op == 1 ? model::reset(p, at, from, readings) : model::back_off(p, at, from, readings);
  }
};

}  // namespace

judged_system const* aws_retry_utils_judged() noexcept { return new explorer<binding>; }

}  // namespace backoff::conformance
