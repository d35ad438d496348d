// What constraints say of histories, and how they are written and read.
#include "explain/constraint.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "histories/systems.hpp"

namespace {

using namespace backoff::explain;

constexpr std::string_view full_jitter = "aws_backoff_algorithm";

bool holds(std::string_view stem, std::string_view constraint, std::string_view history) {
  auto const& s = *find_shape(stem);
  auto const token = std::string(stem) + "/" + std::string(history);
  return matches(s, parse_constraint(s, constraint), parse_token(token).cases.front());
}

std::string why_not(std::string_view text) {
  try {
    static_cast<void>(parse_constraint(*find_shape(full_jitter), text));
  } catch (text_error const& e) {
    return e.what();
  }
  return "";
}

TEST(constraint, holds_where_its_comparison_does) {
  struct row {
    std::string_view constraint, history;
    bool holds;
  };
  for (auto const& [constraint, history, expected] : std::initializer_list<row>{
           {"base_ms=0", "base_ms=0,max_ms=5,max_attempts=forever/next:0", true},
           {"base_ms!=0", "base_ms=0,max_ms=5,max_attempts=forever/next:0", false},
           {"base_ms<3", "base_ms=2,max_ms=5,max_attempts=forever/next:0", true},
           {"base_ms<=1", "base_ms=2,max_ms=5,max_attempts=forever/next:0", false},
           {"base_ms>=2", "base_ms=2,max_ms=5,max_attempts=forever/next:0", true},
           {"base_ms>2", "base_ms=2,max_ms=5,max_attempts=forever/next:0", false},
           {"base_ms>max_ms", "base_ms=6,max_ms=5,max_attempts=forever/next:0", true},
           {"base_ms>max_ms", "base_ms=5,max_ms=5,max_attempts=forever/next:0", false},
           {"base_ms<=max_attempts", "base_ms=5,max_ms=5,max_attempts=forever/next:0", false},
           {"max_ms%2=1", "base_ms=5,max_ms=7,max_attempts=forever/next:0", true},
           {"max_ms%2=1", "base_ms=5,max_ms=8,max_attempts=forever/next:0", false},
           {"max_attempts%2=0", "base_ms=5,max_ms=8,max_attempts=forever/next:0", false},
           {"max_attempts=forever", "base_ms=5,max_ms=8,max_attempts=forever/next:0", true},
           {"max_attempts=forever", "base_ms=5,max_ms=8,max_attempts=3/next:0", false},
           {"max_attempts!=forever", "base_ms=5,max_ms=8,max_attempts=3/next:0", true},
           {"max_attempts>=0", "base_ms=5,max_ms=8,max_attempts=forever/next:0", false},
           {"base_ms*max_ms>39", "base_ms=5,max_ms=8,max_attempts=forever/next:0", true},
           {"base_ms*max_ms>40", "base_ms=5,max_ms=8,max_attempts=forever/next:0", false},
           {"base_ms*max_attempts>=0", "base_ms=5,max_ms=8,max_attempts=forever/next:0", false},
           {"base_ms*2^(attempts-1)>max_ms", "base_ms=5,max_ms=10,max_attempts=forever/next:0@2", false},
           {"base_ms*2^(attempts-1)>max_ms", "base_ms=5,max_ms=10,max_attempts=forever/next:0@3", true},
           {"base_ms*2^(attempts-1)>max_ms", "base_ms=5,max_ms=10,max_attempts=forever/next:0@2,reset,next:0", false},
           {"base_ms*2^(attempts-1)>=0", "base_ms=5,max_ms=10,max_attempts=forever/reset", false},
           {"base_ms*2^(attempts-1)>=4611686018427387904", "base_ms=5,max_ms=10,max_attempts=forever/next:0@999", true},
           {"calls>2", "base_ms=5,max_ms=10,max_attempts=forever/next:0@2,reset", true},
           {"calls>3", "base_ms=5,max_ms=10,max_attempts=forever/next:0@2,reset", false},
           {"calls.reset>0", "base_ms=5,max_ms=10,max_attempts=forever/next:0@2,reset", true},
           {"calls.reset>0", "base_ms=5,max_ms=10,max_attempts=forever/next:0@2", false},
           {"attempts>2", "base_ms=5,max_ms=10,max_attempts=forever/next:0@2,reset,next:0@2", false},
           {"attempts>1", "base_ms=5,max_ms=10,max_attempts=forever/next:0,next:0~1", false},
           {"instances>1", "base_ms=5,max_ms=10,max_attempts=forever/next:0,next:0~1", true},
           {"instances=1", "base_ms=5,max_ms=10,max_attempts=forever/next:0,next:0~1", false},
           {"draw=7", "base_ms=5,max_ms=10,max_attempts=forever/next:3,next:7,next:5", true},
           {"draw>7", "base_ms=5,max_ms=10,max_attempts=forever/next:3,next:7,next:5", false},
       })
    EXPECT_EQ(holds(full_jitter, constraint, history), expected) << constraint << " of " << history;
  EXPECT_TRUE(holds("aws_prescriptive_sample", "http_status=429", "max_retries=3/attempt:504,attempt:429"));
  EXPECT_FALSE(holds("aws_prescriptive_sample", "http_status=429", "max_retries=3/attempt:200"));
  constexpr std::string_view java = "azure_java_retry_policy";
  EXPECT_TRUE(holds(java, "c_ms=100", "policy=exponential_backoff_with_jitter/decide:2:true:0"));  // the default
  EXPECT_TRUE(holds(java, "c_ms*2^(retry_count-1)>=200", "policy=exponential_backoff_with_jitter/decide:2:true:0"));
  EXPECT_FALSE(holds(java, "c_ms*2^(retry_count-1)>200", "policy=exponential_backoff_with_jitter/decide:2:true:0"));
  EXPECT_TRUE(holds("aws_step_functions", "backoff_rate<1.6", "interval_s=1,backoff_rate=1.5,max_attempts=2/next"));
}

TEST(constraint, is_read_as_it_is_written) {
  for (auto const stem : {"aws_backoff_algorithm", "aws_retry_utils", "aws_step_functions", "azure_c_retry_control",
                          "azure_java_retry_policy", "aws_prescriptive_sample"}) {
    auto const& s = *find_shape(stem);
    auto takes = documented_domain(s, {});
    takes.features = s.features;
    for (auto const q : quantities_of(s, takes)) {
      auto const* f = field_of(s, q);
      std::vector<constraint> all;
      if (f->kind != field_kind::keyword && f->kind != field_kind::set)
        all.push_back({q, constraint::relation::above, f->number(std::max<std::int64_t>(f->low, 1)), {}});
      if (!f->words.empty() && f->kind != field_kind::set)
        all.push_back({q, constraint::relation::unequal, value::word(0), {}});
      for (auto const& c : all) EXPECT_EQ(parse_constraint(s, to_text(s, c)), c) << stem << " " << to_text(s, c);
    }
  }
}

TEST(constraint, bad_text_is_an_error_that_names_it_and_what_was_expected) {
  for (auto const& [text, says] :
       std::initializer_list<std::pair<char const*, char const*>>{{"", "NAME=VALUE"},
                                                                  {"base_ms", "NAME=VALUE"},
                                                                  {"=3", "NAME=VALUE"},
                                                                  {"base_ms=!3", "base_ms"},
                                                                  {"base_ms!3", "NAME!=VALUE"},
                                                                  {"nope=3", "base_ms, max_ms, max_attempts, "},
                                                                  {"base_ms%3=1", "'base_ms%3'"},
                                                                  {"max_ms%2=2", "[0, 1]"},
                                                                  {"base_ms*2^(calls-1)>3", "attempts-1"},
                                                                  {"base_ms=4294967296", "4294967296"},
                                                                  {"max_attempts<forever", "word"},
                                                                  {"calls=1000001", "1000000"}})
    EXPECT_NE(why_not(text).find(says), std::string::npos) << text << ": " << why_not(text);
  EXPECT_THROW(static_cast<void>(parse_constraint(*find_shape("aws_step_functions"), "backoff_rate>interval_s")),
               text_error);
}

TEST(constraint, words_name_the_ends_of_draws_and_parity) {
  auto const& s = *find_shape(full_jitter);
  auto const takes = documented_domain(s, {});
  auto const words = [&](std::string_view text) { return to_words(s, takes, parse_constraint(s, text)); };
  EXPECT_EQ(words("draw=4294967295"), "draw = largest");
  EXPECT_EQ(words("draw=0"), "draw = smallest");
  EXPECT_EQ(words("draw>5"), "draw > 5");
  EXPECT_EQ(words("max_ms%2=1"), "max_ms odd");
  EXPECT_EQ(words("max_ms%2=0"), "max_ms even");
  EXPECT_EQ(words("base_ms>max_ms"), "base_ms > max_ms");
  EXPECT_EQ(words("max_attempts!=forever"), "max_attempts != forever");
  EXPECT_EQ(to_words(s, takes, std::vector<constraint>{}), "everywhere");
  EXPECT_EQ(to_words(s, takes, {parse_constraint(s, "calls>3"), parse_constraint(s, "base_ms=0")}),
            "calls > 3 and base_ms = 0");
}

TEST(constraint, only_what_a_port_can_be_sent_is_spoken_of) {
  auto const& s = *find_shape(full_jitter);
  auto takes = documented_domain(s, {});
  auto const has = [&](quantity_kind kind) {
    auto const all = quantities_of(s, takes);
    return std::ranges::count(all, kind, &quantity::kind) != 0;
  };
  EXPECT_FALSE(has(quantity_kind::instances));
  EXPECT_TRUE(has(quantity_kind::calls_of));
  EXPECT_TRUE(has(quantity_kind::argument));
  takes.features = s.features;
  takes.operations = 1;
  takes.draws = {backoff::spec::draw_kind::hidden, 0};
  EXPECT_TRUE(has(quantity_kind::instances));
  EXPECT_FALSE(has(quantity_kind::calls_of));
  EXPECT_FALSE(has(quantity_kind::argument));
}

}  // namespace
