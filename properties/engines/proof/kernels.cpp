// Theorems about the kernels, at every width that they are used with.
#include "engines/proof/native.hpp"
#include "engines/proof/theorem.hpp"
#include "engines/proof/theorem_registry.hpp"

namespace backoff::engines::proof {
namespace {

// What the theorems speak of, and the same with one fault each. Templates, so that a fault runs natively too.
struct kernels {
  template <class W>
  static W window_first(W base, W cap) {
    return shipped::window_first(base, cap);
  }
  template <class W>
  static W window_first_jittered(W base, W jitter, W cap) {
    return shipped::window_first_jittered(base, jitter, cap);
  }
  template <class W>
  static W window_next(W window, W cap) {
    return shipped::window_next(window, cap);
  }
  template <class W, class D>
  static W jitter_full(W window, D draw) {
    return shipped::jitter_full(window, draw);
  }
  template <class W>
  static W add_saturating(W a, W b) {
    return shipped::add_saturating(a, b);
  }
  template <class Wide, class W>
  static W multiply_saturating(W a, W b) {
    return shipped::multiply_saturating<Wide>(a, b);
  }
  template <class W>
  static W double_saturating(W base, W doublings) {
    return shipped::double_saturating(base, doublings);
  }
  template <class Wide, class W>
  static W jitter_proportional(W whole, W percent, W r, W rand_max) {
    return shipped::jitter_proportional<Wide>(whole, percent, r, rand_max);
  }
};
struct faults {
  template <class W>  // the cap is forgotten
  static W window_first(W base, W) {
    return base;
  }
  template <class W>  // compared after the sum, which wraps
  static W window_first_jittered(W base, W jitter, W cap) {
    return cap < W(base + jitter) ? cap : W(base + jitter);
  }
  template <class W>  // the same, doubled
  static W window_next(W window, W cap) {
    return cap < W(window + window) ? cap : W(window + window);
  }
  template <class W, class D>  // the upper end is left out
  static W jitter_full(W window, D draw) {
    return window == W(0U) ? window : W(draw % D(window));
  }
  template <class W>  // wraps
  static W add_saturating(W a, W b) {
    return W(a + b);
  }
  template <class Wide, class W>  // cut
  static W multiply_saturating(W a, W b) {
    return W(Wide(a) * Wide(b));
  }
  template <class W>  // shifts as processors do, by the amount modulo the width
  static W double_saturating(W base, W doublings) {
    return W(base << W(doublings & 31U));
  }
  template <class Wide, class W>  // rounds twice
  static W jitter_proportional(W whole, W percent, W r, W rand_max) {
    Wide const units = Wide(Wide(Wide(whole) * Wide(percent)) / Wide(100U));
    return W(Wide(units * Wide(r)) / Wide(rand_max));
  }
};

template <class Code, class W>
void starts(path& p) {
  auto const base = p.any<W>("base");
  auto const cap = p.any<W>("cap");
  p.claim(number(Code::window_first(base, cap)) == smaller(number(base), number(cap)));
}

template <class Code, class W>
void starts_jittered(path& p) {
  auto const base = p.any<W>("base");
  auto const jitter = p.any<W>("jitter");
  auto const cap = p.any<W>("cap");
  auto const window = Code::window_first_jittered(base, jitter, cap);
  p.claim(number(window) == smaller(number(base) + number(jitter), number(cap)));
}

// The step of an induction over n: `grown` is base · 2^n, any natural number.
template <class Code, class W>
void doubles(path& p) {
  auto const grown = p.natural("base * 2^n");
  auto const window = p.any<W>("window");
  auto const cap = p.any<W>("cap");
  p.assume(number(window) == smaller(grown, number(cap)));
  p.claim(number(Code::window_next(window, cap)) == smaller(2 * grown, number(cap)));
}

template <class Code, class W, class D>
void jitters(path& p) {
  auto const window = p.any<W>("window");
  auto const draw = p.any<D>("draw");
  auto const delay = number(Code::jitter_full(window, draw));
  p.claim(delay >= 0 && delay <= number(window));
  p.claim(delay == remainder(p, number(draw), number(window) + 1));
}

template <class Code, class W>
void adds(path& p) {
  auto const a = p.any<W>("a");
  auto const b = p.any<W>("b");
  p.claim(number(Code::add_saturating(a, b)) ==
          smaller(number(a) + number(b), power_of_two(std::numeric_limits<W>::digits) - 1));
}

template <class Code, class Wide, class W>
void multiplies(path& p) {
  auto const a = p.any<W>("a");
  auto const b = p.any<W>("b");
  auto const product = Code::template multiply_saturating<Wide>(a, b);
  p.claim(number(product) == smaller(number(a) * number(b), power_of_two(std::numeric_limits<W>::digits) - 1));
}

// base · 2^doublings, which is known exactly up to the width, and is large beyond it.
template <class Word>
z3::expr doubled(path& p, z3::expr const& base, Word const& doublings, unsigned bits) {
  auto const all = p.natural("base * 2^doublings");
  for (unsigned n = 0; n < bits; ++n) {
    p.assume(z3::implies(number(doublings) == static_cast<int>(n), all == base * power_of_two(n)));
  }
  p.assume(z3::implies(number(doublings) >= static_cast<int>(bits), all >= base * power_of_two(bits)));
  p.assume(z3::implies(base == 0, all == 0));
  return all;
}

template <class Code, class W>
void doubles_at_once(path& p) {
  constexpr unsigned bits = std::numeric_limits<W>::digits;
  auto const base = p.any<W>("base");
  auto const doublings = p.any<W>("doublings");
  auto const window = Code::double_saturating(base, doublings);
  p.claim(number(window) == smaller(doubled(p, number(base), doublings, bits), power_of_two(bits) - 1));
}

// floor is stated without a division: part · 100 · rand_max <= whole · percent · r < (part + 1) · 100 · rand_max.
template <class Code, class Wide, class W>
void jitters_proportionally(path& p) {
  auto const whole = p.any<W>("whole");
  auto const percent = p.any<W>("percent");
  auto const r = p.any<W>("r");
  auto const rand_max = p.any<W>("rand_max");
  p.assume(number(percent) <= 100);
  p.assume(number(rand_max) >= 1);
  p.assume(number(r) <= number(rand_max));
  auto const part = number(Code::template jitter_proportional<Wide>(whole, percent, r, rand_max));
  auto const exact = number(whole) * number(percent) * number(r);
  auto const unit = 100 * number(rand_max);
  p.claim(part * unit <= exact);
  p.claim(exact < part * unit + unit);
  p.claim(part >= 0 && part <= number(whole));
}

using native::n32;
using native::n64;
constexpr n32 top = ~n32{0};

}  // namespace

std::vector<theorem> kernel_theorems() {
  return {
      {"window_starts_at_the_smaller_of_base_and_cap",
       [] { return all({prove(starts<kernels, u16>), prove(starts<kernels, u32>), prove(starts<kernels, u64>)}); },
       [] { return prove(starts<faults, u32>, wraps::everywhere); },
       [](inputs const& in) -> replay {
         auto const base = in.of<n32>("base"), cap = in.of<n32>("cap");
         return {{std::min(base, cap)}, {native::window_first(base, cap)}, {faults::window_first(base, cap)}};
       }},
      {"jittered_window_starts_at_the_smaller_of_sum_and_cap",
       [] {
         return all({prove(starts_jittered<kernels, u16>), prove(starts_jittered<kernels, u32>),
                     prove(starts_jittered<kernels, u64>)});
       },
       [] { return prove(starts_jittered<faults, u32>, wraps::everywhere); },
       [](inputs const& in) -> replay {
         auto const base = in.of<n32>("base"), jitter = in.of<n32>("jitter"), cap = in.of<n32>("cap");
         return {{std::min<n64>(n64{base} + jitter, cap)},
                 {native::window_first_jittered(base, jitter, cap)},
                 {faults::window_first_jittered(base, jitter, cap)}};
       }},
      {"window_doubles_up_to_its_cap",
       [] { return all({prove(doubles<kernels, u16>), prove(doubles<kernels, u32>), prove(doubles<kernels, u64>)}); },
       [] { return prove(doubles<faults, u32>, wraps::everywhere); },
       [](inputs const& in) -> replay {
         auto const window = in.of<n32>("window"), cap = in.of<n32>("cap");
         return {{std::min<n64>(n64{window} * 2U, cap)},
                 {native::window_next(window, cap)},
                 {faults::window_next(window, cap)}};
       }},
      {"jitter_is_a_remainder_within_its_window",
       [] {
         return all({prove(jitters<kernels, u16, u32>), prove(jitters<kernels, u32, u32>, wraps::sums),
                     prove(jitters<kernels, u32, u64>)});
       },
       [] { return prove(jitters<faults, u32, u32>, wraps::everywhere); },
       [](inputs const& in) -> replay {
         auto const window = in.of<n32>("window"), draw = in.of<n32>("draw");
         return {{draw % (n64{window} + 1U)}, {native::jitter_full(window, draw)}, {faults::jitter_full(window, draw)}};
       }},
      {"sum_stops_at_the_top",
       [] { return all({prove(adds<kernels, u32>, wraps::sums), prove(adds<kernels, u64>, wraps::sums)}); },
       [] { return prove(adds<faults, u32>, wraps::everywhere); },
       [](inputs const& in) -> replay {
         auto const a = in.of<n32>("a"), b = in.of<n32>("b");
         return {{std::min<n64>(n64{a} + b, top)}, {native::add_saturating(a, b)}, {faults::add_saturating(a, b)}};
       }},
      {"product_stops_at_the_top",
       [] { return all({prove(multiplies<kernels, u32, u16>), prove(multiplies<kernels, u64, u32>)}); },
       [] { return prove(multiplies<faults, u64, u32>, wraps::everywhere); },
       [](inputs const& in) -> replay {
         auto const a = in.of<n32>("a"), b = in.of<n32>("b");
         return {{std::min<n64>(n64{a} * b, top)},
                 {native::multiply_saturating(a, b)},
                 {faults::multiply_saturating<n64>(a, b)}};
       }},
      {"doublings_stop_at_the_top",
       [] { return all({prove(doubles_at_once<kernels, u32>), prove(doubles_at_once<kernels, u64>)}); },
       [] { return prove(doubles_at_once<faults, u32>, wraps::everywhere); },
       [](inputs const& in) -> replay {
         auto const base = in.of<n32>("base"), doublings = in.of<n32>("doublings");
         return {{base == 0U || doublings < 32U ? std::min<n64>(n64{base} << (doublings % 64U), top) : top},
                 {native::double_saturating(base, doublings)},
                 {faults::double_saturating(base, doublings)}};
       }},
      {"proportional_jitter_is_rounded_down_once",
       [] {
         return all(
             {prove(jitters_proportionally<kernels, u32, u16>), prove(jitters_proportionally<kernels, u64, u32>)});
       },
       [] {
         return prove(
             [](path& p) {
               for (auto const* name : {"whole", "rand_max"})
                 p.assume(number(p.any<u32>(name)) <= 200);  // found sooner
               jitters_proportionally<faults, u64, u32>(p);
             },
             wraps::everywhere);
       },
       [](inputs const& in) -> replay {
         auto const whole = in.of<n32>("whole"), percent = in.of<n32>("percent"), r = in.of<n32>("r"),
                    rand_max = in.of<n32>("rand_max");
         return {{static_cast<n64>(native_wide{whole} * percent * r / (native_wide{100U} * rand_max))},
                 {native::jitter_proportional(whole, percent, r, rand_max)},
                 {faults::jitter_proportional<n64>(whole, percent, r, rand_max)}};
       }},
  };
}

}  // namespace backoff::engines::proof
