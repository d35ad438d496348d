// Reads a usual reply to run without building a JSON tree. Unusual replies (a reason, a rejection, an unknown or
// repeated field, a malformed number) are left to the reader in messages.cpp, which explains what is wrong. Both
// readers agree on all replies that this one reads.
// Checked by: properties/protocol/fast_reply_test.cpp, fuzz/protocol_fuzzer.cpp.
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
