#include "oracle/init_answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>
#include <vector>

#include "histories/text_parts.hpp"
#include "judge/judged_system.hpp"
#include "oracle/init_languages.hpp"
#include "policies/expression.hpp"
#include "session/exit_codes.hpp"

namespace backoff::oracle {
namespace {

constexpr millionths one = 1'000'000;
constexpr millionths factor_max = 10 * one;
constexpr std::uint64_t retries_max = 1000;
constexpr std::size_t name_size_max = 40;
constexpr std::size_t digits_max = 15;  // of a number in a policy

struct unit {
  std::string_view name;
  picoseconds size;
  std::string_view of_policies;  // the unit of a policy for whose author this is the unit
};
constexpr std::array units{
    unit{"ns", 1'000, "ns"},           unit{"us", 1'000'000, "us"},          unit{"ms", 1'000'000'000, "ms"},
    unit{"s", 1'000'000'000'000, "s"}, unit{"min", 60'000'000'000'000, "s"}, unit{"h", 3'600'000'000'000'000, "s"}};
constexpr picoseconds longest = 7 * 24 * picoseconds{3'600'000'000'000'000};  // 30 times that is a number of 64 bits

unit const* find_unit(std::string_view name) {
  auto const* const found = std::ranges::find(units, name, &unit::name);
  return found == units.end() ? nullptr : &*found;
}

[[noreturn]] void refuse(std::string const& text, std::string const& expected) {
  throw usage_error(fmt::format("'{}': expected {}", text, expected));
}

// Takes a decimal number from the front of the text, in parts of which `whole` make 1; none: there is none, it has more
// decimal places than there are such parts, or it is larger than `most` parts.
std::optional<std::uint64_t> take_decimal(std::string_view& text, std::uint64_t whole, std::uint64_t most) {
  std::uint64_t found = 0;
  std::uint64_t part = whole;  // what the next digit counts
  bool fraction = false;
  bool any = false;
  while (!text.empty()) {
    if (text[0] == '.' && !fraction) {
      fraction = true;
    } else if (text[0] >= '0' && text[0] <= '9') {
      auto const digit = static_cast<std::uint64_t>(text[0] - '0');
      any = true;
      if (fraction) {
        if (part % 10 != 0 && digit != 0) return std::nullopt;
        part /= 10;
        found += digit * part;
      } else {
        if (found > most / 10) return std::nullopt;
        found = found * 10 + digit * whole;
      }
      if (found > most) return std::nullopt;
    } else {
      break;
    }
    text.remove_prefix(1);
  }
  return any ? std::optional(found) : std::nullopt;
}

std::string_view without_spaces(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// What follows a number, without its sign.
std::string_view after_number(std::string_view text) {
  return without_spaces(text.substr(std::min(text.find_first_not_of("+ 0123456789."), text.size())));
}

struct duration {
  picoseconds length;
  unit const* in;
};

// In that unit, unless it names one.
duration read_duration(std::string const& text, unit const* usual, std::string const& expected) {
  auto number = without_spaces(text);
  auto const digits = std::min(number.find_first_not_of("0123456789."), number.size());
  auto const word = without_spaces(number.substr(digits));
  number = number.substr(0, digits);
  auto const* const in = word.empty() ? usual : find_unit(word);
  if (in == nullptr || digits == 0) refuse(text, expected);
  auto const length = take_decimal(number, in->size, longest);
  if (!length || !number.empty() || *length == 0) refuse(text, expected + ", above 0, at most 7 days");
  return {*length, in};
}

std::string trimmed(std::uint64_t n, std::uint64_t whole) {
  auto text = fmt::format("{}", n / whole);
  auto const places = fmt::format("{}", whole).size() - 1;
  auto fraction = fmt::format("{:0{}}", n % whole, places);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return fraction.empty() ? text : text + "." + fraction;
}

// The longest value that is tried of a duration.
constexpr picoseconds tried = 30;

void demand_few_digits(init_answers const& of, picoseconds length, std::string const& text) {
  if (in_unit(of, length * tried).size() > digits_max) refuse(text, "fewer digits: name a larger unit");
}

std::string one_of(std::vector<std::string> const& words) {
  return fmt::format("one of: {}", text_parts::comma_separated(words));
}

}  // namespace

std::string in_unit(init_answers const& of, picoseconds length) { return trimmed(length, find_unit(of.unit)->size); }
std::string decimal(millionths n) { return trimmed(n, one); }

void read_name(init_answers& to, std::string const& text) {
  auto const is_part = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  if (text.empty() || text.size() > name_size_max || !std::ranges::all_of(text, is_part) || text[0] < 'a')
    refuse(text, fmt::format("small letters, digits and _, at most {}, a letter first", name_size_max));
  if (text == "backoff") refuse(text, "another name, as the helper's files have this one");
  auto const systems = judge::judged_systems();
  if (std::ranges::any_of(systems, [&](auto const* each) { return each->shape().stem == text; }))
    refuse(text, "another name, as a system has this one");
  to.name = text;
}

void read_language(init_answers& to, std::string const& text) {
  std::vector<std::string> names;
  for (auto const& each : init_languages()) names.emplace_back(each.name);
  if (std::ranges::find(names, text) == names.end()) refuse(text, one_of(names) + policies::nearest_name(text, names));
  to.language = text;
}

void read_unit(init_answers& to, std::string const& text) {
  auto const* const found = find_unit(text);
  if (found == nullptr || found->of_policies != text) refuse(text, "one of: ns, us, ms, s");
  to.unit = text;
}

void read_base(init_answers& to, std::string const& text) {
  auto const* const usual = find_unit(to.unit);
  auto const found = read_duration(text, usual, "a number with a unit, such as 100ms, 1.5s or 2min");
  if (to.unit.empty()) to.unit = found.in->of_policies;
  demand_few_digits(to, found.length, text);
  to.base = found.length;
}

void read_jitter(init_answers& to, std::string const& text) {
  std::vector<std::string> const words{"none", "full", "equal", "decorrelated"};
  constexpr std::array kinds{jitter::none, jitter::full, jitter::equal, jitter::decorrelated};
  auto const word = std::ranges::find(words, text);
  if (word != words.end()) {
    to.jittered = kinds.at(static_cast<std::size_t>(word - words.begin()));
    return;
  }
  auto rest = without_spaces(text);
  bool const is_time =
      rest.find_first_not_of("+ 0123456789.") != std::string_view::npos && find_unit(after_number(rest)) != nullptr;
  if (is_time) {
    auto const plus = rest.starts_with('+');
    if (!plus) refuse(text, "+" + text + " for a random time of up to " + text + " that is added");
    to.jittered = jitter::added;
    to.added = read_duration(std::string(rest.substr(1)), nullptr, "a time that is added, such as +100ms").length;
    demand_few_digits(to, to.added, text);
    return;
  }
  for (std::string_view const sign : {"+/-", "+-", "±"}) {
    if (rest.starts_with(sign)) rest.remove_prefix(sign.size());
  }
  rest = without_spaces(rest);
  bool const percent = rest.ends_with('%');
  if (percent) rest = without_spaces(rest.substr(0, rest.size() - 1));
  auto const part = take_decimal(rest, percent ? one / 100 : one, one);
  if (!part || !rest.empty() || *part == 0)
    refuse(text, one_of(words) + ", a part of the delay, such as 20%, or a time that is added, such as +100ms" +
                     policies::nearest_name(text, words));
  to.jittered = jitter::part;
  to.part = static_cast<millionths>(*part);
}

void read_factor(init_answers& to, std::string const& text) {
  bool const decorrelated = to.jittered == jitter::decorrelated;
  if (!decorrelated && (text == "constant" || text == "linear")) {
    to.grows = text == "linear" ? growth::linear : growth::constant;
    return;
  }
  auto rest = without_spaces(text);
  auto const factor = take_decimal(rest, one, factor_max);
  if (!factor || !rest.empty() || *factor < one || (decorrelated && *factor == one))
    refuse(text, decorrelated ? "a number above 1, at most 10" : "a number from 1 to 10, constant or linear");
  to.grows = *factor == one ? growth::constant : growth::power;
  to.factor = static_cast<millionths>(*factor);
}

void read_cap(init_answers& to, std::string const& text) {
  if (text == "none") {
    to.cap.reset();
    return;
  }
  auto const found = read_duration(text, find_unit(to.unit), "none, or a duration, such as 30s or 30000");
  if (found.length < to.base)
    refuse(text, fmt::format("at least the first delay, {} {}", in_unit(to, to.base), to.unit));
  demand_few_digits(to, found.length, text);
  to.cap = found.length;
}

void read_retries(init_answers& to, std::string const& text) {
  if (text == "forever") {
    to.retries.reset();
    return;
  }
  std::uint64_t n = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc{} || end != text.data() + text.size() || n > retries_max)
    refuse(text, fmt::format("forever, or a whole number in [0, {}]", retries_max));
  to.retries = n;
}

void read_draws(init_answers& to, std::string const& text) {
  if (text != "hidden" && text != "given") refuse(text, one_of({"hidden", "given"}));
  to.draws_given = text == "given";
}

std::string sentence_of(init_answers const& of) {
  bool const decorrelated = of.jittered == jitter::decorrelated;
  auto text = fmt::format("{} {}", in_unit(of, of.base), of.unit);
  if (decorrelated)
    text += fmt::format(", decorrelated jitter up to {} times the last delay", decimal(of.factor));
  else if (of.grows == growth::power)
    text += fmt::format(", x {} each time", decimal(of.factor));
  else
    text += of.grows == growth::linear ? ", as much more each time" : " each time";
  if (of.jittered == jitter::part) text += fmt::format(", +/- {} %", trimmed(of.part, one / 100));
  if (of.jittered == jitter::added) text += fmt::format(", and up to {} {} more", in_unit(of, of.added), of.unit);
  if (of.jittered == jitter::full) text += ", full jitter";
  if (of.jittered == jitter::equal) text += ", equal jitter";
  if (of.cap) text += fmt::format(", at most {} {}", in_unit(of, *of.cap), of.unit);
  return text + (of.retries ? fmt::format(", {} retries", *of.retries) : ", without end");
}

namespace {

std::string parameter(std::string const& name, init_answers const& of, picoseconds length) {
  auto const text = in_unit(of, length);
  auto const point = text.find('.');
  auto const low = point == std::string::npos ? "1" : "0." + std::string(text.size() - point - 2, '0') + "1";
  return fmt::format("  {}: {{default: {}, range: [{}, {}]}}\n", name, text, low, in_unit(of, length * tried));
}

struct reading {
  std::string name;
  std::string formula;
  std::string whole{};  // where whole numbers are drawn; empty: the formula is rounded
};

// The delays that the sentence admits. It leaves open whether they are whole, unless the unit is a second, and whether
// a cap comes before or after a jitter of some percent, or one that is added.
std::vector<reading> readings_of(init_answers const& of, std::string const& grown) {
  auto const capped = [&](std::string const& formula) { return of.cap ? "min(cap, " + formula + ")" : formula; };
  auto const part_of = [&](std::string const& window) {
    return fmt::format("uniform({} * {}, {} * {})", decimal(one - of.part), window, decimal(one + of.part), window);
  };
  auto const added_to = [&](std::string const& window, char const* draw) {
    return fmt::format("{} + {}(0, {})", window, draw, in_unit(of, of.added));
  };
  auto const decorrelated = [&](char const* draw) {
    return capped(fmt::format("{}(base, {} * prev)", draw, decimal(of.factor)));
  };
  std::vector<reading> all;
  switch (of.jittered) {
    case jitter::none:
      all = {{"", "window"}};
      break;
    case jitter::full:
      all = {{"", "uniform(0, window)", "integer(0, window)"}};
      break;
    case jitter::equal:
      all = {{"", "uniform(window / 2, window)"}};
      break;
    case jitter::part:
      all = {{"", part_of("window")}};
      if (of.cap) all = {{"cap-before-jitter", part_of("window")}, {"cap-after-jitter", capped(part_of(grown))}};
      break;
    case jitter::added:
      all = {{"", added_to("window", "uniform"), added_to("window", "integer")}};
      if (of.cap) {
        all.front().name = "cap-before-jitter";
        all.push_back({"cap-after-jitter", capped(added_to(grown, "uniform")), capped(added_to(grown, "integer"))});
      }
      break;
    case jitter::decorrelated:
      all = {{"", decorrelated("uniform"), decorrelated("integer")}};
      break;
  }
  bool const factor_is_whole = of.grows != growth::power || of.factor % one == 0;
  bool const base_is_whole = in_unit(of, of.base).find('.') == std::string::npos;
  // Whole delays can become smaller than a base that is not whole, which swaps the ends of the next draw.
  bool const swaps = of.jittered == jitter::decorrelated && !base_is_whole;
  if (of.unit == "s" || swaps || (of.jittered == jitter::none && factor_is_whole && base_is_whole)) return all;
  std::vector<reading> with_whole;
  for (auto const& [name, formula, whole] : all) {
    auto const prefix = name.empty() ? "" : name + "-";
    with_whole.push_back({prefix + "real", formula});
    with_whole.push_back({prefix + "floor", "floor(" + formula + ")"});
    with_whole.push_back(whole.empty() ? reading{prefix + "round", "round(" + formula + ")"}
                                       : reading{prefix + "whole", whole});
  }
  return with_whole;
}

// Where the form of an adapter says `$if A B$` at the end of a line, the line is there if A and B hold; `!A` holds if A
// does not.
bool holds(std::string_view conditions, std::vector<std::string_view> const& true_ones) {
  while (!conditions.empty()) {
    auto const space = std::min(conditions.find(' '), conditions.size());
    auto word = conditions.substr(0, space);
    conditions.remove_prefix(std::min(space + 1, conditions.size()));
    bool const negated = word.starts_with('!');
    if (negated) word.remove_prefix(1);
    if ((std::ranges::find(true_ones, word) != true_ones.end()) == negated) return false;
  }
  return true;
}

// As code has it in each language: 2.0.
std::string literal(std::string const& text) { return text.find('.') == std::string::npos ? text + ".0" : text; }
std::string literal(millionths n) { return literal(decimal(n)); }

std::string scale_of(init_answers const& of) {
  if (of.jittered == jitter::equal) return "0.5 + 0.5 * u";
  if (of.jittered == jitter::part) return literal(one - of.part) + " + " + literal(2 * of.part) + " * u";
  return "u";
}

// The largest exponent whose power is a double, and still is when multiplied by any base.
unsigned power_max(millionths factor) {
  double power = 1;
  unsigned n = 0;
  for (; power < 1e280 && n < 10'000; ++n) power *= static_cast<double>(factor) / one;
  return n;
}

}  // namespace

std::string policy_text(init_answers const& of) {
  std::string const by = of.grows == growth::power ? " * " + decimal(of.factor) + "^n" : "";
  auto const grown = "base" + (of.grows == growth::linear ? " * (n + 1)" : by);
  auto text =
      fmt::format("# {}\n# The page \"Your own formula\" of backoff-oracle explains this file.\nname: {}\nunit: {}\n",
                  sentence_of(of), of.name, of.unit);
  text += "parameters:  # the oracle tries values of each range; if your code has one value, write it twice: [5, 5]\n";
  text += parameter("base", of, of.base);
  if (of.cap) text += parameter("cap", of, *of.cap);
  if (of.retries) {
    auto const most = std::max<std::uint64_t>(10, std::min(10 * *of.retries, retries_max));
    text += fmt::format("  retries: {{default: {}, range: [0, {}]}}\n", *of.retries, most);
  }
  bool const decorrelated = of.jittered == jitter::decorrelated;
  if (decorrelated && of.cap) text += "where: base <= cap\n";
  if (decorrelated)
    text += "prev: base  # what counts as the delay before the first one\n";
  else
    text += fmt::format("window: {}{}\n", of.cap ? "min(cap, " + grown + ")" : grown,
                        of.grows == growth::constant ? "" : "  # n: the retries already granted");
  auto const delays = readings_of(of, grown);
  if (delays.size() == 1) text += "delay: " + delays[0].formula + "\n";
  if (delays.size() > 1) {
    text += "delay:  # the sentence leaves these open: your code may follow any one; delete those that you exclude\n";
    for (auto const& each : delays) text += fmt::format("  {}: {}\n", each.name, each.formula);
  }
  return of.retries ? text + "attempts: retries  # then the answer is `exhausted`\n" : text;
}

std::string in_capitals(std::string const& name) {
  std::string text;
  bool begins = true;
  for (char const c : name) {
    if (c != '_') text += begins && c >= 'a' ? static_cast<char>(c - 'a' + 'A') : c;
    begins = c == '_';
  }
  return text;
}

std::string adapter_text(init_answers const& of, std::string const& form) {
  bool const decorrelated = of.jittered == jitter::decorrelated;
  bool const jittered = of.jittered != jitter::none;
  bool const added = of.jittered == jitter::added;
  bool const power = !decorrelated && of.grows == growth::power;
  bool const linear = !decorrelated && of.grows == growth::linear;
  std::vector<std::string_view> conditions;
  for (auto const& [word, is_true] : std::initializer_list<std::pair<std::string_view, bool>>{
           {"cap", of.cap.has_value()},
           {"limited", of.retries.has_value()},
           {"counted", of.retries.has_value() || power || linear},
           {"steady", !of.retries && !power && !linear && !decorrelated},
           {"power", power},
           {"linear", linear},
           {"constant", !decorrelated && of.grows == growth::constant},
           {"decorrelated", decorrelated},
           {"scaled", jittered && !decorrelated && !added},
           {"added", added},
           {"math", power || of.cap},
           {"hidden", jittered && !of.draws_given},
           {"given", jittered && of.draws_given}}) {
    if (is_true) conditions.push_back(word);
  }
  std::array<std::pair<std::string_view, std::string>, 7> const words{
      {{"$name$", of.name},
       {"$Name$", in_capitals(of.name)},
       {"$unit$", of.unit},
       {"$factor$", literal(of.factor)},
       {"$power_max$", fmt::format("{}", power_max(of.factor))},
       {"$scale$", scale_of(of)},
       {"$added$", literal(in_unit(of, of.added))}}};
  std::string text;
  for (std::string_view rest = form; !rest.empty();) {
    auto const size = std::min(rest.find('\n') + 1, rest.size());
    std::string line(rest.substr(0, size - 1));
    rest.remove_prefix(size);
    constexpr std::string_view begins = "$if ";
    if (auto const at = line.find(begins); at != std::string::npos) {
      auto const from = at + begins.size();
      if (!holds(std::string_view(line).substr(from, line.size() - from - 1), conditions)) continue;
      line.erase(at == 0 ? 0 : at - 1);
    }
    for (auto const& [word, instead] : words) {
      for (auto at = line.find(word); at != std::string::npos; at = line.find(word))
        line.replace(at, word.size(), instead);
    }
    text += line + "\n";
  }
  return text;
}

}  // namespace backoff::oracle
