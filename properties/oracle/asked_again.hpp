// The port once its run is over: whatever asks it again asks fresh processes, until a time is over.
// Checked by: properties/oracle/asked_again_test.cpp.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "judge/subject.hpp"
#include "oracle/terminal.hpp"
#include "session/breakdown.hpp"
#include "session/known_failing.hpp"
#include "transport/restartable.hpp"

namespace backoff::oracle {

// While it exists, limits how long the port is asked and which histories it is sent. Its end restores both.
class patience {
 public:
  patience(restartable& port, std::optional<restartable::time_point> until);
  patience(restartable& port, std::optional<restartable::time_point> until, restartable::reason held_back);
  patience(patience const&) = delete;
  patience& operator=(patience const&) = delete;
  ~patience();

 private:
  restartable* port_;
  std::optional<restartable::time_point> until_;
  std::optional<restartable::reason> held_back_;
};

// A fresh process as a subject of the judge, which handles no exceptions. Once the process fails, every result is
// `broke`. So is the result of each history on which one of the claims is known to fail.
class fresh_process final : public judge::subject {
 public:
  static constexpr std::size_t restarts_max = 200;  // breakdowns allowed before it fails

  // Throws session_failure.
  fresh_process(restartable& port, known_failing const& known, judge::claim_mask claims);
  [[nodiscard]] judge::capabilities const& describes() const noexcept override { return port_->describes(); }
  [[nodiscard]] std::vector<histories::result> run(std::span<histories::history const> histories) override;
  // Throws the failure, if there was one. Running out of time is no failure.
  void demand_unbroken() const;

 private:
  restartable* port_;
  known_failing const* known_;
  judge::claim_mask claims_;
  std::optional<session_failure> failure_;
};

// The port to ask, its known failures, and the time until which to ask.
class asked_again {
 public:
  asked_again(restartable& port, known_failing const& known, restartable::time_point until, progress& line) noexcept
      : port_(&port), known_(&known), until_(until), line_(&line) {}

  [[nodiscard]] restartable& port() const noexcept { return *port_; }
  [[nodiscard]] known_failing const& known() const noexcept { return *known_; }
  [[nodiscard]] restartable::time_point until() const noexcept { return until_; }
  [[nodiscard]] bool is_over() const noexcept { return std::chrono::steady_clock::now() >= until_; }
  // Starts a fresh process. Throws session_failure. claims: a history on which one of them is known to fail counts as
  // not answered.
  [[nodiscard]] fresh_process fresh(judge::claim_mask claims) const { return {*port_, *known_, claims}; }
  // Shows on a terminal what is asked from now on.
  void now(std::string what) const { line_->begin(std::move(what), "histories", 0, until_); }
  void now_without_asking(std::string what) const { line_->begin(std::move(what), ""); }

 private:
  restartable* port_;
  known_failing const* known_;
  restartable::time_point until_;
  progress* line_;
};

}  // namespace backoff::oracle
