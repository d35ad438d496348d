#!/usr/bin/python3
"""Pages of documents, spec/STEM/system.yaml: what is read of them, and what is refused, with its place. Needs nothing built."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "spec"))
import system_page  # noqa: E402

PAGE = """document: {name: Waits, title: Waits, publisher: Nobody, version: 1}
formula: delay_ms = wait_ms
features: [instances]
parameters:
  wait_ms:
    range: [0, 2^32 - 1]
    words: [forever]
    try:
      0: nothing
      2^31: the first beyond an i32
  rate: {places: 3, range: [1, 2.5], default: 1.5, left out: 4 of 16, only: wait_ms forever}
calls:
  next:
    weight: 6
    arguments:
      clock:
        list: true
        range: [-2^63, 2^63 - 1]
        further: {times: 1, left out: 10 of 16, needs: clock_script}
  reset: {optional: true, arguments: {why: {words: [late], only: wait_ms forever}}}
answers:
  status: {words: [retry, ok, error]}
  delay_ms: {is: delay, only: status retry, calls: [next]}
requirements:
  T-1:
    place: page 1
    must: "Wait: then retry."
    formula: x
  T-2: {place: page 2, may: Give up., formula: x, unchecked: advice}
readings:
  origin:
    asks: From 0?
    rests on: [T-2, T-1]
    told apart by: wait_ms=1/next
    alternatives:
      zero: {canonical: "Yes.", answers: [1]}
      one: {open: "No."}
claims:
  waits: {says: it waits, by: [T-1], part of: the wait}
  waits_alike: {says: it waits alike, by: [T-1], strength: interface, needs: instances, compares: instances, starts from: waits}
"""


class Pages(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = pathlib.Path(scratch.name) / "tiny" / "system.yaml"
        self.path.parent.mkdir()

    def read(self, text: str) -> system_page.Page:
        self.path.write_text(text)
        return system_page.read(self.path)

    def test_what_is_read(self) -> None:
        page = self.read(PAGE)
        wait, rate = page.parameters
        self.assertEqual((wait.low, wait.high, wait.words, wait.specials),
                         (0, 2**32 - 1, ("forever",), ((0, "nothing"), (2**31, "the first beyond an i32"))))
        self.assertEqual((rate.kind, rate.scale, rate.low, rate.high, rate.by_default, rate.left_out), ("decimal", 3, 1000, 2500, 1500, 4))
        self.assertEqual([(field.only, field.optional) for field in (wait, rate, page.calls[1].arguments[0])],
                         [(None, False), ((0, 0), True), ((0, 0), True)])
        clock, further = page.calls[0].arguments
        self.assertEqual((clock.low, clock.high, clock.written, clock.needs), (-2**63, 2**63 - 1, "list", ""))
        self.assertEqual((further.name, further.written, further.needs, further.left_out), ("clock", "item", "clock_script", 10))
        self.assertEqual((page.answers[1].only, page.answers[1].calls, page.answers[1].is_delay), ((0, 0), [0], True))
        first, second = page.catalogue()["requirements"]
        self.assertEqual((first["strength"], first["text"], first["readings"]), ("must", "Wait: then retry.", ["origin"]))
        self.assertEqual((second["strength"], second["unchecked"]), ("may", "advice"))
        self.assertEqual(page.readings[0]["told_apart_by"], "tiny/wait_ms=1/next")
        self.assertEqual([claim.strength for claim in page.claims], ["must", "interface"])

    def test_what_is_refused(self) -> None:
        for old, new, line, said in (
                ("formula: delay", "formulas: delay", 2, "'formulas': expected one of document, formula"),
                ("formula: delay_ms = wait_ms\n", "", 1, "'formula' is missing"),
                ("[0, 2^32 - 1]", "[0, 2^32 less 1]", 6, "'2^32 less 1': expected a whole number, such as 65535 or 2^16 - 1"),
                ("[0, 2^32 - 1]", "[9, 2]", 6, "a list or a mapping: expected [LOW, HIGH]"),
                ("2^31: the", "2^33: the", 10, "'2^33': expected a value inside `range`"),
                ("2^31: the", "0: the", 10, "'0': expected each key once"),
                ("default: 1.5", "default: 1.0005", 11, "'1.0005': expected a number with at most 3 places"),
                ("4 of 16", "often", 11, "'often': expected how often, as `4 of 16`"),
                ("only: wait_ms forever}\n", "only: waits forever}\n", 11, "'waits forever': expected one of wait_ms"),
                ("late], only: wait_ms forever", "late], only: wait_ms never", 20, "'wait_ms never': expected wait_ms and one of forever"),
                ("weight: 6", "wait: 6", 14, "'wait': expected one of weight, optional"),
                ("needs: clock_script", "needs: a_clock", 19, "'a_clock': expected one of instances, clock_script"),
                ("{words: [retry, ok, error]}", "{words: [retry, ok]}", 22, "expected first a status with the word error"),
                ("only: status retry", "only: status later", 23, "'status later': expected status and one of retry, ok, error"),
                ("  T-2:", "  t-2:", 29, "'t-2': expected an id, such as AWS-BA-001"),
                ("may: Give", "shall: Give", 29, "'shall': expected one of place, formula, must"),
                ("may: Give", "must: x, may: Give", 29, "'T-2': expected one of must, recommended, may, interface in it"),
                ("[T-2, T-1]", "[T-7]", 33, "'T-7': expected one of T-1, T-2"),
                ("one: {open", "one: {canonical", 36, "expected two or more, one of them canonical"),
                ("origin:", "Origin:", 31, "'Origin': expected a name-with-dashes"),
                ("by: [T-1], part", "by: T-1, part", 39, "'T-1': expected a list, [a, b]"),
                ("part of: the wait", "part of: the wait, bound of: it", 39,
                 "'waits': expected at most one of case of, part of, bound of in it"),
                ("starts from: waits", "starts from: all", 40, "'all': expected one of waits, waits_alike"),
                ("says: it waits,", 'says: "",', 39, "'': expected a text"),
                ("{says: it waits, by", "{says: it waits; by", 39, "expected"),
                (PAGE, "", 1, "empty: expected a page")):
            with self.subTest(new[:60]):
                self.assertIn(old, PAGE)
                with self.assertRaises(system_page.Wrong) as refused:
                    self.read(PAGE.replace(old, new, 1))
                where, _, what = str(refused.exception).removeprefix(f"{self.path}:").partition(": ")
                self.assertEqual((where, said in what), (str(line), True), str(refused.exception))

    def test_the_program_names_the_place(self) -> None:
        """And writes nothing."""
        self.path.write_text(PAGE.replace("must:", "shall:"))
        spec = self.path.parents[1]
        for name in ("system_page.py", "cpp_of_pages.py"):
            shutil.copy(ROOT / "spec" / name, spec)
        into = spec / "into"
        done = subprocess.run(["/usr/bin/python3", spec / "cpp_of_pages.py", into], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("tiny/system.yaml:27: 'shall': expected one of", done.stderr)
        self.assertFalse(into.exists())


if __name__ == "__main__":
    unittest.main()
