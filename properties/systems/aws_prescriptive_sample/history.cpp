// The histories of the sample loop: requests, each with the status that the service answers.
#include <algorithm>
#include <array>
#include <functional>

#include "history/generate.hpp"
#include "history/systems.hpp"

namespace backoff::conformance {
namespace {

constexpr std::int64_t i32_max = 0x7fff'ffff;

constexpr std::array limit_specials{
    special{0, "one request nevertheless"},
    special{1, "one request"},
    special{2, "one retry"},
    special{3, "two retries"},
    special{25, "the last wait is the longest that 31 bits hold exactly"},
    special{26, "the last wait is the first that they do not hold"},
    special{27, "one past it"},
    special{31, "the last shift below 31 bits"},
    special{32, "a shift into the sign of an i32"},
    special{33, "a shift past 32 bits"},
    special{34, "one past it"},
    special{0x100, "first limit beyond u8"},
    special{0x1'0000, "first limit beyond u16"},
    special{i32_max, "largest limit"},
};
constexpr std::array status_specials{
    special{0, "no answer at all"},
    special{200, "success"},
    special{201, "a success that the sample does not know"},
    special{204, "a success without content"},
    special{301, "moved"},
    special{400, "the caller's fault"},
    special{401, "not authorised"},
    special{404, "not found"},
    special{408, "a time-out that the sample does not know"},
    special{428, "just below throttling"},
    special{429, "throttling: retried"},
    special{430, "just above throttling"},
    special{500, "the service's fault"},
    special{502, "a gateway's failure"},
    special{503, "unavailable: transient for the text, not for the sample"},
    special{504, "a gateway's time-out: retried"},
    special{505, "just above the time-out"},
    special{599, "largest status"},
};

constexpr std::array params{field{"max_retries", field::kind::integer, 0, i32_max, {}, limit_specials}};
constexpr std::array attempt_args{
    field{.name = "http_status", .high = 599, .specials = status_specials, .usual_low = 100}};
constexpr std::array operations{operation{"attempt", attempt_args}};
constexpr std::array<std::string_view, 2> status_words{"answered", "error"};
constexpr answer_field::companion answered{0, 0};
constexpr std::array answers{
    answer_field{.name = "status", .words = status_words, .written = answer_field::form::implied},
    answer_field{.name = "delay_ms", .only = answered},
    answer_field{.name = "retry", .words = boolean_words, .only = answered, .written = answer_field::form::boolean},
};

constexpr std::int64_t success = 200;
constexpr std::int64_t throttled = 429;
constexpr std::int64_t timed_out = 504;

bool calls_for_retry(std::int64_t http_status) noexcept { return http_status == throttled || http_status == timed_out; }

step attempt(std::int64_t http_status) { return {0, 0, {value::of(http_status)}}; }

// Asked of all steps in order: whether the run of a request was over before it, which is as the code has it in every
// reading.
class not_made {
 public:
  explicit not_made(history const& h) noexcept : limit_(h.params[0].n) {}
  bool operator()(step const& s) noexcept {
    if (over_[s.on]) return true;
    over_[s.on] = !calls_for_retry(s.args[0].n) || ++made_[s.on] >= limit_;
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
  auto const& statuses = d.args[0][0];
  auto const& limit = d.params[0];
  std::array<std::int64_t, instances_max> steps{};
  for (auto const& s : h.steps) ++steps[s.on];
  bool const endless = h.steps.size() > 1'000;
  if (endless || !random.one_in(6)) {
    auto left = steps;
    for (auto& s : h.steps) {
      bool const last = --left[s.on] == 0;
      bool const keep = last ? random.one_in(3) : calls_for_retry(s.args[0].n);
      if (keep) continue;
      auto wanted = random.one_in(2) ? throttled : timed_out;
      if (last && !random.one_in(4)) wanted = random.one_in(4) ? success : random.between(statuses.low, statuses.high);
      if (statuses.admits(value::of(wanted))) s.args[0] = value::of(wanted);
    }
  }
  auto const longest = *std::ranges::max_element(steps);
  if (random.one_in(4) || (endless && h.params[0].n < longest)) {
    h.params[0] = value::of(std::clamp(longest, limit.low, limit.high));
  }
}

// Every status as the first answer, of which random ones would miss some; waits past 31, 32 and 64 bits and past a
// double's exponent, answered by one status and by the other in turns; runs that end at every limit near 2^31 ms.
std::vector<history> corners(domain const& d, random_bits&) {
  constexpr std::int64_t calls = 1'100;
  auto const& statuses = d.args[0][0];
  std::vector<history> result;
  history h;
  h.params[0] = value::of(d.params[0].high);
  for (auto status = statuses.low; status <= statuses.high; ++status) {
    h.steps = {attempt(status)};
    result.push_back(h);
  }
  h.steps.clear();
  for (std::int64_t i = 0; i < calls; ++i) h.steps.push_back(attempt(i % 3 == 0 ? timed_out : throttled));
  result.push_back(h);
  for (std::int64_t limit = 0; limit <= 35; ++limit) {
    h.params[0] = value::of(limit);
    h.steps.assign(static_cast<std::size_t>(std::max<std::int64_t>(limit, 1)), attempt(throttled));
    result.push_back(h);
  }
  for (auto& each : result) repair(each);
  return result;
}

// Throttled until the requests are used up, or until the longest wait was shown.
std::vector<step> example(history const& h, std::span<value const>) {
  constexpr std::int64_t shown = 27;
  return {static_cast<std::size_t>(std::clamp<std::int64_t>(h.params[0].n, 1, shown)), attempt(throttled)};
}

}  // namespace

shape const aws_prescriptive_sample_shape{.stem = "aws_prescriptive_sample",
                                          .params = params,
                                          .operations = operations,
                                          .answers = answers,
                                          .error_word = 1,
                                          .correlate = correlate,
                                          .corners = corners,
                                          .misuse = misuse,
                                          .repair = repair,
                                          .example = example};

}  // namespace backoff::conformance
