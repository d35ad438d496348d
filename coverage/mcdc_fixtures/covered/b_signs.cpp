#include "shapes.hpp"

int signs_below(int one) { return sign(smaller(one, 0)) + sign(one - 2); }
