#!/usr/bin/python3
"""The herds of `plan` are held against a simulation of another kind: event by event, with each delay from backoff-certify, which
shares no code with the program. Of every policy of the shelf and every document that answers delays, under several conditions.

    herd_simulation_test.py --bin build/release/bin
"""
import collections
import heapq
import importlib.machinery
import importlib.util
import itertools
import json
import math
import pathlib
import random
import statistics
import sys
import unittest
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "test_ports"))
import running  # noqa: E402

SHELF = HERE.parents[1] / "spec/policies"
LOADER = importlib.machinery.SourceFileLoader("backoff_certify", str(HERE.parent / "certify/backoff-certify"))
SPEC = importlib.util.spec_from_loader("backoff_certify", LOADER)
assert SPEC
certify: Any = importlib.util.module_from_spec(SPEC)
LOADER.exec_module(certify)

DOCUMENTS = {"aws_backoff_algorithm": "base_ms=200,max_ms=20000,max_attempts=6",
             "aws_retry_utils": "initial_backoff_s=1,max_backoff_s=60,max_jitter_s=5,max_attempts=9",
             "aws_step_functions": "interval_s=3,backoff_rate=1.5,max_attempts=6", "aws_prescriptive_sample": "max_retries=7",
             "azure_java_retry_policy": "policy=exponential_backoff_with_jitter"}
OPERATIONS = {"RetryUtils": ("backoff",), "SampleLoop": ("attempt",), "RetryPolicy": ("decide",)}
ARGUMENTS: dict[str, dict[str, Callable[[int], Any]]] = {"SampleLoop": {"http_status": lambda _: "429"},
                                                         "RetryPolicy": {"retry_count": str, "retryable": lambda _: True}}
UNITS = {"s": 1, "ms": 1000, "us": 10**6, "ns": 10**9}
CLIENTS = 160
WATCHED_S = 1_000_000


class Conditions(NamedTuple):
    ramp_s: float
    outage_s: float
    capacity: int | None

    def words(self) -> list[str]:
        given = (("--ramp", self.ramp_s, "s"), ("--outage", self.outage_s, "s"), ("--capacity", self.capacity, "/s"))
        return [word for name, value, unit in given if value for word in (name, f"{value!r}{unit}")]


def kept(readings: dict[str, dict[str, str]], real: bool) -> dict[str, str]:
    """The canonical readings, but for a draw of a whole number, which is scaled."""
    chosen = {name: next(a for a, standing in of.items() if standing == certify.CANONICAL) for name, of in readings.items()}
    return {name: "scaled" if "mapping" in name and not real and a == "modulo" else a for name, a in chosen.items()}


class Client:
    """The delays of one client, as the interpreter of backoff-certify has them."""

    def __init__(self, system: type[Any], readings: dict[str, str], params: dict[str, str], known: dict[Any, Any]) -> None:
        self.model = system({"params": params, "steps": [{}], "known": known}, readings, certify.About({"draw_kind": "unit"}))
        self.model.on = "0"
        self.calls = 0

    def ask(self, operation: str, **more: Any) -> dict[str, Any]:
        draw = {"num": str(random.randrange(2**32)), "den": str(2**32)}
        self.model.i, self.model.before, self.model.got = self.calls, self.model.got, {}
        self.model.step = {"op": operation, "draw": draw, **more}
        self.calls += 1
        want: dict[str, Any] = self.model.call(self.model.step)
        return want

    def delays(self) -> Iterator[Fraction]:
        """In seconds, until the client gives up."""
        model, name = self.model, type(self.model).__name__
        if name == "RetryUtils":
            self.ask("reset")
            model.learn({})
        goes_on = name != "SampleLoop" or certify.admits(self.ask("attempt", http_status="429")["retry"], True)
        for n in itertools.count(1):
            if not goes_on:
                return
            want = self.ask(*OPERATIONS.get(name, ("next",)), **{k: v(n) for k, v in ARGUMENTS.get(name, {}).items()})
            field = next((f for f in want if f.startswith(("delay_", "slept_"))), None)
            if name == "SampleLoop":  # it says before each request how long it waits, and after it whether another follows
                goes_on = certify.admits(want["retry"], True)
            elif field is None or not certify.admits(*((want["retry"], True) if "retry" in want else (want["status"], "retry"))):
                return
            assert field
            low, high = certify.ends_of(want[field])
            delay = Fraction(low + high) / (2 if want[field][0] != "grains" else 2 * certify.GRAINS)
            model.learn({"status": "retry", field: delay})
            yield delay / UNITS[field.rpartition("_")[2]]


class Seen(NamedTuple):
    requests: int
    requests_after_outage: int | None
    peak: int
    served_99_percent_s: float | None
    served: int
    gave_up: int


def simulate(delays: list[Iterator[Fraction]], under: Conditions) -> Seen:
    clients, outage = len(delays), Fraction(repr(under.outage_s))
    due = [(Fraction(repr(under.ramp_s)) * n / clients, n, True) for n in range(clients)]
    heapq.heapify(due)
    requests: collections.Counter[int] = collections.Counter()  # by the second since the server came back
    answered: collections.Counter[int] = collections.Counter()
    served, gave_up = [], 0
    while due:
        at, client, is_first = heapq.heappop(due)
        second = math.floor(at - outage)
        requests[second] += 1
        if not is_first and at >= outage and (under.capacity is None or answered[second] < under.capacity):
            answered[second] += 1
            served.append(float(at))
            continue
        delay = next(delays[client], None)
        if delay is None:
            gave_up += 1
        elif at + delay < WATCHED_S:
            heapq.heappush(due, (at + delay, client, False))
    nearly_all, back = math.ceil(0.99 * clients), 0 if outage else max(1, math.ceil(under.ramp_s))
    return Seen(requests.total(), requests[0] if outage else None, max((n for s, n in requests.items() if s >= back), default=0),
                sorted(served)[nearly_all - 1] if len(served) >= nearly_all else None, len(served), gave_up)


class HerdSimulationTest(unittest.TestCase):
    def setUp(self) -> None:
        self.parts_of_error: dict[str, list[float]] = collections.defaultdict(list)

    def compare(self, word: str, system: type[Any], readings: dict[str, str]) -> int:
        run = running.oracle("plan", word, "--retries", "5", "--format", "json")
        self.assertEqual(run.code, 0, run)
        formula = json.loads(run.out)["formulas"][0]
        params = dict(part.split("=", 1) for part in formula["parameters"].split())
        passed = [row["passed_s"]["mean"] for row in formula["retries"]]
        if not passed or passed[-1] > WATCHED_S / 4:
            return 0
        time = float(f"{passed[len(passed) // 2]:.2g}")
        known: dict[Any, Any] = {}
        ramp = Conditions(float(f"{time / 2:.2g}"), float(f"{passed[-1]:.3g}"), 40)
        for under in (Conditions(0, time, None), ramp, Conditions(0, 0, 30)):
            with self.subTest(word, under=under):
                random.seed(f"{word} {under}")
                seen = simulate([Client(system, readings, params, known).delays() for _ in range(CLIENTS)], under)
                run = running.oracle("plan", word, "--clients", str(CLIENTS), *under.words(), "--format", "json")
                herd = json.loads(run.out)["formulas"][0]["herds"][0]
                is_drawn = any(herd["error"].values())
                for name, ours in seen._asdict().items():
                    theirs, error = herd[name], herd["error"].get(name, herd["error"]["gave_up"])
                    if ours is None or theirs is None:  # 99 % are served, or one client less
                        self.assertTrue(ours is theirs or abs(herd["gave_up"] - 0.01 * CLIENTS) <= herd["error"]["gave_up"] + 1, name)
                        continue
                    rounding = 1e-9 * theirs + (2 if is_drawn and not name.endswith("_s") else 0)
                    self.assertLessEqual(abs(ours - theirs), error + rounding, (name, ours, theirs, herd["error"]))
                    if error > 0:
                        self.parts_of_error[name].append((ours - theirs) / error)
        return 1

    def test_policies_of_the_shelf(self) -> None:
        compared = 0
        for path in sorted(SHELF.glob("*.yaml")):
            rules = certify.Rules(path.read_text(), path.name)
            system = certify.Declared.of(rules, set(map(rules.region, ("first", "later", "capped"))), [], False)
            whole = any(t.random == "integer" for t, _ in itertools.islice(rules.delay.values(), 1))
            compared += self.compare(rules.name, system, kept(system.READINGS, not whole))
        self.assertGreater(compared, 40)
        # Chance differs from case to case, and a fault does not.
        for name in ("requests", "peak", "served_99_percent_s"):
            parts = self.parts_of_error[name]
            self.assertGreater(len(parts), 40, name)
            self.assertLess(abs(statistics.fmean(parts)), 0.1, name)

    def test_documents(self) -> None:
        for name, given in DOCUMENTS.items():
            system = certify.SYSTEMS[name]
            self.assertEqual(self.compare(f"{name}:{given}", system, kept(system.READINGS, False)), 1)


if __name__ == "__main__":
    running.main(__doc__)
