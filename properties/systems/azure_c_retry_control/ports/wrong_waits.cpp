// Waits that are too long or too short, and draws.
#include "systems/azure_c_retry_control/ports/wrong.hpp"

namespace backoff::systems::retry_control {
namespace {

struct grows_linearly : reference_port {
  seconds doubled() override { return initial * count; }
};
struct grows_with_the_square : reference_port {
  seconds doubled() override { return initial * count * count; }
};
struct one_doubling_too_many : reference_port {
  seconds doubled() override { return seconds{initial} << std::min<seconds>(count, 32); }
};
struct counts_from_zero : reference_port {  // calculates the wait before it counts the retry
  seconds linear(seconds n) override { return reference_port::linear(n - 1); }
  seconds doubled() override { return count == 1 ? initial / 2 : seconds{initial} << std::min<seconds>(count - 2, 32); }
  quotient jittered(seconds base) override {
    auto const x = reference_port::jittered(count == 1 ? seconds{initial} : base);
    return {x.over, count == 1 ? 2 * x.under : x.under};
  }
};
struct wraps : reference_port {
  seconds doubled() override { return count > 32 ? 0 : seconds{initial} << (count - 1); }
  seconds capped(seconds secs) override { return secs & seconds_max; }
};
struct stops_growing : reference_port {
  seconds doubled() override { return seconds{initial} << std::min<seconds>(count - 1, 5); }
};
struct never_saturates : reference_port {
  seconds capped(seconds secs) override { return secs; }
};
struct negative_is_nothing : reference_port {  // a wait beyond an int is negative, and so over at once
  seconds capped(seconds secs) override { return secs > 0x7fff'ffff ? 0 : secs; }
};
struct jitter_beyond_the_cap : reference_port {
  seconds next_wait() override {
    if (policy != model::policy::exponential_backoff_with_jitter) return reference_port::next_wait();
    return rounded(jittered(capped(doubled())));
  }
};
struct jitter_gone_when_large : reference_port {  // no room was left for the product
  quotient jittered(seconds base) override {
    return base > 0xffff ? quotient{base, 1} : reference_port::jittered(base);
  }
};
struct whole_quotients : reference_port {
  quotient part() override { return {u128{initial} * (world_->rand() / rand_max), 1}; }
  quotient jittered(seconds base) override {
    return {u128{base} * (1 + jitter / 100 * (world_->rand() / rand_max)), 1};
  }
};
struct jitter_either_way : reference_port {
  quotient jittered(seconds base) override {
    auto const x = reference_port::jittered(base);
    auto const half = u128{base} * jitter * rand_max / 2;
    return {x.over - std::min(half, x.over), x.under};
  }
};
struct all_of_it_jitter : reference_port {  // full jitter in place of a percentage
  quotient jittered(seconds base) override { return {u128{base} * world_->rand(), rand_max}; }
};
struct jitter_compounds : reference_port {
  seconds next_wait() override {
    if (policy != model::policy::exponential_backoff_with_jitter) return reference_port::next_wait();
    auto const base = count == 1 ? seconds{initial} : 2 * std::min(wait, seconds_max);
    return capped(rounded(jittered(base)));
  }
};
struct drawn_once : reference_port {
  quotient part() override { return {u128{initial} * kept(), rand_max}; }
  quotient jittered(seconds base) override {
    return {u128{base} * (100 * rand_max + seconds{jitter} * kept()), 100 * rand_max};
  }
  seconds kept() {
    if (!value) value = world_->rand();
    return *value;
  }
  std::optional<std::uint32_t> value;
};
struct draws_twice : reference_port {
  quotient part() override {
    static_cast<void>(world_->rand());
    return reference_port::part();
  }
};
struct random_from_one : reference_port {  // never no wait at all
  seconds rounded(quotient const& x) override { return std::max<seconds>(reference_port::rounded(x), 1); }
};
struct redrawn_at_each_poll : reference_port {
  action decide(std::int64_t now) override {
    if (policy == model::policy::random && !is_over(now)) wait = next_wait();
    return reference_port::decide(now);
  }
};
struct a_poll_starts_the_wait_again : reference_port {
  action decide(std::int64_t now) override {
    auto const what = reference_port::decide(now);
    if (what == action::retry_later) last = now;
    return what;
  }
};
struct milliseconds : reference_port {
  seconds capped(seconds secs) override { return reference_port::capped(secs * 1'000); }
};
struct no_wait_after_the_first : reference_port {
  seconds next_wait() override { return count == 1 ? 0 : reference_port::next_wait(); }
};
struct interval_of_one : reference_port {
  seconds next_wait() override { return policy == model::policy::interval ? 1 : reference_port::next_wait(); }
};

}  // namespace

std::vector<built_in> wrong_waits() {
  constexpr std::string_view exponential = "exponential_wait_doubles";
  constexpr std::string_view linear = "linear_wait_grows_by_the_initial_time";
  constexpr std::string_view jittered = "jitter_lengthens_the_doubled_wait";
  constexpr std::string_view drawn = "random_wait_is_part_of_the_initial_one";
  return {
      wrong<grows_linearly>("grows-linearly", "grows by the initial wait under every policy", exponential),
      wrong<grows_with_the_square>("grows-with-the-square", "grows with the square of the count", exponential),
      wrong<one_doubling_too_many>("one-doubling-too-many", "the first exponential wait is doubled", exponential),
      wrong<counts_from_zero>("counts-from-zero", "calculates the wait before it counts the retry", linear,
                              {"count-origin=zero"}),
      wrong<wraps>("wraps", "multiplies in 32 bits", linear, {"overflow=wraps"}),
      wrong<stops_growing>("stops-growing", "doubles five times at most", exponential, {}, 12),
      wrong<never_saturates>("never-saturates", "waits longer than 32 bits can say", linear),
      wrong<negative_is_nothing>("negative-is-nothing", "a wait beyond an int is over at once", linear),
      wrong<jitter_beyond_the_cap>("jitter-beyond-the-cap", "adds jitter to a wait that is the longest", jittered),
      wrong<jitter_gone_when_large>("jitter-gone-when-large", "long waits have no jitter", jittered),
      wrong<whole_quotients>("whole-quotients", "divides integers", jittered, {"quotients=integer"}),
      wrong<jitter_either_way>("jitter-either-way", "half of the jitter shortens the wait", jittered),
      wrong<all_of_it_jitter>("all-of-it-jitter", "draws the wait from 0 on", jittered),
      wrong<jitter_compounds>("jitter-compounds", "doubles the jittered wait", jittered, {}, 8),
      wrong<drawn_once>("drawn-once", "keeps its first random number", "a_wait_draws_once"),
      wrong<draws_twice>("draws-twice", "throws a random number away", "a_wait_draws_once"),
      wrong<random_from_one>("random-from-one", "waits a second at least", drawn),
      wrong<redrawn_at_each_poll>("redrawn-at-each-poll", "draws the wait anew whenever it is asked",
                                  "asking_again_redraws_nothing"),
      wrong<a_poll_starts_the_wait_again>("a-poll-starts-the-wait-again", "waits from the last time it was asked",
                                          "asking_again_redraws_nothing"),
      wrong<milliseconds>("milliseconds", "waits a thousand times too long", linear),
      wrong<no_wait_after_the_first>("no-wait-after-the-first", "sets no wait when it grants the first retry",
                                     "interval_waits_the_initial_time"),
      wrong<interval_of_one>("interval-of-one", "knows one interval", "interval_waits_the_initial_time"),
  };
}

}  // namespace backoff::systems::retry_control
