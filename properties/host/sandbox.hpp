// What `--sandbox` takes from a C library under judgement: resource limits, and a filter of system calls that lets it
// compute, allocate and read files, and nothing else. Checked by: properties/oracle/library_test.py.
#pragma once

namespace backoff::host {

// Why this system cannot run a library in the sandbox; nullptr: it can.
[[nodiscard]] char const* why_no_sandbox() noexcept;

// Closes every descriptor beyond standard error. Before any other is opened: what this process has inherited is not
// for the library.
void close_inherited();

// From then on this process is in the sandbox, and so is all code that it loads; there is no way out. A forbidden
// system call ends the process; the error reply that says which is written to `replies`. Throws std::runtime_error
// where the system refuses.
void enter_sandbox(int replies);
// From then on, while the library is unloaded, a forbidden call is reported on standard error.
void expect_no_reply() noexcept;

}  // namespace backoff::host
