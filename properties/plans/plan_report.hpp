// What `plan` says: schedules of one client, herds of many, and what is known to hurt. Checked by:
// properties/oracle/plan_test.py.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plans/herd.hpp"
#include "plans/schedule.hpp"

namespace backoff::plans {

struct named_herd {
  std::string clients;  // how they wait
  herd seen;
};

// One formula with its parameters.
struct planned_formula {
  std::string system;
  std::string parameters;
  schedule one;
  std::vector<named_herd> herds;      // as documented first; none where no herd is asked for
  std::vector<std::string> warnings;  // sentences
  bool may_go_on = false;             // whether another retry is granted depends on the delays
  bool ends = false;                  // the document ends the retries within the schedule
};

struct plan_report {
  std::optional<herd_plan> herd;
  std::vector<planned_formula> formulas;
};

// What is known to hurt in a formula.
[[nodiscard]] std::vector<std::string> warnings_of(delay_law const& law, schedule const& one);

// A time as people write it: `250 ms`, `1.5 s`, `12 min`.
[[nodiscard]] std::string time_text(double s);
// `within 30 s: 4 retries at least, 6.2 on average, 8 at most`, and how likely more than the least are.
[[nodiscard]] std::string within_text(planned_formula const& f);
[[nodiscard]] std::string simulation_text(planned_formula const& f);  // that it is one, and its error
// The greatest number of requests in a second after the clients first came.
[[nodiscard]] std::string peak_text(herd const& h, double ramp_s);
// What the herd is: `10,000 clients fail together; the server is down for 30 s`.
[[nodiscard]] std::string herd_text(herd_plan const& plan);

[[nodiscard]] std::string to_text(plan_report const& r);  // at most 24 lines a formula
[[nodiscard]] std::string to_json(plan_report const& r);
[[nodiscard]] std::string to_csv(plan_report const& r);       // schedules without herds; times in seconds
[[nodiscard]] std::string to_markdown(plan_report const& r);  // tables for a README
[[nodiscard]] std::string to_svg(plan_report const& r);       // a picture that stands alone
[[nodiscard]] std::string to_page(plan_report const& r);      // HTML

}  // namespace backoff::plans
