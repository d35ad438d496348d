// Right ports of backoffAlgorithm v1.3.0: one for each open reading, and the document's own written as different people
// would. Each must pass, and its reading be reported.
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <functional>
#include <utility>

#include "ports/built_in.hpp"
#include "systems/aws_backoff_algorithm/ports/documented.hpp"

namespace backoff::systems {
namespace {

using namespace reference_port;

constexpr std::uint64_t u32_size = std::uint64_t{1} << 32;

// draw / 2^32 · window in doubles, as a port in a language without integers would.
observed real_delay(std::uint64_t draw, number window) {
  std::array<char, 32> text{};
  double const delay = static_cast<double>(draw) / static_cast<double>(u32_size) * static_cast<double>(window);
  std::snprintf(text.data(), text.size(), "%.17g", delay);
  return observed::of(*spec::parse_decimal(text.data()));
}

struct counts_from_one : as_documented {
  static number window(cycle const& c) { return least(doubled(c.base, c.n + 1), c.cap); }
};
struct exclusive : as_documented {
  static observed delay(std::uint64_t draw, number window, cycle const&) {
    return observed::of(window == 0 ? 0 : static_cast<number>(draw % static_cast<std::uint64_t>(window)));
  }
};
struct scaled : as_documented {
  static observed delay(std::uint64_t draw, number window, cycle const&) {
    return observed::of(static_cast<number>((draw * static_cast<std::uint64_t>(window + 1)) >> 32));
  }
};
struct scaled_exclusive : as_documented {
  static observed delay(std::uint64_t draw, number window, cycle const&) {
    return observed::of(static_cast<number>((draw * static_cast<std::uint64_t>(window)) >> 32));
  }
};
struct scaled_in_doubles : as_documented {  // floor(random() * (window + 1)): a product may round up to a whole number
  static observed delay(std::uint64_t draw, number window, cycle const&) {
    double const u = static_cast<double>(draw) / static_cast<double>(u32_size);
    return observed::of(static_cast<number>(u * (static_cast<double>(window) + 1)));
  }
};
template <std::uint64_t Size>
struct scaled_in_floats : as_documented {  // of 24 bits, so that a delay is off by one now and then
  static observed delay(std::uint64_t draw, number window, cycle const&) {
    float const u = static_cast<float>(draw) / static_cast<float>(Size);
    return observed::of(least(static_cast<number>(u * (static_cast<float>(window) + 1)), window));
  }
};
struct top_24_bits : as_documented {  // of the draw, and of 2^24 exactly
  static observed delay(std::uint64_t draw, number window, cycle const&) {
    return observed::of(static_cast<number>(((draw >> 8) * static_cast<std::uint64_t>(window + 1)) >> 24));
  }
};
struct divided : as_documented {  // as C textbooks make a number below n of rand()
  static observed delay(std::uint64_t draw, number window, cycle const&) {
    auto const n = static_cast<std::uint64_t>(window) + 1;
    return observed::of(static_cast<number>(draw / ((u32_size - 1) / n + 1)));
  }
};
struct divided_rand15 : as_documented {
  static observed delay(std::uint64_t draw, number window, cycle const&) {
    return observed::of(window == 0 ? 0
                                    : static_cast<number>(draw / (32'767 / static_cast<std::uint64_t>(window) + 1)));
  }
};
struct real_in_microseconds : as_documented {
  static observed delay(std::uint64_t draw, number window, cycle const&) {
    std::array<char, 32> text{};
    auto const us = (draw * static_cast<std::uint64_t>(window) * 1'000) >> 32;
    std::snprintf(text.data(), text.size(), "%.15g", static_cast<double>(us) / 1'000);
    return observed::of(*spec::parse_decimal(text.data()));
  }
};
struct real : as_documented {
  static observed delay(std::uint64_t draw, number window, cycle const&) { return real_delay(draw, window); }
};
struct reversed : as_documented {
  static observed delay(std::uint64_t draw, number window, cycle const&) {
    return observed::of(window - static_cast<number>(draw % static_cast<std::uint64_t>(window + 1)));
  }
};

// ---- Other ways to write the same ----

// A port with a state of its own: made of base, cap and limit, it answers next and reset.
template <class Port>
std::vector<answer> serve(history const& h) {
  auto const c = start(h);
  std::vector<Port> instances(instances_max, Port(c.base, c.cap, c.limit));
  std::vector<answer> answers;
  for (auto const& step : h.steps) {
    auto& port = instances[step.on];
    if (step.op == 1) {
      port.reset();
      answers.push_back(acknowledged());
    } else if (auto const delay = port.next(static_cast<std::uint64_t>(step.args[0].n))) {
      answers.push_back(retry(observed::of(*delay)));
    } else {
      answers.push_back(exhausted());
    }
  }
  return answers;
}

using maybe = std::optional<number>;
constexpr number drawn_up_to(std::uint64_t draw, number window) {
  return static_cast<number>(draw % (static_cast<std::uint64_t>(window) + 1));
}

// The window is carried on, in 32 bits; what does not fit under the cap is the cap.
struct saturating {
  saturating(number base, number most, maybe last) : first(u32(base)), cap(u32(most)), limit(last) { reset(); }
  void reset() { window = first < cap ? first : cap, done = 0; }
  maybe next(std::uint64_t draw) {
    if (limit && done == *limit) return {};
    number const delay = drawn_up_to(draw, window);
    window = window > cap - window ? cap : window + window;
    ++done;
    return delay;
  }
  static std::uint32_t u32(number n) { return static_cast<std::uint32_t>(n); }
  std::uint32_t first, cap, window = 0;
  maybe limit;
  number done = 0;
};
// All windows are computed when it is made: the last one is for all attempts beyond.
struct tabulated {
  tabulated(number base, number cap, maybe last) : limit(last) {
    for (number w = base; w != 0 && w < cap; w *= 2) windows.push_back(w);
    windows.push_back(base == 0 ? 0 : cap);
  }
  void reset() { at = 0, done = 0; }
  maybe next(std::uint64_t draw) {
    if (limit && done++ >= *limit) return {};
    number const window = windows[at];
    if (at + 1 < windows.size()) ++at;
    return drawn_up_to(draw, window);
  }
  std::vector<number> windows;
  maybe limit;
  std::size_t at = 0;
  number done = 0;
};
// Counts what is left, and takes its random number before it looks whether anything is.
struct counts_down {
  counts_down(number base, number most, maybe last) : first(base), cap(most), limit(last) { reset(); }
  void reset() { left = limit, factor = 1; }
  maybe next(std::uint64_t draw) {
    number const window = least(first * factor, cap);
    number const delay = drawn_up_to(draw, window);
    if (left && *left == 0) return {};
    if (left) --*left;
    if (window < cap && first != 0) factor *= 2;
    return delay;
  }
  number first, cap;
  maybe limit, left;
  number factor = 1;
};
// A reset is only noted, and takes place at the next call.
struct lazily_reset : saturating {
  using saturating::saturating;
  void reset() { stale = true; }
  maybe next(std::uint64_t draw) {
    if (stale) saturating::reset();
    stale = false;
    return saturating::next(draw);
  }
  bool stale = true;
};
// A closure that returns delays.
struct closure {
  closure(number base, number cap, maybe limit) {
    make = [=] {
      return [=, window = least(base, cap), left = limit.value_or(-1)](std::uint64_t draw) mutable -> maybe {
        if (left == 0) return {};
        --left;
        auto const now = std::exchange(window, least(2 * window, cap));
        return drawn_up_to(draw, now);
      };
    };
    reset();
  }
  void reset() { delays = make(); }
  maybe next(std::uint64_t draw) { return delays(draw); }
  std::function<std::function<maybe(std::uint64_t)>()> make;
  std::function<maybe(std::uint64_t)> delays;
};

struct shifts : as_documented {  // no farther than the highest bit allows
  static number window(cycle const& c) {
    auto const base = static_cast<std::uint32_t>(c.base);
    bool const fits = c.n <= std::countl_zero(base);
    return base == 0 ? 0 : fits ? least(number{base} << c.n, c.cap) : c.cap;
  }
};
struct attempts_to_the_cap : as_documented {  // divided out, in place of a comparison of windows
  static number window(cycle const& c) {
    if (c.base == 0 || c.cap == 0) return 0;
    auto const growing = std::bit_width(static_cast<std::uint64_t>((c.cap - 1) / c.base));
    return c.n >= static_cast<number>(growing) ? c.cap : c.base << c.n;
  }
};
struct in_doubles : as_documented {
  static number window(cycle const& c) {
    double const grown = std::ldexp(static_cast<double>(c.base), static_cast<int>(least(c.n, 1'000)));
    return static_cast<number>(std::fmin(grown, static_cast<double>(c.cap)));
  }
};
struct in_floats : as_documented {  // which hold every window of 24 bits
  static number window(cycle const& c) {
    float const grown = std::ldexp(static_cast<float>(c.base), static_cast<int>(least(c.n, 100)));
    return static_cast<number>(std::fmin(grown, static_cast<float>(c.cap)));
  }
};
struct in_128_bits : as_documented {
  static number window(cycle const& c) {
    __extension__ using wide = unsigned __int128;
    auto const grown = static_cast<wide>(c.base) << least(c.n, 64);
    return grown < static_cast<wide>(c.cap) ? static_cast<number>(grown) : c.cap;
  }
};
struct recursive : as_documented {
  static number window(cycle const& c) { return grown(least(c.base, c.cap), c.cap, c.n); }
  static number grown(number w, number cap, number n) {
    return n == 0 || w == cap || w == 0 ? w : grown(least(w + w, cap), cap, n - 1);
  }
};
struct divides_by_shifts : as_documented {  // on a processor that cannot divide
  static observed delay(std::uint64_t draw, number window, cycle const&) {
    auto const size = static_cast<std::uint64_t>(window) + 1;
    for (int i = 32; i >= 0; --i) {
      if (draw >= size << i) draw -= size << i;
    }
    return observed::of(static_cast<number>(draw));
  }
};
struct exclusive_from_one : exclusive {  // two open readings at once
  static number window(cycle const& c) { return counts_from_one::window(c); }
};

built_in as_canonical(std::string_view name, std::string_view sentence, std::vector<answer> (*how)(history const&),
                      std::int64_t widest = 0xffff'ffff) {
  return {.name = name,
          .sentence = sentence,
          .run = how,
          .widest = widest,
          .follows = {"attempt-origin=zero", "upper-bound=inclusive", "draw-mapping=modulo"}};
}

constexpr draw_source unit{spec::draw_kind::unit, u32_size};
constexpr draw_source rand15{spec::draw_kind::rand, 32'768};

}  // namespace

std::span<built_in const> aws_backoff_algorithm_right_ports() {
  static std::vector<built_in> const ports{
      built_in{"plain",
               "written from the document in plain steps",
               run<as_documented>,
               {},
               0xffff'ffff,
               {},
               {"window-growth=min", "upper-bound=inclusive", "draw-mapping=modulo"}},
      built_in{"counts-from-one",
               "the exponent counts the current retry",
               run<counts_from_one>,
               {},
               0xffff'ffff,
               {},
               {"attempt-origin=one"}},
      built_in{"exclusive", "draws from [0, window)", run<exclusive>, {}, 0xffff'ffff, {}, {"upper-bound=exclusive"}},
      built_in{"scaled",
               "multiplies the draw instead of taking a remainder",
               run<scaled>,
               {},
               0xffff'ffff,
               {},
               {"draw-mapping=scaled", "upper-bound=inclusive"}},
      built_in{"scaled-exclusive",
               "multiplies the draw by the window",
               run<scaled_exclusive>,
               {},
               0xffff'ffff,
               {},
               {"draw-mapping=scaled", "upper-bound=exclusive"}},
      built_in{"scaled-in-doubles",
               "multiplies in floating point",
               run<scaled_in_doubles>,
               unit,
               0xffff'ffff,
               {},
               {"draw-mapping=scaled", "upper-bound=inclusive"}},
      built_in{"real",
               "answers fractions of a millisecond",
               run<real>,
               {},
               0xffff'ffff,
               {},
               {"draw-mapping=real", "delay-resolution=real"}},
      built_in{"real-unit", "takes a real draw in [0, 1)", run<real>, unit, 0xffff'ffff, {}, {"draw-mapping=real"}},
      built_in{"scaled-unit",
               "takes a real draw in [0, 1) and rounds down",
               run<scaled>,
               unit,
               0xffff'ffff,
               {},
               {"draw-mapping=scaled"}},
      built_in{"rand15",
               "takes the draws of a 15-bit rand()",
               run<as_documented>,
               rand15,
               0xffff'ffff,
               {},
               {"draw-mapping=modulo"}},
      built_in{"scaled-in-floats",
               "multiplies in floating point of 32 bits",
               run<scaled_in_floats<u32_size>>,
               unit,
               0xffff'ffff,
               {},
               {"draw-mapping=near"}},
      built_in{"scaled-in-floats-rand15",
               "multiplies the draws of a 15-bit rand() in floating point of 32 bits",
               run<scaled_in_floats<32'768>>,
               rand15,
               0xffff'ffff,
               {},
               {"draw-mapping=near"}},
      built_in{"top-24-bits",
               "multiplies the upper 24 bits of a draw",
               run<top_24_bits>,
               {},
               0xffff'ffff,
               {},
               {"draw-mapping=near"}},
      built_in{"divided",
               "divides the draw by the number of draws for each delay",
               run<divided>,
               {},
               0xffff'ffff,
               {},
               {"draw-mapping=divided", "upper-bound=inclusive"}},
      built_in{"divided-rand15",
               "divides the draws of a 15-bit rand()",
               run<divided_rand15>,
               rand15,
               0xffff'ffff,
               {},
               {"draw-mapping=divided", "upper-bound=exclusive"}},
      built_in{"real-in-microseconds",
               "answers whole microseconds",
               run<real_in_microseconds>,
               {},
               0x3f'ffff,
               {},
               {"draw-mapping=near", "delay-resolution=real"}},
      built_in{"reversed",
               "maps draws in a way that no reading lists",
               run<reversed>,
               {},
               0xffff'ffff,
               {},
               {"draw-mapping=other"}},
      as_canonical("saturating", "doubles in 32 bits and saturates", serve<saturating>),
      as_canonical("tabulated", "looks its windows up", serve<tabulated>),
      as_canonical("counts-down", "counts what is left, and draws before it looks", serve<counts_down>),
      as_canonical("lazily-reset", "resets at the next call", serve<lazily_reset>),
      as_canonical("closure", "is a closure", serve<closure>),
      as_canonical("shifts", "shifts as far as the highest bit allows", run<shifts>),
      as_canonical("attempts-to-the-cap", "counts the attempts up to the cap", run<attempts_to_the_cap>),
      as_canonical("in-doubles", "doubles in floating point", run<in_doubles>),
      as_canonical("in-floats", "doubles in single precision", run<in_floats>, 0xff'ffff),
      as_canonical("in-128-bits", "shifts in 128 bits", run<in_128_bits>),
      as_canonical("recursive", "calls itself for the window before", run<recursive>),
      as_canonical("divides-by-shifts", "takes remainders without a division", run<divides_by_shifts>),
      built_in{.name = "exclusive-from-one",
               .sentence = "counts the current retry, and draws from [0, window)",
               .run = run<exclusive_from_one>,
               .follows = {"attempt-origin=one", "upper-bound=exclusive"}},
  };
  return ports;
}

}  // namespace backoff::systems
