// What a port was asked in its run. A plan gives its histories again, so that none need be kept, however late a claim
// is broken. Checked by: properties/oracle/asked_histories_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "judge/plan.hpp"

namespace backoff::oracle {

class asked_histories {
 public:
  // What is added from now on comes from that plan, from its next history on.
  void begin(judge::plan const& histories) { planned_ = histories; }
  void add(std::span<histories::history const> histories);
  // Adds the samples that two processes answered, after all other histories.
  void add_samples(std::vector<histories::history> samples) { samples_ = std::move(samples); }

  // The plan before the first history was taken from it; none where the histories are of no plan.
  [[nodiscard]] std::optional<judge::plan> const& planned() const noexcept { return planned_; }
  // The histories that the process had been asked before history `index` of the run, oldest first. Of a plan, only the
  // latest `most` of them.
  static constexpr std::uint64_t most = 8'192;
  [[nodiscard]] std::vector<histories::history> before(std::uint64_t index) const;

 private:
  std::optional<judge::plan> planned_;
  std::vector<histories::history> unplanned_;
  std::vector<histories::history> samples_;
  std::uint64_t count_ = 0;
};

}  // namespace backoff::oracle
