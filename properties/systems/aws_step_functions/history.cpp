// The histories of the Step Functions example: next, and nothing else.
#include <algorithm>
#include <array>

#include "history/generate.hpp"
#include "history/systems.hpp"

namespace backoff::conformance {
namespace {

constexpr std::int64_t u32_max = 0xffff'ffff;
constexpr std::uint8_t places = 3;  // of a rate

constexpr std::array interval_specials{
    special{0, "nothing grows to nothing: 0 times infinity is no number"},
    special{1, "the shortest wait that grows"},
    special{3, "the document's own"},
    special{60, "an everyday interval"},
    special{86'400, "a day"},
    special{2'147'483, "the longest in whole seconds of a 32-bit timer in milliseconds"},
    special{2'147'484, "the first beyond"},
    special{4'294'967, "the longest of an unsigned one"},
    special{4'294'968, "the first beyond"},
    special{0x7fff'ffff, "the longest of a 32-bit timer in seconds"},
    special{0x8000'0000, "the first beyond"},
    special{u32_max, "the longest interval"},
};
constexpr std::array rate_specials{
    special{1'000, "no growth"},
    special{1'001, "the smallest growth"},
    special{1'100, "a tenth has no exact double"},
    special{1'150, "20 times 1.15 is below 23 in doubles"},
    special{1'250, "a quarter"},
    special{1'500, "the document's own: its whole part is 1"},
    special{1'999, "rounds to 2"},
    special{2'000, "doubling"},
    special{2'500, "halves that fall on even and on odd numbers"},
    special{3'000, "odd and whole"},
    special{10'000, "a million in six retries"},
    special{u32_max, "the largest rate"},
};
constexpr std::array attempt_specials{
    special{0, "no retry at all"},
    special{1, "one retry, never multiplied"},
    special{2, "two retries"},
    special{3, "the document's own"},
    special{31, "one doubling short of i32's end"},
    special{32, "past i32's end"},
    special{0x100, "a u8 makes 0 of it"},
    special{0x1'0000, "a u16 makes 0 of it"},
    special{0x8000'0000, "an i32 makes it negative"},
    special{u32_max, "largest count, used as 'forever' by some"},
};

constexpr std::array params{
    field{"interval_s", field::kind::integer, 0, u32_max, {}, interval_specials},
    field{"backoff_rate", field::kind::decimal, 1'000, u32_max, {}, rate_specials, places},
    field{"max_attempts", field::kind::integer, 0, u32_max, {}, attempt_specials},
};
constexpr std::array operations{operation{"next"}};
constexpr std::array<std::string_view, 3> status_words{"retry", "exhausted", "error"};
constexpr std::array answers{answer_field{"status", status_words},
                             answer_field{"delay_s", {}, answer_field::companion{0, 0}}};

constexpr std::size_t interval_s = 0;
constexpr std::size_t backoff_rate = 1;
constexpr std::size_t max_attempts = 2;

void place(value& v, range const& r, std::int64_t wanted, std::uint8_t scale = 0) {
  if (wanted < r.low || wanted > r.high) return;
  v = scale == 0 ? value::of(wanted) : params[backoff_rate].number(wanted);
}

// Half of the intervals and rates are everyday ones, so that many delays lie between the first and what no timer holds:
// rates of one place, of eighths and of three places. Two thirds of the limits stand where the history ends.
void correlate(history& h, domain const& d, random_bits& random) {
  if (random.one_in(2)) place(h.params[interval_s], d.params[interval_s], random.between(1, 100));
  if (random.one_in(2)) {
    std::array const rates{random.between(10, 40) * 100, random.between(8, 32) * 125, random.between(1'000, 4'000)};
    place(h.params[backoff_rate], d.params[backoff_rate], rates[random() % rates.size()], places);
  }
  if (!random.one_in(3)) {
    auto const near = static_cast<std::int64_t>(h.steps.size()) - random.between(-1, 3);
    place(h.params[max_attempts], d.params[max_attempts], near);
  }
}

// More factors than a double's exponent can hold: of nothing, of little and of much, fast and slow.
std::vector<history> corners(domain const& d, random_bits&) {
  constexpr std::size_t calls = 1'100;
  auto const& interval = d.params[interval_s];
  auto const& rate = d.params[backoff_rate];
  std::vector<history> result;
  for (auto const& [i, r] :
       {std::pair{interval.low, rate.high}, std::pair{interval.low + 1, rate.low},
        std::pair{interval.low + 1, rate.low + 1}, std::pair{interval.low + 1, std::int64_t{1'500}},
        std::pair{interval.low + 1, std::int64_t{2'000}}, std::pair{interval.low + 1, std::int64_t{10'000}},
        std::pair{interval.high, rate.high}}) {
    history h;
    h.params[interval_s] = value::of(std::min(i, interval.high));
    h.params[backoff_rate] = params[backoff_rate].number(std::clamp(r, rate.low, rate.high));
    h.params[max_attempts] = value::of(d.params[max_attempts].high);
    h.steps.resize(calls);
    result.push_back(std::move(h));
  }
  // A long interval that grows so slowly that all of these delays are told apart; with a limit that is met.
  auto slow = result.back();
  slow.params[interval_s] = value::of(std::clamp<std::int64_t>(70'001, interval.low, interval.high));
  slow.params[backoff_rate] = params[backoff_rate].number(std::clamp<std::int64_t>(1'001, rate.low, rate.high));
  auto const& limit = d.params[max_attempts];
  slow.params[max_attempts] = value::of(std::clamp<std::int64_t>(calls - 10, limit.low, limit.high));
  result.push_back(std::move(slow));
  return result;
}

// Every retry and the call that reports that they are used up, or enough of them.
std::vector<step> example(history const& h, std::span<value const>) {
  constexpr std::int64_t shown = 16;
  return std::vector<step>(static_cast<std::size_t>(std::min(h.params[max_attempts].n + 1, shown)));
}

}  // namespace

shape const aws_step_functions_shape{.stem = "aws_step_functions",
                                     .params = params,
                                     .operations = operations,
                                     .answers = answers,
                                     .error_word = 2,
                                     .correlate = correlate,
                                     .corners = corners,
                                     .example = example};

}  // namespace backoff::conformance
