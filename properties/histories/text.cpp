#include "histories/text.hpp"

#include <algorithm>
#include <charconv>

#include "histories/text_parts.hpp"

namespace backoff::histories {

using namespace text_parts;

namespace {

std::optional<std::int64_t> parse_number(field const& f, std::string_view text) {
  if (f.kind == field_kind::decimal) return parse_scaled(text, f.scale);
  std::int64_t n = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return n;
}

// What numbers the field may hold, in words.
std::string numbers_of(field const& f, range const& r) {
  bool const decimal = f.kind == field_kind::decimal;
  std::string out = decimal ? "a decimal in [" : "an integer in [";
  append_plain(out, f, f.number(r.low));
  out += ", ";
  append_plain(out, f, f.number(r.high));
  return out + (decimal ? "] with at most " + std::to_string(f.scale) + " places" : "]");
}

value parse_set(field const& f, std::string_view text) {
  std::int64_t mask = 0;
  for (auto const part : split(text, '.')) {
    auto const word = std::ranges::find(f.words, part);
    if (word == f.words.end()) {
      throw text_error(std::string(f.name) + "=" + shown(text) + ": expected some of " + comma_separated(f.words) +
                       ", joined by dots");
    }
    mask |= std::int64_t{1} << (word - f.words.begin());
  }
  return value::words(mask);
}

// The argument, or the list that begins with it.
void parse_list(std::span<field const> args, std::size_t i, std::array<range, args_max> const& ranges,
                std::string_view text, step& to) {
  auto const parts = args[i].written == field::form::list ? split(text, '.') : std::vector{text};
  if (parts.size() > list_end(args, i) - i) {
    throw text_error(std::string(args[i].name) + "=" + shown(text) + ": expected at most " +
                     std::to_string(list_end(args, i) - i) + " values");
  }
  for (auto const part : parts) {
    to.args[i] = parse_value(args[i], ranges[i], part);
    ++i;
  }
}

void parse_params(shape const& s, domain const& d, std::string_view text, history& h) {
  if (text.empty() && s.params.empty()) return;
  for (auto const part : split(text, ',')) {
    auto const equals = part.find('=');
    auto const name = part.substr(0, equals);
    auto const i = s.find_param(name);
    if (!i) {
      throw text_error("unknown parameter " + shown(name) +
                       ", expected one of: " + comma_separated(s.params, &field::name));
    }
    if (equals == std::string_view::npos) throw text_error("parameter " + shown(name) + ": expected NAME=VALUE");
    if (h.params[*i].kind != value_kind::absent) throw text_error("parameter " + shown(name) + " is given twice");
    h.params[*i] = parse_value(s.params[*i], d.params[*i], part.substr(equals + 1));
  }
  demand_all_params(s, h);
}

}  // namespace

std::string to_text(field const& f, value const& v) {
  std::string out;
  append_plain(out, f, v);
  return out;
}

std::string to_token(history_set const& set) {
  shape const& s = *set.system;
  std::string out;
  for (auto const& h : set.cases) {
    out.append(out.empty() ? s.stem : "+").append("/");
    for (std::size_t i = 0; i < s.params.size(); ++i) {
      if (h.params[i].kind == value_kind::absent) continue;
      if (out.back() != '/') out += ',';
      out.append(s.params[i].name).append("=");
      append_plain(out, s.params[i], h.params[i]);
    }
    out += '/';
    for (std::size_t k = 0; k < h.steps.size();) {
      auto const& step = h.steps[k];
      auto const& op = s.operations[step.op];
      if (out.back() != '/') out += ',';
      out += op.name;
      std::size_t left_out = 0;
      for (std::size_t i = 0; i < op.args.size(); i = list_end(op.args, i)) {
        ++left_out;
        if (step.args[i].kind == value_kind::absent) continue;
        out.append(left_out, ':');
        left_out = 0;
        append_plain(out, op.args[i], step.args[i]);
        for (auto item = i + 1; item < list_end(op.args, i) && step.args[item].kind != value_kind::absent; ++item) {
          out += '.';
          append_plain(out, op.args[item], step.args[item]);
        }
      }
      if (step.on != 0) {
        out += '~';
        append_number(out, static_cast<unsigned>(step.on));
      }
      std::size_t times = 1;
      while (k + times < h.steps.size() && h.steps[k + times] == step) ++times;
      if (times > 1) {
        out += '@';
        append_number(out, times);
      }
      k += times;
    }
  }
  return out;
}

value parse_value(field const& f, range const& r, std::string_view text) {
  if (f.kind == field_kind::set) return parse_set(f, text);
  for (std::size_t i = 0; i < f.words.size(); ++i) {
    if (f.words[i] == text) return value::word(static_cast<std::int64_t>(i));
  }
  auto const n = parse_number(f, text);
  if (n && r.numbers && *n >= r.low && *n <= r.high) return f.number(*n);
  std::string expected = r.numbers ? numbers_of(f, r) : "";
  for (auto const word : f.words) expected.append(expected.empty() ? "" : " or ").append(word);
  throw text_error(std::string(f.name) + "=" + shown(text) + ": expected " + expected);
}

std::vector<step> parse_steps(shape const& s, domain const& d, std::string_view text) {
  std::vector<step> steps;
  if (text.empty()) return steps;
  for (auto part : split(text, ',')) {
    std::uint64_t times = 1;
    if (auto const at = part.find('@'); at != std::string_view::npos) {
      auto const count = part.substr(at + 1);
      auto const [end, error] = std::from_chars(count.data(), count.data() + count.size(), times);
      if (error != std::errc{} || end != count.data() + count.size() || times == 0) {
        throw text_error("step " + shown(part) + ": expected a positive count after @");
      }
      part = part.substr(0, at);
    }
    step next;
    if (auto const at = part.find('~'); at != std::string_view::npos) {
      constexpr field instance{"instance", field_kind::integer, 0, instances_max - 1, {}, {}};
      next.on = static_cast<std::uint8_t>(
          parse_value(instance, {0, instances_max - 1, 0, true, false}, part.substr(at + 1)).n);
      part = part.substr(0, at);
    }
    auto const pieces = split(part, ':');
    next.op = known_operation(s, pieces.front());
    auto const args = s.operations[next.op].args;
    std::size_t i = 0;
    std::size_t taken = 1;
    for (; i < args.size() && taken < pieces.size(); i = list_end(args, i), ++taken) {
      bool const is_given = !pieces[taken].empty() || !(args[i].optional() || args[i].has_default());
      if (is_given) parse_list(args, i, d.args[next.op], pieces[taken], next);
    }
    if (taken < pieces.size()) {
      throw text_error("step " + shown(part) + ": expected at most " + std::to_string(taken - 1) + " arguments");
    }
    complete_args(s, next);
    if (times > steps_max - steps.size()) throw text_error("more than 1000000 steps");
    steps.insert(steps.end(), static_cast<std::size_t>(times), next);
  }
  return steps;
}

history_set parse_token(std::string_view token) {
  history_set set;
  domain d;
  std::size_t steps = 0;
  for (auto const part : split(token, '+')) {
    auto const pieces = split(part, '/');
    if (pieces.size() != 3) throw text_error("token " + shown(part) + ": expected SYSTEM/PARAMETERS/STEPS");
    if (set.system == nullptr) {
      set.system = &known_system(pieces[0]);
      d = documented_domain(*set.system, {});
    } else if (!pieces[0].empty()) {
      throw text_error("token " + shown(part) + ": expected +/PARAMETERS/STEPS for a further case");
    }
    if (set.cases.size() == cases_max) throw text_error("more than 10000 cases");
    history h;
    parse_params(*set.system, d, pieces[1], h);
    h.steps = parse_steps(*set.system, d, pieces[2]);
    demand_allowed(*set.system, h);
    steps += h.steps.size();
    if (steps > steps_max) throw text_error("more than 1000000 steps");
    set.cases.push_back(std::move(h));
  }
  return set;
}

}  // namespace backoff::histories
