// What a run is held to.
#include "judge/terms.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "judge/begun_test.hpp"

namespace {

using namespace backoff::judge;

TEST(terms, begins_only_with_a_mapping_that_the_system_lists) {
  EXPECT_EQ(refusal(backoff_algorithm(), about_drawing({}, "scaled")), "");
  EXPECT_EQ(refusal(backoff_algorithm(), about_drawing({}, "sideways")),
            "the port's mapping 'sideways' is not an alternative of draw-mapping");
  auto about = countdown::about_countdown;
  about.mapping = "modulo";
  EXPECT_EQ(refusal(countdown::system, about), "the port's mapping 'modulo' is not an alternative of draw-mapping");
}

TEST(terms, a_convention_is_what_the_protocol_decides) {
  for (auto const* name : {"draw-mapping", "delay-resolution", "jitter-mapping", "jitter-resolution"})
    EXPECT_TRUE(is_convention(name));
  for (auto const* name : {"upper-bound", ""}) EXPECT_FALSE(is_convention(name));
}

TEST(terms, say_which_claims_refute_readings_and_which_fail_the_port) {
  for (auto const* system : judged_systems()) {
    capabilities about;
    about.takes = documented_domain(system->shape(), {});
    for (bool const document_only : {false, true}) {
      for (bool const strict : {false, true}) {
        auto const held_to =
            std::get<terms>(terms::of(*system, about, {.strict = strict, .document_only = document_only}));
        for (unsigned i = 0; i < system->claims().size(); ++i) {
          auto const how = system->claims()[i].strength;
          EXPECT_EQ(held_to.refutes_readings(i), how == strength::must);
          bool const fails = how == strength::must || (how == strength::recommended && strict) ||
                             (how == strength::interface && !document_only);
          EXPECT_EQ(held_to.fails(i), fails) << system->claims()[i].name;
        }
      }
    }
  }
}

TEST(terms, select_claims) {
  auto const held_to = std::get<terms>(terms::of(backoff_algorithm(), about_drawing({}), {.claims = 0b10}));
  EXPECT_TRUE(held_to.selected(1));
  EXPECT_FALSE(held_to.selected(0));
  EXPECT_EQ(held_to.claims_about_draws(), 0U) << "none of them is selected";
}

}  // namespace
