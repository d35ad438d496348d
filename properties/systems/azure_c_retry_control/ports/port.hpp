// What every port of retry control in this process shares: surroundings in which a history scripts each reading, draw
// and failure, and answers as the shape has them. A port brings the functions of the document.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "systems/azure_c_retry_control/history.hpp"

namespace backoff::conformance::retry_control {

namespace model = spec::azure_c_retry_control;
using namespace azure_c_retry_control;

// The surroundings of one instance: those of the call at hand, and what the calls before have left allocated.
class scripted {
 public:
  void begin(step const& s) noexcept {
    call_ = &s;
    reads = 0;
    ticks = 0;
    draws = 0;
  }
  [[nodiscard]] bool fails(fail_word w) const noexcept { return (fails_of(*call_) & w) != 0; }
  [[nodiscard]] bool is_null(null_word w) const noexcept { return (nulls_of(*call_) & w) != 0; }

  // The last reading repeats.
  [[nodiscard]] std::int64_t get_time() noexcept { return reading(reads++); }
  // The same script once more, for a clock of its own: who reads both is given each in its order.
  [[nodiscard]] std::int64_t get_ticks() noexcept { return reading(ticks++); }
  // A call that carries no draw is served 0.
  [[nodiscard]] std::uint32_t rand() noexcept {
    ++draws;
    return call_->op == should_retry ? static_cast<std::uint32_t>(call_->args[draw_at].n) : 0U;
  }

  // Of the clock; of the ticks where a port knows no other clock.
  [[nodiscard]] spec::integer clock_reads() const noexcept { return reads != 0 ? reads : ticks; }

  spec::integer reads = 0;
  spec::integer ticks = 0;
  spec::integer draws = 0;
  spec::integer live = 0;

 private:
  [[nodiscard]] std::int64_t reading(spec::integer number) const noexcept {
    bool const timeout = call_->op == is_timeout_reached;
    std::size_t at = timeout ? timeout_clock_at : clock_at;
    std::size_t const end = at + (timeout ? timeout_readings_max : readings_max);
    for (spec::integer i = 0; i < number && at + 1 < end && call_->args[at + 1].is != value::kind::absent; ++i) ++at;
    return call_->args[at].n;
  }

  step const* call_ = nullptr;
};

struct options {
  std::uint32_t initial_wait;
  std::uint32_t max_jitter;
};

inline observed number(std::int64_t n) noexcept { return observed::of(static_cast<spec::integer>(n)); }
inline observed word(model::status s) noexcept { return observed::word(static_cast<std::uint8_t>(s)); }

// Port(scripted&) has create, should_retry, reset, set_number, set_saved, retrieve, destroy and timeout, as
// plain_retry_control.hpp has them.
template <class Port>
answer one_answer(Port& port, scripted& world, step const& s) {
  answer a;
  a[model::field_status] = word(model::status::answered);
  auto const u32 = [&](std::size_t i) { return static_cast<std::uint32_t>(s.args[i].n); };
  switch (s.op) {
    case create: {
      bool const made = port.create(static_cast<model::policy>(s.args[policy_at].n), u32(limit_at));
      a[model::field_status] = word(made ? model::status::ok : model::status::null);
      break;
    }
    case should_retry: {
      auto what = model::action::stop_retrying;
      int const failed = port.should_retry(what);
      a[model::field_result] = number(failed);
      if (failed == 0) a[model::field_action] = observed::word(static_cast<std::uint8_t>(what));
      a[model::field_clock_reads] = observed::of(world.clock_reads());
      a[model::field_draws_used] = observed::of(world.draws);
      break;
    }
    case set_option: {
      auto const saved = [&](std::size_t i) -> std::optional<std::uint32_t> {
        if (s.args[i].is == value::kind::absent) return std::nullopt;
        return u32(i);
      };
      bool const feeds = option_of(s) == model::option::retry_control_options;
      a[model::field_result] = number(feeds ? port.set_saved(saved(saved_wait_at), saved(saved_jitter_at))
                                            : port.set_number(s.args[name_at].n, u32(number_at)));
      break;
    }
    case retrieve_options:
      if (auto const all = port.retrieve()) {
        a[model::field_initial_wait] = number(all->initial_wait);
        a[model::field_max_jitter] = number(all->max_jitter);
      }
      break;
    case is_timeout_reached: {
      bool out = false;
      int const failed = port.timeout(s.args[start_at].n, u32(timeout_at), out);
      a[model::field_result] = number(failed);
      if (failed == 0) a[model::field_timed_out] = observed::word(out ? 1 : 0);
      a[model::field_clock_reads] = observed::of(world.clock_reads());
      break;
    }
    case reset:
      port.reset();
      a[model::field_status] = word(model::status::ok);
      break;
    default:
      port.destroy();
      a[model::field_status] = word(model::status::ok);
  }
  a[model::field_live] = observed::of(world.live);
  return a;
}

template <class Port>
std::vector<answer> run(history const& h) {
  std::array<scripted, instances_max> worlds;
  std::array<Port, instances_max> ports{Port(worlds[0]), Port(worlds[1]), Port(worlds[2])};
  std::vector<answer> answers;
  for (auto const& s : h.steps) {
    worlds[s.on].begin(s);
    answers.push_back(one_answer(ports[s.on], worlds[s.on], s));
  }
  return answers;
}

}  // namespace backoff::conformance::retry_control
