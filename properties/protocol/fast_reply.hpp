// The replies to run as nearly all of them are, read without a tree. What is unusual in any way (an error, a rejection,
// a field that the protocol does not name or names twice, a number that is none) is left to the reader in messages.cpp,
// which knows what to make of it and how to complain; both agree on all that this one reads.
// Checked by: properties/protocol/messages_test.cpp, fuzz/protocol_fuzzer.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "histories/shape.hpp"

namespace backoff::protocol {

// Nothing where the reply is unusual.
[[nodiscard]] std::optional<std::vector<result>> read_usual_reply(shape const& s, feature_mask features,
                                                                  std::uint64_t id, std::span<history const> cases,
                                                                  std::string_view line);

}  // namespace backoff::protocol
