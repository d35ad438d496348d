// How long clients wait before each retry, by a document with one set of parameters: as distributions, computed from
// the model. Readings are the canonical ones, and numbers are exact where doubles may go either way. Times are in
// seconds. Checked by: schedule_test.cpp, properties/oracle/herd_simulation_test.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "judge/judged_system.hpp"

namespace backoff::plans {

inline constexpr std::size_t simulated_clients = 4'096;  // where delays depend on earlier ones
inline constexpr std::size_t retries_max = 10'000;       // that are looked at
inline constexpr std::size_t simulated_retries = 250;    // of these, for limits and budgets

// Delays that are even over [low, high], or all the same; `upto` is the share of all delays up to these, in (0, 1].
struct piece {
  double upto = 1;
  double low = 0;
  double high = 0;
};

// The delay before one retry, of the clients that are granted it: pieces in the order of their delays.
struct spread_delay {
  std::vector<piece> pieces;
  double error_s = 0;         // of a quantile, at most
  bool is_simulated = false;  // the pieces between the ends are those of samples

  [[nodiscard]] double quantile(double share) const noexcept;  // share: of [0, 1]
  [[nodiscard]] double least() const { return pieces.front().low; }
  [[nodiscard]] double greatest() const { return pieces.back().high; }
  [[nodiscard]] double mean() const noexcept;
  [[nodiscard]] bool is_drawn() const { return least() < greatest(); }
  void extend(double low, double high);  // to these ends
};

struct retry_law {
  spread_delay delay;
  double granted = 1;          // the share of all clients that are granted this retry
  bool is_independent = true;  // neither the delay nor the grant depends on earlier delays
};

// After how many retries a client gives up, and the time from its first failure to the last retry.
struct retry_limit {
  std::optional<std::size_t> least;  // nothing: it never does
  std::optional<std::size_t> most;   // nothing: some clients go on for longer than was looked at
  double least_s = 0;
  double greatest_s = 0;
  bool is_simulated = false;  // these are numbers of simulated clients
};

class delay_law {
 public:
  // with: the parameters. The document answers delays, and outlives the law. Of a policy, it is the one that
  // policies::followed_exactly() makes.
  // seed: of the clients that are simulated.
  delay_law(judge::judged_system const& document, judge::history const& with, std::uint64_t seed = 1);
  // Of clients whose delays are known, and who give up after them.
  explicit delay_law(std::vector<std::vector<double>> clients);
  ~delay_law();
  delay_law(delay_law&&) noexcept;
  delay_law& operator=(delay_law&&) noexcept;
  delay_law(delay_law const&) = delete;
  delay_law& operator=(delay_law const&) = delete;

  // Of that retry, from 0. Null: it is granted to no client, or was not looked at. Valid until it is asked again.
  [[nodiscard]] retry_law const* retry(std::size_t n);
  // How long that client waits before the retry. Nothing: it gives up. Infinity: longer than was looked at.
  // draw: of [0, 1). Where delays depend on earlier ones, the history of each client is simulated, and `draw` ignored.
  [[nodiscard]] std::optional<double> delay(std::size_t client, std::size_t n, double draw);
  // Of simulated clients, the delays up to that retry; fewer where a client gives up. Empty: none is simulated.
  [[nodiscard]] std::vector<std::vector<double>> const& clients(std::size_t n);
  // Of the clients who always draw the least, the greatest and the middle number, the delays so far.
  [[nodiscard]] std::vector<std::vector<double>> const& corner_clients() const noexcept { return corner_clients_; }
  [[nodiscard]] bool is_simulated() const noexcept { return !clients_.empty(); }
  [[nodiscard]] retry_limit limit();
  // How many retries fit into that time if each delay is the least; nothing: any number.
  [[nodiscard]] std::optional<std::size_t> most_within(double budget_s);
  // If the delays of a client decide how often it retries: after how long it makes no retry. Nothing: they do not.
  [[nodiscard]] std::optional<double> time_limit();
  // Whether the last retry that it knows is followed by none.
  [[nodiscard]] bool has_ended() const noexcept { return has_ended_; }

 private:
  class engine;

  void extend();
  [[nodiscard]] spread_delay seen_at(std::size_t n) const;

  std::unique_ptr<engine> engine_;  // null: the delays are given
  std::vector<retry_law> retries_;
  std::vector<std::vector<double>> clients_;
  std::vector<std::vector<double>> corner_clients_;
  std::vector<bool> gave_up_;  // each of these clients
  bool has_ended_ = false;     // no client is granted more retries
  bool is_known_ = true;       // no: what follows was not looked at
};

}  // namespace backoff::plans
