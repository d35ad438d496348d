// Delays by attempt, with what the document admits. Checked by: properties/oracle/page_test.py.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "judge/run.hpp"
#include "reports/answered.hpp"
#include "reports/pictures.hpp"

namespace backoff::reports {

struct ends {
  double low;
  double high;
};

struct delay_plot {
  std::map<std::int64_t, ends> band;
  std::set<std::pair<std::int64_t, double>> fits;
  std::set<std::tuple<std::int64_t, std::optional<double>, std::string, std::string>> misfits;
  std::size_t histories = 0;
  std::size_t delays = 0;
  std::size_t admitted = 0;   // how many sets of admitted delays were seen
  std::size_t otherwise = 0;  // of these, how many differ from the set seen before at the same attempt

  void admit(std::int64_t at, spec::admissible const& a);
};

class delay_plots {
 public:
  explicit delay_plots(run const& judged) : judged_(&judged), hidden_{spec::draw_kind::hidden, 0} {
    hidden_.size = judged.about().takes.draws.size;
  }
  // Of histories with the same parameters.
  [[nodiscard]] delay_plot of(std::span<answered const> group) const;

 private:
  void add(delay_plot& plot, answered const& a) const;

  run const* judged_;
  draw_source hidden_;
};

// How telling a plot is. It tells much if its windows grow and then stay, if it has many delays, and if its numbers are
// of everyday size. 0 where the admitted delays depend on more than the parameters.
[[nodiscard]] double interest(delay_plot const& p);
[[nodiscard]] picture drawn_delays(shape const& s, std::string const& parameters, delay_plot const& p);

}  // namespace backoff::reports
