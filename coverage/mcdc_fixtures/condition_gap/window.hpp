#pragma once

// The tests take both branches of every condition, and no test notices if `warm` is left out.
inline bool opens(bool hot, bool warm, bool dry) noexcept
{
    return (hot || warm) && dry; // GAP
}
