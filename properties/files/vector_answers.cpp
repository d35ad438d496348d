#include "files/vector_answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/crc.hpp>
#include <charconv>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "files/shallow_json.hpp"
#include "histories/text_parts.hpp"
#include "protocol/messages.hpp"
#include "session/exit_codes.hpp"
#include "session/input_file.hpp"

namespace backoff::files {
namespace {

using nlohmann::json;
using ordered_json = nlohmann::ordered_json;
using text_parts::shown;
using text_parts::split;

constexpr std::size_t line_max = 16U << 20U;
constexpr std::string_view first_of_lines = "# ";
constexpr std::string_view last_of_lines = "# end ";
constexpr std::string_view last_of_json = R"({"end":)";

// One of the two forms: where its lines say what.
class form {
 public:
  virtual ~form() = default;
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
  [[nodiscard]] virtual json header(std::string_view line) const = 0;
  [[nodiscard]] virtual bool is_last(std::string_view line) const = 0;
  struct ending {
    std::uint64_t count;
    std::string crc;
  };
  [[nodiscard]] virtual std::optional<ending> last(std::string_view line) const = 0;
  [[nodiscard]] virtual std::string id(std::string_view line) const = 0;
  // As a result of the protocol, in JSON. Throws protocol_error.
  [[nodiscard]] virtual std::string result(std::string_view line, vector_suite const& suite,
                                           history const& asked) const = 0;
};

class json_lines final : public form {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return R"({"header":…})"; }
  [[nodiscard]] json header(std::string_view line) const override {
    auto const j = parse_shallow(line);
    return j.is_object() && j.contains("header") ? j["header"] : json();
  }
  [[nodiscard]] bool is_last(std::string_view line) const override { return line.starts_with(last_of_json); }
  [[nodiscard]] std::optional<ending> last(std::string_view line) const override {
    auto const j = parse_shallow(line);
    if (!j.is_object() || !j["end"].is_object()) return {};
    auto const& end = j["end"];
    if (!end.contains("count") || !end["count"].is_number_unsigned() || !end.contains("crc32") ||
        !end["crc32"].is_string())
      return {};
    return ending{end["count"].get<std::uint64_t>(), end["crc32"].get<std::string>()};
  }
  [[nodiscard]] std::string id(std::string_view line) const override {
    auto const j = parse_shallow(with_numbers_as_text(line));
    return j.is_object() && j.contains("id") && j["id"].is_string() ? j["id"].get<std::string>() : "";
  }
  [[nodiscard]] std::string result(std::string_view line, vector_suite const&, history const&) const override {
    return std::string(line);
  }
};

// The answer in its JSON form, from the values of those fields that an answer to the call has.
std::string answer_json(shape const& s, feature_mask features, std::uint8_t op, std::string_view text) {
  auto const parts = split(text, ',');
  std::size_t used = 0;
  ordered_json j = ordered_json::object();
  std::vector<std::string> said(s.answers.size());
  for (std::size_t i = 0; i < s.answers.size() && used < parts.size(); ++i) {
    auto const& f = s.answers[i];
    if (!f.answers(op) || (f.needs && (features & bit(*f.needs)) == 0)) continue;
    if (f.only && said[f.only->field] != s.answers[f.only->field].words[f.only->word]) continue;
    if (f.if_zero && said[*f.if_zero] != "0") continue;
    std::string const part(parts[used]);
    said[i] = part;
    bool const implied = f.written == answer_field::form::implied;
    if (implied && std::ranges::find(f.words.subspan(1), part) == f.words.end()) {
      said[i] = f.words[0];
      continue;
    }
    ++used;
    std::string const object(f.object);
    if (!object.empty() && part == "-") {
      j[object] = nullptr;
      while (i + 1 < s.answers.size() && s.answers[i + 1].object == f.object) ++i;
      continue;
    }
    if (part.empty()) continue;
    auto& to = object.empty() ? j : j[object];
    bool const truth = f.written == answer_field::form::boolean && (part == "true" || part == "false");
    to[std::string(f.name)] = truth ? ordered_json(part == "true") : ordered_json(part);
    if (i == 0 && part == f.words[s.error_word]) break;
  }
  if (used < parts.size()) throw protocol_error("an answer has more fields than the call has: " + shown(text));
  return j.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

class plain_lines final : public form {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "# HEADER"; }
  [[nodiscard]] json header(std::string_view line) const override {
    return parse_shallow(line.substr(first_of_lines.size()));
  }
  [[nodiscard]] bool is_last(std::string_view line) const override { return line.starts_with(last_of_lines); }
  [[nodiscard]] std::optional<ending> last(std::string_view line) const override {
    auto const parts = split(line.substr(last_of_lines.size()), ' ');
    ending e{0, ""};
    if (parts.size() != 2) return {};
    auto const [end, error] = std::from_chars(parts[0].data(), parts[0].data() + parts[0].size(), e.count);
    if (error != std::errc{} || end != parts[0].data() + parts[0].size()) return {};
    e.crc = parts[1];
    return e;
  }
  [[nodiscard]] std::string id(std::string_view line) const override {
    return std::string(line.substr(0, std::min(line.find('\t'), line.size())));
  }
  [[nodiscard]] std::string result(std::string_view line, vector_suite const& suite,
                                   history const& asked) const override {
    auto const columns = split(line, '\t');
    if (columns.size() < 2 || columns.size() > 3) throw protocol_error("expected ID TAB answers, found " + shown(line));
    std::string const why(columns.size() == 3 ? columns[2] : "");
    if (columns[1] == "rejected" || columns[1] == "skipped") return ordered_json{{columns[1], why}}.dump();
    std::string steps;
    std::size_t given = 0;
    for (auto const part : split(columns[1], ' ')) {
      auto const at = part.find('@');
      std::size_t times = 1;
      if (at != std::string_view::npos) {
        auto const digits = part.substr(at + 1);
        auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), times);
        if (error != std::errc{} || end != digits.data() + digits.size() || times == 0)
          throw protocol_error("expected ANSWER@TIMES, found " + shown(part));
      }
      for (; times > 0; --times, ++given) {
        if (given >= asked.steps.size())
          throw protocol_error("expected " + std::to_string(asked.steps.size()) + " answers, found more");
        auto answer = answer_json(suite.system().shape(), suite.about().takes.features, asked.steps[given].op,
                                  part.substr(0, at));
        if (!why.empty() && answer.find("\"error\"") != std::string::npos)
          answer.insert(answer.size() - 1, ",\"why\":" + quoted_json(why));
        steps += (steps.empty() ? "" : ",") + answer;
      }
    }
    return "{\"steps\":[" + steps + "]}";
  }
};

class reader {
 public:
  reader(std::string const& path, vector_suite const& suite) : path_(path), suite_(&suite), in_(opened_input(path)) {
    for (std::size_t i = 0; i < suite.all().size(); ++i) places_.emplace(suite.all()[i].id, i);
  }

  std::vector<result> read() {
    if (!in_) refuse("expected answers to the vectors: the file does not exist or cannot be read");
    if (in_.peek() == std::ifstream::traits_type::eof())
      refuse("expected answers to the vectors: the file cannot be read or is empty");
    next();
    plain_lines const lines;
    json_lines const objects;
    form const& read_as = line_.starts_with('{') ? static_cast<form const&>(objects) : lines;
    demand_header(read_as);
    add_to_crc();
    std::vector<result> all;
    for (next(); !read_as.is_last(line_); next()) {
      demand_id(read_as.id(line_), all.size());
      all.push_back(result_of(read_as, suite_->all()[all.size()].asked));
      add_to_crc();
    }
    demand_end(read_as, all.size());
    return all;
  }

 private:
  [[noreturn]] void refuse(std::string const& why) const {
    throw usage_error("'" + path_ + "'" + (number_ == 0 ? "" : ", line " + std::to_string(number_)) + ": " + why);
  }

  void next() {
    if (!read_line(in_, line_, line_max))
      refuse("cut off: expected a last line with a count and a CRC-32 after this one");
    ++number_;
    if (line_.size() > line_max) refuse("longer than 16 MiB");
    if (in_.eof() && !line_.starts_with(last_of_lines) && !line_.starts_with(last_of_json))
      refuse("cut off: this line has no end");
    if (line_.ends_with('\r')) line_.pop_back();  // as terminals send it
  }

  void add_to_crc() {
    crc_.process_bytes(line_.data(), line_.size());
    crc_.process_byte('\n');
  }

  void demand_header(form const& f) const {
    if (!line_.starts_with('{') && !line_.starts_with(first_of_lines))
      refuse("expected the header of the vectors, # HEADER or {\"header\":HEADER}, found " + shown(line_));
    auto const found = f.header(line_);
    if (!found.is_object())
      refuse("expected the header of the vectors as " + std::string(f.name()) + ", found " + shown(line_));
    auto const expected = json::parse(suite_->header_json().dump());
    for (auto const& [key, value] : expected.items()) {
      if (!found.contains(key) || found[key] != value)
        refuse("answers other vectors: \"" + key + "\" is " + shown(found.value(key, json()).dump()) + ", expected " +
               shown(value.dump()));
    }
  }

  void demand_id(std::string const& id, std::size_t at) const {
    auto const& all = suite_->all();
    auto const known = places_.find(id);
    if (known == places_.end())
      refuse("expected the id of a vector, found " + (id.empty() ? "none in " + shown(line_) : shown(id)));
    if (at < all.size() && known->second == at) return;
    if (known->second < at)
      refuse("id " + id + " is repeated: expected each id once" +
             (at < all.size() ? ", and " + all[at].id + " here" : ""));
    refuse("expected id " + all[at].id + ", found " + id + ": the expected id is missing or comes later");
  }

  result result_of(form const& f, history const& asked) const {
    try {
      auto const reply = "{\"id\":1,\"results\":[" + f.result(line_, *suite_, asked) + "]}";
      return parse_run_reply(suite_->system().shape(), suite_->about().takes.features, 1, std::span(&asked, 1), reply)
          .front();
    } catch (protocol_error const& e) {
      return {result_kind::broke, {}, "line " + std::to_string(number_) + ": " + e.what()};
    }
  }

  void demand_end(form const& f, std::size_t count) {
    auto const end = f.last(line_);
    if (!end) refuse("expected a count and a CRC-32, found " + shown(line_));
    if (count != suite_->all().size())
      refuse(fmt::format("{} vectors are not answered: the first of them is {}", suite_->all().size() - count,
                         suite_->all()[count].id));
    if (end->count != count) refuse(fmt::format("the count is {}, expected {}", end->count, count));
    auto const crc = fmt::format("{:08x}", crc_.checksum());
    if (end->crc != crc)
      refuse("edited or damaged: the CRC-32 of the lines before is " + crc + ", not " + shown(end->crc));
    while (read_line(in_, line_, line_max)) {
      ++number_;
      if (line_.find_first_not_of(" \t\r") != std::string::npos)
        refuse("unexpected text after the last line: " + shown(line_));
    }
  }

  std::string path_;
  vector_suite const* suite_;
  std::ifstream in_;
  std::map<std::string, std::size_t> places_;
  std::string line_;
  std::uint64_t number_ = 0;
  boost::crc_32_type crc_;
};

}  // namespace

std::vector<result> read_answered(std::string const& path, vector_suite const& suite) {
  return reader(path, suite).read();
}

}  // namespace backoff::files
