#pragma once
#include "../both_macro.h"

// What a macro expands to is booked on its use, wherever it is defined.
#define IS_BIG(value) ((value) > 5)

inline bool positive(int one, int other) noexcept
{
    return BOTH(one > 0, other > 0); // GAP
}

inline bool mixed(int one, bool other) noexcept
{
    return other && IS_POSITIVE(one); // GAP
}

inline bool mixed_here(int one, bool other) noexcept
{
    return other && IS_BIG(one); // GAP
}
