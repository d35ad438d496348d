"""What the formulas of all ports have in common."""
import math
from collections import namedtuple

# A formula takes the parameters with the arguments of the call, the number of retries before, a draw from [0, 1) and the delay
# before. The limit is how many retries there are: a number, or a function of the parameters. goes_on takes the parameters, the
# time waited and the delay; counts and renews take the parameters.
Row = namedtuple("Row", "formula unit limit goes_on counts renews",
                 defaults=("ms", math.inf, lambda p, waited, delay: True, lambda p: True, lambda p: False))


def power(base, n):
    """What a double can hold, so that a cap still works."""
    try:
        return float(base) ** n
    except OverflowError:
        return math.inf


def times(factor, grown):
    """A product where 0 times the infinite power of a late retry is 0."""
    return factor * grown if factor else 0


def doubled(first, n, most=math.inf):
    return min(most, first * power(2, n))


def around(window, share, u):
    """From a share below the window to a share above it."""
    return window * (1 + share * (2 * u - 1))


def listed(*delays):
    def one(p, n, u, prev):
        return delays[min(n, len(delays) - 1)]
    return one


def granted(name, first_counts=False):
    """How many retries a parameter grants; where the first try counts too, one less."""
    def limit(params):
        text = params[name]
        return math.inf if text == "forever" else int(text) - first_counts
    return limit
