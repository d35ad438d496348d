#include "full_jitter.hpp"

namespace backoff::bench {

aws_backoff_algorithm::decision<std::uint32_t> core_next(core_cycle& c, std::uint32_t draw) { return c.next(draw); }

}  // namespace backoff::bench
