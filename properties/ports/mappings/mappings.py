#!/usr/bin/env python3
"""One port of full jitter for each way to map a draw to a delay, with a fault if told so. mappings_test.py lists the ways.

Usage: mappings.py ARITHMETIC END SIGN BITS TICKS ROUNDING [FAULT NUMBER]
"""
import ctypes
import math
import pathlib
import sys
from collections.abc import Callable
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "helpers/python"))
from backoff_port import Fields, serve

ARITHMETIC, END, SIGN, BITS, TICKS, ROUNDING, FAULT, NUMBER = [*sys.argv[1:], "none", "0"][:8]
bits, ticks, at = 32 if BITS == "unit" else int(BITS), int(TICKS), int(NUMBER)
largest = (1 << bits) - 1


def float32(x: float) -> float:
    return ctypes.c_float(x).value


def rounded(x: float) -> float:
    return {"none": x, "cut": math.floor(x), "rounded": math.floor(x + 0.5)}[ROUNDING]


def scaled(r: int, n: int, size: int) -> int:
    return (2 * r * n + size) // (2 * size) if ROUNDING == "rounded" else r * n // size


def mapped(r: int, n: int) -> float:
    """From a draw to one of n numbers, or to n itself too if the end is closed."""
    size = largest + (END != "closed")
    match ARITHMETIC:
        case "modulo":
            return r % n
        case "high":
            return (r >> bits // 4) % n
        case "divided":
            return r // (largest // n + 1)
        case "integers":
            return scaled(r, n, size)
        case "doubles":
            return rounded(r / size * n)
        case "floats":
            return rounded(float32(float32(float32(r) / float32(size)) * float32(n)))
    top = int(ARITHMETIC.removeprefix("top"))
    return scaled(r >> bits - top, n, (1 << top) - (END == "closed"))


def delay(draw: Any, window: int) -> float | str:
    r = int(draw["num"] if BITS == "unit" else draw)
    if FAULT == "first" and r == 0:
        r = at
    if FAULT == "last" and r == largest:
        r -= at
    if window > at:
        window = {"halved": window // 2, "longer": window + 1}.get(FAULT, window)
    if window == 0:
        return 0
    end = window * ticks
    n = end + (END == "inclusive")
    x = min(mapped(r, n), end)
    if SIGN == "mirrored":
        x = max(0, (n - 1 if END == "exclusive" and ROUNDING == "cut" else end) - x)
    if FAULT == "cell" and x // ticks == at:
        x -= ticks
    return x if ticks == 1 else f"{x}e-{len(TICKS) - 1}"


def port(params: Fields, _: list[Fields]) -> Callable[[Fields], Fields]:
    cap = int(params["max_ms"])
    window = min(int(params["base_ms"]), cap)

    def answer(step: Fields) -> Fields:
        nonlocal window
        delay_ms, window = delay(step["draw"], window), min(2 * window, cap)
        return {"status": "retry", "delay_ms": delay_ms}
    return answer


kind = {"unit": {"draw_kind": "unit"}, "32": {}}.get(BITS, {"draw_kind": "rand", "rand_max": largest})
serve(port, {"port": {"name": "mappings", "version": "1", "language": "Python"}, "systems": ["aws_backoff_algorithm", "mirrored"],
             "ranges": {"max_attempts": {"forever": True}, "op": ["next"]}, **kind})
