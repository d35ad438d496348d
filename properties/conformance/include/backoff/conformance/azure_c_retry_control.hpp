// Azure IoT SDK for C, iothub_client_retry_control: one handle, as a value. NULL, failures of what it calls and memory
// that stays behind are judged by the protocol, or of a shared library by `backoff-oracle check --library`.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "backoff/conformance/judgement.hpp"
#include "backoff/conformance/values.hpp"

namespace backoff::systems {

struct azure_c_retry_control {
  enum class policy : std::uint8_t {
    none,
    immediate,
    interval,
    linear_backoff,
    exponential_backoff,
    exponential_backoff_with_jitter,
    random
  };
  enum class action : std::uint8_t { retry_now, retry_later, stop_retrying };

  // What a port calls: each call counts, and is scripted. They outlive the port.
  class surroundings {
   public:
    virtual std::int64_t get_time() = 0;  // s; -1: the clock fails
    virtual draw rand() = 0;

   protected:
    ~surroundings() = default;
  };
  struct parameters {
    surroundings& world;
  };

  struct saved_options {
    std::optional<std::uint32_t> initial_wait_time_in_secs;
    std::optional<std::uint32_t> max_jitter_percent;
  };

  // Where a call of the document returns a failure, it is false, or nothing.
  struct port {
    virtual ~port() = default;
    virtual bool create(policy which, std::uint32_t max_retry_time_s) = 0;  // the first call, once
    virtual std::optional<action> should_retry() = 0;
    virtual bool set_option(std::string_view name, std::uint32_t value) = 0;
    virtual bool set_options(saved_options const& saved) = 0;  // retry_control_options
    virtual std::optional<saved_options> retrieve_options() = 0;
    virtual std::optional<bool> is_timeout_reached(std::int64_t start, std::uint32_t timeout_s) = 0;
    virtual void reset() = 0;
  };

  // Any type with these calls; one that does not use `rand` is judged with `draws = hidden`.
  template <class P>
  static constexpr bool draws_itself = false;
  template <class P>
  class typed final : public port {
   public:
    template <class Make>
    typed(Make& make, parameters const& given) : port_(make(given)) {}
    bool create(policy which, std::uint32_t max_retry_time_s) override { return port_.create(which, max_retry_time_s); }
    std::optional<action> should_retry() override { return port_.should_retry(); }
    bool set_option(std::string_view name, std::uint32_t value) override { return port_.set_option(name, value); }
    bool set_options(saved_options const& saved) override { return port_.set_options(saved); }
    std::optional<saved_options> retrieve_options() override { return port_.retrieve_options(); }
    std::optional<bool> is_timeout_reached(std::int64_t start, std::uint32_t timeout_s) override {
      return port_.is_timeout_reached(start, timeout_s);
    }
    void reset() override { port_.reset(); }

   private:
    P port_;
  };

  using maker = std::function<std::unique_ptr<port>(parameters const&)>;
  static judgement judge(maker const& make, options const& how);
};

}  // namespace backoff::systems
