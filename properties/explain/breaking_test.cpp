// Regions that are learnt from made-up ports, whose answers and crashes are known.
#include "explain/breaking.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "histories/generate.hpp"
#include "histories/systems.hpp"

namespace {

using namespace backoff::explain;

shape const& full_jitter() { return *find_shape("aws_backoff_algorithm"); }
domain const& takes_all() {
  static domain const all = documented_domain(full_jitter(), {});
  return all;
}

class seen {
 public:
  // As a run would, which sends nothing of what it knows to break the port.
  bool show(std::uint64_t histories, std::function<bool(history const&, std::uint64_t)> const& breaks) {
    for (std::uint64_t end = next_ + histories; next_ < end; ++next_) {
      random_bits random(3, next_);
      history h;
      generate(h, full_jitter(), takes_all(), random);
      result r{result_kind::answered, {}, ""};
      if (known.contains(h)) {
        r.kind = result_kind::unsent;
        ++unsent;
      } else if (breaks(h, next_)) {
        r.kind = result_kind::broke;
        ++broke;
      }
      if (!known.see(std::span(&h, 1), std::span(&r, 1))) return false;
    }
    return true;
  }

  breaking known{full_jitter(), takes_all()};
  std::uint64_t broke = 0;
  std::uint64_t unsent = 0;

 private:
  std::uint64_t next_ = 0;
};

std::string where(breaking_region const& r) { return to_words(full_jitter(), takes_all(), r.where); }

bool has_no_cap(history const& h, std::uint64_t) { return h.params[1] == value::of(0); }

TEST(breaking, a_region_is_learnt_and_no_more_of_it_is_sent) {
  seen port;
  ASSERT_TRUE(port.show(5'000, has_no_cap));
  ASSERT_EQ(port.known.regions().size(), 1U);
  auto const& r = port.known.regions().front();
  EXPECT_EQ(where(r), "max_ms = 0");
  EXPECT_EQ(r.broke, breaking::learnt_from);
  EXPECT_EQ(r.inside, 0U);
  EXPECT_EQ(port.broke, breaking::learnt_from);
  EXPECT_GT(port.unsent, 100U);
  EXPECT_EQ(r.unsent, port.unsent);
  EXPECT_EQ(port.known.pending(), 0U);
  EXPECT_EQ(to_words(full_jitter(), takes_all(), r),
            "max_ms = 0: in all 12 such histories, and in 0 of " + std::to_string(r.answered) +
                " that the port had answered by then; " + std::to_string(port.unsent) + " more were not sent");
}

TEST(breaking, one_region_after_the_other_is_learnt) {
  seen port;
  auto const first_or_second = [&](history const& h, std::uint64_t i) {
    return i < 2'000 ? has_no_cap(h, i) : h.params[0] == value::of(0);
  };
  ASSERT_TRUE(port.show(6'000, first_or_second));
  ASSERT_EQ(port.known.regions().size(), 2U);
  EXPECT_EQ(where(port.known.regions()[1]), "base_ms = 0");
}

TEST(breaking, for_no_reason_that_shows_is_given_up) {
  seen port;
  EXPECT_FALSE(port.show(5'000, [](history const&, std::uint64_t i) { return i % 7 == 0; }));
  EXPECT_EQ(port.broke, breaking::learnt_from);
  EXPECT_TRUE(port.known.regions().empty());
  EXPECT_EQ(port.known.around({}), nullptr);
}

TEST(breaking, before_much_is_answered_teaches_nothing) {
  for (bool const enough : {false, true}) {
    auto const answered = breaking::answered_min - (enough ? 0 : 1);
    breaking known(full_jitter(), takes_all());
    history fine{{value::of(5), value::of(50), value::of(3)}, {{0, 0, {value::of(7)}}}};
    history fatal = fine;
    fatal.params[1] = value::of(0);
    result const ok{result_kind::answered, {}, ""};
    result const gone{result_kind::broke, {}, "gone"};
    for (std::size_t i = 0; i < answered; ++i) EXPECT_TRUE(known.see(std::span(&fine, 1), std::span(&ok, 1)));
    for (std::size_t i = 1; i < breaking::learnt_from; ++i)
      EXPECT_TRUE(known.see(std::span(&fatal, 1), std::span(&gone, 1)));
    EXPECT_EQ(known.pending(), breaking::learnt_from - 1);
    EXPECT_EQ(known.see(std::span(&fatal, 1), std::span(&gone, 1)), enough);
  }
}

TEST(breaking, in_ever_other_ways_is_given_up) {
  constexpr std::array<std::int64_t, breaking::regions_max + 1> bases{0, 1, 2, 3, 0x7fff, 0x8000};
  seen port;
  EXPECT_FALSE(port.show(100'000, [&](history const& h, std::uint64_t) {
    return h.params[0] == value::of(bases[port.known.regions().size()]);
  }));
  EXPECT_EQ(port.known.regions().size(), breaking::regions_max);
}

}  // namespace
