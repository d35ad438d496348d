// Draws from generators of every range: of small widths each outcome of each sequence is counted, and all numbers come
// up equally often. Of those of <random>, the numbers are the standard's own.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "backoff/hosted/random.hpp"
#include "tests/checks.hpp"

namespace backoff {
namespace {

// Says what it is told to, and notes how much of it was taken; beyond, its least number.
template <std::uint64_t Min, std::uint64_t Max>
struct scripted {
  using result_type = std::uint64_t;
  std::vector<result_type> numbers{};
  std::size_t taken = 0;

  static constexpr result_type min() noexcept { return Min; }
  static constexpr result_type max() noexcept { return Max; }
  result_type operator()() noexcept { return taken < numbers.size() ? numbers[taken++] : (++taken, Min); }
};

// How often each word comes of all sequences of so many numbers, none of them rejected; and how many sequences had one
// that was.
struct tally {
  std::map<unsigned, unsigned> words{};
  unsigned rejected = 0;
};
template <class W, std::uint64_t Min, std::uint64_t Max>
tally words_of(std::size_t length) {
  tally all;
  scripted<Min, Max> generator{std::vector<std::uint64_t>(length, Min)};
  for (bool more = true; more;) {
    auto once = generator;
    auto const word = uniform_word<W>(once);
    EXPECT_GE(once.taken, length);
    if (once.taken == length) {
      ++all.words[word];
    } else {
      ++all.rejected;
    }
    more = false;
    for (auto& number : generator.numbers) {  // the next sequence
      more = number < Max;
      number = more ? number + 1U : Min;
      if (more) break;
    }
  }
  return all;
}

template <class W, std::uint64_t Min, std::uint64_t Max>
void expect_even(std::size_t length, unsigned each, unsigned rejected) {
  auto const all = words_of<W, Min, Max>(length);
  EXPECT_EQ(all.rejected, rejected);
  EXPECT_EQ(all.words.size(), std::size_t{1} << word_bits<W>);
  for (auto const& [word, count] : all.words) EXPECT_EQ(count, each) << word;
}

TEST(hosted_random, words_of_every_range_are_even) {
  checks("AWS-BA-008");
  expect_even<std::uint8_t, 0, 255>(1, 1, 0);
  expect_even<std::uint8_t, 7, 262>(1, 1, 0);             // begins elsewhere
  expect_even<std::uint8_t, 0, 1023>(1, 4, 0);            // a multiple: its upper bits
  expect_even<std::uint8_t, 0, 767>(1, 3, 0);             // a multiple that is no power
  expect_even<std::uint8_t, 10, 1020>(1, 3, 1011 - 768);  // not a multiple
  expect_even<std::uint8_t, 0, 256>(1, 1, 1);             // one too many
  expect_even<std::uint8_t, 0, 254>(2, 225,
                                    255 * 255 - 240 * 240);  // one too few: two parts of 4 bits, 15 numbers each
  expect_even<std::uint8_t, 1, 16>(2, 1, 0);
  expect_even<std::uint8_t, 0, 9>(3, 2, 1000 - 512);  // three parts of 3 bits: one bit is left over
  expect_even<std::uint8_t, 0, 1>(8, 1, 0);
  expect_even<std::uint8_t, 0, 2>(8, 1, 6561 - 256);  // twice the greatest of one bit
  expect_even<std::uint8_t, 1, 6>(4, 1, 1296 - 256);  // a die
}

TEST(hosted_random, every_number_up_to_a_top_is_as_probable_as_every_other) {
  checks("AWS-BA-003", "AWS-RU-003");
  for (unsigned top = 0; top <= 255; ++top) {
    std::array<unsigned, 256> counts{};
    unsigned rejected = 0;
    for (unsigned draw = 0; draw <= 255; ++draw) {
      scripted<0, 255> generator{{draw}};
      auto const number = uniform_up_to(static_cast<std::uint8_t>(top), generator);
      if (generator.taken > 1) {
        ++rejected;
      } else {
        ++counts[number];
        EXPECT_EQ(number, draw % (top + 1)) << "a remainder, of fewer draws";
      }
    }
    for (unsigned number = 0; number <= 255; ++number)
      ASSERT_EQ(counts[number], number <= top ? 256 / (top + 1) : 0) << number << " of " << top;
    ASSERT_EQ(rejected, 256 % (top + 1)) << top;
  }
}

TEST(hosted_random, mapping_says_which_draws_are_taken) {
  checks("AWS-BA-003", "AWS-BA-008");
  auto const drawn = [](std::uint8_t window, draw_mapping mapping) {
    scripted<0, 255> generator{{255, 254, 9}};
    return draw_for(window, mapping, generator);
  };
  EXPECT_EQ(drawn(2, draw_mapping::modulo), 255);
  EXPECT_EQ(drawn(2, draw_mapping::unbiased), 254) << "255 = 85 · 3 is the end";
  EXPECT_EQ(drawn(6, draw_mapping::modulo), 255);
  EXPECT_EQ(drawn(6, draw_mapping::unbiased), 9) << "252 = 36 · 7 is the end";
}

TEST(hosted_random, words_of_the_standards_generators_are_their_numbers) {
  std::mt19937 as_it_is(5), of_32(5);
  std::mt19937_64 wide(5), of_64(5);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(uniform_word<std::uint32_t>(of_32), as_it_is());
    EXPECT_EQ(uniform_word<std::uint32_t>(of_64), wide() >> 32U);
  }
  EXPECT_EQ(uniform_word<std::uint64_t>(of_64), wide());
  EXPECT_EQ(uniform_word<std::uint64_t>(of_32) >> 32U, as_it_is()) << "the first number is on top";
  // 1 .. 2^31 - 2 in two parts of 16 bits, 32767 numbers to each: (48271 - 1) / 32767 = 1, (182605794 - 1) / 32767 =
  // 5572
  std::minstd_rand of_31;
  EXPECT_EQ(uniform_word<std::uint32_t>(of_31), 1U * 65'536U + 5'572U);
  std::minstd_rand again;
  for (int i = 0; i < 200'000; ++i) static_cast<void>(uniform_word<std::uint32_t>(again));  // two in 2^16 rejected
}

}  // namespace
}  // namespace backoff
