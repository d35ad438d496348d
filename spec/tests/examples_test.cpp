// Examples that are wrong are named with their place; and a row notices an answer that it does not give.
#include "tests/examples.hpp"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace backoff::examples {
namespace {

constexpr std::string_view catalogue =
    R"({"requirements": [{"id": "T-1"}, {"id": "T-2"}, {"id": "T-3", "unchecked": ""}]})";
constexpr std::string_view right = R"(parameters: {base: , max: 9}
calls: {next: [draw], pair: [to, by, in=, at=], reset: [by=]}
without: {T-2: It is advice.}
examples:
- {id: one, by: [T-1], with: {base: 0x10}, calls: [next 1 0xf @2, b next 3, reset by=7 reset, pair 1 2 at=3 in=4 3 x],
   answers: [16, 2 @2, 5, ok/0x10 @2, 3, 4.5/no/7],
   why: It is so.}
- {id: read, by: [T-1], under: {end: open}, with: {base: 1}, calls: [next 1 2], answers: ["*", 0..0x9], port: [0x3, 4], why: It is read.}
- {id: two, by: [T-1], with: {base: 1, max: 2}, calls: [next 1], answers: [exhausted], why: It is not.}
)";

TEST(examples, are_read) {
  auto const rows = rows_of(right, catalogue);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[1].under, (parameters{{"end", "open"}}));
  EXPECT_EQ(rows[1].answers, (words{"*", "0..0x9"}));
  EXPECT_EQ(rows[1].calls.at(0).port + " " + rows[1].calls.at(1).port, "3 4");
  auto const& [line, id, by, with, under, calls, answers, why] = rows[0];
  EXPECT_TRUE(under.empty());
  EXPECT_EQ(line, 5);
  EXPECT_EQ(id + " " + by.at(0) + " " + why, "one T-1 It is so.");
  EXPECT_EQ(with, (parameters{{"base", "0x10"}, {"max", "9"}}));
  EXPECT_EQ(answers, (words{"16", "2", "2", "5", "ok/16", "ok/16", "3", "4.5/no/7"}));
  std::string said;
  for (auto const& c : calls) {
    said += c.on + ":" + c.name;
    for (auto const& [name, value] : c.with) said += " " + name + "=" + value;
    said += ", ";
  }
  EXPECT_EQ(
      said,
      ":next draw=1, :next draw=0xf, :next draw=0xf, b:next draw=3, :reset by=7, :reset, :pair at=3 by=2 in=4 to=1, "
      ":pair by=x to=3, ");
}

TEST(examples, that_are_wrong_are_named_with_their_place) {
  struct {
    std::string_view from, to, problem;
  } const rows[]{
      {"[T-1], with: {base: 1", "[T-1, T-4], with: {base: 1", "f:9: unknown requirement T-4"},
      {"[T-1], with: {base: 1", "[], with: {base: 1", "f:9: a row is about a requirement"},
      {"max: 2}", "most: 2}", "f:9: unknown parameter most"},
      {"base: 1,", "", "f:9: no base"},
      {"answers: [exhausted]", "answers: []", "f:9: 1 calls, 0 answers"},
      {", answers: [exhausted]", "", "f:9: no answers"},
      {"id: two", "id: one", "f:9: a second row one"},
      {"id: two,", "id: two, id: three,", "f:9: unknown or second field id"},
      {"why: It is not", "how: so, why: It is not", "f:9: unknown or second field how"},
      {"port: [0x3, 4]", "port: [3, 4, 5]", "f:8: more answers than calls"},
      {"next 1]", "nxet 1]", "f:9: unknown call 'nxet 1'"},
      {"next 1]", "next]", "f:9: next takes 1"},
      {"next 1]", "pair 1]", "f:9: pair takes 2"},
      {"next 1]", "reset 1]", "f:9: reset takes 0"},
      {"next 1]", "reset by=1 1]", "f:9: reset takes 0"},
      {"next 1]", "pair 1 in=1 2]", "f:9: pair takes 2"},
      {"next 1]", "next 1 in=1]", "f:9: unknown or second argument in=1"},
      {"next 1]", "pair 1 2 to=3]", "f:9: unknown or second argument to=3"},
      {"next 1]", "pair 1 2 in=3 in=4]", "f:9: unknown or second argument in=4"},
      {"T-2: It is advice.", "T-2: It is advice., T-1: So is it.", "f:5: T-1 needs no excuse"},
      {"T-2: It is advice.", "T-2: It is advice., T-3: So is it.", "f:3: needs no excuse"},
      {"T-2: It is advice.", "", "f:5: no row is about T-2"},
      {"without: {T-2: It is advice.}\n", "", "f:1: no without"},
      {"why: It is not.}", "why: It is not.", "f:10: end of map flow not found"},
  };
  for (auto const& row : rows) {
    std::string text(right), found;
    text.replace(text.find(row.from), row.from.size(), row.to);
    try {
      rows_of(text, catalogue);
    } catch (YAML::Exception const& e) {
      found = said("f", e);
    }
    EXPECT_EQ(found, row.problem);
  }
}

TEST(examples, hold_their_subjects) {
  static auto const row = rows_of(right, catalogue).at(2);
  auto const answering = [](std::string const& what) {
    return subject{"it", [=](parameters const& p) { return [=](call const&) { return what + p.at("max"); }; }};
  };
  static auto const wrong = answering("");
  EXPECT_NONFATAL_FAILURE(holds(row, wrong), "it, call 1: It is not.");
  EXPECT_TRUE(holds({1, "", {}, {{"max", "2"}}, {}, {{"", "", {}}}, {"a2"}, ""}, answering("a")));
  subject const counting{"it",
                         [](parameters const&) { return [n = 0](call const&) mutable { return std::to_string(++n); }; },
                         [](std::string const& answer) { return answer == "9" ? "3" : answer; }};
  auto const by = [](std::string const& on) { return call{on, "", {}}; };
  EXPECT_TRUE(holds(
      {1, "", {}, {}, {}, {by(""), by("new"), by("new"), by("b"), by(""), by("")}, {"1", "1", "1", "1", "2", "9"}, ""},
      counting));
  EXPECT_FALSE(holds(row, {"narrow", [](parameters const&) -> instance { throw unfit(); }}));
}

TEST(examples, hold_models_alone_to_readings) {
  auto row = rows_of(right, catalogue).at(1);
  subject const library{"library", [](parameters const&) { return [](call const&) { return ""; }; }};
  EXPECT_FALSE(holds(row, library));
  subject const model{"model", {}, {}, [](parameters const& with, parameters const& under) {
                        return [all = with.at("base") + under.at("end")](call const& c) {
                          return c.with.at("draw") == "1" ? "" : c.port + all;
                        };
                      }};
  row.answers[1] = "41open";
  EXPECT_TRUE(holds(row, model));
}

// Of a reading, as the catalogue has it.
std::vector<row> rows_of_reading(std::string_view token, std::string_view one, std::string_view other) {
  auto const reading = "{name: end, told_apart_by: '" + std::string(token) + "', alternatives: [{name: closed, " +
                       std::string(one) + "}, {name: open, " + std::string(other) + "}]}";
  return examples::rows_of_reading(YAML::Load(reading), YAML::Load(std::string(right)));
}

TEST(readings, are_read_from_their_tokens) {
  auto const all = rows_of_reading("toy/base=7/next:1@2,pair:2::-3", "answers: [1 @2, x]",
                                   "under: {start: late}, answers: [1 @2, y]");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].with, (parameters{{"base", "7"}, {"max", "9"}}));
  EXPECT_EQ(all[0].under, (parameters{{"end", "closed"}}));
  EXPECT_EQ(all[1].under, (parameters{{"end", "open"}, {"start", "late"}}));
  EXPECT_EQ(all[1].why, "end = open");
  ASSERT_EQ(all[0].calls.size(), 3U);
  EXPECT_EQ(all[0].calls[1].with, (parameters{{"draw", "1"}}));
  EXPECT_EQ(all[0].calls[2].with, (parameters{{"to", "2"}, {"in", "-3"}}));
  EXPECT_EQ(all[0].answers, (words{"1", "1", "x"}));
}

TEST(readings, that_are_wrong_are_named_with_their_place) {
  struct {
    std::string_view token, one, other, problem;
  } const rows[]{
      {"toy/base=7", "answers: [1]", "answers: [2]", "f:1: no replay token"},
      {"toy/bass=7/next:1", "answers: [1]", "answers: [2]", "f:1: unknown parameter bass"},
      {"toy/base=7/nxet:1", "answers: [1]", "answers: [2]", "f:1: unknown call nxet"},
      {"toy/base=7/next:1:2", "answers: [1]", "answers: [2]", "f:1: next takes 1"},
      {"toy/base=7/next:1", "text: 1", "answers: [2]", "f:1: no answers"},
      {"toy/base=7/next:1", "answers: [1, 2]", "answers: [2]", "f:1: 1 calls, 2 answers"},
      {"toy/base=7/next:1", "answers: [1]", "answers: [1]", "f:1: answers like those of another alternative"},
      {"toy/base=7/next:1", "answers: [1]", "answers: ['*']", "f:1: answers like those of another alternative"},
  };
  for (auto const& row : rows) {
    std::string found;
    try {
      rows_of_reading(row.token, row.one, row.other);
    } catch (YAML::Exception const& e) {
      found = said("f", e);
    }
    EXPECT_EQ(found, row.problem);
  }
}

TEST(examples, know_which_numbers_fit) {
  EXPECT_EQ(as<std::uint8_t>({{"p", "0xff"}}, "p"), 255);
  EXPECT_THROW(as<std::uint8_t>({{"p", "256"}}, "p"), unfit);
}

}  // namespace
}  // namespace backoff::examples
