// backoffAlgorithm v1.3.0: full jitter.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "backoff/conformance/judgement.hpp"
#include "backoff/conformance/values.hpp"

namespace backoff::systems {

struct aws_backoff_algorithm {
  struct parameters {
    std::uint32_t base_ms;
    std::uint32_t max_ms;
    std::optional<std::uint32_t> max_attempts;  // nothing: forever
  };

  struct port {
    virtual ~port() = default;
    virtual std::optional<number> next(draw) = 0;  // ms; nothing: exhausted
    virtual void reset() = 0;
  };

  // Any type with these calls; one whose `next` takes no draw makes its own.
  template <class P>
  static constexpr bool draws_itself = requires(P& p) { p.next(); };
  template <class P>
  class typed final : public port {
   public:
    template <class Make>
    typed(Make& make, parameters const& given) : port_(make(given)) {}
    std::optional<number> next([[maybe_unused]] draw d) override {
      if constexpr (draws_itself<P>) {
        return port_.next();
      } else {
        return port_.next(d);
      }
    }
    void reset() override { port_.reset(); }

   private:
    P port_;
  };

  using maker = std::function<std::unique_ptr<port>(parameters const&)>;
  static judgement judge(maker const& make, options const& how);
};

}  // namespace backoff::systems
