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
  herd_error error;
};

// One formula with its parameters.
struct planned_formula {
  std::string system;
  std::string parameters;
  retry_limit limit;
  schedule one;
  std::vector<named_herd> herds;      // as documented first; none where no herd is asked for
  std::vector<std::string> warnings;  // sentences
};

struct plan_report {
  std::optional<herd_plan> herd;
  std::vector<planned_formula> formulas;
};

// What is known to hurt in a formula. herd: what became of clients that wait as documented.
[[nodiscard]] std::vector<std::string> warnings_of(delay_law& law, planned_formula const& f,
                                                   std::optional<herd_plan> const& plan);

// A time as people write it: `250 ms`, `1.5 s`, `12 min`.
[[nodiscard]] std::string time_text(double s);
// `grpc_connection_backoff, initial=1000: never gives up`.
[[nodiscard]] std::string title_text(planned_formula const& f);
[[nodiscard]] std::string limit_text(retry_limit const& limit);
// Sentences on the schedule: whether more retries follow, how many fit into the budget, what is simulated.
[[nodiscard]] std::vector<std::string> schedule_texts(planned_formula const& f);
// What the herd is: `the first requests of 10,000 clients fail together; the server is down for 30 s`.
[[nodiscard]] std::string herd_text(herd_plan const& plan);
// What became of the herds: a row for each number, whose first cell is its name; a cell for each herd.
[[nodiscard]] std::vector<std::vector<std::string>> herd_rows(std::vector<named_herd> const& herds,
                                                              herd_plan const& plan);
// What the signs in these rows mean; empty: there are none.
[[nodiscard]] std::string herd_note(std::vector<named_herd> const& herds);

[[nodiscard]] std::string to_text(plan_report const& r);
[[nodiscard]] std::string to_json(plan_report const& r);
[[nodiscard]] std::string to_csv(plan_report const& r);       // herds if there are some, else schedules; in seconds
[[nodiscard]] std::string to_markdown(plan_report const& r);  // tables for a README
[[nodiscard]] std::string to_svg(plan_report const& r);       // a picture that stands alone
[[nodiscard]] std::string to_page(plan_report const& r);      // HTML

}  // namespace backoff::plans
