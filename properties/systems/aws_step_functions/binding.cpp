// Binds the model of the Step Functions example and its claims to the judge. The model learns from each answer what a
// port that rounds at each step carries on, and the longest wait that it can hold.
#include "aws_step_functions/model.hpp"
#include "aws_step_functions/page.hpp"
#include "histories/systems.hpp"
#include "judge/explorer.hpp"
#include "systems/aws_step_functions/claims.hpp"

namespace backoff::systems {
namespace {

namespace page = pages::aws_step_functions;
namespace model = spec::aws_step_functions;

struct binding {
  using state = model::state;
  using facts = model::facts;

  static histories::shape const& shape() noexcept { return aws_step_functions_shape; }
  static spec::reading_table const& readings() noexcept { return model::readings(); }
  static std::vector<spec::cube> assignments(spec::draw_kind) { return model::assignments(); }
  static auto claims() noexcept { return aws_step_functions_claims(); }

  static state start(history const&) { return {}; }

  static model::outcome step(history const& h, std::size_t, state& at, draw_source const&, spec::chooser& readings) {
    return model::next({h.params[page::param::interval_s].n, h.params[page::param::backoff_rate].n,
                        h.params[page::param::max_attempts].n},
                       at, readings);
  }

  static void observe(state& at, answer const& port) { model::observe(at, port); }
};

}  // namespace

judged_system const* aws_step_functions_judged() { return new explorer<binding>; }

}  // namespace backoff::systems
