// Histories go to the port until it breaks too often, or where it breaks for a reason, to where it does not.
#include "oracle/port_feed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "explain/constraint.hpp"
#include "histories/present.hpp"
#include "histories/text.hpp"
#include "oracle/written_results_test.hpp"
#include "protocol/messages.hpp"
#include "transport/port_process.hpp"

namespace {

using namespace backoff::oracle;

// How each process of the port behaves.
struct behaviour {
  std::function<bool(history const&)> dies;
  std::size_t processes = 0;
  std::size_t asked = 0;
};
behaviour port;  // the constructor of port_process knows no more than a command

}  // namespace

namespace backoff::transport {

// In place of the one that runs a program.
class port_process::session {
 public:
  void send(std::string_view line) {
    auto const r = parse_request(line, started_ ? &full_jitter().shape() : nullptr);
    if (r.kind == request_kind::stop) return;
    if (r.kind == request_kind::start) {
      started_ = true;
      replies_.push_back(start_reply(full_jitter().shape(), subject_.describes()));
      return;
    }
    port.asked += r.cases.size();
    dead_ = dead_ || (port.dies && std::ranges::any_of(r.cases, port.dies));
    if (!dead_) replies_.push_back(run_reply(full_jitter().shape(), r.id, r.cases, subject_.run(r.cases)));
  }
  std::string receive() {
    if (replies_.empty()) throw port_failure(port_failure::kind::exited, "the port exited with status 1");
    auto reply = std::move(replies_.front());
    replies_.pop_front();
    return reply;
  }

 private:
  ports::built_in_subject subject_{full_jitter().shape(), *ports::find_built_in("aws_backoff_algorithm", "plain")};
  bool started_ = false;
  bool dead_ = false;
  std::deque<std::string> replies_;
};

// NOLINTNEXTLINE(performance-unnecessary-value-param): the real one keeps it
port_process::port_process(std::vector<std::string> /*command*/, port_limits /*limits*/)
    : session_(std::make_unique<session>()) {
  ++port.processes;
}
port_process::~port_process() = default;
void port_process::send(std::string_view line) { session_->send(line); }
std::string port_process::receive() { return session_->receive(); }
port_process::ending port_process::finish() { return {true, 0, 0, false}; }
std::string port_process::stderr_tail() const { return "last words"; }
int port_process::pid() const noexcept { return 0; }

}  // namespace backoff::transport

namespace {

constexpr std::uint64_t count = 1'000;

struct fed {
  explicit fed(std::function<bool(history const&)> dies = {}, std::vector<std::string> const& known_lines = {})
      : session("plain", known_lines) {
    port = {std::move(dies), 0, 0};
  }
  port_feed begun() {
    return {start_port(full_jitter(), {"port"}, {}, junit, session.line), shape(), session.known, resumed,
            session.line};
  }
  static backoff::histories::shape const& shape() { return full_jitter().shape(); }
  [[nodiscard]] std::vector<history> histories() const { return planned(session, count); }

  played_session session;
  std::optional<output_file> junit;
  std::optional<resumed_results> resumed;
};

std::function<bool(history const&)> where(std::string_view text) {
  return [c = parse_constraint(full_jitter().shape(), text)](history const& h) {
    return matches(full_jitter().shape(), c, h);
  };
}

// Breaks on one history in ten, for no reason that a history shows.
std::function<bool(history const&)> now_and_then() {
  return [](history const& h) { return std::hash<std::string>()(to_token({&full_jitter().shape(), {h}})) % 10 == 0; };
}

TEST(port_feed, gives_an_answer_a_history) {
  fed of;
  auto feed = of.begun();
  auto const asked = of.histories();
  auto const answered = feed.next(asked, 0);
  EXPECT_TRUE(answered.end.goes_on());
  ASSERT_EQ(answered.results.size(), asked.size());
  EXPECT_EQ(answered.results.back().answers, of.session.port.run(asked).back().answers);
}

TEST(port_feed, sends_no_more_of_what_breaks_the_port_for_a_reason) {
  fed of(where("base_ms>70000"));
  auto feed = of.begun();
  auto const answered = feed.next(of.histories(), 0);
  EXPECT_TRUE(answered.end.goes_on());
  EXPECT_EQ(answered.results.size(), count);
  EXPECT_FALSE(feed.breaking().regions().empty());
  EXPECT_TRUE(
      std::ranges::any_of(answered.results, [](result const& r) { return r.why == port_session::like_others; }));
}

TEST(port_feed, gives_up_where_the_port_breaks_for_no_reason) {
  fed of(now_and_then());
  auto feed = of.begun();
  auto const answered = feed.next(of.histories(), 0);
  EXPECT_EQ(answered.end.how, how_ended::gave_up);
  ASSERT_TRUE(answered.end.gave_up);
  EXPECT_EQ(present(answered.end.gave_up).what, "the rest was not judged: the port exited with status 1, 12 times");
  EXPECT_LT(answered.results.size(), count);
  EXPECT_EQ(feed.port().breakdowns().size(), 12U);
}

TEST(port_feed, goes_on_for_longer_where_the_port_is_known_to_break_anywhere) {
  fed of(now_and_then(), {"no_history_breaks_the_port * # it is known"});
  auto feed = of.begun();
  auto const answered = feed.next(of.histories(), 0);
  EXPECT_GT(feed.port().breakdowns().size(), 12U);
  EXPECT_TRUE(feed.breaking().regions().empty());
}

TEST(port_feed, does_not_send_what_is_known_to_break_the_port) {
  fed of(where("base_ms>70000"), {"no_history_breaks_the_port base_ms>70000 # it is known"});
  auto feed = of.begun();
  auto const answered = feed.next(of.histories(), 0);
  EXPECT_TRUE(answered.end.goes_on());
  EXPECT_TRUE(feed.port().breakdowns().empty());
  auto const unsent = std::ranges::find(answered.results, result_kind::unsent, &result::kind);
  ASSERT_NE(unsent, answered.results.end());
  EXPECT_EQ(unsent->why, port_session::known_to_break);
}

TEST(port_feed, ends_in_time) {
  fed of;
  auto feed = of.begun();
  feed.begin_at(0, std::chrono::steady_clock::now());
  auto const answered = feed.next(of.histories(), 0);
  EXPECT_EQ(answered.end.how, how_ended::out_of_time);
  EXPECT_TRUE(answered.results.empty());
}

TEST(port_feed, probes_in_time_and_is_asked_afterwards_without_a_limit) {
  fed of;
  auto feed = of.begun();
  auto const probes = mapping_probes(of.session.feed.judged(), 1);
  EXPECT_EQ(feed.probe(probes, std::chrono::steady_clock::now()).end.how, how_ended::out_of_time);
  EXPECT_FALSE(feed.port().first().out_of_time());
  auto const answered = feed.probe(probes, {});
  EXPECT_TRUE(answered.end.goes_on());
  EXPECT_EQ(answered.results.size(), probes.size());
}

TEST(port_feed, takes_what_was_answered_before_from_the_file) {
  fed of;
  auto const asked = of.histories();
  of.resumed.emplace(of.shape(), cut_off_results(of.session, {asked.begin(), asked.begin() + 400}, count));
  auto feed = of.begun();
  auto const probes = mapping_probes(of.session.feed.judged(), 1);
  EXPECT_EQ(feed.probe(probes, {}).results.size(), probes.size());
  EXPECT_EQ(port.asked, 0U);
  EXPECT_EQ(feed.next(std::span(asked).first(300), 0).results.size(), 300U);
  EXPECT_EQ(port.asked, 0U);
  auto const answered = feed.next(std::span(asked).subspan(300), 300);
  EXPECT_EQ(answered.results.size(), count - 300);
  EXPECT_EQ(port.asked, count - 400);
  EXPECT_FALSE(of.resumed) << "it is over";
}

TEST(port_feed, asks_two_processes_the_same) {
  fed of;
  auto feed = of.begun();
  auto const samples = planned(of.session, 10);
  auto const both = feed.twice(samples);
  EXPECT_TRUE(both.end.goes_on());
  EXPECT_EQ(port.processes, 3U);
  EXPECT_EQ(both.one.size(), 10U);
  EXPECT_EQ(both.other.size(), 10U);
}

}  // namespace
