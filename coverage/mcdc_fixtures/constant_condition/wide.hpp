#pragma once

// A constant condition cannot be shown; the other one can, for the type that gets to it.
template <class T>
bool wide_and_positive(T value) noexcept
{
    return sizeof(T) > 2 && value > 0;
}

template <class T>
bool wide_and_negative(T value) noexcept
{
    return sizeof(T) > 2 && value < 0; // GAP
}
