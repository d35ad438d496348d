#!/usr/bin/env python3
"""Small ports of policies whose calls have arguments, whose retries end by a condition, or whose draws have names, as their
authors might write them: `calls.py NAME FAULT hidden|given`. FAULT: right, or a mistake that retry code has shipped. calls_test.py has the
policies.
"""
import math
import pathlib
import random
import sys
from collections.abc import Callable
from typing import Protocol

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "ports/helpers/python"))
from backoff_port import Fields, serve


class Kind(Protocol):
    """A class below: one instance of retry code."""
    system: str
    unit: str

    def __init__(self, params: Fields, fault: str) -> None: ...

    def next(self, call: Fields, draw: float) -> float | None: ...


class Client:
    """1 s, 2 s, 4 s, at most 60 s; Retry-After wins; 900 s in all; a poll does not count; an hour of work begins anew."""
    system, unit = "my_client", "s"

    def __init__(self, params: Fields, fault: str) -> None:
        self.fault, self.count, self.waited, self.stopped = fault, 0, 0, False

    def next(self, call: Fields, draw: float) -> float | None:
        if int(call["up"]) >= {"late-reset": 3700, "reset-above": 3601, "no-reset": 99999}.get(self.fault, 3600):
            self.count, self.waited = 0, 0
            self.stopped = self.stopped and self.fault != "not-sticky"
        after = None if self.fault == "ignores-retry-after" else call.get("retry_after")
        delay = int(after) if after else min(60, 2 ** min(self.count, 10))
        if self.fault == "at-least-backed-off":
            delay = max(delay, min(60, 2 ** min(self.count, 10)))
        if call["answer"] == "pending":
            delay = 3
        fits = self.waited + (0 if self.fault == "without-delay" else delay) <= 900 or self.fault == "no-budget"
        fatal = call["answer"] == "fatal" and self.fault != "retries-fatal"
        if self.stopped and self.fault != "not-sticky":
            return None
        self.stopped = fatal or not fits
        if self.stopped:
            return None
        self.count += call["answer"] != "pending" or self.fault == "counts-polls"
        self.waited += delay
        return delay


class Budget:
    """uniform(0, min(30, 2^n)), while all delays together fit into the budget."""
    system, unit = "budget", "s"

    def __init__(self, params: Fields, fault: str) -> None:
        self.budget, self.fault, self.count, self.waited = float(params["budget"]), fault, 0, 0.0

    def next(self, call: Fields, draw: float) -> float | None:
        delay = draw * min(30.0, 2.0 ** min(self.count, 1000))
        if self.fault == "half-the-jitter":
            delay /= 2
        ahead = {"without-delay": 0.0, "twice": 2 * delay}.get(self.fault, delay)
        if self.waited + ahead > self.budget and self.fault != "no-budget":
            return None
        self.waited += delay
        self.count += 1
        return delay


class Remainder:
    """100 ms, doubled, cut to what is left of the budget."""
    system, unit = "remainder", "ms"

    def __init__(self, params: Fields, fault: str) -> None:
        self.left, self.fault, self.count = int(params["budget"]), fault, 0

    def next(self, call: Fields, draw: float) -> float | None:
        if self.left <= 0:
            return None
        delay = min(self.left, 100 << min(self.count, 40)) if self.fault != "uncut" else 100 << min(self.count, 40)
        self.left -= delay
        self.count += 1
        return delay


class Tenths:
    """0.1 s each, added up in doubles, at most so many seconds in all."""
    system, unit = "tenths", "s"

    def __init__(self, params: Fields, fault: str) -> None:
        self.budget, self.fault, self.waited = float(params["budget"]), fault, 0.0

    def next(self, call: Fields, draw: float) -> float | None:
        over = self.waited >= self.budget if self.fault == "may-pass" else self.waited + 0.1 > self.budget
        if self.fault == "one-early":
            over = self.waited + 0.2 > self.budget
        if over:
            return None
        self.waited += 0.1
        return 0.1


class Classes:
    """No, full or equal jitter; errors of two classes with bases and limits of their own; Retry-After in tenths."""
    system, unit = "classes", "s"

    def __init__(self, params: Fields, fault: str) -> None:
        self.cap, self.jitter, self.fault = float(params["cap"]), params["jitter"], fault
        self.count, self.stopped = 0, False

    def next(self, call: Fields, draw: float) -> float | None:
        throttled = call["error"] == "throttled"
        limit = 5 if throttled or self.fault == "one-limit" else 3
        self.stopped = self.stopped or self.count >= limit
        if self.stopped:
            return None
        window = min(self.cap, (2.0 if throttled and self.fault != "one-base" else 1.0) * 2.0 ** self.count)
        jitter = "full" if self.fault == "equal-as-full" and self.jitter == "equal" else self.jitter
        delay = {"none": window, "full": draw * window, "equal": window / 2 + draw * window / 2}[jitter]
        if "retry_after" in call:
            delay = float(call["retry_after"]) if self.fault != "whole-retry-after" else int(float(call["retry_after"]))
        self.count += 1
        return delay


class Timeout:
    """2 * prev + rand * prev, but mrt + rand * mrt where that is more than mrt; rand is from -0.1 to 0.1."""
    system, unit = "timeout", "s"

    def __init__(self, params: Fields, fault: str) -> None:
        self.most, self.fault = float(params["mrt"]), fault
        self.before: float | None = None

    def next(self, call: Fields, draw: float) -> float | None:
        if self.fault == "half-the-jitter":
            draw /= 2
        rand = draw / 5 - 0.1
        delay = 1 + rand if self.before is None else (2 + rand) * self.before
        if delay > self.most:
            delay = {"no-jitter-at-the-cap": self.most, "draws-again": self.most * random.uniform(0.9, 1.1),
                     "cuts": min(self.most, self.most * (1 + rand))}.get(self.fault, self.most * (1 + rand))
        self.before = delay
        return delay


class Smooth:
    """base * (f(n + u) - what came before), f(t) = 2^t * tanh(sqrt(4 * t))."""
    system, unit = "smooth", "s"

    def __init__(self, params: Fields, fault: str) -> None:
        self.base, self.fault, self.count, self.before = float(params["base"]), fault, 0, 0.0

    def next(self, call: Fields, draw: float) -> float | None:
        t = min(900, self.count) + (draw / 2 if self.fault == "half-the-jitter" else draw)
        grown = 2 ** t * (1 if self.fault == "no-start" else math.tanh(math.sqrt(4 * t)))
        delay = max(0.0, grown - self.before)
        self.before = 0.0 if self.fault == "forgets" else grown
        self.count += 1
        return self.base * delay


class Several:
    """A factor from 0.5 to 1.5, and up to 1 s that is added."""
    system, unit = "several", "ms"

    def __init__(self, params: Fields, fault: str) -> None:
        self.base, self.fault, self.count = float(params["base"]), fault, 0

    def next(self, call: Fields, draw: float) -> float | None:
        window = min(60000.0, self.base * 2.0 ** min(self.count, 900))
        extra = {"one-draw": draw, "no-extra": 0.5}.get(self.fault, random.random())
        self.count += 1
        return window * (1 if self.fault == "no-factor" else 0.5 + draw) + 1000 * extra


class Steps:
    """100 ms times a power of 2 that is drawn: 1, 2, 4 or 8."""
    system, unit = "steps", "ms"

    def __init__(self, params: Fields, fault: str) -> None:
        self.fault = fault

    def next(self, call: Fields, draw: float) -> float | None:
        return 100 << int(draw * (3 if self.fault == "never-the-last" else 4))


class Hinted:
    """Full jitter, but where the server names a delay."""
    system, unit = "hinted", "ms"

    def __init__(self, params: Fields, fault: str) -> None:
        self.base, self.fault, self.count = int(params["base"]), fault, 0

    def next(self, call: Fields, draw: float) -> float | None:
        self.count += 1
        hint = int(call["hint"]) if "hint" in call else None
        if hint is None or self.fault == "ignores-the-hint":
            return int(draw * (self.base * 2 ** (self.count - 1) + 1))
        return hint * {"hint-in-seconds": 1000, "hint-twice": 2}.get(self.fault, 1)


def main() -> None:
    kinds: dict[str, type[Kind]] = {
        "timeout": Timeout, "smooth": Smooth, "several": Several, "steps": Steps, "hinted": Hinted,
        "client": Client, "budget": Budget, "remainder": Remainder, "tenths": Tenths,
        "classes": Classes}
    kind = kinds[sys.argv[1]]
    fault, draws = sys.argv[2:4]
    source = random.Random()

    def port(params: Fields, _: list[Fields]) -> Callable[[Fields], Fields]:
        mine = kind(params, fault)

        def answer(step: Fields) -> Fields:
            nonlocal mine
            if step["op"] == "reset":
                mine = kind(params, fault)
                return {"status": "ok"}
            draw = int(step["draw"]["num"]) / int(step["draw"]["den"]) if "draw" in step else source.random()
            delay = mine.next(step, draw)
            return {"status": "exhausted"} if delay is None else {"status": "retry", f"delay_{kind.unit}": delay}
        return answer

    serve(port, {"port": {"name": f"{kind.system} {fault}", "version": "1", "language": "Python"}, "systems": [kind.system],
                 "draws": "injected" if draws == "given" else "opaque", "draw_kind": "unit", "features": ["instances"]})


if __name__ == "__main__":
    main()
