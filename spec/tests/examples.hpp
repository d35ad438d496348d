// The examples of a document, spec/STEM/examples.yaml: each row becomes a test of its own, STEM.ID, which holds every
// subject that is linked into the program to the row's answers. So does each reading of spec/STEM/system.yaml, as
// STEM.reading_NAME, on the history that tells its alternatives apart.
// Checked by: spec/tests/examples_test.cpp.
#pragma once

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
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

// Throws std::invalid_argument where it is none.
inline std::int64_t demanded_number(std::string_view word) {
  auto const value = number(word);
  if (!value) throw std::invalid_argument(std::string(word) + ": expected a whole number");
  return *value;
}

// Thrown where parameters are too wide for a subject, which the row then leaves out.
struct unfit {};

template <class W>
W as(std::int64_t value) {
  return std::in_range<W>(value) ? static_cast<W>(value) : throw unfit();
}
template <class W>
W as(parameters const& p, std::string const& name) {
  auto const value = number(p.at(name));
  return value ? as<W>(*value) : throw unfit();
}

struct call {
  std::string on;  // the instance; "" for the first, "new" for one of its own
  std::string name;
  parameters with;     // its arguments
  std::string port{};  // what a port answered, where that settles later answers
};

struct row {
  int line;
  std::string id;
  words by;
  parameters with;
  parameters under;  // readings that are not canonical
  std::vector<call> calls;
  words answers;  // fields that / joins; whole numbers are decimal; * for any answer
  std::string why;
};

using instance = std::function<std::string(call const&)>;  // answers a call

struct subject {
  std::string name;
  std::function<instance(parameters const&)> fresh;
  // What an answer becomes in units that do not hold every number; or nothing, where every number is held.
  std::function<std::string(std::string const&)> held{};
  // In place of `fresh`, for a model: with parameters, under readings.
  std::function<instance(parameters const&, parameters const&)> read{};
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

inline void has_fields(YAML::Node const& map, std::set<std::string> missing, std::set<std::string> optional = {}) {
  for (auto const& entry : map) {
    auto const name = entry.first.as<std::string>();
    demand(missing.erase(name) + optional.erase(name) == 1, entry.first, "unknown or second field " + name);
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
  for (auto& field : fields) {
    if (auto const n = number(field)) field = std::to_string(*n);
  }
  return joined(fields);
}

using calls_taken = std::map<std::string, words>;

inline words answers_of(YAML::Node const& all) {
  words found;
  for (auto const& one : all)
    for (auto const& word : words_of(one)) found.push_back(answer_of(word));
  return found;
}

inline void demand_as_many(row const& r, words const& answers, YAML::Node const& at) {
  demand(answers.size() == r.calls.size(), at,
         std::to_string(r.calls.size()) + " calls, " + std::to_string(answers.size()) + " answers");
}

inline row row_of(YAML::Node const& from, YAML::Node const& page) {
  has_fields(from, {"id", "by", "with", "calls", "answers", "why"}, {"under", "port"});
  row r{from.Mark().line + 1,
        from["id"].as<std::string>(),
        from["by"].as<words>(),
        page["parameters"].as<parameters>(),
        from["under"] ? from["under"].as<parameters>() : parameters(),
        {},
        answers_of(from["answers"]),
        from["why"].as<std::string>()};
  demand(!r.by.empty(), from, "a row is about a requirement");
  for (auto const& [name, value] : from["with"].as<parameters>()) {
    demand(r.with.contains(name), from["with"], "unknown parameter " + name);
    r.with[name] = value;
  }
  for (auto const& [name, value] : r.with) demand(value != "null", from["with"], "no " + name);
  auto const taken = page["calls"].as<calls_taken>();
  for (auto const& one : from["calls"])
    for (auto const& c : calls_of(one, taken)) r.calls.push_back(c);
  demand_as_many(r, r.answers, from["answers"]);
  if (!from["port"]) return r;
  auto const port = answers_of(from["port"]);
  demand(port.size() <= r.calls.size(), from["port"], "more answers than calls");
  for (std::size_t i = 0; i < port.size(); ++i) r.calls[i].port = port[i];
  return r;
}

// The history of a replay token, SYSTEM/PARAMETER=VALUE,…/CALL:ARGUMENT:…@N,… with arguments in the order of the page.
inline row row_of_token(YAML::Node const& token, YAML::Node const& page) {
  row r{token.Mark().line + 1, {}, {}, page["parameters"].as<parameters>(), {}, {}, {}, {}};
  auto const taken = page["calls"].as<calls_taken>();
  auto const fields = parts(token.as<std::string>(), '/');
  demand(fields.size() == 3, token, "no replay token");
  for (auto const& given : parts(fields[1], ',')) {
    auto const name = parts(given, '=').at(0);
    demand(r.with.contains(name), token, "unknown parameter " + name);
    r.with[name] = given.substr(name.size() + 1);
  }
  for (auto const& step : parts(fields[2], ',')) {
    auto const times = parts(step, '@');
    auto const given = parts(times[0], ':');
    demand(taken.contains(given[0]), token, "unknown call " + given[0]);
    auto const& names = taken.at(given[0]);
    demand(names.size() + 1 >= given.size(), token, given[0] + " takes " + std::to_string(names.size()));
    call c{"", given[0], {}};
    for (std::size_t i = 1; i < given.size(); ++i)
      if (!given[i].empty()) c.with[parts(names[i - 1], '=')[0]] = given[i];
    r.calls.insert(r.calls.end(), times.size() > 1 ? as<std::size_t>(number(times[1]).value_or(0)) : 1, c);
  }
  return r;
}

// Of a reading that a history tells apart, a row for each alternative: the answers under it.
inline std::vector<row> rows_of_reading(YAML::Node const& reading, YAML::Node const& page) {
  std::vector<row> rows;
  for (auto const& alternative : reading["alternatives"]) {
    auto& r = rows.emplace_back(row_of_token(reading["told_apart_by"], page));
    if (alternative["under"]) r.under = alternative["under"].as<parameters>();
    r.under[reading["name"].as<std::string>()] = alternative["name"].as<std::string>();
    demand(alternative["answers"].IsDefined(), alternative, "no answers");
    r.answers = answers_of(alternative["answers"]);
    demand_as_many(r, r.answers, alternative["answers"]);
    for (auto const& other : rows) {
      bool const differs = std::ranges::mismatch(r.answers, other.answers, [](auto const& a, auto const& b) {
                             return a == "*" || b == "*" || a == b;
                           }).in1 != r.answers.end();
      demand(differs || &other == &r, alternative, "answers like those of another alternative");
    }
    r.why = reading["name"].as<std::string>() + " = " + alternative["name"].as<std::string>();
  }
  return rows;
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

// Whether the row fits the subject, which then is to answer each call as the row says.
inline bool holds(row const& r, subject const& of) try {
  if (!of.read && !r.under.empty()) return false;
  std::map<std::string, instance> instances;
  for (std::size_t i = 0; i < r.calls.size(); ++i) {
    auto& on = instances[r.calls[i].on];
    if (!on || r.calls[i].on == "new") on = of.read ? of.read(r.with, r.under) : of.fresh(r.with);
    auto const answer = of.held ? of.held(r.answers[i]) : r.answers[i];
    auto const found = on(r.calls[i]);
    if (answer == "*") continue;
    EXPECT_EQ(found, answer) << of.name << ", call " << i + 1 << ": " << r.why;
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

// Registers the rows; those under readings, and the readings, where a model is among the subjects. Or a test that
// fails, if a file is wrong.
inline bool are_tests(std::string const& stem, std::string_view text, std::string_view catalogue) {
  std::string const folder = "spec/" + stem + "/";
  auto const add = [&](std::string const& file, std::string const& suite, std::string const& name, int line,
                       std::function<void()> const& body) {
    testing::RegisterTest(suite.c_str(), name.c_str(), nullptr, nullptr, (folder + file).c_str(), line,
                          [=]() -> testing::Test* { return new test(body); });
  };
  auto const add_rows = [&](std::string const& file, std::string const& name, words const& by,
                            std::vector<row> const& rows) {
    add(file, stem, name, rows.at(0).line, [=] {
      std::string ids;
      for (auto const& id : by) ids += (ids.empty() ? "" : " ") + id;
      testing::Test::RecordProperty("checks", ids);
      std::size_t fit = 0;
      for (auto const& r : rows)
        for (auto const& s : subjects(stem)) fit += holds(r, s);
      if (fit == 0) GTEST_SKIP() << "it fits no subject of this program";
    });
  };
  auto const each = [&](std::string const& file, auto const& registered) {
    try {
      registered();
    } catch (YAML::Exception const& e) {
      add(file, "examples", stem, e.mark.line + 1, [problem = said(folder + file, e)] { FAIL() << problem; });
    }
  };
  bool const has_model = std::ranges::any_of(subjects(stem), [](subject const& s) { return s.read != nullptr; });
  each("examples.yaml", [&] {
    for (auto const& r : rows_of(text, catalogue))
      if (has_model || r.under.empty()) add_rows("examples.yaml", r.id, r.by, {r});
  });
  if (!has_model) return true;
  each("system.yaml", [&] {
    auto const page = YAML::Load(std::string(text));
    for (auto const& reading : YAML::Load(std::string(catalogue))["readings"]) {
      if (reading["told_apart_by"].as<std::string>() == "statistics") continue;
      auto name = reading["name"].as<std::string>();
      std::ranges::replace(name, '-', '_');
      add_rows("system.yaml", "reading_" + name, reading["rests_on"].as<words>(), rows_of_reading(reading, page));
    }
  });
  return true;
}

}  // namespace backoff::examples
