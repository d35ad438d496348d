// The results of a run that was cut off, which stand in for the port's on its first histories. Only at the end of the
// file is it known whether the histories are those of the run. Checked by: properties/oracle/results_test.py,
// properties/oracle/resumed_results_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "files/results.hpp"
#include "session/breakdown.hpp"

namespace backoff::oracle {

class resumed_results {
 public:
  // Every member throws usage_error, naming the file, if it does not hold the results of this run.
  resumed_results(histories::shape const& s, std::string const& path) : shape_(&s), file_(path) {}
  void demand_resumable(results_header const& header) const { file_.demand_resumable(header); }

  struct answered {
    std::vector<histories::result> results;
    std::vector<breakdown> breakdowns;  // of the port, as they came
  };
  // The results of the probes; nothing where the run was cut off before it had asked them.
  [[nodiscard]] std::optional<answered> probes(std::span<histories::history const> asked) const;
  // The results of the next histories, the first of which is number `from` of the run: of all, or of those that the
  // file has.
  [[nodiscard]] answered next(std::span<histories::history const> asked, std::uint64_t from);
  // Whether all that the file holds was given.
  [[nodiscard]] bool is_over() const noexcept { return is_over_; }

 private:
  void demand_all_given() const;

  histories::shape const* shape_;
  results_file file_;
  std::vector<histories::result> read_;  // read from the file, and not given yet
  plan_digest plan_;
  std::uint64_t count_ = 0;
  bool is_over_ = false;
};

}  // namespace backoff::oracle
