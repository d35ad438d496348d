// The histories of the sample loop: requests, each with the status that the service answers.
#include <algorithm>
#include <array>
#include <functional>

#include "aws_prescriptive_sample/page.hpp"
#include "histories/generate.hpp"
#include "histories/systems.hpp"

namespace backoff::systems {
namespace {

namespace call = pages::aws_prescriptive_sample::call;
using namespace pages::aws_prescriptive_sample::param;
using namespace pages::aws_prescriptive_sample::attempt_args;

constexpr std::int64_t success = 200;
constexpr std::int64_t throttled = 429;
constexpr std::int64_t timed_out = 504;

bool calls_for_retry(std::int64_t answered) noexcept { return answered == throttled || answered == timed_out; }

step attempt(std::int64_t answered) { return {call::attempt, 0, {value::of(answered)}}; }

// Asked of all steps in order: whether the run of a request was over before it, which is as the code has it in every
// reading.
class not_made {
 public:
  explicit not_made(history const& h) noexcept : limit_(h.params[max_retries].n) {}
  bool operator()(step const& s) noexcept {
    if (over_[s.on]) return true;
    over_[s.on] = !calls_for_retry(s.args[http_status].n) || ++made_[s.on] >= limit_;
    return false;
  }

 private:
  std::int64_t limit_;
  std::array<std::int64_t, instances_max> made_{};
  std::array<bool, instances_max> over_{};
};

std::string_view misuse(history const& h) {
  not_made asked(h);
  if (std::ranges::none_of(h.steps, std::ref(asked))) return "";
  return "no request follows one that is not answered 429 or 504, nor request max_retries";
}

void repair(history& h) {
  not_made asked(h);  // by reference: a copy would forget the steps before
  std::erase_if(h.steps, std::ref(asked));
}

// Most runs go on to their last step, whose status is any; a quarter of the limits is met there. A history too long for
// anything but a double's exponent goes on in any case.
void correlate(history& h, domain const& d, random_bits& random) {
  auto const& statuses = d.args[call::attempt][http_status];
  auto const& limit = d.params[max_retries];
  std::array<std::int64_t, instances_max> steps{};
  for (auto const& s : h.steps) ++steps[s.on];
  bool const endless = h.steps.size() > 1'000;
  if (endless || !random.one_in(6)) {
    auto left = steps;
    for (auto& s : h.steps) {
      bool const last = --left[s.on] == 0;
      bool const keep = last ? random.one_in(3) : calls_for_retry(s.args[http_status].n);
      if (keep) continue;
      auto wanted = random.one_in(2) ? throttled : timed_out;
      if (last && !random.one_in(4)) wanted = random.one_in(4) ? success : random.between(statuses.low, statuses.high);
      if (statuses.admits(value::of(wanted))) s.args[http_status] = value::of(wanted);
    }
  }
  auto const longest = *std::ranges::max_element(steps);
  if (random.one_in(4) || (endless && h.params[max_retries].n < longest)) {
    h.params[max_retries] = value::of(std::clamp(longest, limit.low, limit.high));
  }
}

// Every status as the first answer, of which random ones would miss some; waits past 31, 32 and 64 bits and past a
// double's exponent, answered by one status and by the other in turns; runs that end at every limit near 2^31 ms.
std::vector<history> corners(domain const& d, random_bits&) {
  constexpr std::int64_t calls = 1'100;
  auto const& statuses = d.args[call::attempt][http_status];
  std::vector<history> result;
  history h;
  h.params[max_retries] = value::of(d.params[max_retries].high);
  for (auto status = statuses.low; status <= statuses.high; ++status) {
    h.steps = {attempt(status)};
    result.push_back(h);
  }
  h.steps.clear();
  for (std::int64_t i = 0; i < calls; ++i) h.steps.push_back(attempt(i % 3 == 0 ? timed_out : throttled));
  result.push_back(h);
  for (std::int64_t limit = 0; limit <= 35; ++limit) {
    h.params[max_retries] = value::of(limit);
    h.steps.assign(static_cast<std::size_t>(std::max<std::int64_t>(limit, 1)), attempt(throttled));
    result.push_back(h);
  }
  for (auto& each : result) repair(each);
  return result;
}

// Throttled until the requests are used up, or until the longest wait was shown.
std::vector<step> example(history const& h, std::span<value const>) {
  constexpr std::int64_t shown = 27;
  return {static_cast<std::size_t>(std::clamp<std::int64_t>(h.params[max_retries].n, 1, shown)), attempt(throttled)};
}

}  // namespace

shape const aws_prescriptive_sample_shape{pages::aws_prescriptive_sample::declared,
                                          {.correlate = correlate,
                                           .corners = corners,
                                           .misuse = misuse,
                                           .repair = [](history& h, domain const&) { repair(h); },
                                           .example = example}};

}  // namespace backoff::systems
