// What a report says of a finding, held to all joint readings and all histories of every port in a small family: that
// no reading explains the port, under which one it is shown, which hazard it matches, and what its histories show.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "judge/countdown_test.hpp"
#include "judge/counterexample.hpp"

namespace {

using namespace backoff::judge;
using backoff::spec::cube;
using backoff::spec::standing;
namespace spec = backoff::spec;

constexpr std::int64_t starts = 3;
constexpr std::size_t calls_max = 2;
constexpr std::array<spec::integer, 4> added{0, -1, 1, 5};

// For each start: what the port adds to the right answer, and whether to the first call alone.
struct small_port {
  unsigned number;
  [[nodiscard]] result operator()(history const& h) const {
    auto const of_start = (number >> (3 * static_cast<unsigned>(h.params[0].n))) & 7U;
    auto const wrong = countdown::right_plus(h, added[of_start & 3U]);
    auto r = countdown::right_plus(h, 0);
    auto const spoilt = (of_start & 4U) == 0 ? r.answers.size() : 1U;
    std::copy_n(wrong.answers.begin(), spoilt, r.answers.begin());
    return r;
  }
};
constexpr unsigned small_ports = 1U << (3 * starts);

std::vector<history> all_histories() {
  std::vector<history> all;
  for (std::int64_t from = 0; from < starts; ++from) {
    for (std::size_t calls = 1; calls <= calls_max; ++calls) all.push_back(countdown::asked(from, calls));
  }
  return all;
}

// One reading at a time, without any cleverness.
claim_mask broken_by(evidence const& e, cube reading) {
  return countdown::system.broken_claims(e.tried, e.got.answers, {}, reading).broken;
}
auto failing_under(cube reading, std::vector<evidence> const& seen, claim_mask by) {
  return std::ranges::count_if(seen, [&](evidence const& e) { return (broken_by(e, reading) & by) != 0; });
}
bool explains(cube reading, std::vector<evidence> const& seen) {
  return failing_under(reading, seen, ~claim_mask{0}) == 0;
}

std::vector<cube> readings_up_to(standing worst) {
  return one_by_one(countdown::table, {countdown::table.admitting(worst)});
}

// "Undefined" says nothing of what comes after the end. It explains a port only as far as it is judged.
bool is_silent(cube reading) { return (reading.bits & countdown::table.bit(countdown::end, 1)) != 0; }

TEST(sentences, of_every_small_port_are_true) {
  auto const histories = all_histories();
  auto const admitted = readings_up_to(standing::open);
  auto const with_hazards = readings_up_to(standing::hazard);
  unsigned matched = 0;
  unsigned fitted = 0;
  unsigned shown_by_several = 0;
  unsigned shown_with_less = 0;  // by several, one of which alone would do
  for (unsigned number = 0; number < small_ports; ++number) {
    SCOPED_TRACE(number);
    countdown::port port{small_port{number}};
    auto about = port.describes();
    about.takes.features = 0;  // what is asked of several instances is not asked here
    auto judged = countdown::begun(countdown::system, about);
    std::vector<evidence> seen;
    seen.reserve(histories.size());
    for (auto const& h : histories) {
      seen.push_back({seen.size(), h, port.run(std::span(&h, 1)).front()});
      judged.judge(h, seen.back().got);
    }
    judged.settle_blame();
    bool const conforms = std::ranges::any_of(admitted, [&](cube c) { return explains(c, seen); });
    ASSERT_EQ(judged.verdict() == verdict::conforms, conforms);
    if (conforms) continue;

    auto const shown_under = judged.explained_by();
    ASSERT_NE(std::ranges::find(admitted, shown_under), admitted.end());
    for (auto const reading : admitted) {
      ASSERT_LE(failing_under(shown_under, seen, judged.held_to().must_claims()),
                failing_under(reading, seen, judged.held_to().must_claims()));
    }

    // Exactly where a reading explains these, one is named, and it explains them.
    auto const is_true = [&](std::vector<std::string> const& named, std::vector<evidence> const& these) {
      return std::ranges::any_of(with_hazards, [&](cube reading) {
               bool const is_meant =
                   named.empty() ? !is_silent(reading) : deviations(countdown::table, reading) == named;
               return is_meant && explains(reading, these);
             }) != named.empty();
    };
    for (auto const& b : judged.breaches()) {
      auto const c = minimise(judged, port, b);
      ASSERT_TRUE(includes(broken_by(c.histories.back(), shown_under), b.claim));
      ASSERT_TRUE(!judged.held_to().refutes_readings(b.claim) ||
                  left_by(judged, c.histories, judged.readings().initial()).empty());
      bool const by_several = c.histories.size() > 1;
      auto const refutes_alone = [&](evidence const& e) {
        return left_by(judged, std::span(&e, 1), judged.readings().initial()).empty();
      };
      if (by_several && std::ranges::any_of(c.histories, refutes_alone)) ++shown_with_less;
      ASSERT_TRUE(is_true(c.excuses, seen));
      matched += c.excuses.empty() ? 0 : 1;
      shown_by_several += by_several ? 1 : 0;
      if (!c.excuses.empty()) continue;
      auto const fits = fits_of(judged, c.shows, c.histories);
      ASSERT_TRUE(is_true(fits, c.histories));
      fitted += fits.empty() ? 0 : 1;
    }
  }
  EXPECT_GT(matched, 0U);
  EXPECT_GT(fitted, 0U);
  EXPECT_GT(shown_by_several, 0U);
  EXPECT_EQ(shown_with_less, 0U);
}

}  // namespace
