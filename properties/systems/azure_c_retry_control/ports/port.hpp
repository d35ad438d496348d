// What every port of retry control in this process shares: surroundings in which a history scripts each reading, draw
// and failure, and answers as the shape has them. A port brings the functions of the document.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "systems/azure_c_retry_control/history.hpp"

namespace backoff::systems::retry_control {

namespace model = spec::azure_c_retry_control;
using namespace azure_c_calls;

// What the call scripts of the clock; nothing where it does not read one.
inline std::span<value const> readings_of(step const& s) noexcept {
  if (s.op != should_retry && s.op != is_timeout_reached) return {};
  bool const retries = s.op == should_retry;
  auto const all =
      std::span(s.args).subspan(retries ? clock_at : timeout_clock_at, retries ? readings_max : timeout_readings_max);
  std::size_t given = 1;
  while (given < all.size() && all[given].kind != value_kind::absent) ++given;
  return all.first(given);
}

// The surroundings of one instance: those of the call at hand, and what the calls before have left allocated.
class scripted {
 public:
  void begin(step const& s) {
    call_ = &s;
    reads = 0;
    days_ = 0;
    ticks_ = 0;
    is_told_ = true;
    draws = 0;
  }
  [[nodiscard]] bool fails(fail_bit w) const noexcept { return (fails_of(*call_) & w) != 0; }
  [[nodiscard]] bool is_null(null_bit w) const noexcept { return (nulls_of(*call_) & w) != 0; }

  // The last reading repeats.
  [[nodiscard]] std::int64_t get_time() noexcept { return reading(reads++); }
  // The same script for clocks beside that one, which run with it: a port that reads several is given each in its
  // order, and none behind the first.
  [[nodiscard]] std::int64_t time_of_day() noexcept {
    is_told_ = false;
    return reading(std::max(days_++, reads - 1));
  }
  [[nodiscard]] std::int64_t ticks() noexcept {
    auto const r = reading(std::max(ticks_++, reads - 1));
    is_told_ &= r != -1;
    return r;
  }
  // A call that carries no draw is served 0.
  [[nodiscard]] std::uint32_t rand() {
    ++draws;
    return call_->op == should_retry ? static_cast<std::uint32_t>(call_->args[draw_at].n) : 0U;
  }

  // Not told of a call that never read the clock, where it read the time of day by the system's name for it, maybe for
  // a seed, or where a clock failed before.
  [[nodiscard]] observed clock_reads() const noexcept {
    return reads == 0 && !is_told_ ? observed{} : observed::of(reads);
  }

  spec::integer reads = 0;
  spec::integer draws = 0;
  spec::integer live = 0;

 private:
  [[nodiscard]] std::int64_t reading(spec::integer number) const noexcept {
    auto const all = readings_of(*call_);
    return all[std::min(static_cast<std::size_t>(number), all.size() - 1)].n;
  }

  step const* call_ = nullptr;
  spec::integer days_ = 0;
  spec::integer ticks_ = 0;
  bool is_told_ = true;
};

struct options {
  std::uint32_t initial_wait;
  std::uint32_t max_jitter;
};

inline observed number(std::int64_t n) noexcept { return observed::of(static_cast<spec::integer>(n)); }
inline observed word(model::status s) { return observed::word(static_cast<std::uint8_t>(s)); }

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
      a[model::field_clock_reads] = world.clock_reads();
      a[model::field_draws_used] = observed::of(world.draws);
      break;
    }
    case set_option: {
      auto const saved = [&](std::size_t i) -> std::optional<std::uint32_t> {
        if (s.args[i].kind == value_kind::absent) return std::nullopt;
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
      a[model::field_clock_reads] = world.clock_reads();
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

struct crash {};  // or an exception in other languages

// Up to the call that crashes.
template <class Port>
std::vector<answer> run(history const& h) {
  std::array<scripted, instances_max> worlds;
  std::array<Port, instances_max> ports{Port(worlds[0]), Port(worlds[1]), Port(worlds[2])};
  std::vector<answer> answers;
  try {
    for (auto const& s : h.steps) {
      worlds[s.on].begin(s);
      answers.push_back(one_answer(ports[s.on], worlds[s.on], s));
    }
  } catch (crash const&) {
    answers.push_back({word(model::status::error)});
  }
  return answers;
}

}  // namespace backoff::systems::retry_control
