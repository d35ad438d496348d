// How long a client waits before each retry, by a document with one set of parameters: as a distribution, computed from
// the model. Readings are the canonical ones. Times are in seconds. Checked by: schedule_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "histories/random.hpp"
#include "judge/judged_system.hpp"

namespace backoff::plans {

// The delay before one retry, as a function of a draw in [0, 1): its values at evenly spaced draws, from the least draw
// to the greatest; linear in between, or each as likely as the others.
struct quantiles {
  std::vector<double> at;  // two at least, not falling
  bool are_steps = false;

  [[nodiscard]] double of(double draw) const;
  [[nodiscard]] double least() const { return at.front(); }
  [[nodiscard]] double greatest() const noexcept { return at.back(); }
  [[nodiscard]] double mean() const noexcept;
  [[nodiscard]] bool is_drawn() const noexcept { return at.front() < at.back(); }
};

class delay_law {
 public:
  // with: the parameters. retries: as many as are looked at. The document answers delays. Where a delay has several
  // draws, it is taken to be even over its range.
  delay_law(judge::judged_system const& document, judge::history const& with, std::size_t retries);

  // Of clients whose delays are known, all `stretch` times as long. Retries end where one has no more.
  delay_law(std::vector<std::vector<double>> clients, std::size_t retries, double stretch);
  [[nodiscard]] delay_law stretched(double by) const;

  // One entry for each retry that is granted, of those that were looked at.
  [[nodiscard]] std::span<quantiles const> delays() const noexcept { return delays_; }
  // Whether the document ends the retries within those that were looked at.
  [[nodiscard]] bool ends() const noexcept { return ends_; }
  // Whether it depends on the delays if another retry is granted.
  [[nodiscard]] bool may_go_on() const noexcept { return may_go_on_; }
  // Where a delay depends on those before it: the delays of clients, each at random. Empty: it does not.
  [[nodiscard]] std::span<std::vector<double> const> clients() const noexcept { return clients_; }

 private:
  void take_clients(std::size_t retries);

  std::vector<quantiles> delays_;
  std::vector<std::vector<double>> clients_;
  bool ends_ = false;
  bool may_go_on_ = false;
};

}  // namespace backoff::plans
