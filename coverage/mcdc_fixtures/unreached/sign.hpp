#pragma once

// What is inside a region that never ran is no gap of its own.
inline int sign(int value, bool strict) noexcept
{
    if (value <= 0) // GAP
        return strict && value == 0 ? 0 : -1; // GAP
    return 1;
}
