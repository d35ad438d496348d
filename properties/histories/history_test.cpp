// Generated histories contain the special values and lengths that reveal faults. Shrinking ends, stays inside the
// ranges and never grows. Tokens and JSON hold a history exactly.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "histories/decode.hpp"
#include "histories/every_form.hpp"
#include "histories/generate.hpp"
#include "histories/json.hpp"
#include "histories/mutate.hpp"
#include "histories/printable.hpp"
#include "histories/shrink.hpp"
#include "histories/systems.hpp"
#include "histories/text.hpp"
#include "judge/plan.hpp"

namespace {

using namespace backoff::judge;
namespace spec = backoff::spec;

constexpr std::uint64_t u32_size = std::uint64_t{1} << 32;

std::vector<history> generated(shape const& s, domain const& takes, std::uint64_t count) {
  std::vector<history> all;
  for (std::uint64_t i = 0; i < count; ++i) {
    random_bits random(1, i);
    all.push_back(generate(s, takes, random));
  }
  return all;
}

TEST(generate, reaches_every_special_value_word_and_range_end) {
  for (auto const* s : shapes()) {
    auto takes = documented_domain(*s, {});
    takes.features = s->features;
    auto const all = generated(*s, takes, 10'000);
    for (std::size_t i = 0; i < s->params.size(); ++i) {
      std::set<std::int64_t> numbers;
      std::set<std::int64_t> words;
      for (auto const& h : all) (h.params[i].kind == value_kind::keyword ? words : numbers).insert(h.params[i].n);
      for (auto const& special : s->params[i].specials) {
        EXPECT_TRUE(numbers.contains(special.value)) << s->params[i].name << ": " << special.why;
      }
      bool const has_numbers = s->params[i].kind != field_kind::keyword;
      EXPECT_TRUE(!has_numbers || (numbers.contains(s->params[i].low) && numbers.contains(s->params[i].high)))
          << s->params[i].name;
      EXPECT_EQ(words.size(), s->params[i].words.size()) << s->params[i].name;
    }
  }
}

TEST(generate, asks_the_java_policy_for_counts_up_to_128_and_for_those_of_long_delays_that_nothing_caps) {
  auto const& s = backoff::systems::azure_java_retry_policy_shape;
  std::set<std::int64_t> asked;
  std::set<std::int64_t> uncapped;
  for (auto const& h : generated(s, usual_domain(s, {}, 0), 10'000)) {
    bool const grows = h.params[1].kind != value_kind::absent && h.params[1].n >= 1 && h.params[1].n <= 3;
    bool const is_capped = h.params[3].n != s.params[3].high;
    for (auto const& step : h.steps) {
      asked.insert(step.args[0].n);
      if (grows && !is_capped) uncapped.insert(step.args[0].n);
    }
  }
  for (std::int64_t x = 1; x <= 128; ++x) EXPECT_TRUE(asked.contains(x)) << x;
  for (std::int64_t x = 21; x <= 33; ++x) EXPECT_TRUE(uncapped.contains(x)) << x;
}

TEST(generate, says_that_nobody_answered_only_to_a_port_that_takes_it) {
  auto const& s = backoff::systems::aws_prescriptive_sample_shape;
  auto takes = usual_domain(s, {}, 0);
  for (std::int64_t const low : {100, 0}) {
    takes.args[0][0].low = low;
    std::int64_t least = 599;
    for (auto const& h : generated(s, takes, 2'000)) {
      for (auto const& step : h.steps) least = std::min(least, step.args[0].n);
    }
    EXPECT_EQ(least, low);
  }
}

std::vector<shape const*> shapes_and_every_form() {
  std::vector<shape const*> all(shapes().begin(), shapes().end());
  all.push_back(&every_form::system);
  return all;
}

TEST(generate, keeps_to_the_calls_that_the_document_allows_and_so_do_decoder_and_shrinker) {
  for (auto const* s : shapes_and_every_form()) {
    auto takes = documented_domain(*s, {});
    takes.features = s->features;
    for (auto const& h : generated(*s, takes, 300)) {
      EXPECT_TRUE(inside(*s, takes, h));
      EXPECT_TRUE(allowed(*s, h)) << s->misuse(h);
      history same = h;
      if (s->repair != nullptr) s->repair(same);
      EXPECT_EQ(same, h) << "what is allowed needs no repair";
      EXPECT_EQ(decode(*s, takes, encode(*s, takes, h)), h)
          << to_token({s, {h, decode(*s, takes, encode(*s, takes, h))}});
    }
    random_bits random(3);
    for (int i = 0; i < 300; ++i) {
      std::vector<std::uint8_t> bytes(static_cast<std::size_t>(random.between(0, 90)));
      for (auto& b : bytes) b = static_cast<std::uint8_t>(random());
      auto const h = decode(*s, takes, bytes);
      EXPECT_TRUE(allowed(*s, h)) << s->misuse(h);
      EXPECT_TRUE(inside(*s, takes, h));
    }
    std::size_t shown = 0;
    static_cast<void>(shrink(*s, takes, generated(*s, takes, 1)[0], [&](std::vector<history> const& candidates) {
      for (auto const& c : candidates) EXPECT_TRUE(allowed(*s, c)) << s->misuse(c);
      shown += candidates.size();
      return std::vector<bool>(candidates.size(), shown < 3'000);
    }));
  }
}

// What ports can be sent: everything that a system knows, nothing beyond the common protocol, and narrow ranges.
std::vector<domain> domains_of(shape const& s) {
  std::vector<domain> all{documented_domain(s, {}), documented_domain(s, {}), documented_domain(s, {})};
  all[1].features = s.features;
  all[2].draws = {backoff::spec::draw_kind::hidden, 1};
  for (auto& d : all) without_missing_words(s, d);
  for (auto const& r : all[0].params) {
    if (r.numbers && r.high - r.low > 10)
      all[2].params[static_cast<std::size_t>(&r - all[0].params.data())].high = r.low + 10;
  }
  return all;
}

// The histories of a run, its corners too, are all in the reach of who searches by bytes.
TEST(decode, reaches_every_history) {
  for (auto const* s : shapes_and_every_form()) {
    for (auto const& takes : domains_of(*s)) {
      auto all = generated(*s, takes, 2'000);
      random_bits random(7);
      if (s->corners != nullptr)
        std::ranges::move(without_hidden_draws(s->corners(takes, random), *s, takes), std::back_inserter(all));
      for (auto const& h : all) {
        if (!inside(*s, takes, h) || leaves_to_default(*s, takes, h)) continue;  // a corner that it cannot be sent
        ASSERT_LE(h.steps.size(), decoded_steps_max);
        ASSERT_EQ(decode(*s, takes, encode(*s, takes, h)), h) << to_token({s, {h}});
      }
    }
  }
}

TEST(mutate, changes_every_part_of_a_history_and_never_leaves_the_domain) {
  constexpr std::size_t steps_max = 50;
  for (auto const* s : shapes_and_every_form()) {
    for (auto const& takes : domains_of(*s)) {
      std::size_t same = 0, fewer = 0, more = 0, repeated = 0, other_params = 0, with_number = 0;
      std::set<std::int64_t> tried;
      auto const from = generated(*s, takes, 2'000);
      for (std::size_t i = 0; i < from.size(); ++i) {
        random_bits random(3, i);
        history h = from[i];
        if (h.steps.size() > steps_max) continue;
        mutate(h, *s, takes, steps_max, random);
        ASSERT_TRUE(inside(*s, takes, h)) << to_token({s, {h}});
        ASSERT_TRUE(allowed(*s, h)) << s->misuse(h);
        ASSERT_LE(h.steps.size(), steps_max);
        ASSERT_EQ(decode(*s, takes, encode(*s, takes, h)), h) << to_token({s, {h}});
        same += h == from[i];
        fewer += h.steps.size() < from[i].steps.size();
        more += h.steps.size() > from[i].steps.size();
        repeated += h.steps.size() > from[i].steps.size() + 3;
        other_params += h.params != from[i].params;
        history put = h;
        put_number(put, *s, takes, 11, random);
        ASSERT_TRUE(inside(*s, takes, put)) << to_token({s, {put}});
        ASSERT_TRUE(allowed(*s, put)) << s->misuse(put);
        with_number += put != h;
        auto const joined = crossed(*s, h, from[(i + 1) % from.size()], steps_max, random);
        ASSERT_TRUE(inside(*s, takes, joined));
        ASSERT_TRUE(allowed(*s, joined)) << s->misuse(joined);
        ASSERT_EQ(joined.params, h.params);
        ASSERT_LE(joined.steps.size(), steps_max);
      }
      EXPECT_LT(same, 700U) << s->stem;
      EXPECT_GT(with_number, 100U) << s->stem;  // fewest where the ranges are narrow
      EXPECT_GT(std::min(fewer, more), 100U) << s->stem;
      EXPECT_GT(repeated, 25U) << s->stem;
      EXPECT_TRUE(s->params.empty() || other_params > 200) << s->stem;
    }
  }
}

// A value comes to stand exactly at, before and behind what another value makes of it.
TEST(mutate, moves_values_to_boundaries) {
  auto const* s = find_shape("aws_backoff_algorithm");
  auto const takes = documented_domain(*s, {});
  history const h{{value::of(1'000), value::of(77'777), value::of(5)}, {{0, 0, {value::of(9)}}}};
  std::set<std::int64_t> caps;
  for (std::uint64_t i = 0; i < 50'000; ++i) {
    random_bits random(5, i);
    history changed = h;
    mutate(changed, *s, takes, 10, random);
    if (changed.params[0].n == 1'000) caps.insert(changed.params[1].n);
  }
  for (std::int64_t const n :
       {77'776, 77'778, 38'888, 155'554, 0, 999, 1'000, 1'001, 1'999, 2'000, 2'001, 4'000, 65'535, 65'536})
    EXPECT_TRUE(caps.contains(n)) << n;
  EXPECT_TRUE(caps.contains(0xffff'ffff));
}

TEST(text, decimals_are_plain_and_exact) {
  auto const& rate = every_form::params[0];
  auto const& offset = every_form::args[0];
  auto const takes = documented_domain(every_form::system, {});
  for (auto const& [n, text] :
       {std::pair{1'500'000, "1.5"}, {1'000'000, "1"}, {1'000'001, "1.000001"}, {100'000'000, "100"}}) {
    EXPECT_EQ(to_text(rate, rate.number(n)), text);
    EXPECT_EQ(parse_value(rate, takes.params[0], text), rate.number(n));
  }
  for (auto const& [n, text] : {std::pair{-1, "-0.001"}, {-2'500, "-2.5"}, {0, "0"}, {20, "0.02"}}) {
    EXPECT_EQ(to_text(offset, offset.number(n)), text);
    EXPECT_EQ(parse_value(offset, takes.args[1][0], text), offset.number(n));
  }
  EXPECT_EQ(parse_value(rate, takes.params[0], "15e-1"), rate.number(1'500'000));
  for (auto const* wrong : {"0.9", "1.0000001", "1e9", "1e30", "one", "", "100.5", "-2", "linear"}) {
    try {
      static_cast<void>(parse_value(rate, takes.params[0], wrong));
      ADD_FAILURE() << wrong;
    } catch (text_error const& e) {
      EXPECT_EQ(std::string(e.what()),
                "rate='" + std::string(wrong) + "': expected a decimal in [1, 100] with at most 6 places");
    }
  }
}

TEST(text, a_field_of_words_alone_takes_no_number) {
  auto const& policy = every_form::params[1];
  auto const takes = documented_domain(every_form::system, {});
  EXPECT_EQ(parse_value(policy, takes.params[1], "constant"), value::word(1));
  try {
    static_cast<void>(parse_value(policy, takes.params[1], "0"));
    ADD_FAILURE();
  } catch (text_error const& e) {
    EXPECT_STREQ(e.what(), "policy='0': expected linear or constant");
  }
}

TEST(generate, gives_a_field_that_needs_a_feature_to_ports_that_have_it_and_leaves_out_what_may_be) {
  auto const& s = every_form::system;
  auto takes = documented_domain(s, {});
  for (bool const offered : {false, true}) {
    takes.features = offered ? bit(feature::state) : 0;
    std::map<bool, int> margins;
    std::map<bool, int> finals;
    for (auto const& h : generated(s, takes, 1'000)) {
      ASSERT_EQ(h.params[3].kind != value_kind::absent, offered);
      ++margins[h.params[2].kind != value_kind::absent];
      for (auto const& call : h.steps) {
        if (call.op == 2) continue;
        ASSERT_EQ(call.args[1].kind != value_kind::absent, offered);
        ++finals[call.args[2].kind != value_kind::absent];
      }
      EXPECT_EQ(decode(s, takes, encode(s, takes, h)), h);
      EXPECT_TRUE(inside(s, takes, h));
      takes.features = 0;
      EXPECT_EQ(inside(s, takes, h), !offered) << "a port without the feature";
      takes.features = offered ? bit(feature::state) : 0;
    }
    EXPECT_NEAR(margins[false], 250, 50);
    EXPECT_GT(std::min(finals[false], finals[true]), 1'000);
  }
}

TEST(printable, leaves_nothing_that_moves_hides_or_turns) {
  EXPECT_EQ(printable("caf\u00e9 \u20ac \U0001f600 ~"), "caf\u00e9 \u20ac \U0001f600 ~");
  for (std::string const bad : {"\x01", "\x1b", "\n", "\t", "\r", "\x7f", "\u0080", "\u009b", "\u009f", "\u061c",
                                "\u200e", "\u200f", "\u202a", "\u202e", "\u2028", "\u2029", "\u2066", "\u2069"})
    EXPECT_EQ(printable("a" + bad + "b"), "a?b") << testing::PrintToString(bad);
  for (std::string const fine : {"\u00a0", "\u061b", "\u200d", "\u2010", "\u2027", "\u202f", "\u2065", "\u206a"})
    EXPECT_EQ(printable(fine), fine);
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a?b");
  EXPECT_EQ(printable("\xff|\xc3|\xc0\x80|\xe2\x82|\xed\xa0\x80|\xf4\x90\x80\x80|\x80"), "?|?|??|??|???|????|?");
  EXPECT_EQ(printable_lines("a\n\tb\r\x1b"), "a\n\tb??");
}

TEST(printable, is_cut_between_characters) {
  EXPECT_EQ(printable("four", 4), "four");
  EXPECT_EQ(printable("fourt", 4), "four…");
  EXPECT_EQ(printable("\u20ac\u20ac", 5), "\u20ac…");
  EXPECT_EQ(printable("\x80\x80\x80", 2), "…");
}

TEST(text, is_json_that_is_shallow_and_whole) {
  auto const refused = [](std::string_view text, std::size_t values_max = std::string_view::npos) -> std::string {
    try {
      demand_shallow(text, values_max);
    } catch (text_error const& e) {
      return e.what();
    }
    return "";
  };
  auto const nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(refused(nested(32)), "");
  EXPECT_EQ(refused(nested(33)), "JSON is nested deeper than 32 at byte 33");
  EXPECT_EQ(refused("\"[[[[\\\"" + std::string(40, '[') + "\""), "") << "brackets in a string";
  EXPECT_EQ(refused(std::string_view("{}\0{}", 5)), "malformed JSON at byte 3");
  EXPECT_EQ(refused("[1,2,{}]", 4), "");
  EXPECT_EQ(refused("[1,2,{}]", 3), "JSON of more than 3 values, by byte 6");
  EXPECT_EQ(refused("[\",,,,,,\"]", 1), "");
}

// A value is absent, a boolean is none of JSON's strings, and what must be there is missed.
TEST(text, says_which_arguments_are_left_out) {
  auto const& s = every_form::system;
  auto takes = documented_domain(s, {});
  takes.features = s.features;
  for (auto const& h : generated(s, takes, 300)) {
    auto const token = to_token({&s, {h}});
    EXPECT_EQ(parse_steps(s, takes, token.substr(token.rfind('/') + 1)), h.steps) << token;
    std::string json;
    append_case(json, s, {}, h);
    EXPECT_EQ(read_case(parse_any(json), s, takes), h) << json;
  }
  history const h{{every_form::params[0].number(1'500'000), value::word(0), {}, value::of(7)},
                  {{0, 0, {every_form::args[0].number(500), {}, value::word(1)}},
                   {1, 0, {every_form::args[0].number(0), value::of(3)}}}};
  EXPECT_EQ(to_token({&s, {h}}), "every_form/rate=1.5,policy=linear,budget_s=7/open:0.5::true,ask:0:3");
  std::string json;
  append_case(json, s, {}, h);
  EXPECT_EQ(json, R"({"params":{"rate":"1.5","policy":"linear","budget_s":"7"},)"
                  R"("steps":[{"op":"open","offset_s":"0.5","final":true},)"
                  R"({"op":"ask","offset_s":"0","elapsed_s":"3"}]})");
  auto const refused = [](auto&& action) -> std::string {
    try {
      action();
    } catch (text_error const& e) {
      return e.what();
    }
    return "";
  };
  auto const of_steps = [&](std::string_view text) {
    return refused([&] { static_cast<void>(parse_steps(s, takes, text)); });
  };
  EXPECT_EQ(of_steps("open::3"), "offset_s='': expected a decimal in [-2.5, 2.5] with at most 3 places");
  EXPECT_EQ(of_steps("open"), "step 'open': argument 'offset_s' is missing");
  EXPECT_EQ(of_steps("open:0::yes"), "final='yes': expected false or true");
  auto const of_json = [&](std::string const& step) {
    auto const text = R"({"params":{"rate":"2","policy":"linear"},"steps":[{"op":"open")" + step + "}]}";
    return refused([&] { static_cast<void>(read_case(parse_any(text), s, takes)); });
  };
  EXPECT_EQ(of_json(R"(,"offset_s":"0","final":false)"), "");
  EXPECT_EQ(of_json(R"(,"offset_s":"0","final":"false")"), "'final': expected true or false, found '\"false\"'");
  EXPECT_EQ(of_json(R"(,"offset_s":true)"), "'offset_s': expected a decimal string, found 'true'");
  EXPECT_EQ(of_json(R"(,"final":true)"), "step 'open': argument 'offset_s' is missing");
}

step saving(std::initializer_list<value> args) {
  step call{2, 0, {}};
  std::ranges::copy(args, call.args.begin());
  return call;
}

TEST(text, lists_sets_and_objects_are_said_exactly) {
  auto const& s = every_form::system;
  auto const takes = documented_domain(s, {});
  history h{{every_form::params[0].number(2'000'000), value::word(0)}, {}};
  h.steps = {{0, 0, {every_form::args[0].number(0)}},
             saving({value::of(-1), value::of(5), {}, value::of(1), value::of(2), value::words(0b101)}),
             saving({value::of(4), {}, {}, {}, value::of(2)}),
             saving({value::of(4)})};
  auto const token = to_token({&s, {h}});
  EXPECT_EQ(token, "every_form/rate=2,policy=linear/open:0,save:-1.5:1:2:handle.value,save:4::2,save:4");
  EXPECT_EQ(parse_steps(s, takes, token.substr(token.rfind('/') + 1)), h.steps);
  std::string json;
  append_case(json, s, {}, h);
  EXPECT_EQ(json.substr(json.find("\"steps\"")),
            R"("steps":[{"op":"open","offset_s":"0"},)"
            R"({"op":"save","clock_s":["-1","5"],"saved":{"first_s":"1","last_s":"2"},"null":["handle","value"]},)"
            R"({"op":"save","clock_s":["4"],"saved":{"last_s":"2"}},{"op":"save","clock_s":["4"]}]})");
  EXPECT_EQ(read_case(parse_any(json), s, takes), h);
  auto const refused = [](auto&& action) -> std::string {
    try {
      action();
    } catch (text_error const& e) {
      return e.what();
    }
    return "";
  };
  auto const of_steps = [&](std::string_view text) {
    return refused([&] { static_cast<void>(parse_steps(s, takes, text)); });
  };
  EXPECT_EQ(of_steps("save:1.2.3.4"), "clock_s='1.2.3.4': expected at most 3 values");
  EXPECT_EQ(of_steps("save:1.x"), "clock_s='x': expected an integer in [-9, 9]");
  EXPECT_EQ(of_steps("save:1:2:3:handle.x"), "null='handle.x': expected some of handle, name, value, joined by dots");
  EXPECT_EQ(of_steps("save:1:2:3:name:5"), "step 'save:1:2:3:name:5': expected at most 4 arguments");
  auto const of_json = [&](std::string const& step) {
    auto const text =
        R"({"params":{"rate":"2","policy":"linear"},"steps":[{"op":"open","offset_s":"0"},{"op":"save")" + step + "}]}";
    return refused([&] { static_cast<void>(read_case(parse_any(text), s, takes)); });
  };
  EXPECT_EQ(of_json(R"(,"clock_s":[1],"null":[])"), "");
  EXPECT_EQ(of_json(R"(,"clock_s":[])"), "step 'save': argument 'clock_s' is missing");
  EXPECT_EQ(of_json(R"(,"clock_s":1)"), "'clock_s': expected an array, found '1'");
  EXPECT_EQ(of_json(R"(,"clock_s":[1,2,3,4])"), "'clock_s': expected at most 3 values");
  EXPECT_EQ(of_json(R"(,"clock_s":[1],"null":"name")"), "'null': expected an array, found '\"name\"'");
  EXPECT_EQ(of_json(R"(,"clock_s":[1],"null":[1])"), "'null': expected words, found '[1]'");
  EXPECT_EQ(of_json(R"(,"clock_s":[1],"first_s":1)").find("unknown field 'first_s'"), 0U);
  EXPECT_EQ(of_json(R"(,"clock_s":[1],"saved":{"null":[]})").find("unknown field 'null'"), 0U);
  EXPECT_EQ(of_json(R"(,"clock_s":[1],"saved":1)").find("unknown field 'saved'"), 0U);
}

TEST(generate, lists_have_no_gaps_and_sets_hold_one_word_or_several) {
  auto const& s = every_form::system;
  auto takes = documented_domain(s, {});
  takes.features = s.features;
  std::map<std::int64_t, int> sets;
  std::map<int, int> lengths;
  auto const look_at = [&](history const& h) {
    for (auto const& call : h.steps) {
      if (call.op != 2) continue;
      bool const second = call.args[1].kind != value_kind::absent;
      bool const third = call.args[2].kind != value_kind::absent;
      EXPECT_TRUE(second || !third);
      ++lengths[1 + second + third];
      ++sets[call.args[5].n];
    }
  };
  for (auto const& h : generated(s, takes, 500)) look_at(h);
  EXPECT_EQ(sets.size(), 8U);
  EXPECT_GT(sets[1], sets[3]);
  EXPECT_EQ(lengths.size(), 3U);
  random_bits random(5);
  for (int i = 0; i < 500; ++i) {
    std::vector<std::uint8_t> bytes(60);
    for (auto& b : bytes) b = static_cast<std::uint8_t>(random());
    look_at(decode(s, takes, bytes));
  }
  static_cast<void>(shrink(s, takes, generated(s, takes, 1)[0], [&](std::vector<history> const& candidates) {
    for (auto const& c : candidates) look_at(c);
    return std::vector<bool>(candidates.size(), lengths[1] + lengths[2] + lengths[3] < 20'000);
  }));
  takes.args[2][5].words = 0b010;
  for (auto const& h : generated(s, takes, 100)) {
    EXPECT_TRUE(inside(s, takes, h));
    EXPECT_EQ(decode(s, takes, encode(s, takes, h)), h);
  }
}

TEST(shrink, comes_nearer_to_zero_from_both_sides_and_to_fewer_words) {
  auto const& s = every_form::system;
  auto takes = documented_domain(s, {});
  takes.features = s.features;
  history h{{every_form::params[0].number(2'000'000), value::word(0)}, {}};
  h.steps = {{0, 0, {every_form::args[0].number(0)}},
             saving({value::of(-9), value::of(-7), value::of(6), {}, {}, value::words(0b111)})};
  auto const least = shrink(s, takes, h, [](std::vector<history> const& candidates) {
    std::vector<bool> fails;
    for (auto const& c : candidates)
      fails.push_back(c.steps.size() == 2 && c.steps[1].op == 2 && c.steps[1].args[1].n < -2 &&
                      (c.steps[1].args[5].n & 0b100) != 0);
    return fails;
  });
  EXPECT_EQ(least.steps[1], saving({value::of(0), value::of(-3), {}, {}, {}, value::words(0b100)}));
}

TEST(shrink, moves_times_together) {
  auto const& s = every_form::system;
  auto takes = documented_domain(s, {});
  constexpr std::int64_t far = std::int64_t{1} << 40;
  for (std::size_t i = 0; i < 3; ++i) {
    takes.args[2][i].low = -4 * far;
    takes.args[2][i].high = 4 * far;
  }
  for (std::int64_t const from : {far, -3 * far}) {
    history h{{every_form::params[0].number(2'000'000), value::word(0)}, {}};
    h.steps = {{0, 0, {every_form::args[0].number(0)}},
               saving({value::of(from)}),
               saving({value::of(from + 50)}),
               saving({value::of(from + 1'051)})};
    std::size_t rounds = 0;
    auto const least = shrink(s, takes, h, [&](std::vector<history> const& candidates) {
      ++rounds;
      std::vector<bool> fails;
      for (auto const& c : candidates) {
        bool const whole = c.steps.size() == 4 && c.steps[1].op == 2 && c.steps[2].op == 2 && c.steps[3].op == 2;
        auto const gap = whole ? c.steps[3].args[0].n - c.steps[2].args[0].n : 0;
        fails.push_back(gap == 1'000 || gap == 1'001);
      }
      return fails;
    });
    EXPECT_LT(rounds, 200U);
    EXPECT_EQ(least.steps[2].args[0].n, from > 0 ? 0 : -1'000);
    EXPECT_EQ(least.steps[3].args[0].n, from > 0 ? 1'000 : 0);
  }
}

TEST(shrink, moves_all_calls_of_an_instance_to_the_first_that_has_none) {
  auto const& s = every_form::system;
  auto takes = documented_domain(s, {});
  takes.features = s.features;
  history h{{every_form::params[0].number(2'000'000), value::word(0)}, {}};
  auto call = saving({value::of(1)});
  auto const on = [&](std::uint8_t instance) {
    call.on = instance;
    return call;
  };
  h.steps = {{0, 2, {every_form::args[0].number(0)}}, on(3), on(2), on(3)};
  auto const least = shrink(s, takes, h, [](std::vector<history> const& candidates) {
    std::vector<bool> fails;
    for (auto const& c : candidates) {
      bool const whole = c.steps.size() == 4 && c.steps[0].on == c.steps[2].on && c.steps[1].on == c.steps[3].on;
      fails.push_back(whole && c.steps[0].on != c.steps[1].on);
    }
    return fails;
  });
  std::vector<int> instances;
  for (auto const& step : least.steps) instances.push_back(step.on);
  EXPECT_EQ(instances, (std::vector{0, 1, 0, 1}));
}

TEST(shrink, leaves_out_what_may_be) {
  auto const& s = every_form::system;
  auto takes = documented_domain(s, {});
  takes.features = s.features;
  auto const least = shrink(s, takes, generated(s, takes, 40).back(), [](std::vector<history> const& candidates) {
    return std::vector<bool>(candidates.size(), true);
  });
  EXPECT_EQ(least.params[2], value{});
  EXPECT_NE(least.params[3], value{});
}

TEST(shrink, finds_the_decimal_with_the_fewest_places) {
  auto const takes = documented_domain(every_form::system, {});
  history h;
  h.params = {every_form::params[0].number(77'654'321), value::word(0)};
  auto const least = shrink(every_form::system, takes, h, [](std::vector<history> const& candidates) {
    std::vector<bool> fails;
    for (auto const& c : candidates) fails.push_back(c.params[0].n > 3'123'456);
    return fails;
  });
  EXPECT_EQ(to_text(every_form::params[0], least.params[0]), "3.123457");
}

TEST(generate, makes_short_and_long_histories_of_every_operation) {
  for (auto const* s : shapes()) {
    std::map<std::uint8_t, int> operations;
    std::map<int, int> lengths;
    for (auto const& h : generated(*s, documented_domain(*s, {}), 10'000)) {
      auto const n = h.steps.size();
      ++lengths[n <= 6 ? 0 : n <= 18 ? 1 : n <= 40 ? 2 : n > 1'024 ? 3 : n <= 80 ? 4 : n <= 300 ? 5 : 6];
      for (auto const& step : h.steps) ++operations[step.op];
    }
    EXPECT_EQ(operations.size(), s->operations.size());
    for (int const wanted : {0, 1, 2}) EXPECT_GT(lengths[wanted], 5) << "length class " << wanted;
    for (int const longer : {3, 4, 5}) EXPECT_EQ(lengths[longer] > 5, s->remembers) << "length class " << longer;
    EXPECT_EQ(lengths[6], 0);
  }
}

TEST(generate, uses_several_instances_only_where_they_are_taken) {
  for (auto const* s : shapes()) {
    auto takes = documented_domain(*s, {});
    for (auto const& h : generated(*s, takes, 1'000)) {
      for (auto const& step : h.steps) ASSERT_EQ(step.on, 0);
    }
    takes.features = bit(feature::instances);
    std::map<std::uint8_t, int> used;
    for (auto const& h : generated(*s, takes, 1'000)) {
      for (auto const& step : h.steps) ++used[step.on];
    }
    EXPECT_EQ(used.size(), instances_max);
    EXPECT_GT(used[0], used[1]);
  }
}

TEST(generate, puts_caps_where_windows_reach_them) {
  auto const* s = find_shape("aws_backoff_algorithm");
  int at = 0, above = 0, below = 0, first = 0, odd_half = 0;
  for (auto const& h : generated(*s, documented_domain(*s, {}), 10'000)) {
    auto const base = h.params[0].n, cap = h.params[1].n;
    if (base > cap) ++first;
    for (std::int64_t w = base; w > 0 && w <= cap + 1; w *= 2) {
      at += w == cap;
      above += w + 1 == cap;
      below += w - 1 == cap;
      odd_half += cap % 2 == 1 && cap / 2 == w;
    }
  }
  for (int const count : {at, above, below, first, odd_half}) EXPECT_GT(count, 100);
}

// Of each nine draws four are on either side of where a delay of 50401 begins, or of 50400, and four where a divided
// one does. Of 15-bit draws, which are fewer than the delays, they are those whose share hardly misses a whole number.
TEST(probing_draws, lie_where_coarse_arithmetic_is_off) {
  domain d;
  range const all{.low = 0, .high = 0xffff'ffff, .numbers = true};
  random_bits random(1);
  auto const draws = probing_draws(d, all, 50'400, random);
  ASSERT_EQ(draws.size(), 64U);
  EXPECT_EQ(draws[0], 0);
  EXPECT_EQ(draws[1], all.high);
  auto const changes = [&](auto const& delay_of) {
    int n = 0;
    for (std::size_t i = 1; i < draws.size(); ++i)
      n += draws[i] == draws[i - 1] + 1 && delay_of(draws[i]) == delay_of(draws[i - 1]) + 1 ? 1 : 0;
    return n;
  };
  for (std::int64_t const numbers : {50'400, 50'401}) {
    EXPECT_GE(changes([&](std::int64_t r) { return r * numbers >> 32; }), 6) << numbers;
    EXPECT_GE(changes([&](std::int64_t r) { return r / (all.high / numbers + 1); }), 6) << numbers;
  }

  domain coarse;
  coarse.draws = {backoff::spec::draw_kind::rand, 32'768};
  range const few{.low = 0, .high = 32'767, .numbers = true};
  auto const of_15_bits = probing_draws(coarse, few, 50'400, random);
  auto const is_near = [](std::int64_t r, std::int64_t numbers) {
    auto const part = r * numbers % 32'768;
    return r > 0 && (part < 300 || part > 32'768 - 300);
  };
  EXPECT_GE(std::ranges::count_if(of_15_bits, [&](std::int64_t r) { return is_near(r, 50'401); }), 12);
  constexpr std::int64_t no_end = std::int64_t{1} << 40;
  EXPECT_EQ(probing_windows(d, no_end), std::vector<std::int64_t>{50'400});
  EXPECT_EQ(probing_windows(coarse, 1'500), (std::vector<std::int64_t>{1'500, 1'499}));
  auto const windows = probing_windows(coarse, no_end);
  ASSERT_EQ(windows.size(), 2U);
  EXPECT_EQ(windows[0], 50'400);
  auto const in_the_wide_one = probing_draws(coarse, few, windows[1], random);
  EXPECT_EQ(std::ranges::count(in_the_wide_one, 0), 1);
  domain one;
  one.draws = {backoff::spec::draw_kind::rand, 1};
  EXPECT_EQ(probing_draws(one, {.low = 0, .high = 0, .numbers = true}, 50'400, random),
            std::vector<std::int64_t>(64, 0));
}

TEST(generate, sends_no_call_that_a_port_does_not_answer_and_neither_does_the_decoder) {
  auto const& s = *find_shape("aws_backoff_algorithm");
  auto takes = documented_domain(s, {});
  auto const all = generated(s, takes, 1'000);
  takes.operations = 1;
  auto const resets = [](history const& h) { return std::ranges::count(h.steps, 1, &step::op) != 0; };
  EXPECT_TRUE(std::ranges::any_of(all, resets));
  for (auto const& h : all) {
    EXPECT_EQ(inside(s, takes, h), !resets(h));
    EXPECT_FALSE(resets(decode(s, takes, encode(s, documented_domain(s, {}), h))));
  }
  for (auto const& h : generated(s, takes, 1'000)) ASSERT_FALSE(resets(h)) << to_token({&s, {h}});
}

TEST(generate, stays_inside_declared_ranges) {
  for (auto const* s : shapes()) {
    auto takes = documented_domain(*s, {spec::draw_kind::rand, 32'768});
    for (auto& r : takes.params) r.high = std::min<std::int64_t>(r.high, r.low + 9);
    for (auto const& h : generated(*s, takes, 5'000)) ASSERT_TRUE(inside(*s, takes, h)) << to_token({s, {h}});
    takes.features = s->features;
    for (std::size_t op = 0; op < s->operations.size(); ++op) {
      for (std::size_t i = 0; i < s->operations[op].args.size(); ++i) {
        if (s->operations[op].args[i].kind != field_kind::integer) continue;
        auto& r = takes.args[op][i];  // a clock that is never negative, and so never fails
        r.low = std::max<std::int64_t>(r.low, 0);
        r.high = std::min<std::int64_t>(r.high, 500);
      }
    }
    for (auto const& h : generated(*s, takes, 5'000)) ASSERT_TRUE(inside(*s, takes, h)) << to_token({s, {h}});
  }
}

TEST(random_bits, are_the_same_everywhere) {
  random_bits one(1, 0);
  random_bits again(1, 0);
  random_bits other(1, 1);
  auto const first = one();
  EXPECT_EQ(first, again());
  EXPECT_NE(first, other());
  EXPECT_EQ(first, 0x6098'2f5a'73a8'22fdU);
  random_bits ends(2);
  std::set<std::int64_t> seen;
  for (int i = 0; i < 100; ++i) seen.insert(ends.between(-1, 1));
  EXPECT_EQ(seen, (std::set<std::int64_t>{-1, 0, 1}));
}

TEST(shrink, ends_at_the_smallest_history_that_still_fails) {
  for (auto const* s : shapes()) {
    if (s->params.empty()) continue;
    auto takes = documented_domain(*s, {});
    auto const number = std::ranges::find(s->params, field_kind::integer, &field::kind);
    auto const p = static_cast<std::size_t>(number - s->params.begin());
    takes.params[p].low = 3;
    auto const fails = [&](history const& h) { return h.params[p].n >= 100 && h.steps.size() >= 3; };
    auto const failing = [&](std::vector<history> const& candidates) {
      std::vector<bool> result;
      for (auto const& h : candidates) {
        EXPECT_TRUE(inside(*s, takes, h));
        result.push_back(fails(h));
      }
      return result;
    };
    int shrunk = 0;
    for (auto const& h : generated(*s, takes, 300)) {
      if (!fails(h)) continue;
      auto const small = shrink(*s, takes, h, failing);
      EXPECT_EQ(small.params[p].n, 100);
      EXPECT_EQ(small.steps.size(), 3U);
      for (std::size_t k = 0; k < small.steps.size(); ++k) {
        auto const& r = takes.args[small.steps[k].op][0];
        history least = small;
        least.steps[k].args[0].n = std::clamp<std::int64_t>(0, r.low, r.high);
        EXPECT_TRUE(least == small || !allowed(*s, least)) << to_token({s, {small, least}});
      }
      ++shrunk;
    }
    EXPECT_GT(shrunk, 50);
  }
}

// Of a history that must stay long only the last step keeps what it has, and that takes no trial of every step.
TEST(shrink, makes_all_steps_alike_but_the_last) {
  auto const* s = find_shape("aws_backoff_algorithm");
  auto const takes = documented_domain(*s, {});
  history h{{value::of(1), value::of(1), value::word(0)}, {}};
  random_bits random(1);
  for (int i = 0; i < 400; ++i) h.steps.push_back({0, 0, {value::of(random.between(1'000, 4'000'000'000))}});
  std::size_t tried = 0;
  auto const least = shrink(*s, takes, h, [&](std::vector<history> const& candidates) {
    std::vector<bool> fails;
    for (auto const& c : candidates) fails.push_back(c.steps.size() >= 300 && c.steps.back().args[0].n >= 1'000);
    tried += candidates.size();
    return fails;
  });
  ASSERT_EQ(least.steps.size(), 300U);
  for (std::size_t k = 0; k < 300; ++k) EXPECT_EQ(least.steps[k].args[0].n, k == 299 ? 1'000 : 0) << k;
  EXPECT_LT(tried, 10'000U);
}

TEST(shrink, prefers_simple_fractions_for_draws_of_the_unit_interval) {
  auto const* s = find_shape("aws_backoff_algorithm");
  auto const takes = documented_domain(*s, {spec::draw_kind::unit, u32_size});
  history h{{value::of(1), value::of(1), value::word(0)}, {{0, 0, {value::of(0xdead'beef)}}}};
  auto const failing = [](std::vector<history> const& candidates) {
    std::vector<bool> result;
    for (auto const& c : candidates) result.push_back(!c.steps.empty() && c.steps[0].args[0].n > 0x9000'0000);
    return result;
  };
  EXPECT_EQ(shrink(*s, takes, h, failing).steps[0].args[0].n, 0xc000'0000);
}

TEST(decode, undoes_encode_and_takes_any_bytes) {
  for (auto const* s : shapes()) {
    for (auto const& draws : {draw_source{}, draw_source{spec::draw_kind::hidden, 1}}) {
      auto const takes = documented_domain(*s, draws);
      for (auto const& h : generated(*s, takes, 2'000)) ASSERT_EQ(decode(*s, takes, encode(*s, takes, h)), h);
      random_bits random(9);
      for (int i = 0; i < 2'000; ++i) {
        std::vector<std::uint8_t> bytes(static_cast<std::size_t>(random.between(0, 200)));
        for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
        auto const h = decode(*s, takes, bytes);
        ASSERT_TRUE(inside(*s, takes, h));
        ASSERT_LE(h.steps.size(), bytes.size());
      }
    }
  }
}

TEST(text, tokens_and_json_say_a_history_exactly) {
  for (auto const* s : shapes()) {
    auto takes = documented_domain(*s, {});
    takes.features = bit(feature::instances);
    auto const all = generated(*s, takes, 2'000);
    for (std::size_t i = 0; i + 1 < all.size(); i += 2) {
      history_set const set{s, {all[i], all[i + 1]}};
      auto const token = to_token(set);
      auto const back = parse_token(token);
      ASSERT_EQ(back.cases, set.cases) << token;
      EXPECT_EQ(token.find_first_of(" '\"$*?&|;<>()#!"), std::string::npos)
          << token << " would need quoting in a shell";
      ASSERT_EQ(parse_json(to_json(set)).cases, set.cases) << token;
    }
  }
}

TEST(text, equal_steps_are_counted_in_a_token) {
  auto const* s = find_shape("aws_backoff_algorithm");
  history h{{value::of(2), value::of(5), value::word(0)}, {}};
  h.steps.assign(1'025, {0, 0, {value::of(7)}});
  EXPECT_EQ(to_token({s, {h}}), "aws_backoff_algorithm/base_ms=2,max_ms=5,max_attempts=forever/next:7@1025");
}

// What is not a history is refused with words that name the place.
TEST(text, refuses_what_is_not_a_history) {
  std::pair<char const*, char const*> const wrong[] = {
      {"", "expected SYSTEM/PARAMETERS/STEPS"},
      {"nonsense/base_ms=1/next", "unknown system 'nonsense'"},
      {"aws_backoff_algorithm/base_ms=1/next:7", "parameter 'max_ms' is missing"},
      {"aws_backoff_algorithm/base_ms=1,base_ms=2,max_ms=3,max_attempts=1/next:7", "'base_ms' is given twice"},
      {"aws_backoff_algorithm/base_ms=1,max_ms=3,max_attempts=1,x=1/next:7", "unknown parameter 'x'"},
      {"aws_backoff_algorithm/base_ms,max_ms=3,max_attempts=1/next:7", "expected NAME=VALUE"},
      {"aws_backoff_algorithm/base_ms=-1,max_ms=3,max_attempts=1/next:7", "expected an integer in [0, 4294967295]"},
      {"aws_backoff_algorithm/base_ms=4294967296,max_ms=3,max_attempts=1/next:7", "expected an integer"},
      {"aws_backoff_algorithm/base_ms=1,max_ms=3,max_attempts=never/next:7", "or forever"},
      {"aws_backoff_algorithm/base_ms=1,max_ms=3,max_attempts=1/wait:7", "unknown step 'wait'"},
      {"aws_backoff_algorithm/base_ms=1,max_ms=3,max_attempts=1/next:7:8", "expected at most 1 arguments"},
      {"aws_backoff_algorithm/base_ms=1,max_ms=3,max_attempts=1/next:7@0", "expected a positive count"},
      {"aws_backoff_algorithm/base_ms=1,max_ms=3,max_attempts=1/next:7@9999999", "more than 1000000 steps"},
      {"aws_backoff_algorithm/base_ms=1,max_ms=3,max_attempts=1/next:7+x/y/z", "expected +/PARAMETERS/STEPS"},
  };
  for (auto const& [token, expected] : wrong) {
    try {
      static_cast<void>(parse_token(token));
      ADD_FAILURE() << "accepted " << token;
    } catch (text_error const& e) {
      EXPECT_NE(std::string(e.what()).find(expected), std::string::npos) << token << ": " << e.what();
    }
  }
}

}  // namespace
