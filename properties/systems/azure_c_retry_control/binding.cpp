// Binds the model of iothub_client_retry_control and its claims to the judge. After each answer the model learns from
// it which waits are still possible.
#include <algorithm>
#include <optional>
#include <tuple>

#include "histories/systems.hpp"
#include "judge/drawn.hpp"
#include "judge/explorer.hpp"
#include "systems/azure_c_retry_control/claims.hpp"
#include "systems/azure_c_retry_control/history.hpp"

namespace backoff::systems {
namespace {

namespace model = spec::azure_c_retry_control;
namespace calls = systems::azure_c_calls;

bool acted(answer const& port, model::action what) noexcept {
  return port[model::field_action] == observed::word(static_cast<std::uint8_t>(what));
}

constexpr spec::integer seconds_top = 0xffff'ffff;

// A drawn wait that is not over yet: seconds as they are before rounding, every one as likely, and by how many seconds
// more an elapsed second counts under the rounding: a wait is over once its rounded seconds have passed, and none is
// longer than 2^32 - 1 of them.
struct drawn_wait {
  double low;
  double length;
  double rounding;
  std::uint32_t attempt;
  double is_over_until = 0;  // P(it would have been over by now), as it is not

  // P(it is over after so many seconds).
  [[nodiscard]] double over_after(spec::integer secs) const noexcept {
    if (secs >= seconds_top) return 1;
    double const part = (static_cast<double>(secs) + rounding - low) / length;
    return std::max(std::clamp(part, 0.0, 1.0), is_over_until);
  }
  // Whether that leaves a part of the wait too small to be told: RAND_MAX may be 32,767, so that small parts are not as
  // likely as they are long.
  [[nodiscard]] bool leaves_too_little(double over) const noexcept {
    constexpr double least = 1.0 / 64;
    return over < 1 && (1 - over < least || (over > is_over_until && over - is_over_until < least));
  }
  // That it ended between now and then; nothing where that is no news.
  [[nodiscard]] std::optional<drawn_part> ended_by(double upto) const noexcept {
    if (is_over_until >= upto || upto - is_over_until >= 1) return {};
    auto const cells = std::min(length, static_cast<double>(calls::sampled_cells));
    return drawn_part{is_over_until, upto, 0, 0, 0, static_cast<std::uint64_t>(cells), attempt};
  }
};

// The wait that a retry has drawn, where it has and its window is known.
std::optional<drawn_wait> wait_of(model::state const& s, spec::integer retries, spec::chooser& readings) {
  bool const jitters = s.policy == model::policy::exponential_backoff_with_jitter;
  if (!jitters && s.policy != model::policy::random) return {};
  if (readings.choose<model::quotients>(model::reading::quotients) != model::quotients::real) return {};
  if (s.initial_wait.low != s.initial_wait.high) return {};
  constexpr std::array added{1.0, 0.5, 0.0};  // truncate, nearest, ceil
  auto const how = static_cast<std::size_t>(readings.choose<model::wait_rounding>(model::reading::wait_rounding));
  auto const& possible = (s.if_granted ? s.if_granted->wait : s.at.wait);
  auto const attempt = attempt_after(retries);
  if (!jitters) return drawn_wait{0, static_cast<double>(s.initial_wait.low), added[how], attempt};
  bool const is_known = possible.low < seconds_top && s.max_jitter.low == s.max_jitter.high && s.max_jitter.low != 0;
  if (!is_known) return {};
  bool const is_halved = retries == 0 && readings.choose<model::count_origin>(model::reading::count_origin) !=
                                             model::count_origin::one;  // and rounded, where it is odd
  bool const is_cut = possible.high == seconds_top;
  if (is_halved || (is_cut && readings.choose<model::overflow>(model::reading::overflow) != model::overflow::saturates))
    return {};
  auto const low = static_cast<double>(possible.low);
  return drawn_wait{low, low * static_cast<double>(s.max_jitter.low) / 100, added[how], attempt};
}

bool is_last_of_its_instance(history const& h, std::size_t i) noexcept {
  return std::none_of(h.steps.begin() + static_cast<std::ptrdiff_t>(i) + 1, h.steps.end(),
                      [&](step const& s) { return s.on == h.steps[i].on; });
}

struct binding {
  struct state {
    model::state at;
    bool polled = false;
    std::optional<drawn_wait> waits;  // by draw_told alone, whose states are never compared
    friend bool operator==(state const& a, state const& b) noexcept {
      return std::tie(a.at, a.polled) == std::tie(b.at, b.polled);
    }
  };
  using facts = azure_c_retry_control_facts;
  struct outcome {
    spec::expectation answer;
    binding::facts facts;
  };

  static histories::shape const& shape() noexcept { return azure_c_retry_control_shape; }
  static spec::reading_table const& readings() noexcept { return model::readings(); }
  static std::vector<spec::cube> assignments(spec::draw_kind draws) { return model::assignments(draws); }
  static auto claims() noexcept { return azure_c_retry_control_claims(); }

  static state start(history const&) { return {}; }

  static outcome step(history const& h, std::size_t i, state& s, draw_source const& draws, spec::chooser& readings) {
    auto taken = calls::take(h.steps[i], draws, s.at, readings);
    return {std::move(taken.answer), {taken.facts, s.polled}};
  }

  static void observe(state& s, answer const& port) {
    if (port[model::field_action].kind == observed_kind::keyword) s.polled = acted(port, model::action::retry_later);
    model::observe(s.at, port);
  }

  // A drawn wait shows as the time between the last RETRY_LATER and RETRY_NOW, or as longer than the last of them where
  // no other call asks for it.
  static std::optional<drawn_part> draw_told(history const& h, std::size_t i, state& s, outcome const& o,
                                             answer const& port, spec::chooser& readings) {
    std::optional<drawn_part> part;
    bool const granted = acted(port, model::action::retry_now);
    if (s.waits) {
      bool const waits = acted(port, model::action::retry_later);
      double const over = s.waits->over_after(o.facts.elapsed_secs);
      // Which of both it was must not decide whether the wait is told.
      bool const is_too_little = (granted || waits) && s.waits->leaves_too_little(over);
      bool const ends = is_too_little || h.steps[i].op != calls::should_retry || is_last_of_its_instance(h, i);
      if (waits && !is_too_little) s.waits->is_over_until = over;
      if (granted && !is_too_little) {
        part = s.waits->ended_by(over);
      } else if (ends) {
        part = s.waits->ended_by(1);
        s.waits.reset();
      }
    }
    if (granted) s.waits = wait_of(s.at, o.facts.retry_count, readings);
    return part;
  }
};

}  // namespace

judged_system const* azure_c_retry_control_judged() { return new explorer<binding>; }

}  // namespace backoff::systems
