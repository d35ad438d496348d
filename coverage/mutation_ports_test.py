#!/usr/bin/python3
"""`mutate ports` is seen to fail: on a tiny C port."""
import pathlib
import re
import tempfile
import unittest

from mutation import ports, tables
from mutation_runs import ROOT, mutate

TINY_C = """#include <stdint.h>
uint32_t smaller(uint32_t a, uint32_t b);
uint32_t smaller(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}
"""
TINY_MAIN = """#include "ports/draws.h"
static void port(void* self, json params, json step) { (void)self, (void)params, (void)step; }
int main(void) { return serve(declaring("\\"systems\\":[\\"tiny\\"]"), 1, port); }
"""


class Ports(unittest.TestCase):
    """On a tiny C port, with an oracle of our own, which looks at the number of the mutant and not at the port."""

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        (self.folder / "properties").mkdir()
        (self.folder / "properties/ports").symlink_to(ROOT / "properties/ports")
        self.add_system("tiny")

    def add_system(self, stem: str, least: str = "At least 9 mutants: one function") -> None:
        ports = self.folder / f"properties/systems/{stem}/ports"
        ports.mkdir(parents=True, exist_ok=True)
        self.add_catalogue(stem)
        (ports / "port.c").write_text(f"/* {least}. */\n{TINY_C}")
        (ports / "port_main.c").write_text(TINY_MAIN)

    def add_catalogue(self, stem: str) -> None:
        (self.folder / "spec" / stem).mkdir(parents=True, exist_ok=True)
        (self.folder / "spec" / stem / "system.yaml").write_text("{}")

    def gate(self, oracle: str, survivors: str = "", *options: str | pathlib.Path) -> tuple[int, str]:
        (self.folder / "backoff-oracle").write_text(f"#!/bin/sh\n{oracle}\n")
        (self.folder / "backoff-oracle").chmod(0o755)
        (self.folder / "survivors.txt").write_text(survivors)
        return mutate("ports", "--root", self.folder, "--bin", self.folder, "--survivors", self.folder / "survivors.txt", "--limit", "2",
                      *options)

    SAYS_NO = """echo '{"findings": [{"claim": "some_claim"}]}'; exit 1"""
    SAYS_YES = """echo '{"findings": []}'; exit 0"""
    KILLS_ALL = f"[ $MUTANT = 0 ] || {{ {SAYS_NO}; }}; {SAYS_YES}"
    KILLS_ALL_BUT_ONE = f"[ $MUTANT -le 1 ] || {{ {SAYS_NO}; }}; {SAYS_YES}"
    EXCUSE = "tiny.c | return a < b ? a : b; | a < b ? a : b -> 0 | as good\n"

    def test_every_mutant_killed(self) -> None:
        code, said = self.gate(self.KILLS_ALL)
        self.assertEqual(code, 0, said)
        self.assertRegex(said, r"some_claim +killed +\d+, named first +\d+, alone +\d+")
        self.assertIn("(100.0 %), 0 survived, 0 of them excused, 0 problems", said)
        self.assertRegex(said, r"\nport mutants: \d+ in 1 systems, 0 of them failed, \d+ s\n$")

    def test_one_survivor(self) -> None:
        code, said = self.gate(self.KILLS_ALL_BUT_ONE)
        self.assertEqual(code, 1, said)
        self.assertIn("survived: " + self.EXCUSE.rpartition(" | ")[0], said)
        self.assertIn("1 survived, 0 of them excused, 1 problems", said)
        code, said = self.gate(self.KILLS_ALL_BUT_ONE, self.EXCUSE)
        self.assertEqual(code, 0, said)

    def test_survivors_belong_to_their_system(self) -> None:
        self.add_system("other")
        both = self.EXCUSE + self.EXCUSE.replace("tiny.c", "other.c")
        code, said = self.gate(self.KILLS_ALL_BUT_ONE, both)
        self.assertEqual(code, 0, said)
        self.assertIn(" in 2 systems, 0 of them failed", said)
        code, said = self.gate(self.KILLS_ALL_BUT_ONE, both, "--system", "tiny")
        self.assertEqual(code, 0, said)
        self.assertIn(" in 1 systems, 0 of them failed", said)
        code, said = self.gate(self.KILLS_ALL_BUT_ONE, self.EXCUSE)
        self.assertEqual(code, 1, said)
        self.assertIn("survived: other.c | ", said)
        self.assertIn(" in 2 systems, 1 of them failed", said)

    def test_inconclusive_is_no_kill_and_a_crash_is_one(self) -> None:
        for status, expected in ((5, 1), (3, 0)):
            code, said = self.gate(f"[ $MUTANT = 0 ] || {{ {self.SAYS_YES[:-1]}{status}; }}; {self.SAYS_YES}")
            self.assertEqual(code, expected, said)

    def test_hang_is_a_kill(self) -> None:
        code, said = self.gate(f"[ $MUTANT = 0 ] && {{ {self.SAYS_YES}; }}; [ $MUTANT = 1 ] && sleep 60; {self.SAYS_NO}")
        self.assertEqual(code, 0, said)
        self.assertRegex(said, r"\(the port crashed or hung\) +killed +1,")

    LISTS = """case $* in list*) echo '{"systems":[{"name":"tiny","claims":["some_claim","delays_fill_their_window"]}]}'; exit;; esac"""
    SAYS_DRAWS = """echo '{"findings": [{"claim": "delays_fill_their_window"}]}'; exit 1"""

    PAGE = "<!-- measured: coverage/mutate ports --power -->\n| system |\n|---|\n\n"

    def powered(self, hidden: str, *options: str) -> tuple[int, str]:
        """The gate with the table of a page. Injected, all mutants fall; hidden, by what that script says."""
        page = self.folder / "PAGE.md"
        if not page.exists():
            page.write_text(self.PAGE)
        oracle = f"{self.LISTS}; if [ $DRAWS = opaque ]; then {hidden}; fi; {self.KILLS_ALL}"
        return self.gate(oracle, "", "--power", "--page", page, *options)

    FOLLOWS = """echo '{"findings": [], "says": "conforms to tiny, grade exact, as read with wait=long, end=open; known"}'; exit 0"""
    IS_STRICT = '[ -z "${*##*--strict*}" ]'

    def test_what_only_strict_catches_needs_a_reading(self) -> None:
        code, said = self.gate(f"[ $MUTANT != 1 ] || {{ {self.IS_STRICT} || {{ {self.FOLLOWS}; }}; {self.SAYS_NO}; }}; {self.KILLS_ALL}")
        self.assertEqual(code, 0, said)
        self.assertIn("only --strict catches it, as it follows wait=long, end=open\n", said)
        code, said = self.gate(f"[ $MUTANT != 1 ] || {{ {self.IS_STRICT} || {{ {self.SAYS_YES}; }}; {self.SAYS_NO}; }}; {self.KILLS_ALL}")
        self.assertEqual(code, 1, said)
        self.assertIn("only --strict catches it, and no reading excuses it\n", said)
        self.assertIn("survived: " + self.EXCUSE.rpartition(" | ")[0], said)

    def test_an_excuse_is_stale_where_strict_catches_the_mutant(self) -> None:
        code, said = self.gate(f"[ $MUTANT != 1 ] || {{ {self.IS_STRICT} || {{ {self.FOLLOWS}; }}; {self.SAYS_NO}; }}; {self.KILLS_ALL}",
                               self.EXCUSE)
        self.assertEqual(code, 1, said)
        self.assertIn("survivors.txt:1: stale", said)

    def test_power_at_each_grade(self) -> None:
        # By the answers alone mutants 1 and 2 fall; by their distribution 3 too; with --strict 4.
        hidden = (f'[ $MUTANT -gt 2 ] || {{ {self.SAYS_NO}; }}; case "$*" in *--skip*) ;; '
                  f'*) [ $MUTANT -gt 3 ] || {{ {self.SAYS_DRAWS}; }};; esac; '
                  f'[ $MUTANT != 4 ] || {{ {self.IS_STRICT} || {{ {self.FOLLOWS}; }}; {self.SAYS_NO}; }}; {self.SAYS_YES}')
        code, said = self.powered(hidden)
        self.assertEqual(code, 1, said)
        self.assertIn("--- PAGE.md: coverage/mutate ports --power\n", said)
        page = self.folder / "PAGE.md"
        self.assertEqual(page.read_text(), self.PAGE)
        code, said = self.powered(hidden, "--record")
        self.assertEqual(code, 0, said)
        power = tables.read("ports --power", page).rows
        count = power[0][1]
        self.assertEqual(power[0], ["`tiny`", count, "0", f"{count} (100 %)", f"{count} (100 %)", ports.share(3, int(count)),
                                    ports.share(4, int(count)), ports.share(2, int(count))])
        self.assertEqual(power[1][1:], power[0][1:])
        code, said = self.powered(hidden)
        self.assertEqual(code, 0, said)
        self.assertEqual(said.count("not caught with hidden draws"), int(count) - 4)
        code, said = self.powered(hidden.replace("-gt 3", "-gt 4"))
        self.assertEqual(code, 1, said)
        self.assertIn(f"+| `tiny` | {count} | 0 |", said)
        code, said = self.powered(hidden.replace("-gt 3", "-gt 4"), "--system", "tiny")
        self.assertEqual((code, "**all**" in said), (1, False), said)  # one system says nothing about the total

    def test_table_of_power(self) -> None:
        powers = {"a": {"mutants": 12, "equivalent": 2, "exact": 9, "exact_strict": 10, "membership": 5,
                        "distribution": 8, "distribution_strict": 9},
                  "b": {"mutants": 5, "equivalent": 0, "exact": 4, "exact_strict": 4}}
        self.assertEqual(ports.table(powers).text().splitlines()[2:],
                         ["| `a` | 12 | 2 | 9 (90.0 %) | 10 (100 %) | 8 (80.0 %) | 9 (90.0 %) | 5 (50.0 %) |",
                          "| `b` | 5 | 0 | 4 (80.0 %) | 4 (80.0 %) | no draws | no draws | no draws |",
                          "| **all** | 17 | 2 | 13 (86.7 %) | 14 (93.3 %) | 8 (80.0 %) | 9 (90.0 %) | 5 (50.0 %) |"])

    def test_what_has_not_changed_is_not_tried(self) -> None:
        known = r"(?m)^unchanged since the last green run: properties/systems/tiny/ports/port.c \(\d+ mutants\)$"

        def is_tried(oracle: str = self.KILLS_ALL, survivors: str = "", *options: str, status: int = 0) -> bool:
            code, said = self.gate(oracle, survivors, *options)
            self.assertEqual(code, status, said)
            return not re.search(known, said)

        self.assertTrue(is_tried())
        self.assertFalse(is_tried())
        self.assertTrue(is_tried(self.KILLS_ALL, "", "--cases", "7"))
        self.assertTrue(is_tried(f"{self.KILLS_ALL} # more"))
        for _ in range(2):
            self.assertTrue(is_tried(self.KILLS_ALL_BUT_ONE, status=1))
        self.assertTrue(is_tried(self.KILLS_ALL_BUT_ONE, self.EXCUSE))
        self.assertFalse(is_tried(self.KILLS_ALL_BUT_ONE, self.EXCUSE))
        self.assertTrue(is_tried(self.KILLS_ALL_BUT_ONE, status=1))
        for path in ("port.c", "port_main.c"):
            self.assertTrue(is_tried(self.KILLS_ALL, "", "--fresh"))
            with (self.folder / "properties/systems/tiny/ports" / path).open("a") as port:
                port.write("/* More. */\n")
            self.assertTrue(is_tried())
            self.assertFalse(is_tried())

    def test_a_page_that_changes_is_measured_again(self) -> None:
        self.powered(self.SAYS_NO, "--record")
        code, said = self.powered(self.SAYS_NO)
        self.assertEqual((code, "unchanged" in said), (0, False), said)
        self.assertIn("unchanged", self.powered(self.SAYS_NO)[1])
        page = self.folder / "PAGE.md"
        page.write_text(page.read_text().replace("| `tiny` | ", "| `tiny` | 1"))
        for _ in range(2):
            code, said = self.powered(self.SAYS_NO)
            self.assertEqual((code, "unchanged" in said), (1, False), said)

    def test_stale_lines(self) -> None:
        code, said = self.gate(self.KILLS_ALL, self.EXCUSE)
        self.assertEqual(code, 1, said)
        self.assertIn("survivors.txt:1: stale", said)
        code, said = self.gate(self.KILLS_ALL, "\n" + self.EXCUSE.replace("tiny.c", "gone.c"))
        self.assertEqual(code, 1, said)
        self.assertIn("survivors.txt:2: stale, no system's port is that file", said)

    def test_unusable(self) -> None:
        for oracle, naming in ((self.SAYS_NO, "does not conform without any mutant"), ("exit 4", "ends with 4")):
            code, said = self.gate(oracle)
            self.assertEqual(code, 2, said)
            self.assertIn(naming, said)

    def test_system_without_a_port(self) -> None:
        self.add_catalogue("absent")
        code, said = self.gate(self.KILLS_ALL)
        self.assertEqual(code, 2, said)
        self.assertIn("absent/ports/port.c is missing", said)
        self.assertIn(" in 2 systems, 1 of them failed", said)

    def test_port_with_a_warning(self) -> None:
        with (self.folder / "properties/systems/tiny/ports/port.c").open("a") as port:
            port.write("static int forgotten;\n")
        code, said = self.gate(self.KILLS_ALL)
        self.assertEqual(code, 2, said)
        self.assertIn("the port does not compile", said)

    def test_too_few_mutants(self) -> None:
        for least, wanted in (("nothing said", 50), ("At least 30 mutants: one function", 30)):
            self.add_system("tiny", least)
            code, said = self.gate(self.KILLS_ALL)
            self.assertEqual(code, 2, said)
            self.assertRegex(said, rf"tiny: only \d+ mutants, {wanted} wanted")


if __name__ == "__main__":
    unittest.main()
