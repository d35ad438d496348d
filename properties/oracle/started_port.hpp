// A port that runs, and the histories that it can be sent. Checked by: properties/oracle/broken_ports_test.py.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "files/output_file.hpp"
#include "judge/subject.hpp"
#include "oracle/terminal.hpp"
#include "session/options.hpp"
#include "transport/port_pool.hpp"

namespace backoff::oracle {

[[nodiscard]] inline std::chrono::milliseconds seconds(double s) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(s * 1'000));
}

// The command that starts the port; for a C library, that of the program that hosts it.
[[nodiscard]] std::vector<std::string> command_of(judge::judged_system const& system,
                                                  std::vector<std::string> const& port, judging_options const& options);

struct started_port {
  port_pool processes;
  judge::capabilities about;  // as it describes itself, narrowed to the ranges of the options
};

// Throws session_failure where the port does not start; reports in JSON and JUnit say so first. Throws usage_error
// where the ranges leave nothing.
[[nodiscard]] started_port start_port(judge::judged_system const& system, std::vector<std::string> const& command,
                                      judging_options const& options, std::optional<output_file>& junit,
                                      progress& line);

}  // namespace backoff::oracle
