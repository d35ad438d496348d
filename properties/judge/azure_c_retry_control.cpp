// Binds the model of iothub_client_retry_control and its claims to the judge. After each answer the model learns from
// it which waits are still possible.
#include "claims/azure_c_retry_control.hpp"

#include <tuple>

#include "history/azure_c_retry_control.hpp"
#include "history/systems.hpp"
#include "judge/explorer.hpp"

namespace backoff::conformance {
namespace {

namespace model = spec::azure_c_retry_control;

struct binding {
  struct state {
    model::state at;
    bool polled = false;
    friend bool operator==(state const& a, state const& b) noexcept {
      return std::tie(a.at, a.polled) == std::tie(b.at, b.polled);
    }
  };
  using facts = azure_c_retry_control_facts;
  struct outcome {
    spec::expectation answer;
    binding::facts facts;
  };

  static conformance::shape const& shape() noexcept { return azure_c_retry_control_shape; }
  static spec::reading_table const& readings() noexcept { return model::readings(); }
  static std::vector<spec::cube> assignments(spec::draw::kind draws) noexcept { return model::assignments(draws); }
  static auto claims() noexcept { return azure_c_retry_control_claims(); }

  static state start(history const&) noexcept { return {}; }

  static outcome step(history const& h, std::size_t i, state& s, draw_source const& draws,
                      spec::chooser& readings) noexcept {
    auto taken = azure_c_retry_control::take(h.steps[i], draws, s.at, readings);
    return {std::move(taken.answer), {taken.facts, s.polled}};
  }

  static void observe(state& s, answer const& port) noexcept {
    auto const acted = port[model::field_action];
    if (acted.is == observed::kind::keyword)
      s.polled = acted == observed::word(static_cast<std::uint8_t>(model::action::retry_later));
    model::observe(s.at, port);
  }
};

}  // namespace

judged_system const* azure_c_retry_control_judged() noexcept { return new explorer<binding>; }

}  // namespace backoff::conformance
