// What a verdict says of a port outside the regions in which its findings break.
#include "explain/outside.hpp"

#include <gtest/gtest.h>

#include "judge/countdown_test.hpp"

namespace backoff::conformance {
namespace {

using countdown::begun;

constexpr std::uint64_t seed = 1;

// A countdown that is one too high from some start on.
countdown::port wrong_above(std::int64_t start) {
  auto about = countdown::about_port();
  about.takes.features = 0;  // one instance, which it counts down
  return countdown::port([start](history const& h) { return countdown::right_plus(h, h.params[0].n > start ? 1 : 0); },
                         about);
}

constraint above(std::int64_t start) {
  return {{quantity::kind::param, 0, 0}, constraint::relation::above, value::of(start), {}};
}

outside tried(std::int64_t breaks_above, std::int64_t region_above) {
  auto port = wrong_above(breaks_above);
  auto const judged = begun(countdown::system, port.describes());
  return try_outside(judged, port, {{above(region_above)}}, seed, {});
}

TEST(outside, is_tried_on_histories_of_another_seed) {
  auto const found = tried(3, 3);
  EXPECT_GE(found.tried, outside::least);
  EXPECT_LE(found.tried, outside::most + 64);
  EXPECT_TRUE(found.conforms()) << found.held << " of " << found.tried;
}

TEST(outside, does_not_conform_where_the_region_is_too_small) {
  auto const found = tried(2, 5);
  EXPECT_LT(found.held, found.tried);
  EXPECT_FALSE(found.conforms());
}

TEST(outside, says_nothing_of_few_histories) {
  outside few{{{above(3)}}, outside::least - 1, outside::least - 1};
  EXPECT_FALSE(few.conforms());
}

TEST(outside, is_said_as_the_opposite_of_its_regions) {
  auto const& s = countdown::system.shape();
  auto const takes = documented_domain(s, {});
  EXPECT_EQ(to_words(s, takes, outside{{{above(3)}}}), std::string(s.params[0].name) + " <= 3");
  EXPECT_EQ(to_words(s, takes, outside{{{above(3)}, {above(3)}}}), std::string(s.params[0].name) + " <= 3");
  auto const both = to_words(s, takes, outside{{{above(3), above(4)}}});
  EXPECT_TRUE(both.starts_with("not (")) << both;
}

}  // namespace
}  // namespace backoff::conformance
