// Time that passes faster for a program, by libfaketime, which takes the place of the clock and of what sleeps.
// Checked by: faster_test.cpp, properties/oracle/watch_test.py.
#pragma once

#include <string>
#include <vector>

namespace backoff::watch {

// The environment that makes time pass so many times faster, as NAME=VALUE. Throws std::runtime_error where the library
// is missing, or where the program cannot be led by it: it does not load libraries.
[[nodiscard]] std::vector<std::string> faster_environment(std::string const& program, double times);

// Why libfaketime cannot lead the program in this file: it is statically linked, or of Go. Empty: it can, or the file
// is no program of 64 bits.
[[nodiscard]] std::string why_not_led(std::string const& file);

}  // namespace backoff::watch
