#include "sign.hpp"

int main(int one, char**) { return sign(one) == 1 ? 0 : 1; }
