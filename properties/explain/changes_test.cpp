// Each hypothesis of changes.hpp explains a port that has its fault: the model asked other input, or with other delays.
#include "explain/changes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "explain/judged_port_test.hpp"
#include "histories/present.hpp"
#include "ports/built_in.hpp"

namespace {

using namespace backoff::explain;
using namespace backoff::ports;

// A right port that takes its histories for others, or answers other delays.
class changed_subject final : public subject {
 public:
  using input = std::function<void(history&)>;
  using output = std::function<double(double)>;
  changed_subject(shape const& s, std::string_view stem, input in, output out)
      : shape_(&s), right_(s, library_ports(stem).front()), in_(std::move(in)), out_(std::move(out)) {}
  [[nodiscard]] capabilities const& describes() const noexcept override { return right_.describes(); }
  [[nodiscard]] std::vector<result> run(std::span<history const> histories) override {
    std::vector<history> asked(histories.begin(), histories.end());
    if (in_) std::ranges::for_each(asked, in_);
    auto results = right_.run(asked);
    for (auto& r : results) {
      for (auto& a : r.answers) {
        auto& delay = a[shape_->delay];
        if (out_ && delay.kind == observed_kind::number) delay = real(out_(encoded(delay)));
      }
    }
    return results;
  }

 private:
  shape const* shape_;
  built_in_subject right_;
  input in_;
  output out_;
};

std::string told(std::string_view stem, changed_subject::input in, changed_subject::output out = {}) {
  auto const& system = *find_judged_system(stem);
  changed_subject port(system.shape(), stem, std::move(in), std::move(out));
  auto const found = judged_port(system, port, 600).diagnosed();
  return found ? found->sentence : std::string("nothing");
}

TEST(changes, a_parameter_taken_for_another_value_is_named) {
  auto const sets = [](std::size_t at, std::int64_t to) { return [=](history& h) { h.params[at].n = to; }; };
  EXPECT_EQ(told("aws_step_functions", sets(1, 1'000)), "always waits the interval");
  EXPECT_EQ(told("aws_step_functions", [](history& h) { h.params[1].n = h.params[1].n / 1'000 * 1'000; }),
            "cuts backoff_rate to a whole number");
  EXPECT_EQ(told("aws_step_functions", [](history& h) { h.params[0].n %= 1 << 16; }), "keeps interval_s in 16 bits");
  EXPECT_EQ(told("aws_step_functions", [](history& h) { h.params[0].n = std::min<std::int64_t>(h.params[0].n, 255); }),
            "does as if interval_s were 255 at most");
  EXPECT_EQ(told("aws_prescriptive_sample", [](history& h) { h.params[0].n = 0xffff'ffff; }), "ignores max_retries");
  EXPECT_EQ(told("aws_backoff_algorithm", [](history& h) { std::swap(h.params[0], h.params[1]); }),
            "takes base_ms for max_ms, and the reverse");
}

TEST(changes, what_is_done_to_delays_is_named) {
  EXPECT_EQ(told("aws_backoff_algorithm", {}, [](double d) { return std::floor(d / 10) * 10; }),
            "rounds delays down to a multiple of 10");
  EXPECT_EQ(told("aws_step_functions", {}, [](double d) { return std::min(d, 30.0); }), "never waits longer than 30 s");
  EXPECT_EQ(told("aws_prescriptive_sample", {}, [](double d) { return d * 10; }), "waits (2^n - 1) seconds");
  EXPECT_EQ(told("aws_prescriptive_sample", {}, [](double d) { return d == 0 ? 0 : d + 99; }),
            "waits 2^n * 100 - 1 instead of (2^n - 1) * 100 ms, but 0 at first");
  EXPECT_EQ(told("aws_prescriptive_sample", {}, [](double d) { return std::max(d, 250.0); }),
            "never waits less than 250 ms");
}

// A limit of 0 ends the run before the wrong delays: it leaves them open, and says nothing of them.
TEST(changes, what_leaves_the_wrong_answers_open_does_not_explain_them) {
  EXPECT_EQ(told("aws_prescriptive_sample", {}, [](double d) { return d > 25'000 ? 7.0 : d; }), "nothing");
}

TEST(changes, words_that_are_not_told_apart_are_named) {
  EXPECT_EQ(told("aws_prescriptive_sample",
                 [](history& h) {
                   for (auto& step : h.steps) {
                     if (step.args[0].n == 503) step.args[0].n = 429;
                   }
                 }),
            "retries 503 too");
}

TEST(changes, a_status_that_is_not_retried_is_named) {
  auto const takes = [](std::int64_t from, std::int64_t to) {
    return [=](history& h) {
      for (auto& step : h.steps) {
        if (step.args[0].n == from) step.args[0].n = to;
      }
    };
  };
  EXPECT_EQ(told("aws_prescriptive_sample", takes(504, 200)), "does not retry 504");
  EXPECT_EQ(told("aws_prescriptive_sample", takes(429, 200)), "does not retry 429");
}

TEST(changes, counts_are_named) {
  EXPECT_EQ(told("azure_java_retry_policy",
                 [](history& h) {
                   for (auto& step : h.steps) step.args[0].n = std::min<std::int64_t>(step.args[0].n + 1, 0x7fff'ffff);
                 }),
            "starts one doubling early, or counts retry_count one too high");
}

// Of several documented answers the port's own is taken: what it saturates at is no part of its fault.
TEST(changes, an_answer_that_the_document_leaves_open_is_the_ports) {
  built_in_subject port(find_judged_system("aws_step_functions")->shape(),
                        *find_built_in("aws_step_functions", "one-attempt-too-many"));
  auto const found = judged_port(*find_judged_system("aws_step_functions"), port, 600).diagnosed();
  ASSERT_TRUE(found);
  EXPECT_EQ(present(found).name, "one-attempt-too-many");
}

using names = std::initializer_list<std::pair<std::string_view, std::string_view>>;

void expect_told(std::string_view stem, names const& all) {
  auto const& system = *find_judged_system(stem);
  for (auto const& [port_name, name] : all) {
    built_in_subject port(system.shape(), *find_built_in(stem, port_name));
    auto const found = judged_port(system, port, 600).diagnosed();
    EXPECT_EQ(found ? found->name : std::string("nothing"), name) << port_name;
  }
}

TEST(changes, faults_of_the_java_policy_are_told_by_name) {
  expect_told("azure_java_retry_policy", {{"linear", "linear"},
                                          {"square", "square"},
                                          {"no-minimum", "no-minimum"},
                                          {"no-jitter", "no-jitter"},
                                          {"half-of-the-jitter", "half-of-the-jitter"},
                                          {"factors-swapped", "jitter-upwards"}});
}

// A wait that nobody sees; limits and clocks; resets; options; NULL and memory.
TEST(changes, faults_of_retry_control_are_told_by_name) {
  expect_told("azure_c_retry_control", {{"grows-linearly", "linear"},
                                        {"grows-with-the-square", "square"},
                                        {"stops-growing", "stops-growing"},
                                        {"negative-is-nothing", "negative-beyond-i32"},
                                        {"jitter-either-way", "jitter-either-way"},
                                        {"all-of-it-jitter", "full-jitter"},
                                        {"jitter-compounds", "compounds"},
                                        {"drawn-once", "drawn-once"},
                                        {"draws-twice", "draws-twice"},
                                        {"more-than-the-wait", "one-second-more"},
                                        {"more-than-the-limit", "limit-late"},
                                        {"zero-is-a-limit", "zero-is-a-limit"},
                                        {"no-limit", "never-gives-up"},
                                        {"thirty-two-bits", "times-in-32-bits"},
                                        {"a-poll-starts-the-wait-again", "poll-starts-the-wait-again"},
                                        {"reset-keeps-the-start", "reset-keeps-the-start"},
                                        {"accepts-no-wait", "accepts-no-wait"},
                                        {"refuses-all-of-it", "refuses-all-of-it"},
                                        {"accepts-any-name", "accepts-any-name"},
                                        {"feeds-the-wait-alone", "feeds-the-wait-alone"},
                                        {"retrieves-defaults", "saves-the-default-jitter"},
                                        {"no-jitter-by-default", "default-jitter"},
                                        {"null-succeeds", "null-succeeds"},
                                        {"null-destroy-fails", "breaks"},
                                        {"destroy-leaks", "leaks"},
                                        {"create-ignores-malloc", "create-ignores-malloc"},
                                        {"more-than-the-timeout", "timeout-late"}});
}

}  // namespace
