#include "watch/watch_runs.hpp"

#include <uv.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "transport/live_groups.hpp"
#include "transport/uv_handles.hpp"
#include "watch/monotonic.hpp"
#include "watch/slack_probe.hpp"
#include "watch/watched_client.hpp"

namespace backoff::watch {

using namespace transport;

namespace {

// How soon a signal, or that the next run is due, is seen.
constexpr std::uint64_t tick_ms = 10;
// Samples before the runs take a few milliseconds; on a machine that is stuck, there are fewer.
constexpr std::int64_t before_ns_max = 10'000'000'000;
constexpr std::int64_t ns_per_ms = 1'000'000;
constexpr std::int64_t lag_ns_min = 100 * ns_per_ms;

class loop {
 public:
  loop() : code_(uv_loop_init(&loop_)) {}
  loop(loop const&) = delete;
  loop& operator=(loop const&) = delete;
  ~loop() {
    if (code_ < 0) return;
    uv_run(&loop_, UV_RUN_DEFAULT);  // until all that was closed has gone
    uv_loop_close(&loop_);
  }
  [[nodiscard]] int code() const { return code_; }
  [[nodiscard]] uv_loop_t& operator*() { return loop_; }

 private:
  uv_loop_t loop_{};
  int code_;
};

class session {
 public:
  session(uv_loop_t& events, watch_plan const& plan, watched& result)
      : loop_(&events), plan_(&plan), result_(&result), probe_(events, plan.failures, [this](slack_sample sample) {
          (before_ ? result_->slack.before : result_->slack.during).push_back(sample);
        }) {
    uv_timer_init(loop_, &tick_);  // cannot fail
    tick_.data = this;
    uv_timer_start(&tick_, [](uv_timer_t* timer) { static_cast<session*>(timer->data)->note_lag(); }, tick_ms, tick_ms);
  }
  session(session const&) = delete;
  session& operator=(session const&) = delete;

  // Ends what still runs, and closes everything.
  ~session() {
    for (auto const& each : live_) each->cut_off(run::ending::interrupted);
    while (!std::ranges::all_of(live_, [](auto const& each) { return each->finished(); })) uv_run(loop_, UV_RUN_ONCE);
    probe_.stop();
    close_handle(tick_);
    uv_run(loop_, UV_RUN_DEFAULT);
  }

  void run_all(run_sink const& sink) {
    if (int const code = probe_.start(); code < 0) {
      result_->ended = watched::ending::cannot_watch;
      result_->trouble = "cannot listen on 127.0.0.1: " + system_reason(code);
      return;
    }
    sample_before();
    while (go_on(sink)) {
      auto const closed = std::exchange(closing_, {});  // libuv leaves them in this turn of the loop
      uv_run(loop_, UV_RUN_ONCE);
    }
    if (probe_.broken()) result_->trouble = "the slack is known in part only: its clients could not connect";
  }

 private:
  // This process itself may have stood still: a client that came meanwhile was served late.
  void note_lag() {
    auto const now = now_ns();
    if (now - ticked_ns_ > lag_ns_min) result_->slack.during.push_back({now, now - ticked_ns_});
    ticked_ns_ = now;
  }

  void sample_before() {
    auto const end_ns = now_ns() + before_ns_max;
    while (result_->slack.before.size() < plan_->slack_samples && now_ns() < end_ns) {
      if (probe_.broken() || live_groups::interrupted()) break;
      uv_run(loop_, UV_RUN_ONCE);
    }
    before_ = false;
    probe_.pause_between(plan_->slack_pause);
  }

  // Whether there is anything to wait for.
  bool go_on(run_sink const& sink) {
    if (!tell_ended(sink)) {
      result_->ended = watched::ending::stopped;
      return false;
    }
    if (!live_groups::interrupted()) {
      start_due();
      return !live_.empty() || started_ < plan_->runs;
    }
    result_->ended = watched::ending::interrupted;
    for (auto const& each : live_) each->cut_off(run::ending::interrupted);
    return !live_.empty();
  }

  void start_due() {
    while (started_ < plan_->runs && live_.size() < plan_->jobs && now_ns() >= next_start_ns_) {
      auto const ended = [this](watched_client& client) { ended_.push_back(&client); };
      live_.push_back(
          std::make_unique<watched_client>(*loop_, plan_->failures, plan_->limits, plan_->first + started_++, ended));
      live_.back()->start(plan_->command, plan_->environment);
      next_start_ns_ = now_ns() + plan_->stagger.count() * ns_per_ms;
    }
  }

  // Whether the sink wants more.
  bool tell_ended(run_sink const& sink) {
    for (auto* const client : std::exchange(ended_, {})) {
      auto const at = std::ranges::find(live_, client, &std::unique_ptr<watched_client>::get);
      closing_.push_back(std::move(*at));
      live_.erase(at);
      if (!sink(client->result(), result_->slack)) return false;
    }
    return true;
  }

  uv_loop_t* loop_;
  watch_plan const* plan_;
  watched* result_;
  uv_timer_t tick_{};
  std::int64_t ticked_ns_ = now_ns();
  bool before_ = true;
  slack_probe probe_;
  std::uint64_t started_ = 0;
  std::int64_t next_start_ns_ = 0;
  std::vector<std::unique_ptr<watched_client>> live_;
  std::vector<watched_client*> ended_;  // of them, not yet told
  std::vector<std::unique_ptr<watched_client>> closing_;
};

}  // namespace

watched watch_runs(watch_plan const& plan, run_sink const& sink) {
  watched result;
  loop events;
  if (events.code() < 0) {
    result.ended = watched::ending::cannot_watch;
    result.trouble = "no event loop: " + system_reason(events.code());
    return result;
  }
  session(*events, plan, result).run_all(sink);
  return result;
}

}  // namespace backoff::watch
