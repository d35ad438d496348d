"""For packages that sleep by themselves and run a whole cycle of retries in one call. Random numbers are given: the functions of
the module random are those of an instance whose random() is given, which is how that module says that its generator is
replaced. To be imported before the package, which may take functions from it.
"""
import contextlib
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "helpers/python"))


class Given(random.Random):
    draw = 0.0

    def random(self):
        return self.draw


class Failure(Exception):
    """Of the operation that is retried."""


given = Given()
for name in ("random", "uniform", "randint", "randrange", "triangular"):
    setattr(random, name, getattr(given, name))


def port_of(cycle, named="delay_ms", per_second=1000):
    """The port of a package: cycle(params, operation, slept) runs one whole cycle, and slept(seconds) is its sleep. named: the
    field of the delay.
    """
    def waits(params, draws):
        """How long it sleeps before each retry of an operation that fails once for each draw, and then succeeds."""
        left, found = iter(draws), []

        def operation():
            for given.draw in left:
                raise Failure
        with contextlib.suppress(Failure):
            cycle(params, operation, found.append)
        return found

    def port(params, steps):
        answers = []
        while len(answers) < len(steps):
            draws = []
            for step in steps[len(answers):]:
                if step["op"] == "reset":
                    break
                draws.append(float(step["draw"]["value"]) if "draw" in step else 0.0)
            slept = waits(params, draws)
            answers += [{"status": "retry", named: wait * per_second} for wait in slept]
            answers += [{"status": "exhausted"}] * (len(draws) - len(slept)) + [{"status": "ok"}]  # the reset
        remaining = iter(answers)
        return lambda step: next(remaining)
    return port
