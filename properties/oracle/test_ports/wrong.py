"""Ports that keep to the protocol and break the document, or say too little: wrong.py FAULT, a name in PORTS."""
import math
import random

from full_jitter import Cycle, Expected, Fields, Port, main, variant

ALL_RANGES = {"ranges": {name: {"range": ["0", "4294967295"]} for name in ("base_ms", "max_ms", "max_attempts")}}


def writes(what: object) -> type[Port]:
    """In place of every delay above 10 ms."""
    cycle = variant("cycle", Cycle, written=lambda self, delay: what if delay > 10 else delay)
    return variant("writes", cycle=cycle)


def always(result: Fields, ranges: Fields | None = None) -> type[Port]:
    return variant("always", about=ranges or {}, result=lambda self, case: result)


class throws(Port):
    """Answers with an error, and no further, where a delay would begin with a digit above 3."""

    def steps(self, case: Fields) -> list[Fields]:
        answers = super().steps(case)
        failing = [i for i, answer in enumerate(answers) if answer.get("delay_ms", "0") > "4"]
        return [*answers[:failing[0]], {"status": "error", "why": "out of luck"}] if failing else answers


class skips_some_declared(Port):
    about = ALL_RANGES

    def result(self, case: Fields) -> Fields:
        return {"skipped": "odd"} if case["params"]["base_ms"] == "1" else super().result(case)


class opaque_beyond_the_cap(Port):
    about = {"draws": "opaque"}
    cycle = variant("cycle", Cycle, delay=lambda self, step: self.cap + 1)


class two_faults(Port):
    """Every history fails: an error where base_ms is odd, else a negative delay."""

    def steps(self, case: Fields) -> list[Fields]:
        if int(case["params"]["base_ms"]) % 2 or case["steps"][0]["op"] != "next":
            return [{"status": "error", "why": "odd"}]
        return [{"status": "retry", "delay_ms": "-1"} for _ in case["steps"]]


class two_faults_of_one_claim(Port):
    """The first window ignores the cap; from the 41st call of a cycle on no delay is left."""

    about = {"ranges": {"max_attempts": {"forever": True}, "op": ["next"]}}

    class cycle(Cycle):
        def delay(self, step: Fields) -> int:
            window = self.window() if self.granted else self.base
            return 0 if self.granted >= 40 else int(step["draw"]) % (window + 1)


class one_for_all_instances(Port):
    about = {"features": ["instances"]}

    def instance(self, _step: Fields) -> str:
        return "0"


class without_a_reset_unsaid(Port):
    cycle = variant("cycle", Cycle, reset=lambda _self, _step: {"status": "ok"})


class without_a_limit_unsaid(Port):
    class cycle(Cycle):
        def __init__(self, params: Fields) -> None:
            super().__init__({**params, "max_attempts": "forever"})


class OtherAfterResets(Cycle):
    """Knows how often it was reset."""

    resets = 0

    def reset(self, step: Fields) -> Fields:
        self.resets += 1
        return super().reset(step)


class leaves_out_the_end_after_a_reset(Port):
    """Each delay is right by one reading or the other."""

    class cycle(OtherAfterResets):
        def delay(self, step: Fields) -> int:
            return int(step["draw"]) % max(1, self.window() + 1 - self.resets % 2)


class doubles_too_early_after_a_reset(Port):
    class cycle(OtherAfterResets):
        def window(self) -> int:
            return min(self.base << min(self.granted + self.resets % 2, 40), self.cap)


class no_jitter_after_a_reset(Port):
    about = {"draws": "opaque"}

    class cycle(OtherAfterResets):
        def delay(self, _step: Fields) -> int:
            return 0 if self.resets and not self.granted else RANDOM.randint(0, self.window())


class draws_even_numbers(Port):
    """In windows above 1,000."""

    about = {"draws": "opaque"}

    class cycle(Cycle):
        def delay(self, _step: Fields) -> int:
            delay = RANDOM.randint(0, self.window())
            return delay & ~1 if self.window() > 1000 else delay


RANDOM = random.Random(1)
# These need more histories than the others.
IN_MANY = {
    "leaves_out_the_end_after_a_reset": Expected(leaves_out_the_end_after_a_reset, 1, "reset_starts_a_fresh_cycle"),
    "doubles_too_early_after_a_reset": Expected(doubles_too_early_after_a_reset, 1, "reset_starts_a_fresh_cycle"),
    "no_jitter_after_a_reset": Expected(no_jitter_after_a_reset, 1, "delays_fill_their_window"),
    "two_faults_of_one_claim": Expected(two_faults_of_one_claim, 1, "does not conform"),
    "draws_even_numbers": Expected(draws_even_numbers, 1, "delays_fill_their_window"),
}

PORTS = {
    "writes_nan": Expected(writes("NaN"), 1, "delay_is_a_number"),
    "writes_a_bare_nan": Expected(writes(math.nan), 1, "delay_is_a_number"),
    "writes_null": Expected(writes(None), 1, "delay_is_a_number"),
    "writes_infinity": Expected(writes("Infinity"), 1, "delay_is_a_number"),
    "writes_400_digits": Expected(writes("9" * 400), 1, "delay_never_exceeds_cap"),
    "writes_a_number_of_400_digits": Expected(writes(10**400), 1, "delay_never_exceeds_cap"),
    "writes_1e100000": Expected(writes("1e100000"), 1, "delay_never_exceeds_cap"),
    "writes_negative": Expected(writes("-1"), 1, "delay_is_never_negative"),
    "throws": Expected(throws, 1, "no_call_fails"),
    "two_faults": Expected(two_faults, 1, ", no_call_fails"),
    "one_for_all_instances": Expected(one_for_all_instances, 1, "instances_are_independent"),
    "opaque_beyond_the_cap": Expected(opaque_beyond_the_cap, 1, "delay_never_exceeds_cap"),
    "rejects_all": Expected(always({"rejected": "not today"}), 5, "nothing was judged"),
    "skips_all": Expected(always({"skipped": "not today"}), 5, "nothing was judged"),
    "rejects_all_declared": Expected(always({"rejected": "not today"}, ALL_RANGES), 1, "declared_histories"),
    "skips_all_declared": Expected(always({"skipped": "not today"}, ALL_RANGES), 1, "declared_histories"),
    "without_a_reset_unsaid": Expected(without_a_reset_unsaid, 1, "; breaks the interface: reset_starts_a_fresh_cycle"),
    "without_a_limit_unsaid": Expected(without_a_limit_unsaid, 1, "exhausted_after_max_attempts"),
    "skips_some_declared": Expected(skips_some_declared, 1, "declared_histories_are_answered"),
}

if __name__ == "__main__":
    main(PORTS | IN_MANY)
