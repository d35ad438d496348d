// Azure IoT device SDK for Java: retry policies. The features total_time, errors and custom_policy are asked for by
// name, in options::features, and fill the fields that they stand beside.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "backoff/conformance/judgement.hpp"
#include "backoff/conformance/values.hpp"

namespace backoff::systems {

struct azure_java_retry_policy {
  enum class policy : std::uint8_t { exponential_backoff_with_jitter, no_retry, custom };  // custom: custom_policy
  enum class error : std::uint8_t { protocol, service, terminal, unknown };

  // Those that a history leaves out have the documented defaults.
  struct parameters {
    policy which;
    std::uint32_t c_ms;
    std::uint32_t cmin_ms;
    std::uint32_t cmax_ms;
    std::uint32_t jd_thousandths;
    std::uint32_t ju_thousandths;
    std::optional<std::uint32_t> total_time_ms;  // total_time; nothing: no limit
  };

  struct call {
    std::uint32_t retry_count;
    bool retryable;                           // whether the error is; with errors, `last` says which it was instead
    std::optional<draw> drawn;                // with exponential_backoff_with_jitter
    std::optional<error> last;                // errors
    std::optional<std::uint32_t> elapsed_ms;  // total_time
    bool custom_retry;                        // custom_policy: what the caller's own policy decides
    std::uint32_t custom_delay_ms;            // custom_policy
  };

  struct decision {
    bool retry;
    number delay_ms;         // counts where `retry`
    bool consulted = false;  // custom_policy: whether the caller's own policy was asked
  };

  struct port {
    virtual ~port() = default;
    virtual decision decide(call const&) = 0;
  };

  // Any type with this call; one that is made with `draws = hidden` makes its own draws.
  template <class P>
  static constexpr bool draws_itself = false;
  template <class P>
  class typed final : public port {
   public:
    template <class Make>
    typed(Make& make, parameters const& given) : port_(make(given)) {}
    decision decide(call const& asked) override { return port_.decide(asked); }

   private:
    P port_;
  };

  using maker = std::function<std::unique_ptr<port>(parameters const&)>;
  static judgement judge(maker const& make, options const& how);
};

}  // namespace backoff::systems
