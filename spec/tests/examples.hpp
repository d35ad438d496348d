// The examples of a document, spec/STEM/examples.yaml: each row becomes a test of its own, STEM.ID, which holds every
// subject that is linked into the program to the row's answers.
// Checked by: spec/tests/examples_test.cpp.
#pragma once

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <charconv>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace backoff::examples {

using words = std::vector<std::string>;
using parameters = std::map<std::string, std::string>;

// The whole number that a word is, decimal or 0x and hexadecimal; or nothing.
inline std::optional<std::int64_t> number(std::string_view word) {
  bool const is_hex = word.starts_with("0x");
  if (is_hex) word.remove_prefix(2);
  std::int64_t value = 0;
  auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, is_hex ? 16 : 10);
  return error == std::errc() && end == word.data() + word.size() ? std::optional(value) : std::nullopt;
}

// Thrown where parameters are too wide for a subject, which the row then leaves out.
struct unfit {};

template <class W>
W as(std::int64_t value) {
  return std::in_range<W>(value) ? static_cast<W>(value) : throw unfit();
}
template <class W>
W as(parameters const& p, std::string const& name) {
  return as<W>(number(p.at(name)).value());
}

struct call {
  std::string on;  // the instance; "" for the first, "new" for one of its own
  std::string name;
  parameters with;  // its arguments
};

struct row {
  int line;
  std::string id;
  words by;
  parameters with;
  std::vector<call> calls;
  words answers;  // fields that / joins; whole numbers are decimal
  std::string why;
};

using instance = std::function<std::string(call const&)>;  // answers a call

struct subject {
  std::string name;
  std::function<instance(parameters const&)> fresh;
  // What an answer becomes in units that do not hold every number; or nothing, where every number is held.
  std::function<std::string(std::string const&)> held{};
};

inline std::vector<subject>& subjects(std::string const& stem) {
  static std::map<std::string, std::vector<subject>> all;
  return all[stem];
}

inline bool answers(std::string const& stem, std::vector<subject> const& more) {
  auto& all = subjects(stem);
  all.insert(all.end(), more.begin(), more.end());
  return true;
}

inline void demand(bool truth, YAML::Node const& at, std::string const& what) {
  if (!truth) throw YAML::RepresentationException(at.Mark(), what);
}

inline void has_fields(YAML::Node const& map, std::set<std::string> missing) {
  for (auto const& entry : map) {
    auto const name = entry.first.as<std::string>();
    demand(missing.erase(name) == 1, entry.first, "unknown or second field " + name);
  }
  demand(missing.empty(), map, "no " + (missing.empty() ? "" : *missing.begin()));
}

// Words, and @N after a word for N of it in all.
inline words words_of(YAML::Node const& of) {
  std::istringstream text(of.as<std::string>());
  words found;
  for (std::string word; text >> word;) {
    auto const times =
        word.starts_with('@') && !found.empty() ? as<std::size_t>(number(word.substr(1)).value_or(0)) : 0;
    times > 0 ? found.resize(found.size() + times - 1, words(found).back()) : found.push_back(word);
  }
  return found;
}

// [INSTANCE] NAME ARGUMENT…: as many calls as it has arguments for; NAME NAME… where it takes none. What the page names
// with a = at the end may be left out: NAME=ARGUMENT is of the call before it.
inline std::vector<call> calls_of(YAML::Node const& of, std::map<std::string, words> const& taken) {
  auto rest = words_of(of);
  std::string on;
  if (rest.size() > 1 && !taken.contains(rest[0])) on = rest[0], rest.erase(rest.begin());
  demand(!rest.empty() && taken.contains(rest[0]), of, "unknown call '" + of.as<std::string>() + "'");
  auto const name = rest[0];
  words always;
  std::set<std::string> optional;
  for (auto const& n : taken.at(name)) n.ends_with('=') ? void(optional.insert(n)) : always.push_back(n);
  auto const demand_arguments = [&](bool truth) {
    demand(truth, of, name + " takes " + std::to_string(always.size()));
  };
  if (!always.empty()) rest.erase(rest.begin());
  demand_arguments(!rest.empty());
  std::vector<call> calls;
  for (auto at = rest.begin(); at != rest.end();) {
    auto& with = calls.emplace_back(call{on, name, {}}).with;
    if (always.empty()) demand_arguments(*at++ == name);
    for (auto const& n : always) {
      demand_arguments(at != rest.end() && at->find('=') == std::string::npos);
      with[n] = *at++;
    }
    for (std::size_t end = 0; at != rest.end() && (end = at->find('=')) != std::string::npos; ++at) {
      auto const is_new = optional.contains(at->substr(0, end + 1)) && !with.contains(at->substr(0, end));
      demand(is_new, of, "unknown or second argument " + *at);
      with[at->substr(0, end)] = at->substr(end + 1);
    }
  }
  return calls;
}

// An answer of several fields; empty ones are left out.
inline std::string joined(words const& fields) {
  std::string all;
  for (auto const& field : fields) all += (all.empty() || field.empty() ? "" : "/") + field;
  return all;
}

// What stands between those.
inline words parts(std::string const& word, char separator) {
  std::istringstream text(word);
  words found;
  for (std::string part; std::getline(text, part, separator);) found.push_back(part);
  return found;
}

// Its whole numbers decimal.
inline std::string answer_of(std::string const& word) {
  auto fields = parts(word, '/');
  for (auto& field : fields) field = number(field) ? std::to_string(*number(field)) : field;
  return joined(fields);
}

inline row row_of(YAML::Node const& from, YAML::Node const& page) {
  has_fields(from, {"id", "by", "with", "calls", "answers", "why"});
  row r{from.Mark().line + 1,
        from["id"].as<std::string>(),
        from["by"].as<words>(),
        page["parameters"].as<parameters>(),
        {},
        {},
        from["why"].as<std::string>()};
  demand(!r.by.empty(), from, "a row is about a requirement");
  for (auto const& [name, value] : from["with"].as<parameters>()) {
    demand(r.with.contains(name), from["with"], "unknown parameter " + name);
    r.with[name] = value;
  }
  for (auto const& [name, value] : r.with) demand(value != "null", from["with"], "no " + name);
  auto const taken = page["calls"].as<std::map<std::string, words>>();
  for (auto const& one : from["calls"])
    for (auto const& c : calls_of(one, taken)) r.calls.push_back(c);
  for (auto const& one : from["answers"])
    for (auto const& word : words_of(one)) r.answers.push_back(answer_of(word));
  demand(r.answers.size() == r.calls.size(), from["answers"],
         std::to_string(r.calls.size()) + " calls, " + std::to_string(r.answers.size()) + " answers");
  return r;
}

// Throws YAML::Exception with the place where the file is wrong.
inline std::vector<row> rows_of(std::string_view text, std::string_view catalogue) {
  auto const page = YAML::Load(std::string(text));
  has_fields(page, {"parameters", "calls", "without", "examples"});
  std::set<std::string> known, wanting, ids;
  for (auto const& requirement : YAML::Load(std::string(catalogue))["requirements"]) {
    auto const id = *known.insert(requirement["id"].as<std::string>()).first;
    if (!requirement["unchecked"]) wanting.insert(id);
  }
  for (auto const& entry : page["without"])
    demand(wanting.erase(entry.first.as<std::string>()) == 1, entry.first, "needs no excuse");
  auto const excused = page["without"].as<parameters>();
  std::vector<row> rows;
  for (auto const& one : page["examples"]) {
    auto const& r = rows.emplace_back(row_of(one, page));
    demand(ids.insert(r.id).second, one, "a second row " + r.id);
    for (auto const& id : r.by) {
      demand(known.contains(id), one["by"], "unknown requirement " + id);
      demand(!excused.contains(id), one["by"], id + " needs no excuse");
      wanting.erase(id);
    }
  }
  demand(wanting.empty(), page["examples"], "no row is about " + (wanting.empty() ? "" : *wanting.begin()));
  return rows;
}

inline std::string said(std::string const& file, YAML::Exception const& e) {
  return file + ":" + std::to_string(e.mark.line + 1) + ": " + e.msg;
}

// Whether the row's parameters fit the subject, which then is to answer each call as the row says.
inline bool holds(row const& r, subject const& of) try {
  std::map<std::string, instance> instances;
  for (std::size_t i = 0; i < r.calls.size(); ++i) {
    auto& on = instances[r.calls[i].on];
    if (!on || r.calls[i].on == "new") on = of.fresh(r.with);
    auto const answer = of.held ? of.held(r.answers[i]) : r.answers[i];
    EXPECT_EQ(on(r.calls[i]), answer) << of.name << ", call " << i + 1 << ": " << r.why;
  }
  return true;
} catch (unfit) {
  return false;
}

class test final : public testing::Test {
 public:
  explicit test(std::function<void()> body) : body_(std::move(body)) {}
  void TestBody() override { body_(); }

 private:
  std::function<void()> body_;
};

// Registers the rows; or a test that fails, if the file is wrong.
inline bool are_tests(std::string const& stem, std::string_view text, std::string_view catalogue) {
  std::string const file = "spec/" + stem + "/examples.yaml";
  auto const add = [&](std::string const& suite, std::string const& name, int line, std::function<void()> const& body) {
    testing::RegisterTest(suite.c_str(), name.c_str(), nullptr, nullptr, file.c_str(), line,
                          [=]() -> testing::Test* { return new test(body); });
  };
  try {
    for (auto const& r : rows_of(text, catalogue)) {
      add(stem, r.id, r.line, [=] {
        std::string ids;
        for (auto const& id : r.by) ids += (ids.empty() ? "" : " ") + id;
        testing::Test::RecordProperty("checks", ids);
        std::size_t fit = 0;
        for (auto const& s : subjects(stem)) fit += holds(r, s);
        if (fit == 0) GTEST_SKIP() << "its parameters fit no subject of this program";
      });
    }
  } catch (YAML::Exception const& e) {
    add("examples", stem, e.mark.line + 1, [problem = said(file, e)] { FAIL() << problem; });
  }
  return true;
}

}  // namespace backoff::examples
