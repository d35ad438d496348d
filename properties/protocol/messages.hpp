// Port protocol 1 as text: what the oracle sends, and how it reads the answers. No process is involved here.
// Checked by: properties/protocol/messages_test.cpp, properties/protocol/run_reply_test.cpp,
// properties/protocol/schema_test.py.
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

// Bounds, in bytes: of a port's name, version, language and mapping; of the reason why it does not answer, which is
// cut; of a line from the port.
inline constexpr std::size_t name_max = 256;
inline constexpr std::size_t why_max = 1'000;
inline constexpr std::size_t reply_max = std::size_t{16} << 20U;

// What begins the error of a port that answers `start` with one.
inline constexpr std::string_view refuses_to_start = "the port refuses to start: ";

// A line that the protocol does not allow; what() says where and what was expected. `which` is the index of the history
// in its batch, where one is to blame.
struct protocol_error : std::runtime_error {
  explicit protocol_error(std::string const& what, std::optional<std::size_t> index = {})
      : runtime_error(what), which(index) {}
  std::optional<std::size_t> which;
};

[[nodiscard]] std::string start_request(shape const& s);
// features: those of the port. An argument that exists for one of them is written with its default where a history
// leaves it out.
[[nodiscard]] std::string run_request(shape const& s, draw_source const& draws, std::uint64_t id,
                                      std::span<history const> cases, feature_mask features = 0);
[[nodiscard]] std::string stop_request();

// Throw protocol_error.
[[nodiscard]] capabilities parse_start_reply(shape const& s, std::string_view line);
[[nodiscard]] std::vector<result> parse_run_reply(shape const& s, feature_mask features, std::uint64_t id,
                                                  std::span<history const> cases, std::string_view line);

// The line with quotes around every NaN, every infinity, and every number that has a point, an exponent or many digits.
// The judge then reads numbers exactly as the port wrote them, and also judges what is not a number.
[[nodiscard]] std::string with_numbers_as_text(std::string_view line);

// The port's side of the protocol, for ports written in C++.
enum class request_kind : std::uint8_t { start, run, stop, unknown };
struct request {
  request_kind kind = request_kind::unknown;
  std::string system;          // of start
  std::uint64_t id = 0;        // of run
  std::vector<history> cases;  // of run
};
// Before the start, `started` is null: the request then has only its kind and, for a start, its system.
[[nodiscard]] request parse_request(std::string_view line, shape const* started);
[[nodiscard]] std::string start_reply(shape const& s, capabilities const& port);
[[nodiscard]] std::string run_reply(shape const& s, std::uint64_t id, std::span<history const> cases,
                                    std::span<result const> results);
[[nodiscard]] std::string error_reply(std::string_view why);

}  // namespace backoff::protocol
