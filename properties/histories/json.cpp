#include "histories/json.hpp"

#include <algorithm>

#include "histories/text_parts.hpp"

namespace backoff::histories {

using namespace text_parts;

namespace {

// numerator / 2^32 as an exact decimal, of at most 32 digits.
void append_quotient(pieces& out, std::uint64_t numerator) {
  out << '0';
  if (numerator != 0) out << '.';
  while (numerator != 0) {
    numerator *= 10;
    out << static_cast<char>('0' + (numerator >> 32));
    numerator &= 0xffff'ffffU;
  }
}

void append_draw(pieces& out, draw_source const& draws, std::int64_t numerator) {
  if (draws.kind != spec::draw_kind::unit) {
    out << '"' << numerator << '"';
    return;
  }
  out << R"({"num":")" << numerator << R"(","den":")" << draws.size << R"(","value":")";
  append_quotient(out, static_cast<std::uint64_t>(numerator));
  out << R"("})";
}

std::string_view text_of(json_value const& j, field const& f) {
  if (f.written == field::form::boolean) {
    if (j.is(json_kind::boolean)) return j.text;
    throw text_error(shown(f.name) + ": expected true or false, found " + shown(j.dump()));
  }
  bool const integer = j.is(json_kind::number) && j.text.find_first_of(".eE") == std::string_view::npos;
  if (j.is(json_kind::string) || integer) return j.text;
  if (auto const* numerator = j.find("num")) return text_of(*numerator, f);
  throw text_error(shown(f.name) + ": expected a decimal string, found " + shown(j.dump()));
}

// The value alone, without its name.
void append_value(pieces& out, field const& f, draw_source const& draws, value const& v) {
  if (f.kind == field_kind::draw) {
    append_draw(out, draws, v.n);
    return;
  }
  if (f.kind == field_kind::set) {
    for (std::size_t i = 0; i < f.words.size(); ++i) {
      if (((v.n >> i) & 1) != 0) out << (out.last() == ':' ? '[' : ',') << '"' << f.words[i] << '"';
    }
    out << ']';
    return;
  }
  bool const quoted = f.written != field::form::boolean;
  if (quoted) out << '"';
  append_plain(out, f, v);
  if (quoted) out << '"';
}

// Appends the fields as members of the JSON object that `out` ends in: lists as arrays, and fields that share an object
// inside that object.
void append_members(pieces& out, std::span<field const> fields, std::span<value const> values,
                    draw_source const& draws) {
  std::string_view object;
  auto const separate = [&] {
    if (out.last() != '{') out << ',';
  };
  for (std::size_t i = 0; i < fields.size(); i = list_end(fields, i)) {
    auto const& f = fields[i];
    bool const hidden = f.kind == field_kind::draw && draws.kind == spec::draw_kind::hidden;
    bool const implied = f.written == field::form::implied && values[i] == value::word(0);
    if (hidden || implied || values[i].kind == value_kind::absent) continue;
    if (f.object != object) {
      if (!object.empty()) out << '}';
      separate();
      if (!f.object.empty()) out << '"' << f.object << "\":{";
      object = f.object;
    } else {
      separate();
    }
    out << '"' << f.name << "\":";
    bool const list = f.written == field::form::list;
    if (list) out << '[';
    append_value(out, f, draws, values[i]);
    for (auto k = i + 1; k < list_end(fields, i) && values[k].kind != value_kind::absent; ++k) {
      out << ',';
      append_value(out, fields[k], draws, values[k]);
    }
    if (list) out << ']';
  }
  if (!object.empty()) out << '}';
}

// What is given twice might be read in two ways.
void demand_once(json_value const& member, json_value const& object) {
  if (&member != object.find(member.name)) throw text_error(shown(member.name) + " is given twice");
}

json_value const& member(json_value const& object, std::string_view name, json_kind kind) {
  static constexpr std::string_view kinds[] = {"null", "boolean", "number", "string", "array", "object"};
  for (auto const& each : object) {
    if (each.name != name) continue;
    demand_once(each, object);
    if (each.is(kind)) return each;
  }
  throw text_error("expected the member \"" + std::string(name) + "\" (" +
                   std::string(kinds[static_cast<std::size_t>(kind)]) + ") in " + shown(object.dump()));
}

constexpr field instance_field{"on", field_kind::integer, 0, instances_max - 1, {}, {}};

// The words of a set, joined as in a token.
std::string set_text(json_value const& j, field const& f) {
  std::string text;
  for (auto const& word : j) {
    if (!word.is(json_kind::string)) throw text_error(shown(f.name) + ": expected words, found " + shown(j.dump()));
    text.append(text.empty() ? "" : ".").append(word.text);
  }
  return text;
}

// The fields of a call or of the parameters, and where their values go.
struct members {
  std::span<field const> fields;
  std::span<range const> ranges;
  std::span<value> values;
};

// Reads field i, or the fields of the list that begins with it.
void read_field(json_value const& j, std::size_t i, members const& to) {
  auto const& f = to.fields[i];
  bool const list = f.written == field::form::list;
  bool const set = f.kind == field_kind::set;
  if ((list || set) && !j.is(json_kind::array))
    throw text_error(shown(f.name) + ": expected an array, found " + shown(j.dump()));
  if (set) {
    if (j.begin() != j.end()) to.values[i] = parse_value(f, to.ranges[i], set_text(j, f));
    return;
  }
  if (!list) {
    to.values[i] = parse_value(f, to.ranges[i], text_of(j, f));
    return;
  }
  auto const most = list_end(to.fields, i) - i;
  if (j.size() > most) throw text_error(shown(f.name) + ": expected at most " + std::to_string(most) + " values");
  for (auto const& item : j) {
    to.values[i] = parse_value(to.fields[i], to.ranges[i], text_of(item, to.fields[i]));
    ++i;
  }
}

// Sets values[i] for each member of j. Every member must be a field of that object, or an object that fields share.
void read_fields(json_value const& j, std::string_view object, members const& to, bool is_step) {
  for (auto const& item : j) {
    demand_once(item, j);
    if (is_step && (item.name == "op" || item.name == "on")) continue;
    auto const shares = [&](field const& f) { return object.empty() && f.object == item.name; };
    if (item.is(json_kind::object) && std::ranges::any_of(to.fields, shares)) {
      read_fields(item, item.name, to, false);
      continue;
    }
    std::size_t i = 0;
    while (i < to.fields.size() && (to.fields[i].name != item.name || to.fields[i].object != object)) ++i;
    if (i == to.fields.size())
      throw text_error("unknown field " + shown(item.name) +
                       ", expected one of: " + comma_separated(to.fields, &field::name));
    read_field(item, i, to);
  }
}

}  // namespace

history read_case(json_value const& j, shape const& s, domain const& d) {
  history h;
  read_fields(member(j, "params", json_kind::object), "", {s.params, d.params, h.params}, false);
  demand_all_params(s, h);
  auto const& steps = member(j, "steps", json_kind::array);
  if (steps.size() > steps_max) throw text_error("more than 1000000 steps");
  h.steps.reserve(steps.size());
  for (auto const& item : steps) {
    auto& next = h.steps.emplace_back();
    next.op = known_operation(s, member(item, "op", json_kind::string).text);
    if (auto const* on = item.find("on"))
      next.on = static_cast<std::uint8_t>(
          parse_value(instance_field, {0, instances_max - 1, 0, true, false}, text_of(*on, instance_field)).n);
    read_fields(item, "", {s.operations[next.op].args, d.args[next.op], next.args}, true);
    complete_args(s, next);
  }
  demand_allowed(s, h);
  return h;
}

void append_case(std::string& to, shape const& s, draw_source const& draws, history const& h) {
  pieces out(to);
  out << R"({"params":{)";
  append_members(out, s.params, h.params, draws);
  out << R"(},"steps":[)";
  for (auto const& step : h.steps) {
    auto const& op = s.operations[step.op];
    if (out.last() == '}') out << ',';
    out << R"({"op":")" << op.name << '"';
    if (step.on != 0) out << R"(,"on":")" << static_cast<unsigned>(step.on) << '"';
    append_members(out, op.args, step.args, draws);
    out << '}';
  }
  out << "]}";
}

std::string to_json(history_set const& set) {
  std::string out = R"({"system":")";
  out.append(set.system->stem).append(R"(","cases":[)");
  for (std::size_t i = 0; i < set.cases.size(); ++i) {
    if (i != 0) out += ',';
    append_case(out, *set.system, {}, set.cases[i]);
  }
  return out + "]}";
}

history_set parse_json(std::string_view json) {
  json_document const document(json);
  auto const& j = document.root();
  history_set set;
  set.system = &known_system(member(j, "system", json_kind::string).text);
  domain const d = documented_domain(*set.system, {});
  for (auto const& item : member(j, "cases", json_kind::array)) {
    if (set.cases.size() == cases_max) throw text_error("more than 10000 cases");
    set.cases.push_back(read_case(item, *set.system, d));
  }
  if (set.cases.empty()) throw text_error("\"cases\" is empty: expected at least one");
  return set;
}

}  // namespace backoff::histories
