// Random policies, each judged to its last sentence on ports that follow it and on one that does not: with arguments,
// lists, conditions, alternatives and words; without draws, with given draws and with hidden ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "histories/generate.hpp"
#include "histories/present.hpp"
#include "judge/effort_test.hpp"
#include "judge/model_subject.hpp"
#include "oracle/explained_findings.hpp"
#include "oracle/played_port_test.hpp"
#include "oracle/shown_findings.hpp"
#include "policies/declare.hpp"
#include "policies/drawing_port_test.hpp"
#include "reports/print_report.hpp"

namespace {

using namespace backoff::oracle;
using backoff::policies::drawing_port;

// The keys of a policy and their texts, in the order of the file.
using policy_keys = std::vector<std::pair<std::string, std::string>>;

std::string file_of(policy_keys const& keys) {
  std::string text;
  for (auto const& [key, value] : keys) text += key + ":" + (value.front() == '\n' ? "" : " ") + value + "\n";
  return text;
}

enum class fault : std::uint8_t { doubled, one_retry_more, no_condition, no_reset, counts_all, another_first };

struct generated {
  policy_keys keys;
  bool draws = false;

  [[nodiscard]] std::string* find(std::string_view key) {
    auto const at = std::ranges::find(keys, key, &policy_keys::value_type::first);
    return at == keys.end() ? nullptr : &at->second;
  }
};

class generator {
 public:
  explicit generator(std::uint64_t seed) : random_(seed) {}

  generated policy(std::string const& name) {
    generated all;
    auto& keys = all.keys;
    all.draws = random_.one_in(2);
    has_style_ = random_.one_in(3);
    has_hint_ = random_.one_in(3);
    has_answer_ = random_.one_in(3);
    has_up_ = random_.one_in(3);
    is_list_ = random_.one_in(5);
    auto const unit = any({"ns", "us", "ms", "s"});
    keys = {{"name", name}, {"unit", unit}, {"parameters", parameters()}};
    if (has_hint_ || has_answer_ || has_up_) keys.emplace_back("call", arguments());
    if (random_.one_in(6)) keys.emplace_back("where", "base <= 900");
    if (is_list_) keys.emplace_back("delays", "[base, 2 * base, " + any({"base + 70", "450", "3 * base"}) + "]");
    bool const grows_from_prev = !is_list_ && random_.one_in(6);
    if (grows_from_prev) keys.emplace_back("prev", "base");
    auto const growth = is_list_          ? "listed"
                        : grows_from_prev ? all.draws ? "prev + base" : any({"2 * prev", "prev + base"})
                                          : grown();
    bool const has_window = random_.one_in(2);
    if (has_window) keys.emplace_back("window", capped(growth));
    keys.emplace_back("delay", delays(has_window ? "window" : capped(growth), all.draws));
    if (!is_list_ && random_.one_in(5)) keys.emplace_back("first", any({"0", "base / 2", "7"}));
    if (random_.one_in(2)) keys.emplace_back("attempts", any({"3", "limit", "if(limit == forever, 5, limit)"}));
    if (random_.one_in(3)) keys.emplace_back("while", conditions());
    if (has_answer_ && random_.one_in(2)) keys.emplace_back("counts", "answer != throttled");
    if (has_up_) keys.emplace_back("reset", any({"up >= 3600", "up > 60 and n > 1"}));
    return all;
  }

  // Changes one key, so that some port no longer follows the policy. Returns which fault the port then has.
  fault break_policy(generated& of) {
    std::vector<fault> possible{fault::doubled};
    auto const add = [&](std::string_view key, fault f) {
      if (of.find(key) != nullptr) possible.push_back(f);
    };
    add("attempts", fault::one_retry_more);
    add("while", fault::no_condition);
    add("reset", fault::no_reset);
    add("counts", fault::counts_all);
    add("first", fault::another_first);
    auto const chosen = possible[static_cast<std::size_t>(random_.between(0, std::ssize(possible) - 1))];
    switch (chosen) {
      case fault::doubled:
        for (auto* text : {of.find("delay"), of.find("first")}) {
          if (text != nullptr) *text = each_formula(*text, [](auto const& f) { return "3 + 2 * (" + f + ")"; });
        }
        break;
      case fault::one_retry_more:
        *of.find("attempts") += " + 1";
        break;
      case fault::no_condition:
        *of.find("while") = each_formula(*of.find("while"), [](auto const&) { return std::string("0 == 0"); });
        break;
      case fault::no_reset:
        *of.find("reset") = "0 == 1";
        break;
      case fault::counts_all:
        *of.find("counts") = "0 == 0";
        break;
      case fault::another_first:
        *of.find("first") += " + 1";
        break;
    }
    return chosen;
  }

 private:
  std::string any(std::initializer_list<std::string_view> words) {
    return std::string(words.begin()[random_.between(0, std::ssize(words) - 1)]);
  }
  std::string parameters() {
    has_fractions_ = random_.one_in(2);
    std::string all = "{base: {default: ";
    all += has_fractions_ ? "10, range: [0.5, 20.5]}" : "100, range: [1, 1000]}";
    all += ", cap: {default: " + any({"5000", "40 * base"}) + ", range: [100, 9000]}";
    all += ", limit: {default: " + any({"4", "forever"}) + ", forever: true, range: [0, 20]}";
    all += ", budget: {default: 3000, range: [0, 20000]}";
    if (has_style_) all += ", style: [full, none]";
    return all + "}";
  }
  [[nodiscard]] std::string arguments() const {
    std::string all;
    if (has_answer_) all += ", answer: [failed, throttled, fatal]";
    if (has_hint_) all += ", hint: {default: unset, range: [1, 600]}";
    if (has_up_) all += ", up: {default: 0, range: [0, 7200]}";
    return "{" + all.substr(2) + "}";
  }
  std::string grown() {
    return any({"base * 2^n", "base * 1.5^n", "base * (n + 1)", "base * attempt^2", "base", "base + 10 * n"});
  }
  std::string capped(std::string const& growth) { return random_.one_in(4) ? growth : "min(cap, " + growth + ")"; }
  std::string delay(std::string const& window, bool draws) {
    auto const w = "(" + window + ")";
    std::string one;
    if (draws) {
      one = random_.one_in(4)   ? "integer(0, " + window + ")"
            : random_.one_in(3) ? "uniform(0.8 * " + w + ", 1.2 * " + w + ")"
            : random_.one_in(2) ? w + " / 2 + uniform(0, " + w + " / 2)"
                                : "uniform(0, " + window + ")";
    } else {
      one = (has_fractions_ ? "" : any({"", "floor", "ceil"})) + w;  // a port rounds fractions one way or the other
      if (random_.one_in(4)) one = w + " / 2 + 1";
    }
    if (has_style_ && random_.one_in(2)) one = "if(style == full, " + one + ", " + window + ")";
    if (has_hint_) one = "if(hint == unset, " + one + ", hint)";
    return one;
  }
  std::string delays(std::string const& window, bool draws) {
    if (random_.one_in(4)) return "\n  one: " + delay(window, draws) + "\n  other: " + delay(window + " + 1", draws);
    if (random_.one_in(4)) return "\n  - " + delay(window, draws) + "\n  - " + delay(window + " + 2", draws);
    return delay(window, draws);
  }
  std::string conditions() {
    if (has_answer_) return any({"answer != fatal", "answer != fatal and elapsed + delay <= budget"});
    if (random_.one_in(3)) return "\n  within: elapsed + delay <= budget\n  may-pass: elapsed < budget";
    return any({"elapsed + delay <= budget", "elapsed < budget", "n < 6 or base > 900"});
  }
  // Changes a formula, or each one of a list of readings.
  template <class Change>
  static std::string each_formula(std::string const& text, Change change) {
    if (text.front() != '\n') return change(text);
    std::string all;
    for (std::size_t at = 0; at < text.size();) {
      auto const end = std::min(text.find('\n', at + 1), text.size());
      auto const line = text.substr(at, end - at);
      auto const formula = line.find(line.find("- ") == 3 ? "- " : ": ") + 2;
      all += line.substr(0, formula) + change(line.substr(formula));
      at = end;
    }
    return all;
  }

  backoff::histories::random_bits random_;
  bool has_fractions_ = false;
  bool has_style_ = false;
  bool has_hint_ = false;
  bool has_answer_ = false;
  bool has_up_ = false;
  bool is_list_ = false;
};

judged_system const& declared(std::string const& file, policy_keys const& keys) {
  return backoff::policies::declare(backoff::policies::read_policy(file, file_of(keys)), "1");
}

enum class draws_of_a_port : std::uint8_t { words, fractions, its_own };  // or none, where the policy has none

std::unique_ptr<subject> port_of(judged_system const& system, draws_of_a_port draws) {
  using backoff::spec::draw_kind;
  constexpr std::uint64_t seed = 1;
  auto const kind = draws == draws_of_a_port::words ? draw_kind::u32 : draw_kind::unit;
  auto const& table = system.readings();
  auto const mapping = table.find("draw-mapping");
  auto const is_played = [&](backoff::spec::cube assignment) {
    return !mapping || table.common(assignment, backoff::spec::exactly_mapped(table)).has_value();
  };
  auto const all = system.assignments(kind);
  auto const at =
      std::ranges::find_if(all, [&](auto const assignment) { return is_played(table.simplest(assignment)); });
  auto const played = table.simplest(*at);
  if (draws == draws_of_a_port::its_own) return std::make_unique<drawing_port>(system, played, seed);
  return std::make_unique<model_subject>(system, played, draw_source{kind, std::uint64_t{1} << 32}, seed);
}

constexpr std::uint64_t histories_of_a_run = 50;

// The report of a run of the port, printed in every form. Returns the exit code. regions: with where each claim breaks,
// which takes ten times as long.
exit_code judged_and_printed(judged_system const& system, std::unique_ptr<subject> port, bool regions = false) {
  played_session session(system, std::move(port));
  session.judge(histories_of_a_run);
  auto const again = session.again();
  auto const settled = settle_blame(session.feed, again);
  explained_findings all{show_findings(settled, again, session.asked)};
  if (regions) {
    all = explain_findings(settled, std::move(all.shown), again, {session.asked.planned(), 1, false});
  } else {
    all.why.diagnosis = session.feed.diagnosed(backoff::histories::present(session.asked.planned()));
  }
  session.feed.settle(true);
  backoff::reports::invocation called{"backoff-oracle", {}, {"port"}, 1, histories_of_a_run};
  auto const r = backoff::reports::make_report(session.feed.judged(), all.shown, {}, std::move(called), all.why);
  EXPECT_NE(backoff::reports::to_text(r), "");
  EXPECT_NE(backoff::reports::to_json(r), "");
  EXPECT_NE(backoff::reports::to_markdown(r), "");
  EXPECT_NE(backoff::reports::to_junit(r), "");
  return r.ends_with;
}

class generated_policies : public testing::TestWithParam<std::uint64_t> {};

constexpr std::uint64_t groups = 20;
constexpr std::uint64_t policies_of_a_group = 25;

TEST_P(generated_policies, are_followed_by_right_ports_and_not_by_wrong_ones) {
  std::uint64_t caught = 0;
  std::uint64_t const count = policies_of_a_group * effort_multiplier();
  for (std::uint64_t i = 0; i < count; ++i) {
    auto const number = std::to_string(GetParam()) + "_" + std::to_string(i);
    generator random(GetParam() << 32 | i);
    auto policy = random.policy("generated_" + number);
    auto const draws = policy.draws ? static_cast<draws_of_a_port>(i % 3) : draws_of_a_port::words;
    SCOPED_TRACE(file_of(policy.keys));
    auto const& right = declared("right.yaml", policy.keys);
    auto const code = judged_and_printed(right, port_of(right, draws));
    EXPECT_TRUE(code == conforms || code == inconclusive) << code;  // some claims are not at stake in so few histories
    auto const broken = random.break_policy(policy);
    *policy.find("name") = "broken_" + number;
    auto const& wrong = declared("wrong.yaml", policy.keys);
    bool const is_caught = judged_and_printed(right, port_of(wrong, draws), i == 0) == does_not_conform;
    EXPECT_TRUE(is_caught || broken != fault::doubled) << file_of(policy.keys);
    caught += is_caught ? 1 : 0;
  }
  EXPECT_GE(10 * caught, 8 * count) << "few faults show in no history";
}

INSTANTIATE_TEST_SUITE_P(group, generated_policies, testing::Range(std::uint64_t{0}, groups));

}  // namespace
