// The library's side of retry_control.h.
#pragma once

#include "backoff/azure_c_retry_control.hpp"

namespace backoff::bench {

// As plain_should_retry.
int core_should_retry(azure_c_retry_control::retry_control& c, std::int64_t now, azure_c_retry_control::draw drawn);

}  // namespace backoff::bench
