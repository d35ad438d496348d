// The histories of the Step Functions example: next, and nothing else.
#include <algorithm>
#include <array>

#include "aws_step_functions/page.hpp"
#include "histories/generate.hpp"
#include "histories/systems.hpp"

namespace backoff::systems {
namespace {

using namespace pages::aws_step_functions::param;
using pages::aws_step_functions::parameters;

constexpr std::uint8_t places = 3;  // of a rate

void place(value& v, range const& r, std::int64_t wanted, std::uint8_t scale = 0) {
  if (wanted < r.low || wanted > r.high) return;
  v = scale == 0 ? value::of(wanted) : parameters[backoff_rate].number(wanted);
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
    h.params[backoff_rate] = parameters[backoff_rate].number(std::clamp(r, rate.low, rate.high));
    h.params[max_attempts] = value::of(d.params[max_attempts].high);
    h.steps.resize(calls);
    result.push_back(std::move(h));
  }
  // A long interval that grows so slowly that all of these delays are told apart; with a limit that is met.
  auto slow = result.back();
  slow.params[interval_s] = value::of(std::clamp<std::int64_t>(70'001, interval.low, interval.high));
  slow.params[backoff_rate] = parameters[backoff_rate].number(std::clamp<std::int64_t>(1'001, rate.low, rate.high));
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

shape const aws_step_functions_shape{pages::aws_step_functions::declared,
                                     {.correlate = correlate, .corners = corners, .example = example}};

}  // namespace backoff::systems
