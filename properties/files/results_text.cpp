// Results as short texts. An answer is its fields, a comma between two: a number as its digits (-12, 15e-1; ~ after it:
// digits followed that are not kept), a word as a letter, a for the first; ! is no number where one belongs. Fields at
// the end that are absent are not written, and an answer without any is a point. Answers have a space between two;
// x3 after one: three times the same.
#include <algorithm>
#include <charconv>
#include <limits>

#include "files/results.hpp"
#include "histories/printable.hpp"
#include "histories/text.hpp"

namespace backoff::files {
namespace {

using ordered_json = nlohmann::ordered_json;
using nlohmann::json;

constexpr std::size_t answers_max = 1'000'000;

std::string field_text(observed const& o) {
  if (o.kind == observed_kind::absent) return "";
  if (o.kind == observed_kind::keyword) return {static_cast<char>('a' + o.keyword)};
  if (o.kind == observed_kind::not_a_number) return "!";
  auto text = std::to_string(o.value.mantissa);
  if (o.value.exponent != 0) text += "e" + std::to_string(o.value.exponent);
  return o.value.inexact ? text + "~" : text;
}

std::string answer_text(answer const& a) {
  std::string text;
  std::size_t pending = 0;  // commas that matter only if a field follows
  for (std::size_t i = 0; i < a.size(); ++i, ++pending) {
    auto const field = field_text(a[i]);
    if (field.empty()) continue;
    text.append(pending, ',').append(field);
    pending = 0;
  }
  return text.empty() ? "." : text;
}

std::string answers_text(std::vector<answer> const& all) {
  std::string text;
  for (std::size_t i = 0; i < all.size();) {
    std::size_t end = i + 1;
    while (end < all.size() && all[end] == all[i]) ++end;
    if (i != 0) text += ' ';
    text += answer_text(all[i]);
    if (end - i > 1) text += "x" + std::to_string(end - i);
    i = end;
  }
  return text;
}

[[noreturn]] void refuse(std::string_view text) {
  throw text_error("'" + std::string(text.substr(0, 60)) + "' is not an answer");
}

template <class Number>
Number take_number(std::string_view& text) {
  Number n = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc{}) refuse(text);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return n;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

observed take_field(shape const& s, std::size_t field, std::string_view& text) {
  if (take(text, '!')) return {observed_kind::not_a_number, 0, {}};
  if (text.empty() || text.front() == ',' || text.front() == ' ') return {};
  if (text.front() >= 'a' && text.front() <= 'z') {
    auto const word = static_cast<std::size_t>(text.front() - 'a');
    if (word >= s.answers[field].words.size()) refuse(text);
    text.remove_prefix(1);
    return observed::word(static_cast<std::uint8_t>(word));
  }
  spec::decimal d;
  d.mantissa = take_number<spec::integer>(text);
  if (take(text, 'e')) d.exponent = take_number<std::int32_t>(text);
  d.inexact = take(text, '~');
  return observed::of(d);
}

std::vector<answer> parse_answers(shape const& s, std::string_view text) {
  std::vector<answer> all;
  if (!text.empty()) all.reserve(1 + static_cast<std::size_t>(std::ranges::count(text, ' ')));
  while (!text.empty()) {
    answer a;
    if (!take(text, '.')) {
      std::size_t i = 0;
      do {
        if (i == s.answers.size()) refuse(text);
        a[i] = take_field(s, i, text);
        ++i;
      } while (take(text, ','));
    }
    std::size_t const times = take(text, 'x') ? take_number<std::size_t>(text) : 1;
    if (times == 0 || times > answers_max - all.size()) refuse(text);
    all.insert(all.end(), times, a);
    if (!text.empty() && !take(text, ' ')) refuse(text);
  }
  return all;
}

constexpr std::string_view kinds[] = {"answered", "rejected", "skipped", "unsent", "broke"};

}  // namespace

ordered_json to_json(result const& r) {
  auto text = answers_text(r.answers);
  if (r.kind == result_kind::answered && r.why.empty()) return text;
  ordered_json j{{"is", kinds[static_cast<std::size_t>(r.kind)]}};
  if (!text.empty()) j["answers"] = std::move(text);
  if (!r.why.empty()) j["why"] = r.why;
  return j;
}

result parse_answered(shape const& s, std::string_view text) {
  return {result_kind::answered, parse_answers(s, text), ""};
}

result parse_result(shape const& s, json const& j) {
  if (j.is_string()) return parse_answered(s, j.get_ref<std::string const&>());
  result r;
  auto const is = j.at("is").get<std::string>();
  while (kinds[static_cast<std::size_t>(r.kind)] != is) {
    if (r.kind == result_kind::broke) refuse(is);
    r.kind = static_cast<result_kind>(static_cast<int>(r.kind) + 1);
  }
  r.answers = parse_answers(s, j.value("answers", ""));
  r.why = histories::printable(j.value("why", ""));
  return r;
}

}  // namespace backoff::files
