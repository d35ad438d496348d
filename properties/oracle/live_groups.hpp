// The process groups of the ports that are running now, so that a signal that ends this process ends them first.
// Checked by: properties/oracle/oracle_test.py.
#pragma once

namespace backoff::oracle::live_groups {

void add(int pid) noexcept;
void remove(int pid) noexcept;
// Makes SIGINT, SIGTERM and SIGHUP kill every group, then end this process as they would have.
void end_with_this_process() noexcept;
// From now on the first of them only kills every group, so that what waits for a port goes on; the second one
// ends the process.
void interrupt_first() noexcept;
// Whether such a signal has come.
[[nodiscard]] bool interrupted() noexcept;

}  // namespace backoff::oracle::live_groups
