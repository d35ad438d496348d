#include "aws_prescriptive_sample/model.hpp"

#include <algorithm>
#include <array>

namespace backoff::spec::aws_prescriptive_sample {
namespace {

constexpr reading_table table{all_readings};

constexpr integer two_to_the_32 = integer{1} << 32;
constexpr integer longest_ms = two_to_the_32 / 2 - 1;

// (2^retries − 1) · 100; from 2^40 on with 2^40 for the power, which is past every limit and, like every larger power,
// a multiple of 2^32.
integer exact_delay(integer retries) noexcept { return ((integer{1} << std::min<integer>(retries, 40)) - 1) * 100; }

// The number in [−2^31, 2^31) that differs from delay by a multiple of 2^32; delay >= 0.
integer wrapped(integer delay) noexcept {
  integer const low = delay % two_to_the_32;
  return low > longest_ms ? low - two_to_the_32 : low;
}

answer_kind kind_of(integer http_status, chooser& readings) {
  if (http_status == 200) return answer_kind::success;
  if (http_status == 429) return answer_kind::transient;
  if (http_status == 504) return answer_kind::transient;
  // The prose names what passes by itself, and no status: a service that is unavailable says 503; a network that fails,
  // a gateway's 502 or a 408, if it says anything.
  bool const is_in_the_prose = http_status == 503 || http_status == 502 || http_status == 408;
  if (!is_in_the_prose) return answer_kind::failure;
  if (readings.choose<status_filter>(reading::status_filter) == status_filter::code) return answer_kind::failure;
  return http_status == 503 ? answer_kind::transient : answer_kind::undecided;
}

// Whether no other request may follow the one that so many came before. The prose counts what comes after the first.
bool is_last(integer limit, integer before, chooser& readings) {
  if (before + 1 != limit) return before >= limit;
  return readings.choose<limit_counts>(reading::limit_counts) == limit_counts::requests;
}

admissible const either_word = admissible::words(0b11);

admissible word(status s) { return admissible::word(static_cast<std::uint8_t>(s)); }

}  // namespace

reading_table const& readings() noexcept { return table; }

std::vector<cube> assignments(draw_kind) { return {table.admitting(standing::hazard)}; }

outcome attempt(parameters const& p, state& s, integer http_status, chooser& readings) {
  outcome result;
  facts& f = result.facts;
  f.retries = s.retries;
  if (s.over) {
    result.answer[field_status] = result.answer[field_delay] = result.answer[field_retry] = admissible::unjudged();
    return result;
  }
  integer delay = exact_delay(s.retries);
  f.overflows = delay > longest_ms;
  if (f.overflows) {
    auto const how = readings.choose<overflow>(reading::overflow);
    f.fails = how == overflow::error;
    delay = how == overflow::wraps ? wrapped(delay) : longest_ms;
  }
  if (f.fails) {
    s.over = true;
    result.answer[field_status] = word(status::error);
    return result;
  }
  f.answered = kind_of(http_status, readings);
  bool const can_follow = f.answered == answer_kind::transient || f.answered == answer_kind::undecided;
  f.last = can_follow ? is_last(p.max_retries, s.retries, readings) : s.retries + 1 >= p.max_retries;
  s.over = f.answered != answer_kind::transient || f.last;
  ++s.retries;
  result.answer[field_status] = word(status::answered);
  result.answer[field_delay] = admissible::exactly(delay);
  result.answer[field_retry] = admissible::word(static_cast<std::uint8_t>(s.over ? retry::no : retry::yes));
  if (f.answered == answer_kind::undecided && !f.last) result.answer[field_retry] = either_word;
  return result;
}

}  // namespace backoff::spec::aws_prescriptive_sample
