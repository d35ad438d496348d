"""Retries as AWS Step Functions is configured to make them, once more: retry n comes after interval_s * backoff_rate^n,
n retries before it; 3, 4.5 and 6.75 seconds in the document's example."""
import math
from fractions import Fraction

from answers import EPSILON, number, real_numbers

FEATURES = {"instances"}
UNITS = {"millisecond": 10**3, "microsecond": 10**6, "nanosecond": 10**9}
TOLD_APART = 2**41  # s; beyond, the next whole second is within what the protocol allows, and rounding shows nothing
ENDLESS = 10**80  # s; an answer that is longer counts as at least this
HELD = 2147483  # s, what a port holds at least: the whole seconds of 2^31 - 1 ms
ONE_PRODUCT = Fraction(1, 2**50)  # as far as a port in doubles may be off after one product, which it then rounds


def go_together(reading, about):
    return reading["delay-rounding"] != "exact" or reading["rounding-unit"] == "millisecond"  # nothing to ask


def nearest_even(x):
    return round(x)  # as Fraction does it


ROUND = {"floor": math.floor, "ceil": math.ceil, "nearest": lambda x: math.floor(x + Fraction(1, 2)),
         "nearest-even": nearest_even}


def exact_in_doubles(x, rate):
    return rate * 8 % 1 == 0 and x < 2**32 and x * 2**20 % 1 == 0


def rounded(low, high, rate, how, unit, factors):
    """What rounding makes of the numbers from low to high, products of the factors: a port in doubles may be off before it
    rounds."""
    f = ROUND.get(how.removesuffix("-each-step"))
    if not f or low >= TOLD_APART:
        return low, high
    off = ONE_PRODUCT if how.endswith("-each-step") else EPSILON

    held = all(exact_in_doubles(x, rate) for x in factors)

    def of(x, sign):
        return Fraction(f((x if held and exact_in_doubles(x, rate) else x + sign * x * off) * unit), unit)

    return of(low, -1), of(high, 1)


def waits(params, reading):
    """The least and the largest wait before each retry, and whether there is any between them. What is rounded at each
    step is carried on as it was answered: where that is one of two, nothing more is known, but of two that nobody tells
    apart."""
    rate = Fraction(params["backoff_rate"])
    how, unit = reading["delay-rounding"], UNITS[reading["rounding-unit"]]
    carried = (Fraction(params["interval_s"]),) * 2  # as it is configured: nothing is computed
    yield *carried, True
    while True:
        factors, carried = carried, (carried[0] * rate, carried[1] * rate)
        low, high = rounded(*carried, rate, how, unit, factors)
        yield low, high, high - low != Fraction(1, unit) or high - low <= high * EPSILON
        if how.endswith("-each-step"):
            carried = low, high


def wait(low, high, between):
    if low > HELD or high > HELD:
        return real_numbers(min(low, HELD), high) if high < ENDLESS else {"low": str(HELD)}
    return real_numbers(low, high) if between else {"any": [number(low), number(high)]}


def undecided(answer):
    """Whether what comes depends on it: on which of several values is carried on, or whether the port saturates."""
    return isinstance(answer.get("delay_s"), dict)


def answers(case, reading, about):
    limit = int(case["params"]["max_attempts"])
    runs = {}  # of each instance: its waits, and how many are granted
    for step in case["steps"]:
        run = runs.setdefault(step.get("on", "0"), [waits(case["params"], reading), 0])
        if run[1] == limit:
            yield {"status": "exhausted"}
            continue
        run[1] += 1
        yield {"status": "retry", "delay_s": wait(*next(run[0]))}


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
