"""How a check that looks for places ends: each place on a line, then how many there are."""
from collections.abc import Iterable


def report(places: Iterable[str], about: str) -> int:
    """Prints the places and "ABOUT"; returns the exit code: 0 where there is none, else 1."""
    listed = list(places)
    print(*listed, sep="\n", end="\n" if listed else "")
    print(about.format(len(listed)))
    return 1 if listed else 0
