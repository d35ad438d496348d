"""What the opinions on all systems share: how an answer is written in a vector, and what a draw is. Formulas are not."""
import math
from fractions import Fraction


def number(x):
    """An exact number: 7, or 9/2 as lowest terms."""
    return str(x if isinstance(x, int) else Fraction(x))


def whole_numbers(low, high, step=1, also=None):
    """low, low + step, … up to high, and one more where it is none of them; written in one way only."""
    if also is not None:
        if low == high:
            low, high, step, also = min(low, also), max(low, also), abs(also - low) or 1, None
        elif low <= also <= high and (also - low) % step == 0:
            also = None
        elif also == high + step:
            high, also = also, None
        elif also == low - step:
            low, also = also, None
    if low == high:
        return number(low)
    j = {"from": number(low), "to": number(high)}
    if step != 1:
        j["step"] = number(step)
    if also is not None:
        j["or"] = number(also)
    return j


def in_one_way(field):
    """What stands in a vector, written as whole_numbers writes it."""
    if isinstance(field, dict) and "from" in field:
        low, high, step = (int(field.get(name, 1)) for name in ("from", "to", "step"))
        return whole_numbers(low, high, step, int(field["or"]) if "or" in field else None)
    if isinstance(field, dict):
        return {name: in_one_way(part) for name, part in field.items()}
    return field


def real_numbers(low, high):
    """Any number between these, both included."""
    return number(low) if low == high else {"low": number(low), "high": number(high)}


EPSILON = Fraction(1, 2**40)  # as far as real numbers may be off, says the protocol


def scaled(r, size, numbers):
    """floor(r * numbers / size), the least and the largest that it may be where the quotient is computed as real numbers
    are. Upwards it may then reach the next whole number; downwards only if the size is no power of two, for what divides
    by these divides exactly."""
    x = Fraction(r * numbers, size)
    low = x if size & (size - 1) == 0 else x * (1 - EPSILON)
    return math.floor(low), min(math.floor(x * (1 + EPSILON)), numbers - 1)


HUNDREDTH = Fraction(1, 100)


def near(r, size, width, numbers, unit):
    """What is within `unit` and one of the draws, or of 2^22 parts, of the draw's share of numbers; from 0 to width."""
    share, slack = Fraction(r * numbers, size), unit + Fraction(numbers, min(size, 2**22))
    return max(share - slack, 0), min(share + slack, width)


def mapped(r, size, width, numbers, mapping):
    """The least and the largest of the whole numbers that the draw may become, of 0 .. numbers - 1. The last draws are near
    width even if that is one of the numbers no more."""
    if mapping == "near":
        is_last = near(r, size, numbers, numbers, 0)[1] == numbers
        low, high = near(r, size, width if is_last else numbers - 1, numbers, 1)
        return math.ceil(low), math.floor(high)
    if mapping == "modulo":
        return r % numbers, r % numbers
    if mapping == "divided":
        return (r // ((size - 1) // numbers + 1),) * 2
    return scaled(r, size, numbers)


def draw_of(written, about):
    """(r, S): r of the S equally likely numbers 0 .. S - 1. A unit draw is the quotient of the two."""
    if isinstance(written, dict):
        return int(written["num"]), int(written["den"])
    return int(written), int(about["rand_max"]) + 1 if about["draw_kind"] == "rand" else 2**32


def sorts_of_mapping(reading, about, of="draw-mapping", resolution="delay-resolution"):
    """Whether these readings of a mapping and its resolution go together, for what such a port is given: real gives real
    numbers and the other exact mappings whole ones; a draw from [0, 1) has no remainder and is not divided; and nothing
    is mapped where draws are hidden."""
    mapping = reading[of]
    if about["draws"] == "opaque":
        return mapping == "other"
    if mapping in ("near", "other"):
        return True
    if mapping in ("modulo", "divided") and about["draw_kind"] == "unit":
        return False
    return (mapping == "real") == (reading[resolution] == "real")
