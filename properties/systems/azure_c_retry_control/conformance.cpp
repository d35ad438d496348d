#include <stdexcept>

#include "backoff/conformance/azure_c_retry_control.hpp"
#include "conformance/in_process.hpp"
#include "histories/systems.hpp"
#include "systems/azure_c_retry_control/ports/port.hpp"

namespace backoff::systems {
namespace {

using namespace conformance;
using control = azure_c_retry_control;

// The scripted surroundings, as a port sees them.
class script final : public control::surroundings {
 public:
  std::int64_t get_time() override { return world.get_time(); }
  draw rand() override { return {world.rand()}; }
  retry_control::scripted world;
};

// The port as one_answer asks it.
class asked {
 public:
  explicit asked(control::port& port) : port_(&port) {}

  bool create(retry_control::model::policy which, std::uint32_t limit) {
    return port_->create(static_cast<control::policy>(which), limit);
  }
  int should_retry(retry_control::model::action& what) {
    auto const decided = port_->should_retry();
    if (decided) what = static_cast<retry_control::model::action>(*decided);
    return decided ? 0 : 1;
  }
  void reset() { port_->reset(); }
  int set_number(std::int64_t name, std::uint32_t value) {
    return port_->set_option(retry_control::option_names()[static_cast<std::size_t>(name)], value) ? 0 : 1;
  }
  int set_saved(std::optional<std::uint32_t> wait, std::optional<std::uint32_t> jitter) {
    return port_->set_options({wait, jitter}) ? 0 : 1;
  }
  std::optional<retry_control::options> retrieve() {
    auto const all = port_->retrieve_options();
    if (!all) return std::nullopt;
    if (!all->initial_wait_time_in_secs || !all->max_jitter_percent)
      throw std::invalid_argument("retrieve_options: expected both options");
    return retry_control::options{*all->initial_wait_time_in_secs, *all->max_jitter_percent};
  }
  void destroy() {}  // as its destructor does it
  int timeout(std::int64_t start, std::uint32_t secs, bool& out) {
    auto const reached = port_->is_timeout_reached(start, secs);
    out = reached.value_or(false);
    return reached ? 0 : 1;
  }

 private:
  control::port* port_;
};

}  // namespace

judgement azure_c_retry_control::judge(maker const& make, options const& how) {
  auto const& s = azure_c_retry_control_shape;
  auto const play = [&](history const& h) {
    std::array<script, instances_max> worlds;
    auto const call = [&](port& p, step const& at, answer& a) {
      auto& world = worlds[at.on].world;
      world.begin(at);
      asked calls(p);
      a = retry_control::one_answer(calls, world, at);
      a[retry_control::model::field_live] = {};
    };
    return play_on(s, h, [&](std::size_t i) { return make({worlds[i]}); }, call);
  };
  return judge_in_process(s, play, how, bit(feature::clock_script));
}

}  // namespace backoff::systems
