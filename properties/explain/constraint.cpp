#include "explain/constraint.hpp"

#include <algorithm>
#include <array>

#include "histories/text_parts.hpp"

namespace backoff::explain {
namespace {

using kind = quantity_kind;

constexpr std::int64_t most = std::int64_t{1} << 62;
constexpr std::array<std::string_view, 6> signs{"=", "!=", "<", "<=", ">", ">="};
constexpr std::string_view calls_name = "calls";
constexpr std::string_view attempts_name = "attempts";
constexpr std::string_view instances_name = "instances";
constexpr std::string_view odd_mark = "%2";
constexpr std::string_view growth_mark = "*2^(";
constexpr field counted{"calls", field_kind::integer, 0, 1'000'000};
constexpr field parity_field{"parity", field_kind::integer, 0, 1};
constexpr field widest{"widest", field_kind::integer, 0, most};

std::int64_t times(std::int64_t a, std::int64_t b) noexcept {
  if (a <= 0 || b <= 0) return 0;
  return a > most / b ? most : a * b;
}

std::int64_t doubled(std::int64_t a, std::int64_t by) noexcept {
  for (; by > 0 && a > 0 && a < most; --by) a = times(a, 2);
  return a;
}

bool is_whole(field const& f) { return f.kind == field_kind::integer; }

std::string_view count_name(shape const& s) noexcept {
  auto const own = own_count(s);
  return own ? s.operations.front().args[*own].name : attempts_name;
}

std::int64_t attempts_in(shape const& s, history const& h) noexcept {
  auto const reset = s.find_operation("reset");
  std::array<std::int64_t, instances_max> now{};
  std::int64_t longest = 0;
  for (auto const& step : h.steps) {
    if (reset && step.op == *reset) now[step.on] = 0;
    if (step.op == 0) longest = std::max(longest, ++now[step.on]);
  }
  return longest;
}

std::int64_t attempts_to_double(shape const& s, history const& h) noexcept {
  auto const own = own_count(s);
  if (!own) return attempts_in(s, h);
  std::int64_t highest = 0;
  for (auto const& step : h.steps) {
    if (step.op == 0 && step.args[*own].kind == value_kind::integer) highest = std::max(highest, step.args[*own].n);
  }
  return highest;
}

std::int64_t instances_in(history const& h) noexcept {
  std::array<bool, instances_max> called{};
  for (auto const& step : h.steps) called[step.on] = true;
  return std::ranges::count(called, true);
}

std::vector<value> argument_values(shape const& s, history const& h, quantity q) {
  auto const name = s.operations[q.one].args[q.other].name;
  std::vector<value> all;
  for (auto const& step : h.steps) {
    auto const args = s.operations[step.op].args;
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (args[i].name == name && step.args[i].kind != value_kind::absent) all.push_back(step.args[i]);
    }
  }
  return all;
}

// Whether a formula may double the parameter: its name is not that of a limit, a count or a factor.
bool may_double(std::string_view name) {
  constexpr std::array<std::string_view, 8> others{"max",     "cap",  "limit",      "attempts",
                                                   "retries", "rate", "multiplier", "factor"};
  return std::ranges::none_of(others, [&](std::string_view word) { return name.find(word) != std::string_view::npos; });
}

bool compares(constraint::relation op, std::int64_t a, std::int64_t b) noexcept {
  switch (op) {
    case constraint::relation::equal:
      return a == b;
    case constraint::relation::unequal:
      return a != b;
    case constraint::relation::below:
      return a < b;
    case constraint::relation::at_most:
      return a <= b;
    case constraint::relation::above:
      return a > b;
    default:
      return a >= b;
  }
}

bool compares(constraint::relation op, value const& a, value const& b) noexcept {
  if (a.kind == value_kind::absent || b.kind == value_kind::absent) return false;
  if (is_number(a) && is_number(b)) return compares(op, a.n, b.n);
  if (op == constraint::relation::equal) return a == b;
  return op == constraint::relation::unequal && a != b;
}

std::string name_of(shape const& s, quantity q) {
  auto const param = [&](std::uint8_t i) { return std::string(s.params[i].name); };
  switch (q.kind) {
    case kind::param:
      return param(q.one);
    case kind::parity:
      return param(q.one).append(odd_mark);
    case kind::product:
      return param(q.one).append("*").append(param(q.other));
    case kind::growth:
      return param(q.one).append(growth_mark).append(count_name(s)).append("-1)");
    case kind::calls:
      return std::string(calls_name);
    case kind::calls_of:
      return std::string(calls_name).append(".").append(s.operations[q.one].name);
    case kind::attempts:
      return std::string(attempts_name);
    case kind::instances:
      return std::string(instances_name);
    default:
      return std::string(s.operations[q.one].args[q.other].name);
  }
}

// The value as the quantity's field writes it.
std::string value_text(shape const& s, quantity q, value const& v) { return to_text(*field_of(s, q), v); }

std::vector<quantity> all_quantities(shape const& s) {
  std::vector<quantity> all;
  all.reserve(s.params.size() + 3);
  auto const params = static_cast<std::uint8_t>(s.params.size());
  auto const whole = [&](std::uint8_t i) { return is_whole(s.params[i]); };
  for (std::uint8_t i = 0; i < params; ++i) all.push_back({kind::param, i});
  all.push_back({kind::attempts});
  all.push_back({kind::calls});
  all.push_back({kind::instances});
  std::vector<std::string_view> named;
  for (std::uint8_t op = 0; op < static_cast<std::uint8_t>(s.operations.size()); ++op) {
    if (op != 0) all.push_back({kind::calls_of, op});
    for (std::uint8_t i = 0; i < static_cast<std::uint8_t>(s.operations[op].args.size()); ++i) {
      auto const name = s.operations[op].args[i].name;
      if (s.find_param(name) || std::ranges::count(named, name) != 0) continue;
      named.push_back(name);
      all.push_back({kind::argument, op, i});
    }
  }
  for (std::uint8_t i = 0; i < params; ++i) {
    if (whole(i)) all.push_back({kind::growth, i});
  }
  for (std::uint8_t i = 0; i < params; ++i) {
    if (whole(i)) all.push_back({kind::parity, i});
  }
  for (std::uint8_t i = 0; i < params; ++i) {
    for (auto k = static_cast<std::uint8_t>(i + 1); k < params; ++k) {
      if (whole(i) && whole(k)) all.push_back({kind::product, i, k});
    }
  }
  return all;
}

quantity parse_quantity(shape const& s, std::string_view name) {
  auto const all = all_quantities(s);
  auto const known = std::ranges::find_if(all, [&](quantity q) { return name_of(s, q) == name; });
  if (known != all.end()) return *known;
  std::string names;
  for (auto const& q : all) {
    if (q.kind != kind::growth && q.kind != kind::parity && q.kind != kind::product) names += name_of(s, q) + ", ";
  }
  names += "NAME%2, NAME*NAME, NAME*2^(" + std::string(count_name(s)) + "-1) of parameters";
  throw text_error("'" + std::string(name) + "' is not a parameter or quantity, expected one of: " + names);
}

// The values that the quantity may be compared with. For a draw any number, because the port decides how large it is.
range range_of(shape const& s, quantity q) {
  auto const* f = field_of(s, q);
  if (q.kind == kind::calls || q.kind == kind::calls_of || q.kind == kind::attempts || q.kind == kind::instances)
    return {counted.low, counted.high};
  if (f->kind == field_kind::draw) return {0, most};
  if (q.kind == kind::param) return documented_domain(s, {}).params[q.one];
  return q.kind == kind::argument ? documented_domain(s, {}).args[q.one][q.other] : range{f->low, f->high};
}

}  // namespace

bool is_number(value const& v) noexcept { return v.kind == value_kind::integer || v.kind == value_kind::decimal; }

value value_of(shape const& s, history const& h, std::size_t param) noexcept {
  auto const& v = h.params[param];
  auto const& f = s.params[param];
  return v.kind == value_kind::absent && f.by_default ? f.number(*f.by_default) : v;
}

std::optional<std::size_t> own_count(shape const& s) noexcept {
  if (s.remembers) return {};
  auto const args = s.operations.front().args;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (is_whole(args[i])) return i;
  }
  return {};
}

std::vector<quantity> quantities_of(shape const& s, domain const& takes) {
  auto all = all_quantities(s);
  std::erase_if(all, [&](quantity q) {
    if (q.kind == kind::instances) return takes.instances() == 1;
    if (q.kind == kind::calls_of) return !takes.answers(q.one);
    if (q.kind == kind::attempts) return !s.remembers;
    if (q.kind == kind::argument) return !takes.takes(s.operations[q.one].args[q.other]);
    if (q.kind == kind::growth && !may_double(s.params[q.one].name)) return true;
    bool const of_params = q.kind <= kind::growth;
    return of_params && (!takes.takes(s.params[q.one]) || !takes.takes(s.params[q.other]));
  });
  return all;
}

std::vector<value> values_of(shape const& s, history const& h, quantity q) {
  auto const a = q.kind <= kind::growth ? value_of(s, h, q.one) : value{};
  switch (q.kind) {
    case kind::param:
      return {a};
    case kind::parity:
      return {is_number(a) ? value::of(a.n & 1) : value{}};
    case kind::product: {
      auto const b = value_of(s, h, q.other);
      return {is_number(a) && is_number(b) ? value::of(times(a.n, b.n)) : value{}};
    }
    case kind::growth: {
      auto const n = attempts_to_double(s, h);
      return {is_number(a) && n > 0 ? value::of(doubled(a.n, n - 1)) : value{}};
    }
    case kind::calls:
      return {value::of(static_cast<std::int64_t>(h.steps.size()))};
    case kind::calls_of:
      return {value::of(std::ranges::count(h.steps, q.one, &step::op))};
    case kind::attempts:
      return {value::of(attempts_in(s, h))};
    case kind::instances:
      return {value::of(instances_in(h))};
    default:
      return argument_values(s, h, q);
  }
}

field const* field_of(shape const& s, quantity q) noexcept {
  switch (q.kind) {
    case kind::param:
      return &s.params[q.one];
    case kind::argument:
      return &s.operations[q.one].args[q.other];
    case kind::parity:
      return &parity_field;
    case kind::product:
    case kind::growth:
      return &widest;
    default:
      return &counted;
  }
}

bool matches(shape const& s, constraint const& c, history const& h) {
  auto const with = c.param ? value_of(s, h, *c.param) : c.with;
  bool const both_numbers = c.param.has_value();
  return std::ranges::any_of(values_of(s, h, c.left), [&](value const& v) {
    if (both_numbers && (!is_number(v) || !is_number(with))) return false;
    return compares(c.op, v, with);
  });
}

bool matches(shape const& s, std::vector<constraint> const& all, history const& h) {
  return std::ranges::all_of(all, [&](constraint const& c) { return matches(s, c, h); });
}

std::string to_text(shape const& s, constraint const& c) {
  auto const right = c.param ? std::string(s.params[*c.param].name) : value_text(s, c.left, c.with);
  return name_of(s, c.left).append(signs[static_cast<std::size_t>(c.op)]).append(right);
}

// Whether it says that an argument which may be unset is given, or is unset, in a call; nothing where it says more.
std::optional<bool> is_given(shape const& s, domain const& takes, constraint const& c) {
  bool const may_be_unset = c.left.kind == kind::argument && field_of(s, c.left)->written == field::form::implied;
  if (!may_be_unset || c.param) return std::nullopt;
  using enum constraint::relation;
  if (!is_number(c.with))
    return c.op == equal ? std::optional(false) : c.op == unequal ? std::optional(true) : std::nullopt;
  auto const least = takes.args[c.left.one][c.left.other].low;
  bool const are_all = (c.op == above && c.with.n < least) || (c.op == at_least && c.with.n <= least);
  return are_all ? std::optional(true) : std::nullopt;
}

std::string to_words(shape const& s, domain const& takes, constraint const& c) {
  if (auto const given = is_given(s, takes, c)) return name_of(s, c.left) + (*given ? " is given" : " is unset");
  if (c.left.kind == kind::parity && c.op == constraint::relation::equal && !c.param)
    return std::string(s.params[c.left.one].name) + (c.with.n == 1 ? " odd" : " even");
  auto right = c.param ? std::string(s.params[*c.param].name) : value_text(s, c.left, c.with);
  auto const* f = field_of(s, c.left);
  if (f->kind == field_kind::draw) {
    auto const& ends = takes.args[c.left.one][c.left.other];
    if (c.with.n == ends.low) right = "smallest";
    if (c.with.n == ends.high) right = "largest";
  }
  using enum constraint::relation;
  auto const ends = c.left.kind == kind::param ? takes.params[c.left.one] : range_of(s, c.left);
  auto const least = c.left.kind == kind::instances ? 1 : ends.low;
  bool const is_end =
      !c.param && ((c.op == at_most && c.with.n == least) || (c.op == at_least && c.with.n == ends.high));
  return name_of(s, c.left) + " " + std::string(signs[static_cast<std::size_t>(is_end ? equal : c.op)]) + " " + right;
}

std::string to_words_of_none(shape const& s, domain const& takes, constraint const& c) {
  if (auto const given = is_given(s, takes, c))
    return (*given ? "no call gives " : "each call gives ") + name_of(s, c.left);
  return "no call has " + to_words(s, takes, c);
}

std::string to_words(shape const& s, domain const& takes, std::vector<constraint> const& all) {
  std::string text;
  for (auto const& c : all) text += (text.empty() ? "" : " and ") + to_words(s, takes, c);
  return text.empty() ? "everywhere" : text;
}

constraint parse_constraint(shape const& s, std::string_view text) {
  auto const at = text.find_first_of("=!<>");
  auto const expected = "'" + std::string(text) +
                        "': expected NAME=VALUE, NAME!=VALUE, NAME<VALUE, NAME<=VALUE, "
                        "NAME>VALUE or NAME>=VALUE";
  if (at == std::string_view::npos || at == 0) throw text_error(expected);
  std::size_t const length = at + 1 < text.size() && text[at + 1] == '=' ? 2 : 1;
  auto const* const known = std::ranges::find(signs, text.substr(at, length));
  if (known == signs.end()) throw text_error(expected);
  constraint c{parse_quantity(s, text.substr(0, at)), static_cast<constraint::relation>(known - signs.begin())};
  auto const written = text.substr(at + length);
  auto const* f = field_of(s, c.left);
  if (auto const param = s.find_param(written)) {
    auto const number = [](field const& of) { return of.kind != field_kind::keyword && of.kind != field_kind::set; };
    if (!number(*f) || !number(s.params[*param]) || f->scale != s.params[*param].scale)
      throw text_error("'" + std::string(text) + "': '" + std::string(written) + "' is a number of another kind");
    c.param = static_cast<std::uint8_t>(*param);
    return c;
  }
  c.with = parse_value(*f, range_of(s, c.left), written);
  bool const orders = c.op != constraint::relation::equal && c.op != constraint::relation::unequal;
  if (!is_number(c.with) && orders) throw text_error("'" + std::string(text) + "': expected = or != before a word");
  return c;
}

}  // namespace backoff::explain
