"""Retry Utilities 202009.00 once more: a reset sets the window to the initial back-off plus jitter, a back-off sleeps
within the window and then doubles it, up to the maximum; as many times as attempts are allowed."""
import math
from fractions import Fraction

from answers import EPSILON, HUNDREDTH, draw_of, mapped, near, number, real_numbers, sorts_of_mapping, whole_numbers

FEATURES = {"instances", "state"}


def go_together(reading, about):
    return sorts_of_mapping(reading, about) and sorts_of_mapping(reading, about, "jitter-mapping", "jitter-resolution")


class Windows:
    """What a window may be: low, low + step, … up to high, and perhaps most; with step 0, any real number in between."""

    def __init__(self, low, high, step, most):
        self.low, self.high, self.step, self.most, self.or_most = low, high, step, most, False
        self.are_two = step > 0 and high - low <= 1
        self.part(most, lambda w: w > most)

    def part(self, bound, capped):
        """Those that are capped become the maximum; they are above the bound, or are the bound."""
        if capped(self.low):
            self.low, self.high, self.or_most = self.most, self.most, False
        elif capped(self.high):
            self.high, self.or_most = bound, True
            if self.step:
                self.high -= (bound - self.low) % self.step
                if capped(self.high):
                    self.high -= self.step

    def widen(self):
        half = Fraction(self.most, 2)
        self.part(half, lambda w: w > half)
        self.low, self.high, self.step = min(2 * self.low, self.most), min(2 * self.high, self.most), 2 * self.step

    def longest(self):
        return self.most if self.or_most else self.high

    def written(self):
        if self.step == 0:
            return real_numbers(self.low, self.longest())
        return whole_numbers(self.low, self.high, 1 if self.low == self.high else self.step,
                             self.most if self.or_most else None)


def between_0_and(most, bound, mapping, resolution, step, about):
    """The least and the largest random number between 0 and most, and the distance of those in between; 0: any real."""
    if most == 0:
        return 0, 0, 1
    numbers = most + 1 if bound == "inclusive" else max(most, 1)
    if mapping == "other":
        return (0, most, 0) if resolution == "real" else (0, numbers - 1, 1)
    r, size = draw_of(step["draw"], about)
    if mapping == "real":
        x = Fraction(r, size) * most
        return x, x, 0
    if mapping == "near" and resolution == "real":
        return *near(r, size, most, most, HUNDREDTH), 0
    return *mapped(r, size, most, numbers, mapping), 1


class Cycle:
    def __init__(self, params, step, reading, about):
        how = reading["jitter-bound"], reading["jitter-mapping"], reading["jitter-resolution"]
        low, high, distance = between_0_and(params["max_jitter_s"], *how, step, about)
        first = params["initial_backoff_s"]
        self.done = 0
        self.window = Windows(first + low, first + high, distance, params["max_backoff_s"])
        self.as_set = first + low, first + high

    def state(self, about):
        if "state" not in about["features"]:
            return {}
        shown = self.window.written()
        if self.done == 0 and self.as_set[1] > self.window.most:  # as the reset sets it, or within the maximum already
            ends = min(self.as_set[0], self.window.most), self.as_set[1]
            if self.as_set[0] == self.as_set[1] and self.as_set[0] % 1 == 0:
                shown = whole_numbers(*ends, ends[1] - ends[0])
            else:
                shown = whole_numbers(*ends) if self.window.step else real_numbers(*ends)
        return {"attempts_done": number(self.done), "next_jitter_max": shown}


def sleep(windows, step, reading, about):
    """Within a window, or where a computed jitter leaves several of them, within any."""
    how = reading["upper-bound"], reading["draw-mapping"], reading["delay-resolution"]
    narrow, wide = windows.low, windows.longest()

    def drawn(window):
        return between_0_and(window, *how, step, about)
    if wide == 0 or (narrow == wide and wide % 1 == 0):
        low, high, distance = drawn(wide)
        return whole_numbers(low, high) if distance else real_numbers(low, high)
    mapping = how[1]
    if mapping == "real" or (mapping in ("near", "other") and how[2] == "real"):
        low, high = drawn(narrow)[0], drawn(wide)[1]
        is_either = mapping == "real" and low < high and windows.are_two
        return {"any": [number(low), number(high)]} if is_either else real_numbers(low, high)
    ends = math.floor(narrow), math.ceil(wide)
    longest = math.floor(wide * (1 + EPSILON))  # doubles take what is nearly whole for whole
    (a, b, _), (c, d, _) = map(drawn, ends)
    are_two = windows.are_two if windows.step else ends[1] - ends[0] <= 1
    if mapping not in ("near", "other") and are_two:
        low, high = min(a, c), max(b, d)
        step_between = high - low if a == b and c == d and high > low else 1
        return whole_numbers(low, min(high, longest) if step_between == 1 else high if high <= longest else low, step_between)
    if mapping == "modulo" and remainders_differ(step, how[0], ends, about):
        return whole_numbers(0, min(ends[1] - (how[0] == "exclusive"), longest))
    return whole_numbers(min(a, c), min(max(b, d), longest))


def remainders_differ(step, bound, ends, about):
    """Whether the draw leaves other quotients in the narrowest window than in the widest."""
    r, _ = draw_of(step["draw"], about)
    least, most = (end + (bound == "inclusive") for end in ends)
    return least == 0 or r // least != r // most


def answers(case, reading, about):
    params = {name: int(value) for name, value in case["params"].items()}
    limit = params["max_attempts"]
    cycles = {}  # of each instance
    for step in case["steps"]:
        on = step.get("on", "0")
        if step["op"] == "reset":
            cycles[on] = Cycle(params, step, reading, about)
            yield {"status": "ok", **cycles[on].state(about)}
            continue
        cycle = cycles[on]
        if limit == 0 or cycle.done < limit:
            slept = sleep(cycle.window, step, reading, about)
            cycle.window.widen()
            cycle.done += 1
            yield {"status": "retry", "slept_s": slept, **cycle.state(about)}
        else:
            if reading["exhaustion-state"] == "resets-itself":
                cycles[on] = Cycle(params, step, reading, about)
            yield {"status": "exhausted", **cycles[on].state(about)}


def span(field):
    if isinstance(field, str):
        return Fraction(field), Fraction(field)
    also = [Fraction(value) for value in [*field.get("any", ()), *([field["or"]] if "or" in field else ())]]
    ends = [Fraction(field[end]) for end in field if end in ("from", "to", "low", "high")] + also
    return min(ends), max(ends)


def same(mine, vector):
    """Where a window that is shown may be one of several, a vector may name all that lie between them."""
    shown, window = "next_jitter_max", mine.get("next_jitter_max")
    return isinstance(window, dict) and shown in vector and {**mine, shown: 0} == {**vector, shown: 0} \
        and span(window) == span(vector[shown])
