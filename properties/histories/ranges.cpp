#include "histories/ranges.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>
#include <vector>

#include "histories/text.hpp"
#include "histories/text_parts.hpp"

namespace backoff::histories {

using namespace text_parts;

namespace {

constexpr auto least = std::numeric_limits<std::int64_t>::min();
constexpr auto most = std::numeric_limits<std::int64_t>::max();

// LOW or HIGH. A number that does not fit 64 bits counts as the nearest one that fits.
std::int64_t end_of(field const& f, std::string_view text) {
  bool const negative = text.starts_with('-');
  if (f.kind == field_kind::decimal) {
    if (auto const n = parse_scaled(text, f.scale)) return *n;
    auto const d = spec::parse_decimal(text);
    bool const beyond = d && d->exponent >= 0;
    if (beyond) return negative ? least : most;
    throw text_error(shown(text) + ": expected a decimal of at most " + std::to_string(f.scale) + " places");
  }
  std::int64_t n = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  bool const whole = error != std::errc::invalid_argument && end == text.data() + text.size();
  if (!whole) throw text_error(shown(text) + ": expected an integer");
  return error == std::errc{} ? n : negative ? least : most;
}

std::vector<std::string_view> alternatives(std::string_view text) {
  constexpr std::string_view separator = " or ";
  std::vector<std::string_view> parts;
  for (auto at = text.find(separator); at != std::string_view::npos; at = text.find(separator)) {
    parts.push_back(text.substr(0, at));
    text.remove_prefix(at + separator.size());
  }
  parts.push_back(text);
  return parts;
}

std::string expected(field const& f, bool numbers) {
  std::string out = numbers ? "LOW..HIGH" : "";
  for (auto const word : f.words) out.append(out.empty() ? "" : " or ").append(word);
  return "expected " + std::string(f.name) + "=" + out;
}

range shared(field const& f, range const& from, std::string_view text) {
  bool const countable = f.kind != field_kind::keyword && f.kind != field_kind::set;
  range left{from.low, from.high, 0, false, true};
  for (auto const part : alternatives(text)) {
    if (auto const word = std::ranges::find(f.words, part); word != f.words.end()) {
      left.words |= std::uint64_t{1} << (word - f.words.begin());
      continue;
    }
    auto const dots = part.find("..");
    bool const empty = part.empty() || part == "..";
    if (!countable || left.numbers || empty) throw text_error(shown(part) + ": " + expected(f, countable));
    auto const low_text = part.substr(0, dots);
    auto const high_text = dots == std::string_view::npos ? part : part.substr(dots + 2);
    auto const low = low_text.empty() ? least : end_of(f, low_text);
    auto const high = high_text.empty() ? most : end_of(f, high_text);
    if (low > high) throw text_error(shown(part) + ": expected LOW..HIGH with LOW not above HIGH");
    left.numbers = true;
    left.low = std::max(low, from.low);
    left.high = std::min(high, from.high);
  }
  left.numbers = left.numbers && from.numbers && left.low <= left.high;
  left.words &= from.words;
  if (!left.numbers && left.words == 0)
    throw text_error(shown(text) + " leaves nothing to try: expected some of " + to_text(f, from));
  if (!left.numbers) left.low = from.low, left.high = from.high;
  return left;
}

// The edit distance: how many insertions, deletions and replacements lead from one text to the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    auto diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      auto const replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

// Every parameter and argument but the draws, which come from the port's generator.
template <class Visit>
void each_countable(shape const& s, domain& d, Visit const& visit) {
  for (std::size_t i = 0; i < s.params.size(); ++i) visit(s.params[i], d.params[i]);
  for (std::size_t op = 0; op < s.operations.size(); ++op) {
    auto const args = s.operations[op].args;
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (args[i].kind != field_kind::draw) visit(args[i], d.args[op][i]);
    }
  }
}

[[noreturn]] void refuse_name(shape const& s, domain& d, std::string_view name) {
  std::vector<std::string_view> names{"op"};
  each_countable(s, d, [&](field const& f, range const&) {
    if (std::ranges::find(names, f.name) == names.end()) names.push_back(f.name);
  });
  auto const nearest = *std::ranges::min_element(names, {}, [&](auto known) { return distance(name, known); });
  throw text_error(shown(name) + " is no parameter or argument of " + std::string(s.stem) + "; did you mean " +
                   std::string(nearest) + "? expected NAME=LOW..HIGH with NAME one of: " + comma_separated(names));
}

void narrow_operations(shape const& s, domain& d, std::string_view text) {
  auto const parts = alternatives(text);
  auto const before = d.operations;
  auto const why = keep_operations(s, d, std::vector<std::string>(parts.begin(), parts.end()));
  if (!why.empty()) {
    throw text_error(why + ": expected some of " + comma_separated(s.operations, &operation::name) +
                     ", joined by ' or '");
  }
  d.operations &= before;
}

bool same(range const& a, range const& b) noexcept {
  return a.numbers == b.numbers && a.words == b.words && a.low == b.low && a.high == b.high;
}

}  // namespace

void narrow(shape const& s, domain& d, std::string_view text) {
  auto const at = std::min(text.find_first_of("= "), text.size());
  auto const name = text.substr(0, at);
  auto const rest = text.substr(std::min(at + 1, text.size()));
  if (name == "op") {
    narrow_operations(s, d, rest);
    return;
  }
  bool known = false;
  each_countable(s, d, [&](field const& f, range& r) {
    if (f.name != name) return;
    known = true;
    range from = r;
    if (f.usual_low && !r.declared) from.low = f.low;
    r = shared(f, from, rest);
  });
  if (!known) refuse_name(s, d, name);
}

std::string to_text(field const& f, range const& r) {
  std::string out;
  if (r.numbers) {
    append_plain(out, f, f.number(r.low));
    if (r.low != r.high) append_plain(out += "..", f, f.number(r.high));
  }
  for (std::size_t i = 0; i < f.words.size(); ++i) {
    if (((r.words >> i) & 1U) != 0) out.append(out.empty() ? "" : " or ").append(f.words[i]);
  }
  return std::string(f.name) + " " + out;
}

std::string to_text(shape const& s, domain const& d) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < s.params.size(); ++i) {
    if (d.takes(s.params[i])) parts.push_back(to_text(s.params[i], d.params[i]));
  }
  auto const documented = documented_domain(s, d.draws);
  auto const usual = usual_domain(s, d.draws, d.features);
  std::vector<std::string_view> named;
  std::vector<std::string_view> answered;
  for (std::uint8_t op = 0; op < s.operations.size(); ++op) {
    if (d.answers(op)) answered.push_back(s.operations[op].name);
    auto const args = s.operations[op].args;
    for (std::size_t i = 0; i < args.size(); ++i) {
      auto const& r = d.args[op][i];
      bool const narrower = args[i].kind != field_kind::draw && d.takes(args[i]) && !same(r, documented.args[op][i]) &&
                            !same(r, usual.args[op][i]) && std::ranges::find(named, args[i].name) == named.end();
      if (!narrower) continue;
      named.push_back(args[i].name);
      parts.push_back(to_text(args[i], r));
    }
  }
  if (answered.size() < s.operations.size()) {
    std::string names;
    for (auto const name : answered) names.append(names.empty() ? "op " : " or ").append(name);
    parts.push_back(std::move(names));
  }
  return comma_separated(parts);
}

}  // namespace backoff::histories
