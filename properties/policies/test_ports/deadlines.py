"""Clients that stop at a deadline, in several arithmetics, right or with a fault.

Usage: deadlines.py POLICY UNIT DELAY ENDS ARITHMETIC FAULT {given|hidden}
DELAY: constant, doubled, drawn, drawn_doubled; of what is left: share, half, root or drawn_within. ENDS: cut, the last delay to what
is left; fits, no delay that passes the deadline; strictly, nor one that meets it; passes, a delay may pass it. ARITHMETIC: doubles,
decimals, fractions, ms or ns, which are whole numbers of these. FAULT: right; early or late by one retry; uncut; stays, with delays of
0; forgets what was drawn, and counts the longest delay.
"""
import decimal
import fractions
import math
import random
import sys
from collections.abc import Callable
from typing import Any

from backoff_port import serve

POLICY, UNIT, DELAY, ENDS, ARITHMETIC, FAULT, DRAWS = sys.argv[1:]
PER_SECOND = {"s": 1, "ms": 10**3, "ns": 10**9}
WHOLE = fractions.Fraction(PER_SECOND.get(ARITHMETIC, 1), PER_SECOND[UNIT])  # so many of the port's in one of the policy's


def read(text: str) -> Any:
    if ARITHMETIC == "doubles":
        return float(text)
    if ARITHMETIC == "decimals":
        return decimal.Decimal(text)
    exact = fractions.Fraction(text)
    return exact if ARITHMETIC == "fractions" else int(exact * WHOLE)


def said(x: Any) -> Any:
    if ARITHMETIC in ("doubles", "decimals"):
        return x if ARITHMETIC == "doubles" else str(x)
    exact = fractions.Fraction(x) / (1 if ARITHMETIC == "fractions" else WHOLE)
    with decimal.localcontext() as digits:
        digits.prec = 40
        return str(decimal.Decimal(exact.numerator) / exact.denominator)


def part(x: Any, num: int, den: int) -> Any:
    return x * num // den if ARITHMETIC in ("ms", "ns") else x * (num / den) if ARITHMETIC == "doubles" else x * num / den


def port(params: dict[str, str], _: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    base, deadline, nothing = read(params["base"]), read(params["deadline"]), read("0")
    tries, passed = 0, nothing

    def most() -> Any:
        """The longest delay."""
        left = deadline - passed
        if DELAY == "share":
            return base / left
        if DELAY == "half":
            return left / (base + 1)
        if DELAY == "root":
            return min(base, left.sqrt() if ARITHMETIC == "decimals" else math.sqrt(left))
        if DELAY == "drawn_within":
            return min(base, left)
        return base * 2**tries if "doubled" in DELAY else base

    def drawn(step: dict[str, Any], longest: Any) -> Any:
        if "drawn" not in DELAY:
            return longest
        share = (int(step["draw"]["num"]), int(step["draw"]["den"])) if DRAWS == "given" else (random.getrandbits(53), 2**53)
        return part(longest, *share)

    def answer(step: dict[str, Any]) -> dict[str, Any]:
        nonlocal tries, passed
        if step["op"] == "reset":
            tries, passed = 0, nothing
            return {"status": "ok"}
        exhausted = {"status": "exhausted"}
        is_over = passed > deadline + base / 4 if FAULT == "late" and ENDS != "fits" else passed >= deadline
        if is_over and FAULT != "stays":
            return exhausted
        longest = most()
        wait = drawn(step, longest)
        if FAULT == "early" and passed + wait >= deadline:
            return exhausted
        if ENDS == "fits" and (passed if FAULT == "late" else passed + wait) > deadline:
            return exhausted
        if ENDS == "strictly" and passed + wait >= deadline:
            return exhausted
        if ENDS == "cut" and FAULT != "uncut":
            wait = max(nothing, min(wait, deadline - passed))
        tries += 1
        passed += longest if FAULT == "forgets" else wait
        return {"status": "retry", f"delay_{UNIT}": said(wait)}
    return answer


serve(port, {"port": {"name": POLICY, "language": "Python"}, "systems": [POLICY], "features": ["instances"],
             **({"draws": "injected", "draw_kind": "unit"} if DRAWS == "given" else {"draws": "opaque"})})
