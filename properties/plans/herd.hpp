// Many clients that fail at the same moment, against a server that is down for a while or can answer only so many
// requests a second. Requests take no time. Checked by: herd_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "plans/delay_law.hpp"

namespace backoff::plans {

struct herd_plan {
  std::uint64_t clients = 0;
  double ramp_s = 0;                      // their first requests are evenly spread over so long
  double outage_s = 0;                    // requests before this time fail
  std::optional<std::uint64_t> capacity;  // requests that the server answers in each second; the others fail
  std::uint64_t seed = 1;
};

// What the server and its clients went through.
struct herd {
  std::vector<std::uint64_t> requests;  // in each second, as long as clients come
  std::uint64_t total = 0;
  std::uint64_t wasted = 0;   // requests that failed
  std::uint64_t served = 0;   // clients
  std::uint64_t gave_up = 0;  // clients: no retry is left
  std::uint64_t waiting = 0;  // clients: when nobody watches any more, after 11 days or a flood
  double last_served_s = 0;
  double median_served_s = 0;
  // The second with the most requests after the one in which the clients first came.
  [[nodiscard]] std::size_t peak_after_start(double ramp_s) const;
};

// How a client waits: before retry `retry`, from 0; nothing: it gives up. before: its delay before, 0 at first.
// draw: of [0, 1).
class waiting {
 public:
  virtual ~waiting() = default;
  // client: which one; clients of one number have one history where delays depend on those before.
  [[nodiscard]] virtual std::optional<double> delay(std::uint64_t client, std::size_t retry, double before,
                                                    double draw) const = 0;
};

// The formula as documented. Where more retries are granted than the law has, the last delay is repeated.
class as_documented final : public waiting {
 public:
  explicit as_documented(delay_law const& law, std::uint64_t seed = 1) : law_(&law), seed_(seed) {}
  [[nodiscard]] std::optional<double> delay(std::uint64_t client, std::size_t retry, double before,
                                            double draw) const override;

 private:
  delay_law const* law_;
  std::uint64_t seed_;
};

// The greatest delays of the formula, without a draw, and the same jittered in two other ways: half of it is fixed
// (equal jitter), or each delay is drawn between the first one and three times the one before (decorrelated jitter).
enum class other_jitter : std::uint8_t { none, equal, decorrelated };
class otherwise_jittered final : public waiting {
 public:
  otherwise_jittered(delay_law const& law, other_jitter how);
  [[nodiscard]] std::optional<double> delay(std::uint64_t client, std::size_t retry, double before,
                                            double draw) const override;

 private:
  delay_law const* law_;
  other_jitter how_;
  double cap_ = 0;
};

[[nodiscard]] herd run_herd(herd_plan const& plan, waiting const& clients);

}  // namespace backoff::plans
