#!/usr/bin/env python3
"""Right ports of the six documents as people write them in Python, each under readings that its document leaves open.

Usage: zoo.py SYSTEM PORT [hidden]        Hidden: the port draws for itself. Without arguments: all ports, one a line,
and the readings that each follows where they are not the canonical ones. zoo_test.py checks them.
"""
import dataclasses
import functools
import itertools
import math
import pathlib
import random
import sys
from datetime import timedelta
from decimal import ROUND_CEILING, Decimal, localcontext
from fractions import Fraction

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "helpers/python"))
from backoff_port import Rejected, serve

EXHAUSTED, OK = {"status": "exhausted"}, {"status": "ok"}
U32 = 2 ** 32 - 1


# ---- aws_backoff_algorithm ----

def answers_of(windows, limit):
    """From a function that makes an iterator of windows."""
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


class Lazy:
    """Counts from one and draws below the window, as random.randrange; a reset is only noted, and takes place at the next call."""

    def __init__(self, params, _):
        self.params, self.stale = params, True

    def __call__(self, step):
        if step["op"] == "reset":
            self.stale = True
            return OK
        if self.stale:
            self.window, self.done, self.stale = int(self.params["base_ms"]), 0, False
        if str(self.done) == self.params["max_attempts"]:
            return EXHAUSTED
        self.done += 1
        self.window = min(self.window << 1, int(self.params["max_ms"]))
        return {"status": "retry", "delay_ms": int(step["draw"]) % self.window if self.window else 0}


def uniform(params, _):
    """random.uniform(0, window), not rounded; the window is found by recursion."""
    base, cap, limit = (float(params[name].replace("forever", "inf")) for name in ("base_ms", "max_ms", "max_attempts"))
    done = 0

    def window(n):
        return min(base, cap) if n == 0 else min(2 * window(n - 1), cap)

    def answer(step):
        nonlocal done
        if step["op"] == "reset":
            done = 0
            return OK
        if done >= limit:
            return EXHAUSTED
        done += 1
        return {"status": "retry", "delay_ms": float(step["draw"]["value"]) * window(min(done - 1, 64))}
    return answer


# ---- aws_retry_utils ----

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


@dataclasses.dataclass
class Example:
    """Remainders and a reset of its own at the end, as the example of the document; the fields of its structure are shown."""
    params: dict
    steps: list
    attempts_done: int = 0
    next_jitter_max: int = 0

    def __call__(self, step):
        draw, limit = int(step["draw"]), int(self.params["max_attempts"])
        if step["op"] == "reset":
            self.reset(draw)
            return self.shown(status="ok")
        if limit and self.attempts_done >= limit:
            self.reset(draw)
            return self.shown(status="exhausted")
        slept = draw % (self.next_jitter_max or 1)
        self.attempts_done += 1
        self.next_jitter_max = min(self.next_jitter_max * 2, int(self.params["max_backoff_s"]))
        return self.shown(status="retry", slept_s=slept)

    def reset(self, draw):
        jitter = draw % (int(self.params["max_jitter_s"]) or 1)
        self.attempts_done, self.next_jitter_max = 0, min(int(self.params["initial_backoff_s"]) + jitter, int(self.params["max_backoff_s"]))

    def shown(self, **answer):
        return {**answer, "attempts_done": self.attempts_done, "next_jitter_max": self.next_jitter_max}


def coroutine(params, _):
    """Fractions of a second, exact until they are answered; a cycle is a coroutine, to which draws are sent."""
    first, cap, most, limit = (Fraction(params[name]) for name in ("initial_backoff_s", "max_backoff_s", "max_jitter_s", "max_attempts"))

    def cycle():
        window = min(first + most * (yield), cap)
        share = yield OK
        for _ in itertools.repeat(None, int(limit)) if limit else itertools.count():
            share = yield {"status": "retry", "slept_s": float(window * share)}
            window = min(2 * window, cap)
        while True:
            yield EXHAUSTED
    running = None

    def answer(step):
        nonlocal running
        if step["op"] == "reset":
            running = cycle()
            next(running)
        return running.send(Fraction(step["draw"]["value"]))
    return answer


# ---- aws_step_functions ----

def steps(delay):
    """From the delay of retry n."""
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


def rounded_up(interval, rate, n):
    """Decimals, in whole milliseconds; 86400 years is enough."""
    with localcontext(prec=60, Emax=10 ** 9):
        exact = min(int(interval) * Decimal(rate) ** n, Decimal(2_724_796_800_000))
        return exact.quantize(Decimal("0.001"), ROUND_CEILING)


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


def timedeltas(params, _):
    """What time.sleep() takes, of what Python has for durations: microseconds, and no more than a billion days."""
    def delays():
        delay = timedelta(seconds=int(params["interval_s"]))
        while True:
            yield delay
            try:
                delay *= float(params["backoff_rate"])
            except OverflowError:
                delay = timedelta.max
    mine = itertools.islice(delays(), int(params["max_attempts"]))

    def answer(_):
        delay = next(mine, None)
        if delay is None:
            return EXHAUSTED
        return {"status": "retry", "delay_s": Decimal(delay // timedelta(microseconds=1)).scaleb(-6)}
    return answer


# ---- aws_prescriptive_sample ----

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


def run(params, _):
    """The whole run is a coroutine, as the sample is; each wait comes of the one before."""
    def requests():
        delay, answer = 0, None
        for left in range(max(int(params["max_retries"]), 1) - 1, -1, -1):
            status = yield answer
            answer = {"delay_ms": delay, "retry": left > 0 and status in {"429", "504"}}
            delay = min(2 * delay + 100, 2 ** 31 - 1)
        yield answer
    running = requests()
    next(running)
    return lambda step: running.send(step["http_status"])


# ---- azure_c_retry_control ----

class Control:
    """As the requirements number it, in integers; everything that a port may show is shown."""
    EXPONENTIAL = ("EXPONENTIAL_BACKOFF", "EXPONENTIAL_BACKOFF_WITH_JITTER")

    def __init__(self, _params, _steps):
        self.live = 0

    def __call__(self, step):
        self.step, self.reads, self.drawn = step, 0, 0
        self.nulls, self.fails = step.get("null", ()), step.get("fail", ())
        given = {name: step[name] for name in step.keys() - {"op", "on", "clock", "draw", "draws", "null", "fail"}}
        answer = getattr(self, step["op"])(**given)
        if isinstance(answer, tuple):
            names = ("result", "timed_out" if step["op"] == "is_timeout_reached" else "action")
            answer = {**dict(zip(names, answer)), "clock_reads": self.reads, "draws_used": self.drawn}
        return {**answer, "live": self.live}

    def create(self, policy, max_retry_time_s):
        if "malloc" in self.fails:
            return {"status": "null"}
        self.policy, self.limit, self.live = policy, int(max_retry_time_s), 1
        self.defaults()
        self.clear()
        return OK

    def defaults(self):
        self.options = {"initial_wait_time_in_secs": 1 if self.policy in self.EXPONENTIAL else 5, "max_jitter_percent": 5}

    def clear(self):
        self.count, self.wait, self.first, self.last = 0, 0, -1, -1

    def time(self):
        clock = self.step["clock"]
        self.reads += 1
        return int(clock[min(self.reads, len(clock)) - 1])

    def rand(self):
        self.drawn += 1
        return int(self.step["draws"][0])

    def should_retry(self):
        if not self.live or {"handle", "action"} & {*self.nulls}:
            return (1,)
        if self.policy == "NONE":
            return 0, "STOP_RETRYING"
        if self.first == -1:
            self.first = self.time()
            if self.first == -1:
                return (1,)
        action = self.evaluated()
        if action is None:
            return (1,)
        return self.granted() if action == "RETRY_NOW" else (0, action)

    def evaluated(self):
        if self.count == 0:
            return "RETRY_NOW"
        if self.last == -1 and self.policy != "IMMEDIATE":
            return None
        now = self.time()
        if now == -1:
            return None
        if self.limit and now - self.first >= self.limit:
            return "STOP_RETRYING"
        return "RETRY_NOW" if self.policy == "IMMEDIATE" or now - self.last >= self.wait else "RETRY_LATER"

    def granted(self):
        self.count += 1
        if self.policy != "IMMEDIATE":
            self.last = self.time()
            if self.last == -1:
                return (1,)
            self.wait = min(self.next_wait(), U32)
        return 0, "RETRY_NOW"

    def next_wait(self):
        initial, percent = self.options.values()
        grown = initial << min(self.count - 1, 32)
        match self.policy:
            case "INTERVAL":
                return initial
            case "LINEAR_BACKOFF":
                return initial * self.count
            case "RANDOM":
                return initial * self.rand() // U32
            case "EXPONENTIAL_BACKOFF":
                return grown
        return min(grown, U32) * (100 * U32 + percent * self.rand()) // (100 * U32)

    def reset(self):
        if self.live and "handle" not in self.nulls:
            self.clear()
        return OK

    def set_option(self, name, value):
        if not self.live or {"handle", "name", "value"} & {*self.nulls}:
            return (1,)
        if name == "retry_control_options" and "option_feed" in self.fails:
            return (1,)
        valid = {"initial_wait_time_in_secs": range(1, U32 + 1), "max_jitter_percent": range(101)}
        for each, text in value.items() if name == "retry_control_options" else [(name, value)]:
            if each not in valid or int(text) not in valid[each]:
                return (1,)
            self.options[each] = int(text)
        return (0,)

    def retrieve_options(self):
        null = not self.live or "handle" in self.nulls or {"option_create", "option_add"} & {*self.fails}
        return {"options": None if null else dict(self.options)}

    def is_timeout_reached(self, start, timeout_s):
        if start == "-1" or "out" in self.nulls:
            return (1,)
        now = self.time()
        return (1,) if now == -1 else (0, now - int(start) >= int(timeout_s))

    def destroy(self):
        if "handle" not in self.nulls:
            self.live = 0
        return OK


class InFloats(Control):
    """The formulas typed in as they stand, and rounded to whole seconds; a call that could not note its time leaves no trace."""

    def rand(self):
        return super().rand() / U32

    def next_wait(self):
        initial, percent = self.options.values()
        waits = {"INTERVAL": lambda: initial, "LINEAR_BACKOFF": lambda: initial * self.count, "RANDOM": lambda: initial * self.rand(),
                 "EXPONENTIAL_BACKOFF": lambda: math.pow(2, min(self.count - 1, 99)) * initial,
                 "EXPONENTIAL_BACKOFF_WITH_JITTER": lambda: math.pow(2, min(self.count - 1, 99)) * initial
                 * (1 + percent / 100 * self.rand())}
        return math.floor(waits[self.policy]() + 0.5)

    def should_retry(self):
        before = {name: getattr(self, name, None) for name in ("count", "wait", "first", "last")}
        result = super().should_retry()
        if result == (1,) and self.live and self.count != before["count"]:
            vars(self).update(before)
        return result


class Deadlines(Control):
    """Notes when to go on, in fractions of a second; immediate retries have no limit, and a reset forgets the options."""

    def rand(self):
        self.drawn += 1
        return Fraction(self.step["draws"][0]["value"])

    def evaluated(self):
        limit, self.limit = self.limit, 0 if self.policy == "IMMEDIATE" else self.limit
        action = super().evaluated()
        self.limit = limit
        return action

    def next_wait(self):
        initial, percent = map(Fraction, self.options.values())
        if self.policy == "RANDOM":
            return initial * self.rand()
        if not self.policy.startswith("EXPONENTIAL"):
            return initial * (self.count if self.policy.startswith("LINEAR") else 1)
        jitter = percent / 100 * self.rand() if self.policy.endswith("JITTER") else 0
        return min(initial * 2 ** min(self.count - 1, 32), U32) * (1 + jitter)

    def reset(self):
        if self.live and "handle" not in self.nulls:
            self.clear()
            self.defaults()
        return OK


# ---- azure_java_retry_policy ----

DEFAULTS = {"c_ms": "100", "cmin_ms": "100", "cmax_ms": "10000", "jd": "0.5", "ju": "0.25"}


def is_retryable(step):
    return step.get("retryable", step.get("error") in ("protocol", "service"))


def decides(delay, refuses=lambda *_: False):
    """From a function of the constants, the count and the step."""
    def port(params, _):
        constants = [{**DEFAULTS, **params}[name] for name in DEFAULTS]
        if refuses(*map(Fraction, constants)):
            raise Rejected("bounds are inverted")

        def answer(step):
            if params["policy"] == "no_retry" or not is_retryable(step):
                return {"retry": False}
            return {"retry": True, "delay_ms": delay(*constants, int(step["retry_count"]), step)}
        return answer
    return port


def in_floats(c, cmin, cmax, jd, ju, x, step):
    c, cmin, cmax, jd, ju = map(float, (c, cmin, cmax, jd, ju))
    low, high = c * (1 - jd), c * (1 - ju)
    return min(cmin + (2.0 ** min(x - 1, 500) - 1) * (low + (high - low) * float(step["draw"]["value"])), cmax)


def in_fractions(c, cmin, cmax, jd, ju, x, step):
    c, cmin, cmax, jd, ju = map(Fraction, (c, cmin, cmax, jd, ju))
    share = Fraction(int(step["draw"]), U32 + 1)
    return round(min(cmin + (2 ** min(x - 1, 300) - 1) * c * (1 - jd - share * (ju - jd)), cmax))


def randint(c, cmin, cmax, jd, ju, x, step):
    low, high = sorted(math.floor(int(c) * (1 - Decimal(each))) for each in (jd, ju))
    return min(int(cmin) + ((1 << min(x - 1, 300)) - 1) * (low + int(step["draw"]) % (high - low + 1)), int(cmax))


def for_a_timer(c, cmin, cmax, jd, ju, x, step):
    """Never early: the next whole millisecond."""
    with localcontext() as digits:
        digits.prec = 200
        c, jd, ju = map(Decimal, (c, jd, ju))
        random_part = c * (1 - jd) + c * (jd - ju) * Decimal(step["draw"]) / (U32 + 1)
        delay = min(Decimal(cmin) + (Decimal(2) ** min(x - 1, 200) - 1) * random_part, Decimal(cmax))
        return delay.to_integral_value(ROUND_CEILING)


class Engine:
    """Policies are objects that an engine asks; it looks at the error before, and at the time that is left after that."""

    def __init__(self, params, _):
        self.total = float(params.get("total_time_ms", "inf"))
        self.policy = getattr(self, params["policy"])
        self.constants = [{**DEFAULTS, **params}[name] for name in DEFAULTS]

    def __call__(self, step):
        if not is_retryable(step):
            return {"retry": False, "consulted": False}
        delay = self.policy(step)
        over = delay is None or int(step["elapsed_ms"]) + delay > self.total
        return {"retry": False, "consulted": True} if over else {"retry": True, "delay_ms": delay, "consulted": True}

    def exponential_backoff_with_jitter(self, step):
        c, cmin, cmax, jd, ju = map(float, self.constants)
        factor, random_part = math.expm1(min(int(step["retry_count"]) - 1, 500) * math.log(2)), int(step["draw"]) / (U32 + 1)
        return min(cmin + factor * ((1 - random_part) * (c * (1 - jd)) + random_part * (c * (1 - ju))), cmax)

    def no_retry(self, _):
        return None

    def custom(self, step):
        return int(step["custom_delay_ms"]) if step["custom_retry"] else None


# By system and name: the port, what it says of itself beyond that, and the readings that it follows where they are not canonical.
UNIT = {"draw_kind": "unit"}
SHOWN = {"features": ["instances", "clock_script", "nulls", "faults", "live"]}
PORTS = {
    "aws_backoff_algorithm": {
        "generator": (generator, {}, ""),
        "accumulated": (accumulated, {}, ""),
        "floats": (floats, {}, ""),
        "lazy": (Lazy, {}, "attempt-origin=one, upper-bound=exclusive"),
        "uniform": (uniform, UNIT, "draw-mapping=real, delay-resolution=real")},
    "aws_retry_utils": {
        "whole_numbers": (whole_numbers, {}, ""),
        "example": (Example, {"features": ["instances", "state"]},
                    "upper-bound=exclusive, jitter-bound=exclusive, exhaustion-state=resets-itself"),
        "coroutine": (coroutine, UNIT, "draw-mapping=real, delay-resolution=real, jitter-mapping=real, jitter-resolution=real")},
    "aws_step_functions": {
        "memoised": (steps(memoised), {}, ""),
        "exact": (exact, {}, ""),
        "rounded_up": (steps(rounded_up), {}, "delay-rounding=ceil"),
        "timedeltas": (timedeltas, {}, "delay-rounding=nearest-even-each-step, rounding-unit=microsecond")},
    "aws_prescriptive_sample": {
        "checked": (loop(checked), {}, ""),
        "saturating": (loop(lambda n: min(((1 << min(n, 40)) - 1) * 100, 2 ** 31 - 1)), {}, "overflow=saturates"),
        "run": (run, {}, "overflow=saturates")},
    "azure_c_retry_control": {
        "control": (Control, SHOWN, "difference-overflow=exact"),
        "in_floats": (InFloats, {"features": ["instances", "clock_script"]},
                      "wait-rounding=nearest, product-rounding=doubles, failed-016=rolled-back, difference-overflow=exact"),
        "deadlines": (Deadlines, {**SHOWN, **UNIT},
                      "wait-rounding=ceil, immediate-limit=immediate-first, reset-options=defaults, difference-overflow=exact")},
    "azure_java_retry_policy": {
        "in_floats": (decides(in_floats), UNIT, ""),
        "in_fractions": (decides(in_fractions, lambda _c, cmin, cmax, jd, ju: cmin > cmax or jd < ju), {},
                         "delay-rounding=nearest, inverted-bounds=rejected"),
        "for_a_timer": (decides(for_a_timer), {}, "delay-rounding=ceil"),
        "randint": (decides(randint), {"features": ["instances", "errors"]}, "rand-kind=integer-inclusive, draw-mapping=modulo"),
        "engine": (Engine, {"features": ["instances", "total_time", "errors", "custom_policy"]}, "")},
}


def drawing(port, unit):
    """The port with draws of its own."""
    def begins(params, its_steps):
        answer = port(params, its_steps)

        def draws(step):
            u32 = random.getrandbits(32)
            draw = {"value": str(u32 / 2 ** 32)} if unit else str(u32)
            return answer({**step, "draw": draw, "draws": [draw]})
        return draws
    return begins


def main():
    if len(sys.argv) == 1:
        for system, ports in PORTS.items():
            for name, (_, _, follows) in ports.items():
                print(system, name, follows)
        return
    system, name, *hidden = sys.argv[1:]
    port, more, _ = PORTS[system][name]
    about = {"port": {"name": name, "version": "1", "language": "Python"}, "systems": [system], "features": ["instances"], **more}
    if hidden:
        port = drawing(port, "draw_kind" in more)
        about |= {"draws": "opaque", "features": [*about["features"], "fresh_process"]}
    serve(port, about)


if __name__ == "__main__":
    main()
