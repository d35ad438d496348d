// SHA-256 (FIPS 180-4), so that a results file can be held to what was written. Checked by:
// properties/oracle/results_test.py, against Python's.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace backoff::oracle {

class sha256 {
 public:
  void add(std::string_view text) noexcept;
  // Of all that was added, in hexadecimal; more may be added after it.
  [[nodiscard]] std::string digest() const;

 private:
  void take_block(unsigned char const* block) noexcept;

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> block_{};
  std::uint64_t bytes_ = 0;
};

}  // namespace backoff::oracle
