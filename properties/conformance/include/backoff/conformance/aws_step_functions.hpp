// Prescriptive Guidance, Retry with backoff: the workflow.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "backoff/conformance/judgement.hpp"
#include "backoff/conformance/values.hpp"

namespace backoff::systems {

struct aws_step_functions {
  struct parameters {
    std::uint32_t interval_s;
    std::uint32_t backoff_rate_thousandths;  // 1,500: 1.5
    std::uint32_t max_attempts;
    [[nodiscard]] double backoff_rate() const noexcept { return backoff_rate_thousandths / 1000.0; }
  };

  struct port {
    virtual ~port() = default;
    virtual std::optional<number> next() = 0;  // s; nothing: exhausted
  };

  template <class P>
  static constexpr bool draws_itself = false;  // nothing here is random
  template <class P>
  class typed final : public port {
   public:
    template <class Make>
    typed(Make& make, parameters const& given) : port_(make(given)) {}
    std::optional<number> next() override { return port_.next(); }

   private:
    P port_;
  };

  using maker = std::function<std::unique_ptr<port>(parameters const&)>;
  static judgement judge(maker const& make, options const& how);
};

}  // namespace backoff::systems
