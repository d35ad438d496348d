// Port protocol 1 as text: what the oracle sends, and what it makes of the answers. Knows JSON and shapes, no process.
// Checked by: properties/protocol/messages_test.cpp, properties/protocol/schema_test.py.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "judge/subject.hpp"

namespace backoff::protocol {

inline constexpr int protocol_version = 1;

// Bounds, in bytes: of a port's name, version, language and mapping; of why it does not answer, of which no more is
// kept; of a line from it.
inline constexpr std::size_t name_max = 256;
inline constexpr std::size_t why_max = 1'000;
inline constexpr std::size_t reply_max = std::size_t{16} << 20U;

// A line that the protocol does not allow; what() says where and what was expected. `which` is the index of the history
// in its batch, where one is to blame.
struct protocol_error : std::runtime_error {
  protocol_error(std::string const& what, std::optional<std::size_t> index = {}) : runtime_error(what), which(index) {}
  std::optional<std::size_t> which;
};

[[nodiscard]] std::string start_request(shape const& s);
// features: of the port. A field that it has for one of them is written with its default where a history leaves it out.
[[nodiscard]] std::string run_request(shape const& s, draw_source const& draws, std::uint64_t id,
                                      std::span<history const> cases, feature_mask features = 0);
[[nodiscard]] std::string stop_request();

// Throw protocol_error.
[[nodiscard]] capabilities parse_start_reply(shape const& s, std::string_view line);
[[nodiscard]] std::vector<result> parse_run_reply(shape const& s, feature_mask features, std::uint64_t id,
                                                  std::span<history const> cases, std::string_view line);
// The same, never by the short way of fast_reply.hpp.
[[nodiscard]] std::vector<result> parse_any_run_reply(shape const& s, feature_mask features, std::uint64_t id,
                                                      std::span<history const> cases, std::string_view line);

// The line with every number written with a point, an exponent or many digits, and every NaN and infinity, in quotes: a
// number is judged as it was written, and what is none is judged too.
[[nodiscard]] std::string with_numbers_as_text(std::string_view line);

// The other side, for ports written in C++.
enum class request_kind : std::uint8_t { start, run, stop, unknown };
struct request {
  request_kind kind = request_kind::unknown;
  std::string system;          // of start
  std::uint64_t id = 0;        // of run
  std::vector<history> cases;  // of run
};
// The command and, of a start, the system alone: a port knows the shape only then.
[[nodiscard]] request parse_request(std::string_view line, shape const* started);
// The same, never by the short way of fast_request.hpp.
[[nodiscard]] request parse_any_request(std::string_view line, shape const* started);
[[nodiscard]] std::string start_reply(shape const& s, capabilities const& port);
[[nodiscard]] std::string run_reply(shape const& s, std::uint64_t id, std::span<history const> cases,
                                    std::span<result const> results);
[[nodiscard]] std::string error_reply(std::string_view why);

}  // namespace backoff::protocol
