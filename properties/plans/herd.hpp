// Many clients that fail at the same moment, against a server that is down for a while or can answer only so many
// requests a second. Requests take no time. Checked by: herd_test.cpp, properties/oracle/herd_simulation_test.py.
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
  double second_s = 1;             // how long a second is: requests are counted, and answered, in each
  std::uint64_t first_client = 0;  // the number of the first one
};

// What the server and its clients went through.
struct herd {
  // In each second, as long as clients come. One of them begins as the outage ends, so that the first may begin before
  // 0.
  std::vector<std::uint64_t> requests;
  double first_second_s = 0;
  std::size_t back = 0;          // the second in which the server is back; without an outage, the first after the ramp
  std::uint64_t total = 0;       // requests
  std::uint64_t wasted = 0;      // requests that failed
  std::uint64_t gave_up = 0;     // clients: no retry is left
  std::uint64_t waiting = 0;     // clients: when nobody watches any more, after 11 days or a flood
  std::vector<double> served_s;  // of each client that was served, in order

  [[nodiscard]] std::uint64_t clients() const noexcept { return served_s.size() + gave_up + waiting; }
  // The second, from `back` on, with the most requests; nothing: none comes.
  [[nodiscard]] std::optional<std::size_t> peak() const;
  [[nodiscard]] std::uint64_t requests_at(std::size_t second) const {
    return second < requests.size() ? requests[second] : 0;
  }
  [[nodiscard]] std::uint64_t requests_at_peak() const { return requests_at(peak().value_or(requests.size())); }
  // When that share of all clients was served, the last of them; nothing: it never is.
  [[nodiscard]] std::optional<double> served_after(double share) const;
};

// What a client has waited.
struct waited {
  double last_s = 0;  // its last delay
  double all_s = 0;   // since its first failure
};

// How a client waits: before retry `retry`, from 0; nothing: it gives up. draw: of [0, 1).
class waiting {
 public:
  virtual ~waiting() = default;
  // client: which one; clients of one number have one history where delays depend on those before.
  [[nodiscard]] virtual std::optional<double> delay(std::uint64_t client, std::size_t retry, waited const& before,
                                                    double draw) const = 0;
  // Where clients have histories of their own, how many.
  [[nodiscard]] virtual std::optional<std::uint64_t> histories() const noexcept { return {}; }
};

// The formula as documented.
class as_documented final : public waiting {
 public:
  explicit as_documented(delay_law& law) : law_(&law) {}
  [[nodiscard]] std::optional<double> delay(std::uint64_t client, std::size_t retry, waited const& before,
                                            double draw) const override;
  [[nodiscard]] std::optional<std::uint64_t> histories() const noexcept override;

 private:
  delay_law* law_;
};

// The greatest delays of the formula, without a draw, and the same jittered in two other ways: half of it is fixed
// (equal jitter), or each delay is drawn between the first one and three times the one before (decorrelated jitter).
// Clients give up where no client that follows the formula goes on: after so many retries, or so much time.
enum class other_jitter : std::uint8_t { none, equal, decorrelated };
class otherwise_jittered final : public waiting {
 public:
  otherwise_jittered(delay_law& law, other_jitter how);
  [[nodiscard]] std::optional<double> delay(std::uint64_t client, std::size_t retry, waited const& before,
                                            double draw) const override;

 private:
  delay_law* law_;
  other_jitter how_;
  double cap_ = 0;               // the longest of the first hundred delays
  std::optional<double> all_s_;  // the time of the last retry, if time limits the retries
};

[[nodiscard]] herd run_herd(herd_plan const& plan, waiting const& clients);

// By how much a number of a herd may differ from that of clients with other draws, in 99 of 100 cases.
struct herd_error {
  double requests = 0;
  double back = 0;  // requests in the second after the outage
  double peak = 0;
  double served_s = 0;  // the time until 99 % are
  double all_served_s = 0;
  double gave_up = 0;
};
// Estimated from eight herds with other draws.
[[nodiscard]] herd_error error_of(herd_plan const& plan, herd const& seen, waiting const& clients);

}  // namespace backoff::plans
