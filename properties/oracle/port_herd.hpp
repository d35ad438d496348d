// The clients of a port that breaks its document, beside clients as documented: a picture of the page.
// Checked by: properties/oracle/page_test.py.
#pragma once

#include <optional>
#include <span>

#include "reports/pictures.hpp"
#include "reports/report.hpp"

namespace backoff::oracle {

// Nothing where no diagnosis explains all answers, where the port draws for itself, where no picture shows delays,
// whose parameters are taken, or where the port is no worse for the server.
[[nodiscard]] std::optional<picture> herd_of(report const& r, std::span<picture const> others);

}  // namespace backoff::oracle
