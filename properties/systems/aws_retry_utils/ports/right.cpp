// Right ports of Retry Utilities 202009.00: one for each open reading, and the document's own written as different
// people would. Each must pass, and its reading be reported.
#include <algorithm>
#include <array>
#include <functional>
#include <optional>

#include "systems/aws_retry_utils/ports/documented.hpp"

namespace backoff::systems {
namespace {

using namespace reference_utils;

struct reference_port : as_documented {
  static constexpr bool shows_state = true;
};
struct shows_the_window_as_reset : reference_port {  // and caps what it sleeps, so that no sleep tells
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
struct resets_itself : reference_port {
  template <class P>
  static void exhausted(cycle& c, std::uint64_t draw) {
    reset<P>(c, draw);
  }
};
struct as_the_example : resets_itself {  // but for its division by zero, its seed and how its window grows
  static double jitter(std::uint64_t draw, double most) { return remainder(draw, most); }
  static double sleep(std::uint64_t draw, double window, cycle const&) { return remainder(draw, window); }
};
struct scaled : reference_port {
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
struct scaled_in_floats : as_documented {  // of 24 bits, so that a sleep is off by one now and then
  static double jitter(std::uint64_t draw, double most) {
    auto const u = static_cast<float>(static_cast<double>(draw) / u32_size);
    return least(std::floor(u * (static_cast<float>(most) + 1)), most);
  }
  static double sleep(std::uint64_t draw, double window, cycle const&) { return jitter(draw, window); }
};
struct divided : as_documented {  // as C textbooks make a number below n of rand()
  static double jitter(std::uint64_t draw, double most) {
    auto const n = static_cast<std::uint64_t>(most) + 1;
    return static_cast<double>(draw / (0xffff'ffff / n + 1));
  }
  static double sleep(std::uint64_t draw, double window, cycle const&) { return jitter(draw, window); }
};
struct in_milliseconds : as_documented {
  static double jitter(std::uint64_t draw, double most) {
    return std::floor(static_cast<double>(draw) / u32_size * most * 1'000) / 1'000;
  }
  static double sleep(std::uint64_t draw, double window, cycle const&) { return jitter(draw, window); }
};
struct real : reference_port {
  static double jitter(std::uint64_t draw, double most) { return static_cast<double>(draw) / u32_size * most; }
  static double sleep(std::uint64_t draw, double window, cycle const&) { return jitter(draw, window); }
};
struct mixed_mappings : reference_port {  // a remainder for the sleep, a product for the jitter
  static double jitter(std::uint64_t draw, double most) { return scaled::jitter(draw, most); }
};
struct real_jitter : reference_port {  // and whole sleeps
  static double jitter(std::uint64_t draw, double most) { return real::jitter(draw, most); }
};
struct real_jitter_scaled : reference_port {  // floor(random() * window)
  static double jitter(std::uint64_t draw, double most) { return real::jitter(draw, most); }
  static double sleep(std::uint64_t draw, double window, cycle const&) {
    return std::floor(static_cast<double>(draw) / u32_size * window);
  }
};
struct real_sleep : reference_port {  // and a whole jitter
  static double sleep(std::uint64_t draw, double window, cycle const&) { return real::jitter(draw, window); }
};
struct near_jitter : reference_port {
  static double jitter(std::uint64_t draw, double most) { return scaled_in_floats::jitter(draw, most); }
};
struct reversed_jitter : reference_port {
  static double jitter(std::uint64_t draw, double most) { return most - remainder(draw, most + 1); }
};
struct reversed : as_documented {
  static double jitter(std::uint64_t draw, double most) { return most - remainder(draw, most + 1); }
  static double sleep(std::uint64_t draw, double window, cycle const&) { return jitter(draw, window); }
};

// ---- Other ways to write the same, in integers ----

// The constants of a history.
struct constants {
  std::uint64_t initial, cap, jitter_max, limit;  // limit 0: none
};

// A port with a state of its own: made of the constants, it answers reset and backoff.
template <class Port>
std::vector<answer> serve(history const& h) {
  auto const param = [&](std::size_t i) { return static_cast<std::uint64_t>(h.params[i].n); };
  std::vector<Port> instances(instances_max, Port({param(0), param(1), param(2), param(3)}));
  std::vector<answer> answers;
  for (auto const& step : h.steps) {
    auto& port = instances[step.on];
    auto const draw = static_cast<std::uint64_t>(step.args[0].n);
    if (step.op == 1) {
      port.reset(draw);
      answers.push_back({observed::word(2)});
    } else if (auto const slept = port.backoff(draw)) {
      answers.push_back({observed::word(0), observed::of(static_cast<std::int64_t>(*slept))});
    } else {
      answers.push_back({observed::word(1)});
    }
  }
  return answers;
}

using seconds = std::optional<std::uint64_t>;

// 32 bits, in which sums saturate.
struct saturating {
  explicit saturating(constants const& c) : given(c) {}
  void reset(std::uint64_t draw) {
    auto const jitter = static_cast<std::uint32_t>(draw % (given.jitter_max + 1));
    window = std::min(plus(static_cast<std::uint32_t>(given.initial), jitter), cap());
    done = 0;
  }
  seconds backoff(std::uint64_t draw) {
    if (given.limit != 0 && done == given.limit) return {};
    ++done;
    auto const slept = draw % (std::uint64_t{window} + 1);
    window = std::min(plus(window, window), cap());
    return slept;
  }
  [[nodiscard]] std::uint32_t cap() const { return static_cast<std::uint32_t>(given.cap); }
  static std::uint32_t plus(std::uint32_t a, std::uint32_t b) { return a > ~b ? ~0U : a + b; }
  constants given;
  std::uint32_t window = 0;
  std::uint64_t done = 0;
};
// The first window is kept, and shifted anew for each sleep, in 128 bits.
struct shifts {
  explicit shifts(constants const& c) : given(c) {}
  void reset(std::uint64_t draw) { first = given.initial + draw % (given.jitter_max + 1), done = 0; }
  seconds backoff(std::uint64_t draw) {
    if (given.limit != 0 && done >= given.limit) return {};
    auto const grown = first << std::min<std::uint64_t>(done++, 64);
    auto const window = static_cast<std::uint64_t>(std::min<wide>(grown, given.cap));
    return draw % (window + 1);
  }
  __extension__ using wide = unsigned __int128;
  constants given;
  wide first = 0;
  std::uint64_t done = 0;
};
// All windows of a cycle are computed at its reset.
struct tabulated {
  explicit tabulated(constants const& c) : given(c) {}
  void reset(std::uint64_t draw) {
    windows.clear();
    for (auto w = given.initial + draw % (given.jitter_max + 1); w != 0 && w < given.cap; w += w) windows.push_back(w);
    bool const never_grows = windows.empty() && given.initial + draw % (given.jitter_max + 1) == 0;
    windows.push_back(never_grows ? 0 : given.cap);
    done = 0;
  }
  seconds backoff(std::uint64_t draw) {
    if (given.limit != 0 && done == given.limit) return {};
    auto const window = windows[std::min<std::size_t>(done++, windows.size() - 1)];
    return draw % (window + 1);
  }
  constants given;
  std::vector<std::uint64_t> windows;
  std::uint64_t done = 0;
};
// Counts what is left, and draws before it looks whether anything is.
struct counts_down {
  explicit counts_down(constants const& c) : given(c) {}
  void reset(std::uint64_t draw) {
    left = given.limit == 0 ? ~std::uint64_t{0} : given.limit;
    window = std::min(given.initial + draw % (given.jitter_max + 1), given.cap);
  }
  seconds backoff(std::uint64_t draw) {
    auto const slept = draw % (window + 1);
    if (left == 0) return {};
    if (given.limit != 0) --left;
    window = std::min(2 * window, given.cap);
    return slept;
  }
  constants given;
  std::uint64_t left = 0;
  std::uint64_t window = 0;
};
// A reset keeps its draw; the cycle begins at the first sleep.
struct lazily_reset : saturating {
  using saturating::saturating;
  void reset(std::uint64_t draw) { kept = draw; }
  seconds backoff(std::uint64_t draw) {
    if (kept) saturating::reset(*kept);
    kept.reset();
    return saturating::backoff(draw);
  }
  std::optional<std::uint64_t> kept;
};
// A cycle is a closure, made at each reset.
struct closure {
  explicit closure(constants const& c) : given(c) {}
  void reset(std::uint64_t draw) {
    cycle = [c = given, window = std::min(given.initial + draw % (given.jitter_max + 1), given.cap),
             n = std::uint64_t{0}](std::uint64_t u) mutable -> seconds {
      if (c.limit != 0 && n++ >= c.limit) return {};
      auto const now = window;
      window = now > c.cap / 2 ? c.cap : now * 2;
      return u % (now + 1);
    };
  }
  seconds backoff(std::uint64_t draw) { return cycle(draw); }
  constants given;
  std::function<seconds(std::uint64_t)> cycle;
};

struct in_floats : as_documented {  // which hold every window of 24 bits
  static double first_window(cycle const& c) {
    return std::fmin(static_cast<float>(c.initial) + static_cast<float>(c.jitter), static_cast<float>(c.cap));
  }
  static double grown(cycle const& c) {
    return std::fmin(static_cast<float>(c.window) * 2.0F, static_cast<float>(c.cap));
  }
};
struct recursive : as_documented {  // from the first window at each sleep; the cycle's own window is not used
  static double sleep(std::uint64_t draw, double, cycle const& c) {
    return remainder(draw, window(first_window(c), c.cap, c.done) + 1);
  }
  static double window(double w, double cap, double n) {
    return n == 0 || w == 0 || w == cap ? w : window(least(w + w, cap), cap, n - 1);
  }
};

constexpr draw_source unit{spec::draw_kind::unit, std::uint64_t{1} << 32};
constexpr draw_source rand15{spec::draw_kind::rand, 32'768};
constexpr draw_source rand_odd{spec::draw_kind::rand, 32'767};

built_in follows(std::vector<std::string_view> readings, draw_source draws = {}) {
  built_in how;
  how.follows = std::move(readings);
  how.draws = draws;
  return how;
}

built_in as_canonical(std::string_view name, std::string_view sentence, std::vector<answer> (*how)(history const&)) {
  auto p =
      follows({"upper-bound=inclusive", "jitter-bound=inclusive", "exhaustion-state=stays", "draw-mapping=modulo"});
  p.name = name;
  p.sentence = sentence;
  p.run = how;
  p.lacks = bit(feature::state);
  return p;
}
built_in narrow(built_in p, std::int64_t widest) {
  p.widest = widest;
  return p;
}

}  // namespace

std::span<built_in const> aws_retry_utils_right_ports() {
  static std::vector<built_in> const ports{
      port<reference_port>("plain", "written from the document in plain steps",
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
      port<scaled_in_floats>("scaled-in-floats", "multiplies in floating point of 32 bits",
                             follows({"draw-mapping=near"}, unit)),
      port<divided>("divided", "divides its draws by the number of draws for each sleep",
                    follows({"draw-mapping=divided", "upper-bound=inclusive", "jitter-bound=inclusive"})),
      port<in_milliseconds>("in-milliseconds", "sleeps whole milliseconds",
                            follows({"draw-mapping=near", "delay-resolution=real"})),
      port<real>("real", "sleeps fractions of a second",
                 follows({"draw-mapping=real", "jitter-mapping=real", "window-growth=min"})),
      port<real>("real-unit", "takes real draws in [0, 1)", follows({"draw-mapping=real"}, unit)),
      port<as_documented>("rand15", "takes the draws of a 15-bit rand()", follows({"draw-mapping=modulo"}, rand15)),
      port<mixed_mappings>("mixed-mappings", "maps the draw of the reset in another way than the others",
                           follows({"draw-mapping=modulo", "jitter-mapping=scaled", "jitter-bound=inclusive"})),
      port<real_jitter>("real-jitter", "sleeps whole seconds of windows that are not whole",
                        follows({"draw-mapping=modulo", "upper-bound=inclusive", "jitter-mapping=real"})),
      port<real_jitter_scaled>("real-jitter-scaled", "the same, by multiplication",
                               follows({"draw-mapping=scaled", "upper-bound=exclusive", "jitter-mapping=real"})),
      port<real_sleep>("real-sleep", "sleeps fractions of a second of whole windows",
                       follows({"draw-mapping=real", "jitter-mapping=modulo", "jitter-bound=inclusive"})),
      port<near_jitter>("near-jitter", "multiplies in floating point of 32 bits for the jitter alone",
                        follows({"draw-mapping=modulo", "jitter-mapping=near"})),
      port<reversed_jitter>("reversed-jitter", "maps the draw of a reset in a way that no reading lists",
                            follows({"draw-mapping=modulo", "jitter-mapping=other"})),
      port<reversed>("reversed", "maps draws in a way that no reading lists", follows({"draw-mapping=other"})),
      as_canonical("saturating", "adds in 32 bits and saturates", serve<saturating>),
      as_canonical("shifts", "shifts the first window for each sleep", serve<shifts>),
      as_canonical("tabulated", "looks its windows up", serve<tabulated>),
      as_canonical("counts-down", "counts what is left, and draws before it looks", serve<counts_down>),
      as_canonical("lazily-reset", "begins a cycle at its first sleep", serve<lazily_reset>),
      as_canonical("closure", "is a closure for each cycle", serve<closure>),
      as_canonical("recursive", "calls itself for the window before", run<recursive>),
      narrow(as_canonical("in-floats", "doubles in single precision", run<in_floats>), 0x3f'ffff),
  };
  return ports;
}

}  // namespace backoff::systems
