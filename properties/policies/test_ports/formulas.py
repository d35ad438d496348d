"""What the formulas of all ports have in common."""
import math
from collections.abc import Callable, Mapping
from typing import NamedTuple


class Params(dict[str, float]):
    """The parameters with the arguments of the call: numbers, and beside them the words. What is forever or unset is left out."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        given = {name: text for name, text in texts.items() if text not in ("forever", "unset")}
        self.words = {name: text for name, text in given.items() if not (text[0].isdigit() or text[0] == "-")}
        super().__init__({name: float(text) for name, text in given.items() if name not in self.words})


# Takes them, the number of retries before, a draw from [0, 1) and the delay before.
Formula = Callable[[Params, int, float, float | None], float]
Limit = Callable[[Mapping[str, str]], float]


class Row(NamedTuple):
    formula: Formula
    unit: str = "ms"
    limit: float | Limit = math.inf  # how many retries there are
    goes_on: Callable[[Params, float, float], bool] = lambda p, waited, delay: True  # with the time waited and the delay
    counts: Callable[[Params], bool] = lambda p: True
    renews: Callable[[Params], bool] = lambda p: False


def power(base: float, n: int) -> float:
    """What a double can hold, so that a cap still works."""
    try:
        return float(base) ** n
    except OverflowError:
        return math.inf


def times(factor: float, grown: float) -> float:
    """A product where 0 times the infinite power of a late retry is 0."""
    return factor * grown if factor else 0


def doubled(first: float, n: int, most: float = math.inf) -> float:
    return min(most, first * power(2, n))


def around(window: float, share: float, u: float) -> float:
    """From a share below the window to a share above it."""
    return window * (1 + share * (2 * u - 1))


def listed(*delays: float) -> Formula:
    def one(p: Params, n: int, u: float, prev: float | None) -> float:
        return delays[min(n, len(delays) - 1)]
    return one


def granted(name: str, first_counts: bool = False) -> Limit:
    """How many retries a parameter grants; where the first try counts too, one less."""
    def limit(params: Mapping[str, str]) -> float:
        text = params[name]
        return math.inf if text == "forever" else int(text) - first_counts
    return limit
