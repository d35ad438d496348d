// Theorems about the loop of the sample.
#include "engines/proof/native.hpp"
#include "engines/proof/theorem.hpp"
#include "engines/proof/theorem_registry.hpp"

namespace backoff::systems {
namespace {

namespace sample = shipped::aws_prescriptive_sample;

struct code {
  static u32 delay_ms(u32 retries) { return sample::delay_ms(retries); }
  // The state of a run, as its memory holds it.
  struct state {
    u32 max_retries, retries;
  };
  static bool retry_after(state& run, int http_status) {
    auto loop = std::bit_cast<sample::retry_loop>(run);
    bool const retry = loop.retry_after(http_status);
    run = std::bit_cast<state>(loop);
    return retry;
  }
};
// With one fault each. Templates, so that a fault runs natively too.
struct fault {
  template <class W>  // fails two retries late: one is too long, one has wrapped
  static W delay_ms(W retries) {
    if (retries > 26U) return W(0xffff'ffffU);
    return W(W(W(W(1U) << retries) - W(1U)) * W(100U));
  }
  template <class State>  // takes the limit for one of retries
  static bool retry_after(State& run, int http_status) {
    if (http_status != 429 && http_status != 504) return false;
    if (run.retries >= run.max_retries) return false;
    ++run.retries;
    return true;
  }
};
struct native_state {
  native::n32 max_retries, retries;
};

z3::expr no_delay() { return power_of_two(32) - 1; }

// (2^n - 1) · 100, and the error from n = 25 on.
template <class Code>
void follows_its_formula(path& p) {
  auto const n = p.any<u32>("retries");
  auto const exact = p.natural("(2^n - 1) * 100");
  auto const delay = number(Code::delay_ms(n));
  for (unsigned k = 0; k < 25U; ++k) {
    p.assume(z3::implies(number(n) == static_cast<int>(k), exact == (power_of_two(k) - 1) * 100));
  }
  p.claim(delay == z3::ite(number(n) < 25, exact, no_delay()));
}

template <class Code>
void never_shrinks(path& p) {
  auto const n = p.any<u32>("retries");
  auto const more = p.any<u32>("more");
  p.assume(number(n) < number(more));
  auto const before = number(Code::delay_ms(n));
  auto const after = number(Code::delay_ms(more));
  p.claim(before < after || (before == no_delay() && after == no_delay()));
}

// A state that a run can have: none or fewer retries than the limit. With it `next` of that loop.
template <class Code>
void requests_are_counted(path& p) {
  for (int const http_status : {429, 504, 200, 500}) {
    typename code::state run{p.any<u32>("max_retries"), p.any<u32>("retries")};
    auto const n = number(run.retries);
    auto const limit = number(run.max_retries);
    p.assume(n == 0 || n < limit);
    bool const retry = Code::retry_after(run, http_status);
    bool const transient = http_status == 429 || http_status == 504;
    p.claim(transient || !retry);
    if (transient) p.claim(retry ? n + 1 < limit && n < 25 : n + 1 >= limit || n >= 25);
    p.claim(number(run.retries) == (retry ? n + 1 : n) && number(run.max_retries) == limit);
    p.claim(number(run.retries) == 0 || number(run.retries) < limit);
  }
}

using native::n32;
using native::n64;

}  // namespace

std::vector<theorem> aws_prescriptive_sample_theorems() {
  auto const formula = [](n32 n) { return n > 24U ? n64{0xffff'ffffU} : ((n64{1} << n) - 1U) * 100U; };
  return {
      {"sample_delay_follows_its_formula", [] { return prove(follows_its_formula<code>); },
       [] { return prove(follows_its_formula<fault>, wraps::everywhere); },
       [=](inputs const& in) -> replay {
         auto const n = in.of<n32>("retries");
         return {{formula(n)}, {native::sample_delay_ms(n)}, {fault::delay_ms(n)}};
       }},
      {"sample_delay_never_shrinks", [] { return prove(never_shrinks<code>); },
       [] { return prove(never_shrinks<fault>, wraps::everywhere); },
       [=](inputs const& in) -> replay {
         auto const n = in.of<n32>("retries"), more = in.of<n32>("more");
         return {{formula(n), formula(more)},
                 {native::sample_delay_ms(n), native::sample_delay_ms(more)},
                 {fault::delay_ms(n), fault::delay_ms(more)}};
       }},
      {"sample_makes_at_most_max_retries_requests", [] { return prove(requests_are_counted<code>); },
       [] { return prove(requests_are_counted<fault>, wraps::everywhere); },
       [](inputs const& in) -> replay {
         auto const limit = in.of<n32>("max_retries"), n = in.of<n32>("retries");
         native_state faulty{limit, n};
         bool const retry = fault::retry_after(faulty, 429);
         return {{n64{n} + 1U < limit && n < 25U}, {native::sample_retries_after(limit, n, 429)}, {retry}};
       }},
  };
}

}  // namespace backoff::systems
