// The waits of a policy as a range, for tables, tests and loops of one's own.
// Checked by: spec/tests/hosted_delays_test.cpp.
#pragma once

#include <chrono>
#include <cstddef>
#include <iterator>
#include <memory>
#include <random>
#include <ranges>
#include <utility>

#include "backoff/hosted/durations.hpp"
#include "backoff/hosted/policy.hpp"

namespace backoff {

// The wait before each retry, from the first one on, until the policy grants none: an input range of nanoseconds,
// without end where the policy never gives up. Tries take no time here, so that a policy that looks at the clock sees
// only the waits. A wait before the policy is asked again is part of the element. Draws as the policy does, when an
// element is reached. The generator is the caller's, and outlives the range; the range has a policy of its own.
// Times saturate at 2^63 - 1 ns, which is the end for a policy that looks at the clock.
template <std::uniform_random_bit_generator Generator, policy<Generator> Policy>
class delays : public std::ranges::view_interface<delays<Generator, Policy>> {
 public:
  // The delays of this policy, which was never asked.
  constexpr delays(Policy asked, Generator& generator)
      : policy_(std::move(asked)), generator_(std::addressof(generator)) {}

  // The position of the range. All iterators of a range advance together.
  class iterator {
   public:
    // What std::input_iterator asks for.
    using value_type = std::chrono::nanoseconds;
    // What std::weakly_incrementable asks for.
    using difference_type = std::ptrdiff_t;

    // The wait before the retry that the range has come to.
    [[nodiscard]] constexpr value_type operator*() const noexcept { return of_->wait_; }
    // To the next retry.
    constexpr iterator& operator++() {
      of_->advance();
      return *this;
    }
    // To the next retry; the old position is lost.
    constexpr void operator++(int) { of_->advance(); }
    // Whether the policy has given up.
    [[nodiscard]] friend constexpr bool operator==(iterator const& at, std::default_sentinel_t) noexcept {
      return at.ended();
    }

   private:
    friend class delays;
    explicit constexpr iterator(delays* of) noexcept : of_(of) {}
    [[nodiscard]] constexpr bool ended() const noexcept { return of_->ended_; }
    delays* of_;
  };

  // The first retry. Call it once: an input range gives each element only once.
  [[nodiscard]] constexpr iterator begin() {
    advance();
    return iterator(this);
  }
  // Where the policy gives up.
  [[nodiscard]] constexpr std::default_sentinel_t end() const noexcept { return std::default_sentinel; }

 private:
  constexpr void advance() {
    wait_ = {};
    next_step next = ask();
    while (goes_on(next.advice)) next = ask();
    ended_ = next.advice != advice::try_again;
  }
  constexpr next_step ask() {
    next_step const next = policy_.what_next(elapsed_, *generator_);
    pass(next.wait);
    return next;
  }
  [[nodiscard]] constexpr bool goes_on(advice given) const noexcept {
    return given == advice::ask_again && elapsed_.count() < std::chrono::nanoseconds::max().count();
  }
  constexpr void pass(std::chrono::nanoseconds wait) noexcept {
    wait_ = saturated_sum(wait_, wait);
    elapsed_ = saturated_sum(elapsed_, wait);
  }

  Policy policy_;
  Generator* generator_;
  std::chrono::nanoseconds elapsed_{};
  std::chrono::nanoseconds wait_{};
  bool ended_ = false;
};

// Deduces the types from the arguments; the generator must not be const.
template <class Policy, class Generator>
delays(Policy, Generator&) -> delays<Generator, Policy>;

}  // namespace backoff
