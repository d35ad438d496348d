// Any bytes are a history, and every history is some bytes.
#include "histories/decode.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "histories/generated_test.hpp"
#include "histories/text.hpp"
#include "judge/plan.hpp"

namespace {

using namespace backoff::judge;
namespace spec = backoff::spec;

// The histories of a run, its corners too, are all in the reach of who searches by bytes.
TEST(decode, reaches_every_history) {
  for (auto const* s : shapes_and_every_form()) {
    for (auto const& takes : domains_of(*s)) {
      auto all = generated(*s, takes, 2'000);
      random_bits random(7);
      if (s->corners != nullptr)
        std::ranges::move(without_hidden_draws(s->corners(takes, random), *s, takes), std::back_inserter(all));
      for (auto const& h : all) {
        if (!inside(*s, takes, h) || leaves_to_default(*s, takes, h)) continue;  // a corner that it cannot be sent
        ASSERT_LE(h.steps.size(), decoded_steps_max);
        ASSERT_EQ(decode(*s, takes, encode(*s, takes, h)), h) << to_token({s, {h}});
      }
    }
  }
}

TEST(decode, undoes_encode_and_takes_any_bytes) {
  for (auto const* s : shapes()) {
    for (auto const& draws : {draw_source{}, draw_source{spec::draw_kind::hidden, 1}}) {
      auto const takes = documented_domain(*s, draws);
      for (auto const& h : generated(*s, takes, 2'000)) ASSERT_EQ(decode(*s, takes, encode(*s, takes, h)), h);
      random_bits random(9);
      for (int i = 0; i < 2'000; ++i) {
        std::vector<std::uint8_t> bytes(static_cast<std::size_t>(random.between(0, 200)));
        for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
        auto const h = decode(*s, takes, bytes);
        ASSERT_TRUE(inside(*s, takes, h));
        ASSERT_LE(h.steps.size(), bytes.size());
      }
    }
  }
}

}  // namespace
