// The texts that a loaded library has among its constants: an undocumented name is one of them. Checked by:
// properties/oracle/library_test.py.
#pragma once

#include <string>
#include <vector>

namespace backoff::host {

// Those of the library that has this function, each once; printable, and none longer than an option's name would be.
[[nodiscard]] std::vector<std::string> constant_texts(void const* function);

}  // namespace backoff::host
