#!/usr/bin/python3
"""backoff-certify against certificates of right and wrong ports, of judges that were made to err, and edited ones; and against
test vectors of ports of every kind, and with planted faults.

Usage: certify_test.py --bin DIR [CLASS…]
"""
import argparse
import contextlib
import hashlib
import importlib.machinery
import importlib.util
import io
import itertools
import json
import os
import pathlib
import pty
import random
import re
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import yaml

HERE = pathlib.Path(__file__).resolve().parent
SPEC = HERE.parents[1] / "spec"
loader = importlib.machinery.SourceFileLoader("backoff_certify", str(HERE / "backoff-certify"))
spec = importlib.util.spec_from_loader(loader.name, loader)
assert spec
certify = importlib.util.module_from_spec(spec)
sys.dont_write_bytecode = True
loader.exec_module(certify)

CONFORMS, DOES_NOT, REFUSED, BROKE, DISAGREES, INCONCLUSIVE = 0, 1, 2, 3, 4, 5
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
# What ports of a system may say of themselves, beside nothing.
DRAWS: list[dict[str, Any]] = [{"draw_kind": "unit"}, {"draw_kind": "rand", "rand_max": "32767"},
                               {"draw_kind": "rand", "rand_max": "99999"}, {"draws": "opaque"}]
KINDS: dict[str, list[dict[str, Any]]] = {
    "aws_backoff_algorithm": [*DRAWS, {"mapping": "real"}],
    "aws_retry_utils": [*DRAWS, {"mapping": "scaled", "features": ["state"]}, {"draws": "opaque", "features": ["state"]}],
    "azure_c_retry_control": [*DRAWS, {"features": ["clock_script", "nulls", "faults", "live"]}],
    # Counts from 0 too, where the maximum cuts nothing off: there the judge forgives what doubles miss, though they compare exactly.
    "azure_java_retry_policy": [*DRAWS, {"features": ["total_time", "errors", "custom_policy"]}, {"ranges": {
        "retry_count": ["0", "12"], "cmin_ms": ["0", "1000"], "cmax_ms": ["10000", "2147483647"]}}],
}
# Few and short histories, and few readings: many cost time here, and are certified alike.
CASES = {"aws_backoff_algorithm": 40, "aws_retry_utils": 30, "aws_step_functions": 40, "azure_java_retry_policy": 16}
SHORT = {"aws_step_functions": ["--range", "max_attempts=0..12"], "aws_backoff_algorithm": ["--range", "max_attempts=0..12"],
         "aws_retry_utils": ["--range", "max_attempts=1..12"],
         "azure_java_retry_policy": ["--reading", "inverted-bounds=taken", "--reading", "total-time=would-be-exceeded"]}
programs = pathlib.Path("build/release/bin")


def certificate(system: str, port: str, *options: str, cases: int | None = None) -> tuple[int, bytes]:
    """(what check ends with, the certificate)"""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "certificate"
        run = subprocess.run([programs / "backoff-oracle", "check", system, "--cases", str(cases or CASES.get(system, 60)),
                              "--certificate", path, *options, *([] if options else SHORT.get(system, [])), "--", programs / "backoff-port",
                              *port.split()],
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        return run.returncode, path.read_bytes() if path.exists() else run.stderr


def certified(data: bytes) -> tuple[int, str]:
    """(what it ends with, what it says)"""
    out = io.StringIO()
    with tempfile.NamedTemporaryFile() as file, contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        file.write(data)
        file.flush()
        argv, sys.argv = sys.argv, ["backoff-certify", file.name]
        try:
            code = certify.main()
        finally:
            sys.argv = argv
    return code, out.getvalue()


def sealed(document: dict[str, Any]) -> bytes:
    """As if the oracle had written it."""
    last, braces = (document["end"], "}}") if "end" in document else (document, "}")
    del last["sha256"]
    text = json.dumps(document, separators=(",", ":")).removesuffix(braces) + ',"sha256":"'
    return (text + hashlib.sha256(text.encode()).hexdigest() + f'"{braces}\n').encode()


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
        """Whatever else is said there, the verdict stays."""
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


def words(listed: list[Any]) -> list[str]:
    """Of calls or answers; @N after a word stands for N of it in all."""
    found: list[str] = []
    for word in " ".join(map(str, listed)).split():
        found += [found[-1]] * (int(word[1:]) - 1) if word[0] == "@" else [word]
    return found


def number(word: str) -> int | Fraction | None:
    """Decimal, or whole and hexadecimal."""
    if not re.fullmatch(r"0x[0-9a-f]+|[0-9]+(\.[0-9]+)?", word):
        return None
    return Fraction(word) if "." in word else int(word, 0)


def fields(answer: str, granted: dict[str, Any], delay: str, **other: dict[str, Any]) -> dict[str, Any]:
    """Of the first part of an answer: a number is the delay of what is granted, a word is among the others or the status."""
    n = number(answer)
    return other.get(answer, {"status": answer}) if n is None else {**granted, delay: n}


CONTROL: dict[str, dict[str, Any]] = {
    "ok": {"status": "ok"}, "held": {"status": "ok"}, "none": {"status": "ok"}, "no_instance": {"status": "null"},
    "error": {"status": "error"}, "set": {"result": 0}, "refused": {"result": 1}, "fails": {"result": 1},
    "now": {"result": 0, "action": "RETRY_NOW"}, "later": {"result": 0, "action": "RETRY_LATER"},
    "stop": {"result": 0, "action": "STOP_RETRYING"},
    "true": {"result": 0, "timed_out": True}, "false": {"result": 0, "timed_out": False}}


def control(what: str, *costs: str) -> dict[str, Any]:
    """An answer of retry control as fields: a word and its costs, or two options. Memory is not among them."""
    wait, said = number(what), CONTROL.get(what, {})
    of = ["max_jitter_percent"] if wait is not None else ["clock_reads", "draws_used"] if "action" in said else ["clock_reads"]
    return {"status": "answered", **said, **({} if wait is None else {"initial_wait_time_in_secs": wait}),
            **dict(zip(of, map(number, [*costs, "0"] if costs else [])))}


class Examples(unittest.TestCase):
    """The rows of spec/STEM/examples.yaml: each answer is admitted under the canonical readings, and no other one is."""
    # Of systems that have rows: the parts of an answer as fields.
    FIELDS: dict[str, Callable[..., dict[str, Any]]] = {
        "aws_backoff_algorithm": lambda delay: fields(delay, {"status": "retry"}, "delay_ms"),
        "aws_prescriptive_sample": lambda delay, again="": {
            **fields(delay, {"status": "answered"}, "delay_ms"), **({"retry": {"retry": True, "stop": False}.get(again)} if again else {})},
        "aws_retry_utils": lambda sleep, done, window: {
            **fields(sleep, {"status": "retry"}, "slept_s"), "attempts_done": number(done), "next_jitter_max": number(window)},
        "aws_step_functions": lambda delay: fields(delay, {"status": "retry"}, "delay_s"),
        "azure_c_retry_control": control,
        "azure_java_retry_policy": lambda delay, unasked="": {
            **fields(delay, {"status": "answered", "retry": True}, "delay_ms", stop={"status": "answered", "retry": False}),
            "consulted": {"": True, "unasked": False}.get(unasked)},
    }

    def steps(self, of: list[str], calls: dict[str, list[str]]) -> Iterator[dict[str, str]]:
        for i, text in enumerate(of):
            on, *rest = words([text])
            name, *given = [on, *rest] if on in calls else rest
            taken = [argument for argument in calls[name] if argument[-1] != "="]
            begun: list[dict[str, str]] = []
            arguments = iter(given if taken else [name, *given])
            for word in arguments:
                argument, named, value = word.partition("=")
                if named:
                    begun[-1][argument] = value
                    continue
                with_it = zip(taken, itertools.chain([word], arguments))
                begun.append({"op": name, "on": "0" if on in calls else f"new {i} {len(begun)}" if on == "new" else on,
                              **{argument: word if argument == "clock" else str(number(word) or word) for argument, word in with_it}})
            yield from begun

    def as_certified(self, stem: str, params: dict[str, str], steps: list[dict[str, Any]]) -> dict[str, Any]:
        """A history. What is not given is left out, and a custom policy decides at each step."""
        if stem == "azure_c_retry_control":
            for step in steps:
                step.update({name: [step[name].removeprefix("second_")] for name in ("null", "fails") if name in step})
                step["fail"] = step.pop("fails", [])
                step["clock"] = [str(number(word) or word) for word in step.get("clock", "").split(".")]
                r, most = step.pop("draw", params["draw"]).split("/")
                step["draws"] = [{"num": r, "den": most}]
                if "/" in step.get("value", ""):
                    saved = zip(certify.SYSTEMS[stem].OPTIONS, step["value"].split("/"))
                    step["value"] = {name: word for name, word in saved if word != "-"}
        if stem == "azure_java_retry_policy":
            custom = number(params.pop("custom_ms"))
            for step in steps:
                error = step.get("error", "retryable")
                if error in ("retryable", "not_retryable"):
                    step.pop("error", None)
                    step["retryable"] = error == "retryable"
                step.update({"elapsed_ms": step.get("elapsed_ms", "0"), "custom_retry": custom is not None, "custom_delay_ms": str(custom)})
            given = {name: value for name, value in params.items() if value not in ("default", "forever")}
            params = {"policy": certify.SYSTEMS[stem].JITTER, **given}
        return {"params": params, "steps": steps}

    def wrong(self, stem: str, case: dict[str, Any], answers: list[str]) -> list[bool]:
        system = certify.SYSTEMS[stem]
        canonical = {name: next(iter(of)) for name, of in system.READINGS.items()}
        if stem == "azure_c_retry_control":
            canonical["difference-overflow"] = "exact"
        about = certify.About({"features": ["state", "custom_policy", "clock_script"]})
        judged = system(case, canonical, about).judge([self.FIELDS[stem](*answer.split("/")) for answer in answers])
        return [bool(of) for of in judged]

    def others(self, answer: str, said: list[set[str]]) -> Iterator[str]:
        """The answers that differ from this one in one part: another word of the field, or a number with another last digit."""
        parts = answer.split("/")
        for i, part in enumerate(parts):
            numbers = {"0"}
            if number(part) is not None:
                exact, last = Decimal(part if "." in part else int(part, 0)), Decimal(10) ** -len(part.partition(".")[2])
                numbers = {str(n) for n in (exact - last, exact + last) if n >= 0}
            for other in {*numbers, *said[i], *(["error"] if i == 0 else [])} - {part}:
                yield "/".join([*parts[:i], other, *parts[i + 1:]])

    def test_each_row(self) -> None:
        files = sorted(SPEC.glob("*/examples.yaml"))
        self.assertEqual([file.parent.name for file in files], sorted(self.FIELDS))
        for stem, page in ((file.parent.name, yaml.safe_load(file.read_text())) for file in files):
            rows = [row for row in page["examples"] if "under" not in row]
            said = [{word for word in place if word and number(word) is None} for place in itertools.zip_longest(
                *(answer.split("/") for row in rows for answer in words(row["answers"])))]
            for row in rows:
                params = {name: str(value) for name, value in {**page["parameters"], **row["with"]}.items()}
                case = self.as_certified(stem, params, list(self.steps(row["calls"], page["calls"])))
                answers = words(row["answers"])
                self.assertEqual(self.wrong(stem, case, answers), [False] * len(case["steps"]), row["id"])
                for i, right in enumerate(answers):
                    for other in self.others(right, said):
                        if self.FIELDS[stem](*other.split("/")) == self.FIELDS[stem](*right.split("/")):
                            continue  # the same to it
                        self.assertTrue(self.wrong(stem, case, [*answers[:i], other])[i],
                                        f"{row['id']}: {other} instead of answer {i + 1}, {right}")


def vectors(system: str, kind: dict[str, Any], count: int, seed: int) -> bytes:
    """Those for ports of this kind."""
    takes = {"protocol": 1, "port": {"name": "any", "version": "", "language": ""}, "systems": [system], **kind}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as described:
        json.dump(takes, described)
        described.flush()
        return subprocess.run([programs / "backoff-oracle", "vectors", system, "--count", str(count), "--seed", str(seed),
                               "--max-calls", "400", "--describe", described.name], stdout=subprocess.PIPE, check=True).stdout


def unknown_requirements(document: dict[str, Any]) -> set[str]:
    """That a vector names, and the page of the system does not."""
    page = (SPEC / document["header"]["system"] / "system.yaml").read_text()
    return {name for case in document["cases"] for name in case["requirements"] if f"\n  {name}:\n" not in page}


class Recomputed(unittest.TestCase):
    def agree(self, system: str, kind: dict[str, Any], count: int, seed: int) -> None:
        with self.subTest(system=system, kind=kind, seed=seed):
            data = vectors(system, kind, count, seed)
            code, said = certified(data)
            self.assertEqual(code, CONFORMS, said)
            self.assertRegex(said, "vectors: [1-9][0-9]*, each under [1-9][0-9]* joint readings: [1-9][0-9]* answers recomputed")
            self.assertEqual(unknown_requirements(json.loads(data)), set())


class Vectors(Recomputed):
    """What each vector admits is recomputed, and is the same, under every joint reading."""

    def test_of_ports_that_say_nothing_of_themselves(self) -> None:
        for system in sorted(file.parent.name for file in SPEC.glob("*/system.yaml")):
            self.agree(system, {}, 60, 1)


class Kinds(Recomputed):
    def test_of_ports_of_each_kind(self) -> None:
        """The last one has all features of the system."""
        for system in certify.SYSTEMS:
            kinds = KINDS.get(system, [])
            several = {"features": sorted({"instances", *(f for kind in kinds for f in kind.get("features", []))})}
            self.assertEqual(set(several["features"]), certify.SYSTEMS[system].FEATURES)
            for seed, kind in enumerate([{}, *kinds, several], 7):
                self.agree(system, kind, 300, seed)


class VectorFaults(unittest.TestCase):
    """Faults that are planted into right vectors."""
    known: dict[str, bytes] = {}

    def vectors(self, system: str = "aws_backoff_algorithm", **kind: Any) -> dict[str, Any]:
        key = json.dumps([system, kind])
        if key not in self.known:
            self.known[key] = vectors(system, kind, 20, 1)
        document: dict[str, Any] = json.loads(self.known[key])
        return document

    def notices(self, document: dict[str, Any], why: str, code: int = DISAGREES) -> None:
        document["end"]["count"] = len(document["cases"])
        found, said = certified(sealed(document))
        self.assertEqual(found, code, said)
        self.assertRegex(said, why)

    def test_each_fault_is_noticed(self) -> None:
        """In a vector with several groups, and a delay to begin with."""
        def swap(c: dict[str, Any]) -> None:
            for product in (product for group in c["expected"] for product in group["readings"]):
                product["draw-mapping"] = [{"modulo": "scaled", "scaled": "modulo"}.get(a, a) for a in product["draw-mapping"]]
        faults: tuple[tuple[Callable[[dict[str, Any]], Any], str], ...] = (
            (lambda c: c["admissible"][0][0].update(status="exhausted"),
             "call 1, op next, draw [0-9]+, under .*: status is retry, the vector has exhausted"),
            (lambda c: c["admissible"][0][0].update(why="so"), "call 1.*: why is anything, the vector has so"),
            (lambda c: c["admissible"][0][0].pop("delay_ms"), "call 1.*: delay_ms is [0-9]+, the vector has anything"),
            (lambda c: c["expected"].pop(), "in no group|no reading picks"),
            (lambda c: c["expected"][0]["readings"].extend(c["expected"][0]["readings"][:]), "twice"),
            (lambda c: [group.update(canonical=not group["canonical"]) for group in c["expected"][:2]], "canonical"),
            (lambda c: c["expected"].append(c["expected"].pop(0)), "canonical, or first, is not"),
            (lambda c: c["expected"][0].update(picks=c["expected"][1]["picks"]), "call [0-9]+, "),
            (lambda c: [c["admissible"].pop(), *(group["picks"].pop() for group in c["expected"])], "the vector ends before it"),
            (lambda c: c["admissible"][0].append({"status": "exhausted"}), "no reading picks"),
            (lambda c: c["admissible"].append([{"status": "exhausted"}]), "not picked"),
            (lambda c: c["expected"][0]["readings"][0].update({"window-growth": ["compare-half"]}), "not admitted"),
            (lambda c: c["expected"][0]["readings"][0].update({"draw-mapping": ["real"], "delay-resolution": ["integer"]}),
             "do not go together"),
            (lambda c: c["requirements"].reverse(), "in disorder"),
            (swap, "canonical|call "))
        for n, (fault, why) in enumerate(faults):
            with self.subTest(why, n=n):
                document = self.vectors()
                case = next(c for c in document["cases"] if len(c["expected"]) > 2 and len(c["steps"]) > 1 and all(
                    any(r.get("draw-mapping") == [a] for e in c["expected"] for r in e["readings"]) for a in ("modulo", "scaled")))
                fault(case)
                self.notices(document, f"vector {case['id']}: .*({why})")

    def test_an_unknown_requirement(self) -> None:
        document = self.vectors()
        document["cases"][0]["requirements"].append("AWS-BA-999")
        self.assertEqual(unknown_requirements(document), {"AWS-BA-999"})

    def test_a_value_of_each_system(self) -> None:
        for system, of in certify.SYSTEMS.items():
            document = self.vectors(system)
            case, i, answer, field = next((c, i, a, f) for c in document["cases"] for i, answers in enumerate(c["admissible"], 1)
                                          for a in answers for f in (of.NUMBERS & a.keys()) - {"result"} or a.keys() & {"action"})
            answer[field] = "1/7" if field in of.NUMBERS else "RETRY_SOON"
            document["cases"] = [case]
            self.notices(document, f"vector {case['id']}: call {i}, .*{field} is .*, the vector has {answer[field]}")

    def test_a_set_with_one_more(self) -> None:
        document = self.vectors(draws="opaque")
        delay = next(a["delay_ms"] for c in document["cases"] for answers in c["admissible"] for a in answers if "to" in a["delay_ms"])
        delay["to"] = str(int(delay["to"]) + 1)
        self.notices(document, "delay_ms is 0 to [0-9]+ by 1, the vector has 0 to")

    def test_a_product_that_is_dropped(self) -> None:
        document = self.vectors("azure_java_retry_policy")
        next(e for c in document["cases"] for e in c["expected"] if len(e["readings"]) > 1)["readings"].pop()
        self.notices(document, "in no group|canonical")

    def test_what_is_not_as_the_format_has_it_is_refused(self) -> None:
        faults: tuple[tuple[Callable[[dict[str, Any]], Any], str], ...] = (
            (lambda v: v["cases"][0]["expected"][0]["readings"].append({"origin": ["zero"]}), "no such reading"),
            (lambda v: v["cases"].append(v["cases"][0]), "an id twice"),
            (lambda v: v["cases"].clear(), "no vectors"),
            (lambda v: v["header"]["takes"].update(features=["teleport"]), "does not know: teleport"),
            (lambda v: v["header"].update(system="aws_retry_guess"), "unknown system aws_retry_guess"),
            (lambda v: v["cases"][0]["admissible"][0][0].update(delay_ms="1e3"), "expected a number, found '1e3'"))
        for fault, why in faults:
            with self.subTest(why):
                document = self.vectors()
                fault(document)
                self.notices(document, why, REFUSED)

    def test_the_end(self) -> None:
        data = sealed(self.vectors())
        self.assertEqual(certified(data)[0], CONFORMS)
        other_digit = b"1" if data[-5:-4] == b"0" else b"0"
        for damaged in (data.replace(b'"seed":1', b'"seed":2'), data.replace(b'"count":2', b'"count":3'), data[:-1],
                        data[:-5] + other_digit + data[-4:]):
            code, said = certified(damaged)
            self.assertEqual((code, "edited or damaged" in said), (REFUSED, True), said)
        document = self.vectors()
        document["end"]["count"] += 1
        code, said = certified(sealed(document))
        self.assertEqual((code, "not as many as it says" in said), (REFUSED, True), said)


class Program(unittest.TestCase):
    def test_usage(self) -> None:
        for arguments, code in (([], REFUSED), (["--help"], CONFORMS), (["/nowhere"], REFUSED), ([str(HERE)], REFUSED),
                                (["a", "b"], REFUSED)):
            run = subprocess.run([sys.executable, HERE / "backoff-certify", *arguments], capture_output=True)
            self.assertEqual(run.returncode, code, arguments)
            self.assertNotIn(b"Traceback", run.stderr)

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
            oracle = programs / "backoff-oracle"
            run: list[str | pathlib.Path] = [
                oracle, "check", "aws_step_functions", "--cases", "30", "--results", results, "--certificate", one, "--",
                programs / "backoff-port", "whole-rate"]
            subprocess.run(run, stdout=subprocess.DEVNULL)
            subprocess.run([oracle, "report", results, "--certificate", two], stdout=subprocess.DEVNULL)
            self.assertEqual(one.read_bytes(), two.read_bytes())
            self.assertEqual(certified(one.read_bytes())[0], DOES_NOT)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("tests", nargs="*")
    given = parser.parse_args()
    programs = given.bin.resolve()
    unittest.main(argv=[sys.argv[0], *given.tests])
