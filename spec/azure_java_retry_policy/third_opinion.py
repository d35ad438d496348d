"""The retry policies of the Azure IoT device SDK for Java once more:
F(x) = min(Cmin + (2^(x-1) - 1) * rand(C * (1 - Jd), C * (1 - Ju)), Cmax), for errors that can be retried."""
import math
from fractions import Fraction

from answers import EPSILON, HUNDREDTH, draw_of, mapped, near, number, real_numbers, whole_numbers

FEATURES = {"instances", "total_time", "errors", "custom_policy"}
HALF = Fraction(1, 2)
DEFAULTS = {"c_ms": "100", "cmin_ms": "100", "cmax_ms": "10000", "jd": "0.5", "ju": "0.25"}


def go_together(reading, about):
    """A real rand is mapped as a real number, an integer one in whole numbers; a unit draw has no remainder and is not
    divided; near serves both."""
    mapping = reading["draw-mapping"]
    if about["draws"] == "opaque" or mapping == "other":
        return mapping == "other"
    if mapping in ("modulo", "divided") and about["draw_kind"] == "unit":
        return False
    return mapping == "near" or (mapping == "real") == (reading["rand-kind"] == "real")


def rand(p, step, reading, about):
    """The least and the largest that may be drawn, and the distance of those in between; 0: any real number."""
    a, b = p["c_ms"] * (1 - p["jd"]), p["c_ms"] * (1 - p["ju"])
    mapping, inverted = reading["draw-mapping"], a > b  # no way is documented from a higher end to a lower one
    if reading["rand-kind"] == "real":
        if mapping == "other" or inverted:
            return min(a, b), max(a, b), 0
        r, size = draw_of(step["draw"], about)
        if mapping == "near":
            return *[a + share for share in near(r, size, b - a, b - a, 0)], 0
        return *[a + Fraction(r, size) * (b - a)] * 2, 0
    off = 0 if p["jd"] * 8 % 1 == p["ju"] * 8 % 1 == 0 else EPSILON  # doubles hold eighths
    low, at_most = (math.floor(min(a, b) * f) for f in (1 - off, 1 + off))
    at_least, high = (math.floor(max(a, b) * f) for f in (1 - off, 1 + off))
    if inverted or low != at_most or high != at_least:
        return low, high, 1  # nor which of inverted ends is the upper one, nor what doubles make of ends
    last = high - 1 if reading["rand-kind"] == "integer-exclusive" and low < high else high
    if mapping == "other":
        return low, last, 1
    r, size = draw_of(step["draw"], about)
    least, most = mapped(r, size, high - low, last - low + 1, mapping)
    return low + least, low + most, 1


def rounded(low, high, reading):
    if reading["delay-rounding"] == "truncate":
        return math.floor(low), math.floor(high)
    if reading["delay-rounding"] == "ceil":
        return math.ceil(low), math.ceil(high)
    return math.ceil(low - HALF), math.floor(high + HALF)


def delay(p, x, step, reading, about):
    """What the wait may be. Of a rounded one: what it may be for sure, and what it may be at most if the port computes
    in doubles and is off."""
    how = reading["error-shapes-delay"] if step.get("error") == "service" else "count-alone"
    if how == "longest":
        return number(p["cmax_ms"])
    times = 2 if how == "doubled" else 1
    factor = Fraction(2) ** (min(x, 300) - 1) - 1  # beyond, every factor but 0 is past every maximum
    least, most = min(times * p["cmin_ms"], p["cmax_ms"]), p["cmax_ms"]
    first, last, by = rand(p, step, reading, about)
    low, high = sorted(times * (p["cmin_ms"] + factor * end) for end in (first, last))
    by *= times * abs(factor)
    is_near = reading["draw-mapping"] == "near" and reading["rand-kind"] == "real"
    if is_near and factor and p["jd"] >= p["ju"] and low < most:
        low, high = low - HUNDREDTH, high + HUNDREDTH

    def held(end):
        return min(max(end, least), most)

    if by and by.denominator == low.denominator == 1 and low <= most:
        if high > most:
            return whole_numbers(low, low + (most - low) // by * by, by, most)
        return whole_numbers(low, high, by)
    if reading["delay-rounding"] == "exact":
        return real_numbers(held(low), held(high))
    off = min(high, most) * EPSILON
    return [rounded(held(low), held(high), reading), rounded(held(low - off), held(high + off), reading)]


def within(delay, room, off):
    """The decision about a delay that may not be longer than the time that is left, or if it is real, than that and
    what a port in doubles may be off."""
    if isinstance(delay, list):
        low, high, left = delay[0][0], delay[0][1], [(least, min(most, room)) for least, most in delay]
    elif isinstance(delay, str) or "low" in delay:
        low, high = (Fraction(delay if isinstance(delay, str) else delay[end]) for end in ("low", "high"))
        left = delay if isinstance(delay, str) else real_numbers(low, min(high, Fraction(room) + off))
    else:
        low, last, step = (int(delay.get(name, 1)) for name in ("from", "to", "step"))
        high = int(delay.get("or", last))
        also = high if "or" in delay and high <= room else None
        off, left = 0, whole_numbers(low, last if last <= room else low + (room - low) // step * step, step, also)
    if low > room + off:
        return {"retry": False}
    if high <= room - off:
        return {"retry": True, "delay_ms": delay}
    return {"retry": {"any": [False, True]}, "delay_ms": left}


def longest(delay):
    if isinstance(delay, list):
        return delay[0][1]
    return Fraction(delay if isinstance(delay, str) else delay.get("or") or delay.get("high") or delay["to"])


def passes(step, reading):
    """Whether the filter lets the error through."""
    if step.get("error") == "service":
        return reading["service-filter"] == "passes"
    return step["error"] == "protocol" if "error" in step else step["retryable"]


def decision(case, p, step, reading, about):
    policy, total = case["params"]["policy"], case["params"].get("total_time_ms")
    if policy == "no_retry" or not passes(step, reading) or (policy == "custom" and not step["custom_retry"]):
        return {"retry": False}
    if policy != "custom" and step.get("error") == "service" and reading["error-shapes-delay"] == "ends":
        return {"retry": False}
    found = step["custom_delay_ms"] if policy == "custom" else delay(p, int(step["retry_count"]), step, reading, about)
    if total is None:
        return {"retry": True, "delay_ms": found}
    room = int(total) - int(step["elapsed_ms"])
    if reading["total-time"] == "has-been-exceeded":
        return {"retry": True, "delay_ms": found} if room >= 0 else {"retry": False}
    computed = policy != "custom" and reading["delay-rounding"] == "exact"
    off = (int(total) + longest(found)) * EPSILON if computed else 0
    exact, loose = within(found, room, 0), within(found, room, off)
    if isinstance(found, list) and found[1][0] <= room < found[1][1]:
        loose = {"retry": {"any": [False, True]}, "delay_ms": [tuple(min(end, room) for end in ends) for ends in found]}
    return exact if exact == loose else {**exact, "if doubles are off": loose}


def consulted(case, step, reading, about):
    """Whether a policy of the user's was asked; of a built-in one, only the port could know."""
    if "custom_policy" not in about["features"]:
        return {}
    if case["params"]["policy"] != "custom":
        return {"consulted": {"any": [False, True]}}
    retried = passes(step, reading)
    if int(step.get("elapsed_ms", 0)) > int(case["params"].get("total_time_ms", 2**64)) and retried:
        return {"consulted": {"any": [False, True]}}  # it need not be asked once time is over
    return {"consulted": retried}


def answers(case, reading, about):
    p = {name: Fraction(case["params"].get(name, value)) for name, value in DEFAULTS.items()}
    refused = (p["cmin_ms"] > p["cmax_ms"] or p["jd"] < p["ju"]) and reading["inverted-bounds"] == "rejected"
    for step in case["steps"]:
        said = {"status": "rejected"} if refused else decision(case, p, step, reading, about)
        yield said if refused else {**said, **consulted(case, step, reading, about)}


def same(mine, vector):
    mine = dict(mine)
    loose = mine.pop("if doubles are off", None)
    if loose and same({name: of for name, of in {**mine, "delay_ms": None, **loose}.items() if of is not None}, vector):
        return True
    if not isinstance(mine.get("delay_ms"), list):
        return mine == vector
    least, most = mine["delay_ms"]
    delay = vector.get("delay_ms", "none")
    ends = [delay.get("from"), delay.get("to")] if isinstance(delay, dict) else [delay] * 2
    if not all(isinstance(end, str) and end.lstrip("-").isdigit() for end in ends):
        return False
    low, high = map(int, ends)
    return {**mine, "delay_ms": whole_numbers(low, high)} == vector and \
        most[0] <= low <= least[0] and least[1] <= high <= most[1]
