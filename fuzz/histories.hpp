// What fuzz targets of histories share: inputs are histories, as the byte decoder has them or in their JSON form, and
// are changed as histories are. A target says of which system, and what a port of it takes; histories.cpp has
// libFuzzer's hooks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "histories/shape.hpp"

namespace backoff::fuzz {

class target {
 public:
  virtual ~target() = default;
  [[nodiscard]] virtual histories::shape const& shape() const = 0;
  [[nodiscard]] virtual histories::domain const& takes() const = 0;
  // The history of bytes. has_codec: it is what histories/decode.hpp makes of them, so that it can be said in bytes
  // again.
  [[nodiscard]] virtual histories::history decode(std::span<std::uint8_t const> bytes) const;
  [[nodiscard]] virtual bool has_codec() const { return true; }
  // Numbers that whatever is tried compares others with, as far as that is known.
  [[nodiscard]] virtual std::span<std::int64_t const> compared_with() const { return {}; }
  // Tries them, in this order. What is found is filed; the process may then end as if it had crashed, as
  // fuzzers want it.
  virtual void run(std::vector<histories::history> const& histories) = 0;
  // The finding that this input is, if it is one, shrunk and filed; whether it is.
  virtual bool file(std::vector<histories::history> const& histories) = 0;
};

// The target of this program. The first call makes it.
[[nodiscard]] target& the_target();

// The histories of an input: bytes are one.
[[nodiscard]] std::vector<histories::history> histories_of(target const& of, std::span<std::uint8_t const> bytes);

}  // namespace backoff::fuzz
