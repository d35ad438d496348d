// IoT Device SDK C 202009.00, Retry Utilities. The first call of a port is `reset`.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "backoff/conformance/judgement.hpp"
#include "backoff/conformance/values.hpp"

namespace backoff::systems {

struct aws_retry_utils {
  struct parameters {
    std::uint32_t initial_backoff_s;
    std::uint32_t max_backoff_s;
    std::uint32_t max_jitter_s;
    std::uint32_t max_attempts;  // 0: no limit
  };

  struct state {
    number attempts_done;
    number next_jitter_max;
  };

  struct port {
    virtual ~port() = default;
    virtual std::optional<number> backoff(draw) = 0;  // s slept; nothing: exhausted
    virtual void reset(draw) = 0;
    virtual std::optional<state> fields() = 0;
  };

  // Any type with these calls; one whose calls take no draw makes its own, and one without `fields` does not show them.
  template <class P>
  static constexpr bool draws_itself = requires(P& p) { p.backoff(); };
  template <class P>
  static constexpr bool shows_state = requires(P& p) { p.fields(); };
  template <class P>
  class typed final : public port {
   public:
    template <class Make>
    typed(Make& make, parameters const& given) : port_(make(given)) {}
    std::optional<number> backoff([[maybe_unused]] draw d) override {
      if constexpr (draws_itself<P>) {
        return port_.backoff();
      } else {
        return port_.backoff(d);
      }
    }
    void reset([[maybe_unused]] draw d) override {
      if constexpr (draws_itself<P>) {
        port_.reset();
      } else {
        port_.reset(d);
      }
    }
    std::optional<state> fields() override {
      if constexpr (shows_state<P>) {
        return port_.fields();
      } else {
        return std::nullopt;
      }
    }

   private:
    P port_;
  };

  using maker = std::function<std::unique_ptr<port>(parameters const&)>;
  static judgement judge(maker const& make, options const& how);
};

}  // namespace backoff::systems
