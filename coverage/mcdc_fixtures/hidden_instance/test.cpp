#include "range.hpp"

int main(int one, char**)
{
    const auto small = short(one);
    const bool shorts = in_range(small) && !in_range(short(-small)) && !in_range(short(10 * small));
    return shorts && in_range(one) && !in_range(-one) ? 0 : 1;
}
