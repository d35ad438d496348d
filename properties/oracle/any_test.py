#!/usr/bin/python3
"""`check --any`: which document or policy of the shelf explains the delays of a port, whatever system it answers for.

    any_test.py --bin build/release/bin

Ports of every system, right and wrong; and ports that speak for one system and follow the formula of another document.
"""
import json
import os
import pathlib
import random
import re
import sys
import unittest
from collections.abc import Callable
from typing import Any, NamedTuple

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve()
HELPERS = str(HERE.parents[1] / "ports/helpers/python")
sys.path[:0] = [str(HERE.parent / "test_ports"), HELPERS]

# The delay before retry n, from 0, of a base and a cap, for a draw u of [0, 1); last: the delay before.
Formula = Callable[[float, float, int, float, float], float]
FORMULAS: dict[str, Formula] = {
    "aws_blog_full_jitter": lambda base, cap, n, u, _: min(cap, base * 2**n) * u,
    "aws_blog_equal_jitter": lambda base, cap, n, u, _: min(cap, base * 2**n) / 2 * (1 + u),
    "aws_blog_decorrelated_jitter": lambda base, cap, n, u, last: min(cap, base + u * (3 * (last if n else base) - base)),
    "temporal_retry_policy": lambda base, cap, n, u, _: min(cap, base * 2**n),
    "kafka_reconnect_backoff": lambda base, cap, n, u, _: min(cap, base * 2**n) * (0.8 + 0.4 * u),
    "grpc_connection_backoff": lambda base, cap, n, u, _: min(cap, base * 1.6**n) * (0.8 + 0.4 * u),
    "opentelemetry_collector_exporter": lambda base, cap, n, u, _: min(cap, base * 1.5**n) * (0.5 + u),
    "tcp_rto_backoff": lambda base, cap, n, u, _: min(cap, base * 2**(n + 1)),
    "aws_step_functions": lambda base, cap, n, u, _: base * 2**n,
    "kubernetes_crash_loop": lambda base, cap, n, u, _: min(300_000, 10_000 * 2**n),
    "cubes": lambda base, cap, n, u, _: min(cap, base + 7 * n**3),
    "no_jitter_from_retry_8_on": lambda base, cap, n, u, _: min(cap, base * 2**n) * (u if n < 8 else 0.5),
    "threes": lambda base, cap, n, u, _: min(cap, base * 3**n),
    "wide_jitter": lambda base, cap, n, u, _: min(cap, base * 1.7**n) * (0.5 + u),
    "constants": lambda base, cap, n, u, _: min(5_000, 200 * 1.4**n) * (0.7 + 0.6 * u),
    "own_full": lambda base, cap, n, u, _: min(30_000, 250 * 2**n) * u,
    "own_quarter": lambda base, cap, n, u, _: min(20_000, 200 * 3**n) * (0.75 + 0.5 * u),
    "cap_after_jitter": lambda base, cap, n, u, _: min(cap, base * 2**n * u),
}
# How a system says base and cap, in milliseconds; None: not at all, and the port has numbers of its own.
SPEECHES: dict[str, tuple[tuple[str, float] | None, tuple[str, float] | None]] = {
    "aws_backoff_algorithm": (("base_ms", 1), ("max_ms", 1)),
    "aws_retry_utils": (("initial_backoff_s", 1000), ("max_backoff_s", 1000)),
    "aws_step_functions": (("interval_s", 1000), None),
    "aws_prescriptive_sample": (None, None),
    "azure_java_retry_policy": (("c_ms", 1), ("cmax_ms", 1)),
}


def port(formula: str, system: str, hidden: bool) -> Callable[[dict[str, Any], Any], Callable[[dict[str, Any]], dict[str, Any]]]:
    delay_of = FORMULAS[formula]
    own = random.Random(1)

    def number(params: dict[str, Any], say: tuple[str, float] | None, default: float) -> float:
        if say is None:
            return default
        return float(params[say[0]] if say[0] in params else {"c_ms": 100, "cmax_ms": 10_000}[say[0]]) * say[1]

    def instance(params: dict[str, Any], _: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
        base, cap = number(params, SPEECHES[system][0], 100), number(params, SPEECHES[system][1], 6_400)
        n, last = 0, 0.0

        def answer(step: dict[str, Any]) -> dict[str, Any]:
            nonlocal n, last
            if step["op"] == "reset":
                n = 0
                return {"status": "ok"}
            draw = step.get("draw")
            u = own.random() if hidden or draw is None else int(draw["num"]) / int(draw["den"])
            if system == "aws_prescriptive_sample":
                last = delay_of(base, cap, n - 1, u, last) if n else 0
                n += 1
                return {"delay_ms": last, "retry": True}
            if system == "azure_java_retry_policy":
                return {"retry": True, "delay_ms": delay_of(base, cap, int(step["retry_count"]) - 1, u, 0)}
            last = delay_of(base, cap, n, u, last)
            n += 1
            unit = {"aws_backoff_algorithm": ("delay_ms", 1), "aws_retry_utils": ("slept_s", 1000),
                    "aws_step_functions": ("delay_s", 1000)}[system]
            return {"status": "retry", unit[0]: last / unit[1]}
        return answer
    return instance


class Row(NamedTuple):
    system: str
    formula: str
    hidden: bool = False


EXPLAINED = [
    *(Row("aws_backoff_algorithm", name) for name in (
        "temporal_retry_policy", "grpc_connection_backoff", "tcp_rto_backoff", "aws_step_functions")),
    *(Row("aws_backoff_algorithm", name, True) for name in (
        "aws_blog_full_jitter", "aws_blog_equal_jitter", "aws_blog_decorrelated_jitter", "kafka_reconnect_backoff",
        "opentelemetry_collector_exporter")),
    Row("aws_retry_utils", "aws_blog_equal_jitter"), Row("aws_retry_utils", "grpc_connection_backoff", True),
    Row("aws_step_functions", "kubernetes_crash_loop"), Row("aws_prescriptive_sample", "temporal_retry_policy"),
    Row("azure_java_retry_policy", "kafka_reconnect_backoff"), Row("azure_java_retry_policy", "aws_blog_full_jitter", True),
]

if __name__ == "__main__" and sys.argv[1:2] == ["port"]:
    from backoff_port import serve

    name, speech, kind = sys.argv[2:5]
    draws = {"draws": "opaque"} if kind == "hidden" else {"draw_kind": "unit"}
    serve(port(name, speech, kind == "hidden"), {"port": {"name": name}, "systems": [speech], **draws})
    sys.exit(0)

import broken  # noqa: E402
import running  # noqa: E402
from running import built_in, listed, oracle, test_port  # noqa: E402


def any_of(port: list[str], *words: str, **options: Any) -> tuple[running.Run, list[dict[str, Any]]]:
    run = oracle("check", "--any", "--format", "json", *words, port=port, **options)
    return run, json.loads(run.out) if run.out else []


def spoken(system: str, formula: str, hidden: bool) -> list[str]:
    return ["/usr/bin/python3", "-B", str(HERE), "port", formula, system, "hidden" if hidden else "given"]


def explaining(found: dict[str, Any]) -> list[str]:
    return [each["document"] for each in found["documents"] if each["explains"]]


class AnyTest(unittest.TestCase):
    maxDiff = None

    def test_a_right_port_of_each_system_is_explained_by_its_document(self) -> None:
        for system in (each["name"] for each in listed()):
            delays = system != "azure_c_retry_control"
            for words in ([], ["--draws", "random", "7"]):
                if words and system in ("aws_step_functions", "aws_prescriptive_sample"):
                    continue
                with self.subTest(system, words=words):
                    run, found = any_of([running.PROGRAMS["backoff-port"], "library", *words], system)
                    self.assertEqual(run.code, 0 if delays else 5, run)
                    self.assertEqual([each["asked_as"] for each in found], [system])
                    if delays:
                        self.assertIn(system, explaining(found[0]), found)
                    else:
                        self.assertIn("answered no delays", found[0]["verdict"])

    def test_a_formula_is_found_whatever_system_the_port_speaks_for(self) -> None:
        """And no other, but for formulas that are one where parameters are the same."""
        same: tuple[set[str], ...] = (
            {"aws_backoff_algorithm", "aws_blog_full_jitter", "aws_retry_utils", "celery_retry", "grpc_retry_a6"},
            {"temporal_retry_policy", "tcp_rto_backoff", "sip_non_invite_rfc3261", "node_retry", "paho_mqtt_reconnect",
             "spring_retry_exponential", "storm_kafka_spout"},
            {"aws_step_functions", "bullmq_exponential", "knative_delivery", "node_retry", "sip_invite_rfc3261"},
            {"kafka_reconnect_backoff", "grpc_retry_a6"}, {"opentelemetry_collector_exporter", "retriable_gem"})
        patient = int(os.environ.get("BACKOFF_PATIENCE", "1")) > 1
        for row in EXPLAINED if patient else EXPLAINED[::5]:
            with self.subTest(str(row)):
                run, found = any_of(spoken(row.system, row.formula, row.hidden))
                self.assertEqual(run.code, 0, run)
                self.assertIn(row.formula, explaining(found[0]), found)
                alike = next((group for group in same if row.formula in group), {row.formula})
                self.assertLessEqual(set(explaining(found[0])), alike)

    def test_the_parameters_are_named(self) -> None:
        _, found = any_of(spoken("aws_retry_utils", "aws_blog_equal_jitter", False))
        best = found[0]["documents"][0]
        self.assertEqual(best["with"], {"base": "initial_backoff_s * 1000", "cap": "max_backoff_s * 1000"})
        self.assertEqual((best["how"], best["check"]), ("exactly", "aws_blog_equal_jitter"))
        self.assertEqual(best["explained"], best["compared"])
        self.assertGreater(best["compared"], 100)

    def test_numbers_that_the_port_has_no_parameters_for_are_found(self) -> None:
        rows = (("threes", False, "temporal_retry_policy", {"backoff_coefficient": "3"}),
                ("threes", True, "temporal_retry_policy", {"backoff_coefficient": "3"}),
                ("wide_jitter", False, "opentelemetry_collector_exporter", {"multiplier": "1.7"}),
                ("wide_jitter", True, "opentelemetry_collector_exporter", {"multiplier": "1.7"}),
                ("constants", False, "symfony_messenger",
                 {"base_delay": "200", "multiplier": "1.4", "max_delay": "5000", "jitter": "0.3"}),
                ("own_full", True, "aws_blog_full_jitter", {"base": "250", "cap": "30000"}),
                ("own_quarter", True, "opentelemetry_collector_exporter",
                 {"initial_interval": "200", "multiplier": "3", "randomization_factor": "0.25", "max_interval": "20000"}))
        patient = int(os.environ.get("BACKOFF_PATIENCE", "1")) > 1
        for formula, hidden, document, numbers in rows if patient else rows[1::2]:
            with self.subTest(formula, hidden=hidden):
                run, found = any_of(spoken("aws_backoff_algorithm", formula, hidden))
                self.assertEqual(run.code, 0, run)
                best = next(each for each in found[0]["documents"] if each["document"] == document)
                self.assertTrue(best["explains"], best)
                self.assertEqual({name: best["with"][name] for name in best["fitted"]}, numbers)
                told = " and ".join(f"{name} = {is_}" for name, is_ in numbers.items())
                self.assertIn(f"{document} with {told}", found[0]["verdict"])

    def test_a_formula_of_nobody_is_said_to_be_near_none(self) -> None:
        run, found = any_of(spoken("aws_backoff_algorithm", "cubes", False))
        self.assertEqual((run.code, explaining(found[0])), (1, []), run.out)
        self.assertEqual(found[0]["verdict"], "no document explains the delays, and none is near")

    def test_hidden_draws_that_are_cut_do_not_pass_for_spread(self) -> None:
        run, found = any_of(spoken("aws_backoff_algorithm", "cap_after_jitter", True))
        self.assertEqual((run.code, explaining(found[0])), (1, []), run.out)
        self.assertIn("nearest is aws_backoff_algorithm: all lie in its range, but are distributed differently", found[0]["verdict"])

    def test_a_wrong_port_is_nearest_to_its_document(self) -> None:
        run, found = any_of(spoken("aws_backoff_algorithm", "no_jitter_from_retry_8_on", False))
        self.assertEqual(run.code, 1, run.out)
        self.assertRegex(found[0]["verdict"], r"; the nearest is (aws_backoff_algorithm|aws_blog_full_jitter): \d+ of \d+ histories$")

    def test_the_text_has_a_line_for_each_document(self) -> None:
        run = oracle("check", "--any", port=spoken("aws_backoff_algorithm", "grpc_connection_backoff", False))
        self.assertEqual(run.code, 0, run)
        lines = re.findall(r"^ +(\d+) of (\d+) +(\w+) +(.*)$", run.out, re.M)
        self.assertEqual((lines[0][2:], lines[0][0]), (("grpc_connection_backoff", "exactly"), lines[0][1]), run.out)
        self.assertIn("with initial = base_ms, cap = max_ms", run.out)
        self.assertEqual(run.last, "verdict: the delays are explained by grpc_connection_backoff")
        quiet = oracle("check", "--any", "--quiet", port=spoken("aws_backoff_algorithm", "grpc_connection_backoff", False))
        self.assertEqual(quiet.out, run.last + "\n")

    def test_the_same_seed_says_the_same(self) -> None:
        runs = [any_of(spoken("aws_backoff_algorithm", "kafka_reconnect_backoff", True))[0].out for _ in range(2)]
        self.assertEqual(runs[0], runs[1])

    def test_a_port_of_a_policy_is_asked_by_its_name(self) -> None:
        run, found = any_of(["/usr/bin/python3", str(HERE.parents[1] / "policies/example/my_port.py")],
                            str(HERE.parents[1] / "policies/example/my_policy.yaml"), env={**os.environ, "PYTHONPATH": HELPERS})
        self.assertEqual((run.code, [each["asked_as"] for each in found]), (0, ["my_policy"]), run)
        self.assertIn("my_policy", explaining(found[0]))

    def test_ports_that_do_not_start_or_break(self) -> None:
        for port, code in ((["/nonexistent"], 3), (["/bin/false"], 3), (test_port(broken, "aborts_on_base_7"), 3)):
            with self.subTest(port):
                run = oracle("check", "--any", port=port)
                self.assertEqual(run.code, code, run)

    def test_what_does_not_go_with_it_is_refused(self) -> None:
        for words, named in ((["--results", "x"], "--results"), (["--known-failing", "x"], "--known-failing"),
                             (["--cases", "5"], "--cases"), (["--format", "markdown"], "markdown"), (["--library", "x.so"], None)):
            with self.subTest(words):
                run = oracle("check", "--any", *words, port=[] if named is None else built_in("library"))
                self.assertEqual((run.code, run.out, run.err.count("\n")), (2, "", 1), run)
                self.assertIn(named or "SYSTEM", run.err)
        run = oracle("check", port=built_in("library"))
        self.assertEqual((run.code, run.out), (2, ""))
        self.assertIn("SYSTEM", run.err)


if __name__ == "__main__":
    running.main(__doc__)
