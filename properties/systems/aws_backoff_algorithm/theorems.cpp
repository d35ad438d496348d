// Theorems about one retry cycle with full jitter.
#include "engines/proof/native.hpp"
#include "engines/proof/theorem.hpp"
#include "engines/proof/theorem_registry.hpp"

namespace backoff::systems {
namespace {

namespace system = shipped::aws_backoff_algorithm;
using native::n32;
using native::n64;

// The state of a cycle, as its memory holds it.
template <class W>
struct state {
  system::parameters<W> parameters;
  W window_ms;
  u32 attempts_done;
};
struct step {
  bool retry;
  u32 delay_ms;
};

struct code {
  template <class W>
  static step next(state<W>& s, u32 draw) {
    auto cycle = std::bit_cast<system::full_jitter<W>>(s);
    auto const decided = cycle.next(draw);
    s = std::bit_cast<state<W>>(cycle);
    return {decided.status == system::status::retry, u32(decided.delay_ms)};
  }
  template <class W>
  static W fresh_window(W base, W cap) {
    return system::full_jitter<W>({base, cap, system::attempt_limit::forever()}).window_ms();
  }
  static bool allows(u32 limit, u32 done) { return system::attempt_limit::of(limit).allows(done); }
  template <class W>
  static W checked(u64 base, u64 cap, bool& refused) {
    auto const c = system::check_parameters<W>(base, cap, system::attempt_limit::forever());
    refused = c.error != system::parameter_error::none;
    return c.value.base_ms;
  }
};
struct fault {
  template <class W>  // draws from the window that comes next
  static step next(state<W>& s, u32 draw) {
    if (!s.parameters.max_attempts.allows(s.attempts_done)) return {false, u32(0U)};
    if (!s.parameters.max_attempts.unlimited()) ++s.attempts_done;
    s.window_ms = shipped::window_next(s.window_ms, s.parameters.max_ms);
    return {true, u32(shipped::jitter_full(s.window_ms, draw))};
  }
  template <class N>  // one retry too many
  static bool allows(N limit, N done) {
    return done <= limit;
  }
  template <class W, class Wide>  // cut to the width
  static W checked(Wide base, Wide, bool& refused) {
    refused = false;
    return W(base);
  }
};

// The step of an induction over n, the retries granted; `grown` is base · 2^n, any natural number. Any draw.
template <class Code, class W>
void follows_its_window(path& p) {
  auto const grown = p.natural("base * 2^n");
  auto const cap = p.any<W>("max_ms");
  auto const window = p.any<W>("window_ms");
  auto const draw = p.any<u32>("draw");
  p.assume(number(window) == smaller(grown, number(cap)));
  p.claim(number(code::fresh_window(p.any<W>("base_ms"), cap)) == smaller(number(p.any<W>("base_ms")), number(cap)));
  state<W> s{{cap, cap, system::attempt_limit::forever()}, window, u32(7U)};
  auto const answer = Code::next(s, draw);
  p.claim(answer.retry);
  p.claim(number(answer.delay_ms) == remainder(p, number(draw), number(window) + 1));
  p.claim(number(answer.delay_ms) >= 0 && number(answer.delay_ms) <= smaller(grown, number(cap)));
  p.claim(number(s.window_ms) == smaller(2 * grown, number(cap)));
  p.claim(number(s.attempts_done) == 7);
}

// A cycle that has granted n retries, n <= limit, grants another one if and only if n < limit, and counts it; one that
// does not has not changed.
template <class W>
void ends_after_its_attempts(path& p) {
  auto const limit = p.any<u32>("max_attempts");
  auto const n = p.any<u32>("attempts_done");
  auto const cap = p.any<W>("max_ms");
  auto const window = p.any<W>("window_ms");
  p.assume(number(n) <= number(limit));
  p.assume(number(window) <= number(cap));
  state<W> s{{cap, cap, system::attempt_limit::of(limit)}, window, n};
  auto const answer = code::next(s, p.any<u32>("draw"));
  p.claim(answer.retry ? number(n) < number(limit) : number(n) == number(limit));
  p.claim(number(s.attempts_done) == (answer.retry ? number(n) + 1 : number(n)));
  if (!answer.retry) p.claim(number(answer.delay_ms) == 0 && number(s.window_ms) == number(window));
}
template <class Code>
void allows_its_attempts(path& p) {
  auto const limit = p.any<u32>("max_attempts");
  auto const n = p.any<u32>("attempts_done");
  p.claim(Code::allows(limit, n) ? number(n) < number(limit) : number(n) >= number(limit));
}

template <class Code, class W>
void refuses_what_does_not_fit(path& p) {
  auto const base = p.any<u64>("base_ms");
  auto const cap = p.any<u64>("max_ms");
  bool refused = false;
  auto const kept = Code::template checked<W>(base, cap, refused);
  auto const top = power_of_two(std::numeric_limits<W>::digits) - 1;
  auto const fits = number(base) <= top && number(cap) <= top;
  p.claim(refused ? !fits : fits && number(kept) == number(base));
}

}  // namespace

std::vector<theorem> aws_backoff_algorithm_theorems() {
  return {
      {"full_jitter_follows_its_window",
       [] { return all({prove(follows_its_window<code, u16>), prove(follows_its_window<code, u32>, wraps::sums)}); },
       [] { return prove(follows_its_window<fault, u16>, wraps::everywhere); },
       [](inputs const& in) -> replay {
         auto const window = in.of<n32>("window_ms"), cap = in.of<n32>("max_ms"), draw = in.of<n32>("draw");
         return {{draw % (n64{window} + 1U)},
                 {native::full_jitter_delay_ms(window, cap, draw)},
                 {draw % (n64{native::window_next(window, cap)} + 1U)}};
       }},
      {"cycle_is_exhausted_exactly_after_max_attempts",
       [] {
         return all({prove(allows_its_attempts<code>), prove(ends_after_its_attempts<u16>),
                     prove(ends_after_its_attempts<u32>, wraps::sums)});
       },
       [] { return prove(allows_its_attempts<fault>, wraps::everywhere); },
       [](inputs const& in) -> replay {
         auto const limit = in.of<n32>("max_attempts"), n = in.of<n32>("attempts_done");
         return {{n < limit}, {native::attempts_allow(limit, n)}, {fault::allows(limit, n)}};
       }},
      {"parameters_in_milliseconds_are_never_cut",
       [] { return all({prove(refuses_what_does_not_fit<code, u16>), prove(refuses_what_does_not_fit<code, u32>)}); },
       [] { return prove(refuses_what_does_not_fit<fault, u32>, wraps::everywhere); },
       [](inputs const& in) -> replay {
         auto const base = in.of("base_ms"), cap = in.of("max_ms");
         bool refused = false;
         static_cast<void>(fault::checked<n32>(base, cap, refused));
         return {{base > 0xffff'ffffU || cap > 0xffff'ffffU}, {native::full_jitter_refuses(base, cap)}, {refused}};
       }},
  };
}

}  // namespace backoff::systems
