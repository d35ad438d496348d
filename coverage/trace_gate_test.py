#!/usr/bin/python3
"""Shows that trace_gate is right: about a small page of which everything is checked, and about each thing left loose.

The tests are programs that record what this test wants.
"""
import json
import pathlib
import subprocess
import tempfile
import unittest
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = """#!/usr/bin/python3
import json, pathlib, sys
tests, status = json.loads(pathlib.Path(sys.argv[0] + ".says").read_text())
path = next(word for word in sys.argv if word.startswith("--gtest_output=json:")).removeprefix("--gtest_output=json:")
suites = [{"name": name.partition(".")[0], "testsuite": [{"name": name.partition(".")[2], "result": "COMPLETED", **records}]}
          for name, records in tests.items()]
pathlib.Path(path).write_text(json.dumps({"testsuites": suites}))
sys.exit(status)
"""
PAGE = """document: {name: Waits, title: Waits, publisher: Nobody, version: 1}
formula: delay_ms = wait_ms
features: []
parameters: {}
calls: {}
answers: {status: {words: [error]}}
requirements:
  T-1: {place: page 1, must: x, formula: x}
  T-2: {place: page 1, must: x, formula: x}
  T-3: {place: page 1, must: x, formula: x, unchecked: advice}
readings:
  where-from:
    asks: From 0?
    rests on: [T-2]
    told apart by: base=1/next
    alternatives: {zero: {canonical: x}, one: {open: x}}
  evenness:
    asks: Even?
    rests on: [T-1]
    alternatives: {even: {canonical: x}, any: {hazard: x}}
claims:
  is_even: {says: x, by: [T-1], draws: uniform}
"""


class Trace(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.page = PAGE
        self.specs: dict[str, Any] = {"tiny.reading_where_from": {}, "tiny.waits": {"checks": "T-2"}, "kernels.double": {}}
        self.faults = {"built_in.each_fault_breaks_claims": {"breaks": "other.is_even tiny.is_even"}}
        self.status = 0

    def gate(self) -> tuple[int, str]:
        (self.folder / "tiny").mkdir(exist_ok=True)
        (self.folder / "tiny/system.yaml").write_text(self.page)
        for name, tests in (("spec_tests", self.specs), ("judge_tests", self.faults)):
            (self.folder / name).write_text(PROGRAM)
            (self.folder / name).chmod(0o755)
            (self.folder / f"{name}.says").write_text(json.dumps([tests, self.status]))
        return self.run_again()

    def run_again(self) -> tuple[int, str]:
        done = subprocess.run([HERE / "trace_gate", "--bin", self.folder, "--pages", self.folder], capture_output=True, text=True,
                              check=False)
        return done.returncode, done.stdout + done.stderr

    def breach(self, expected: str) -> None:
        code, said = self.gate()
        self.assertEqual((code, said.splitlines()[:-1]), (1, [expected]), said)

    def test_all_traced(self) -> None:
        self.assertEqual(self.gate(), (0, "trace gate: 3 requirements, 1 claims, 2 readings, 3 specifications, 0 problems\n"))

    def test_requirement_that_nothing_names(self) -> None:
        self.specs["tiny.waits"] = {}
        self.breach("tiny: T-2 is checked by nothing")

    def test_requirement_that_only_a_skipped_example_names(self) -> None:
        self.specs["tiny.waits"]["result"] = "SKIPPED"
        self.breach("tiny: T-2 is checked by nothing")

    def test_unchecked_requirement_that_is_checked(self) -> None:
        self.specs["tiny.waits"]["checks"] += " T-3"
        self.breach("tiny: T-3 is unchecked, says the page, but checked")

    def test_claim_that_no_test_names(self) -> None:
        self.faults["built_in.each_fault_breaks_claims"]["breaks"] = "other.is_even tiny.is_even_too"
        self.breach("tiny: claim is_even breaks for no wrong port")

    def test_reading_without_a_test(self) -> None:
        del self.specs["tiny.reading_where_from"]
        self.breach("tiny: reading where-from has no test")

    def test_statistics_that_no_claim_makes(self) -> None:
        self.page = PAGE.replace("rests on: [T-1]", "rests on: [T-2]")
        self.breach("tiny: reading evenness has no test")

    def test_specification_that_names_no_requirement(self) -> None:
        self.specs["kernels.double"] = {"checks": "T-9"}
        self.breach("kernels.double names T-9, which no page has")

    def test_nothing_to_compare(self) -> None:
        self.page = "document: {}\n"
        self.assertEqual(self.gate()[0], 2)
        self.page, self.status = PAGE, 1
        code, said = self.gate()
        self.assertEqual((code, "spec_tests: exit 1" in said), (2, True), said)
        for absent in ("spec_tests", "tiny/system.yaml"):
            (self.folder / absent).unlink()
            code, said = self.run_again()
            self.assertEqual(code, 2, said)


if __name__ == "__main__":
    unittest.main()
