// Right ports of backoffAlgorithm v1.3.0 that follow an open reading: each must pass, and its reading be reported.
#include <array>
#include <cstdio>

#include "ports/built_in.hpp"
#include "ports/plain_full_jitter.hpp"

namespace backoff::conformance {
namespace {

using namespace plain;

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
struct real : as_documented {
  static observed delay(std::uint64_t draw, number window, cycle const&) { return real_delay(draw, window); }
};
struct reversed : as_documented {
  static observed delay(std::uint64_t draw, number window, cycle const&) {
    return observed::of(window - static_cast<number>(draw % static_cast<std::uint64_t>(window + 1)));
  }
};

constexpr draw_source unit{spec::draw::kind::unit, u32_size};
constexpr draw_source rand15{spec::draw::kind::rand, 32'768};

}  // namespace

std::span<built_in const> aws_backoff_algorithm_right_ports() {
  static std::array const ports{
      built_in{"plain",
               "written from the document in plain steps",
               run<as_documented>,
               {},
               0xffff'ffff,
               {},
               {"window-growth=min", "upper-bound=inclusive", "draw-mapping=modulo"}},
      built_in{"counts-from-one",
               "the exponent counts the retry at hand",
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
      built_in{"reversed",
               "maps draws in a way that no reading lists",
               run<reversed>,
               {},
               0xffff'ffff,
               {},
               {"draw-mapping=other"}},
  };
  return ports;
}

}  // namespace backoff::conformance
