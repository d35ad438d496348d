// The files of theorems: one about the kernels, one a system.
#pragma once

#include <vector>

namespace backoff::proof {

struct theorem;

std::vector<theorem> kernel_theorems();
#define BACKOFF_SYSTEM(stem) std::vector<theorem> stem##_theorems();
#include "systems.def"
#undef BACKOFF_SYSTEM

}  // namespace backoff::proof
