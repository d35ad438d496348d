#!/usr/bin/env python3
"""Right ports of four documents as people write them in Python: zoo_port.py SYSTEM STYLE."""
import functools
import itertools
import sys
from fractions import Fraction

from backoff_port import serve

EXHAUSTED, OK = {"status": "exhausted"}, {"status": "ok"}


def answers_of(windows, limit):
    """A port of backoffAlgorithm from a function that makes an iterator of windows."""
    state = {}

    def answer(step):
        if step["op"] == "reset" or not state:
            state.update(windows=windows(), left=float("inf") if limit == "forever" else int(limit))
        if step["op"] == "reset":
            return OK
        if state["left"] == 0:
            return EXHAUSTED
        state["left"] -= 1
        return {"status": "retry", "delay_ms": int(step["draw"]) % (next(state["windows"]) + 1)}
    return answer


def generator(params, _):
    def windows():
        window = min(int(params["base_ms"]), int(params["max_ms"]))
        while True:
            yield window
            window = min(2 * window, int(params["max_ms"]))
    return answers_of(windows, params["max_attempts"])


def accumulated(params, _):
    base, cap = int(params["base_ms"]), int(params["max_ms"])
    return answers_of(lambda: itertools.accumulate(itertools.repeat(2), lambda w, by: min(w * by, cap), initial=min(base, cap)),
                      params["max_attempts"])


def floats(params, _):
    base, cap = float(params["base_ms"]), float(params["max_ms"])
    return answers_of(lambda: (int(min(base * 2.0 ** min(n, 900), cap)) for n in itertools.count()), params["max_attempts"])


def whole_numbers(params, _):
    """A cycle of the utilities, in integers without an end."""
    first, cap, most, limit = (int(params[name]) for name in ("initial_backoff_s", "max_backoff_s", "max_jitter_s", "max_attempts"))
    window = done = 0

    def answer(step):
        nonlocal window, done
        draw = int(step["draw"])
        if step["op"] == "reset":
            window, done = min(first + draw % (most + 1), cap), 0
            return OK
        if limit and done == limit:
            return EXHAUSTED
        slept, window, done = draw % (window + 1), min(2 * window, cap), done + 1
        return {"status": "retry", "slept_s": slept}
    return answer


def steps(delay):
    """A port of the Step Functions example from the delay of retry n."""
    def port(params, _):
        retries = itertools.count()

        def answer(_step):
            n = next(retries)
            if n >= int(params["max_attempts"]):
                return EXHAUSTED
            return {"status": "retry", "delay_s": delay(params["interval_s"], params["backoff_rate"], n)}
        return answer
    return port


LONGEST = 2.0 ** 1000


@functools.cache
def power(rate, n):
    """rate ** n, of the powers of half the exponent; no larger than a float may be."""
    if n == 0:
        return 1.0
    half = power(rate, n // 2)
    return min(min(half * half, LONGEST) * (rate if n % 2 else 1.0), LONGEST)


def memoised(interval, rate, n):
    return min(float(interval) * power(float(rate), n), LONGEST) if interval != "0" else 0.0


def exact(params, _):
    """Carries a fraction, cut to the digits of a float when it has too many."""
    value, left = Fraction(params["interval_s"]), int(params["max_attempts"])

    def answer(_step):
        nonlocal value, left
        if left == 0:
            return EXHAUSTED
        delay, left = float(value), left - 1
        value = min(value * Fraction(params["backoff_rate"]), Fraction(LONGEST))
        if value.denominator > 1 << 200:
            value = Fraction(float(value))
        return {"status": "retry", "delay_s": delay}
    return answer


def loop(wait):
    def port(params, _):
        made = 0

        def answer(step):
            nonlocal made
            delay = wait(made)
            made += 1
            return {"delay_ms": delay, "retry": step["http_status"] in ("429", "504") and made < int(params["max_retries"])}
        return answer
    return port


def checked(n):
    delay = (2 ** n - 1) * 100
    if delay >= 2 ** 31:
        raise OverflowError(delay)
    return delay


STYLES = {
    "aws_backoff_algorithm": {"generator": generator, "accumulated": accumulated, "floats": floats},
    "aws_retry_utils": {"whole_numbers": whole_numbers},
    "aws_step_functions": {"memoised": steps(memoised), "exact": exact},
    "aws_prescriptive_sample": {"checked": loop(checked), "saturating": loop(lambda n: min(((1 << min(n, 40)) - 1) * 100, 2 ** 31 - 1))},
}
system, style = sys.argv[1:3]
serve(STYLES[system][style], {"port": {"name": style, "version": "1", "language": "Python"}, "systems": [system],
                              "features": ["instances"]})
