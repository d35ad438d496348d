#include "sign.hpp"

int main(int one, char**) { return sign(one, one == 1) == 1 ? 0 : 1; }
