"""How a check that looks for places ends: each place on a line, then how many there are."""


def report(places, about):
    """Prints the places and "ABOUT"; returns the exit code: 0 where there is none, else 1."""
    places = list(places)
    print(*places, sep="\n", end="\n" if places else "")
    print(about.format(len(places)))
    return 1 if places else 0
