#pragma once

// Complete for short, half tested for int: merged by line it is complete.
template <class T>
bool in_range(T value) noexcept
{
    return value > 0 && value < 10; // GAP
}
