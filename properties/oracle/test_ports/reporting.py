"""Ports for the tests of reports: reporting.py STYLE FIRST, where FIRST is the number of the first history it is sent."""
import os
import random
import signal
import sys
import time

from foreign_texts import CELL, FENCE, MARKUP
from full_jitter import Cycle, Expected, Fields, Port, main, variant


class by_position(Port):
    """Its own draws, but the same for each history of a run in whichever process: a whole run and its shards agree."""

    about = {"draws": "opaque"}
    biased = False

    def run(self, request: Fields) -> Fields:
        self.asked = getattr(self, "asked", int(sys.argv[2]))
        return super().run(request)

    def steps(self, case: Fields) -> list[Fields]:
        numbers = random.Random(f"history {self.asked}")
        biased = self.biased

        class drawing(Cycle):
            def delay(self, step: Fields) -> int:
                drawn = numbers.randint(0, self.window())
                return self.window() if biased and drawn % 2 else drawn

        self.cycle = drawing
        self.asked += 1
        return super().steps(case)


class biased_by_position(by_position):
    biased = True


class wrong_if_base_is_0(Port):
    class cycle(Cycle):
        def written(self, delay: int) -> object:
            return str(delay + 1 if self.base == 0 and self.cap > 100 else delay)


class wrong_everywhere_if_base_is_0(Port):
    class cycle(Cycle):
        def written(self, delay: int) -> object:
            return str(delay - 1 if self.base == 0 else delay)


class exclusive_if_base_is_0(Port):
    """Follows another reading there: an open one, so that both cannot be joined."""

    class cycle(Cycle):
        def delay(self, step: Fields) -> int:
            return int(step["draw"]) % max(self.window() + (0 if self.cap > 1000 else 1), 1)


class named(Port):
    about = {"port": {"name": CELL, "version": "1|2", "language": "a<b"}}

    class cycle(Cycle):
        def written(self, delay: int) -> object:
            return str(delay + 1)


class named_and_throws(named):
    def result(self, case: Fields) -> Fields:
        return {"steps": [{"status": "error", "why": FENCE}]}


class hostile(Port):
    """All that it says is markup."""

    about = {"port": {"name": MARKUP, "version": MARKUP, "language": MARKUP}}

    def result(self, case: Fields) -> Fields:
        return {"steps": [{"status": "error", "why": MARKUP}]}


class hostile_and_dies(hostile):
    def result(self, case: Fields) -> Fields:
        sys.stderr.write(MARKUP)
        sys.stderr.flush()
        os._exit(1)


class next_version(Port):
    """Of the test port: what it drew is no longer below the cap, and its windows no longer have their upper end."""

    about = {"port": {"name": "test port", "version": "2", "language": "Python"}}

    class cycle(Cycle):
        def delay(self, step: Fields) -> int:
            return int(step["draw"]) % max((self.base << min(self.granted, 40)) + 1, 1)


class slow(Port):
    about = {"max_batch": 1}


class interrupts(Port):
    """Interrupts the oracle at history CUT of its process and is silent then; right or, in one history of ten, wrong."""

    about = {"max_batch": 4}
    cycle = wrong_if_base_is_0.cycle

    def run(self, request: Fields) -> Fields:
        cut = int(os.environ.get("CUT", "-1"))
        self.asked = getattr(self, "asked", 0) + len(request["cases"])
        if 0 <= cut < self.asked:
            os.kill(os.getppid(), signal.SIGINT)
            time.sleep(3600)
        return super().run(request)


class interrupts_and_breaks(interrupts):
    """And dies of some histories, whichever process has them."""

    def result(self, case: Fields) -> Fields:
        return os.abort() if int(case["steps"][-1].get("draw", 1)) % 97 == 5 else super().result(case)


class interrupts_and_breaks_without_a_cap(interrupts):
    def result(self, case: Fields) -> Fields:
        return os.abort() if case["params"]["max_ms"] == "0" else super().result(case)


class rarely_wrong(Port):
    """Draws for itself, and waits longer than the maximum once in 200 calls."""

    about = {"draws": "opaque"}

    class cycle(Cycle):
        def delay(self, step: Fields) -> int:
            return self.cap + 1 if random.randrange(200) == 0 else random.randint(0, self.window())


class silent(Port):
    def run(self, request: Fields) -> Fields:
        time.sleep(3600)
        sys.exit("nobody ended it")


PORTS = {port.__name__: Expected(port, 0, "") for port in (
    by_position, biased_by_position, wrong_if_base_is_0, wrong_everywhere_if_base_is_0, exclusive_if_base_is_0, named,
    named_and_throws, hostile, hostile_and_dies, next_version, slow, silent, interrupts, interrupts_and_breaks,
    interrupts_and_breaks_without_a_cap, rarely_wrong)}
PORTS["plain"] = Expected(variant("plain"), 0, "")

if __name__ == "__main__":
    main(PORTS)
