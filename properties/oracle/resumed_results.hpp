// The results of a run that was cut off, in place of the port's: those of its histories from the first one on. That the
// histories are those of the run shows at the end of the file. Checked by: properties/oracle/results_test.py,
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
  // All of this throws usage_error, naming the file, where it is not the results of this run.
  resumed_results(histories::shape const& s, std::string const& path) : shape_(&s), file_(path) {}
  void demand_resumable(results_header const& header) const { file_.demand_resumable(header); }

  struct answered {
    std::vector<histories::result> results;
    std::vector<breakdown> breakdowns;  // of the port, as they came
  };
  // Nothing where the run was cut off before it had asked them.
  [[nodiscard]] std::optional<answered> probes(std::span<histories::history const> asked) const;
  // Of the next histories, the first of them number `from` of the run: all, or those that the file has.
  [[nodiscard]] answered next(std::span<histories::history const> asked, std::uint64_t from);
  // Whether all that the file holds was given.
  [[nodiscard]] bool is_over() const noexcept { return is_over_; }

 private:
  void demand_all_given() const;

  histories::shape const* shape_;
  results_file file_;
  std::vector<histories::result> read_;  // from it, not given yet
  plan_digest plan_;
  std::uint64_t count_ = 0;
  bool is_over_ = false;
};

}  // namespace backoff::oracle
