// Full jitter for C, for each width. Checked by: spec/tests/c_abi_test.cpp, lib/package/sizes.
#pragma once

#include "backoff.h"
#include "backoff/aws_backoff_algorithm.hpp"
#include "state.hpp"

namespace backoff::c_abi {

static_assert(BACKOFF_OK == static_cast<int>(aws_backoff_algorithm::status::retry));
static_assert(BACKOFF_EXHAUSTED == static_cast<int>(aws_backoff_algorithm::status::exhausted));

template <class W, class State>
backoff_status next_delay(State* state, std::uint32_t draw, W* delay_ms) noexcept {
  auto const decided = value_in<aws_backoff_algorithm::full_jitter<W>>(state).next(draw);
  *delay_ms = decided.delay_ms;
  return static_cast<backoff_status>(decided.status);
}

}  // namespace backoff::c_abi
