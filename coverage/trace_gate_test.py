#!/usr/bin/python3
"""Shows that trace_gate is right: about a small world in which everything is traced, and about each thing left loose.

The world has one system; the oracle and the specs are programs that say what the test wants them to say.
"""
import copy
import json
import pathlib
import subprocess
import tempfile
import unittest
from typing import Any

import witness_file

HERE = pathlib.Path(__file__).resolve().parent
SAYS = """#!/usr/bin/python3
import json, pathlib, sys
words = sys.argv[1:]
world = json.loads((pathlib.Path(__file__).parent / "world").read_text())
"""
ORACLE = SAYS + """
if words[0] == "list":
    print(json.dumps(world["list"]))
elif words[0] == "explain":
    print(world["pages"][words[1]], end="")
else:
    print(world["answers"][" ".join(words)], end="")
"""
SPECS = SAYS + """
listing = "--gtest_list_tests" in words
path = next(word for word in words if word.startswith("--gtest_output")).removeprefix("--gtest_output=json:")
suites = []
for file, suite, name, properties in world["specs"]:
    test = {"name": name, "file": file} if listing else {"name": name, "status": "RUN", "result": "COMPLETED", **properties}
    suites.append({"name": suite, "testsuite": [test]})
pathlib.Path(path).write_text(json.dumps({"testsuites": suites}))
sys.exit(world["specs_end_with"])
"""
PROOFS = SAYS + """
assert "--gtest_filter=theorem.*" in words
path = next(word for word in words if word.startswith("--gtest_output")).removeprefix("--gtest_output=json:")
tests = [{"name": name, "theorem": name, "result": "COMPLETED", **properties} for name, properties in world["proved"]]
pathlib.Path(path).write_text(json.dumps({"testsuites": [{"name": "theorem", "testsuite": tests}]}))
sys.exit(any("failures" in test for test in tests))
"""
JUDGE = SAYS + """
assert "--gtest_filter=built_in.each_*_breaks_claims" in words
path = next(word for word in words if word.startswith("--gtest_output")).removeprefix("--gtest_output=json:")
tests = [{"name": "each_fault_breaks_claims", "breaks": world["breaks"], **world.get("recording", {})}, {"name": "another"}]
pathlib.Path(path).write_text(json.dumps({"testsuites": [{"name": "built_in", "testsuite": tests}]}))
"""
LIBRARY = """#pragma once
// The longest wait. T-1; not of it: A-1, T1.
inline constexpr int longest = 8;

// A wait, in [0, longest]. Never late. T-1, T-2.
template <class N>
  requires (sizeof(N) > 1)
inline constexpr N
wait(N n) noexcept {
  return n < longest ? n : longest;
}

// One cycle. T-2.
template <class N>
struct cycle {
  int n;  // from 0. T-1 to T-2

  N next() {
    // T-2
    return n++;
  }
};
"""
FILE = "../spec/tiny/more_test.cpp"
FAULT = "lib/include/tiny.hpp | return n < longest ? n : longest; | n < longest -> n <= longest"
TOKEN = "tiny/base=1,max=2/next:1@3"
EVAL = "eval tiny base=1 max=2 steps=next:1@3"


def requirement(name: str, **more: str) -> dict[str, str | list[str]]:
    return {"id": name, "place": "page 1", "strength": "must", "text": "x", "readings": ["origin"], **more}


def page_of(catalogue: dict[str, Any]) -> dict[str, Any]:
    """The page of the system that the tests make up."""
    def reading(of: dict[str, Any]) -> dict[str, Any]:
        told = {} if of["told_apart_by"] == "statistics" else {"told apart by": of["told_apart_by"].removeprefix("tiny/")}
        named = [each["id"] for each in catalogue["requirements"] if of["name"] in each["readings"]]
        alternatives = {each["name"]: {each["standing"]: "x"} for each in of["alternatives"]}
        return {"asks": "x", "rests on": named, **told, "alternatives": alternatives}

    return {"document": dict.fromkeys(("name", "title", "publisher", "version"), "x"), "formula": "x", "features": [],
            "parameters": {}, "calls": {},
            "answers": {"status": {"words": ["error"]}}, "claims": {},
            "requirements": {each["id"]: {key: value for key, value in (*each.items(), ("must", each["text"]), ("formula", "x"))
                                          if key in ("place", "must", "formula", "unchecked")} for each in catalogue["requirements"]},
            "readings": {each["name"]: reading(each) for each in catalogue["readings"]}}


# What GoogleTest writes of a test that fails, is skipped, or is not run.
NOT_PASSED: list[dict[str, Any]] = [{"failures": [{}]}, {"result": "SKIPPED"}, {"status": "NOTRUN", "result": "SUPPRESSED"}]
WORLD: dict[str, Any] = {
    "catalogue": {
        "system": "tiny",
        "requirements": [requirement("T-1"), requirement("T-2"), requirement("T-3", unchecked="advice <b>")],
        "readings": [
            {"name": "origin", "told_apart_by": TOKEN,
             "alternatives": [{"name": "zero", "standing": "canonical"}, {"name": "one", "standing": "open"},
                              {"name": "two", "standing": "hazard"}]},
            {"name": "evenness", "told_apart_by": "statistics",
             "alternatives": [{"name": "even", "standing": "canonical"}, {"name": "any", "standing": "hazard"}]}]},
    "list": {"systems": [{"name": "tiny", "claims": ["never_late"],
                          "theorems": [{"name": "late_is_late", "requirements": ["T-1"]}],
                          "requirements": [{"id": "T-1", "checks": ["never_late", "T_1.holds"]},
                                           {"id": "T-2", "checks": ["wide.holds"]}, {"id": "T-3", "checks": []}]}]},
    "pages": {"never_late": "never_late (must), claim about other\n\n  late\n\n  requirements  X-9\n\n"
                            "never_late (must), claim about tiny\n\n  not late\n\n  requirements  T-1\n"},
    "answers": {EVAL: "canonical            1, 1\norigin=one           1, 2\norigin=two (hazard)  not judged\n"},
    "specs_end_with": 0,
    "proved": [["late_is_late", {}]],
    "breaks": "tiny/too-late=never_late@T-2;other/too-late=never_late@T-2;tiny/silent=speaks,never_late@T-1;",
    "witnesses": {"tiny": {"violated": {"T-1": ["silent"]}}},
    "spec_witnesses": {"tiny": {"T_1.holds": {"T-1": FAULT}, "wide.holds": {"T-2": FAULT}}},
    "specs": [["../spec/tiny/requirements_test.cpp", "T_1", "holds", {"checks": "T-1"}],
              [FILE, "wide/0", "holds", {"checks": "T-2"}],
              [FILE, "wide/1", "holds", {"checks": "T-2"}],
              ["../spec/tests/kernels_test.cpp", "kernels", "double", {}]]}


class Trace(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.world = copy.deepcopy(WORLD)
        self.requirements = self.world["catalogue"]["requirements"]
        self.listed = self.world["list"]["systems"][0]
        self.origin = self.world["catalogue"]["readings"][0]
        self.library = LIBRARY

    def gate(self, *options: str | pathlib.Path) -> tuple[int, str]:
        (self.folder / "pages/tiny").mkdir(parents=True, exist_ok=True)
        (self.folder / "lib/include").mkdir(parents=True, exist_ok=True)
        (self.folder / "lib/include/tiny.hpp").write_text(self.library)
        (self.folder / "world").write_text(json.dumps(self.world))
        (self.folder / "witnesses.json").write_text(json.dumps(self.world["witnesses"]))
        (self.folder / "spec_witnesses.txt").write_text(witness_file.text(self.world["spec_witnesses"]))
        (self.folder / "pages/tiny/system.yaml").write_text(json.dumps(page_of(self.world["catalogue"])))
        for name, text in (("backoff-oracle", ORACLE), ("spec_tests", SPECS), ("proof_tests", PROOFS), ("judge_tests", JUDGE)):
            (self.folder / name).write_text(text)
            (self.folder / name).chmod(0o755)
        done = subprocess.run([HERE / "trace_gate", "--bin", self.folder, "--pages", self.folder / "pages",
                               "--witnesses", self.folder / "witnesses.json",
                               "--spec-witnesses", self.folder / "spec_witnesses.txt", "--library", self.folder / "lib", *options],
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def names(self, *breaches: str, options: tuple[str | pathlib.Path, ...] = ()) -> None:
        """The gate fails and says exactly that."""
        code, said = self.gate(*options)
        self.assertEqual(said.splitlines()[:-1], list(breaches))
        self.assertRegex(said.splitlines()[-1], rf"^trace gate: .* {len(breaches)} problems$")
        self.assertEqual(code, 1)

    def test_all_traced(self) -> None:
        self.assertEqual(self.gate(), (0, "trace gate: 3 requirements, 1 claims, 2 specs, 2 readings, 1 theorems, 1 claims and 2 specs by "
                                       "requirement with a witness (0 specs excused), 1 of 1 requirements cited by a first finding, 1 of "
                                       "them quoted, 0 problems\n"))

    def test_a_check_that_no_violation_breaks(self) -> None:
        vacuous = "tiny: never_late names T-1, and breaks for no port that violates it"
        without: list[dict[str, Any]] = [{}, {"tiny": {}}]
        for witnesses in without:
            self.world["witnesses"] = witnesses
            self.names(vacuous)
        self.world["witnesses"] = {"tiny": {"violated": {"T-1": ["silent"]}}}
        self.world["breaks"] = "tiny/silent=speaks@T-1;other/silent=never_late@T-1;"
        self.names(vacuous)

    def test_a_requirement_that_no_first_finding_cites(self) -> None:
        few = "the first finding cites 0 of 1 requirements: expected 95% at least"
        self.world["breaks"] = "tiny/silent=never_late@T-2;"
        self.names("tiny: T-1 is cited by the first finding of no port that violates it", few)
        self.world["witnesses"]["tiny"]["told_under"] = {"T-1": "T-2 says the same"}
        self.names(few)
        self.world["breaks"] = "tiny/silent=never_late@T-1;"
        self.names("tiny: T-1 is told under another one, says `told_under`, but a first finding cites it")
        self.world["witnesses"]["tiny"]["told_under"] = {"T-2": "it has none"}
        self.names("tiny: `told_under` has T-2, which has no witness")

    def test_a_spec_that_no_fault_breaks(self) -> None:
        specs, excuses = self.world["spec_witnesses"]["tiny"], self.world["witnesses"]["tiny"]
        del specs["wide.holds"]
        self.names("tiny: wide.holds names T-2, and notices no fault that is recorded")
        excuses["unnoticed"] = {"wide.holds": {"T-2": "its numbers are read by hand"}}
        self.assertIn("(1 specs excused), 1 of 1 requirements cited by a first finding, 1 of them quoted, 0 problems", self.gate()[1])
        specs["wide.holds"] = {"T-2": FAULT}
        self.names(f"tiny: wide.holds is excused for T-2, but notices {FAULT}")

    def test_a_fault_that_can_no_longer_be_made(self) -> None:
        specs = self.world["spec_witnesses"]["tiny"]
        for gone in (FAULT.replace("return n", "return m"), FAULT.replace("tiny.hpp", "gone.hpp")):
            specs["T_1.holds"]["T-1"] = gone
            self.names(f"tiny: T_1.holds is recorded for T-1 by a fault that can no longer be made: {gone}")

    def test_record_of_another_form(self) -> None:
        line = f"tiny | T_1.holds | T-1 T-2 | {FAULT}"
        self.assertEqual(witness_file.read(f"# comment\n\n{line}\n"), {"tiny": {"T_1.holds": {"T-1": FAULT, "T-2": FAULT}}})
        for text, naming in ((f"{line}\n{line}\n", "line 2: T_1.holds has a fault for T-1 already"),
                             (line.rpartition(" -> ")[0], "line 1: expected STEM"), ("tiny | T_1.holds", "line 1: expected STEM")):
            with self.assertRaisesRegex(ValueError, naming):
                witness_file.read(text)
        self.assertEqual(self.gate()[0], 0)
        record = self.folder / "more.txt"
        record.write_text("tiny\n")
        code, said = self.gate("--spec-witnesses", record)
        self.assertEqual(code, 2, said)
        self.assertIn(f"trace gate: {record}: line 1: expected STEM | SPEC | REQUIREMENT… | path", said)

    def test_records_of_what_no_spec_names(self) -> None:
        self.world["spec_witnesses"]["tiny"] |= {"gone.away": {"T-1": FAULT}}
        self.world["witnesses"]["tiny"]["unnoticed"] = {"T_1.holds": {"T-2": "why"}}
        self.names("tiny: gone.away is recorded for T-1, which it does not name",
                   "tiny: T_1.holds is excused for T-2, which it does not name")

    def test_witnesses_that_there_are_not(self) -> None:
        self.world["witnesses"]["tiny"]["violated"] = {"T-1": ["silent", "loud"], "T-9": []}
        self.names("tiny: the witnesses of T-1 name loud, which is no wrong port", "tiny: there are witnesses of T-9, which no claim names")

    def test_no_wrong_port_ran(self) -> None:
        self.world["breaks"] = ""
        code, said = self.gate()
        self.assertEqual(code, 2, said)
        self.assertIn("records of no wrong port what it breaks", said)

    def test_what_breaks_is_recorded_by_a_test_that_fails(self) -> None:
        self.world["recording"] = {"failures": [{}]}
        code, said = self.gate()
        self.assertEqual(code, 2, said)
        self.assertIn("each_fault_breaks_claims failed", said)

    def test_matrix(self) -> None:
        self.assertEqual(self.gate("--matrix", self.folder / "out" / "trace")[0], 0)
        first, second, third = json.loads((self.folder / "out" / "trace" / "matrix.json").read_text())
        self.assertEqual(first, {"system": "tiny", "requirement": "T-1", "place": "page 1", "strength": "must", "text": "x",
                                 "readings": ["origin"], "claims": ["never_late"], "specs": ["T_1.holds"],
                                 "theorems": ["late_is_late"], "fuzz_target": "fuzz_tiny", "unchecked": None,
                                 "library": [self.place(3, "inline constexpr int longest = 8"), self.place(9, "wait"),
                                             self.place(16, "int n")]})
        self.assertEqual(second["library"], [self.place(9, "wait"), self.place(15, "cycle"), self.place(16, "int n"),
                                             self.place(18, "next")])
        self.assertEqual(third["library"], [])
        self.assertEqual((second["claims"], second["specs"], second["fuzz_target"]), ([], ["wide.holds"], None))
        self.assertEqual((third["specs"], third["unchecked"]), ([], "advice <b>"))
        page = (self.folder / "out" / "trace" / "matrix.html").read_text()
        for part in ("T-1", "never_late", "late_is_late", "not checked: advice &lt;b&gt;"):
            self.assertIn(part, page)
        self.assertNotIn("<b>", page)

    @staticmethod
    def place(line: int, name: str, branches: int | None = None, taken: int | None = None) -> dict[str, str | int | None]:
        return {"path": "lib/include/tiny.hpp", "line": line, "name": name, "branches": branches, "taken": taken}

    def measured(self, taken: int) -> tuple[str, pathlib.Path]:
        file = self.folder / "branches"
        file.write_text(json.dumps([self.place(9, "wait", 2, taken), self.place(99, "of no requirement", 4, 0)]))
        return ("--branches", file)

    def test_branches_are_shown_beside_the_functions(self) -> None:
        self.assertEqual(self.gate("--matrix", self.folder / "out", *self.measured(2))[0], 0)
        first = json.loads((self.folder / "out/matrix.json").read_text())[0]
        self.assertIn(self.place(9, "wait", 2, 2), first["library"])
        self.assertIn("<small>, 2 of 2 branches</small>", (self.folder / "out/matrix.html").read_text())

    def test_branches_that_were_not_taken(self) -> None:
        self.names("lib/include/tiny.hpp:9: wait has 2 branches, the specs took 1", options=self.measured(1))

    def test_requirement_that_the_library_does_not_name(self) -> None:
        self.library = LIBRARY.replace("T-1", "T-2")
        self.names("tiny: no comment in the library names T-1")

    def test_library_that_names_what_is_not_there(self) -> None:
        self.library = LIBRARY.replace("Never late. T-1", "Never late. T-1, T-7")
        self.names("lib/include/tiny.hpp:5: names T-7, which no page has")

    def test_requirement_that_nothing_checks(self) -> None:
        self.requirements.append(requirement("T-4"))
        self.library = LIBRARY.replace("T-1, T-2", "T-1, T-2, T-4")
        self.names("tiny: no claim and no spec checks T-4")

    def test_excuse_that_is_no_longer_needed(self) -> None:
        self.requirements[1]["unchecked"] = "too hard"
        self.names("tiny: T-2 is listed as unchecked, but wide.holds checks it")

    def test_claim_that_names_nothing(self) -> None:
        self.listed["claims"].append("idle")
        self.world["pages"]["idle"] = "idle (interface), claim about tiny\n\n  idle\n\n  requirements  \n"
        self.names("tiny: claim idle: names no requirement")

    def test_claim_that_names_what_is_not_there(self) -> None:
        self.world["pages"]["never_late"] = self.world["pages"]["never_late"].replace("T-1", "T-1, T-7")
        self.names("tiny: claim never_late: names T-7, which the page does not have")

    def test_spec_that_names_nothing(self) -> None:
        self.world["specs"].append([FILE, "idle", "runs", {}])
        self.names("tiny/more_test.cpp: idle.runs: names no requirement")

    def test_spec_that_names_what_is_not_there(self) -> None:
        self.world["specs"].append([FILE, "odd", "runs", {"checks": "T-7 T-8"}])
        self.names(*(f"tiny/more_test.cpp: odd.runs: names {name}, which the page does not have"
                     for name in ("T-7", "T-8")))

    def test_spec_that_did_not_pass_checks_nothing(self) -> None:
        for properties in NOT_PASSED:
            self.world["specs"][0][3] = {"checks": "T-1", **properties}
            self.world["specs_end_with"] = int("failures" in properties)
            self.names("tiny/requirements_test.cpp: T_1.holds did not pass",
                       "tiny: T-1 is not checked by T_1.holds, but the program says otherwise")

    def test_program_that_says_otherwise(self) -> None:
        self.listed["requirements"][0]["checks"] = ["never_late"]
        self.listed["requirements"][1]["checks"].append("gone.away")
        self.names("tiny: T-1 is checked by T_1.holds, but the program says otherwise",
                   "tiny: T-2 is not checked by gone.away, but the program says otherwise")

    def test_theorem_that_names_nothing_or_what_is_not_there(self) -> None:
        self.listed["theorems"][0]["requirements"] = []
        self.names("theorem late_is_late: names no requirement")
        self.listed["theorems"][0]["requirements"] = ["T-1", "T-7"]
        self.names("theorem late_is_late: names T-7, which the page does not have")

    def test_theorem_that_is_listed_or_proved_alone(self) -> None:
        self.world["proved"] = [["early_is_early", {}]]
        self.names("theorem late_is_late: listed, but nothing proves it",
                   "theorem early_is_early: proved, but listed under no system")

    def test_theorem_whose_proof_did_not_pass(self) -> None:
        for properties in NOT_PASSED[:2]:
            self.world["proved"] = [["late_is_late", properties]]
            self.names("theorem late_is_late: its proof did not pass")

    def test_alternatives_that_answer_alike(self) -> None:
        answers = self.world["answers"]
        answers[EVAL] = answers[EVAL].replace("1, 2", "1, 1")
        self.names(f"tiny: reading origin: {TOKEN} does not tell one from zero")
        answers[EVAL] = "canonical   1, 1\norigin=one  1, 2\nas canonical: else=x, origin=two (hazard)\n"
        self.names(f"tiny: reading origin: {TOKEN} does not tell two from zero")
        answers[EVAL] = "canonical            1, 1\norigin=one           1, 2\norigin=two (hazard)  1, 2\n"
        self.names(f"tiny: reading origin: {TOKEN} does not tell two from one")

    def test_alternative_that_is_never_run(self) -> None:
        self.world["answers"][EVAL] = "canonical   1, 1\norigin=one  1, 2\n"
        self.names(f"tiny: reading origin: two is not run on {TOKEN}")

    def test_unusable(self) -> None:
        def unusable(naming: str) -> None:
            code, said = self.gate()
            self.assertEqual(code, 2, said)
            self.assertIn(naming, said)

        (self.folder / "odd").write_text('[{"path": 1}]')
        code, said = self.gate("--branches", self.folder / "odd")
        self.assertEqual(code, 2, said)
        self.assertIn("odd: not what coverage_gate --json writes", said)
        self.listed["name"] = "other"
        unusable("the program does not know tiny")
        self.listed["name"] = "tiny"
        self.world["pages"]["never_late"] = "never_late (must), claim about other\n"
        unusable("no claim about tiny")
        del self.world["pages"]["never_late"]
        unusable("explain never_late: exit 1")
        self.world["specs_end_with"] = 3
        unusable("spec_tests")


if __name__ == "__main__":
    unittest.main()
