// Binds the model of the sample loop and its claims to the judge.
#include "aws_prescriptive_sample/model.hpp"
#include "aws_prescriptive_sample/page.hpp"
#include "histories/systems.hpp"
#include "judge/explorer.hpp"
#include "systems/aws_prescriptive_sample/claims.hpp"

namespace backoff::systems {
namespace {

namespace page = pages::aws_prescriptive_sample;
namespace model = spec::aws_prescriptive_sample;

struct binding {
  using state = model::state;
  using facts = model::facts;

  static histories::shape const& shape() noexcept { return aws_prescriptive_sample_shape; }
  static spec::reading_table const& readings() noexcept { return model::readings(); }
  static std::vector<spec::cube> assignments(spec::draw_kind draws) { return model::assignments(draws); }
  static auto claims() noexcept { return aws_prescriptive_sample_claims(); }

  static state start(history const&) { return {}; }

  static model::outcome step(history const& h, std::size_t i, state& at, draw_source const&, spec::chooser& readings) {
    return model::attempt({h.params[page::param::max_retries].n}, at,
                          h.steps[i].args[page::attempt_args::http_status].n, readings);
  }
};

}  // namespace

judged_system const* aws_prescriptive_sample_judged() { return new explorer<binding>; }

}  // namespace backoff::systems
