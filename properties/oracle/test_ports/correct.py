"""Ports that are right and look different: correct.py STYLE, one of the classes below."""
import random
import sys

from full_jitter import Cycle, Port, main


class strings(Port):
    pass


class numbers(Port):
    class cycle(Cycle):
        def written(self, delay):
            return delay


class floats(Port):
    class cycle(Cycle):
        def written(self, delay):
            return float(delay)


class exponents(Port):
    """Ten times the delay, and the point moved back: 40e-1."""

    class cycle(Cycle):
        def written(self, delay):
            return f"{delay * 10}e-1"


class extra_fields(Port):
    about = {"author": {"name": None}, "features": ["teleport"], "ranges": {"phase_of_moon": ["0", "1"]}}

    def result(self, case):
        return {"took_us": 3, "steps": [{"note": [], **answer} for answer in self.steps(case)]}


class crlf(Port):
    def write(self, reply):
        sys.stdout.reconfigure(newline="\r\n")
        super().write(reply)


class one_at_a_time(Port):
    def start(self, request):
        reply = super().start(request)
        del reply["max_batch"]
        return reply

    def run(self, request):
        assert len(request["cases"]) == 1
        return super().run(request)


class huge_batches(Port):
    about = {"max_batch": 10**9}


class noisy(Port):
    def result(self, case):
        print("debug " * 200, file=sys.stderr)
        return super().result(case)


class rand15(Port):
    about = {"draw_kind": "rand", "rand_max": 32767}

    class cycle(Cycle):
        def delay(self, step):
            assert 0 <= int(step["draw"]) <= 32767
            return super().delay(step)


class unit(Port):
    about = {"draw_kind": "unit"}

    class cycle(Cycle):
        def delay(self, step):
            draw = step["draw"]
            assert float(draw["value"]) == int(draw["num"]) / int(draw["den"]) and int(draw["den"]) == 2**32
            return int(float(draw["value"]) * (self.window() + 1))


class Ranged(Port):
    """Demands that every case stay inside what it declares."""

    def steps(self, case):
        for name, (low, high) in self.inside.items():
            assert low <= int(case["params"][name]) <= high, case
        return super().steps(case)


class narrow(Ranged):
    inside = {"base_ms": (1000, 1000), "max_ms": (0, 65535), "max_attempts": (1, 10)}
    about = {"ranges": {"base_ms": ["1000", "1000"], "max_ms": [0, 65535],
                        "max_attempts": {"range": ["1", "10"], "forever": False}}}


class only_forever(Port):
    about = {"ranges": {"max_attempts": ["forever"]}}

    def steps(self, case):
        assert case["params"]["max_attempts"] == "forever"
        return super().steps(case)


class u64(Ranged):
    """Takes more than the document asks for."""

    inside = {"base_ms": (0, 2**32 - 1)}
    about = {"ranges": {name: ["0", str(2**64 - 1)] for name in ("base_ms", "max_ms")}}


class short_lines(Port):
    about = {"max_line": 512}

    def run(self, request):
        assert len(self.line) <= 512
        return super().run(request)


class opaque(Port):
    about = {"draws": "opaque"}

    class cycle(Cycle):
        def delay(self, step):
            assert "draw" not in step
            return random.Random(self.granted).randint(0, self.window())


main(globals())
