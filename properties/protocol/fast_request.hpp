// The short way from a usual run request to the histories in it, for ports in this repository: about four times as fast
// as a JSON document in memory. Usual: the members that the oracle writes, in its order, each once.
// Checked by: properties/protocol/messages_test.cpp, which holds it to the long way.
#pragma once

#include <string_view>

#include "protocol/messages.hpp"

namespace backoff::protocol {

// Nothing where the line is unusual in any way: messages.hpp then says what is wrong with it, if anything is.
[[nodiscard]] std::optional<request> read_usual_request(shape const& s, std::string_view line);

}  // namespace backoff::protocol
