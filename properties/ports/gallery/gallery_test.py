#!/usr/bin/python3
"""Checks gallery.py: what it must notice is planted, one thing at a time, in a gallery of one package that installs nothing.

Usage: properties/ports/gallery/gallery_test.py --bin DIR
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Iterator
from typing import Any

import gallery
import watched

GALLERY = pathlib.Path(__file__).resolve().parent
EXAMPLE = GALLERY.parent / "helpers/python/example_port.py"
LIAR = """#!/usr/bin/python3
import hashlib, json, subprocess, sys
code = subprocess.run([{oracle!r}, *sys.argv[1:]]).returncode
if "--certificate" in sys.argv:
    path = sys.argv[sys.argv.index("--certificate") + 1]
    document = json.load(open(path))
    document["refuted"][0]["step"] += 1
    del document["sha256"]
    text = json.dumps(document, separators=(",", ":"))[:-1] + ',"sha256":"'
    open(path, "w").write(text + hashlib.sha256(text.encode()).hexdigest() + '"}}\\n')
sys.exit(code)
"""
# A program that waits 100 ms and 200 ms; another first wait, or more retries, can be asked for.
FIRST = 1100  # ms: longer than the slack, so that a wait can be judged
CLIENT = """
import http.client, sys, time
port, first, retries = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
for n in range(retries + 1):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", "/")
    connection.getresponse()
    connection.close()
    if n < retries:
        time.sleep(first * 2**n / 1000)
"""
WAITS = """name: doubling
unit: ms
document: example, README
parameters: {first: {default: 100, range: [1, 10000]}, retries: {default: 2, range: [0, 9]}}
delay: first * 2^n
attempts: retries
"""
# An oracle to which the machine seems too slow where it is told {word}; it notes what it is told.
SLOW = """#!/usr/bin/python3
import json, os, pathlib, sys
if {word!r} not in sys.argv:
    os.execv({oracle!r}, sys.argv)
with open(pathlib.Path(__file__).with_name("told"), "a") as told:
    print(*sys.argv[1:], file=told)
print(json.dumps(dict(findings=[], verdict="inconclusive: retry 1, 1 of 1 was too long")))
sys.exit(5)
"""
INSTALLER = """#!/bin/sh
echo "$3 $4" >> "$1/installed"
[ -f "$1/says" ] && cat "$1/says"
exit $(cat "$1/exit")
"""


class GalleryFolder(unittest.TestCase):
    """A gallery of one package."""

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.gallery = pathlib.Path(scratch.name) / "gallery"
        self.folder = self.gallery / "python/example"
        self.folder.mkdir(parents=True)
        (self.gallery / "install").mkdir()
        (self.gallery / "install/fake").write_text(INSTALLER)
        (self.gallery / "install/fake").chmod(0o755)
        (self.folder / "exit").write_text("0")
        (self.folder / "requirements.txt").write_text("example==1\n")
        (self.folder / "port.py").write_text(EXAMPLE.read_text())
        (self.folder / "backoff_port.py").write_text((EXAMPLE.parent / "backoff_port.py").read_text())
        self.set("port.json", package="example", version="1", registry="none", says_of_itself="full jitter",
                 claims="claims it", install="fake",
                 system="aws_backoff_algorithm", command=["/usr/bin/python3", str(self.folder / "port.py"), "{installed}"])

    def set(self, name: str, **fields: str | list[str | dict[str, Any]] | dict[str, Any]) -> None:
        path = self.folder / name
        path.write_text(json.dumps({**(json.loads(path.read_text()) if path.is_file() else {}), **fields}))

    def run_it(self, *words: str | pathlib.Path, bin_dir: pathlib.Path | None = None) -> tuple[int, str]:
        done = subprocess.run([GALLERY / "gallery.py", "--bin", bin_dir or BIN, "--into", self.gallery / "build", "--gallery", self.gallery,
                               "--cases", "1000", *words],
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def record(self) -> dict[str, Any]:
        self.assertEqual(self.run_it("--record")[0], 0)
        return self.finding()

    def name(self) -> str:
        return f"{self.folder.parent.name}/{self.folder.name}"

    def finding(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.gallery / "findings.json").read_text())[self.name()]
        return found

    def set_finding(self, name: str = "", **fields: Any) -> None:
        path = self.gallery / "findings.json"
        recorded = json.loads(path.read_text()) if path.is_file() else {}
        name = name or self.name()
        path.write_text(json.dumps(recorded | {name: recorded.get(name, {}) | fields}))

    def expect(self, exit_code: int, *said: str) -> None:
        code, output = self.run_it()
        self.assertEqual(code, exit_code, output)
        for words in said:
            self.assertIn(words, output)


class GalleryTest(GalleryFolder):
    def break_port(self) -> None:
        text = (self.folder / "port.py").read_text()
        (self.folder / "port.py").write_text(text.replace("2 ** attempts", "2 * attempts"))
        self.assertNotEqual((self.folder / "port.py").read_text(), text)

    def test_what_was_recorded_is_found_again(self) -> None:
        finding = self.record()
        self.assertEqual((finding["verdict"], finding["grade"], finding["broken"]), ("conforms", "exact", []))
        self.assertEqual(finding["readings"]["draw-mapping"], "modulo")
        self.expect(0, "example 1 (none), aws_backoff_algorithm, claims it: conforms", "gallery: 1 of 1 packages judged")

    def liar(self) -> pathlib.Path:
        """An oracle whose certificates say that a reading falls a step later than it does."""
        folder = self.gallery / "bin"
        folder.mkdir()
        (folder / "backoff-oracle").write_text(LIAR.format(oracle=str(pathlib.Path(BIN).resolve() / "backoff-oracle")))
        (folder / "backoff-oracle").chmod(0o755)
        return folder

    def test_a_verdict_that_is_not_certified_fails(self) -> None:
        self.record()
        self.assertIn("whole range: certified", self.run_it()[1])
        liar = self.liar()
        for words in ((), ("--record",)):
            code, output = self.run_it(*words, bin_dir=liar)
            self.assertEqual(code, 1, output)
            for said in ("NOT CERTIFIED", "whole range: backoff-certify", "disagrees: readings, history ", "falls at step ",
                         "certified with exit code 4, judged with 0", "not as recorded: example 1"):
                self.assertIn(said, output)

    def test_what_a_package_claims_is_to_be_said(self) -> None:
        self.set("port.json", claims="is much used")
        code, output = self.run_it()
        self.assertEqual(code, 2, output)
        self.assertIn("example/port.json: claims: expected one of claims it, claims the formula, claims neither", output)

    def test_those_that_claim_the_document_come_first(self) -> None:
        self.record()
        for name, claims in (("a", "claims neither"), ("b", "claims the formula")):
            folder = self.gallery / "python" / name
            folder.mkdir()
            self.set_finding(f"python/{name}", **self.finding())
            port = json.loads((self.folder / "port.json").read_text())
            (folder / "port.json").write_text(json.dumps({**port, "package": name, "claims": claims}))
        names = [line.split()[1] for line in self.run_it("--table")[1].splitlines()[2:]]
        self.assertEqual(names, ["example", "b", "a"])

    def test_a_package_is_held_to_a_policy(self) -> None:
        """And a port that does something else than the policy says is a difference; its document is told in the findings."""
        (self.folder / "policy.yaml").write_text("name: full_jitter\nunit: ms\ndocument: example, README\nparameters:\n"
                                                 "  base_ms: {default: 1, range: [1, 100]}\n  max_ms: {default: 100, range: [1, 10000]}\n"
                                                 "  max_attempts: {default: forever, range: [0, 9]}\nattempts: max_attempts\n"
                                                 "delay: integer(0, min(max_ms, base_ms * 2^n))\n")
        text = EXAMPLE.read_text().replace("aws_backoff_algorithm", "full_jitter")
        (self.folder / "port.py").write_text(text)
        self.set("port.json", policy=str(self.folder / "policy.yaml"))
        self.record()
        self.expect(0, "example 1 (none), full_jitter, claims it: conforms, grade exact")
        (self.folder / "port.py").write_text(text.replace("2 ** attempts", "2 * attempts"))
        self.expect(1, "NOT AS RECORDED", "delay_within_window")
        self.set("port.json", consequences={b["claim"]: "They come back together." for b in self.record()["broken"]})
        self.assertIn("Tested against `full_jitter`, example, README, as declared in [policy.yaml]", self.run_it("--findings")[1])

    def test_a_new_violation_is_a_difference(self) -> None:
        self.record()
        self.break_port()
        self.expect(1, "NOT AS RECORDED", "window_doubles_with_each_retry", "not as recorded: example 1")

    def test_a_package_that_starts_to_conform_is_a_difference(self) -> None:
        self.break_port()
        finding = self.record()
        self.assertTrue(any(b["shown_by"] for b in finding["broken"]))
        self.expect(0, "does not conform")
        (self.folder / "port.py").write_text(EXAMPLE.read_text())
        self.expect(1, "NOT AS RECORDED", '+ "verdict": "conforms"', "no longer broken by")

    def test_a_history_that_shows_nothing_any_more_is_a_difference(self) -> None:
        self.break_port()
        broken = self.record()["broken"]
        broken[0]["shown_by"] = "aws_backoff_algorithm/base_ms=0,max_ms=0,max_attempts=0/next:0"
        self.set_finding(broken=broken)
        self.expect(1, f"{broken[0]['claim']}: no longer broken by aws_backoff_algorithm/base_ms=0")

    def test_what_breaks_in_ordinary_settings_comes_first(self) -> None:
        """And what breaks only beyond them is at the ends of the range."""
        text = (self.folder / "port.py").read_text()
        (self.folder / "port.py").write_text(text.replace("int(cap))", "int(cap)) // (1 + (int(cap) > 86400000))"))
        self.assertNotEqual((self.folder / "port.py").read_text(), text)
        finding = self.record()
        self.assertEqual((finding["verdict"], finding["ordinary"]), ("does not conform", {
            "verdict": "conforms", "grade": "exact", "broken": []}))
        must = {b["claim"]: "They come back together." for b in finding["broken"] if b["shown_by"]}
        self.set("port.json", ends=must)
        output = self.run_it("--findings")[1]
        self.assertIn("The package claims this document. Its documentation says: full jitter.\n\n"
                      "**In ordinary settings it conforms**, grade exact.\n\n### At the ends of the range\n", output)
        self.assertIn("conforms, exact | `", self.run_it("--table")[1])
        (self.folder / "port.py").write_text(text.replace("2 ** attempts", "2 * attempts"))
        self.expect(1, '+  "verdict": "does not conform"')

    def test_a_report_that_shows_something_else_is_a_difference(self) -> None:
        (self.gallery / "javascript").mkdir()
        self.folder = self.folder.rename(self.gallery / "javascript/example")
        self.set("port.json", command=["/usr/bin/python3", str(self.folder / "port.py")])
        self.break_port()
        self.record()
        report = self.gallery.parent / "findings/example.md"
        report.parent.mkdir()
        for lines, shows, exit_code, said in (
                ("console.log(1 + 1);", "2", 0, "every finding is the one recorded"),
                ("import 'node:fs';\nconsole.log(1 + 1);", "3", 1, "NOT AS ITS REPORT SHOWS\n    --- example.md"),
                ("throw new Error('no such policy');", "2", 1, "no such policy")):
            report.write_text(f"# It adds\n\n```js\n{lines}\n```\n\n```\n{shows}\n```\n")
            code, output = self.run_it()
            self.assertEqual(code, exit_code, output)
            self.assertIn(said, output)
        report.write_text("# It adds\n\n```js\nconsole.log(1 + 1);\n```\n")
        self.assertIn("expected two fenced blocks, the lines and what they print, found 1", self.run_it()[1])

    def test_which_test_of_its_draws_refutes_first_is_no_difference(self) -> None:
        text = EXAMPLE.read_text().replace("import serve", "import serve\nimport random")
        text = text.replace('step["draw"]', "3 * random.getrandbits(30)")
        (self.folder / "port.py").write_text(text.replace('"features"', '"draws": "opaque", "features"'))
        broken = self.record()["broken"]
        self.assertEqual([b["shown_by"] for b in broken], [""])
        self.set_finding(broken=[{**broken[0], "claim": "delays_are_independent"}])
        self.expect(0, " by many draws")
        self.set_finding(broken=[{**broken[0], "shown_by": None}])
        self.expect(1, "(its draws)")
        self.set_finding(broken=[])
        self.expect(1, "(its draws)")

    def test_another_reading_is_a_difference(self) -> None:
        readings = self.record()["readings"]
        self.set_finding(readings={**readings, "upper-bound": "exclusive"})
        self.expect(1, "upper-bound")

    def test_another_version_than_the_pinned_is_a_difference(self) -> None:
        self.set("port.json", version="2")
        self.record()
        self.expect(1, "version 1 where 2 is pinned")

    def test_a_package_without_a_finding_is_a_difference(self) -> None:
        self.expect(1, "not as recorded: example 1")

    def test_a_port_that_breaks_is_a_difference(self) -> None:
        self.record()
        (self.folder / "port.py").write_text("raise SystemExit('no such module')")
        self.expect(1, "port broke")

    def test_what_cannot_be_installed_is_named(self) -> None:
        self.record()
        (self.folder / "requirements.txt").write_text("example==1  # again\n")
        for exit_code, expected in ((69, 3), (75, 4), (1, 3)):
            (self.folder / "exit").write_text(str(exit_code))
            (self.folder / "says").write_text("java: not found\n")
            self.expect(expected, "*** NOT JUDGED: example 1, because java: not found", "0 of 1 packages judged", "not judged: example 1")

    def test_a_difference_counts_for_more_than_an_unreachable_registry(self) -> None:
        self.record()
        self.break_port()
        other = self.gallery / "python/other"
        other.mkdir()
        (other / "port.json").write_text((self.folder / "port.json").read_text())
        self.set_finding("python/other", **self.finding())
        (other / "exit").write_text("75")
        self.expect(1, "NOT JUDGED", "not as recorded")

    def test_it_installs_once_and_again_when_the_pins_change(self) -> None:
        self.record()
        self.expect(0)
        self.assertEqual((self.folder / "installed").read_text(), "example 1\n")
        (self.folder / "requirements.txt").write_text("example==1  # again\n")
        self.expect(0)
        self.assertEqual((self.folder / "installed").read_text(), "example 1\n" * 2)

    def test_a_page_shows_every_package_and_versions_in_their_order(self) -> None:
        text = (self.folder / "port.py").read_text()
        other = self.gallery / "python/another"
        other.mkdir()
        (other / "exit").write_text("0")
        (other / "backoff_port.py").write_text((self.folder / "backoff_port.py").read_text())
        for folder, version, found in ((self.folder, "9", text), (other, "10", text.replace("2 ** attempts", "2 * attempts"))):
            (folder / "port.py").write_text(found.replace('"version": "1"', f'"version": "{version}"'))
            self.set("port.json", version=version, command=["/usr/bin/python3", str(folder / "port.py")])
            (folder / "port.json").write_text((self.folder / "port.json").read_text())
        self.set("port.json", version="9", command=["/usr/bin/python3", str(self.folder / "port.py")])
        code, output = self.run_it("--record", "--page", self.gallery / "page.html")
        self.assertEqual(code, 0, output)
        page = (self.gallery / "page.html").read_text()
        self.assertIn("From example 9 to example 10", page)
        self.assertIn("newly broken", page)
        code, output = self.run_it("--page", "/nonexistent/page.html")
        self.assertEqual(code, 2)
        self.assertIn("no page: backoff-oracle: error: cannot write '/nonexistent/page.html'", output)
        (self.folder / "exit").write_text("69")
        (self.folder / "requirements.txt").write_text("example==1  # again\n")
        other.joinpath("port.json").unlink()
        self.assertIn("no page: nothing was judged", self.run_it("--page", self.gallery / "page.html")[1])

    def test_an_empty_gallery_is_wrong_usage(self) -> None:
        (self.folder / "port.json").unlink()
        self.assertEqual(self.run_it()[0], 2)

    def test_the_table_is_what_is_recorded(self) -> None:
        self.break_port()
        self.record()
        code, output = self.run_it("--table")
        self.assertEqual(code, 0)
        self.assertEqual(len(output.splitlines()), 3)
        self.assertIn("| example (none) | 1 | Python | claims it | `aws_backoff_algorithm` | does not conform, exact | nothing else |  "
                      "| `base_ms=", output)

    def test_the_findings_are_what_is_recorded(self) -> None:
        self.record()
        self.assertNotIn("\n## ", self.run_it("--findings")[1])  # the table has those that conform
        self.break_port()
        broken = self.record()["ordinary"]["broken"]
        first = next(b["claim"] for b in broken if b["shown_by"])
        self.assertIn(f"KeyError: '{first}'", self.run_it("--findings")[1])  # what a violation means is to be said
        must = {b["claim"]: "They come back together." for b in broken if b["strength"] == "must" and b["shown_by"]}
        self.set("port.json", consequences=must)
        code, output = self.run_it("--findings")
        self.assertEqual(code, 0, output)
        for words in ("## example 1 (none)", "The package claims this document. Its documentation says: full jitter.",
                      "The same fault also breaks: `",
                      "- The document (AWS-BA-", "returns `retry ", "- Effect on users: They come back together.",
                      "- Replay: `build/release/bin/backoff-oracle replay aws_backoff_algorithm/base_ms="):
            self.assertIn(words, output)

    def test_a_language_alone_is_judged(self) -> None:
        self.record()
        self.assertEqual(self.run_it("--language", "python")[0], 0)
        self.assertEqual(self.run_it("--language", "cobol")[0], 2)

    def test_what_an_adapter_is_built_from_counts_as_a_pin(self) -> None:
        self.set("port.json", install="cargo")
        (self.gallery / "install/fake").rename(self.gallery / "install/cargo")
        (self.folder / "main.rs").write_text("fn main() {}\n")
        self.record()
        self.expect(0)
        self.assertEqual((self.folder / "installed").read_text(), "example 1\n")
        (self.folder / "main.rs").write_text("fn main() { }\n")
        self.expect(0)
        self.assertEqual((self.folder / "installed").read_text(), "example 1\n" * 2)


class WatchedTest(GalleryFolder):
    """Programs without an adapter. A planted fault that is not found is a difference, a slow machine is none."""

    def setUp(self) -> None:
        super().setUp()
        (self.folder / "policy.yaml").write_text(WAITS)
        (self.folder / "client.py").write_text(CLIENT)
        path = self.folder / "port.json"
        path.write_text(json.dumps({key: value for key, value in json.loads(path.read_text()).items() if key != "system"}))
        self.set("port.json", policy=str(self.folder / "policy.yaml"), what="a client")
        self.client()

    def client(self, first: int = FIRST, retries: int = 2, fault: dict[str, Any] | None = None,
               claim: str = "retries_are_limited") -> None:
        self.set("port.json", command=["/usr/bin/python3", str(self.folder / "client.py"), "{port}", str(first), str(retries)],
                 watch={"params": {"first": FIRST, "retries": 2}, "runs": 2, "options": ["--slack", "1000"],
                        "fault": {"params": fault or {"retries": 1}, "claim": claim}})

    def test_what_was_recorded_is_found_again(self) -> None:
        self.assertEqual(self.record(), {"version": "1", "verdict": "conforms", "broken": []})
        self.expect(0, "example 1 (none), doubling, claims it\n", "watched: conforms, by 4 waits in 2 runs; with `retries=1`: "
                    "does not conform: retries_are_limited", "every finding is the one recorded")

    def test_a_new_violation_is_a_difference(self) -> None:
        """And one that is gone, too."""
        self.record()
        self.client(retries=3)
        self.expect(1, "NOT AS RECORDED", "broken: recorded [], now ['retries_are_limited']", "not as recorded: example 1")
        self.assertEqual(self.record()["broken"], ["retries_are_limited"])
        self.expect(0, "does not conform")
        self.client()
        self.expect(1, "verdict: recorded does not conform, now conforms")

    def test_a_report_that_shows_something_else_is_a_difference(self) -> None:
        (self.gallery / "javascript").mkdir()
        self.folder = self.folder.rename(self.gallery / "javascript/example")
        self.client(retries=3)
        self.set("port.json", policy=str(self.folder / "policy.yaml"), consequences={"retries_are_limited": "They retry more often."})
        self.record()
        report = self.gallery.parent / "findings/example.md"
        report.parent.mkdir()
        for shows, exit_code, said in (("2", 0, "every finding is the one recorded"),
                                       ("3", 1, "NOT AS ITS REPORT SHOWS\n    --- example.md")):
            report.write_text(f"# It adds\n\n```js\nconsole.log(1 + 1);\n```\n\n```\n{shows}\n```\n")
            self.expect(exit_code, said)
        self.assertIn("[Draft of a report to its maintainers](findings/example.md).", self.run_it("--findings")[1])

    def test_a_planted_fault_that_is_not_found_is_a_difference(self) -> None:
        """Even where it is recorded. Another claim is not enough."""
        self.record()
        self.client(fault={"first": FIRST})
        self.expect(1, f"planted fault `first={FIRST}`: expected retries_are_limited, found conforms, by 4 waits in 2 runs")
        self.client(fault={"first": 4 * FIRST})
        self.expect(1, f"planted fault `first={4 * FIRST}`: expected retries_are_limited, found does not conform: "
                    "waits_are_not_too_short")
        (self.gallery / "findings.json").unlink()
        self.assertEqual(self.run_it("--record")[0], 1)
        self.assertFalse((self.gallery / "findings.json").exists())

    def test_a_program_that_does_not_start_is_a_difference(self) -> None:
        self.set("port.json", command=["/nonexistent", "{port}"])
        self.expect(1, "not watched", "/nonexistent")
        self.assertEqual(self.run_it("--record")[0], 1)

    def test_another_version_than_the_recorded_is_a_difference(self) -> None:
        self.record()
        self.set("port.json", version="2")
        self.expect(1, "version: recorded 1, now 2")

    def slow(self, word: str, *words: str) -> tuple[int, str, list[str]]:
        """What the gallery does, and how many runs it asks for, where the machine is slow."""
        folder = self.gallery / "bin"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        (folder / "backoff-oracle").write_text(SLOW.format(word=word, oracle=str(pathlib.Path(BIN).resolve() / "backoff-oracle")))
        (folder / "backoff-oracle").chmod(0o755)
        code, output = self.run_it(*words, bin_dir=folder)
        return code, output, [word for word in (folder / "told").read_text().split() if word.startswith("--runs")]

    def test_a_slow_machine_is_no_difference(self) -> None:
        """A verdict is asked for once more, with more runs. It is not recorded."""
        self.record()
        for word in ("--param=retries=2", "--param=retries=1"):  # of the program as it is, and of the planted fault
            for words in ((), ("--record",)):
                code, output, runs = self.slow(word, *words)
                self.assertEqual((code, runs), (4, ["--runs=2", "--runs=8"]), output)
                self.assertIn("NOT JUDGED: example 1, because the machine is too slow. watched: ", output)
                self.assertIn("inconclusive: retry 1, 1 of 1", output)
        self.expect(0, "conforms")

    def test_a_slow_machine_hides_no_difference(self) -> None:
        self.record()
        self.client(retries=3)
        code, output, _ = self.slow("--param=retries=1")
        self.assertEqual(code, 1, output)
        self.assertIn("broken: recorded [], now ['retries_are_limited']", output)

    def test_the_table_and_the_findings_have_a_part_for_them(self) -> None:
        self.client(retries=3)
        self.record()
        self.set("port.json", consequences={"retries_are_limited": "They retry more often."})
        output = self.run_it("--findings")[1]
        for said in ("\n## Watched\n", "\n### example 1 (none)\n", "Watched against `doubling`, example, README, as declared in",
                     f"with `first={FIRST}`, `retries=2`: a client. The package claims this document.",
                     "**It does not conform**: `retries_are_limited`. With the wrong parameter `retries=1`, ",
                     "- Effect on users: They retry more often.",
                     "- Replay: `build/release/bin/backoff-oracle watch ",
                     f" --param=first={FIRST} --param=retries=2 --runs=2 --slack 1000 -- /usr/bin/python3 "):
            self.assertIn(said, output)
        self.assertEqual(self.run_it("--table")[1].splitlines()[2:], [
            f"| example (none) | 1 | Python | a client | claims it | `doubling`, `first={FIRST}`, `retries=2` | does not conform "
            "| `retries_are_limited` | `retries=1` | `retries_are_limited` |"])
        driven = self.gallery / "go/other"
        driven.mkdir(parents=True)
        port = {key: value for key, value in json.loads((self.folder / "port.json").read_text()).items() if key not in ("watch", "policy")}
        (driven / "port.json").write_text(json.dumps({**port, "system": "aws_backoff_algorithm"}))
        self.set_finding(f"{driven.parent.name}/{driven.name}", verdict="conforms", grade="exact", readings={}, broken=[])
        both = self.run_it("--table")[1]
        self.assertIn("\n\n**Watched**\n\n| program |", both)
        parts = [self.run_it("--table", "--part", part)[1] for part in ("driven", "watched")]
        self.assertEqual(both, "\n**Watched**\n\n".join(parts))


def recorded() -> Iterator[tuple[pathlib.Path, dict[str, Any], dict[str, Any]]]:
    """Each port.json of the gallery: its path, what it has, and its recorded finding."""
    findings = json.loads((GALLERY / "findings.json").read_text())
    for path in sorted(GALLERY.glob("*/*/port.json")):
        yield path, json.loads(path.read_text()), findings["/".join(path.parts[-3:-1])]


class RecordedTest(unittest.TestCase):
    def test_the_findings_are_up_to_date(self) -> None:
        done = subprocess.run([GALLERY / "gallery.py", "--findings"], capture_output=True, text=True, check=True)
        self.assertEqual((GALLERY.parent / "FINDINGS.md").read_text(), done.stdout)

    def test_each_violation_has_its_consequence_and_nothing_else_has_one(self) -> None:
        """In ordinary settings, and at the ends of the range."""
        def musts(part: dict[str, Any]) -> set[str]:
            return {b["claim"] for b in part["broken"] if b["strength"] == "must" and "requirement" in b}
        for path, port, finding in recorded():
            if watched.is_watched(port):
                self.assertEqual(set(finding["broken"]), set(port.get("consequences", {})), path)
                continue
            first = finding.get("ordinary", finding)
            self.assertEqual(musts(first), set(port.get("consequences", {})), path)
            ends = set(port.get("ends", {}))
            self.assertTrue(musts(finding) - {b["claim"] for b in first["broken"]} <= ends <= musts(finding), path)

    def test_each_violation_of_a_document_that_is_claimed_has_its_report(self) -> None:
        """Of three lines; or it says why there is none."""
        reports = {path.stem: path.read_text() for path in (GALLERY.parent / "findings").glob("*.md")}
        wanted = set()
        for path, port, finding in recorded():
            if port["claims"] != "claims neither" and finding["verdict"] != "conforms" and "unreported" not in port:
                name = port.get("report", path.parent.name)
                wanted.add(name)
                self.assertIn(port["package"], reports.get(name, ""), f"{path}: expected findings/{name}.md to name the package")
        self.assertEqual(set(reports), wanted)
        for name, text in reports.items():
            (_, lines), _ = gallery.fences(text)
            self.assertLessEqual(len(lines.splitlines()), 3, name)
            for part in ("# ", "**What the document says.**", "**What happens.**", "**Suggested fix.**"):
                self.assertIn(part, text, name)

    def test_adapters_are_short(self) -> None:
        for path in GALLERY.rglob("*"):
            if path.suffix in (".py", ".cjs", ".java", ".rs", ".go") and path.parent != GALLERY:
                self.assertLessEqual(len(path.read_text().splitlines()), 60, path)


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] != "--bin":
        sys.exit(__doc__)
    BIN = sys.argv[2]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
