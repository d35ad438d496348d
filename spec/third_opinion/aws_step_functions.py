"""Retries as AWS Step Functions is configured to make them, once more: retry n comes after interval_s * backoff_rate^n,
n retries before it; 3, 4.5 and 6.75 seconds in the document's example."""
from answers import EPSILON, number, real_numbers
from fractions import Fraction
import math

FEATURES = {"instances"}
UNITS = {"second": 1, "millisecond": 10**3, "microsecond": 10**6, "nanosecond": 10**9}
TOLD_APART = 2**41  # s; beyond, the next whole second is within what the protocol allows, and rounding shows nothing
ENDLESS = 10**98  # s; an answer that is longer counts as this
HELD = 2147483  # s, what a port holds at least: the whole seconds of 2^31 - 1 ms


def go_together(reading, about):
    return reading["delay-rounding"] != "exact" or reading["rounding-unit"] == "second"  # nothing to ask


def nearest_even(x):
    return round(x)  # as Fraction does it


ROUND = {"floor": math.floor, "ceil": math.ceil, "nearest": lambda x: math.floor(x + Fraction(1, 2)),
         "nearest-even": nearest_even}


def exact_in_doubles(x, rate):
    return rate * 8 % 1 == 0 and x < 2**32 and x * 2**20 % 1 == 0


def off(x, rate):
    """As far as a port in doubles may be off."""
    return 0 if exact_in_doubles(x, rate) else x * EPSILON


def rounded(low, high, rate, how, unit):
    """What rounding makes of the numbers from low to high."""
    f, start = ROUND.get(how.removesuffix("-each-step")), low

    def of(x, by):
        return Fraction(f((x + by) * unit), unit) if f and start < TOLD_APART else x

    return of(low, -off(low, rate)), of(high, off(high, rate))


def waits(params, reading):
    """The least and the largest wait before each retry."""
    rate = Fraction(params["backoff_rate"])
    how, unit = reading["delay-rounding"], UNITS[reading["rounding-unit"]]
    low = high = Fraction(params["interval_s"])  # as it is configured: nothing is computed
    before, time = None, (low, high)
    while True:
        if before is None or reading["delay-origin"] == "previous-try":
            yield time
        else:
            # Subtracting times that are not rounded, a port is off as far as it is in either.
            is_rounded = how != "exact" and time[0] < TOLD_APART
            off_by = [0 if is_rounded else off(time[end], rate) + off(before[1 - end], rate) for end in (0, 1)]
            yield max(time[0] - before[1] - off_by[0], 0), time[1] - before[0] + off_by[1]
        before = time
        if how.endswith("-each-step"):
            low, high = time
        low, high = low * rate, high * rate
        time = rounded(low, high, rate, how, unit)


def answers(case, reading, about):
    limit = int(case["params"]["max_attempts"])
    runs = {}  # of each instance: its waits, and how many are granted
    for step in case["steps"]:
        run = runs.setdefault(step.get("on", "0"), [waits(case["params"], reading), 0])
        if run[1] == limit:
            yield {"status": "exhausted"}
            continue
        run[1] += 1
        low, high = next(run[0])
        yield {"status": "retry", "delay_s": real_numbers(min(low, HELD), high) if high < ENDLESS else {"low": str(HELD)}}


def same(mine, vector):
    """Vectors round outwards what has become long: to 90 decimals after thirty factors, and to whole seconds where
    nobody can tell them apart."""
    if mine == vector:
        return True
    a, b = ends(mine), ends(vector)
    return a is not None and b is not None and mine["status"] == vector["status"] and all(
        abs(x - y) <= y * (EPSILON if y > HELD else Fraction(1, 10**80)) for x, y in zip(a, b))


def ends(answer):
    delay = answer.get("delay_s")
    if isinstance(delay, dict):
        return [Fraction(delay[end]) for end in ("low", "high")] if delay.keys() == {"low", "high"} else None
    return delay and [Fraction(delay)] * 2
