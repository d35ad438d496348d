#include "explain/documented.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "explain/delay_cycles.hpp"
#include "judge/nearest_decimal.hpp"

namespace backoff::explain {

bool alike(double a, double b) noexcept {
  return a == b || std::abs(a - b) <= std::ldexp(std::max(std::abs(a), std::abs(b)), -40);
}

bool alike(answer const& a, answer const& b) noexcept {
  return std::ranges::equal(a, b, [](observed const& x, observed const& y) {
    bool const same_kind = x.kind == y.kind;
    return same_kind && alike(encoded(x), encoded(y));
  });
}

bool alike(std::span<answer const> a, std::span<answer const> b) noexcept {
  return std::ranges::equal(a, b, [](answer const& x, answer const& y) { return alike(x, y); });
}

bool draws_for_itself(run const& judged) noexcept {
  return judged.system().shape().has_draws() && judged.about().takes.draws.kind == spec::draw_kind::hidden;
}

bool is_declared(judged_system const& system) { return std::ranges::count(judged_systems(), &system) == 0; }

std::optional<answer> says_exhausted(shape const& s) {
  auto const words = s.answers.front().words;
  auto const word = std::ranges::find(words, "exhausted");
  if (word == words.end()) return std::nullopt;
  return answer{observed::word(static_cast<std::uint8_t>(word - words.begin()))};
}

void cut_behind_error(shape const& s, std::vector<answer>& all) {
  auto const error = std::ranges::find(all, observed::word(s.error_word), [](answer const& a) { return a[0]; });
  if (error != all.end()) all.erase(error + 1, all.end());
}

std::vector<std::int64_t> attempts_of(shape const& s, history const& h) {
  auto const reset = s.find_operation("reset");
  std::array<std::int64_t, instances_max> now{};
  std::vector<std::int64_t> all;
  for (auto const& step : h.steps) {
    if (reset && step.op == *reset) now[step.on] = 0;
    all.push_back(step.op == 0 ? ++now[step.on] : 0);
  }
  return all;
}

double encoded(observed const& o) noexcept {
  if (o.kind == observed_kind::absent) return absent;
  if (o.kind == observed_kind::not_a_number) return no_number;
  if (o.kind == observed_kind::keyword) return o.keyword;
  return static_cast<double>(o.value.mantissa) * std::pow(10.0, o.value.exponent);
}

std::vector<answer> without_resets(history const& h, documented& document) {
  auto all = document.answers(h);
  auto const reset = document.shape().find_operation("reset");
  if (!reset) return all;
  std::array<bool, instances_max> begun{};
  std::vector<bool> is_made;
  auto calls = h;
  calls.steps.clear();
  std::vector<answer> port;
  for (std::size_t i = 0; i < h.steps.size(); ++i) {
    auto const& s = h.steps[i];
    is_made.push_back(s.op != *reset || !begun[s.on]);
    begun[s.on] = true;
    if (!is_made.back()) continue;
    calls.steps.push_back(s);
    auto const* const got = document.of_the_port(i);
    if (got != nullptr && port.size() + 1 == calls.steps.size()) port.push_back(*got);
  }
  auto ranges = document.ranges();
  auto const rest = document.answers(calls, port);
  std::size_t next = 0;
  for (std::size_t i = 0; i < all.size() && next < rest.size(); ++i) {
    if (!is_made[i]) continue;
    if (i < ranges.size() && next < document.ranges().size()) ranges[i] = document.ranges()[next];
    all[i] = rest[next++];
  }
  document.set_ranges(std::move(ranges));
  return all;
}

observed real(double x) {
  if (std::abs(x) < 9e15 && x == std::floor(x)) return observed::of(static_cast<std::int64_t>(x));
  auto exponent = static_cast<std::int32_t>(std::floor(std::log10(std::abs(x)))) - 16;
  auto const mantissa = static_cast<std::int64_t>(std::llround(x / std::pow(10.0, exponent)));
  return observed::of(spec::decimal{mantissa, exponent, false});
}

namespace {

drawn_range range_of(spec::admissible const& delay) {
  auto const ends = ends_of(delay);
  if (!ends) return {};
  bool const is_lattice = delay.kind() == spec::admissible_kind::lattice;
  return {ends->first, ends->second, is_lattice ? static_cast<double>(delay.step()) : 0};
}

// The upper end of an interval, or of two numbers; nothing where it has none.
std::optional<observed> largest_of(spec::admissible const& a) {
  if (a.kind() != spec::admissible_kind::interval && a.kind() != spec::admissible_kind::either) return {};
  return observed::of(nearest_decimal(a.ends().high));
}

}  // namespace

documented::documented(run const& judged, spec::cube assignment)
    : judged_(&judged), assignment_(assignment), examiner_(judged.system()) {
  auto const& table = judged.system().readings();
  auto const is = [&](std::string_view reading, std::string_view alternative) {
    auto const r = table.find(reading);
    auto const a = r ? table.find(*r, alternative) : std::nullopt;
    return a && (assignment.bits & table.bit(*r, *a)) != 0;
  };
  using enum spec::draw_mapping;
  auto const rule_of = [&](std::string_view reading, std::string_view bound) -> draw_rule {
    bool const excludes_end = is(bound, "exclusive");
    if (is(reading, "modulo")) return {modulo, excludes_end};
    if (is(reading, "scaled")) return {scaled, excludes_end};
    if (is(reading, "divided")) return {divided, excludes_end};
    return {real, excludes_end};
  };
  sleep_ = rule_of("draw-mapping", "upper-bound");
  reset_ = rule_of("jitter-mapping", "jitter-bound");
}

std::vector<answer> documented::answers(history const& h) {
  if (h != asked_ || answered_.empty()) {
    answered_ = answers(h, examiner_);
    answered_ranges_ = ranges_;
    asked_ = h;
  }
  ranges_ = answered_ranges_;
  return answered_;
}

std::vector<answer> documented::answers(history const& h, std::span<answer const> port) {
  auto const own = std::exchange(port_, port);
  auto all = answers(h, examiner_);
  port_ = own;
  return all;
}

std::vector<answer> documented::answers(history const& h, examiner& variant) {
  auto const& takes = judged_->about().takes;
  random_bits random(1);
  ranges_.clear();
  // Of several admitted answers the port's, if it is one of them; otherwise the largest number, because a port computes
  // that before its fault changes it.
  auto const choose = [&](std::size_t step, spec::expectation const& admitted) {
    auto chosen = play(admitted, random);
    if (draws_for_itself(*judged_)) ranges_.push_back(range_of(admitted[shape().delay]));
    for (std::size_t i = 0; i < admitted.size(); ++i) {
      if (step < port_.size() && admitted[i].admits(port_[step][i])) {
        chosen[i] = port_[step][i];
      } else if (auto const most = largest_of(admitted[i])) {
        chosen[i] = *most;
      }
    }
    return chosen;
  };
  auto all = variant.play(h, takes.draws, assignment_, choose).answers;
  // After a call that may be answered in any way, nothing is judged. In a variant of a policy there is no such call:
  // the answers end where its formula has no value. What a port makes of a number that some type cannot hold is no part
  // of its fault.
  auto const error = observed::word(shape().error_word);
  bool is_open = true;
  if (is_declared(judged_->system())) {
    auto const at = first_too_large(all);
    is_open = at < port_.size() && is_too_large(port_[at]);
    if (is_open) all.resize(std::min(all.size(), at));
  }
  if (fills_up_ && is_open && (all.empty() || all.back()[0] != error)) {
    for (auto i = all.size(); i < std::min(port_.size(), h.steps.size()); ++i) all.push_back(port_[i]);
  }
  for (std::size_t i = 0; i < shape().answers.size(); ++i) {
    auto const& field = shape().answers[i];
    bool const is_lacking = field.needs && !takes.offers(*field.needs);
    for (std::size_t step = 0; step < all.size(); ++step) {
      bool const is_untold = field.optional && step < port_.size() && port_[step][i].kind == observed_kind::absent;
      if (is_lacking || is_untold) all[step][i] = {};
    }
  }
  return all;
}

bool documented::is_too_large(answer const& a) const noexcept {
  constexpr double held_by_all = 0x7fff'ffff;
  auto const& delay = a[shape().delay];
  bool const fails = a[0] == observed::word(shape().error_word) || delay.kind == observed_kind::not_a_number;
  return fails || encoded(delay) >= held_by_all;
}

// The first answer that is too large and differs from the port's; the end where there is none.
std::size_t documented::first_too_large(std::span<answer const> all) const noexcept {
  std::size_t at = 0;
  while (at < all.size() && (!is_too_large(all[at]) || at >= port_.size() || alike(all[at], port_[at]))) ++at;
  return at;
}

double documented::mapped(std::uint64_t draw, double window, draw_rule how) const noexcept {
  constexpr double longest = 0x1p61;  // far beyond every cap
  auto const whole = std::floor(std::min(window, longest));
  if (whole <= 0) return 0;
  auto const size = judged_->about().takes.draws.size;
  auto const values = whole + (how.excludes_end ? 0 : 1);
  auto const u = static_cast<double>(draw) / static_cast<double>(size);
  if (how.maps == spec::draw_mapping::modulo) return std::fmod(static_cast<double>(draw), values);
  if (how.maps == spec::draw_mapping::scaled) return std::floor(u * values);
  if (how.maps == spec::draw_mapping::divided) {
    auto const quotient = draw / ((size - 1) / static_cast<std::uint64_t>(values) + 1);
    return static_cast<double>(quotient);
  }
  return u * whole;
}

}  // namespace backoff::explain
