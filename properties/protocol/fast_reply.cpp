#include "protocol/fast_reply.hpp"

#include <simdjson.h>

#include <array>

#include "protocol/messages.hpp"
#include "protocol/padded_line.hpp"

namespace backoff::protocol {
namespace {

namespace ondemand = simdjson::ondemand;

// Each returns false, or leaves its optional empty, where something is unusual.

std::optional<observed> number_in(std::string_view text) {
  auto const d = spec::parse_decimal(text);
  if (!d) return std::nullopt;
  return observed::of(*d);
}

std::optional<observed> word_in(answer_field const& f, std::string_view text) {
  for (std::size_t i = 0; i < f.words.size(); ++i) {
    if (f.words[i] == text) return observed::word(static_cast<std::uint8_t>(i));
  }
  return std::nullopt;
}

std::optional<observed> value_of(answer_field const& f, ondemand::value v) {
  ondemand::json_type type{};
  if (v.type().get(type) != simdjson::SUCCESS) return std::nullopt;
  if (f.written == answer_field::form::boolean) {
    bool flag = false;
    if (type != ondemand::json_type::boolean || v.get_bool().get(flag) != simdjson::SUCCESS) return std::nullopt;
    return observed::word(flag ? 1 : 0);
  }
  if (type == ondemand::json_type::number && f.words.empty()) {
    auto text = v.raw_json_token();
    text.remove_suffix(text.size() - (text.find_last_not_of(" \t\r\n") + 1));
    ondemand::number checked;  // the grammar of JSON is stricter than a token's looks
    if (v.get_number().get(checked) != simdjson::SUCCESS) return std::nullopt;
    return number_in(text);
  }
  std::string_view text;
  if (type != ondemand::json_type::string || v.get_string().get(text) != simdjson::SUCCESS) return std::nullopt;
  return f.words.empty() ? number_in(text) : word_in(f, text);
}

// The fields of an answer that a line holds: a bit each, of those in an object that is null too.
struct fields_given {
  answer& to;
  std::uint32_t null = 0;
};

// Whether the answer has the fields that its words demand and no other.
bool complete(shape const& s, feature_mask features, std::uint8_t op, fields_given const& given) {
  answer& a = given.to;
  for (std::size_t i = 0; i < s.answers.size(); ++i) {
    auto const& f = s.answers[i];
    if (f.idle(a)) a[i] = {};
    bool const unused = f.idle(a) || !f.answers(op) || !f.belongs_to(a) || (f.needs && (features & bit(*f.needs)) == 0);
    bool const there = a[i].kind != observed_kind::absent;
    bool const is_null = ((given.null >> i) & 1U) != 0;
    if ((unused && (there || is_null)) || (there && is_null)) return false;
    if (unused || there || is_null || f.optional) continue;
    if (f.written != answer_field::form::implied) return false;
    a[i] = observed::word(0);
  }
  return a[0] != observed::word(s.error_word);
}

bool is_null(ondemand::value v) {
  ondemand::json_type type{};
  return v.type().get(type) == simdjson::SUCCESS && type == ondemand::json_type::null;
}

// The members of one object of an answer; of the answer itself where the object has no name.
bool read_members(shape const& s, std::string_view object, ondemand::value item, fields_given& given) {
  ondemand::object fields;
  if (item.get_object().get(fields) != simdjson::SUCCESS) return false;
  for (auto field : fields) {
    std::string_view key;
    ondemand::value v;
    if (field.unescaped_key().get(key) != simdjson::SUCCESS || field.value().get(v) != simdjson::SUCCESS) return false;
    std::size_t i = 0;
    while (i < s.answers.size() && (s.answers[i].name != key || s.answers[i].object != object)) ++i;
    if (i < s.answers.size()) {
      auto const read = value_of(s.answers[i], v);
      if (!read || given.to[i].kind != observed_kind::absent) return false;
      given.to[i] = *read;
      continue;
    }
    std::uint32_t members = 0;
    for (i = 0; object.empty() && i < s.answers.size(); ++i) {
      if (s.answers[i].object == key) members |= 1U << i;
    }
    if (members == 0 || (given.null & members) != 0) return false;
    if (is_null(v)) {
      bool null = false;
      if (v.is_null().get(null) != simdjson::SUCCESS || !null) return false;
      given.null |= members;
    } else if (!read_members(s, key, v, given)) {
      return false;
    }
  }
  return true;
}

bool read_answer(shape const& s, feature_mask features, std::uint8_t op, ondemand::value item, answer& a) {
  fields_given given{a};
  return read_members(s, "", item, given) && complete(s, features, op, given);
}

// {"steps":[…]}, with an answer to each step.
bool read_result(shape const& s, feature_mask features, history const& h, ondemand::value item, result& r) {
  ondemand::object fields;
  if (item.get_object().get(fields) != simdjson::SUCCESS) return false;
  bool seen = false;
  for (auto field : fields) {
    std::string_view key;
    ondemand::array answers;
    bool const expected = !seen && field.unescaped_key().get(key) == simdjson::SUCCESS && key == "steps" &&
                          field.value().get_array().get(answers) == simdjson::SUCCESS;
    if (!expected) return false;
    seen = true;
    r.answers.reserve(h.steps.size());
    for (auto element : answers) {
      ondemand::value v;
      std::size_t const i = r.answers.size();
      if (i == h.steps.size() || element.get(v) != simdjson::SUCCESS) return false;
      if (!read_answer(s, features, h.steps[i].op, v, r.answers.emplace_back())) return false;
    }
  }
  return seen && r.answers.size() == h.steps.size();
}

bool read_results(shape const& s, feature_mask features, std::span<history const> cases, ondemand::value list,
                  std::vector<result>& results) {
  ondemand::array items;
  if (list.get_array().get(items) != simdjson::SUCCESS) return false;
  results.reserve(cases.size());
  for (auto item : items) {
    ondemand::value v;
    if (results.size() == cases.size() || item.get(v) != simdjson::SUCCESS) return false;
    auto const& h = cases[results.size()];
    if (!read_result(s, features, h, v, results.emplace_back())) return false;
  }
  return results.size() == cases.size();
}

}  // namespace

std::optional<std::vector<result>> read_usual_reply(shape const& s, feature_mask features, std::uint64_t id,
                                                    std::span<history const> cases, std::string_view line) {
  thread_local ondemand::parser parser;
  thread_local padded_line padded;
  ondemand::document document;
  ondemand::object fields;
  if (parser.iterate(padded.of(line)).get(document) != simdjson::SUCCESS) return std::nullopt;
  if (document.get_object().get(fields) != simdjson::SUCCESS) return std::nullopt;
  std::vector<result> results;
  bool id_seen = false;
  bool results_seen = false;
  for (auto field : fields) {
    std::string_view key;
    ondemand::value v;
    if (field.unescaped_key().get(key) != simdjson::SUCCESS || field.value().get(v) != simdjson::SUCCESS)
      return std::nullopt;
    bool expected = false;
    if (key == "id" && !id_seen) {
      std::uint64_t given = 0;
      expected = id_seen = v.get_uint64().get(given) == simdjson::SUCCESS && given == id;
    } else if (key == "results" && !results_seen) {
      expected = results_seen = read_results(s, features, cases, v, results);
    }
    if (!expected) return std::nullopt;
  }
  if (!id_seen || !results_seen || document.current_location().error() != simdjson::OUT_OF_BOUNDS) return std::nullopt;
  return results;
}

std::vector<result> parse_run_reply(shape const& s, feature_mask features, std::uint64_t id,
                                    std::span<history const> cases, std::string_view line) {
  if (auto usual = read_usual_reply(s, features, id, cases, line)) return std::move(*usual);
  return parse_any_run_reply(s, features, id, cases, line);
}

}  // namespace backoff::protocol
