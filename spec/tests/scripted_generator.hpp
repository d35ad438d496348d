// A generator of 32 bits for tests: draws from a list, over and over, and throws where there is none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace backoff {

struct scripted_generator {
  using result_type = std::uint32_t;
  std::vector<result_type> draws{};
  std::size_t taken = 0;

  static constexpr result_type min() noexcept { return 0U; }
  static constexpr result_type max() noexcept { return 0xffff'ffffU; }
  result_type operator()() {
    if (draws.empty()) throw std::runtime_error("no draw is to be taken");
    return draws[taken++ % draws.size()];
  }
};

}  // namespace backoff
