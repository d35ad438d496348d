#!/usr/bin/python3
"""Holds the schemas to what is really sent and written, and shows that they refuse what is not.

    schema_test.py --bin build/release/bin
"""
import copy
import functools
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Sequence
from typing import Any

import jsonschema

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "oracle" / "test_ports"))
sys.dont_write_bytecode = True
import broken  # noqa: E402
import correct  # noqa: E402
import running  # noqa: E402
import schemas_of_pages  # noqa: E402
import wrong  # noqa: E402
from running import SYSTEM, built_in, check, oracle, test_port  # noqa: E402

SCRATCH = tempfile.TemporaryDirectory()
FOLDER = pathlib.Path(SCRATCH.name)
subprocess.run([sys.executable, HERE / "schemas_of_pages.py", FOLDER], check=True)
SCHEMAS = {path.relative_to(FOLDER).as_posix().removesuffix(".schema.json"): json.loads(path.read_text())
           for path in FOLDER.rglob("*.schema.json")}
LOADED = {(FOLDER / f"{name}.schema.json").as_uri(): schema for name, schema in SCHEMAS.items()}
STEMS = sorted(path.parent.name for path in (HERE.parents[1] / "spec").glob("*/system.yaml"))
TEE = [sys.executable, "-B", "-S", "-E", str(HERE.parent / "oracle" / "test_ports" / "tee.py")]

Fields = dict[str, Any]  # of a message


@functools.cache
def validator(name: str, definition: str | None = None) -> Any:
    """Of a schema, or of one of its definitions."""
    schema = {"$ref": f"{name}.schema.json" + (f"#/$defs/{definition}" if definition else "")}
    resolver = jsonschema.RefResolver(base_uri=FOLDER.as_uri() + "/", referrer=schema, store=LOADED)
    return jsonschema.Draft202012Validator(schema, resolver=resolver)


def conversation(port: Sequence[str], system: str = SYSTEM) -> tuple[list[Fields], list[Fields]]:
    """The requests and the replies of a short check of the port; nothing answers stop."""
    with tempfile.NamedTemporaryFile("r") as log:
        check([*TEE, log.name, *port], cases=30, system=system)
        lines = log.read().splitlines()
    requests = [json.loads(line[2:]) for line in lines if line.startswith("> ")]
    replies = [json.loads(line[2:]) for line in lines if line.startswith("< ")]
    return requests, replies


class Schemas(unittest.TestCase):
    def valid(self, document: Any, name: str, definition: str | None = None) -> None:
        errors = list(validator(name, definition).iter_errors(document))
        self.assertEqual([error.message[:300] for error in errors], [], f"{name} {definition or ''}")

    def test_they_are_schemas(self) -> None:
        general = {name for name in SCHEMAS if not name.startswith("systems/")}
        self.assertEqual({"certificate", "history", "request", "results", "run-reply", "start-reply", "systems", "vectors", "watched"},
                         general)
        for name, schema in SCHEMAS.items():
            with self.subTest(name):
                jsonschema.Draft202012Validator.check_schema(schema)

    def test_patterns_match_the_numbers_of_their_range(self) -> None:
        for scale, low, high in [(0, 0, 0), (0, 3, 7), (0, 0, 1000), (0, 95, 1204), (0, 100, 999), (0, -12, 5), (0, -120, -3),
                                 (1, 0, 10), (1, 5, 123), (2, 0, 100), (2, 7, 1095), (2, 101, 999)]:
            with self.subTest(scale=scale, low=low, high=high):
                found = schemas_of_pages.of_range(low, high, scale)
                for units in range(low - 50, high + 2000):
                    for text in (schemas_of_pages.shown(units, scale), f"{units / 10**scale:.{scale + 1}f}", f"0{units}"):
                        right = low <= units <= high and text == schemas_of_pages.shown(units, scale)
                        self.assertEqual(bool(re.fullmatch(found, text)), right, text)

    def said_as_the_schemas_have_it(self, port: Sequence[str], system: str) -> None:
        requests, replies = conversation(port, system)
        self.assertEqual(requests[0]["cmd"], "start")
        self.valid(replies[0], "start-reply")
        for request in (*requests[:3], requests[-1]):
            self.valid(request, "request")
        for request, reply in list(zip(requests, replies))[1:3]:  # the mapping probes, the histories
            if request["cmd"] != "run":
                break
            most = SCHEMAS["history"]["properties"]["cases"]["maxItems"]
            self.valid({"system": system, "cases": request["cases"][:most]}, "history")
            self.valid(reply, "run-reply")
            self.assertEqual((len(reply["results"]), reply["id"]), (len(request["cases"]), request["id"]))
            answers = [answer for result in reply["results"] for answer in result.get("steps", ())]
            for answer in {json.dumps(answer): answer for answer in answers[-200:]}.values():
                self.valid(answer, f"systems/{system}", "answer")

    def test_the_packages_and_the_page_name_the_fields_of_a_reply_to_start(self) -> None:
        fields = SCHEMAS["start-reply"]["$defs"]["port"]["properties"]
        stated = fields.keys() - {"protocol"}  # what a port says of itself
        package = HERE.parents[1] / "lib/package"
        helpers = HERE.parent / "ports/helpers"
        for path, listed in ((package / "python/backoff_oracle/judged.py", r"(?m)^FIELDS = \[(.*)\]$"),
                             (package / "npm/index.cjs", r"(?m)^const fields = \[(.*)\];$"),
                             (helpers / "java/BackoffOracle.java", r"List<String> FIELDS = List\.of\((.*)\);"),
                             (helpers / "go/oracletest/oracletest.go", r'(?m)^const fieldsOfPort = "(.*)"$')):
            self.assertEqual(set(re.findall(r"\w+", running.found(listed, path.read_text())[1])), stated, path)
        about = running.found(r"interface About \{\n(.*?)\n\}", (package / "npm/index.d.ts").read_text(), re.S)[1]
        types = dict(re.findall(r"(?m)^  (\w+)\?: (.*);$", about))
        self.assertEqual(types.keys(), stated)
        self.assertEqual(set(re.findall(r"(\w+)\?:", types["port"])), set(fields["port"]["properties"]))
        for field in ("draws", "draw_kind"):
            self.assertEqual(re.findall(r"'(\w+)'", types[field]), fields[field]["enum"])
        page = running.found(r"## Reply to start\n(.*?)\n##", (HERE / "README.md").read_text(), re.S)[1]
        self.assertEqual(set(re.findall(r"(?m)^\| `(\w+)`", page)) | {"rand_max"}, fields.keys())

    def test_what_oracle_and_ports_say(self) -> None:
        ports = [built_in(name) for name in ("library", "library-u16", "real-unit", "rand15", "throws-on-empty")]
        ports += [test_port(correct, name) for name in correct.PORTS]
        ports += [test_port(wrong, name) for name in wrong.PORTS]
        for port in ports:
            with self.subTest(port[-2]):
                self.said_as_the_schemas_have_it(port, SYSTEM)

    def test_what_oracle_and_library_say_in_every_system(self) -> None:
        for stem in STEMS:
            with self.subTest(stem):
                self.said_as_the_schemas_have_it(built_in("library"), stem)
        self.said_as_the_schemas_have_it(built_in("checked-conversion"), "aws_prescriptive_sample")

    def test_what_a_port_says_to_an_unknown_system_an_unknown_command_and_no_json(self) -> None:
        requests = '{"cmd":"start","protocol":1,"system":"nope"}\n{"cmd":"frob"}\nhello\n'
        said = subprocess.run(built_in("library"), input=requests, capture_output=True, text=True, check=True)
        for line, name in zip(said.stdout.splitlines(), ("start-reply", "run-reply", "run-reply"), strict=True):
            self.assertEqual(list(json.loads(line)), ["error"])
            self.valid(json.loads(line), name)

    def test_histories_of_findings(self) -> None:
        for name in ("cap-ignored", "mixed-growth", "one-attempt-too-many"):
            with self.subTest(name):
                findings = json.loads(check(built_in(name), "--format", "json", cases=300).out)["findings"]
                self.assertNotEqual(findings, [])
                for finding in findings:
                    self.valid(finding["history"], "history")


    def test_results_files(self) -> None:
        drawing = [running.PROGRAMS["backoff-port"], "library", "--draws", "random", "1"]
        kinds = set()
        for port, cases in ((built_in("cap-ignored"), 300), (built_in("real-unit"), 300), (built_in("throws-on-empty"), 300),
                            (drawing, 900), (test_port(wrong, "skips_some_declared"), 50), (test_port(wrong, "throws"), 50),
                            (test_port(wrong, "opaque_beyond_the_cap"), 50), (test_port(broken, "aborts_on_base_7"), 100)):
            with self.subTest(port[-2]), tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "results"
                known = pathlib.Path(folder) / "known"
                known.write_text("no_call_fails calls>900 # x\n")
                check(port, "--results", str(path), "--known-failing", str(known), cases=cases)
                for line in path.read_text().splitlines():
                    self.valid(json.loads(line), "results")
                    kinds |= {kind for kind in RESULTS if validator("results", kind).is_valid(json.loads(line))}
        self.assertEqual(kinds, set(RESULTS))

    def test_results_of_watch(self) -> None:
        with tempfile.NamedTemporaryFile("r") as file:
            program = [sys.executable, "-c", "import sys, urllib.request as r; r.urlopen(sys.argv[1])", "{url}"]
            running.oracle("watch", "curl_retry", "--runs", "1", "--results", file.name, port=program)
            self.valid(json.loads(pathlib.Path(file.name).read_text()), "watched")

    def test_certificates(self) -> None:
        drawing = [running.PROGRAMS["backoff-port"], "library", "--draws", "random", "1"]
        for port, cases in ((built_in("cap-ignored"), 100), (built_in("real-unit"), 100), (drawing, 300),
                            (test_port(wrong, "skips_some_declared"), 50), (test_port(broken, "aborts_on_base_7"), 100)):
            with self.subTest(port[-2]), tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "certificate"
                check(port, "--certificate", str(path), cases=cases)
                self.valid(json.loads(path.read_text()), "certificate")

    def test_vectors(self) -> None:
        """The frame, and every seventh of them."""
        for stem in STEMS:
            with self.subTest(stem):
                vectors = json.loads(oracle("vectors", stem, "--count", "20").out)
                some = vectors["cases"][::7]
                self.valid({**vectors, "cases": some}, "vectors")
                for vector in some:
                    asked = {"params": vector["params"], "steps": vector["steps"]}
                    self.valid(asked, f"systems/{stem}", "case")

    def test_results_of_every_system(self) -> None:
        for stem in STEMS:
            with self.subTest(stem), tempfile.NamedTemporaryFile("r") as file:
                check(built_in("library"), "--results", file.name, cases=100, system=stem)
                lines = pathlib.Path(file.name).read_text().splitlines()
                self.assertGreater(len(lines), 2)
                for line in lines:
                    self.valid(json.loads(line), "results")


UNIT = {"num": "1", "den": "4294967296", "value": "0.00000000023283064365386962890625"}
WATCHED = {
    "watched": 1, "tool": "backoff-oracle", "version": "1.0.0", "system": "curl_retry", "document": "1", "parameters": ["retry=2"],
    "command": ["curl", "{url}"], "failures": "503", "retry_after_s": None, "faster": 1.0, "slack_ms": None,
    "known_failing": {"file": "", "lines": []}, "runs": 1, "attempts": 3, "overlaps": 0, "silent": 0, "cut": 0, "killed": 0, "unused": 0,
    "hung": False, "interrupted": False, "cycles": [{"waits": [[1, 2], [3, 4]], "gave_up": [22, 5], "open": None}], "slack": [[1, 2]]}
CASE = {"params": {"base_ms": "2", "max_ms": "4294967295", "max_attempts": "forever"},
        "steps": [{"op": "next", "draw": "7"}, {"op": "reset", "on": "2"}, {"op": "next", "draw": UNIT},
                  {"op": "next"}]}
HISTORY = {"system": SYSTEM, "cases": [CASE]}
RUN = {"cmd": "run", "id": 1, "cases": [CASE]}
START_REPLY = {"protocol": 1, "port": {"name": "x", "version": "1", "language": "C"}, "systems": [SYSTEM],
               "draws": "injected", "draw_kind": "rand", "rand_max": 32767, "mapping": "modulo", "max_batch": 256,
               "max_line": "900", "ranges": {"base_ms": ["1", 9], "policy": ["no_retry"],
                                             "max_attempts": {"range": ["0", "9"], "forever": False}}}
RUN_REPLY = {"id": 1, "results": [{"steps": [{"status": "ok"}]}, {"rejected": "a"}, {"skipped": "b"}, {"error": "c"}]}
RETRY = {"status": "retry", "delay_ms": "4e0"}
ANSWER = (f"systems/{SYSTEM}", "answer")
SAMPLE = {"system": "aws_prescriptive_sample",
          "cases": [{"params": {"max_retries": "2147483647"},
                     "steps": [{"op": "attempt", "http_status": "429"}, {"op": "attempt", "http_status": "200", "on": "2"}]}]}
SAMPLE_ANSWER = ("systems/aws_prescriptive_sample", "answer")
STEPS = {"system": "aws_step_functions",
         "cases": [{"params": {"interval_s": "4294967295", "backoff_rate": "1.5", "max_attempts": "3"},
                    "steps": [{"op": "next"}, {"op": "next", "on": "2"}]}]}
STEPS_ANSWER = ("systems/aws_step_functions", "answer")
POLICY = {"system": "azure_java_retry_policy",
          "cases": [{"params": {"policy": "exponential_backoff_with_jitter", "c_ms": "0", "jd": "0.125", "ju": "1"},
                     "steps": [{"op": "decide", "retry_count": "2147483647", "retryable": True, "draw": "7"}]},
                    {"params": {"policy": "custom", "total_time_ms": "9"},
                     "steps": [{"op": "decide", "retry_count": "0", "error": "unknown", "draw": UNIT, "elapsed_ms": "5",
                                "custom_retry": False, "custom_delay_ms": "4294967295", "on": "1"}]}]}
POLICY_ANSWER = ("systems/azure_java_retry_policy", "answer")
SAVED = {"initial_wait_time_in_secs": "1", "max_jitter_percent": "5"}
CONTROL = {"system": "azure_c_retry_control",
           "cases": [{"params": {}, "steps": [
               {"op": "create", "policy": "RANDOM", "max_retry_time_s": "10", "fail": ["malloc", "option_add"]},
               {"op": "should_retry", "clock": ["-1", "0", "9223372036854775807"], "draws": ["7"], "null": ["handle"]},
               {"op": "set_option", "name": "retry_control_options", "value": SAVED},
               {"op": "is_timeout_reached", "start": "-9223372036854775808", "timeout_s": "1", "clock": ["1", "2"]}]}]}
CONTROL_ANSWER = ("systems/azure_c_retry_control", "answer")
UTILS_ANSWER = ("systems/aws_retry_utils", "answer")
RESULTS = {
    "header": {"results": 1, "tool": "backoff-oracle", "version": "1.0.0", "system": SYSTEM, "document": "1.3.0",
               "port": START_REPLY, "program": "backoff-oracle", "command": ["./port"], "seed": 1, "cases": 10, "shard": [1, 2],
               "options": {"claims": [], "skips": ["x"], "readings": [], "library": "", "constants": [], "strict": False,
                           "alpha": 1e-9, "timeout": 10.0, "max_failures": 0}, "known_failing": {"file": "f", "lines": ["x * # y"]}},
    "probes": {"probes": ["a,1"]},
    "answers": {"from": 0, "answers": ["a,1 a,-15e-1~x3 c", {"is": "rejected", "answers": "d", "why": "x"}]},
    "two_processes": {"two_processes": {"one": ["a,1"], "other": ["a,2"]}},
    "compared": {"compared": [{"claim": "instances_are_independent", "same": True,
                               "seen": {"index": 3, "history": "aws_x/base_ms=1/next:1", "answers": "a,1"}}]},
    "finding": {"finding": {"claim": "no_call_fails", "how": "together", "explained_by": "00000000000000ff",
                            "histories": [{"index": 3, "history": "aws_x/base_ms=1/next:1", "answers": "e"}], "excuses": []}},
    "outside": {"outside": {"regions": [["base_ms>max_ms"]], "tried": 1000, "held": 1000}},
    "broke": {"broke": {"what": "killed by signal 6", "stderr": "", "index": 3, "history": "aws_x/base_ms=1/next:1"}},
    "footer": {"ended": "done", "histories": 10, "plan": "0123456789abcdef", "sha256": "0" * 64,
               "state": {"judged": 10, "rejected": 0, "skipped": 0, "broke": 0, "failing": 0, "grade": "distribution",
                         "at_stake": {"no_call_fails": 10}, "broken": {}, "survivors": [{"upper-bound": ["inclusive"]}],
                         "draws": {"tested": 4, "log_e_value": -0.5}}}}
VECTORS = {
    "header": {"vectors": 1, "tool": "backoff-oracle", "version": "1.0.0", "system": SYSTEM, "document": "1.3.0",
               "takes": START_REPLY, "seed": 1, "count": 10, "calls_max": 64},
    "cases": [{"id": "0123456789abcdef-2", "requirements": ["AWS-BA-001", "AWS-BA-I01"], "params": {}, "steps": [],
               "admissible": [[{"status": "retry", "delay_ms": "7/2"},
                               {"retry": True, "delay_ms": {"from": "0", "to": "9", "step": "3", "or": "10"}},
                               {"action": {"any": ["a", "b"]}, "options": {"a": {"low": "0", "high": "1/2"}}},
                               {"result": {"not": "0"}, "options": None}]],
               "expected": [{"canonical": True, "readings": [{"upper-bound": ["inclusive"]}, {}], "picks": [0]}]}],
    "end": {"count": 1, "sha256": "0" * 64}}
VECTOR_RESULTS = {"header": {"header": VECTORS["header"]}, "end": {"end": {"count": 1, "crc32": "0123abcd"}},
                  "result": {"id": "0123456789abcdef", "steps": [{"status": "ok"}]}}
GONE = object()
# A schema (and definition); a document that it admits; where the document is changed, and to what, so that it does not.
REFUSED: list[tuple[tuple[str, ...], Any, Any, Any]] = [
    (("history",), HISTORY, ["system"], ["nope", 5, GONE]),
    (("systems",), HISTORY, ["system"], ["nope", 5]),
    (("history",), HISTORY, ["cases"], [[], {}, None, [CASE] * 10_001, GONE]),
    (("history",), HISTORY, ["comment"], ["additional"]),
    (("history",), HISTORY, ["cases", 0, "comment"], ["additional"]),
    (("history",), HISTORY, ["cases", 0, "params", "base_ms"],
     [2, "", "-1", "02", "+2", "2.0", "4294967296", "9" * 400, "forever", GONE]),
    (("history",), HISTORY, ["cases", 0, "params", "extra"], ["1"]),
    (("history",), HISTORY, ["cases", 0, "steps", 0],
     ["next", {}, {"op": "frob"}, {"op": "next", "extra": "1"}, {"op": "reset", "draw": "1"},
      {"op": "reset", "on": 1}, {"op": "reset", "on": "3"}]),
    (("history",), HISTORY, ["cases", 0, "steps", 0, "draw"],
     [7, None, "4294967296", {**UNIT, "den": "3"}, {**UNIT, "value": "1.0"}, {"num": "1"}]),
    (("request",), RUN, ["cmd"], ["frob", None, GONE]),
    (("request",), RUN, ["id"], ["1", -1, 0.5, GONE]),
    (("request",), RUN, ["cases"], [[], None, [{}], GONE]),
    (("request",), {"cmd": "start", "protocol": 1, "system": SYSTEM}, ["protocol"], [2, "1", GONE]),
    (("request",), {"cmd": "start", "protocol": 1, "system": SYSTEM}, ["system"], ["", "A b", 5, GONE]),
    (("start-reply",), START_REPLY, ["protocol"], [2, "1", GONE]),
    (("start-reply",), START_REPLY, ["error"], [5]),
    (("start-reply",), START_REPLY, ["port"], ["name", {"name": 5}]),
    (("start-reply",), START_REPLY, ["systems"], [[], SYSTEM, [5]]),
    (("start-reply",), START_REPLY, ["draws"], ["sometimes", True]),
    (("start-reply",), START_REPLY, ["draw_kind"], ["dice", None]),
    (("start-reply",), START_REPLY, ["rand_max"], [0, "-1", 0.5, None, GONE]),
    (("start-reply",), START_REPLY, ["max_batch"], [0, "0", 1.5, None]),
    (("start-reply",), START_REPLY, ["ranges"], [[], {"base_ms": 1}]),
    (("start-reply",), START_REPLY, ["ranges", "base_ms"], [["1"], ["1", "x"], [[1, 2]], {}, {"forever": "no"}, None]),
    (("start-reply",), {"error": "no"}, ["error"], [5, GONE]),
    (("run-reply",), RUN_REPLY, ["id"], ["1", -1, GONE]),
    (("run-reply",), RUN_REPLY, ["results"], [[], {}, None, GONE]),
    (("run-reply",), RUN_REPLY, ["results", 0], [{}, [], {"steps": [], "rejected": "both"}, {"steps": ["ok"]}]),
    (("run-reply",), RUN_REPLY, ["results", 1, "rejected"], [5, None]),
    (("run-reply",), RUN_REPLY, ["error"], [5]),
    (ANSWER, RETRY, ["status"], ["perhaps", 5, GONE]),
    (ANSWER, RETRY, ["delay_ms"], ["soon", "", "04", "4.", {"ms": 4}, True, GONE]),
    (ANSWER, {"status": "error", "why": "x"}, ["why"], [5]),
    (("history",), SAMPLE, ["cases", 0, "params", "max_retries"], [2, "-1", "2147483648", "02", "forever", GONE]),
    (("history",), SAMPLE, ["cases", 0, "params", "max_attempts"], ["1"]),
    (("history",), SAMPLE, ["cases", 0, "steps", 0, "http_status"], [429, "-1", "600", "0429", "ok", GONE]),
    (("history",), SAMPLE, ["cases", 0, "steps", 0, "op"], ["next", GONE]),
    (("history",), SAMPLE, ["cases", 0, "steps", 0, "draw"], ["1"]),
    (SAMPLE_ANSWER, {"delay_ms": "0", "retry": True}, ["retry"], ["true", 1, None, GONE]),
    (SAMPLE_ANSWER, {"delay_ms": "0", "retry": True}, ["delay_ms"], ["soon", True, GONE]),
    (SAMPLE_ANSWER, {"delay_ms": "0", "retry": True}, ["status"], ["retry", 5]),
    (("history",), STEPS, ["cases", 0, "params", "interval_s"], [3, "-3", "0.5", "4294967296", GONE]),
    (("history",), STEPS, ["cases", 0, "params", "backoff_rate"],
     [1.5, "0.5", "0", "-1.5", "1.50", "1.", "01.5", "1.0005", "15e-1", "3/2", "NaN", "12345678", GONE]),
    (("history",), STEPS, ["cases", 0, "params", "max_attempts"], [3, "-1", "3.0", "forever", GONE]),
    (("history",), STEPS, ["cases", 0, "steps", 0, "op"], ["reset", GONE]),
    (("history",), STEPS, ["cases", 0, "steps", 0, "draw"], ["1"]),
    (STEPS_ANSWER, {"status": "retry", "delay_s": 6.75}, ["status"], ["ok", 5, GONE]),
    (STEPS_ANSWER, {"status": "retry", "delay_s": "6.75"}, ["delay_s"], ["soon", "", "6.", {"s": 6}, True, GONE]),
    (("history",), POLICY, ["cases", 0, "params", "policy"], ["EXPONENTIAL", "no_retry", "custom", 0, GONE]),
    (("history",), POLICY, ["cases", 0, "params", "c_ms"], [100, "-1", "0.5", "4294967296"]),
    (("history",), POLICY, ["cases", 0, "params", "jd"], [0.5, "-0.5", "1.5", "0.50", "0.0", "1.0", "0.0005", ".5", "5e-1"]),
    (("history",), POLICY, ["cases", 0, "steps", 0, "retry_count"], [1, "-1", "2147483648", "01", GONE]),
    (("history",), POLICY, ["cases", 0, "steps", 0, "retryable"], ["true", 1, GONE]),
    (("history",), POLICY, ["cases", 0, "steps", 0, "error"], ["protocol"]),
    (("history",), POLICY, ["cases", 1, "params", "cmin_ms"], ["100"]),
    (("history",), POLICY, ["cases", 1, "steps", 0, "error"], ["fatal", True, GONE]),
    (("history",), POLICY, ["cases", 1, "steps", 0, "elapsed_ms"], [5, "-5"]),
    (("history",), POLICY, ["cases", 0, "steps", 0, "custom_retry"], [True]),
    (("history",), POLICY, ["cases", 1, "steps", 0, "custom_retry"], ["false", GONE]),
    (("history",), POLICY, ["cases", 1, "steps", 0, "custom_delay_ms"], [7, GONE]),
    (POLICY_ANSWER, {"retry": True, "delay_ms": 162.5, "consulted": True}, ["retry"], ["true", 1, GONE]),
    (POLICY_ANSWER, {"retry": True, "delay_ms": "162.5"}, ["delay_ms"], ["soon", True, GONE]),
    (POLICY_ANSWER, {"retry": False, "consulted": False}, ["consulted"], ["no", 0]),
    (POLICY_ANSWER, {"retry": False}, ["retry"], [True]),
    (("history",), CONTROL, ["cases", 0, "params", "policy"], ["RANDOM"]),
    (("history",), CONTROL, ["cases", 0, "steps", 0, "policy"], ["random", GONE]),
    (("history",), CONTROL, ["cases", 0, "steps", 0, "fail"], [[], ["malloc", "malloc"], ["free"], "malloc"]),
    (("history",), CONTROL, ["cases", 0, "steps", 1, "clock"], [[], "1", ["9223372036854775808"], ["-0"], ["1"] * 4, GONE]),
    (("history",), CONTROL, ["cases", 0, "steps", 1, "draws"], ["7", [], ["7", "7"]]),
    (("history",), CONTROL, ["cases", 0, "steps", 2, "value"], [5, {}, {"max_jitter_percent": 5}, {"live": "1"}, GONE]),
    (("history",), CONTROL, ["cases", 0, "steps", 3, "start"], ["-9223372036854775809", GONE]),
    (("history",), CONTROL, ["cases", 0, "steps", 3, "clock"], [["1"] * 3]),
    (CONTROL_ANSWER, {"result": "0", "action": "STOP_RETRYING"}, ["action"], ["STOP", None]),
    (CONTROL_ANSWER, {"result": "0", "timed_out": True}, ["result"], ["ok", GONE]),
    (CONTROL_ANSWER, {"status": "ok", "live": "0"}, ["status"], ["answered", "rejected", GONE]),
    (CONTROL_ANSWER, {"options": SAVED}, ["options"], [{}, "5", {"max_jitter_percent": "5"}, GONE]),
    (UTILS_ANSWER, {"status": "ok", "attempts_done": 1, "next_jitter_max": 2}, ["next_jitter_max"], ["x", GONE]),
    (UTILS_ANSWER, {"status": "retry", "slept_s": "1"}, ["slept_s"], ["soon", GONE]),
    *((("results",), RESULTS[kind], path, values) for kind, path, values in [
        ("header", ["results"], [2, "1", GONE]), ("header", ["tool"], ["other", GONE]), ("header", ["version"], ["", 1, GONE]),
        ("header", ["system"], ["", "A b", GONE]), ("header", ["document"], [1.3, GONE]), ("header", ["port"], ["x", {}, GONE]),
        ("header", ["command"], [[], "x", GONE]), ("header", ["seed"], [-1, "1", GONE]), ("header", ["cases"], [0, "9", GONE]),
        ("header", ["shard"], [[1], [0, 1], [1, 1001], "1/2", GONE]), ("header", ["options", "strict"], ["yes", GONE]),
        ("header", ["options", "document_only"], ["yes", 1]),
        ("header", ["options", "alpha"], [0, 1, GONE]), ("header", ["options", "extra"], [1]), ("header", ["known_failing"], ["x", ["x"]]),
        ("header", ["known_failing", "lines"], ["x", [1], GONE]), ("header", ["known_failing", "file"], ["", GONE]),
        ("header", ["extra"], [1]), ("probes", ["probes"], ["a", [1], GONE]), ("answers", ["from"], [-1, "0", GONE]),
        ("answers", ["answers"], [[], [1], ["A"], ["1.5"], ["a, "], ["a,1x"], ["ax-1"], ["a"] * 257, GONE]),
        ("answers", ["answers", 1, "is"], ["lost", GONE]), ("answers", ["answers", 1, "why"], [5]),
        ("answers", ["answers", 1, "extra"], [5]),
        ("two_processes", ["two_processes", "one"], ["a", GONE]), ("compared", ["compared"], [[], {}, GONE]),
        ("compared", ["compared", 0, "claim"], ["", "A", GONE]), ("compared", ["compared", 0, "same"], ["yes", GONE]),
        ("compared", ["compared", 0, "seen", "index"], [-1, GONE]), ("compared", ["compared", 0, "seen", "extra"], [1]),
        ("compared", ["compared", 0, "extra"], [1]), ("finding", ["finding", "claim"], ["", "A", GONE]),
        ("finding", ["finding", "how"], ["alone", GONE]), ("finding", ["finding", "histories"], [[], GONE]),
        ("finding", ["finding", "again"], [{"tries": 32}, {"broke": -1, "tries": 32}]),
        ("finding", ["finding", "histories", 0, "history"], ["", "x", GONE]), ("finding", ["finding", "explained_by"], ["ff", GONE]),
        ("outside", ["outside", "tried"], [-1, "x", GONE]), ("outside", ["outside", "regions"], ["x", [1], GONE]),
        ("outside", ["outside", "extra"], [1]),
        ("broke", ["broke", "what"], ["", GONE]), ("broke", ["broke", "history"], ["x"]), ("footer", ["ended"], ["maybe", GONE]),
        ("footer", ["histories"], [-1, GONE]), ("footer", ["plan"], ["0", GONE]), ("footer", ["sha256"], ["0", "G" * 64, GONE]),
        ("footer", ["state", "survivors"], [{}, [{"x": []}], GONE]), ("footer", ["state", "grade"], ["best", GONE]),
        ("footer", ["state", "draws", "tested"], [-1, GONE]), ("footer", ["state", "extra"], [1])]),
    *((("watched",), WATCHED, path, values) for path, values in [
        (["watched"], [2, GONE]), (["system"], ["", "A b", GONE]), (["parameters"], ["x", [1], GONE]), (["command"], [[], "x", GONE]),
        (["retry_after_s"], [-1, "1", GONE]), (["faster"], [0, "1", GONE]), (["known_failing", "lines"], ["x", GONE]),
        (["runs"], [-1, GONE]),
        (["cycles", 0, "waits"], [[[1]], [["1", 2]], GONE]), (["cycles", 0, "gave_up"], [True, [1], GONE]),
        (["cycles", 0, "open"], ["1", GONE]),
        (["slack"], [[[1]], GONE]), (["hung"], [1, GONE]), (["extra"], [1])]),
    *((("vectors",), VECTORS, path, values) for path, values in [
        (["header"], ["x", {}, GONE]), (["header", "vectors"], [2, GONE]), (["header", "takes"], [{}, GONE]),
        (["header", "count"], [0, "1", GONE]), (["header", "calls_max"], [0, GONE]), (["header", "extra"], [1]),
        (["cases"], [[], GONE]), (["cases", 0, "id"], ["0123", "0123456789ABCDEF", GONE]),
        (["cases", 0, "requirements"], [["x"], GONE]), (["cases", 0, "steps"], [{}, GONE]), (["cases", 0, "extra"], [1]),
        (["cases", 0, "admissible"], [[[]], [{}], GONE]), (["cases", 0, "admissible", 0, 0, "delay_ms"], [7, ["7"], {}]),
        (["cases", 0, "admissible", 0, 1, "delay_ms"], [{"from": "0"}, {"from": 0, "to": 1}, {"from": "0.5", "to": "1"}]),
        (["cases", 0, "admissible", 0, 2, "action"], [{"any": ["a"]}, {"any": "a"}, {"any": ["a", "b"], "low": "1"}]),
        (["cases", 0, "admissible", 0, 3, "result"], [{"not": "1"}, {"not": 0}]),
        (["cases", 0, "expected"], [[], GONE]), (["cases", 0, "expected", 0, "readings"], [[], {}, [{"x": []}], GONE]),
        (["cases", 0, "expected", 0, "picks"], [[-1], ["0"], GONE]), (["cases", 0, "expected", 0, "canonical"], [1, GONE]),
        (["end"], [{}, GONE]), (["end", "sha256"], ["0", GONE]), (["end", "count"], [0, GONE])]),
    *((("vectors",), VECTOR_RESULTS[kind], path, values) for kind, path, values in [
        ("header", ["header"], [{}, GONE]), ("header", ["extra"], [1]), ("end", ["end", "crc32"], ["0", "0123ABCD", 5, GONE]),
        ("end", ["end", "count"], [0, "1", GONE]), ("result", ["id"], ["", 5, GONE]), ("result", ["rejected"], ["both"])]),
]


class Refusals(unittest.TestCase):
    def refuse(self, name: tuple[str, ...], document: Any, path: Sequence[Any], wrong_values: Sequence[Any]) -> None:
        broken = validator(*name)
        self.assertEqual([error.message[:300] for error in broken.iter_errors(document)], [])
        for value in wrong_values:
            with self.subTest(f"{'/'.join(name)} {path} {'gone' if value is GONE else str(value)[:60]}"):
                changed = copy.deepcopy(document)
                parent = changed
                for step in path[:-1]:
                    parent = parent[step]
                if value is GONE:
                    del parent[path[-1]]
                else:
                    parent[path[-1]] = value
                self.assertFalse(broken.is_valid(changed))

    def test_broken_documents_are_refused(self) -> None:
        for row in REFUSED:
            self.refuse(*row)

    def test_broken_certificates_are_refused(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "certificate"
            check(built_in("cap-ignored"), "--certificate", str(path), cases=20)
            certificate = json.loads(path.read_text())
        rows: list[tuple[list[Any], list[Any]]] = [
            (["certificate"], [2, "1", GONE]), (["verdict"], ["fine", GONE]), (["exit"], [4, "1", GONE]), (["sha256"], ["0", GONE]),
            (["options", "claims"], ["all", [1], GONE]), (["options", "alpha"], [0, 1, GONE]), (["mapping"], ["modulo", GONE]),
            (["admitted", 0, "upper-bound"], [[], "inclusive"]), (["claims", "no_call_fails", "strength"], ["may", GONE]),
            (["held", "of"], [-1, GONE]), (["refuted", 0, "step"], [-1, "0", GONE]), (["findings", 0, "shown"], ["found", GONE]),
            (["findings", 0, "set"], [[], GONE]), (["histories", 0, "case"], [{}, GONE]), (["histories", 0, "result"], [{}, GONE])]
        for member, values in rows:
            self.refuse(("certificate",), certificate, member, values)

    def test_each_schema_is_seen_to_fail(self) -> None:
        seen = {name[0] for name, *_ in REFUSED} | {"certificate"}
        self.assertEqual({name for name in SCHEMAS if not name.startswith("systems/")} - seen, set())

    def test_additional_fields_are_allowed_in_messages(self) -> None:
        for name, document in (("request", RUN), ("start-reply", START_REPLY), ("run-reply", RUN_REPLY)):
            self.assertTrue(validator(name).is_valid({**document, "comment": [1]}), name)
        self.assertTrue(validator(*ANSWER).is_valid({**RETRY, "comment": 1}))
        self.assertTrue(validator("request").is_valid({**RUN, "cases": [{**CASE, "comment": 1}]}))


if __name__ == "__main__":
    running.main(__doc__)
