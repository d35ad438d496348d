#include "aws_backoff_algorithm/model.hpp"

#include <algorithm>
#include <array>

namespace backoff::spec::aws_backoff_algorithm {
namespace {

constexpr reading_table table{all_readings};

constexpr full_jitter_readings jitter_readings{
    static_cast<unsigned>(reading::upper_bound), static_cast<unsigned>(reading::empty_window),
    static_cast<unsigned>(reading::draw_mapping), static_cast<unsigned>(reading::delay_resolution)};

integer grown(integer window, integer cap, window_growth how) {
  if (how == window_growth::min) return std::min(2 * window, cap);
  return window < cap / 2 ? 2 * window : cap;
}

// Exhaustion is reported by the call after the last granted one, or (hazard) already by that one.
bool exhausts(parameters const& p, state const& s, chooser& readings) {
  if (!p.max_attempts) return false;
  if (s.retries >= *p.max_attempts) return true;
  if (s.retries + 1 < *p.max_attempts) return false;
  return readings.choose<exhaustion_call>(reading::exhaustion_call) == exhaustion_call::n;
}

}  // namespace

reading_table const& readings() noexcept { return table; }

std::vector<cube> assignments(draw_kind draws) { return consistent_assignments(table, jitter_readings, draws); }

integer window(parameters const& p, integer retries, chooser& readings) {
  bool const from_one = readings.choose<attempt_origin>(reading::attempt_origin) == attempt_origin::one;
  integer window = p.base_ms;
  if (p.base_ms > p.max_ms && readings.choose<first_window>(reading::first_window) == first_window::capped) {
    window = p.max_ms;
  }
  for (integer n = from_one ? retries + 1 : retries; n > 0; --n) {
    integer const next = grown(window, p.max_ms, readings.choose<window_growth>(reading::window_growth));
    if (next == window) return window;
    window = next;
  }
  return window;
}

outcome next(parameters const& p, state& s, draw const& from, chooser& readings) {
  outcome result;
  facts& f = result.facts;
  f.limited = p.max_attempts.has_value();
  f.after_reset = s.after_reset;
  f.retries = s.retries;
  f.limit = p.max_ms;
  if (exhausts(p, s, readings)) {
    f.announces = !s.exhausted;
    s.exhausted = true;
    result.answer[field_status] = admissible::word(static_cast<std::uint8_t>(status::exhausted));
    return result;
  }
  f.grants = true;
  f.window = window(p, s.retries, readings);
  f.at_cap = f.window == p.max_ms;
  f.limit = std::max(f.window, p.max_ms);
  result.answer[field_status] = admissible::word(static_cast<std::uint8_t>(status::retry));
  result.answer[field_delay] = full_jitter(f.window, from, readings, jitter_readings);
  if (result.answer[field_delay].kind() == admissible_kind::unjudged)
    result.answer[field_status] = admissible::unjudged();
  ++s.retries;
  return result;
}

outcome reset(state& s) {
  s = state{0, false, true};
  outcome result;
  result.answer[field_status] = admissible::word(static_cast<std::uint8_t>(status::ok));
  return result;
}

}  // namespace backoff::spec::aws_backoff_algorithm
