#pragma once
// What an honest 100 % looks like, with every shape the gate must not trip over.

constexpr bool inside(int value, int low, int high) noexcept
{
    return low <= value && value <= high;
}

// Complete only over both programs' sources together.
template <class T>
int sign(T value) noexcept
{
    if (value < 0) {
        return -1;
    }
    return value > 0 ? 1 : 0;
}

// Each source has a copy of its own, and one of them does not use it.
static inline int larger(int one, int other) noexcept
{
    return one > other ? one : other;
}

// Each source has a copy of its own, and they are complete together.
static inline int smaller(int one, int other) noexcept
{
    return one < other ? one : other;
}

// An arm that an instance does not select is no gap of it.
template <class T>
int bytes(T value) noexcept
{
    if constexpr (sizeof(T) == 4) {
        return value != 0 ? 4 : 0;
    } else {
        return 2;
    }
}

struct Point {
    int x;
    int y;
    friend bool operator==(Point const&, Point const&) = default;
};
