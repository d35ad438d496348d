// Wrong ports of Retry Utilities 202009.00: faults that retry code has shipped. Each must be caught by the claim that
// it names; those of a hazard reading must be recognised as such, and pass when it is pinned.
#include "ports/full_jitter.hpp"
#include "systems/aws_retry_utils/faults.hpp"
#include "systems/aws_retry_utils/ports/documented.hpp"

namespace backoff::systems {
namespace {

using namespace reference_utils;

struct one_draw_for_all : as_documented {  // drawn at the reset, and used again for every sleep
  static double sleep(std::uint64_t, double window, cycle const& c) { return remainder(c.drawn, window + 1); }
};
struct zero_attempts_are_none : as_documented {
  static bool ended(cycle const& c) { return c.done >= c.limit; }
};
struct starts_again_without_a_word : as_documented {  // exhaustion is reported once, and the window goes on growing
  template <class P>
  static void exhausted(cycle& c, std::uint64_t) {
    c.done = 0;
  }
};
struct throws_on_an_empty_window : as_documented {  // of jitter or of sleep
  static constexpr bool shows_state = true;
  static bool reset_fails(cycle const& c) { return c.jitter_max == 0; }
  static bool fails(cycle const& c) { return c.window == 0; }
};
struct does_not_sleep_at_last : as_documented {  // the last retry is announced as done
  static std::uint8_t granted(cycle const& c) { return c.done + 1 == c.limit ? 2 : 0; }
};
struct reset_sleeps : as_documented {  // one function for both
  static std::uint8_t reset_done(cycle const&) { return 0; }
};
struct reset_stays_exhausted : as_documented {
  static std::uint8_t reset_done(cycle const& c) { return c.resets > 0 && ended(c) ? 1 : 2; }
};
struct counts_every_call : as_documented {
  static constexpr bool shows_state = true;
  template <class P>
  static void exhausted(cycle& c, std::uint64_t) {
    c.done += 1;
  }
};
struct shows_twice_the_window : as_documented {  // as if the next doubling were done already; sleeps are right
  static constexpr bool shows_state = true;
  static double first_window(cycle const& c) { return 2 * as_documented::first_window(c); }
  static double sleep(std::uint64_t draw, double window, cycle const&) { return remainder(draw, window / 2 + 1); }
  static double grown(cycle const& c) { return least(2 * c.window, 2 * c.cap); }
};

template <class P>
built_in wrong(std::string_view name, std::string_view sentence, std::string_view claim,
               std::vector<std::string_view> hazard = {}) {
  built_in how;
  how.claim = claim;
  how.follows = std::move(hazard);
  how.steps = 7;
  return port<P>(name, sentence, how);
}

}  // namespace

std::span<built_in const> aws_retry_utils_wrong_ports() {
  static auto const ports = [] {
    std::vector<built_in> all{
        wrong<one_draw_for_all>("one-draw-for-all", "the draw of the reset serves every sleep",
                                "first_sleep_is_drawn_from_the_base"),
        wrong<zero_attempts_are_none>("zero-attempts-are-none", "takes 0 for no retry at all",
                                      "zero_attempts_are_unlimited"),
        wrong<starts_again_without_a_word>("starts-again", "an exhausted cycle goes on with the window it had",
                                           "exhaustion_lasts_until_reset"),
        wrong<throws_on_an_empty_window>("throws-on-empty", "an empty window is an error", "no_call_fails",
                                         {"empty-window=undefined"}),
        wrong<does_not_sleep_at_last>("does-not-sleep-at-last", "reports success instead of the last sleep",
                                      "retries_until_max_attempts"),
        wrong<reset_sleeps>("reset-sleeps", "backs off in its reset too", "reset_is_acknowledged"),
        wrong<reset_stays_exhausted>("reset-stays-exhausted", "answers the reset of an exhausted cycle as that cycle",
                                     "reset_is_acknowledged"),
        wrong<counts_every_call>("counts-every-call", "counts the calls that only report exhaustion",
                                 "attempts_done_counts_sleeps"),
        wrong<shows_twice_the_window>("shows-twice-the-window", "shows the window as if it had doubled already",
                                      "next_jitter_max_is_the_next_window"),
    };
    for (auto const* table : {&faults::full_jitter(), &aws_retry_utils_alone()})
      add_wrong_ports(all, *table, faults::retry_utils);
    return all;
  }();
  return ports;
}

}  // namespace backoff::systems
