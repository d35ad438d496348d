// Theorems about F(x), in units of 2^-32 ns: a delay is an integer then, and nothing is rounded.
#include "engines/proof/native.hpp"
#include "engines/proof/theorem.hpp"
#include "engines/proof/theorem_registry.hpp"

namespace backoff::systems {
namespace {

namespace system = shipped::azure_java_retry_policy;
using native::n32;
using native::n64;
using policy = system::exponential_backoff_with_jitter;

z3::expr one_ns() { return power_of_two(32); }
z3::expr exact(system::wait const& w) { return number(w.ns) * one_ns() + number(w.part); }
z3::expr most() { return (power_of_two(32) - 1) * 1'000'000; }  // nanoseconds of 2^32 - 1 milliseconds

// The policy, as its memory holds it: nanoseconds.
struct state {
  u64 cmin, cmax, from, to;
};

struct code {
  static system::wait delay(state const& s, u32 retry_count, u32 draw) {
    return std::bit_cast<policy>(s).delay(retry_count, draw);
  }
  static bool exceeded(u64 total, u64 elapsed, system::wait const& w) {
    return system::time_budget(total, elapsed).exceeded_by(w);
  }
};
struct fault {
  // the exponent is x instead of x - 1
  static system::wait delay(state const& s, u32 retry_count, u32 draw) {
    return code::delay(s, u32(retry_count + 1U), draw);
  }
  template <class W>  // the sum wraps; the part is forgotten
  static bool exceeded(W total, W elapsed, W delay_ns) {
    return W(elapsed + delay_ns) > total;
  }
  static bool exceeded(u64 total, u64 elapsed, system::wait const& w) { return exceeded(total, elapsed, w.ns); }
};

// C · (1 - J) in nanoseconds, from milliseconds and millionths. Times are whole: no part is lost.
template <bool Faulty>
void takes_its_constants(path& p) {
  system::parameters q;
  q.c_ms = p.any<u32>("c_ms");
  q.cmin_ms = p.any<u32>("cmin_ms");
  q.cmax_ms = p.any<u32>("cmax_ms");
  q.jd_millionths = p.any<u32>("jd_millionths");
  q.ju_millionths = p.any<u32>("ju_millionths");
  bool refused = false;
  state s;
  if constexpr (Faulty) {  // 32 bits
    s = {u64(u32(q.cmin_ms * 1'000'000U)), u64(0U), u64(0U), u64(0U)};
    p.claim(number(s.cmin) == number(q.cmin_ms) * 1'000'000);
  } else {
    auto const checked = policy::with(q);
    refused = checked.error != system::parameter_error::none;
    s = std::bit_cast<state>(checked.value);
    p.claim(refused ? number(q.jd_millionths) > 1'000'000 || number(q.ju_millionths) > 1'000'000
                    : number(q.jd_millionths) <= 1'000'000 && number(q.ju_millionths) <= 1'000'000);
    if (refused) return;
    p.claim(number(s.cmin) == number(q.cmin_ms) * 1'000'000 && number(s.cmin) <= most());
    p.claim(number(s.cmax) == number(q.cmax_ms) * 1'000'000 && number(s.cmax) <= most());
    p.claim(number(s.from) == number(q.c_ms) * (1'000'000 - number(q.jd_millionths)));
    p.claim(number(s.to) == number(q.c_ms) * (1'000'000 - number(q.ju_millionths)));
    p.claim(number(s.from) >= 0 && number(s.from) <= most());
    p.claim(number(s.to) >= 0 && number(s.to) <= most());
  }
}

// rand = from + u · (to - from), u = draw / 2^32: seen at x = 2, whose factor is 1, with a maximum that nothing
// reaches.
template <class Code>
void draws_between_its_ends(path& p) {
  state const s{u64(0U), u64(std::uint64_t{1} << 53U), p.any<u64>("from"), p.any<u64>("to")};
  auto const draw = p.any<u32>("draw");
  p.assume(number(s.from) <= most() && number(s.to) <= most());
  auto const delay = Code::delay(s, u32(2U), draw);
  p.claim(exact(delay) == number(s.from) * one_ns() + (number(s.to) - number(s.from)) * number(draw));
  p.claim(number(delay.part) >= 0 && number(delay.part) < one_ns());
}

// For all x. The loop doubles a sum: after its turn k the whole nanoseconds and the part are those of (2^k - 1) · step.
// What Z3 cannot find is what the carry of a turn is: floor((2^k - 1) · part / 2^32) less twice the one before.
template <class Code>
void follows_its_formula(path& p, bool rising, unsigned counts) {
  state const s{p.any<u64>("cmin"), p.any<u64>("cmax"), p.any<u64>("from"), p.any<u64>("to")};
  auto const x = p.any<u32>("retry_count");
  auto const draw = p.any<u32>("draw");
  for (auto const& time : {s.cmin, s.cmax, s.from, s.to}) p.assume(number(time) <= most());
  p.assume(rising ? number(s.from) <= number(s.to) : number(s.from) > number(s.to));
  if (counts != 0U) p.assume(number(x) <= static_cast<int>(counts));
  // As the code has it: the product with the draw in two halves.
  auto const span = rising ? number(s.to) - number(s.from) : number(s.from) - number(s.to);
  auto const high = p.quotient(span, one_ns());
  auto const share = p.product(high, number(draw)) * one_ns() + p.product(span - high * one_ns(), number(draw));
  auto const step = p.natural("step");
  p.assume(step == number(s.from) * one_ns() + (rising ? share : -share));
  if (counts == 0U) p.assume(step == 0 || step >= 1000 * one_ns());

  unsigned turns = 0;
  unsigned before = rising ? 1U : 2U;  // quotients of the random part: the halves are known
  std::optional<z3::expr> part, last;
  p.name_quotients([&](z3::expr const& a, z3::expr const& b) -> std::optional<z3::expr> {
    if (before > 0U) {
      --before;
      return std::nullopt;
    }
    if (++turns == 1U) {
      part = a;
      last = number(std::uint64_t{0});
      return last;
    }
    auto const whole = p.quotient((power_of_two(turns) - 1) * *part, b);
    auto carry = whole - 2 * *last;
    last = whole;
    return carry;
  });
  auto const delay = Code::delay(s, x, draw);

  // (2^(x-1) - 1) · step: 0 where either is; for the x at hand what it is; for what lies beyond at least that.
  auto const grown = p.natural("(2^(x-1) - 1) * step");
  auto const here = (power_of_two(turns) - 1) * step;
  p.assume(z3::implies(number(x) <= 1 || step == 0, grown == 0));
  p.assume(z3::implies(number(x) == static_cast<int>(turns + 1U), grown == here));
  p.assume(z3::implies(number(x) > static_cast<int>(turns), grown >= here));
  p.claim(exact(delay) == smaller(number(s.cmin) * one_ns() + grown, number(s.cmax) * one_ns()));
  p.claim(number(delay.ns) >= smaller(number(s.cmin), number(s.cmax)) && number(delay.ns) <= number(s.cmax));
}

// The fault at one count, where no lemma is needed.
void doubles_once_too_often(path& p) {
  state const s{p.any<u64>("cmin"), p.any<u64>("cmax"), p.any<u64>("from"), p.any<u64>("from")};
  for (auto const& time : {s.cmin, s.cmax, s.from}) p.assume(number(time) <= most());
  auto const delay = fault::delay(s, u32(2U), u32(0U));
  p.claim(exact(delay) == smaller((number(s.cmin) + number(s.from)) * one_ns(), number(s.cmax) * one_ns()));
}

template <class Code>
void keeps_to_its_time(path& p) {
  auto const total = p.any<u64>("total");
  auto const elapsed = p.any<u64>("elapsed");
  system::wait const delay{p.any<u64>("delay"), p.any<u32>("part")};
  bool const exceeded = Code::exceeded(total, elapsed, delay);
  auto const sum = number(elapsed) * one_ns() + exact(delay);
  p.claim(exceeded ? sum > number(total) * one_ns() : sum <= number(total) * one_ns());
}

}  // namespace

std::vector<theorem> azure_java_retry_policy_theorems() {
  return {
      {"policy_takes_its_constants_whole", [] { return prove(takes_its_constants<false>); },
       [] { return prove(takes_its_constants<true>, wraps::everywhere); },
       [](inputs const& in) -> replay {
         auto const cmin = in.of<n32>("cmin_ms");
         return {{n64{cmin} * 1'000'000U}, {native::policy_delay(cmin, ~n32{0}, 0U, 0U, 0U).ns}, {cmin * 1'000'000U}};
       }},
      {"random_part_is_exact_between_its_ends", [] { return prove(draws_between_its_ends<code>, wraps::casts); },
       [] {
         return prove(
             [](path& p) {
               p.assume(number(p.any<u32>("draw")) == 0);  // found sooner
               draws_between_its_ends<fault>(p);
             },
             wraps::everywhere);
       },
       [](inputs const& in) -> replay {
         auto const from = in.of("from"), to = in.of("to"), draw = in.of("draw");
         auto const step = (native_wide{from} << 32U) + native_wide{to} * draw - native_wide{from} * draw;
         auto const delay = native::policy_delay_of({0U, n64{1} << 53U, from, to}, 2U, static_cast<n32>(draw));
         return {{static_cast<n64>(step >> 32U), static_cast<n32>(step)},
                 {delay.ns, delay.part},
                 {static_cast<n64>(step * 3U >> 32U), static_cast<n32>(step * 3U)}};
       }},
      {"delay_is_its_formula_at_every_count",
       [] {
         auto const rising = [](path& p) { follows_its_formula<code>(p, true, 0U); };
         auto const small = [](path& p) { follows_its_formula<code>(p, true, 24U); };
         auto const falling = [](path& p) { follows_its_formula<code>(p, false, 16U); };
         return all({prove(rising, wraps::casts, products::bounded), prove(small, wraps::casts, products::bounded),
                     prove(falling, wraps::casts, products::bounded)});
       },
       [] { return prove(doubles_once_too_often, wraps::everywhere); },
       [](inputs const& in) -> replay {
         auto const cmin = in.of("cmin"), cmax = in.of("cmax"), from = in.of("from");
         auto const delay = [&](n32 x) { return native::policy_delay_of({cmin, cmax, from, from}, x, 0U).ns; };
         return {{std::min(cmin + from, cmax)}, {delay(2U)}, {delay(3U)}};
       }},
      {"time_budget_is_exceeded_by_what_does_not_fit", [] { return prove(keeps_to_its_time<code>); },
       [] { return prove(keeps_to_its_time<fault>, wraps::everywhere); },
       [](inputs const& in) -> replay {
         auto const total = in.of("total"), elapsed = in.of("elapsed"), delay = in.of("delay");
         auto const part = in.of<n32>("part");
         auto const sum = ((native_wide{elapsed} + delay) << 32U) + part;
         return {{sum > native_wide{total} << 32U},
                 {native::time_exceeded(total, elapsed, delay, part)},
                 {fault::exceeded(total, elapsed, delay)}};
       }},
  };
}

}  // namespace backoff::systems
