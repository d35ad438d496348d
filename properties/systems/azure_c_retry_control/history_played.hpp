// What histories of retry control are chosen by: calls, and how far they bring an instance. A port shows no wait, so
// the canonical model is asked where to look.
#pragma once

#include <array>
#include <limits>

#include "histories/generate.hpp"
#include "systems/azure_c_retry_control/history.hpp"

namespace backoff::systems::azure_c_calls {

namespace model = spec::azure_c_retry_control;

inline constexpr std::int64_t u32_max = 0xffff'ffff;
inline constexpr std::int64_t time_max = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t time_min = std::numeric_limits<std::int64_t>::min();

[[nodiscard]] inline bool given(value const& v) { return v.kind != value_kind::absent; }
// At an end of time where the sum is beyond it.
[[nodiscard]] std::int64_t later(std::int64_t t, std::int64_t secs) noexcept;

[[nodiscard]] step made(model::policy which, std::int64_t limit);
[[nodiscard]] step set(model::option name, std::int64_t number);
[[nodiscard]] step asked_at(std::int64_t reading, std::int64_t draw);
[[nodiscard]] step with_words(step s, std::int64_t nulls, std::int64_t fails);
// An instance that has these options.
[[nodiscard]] std::vector<step> made_with(model::policy which, std::int64_t limit, std::int64_t initial_wait,
                                          std::int64_t max_jitter);

// The instances of a history as far as it is made, as the canonical reading has them.
class played {
 public:
  explicit played(domain const& d) noexcept : draws_(d.draws) {}

  [[nodiscard]] model::state const& of(std::uint8_t on) const { return states_[on]; }
  [[nodiscard]] std::int64_t last_reading() const noexcept { return reading_; }

  // Where a port may answer either way, it is random which.
  void advance(step const& s, random_bits& random);
  void advance(history const& h, random_bits& random) {
    for (auto const& s : h.steps) advance(s, random);
  }

 private:
  draw_source draws_;
  std::array<model::state, instances_max> states_{};
  std::int64_t reading_ = 100;
};

// The hooks of the shape.
void repair(history& h);
void correlate(history& h, domain const& d, random_bits& random);
[[nodiscard]] std::vector<history> corners(domain const& d, random_bits& random);
[[nodiscard]] std::vector<history> samples(domain const& d);
[[nodiscard]] std::vector<history> long_samples(domain const& d);
[[nodiscard]] bool tells_waits(history const& h);
[[nodiscard]] std::vector<step> example(history const&, std::span<value const> draws);

}  // namespace backoff::systems::azure_c_calls
