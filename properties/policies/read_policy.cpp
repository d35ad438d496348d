#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <sstream>
#include <utility>

#include "histories/printable.hpp"
#include "histories/shape.hpp"
#include "histories/text_parts.hpp"
#include "policies/policy.hpp"
#include "policies/text.hpp"

namespace backoff::policies {
namespace {

using histories::text_parts::comma_separated;
using histories::text_parts::shown;

constexpr std::size_t size_max = std::size_t{1} << 20U;
constexpr std::size_t name_size_max = 40;
constexpr std::size_t alternatives_max = 12;
constexpr std::size_t arguments_max = histories::args_max - 1;  // one place is for the draw
constexpr std::size_t choices_max = 12;
constexpr std::size_t listed_max = 100;
constexpr std::size_t draws_max = 3;
constexpr std::size_t conditions_max = 20;
constexpr std::size_t formula_size_max = 10'000;  // with what stands for its names
constexpr unsigned places_max = 9;
constexpr std::int64_t most = 1'000'000'000'000'000;  // of a parameter, in units of its last place

std::vector<std::string> const keys{"name",     "unit",   "document", "parameters", "where", "call",  "delays",
                                    "then",     "window", "draws",    "delay",      "first", "prev",  "prev2",
                                    "attempts", "while",  "counts",   "reset",      "ends",  "seeds", "hazards"};
std::vector<std::string> const units{"ns", "us", "ms", "s"};
std::vector<std::string> const parameter_keys{"default", "range", "forever", "unset"};
std::vector<std::string> const words_after_delays{"last", "exhausted"};
std::vector<std::string> const end_words{"inclusive", "exclusive"};
std::vector<std::string> const strength_words{"must", "recommended"};
std::vector<std::string> const formulas_with_alternatives{"window", "delay", "first", "attempts", "while"};
// Names that formulas and command lines have for something else; and of arguments, what a call has beside them.
constexpr std::array<std::string_view, 13> reserved{"and", "attempt", "elapsed", "forever", "listed", "n",     "not",
                                                    "or",  "prev",    "prev2",   "steps",   "unset",  "window"};
constexpr std::array<std::string_view, 3> reserved_in_calls{"draw", "on", "op"};

// What stands for a key that people write and no policy has.
std::string written_as(std::string_view key) {
  constexpr std::string_view in_time = "while: elapsed + delay <= budget for a limit of time";
  constexpr std::array<std::pair<std::string_view, std::string_view>, 12> all{
      {{"max", "min(8000, x) in the formula for an upper bound"},
       {"cap", "min(8000, x) in the formula for an upper bound"},
       {"jitter", "uniform(low, high) in the formula of the delay"},
       {"retries", "attempts"},
       {"until", in_time},
       {"timeout", in_time},
       {"deadline", in_time},
       {"budget", in_time},
       {"retry_after", "call: {retry_after: {default: unset, range: [0, 3600]}}"},
       {"base", "parameters: {base: 100}"},
       {"factor", "parameters: {factor: 2}"},
       {"multiplier", "parameters: {multiplier: 2}"}}};
  auto const* const found = std::ranges::find_if(all, [&](auto const& each) { return key.starts_with(each.first); });
  return found == all.end() ? "" : "; write " + std::string(found->second);
}

bool is_name(std::string_view text, bool dashes) {
  auto const fits = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == (dashes ? '-' : '_');
  };
  return !text.empty() && text.size() <= name_size_max && (dashes || (text[0] >= 'a' && text[0] <= 'z')) &&
         std::ranges::all_of(text, fits);
}

place place_of(YAML::Mark const& mark) {
  if (mark.is_null()) return {1, 1};
  return {static_cast<std::size_t>(mark.line) + 1, static_cast<std::size_t>(mark.column) + 1};
}
place place_of(YAML::Node const& node) { return place_of(node.Mark()); }

class reader {
 public:
  reader(std::string const& file, std::string const& text, YAML::Node const& root) : root_(root), text_(&text) {
    result_.file = histories::printable(file);  // verdicts and requirements show it
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1))
      lines_.push_back(at + 1);
  }

  policy read() {
    if (!root_.IsMap()) fail(root_, "expected a policy: keys and values, with at least name, unit and delay");
    demand_known_keys(root_, keys, "key");
    read_head();
    read_parameters();
    for (auto const& p : result_.parameters) names_.add(p.name, p.choices);
    auto const settings = names_.names.size();
    read_arguments();
    for (auto const& p : result_.arguments) names_.add(p.name, p.choices);
    auto const of_call = names_.names.size();
    read_default_formulas(root_["parameters"], settings);
    read_default_formulas(root_["call"], settings);
    read_where(settings);
    if (auto const node = root_["prev"]) {
      result_.prev = one_formula(node, spec::standing::canonical, settings, false);
    }
    if (auto const node = root_["prev2"]) {
      result_.prev2 = one_formula(node, spec::standing::canonical, settings, false);
    }
    result_.attempts = formulas("attempts", of_call, false);
    read_delays(settings);
    std::ranges::for_each(result_.attempts, [&](formula const& f) { demand_whole_limit(f); });
    for (auto const* name : {"n", "attempt", "prev", "prev2", "elapsed"}) names_.add(name);
    auto const counted = names_.names.size();
    result_.window = formulas("window", counted, false);
    names_.add("window");
    auto const all = result_.window.empty() ? counted : names_.names.size();
    read_draws(all);
    if (!root_["delay"] && !listed_) fail(root_, "expected the key 'delay': the formula of each delay");
    uses_listed_ |= !root_["delay"];
    result_.delay = root_["delay"] || !listed_ ? formulas("delay", all, true) : std::vector{*listed_};
    result_.first = formulas("first", all, true);
    names_.add("delay");
    read_conditions_of_a_call(of_call);
    read_ends();
    read_seeds();
    demand_known_hazards();
    demand_sense();
    warn_of_unused_parameters();
    return std::move(result_);
  }

 private:
  [[noreturn]] void fail(place at, std::string const& what) const {
    throw policy_error(located(result_.file, at, what));
  }
  [[noreturn]] void fail(YAML::Node const& node, std::string const& what) const { fail(place_of(node), what); }

  void demand_known_keys(YAML::Node const& map, std::vector<std::string> const& known, std::string const& what) const {
    std::vector<std::string> seen;
    for (auto const& entry : map) {
      if (!entry.first.IsScalar()) fail(entry.first, "expected a " + what + ", one of: " + comma_separated(known));
      auto const& key = entry.first.Scalar();
      if (std::ranges::find(known, key) == known.end()) {
        auto const instead = &known == &keys ? written_as(key) : "";
        fail(entry.first, "unknown " + what + " " + shown(key, 40) + ": expected one of: " + comma_separated(known) +
                              (instead.empty() ? nearest_name(key, known) : instead));
      }
      if (std::ranges::find(seen, key) != seen.end())
        fail(entry.first, what + " " + shown(key, 40) + " is given twice");
      seen.push_back(key);
    }
  }

  std::string const& scalar(YAML::Node const& node, std::string const& expected) const {
    if (!node.IsDefined() || !node.IsScalar()) fail(node.IsDefined() ? node : root_, "expected " + expected);
    return node.Scalar();
  }

  // Of two words.
  std::string const& one_of(YAML::Node const& node, std::vector<std::string> const& words) const {
    auto const expected = words[0] + " or " + words[1];
    auto const& word = scalar(node, expected);
    if (std::ranges::find(words, word) == words.end())
      fail(node, "found " + shown(word, 40) + ": expected " + expected + nearest_name(word, words));
    return word;
  }

  // The elements of a list, or the one that stands for a list of its own.
  static std::vector<YAML::Node> each_of(YAML::Node const& node) {
    if (!node.IsSequence()) return {node};
    return {node.begin(), node.end()};
  }

  void read_head() {
    std::string const of_name = "'name': small letters, digits and _, at most 40, a letter first";
    if (!root_["name"]) fail(root_, "expected the key " + of_name);
    result_.name = scalar(root_["name"], of_name);
    if (!is_name(result_.name, false))
      fail(root_["name"], "found " + shown(result_.name, 60) + ": expected " + of_name);
    if (!root_["unit"]) fail(root_, "expected the key 'unit': the unit of delays, one of: " + comma_separated(units));
    result_.unit = scalar(root_["unit"], "a unit, one of: " + comma_separated(units));
    if (std::ranges::find(units, result_.unit) == units.end())
      fail(root_["unit"], "found " + shown(result_.unit, 40) + ": expected a unit, one of: " + comma_separated(units));
    if (auto const node = root_["document"]) {
      result_.document = scalar(node, "the place of the document, as text");
      if (result_.document.size() > 200 || histories::printable(result_.document) != result_.document)
        fail(node, "expected one line of at most 200 bytes, without control characters and marks of direction");
    }
  }

  void read_parameters() {
    auto const node = root_["parameters"];
    if (!node) return;
    if (!node.IsMap()) fail(node, "expected parameters: {NAME: {default: 100, range: [1, 60000]}, ...}");
    read_named(node, result_.parameters, {"parameter", histories::params_max});
  }

  void read_arguments() {
    auto const node = root_["call"];
    if (!node) return;
    if (!node.IsMap() || node.size() == 0)
      fail(node, "expected arguments of each call: {NAME: {default: unset, range: [0, 3600]}, ...}");
    read_named(node, result_.arguments, {"argument", arguments_max});
    std::size_t i = 0;
    for (auto const& entry : node) {
      auto const& a = result_.arguments[i++];
      if (a.may_be_unset && !a.is_unset_by_default)
        fail(entry.second,
             "argument '" + a.name + "' may be unset, and a call then leaves it out: expected default: unset");
      if (a.may_be_forever) fail(entry.second, "argument '" + a.name + "' may be forever: expected a number or unset");
      bool const is_fixed = a.choices.empty() && a.low == a.high && a.words().empty();
      if (is_fixed) fail(entry.second, "argument '" + a.name + "' is the same in every call: expected a range");
    }
  }

  // A name that nothing else has.
  std::string new_name(YAML::Node const& node, std::string const& what) const {
    auto const name = scalar(node, "a name");
    if (!is_name(name, false))
      fail(node, "found " + shown(name, 60) + ": expected a name: small letters, digits and _, a letter first");
    bool const is_of_calls =
        what == "argument" && std::ranges::find(reserved_in_calls, name) != reserved_in_calls.end();
    if (is_of_calls || std::ranges::find(reserved, name) != reserved.end()) {
      std::vector<std::string> all(reserved.begin(), reserved.end());
      if (what == "argument") all.insert(all.end(), reserved_in_calls.begin(), reserved_in_calls.end());
      std::ranges::sort(all);
      fail(node, "the name '" + name + "' is reserved: expected a name other than " +
                     histories::text_parts::comma_separated(all));
    }
    auto const is_it = [&](parameter const& p) { return p.name == name; };
    if (std::ranges::any_of(result_.parameters, is_it) || std::ranges::any_of(result_.arguments, is_it))
      fail(node, what + " '" + name + "' is given twice");
    return name;
  }

  struct kind_of_name {
    std::string what;
    std::size_t most;
  };
  void read_named(YAML::Node const& node, std::vector<parameter>& to, kind_of_name const& named) {
    for (auto const& entry : node) {
      auto const name = new_name(entry.first, named.what);
      if (to.size() == named.most)
        fail(entry.first, "expected at most " + std::to_string(named.most) + " " + named.what + "s");
      to.push_back(read_parameter(name, entry.second));
    }
  }

  // Delays one after the other: the value of the name `listed`, at each retry. After the last of them it stays, or no
  // retry is granted any more.
  void read_delays(std::size_t settings) {
    auto const node = root_["delays"];
    auto const then = root_["then"];
    if (then && !node) fail(then, "'then' says what comes after the last of 'delays': expected that key too");
    if (!node) return;
    if (!node.IsSequence() || node.size() == 0)
      fail(node, "expected delays one after the other, such as [5, 300, 1800]");
    if (node.size() > listed_max) fail(node, "expected at most " + std::to_string(listed_max) + " delays");
    std::vector<formula> all;
    for (auto const& each : node)
      all.push_back(
          one_formula(each, spec::standing::canonical, settings, false, node.Style() == YAML::EmitterStyle::Flow));
    std::size_t size = 0;
    for (auto const& f : all) size += size_of(f.tree);
    if (size > formula_size_max)
      fail(node, "delays of " + std::to_string(size) + " numbers, names and operations: expected at most " +
                     std::to_string(formula_size_max));
    formula list = all.back();
    for (std::size_t i = all.size() - 1; i-- > 0;) {
      auto is_it = expression_of(operation::equal, {named(result_.n()), number_of(spec::integer(i))});
      std::vector<expression> parts;
      parts.push_back(std::move(is_it));
      parts.push_back(std::move(all[i].tree));
      parts.push_back(std::move(list.tree));
      list.tree = expression_of(operation::choose, std::move(parts));
      list.text = all[i].text + ", " + list.text;
    }
    list.name = "as-written";
    list.tree = at_column(std::move(list.tree), 0);
    list.at = place_of(node);
    bool const ends = then && one_of(then, words_after_delays) == "exhausted";
    if (ends && root_["attempts"])
      fail(then, "after the last of 'delays' no retry is granted: expected no key 'attempts'");
    list.text += ends ? ", then exhausted" : ", then the last";
    if (ends) {
      result_.attempts = {{.name = list.name,
                           .text = std::to_string(all.size()),
                           .tree = number_of(spec::integer(all.size())),
                           .at = place_of(then)}};
    }
    listed_ = std::move(list);
  }

  // Draws with a name, which formulas of delays use as often as they like.
  void read_draws(std::size_t known) {
    auto const node = root_["draws"];
    if (!node) return;
    std::string const expected = "draws with a name each, such as {u: uniform(0, 1)}";
    if (!node.IsMap() || node.size() == 0) fail(node, "expected " + expected);
    std::vector<formula> all;
    for (auto const& entry : node) {
      auto const name = new_name(entry.first, "draw");
      if (std::ranges::find(all, name, &formula::name) != all.end())
        fail(entry.first, "draw '" + name + "' is given twice");
      if (all.size() == draws_max) fail(entry.first, "expected at most " + std::to_string(draws_max) + " draws");
      auto f =
          one_formula(entry.second, spec::standing::canonical, known, true, node.Style() == YAML::EmitterStyle::Flow);
      if (!draws_itself(f.tree.op))
        fail(f.at, "found '" + f.text + "': expected uniform(LOW, HIGH) or integer(LOW, HIGH)");
      f.name = name;
      all.push_back(std::move(f));
    }
    for (unsigned i = 0; i < all.size(); ++i) all[i].tree.name = i;
    result_.draws_by_name = std::move(all);
  }

  // How many places behind the point the number is written with: 1.0 is as fine as 0.5.
  unsigned places_of(YAML::Node const& node) const {
    auto const& text = scalar(node, "a number");
    auto const d = spec::parse_decimal(text);
    if (!d || d->inexact) fail(node, "found " + shown(text, 40) + ": expected a number such as 100, 0.5 or 1e3");
    auto const fraction = text.find('.') == std::string::npos ? "" : text.substr(text.find('.') + 1);
    bool const has_exponent = fraction.find_first_not_of("0123456789") != std::string::npos;
    auto const written = has_exponent ? 0U : static_cast<unsigned>(fraction.size());
    auto const places = std::max(written, d->exponent < 0 ? static_cast<unsigned>(-d->exponent) : 0U);
    if (places > places_max)
      fail(node, "found " + shown(text, 40) + ": expected at most " + std::to_string(places_max) + " decimal places");
    return places;
  }

  std::int64_t scaled(YAML::Node const& node, std::uint8_t scale) const {
    auto const n = histories::text_parts::parse_scaled(node.Scalar(), scale);
    if (!n || *n > most || *n < -most)
      fail(node, "found " + shown(node.Scalar(), 40) + ": expected a number of at most 15 digits");
    return *n;
  }

  // Whether the parameter may have that word for a value.
  bool takes_word(YAML::Node const& node, char const* word, bool is_default) const {
    auto const given = node.IsMap() ? node[word] : YAML::Node(YAML::NodeType::Undefined);
    if (!given.IsDefined()) return is_default;
    auto const& said = scalar(given, "true or false");
    if (said != "true" && said != "false") fail(given, "expected true or false");
    if (said == "false" && is_default) fail(given, "the default is " + std::string(word) + ": expected true");
    return said == "true";
  }

  // A default that is neither a number nor a word: it is worth that formula of other parameters where it is unset.
  bool is_default_formula(YAML::Node const& value) const {
    if (!value.IsScalar()) return false;
    auto const& text = value.Scalar();
    bool const is_word = text == "forever" || text == "unset";
    bool const is_of_others = is_name(text, false) || text.find_first_of("*/+-^( ") != std::string::npos;
    return !is_word && is_of_others && !spec::parse_decimal(text);
  }

  void read_default_formulas(YAML::Node const& of, std::size_t settings) {
    for (auto const& entry : of) {
      auto const value = entry.second.IsMap() ? entry.second["default"] : entry.second;
      if (!is_default_formula(value)) continue;
      auto const& all = names_.names;
      auto const i = static_cast<unsigned>(std::ranges::find(all, entry.first.Scalar()) - all.begin());
      auto const f = one_formula(value, spec::standing::canonical, settings, false);
      if (f.tree.uses(i)) fail(value, "the default of '" + all[i] + "' uses itself: expected other parameters");
      auto is_unset = expression_of(operation::equal, {named(i), number_of(unset())});
      by_formula_[i] = expression_of(operation::choose, {std::move(is_unset), f.tree, named(i)});
    }
  }

  void read_where(std::size_t settings) {
    auto const node = root_["where"];
    if (!node) return;
    auto const conditions = each_of(node);
    if (conditions.size() > conditions_max)
      fail(node, "expected at most " + std::to_string(conditions_max) + " conditions");
    for (auto const& each : conditions)
      result_.where.push_back(one_formula(each, spec::standing::canonical, settings, false,
                                          node.Style() == YAML::EmitterStyle::Flow, true));
    for (auto& f : result_.where) f.name = "expected " + f.text;
    if (result_.where.empty()) fail(node, "expected a condition on parameters, such as base <= cap");
  }

  // Under which conditions a call is granted a retry, counts, or begins a fresh cycle.
  void read_conditions_of_a_call(std::size_t of_call) {
    auto& p = result_;
    p.going_on = formulas("while", names_.names.size(), false, true);
    for (auto const& f : p.going_on) {
      if (f.tree.uses(p.window_name())) fail(f.at, "'while' uses window: expected delay, the delay of this retry");
      auto const of_delay = std::ranges::find(names_.names, "delay") - names_.names.begin();
      bool const is_taken = static_cast<unsigned>(of_delay) != p.delay_name();
      if (is_taken && f.tree.uses(static_cast<unsigned>(of_delay)))
        fail(f.at, "in 'while', delay is the delay of this retry: expected another name for the parameter 'delay'");
    }
    auto const with_counts = of_call + 2;  // n and attempt
    auto const condition = [&](char const* key, std::optional<formula>& to) {
      if (auto const node = root_[key])
        to = one_formula(node, spec::standing::canonical, with_counts, false, false, true);
    };
    condition("counts", p.counts);
    condition("reset", p.renews);
  }

  // Names that no formula uses: a slip, or a setting that the waits do not depend on.
  void warn_of_unused_parameters() {
    std::uint32_t used = 0;
    auto const& p = result_;
    for (auto const* all : {&p.window, &p.delay, &p.first, &p.attempts, &p.going_on}) {
      for (auto const& f : *all) used |= f.tree.names;
    }
    for (auto const* one : {&p.prev, &p.prev2, &p.counts, &p.renews}) {
      if (*one) used |= (*one)->tree.names;
    }
    for (unsigned d = 0; d < p.draws_by_name.size(); ++d) {
      auto const uses = [&](formula const& f) { return std::ranges::count(uses_of_draws(f.tree), d) > 0; };
      auto const& draw = p.draws_by_name[d];
      if (std::ranges::none_of(p.delay, uses) && std::ranges::none_of(p.first, uses))
        result_.warnings.push_back(located(p.file, draw.at, "no formula uses '" + draw.name + "'"));
    }
    unsigned i = 0;
    for (auto const* key : {"parameters", "call"}) {
      for (auto const& entry : root_[key]) {
        if (((used >> i) & 1U) == 0)
          result_.warnings.push_back(
              located(p.file, place_of(entry.first), "no formula uses '" + p.named_by(i).name + "'"));
        ++i;
      }
    }
  }

  parameter read_parameter(std::string const& name, YAML::Node const& node) const {
    parameter p;
    p.name = name;
    if (node.IsSequence()) {
      p.choices = read_choices(node, name);
      return p;
    }
    auto const value = node.IsMap() ? node["default"] : node;
    if (node.IsMap()) demand_known_keys(node, parameter_keys, "key");
    if (!value.IsDefined()) fail(node, "expected the key 'default' of parameter '" + name + "'");
    bool const forever = value.IsScalar() && value.Scalar() == "forever";
    bool const is_formula = is_default_formula(value);
    p.is_unset_by_default = is_formula || (value.IsScalar() && value.Scalar() == "unset");
    bool const is_word = forever || p.is_unset_by_default;
    auto const range = node.IsMap() ? node["range"] : YAML::Node(YAML::NodeType::Undefined);
    unsigned places = is_word ? 0 : places_of(value);
    if (range.IsDefined()) {
      if (!range.IsSequence() || range.size() != 2) fail(range, "expected range: [LOW, HIGH]");
      places = std::max({places, places_of(range[0]), places_of(range[1])});
    }
    p.scale = static_cast<std::uint8_t>(places);
    if (!is_word) p.by_default = scaled(value, p.scale);
    p.may_be_forever = takes_word(node, "forever", forever);
    p.may_be_unset = takes_word(node, "unset", p.is_unset_by_default);
    if (!range.IsDefined()) {
      if (is_formula) fail(value, "the default of '" + name + "' is a formula: expected a range too");
      p.low = p.high = p.by_default.value_or(0);
      return p;
    }
    p.low = scaled(range[0], p.scale);
    p.high = scaled(range[1], p.scale);
    if (p.low > p.high) fail(range, "an inverted range of '" + name + "': expected [LOW, HIGH] with LOW <= HIGH");
    if (p.by_default && (*p.by_default < p.low || *p.by_default > p.high))
      fail(value, "the default of '" + name + "' lies outside of its range");
    return p;
  }

  // The text of the file from that place on.
  [[nodiscard]] std::string_view text_from(place at) const {
    if (at.line == 0) return {};
    return std::string_view(*text_).substr(std::min(lines_[at.line - 1] + at.column - 1, text_->size()));
  }

  // Without the ends of lines: verdicts show a formula within a sentence.
  static std::string in_one_line(std::string_view text) {
    std::string line;
    for (char const c : text) {
      bool const is_blank = c == ' ' || c == '\t' || c == '\n';
      if (!is_blank) {
        line += c;
      } else if (!line.empty() && line.back() != ' ') {
        line += ' ';
      }
    }
    if (line.ends_with(' ')) line.pop_back();
    return line;
  }

  std::vector<std::string> read_choices(YAML::Node const& node, std::string const& name) const {
    std::string const expected = "the words of '" + name + "': small letters, digits and _";
    std::vector<std::string> all;
    for (auto const& each : node) {
      auto const& word = scalar(each, expected);
      auto const fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
      if (word.empty() || word.size() > name_size_max || !std::ranges::all_of(word, fits))
        fail(each, "found " + shown(word, 60) + ": expected " + expected);
      if (std::ranges::find(all, word) != all.end()) fail(each, "'" + word + "' is given twice");
      all.push_back(word);
    }
    if (all.size() < 2 || all.size() > choices_max)
      fail(node, "expected 2 to " + std::to_string(choices_max) + " words of '" + name + "', its default first");
    return all;
  }

  // in_brackets: of a list or map that is written in brackets, where a comma ends a text without quotes.
  formula one_formula(YAML::Node const& node, spec::standing standing, std::size_t known, bool may_draw,
                      bool in_brackets = false, bool is_condition = false) {
    formula f;
    f.standing = standing;
    f.text = scalar(node, "a formula");
    f.at = place_of(node);
    auto const& tag = node.Tag();
    bool const is_quoted = tag == "!" && !text_from(f.at).starts_with('!');
    if (is_quoted) ++f.at.column;  // behind the quote
    if (!is_quoted && !tag.empty() && tag != "?") fail(f.at, "found '!', which is a tag in YAML: expected not");
    // Else no column of the formula is one of the file: the text has several lines, or letters that stand for others.
    bool const is_as_written = text_from(f.at).starts_with(f.text);
    auto names = names_.first(known);
    if (listed_) names.add("listed");
    auto const of_draws = static_cast<unsigned>(names.names.size());
    if (may_draw) {
      for (auto const& d : result_.draws_by_name) names.add(d.name);
    }
    try {
      f.tree = is_condition ? parse_condition(f.text, names) : parse_expression(f.text, names, may_draw);
      if (listed_) {
        uses_listed_ |= f.tree.uses(static_cast<unsigned>(known));
        f.tree = in_place_of(static_cast<unsigned>(known), listed_->tree, f.tree);
      }
      if (may_draw) f.tree = with_draws(std::move(f.tree), of_draws);
    } catch (expression_error const& e) {
      place const at{f.at.line, f.at.column + (is_as_written ? e.column : 0)};
      demand_known_there(f.text, at, e, names);
      bool const cut = in_brackets && e.column >= f.text.size();
      fail(at,
           std::string(e.what()) + (cut ? "; a comma in [ ] or { } ends a formula: expected quotes around it" : ""));
    }
    try {
      for (auto const& [i, instead] : by_formula_) f.tree = in_place_of(i, instead, f.tree);
    } catch (expression_error const& e) {
      fail(f.at, e.what());
    }
    if (!is_as_written) f.tree = at_column(std::move(f.tree), 0);
    f.text = in_one_line(f.text);
    return f;
  }

  // Each of the names may stand for a formula of names that stand for others.
  static expression in_place_of(unsigned name, expression const& instead, expression const& e) {
    if (size_of(e) + uses_of_name(e, name) * size_of(instead) > formula_size_max)
      throw expression_error("too long with the formulas that its names stand for: expected at most " +
                                 std::to_string(formula_size_max) + " numbers, names and operations",
                             0);
    return with(e, name, instead);
  }

  // The formula, with draws in place of their names.
  expression with_draws(expression e, unsigned first) const {
    auto const own = uses_of_draws(e).size();  // without a name
    for (unsigned i = 0; i < result_.draws_by_name.size(); ++i)
      e = in_place_of(first + i, result_.draws_by_name[i].tree, e);
    auto const uses = uses_of_draws(e);
    if (own != 0 && uses.size() > own)
      throw expression_error("a draw beside one with a name: expected a name for it in 'draws' too", 0);
    if (mixes_draws(e))
      throw expression_error("a real draw in one branch, a whole one in the other: expected the same in both", 0);
    for (unsigned i = 0; draws_several(e) && i < result_.draws_by_name.size(); ++i) {
      if (std::ranges::count(uses, i) > 1)
        throw expression_error("several draws, and '" + result_.draws_by_name[i].name +
                                   "' is used more than once or compared: expected each once",
                               0);
    }
    return e;
  }

  // Of a name that other formulas know.
  void demand_known_there(std::string const& text, place at, expression_error const& e, vocabulary const& there) const {
    auto const end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_", e.column);
    auto const word = text.substr(std::min(e.column, text.size()), end - std::min(e.column, end));
    bool const is_elsewhere = std::ranges::find(names_.names, word) != names_.names.end();
    bool const is_there = std::ranges::find(there.names, word) != there.names.end();
    if (word.empty() || !is_elsewhere || is_there) return;
    auto const known = comma_separated(there.names);
    fail(at, "'" + word + "' has no value here: expected " + (known.empty() ? "a number" : "one of: " + known));
  }

  // A formula; a list of them; or formulas with names: the first is canonical.
  std::vector<formula> formulas(std::string const& key, std::size_t known, bool may_draw, bool is_condition = false) {
    auto const node = root_[key];
    std::vector<formula> all;
    if (!node) return all;
    what_a_formula_may allowed{known, may_draw, is_condition, node.Style() == YAML::EmitterStyle::Flow};
    if (node.IsScalar()) {
      if (key == "attempts" && node.Scalar() == "forever") return all;
      if (key == "attempts") demand_known_limit(node, known);
      all.push_back(one_formula(node, spec::standing::canonical, known, may_draw, false, is_condition));
      all.back().name = "as-written";
    } else if (node.IsSequence() && is_condition) {
      fail(node, "expected one condition, with and or or, or readings with a name each: {NAME: CONDITION, ...}");
    } else if (node.IsSequence()) {
      for (auto const& each : node) {
        add(all, each, std::to_string(all.size() + 1), spec::standing::open, allowed);
      }
      demand_readings(node, key, all);
    } else if (node.IsMap()) {
      for (auto const& entry : node) {
        add(all, entry.second, scalar(entry.first, "the name of a reading"), spec::standing::open, allowed,
            entry.first);
      }
    }
    if (all.empty()) fail(node, "expected a formula, a list of formulas or NAME: FORMULA");
    if (auto const hazards = root_["hazards"]) {
      if (hazards.IsMap() && hazards[key]) {
        if (!hazards[key].IsMap()) fail(hazards[key], "expected NAME: FORMULA");
        allowed.in_brackets = hazards[key].Style() == YAML::EmitterStyle::Flow;
        for (auto const& entry : hazards[key])
          add(all, entry.second, scalar(entry.first, "the name of a hazard"), spec::standing::hazard, allowed,
              entry.first);
      }
    }
    return all;
  }

  // Delays one after the other look like a list of readings.
  void demand_readings(YAML::Node const& node, std::string const& key, std::vector<formula> const& all) const {
    auto const is_number = [](formula const& f) { return f.tree.op == operation::number; };
    if (key == "attempts" || all.size() < 2 || !std::ranges::all_of(all, is_number)) return;
    fail(node,
         "a list is of readings, one of which every delay follows: expected, for delays one after the other, "
         "delays: [" +
             all[0].text + ", " + all[1].text + "]");
  }

  void demand_whole_limit(formula const& f) const {
    auto const& n = f.tree.number;
    bool const is_negative = f.tree.op == operation::negate;
    if (is_negative || (f.tree.op == operation::number && !n.is_whole()))
      fail(f.at, "found '" + f.text + "': expected a whole number of retries, 1 or more, or forever");
  }

  // Of a single word, which may be meant as `forever`.
  void demand_known_limit(YAML::Node const& node, std::size_t known) const {
    auto const& word = node.Scalar();
    auto choices = names_.first(known).names;
    if (!is_name(word, false) || std::ranges::find(choices, word) != choices.end()) return;
    auto const nearest = nearest_name(word, choices);
    choices.insert(choices.begin(), {"a number", "forever"});
    fail(node, "unknown name '" + word + "': expected one of: " + comma_separated(choices) +
                   (nearest.empty() ? "; did you mean 'forever'?" : nearest));
  }

  struct what_a_formula_may {
    std::size_t known;  // so many names
    bool draw;
    bool be_a_condition;
    bool in_brackets;
  };
  void add(std::vector<formula>& all, YAML::Node const& node, std::string name, spec::standing standing,
           what_a_formula_may const& may, YAML::Node const& called = {}) {
    if (!is_name(name, true))
      fail(called, "found " + shown(name, 60) + ": expected a name: small letters, digits and -");
    if (std::ranges::find(all, name, &formula::name) != all.end()) fail(called, "'" + name + "' is given twice");
    if (all.size() == alternatives_max)
      fail(node, "expected at most " + std::to_string(alternatives_max) + " alternatives");
    auto f = one_formula(node, all.empty() ? spec::standing::canonical : standing, may.known, may.draw, may.in_brackets,
                         may.be_a_condition);
    f.name = std::move(name);
    all.push_back(std::move(f));
  }

  void read_ends() {
    auto const node = root_["ends"];
    result_.exclusive = {false};
    if (!node) return;
    result_.exclusive_at = place_of(node);
    result_.exclusive.clear();
    for (auto const& each : each_of(node)) {
      auto const& word = one_of(each, end_words);
      bool const exclusive = word == "exclusive";
      if (std::ranges::find(result_.exclusive, exclusive) != result_.exclusive.end())
        fail(each, "'" + word + "' is given twice");
      result_.exclusive.push_back(exclusive);
    }
    if (result_.exclusive.empty()) fail(node, "expected inclusive, exclusive or both");
    if (!result_.draws_whole()) fail(node, "ends are those of whole draws: expected a delay with integer(LOW, HIGH)");
  }

  void read_seeds() {
    auto const node = root_["seeds"];
    if (!node) return;
    auto const& word = one_of(node, strength_words);
    if (!result_.draws())
      fail(node, "nothing is drawn: expected a delay with uniform(LOW, HIGH) or integer(LOW, HIGH)");
    result_.demands_seeds = word == "must";
  }

  void demand_known_hazards() const {
    auto const node = root_["hazards"];
    if (!node) return;
    if (!node.IsMap()) fail(node, "expected hazards: {window: {NAME: FORMULA}}");
    demand_known_keys(node, formulas_with_alternatives, "formula");
    for (auto const& entry : node) {
      if (!root_[entry.first.Scalar()])
        fail(entry.first, "a hazard of '" + entry.first.Scalar() + "', which the policy does not state");
    }
  }

  void demand_sense() const {
    if (result_.uses_previous() && !result_.prev) {
      fail(root_["delay"],
           "prev is used: expected the key 'prev' too, for what counts as the delay before the first one");
    }
    bool const any_prev2 = result_.any_uses(result_.before_previous());
    if (any_prev2 && !result_.prev2)
      fail(root_["delay"], "prev2 is used: expected the key 'prev2' too, for what counts as the delay before prev");
    if (!any_prev2 && result_.prev2)
      fail(root_["prev2"], "no formula uses prev2: expected the delay to, or no key 'prev2'");
    if (!result_.uses_previous() && result_.prev)
      fail(root_["prev"], "no formula uses prev: expected window or delay to, or no key 'prev'");
    auto const uses_window = [&](formula const& f) { return f.tree.uses(result_.window_name()); };
    if (!result_.window.empty() && std::ranges::none_of(result_.delay, uses_window))
      fail(root_["window"], "the delay does not use window: expected, say, delay: uniform(0, window)");
    if (listed_ && !uses_listed_)
      fail(root_["delays"], "no formula uses listed: expected, say, delay: uniform(0, listed), or no key 'delay'");
  }

  YAML::Node root_;
  std::string const* text_;
  std::vector<std::size_t> lines_{0};  // where each begins
  policy result_;
  vocabulary names_;
  std::map<unsigned, expression> by_formula_;  // what stands for a parameter whose default is a formula
  std::optional<formula> listed_;              // of `delays`
  bool uses_listed_ = false;                   // whether a formula does
};

// Where documents begin.
struct document_starts final : YAML::EventHandler {
  std::vector<YAML::Mark> all{};

  void OnDocumentStart(YAML::Mark const& mark) override { all.push_back(mark); }
  void OnDocumentEnd() override {}
  void OnNull(YAML::Mark const&, YAML::anchor_t) override {}
  void OnAlias(YAML::Mark const&, YAML::anchor_t) override {}
  void OnScalar(YAML::Mark const&, std::string const&, YAML::anchor_t, std::string const&) override {}
  void OnSequenceStart(YAML::Mark const&, std::string const&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(YAML::Mark const&, std::string const&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}
};

// Documents are read one by one: before a comma that belongs to nothing, yaml-cpp finds an empty document, and then
// another one, without end.
void demand_one_document(std::string const& file, std::string const& text) {
  std::istringstream in(text);
  YAML::Parser parser(in);
  document_starts starts;
  while (starts.all.size() < 2 && parser.HandleNextDocument(starts)) {
  }
  if (starts.all.empty()) throw policy_error(located(file, {1, 1}, "an empty text: expected a policy"));
  if (starts.all.size() == 1) return;
  auto const& second = starts.all[1];
  bool const is_marked = text.find("---", static_cast<std::size_t>(second.pos)) == static_cast<std::size_t>(second.pos);
  throw policy_error(located(
      file, place_of(second),
      is_marked ? "a second document: expected one policy"
                : "something behind the end of the policy: expected keys and values, each on a line of its own"));
}

}  // namespace

policy read_policy(std::string const& file, std::string const& text) {
  if (text.size() > size_max) throw policy_error(located(file, {1, 1}, "a policy of more than 1 MiB: expected less"));
  demand_text(file, text);
  try {
    demand_one_document(file, text);
    return reader(file, text, YAML::Load(text)).read();
  } catch (YAML::DeepRecursion const& e) {
    throw policy_error(
        located(file, place_of(e.mark), "nested " + std::to_string(e.depth()) + " levels deep: expected fewer"));
  } catch (YAML::Exception const& e) {
    bool const is_tab = text.starts_with('\t') || text.find("\n\t") != std::string::npos;
    bool const is_colon = e.msg == "illegal map value";
    throw policy_error(located(file, place_of(e.mark),
                               "not YAML: " + e.msg +
                                   (is_tab     ? ": expected spaces instead of a tab"
                                    : is_colon ? ": expected quotes around a text that has a colon"
                                               : "")));
  }
}

}  // namespace backoff::policies
