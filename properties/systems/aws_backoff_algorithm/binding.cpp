// Binds the model of backoffAlgorithm v1.3.0 and its claims to the judge.
#include "aws_backoff_algorithm/model.hpp"
#include "aws_backoff_algorithm/page.hpp"
#include "histories/systems.hpp"
#include "judge/drawn.hpp"
#include "judge/explorer.hpp"
#include "systems/aws_backoff_algorithm/claims.hpp"

namespace backoff::systems {
namespace {

namespace page = pages::aws_backoff_algorithm;
namespace model = spec::aws_backoff_algorithm;

using spec::distribution;

struct binding {
  using state = model::state;
  using facts = model::facts;

  static histories::shape const& shape() noexcept { return aws_backoff_algorithm_shape; }
  static spec::reading_table const& readings() noexcept { return model::readings(); }
  static std::vector<spec::cube> assignments(spec::draw_kind draws) { return model::assignments(draws); }
  static auto claims() noexcept { return aws_backoff_algorithm_claims(); }

  static state start(history const&) { return {}; }

  static model::outcome step(history const& h, std::size_t i, state& at, draw_source const& draws,
                             spec::chooser& readings) {
    histories::step const& call = h.steps[i];
    if (call.op == page::call::reset) return model::reset(at);
    auto const& limit = h.params[page::param::max_attempts];
    model::parameters const p{h.params[page::param::base_ms].n, h.params[page::param::max_ms].n,
                              limit.kind == value_kind::keyword ? std::nullopt : std::optional<spec::integer>(limit.n)};
    return model::next(p, at, drawn(call.args[page::next_args::draw], draws), readings);
  }

  static std::optional<drawn_part> draw_told(history const&, std::size_t, state const&, model::outcome const& o,
                                             answer const& port, spec::chooser& readings) {
    auto part = part_of(o.answer[model::field_delay], port[model::field_delay]);
    if (!part || readings.choose<distribution>(model::reading::distribution) == distribution::unspecified) return {};
    part->attempt = attempt_after(o.facts.retries);
    return within_remainders(*part);
  }
};

}  // namespace

judged_system const* aws_backoff_algorithm_judged() { return new explorer<binding>; }

}  // namespace backoff::systems
