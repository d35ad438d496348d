#include "larger.hpp"

static_assert(larger(1L, 2L) == 2 && larger(2L, 1L) == 2);

int main(int one, char**) { return larger(one, 0) == 1 && larger(one, 2) == 2 ? 0 : 1; }
