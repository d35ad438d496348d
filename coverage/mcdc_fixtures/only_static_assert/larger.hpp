#pragma once

template <class T>
constexpr T larger(T one, T other) noexcept
{ // GAP
    return one > other ? one : other;
}
