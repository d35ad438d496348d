#include "oracle/asked_again.hpp"

namespace backoff::oracle {

patience::patience(restartable& port, std::optional<restartable::time_point> until)
    : port_(&port), until_(port.until(until)) {}

patience::patience(restartable& port, std::optional<restartable::time_point> until, restartable::reason held_back)
    : patience(port, until) {
  held_back_ = port.hold_back(std::move(held_back));
}

patience::~patience() {
  port_->until(until_);
  if (held_back_) port_->hold_back(std::move(*held_back_));
}

fresh_process::fresh_process(restartable& port, known_failing const& known, claim_mask claims)
    : port_(&port), known_(&known), claims_(claims) {
  port.restart(restarts_max);
}

std::vector<result> fresh_process::run(std::span<history const> histories) {
  try {
    if (!failure_) {
      auto results = port_->run(histories);
      known_->hide(claims_, histories, results);
      return results;
    }
  } catch (session_failure const& e) {
    if (!port_->out_of_time()) failure_ = e;
  }
  return std::vector<result>(histories.size(), {result_kind::broke, {}, failure_ ? failure_->what() : "out of time"});
}

void fresh_process::demand_unbroken() const {
  if (failure_) throw session_failure(*failure_);
}

}  // namespace backoff::oracle
