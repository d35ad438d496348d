#pragma once

inline int sign(int value) noexcept
{
    if (value < 0) // GAP
        return -1; // GAP
    return 1;
}
