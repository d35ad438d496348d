// How the program ends. The numbers are pinned, as scripts rely on them. Where several apply, it returns the first of
// 4, 2, 3, 1, 5, 0.
#pragma once

#include <stdexcept>

#include "layers.hpp"

namespace backoff::session {

enum exit_code : int {
  conforms = 0,
  does_not_conform = 1,  // to the document, or to the interface that its ports share
  usage = 2,             // the command line or a file is wrong, or names what does not exist; or memory ends
  port_broke = 3,        // crashed, hung or broke the protocol
  oracle_broke = 4,      // the oracle disagrees with itself
  inconclusive = 5,
};

// What the user got wrong: names the input, the place and what was expected. Ends the program with `usage`.
struct usage_error : std::runtime_error {
  using runtime_error::runtime_error;
};

}  // namespace backoff::session
