"""Ports that keep to the protocol and break the document, or say too little: wrong.py FAULT, a class below."""
import sys

from full_jitter import Cycle, Port, main

ALL_RANGES = {"ranges": {name: {"range": ["0", "4294967295"]} for name in ("base_ms", "max_ms", "max_attempts")}}


class writes_nan(Port):
    class cycle(Cycle):
        def written(self, delay):
            return "NaN" if delay > 10 else delay


class writes_null(Port):
    class cycle(Cycle):
        def written(self, delay):
            return None if delay > 10 else delay


class writes_huge(Port):
    class cycle(Cycle):
        def written(self, delay):
            return "9" * 400 if delay > 10 else delay


class writes_1e100000(Port):
    class cycle(Cycle):
        def written(self, delay):
            return "1e100000" if delay > 10 else delay


class negative(Port):
    class cycle(Cycle):
        def written(self, delay):
            return str(-delay)


class throws(Port):
    """Answers with an error, and no further, when a cycle has granted three retries."""

    def steps(self, case):
        answers = super().steps(case)
        failing = [i for i, answer in enumerate(answers) if answer.get("delay_ms", "0") > "3"]
        return answers[:failing[0]] + [{"status": "error", "why": "out of luck"}] if failing else answers


class rejects_all(Port):
    def result(self, _case):
        return {"rejected": "not today"}


class rejects_all_declared(rejects_all):
    about = ALL_RANGES


class skips_all(Port):
    def result(self, _case):
        return {"skipped": "not today"}


class skips_all_declared(skips_all):
    about = ALL_RANGES


class skips_some_declared(Port):
    about = ALL_RANGES

    def result(self, case):
        return {"skipped": "odd"} if case["params"]["base_ms"] == "1" else super().result(case)


class opaque_beyond_the_cap(Port):
    about = {"draws": "opaque"}

    class cycle(Cycle):
        def delay(self, _step):
            return self.cap + 1


class two_faults(Port):
    """Every history fails: an error where base_ms is odd, else a negative delay."""

    def steps(self, case):
        odd = int(case["params"]["base_ms"]) % 2
        if odd or case["steps"][0]["op"] != "next":
            return [{"status": "error", "why": "odd"}]
        return [{"status": "retry", "delay_ms": "-1"} for _ in case["steps"]]


class cap_ignored(Port):
    """Says so on standard error too."""

    class cycle(Cycle):
        def window(self):
            print("no cap here", file=sys.stderr)
            return self.base << min(self.granted, 40)


main(globals())
