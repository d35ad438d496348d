#include "twice.hpp"

int main(int one, char**) { return twice(one) == 2 ? 0 : 1; }
