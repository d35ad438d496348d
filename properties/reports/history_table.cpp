#include "reports/history_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>

#include "histories/text.hpp"
#include "relation/rational.hpp"

namespace backoff::reports {

namespace {

std::string decimal_text(spec::decimal const& d) {
  std::string digits = std::to_string(d.mantissa);
  if (d.exponent == 0) return digits;
  bool const negative = digits.front() == '-';
  if (negative) digits.erase(0, 1);
  constexpr std::size_t digits_max = 24;
  if (d.exponent > 0 && digits.size() + static_cast<std::size_t>(d.exponent) <= digits_max)
    return (negative ? "-" : "") + digits + std::string(static_cast<std::size_t>(d.exponent), '0');
  if (d.exponent > 0 || d.exponent < -24) return (negative ? "-" : "") + digits + "e" + std::to_string(d.exponent);
  auto const places = static_cast<std::size_t>(-d.exponent);
  if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
  digits.insert(digits.size() - places, ".");
  return (negative ? "-" : "") + digits;
}

// x as a decimal of at most 12 places and 18 digits; where that is not exact, rounded toward 0 and marked with "~".
std::string rational_text(spec::rational const& x) {
  spec::rational const digits_end = 1'000'000'000'000'000'000;
  spec::rational scaled = x * 1'000'000'000'000;
  std::int32_t exponent = -12;
  while (abs(scaled) >= digits_end) {
    scaled /= 10;
    ++exponent;
  }
  auto const whole = static_cast<spec::integer>(numerator(scaled) / denominator(scaled));
  spec::decimal d{whole, exponent, false};
  while (d.exponent != 0 && d.mantissa % 10 == 0) {
    d.mantissa /= 10;
    ++d.exponent;
  }
  return (scaled.is_whole() ? "" : "~") + decimal_text(d);
}

// Whether a value of the field is clear without the field's name: a word, or the only number of an answer.
bool is_plain(shape const& s, answer_field const& f) noexcept {
  auto const is_number = [](answer_field const& one) { return one.words.empty() && !one.needs; };
  bool const is_one_of_many = is_number(f) && std::ranges::count_if(s.answers, is_number) > 1;
  return f.written != answer_field::form::boolean && !f.needs && !is_one_of_many;
}

// A value of an answer's field as people read it.
std::string named(shape const& s, answer_field const& f, std::string const& text) {
  return is_plain(s, f) ? text : std::string(f.name) + "=" + text;
}

std::string word_text(shape const& s, answer_field const& f, std::uint8_t word) {
  bool const silent = f.written == answer_field::form::implied && word == 0;
  return silent ? "" : named(s, f, std::string(f.words[word]));
}

std::string observed_text(shape const& s, std::size_t field, observed const& o) {
  auto const& f = s.answers[field];
  if (o.kind == observed_kind::number) return named(s, f, decimal_text(o.value));
  if (o.kind == observed_kind::keyword) return word_text(s, f, o.keyword);
  return o.kind == observed_kind::absent ? "" : "not a number";
}

void append_word(std::string& out, std::string const& word) {
  if (!word.empty()) out.append(out.empty() ? "" : " ").append(word);
}

// A draw of [0, 1) as a decimal where that is short.
std::string draw_text(std::int64_t numerator, draw_source const& draws) {
  auto text = std::to_string(numerator);
  if (draws.kind != spec::draw_kind::unit) return text;
  auto const decimal = rational_text(spec::rational(numerator) / spec::rational(draws.size));
  return decimal.starts_with('~') ? text + "/2^32" : decimal;
}

// Whether the answer is a fraction where only whole numbers are admitted.
bool admits_whole_ones(spec::admissible const& a, observed const& o) noexcept {
  bool const is_fraction = o.kind == observed_kind::number && o.value.exponent < 0;
  return is_fraction && a.kind() == spec::admissible_kind::lattice && a.count() > 1;
}

table_row show_step(shape const& s, history const& h, std::size_t i, spec::expectation const* admitted,
                    answer const* port, draw_source const& draws) {
  auto const& op = s.operations[h.steps[i].op];
  table_row row{i + 1, std::string(op.name), {}, "", "", false};
  if (h.steps[i].on != 0) row.call += " on " + std::to_string(h.steps[i].on);
  for (std::size_t k = 0; k < op.args.size(); ++k) {
    auto const& v = h.steps[i].args[k];
    if (v.kind == value_kind::absent) continue;
    bool const is_draw = op.args[k].kind == field_kind::draw;
    auto text = is_draw ? draw_text(v.n, draws) : to_text(op.args[k], v);
    if (bool const is_listed = !row.with.empty() && row.with.back().name == op.args[k].name; is_listed) {
      row.with.back().text += "," + text;
    } else {
      row.with.push_back({op.args[k].name, std::move(text), is_draw});
    }
  }
  for (std::size_t k = 0; k < s.answers.size(); ++k) {
    bool const seen = port == nullptr || !s.answers[k].needs || (*port)[k].kind != observed_kind::absent;
    if (admitted != nullptr && seen) append_word(row.admitted, admitted_text(s, k, (*admitted)[k]));
    if (port != nullptr) append_word(row.port, observed_text(s, k, (*port)[k]));
    if (admitted != nullptr && port != nullptr && admits_whole_ones((*admitted)[k], (*port)[k]))
      row.admitted += " (whole)";
  }
  if (admitted == nullptr) row.admitted = "not judged";
  if (port == nullptr) row.port = "-";
  return row;
}

}  // namespace

std::string parameters_text(shape const& s, history const& h) {
  std::string out;
  for (std::size_t i = 0; i < s.params.size(); ++i) {
    if (h.params[i].kind == value_kind::absent) continue;
    append_word(out, std::string(s.params[i].name) + "=" + histories::to_text(s.params[i], h.params[i]));
  }
  return out;
}

namespace {

// The number in the middle, or 0, where the interval is as narrow as what doubles lose.
std::optional<spec::rational> about_the_same(spec::closed_interval const& of) {
  static spec::rational const relatively = spec::rational(1) / 1'000'000'000;
  static spec::rational const nothing = spec::rational(1) / 1'000'000;
  if (of.low == 0) return of.high < nothing ? std::optional<spec::rational>(0) : std::nullopt;
  if (of.low < 0 || of.high - of.low > of.high * relatively) return std::nullopt;
  return (of.low + of.high) / 2;
}

}  // namespace

std::string admitted_text(shape const& s, std::size_t field, spec::admissible const& a) {
  using kind = spec::admissible_kind;
  auto const& f = s.answers[field];
  if (a.kind() == kind::absent) return "";
  if (a.kind() == kind::unjudged) return "not judged";
  if (a.kind() == kind::not_finite) return named(s, f, "not a number");
  if (a.kind() == kind::not_zero) return named(s, f, "not 0");
  if (a.kind() == kind::keyword) {
    std::string text;
    auto const count = static_cast<std::size_t>(std::popcount(a.words()));
    if (count == f.words.size() && count > 1 && !is_plain(s, f)) return named(s, f, "any");
    for (auto left = a.words(); left != 0; left &= left - 1) {
      auto const word = static_cast<std::uint8_t>(std::countr_zero(left));
      text += text.empty() ? word_text(s, f, word) : fmt::format(" or {}", f.words[word]);
    }
    return text;
  }
  if (a.kind() == kind::lattice) {
    auto text = std::to_string(a.first());
    bool const has_gaps = a.count() > 1 && a.step() != 1;
    if (a.count() > 1) text += (a.count() == 2 ? " or " : "..") + std::to_string(a.last());
    if (has_gaps && a.count() > 2) text += " in steps of " + std::to_string(a.step());
    if (a.has_ends()) text += " or " + rational_text(a.ends().low);
    return named(s, f, text);
  }
  auto const low = rational_text(a.ends().low);
  if (a.ends().low == a.ends().high) return named(s, f, low);
  auto const high = rational_text(a.ends().high);
  if (low == high) return named(s, f, low);  // they differ beyond what is shown
  if (a.kind() == kind::either) return named(s, f, low + " or " + high);
  static spec::rational const beyond_all = pow(spec::big_integer(10), 60U);
  if (a.ends().high > beyond_all) return named(s, f, low + " or more");
  if (auto const about = about_the_same(a.ends())) {
    auto const text = rational_text(*about);
    return named(s, f, text.starts_with('~') ? text : "~" + text);
  }
  return named(s, f, "[" + low + ", " + high + "]");
}

std::string answer_text(shape const& s, spec::expectation const& admitted) {
  std::string text;
  for (std::size_t k = 0; k < s.answers.size(); ++k) {
    bool const status_of_a_number =
        k == 0 && s.answers.size() > 1 && admitted[1].kind() != spec::admissible_kind::absent;
    if (status_of_a_number || s.answers[k].needs) continue;
    append_word(text, admitted_text(s, k, admitted[k]));
  }
  // A number, or a word in its place.
  auto const& number = s.answers[s.delay];
  if (!number.only || admitted[0].kind() != spec::admissible_kind::keyword) return text;
  auto others = admitted[0].words() & ~(std::uint32_t{1} << number.only->word);
  bool const is_judged = admitted[s.delay].kind() != spec::admissible_kind::unjudged;
  for (; is_judged && others != admitted[0].words() && others != 0; others &= others - 1)
    text += fmt::format(" or {}", s.answers[0].words[static_cast<std::size_t>(std::countr_zero(others))]);
  return text;
}

shown_history show_history(run const& judged, evidence const& e, spec::cube assignment) {
  return show_history(judged.system(), judged.about().takes.draws, judged.options().claims, e, assignment);
}

shown_history show_history(judged_system const& system, draw_source const& draws, claim_mask claims, evidence const& e,
                           spec::cube assignment) {
  auto const& s = system.shape();
  shown_history shown{{}, parameters_text(s, e.tried), {}};
  auto const admitted = system.admitted(e.tried, e.got.answers, draws, assignment);
  auto const report = system.broken_claims(e.tried, e.got.answers, draws, assignment);
  for (std::size_t i = 0; i < e.tried.steps.size(); ++i) {
    auto const* port = i < e.got.answers.size() ? &e.got.answers[i] : nullptr;
    shown.rows.push_back(show_step(s, e.tried, i, i < admitted.size() ? &admitted[i] : nullptr, port, draws));
    shown.rows.back().breaks = i < report.broken_at.size() && (report.broken_at[i] & claims) != 0;
  }
  return shown;
}

std::string_view head_of_arguments(shown_history const& h) noexcept {
  std::string_view head;
  for (auto const& row : h.rows) {
    for (auto const& a : row.with) {
      if (!a.is_draw) return "with";
      head = "draw";
    }
  }
  return head;
}

std::string arguments_text(table_row const& row, std::string_view head) {
  bool const are_named = head == "with";
  std::string text;
  for (auto const& a : row.with) append_word(text, are_named ? fmt::format("{}={}", a.name, a.text) : a.text);
  return text;
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string result;
  std::size_t column = indent;
  while (!text.empty()) {
    auto const space = text.find(' ');
    auto const word = text.substr(0, space);
    if (column > indent && column + 1 + word.size() > width) {
      result += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      result += ' ';
      ++column;
    }
    result += word;
    column += word.size();
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
  }
  return result;
}

std::string painted(look const& seen, std::string const& in, std::string const& text) {
  return seen.colour ? in + text + style::plain : text;
}

std::string fitted(std::string const& text, std::size_t indent, look const& seen) {
  return seen.columns == 0 ? text : wrapped(text, indent, seen.width());
}

// Long runs of steps are cut in the middle: the first and the last ones tell the story. Where a terminal is too narrow
// for the columns, what is admitted and what the port answered stand below each other.
std::string table_text(shown_history const& h, look const& seen) {
  std::string text;
  constexpr std::size_t head = 3;
  constexpr std::size_t tail = 4;
  constexpr std::size_t whole = 12;
  constexpr std::string_view mark = "   <--";
  std::size_t call = 4;
  auto const head_of_these = head_of_arguments(h);
  std::size_t with = head_of_these.size();
  std::size_t admitted = 8;
  for (auto const& row : h.rows) {
    call = std::max(call, row.call.size());
    with = std::max(with, arguments_text(row, head_of_these).size());
    admitted = std::max(admitted, row.admitted.size());
  }
  std::size_t port = 4;
  for (auto const& row : h.rows) port = std::max(port, row.port.size() + (row.breaks ? mark.size() : 0));
  bool const stacked = seen.columns != 0 && 16 + call + with + admitted + port > seen.columns;
  auto const asked = [&](std::string_view step, std::string_view of, std::string_view arguments) {
    auto first = fmt::format("    {:>4}  {:<{}}", step, of, call);
    if (with == 0) return first;
    return head_of_these == "draw" ? fmt::format("{}  {:>{}}", first, arguments, with)
                                   : fmt::format("{}  {:<{}}", first, arguments, with);
  };
  auto const lines = [&](table_row const& row) {
    auto const first = asked(std::to_string(row.step), row.call, arguments_text(row, head_of_these));
    auto const marked = row.port + std::string(row.breaks ? mark : "");
    if (!stacked) return fmt::format("{}  {:<{}}  {}", first, row.admitted, admitted, marked);
    return fmt::format("{}\n          admitted  {}\n          port      {}", first, fitted(row.admitted, 20, seen),
                       fitted(marked, 20, seen));
  };
  auto const head_line = asked("step", "call", head_of_these);
  text += fmt::format("{}\n", stacked ? head_line : fmt::format("{}  {:<{}}  port", head_line, "admitted", admitted));
  for (std::size_t i = 0; i < h.rows.size(); ++i) {
    if (h.rows.size() > whole && i == head) {
      text += fmt::format("     ...  {} more\n", h.rows.size() - head - tail);
      i = h.rows.size() - tail;
    }
    auto const text_of_row = lines(h.rows[i]);
    text += fmt::format("{}\n", h.rows[i].breaks ? painted(seen, style::bad, text_of_row) : text_of_row);
  }
  return text;
}

}  // namespace backoff::reports
