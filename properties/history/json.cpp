#include "history/json.hpp"

#include <nlohmann/json.hpp>

#include "history/text_parts.hpp"

namespace backoff::conformance {

using namespace text_parts;

namespace {

// numerator / 2^32 as the decimal that it is exactly: at most 32 digits.
void append_quotient(std::string& out, std::uint64_t numerator) {
  out += '0';
  if (numerator != 0) out += '.';
  while (numerator != 0) {
    numerator *= 10;
    out += static_cast<char>('0' + (numerator >> 32));
    numerator &= 0xffff'ffffU;
  }
}

void append_draw(std::string& out, draw_source const& draws, std::int64_t numerator) {
  if (draws.is != spec::draw::kind::unit) {
    out += '"';
    append_number(out, numerator);
    out += '"';
    return;
  }
  out += R"({"num":")";
  append_number(out, numerator);
  out += R"(","den":")";
  append_number(out, draws.size);
  out += R"(","value":")";
  append_quotient(out, static_cast<std::uint64_t>(numerator));
  out += R"("})";
}

std::string text_of(nlohmann::json const& j, field const& f) {
  if (f.written == field::form::boolean) {
    if (j.is_boolean()) return j.dump();
    throw text_error(shown(f.name) + ": expected true or false, found " + shown(j.dump()));
  }
  if (j.is_string()) return j.get<std::string>();
  if (j.is_number_integer() || j.is_number_unsigned()) return j.dump();
  if (j.is_object() && j.contains("num")) return text_of(j["num"], f);
  throw text_error(shown(f.name) + ": expected a decimal string, found " + shown(j.dump()));
}

// "name":value
void append_member(std::string& out, field const& f, draw_source const& draws, value const& v) {
  out.append("\"").append(f.name).append("\":");
  if (f.is == field::kind::draw) {
    append_draw(out, draws, v.n);
    return;
  }
  std::string_view const quote = f.written == field::form::boolean ? "" : "\"";
  out += quote;
  append_plain(out, f, v);
  out += quote;
}

nlohmann::json const& member(nlohmann::json const& object, char const* name, nlohmann::json::value_t type) {
  if (!object.is_object() || !object.contains(name) || object[name].type() != type) {
    throw text_error(std::string("expected the member \"") + name + "\" (" + nlohmann::json(type).type_name() +
                     ") in " + shown(object.dump()));
  }
  return object[name];
}

constexpr field instance_field{"on", field::kind::integer, 0, instances_max - 1, {}, {}};

// Every member of the object must be one of the fields; sets values[i] for each that is there.
template <std::size_t N>
void read_fields(nlohmann::json const& object, std::span<field const> fields, std::array<range, N> const& ranges,
                 std::array<value, N>& values, bool is_step) {
  for (auto const& [name, text] : object.items()) {
    if (is_step && (name == "op" || name == "on")) continue;
    std::size_t i = 0;
    while (i < fields.size() && fields[i].name != name) ++i;
    if (i == fields.size() || i >= N)
      throw text_error("unknown field " + shown(name) + ", expected one of: " + joined(fields));
    values[i] = parse_value(fields[i], ranges[i], text_of(text, fields[i]));
  }
}

}  // namespace

nlohmann::json parse_any(std::string_view json) {
  constexpr int deepest = 32;
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    char const c = json[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else {
      in_string = c == '"';
      depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
      if (depth > deepest)
        throw text_error("JSON is nested deeper than " + std::to_string(deepest) + " at byte " + std::to_string(i + 1));
    }
  }
  try {
    return nlohmann::json::parse(json);
  } catch (nlohmann::json::parse_error const& e) {
    throw text_error("malformed JSON at byte " + std::to_string(e.byte));
  } catch (nlohmann::json::exception const&) {
    throw text_error("malformed JSON: a number is out of range");
  }
}

history read_case(nlohmann::json const& j, shape const& s, domain const& d) {
  using type = nlohmann::json::value_t;
  history h;
  read_fields(member(j, "params", type::object), s.params, d.params, h.params, false);
  demand_all_params(s, h);
  for (auto const& item : member(j, "steps", type::array)) {
    step next;
    next.op = known_operation(s, member(item, "op", type::string).get<std::string>());
    if (item.contains("on"))
      next.on = static_cast<std::uint8_t>(
          parse_value(instance_field, {0, instances_max - 1, 0, true, false}, text_of(item["on"], instance_field)).n);
    read_fields(item, s.operations[next.op].args, d.args[next.op], next.args, true);
    demand_all_args(s, next);
    if (h.steps.size() == steps_max) throw text_error("more than 1000000 steps");
    h.steps.push_back(next);
  }
  demand_allowed(s, h);
  return h;
}

void append_case(std::string& out, shape const& s, draw_source const& draws, history const& h) {
  out += R"({"params":{)";
  for (std::size_t i = 0, written = 0; i < s.params.size(); ++i) {
    if (h.params[i].is == value::kind::absent) continue;
    if (written++ != 0) out += ',';
    append_member(out, s.params[i], draws, h.params[i]);
  }
  out += R"(},"steps":[)";
  for (auto const& step : h.steps) {
    auto const& op = s.operations[step.op];
    if (out.back() == '}') out += ',';
    out.append(R"({"op":")").append(op.name).append("\"");
    if (step.on != 0) {
      out += R"(,"on":")";
      append_number(out, static_cast<unsigned>(step.on));
      out += '"';
    }
    for (std::size_t i = 0; i < op.args.size(); ++i) {
      bool const hidden = op.args[i].is == field::kind::draw && draws.is == spec::draw::kind::hidden;
      if (hidden || step.args[i].is == value::kind::absent) continue;
      out += ',';
      append_member(out, op.args[i], draws, step.args[i]);
    }
    out += '}';
  }
  out += "]}";
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
  using type = nlohmann::json::value_t;
  auto const j = parse_any(json);
  history_set set;
  set.system = &known_system(member(j, "system", type::string).get<std::string>());
  domain const d = documented_domain(*set.system, {});
  for (auto const& item : member(j, "cases", type::array)) {
    if (set.cases.size() == cases_max) throw text_error("more than 64 cases");
    set.cases.push_back(read_case(item, *set.system, d));
  }
  if (set.cases.empty()) throw text_error("\"cases\" is empty: expected at least one");
  return set;
}

}  // namespace backoff::conformance
