#include "systems/azure_c_retry_control/history_played.hpp"

namespace backoff::systems::azure_c_calls {

std::int64_t later(std::int64_t t, std::int64_t secs) noexcept {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(t, secs, &sum)) return sum;
  return secs < 0 ? time_min : time_max;
}

step made(model::policy which, std::int64_t limit) {
  return {create, 0, {value::word(static_cast<std::int64_t>(which)), value::of(limit)}};
}
step set(model::option name, std::int64_t number) {
  return {set_option, 0, {value::word(static_cast<std::int64_t>(name)), value::of(number)}};
}
step asked_at(std::int64_t reading, std::int64_t draw) {
  step s{should_retry, 0, {value::of(reading)}};
  s.args[draw_at] = value::of(draw);
  return s;
}

std::vector<step> made_with(model::policy which, std::int64_t limit, std::int64_t initial_wait,
                            std::int64_t max_jitter) {
  return {made(which, limit), set(model::option::initial_wait_time_in_secs, initial_wait),
          set(model::option::max_jitter_percent, max_jitter)};
}

void played::advance(step const& s, random_bits& random) {
  std::vector<spec::cube> elsewhere;
  spec::chooser readings(model::readings(), model::readings().admitting(spec::standing::canonical), elsewhere);
  auto& at = states_[s.on];
  auto const o = take(s, draws_, at, readings);
  answer a;
  a[model::field_result] = observed::of(o.facts.fails ? 1 : 0);
  bool const is_later = o.facts.may_wait && (!o.facts.may_grant || random.one_in(2));
  a[model::field_action] = observed::word(is_later ? 1 : 0);
  model::observe(at, a);
  if (s.op == should_retry && s.args[clock_at].n != -1) reading_ = s.args[clock_at].n;
}

}  // namespace backoff::systems::azure_c_calls
