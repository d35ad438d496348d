// Retry control in plain integers, every decision replaceable: what the right and the wrong ports are made of. Shares
// nothing with the library or the model.
#pragma once

#include <algorithm>

#include "ports/built_in.hpp"
#include "systems/azure_c_retry_control/ports/port.hpp"

namespace backoff::systems::retry_control {

__extension__ using u128 = unsigned __int128;

inline constexpr std::uint64_t seconds_max = 0xffff'ffff;
inline constexpr std::uint64_t rand_max = 0xffff'ffff;  // of the draws of u32

// A wait before it is rounded.
struct quotient {
  u128 over;
  u128 under;
};

// As documented, in the canonical readings; a port replaces what it does differently.
class reference_port {
 public:
  reference_port() = default;
  explicit reference_port(scripted& world) : world_(&world) {}
  reference_port(reference_port const&) = delete;
  virtual ~reference_port() = default;

  // ---- The functions of the document ----

  bool create(model::policy which, std::uint32_t limit) {
    if (world_->fails(fail_malloc)) return without_memory();
    world_->live += 1;
    exists = true;
    policy = which;
    max_retry_time = limit;
    set_defaults();
    clear();
    return true;
  }

  virtual int should_retry(model::action& what) {
    if (is_null() || world_->is_null(null_action)) return refused();
    if (policy == model::policy::none) return none(what);
    auto const first_before = first;
    if (!has(first)) {
      first = world_->get_time();
      if (!has(first)) return 1;
    }
    if (int const failed = evaluate(what); failed != 0) return failed;
    if (what != model::action::retry_now) return 0;
    ++count;
    if (policy == model::policy::immediate) return 0;
    last = world_->get_time();
    if (!has(last)) return unnoted(first_before);
    wait = next_wait();
    return 0;
  }

  virtual void reset() {
    if (!is_null()) clear();
  }

  int set_number(std::int64_t name, std::uint32_t value) {
    if (is_null() || world_->is_null(null_name) || world_->is_null(null_value)) return refused();
    switch (known(name)) {
      case model::option::initial_wait_time_in_secs:
        return set_wait(value);
      case model::option::max_jitter_percent:
        return set_jitter(value);
      default:
        return unknown();
    }
  }
  virtual int set_saved(std::optional<std::uint32_t> new_wait, std::optional<std::uint32_t> new_jitter) {
    if (is_null() || world_->is_null(null_name) || world_->is_null(null_value)) return refused();
    if (world_->fails(fail_option_feed)) return feed_failed();
    if (new_wait && set_wait(*new_wait) != 0) return 1;
    return new_jitter ? set_jitter(*new_jitter) : 0;
  }
  virtual std::optional<options> retrieve() {
    if (is_null() || world_->fails(fail_option_create) || world_->fails(fail_option_add)) return std::nullopt;
    return options{initial, jitter};
  }
  virtual void destroy() {
    if (is_null()) return;
    exists = false;
    --world_->live;
  }
  virtual int timeout(std::int64_t start, std::uint32_t secs, bool& out) {
    if (world_->is_null(null_out)) return refused();
    if (!has(start)) return 1;
    auto const now = world_->get_time();
    if (!has(now)) return 1;
    out = elapsed(start, now, secs);
    return 0;
  }

 protected:
  // ---- What it is made of ----

  virtual bool without_memory() { return false; }
  virtual int refused() { return 1; }
  virtual int none(model::action& what) {
    what = model::action::stop_retrying;
    return 0;
  }
  // The clock failed when a retry was granted.
  virtual int unnoted(std::int64_t first_before) {
    static_cast<void>(first_before);
    return 1;
  }
  virtual int evaluate(model::action& what) {
    bool const immediate = policy == model::policy::immediate;
    what = model::action::retry_now;
    if (count == 0) return 0;
    if (!has(last) && !immediate) return 1;
    auto const now = world_->get_time();
    if (!has(now)) return 1;
    what = decide(now);
    return 0;
  }
  virtual model::action decide(std::int64_t now) {
    if (is_over(now)) return model::action::stop_retrying;
    if (policy == model::policy::immediate || elapsed(last, now, wait)) return model::action::retry_now;
    return model::action::retry_later;
  }
  virtual bool is_over(std::int64_t now) { return max_retry_time != 0 && elapsed(first, now, max_retry_time); }
  virtual bool elapsed(std::int64_t since, std::int64_t now, std::uint64_t secs) {
    return now >= since && static_cast<std::uint64_t>(now) - static_cast<std::uint64_t>(since) >= secs;
  }

  virtual std::uint64_t next_wait() {
    using enum model::policy;
    if (policy == interval) return initial;
    if (policy == linear_backoff) return capped(linear(count));
    if (policy == random) return rounded(part());
    auto const base = capped(doubled());
    return policy == exponential_backoff ? base : capped(rounded(jittered(base)));
  }
  virtual std::uint64_t linear(std::uint64_t n) { return initial * n; }
  virtual std::uint64_t doubled() { return std::uint64_t{initial} << std::min<std::uint64_t>(count - 1, 32); }
  virtual quotient part() { return {u128{initial} * world_->rand(), rand_max}; }
  virtual quotient jittered(std::uint64_t base) {
    return {u128{base} * (100 * rand_max + std::uint64_t{jitter} * world_->rand()), 100 * rand_max};
  }
  virtual std::uint64_t rounded(quotient const& x) { return static_cast<std::uint64_t>(x.over / x.under); }
  virtual std::uint64_t capped(std::uint64_t secs) { return std::min(secs, seconds_max); }

  virtual void clear() {
    count = 0;
    wait = 0;
    first = last = -1;
  }
  virtual void set_defaults() {
    using enum model::policy;
    initial = policy == exponential_backoff || policy == exponential_backoff_with_jitter ? 1 : 5;
    jitter = 5;
  }
  virtual model::option known(std::int64_t name) {
    return static_cast<model::option>(std::min<std::int64_t>(name, static_cast<int>(model::option::unsupported)));
  }
  virtual int set_wait(std::uint32_t value) {
    if (value < 1) return 1;
    initial = value;
    return 0;
  }
  virtual int set_jitter(std::uint32_t value) {
    if (value > 100) return 1;
    jitter = value;
    return 0;
  }
  virtual int unknown() { return 1; }
  virtual int feed_failed() { return 1; }
  virtual bool has(std::int64_t time) { return time != -1; }

  [[nodiscard]] bool is_null() const { return !exists || world_->is_null(null_handle); }

  scripted* world_ = nullptr;
  bool exists = false;
  model::policy policy{};
  std::uint32_t max_retry_time = 0;
  std::uint32_t initial = 0;
  std::uint32_t jitter = 0;
  std::uint64_t count = 0;
  std::uint64_t wait = 0;
  std::int64_t first = -1;
  std::int64_t last = -1;
};

// A port that says only what it does otherwise, in its surroundings.
template <class Port>
struct scripted_port : Port {
  explicit scripted_port(scripted& world) { this->world_ = &world; }
};

}  // namespace backoff::systems::retry_control
