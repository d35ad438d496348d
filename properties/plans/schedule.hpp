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
  std::size_t least = 0;  // retries, if each delay is the greatest
  double mean = 0;
  std::size_t most = 0;             // if each is the least
  std::vector<double> probability;  // of at least so many retries, from 1
};

struct schedule {
  std::vector<planned_retry> retries;
  std::optional<within_budget> within;
  double error_s = 0;  // of a percentile of the time passed, at most: it is computed on a grid
  double error_p = 0;  // of a probability, but for one case in a hundred: it is simulated
};

// Of the first retries of the law.
[[nodiscard]] schedule scheduled(delay_law const& law, std::size_t retries, std::optional<double> budget_s);

}  // namespace backoff::plans
