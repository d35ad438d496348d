#pragma once

inline int count(bool value) noexcept
{
    return value ? 1 : 0;
}

// Clang warns that it does not measure the outer decision, and -Werror lets that pass.
inline bool nested(int one, int other) noexcept
{
    return one > 0 && count(one > 1 || other > 1); // GAP
}
