#include "histories/json_value.hpp"

#include <rapidjson/reader.h>

#include <cmath>
#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

namespace backoff::histories {
namespace {

constexpr std::size_t deepest = 32;
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

// at: an index in the text.
[[noreturn]] void refuse(std::size_t at, std::string const& why = "") {
  throw text_error("malformed JSON" + why + " at byte " + std::to_string(at + 1));
}
constexpr char const* out_of_range = ": a number is out of range";

// Receives the parts of a text from the parser, in their order, and lists them. The names of its functions are the
// parser's.
class lister : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, lister> {
 public:
  // parsed: where the parser reads a copy of the text.
  lister(std::string_view text, char const* parsed, std::size_t values_max, std::vector<json_value>& values)
      : text_(text), parsed_(parsed), values_max_(values_max), values_(&values) {
    open_.reserve(deepest + 1);
  }

  bool Null() { return add(json_kind::null, "null"); }
  bool Bool(bool b) { return add(json_kind::boolean, b ? "true" : "false"); }
  bool RawNumber(char const* digits, rapidjson::SizeType size, bool) {
    std::string_view const number(digits, size);
    bool const has_exponent = number.find_first_of("eE") != std::string_view::npos;
    if (has_exponent && !std::isfinite(std::strtod(std::string(number).c_str(), nullptr)))
      refuse(index_of(digits), out_of_range);
    return add(json_kind::number, number);
  }
  bool String(char const* text, rapidjson::SizeType size, bool) {
    return add(json_kind::string, unicode({text, size}));
  }
  bool Key(char const* name, rapidjson::SizeType size, bool) {
    name_ = unicode({name, size});
    return true;
  }
  bool StartObject() { return open(json_kind::object); }
  bool StartArray() { return open(json_kind::array); }
  bool EndObject(rapidjson::SizeType) { return close(); }
  bool EndArray(rapidjson::SizeType) { return close(); }

 private:
  [[nodiscard]] std::size_t index_of(char const* at) const noexcept { return static_cast<std::size_t>(at - parsed_); }
  // The parser takes the second half of a surrogate pair where the first is missing.
  [[nodiscard]] std::string_view unicode(std::string_view text) const {
    constexpr auto of_surrogates = '\xed';
    for (auto at = text.find(of_surrogates); at != std::string_view::npos; at = text.find(of_surrogates, at + 1)) {
      if (static_cast<unsigned char>(text[at + 1]) >= 0xa0) refuse(index_of(text.data()));
    }
    return text;
  }
  bool add(json_kind kind, std::string_view text) {
    if (values_->size() > values_max_) demand_shallow(text_, values_max_);
    values_->emplace_back(kind, std::exchange(name_, {}), text);
    return true;
  }
  bool open(json_kind kind) {
    if (open_.size() == deepest) demand_shallow(text_, values_max_);
    open_.push_back(values_->size());
    return add(kind, {});
  }
  bool close() {
    (*values_)[open_.back()].extent = values_->size() - open_.back();
    open_.pop_back();
    return true;
  }

  std::string_view text_;  // all of it
  char const* parsed_;
  std::size_t values_max_;
  std::vector<json_value>* values_;
  std::vector<std::size_t> open_;  // the arrays and objects around what comes next
  std::string_view name_;          // of what comes next
};

// A parser would ignore everything behind it.
void demand_no_nul(std::string_view text) {
  if (auto const nul = text.find('\0'); nul != std::string_view::npos) refuse(nul);
}

void append(std::string& out, json_value const& value) {
  if (value.is(json_kind::string)) {
    out += quoted_json(value.text);
  } else if (value.is(json_kind::array) || value.is(json_kind::object)) {
    bool const array = value.is(json_kind::array);
    out += array ? '[' : '{';
    for (auto const& part : value) {
      if (&part != &*value.begin()) out += ',';
      if (!array) out += quoted_json(part.name) + ':';
      append(out, part);
    }
    out += array ? ']' : '}';
  } else {
    out += value.text;
  }
}

}  // namespace

std::size_t json_value::size() const noexcept { return static_cast<std::size_t>(std::distance(begin(), end())); }

json_value const* json_value::find(std::string_view member) const noexcept {
  json_value const* found = nullptr;
  if (!is(json_kind::object)) return found;
  for (auto const& each : *this) {
    if (each.name == member) found = &each;
  }
  return found;
}

std::string json_value::dump() const {
  std::string out;
  append(out, *this);
  return out;
}

json_document::json_document(std::string_view text, std::size_t values_max) {
  demand_no_nul(text);
  constexpr std::size_t longest_character = 4;  // RapidJSON reads all bytes of one that the text cuts off
  characters_.reserve(text.size() + longest_character);
  characters_.assign(text.begin(), text.end());
  characters_.resize(text.size() + longest_character, '\0');
  auto* const begin = characters_.data();
  lister list(text, begin, values_max, values_);
  auto const skipped = text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  rapidjson::InsituStringStream in(begin + skipped);
  constexpr unsigned how =
      rapidjson::kParseInsituFlag | rapidjson::kParseNumbersAsStringsFlag | rapidjson::kParseValidateEncodingFlag;
  if (auto const read = rapidjson::Reader().Parse<how>(in, list); read.IsError())
    refuse(skipped + read.Offset(), read.Code() == rapidjson::kParseErrorNumberTooBig ? out_of_range : "");
}

void demand_shallow(std::string_view text, std::size_t values_max) {
  demand_no_nul(text);
  std::size_t depth = 0;
  std::size_t values = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char const c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else {
      in_string = c == '"';
      if (c == '[' || c == '{') ++depth;
      if ((c == ']' || c == '}') && depth != 0) --depth;
      values += c == '[' || c == '{' || c == ',' ? 1U : 0U;
      if (values > values_max)
        throw text_error("JSON of more than " + std::to_string(values_max) + " values, by byte " +
                         std::to_string(i + 1));
      if (depth > deepest)
        throw text_error("JSON is nested deeper than " + std::to_string(deepest) + " at byte " + std::to_string(i + 1));
    }
  }
}

std::string quoted_json(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace backoff::histories
