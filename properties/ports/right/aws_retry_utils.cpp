// Right ports of Retry Utilities 202009.00 that follow an open reading: each must pass, and its reading be reported.
#include <array>

#include "ports/plain_retry_utils.hpp"

namespace backoff::conformance {
namespace {

using namespace plain_utils;

struct plain : as_documented {
  static constexpr bool shows_state = true;
};
struct shows_the_window_as_reset : plain {  // and caps what it sleeps, so that no sleep tells
  static double first_window(cycle const& c) { return c.initial + c.jitter; }
  static double sleep(std::uint64_t draw, double window, cycle const& c) {
    return as_documented::sleep(draw, least(window, c.cap), c);
  }
};
struct exclusive_sleep : as_documented {
  static double sleep(std::uint64_t draw, double window, cycle const&) { return remainder(draw, window); }
};
struct exclusive_jitter : as_documented {
  static double jitter(std::uint64_t draw, double most) { return remainder(draw, most); }
};
struct resets_itself : plain {
  template <class P>
  static void exhausted(cycle& c, std::uint64_t draw) {
    reset<P>(c, draw);
  }
};
struct as_the_example : resets_itself {  // but for its division by zero, its seed and how its window grows
  static double jitter(std::uint64_t draw, double most) { return remainder(draw, most); }
  static double sleep(std::uint64_t draw, double window, cycle const&) { return remainder(draw, window); }
};
struct scaled : plain {
  static double jitter(std::uint64_t draw, double most) {
    return static_cast<double>((draw * static_cast<std::uint64_t>(most + 1)) >> 32);
  }
  static double sleep(std::uint64_t draw, double window, cycle const&) { return jitter(draw, window); }
};
struct scaled_exclusive : as_documented {
  static double jitter(std::uint64_t draw, double most) {
    return static_cast<double>((draw * static_cast<std::uint64_t>(most)) >> 32);
  }
  static double sleep(std::uint64_t draw, double window, cycle const&) { return jitter(draw, window); }
};
struct scaled_in_doubles : as_documented {  // floor(random() * (window + 1)): a product may round up to a whole number
  static double jitter(std::uint64_t draw, double most) {
    return std::floor(static_cast<double>(draw) / u32_size * (most + 1));
  }
  static double sleep(std::uint64_t draw, double window, cycle const&) { return jitter(draw, window); }
};
struct scaled_rand15 : as_documented {  // the same with a generator whose number of values is no power of two
  static double jitter(std::uint64_t draw, double most) {
    return std::floor(static_cast<double>(draw) / 32'767 * (most + 1));
  }
  static double sleep(std::uint64_t draw, double window, cycle const&) { return jitter(draw, window); }
};
struct real : plain {
  static double jitter(std::uint64_t draw, double most) { return static_cast<double>(draw) / u32_size * most; }
  static double sleep(std::uint64_t draw, double window, cycle const&) { return jitter(draw, window); }
};
struct reversed : as_documented {
  static double jitter(std::uint64_t draw, double most) { return most - remainder(draw, most + 1); }
  static double sleep(std::uint64_t draw, double window, cycle const&) { return jitter(draw, window); }
};

constexpr draw_source unit{spec::draw::kind::unit, std::uint64_t{1} << 32};
constexpr draw_source rand15{spec::draw::kind::rand, 32'768};
constexpr draw_source rand_odd{spec::draw::kind::rand, 32'767};

built_in follows(std::vector<std::string_view> readings, draw_source draws = {}) {
  built_in how;
  how.follows = std::move(readings);
  how.draws = draws;
  return how;
}

}  // namespace

std::span<built_in const> aws_retry_utils_right_ports() {
  static std::array const ports{
      port<plain>("plain", "written from the document in plain steps",
                  follows({"window-growth=min", "upper-bound=inclusive", "jitter-bound=inclusive",
                           "exhaustion-state=stays", "draw-mapping=modulo"})),
      port<shows_the_window_as_reset>("shows-the-window-as-reset", "caps the window after the first sleep only",
                                      follows({"draw-mapping=modulo"})),
      port<exclusive_sleep>("exclusive-sleep", "sleeps less than the window",
                            follows({"upper-bound=exclusive", "jitter-bound=inclusive"})),
      port<exclusive_jitter>("exclusive-jitter", "adds less than the largest jitter",
                             follows({"upper-bound=inclusive", "jitter-bound=exclusive"})),
      port<resets_itself>("resets-itself", "the call that reports exhaustion resets",
                          follows({"exhaustion-state=resets-itself"})),
      port<as_the_example>(
          "as-the-example", "every open reading of the example",
          follows({"upper-bound=exclusive", "jitter-bound=exclusive", "exhaustion-state=resets-itself"})),
      port<scaled>("scaled", "multiplies its draws instead of taking remainders",
                   follows({"draw-mapping=scaled", "upper-bound=inclusive", "jitter-bound=inclusive"})),
      port<scaled_exclusive>("scaled-exclusive", "multiplies its draws by the windows",
                             follows({"draw-mapping=scaled", "upper-bound=exclusive", "jitter-bound=exclusive"})),
      port<scaled_in_doubles>("scaled-in-doubles", "multiplies in floating point",
                              follows({"draw-mapping=scaled", "upper-bound=inclusive"}, unit)),
      port<scaled_rand15>("scaled-rand", "multiplies the draws of a rand() with 32767 values",
                          follows({"draw-mapping=scaled"}, rand_odd)),
      port<real>("real", "sleeps fractions of a second",
                 follows({"draw-mapping=real", "delay-resolution=real", "window-growth=min"})),
      port<real>("real-unit", "takes real draws in [0, 1)", follows({"draw-mapping=real"}, unit)),
      port<as_documented>("rand15", "takes the draws of a 15-bit rand()", follows({"draw-mapping=modulo"}, rand15)),
      port<reversed>("reversed", "maps draws in a way that no reading lists", follows({"draw-mapping=other"})),
  };
  return ports;
}

}  // namespace backoff::conformance
