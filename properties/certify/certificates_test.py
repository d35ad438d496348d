#!/usr/bin/python3
"""backoff-certify against certificates of right and wrong ports, of judges that were made to err, and edited ones.

Usage: certificates_test.py --bin DIR [CLASS…]
"""
import contextlib
import functools
import hashlib
import itertools
import json
import os
import pathlib
import pty
import random
import runpy
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from certify_runs import (
    CONFORMS,
    DISAGREES,
    DOES_NOT,
    INCONCLUSIVE,
    REFUSED,
    SHORT,
    SPEC,
    certificate,
    certified,
    certify,
    main,
    program,
    sealed,
)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "oracle/test_ports"))
from foreign_texts import CONTROL, TEXTS

HERE = pathlib.Path(__file__).resolve().parent
RIGHT = {
    "aws_backoff_algorithm": ["counts-from-one", "scaled-exclusive", "real-unit"],
    "aws_retry_utils": ["as-the-example", "scaled-in-doubles", "real-unit"],
    "aws_step_functions": ["power", "floor-each-step", "nearest-even-microseconds", "in-32-bits"],
    "aws_prescriptive_sample": ["adds-in-32-bits", "switches"],
    "azure_c_retry_control": ["counts-in-32-bits", "nearest-doubles"],
    "azure_java_retry_policy": ["nearest", "rounding-up", "modulo-exclusive", "rounds-down-below-the-minimum", "leaves-services-alone"],
}
WRONG = {
    "aws_backoff_algorithm": """cap-ignored linear constant jitter-gone-at-the-cap reset-keeps-the-window shared-state
        one-attempt-too-many compare-half first-window-uncapped mixed-growth""",
    "aws_retry_utils": """cap-ignored linear no-base-jitter jitter-drawn-once always-zero shared-state one-attempt-too-few
        never-exhausted cap-after-jitter shows-twice-the-window""",
    "aws_step_functions": """linear whole-rate compounds capped rounded-to-tenths mixed-rounding first-failure floor-seconds
        one-attempt-too-many shared-state""",
    "aws_prescriptive_sample": """square exponent-from-one wraps smallest-integer throws-too-early unavailable-too throttling-only
        one-request-too-many limit-ignored shared-count""",
    "azure_c_retry_control": """counts-from-zero whole-quotients redrawn-at-each-poll unsigned-difference no-limit
        failed-clock-is-later stops-for-good reset-keeps-the-count shared accepts-all-jitter""",
    "azure_java_retry_policy": """linear exponent-too-large no-minimum factors-swapped one-draw-for-ever shared-state
        overflow-to-zero retries-the-unknown ignores-the-veto no-time-limit""",
}


class Certified(unittest.TestCase):
    def certifies(self, system: str, port: str, *options: str, cases: int | None = None) -> tuple[int, str]:
        code, data = certificate(system, port, *options, cases=cases)
        found, said = certified(data)
        self.assertEqual(found, code, f"{system} {port}: {said}")
        listed = {claim: entry["strength"] for claim, entry in json.loads(data)["claims"].items()}
        listed.pop(certify.UNANSWERED, None)
        self.assertEqual(listed, certify.SYSTEMS[system].CLAIMS)
        return code, said


class Ports(Certified):
    """A right and a wrong one at least of each kind, of each system."""


def add_tests(system: str) -> None:
    def right(self: Ports) -> None:
        for port in ["library", *RIGHT[system]]:
            if self.certifies(system, port)[0] not in (CONFORMS, INCONCLUSIVE):
                self.fail(f"{port} does not conform")

    def wrong(self: Ports) -> None:
        for port in WRONG[system].split():
            self.assertEqual(self.certifies(system, port)[0], DOES_NOT, port)
    setattr(Ports, f"test_right_{system}", right)
    setattr(Ports, f"test_wrong_{system}", wrong)


for each in RIGHT:
    add_tests(each)


class Draws(Certified):
    def test_hidden_draws_are_tested_again(self) -> None:
        code, said = self.certifies("aws_backoff_algorithm", "library --draws random 1", "--range", "max_attempts=0..9", cases=200)
        self.assertIn("e-values recomputed", said)
        code, said = self.certifies("aws_backoff_algorithm", "library --draws seeded-alike", "--range", "max_attempts=0..9", cases=200)
        self.assertEqual((code, "e-values recomputed" in said), (DOES_NOT, True), said)

    def test_delays_are_held_to_the_time_that_is_left(self) -> None:
        code, said = self.certifies("azure_java_retry_policy", "looks-at-the-wait-alone --draws random 1", cases=40)
        self.assertEqual(code, DOES_NOT, said)

    def test_what_doubles_hold_is_not_forgiven(self) -> None:
        """A port may be off before it rounds only where doubles miss a number on the way, as they miss tenths."""
        reading = {name: next(iter(of)) for name, of in certify.RetryPolicy.READINGS.items()} | {"delay-rounding": "truncate"}
        for jitter, least in (("0", 110), ("0.3", 106)):  # F(2) is 110; 107
            case = {"params": {"policy": certify.RetryPolicy.JITTER, "c_ms": "10", "jd": jitter, "ju": jitter},
                    "steps": [{"op": "decide", "retry_count": "2", "retryable": True, "draw": {"num": "1", "den": "4294967296"}}]}
            for delay in (least, least - 1):
                answer = {"status": "answered", "retry": True, "delay_ms": delay}
                play = certify.RetryPolicy(case, reading, certify.About({"draw_kind": "unit"}))
                self.assertEqual(list(play.judge([answer])), [set() if delay == least else {"delay_ms"}], (jitter, delay))

    def test_options(self) -> None:
        for options in (["--strict"], ["--reading", "upper-bound=exclusive"], ["--document-only"], ["--skip", "*cap*"]):
            self.certifies("aws_backoff_algorithm", "exclusive", *options, *SHORT["aws_backoff_algorithm"])

    def test_of_one_claim_that_holds_a_port_conforms(self) -> None:
        """Though no reading explains what it answers: the other claims are not judged."""
        code, said = self.certifies("aws_backoff_algorithm", "doubles-too-late", "--claim", "instances_are_independent", cases=40)
        self.assertEqual(code, CONFORMS, said)


class Hazards(Certified):
    def test_a_hazard_without_a_formula_is_refused(self) -> None:
        """Pinned, it decides the verdict: neither is confirmed, and none is contradicted."""
        _, data = certificate("aws_prescriptive_sample", "library", "--reading", "overflow=wraps", cases=60)
        found, said = certified(data)
        self.assertEqual((found, "hazard" in said), (REFUSED, True), said)

    def test_a_hazard_with_a_formula_is_certified(self) -> None:
        for system, reading in (("aws_backoff_algorithm", "first-window=uncapped"), ("aws_retry_utils", "first-window=uncapped"),
                                ("aws_step_functions", "overflow=wraps"), ("azure_c_retry_control", "stop-sticky=sticky")):
            self.certifies(system, "library", "--reading", reading)

    def test_a_window_that_may_be_empty_may_have_no_value(self) -> None:
        """It is what a finding names that another reading would fit."""
        self.certifies("aws_retry_utils", "jitter-past-the-cap", cases=40)


class Known(Certified):
    """Ports with known failures: of two claims that a port breaks, one is excused, in each way in which a line can say so."""

    def known(self, lines: str, system: str, port: str | list[str], *options: str, cases: int | None = None) -> tuple[int, bytes]:
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(lines)
            file.flush()
            return certificate(system, port, "--known-failing", file.name, *options, *SHORT.get(system, []), cases=cases)

    def test_what_is_left_is_certified(self) -> None:
        for system, port, ids in (
                ("aws_backoff_algorithm", "linear", "jitter_survives_the_cap AWS-BA-003 window_doubles_with_each_retry"),
                ("aws_backoff_algorithm", "constant", "jitter_survives_the_cap first_delay_is_drawn_from_the_base"),
                ("aws_retry_utils", "no-base-jitter", "jitter_survives_the_cap"),
                ("azure_c_retry_control", "redrawn-at-each-poll", "a_wait_draws_once"),
                ("azure_java_retry_policy", "no-minimum", "delay_is_never_below_cmin first_delay_is_cmin")):
            for id, pattern in itertools.product(ids.split(), ("*", "calls>2 sometimes")):
                with self.subTest(port, id=id, pattern=pattern):
                    code, data = self.known(f"# a list\n\n{id} {pattern} # known\n", system, port)
                    found, said = certified(data)
                    self.assertEqual((found, code), (DOES_NOT, DOES_NOT), said)

    def test_the_verdict_names_what_is_known_to_fail(self) -> None:
        for system, port, id, options in (
                ("aws_backoff_algorithm", "jitter-gone-at-the-cap", "jitter_survives_the_cap", []),
                ("aws_backoff_algorithm", "jitter-gone-at-the-cap", "AWS-BA-003", []),
                ("aws_step_functions", "mixed-rounding", "delay_grows_by_the_rate", []),
                ("aws_backoff_algorithm", "jitter-gone-at-the-cap", "jitter_survives_the_cap", ["--shard", "1/2"])):
            with self.subTest(port, id=id, options=options):
                code, data = self.known(f"{id} * # known\n", system, port, *options, cases=200)
                found, said = certified(data)
                self.assertEqual((code, found), (CONFORMS, CONFORMS), said)
                self.assertIn(f"; known to fail: {id}", json.loads(data)["says"])
                self.assertRegex(said, rf"(?m)^verdict: (conforms|nothing refuted); known to fail: {id}, as certified$")
                self.assertIn("not recomputed: that each known failure was seen", said)

    def test_draws_and_breaks_may_be_known(self) -> None:
        draws = "cap-after-jitter --draws random 1"
        code, data = self.known("delays_fill_their_window * # known\n", "aws_backoff_algorithm", draws, cases=600)
        found, said = certified(data)
        self.assertEqual((code, found), (CONFORMS, CONFORMS), said)
        self.assertIn("verdict: conforms; known to fail: delays_fill_their_window, as certified", said)
        crashes = ("import os, sys; sys.path.insert(0, sys.argv[1]); from full_jitter import Port, variant; "
                   "steps = lambda self, case: os._exit(3) if len(case['steps']) > 3 else Port.steps(self, case); "
                   "variant('crashes', steps=steps)().serve()")
        port = [sys.executable, "-c", crashes, str(HERE.parent / "oracle/test_ports")]
        code, data = self.known("no_history_breaks_the_port calls>3 # known\n", "aws_backoff_algorithm", port)
        found, said = certified(data)
        self.assertEqual((code, json.loads(data)["known_failing"]["seen"]),
                         (found, [{"id": "no_history_breaks_the_port", "pattern": "calls>3", "claims": []}]), said)
        self.assertIn("; known to fail: no_history_breaks_the_port", said)

    def test_a_line_under_which_nothing_failed_is_not_named(self) -> None:
        code, data = self.known("exhaustion_is_sticky * # gone\n", "aws_backoff_algorithm", "library")
        found, said = certified(data)
        self.assertEqual((code, found), (DOES_NOT, DOES_NOT), said)
        self.assertIn("verdict: known failure is stale, as certified", said)
        code, data = self.known("exhaustion_is_sticky * sometimes # gone\n", "aws_backoff_algorithm", "library")
        found, said = certified(data)
        self.assertEqual((code, found), (CONFORMS, CONFORMS), said)
        self.assertIn("verdict: conforms, as certified", said)

    def test_a_history_on_which_no_excused_claim_fails_refutes(self) -> None:
        """A reading that it refutes is not among the survivors."""
        _, data = self.known("exhausted_after_max_attempts * # known\n", "aws_backoff_algorithm", "one-attempt-too-many")
        document = json.loads(data)
        self.assertEqual((document["exit"], document["histories"][0]["excused"]), (CONFORMS, ["exhausted_after_max_attempts"]))
        document["survivors"] += document["refuted"].pop()["readings"]
        code, said = certified(sealed(document))
        self.assertEqual(code, DISAGREES, said)

    def test_only_a_line_excuses(self) -> None:
        _, data = self.known("jitter_survives_the_cap * # known\n", "aws_backoff_algorithm", "linear")

        def no_line(c: dict[str, Any]) -> None:
            c["known_failing"].update(lines=[], seen=[])

        def another_line(c: dict[str, Any]) -> None:
            c["known_failing"].update(lines=["exhaustion_is_sticky * # x"], seen=[])

        def one_history_less(c: dict[str, Any]) -> None:
            del c["histories"][0]["excused"]

        def seen_without_a_line(c: dict[str, Any]) -> None:
            c["known_failing"]["seen"].append({"id": "exhaustion_is_sticky", "pattern": "*", "claims": ["exhaustion_is_sticky"]})

        def stale_though_seen(c: dict[str, Any]) -> None:
            c["known_failing"]["stale"] = ["*"]
        for error in (no_line, another_line, one_history_less, seen_without_a_line, stale_though_seen):
            with self.subTest(error.__name__):
                document = json.loads(data)
                error(document)
                code, said = certified(sealed(document))
                self.assertEqual(code, DISAGREES, said)
        _, draws = certificate("aws_backoff_algorithm", "library --draws random 1", *SHORT["aws_backoff_algorithm"], cases=200)
        document = json.loads(draws)
        del document["draws"]
        document["survivors"] += document["refuted_by_draws"]
        document["refuted_by_draws"] = []
        code, said = certified(sealed(document))
        self.assertEqual((code, "no known failure excuses" in said), (DISAGREES, True), said)


class Written(unittest.TestCase):
    """Certificates of two wrong ports, and of one that a reading excuses."""
    wrong: bytes
    right: bytes
    jitter: bytes

    @classmethod
    def setUpClass(cls) -> None:
        cls.wrong = certificate("aws_prescriptive_sample", "exponent-from-one", cases=12)[1]
        cls.right = certificate("aws_prescriptive_sample", "adds-in-32-bits", cases=12)[1]
        cls.jitter = certificate("aws_backoff_algorithm", "exclusive", cases=12)[1]


class Judges(Written):
    """What a judge would write that errs in one place."""

    def test_each_error_is_noticed(self) -> None:
        def conforms(c: dict[str, Any]) -> None:
            c.update(survivors=c["admitted"], refuted=[], verdict="conforms", exit=0, findings=[])
            for claim in c["claims"].values():
                claim.pop("broken", None)

        def forgets(c: dict[str, Any]) -> None:
            c["refuted"].pop()

        def wrong_step(c: dict[str, Any]) -> None:
            c["refuted"][0]["step"] += 1

        def wrong_claim(c: dict[str, Any]) -> None:
            c["refuted"][0]["claims"] = ["delay_is_a_number"]

        def wrong_finding(c: dict[str, Any]) -> None:
            c["findings"][0]["claim"] = "success_ends_the_run"
            c["claims"]["success_ends_the_run"].update(broken=1, fails=True)

        def late_finding(c: dict[str, Any]) -> None:
            c["findings"][0]["step"] += 1

        def admits_less(c: dict[str, Any]) -> None:
            c["admitted"] = c["admitted"][:1]
            for name in c["admitted"][0]:
                c["admitted"][0][name] = c["admitted"][0][name][:1]

        def says_conforms(c: dict[str, Any]) -> None:
            c.update(verdict="conforms", exit=0)

        def right_answer(c: dict[str, Any]) -> None:  # the answer was right, and the judge says that it is not
            c["findings"][0]["set"][-1]["result"]["steps"][0]["delay_ms"] = "0"

        def excuses(c: dict[str, Any]) -> None:
            c["findings"][0]["excused_by"] = ["limit-counts=retries"]
        for error in (conforms, forgets, wrong_step, wrong_claim, wrong_finding, late_finding, admits_less, says_conforms, right_answer,
                      excuses):
            self.expect_disagreement(self.wrong, error)

        def too_many_survive(c: dict[str, Any]) -> None:
            gone = c["refuted"].pop()
            c["survivors"] += gone["readings"]

        def too_few_survive(c: dict[str, Any]) -> None:
            c["refuted"] += [{"readings": [c["survivors"].pop()], "history": 0, "step": 0, "claims": ["delay_never_exceeds_cap"]}]

        def fails_it(c: dict[str, Any]) -> None:
            c.update(verdict="does not conform", exit=1)
            c["claims"]["delay_never_exceeds_cap"].update(broken=1, fails=True)

        def another_port(c: dict[str, Any]) -> None:  # what a port answers that was not the one judged
            for h in c["histories"]:
                for step in h["result"].get("steps", []):
                    if "delay_ms" in step:
                        step["delay_ms"] = "4294967295"
        for error in (too_many_survive, too_few_survive, fails_it, another_port):
            self.expect_disagreement(self.jitter, error)

    def expect_disagreement(self, text: bytes, error: Callable[..., Any]) -> None:
        with self.subTest(error.__name__):
            document = json.loads(text)
            error(document)
            code, said = certified(sealed(document))
            self.assertEqual(code, DISAGREES, said)

    def test_claims_that_no_document_makes_are_refused(self) -> None:
        """However consistent they are."""
        for text in (self.wrong, self.right, self.jitter):
            for selected, broken in itertools.product(([], ["delays_are_even"]), ({}, {"broken": 1, "fails": True})):
                document = json.loads(text)
                document["claims"]["delays_are_even"] = {"strength": "must", "at_stake": 40, **broken}
                document["options"]["claims"] += selected
                code, said = certified(sealed(document))
                self.assertEqual((code, "unknown claims: delays_are_even" in said), (REFUSED, True), said)

    def test_unchanged_it_is_certified(self) -> None:
        self.assertEqual(certified(sealed(json.loads(self.wrong)))[0], DOES_NOT)
        self.assertEqual(certified(sealed(json.loads(self.jitter)))[0], CONFORMS)


POLICIES = HERE.parent / "policies"
# Of the shelf: policies that differ in what they use, with a fault of each and whether its draws are given or hidden.
SHELF = {
    "aws_blog_decorrelated_jitter": ("one-percent-long", "given"),   # prev
    "google_cloud_truncated": ("half-the-jitter", "hidden"),         # a bound
    "dhcp_rfc2131": ("one-late", "given"),                           # readings
    "quic_pto_rfc9002": ("one-late", "given"),                       # a default that is a formula
    "ethernet_csma_cd": ("one-retry-more", "given"),                 # ends, attempts
    "svix_webhooks": ("one-late", "given"),                          # delays, then
    "perl_algorithm_backoff_fibonacci": ("one-late", "given"),       # prev2
    "google_http_client_backoff": ("goes-on", "given"),              # while
    "oauth_device_rfc8628": ("counts-all", "given"),                 # counts, words
    "docker_restart_policy": ("never-renewed", "given"),             # reset
    "fluentd_buffer": ("wraps", "hidden"),                           # draws refute the reading under which fewer fail
}


# Draws with a name: of the ports in policies/test_ports/calls.py.
WITH_DRAWS = runpy.run_path(str(POLICIES / "calls_test.py"))["POLICIES"]


class Policies(unittest.TestCase):
    mine = POLICIES / "example/my_policy.yaml"
    fibonacci: bytes
    wrong: bytes

    @classmethod
    def setUpClass(cls) -> None:
        cls.fibonacci = cls.of_the_shelf("perl_algorithm_backoff_fibonacci", "right", "given", 20)[1]
        cls.wrong = cls.of_the_shelf("grpc_connection_backoff", "one-late", "given", 20)[1]

    @staticmethod
    def of_the_shelf(name: str, fault: str, draws: str, cases: int) -> tuple[int, bytes]:
        return certificate(name, [sys.executable, str(POLICIES / "test_ports/shelf.py"), name, fault, draws], cases=cases)

    def test_ports_of_the_shelf(self) -> None:
        for name, (fault, draws) in SHELF.items():
            for which, code in (("right", CONFORMS), (fault, DOES_NOT)):
                with self.subTest(name, port=which):
                    found, data = self.of_the_shelf(name, which, draws, 200 if draws == "hidden" else 40)
                    again, said = certified(data, "--policy", str(SPEC / f"policies/{name}.yaml"))
                    self.assertEqual((found, again), (code, code), said)
                    listed = {claim: entry["strength"] for claim, entry in json.loads(data)["claims"].items()}
                    self.assertEqual(listed, certify.read(data).system.CLAIMS)
                    self.assertEqual("e-values recomputed" in said, draws == "hidden", said)

    def test_a_policy_of_ones_own(self) -> None:
        os.environ["PYTHONPATH"] = str(HERE.parent / "ports/helpers/python")
        for port, code in (("my_port", CONFORMS), ("my_late_port", DOES_NOT)):
            found, data = certificate(str(self.mine), [sys.executable, str(POLICIES / f"example/{port}.py")], cases=150)
            again, said = certified(data, "--policy", str(self.mine))
            self.assertEqual((found, again), (code, code), said)
            self.assertIn(f"policy: my_policy.yaml, sha-256 {hashlib.sha256(self.mine.read_bytes()).hexdigest()}", said)

    def with_draws(self, name: str, fault: str, draws: str, *options: str) -> tuple[int, bytes]:
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / f"{name}.yaml"
            file.write_text(WITH_DRAWS[name])
            port = [sys.executable, str(POLICIES / "test_ports/calls.py"), name, fault, draws]
            return certificate(str(file), port, *options, cases=8)

    def test_draws_with_a_name(self) -> None:
        faults = {"timeout": "no-jitter-at-the-cap", "smooth": "no-start", "several": "no-extra", "steps": "never-the-last"}
        for name, fault in faults.items():
            for draws, which in itertools.product(("given", "hidden") if name != "several" else ("hidden",), ("right", fault)):
                with self.subTest(name, draws=draws, port=which):
                    found, data = self.with_draws(name, which, draws)
                    again, said = certified(data)
                    self.assertEqual(found, again, said)
                    self.assertIn(found, (CONFORMS, INCONCLUSIVE) if which == "right" else (DOES_NOT, INCONCLUSIVE), said)
                    if draws == "hidden":
                        self.assertEqual("e-values recomputed" in said, name == "steps", said)
                if which == "right":
                    too_long = 1 + Fraction(1, 2**36) if draws == "given" else Fraction(10**6)
                    for factor, code in ((Fraction(1), found), (too_long, DISAGREES)):
                        self.change(data, functools.partial(self.scale, factor), code, "refutes" if code == DISAGREES else "")

    @staticmethod
    def scale(factor: Fraction, c: dict[str, Any]) -> None:
        for step in next(h for h in c["histories"] if h["result"].get("steps"))["result"]["steps"]:
            for key in step.keys() & {"delay_s", "delay_ms"}:
                step[key] = step[key] if factor == 1 else f"{float(Fraction(step[key]) * factor):.25f}"

    def test_where_tangled_draws_lead(self) -> None:
        names = {"n": (3, False)}
        for draws, text, low, high in (("u: uniform(0, 1)", "u * (1 - u)", 0, 0.25), ("u: uniform(0, 2)", "if(u < 0.3, 5 - u, u)", 0.3, 5),
                                       ("k: integer(0, 3)", "2^k", 1, 8), ("k: integer(0, 9999)", "1 + (k - 77)^2", 1, 1 + 9922**2),
                                       ("u: uniform(1, 2); v: uniform(3, 5)", "9 + u * n - v", 7, 12),
                                       ("u: uniform(0, 1)", "floor(2 + u * u)", 2, 3),
                                       ("u: uniform(0, 1)", "min(2, 10^(60 + u) + u)", 2, 2)):
            policy = {"name": "x", "unit": "s", "draws": dict(d.split(": ") for d in draws.split("; ")), "delay": text}
            tree = certify.Rules(json.dumps(policy), "x.json").delay["as-written"][0]
            spread = certify.Worth(names, 1).drawn(tree)
            self.assertAlmostEqual(float(spread.lowest()), low, 12, msg=text)
            self.assertAlmostEqual(float(spread.highest()), high, 12, msg=text)

    def test_of_another_policy_it_is_refused(self) -> None:
        for other in (str(self.mine), str(SPEC / "policies/aws_blog_full_jitter.yaml"), "/nowhere"):
            self.assertEqual(certified(self.fibonacci, "--policy", other)[0], REFUSED, other)
        system = certificate("aws_prescriptive_sample", "square", cases=2)[1]
        self.assertEqual(certified(system, "--policy", str(self.mine))[0], REFUSED)

    def change(self, data: bytes, edit: Callable[[dict[str, Any]], Any], expected: int, says: str = "") -> None:
        document = json.loads(data)
        edit(document)
        code, said = certified(sealed(document))
        self.assertEqual((code, says in said), (expected, True), said)

    def rewritten(self, old: str, new: str) -> Callable[[dict[str, Any]], None]:
        """The policy, and its digests."""
        def edit(c: dict[str, Any]) -> None:
            self.assertIn(old, c["policy"]["text"])
            c["policy"]["text"] = c["policy"]["text"].replace(old, new)
            c["policy"]["sha256"] = hashlib.sha256(c["policy"]["text"].encode()).hexdigest()
            c["document"] = f"sha-256 {c['policy']['sha256'][:12]}"
        return edit

    def test_what_is_forged_is_noticed(self) -> None:
        self.change(self.fibonacci, lambda c: None, CONFORMS)
        self.change(self.wrong, lambda c: None, DOES_NOT)

        def answers(c: dict[str, Any]) -> None:
            step = next(s for h in c["histories"] for s in h["result"]["steps"] if "delay_s" in s)
            step["delay_s"] = "123456"
        self.change(self.fibonacci, answers, DISAGREES, "refutes")
        self.change(self.fibonacci, self.rewritten("prev + prev2", "prev + prev"), DISAGREES, "refutes")
        self.change(self.fibonacci, lambda c: c["policy"].update(text=c["policy"]["text"] + "\n"), REFUSED, "digest")
        self.change(self.wrong, lambda c: c["refuted"][0].update(claims=["delay_within_window"]), DISAGREES, "it breaks")
        self.change(self.wrong, lambda c: c["refuted"][0].update(step=1), DISAGREES, "falls at step 1")
        self.change(self.wrong, lambda c: c["admitted"][0].update(first=["as-it-is"]), DISAGREES, "other joint readings")
        self.change(self.wrong, lambda c: c["claims"].pop("never_exhausts"), REFUSED)
        self.change(self.wrong, lambda c: c["findings"][0]["set"][-1]["result"]["steps"][0].update(delay_ms="1"), DISAGREES)
        self.change(self.wrong, self.rewritten("as-it-is: window", "as-it-is: initial * multiplier"), DISAGREES)

    def test_what_the_parser_does_not_know_is_refused_with_its_place(self) -> None:
        line = (SPEC / "policies/grpc_connection_backoff.yaml").read_text().split("window:")[0].count("\n") + 1
        for new, place in (('jitter: {u: "uniform(0, 1)"}\nwindow:', ":1: 'jitter' is not known"),
                           ("draws: {u: 2}\nwindow:", ":12: expected uniform"), ("draws: {n: 2}\nwindow:", ":9: 'n' is no name"),
                           ("window: &w ", ":9: found '&'"),
                           ("window: lowest(1, n) + ", ":9: unknown name 'lowest'"), ("window: 2 ** ", ":12: found '*'"),
                           ("window: [1, 2", "expected ',' or ']'"), ("window: uniform(0, uniform(0, 1)) + ", ":9: a draw"),
                           ("window: 1\nwindow:", "given twice"), ("   deeper: 1\nwindow:", "fewer blanks"), ("window: a: b", "colon")):
            with self.subTest(new):
                self.change(self.wrong, self.rewritten("window:", new), REFUSED, f":{line}{place}" if place.startswith(":") else place)

    def test_formulas_are_read_as_the_page_says(self) -> None:
        rules = certify.Rules('{"name": "x", "unit": "s", "delay": "uniform(0, 2)"}', "x.json")
        names = {"n": (3, False), "x": (certify.Fraction(1, 10), True), "word": ("b", False), "none": (None, False)}
        for text, worth in (("-2^2", -4), ("2^3^2", 512), ("7 - 2 - 1", 4), ("8 ÷ 4 · 3", 6), ("clamp(n, 5, 9)", 5), ("trunc(-1.5)", -1),
                            ("round(2.5)", 3), ("round(-2.5)", -2), ("floor(7, 5)", 5), ("sqrt(4)", 2), ("1e3 * 0.5", 500), ("4^0.5", 2),
                            ("if(not n > 3 and (n == 3 or n < 0), 1, 2)", 1), ("if(word == b, 1, 2)", 1), ("if(none == unset, 1, 2)", 1),
                            ("0 * 10^(10^9)", 0), ("min(5, 10^(n * 10^5))", 5), ("exp(log(n))", 3), ("tanh(100)", 1), ("forever", 10**30)):
            term = certify.Formula(certify.Text(text), "x", names, {"word": ["a", "b"]}).whole()
            self.assertAlmostEqual(float(certify.Worth(names, 1).number(term)[0]), worth, 12, msg=text)
        self.assertEqual((rules.delay["as-written"][0].random, rules.claims(["later"])["delays_are_independent"]), ("uniform", "must"))

    def test_other_verbs_write_the_same(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            results, one, two = (pathlib.Path(folder) / name for name in ("results", "one", "two"))
            file = SPEC / "policies/svix_webhooks.yaml"
            run: list[str | pathlib.Path] = [
                program("backoff-oracle"), "check", file, "--cases", "20", "--results", results, "--certificate", one, "--",
                sys.executable, POLICIES / "test_ports/shelf.py", "svix_webhooks", "one-late", "given"]
            subprocess.run(run, stdout=subprocess.DEVNULL)
            report: list[str | pathlib.Path] = [program("backoff-oracle"), "report", results, "--policy", file, "--certificate", two]
            subprocess.run(report, stdout=subprocess.DEVNULL)
            self.assertEqual(one.read_bytes(), two.read_bytes())
            self.assertEqual(certified(one.read_bytes())[0], DOES_NOT)


class Edits(Written):
    def test_edited_bytes_are_refused(self) -> None:
        bits = random.Random(28)
        for data in (self.wrong, self.jitter):
            for _ in range(100):
                at = bits.randrange(len(data))
                edited = bits.choice([data[:at] + bytes([data[at] ^ 1 << bits.randrange(8)]) + data[at + 1:], data[:at],
                                      data[:at] + data[at:at + 9] + data[at:], data[:at] + data[at + 1:]])
                if edited != data:
                    self.assertEqual(certified(edited)[0], REFUSED)

    def test_edits_that_are_sealed_are_refused_noticed_or_harmless(self) -> None:
        """The verdict stays, whatever else the certificate has."""
        bits = random.Random(29)

        def places(node: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
            children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
            for name, child in children:
                if path or name not in ("sha256", "says", "tool", "document"):
                    yield (*path, name)
                    yield from places(child, (*path, name))
        noticed = 0
        for data in (self.wrong, self.right):
            code = certified(data)[0]
            every = list(places(json.loads(data)))
            for _ in range(100):
                document = json.loads(data)
                *path, last = bits.choice(every)
                parent = document
                for name in path:
                    parent = parent[name]
                value = parent[last]
                if bits.randrange(4) == 0:
                    del parent[last]
                elif isinstance(value, bool) or value is None:
                    parent[last] = not value
                elif isinstance(value, int):
                    parent[last] = value + bits.choice([-1, 1, 2**32])
                else:
                    parent[last] = bits.choice(["0", "7", "inclusive", "retry", [], {}, None, -1, "9" * 99, "1e999999999"])
                if bits.randrange(4) == 0 and isinstance(parent, list):
                    bits.shuffle(parent)
                found, said = certified(sealed(document))
                self.assertIn(found, (REFUSED, DISAGREES, code), f"{path} {last}: {said}")
                noticed += found in (REFUSED, DISAGREES)
        self.assertGreater(noticed, 100)


class Program(unittest.TestCase):
    def test_usage(self) -> None:
        for arguments, code in (([], REFUSED), (["--help"], CONFORMS), (["/nowhere"], REFUSED), ([str(HERE)], REFUSED),
                                (["a", "b"], REFUSED)):
            run = subprocess.run([sys.executable, HERE / "backoff-certify", *arguments], capture_output=True)
            self.assertEqual(run.returncode, code, arguments)
            self.assertNotIn(b"Traceback", run.stderr)

    def test_its_words_are_utf8_in_every_locale(self) -> None:
        locale = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
        for name in ("--help", "/nowhere/·"):
            run = subprocess.run([sys.executable, HERE / "backoff-certify", name.encode()], capture_output=True, env=locale)
            self.assertEqual(run.returncode, REFUSED if name.startswith("/") else CONFORMS, run.stderr)
            self.assertIn("·".encode() if name == "--help" else b"/nowhere/", run.stdout + run.stderr)

    def test_a_file_that_cannot_be_read_is_named(self) -> None:
        no_certificate = str(HERE.parent / "policies/example/my_policy.yaml")
        for arguments, says in ((["/nowhere"], "'/nowhere': cannot be read: No such file or directory"),
                                ([str(HERE)], f"'{HERE}': cannot be read: Is a directory"),
                                ([no_certificate], "expected a certificate or test vectors of backoff-oracle")):
            run = subprocess.run([sys.executable, HERE / "backoff-certify", *arguments], capture_output=True, text=True)
            self.assertEqual((run.returncode, run.stdout), (REFUSED, ""))
            self.assertIn(says, run.stderr)
        with tempfile.NamedTemporaryFile() as file:
            file.write(certificate("aws_prescriptive_sample", "square", cases=12)[1])
            file.flush()
            command = [sys.executable, str(HERE / "backoff-certify"), file.name, "--policy", "/nowhere"]
            run = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual((run.returncode, run.stdout), (REFUSED, ""))
        self.assertIn("the policy '/nowhere': cannot be read: No such file or directory", run.stderr)

    def test_texts_of_others_are_shown_in_a_line(self) -> None:
        _, data = certificate("aws_prescriptive_sample", "square", cases=12)
        for name, text in TEXTS.items():
            with self.subTest(name):
                document = json.loads(data)
                document["port"].update(name=text, version=text)
                code, said = certified(sealed(document))
                self.assertEqual((code, said.count("\nverdict: ")), (DOES_NOT, 1), said)
                document = json.loads(data)
                document["claims"][text] = {}
                refused, why = certified(sealed(document))
                self.assertEqual((refused, why.count("\n")), (REFUSED, 1), why)
                self.assertIsNone(CONTROL.search(said + why), said + why)

    def test_it_needs_nothing_of_ours(self) -> None:
        """It is copied, and run without the environment."""
        with tempfile.TemporaryDirectory() as folder:
            copy, data = pathlib.Path(folder) / "certify", pathlib.Path(folder) / "certificate"
            copy.write_bytes((HERE / "backoff-certify").read_bytes())
            code, text = certificate("aws_prescriptive_sample", "square", cases=20)
            data.write_bytes(text)
            run = subprocess.run([sys.executable, "-I", "-S", copy, data], capture_output=True, cwd=folder)
            self.assertEqual((run.returncode, code), (DOES_NOT, DOES_NOT), run.stderr)

    def test_on_a_terminal_it_says_how_far_it_is(self) -> None:
        code, text = certificate("aws_backoff_algorithm", "library --draws random 1", cases=3000)
        with tempfile.NamedTemporaryFile() as data:
            data.write(text)
            data.flush()
            terminal, other = pty.openpty()
            command = [sys.executable, str(HERE / "backoff-certify"), data.name]
            with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=other, text=True) as run:
                os.close(other)
                seen, said = b"", run.stdout.read() if run.stdout else ""
            piped = subprocess.run(command, capture_output=True, text=True)
            with contextlib.suppress(OSError):  # the terminal is gone
                while more := os.read(terminal, 4096):
                    seen += more
            os.close(terminal)
        self.assertEqual(run.returncode, code)
        self.assertRegex(seen, rb"\rdraws: [1-9]\d* of \d+, \d+/s, \d+ s left\x1b\[K")
        self.assertTrue(seen.endswith(b"\r\x1b[K"), "the line is taken away")
        self.assertEqual((piped.returncode, piped.stdout, piped.stderr), (code, said, ""))

    def test_other_verbs_write_the_same(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            results, one, two = (pathlib.Path(folder) / name for name in ("results", "one", "two"))
            oracle = program("backoff-oracle")
            run: list[str | pathlib.Path] = [
                oracle, "check", "aws_step_functions", "--cases", "30", "--results", results, "--certificate", one, "--",
                program("backoff-port"), "whole-rate"]
            subprocess.run(run, stdout=subprocess.DEVNULL)
            subprocess.run([oracle, "report", results, "--certificate", two], stdout=subprocess.DEVNULL)
            self.assertEqual(one.read_bytes(), two.read_bytes())
            self.assertEqual(certified(one.read_bytes())[0], DOES_NOT)


if __name__ == "__main__":
    main(__doc__)
