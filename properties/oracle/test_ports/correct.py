"""Ports that are right but look different: correct.py STYLE, the name of a class."""
import random
import re
import sys

from full_jitter import Cycle, Expected, Fields, Port, main, variant


class numbers(Port):
    cycle = variant("cycle", Cycle, written=lambda self, delay: delay)


class floats(Port):
    cycle = variant("cycle", Cycle, written=lambda self, delay: float(delay))


class exponents(Port):
    """Ten times the delay, and the point moved back: "40e-1"."""

    cycle = variant("cycle", Cycle, written=lambda self, delay: f"{delay * 10}e-1")


class number_exponents(Port):
    """The same, as JSON numbers: 4e0."""

    cycle = variant("cycle", Cycle, written=lambda self, delay: f"{delay}e0")

    def text(self, reply: Fields) -> str:
        return re.sub(r'("delay_ms": )"(.*?)"', r"\1\2", super().text(reply))


class extra_fields(Port):
    about = {"author": {"name": None}, "features": ["teleport"], "ranges": {"phase_of_moon": ["0", "1"]}}

    def result(self, case: Fields) -> Fields:
        return {"took_us": 3, "steps": [{"note": [], **answer} for answer in self.steps(case)]}


class crlf(Port):
    line_end = "\r\n"


class one_at_a_time(Port):
    """Does not say how many histories it takes: one."""

    def start(self) -> Fields:
        return {name: value for name, value in super().start().items() if name != "max_batch"}

    def run(self, request: Fields) -> Fields:
        assert len(request["cases"]) == 1
        return super().run(request)


class several_instances(Port):
    about = {"features": ["instances", "teleport"]}


class huge_batches(Port):
    about = {"max_batch": 10**9}


class short_lines(Port):
    about = {"max_line": 512}

    def run(self, request: Fields) -> Fields:
        assert len(self.line) <= 512
        return super().run(request)


class noisy(Port):
    def result(self, case: Fields) -> Fields:
        print("debug " * 200, file=sys.stderr)
        return super().result(case)


class rand15(Port):
    about = {"draw_kind": "rand", "rand_max": 32767}

    class cycle(Cycle):
        def delay(self, step: Fields) -> int:
            assert 0 <= int(step["draw"]) <= 32767
            return super().delay(step)


class unit(Port):
    """floor(random() * (window + 1)) in doubles, as most languages have it."""

    about = {"draw_kind": "unit"}

    class cycle(Cycle):
        def delay(self, step: Fields) -> int:
            draw = step["draw"]
            assert float(draw["value"]) == int(draw["num"]) / int(draw["den"]) and int(draw["den"]) == 2**32
            return int(float(draw["value"]) * (self.window() + 1))


class Ranged(Port):
    """Demands that every case stay inside what it declares."""

    inside: dict[str, tuple[int, int]] = {}

    def steps(self, case: Fields) -> list[Fields]:
        for name, (low, high) in self.inside.items():
            assert low <= int(case["params"][name]) <= high, case
        return super().steps(case)


class narrow(Ranged):
    inside = {"base_ms": (1000, 1000), "max_ms": (0, 65535), "max_attempts": (1, 10)}
    about = {"ranges": {"base_ms": ["1000", "1000"], "max_ms": [0, 65535],
                        "max_attempts": {"range": ["1", "10"], "forever": False}}}


class beyond_the_document(Ranged):
    """Takes 64 bits; histories stay inside the documented 32."""

    inside = {"base_ms": (0, 2**32 - 1), "max_ms": (0, 2**32 - 1)}
    about = {"ranges": {name: ["0", str(2**64 - 1)] for name in inside}}


class only_forever(Port):
    about = {"ranges": {"max_attempts": ["forever"]}}

    def steps(self, case: Fields) -> list[Fields]:
        assert case["params"]["max_attempts"] == "forever"
        return super().steps(case)


class without_a_reset(Port):
    about = {"ranges": {"op": ["next"]}}
    cycle = variant("cycle", Cycle, reset=None)


class without_a_limit(Port):
    about = {"ranges": {"max_attempts": {"forever": True}}}

    class cycle(Cycle):
        def __init__(self, params: Fields) -> None:
            assert params["max_attempts"] == "forever"
            super().__init__(params)


OWN = random.Random(20261120)  # of this process, the same in each run


class opaque(Port):
    about = {"draws": "opaque"}

    class cycle(Cycle):
        def delay(self, step: Fields) -> int:
            assert "draw" not in step
            return OWN.randint(0, self.window())


PORTS = {port.__name__: Expected(port, 0, "conforms") for port in (
    numbers, floats, exponents, number_exponents, extra_fields, crlf, one_at_a_time, several_instances,
    huge_batches, short_lines, noisy, rand15, unit, narrow, beyond_the_document, only_forever,
    without_a_reset, without_a_limit)}
PORTS["opaque"] = Expected(opaque, 0, "conforms to aws_backoff_algorithm, grade distribution")

if __name__ == "__main__":
    main(PORTS)
