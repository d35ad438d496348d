// Time that passes faster for a program, by libfaketime, which takes the place of the clock and of what sleeps.
// Checked by: faster_test.cpp, properties/oracle/watch_test.py.
#pragma once

#include <string>
#include <vector>

namespace backoff::watch {

// The environment that makes time pass so many times faster, as NAME=VALUE. Throws std::runtime_error where the library
// is missing, or where the program cannot be led by it: it does not load libraries.
[[nodiscard]] std::vector<std::string> faster_environment(std::string const& program, double times);

// Whether the file is an ELF program without a loader. False where it is none, such as a script, or cannot be read.
[[nodiscard]] bool is_static(std::string const& file);

}  // namespace backoff::watch
