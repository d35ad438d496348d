// A port in this process that can be started again, with faults to switch on; and a run of it, ready to be shown.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "judge/plan.hpp"
#include "oracle/asked_again.hpp"
#include "oracle/asked_histories.hpp"
#include "ports/built_in.hpp"
#include "session/result_feed.hpp"

namespace backoff::oracle {

class played_port final : public restartable {
 public:
  explicit played_port(std::unique_ptr<judge::subject> plays) : plays_(std::move(plays)) {}

  [[nodiscard]] judge::capabilities const& describes() const noexcept override { return plays_->describes(); }
  void restart(std::size_t breakdowns) override {
    demand_time();
    if (starts_left == 0) throw session_failure("it does not start", "");
    --starts_left;
    ++restarts;
    allowed = breakdowns;
    before.clear();
  }
  [[nodiscard]] std::vector<histories::result> run(std::span<histories::history const> histories) override {
    demand_time();
    std::vector<histories::result> results;
    for (auto const& h : histories) {
      if (auto const why = held_back ? held_back(h) : std::string_view(); !why.empty()) {
        results.push_back({histories::result_kind::unsent, {}, std::string(why)});
        continue;
      }
      auto const other = instead ? instead(*this, h) : std::nullopt;
      results.push_back(other ? *other : plays_->run(std::span(&h, 1)).front());
      before.push_back(h);
      ++asked;
    }
    return results;
  }
  std::optional<time_point> until(std::optional<time_point> limit) noexcept override {
    return std::exchange(end, limit);
  }
  [[nodiscard]] bool out_of_time() const noexcept override { return end && std::chrono::steady_clock::now() >= *end; }
  reason hold_back(reason why) override { return std::exchange(held_back, std::move(why)); }

  std::size_t starts_left = 1'000'000;
  // What it answers in place of what it plays; nothing: it plays.
  std::function<std::optional<histories::result>(played_port const&, histories::history const&)> instead;
  std::vector<histories::history> before;  // asked of this process
  std::size_t restarts = 0;
  std::size_t allowed = 0;
  std::size_t asked = 0;
  std::optional<time_point> end;
  reason held_back;

 private:
  void demand_time() const {
    if (out_of_time()) throw session_failure("out of time", "");
  }

  std::unique_ptr<judge::subject> plays_;
};

inline histories::result broke(std::string why) { return {histories::result_kind::broke, {}, std::move(why)}; }

inline judge::judged_system const& full_jitter() { return *judge::find_judged_system("aws_backoff_algorithm"); }

// A run of the port, and who asks it again.
class played_session {
 public:
  // A built-in port of aws_backoff_algorithm.
  explicit played_session(std::string_view plays, std::vector<std::string> const& known_lines = {}, bool learns = true)
      : played_session(full_jitter(),
                       std::make_unique<ports::built_in_subject>(
                           full_jitter().shape(), *ports::find_built_in(full_jitter().shape().stem, plays)),
                       known_lines, learns) {}
  played_session(judge::judged_system const& system, std::unique_ptr<judge::subject> plays,
                 std::vector<std::string> const& known_lines = {}, bool learns = true)
      : port(std::move(plays)),
        known(known_failing::parse(system, "known", known_lines)),
        feed(std::get<judge::run>(judge::run::begin(system, port.describes(), known.added_to(judge::run_options{}))),
             known, 0, false) {
    if (learns) feed.keep_answers();
  }
  void judge(std::uint64_t cases) {
    auto& judged = feed.judged();
    auto const probes = judge::mapping_probes(judged, 1);
    feed.settle_mapping(probes, port.run(probes));
    port.restart(0);
    judge::plan histories(judged.system().shape(), judged.about().takes, cases, 1, judged.draws().are_tested());
    asked.begin(histories);
    for (auto some = histories.next(500); !some.empty(); some = histories.next(500)) {
      auto const results = port.run(some);
      auto const first = histories.given() - some.size();
      asked.add(some);
      for (std::size_t i = 0; i < some.size(); ++i)
        static_cast<void>(feed.take(some[i], results[i], histories.kind_of(first + i, some[i])));
    }
  }
  void judge(std::vector<histories::history> const& histories) {
    auto const results = port.run(histories);
    asked.add(histories);
    for (std::size_t i = 0; i < histories.size(); ++i) static_cast<void>(feed.take(histories[i], results[i]));
  }
  [[nodiscard]] asked_again again(std::chrono::milliseconds left = std::chrono::minutes(1)) {
    return {port, known, std::chrono::steady_clock::now() + left, line};
  }

  played_port port;
  known_failing known;
  result_feed feed;
  asked_histories asked;
  progress line{false};
};

}  // namespace backoff::oracle
