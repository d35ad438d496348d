// When a client comes back, retry by retry: each delay, and the time since the first failure. Checked by:
// schedule_test.cpp.
#pragma once

#include <optional>
#include <vector>

#include "plans/delay_law.hpp"

namespace backoff::plans {

struct spread {
  double least = 0;  // s
  double mean = 0;
  double p99 = 0;
  double greatest = 0;
};

struct planned_retry {
  spread delay;
  spread passed;  // since the first failure
};

struct within_budget {
  double budget_s = 0;
  std::size_t least = 0;            // retries, if each delay is the greatest
  std::optional<double> mean = 0;   // nothing: more retries fit than were looked at
  std::optional<std::size_t> most;  // if each is the least; nothing: any number
  std::vector<double> probability;  // of at least so many retries, from 1
};

// What the numbers may be off by. Means that are not simulated are exact.
struct schedule_error {
  double seconds = 0;  // a percentile, at most: it is computed on a grid
  double probability = 0;
  // Where delays are simulated, in 99 of 100 cases, the part of a mean and of a percentile; 0: none is.
  double mean_part = 0;
  double p99_part = 0;
  bool are_ends_seen =
      false;  // delays depend on earlier ones: the least and the greatest are those of simulated clients
};

struct schedule {
  std::vector<planned_retry> retries;  // that all clients are granted
  double granted_next = 0;             // the share of the clients that are granted one more
  std::optional<within_budget> within;
  schedule_error error;
};

// At most so many retries of the law; of the budget, all of them.
[[nodiscard]] schedule scheduled(delay_law& law, std::size_t retries, std::optional<double> budget_s);

}  // namespace backoff::plans
