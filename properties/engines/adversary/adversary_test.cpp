// The worst port that passes: with draws given, one joint reading admits one value at each call, but for what is listed
// here with its reason; and what the adversary answers does pass.
#include "engines/adversary/adversary.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "judge/countdown_test.hpp"
#include "judge/effort_test.hpp"

namespace {

using namespace backoff::engines::adversary;
using namespace backoff::judge;
namespace spec = backoff::spec;

constexpr double tolerated = 0x1p-38;  // 2^-40 on either side, of a value that may be as far off itself

// More than one value, and why a reader of the document would agree.
struct lattice {
  std::string_view stem;
  std::string_view field;
  std::uint64_t values;
  double width;
  std::string_view why;
};
constexpr lattice stated[] = {
    {"aws_retry_utils", "next_jitter_max", 2, 0, "a first window beyond the cap may be shown before or after the cap"},
    {"aws_retry_utils", "slept_s", 2, 0,
     "a window with a fraction has the whole sleeps of the window below it or of the one above it"},
    {"aws_step_functions", "delay_s", 2, 0,
     "a product of doubles beside a rounding boundary may fall on either side of it"},
    {"azure_c_retry_control", "action", 2, 0, "an answer tells of a wait by being early or not"},
    {"azure_c_retry_control", "initial_wait_time_in_secs", 2, 0, "a feed that failed may have set it before"},
    {"azure_c_retry_control", "live", 0xffff'ffff, 0, "how many allocations an instance takes is its own affair"},
    {"azure_c_retry_control", "clock_reads", 2, 0, "early or not, a call reads the clock once or twice"},
    {"azure_c_retry_control", "draws_used", 2, 0, "early or not, a call draws or does not"},
    {"azure_java_retry_policy", "delay_ms", 0xffff'ffff, 0,
     "whole random numbers between ends that doubles may miss are held to their interval, not to the draw"},
    {"azure_java_retry_policy", "retry", 2, 0, "a rounded wait that doubles may miss may end after the total time"},
    {"azure_java_retry_policy", "consulted", 2, 0, "of built-in policies no document says whether they are consulted"},
};

// Between inverted ends of the jitter the documented random number is anywhere in between: a whole interval, as the
// reading inverted-bounds says. All else is held to one value.
void upright(domain& d) {
  d.params[4].low = d.params[5].high = 300;  // Jd and Ju, in thousandths
  d.params[4].declared = d.params[5].declared = true;
}

lattice limit_of(std::string_view stem, std::string_view field) {
  auto const* const at =
      std::ranges::find_if(stated, [&](lattice const& l) { return l.stem == stem && l.field == field; });
  return at == std::end(stated) ? lattice{stem, field, 1, tolerated, {}} : *at;
}

// Below what every timer holds: beyond, a wait may be held at a length of the port's own, once and for all.
void in_time(domain& d) {
  d.params[0].high = 1'000;
  d.params[1].high = 1'200;
  d.params[2].high = 40;
}

restriction restriction_of(judged_system const& system) {
  if (system.shape().stem == "aws_step_functions") return in_time;
  return system.shape().stem == "azure_java_retry_policy" ? upright : nullptr;
}

TEST(adversary, finds_one_value_at_each_call_where_draws_are_given) {
  for (auto const* system : judged_systems()) {
    for (auto const& draws : kinds_of_draws(*system)) {
      if (system->shape().has_draws() && draws.kind == spec::draw_kind::hidden) continue;
      auto const worst = worst_port(*system, draws, 150U * effort_multiplier(), 1, restriction_of(*system));
      EXPECT_GT(worst.calls, worst.histories);
      for (auto const& f : worst.fields) {
        auto const most = limit_of(system->shape().stem, f.field);
        EXPECT_LE(f.admitted.values, most.values)
            << system->shape().stem << ' ' << f.field << " under " << f.admitted.reading << ", call " << f.admitted.step
            << " of " << f.admitted.token;
        EXPECT_LE(f.admitted.width, std::max(most.width, tolerated))
            << system->shape().stem << ' ' << f.field << " under " << f.admitted.reading << ", call " << f.admitted.step
            << " of " << f.admitted.token;
      }
    }
  }
}

TEST(adversary, needs_each_exception) {
  for (auto const& l : stated) {
    auto const* system = find_judged_system(l.stem);
    ASSERT_NE(system, nullptr) << l.stem;
    bool needed = false;
    for (auto const& draws : kinds_of_draws(*system)) {
      if (draws.kind == spec::draw_kind::hidden) continue;
      for (auto const& f : worst_port(*system, draws, 150U * effort_multiplier(), 1, restriction_of(*system)).fields)
        needed = needed || (f.field == l.field && (f.admitted.values > 1 || f.admitted.width > tolerated));
    }
    EXPECT_TRUE(needed) << l.stem << ' ' << l.field << ": " << l.why;
  }
}

}  // namespace
