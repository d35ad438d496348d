#include "window.hpp"

int main(int one, char**)
{
    const bool yes = one == 1;
    const bool hots = opens(yes, !yes, yes) && !opens(yes, !yes, !yes);
    return hots && !opens(!yes, yes, !yes) && !opens(!yes, !yes, yes) ? 0 : 1;
}
