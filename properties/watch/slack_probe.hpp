// Clients in a thread of this process that come again at once, against a failing server of their own in the loop of the
// watched ones. Each two visits are a sample. Checked by: watch_runs_test.cpp.
#pragma once

#include <uv.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>

#include "watch/failing_server.hpp"
#include "watch/failure_script.hpp"
#include "watch/slack.hpp"

namespace backoff::watch {

class slack_probe {
 public:
  // Its clients get the first failure of the script that is neither a success nor `hang`, which does not end by itself.
  slack_probe(uv_loop_t& loop, script const& failures, std::function<void(slack_sample)> sampled);
  slack_probe(slack_probe const&) = delete;
  slack_probe& operator=(slack_probe const&) = delete;
  // stop() must have been called, and the loop have run since.
  ~slack_probe() = default;

  // Without a pause from one sample to the next. Returns libuv's error or 0.
  [[nodiscard]] int start();
  // From now on with one.
  void pause_between(std::chrono::milliseconds pause);
  // Its clients could not connect or read: no more samples come.
  [[nodiscard]] bool broken() const;
  void stop();

 private:
  void changed();
  void visit_until_stopped(int port, bool asks);

  script failures_;
  std::function<void(slack_sample)> sampled_;
  failing_server server_;
  std::thread visitor_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::chrono::milliseconds pause_{0};
  bool stopping_ = false;
  bool broken_ = false;
};

}  // namespace backoff::watch
