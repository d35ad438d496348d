"""iothub_client_retry_control once more, by the numbers of its requirements (09_002 to 09_063)."""
import itertools
import math
from collections import namedtuple
from fractions import Fraction

from answers import draw_of, number, whole_numbers

FEATURES = {"instances", "clock_script", "nulls", "faults", "live"}
HALF = Fraction(1, 2)
TIME_MIN, TIME_MAX = -2**63, 2**63 - 1
UINT_MAX = 2**32 - 1
DOUBLES = Fraction(1, 2**50)
# Times that are not set are None; waits are the least and the largest that they may be.
Control = namedtuple("Control", "policy limit initial jitter count wait first last")
OPTIONS = {"initial_wait_time_in_secs": ("initial", 1, UINT_MAX), "max_jitter_percent": ("jitter", 0, 100)}
DRAW = ("EXPONENTIAL_BACKOFF_WITH_JITTER", "RANDOM")


def go_together(reading, about):
    return True


def created(policy, limit):  # 004 to 008
    return Control(policy, limit, 1 if policy.startswith("EXPONENTIAL") else 5, 5, 0, (0, 0), None, None)


def reset(c, reading):  # 035; "as if it was just created"
    if reading["reset-options"] == "defaults":
        return created(c.policy, c.limit)
    return c._replace(count=0, wait=(0, 0), first=None, last=None)


class Undefined(Exception):
    """What the document computes here has no value: nothing is judged from here on."""


def difference(now, since, reading):
    if not TIME_MIN <= now - since <= TIME_MAX and reading["difference-overflow"] == "undefined":
        raise Undefined
    return now - since


class Clock:
    """get_time: the readings in order, the last again and again; -1 is a failure."""

    def __init__(self, step):
        self.readings, self.reads = [int(t) for t in step["clock"]], 0

    def __call__(self):
        self.reads += 1
        now = self.readings[min(self.reads, len(self.readings)) - 1]
        return None if now == -1 else now


def quotient(step, about):
    """rand() / RAND_MAX, the least and the largest that it may be."""
    if about["draws"] == "opaque":
        return Fraction(0), Fraction(1)
    draw = step["draws"][0]
    r, size = draw_of(draw, about)
    return (Fraction(r, size if isinstance(draw, dict) else size - 1),) * 2


def next_wait(c, step, reading, about):  # 029 to 033
    wait = c.initial
    if c.policy == "LINEAR_BACKOFF":
        wait *= c.count
    elif c.policy.startswith("EXPONENTIAL"):
        wait *= 2 ** (c.count - 1)
    if c.policy not in DRAW:
        return (min(wait, UINT_MAX),) * 2
    factors = [q if c.policy == "RANDOM" else 1 + Fraction(c.jitter, 100) * q for q in quotient(step, about)]
    low, high = (wait * f for f in factors)
    if reading["product-rounding"] == "doubles":  # which multiply by a whole number as everyone does
        low, high = (x if f.denominator == 1 else x * off for x, f, off in zip((low, high), factors, (1 - DOUBLES, 1 + DOUBLES)))
    how = reading["wait-rounding"]
    if how == "nearest":
        low, high = math.ceil(low - HALF), math.floor(high + HALF)
    to_whole = math.ceil if how == "ceil" else math.floor
    return min(to_whole(low), UINT_MAX), min(to_whole(high), UINT_MAX)


def evaluate(c, clock, reading):
    """The action, or None if it fails, and what is known after it: 019 to 028. Two, where the wait may be either."""
    if c.count == 0:
        return [("RETRY_NOW", c)]
    if c.last is None and c.policy != "IMMEDIATE":
        return [(None, c)]
    now = clock()
    if now is None:
        return [(None, c)]
    immediate = [("RETRY_NOW", c)] if c.policy == "IMMEDIATE" else []
    over = c.limit and difference(now, c.first, reading) >= c.limit
    if over and not (immediate and reading["immediate-limit"] == "immediate-first"):
        return [("STOP_RETRYING", c)]
    if immediate:
        return immediate
    passed, (least, most) = difference(now, c.last, reading), c.wait
    later = ("RETRY_LATER", c._replace(wait=(max(least, passed + 1), most)))
    return [("RETRY_NOW", c)] * (passed >= least) + [later] * (passed < most)


def should_retry(c, step, reading, about):
    """(action or None, readings of the clock, draws, control after it), of every wait that it may be."""
    clock = Clock(step)
    if c.policy == "NONE":  # 027
        return [("STOP_RETRYING", (0,), 0, c)]
    started = c
    if c.first is None:  # 011, 012
        started = c._replace(first=clock())
        if started.first is None:
            return [(None, (clock.reads,), 0, c)]
    ways = evaluate(started, clock, reading)
    until = clock.reads
    found = [(action, (until,), 0, after) for action, after in ways if action != "RETRY_NOW"]
    for action, c_now in ways:
        if action == "RETRY_NOW":
            found += granted(c, c_now, clock, step, reading, about)
    return found


def granted(before, c, clock, step, reading, about):  # 015 to 017
    c = c._replace(count=c.count + 1)
    if c.policy == "IMMEDIATE":
        return [("RETRY_NOW", (clock.reads,), 0, c)]
    c = c._replace(last=clock())
    if c.last is None and reading["failed-016"] != "returns-zero":
        left = {"fails": c, "rolled-back": before, "uncounted": before._replace(first=c.first)}
        return [(None, (clock.reads,), drawn, left[reading["failed-016"]]) for drawn in (0, int(c.policy in DRAW))]
    return [("RETRY_NOW", (clock.reads,), int(c.policy in DRAW), c._replace(wait=next_wait(c, step, reading, about)))]


def set_option(c, step):
    """Whether it succeeds, and the control after it: 036 to 044. What a feed that failed had set by then is left open."""
    name, value = step["name"], step["value"]
    fails = "option_feed" in step.get("fail", [])
    if name == "retry_control_options":
        options = value
    elif name in OPTIONS:
        options, fails = {name: value}, False
    else:
        return [(False, c)]
    right = {OPTIONS[n][0]: int(v) for n, v in options.items() if n in OPTIONS and OPTIONS[n][1] <= int(v) <= OPTIONS[n][2]}
    if len(right) == len(options) and not fails:
        return [(True, c._replace(**right))]
    if name in OPTIONS:
        return [(False, c)]
    return [(False, c._replace(**dict(some))) for n in range(len(right) + 1) for some in itertools.combinations(right.items(), n)]


def any_of(values):
    """One of these numbers, written as all that are as far apart as some of them."""
    values = sorted(set(values))
    return whole_numbers(values[0], values[-1], math.gcd(*(value - values[0] for value in values)) or 1)


def timeout(step, reading):  # 057 to 063
    """Whether it is reached, or None, and the readings of the clock."""
    start = int(step["start"])
    if start == -1 or "out" in step.get("null", []):
        return None, 0
    now = Clock(step)()
    return (None if now is None else difference(now, start, reading) >= int(step["timeout_s"])), 1


def answer(step, controls, reading, about):
    """To one call, and what its instance may be afterwards: None without one."""
    op, null, fail = step["op"], step.get("null", []), step.get("fail", [])
    reads = about["clock_reads"]
    if op == "create":
        made = "malloc" not in fail  # 003
        return {"status": "ok" if made else "null"}, {created(step["policy"], int(step["max_retry_time_s"]))} if made else None
    if op == "is_timeout_reached":
        timed_out, clock_reads = timeout(step, reading)
        said = {"result": {"not": "0"}} if timed_out is None else {"result": "0", "timed_out": timed_out}
        return {**said, **({"clock_reads": number(clock_reads)} if reads else {})}, controls
    handle = controls is not None and "handle" not in null
    if op in ("reset", "destroy"):
        if not handle:
            return {"status": "ok"}, controls
        return {"status": "ok"}, None if op == "destroy" else {reset(c, reading) for c in controls}
    if op == "retrieve_options":
        if not handle or {"malloc", "option_create", "option_add"} & set(fail):
            return {"options": None}, controls
        return {"options": {n: any_of(getattr(c, OPTIONS[n][0]) for c in controls) for n in OPTIONS}}, controls
    if op == "set_option":
        ways = [(False, c) for c in controls or ()]
        if handle and not {"name", "value"} & set(null):
            ways = [way for c in controls for way in set_option(c, step)]
        good = {succeeds for succeeds, _ in ways} or {False}
        return {"result": "0" if good == {True} else {"not": "0"}}, controls and {c for _, c in ways}
    if handle and "action" not in null:
        ways = [way for c in sorted(controls, key=repr) for way in should_retry(c, step, reading, about)]
    else:
        ways = [(None, (0,), 0, c) for c in controls or (None,)]
    words = [w for w in ("RETRY_NOW", "RETRY_LATER", "STOP_RETRYING") if any(w == way[0] for way in ways)]
    fails = [way[0] is None for way in ways]
    said = {} if any(fails) and words else {"result": "0" if words else {"not": "0"}}
    if said and words:
        said["action"] = words[0] if len(words) == 1 else {"any": words}
    if reads:
        said["clock_reads"] = any_of(n for way in ways for n in way[1])
        said["draws_used"] = any_of(way[2] for way in ways)
    return said, controls and {way[3] for way in ways}


def answers(case, reading, about):
    about = {**about, "clock_reads": "clock_script" in about["features"]}
    instances = {}
    for step in case["steps"]:
        on = step.get("on", "0")
        try:
            said, instances[on] = answer(step, instances.get(on), reading, about)
        except Undefined:
            return
        if "live" in about["features"] and len(instances) == 1:  # of several together nothing is said
            said["live"] = whole_numbers(1, UINT_MAX) if instances[on] is not None else "0"
        yield said


def undecided(answer):
    """Whether what comes depends on what is answered here."""
    return isinstance(answer.get("action"), dict) or not answer.keys() & {"status", "result", "options"}
