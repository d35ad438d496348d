#include "retry_control.hpp"

namespace backoff::bench {

int core_should_retry(azure_c_retry_control::retry_control& c, std::int64_t now, azure_c_retry_control::draw drawn) {
  auto const decided =
      azure_c_retry_control::should_retry(c, [now]() noexcept { return now; }, [drawn]() noexcept { return drawn; });
  return decided.decided ? static_cast<int>(decided.action) : -1;
}

}  // namespace backoff::bench
