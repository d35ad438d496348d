// Prescriptive Guidance, Retry with backoff: the sample code.
#pragma once

#include <functional>
#include <memory>

#include "backoff/conformance/judgement.hpp"
#include "backoff/conformance/values.hpp"

namespace backoff::systems {

struct aws_prescriptive_sample {
  struct parameters {
    std::int32_t max_retries;
  };

  // Of one request: the wait before it, and whether another follows its status.
  struct attempted {
    number delay_ms;
    bool retry;
  };

  struct port {
    virtual ~port() = default;
    virtual attempted attempt(int http_status) = 0;  // not asked again after `retry` was false
  };

  template <class P>
  static constexpr bool draws_itself = false;  // nothing here is random
  template <class P>
  class typed final : public port {
   public:
    template <class Make>
    typed(Make& make, parameters const& given) : port_(make(given)) {}
    attempted attempt(int http_status) override { return port_.attempt(http_status); }

   private:
    P port_;
  };

  using maker = std::function<std::unique_ptr<port>(parameters const&)>;
  static judgement judge(maker const& make, options const& how);
};

}  // namespace backoff::systems
