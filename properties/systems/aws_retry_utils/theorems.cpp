// Theorems about one cycle of the Retry Utilities.
#include "engines/proof/native.hpp"
#include "engines/proof/theorem.hpp"
#include "engines/proof/theorem_registry.hpp"

namespace backoff::systems {
namespace {

namespace system = shipped::aws_retry_utils;
using native::n32;
using native::n64;

// The state of a cycle, as its memory holds it.
template <class W>
struct state {
  system::parameters<W> parameters;
  W window_s;
  u32 attempts_done;
};
struct step {
  bool retry;
  u32 sleep_s;
};

struct code {
  template <class W>
  static step back_off(state<W>& s, u32 draw) {
    auto cycle = std::bit_cast<system::retry_cycle<W>>(s);
    auto const decided = cycle.back_off(draw);
    s = std::bit_cast<state<W>>(cycle);
    return {decided.status == system::status::retry, u32(decided.sleep_s)};
  }
  template <class W>
  static state<W> reset(state<W> const& s, u32 draw) {
    auto cycle = std::bit_cast<system::retry_cycle<W>>(s);
    cycle.reset(draw);
    return std::bit_cast<state<W>>(cycle);
  }
};
struct fault {
  template <class W>  // sleeps after it has doubled, and never ends
  static step back_off(state<W>& s, u32 draw) {
    s.window_s = shipped::window_next(s.window_s, s.parameters.max_backoff_s);
    ++s.attempts_done;
    return {true, u32(shipped::jitter_full(s.window_s, draw))};
  }
  template <class W>  // the jitter is added to the capped window
  static state<W> reset(state<W> const& s, u32 draw) {
    auto const& q = s.parameters;
    auto const first = shipped::window_first(q.initial_backoff_s, q.max_backoff_s);
    return {q, W(first + shipped::jitter_full(q.max_jitter_s, draw)), u32(0U)};
  }
};

// The step of an induction over n, the back-offs done; `grown` is the first window times 2^n, any natural number.
template <class Code, class W>
void follows_its_window(path& p) {
  auto const grown = p.natural("first * 2^n");
  auto const cap = p.any<W>("max_backoff_s");
  auto const window = p.any<W>("window_s");
  auto const draw = p.any<u32>("draw");
  auto const n = p.any<u32>("attempts_done");
  p.assume(number(window) == smaller(grown, number(cap)));
  state<W> s{{cap, cap, cap, u32(0U)}, window, n};
  auto const answer = Code::back_off(s, draw);
  p.claim(answer.retry);
  p.claim(number(answer.sleep_s) == remainder(p, number(draw), number(window) + 1));
  p.claim(number(answer.sleep_s) >= 0 && number(answer.sleep_s) <= smaller(grown, number(cap)));
  p.claim(number(s.window_s) == smaller(2 * grown, number(cap)));
  p.claim(number(s.attempts_done) == number(n) + 1 ||
          (number(s.attempts_done) == 0 && number(n) == power_of_two(32) - 1));
}

template <class Code, class W>
void starts_anew(path& p) {
  auto const initial = p.any<W>("initial_backoff_s");
  auto const cap = p.any<W>("max_backoff_s");
  auto const jitter = p.any<W>("max_jitter_s");
  auto const limit = p.any<u32>("max_attempts");
  auto const draw = p.any<u32>("draw");
  state<W> const before{{initial, cap, jitter, limit}, p.any<W>("window_s"), p.any<u32>("attempts_done")};
  auto const after = Code::reset(before, draw);
  auto const drawn = remainder(p, number(draw), number(jitter) + 1);
  p.claim(number(after.window_s) == smaller(number(initial) + drawn, number(cap)));
  p.claim(number(after.attempts_done) == 0);
}

// With a limit of 1 or more: a cycle with n back-offs done grants another if and only if n < limit, and counts it.
template <class Code, class W>
void ends_after_its_attempts(path& p) {
  auto const limit = p.any<u32>("max_attempts");
  auto const n = p.any<u32>("attempts_done");
  auto const cap = p.any<W>("max_backoff_s");
  auto const window = p.any<W>("window_s");
  p.assume(number(limit) >= 1 && number(n) <= number(limit) && number(window) <= number(cap));
  state<W> s{{cap, cap, cap, limit}, window, n};
  auto const answer = Code::back_off(s, p.any<u32>("draw"));
  p.claim(answer.retry ? number(n) < number(limit) : number(n) == number(limit));
  p.claim(number(s.attempts_done) == (answer.retry ? number(n) + 1 : number(n)));
  if (!answer.retry) p.claim(number(answer.sleep_s) == 0 && number(s.window_s) == number(window));
}

}  // namespace

std::vector<theorem> aws_retry_utils_theorems() {
  return {
      {"retry_cycle_follows_its_window",
       [] {
         return all(
             {prove(follows_its_window<code, u16>, wraps::sums), prove(follows_its_window<code, u32>, wraps::sums)});
       },
       [] { return prove(follows_its_window<fault, u16>, wraps::everywhere); },
       [](inputs const& in) -> replay {
         auto const window = in.of<n32>("window_s"), cap = in.of<n32>("max_backoff_s"), draw = in.of<n32>("draw");
         return {{draw % (n64{window} + 1U)},
                 {native::retry_cycle_sleep_s(window, cap, draw)},
                 {draw % (n64{native::window_next(window, cap)} + 1U)}};
       }},
      {"reset_starts_at_the_jittered_window",
       [] { return all({prove(starts_anew<code, u16>), prove(starts_anew<code, u32>, wraps::sums)}); },
       [] { return prove(starts_anew<fault, u16>, wraps::everywhere); },
       [](inputs const& in) -> replay {
         auto const initial = in.of<std::uint16_t>("initial_backoff_s"), cap = in.of<std::uint16_t>("max_backoff_s"),
                    jitter = in.of<std::uint16_t>("max_jitter_s");
         auto const draw = in.of<n32>("draw");
         auto const drawn = draw % (n32{jitter} + 1U);
         return {{std::min<n32>(initial + drawn, cap)},
                 {native::retry_cycle_window_s(initial, cap, jitter, draw)},
                 {static_cast<std::uint16_t>(std::min(initial, cap) + drawn)}};
       }},
      {"back_off_is_exhausted_exactly_after_max_attempts",
       [] {
         return all(
             {prove(ends_after_its_attempts<code, u16>), prove(ends_after_its_attempts<code, u32>, wraps::sums)});
       },
       [] { return prove(ends_after_its_attempts<fault, u32>, wraps::everywhere); },
       [](inputs const& in) -> replay {
         auto const limit = in.of<n32>("max_attempts"), n = in.of<n32>("attempts_done");
         return {{n < limit}, {native::retry_cycle_grants(limit, n)}, {true}};
       }},
  };
}

}  // namespace backoff::systems
