// A file as text. Checked by: properties/oracle/oracle_test.py, properties/oracle/results_test.py.
#pragma once

#include <cstddef>
#include <string>

namespace backoff::oracle {

inline constexpr std::size_t input_bytes_max = 64U << 20U;

// Throws usage_error, naming the path and what was expected there: what cannot be read, or is larger than that.
[[nodiscard]] std::string read_whole_file(std::string const& path, std::string const& expected);

}  // namespace backoff::oracle
