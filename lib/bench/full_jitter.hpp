// The library's side of full_jitter.h.
#pragma once

#include "backoff/aws_backoff_algorithm.hpp"

namespace backoff::bench {

using core_cycle = aws_backoff_algorithm::full_jitter<std::uint32_t>;
aws_backoff_algorithm::decision<std::uint32_t> core_next(core_cycle& c, std::uint32_t draw);

}  // namespace backoff::bench
