// Retry control, wrong from some attempt on. No answer shows its waits, so that its plain port is changed within.
#include "ports/late.hpp"

#include "azure_c_retry_control/page.hpp"
#include "systems/azure_c_retry_control/ports/documented.hpp"

namespace backoff::systems {
namespace {

namespace page = pages::azure_c_retry_control;
using namespace retry_control;

class late_control final : public reference_port {
 public:
  late_control(scripted& world, late_fault const& f) : reference_port(world), fault_(&f) {}

  int should_retry(model::action& what) override {
    if (fault_->kind == late_kind::error && count >= fault_->from) return 1;
    return reference_port::should_retry(what);
  }

 protected:
  // The wait after retry `count`.
  std::uint64_t next_wait() override {
    auto const before = wait;
    auto const documented = reference_port::next_wait();
    if (count < fault_->from) return documented;
    if (fault_->kind == late_kind::zero) return 0;
    if (fault_->kind == late_kind::cap) return u32_max;
    if (fault_->kind == late_kind::half) return documented / 2;
    return fault_->kind == late_kind::previous ? before : documented;
  }
  bool is_over(std::int64_t now) override {
    auto limit = max_retry_time;
    if (count >= fault_->from && fault_->kind == late_kind::one_less && limit > 1) --limit;
    if (count >= fault_->from && fault_->kind == late_kind::one_more && limit < u32_max) ++limit;
    return limit != 0 && elapsed(first, now, limit);
  }

 private:
  late_fault const* fault_;
};

std::vector<answer> run(history const& h, late_fault const& f, built_in const&) {
  std::array<scripted, instances_max> worlds;
  std::array<late_control, instances_max> ports{late_control(worlds[0], f), late_control(worlds[1], f),
                                                late_control(worlds[2], f)};
  std::vector<answer> answers;
  for (auto const& s : h.steps) {
    worlds[s.on].begin(s);
    answers.push_back(one_answer(ports[s.on], worlds[s.on], s));
  }
  return answers;
}

// The last option that was set before anything was asked: where a policy waits by a number of the caller's.
std::int64_t option_set(history const& h, std::int64_t name) {
  std::int64_t found = 0;
  for (auto const& s : h.steps) {
    if (s.op == azure_c_calls::set_option && s.args[azure_c_calls::name_at].n == name)
      found = s.args[azure_c_calls::number_at].n;
  }
  return found;
}

constexpr late_region regions[] = {
    everywhere,
    {"wide-wait", "an initial wait beyond 16 bits",
     [](history const& h) { return option_set(h, page::name_word::initial_wait_time_in_secs) > u16_max; }},
    {"odd-percent", "a jitter of other than whole tenths",
     [](history const& h) { return option_set(h, page::name_word::max_jitter_percent) % 10 != 0; }},
};

}  // namespace

late_ports azure_c_retry_control_late_ports() { return {regions, "library", run}; }

}  // namespace backoff::systems
