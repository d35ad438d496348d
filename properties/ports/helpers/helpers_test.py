#!/usr/bin/python3
"""Checks the helpers: every message of the protocol, sent to a port in each language, and every reply compared.

What the echo port of a language answers says what its helper read and wrote: parameters and steps as they arrived, the number of
calls that its instance has had, numbers of each kind from native to text. The messages are the oracle's own, recorded for each
system from a port that lists every feature, and others that are meant to break a reader. The example port of each language,
which the pages start_*.md show, must conform. A toolchain that is absent skips its language and says so; with --all it fails.

Usage: properties/ports/helpers/helpers_test.py --bin DIR [--all] [--recorded FILE] [Recorded|Python|C++|…]
What the oracle sent is recorded in FILE, or read from there where it is already; Recorded alone begins it anew.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from typing import TYPE_CHECKING, Any

Fields = dict[str, Any]
HELPERS = pathlib.Path(__file__).resolve().parent
SYSTEMS = sorted(path.parent.name for path in (HELPERS.parents[2] / "spec").glob("*/system.yaml"))
FEATURES = ["instances", "clock_script", "nulls", "faults", "live", "state", "total_time", "errors", "custom_policy", "fresh_process"]
# Fields and words that only the features bring: each must have been sent, or nothing was tested.
SENT = {"on", "null", "fail", "total_time_ms", "elapsed_ms", "error", "custom_retry", "draws", "draw", "den", "clock", "jd", "value",
        "backoff_rate"}
RECORDER = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    if request["cmd"] == "stop":
        break
    print(line, end="", file=open(sys.argv[2], "a"))
    start = {"protocol": 1, "port": {"name": "recorder"}, "systems": [sys.argv[1]], "features": FEATURES, "max_batch": 16,
             "draw_kind": sys.argv[3]}
    skipped = {"id": request.get("id"), "results": [{"skipped": "recorded"}] * len(request.get("cases", []))}
    print(json.dumps(start if request["cmd"] == "start" else skipped), flush=True)
""".replace("FEATURES", repr(FEATURES))

INTEGERS = ["0", "1", "-1", "4294967296", "9007199254740993", "-9007199254740993", "9223372036854775807", "-9223372036854775808",
            "18446744073709551615"]
REALS = ["0.5", "0.1", "0.00000000023283064365386962890625", "1e300", "5e-324", "9007199254740993", "1.7976931348623157e308",
         "0.30000000000000004", "-0.1", "inf"]
TEXTS = ["plain", "with \"quotes\" and \\ and /", "a\ttab\nand \u0001", "é € 😀 \u2028", "{[,:]}", "12", "true", ""]
BAD = ['{', '[1,2', 'no json', '{"cmd" "start"}', '{"cmd":"start",}', '{"cmd":nothing}', '{"id":1}', '{"cmd":"run"}', '{"cmd":"start"',
       '{"cmd":"run","id":1,"cases":[{"params":{},"steps":[{"op":"x"}]}]', '{"cmd":"run","id":1,"cases":[{"steps":[{"op":"x"}]}]}',
       '{"cmd":"pause","x":[1 2]}', '{"cmd":"pause","x":[1}}', '{"cmd":"pause","x":{"y"}}', '{"cmd":"run","id":1,"cases":[{"params":{}}]}',
       '{"cmd":"run","id":1,"cases":[{"params":{},"steps":[{"op":"x" ]}]}']
CC, CXX = os.environ.get("CC", "cc"), os.environ.get("CXX", "c++")
BEHIND = '{"cmd":"pause"}}'  # Go reads a stream, and answers what stands before
BARE_NAME = '{"cmd":"pause",1:2}'  # which the readers for Java and Rust let pass
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
# By language: the tool that must be there, how a port is built, how it is started, and whether it is told all steps at the start.
LANGUAGES: dict[str, tuple[str, list[str], list[str], bool]] = {
    "Python": ("python3", [], ["/usr/bin/python3", "python/{name}_port.py"], True),
    "JavaScript": ("node", [], ["node", "javascript/{name}_port.cjs"], True),
    "Java": ("javac", ["javac", "-Xlint:all,-serial", "-Werror", "-d", "{into}", "java/BackoffPort.java", "java/EchoPort.java",
                       "java/ExamplePort.java"],
             ["java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", "{into}", "{Name}Port"], True),
    "Go": ("go", ["go", "build", "-o", "{into}/{name}", "./{name}_port"], ["{into}/{name}"], True),
    "Rust": ("rustc", ["rustc", "--edition", "2021", "-D", "warnings", "-o", "{into}/{name}", "rust/{name}_port.rs"], ["{into}/{name}"],
             False),
    "C": (CC, [CC, "-std=c99", *STRICT, "-o", "{into}/{name}", "c/{name}_port.c", "-lm"], ["{into}/{name}"], False),
    "C++": (CXX, [CXX, "-std=c++20", *STRICT, "-o", "{into}/{name}", "cpp/{name}_port.cpp"], ["{into}/{name}"], False),
}


def plain(text: str) -> Fields:
    """What was said, each number as its text."""
    found: Fields = json.loads(text, parse_int=str, parse_float=str)
    return found


def recorded(system: str, draw_kind: str, scratch: str) -> list[str]:
    """What the oracle sends to a port that lists every feature."""
    log = pathlib.Path(scratch) / f"{system}-{draw_kind}"
    recorder: list[str | pathlib.Path] = ["/usr/bin/python3", "-c", RECORDER, system, log, draw_kind]
    subprocess.run([f"{BIN}/backoff-oracle", "check", system, "--cases", "96", "--", *recorder], capture_output=True, check=False)
    return log.read_text().splitlines()


if TYPE_CHECKING:
    Case = unittest.TestCase
else:
    Case = object


class Language(Case):
    language: str
    told_all_steps: bool
    ports: dict[str, list[str]]

    @classmethod
    def setUpClass(cls) -> None:
        tool, build, start, cls.told_all_steps = LANGUAGES[cls.language]
        if not shutil.which(tool) and not ALL:
            print(f"\nSKIPPED: {cls.language}, because {tool} is not there", file=sys.stderr)
            raise unittest.SkipTest(f"{tool}: not found")
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.ports, built = {}, None
        for name in ("echo", "example"):
            words = [[word.format(into=scratch.name, name=name, Name=name.title()) for word in command] for command in (build, start)]
            if words[0] and words[0] != built:
                done = subprocess.run(words[0], cwd=HELPERS / "go" if cls.language == "Go" else HELPERS, capture_output=True, text=True,
                                      check=False)
                if done.returncode:
                    raise AssertionError(done.stdout + done.stderr)
            cls.ports[name], built = words[1], words[0]

    def say(self, port: list[str], lines: list[str], exit_code: int = 0) -> tuple[list[dict[str, Any]], str]:
        done = subprocess.run(port, cwd=HELPERS, input="".join(f"{line}\n" for line in lines), capture_output=True, text=True, check=False,
                              encoding="utf-8")
        self.assertEqual(done.returncode, exit_code, done.stderr)
        return [plain(line) for line in done.stdout.split("\n")[:-1]], done.stderr

    def seen(self, case: dict[str, Any]) -> dict[str, Any]:
        """What the echo port answers of a case."""
        calls: dict[str, int] = {}
        answers: list[Fields] = []
        asked = [step.get("on", "0") for step in case["steps"]]
        for step, on in zip(case["steps"], asked):
            calls[on] = calls.get(on, 0) + 1
            answers.append({"status": "ok", "calls": str(calls[on]), "step": step, "params": case["params"]})
            if self.told_all_steps:
                answers[-1]["of"] = str(asked.count(on))
        return {"steps": answers}

    def test_numbers_and_texts_and_failures(self) -> None:
        port = self.ports["echo"]

        def run(*steps: dict[str, Any], **params: Any) -> dict[str, Any]:
            request = {"cmd": "run", "id": 7, "cases": [{"params": params, "steps": list(steps)}]}
            (reply,), _ = self.say(port, [json.dumps(request)])
            self.assertEqual(reply["id"], "7")
            result: Fields = reply["results"][0]
            return result
        integers = run(*({"op": "integer", "value": value} for value in INTEGERS))
        self.assertEqual(integers, {"steps": [{"status": "ok", "value": value} for value in INTEGERS]})
        reals = run(*({"op": "real", "value": value} for value in REALS))["steps"]
        self.assertEqual([float(answer["value"]) for answer in reals], [float(value) for value in REALS])
        self.assertIn(reals[-1]["value"], ("inf", "Infinity"))
        self.assertIn(run({"op": "real", "value": "-nan"})["steps"][0]["value"], ("nan", "NaN"))
        truths = run(*({"op": "truth", "value": value} for value in (True, False, "true", None)))
        self.assertEqual([answer["value"] for answer in truths["steps"]], [True, False, False, False])
        for value in (*TEXTS, None, True, {}, [], {"a": [1, {"b": None}]}, [[], [2.50, "x"]], 1.0e-7, 18446744073709551615):
            case = plain(json.dumps({"params": {"p": value}, "steps": [{"op": "echo", "value": value}]}))
            self.assertEqual(run(*case["steps"], **case["params"]), self.seen(case))
        failed = run({"op": "echo"}, {"op": "fail", "value": "an \"error\"\n"}, {"op": "echo"})["steps"]
        self.assertEqual((len(failed), failed[0]["status"], set(failed[1]), failed[1]["status"]), (2, "ok", {"status", "why"}, "error"))
        self.assertIn("error", failed[1]["why"])
        self.assertEqual(run({"op": "echo"}, reject="these"), {"rejected": "these"})
        if self.language not in ("C", "Go", "Rust"):  # C and Rust exclude such a port; Go has its own words for a nil function
            self.assertRegex(run({"op": "echo"}, nothing="yes")["steps"][0]["why"], "the port returned .*, expected a function")

    def test_sessions(self) -> None:
        port = self.ports["echo"]
        start = {"cmd": "start", "protocol": 1, "system": "other"}
        (about,), _ = self.say(port, [json.dumps(start)])  # the end of input is a stop
        self.assertEqual(about, {"protocol": "1", "max_batch": "256", "port": {"name": "echo", "version": "1", "language": self.language},
                                 "systems": ["echo", "other"], "features": ["instances"],
                                 "ranges": {"value": ["0", "18446744073709551615"]}})
        case: Fields = {"params": {}, "steps": [{"op": "a"}, {"op": "b", "on": "1"}, {"op": "c", "on": "0", "value": "EXACT"},
                                        {"op": "d", "on": "2", "later": {"cmd": "stop"}}], "x": [1]}
        run = {"cmd": "run", "id": 9007199254740993, "unknown": {"cmd": "stop", "id": 3}, "cases": [case, case]}
        exact = "-18446744073709551616.10000000000000000000000001e-7"  # a bare number keeps its every digit
        sent = json.dumps(run).replace('"EXACT"', exact)
        case = json.loads(json.dumps(case).replace("EXACT", exact))
        lines = [json.dumps({**start, "system": "othe"}), json.dumps({"cmd": "pause", "id": 1}),
                 json.dumps(start, indent=1).replace("\n", "\t") + "\r",
                 " " + sent, json.dumps({"cmd": "stop", "why": "enough"}), json.dumps(start)]
        (other, unknown, known, ran), _ = self.say(port, lines)
        self.assertEqual((set(other), unknown, set(known)), ({"error"}, {"error": "unknown cmd"}, set(about)))
        self.assertEqual(ran, {"id": "9007199254740993", "results": [self.seen(case)] * 2})

    def test_what_the_oracle_sends_arrives(self) -> None:
        port = self.ports["echo"]
        lines = [line for line in RECORDED if '"run"' in line]
        replies, _ = self.say(port, lines)
        self.assertEqual(len(replies), len(lines))
        for line, reply in zip(map(plain, lines), replies):
            self.assertEqual(reply, {"id": line["id"], "results": [self.seen(case) for case in line["cases"]]})

    def test_what_is_no_request_ends_it(self) -> None:
        port = self.ports["echo"]
        unknown = '{"cmd":"pause"}'
        for line in BAD + [BEHIND] * (self.language != "Go") + [BARE_NAME] * (self.language not in ("Java", "Rust")):
            with self.subTest(line):
                replies, why = self.say(port, [unknown, line], exit_code=2)
                self.assertEqual(replies, [{"error": "unknown cmd"}])
                self.assertNotEqual(why.strip(), "")

    def test_the_example_conforms(self) -> None:
        port = self.ports["example"]
        words = ["check", "aws_backoff_algorithm", "--cases", "2000", "--format", "json", "--", *port]
        done = subprocess.run([f"{BIN}/backoff-oracle", *words], cwd=HELPERS, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual((report["verdict"], report["grade"], report["port"]["language"]), ("conforms", "exact", self.language))
        self.assertNotIn("instances", json.dumps(report.get("not_checked", [])))

    def test_it_is_short(self) -> None:
        folder = HELPERS / self.language.lower().replace("++", "pp")
        helper, = (path for path in folder.glob("*") if path.stem.lower().replace("_", "") == "backoffport")
        self.assertLessEqual(len(helper.read_text().splitlines()), 80)


class Recorded(unittest.TestCase):
    def test_every_feature_was_sent(self) -> None:
        sent: set[str] = set()

        def look(value: Any) -> None:
            for each in value if isinstance(value, list) else value.values() if isinstance(value, dict) else []:
                look(each)
            sent.update(value if isinstance(value, dict) else ())
        for line in RECORDED:
            look(json.loads(line))
        self.assertEqual(SENT - sent, set())
        self.assertTrue(any(re.search(r'"clock":\["-?[0-9]+","', line) for line in RECORDED), "a script of clocks")
        self.assertTrue(any('"custom"' in line for line in RECORDED), "a custom policy")


for each in LANGUAGES:
    globals()[each] = type(each.replace("+", "p"), (Language, unittest.TestCase), {"language": each})

def all_recorded(file: pathlib.Path | None, anew: bool) -> list[str]:
    if file and file.is_file() and not anew:
        return file.read_text().splitlines()
    with tempfile.TemporaryDirectory() as folder:
        lines = [line for system in SYSTEMS for kind in ("u32", "unit") for line in recorded(system, kind, folder)]
    if file:
        file.write_text("".join(f"{line}\n" for line in lines))
    return lines


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--bin", type=pathlib.Path, required=True)
    options.add_argument("--all", action="store_true", help="a toolchain that is absent is a failure")
    options.add_argument("--recorded", type=pathlib.Path)
    given, words = options.parse_known_args()
    BIN, ALL = given.bin.resolve(), given.all
    RECORDED = all_recorded(given.recorded, words == ["Recorded"])
    unittest.main(argv=[sys.argv[0], *words])
