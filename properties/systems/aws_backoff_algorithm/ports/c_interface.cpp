// backoffAlgorithm 1.3 in C: a context, what initialises it, and a call that is given its random number. The library
// touches nothing but the context, so nothing around it is looked at.
#include "host/c_interface.hpp"

#include <algorithm>
#include <array>

#include "aws_backoff_algorithm/page.hpp"
#include "host/guard.hpp"

namespace backoff::systems {
namespace {

namespace page = pages::aws_backoff_algorithm;
constexpr std::int64_t u16_max = 0xffff;
constexpr std::uint32_t retry_forever = 0xffff'ffff;

struct context {
  std::uint16_t max_backoff_delay;
  std::uint32_t attempts_done;
  std::uint16_t next_jitter_max;
  std::uint32_t max_retry_attempts;
};

using initialize_params = void(context*, std::uint16_t base, std::uint16_t max, std::uint32_t attempts);
using get_next_backoff = int(context*, std::uint32_t random, std::uint16_t* next);

constexpr std::array functions{"BackoffAlgorithm_InitializeParams", "BackoffAlgorithm_GetNextBackoff"};

enum status_word : std::uint8_t { retry, exhausted, ok };

class bound final : public bound_library {
 public:
  explicit bound(std::span<void* const> at)
      : initialize_(function_at<initialize_params>(at[0])), next_(function_at<get_next_backoff>(at[1])) {}

  void run(history const& h, result& to) override {
    auto const base = static_cast<std::uint16_t>(h.params[page::param::base_ms].n);
    auto const cap = static_cast<std::uint16_t>(h.params[page::param::max_ms].n);
    auto const attempts = h.params[page::param::max_attempts].kind == value_kind::keyword
                              ? retry_forever
                              : static_cast<std::uint32_t>(h.params[page::param::max_attempts].n);
    // Of no known value, as memory of the stack is; behind it nothing can be read or written.
    std::array<context*, instances_max> contexts;
    std::size_t used = 1;
    for (auto const& s : h.steps) used = std::max(used, std::size_t{s.on} + 1);
    for (std::size_t i = 0; i < used; ++i) {
      contexts[i] = static_cast<context*>(pages_[i].last(sizeof(context)));
      initialize_(contexts[i], base, cap, attempts);
    }
    for (auto const& s : h.steps) {
      auto& c = *contexts[s.on];
      answer a{observed::word(ok)};
      if (s.op == page::call::next) {
        a = next(c, static_cast<std::uint32_t>(s.args[page::next_args::draw].n));
      } else {
        initialize_(&c, base, cap, attempts);
      }
      if (pages_[s.on].is_written_before(sizeof c)) throw broken_contract("the call wrote before its context");
      to.answers.push_back(a);
    }
  }

 private:
  answer next(context& c, std::uint32_t random) {
    auto& delay = *static_cast<std::uint16_t*>(delay_.last(sizeof(std::uint16_t)));
    int const status = next_(&c, random, &delay);
    if (status == 0) return {observed::word(retry), observed::of(static_cast<spec::integer>(delay))};
    if (status == 1) return {observed::word(exhausted)};
    throw broken_contract("BackoffAlgorithm_GetNextBackoff returned " + std::to_string(status) +
                          ", which is no status: expected 0 (success) or 1 (retries exhausted)");
  }

  initialize_params* initialize_;
  get_next_backoff* next_;
  std::array<guarded_page, instances_max> pages_;
  guarded_page delay_;
};

void narrow(domain& d, void const*) {
  d.params[page::param::base_ms].high = d.params[page::param::max_ms].high = u16_max;
  d.params[page::param::max_attempts].high = std::int64_t{retry_forever} - 1;  // the largest number means forever
}

}  // namespace

extern c_interface const aws_backoff_algorithm_interface;
c_interface const aws_backoff_algorithm_interface{
    .stem = "aws_backoff_algorithm",
    .functions = functions,
    .constants = {},
    .draws = {},
    .features = bit(feature::instances),
    .narrow = narrow,
    .bind = [](std::span<void* const> at) -> std::unique_ptr<bound_library> { return std::make_unique<bound>(at); }};

}  // namespace backoff::systems
