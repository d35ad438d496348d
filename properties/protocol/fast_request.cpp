#include "protocol/fast_request.hpp"

#include <simdjson.h>

#include "histories/text_parts.hpp"
#include "protocol/padded_line.hpp"

namespace backoff::protocol {
namespace {

namespace ondemand = simdjson::ondemand;

// Each returns false where something is unusual, and throws text_error where it is refused.

bool string_in(ondemand::value v, std::string_view& text) { return v.get_string().get(text) == simdjson::SUCCESS; }

// The fields of a call or of the parameters, and where their values go.
struct members {
  std::span<field const> fields;
  std::span<range const> ranges;
  std::span<value> values;
};

bool read_one(members const& to, std::size_t i, ondemand::value v) {
  if (to.values[i].kind != value_kind::absent) return false;
  auto const& f = to.fields[i];
  std::string_view text;
  bool flag = false;
  if (f.written == field::form::boolean) {
    if (v.get_bool().get(flag) != simdjson::SUCCESS) return false;
    text = flag ? "true" : "false";
  } else if (!string_in(v, text)) {
    return false;
  }
  to.values[i] = parse_value(f, to.ranges[i], text);
  return true;
}

bool read_list(members const& to, std::size_t i, ondemand::value v) {
  auto const end = list_end(to.fields, i);
  ondemand::array items;
  if (v.get_array().get(items) != simdjson::SUCCESS) return false;
  for (auto item : items) {
    ondemand::value one;
    if (i == end || item.get(one) != simdjson::SUCCESS || !read_one(to, i, one)) return false;
    ++i;
  }
  return true;
}

bool read_set(members const& to, std::size_t i, ondemand::value v) {
  std::string words;
  ondemand::array items;
  if (to.values[i].kind != value_kind::absent || v.get_array().get(items) != simdjson::SUCCESS) return false;
  for (auto item : items) {
    std::string_view word;
    if (item.get_string().get(word) != simdjson::SUCCESS) return false;
    words.append(words.empty() ? "" : ".").append(word);
  }
  if (words.empty()) return false;
  to.values[i] = parse_value(to.fields[i], to.ranges[i], words);
  return true;
}

bool read_members(members const& to, std::string_view object, ondemand::object from);

bool read_member(members const& to, std::string_view object, std::string_view key, ondemand::value v) {
  bool shared = false;  // an object of that name, whose members are fields
  std::size_t i = 0;
  while (i < to.fields.size() && (to.fields[i].name != key || to.fields[i].object != object)) {
    shared = shared || (object.empty() && to.fields[i].object == key);
    ++i;
  }
  for (auto k = i; k < to.fields.size(); ++k) shared = shared || (object.empty() && to.fields[k].object == key);
  ondemand::object within;
  if (shared && v.get_object().get(within) == simdjson::SUCCESS) return read_members(to, key, within);
  if (i == to.fields.size()) return false;
  if (to.fields[i].written == field::form::list) return read_list(to, i, v);
  return to.fields[i].kind == field_kind::set ? read_set(to, i, v) : read_one(to, i, v);
}

bool read_members(members const& to, std::string_view object, ondemand::object from) {
  for (auto item : from) {
    std::string_view key;
    ondemand::value v;
    bool const read = item.unescaped_key().get(key) == simdjson::SUCCESS && item.value().get(v) == simdjson::SUCCESS &&
                      read_member(to, object, key, v);
    if (!read) return false;
  }
  return true;
}

// "op" first: the other members are those of the call that it names.
bool read_step(shape const& s, domain const& d, ondemand::value from, step& to) {
  ondemand::object fields;
  if (from.get_object().get(fields) != simdjson::SUCCESS) return false;
  bool named = false;
  bool placed = false;
  for (auto item : fields) {
    std::string_view key;
    ondemand::value v;
    if (item.unescaped_key().get(key) != simdjson::SUCCESS || item.value().get(v) != simdjson::SUCCESS) return false;
    std::string_view text;
    if (!named) {
      if (key != "op" || !string_in(v, text)) return false;
      auto const op = s.find_operation(text);
      if (!op) return false;
      to.op = *op;
      named = true;
    } else if (key == "on") {
      bool const one_digit = !placed && string_in(v, text) && text.size() == 1 && text[0] >= '0' &&
                             text[0] < '0' + static_cast<int>(instances_max);
      if (!one_digit) return false;
      to.on = static_cast<std::uint8_t>(text[0] - '0');
      placed = true;
    } else if (!read_member({s.operations[to.op].args, d.args[to.op], to.args}, "", key, v)) {
      return false;
    }
  }
  if (named) text_parts::complete_args(s, to);
  return named;
}

bool read_history(shape const& s, domain const& d, ondemand::value from, history& h) {
  ondemand::object fields;
  if (from.get_object().get(fields) != simdjson::SUCCESS) return false;
  bool params_seen = false;
  bool steps_seen = false;
  for (auto item : fields) {
    std::string_view key;
    ondemand::value v;
    if (item.unescaped_key().get(key) != simdjson::SUCCESS || item.value().get(v) != simdjson::SUCCESS) return false;
    ondemand::object params;
    ondemand::array steps;
    if (key == "params" && !params_seen && v.get_object().get(params) == simdjson::SUCCESS) {
      params_seen = read_members({s.params, d.params, h.params}, "", params);
      if (!params_seen) return false;
    } else if (key == "steps" && !steps_seen && v.get_array().get(steps) == simdjson::SUCCESS) {
      steps_seen = true;
      for (auto element : steps) {
        ondemand::value one;
        if (element.get(one) != simdjson::SUCCESS || h.steps.size() == text_parts::steps_max) return false;
        if (!read_step(s, d, one, h.steps.emplace_back())) return false;
      }
    } else {
      return false;
    }
  }
  if (!params_seen || !steps_seen) return false;
  text_parts::demand_all_params(s, h);
  text_parts::demand_allowed(s, h);
  return true;
}

bool read_cases(shape const& s, ondemand::value from, std::vector<history>& to) {
  auto const d = documented_domain(s, {});
  ondemand::array cases;
  if (from.get_array().get(cases) != simdjson::SUCCESS) return false;
  for (auto item : cases) {
    ondemand::value v;
    if (item.get(v) != simdjson::SUCCESS || !read_history(s, d, v, to.emplace_back())) return false;
  }
  return true;
}

bool read_request(shape const& s, ondemand::object from, request& to) {
  bool id_seen = false;
  bool cases_seen = false;
  for (auto item : from) {
    std::string_view key;
    ondemand::value v;
    std::string_view text;
    if (item.unescaped_key().get(key) != simdjson::SUCCESS || item.value().get(v) != simdjson::SUCCESS) return false;
    bool expected = false;
    if (key == "cmd" && to.kind == request_kind::unknown) {
      expected = string_in(v, text) && text == "run";
      to.kind = request_kind::run;
    } else if (key == "id" && !id_seen) {
      expected = id_seen = v.get_uint64().get(to.id) == simdjson::SUCCESS && to.id <= std::uint64_t{1} << 53;
    } else if (key == "cases" && !cases_seen) {
      expected = cases_seen = read_cases(s, v, to.cases);
    }
    if (!expected) return false;
  }
  return to.kind == request_kind::run && id_seen && cases_seen;
}

}  // namespace

std::optional<request> read_usual_request(shape const& s, std::string_view line) {
  thread_local ondemand::parser parser;
  thread_local padded_line padded;
  ondemand::document document;
  ondemand::object fields;
  request r;
  try {
    bool const usual = parser.iterate(padded.of(line)).get(document) == simdjson::SUCCESS &&
                       document.get_object().get(fields) == simdjson::SUCCESS && read_request(s, fields, r) &&
                       document.current_location().error() == simdjson::OUT_OF_BOUNDS;
    if (usual) return r;
  } catch (text_error const&) {  // the long way says it
  }
  return std::nullopt;
}

request parse_request(std::string_view line, shape const* started) {
  if (started != nullptr) {
    if (auto usual = read_usual_request(*started, line)) return std::move(*usual);
  }
  return parse_any_request(line, started);
}

}  // namespace backoff::protocol
