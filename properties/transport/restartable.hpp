// A port that can be started again: as those see it who ask it again once its run is over.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "judge/subject.hpp"

namespace backoff::transport {

class restartable {
 public:
  restartable() = default;
  restartable(restartable const&) = delete;
  restartable& operator=(restartable const&) = delete;
  virtual ~restartable() = default;

  [[nodiscard]] virtual judge::capabilities const& describes() const noexcept = 0;
  // Starts a fresh process, forgets the breakdowns and allows this many. Throws session_failure.
  virtual void restart(std::size_t allowed) = 0;
  // One result a history, in order. Throws session_failure.
  [[nodiscard]] virtual std::vector<histories::result> run(std::span<histories::history const> histories) = 0;

  // From then on run and restart throw session_failure; nothing: no such time. Returns the one before.
  using time_point = std::chrono::steady_clock::time_point;
  virtual std::optional<time_point> until(std::optional<time_point> end) noexcept = 0;
  [[nodiscard]] virtual bool out_of_time() const noexcept = 0;
  // Why a history is not sent, which its result says then; empty: it is sent. Returns the one before.
  using reason = std::function<std::string_view(histories::history const&)>;
  virtual reason hold_back(reason why) = 0;
};

}  // namespace backoff::transport
