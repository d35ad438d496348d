#pragma once

inline int twice(int value) noexcept
{
    return 2 * value;
}

inline int thrice(int value) noexcept
{ // GAP
    return 3 * value;
}
