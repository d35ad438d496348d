// The shipped headers, token for token, in words of the executor: in their namespace `std` is one whose integers are
// symbolic. The namespace around them has another name, so that the native library can be linked beside it.
// Checked by: executor_test.cpp, which computes with constants through these headers and natively.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "engines/proof/word.hpp"

namespace backoff_in_symbols::std {
using namespace ::std;
using uint16_t = backoff::engines::proof::word<16>;
using uint32_t = backoff::engines::proof::word<32>;
using uint64_t = backoff::engines::proof::word<64>;
using int64_t = backoff::engines::proof::word<64, true>;
}  // namespace backoff_in_symbols::std

#define backoff backoff_in_symbols
#include "backoff/aws_backoff_algorithm.hpp"
#include "backoff/aws_prescriptive_sample.hpp"
#include "backoff/aws_retry_utils.hpp"
#include "backoff/aws_step_functions.hpp"
#include "backoff/azure_c_retry_control.hpp"
#include "backoff/azure_java_retry_policy.hpp"
#undef backoff

namespace backoff::engines::proof {
namespace shipped = ::backoff_in_symbols;
using u16 = word<16>;
using u32 = word<32>;
using u64 = word<64>;
using i64 = word<64, true>;
static_assert(std::is_same_v<decltype(shipped::aws_prescriptive_sample::no_delay), u32 const>);
}  // namespace backoff::engines::proof
