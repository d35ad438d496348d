// The process groups of the ports that are running now, so that a signal that ends this process ends them first; and
// what has left these groups. Checked by: properties/oracle/broken_ports_test.py,
// properties/transport/port_process_test.cpp.
#pragma once

namespace backoff::transport::live_groups {

void add(int pid);
void remove(int pid) noexcept;
[[nodiscard]] bool none() noexcept;
// From now on orphans among the descendants of this process become its children (Linux; elsewhere nothing happens).
void adopt_orphans() noexcept;
// Kills and reaps all children of this process, and what they leave, for a second at most; nothing unless it adopts. No
// port may be running.
void end_orphans() noexcept;
// Kills every group.
void end_all() noexcept;
// Makes SIGINT, SIGTERM and SIGHUP kill every group, then end this process as they would have.
void end_with_this_process() noexcept;
// From now on the first of them only kills every group, so that what waits for a port goes on; the second one
// ends the process.
void interrupt_first() noexcept;
// Whether such a signal has come.
[[nodiscard]] bool interrupted() noexcept;

}  // namespace backoff::transport::live_groups
