#!/usr/bin/python3
"""The forms of a report, and the files that it is written to.

    report_forms_test.py --bin build/release/bin
"""
import json
import pathlib
import re
import sys
import xml.etree.ElementTree
from collections.abc import Sequence
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "test_ports"))
sys.dont_write_bytecode = True
import broken  # noqa: E402
import running  # noqa: E402
import wrong  # noqa: E402
from results_test import ReportTest, port_from  # noqa: E402
from running import SYSTEM, Run, built_in, check, test_port  # noqa: E402


def junit_of(path: pathlib.Path) -> tuple[xml.etree.ElementTree.Element, xml.etree.ElementTree.Element]:
    suites = xml.etree.ElementTree.parse(path).getroot()
    suite = suites.find("testsuite")
    assert suite is not None
    return suites, suite


class Forms(ReportTest):
    def junit(self, port: Sequence[str], *options: str, **more: Any) -> tuple[Run, xml.etree.ElementTree.Element, dict[str, str]]:
        path = self.folder / "junit.xml"
        run = check(port, "--junit", str(path), *options, **more)
        suites, suite = junit_of(path)
        self.assertEqual((suites.tag, suites.get("name")), ("testsuites", "backoff-oracle"))
        cases = suite.findall("testcase")
        for element in (suites, suite):
            self.assertEqual([int(element.get(name, "")) for name in ("tests", "failures", "errors", "skipped")],
                             [len(cases), *(len(suite.findall(f"testcase/{tag}")) for tag in ("failure", "error", "skipped"))])
        for case in cases:
            self.assertEqual(set(case.keys()), {"classname", "name", "time"})
            self.assertLessEqual(len(case), 1)
            for child in case:
                allowed = {"failure": {"message", "type"}, "error": {"message", "type"}, "skipped": {"message"}, "system-out": set()}
                self.assertEqual(set(child.keys()), allowed[child.tag])
        return run, suite, {case.get("name", ""): (case[0].tag if len(case) else "passed") for case in cases}

    def test_junit_has_a_case_a_claim(self) -> None:
        for name, *options in (["library"], ["cap-ignored"], ["one-attempt-too-many"], ["one-attempt-too-many", "--document-only"]):
            with self.row(name, *options):
                run, suite, outcomes = self.junit(built_in(name), *options, cases=2000)
                self.assertEqual(set(outcomes) - {"run"},
                                 {claim for system in running.listed() if system["name"] == SYSTEM for claim in system["claims"]})
                for claim, (holds, _, strength) in run.claims().items():
                    expected = "passed" if holds else "system-out" if strength and options else "failure"
                    self.assertEqual(outcomes[claim], expected, claim)
                self.assertEqual("failure" in outcomes.values(), run.code == 1)
                self.assertEqual(outcomes["run"], "passed")
        failure = suite.find("testcase/system-out")
        assert failure is not None and failure.text is not None
        self.assertIn("smallest history", failure.text)

    def test_junit_says_what_was_not_tried_and_what_broke(self) -> None:
        _, _, outcomes = self.junit(built_in("library"), "--skip", "delay_*")
        self.assertEqual({name for name, outcome in outcomes.items() if name.startswith("delay_") and outcome != "skipped"}, set())
        for port, code in ((test_port(broken, "exits_1_at_once"), 3), (test_port(broken, "aborts_on_base_7"), 3),
                           (test_port(wrong, "opaque_beyond_the_cap"), 1), (["/nonexistent"], 3)):
            with self.row(port[-2:]):
                run, _, outcomes = self.junit(port)
                self.assertEqual(run.code, code)
                self.assertEqual(outcomes["run"] == "error", code == 3)

    def test_junit_and_a_known_failure(self) -> None:
        known = self.folder / "known"
        known.write_text("delay_never_exceeds_cap * # 1\njitter_survives_the_cap * # 1\ninstances_are_independent * # 1\n"
                         "no_call_fails * # 2\n")
        run, _, outcomes = self.junit(built_in("cap-ignored"), "--known-failing", str(known), cases=2000)
        self.assertEqual(run.code, 1)
        self.assertEqual((outcomes["delay_never_exceeds_cap"], outcomes["no_call_fails"]), ("skipped", "passed"))
        self.assertEqual(outcomes["known to fail: no_call_fails *"], "failure")

    def test_names_are_escaped(self) -> None:
        for name in ("named", "named_and_throws"):
            with self.row(name):
                _, suite, _ = self.junit(port_from(name), cases=100)
                self.assertIn('<script>alert("|")</script> `|` & *x*', suite.get("name", ""))
                page = check(port_from(name), "--format", "markdown", cases=100).out
                self.assertNotIn("<script>", page)
                self.assertNotIn("\x1b", page)
                for line in page.splitlines():
                    if line.startswith("|"):
                        self.assertEqual(len(re.findall(r"(?<!\\)\|", line)), 5, line)
                self.assertEqual(len(re.findall(r"^`{3,}", page, re.M)) % 2, 0)
                self.assertIsInstance(json.loads(check(port_from(name), "--format", "json", cases=100).out), dict)

    def test_markdown_says_what_the_verdict_says(self) -> None:
        for port, code in ((built_in("library"), 0), (built_in("cap-ignored"), 1), (test_port(broken, "aborts_on_base_7"), 3)):
            with self.row(port[-2]):
                human, page = check(port), check(port, "--format", "markdown")
                self.assertEqual((human.code, page.code), (code, code))
                self.assertIn(human.last.removeprefix("verdict: ").split(":")[0].replace("_", "\\_"), page.out)
                for claim, (holds, at_stake, _) in human.claims().items():
                    self.assertRegex(page.out.replace("\\_", "_"),
                                     rf"\| {claim} \| \w+ \| {'holds' if holds else re.escape('**broken**')} \| {at_stake} \|")


if __name__ == "__main__":
    running.main(__doc__)
