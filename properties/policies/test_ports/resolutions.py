"""Clients whose delays are whole nanoseconds, microseconds or milliseconds, as durations are in many languages.

Usage: resolutions.py POLICY UNIT RESOLUTION ROUNDING ARITHMETIC {given|hidden} DELAY [LIMIT [WHILE]]
RESOLUTION: ns, us, ms or tenths, of the policy's unit. ROUNDING: down, nearest or up. ARITHMETIC, before the rounding: doubles or
fractions. DELAY, LIMIT and WHILE: Python, of the parameters, n, the draw u of [0, 1), prev and elapsed.
"""
import decimal
import fractions
import math
import random
import sys
from collections.abc import Callable
from typing import Any

from backoff_port import serve

POLICY, UNIT, RESOLUTION, ROUNDING, ARITHMETIC, DRAWS, DELAY, LIMIT, WHILE = [*sys.argv[1:], *["math.inf", "True"][len(sys.argv) - 8:]]
PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
WHOLE = 10 if RESOLUTION == "tenths" else PER_SECOND[RESOLUTION] // PER_SECOND[UNIT]  # so many in one of the policy's
number: Callable[[Any], Any] = float if ARITHMETIC == "doubles" else fractions.Fraction
ROUNDINGS: dict[str, Callable[[Any], int]] = {"down": math.floor, "nearest": round, "up": math.ceil}


def port(params: dict[str, str], _: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    given = {name: number(text) for name, text in params.items()}
    n, elapsed, prev = 0, 0, 0

    def next_delay(call: dict[str, Any]) -> dict[str, Any]:
        nonlocal n, elapsed, prev
        if call["op"] == "reset":
            n = elapsed = prev = 0
            return {"status": "ok"}
        u = number(random.random()) if DRAWS == "hidden" else number(int(call["draw"]["num"])) / int(call["draw"]["den"])
        n_held = min(n, 400)  # of a power that a double holds
        names = {**given, "n": n_held, "u": u, "math": math, "prev": number(prev) / WHOLE, "elapsed": number(elapsed) / WHOLE}
        if n >= eval(LIMIT, names) or not eval(WHILE, names):
            return {"status": "exhausted"}
        prev = ROUNDINGS[ROUNDING](eval(DELAY, names) * WHOLE)
        n, elapsed = n + 1, elapsed + prev
        with decimal.localcontext(prec=40):
            return {"status": "retry", f"delay_{UNIT}": str(decimal.Decimal(prev) / WHOLE)}
    return next_delay


serve(port, {"port": {"name": POLICY, "language": "Python"}, "systems": [POLICY], "features": ["instances"],
             **({"draws": "injected", "draw_kind": "unit"} if DRAWS == "given" else {"draws": "opaque"})})
