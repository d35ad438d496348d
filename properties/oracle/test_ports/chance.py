"""Ports whose faults come by chance, after other histories, or never again: chance.py PORT, a name in PORTS."""
import os
import random

from full_jitter import Cycle, Expected, Fields, Port, main


def lives() -> int:
    """How many ports have lived before: each leaves a mark in the file LIVES."""
    with open(os.environ["LIVES"], "a") as file:
        file.write("x")
        return file.tell() - 1


LIFE = lives() if __name__ == "__main__" else 0
RANDOM = random.Random(LIFE + 3)  # another one in each process, the same in each run of a test


class right(Port):
    about = {"draws": "opaque"}
    odds = 0.0

    def too_long(self) -> bool:
        return RANDOM.random() < self.odds

    def instance(self, step: Fields) -> str:
        port = self

        class drawing(Cycle):
            def delay(self, step: Fields) -> int:
                return self.cap + 1 if port.too_long() else RANDOM.randint(0, self.window())

        self.cycle = drawing
        return super().instance(step)


class by_chance(right):
    odds = 0.4


class ignores_its_draws(by_chance):
    about = {}


class seeded_alike(right):
    """In each process."""

    odds = 0.004

    def serve(self) -> None:
        RANDOM.seed(1)
        super().serve()


class remembers(Port):
    """The history before: it spoils the next one if it has no cap."""

    spoilt = False

    def result(self, case: Fields) -> Fields:
        spoilt, self.spoilt = self.spoilt, case["params"]["max_ms"] == "0"
        self.cycle = SPOILT if spoilt else Cycle
        return super().result(case)


class SPOILT(Cycle):
    def written(self, delay: int) -> object:
        return str(delay + 1)


class remembers_and_draws(right):
    spoilt = False

    def result(self, case: Fields) -> Fields:
        self.odds, self.spoilt = 0.7 * self.spoilt, case["params"]["max_ms"] == "0"
        return super().result(case)


class wrong_at_times(Port):
    """Where max_ms is odd, whatever the draw."""

    def result(self, case: Fields) -> Fields:
        self.cycle = SPOILT if int(case["params"]["max_ms"]) % 2 and RANDOM.random() < 0.3 else Cycle
        return super().result(case)


class forgets(right):
    odds = 0.3 if LIFE == 0 else 0


class forgets_a_rare_fault(right):
    odds = 0.002 if LIFE == 0 else 0


PORTS = {port.__name__: Expected(port, 1, "") for port in (
    by_chance, ignores_its_draws, seeded_alike, remembers, remembers_and_draws, wrong_at_times, forgets, forgets_a_rare_fault)}

if __name__ == "__main__":
    main(PORTS)
