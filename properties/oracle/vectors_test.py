#!/usr/bin/python3
"""Test vectors, and what is made of the answers to them: right and wrong ports of every system in both forms, damaged
files, answers that the protocol does not allow, and the example in C.

    vectors_test.py --bin build/release/bin
"""
import hashlib
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
import zlib
from collections.abc import Iterator, Sequence
from typing import Any, Self

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE / "test_ports"))
sys.dont_write_bytecode = True
import running  # noqa: E402
from running import SYSTEM, Run, built_in, oracle  # noqa: E402

RECORDED = HERE / "vectors.sha256"
SYSTEMS = sorted(path.parent.name for path in (ROOT / "spec").glob("*/system.yaml"))
EXAMPLE = ROOT / "properties" / "ports" / "helpers" / "c" / "answer_vectors.c"
COUNT = ["--count", "20"]  # of what is recorded

# A wrong port of each system, and the claim that must catch it.
WRONG = {
    "aws_backoff_algorithm": ("linear", "window_doubles_with_each_retry"),
    "aws_prescriptive_sample": ("square", "delay_doubles_and_adds_100_ms"),
    "aws_retry_utils": ("linear", "window_doubles_after_each_sleep"),
    "aws_step_functions": ("linear", "delay_grows_by_the_rate"),
    "azure_c_retry_control": ("interval-of-one", "interval_waits_the_initial_time"),
    "azure_java_retry_policy": ("linear", "delay_follows_the_formula"),
}

# Ports whose only fault is that a cycle or an instance outlasts its reset, or shares what it remembers.
REMEMBERING = {
    "aws_backoff_algorithm": ("reset-keeps-the-window", "reset-keeps-the-count", "shared-state"),
    "aws_retry_utils": ("reset-keeps-the-window", "reset-keeps-the-count", "shared-state"),
    "azure_c_retry_control": ("reset-keeps-the-count", "reset-keeps-the-start", "reset-is-forgotten"),
    "aws_step_functions": ("shared-state",),
}

Fields = dict[str, Any]  # of a file, a message or an answer


class Port:
    """A port that is asked the vectors, as whoever wrote them down would."""

    def __init__(self, system: str, command: Sequence[str]) -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.says = self.ask({"cmd": "start", "protocol": 1, "system": system})

    def ask(self, request: Fields) -> Any:
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def answers(self, vectors: Fields) -> list[Fields]:
        results = []
        cases = [{"params": case["params"], "steps": case["steps"]} for case in vectors["cases"]]
        for at in range(0, len(cases), 256):
            results += self.ask({"cmd": "run", "id": at, "cases": cases[at:at + 256]})["results"]
        return [{"id": case["id"], **result} for case, result in zip(vectors["cases"], results, strict=True)]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.communicate()


def sealed(lines: Sequence[str], as_json: bool) -> str:
    """The lines with the last one, which counts them and has their checksum."""
    body = "".join(line + "\n" for line in lines)
    crc = f"{zlib.crc32(body.encode()):08x}"
    end = json.dumps({"end": {"count": len(lines) - 1, "crc32": crc}}) if as_json else f"# end {len(lines) - 1} {crc}"
    return body + end + "\n"


def as_json(header: Fields, results: Sequence[Fields]) -> list[str]:
    return [json.dumps({"header": header}), *map(json.dumps, results)]


def values(answer: Fields) -> Iterator[str]:
    for name, value in answer.items():
        if name != "why":
            if value is None:
                value = "-" if name == "options" else "NaN"
            yield from values(value) if isinstance(value, dict) else [json.dumps(value).strip('"')]


def as_lines(header: Fields, results: Sequence[Fields]) -> list[str]:
    def line(result: Fields) -> str:
        if "steps" not in result:
            return "\t".join([result["id"], *next([key, result[key]] for key in ("rejected", "skipped") if key in result)])
        why = "".join("\t" + answer["why"] for answer in result["steps"] if "why" in answer)
        return f"{result['id']}\t{' '.join(','.join(values(answer)) for answer in result['steps'])}{why}"
    return ["# " + json.dumps(header), *map(line, results)]


class VectorsTest(unittest.TestCase):
    maxDiff = None

    def setUp(self) -> None:
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def vectors(self, system: str, *options: str, name: str = "v.json") -> pathlib.Path:
        path = self.folder / name
        made = oracle("vectors", system, *(options or COUNT))
        self.assertEqual((made.code, made.err), (0, ""))
        path.write_text(made.out)
        return path

    def described(self, system: str, command: Sequence[str], *options: str) -> tuple[pathlib.Path, Fields, list[Fields]]:
        """The vectors that a port can take, and what it answers."""
        with Port(system, command) as port:
            (self.folder / "start.json").write_text(json.dumps(port.says))
            path = self.vectors(system, "--describe", str(self.folder / "start.json"), *(options or COUNT))
            vectors = json.loads(path.read_text())
            return path, vectors, port.answers(vectors)

    def verify(self, vectors: pathlib.Path, text: str | bytes, *options: str, name: str = "r.txt") -> Run:
        path = self.folder / name
        path.write_text(text) if isinstance(text, str) else path.write_bytes(text)
        return oracle("verify", str(vectors), str(path), *options)


class Vectors(VectorsTest):
    def test_what_is_recorded_is_made_again(self) -> None:
        lines = [line.split("  ") for line in RECORDED.read_text().splitlines() if not line.startswith("#")]
        self.assertEqual([system for _, system in lines], SYSTEMS, f"{RECORDED}: one line for each system, in order")
        for recorded, system in lines:
            with self.subTest(system):
                made = oracle("vectors", system, *COUNT).out
                digest = hashlib.sha256(made.encode()).hexdigest()
                again = f"backoff-oracle vectors {system} {' '.join(COUNT)}"
                self.assertEqual(digest, recorded, f"""{again}: other bytes than recorded.
To see the difference, build the program of an earlier commit in another worktree, OLD:
  diff <(OLD/build/release/bin/{again}) <(build/release/bin/{again})
To record it, and say why in the commit: coverage/record vectors""")
                self.assertEqual(oracle("vectors", system, *COUNT).out, made, "same seed, other bytes")
                self.assertNotEqual(oracle("vectors", system, *COUNT, "--seed", "2").out, made)

    def test_a_history_keeps_its_id(self) -> None:
        def ids(*options: str) -> dict[str, str]:
            made = json.loads(oracle("vectors", SYSTEM, *options).out)
            return {json.dumps([case["params"], case["steps"]]): case["id"] for case in made["cases"]}
        few, many = ids("--count", "60"), ids("--count", "300")
        common = few.keys() & many.keys()
        self.assertGreater(len(common), 40)
        self.assertEqual({key: few[key] for key in common}, {key: many[key] for key in common})
        self.assertEqual(len(set(many.values())), len(many))

    def test_every_claim_that_a_pass_needs_is_at_stake(self) -> None:
        for system in SYSTEMS:
            with self.subTest(system):
                path, vectors, answers = self.described(system, built_in("library"), "--count", "1")
                self.assertEqual(self.verify(path, sealed(as_json(vectors["header"], answers), True)).code, 0)

    def test_histories_are_no_longer_than_asked(self) -> None:
        for most in (8, 64, 2000):
            made = json.loads(oracle("vectors", SYSTEM, *COUNT, "--max-calls", str(most)).out)
            longest = max(len(case["steps"]) for case in made["cases"])
            self.assertLessEqual(longest, most)
            self.assertGreater(longest, most / 4)

    def test_bad_input(self) -> None:
        start, deep = self.folder / "start.json", self.folder / "deep.json"
        deep.write_text('{"protocol":1,"deep":' + "[" * 100_000 + "]" * 100_000 + "}")
        for words, names in [
                (["nosuch"], ["unknown system 'nosuch'", "aws_backoff_algorithm"]),
                ([SYSTEM, "--count", "0"], ["'0'", "[1, 1000000]"]),
                ([SYSTEM, "--format", "xml"], ["xml"]),
                ([SYSTEM, "--describe", str(self.folder / "none.json")], ["none.json", "expected a start reply"]),
                ([SYSTEM, "--describe", str(deep)], ["deep.json", "a JSON object"]),
                ([SYSTEM, "--describe", str(start)], ["start.json", "a JSON object"])]:
            with self.subTest(words):
                start.write_text("[]")
                run = oracle("vectors", *words)
                self.assertEqual((run.code, run.out), (2, ""))
                for name in names:
                    self.assertIn(name, run.err)
        start.write_text('{"protocol":1,"systems":["aws_backoff_algorithm"],"ranges":{"base":["1","9"]}}')
        self.assertIn("has no 'base', expected some of: base_ms, max_ms, max_attempts",
                      oracle("vectors", SYSTEM, "--describe", str(start)).err)
        start.write_text('{"protocol":1,"systems":["aws_backoff_algorithm"],"ranges":{"base_ms":["9","1"]}}')
        self.assertIn("base_ms", oracle("vectors", SYSTEM, "--describe", str(start)).err)


class VectorResults(VectorsTest):
    def test_right_ports_conform_in_both_forms(self) -> None:
        for system in SYSTEMS:
            with self.subTest(system):
                path, vectors, answers = self.described(system, built_in("library"))
                for form in (as_json, as_lines):
                    run = self.verify(path, sealed(form(vectors["header"], answers), form is as_json))
                    self.assertEqual((run.code, run.last), (0, f"verdict: conforms to {system}, grade exact"), run.err)
                    self.assertEqual(run.counts(), [len(answers), 0, 0])

    def test_wrong_ports_are_caught_by_a_vector_that_shows_it(self) -> None:
        self.assertEqual(sorted(WRONG), SYSTEMS)
        for system, (name, claim) in WRONG.items():
            with self.subTest(system):
                path, vectors, answers = self.described(system, built_in(name))
                run = self.verify(path, sealed(as_lines(vectors["header"], answers), False))
                self.assertEqual(run.code, 1, run.out + run.err)
                self.assertIn(claim, run.named())
                self.assertIn(": from vector ", run.out)
                again = running.execute(shlex.split(run.findings()[0][1]))
                self.assertEqual((again.code, again.out), (1, run.out), "the line that replays it says the same")

    def test_a_finding_of_several_readings_is_replayed_with_all_claims(self) -> None:
        """Only the other claims say that the upper bound is inclusive: by its own claim alone this port conforms."""
        path, vectors, answers = self.described(SYSTEM, built_in("library"), "--count", "400")
        for case, answer in zip(vectors["cases"], answers, strict=True):
            for said in answer.get("steps", ()):
                cap = int(case["params"]["max_ms"])
                if said.get("delay_ms") == str(cap) and cap > 1:
                    said["delay_ms"] = str(cap - 1)
        run = self.verify(path, sealed(as_json(vectors["header"], answers), True))
        self.assertEqual(run.code, 1)
        for line in run.replay_lines():
            self.assertEqual(running.execute(shlex.split(line)).code, 1)

    def test_state_that_outlives_its_cycle_is_named(self) -> None:
        """The vectors do not have those calls by themselves. All other vectors show that their claims hold."""
        for system, names in REMEMBERING.items():
            for name in names:
                with self.subTest(f"{system}: {name}"):
                    path, vectors, answers = self.described(system, built_in(name), "--count", "400")
                    run = self.verify(path, sealed(as_lines(vectors["header"], answers), False))
                    asked = oracle("check", system, "--", *built_in(name))
                    self.assertEqual(*(running.found(r"(?m)^violation 1: (\w+)", r.out)[1] for r in (run, asked)))
                    self.assertNotIn("some calls of vector", run.out)

    def test_what_needs_a_second_answer_is_not_judged(self) -> None:
        """Some draws give delays that are too long: recorded answers do not show that from shared state, or from a reset."""
        path, vectors, answers = self.described(SYSTEM, built_in("library"), "--count", "400")
        for case, answer in zip(vectors["cases"], answers, strict=True):
            calls = case["steps"]
            later = any(call["op"] == "reset" or call.get("on", "0") != "0" for call in calls)
            for call, said in zip(calls, answer.get("steps", ()), strict=False):
                if later and "delay_ms" in said and int(call["draw"]) % 7 == 3:
                    said["delay_ms"] = str(int(said["delay_ms"]) + 100_000_000)
        run = self.verify(path, sealed(as_json(vectors["header"], answers), True))
        self.assertEqual(run.code, 1)
        self.assertTrue(run.named())
        for claim in ("reset_starts_a_fresh_cycle", "instances_are_independent"):
            self.assertNotIn(claim, run.named())
            self.assertIn(f"{claim}: recorded answers do not show", run.out)

    def test_hidden_draws_are_tested(self) -> None:
        for name, code, verdict in [("library", 0, "conforms to aws_backoff_algorithm, grade distribution"),
                                    ("cap-after-jitter", 1, "delays_fill_their_window")]:
            with self.subTest(name):
                drawing = [running.PROGRAMS["backoff-port"], name, "--draws", "random", running.MARK]
                path, vectors, answers = self.described(SYSTEM, drawing, "--count", "4000")
                self.assertTrue(all("draw" not in step for case in vectors["cases"] for step in case["steps"]))
                run = self.verify(path, sealed(as_lines(vectors["header"], answers), False))
                self.assertEqual(run.code, code)
                self.assertIn(verdict, run.last)

    def test_options_of_a_verdict(self) -> None:
        path, vectors, answers = self.described(SYSTEM, built_in("linear"))
        text = sealed(as_lines(vectors["header"], answers), False)
        known = self.folder / "known.txt"
        self.assertEqual(self.verify(path, text, "--claim", "delay_is_a_number").code, 0)
        run = json.loads(self.verify(path, text, "--format", "json").out)
        ids = {case["id"] for case in vectors["cases"]}
        self.assertTrue(set(run["findings"][0]["vectors"]) <= ids)
        junit = self.folder / "v.xml"
        self.verify(path, text, "--junit", str(junit))
        self.assertIn("window_doubles_with_each_retry", junit.read_text())
        failing = [name for name, (holds, _, _) in self.verify(path, text).claims().items() if not holds]
        known.write_text("".join(f"{claim} * # known\n" for claim in failing))
        run = self.verify(path, text, "--known-failing", str(known))
        self.assertEqual(run.code, 0, run.out)

    def test_nothing_judged_is_no_pass(self) -> None:
        path = self.vectors(SYSTEM)
        vectors = json.loads(path.read_text())
        for kind in ("skipped", "rejected"):
            answers = [{"id": case["id"], kind: "why <not>"} for case in vectors["cases"]]
            for form in (as_json, as_lines):
                run = self.verify(path, sealed(form(vectors["header"], answers), form is as_json))
                self.assertEqual(run.code, 5, run.out + run.err)

    def test_errors_and_numbers_that_are_none(self) -> None:
        path, vectors, answers = self.described(SYSTEM, built_in("library"))
        answers[40]["steps"] = [{"status": "error", "why": "overflow in next"}]
        for form in (as_json, as_lines):
            run = self.verify(path, sealed(form(vectors["header"], answers), form is as_json))
            self.assertEqual(run.code, 1)
            self.assertIn("no_call_fails", run.last)
            self.assertIn("overflow in next", run.out)
        answers[40]["steps"] = [{"status": "retry", "delay_ms": float("nan")} for _ in vectors["cases"][40]["steps"]]
        for form in (as_json, as_lines):
            run = self.verify(path, sealed(form(vectors["header"], answers), form is as_json))
            self.assertEqual(run.code, 1, run.out + run.err)
            self.assertIn("delay_is_a_number", run.last)

    def test_answers_that_the_protocol_does_not_allow_are_a_broken_port(self) -> None:
        path, vectors, answers = self.described(SYSTEM, built_in("library"))
        header = vectors["header"]
        for answer, why in [([{"status": "retyr", "delay_ms": "1"}], "retyr"),
                            ([{"status": "retry"}], "delay_ms"),
                            ([], "answers, found 0"),
                            ([{"status": "retry", "delay_ms": "1"}] * 99, "found"),
                            ([{"status": "retry", "delay_ms": "soon"}], "soon")]:
            with self.subTest(why):
                changed = [dict(a) for a in answers]
                changed[7]["steps"] = answer
                for form in (as_json, as_lines):
                    run = self.verify(path, sealed(form(header, changed), form is as_json))
                    self.assertEqual(run.code, 3, run.out + run.err)
                    self.assertIn("line 9: ", run.out)
                    self.assertIn(why if answer else "", run.out)
        lines = as_lines(header, answers)
        for text, why in [("1,2,3", "more fields"), ("retry,1@0", "TIMES"), ("retry,1@x", "TIMES"),
                          ("retry,1@4000000000", "found more")]:
            with self.subTest(text):
                lines[8] = answers[7]["id"] + "\t" + (text if "@" in text else "retry," + text)
                run = self.verify(path, sealed(lines, False))
                self.assertEqual(run.code, 3, run.err)
                self.assertIn(why, run.out)


class DamagedVectors(VectorsTest):
    def refused(self, run: Run, *names: str) -> None:
        self.assertEqual((run.code, run.out, run.err.count("\n")), (2, "", 1), run.err + run.out)
        for name in names:
            self.assertIn(name, run.err)

    def test_results(self) -> None:
        path, vectors, answers = self.described(SYSTEM, built_in("library"))
        header = vectors["header"]
        first, second, last = (answers[i]["id"] for i in (0, 1, -1))
        for form in (as_json, as_lines):
            is_json = form is as_json
            lines = form(header, answers)
            text = sealed(lines, is_json)
            self.assertEqual(self.verify(path, text).code, 0)
            other_seed = form({**header, "seed": 2}, answers)
            flipped = text.replace(lines[2], lines[2].replace("retry", "exhausted"))
            self.assertNotEqual(flipped, text)
            end = text.splitlines()[-1]
            rows: list[tuple[str | bytes, *tuple[str, ...]]] = [
                ("", "is empty"),
                (text[:text.index("\n") + 1], "line 1", "cut off"),
                (text[:len(text) // 2], "cut off"),
                ("\n".join(text.splitlines()[:-1]) + "\n", "cut off"),
                (sealed(lines[:-1], is_json), "1 vectors are not answered", last),
                (sealed(lines[:1], is_json), f"{len(answers)} vectors are not answered"),
                (sealed([lines[0], *lines[2:]], is_json), "line 2", f"expected id {first}, found {second}"),
                (sealed([*lines[:3], lines[2], *lines[3:]], is_json), "line 4", f"id {second} is repeated"),
                (sealed([*lines, lines[1]], is_json), f"id {first} is repeated"),
                (sealed([lines[0], lines[2], lines[1], *lines[3:]], is_json), "line 2", f"expected id {first}"),
                (sealed([lines[0], lines[1].replace(first, "0123456789abcdef"), *lines[2:]], is_json), "line 2",
                 "0123456789abcdef"),
                (flipped, "edited or damaged", "CRC-32"),
                (text.replace(end, end.replace(str(len(answers)), "7")), "the count is 7", str(len(answers))),
                (text.replace(end, end[:7]), "expected a count and a CRC-32"),
                (text + lines[1] + "\n", "unexpected text after the last line"),
                (text + text, "unexpected text after the last line"),
                (sealed(other_seed, is_json), "line 1", '"seed" is \'2\', expected \'1\''),
                (sealed(lines[1:], is_json), "line 1", "expected the header"),
                ("hello\n", "line 1", "expected the header"),
                (b"\xff\xfe\n" + text.encode(), "line 1", "expected the header")]
            for damaged, *names in rows:
                with self.subTest(form.__name__, names=names):
                    self.refused(self.verify(path, damaged), *names)
            self.assertEqual(self.verify(path, text.replace("\n", "\r\n").encode()).code, 0, "as a terminal sends it")
        self.refused(oracle("verify", str(path), str(self.folder / "none")), "none")
        self.refused(oracle("verify", str(path), str(self.folder)), "cannot be read")

    def test_vectors_of_the_version_before_are_read(self) -> None:
        made = self.vectors(SYSTEM, *COUNT)
        text = made.read_text().replace(f'"version":"{running.VERSION}"', '"version":"0.1.0"', 1)
        self.assertNotEqual(text, made.read_text())
        before, _, after = text.rpartition('"sha256":"')
        before += '"sha256":"'
        made.write_text(before + hashlib.sha256(before.encode()).hexdigest() + after[64:])
        vectors = json.loads(made.read_text())
        with Port(SYSTEM, built_in("library")) as port:
            answers = port.answers(vectors)
        self.assertEqual(self.verify(made, sealed(as_lines(vectors["header"], answers), False)).code, 0)

    def test_vectors(self) -> None:
        made = self.vectors(SYSTEM)
        vectors = json.loads(made.read_text())
        with Port(SYSTEM, built_in("library")) as port:
            results = sealed(as_lines(vectors["header"], port.answers(vectors)), False)
        other = self.folder / "other.json"
        for form in ("json", "lines"):
            text = self.vectors(SYSTEM, *COUNT, "--format", form).read_text()
            lines = text.splitlines(keepends=True)
            for damaged, *names in [
                    ("", "is empty"),
                    (text[:len(text) // 2], "cut off"),
                    ("".join(lines[:-1]), "cut off"),
                    (text.replace(lines[5], ""), "line 6", "edited"),
                    (text.replace(lines[5], lines[6] + lines[5]), "line 6", "edited"),
                    (text.replace(lines[9], lines[9].replace("1", "2", 1)), "line 10", "edited"),
                    (text.replace('"seed":1', '"seed":2'), "edited"),
                    (text.replace(f'"version":"{running.VERSION}"', '"version":"0.0.9"', 1), "0.0.9", "expected"),
                    (text.replace('"count":20', '"count":"many"', 1), "line 1"),
                    (text + "\n", "unexpected text"),
                    (text.replace("\n", "\r\n"), "CR LF"),
                    (results, "edited"),
                    ("{}", "line 1", "expected the header")]:
                with self.subTest(form, names=names):
                    other.write_bytes(damaged.encode())
                    (self.folder / "r.txt").write_text(results)
                    self.refused(oracle("verify", str(other), str(self.folder / "r.txt")), "other.json", *names)


class VectorExample(VectorsTest):
    def answered(self, source: pathlib.Path) -> Run:
        program = self.folder / "answer"
        subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O2", str(source), "-o", program],
                       check=True)
        path = self.vectors(SYSTEM, *COUNT, "--format", "lines")
        done = subprocess.run([program], stdin=path.open(), capture_output=True, text=True, check=True)
        return self.verify(path, done.stdout)

    def test_it_is_short_and_conforms(self) -> None:
        self.assertLessEqual(EXAMPLE.read_text().count("\n"), 60)
        run = self.answered(EXAMPLE)
        self.assertEqual((run.code, run.last), (0, f"verdict: conforms to {SYSTEM}, grade exact"), run.err)

    def test_a_fault_in_it_is_found(self) -> None:
        wrong = self.folder / "wrong.c"
        wrong.write_text(EXAMPLE.read_text().replace("window *= 2", "window *= 3"))
        run = self.answered(wrong)
        self.assertEqual(run.code, 1)
        self.assertIn("window_doubles_with_each_retry", run.last)


class Nightly:
    """Not among the tests of every change."""


class Power(VectorsTest, Nightly):
    """The vectors that are made by default catch every wrong port that a check catches, but for these."""
    MISSED = {
        "aws_backoff_algorithm": {"throws-after-1023", "zero-times-infinity"},  # more than 64 calls
        "aws_prescriptive_sample": {"infinite", "throws-after-1023"},  # the same
        "aws_retry_utils": {"throws-after-1023"},  # the same
        "aws_step_functions": {"infinite", "throws-beyond-doubles", "zero-times-infinity"},  # the same
    }

    def test_wrong_ports_are_caught(self) -> None:
        listed = running.execute([running.PROGRAMS["backoff-port"], "--list"]).out
        for system in SYSTEMS:
            ports = running.found(rf"^{system}\n((?: .*\n)+)", listed, re.MULTILINE)[1]
            names = re.findall(r"^  wrong +([a-z0-9-]+)", ports, re.MULTILINE)
            self.assertGreater(len(names), 20)
            missed = set()
            for name in names:
                path, vectors, answers = self.described(system, built_in(name), "--count", "400")
                run = self.verify(path, sealed(as_lines(vectors["header"], answers), False))
                missed |= {name} if run.code == 0 and "findings that do not fail it" not in run.last else set()
            with self.subTest(system):
                self.assertEqual(missed, self.MISSED.get(system, set()))


if __name__ == "__main__":
    running.main(__doc__)
