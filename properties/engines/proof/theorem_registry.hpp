// The files of theorems: one about the kernels, one a system.
#pragma once

#include <vector>

#include "layers.hpp"

namespace backoff::engines::proof {

struct theorem;

std::vector<theorem> kernel_theorems();

}  // namespace backoff::engines::proof

namespace backoff::systems {

#define BACKOFF_SYSTEM(stem) std::vector<theorem> stem##_theorems();
#include "systems.def"
#undef BACKOFF_SYSTEM

}  // namespace backoff::systems
