// The port once its run is over. What is then asked of it goes to fresh processes, and ends in time.
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

// How long the port is asked, and what it is not sent, while this is there. Afterwards both are as they were.
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

// A fresh process as the judge asks it, which knows no exceptions: once it fails, it breaks on every history. So it
// does on those on which one of the claims is known to fail.
class fresh_process final : public judge::subject {
 public:
  static constexpr std::size_t restarts_max = 200;  // of what is asked of it together

  // Throws session_failure.
  fresh_process(restartable& port, known_failing const& known, judge::claim_mask claims);
  [[nodiscard]] judge::capabilities const& describes() const noexcept override { return port_->describes(); }
  [[nodiscard]] std::vector<histories::result> run(std::span<histories::history const> histories) noexcept override;
  // Throws the failure, if there was one. That the time is over is none.
  void demand_unbroken() const;

 private:
  restartable* port_;
  known_failing const* known_;
  judge::claim_mask claims_;
  std::optional<session_failure> failure_;
};

// Whom to ask, and until when.
class asked_again {
 public:
  asked_again(restartable& port, known_failing const& known, restartable::time_point until, progress& line) noexcept
      : port_(&port), known_(&known), until_(until), line_(&line) {}

  [[nodiscard]] restartable& port() const noexcept { return *port_; }
  [[nodiscard]] known_failing const& known() const noexcept { return *known_; }
  [[nodiscard]] restartable::time_point until() const noexcept { return until_; }
  [[nodiscard]] bool is_over() const noexcept { return std::chrono::steady_clock::now() >= until_; }
  // Throws session_failure. The claims are those of which a known failure counts as no answer.
  [[nodiscard]] fresh_process fresh(judge::claim_mask claims) const { return {*port_, *known_, claims}; }
  // On a terminal: what is asked from now on.
  void now(std::string what) const { line_->begin(std::move(what), "histories", 0, until_); }
  void now_without_asking(std::string what) const { line_->begin(std::move(what), ""); }

 private:
  restartable* port_;
  known_failing const* known_;
  restartable::time_point until_;
  progress* line_;
};

}  // namespace backoff::oracle
