#include "nested.hpp"

int main(int one, char**) { return nested(2, one) && nested(one, 2) && !nested(one, one) && !nested(-one, 2) ? 0 : 1; }
