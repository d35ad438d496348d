#include "oracle/started_port.hpp"

#include <cstdio>

#include "reports/junit.hpp"
#include "reports/print_report.hpp"
#include "transport/library_port.hpp"
#include "transport/live_groups.hpp"

namespace backoff::oracle {

namespace {

port_pool started(judged_system const& system, std::vector<std::string> const& command, judging_options const& options,
                  std::optional<output_file>& junit) {
  try {
    return {system.shape(), command, seconds(options.timeout_s), options.jobs};
  } catch (session_failure const& e) {
    if (live_groups::interrupted()) throw;
    auto const& form = form_named(options.report.format);
    if (form.failed_start != nullptr) std::fputs(form.failed_start(system.shape(), command, e).c_str(), stdout);
    end_junit(junit, failed_start_junit(system.shape(), e));
    throw;
  }
}

}  // namespace

std::vector<std::string> command_of(judged_system const& system, std::vector<std::string> const& port,
                                    judging_options const& options) {
  if (options.library.empty()) return port;
  return host_command(system.shape().stem, options.library, options.constants);
}

started_port start_port(judged_system const& system, std::vector<std::string> const& command,
                        judging_options const& options, std::optional<output_file>& junit, progress& line) {
  line.begin("starting the port", "");
  auto processes = started(system, command, options, junit);
  auto about = narrowed(system.shape(), processes.describes(), options);
  return {std::move(processes), std::move(about)};
}

}  // namespace backoff::oracle
