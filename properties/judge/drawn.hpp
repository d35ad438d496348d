// The draw that a call carries, as the models take it. Checked by: properties/judge/judge_test.cpp.
#pragma once

#include "history/shape.hpp"
#include "model/full_jitter.hpp"

namespace backoff::conformance {

// Hidden where the call carries none: the port drew for itself.
inline spec::draw drawn(value const& v, draw_source const& draws) noexcept {
  if (v.is == value::kind::absent) return {spec::draw::kind::hidden, 0, draws.size};
  return {draws.is, static_cast<std::uint64_t>(v.n), draws.size};
}

}  // namespace backoff::conformance
