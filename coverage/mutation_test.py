#!/usr/bin/python3
"""Mutation gates are seen to fail: on a tiny header, a weak test leaves a survivor and a strong one does not.

Covers all of `mutate` but `layers`, which has a test of its own.
"""
import json
import pathlib
import re
import subprocess
import tempfile
import unittest

import witness_file
from mutation import hidden_faults, ninja_build, ports, reaching, tables
from mutation.mutants import Source
from witness_file import Witnesses

ROOT = pathlib.Path(__file__).resolve().parents[1]


def mutate(*words: str | pathlib.Path) -> tuple[int, str]:
    """The exit status, and all that it prints."""
    done = subprocess.run([ROOT / "coverage/mutate", *words], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


# One mutant of `smaller` is equivalent (<= for <); `narrow` is decided at compile time only.
HEADER = """#pragma once
constexpr unsigned smaller(unsigned a, unsigned b) {
  return a < b ? a : b;
}
static_assert(smaller(3, 5) == 3 && smaller(5, 3) == 3 && smaller(4, 4) == 4);
template <class T>
constexpr bool narrow() {
  if constexpr (sizeof(T) < 4) return true;
  return false;
}
"""
STRONG = """#include <gtest/gtest.h>
#include "tiny.hpp"
struct three {
  char bytes[3];
};
TEST(tiny, works) {
  unsigned const volatile one = 1, two = 2;
  bool volatile shorter = narrow<short>(), longer = narrow<int>();
  static_assert(!narrow<int>() && !narrow<long>() && narrow<char>() && narrow<three>());
  EXPECT_TRUE(smaller(one, two) == 1 && smaller(two, one) == 1 && smaller(0, one) == 0 && shorter && !longer);
}
"""
WEAK = """#include <gtest/gtest.h>
#include "tiny.hpp"
TEST(tiny, works) {
  unsigned const volatile one = 1;
  EXPECT_TRUE(smaller(one, one + 1) == 1);
}
"""
EQUIVALENT = "lib/include/tiny.hpp | return a < b ? a : b; | a < b -> a <= b | both are the same number there\n"


class World(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)
        (self.root / "lib/include").mkdir(parents=True)
        (self.root / "spec").mkdir()
        model = self.root / "build/release/spec/libbackoff_model.a"
        model.parent.mkdir(parents=True)
        subprocess.run(["ar", "rcs", model], check=True)  # these tests need none


class Tiny(World):
    def gate(self, test: str, survivors: str, header: str = HEADER) -> tuple[int, str]:
        (self.root / "lib/include/tiny.hpp").write_text(header)
        (self.root / "spec/tiny_test.cpp").write_text(test)
        (self.root / "survivors.txt").write_text(survivors)
        return mutate("library", "--root", self.root, "--survivors", self.root / "survivors.txt")

    def test_strong_test_passes(self) -> None:
        code, said = self.gate(STRONG, "# a comment\n" + EQUIVALENT)
        self.assertEqual(code, 0, said)
        self.assertIn("1 survived, 1 of them excused, 0 problems", said)

    def test_weak_test_leaves_survivors(self) -> None:
        code, said = self.gate(WEAK, EQUIVALENT)
        self.assertEqual(code, 1, said)
        self.assertIn("survived: lib/include/tiny.hpp | return a < b ? a : b; | a < b -> true", said)  # at run time
        self.assertIn("survived: lib/include/tiny.hpp | if constexpr (sizeof(T) < 4) return true; | sizeof(T) < 4", said)

    def test_what_nobody_has_settled_is_counted(self) -> None:
        code, said = self.gate(STRONG, EQUIVALENT.rpartition(" | ")[0] + " | not settled\n")
        self.assertEqual(code, 0, said)
        self.assertIn("1 survived, 1 of them excused (1 of these not settled), 0 problems", said)

    def test_unlisted_survivor_and_stale_line(self) -> None:
        stale = "lib/include/tiny.hpp | return a < b ? a : b; | a < b -> a > b | no longer true\n"
        code, said = self.gate(STRONG, stale)
        self.assertEqual(code, 1, said)
        self.assertIn("survived: lib/include/tiny.hpp | return a < b ? a : b; | a < b -> a <= b", said)
        self.assertIn("survivors.txt:1: stale", said)
        self.assertIn("2 problems", said)

    def test_line_that_excuses_too_much(self) -> None:
        line = "  if (a < b) return a;\n"  # <= is the same in the first, not in the second
        header = ("constexpr unsigned smaller(unsigned a, unsigned b) {\n" + line + "  return b;\n}\n"
                  "constexpr unsigned below(unsigned a, unsigned b) {\n" + line + "  return 9;\n}\n")
        test = """#include <gtest/gtest.h>
#include "tiny.hpp"
TEST(tiny, works) {
  unsigned const volatile one = 1, two = 2;
  EXPECT_TRUE(smaller(one, two) == 1 && smaller(two, one) == 1 && smaller(0, two) == 0 && smaller(two, 0) == 0 &&
         smaller(two, two) == 2 && below(one, two) == 1 && below(one, one) == 9 && below(two, one) == 9);
}
"""
        key = "lib/include/tiny.hpp | if (a < b) return a; | a < b -> a <= b"
        code, said = self.gate(test, f"{key} | both are the same number there\n", header)
        self.assertEqual(code, 1, said)
        self.assertIn(f"survivors.txt:1: excuses a killed mutant as well, tell the lines apart: {key}", said)

    def test_pointers_have_no_order(self) -> None:
        header = "constexpr unsigned read(unsigned const* from) {\n  if (from == nullptr) return 7;\n  return *from;\n}\n"
        test = ('#include <gtest/gtest.h>\n#include "tiny.hpp"\n'
                "TEST(tiny, works) {\n  unsigned volatile five = 5;\n  unsigned const held = five;\n")
        weak, strong = "EXPECT_TRUE(read(&held) == 5);\n}\n", "EXPECT_TRUE(read(nullptr) == 7 && read(&held) == 5);\n}\n"
        code, said = self.gate(test + strong, "", header)
        self.assertEqual(code, 0, said)
        code, said = self.gate(test + weak, "", header)
        self.assertEqual(code, 1, said)
        self.assertIn("if (from == nullptr) return 7; | from == nullptr -> false", said)

    def test_constants_of_a_function(self) -> None:
        """g++ computes a const number that is made of constants, wherever it stands: no mutant can be on there."""
        header = ("template <class T>\nconstexpr T halved(T a) {\n  T const two = T(2U);\n  T const half = T(a / two);\n"
                  "  return half;\n}\n")
        test = ('#include <gtest/gtest.h>\n#include "tiny.hpp"\n'
                "TEST(tiny, works) {\n  unsigned volatile nine = 9;\n  EXPECT_TRUE(halved<unsigned>(nine) == 4);\n}\n")
        code, said = self.gate(test, "", header)
        self.assertEqual(code, 0, said)
        self.assertIn("built one by one: 2, 2 killed", said)

    def test_unusable(self) -> None:
        for test, survivors, naming in (
                (STRONG, EQUIVALENT.rpartition(" | ")[0] + " | \n", "survivors.txt:1: wants"),  # no reason
                (STRONG, EQUIVALENT.rpartition(" | ")[0] + "\n", "survivors.txt:1: wants"),
                (STRONG.replace("EXPECT_TRUE", "EXPECT_FALSE"), "", "tiny.works fails without any mutant"),
                ("int main() {}\n", "", "no test in")):
            code, said = self.gate(test, survivors)
            self.assertEqual(code, 2, said)
            self.assertIn(naming, said)


def lists(build: pathlib.Path, specs: dict[str, list[str]]) -> None:
    """A program of the build that lists the requirements of the system tiny, with the specs that check each."""
    listed = {"systems": [{"name": "tiny", "claims": ["never_late"],
                           "requirements": [{"id": name, "checks": ["never_late", *checks]} for name, checks in specs.items()]}]}
    (build / "bin").mkdir(parents=True, exist_ok=True)
    (build / "bin/backoff-oracle").write_text(f"#!/bin/sh\ncat <<'END'\n{json.dumps(listed)}\nEND\n")
    (build / "bin/backoff-oracle").chmod(0o755)


class WitnessesInTheLibrary(World):
    """A fault is a witness where it lies in what meets the requirement, and the spec that names it notices."""
    EQUIVALENT = "lib/include/tiny.hpp | return a < b ? a : b; | a < b -> a <= b | both are the same number there\n"
    HEADER = """#pragma once
// The smaller. T-1.
constexpr unsigned smaller(unsigned a, unsigned b) {
  return a < b ? a : b;
}
// T-2.
struct sum {
  // Of both.
  static constexpr unsigned of(unsigned a, unsigned b) { return a + b; }
};
"""
    TEST = """#include <gtest/gtest.h>
#include "tiny.hpp"
unsigned volatile one = 1;
TEST(tiny, smaller) { EXPECT_EQ(smaller(one, 2), 1U); }
TEST(more, smaller) { EXPECT_TRUE(smaller(2, one) == 1U && smaller(0, one) == 0U); }
TEST(tiny, sum) { EXPECT_EQ(sum::of(one, 2), 3U); }
TEST(tiny, vacuous) {
  smaller(one, 2);
  EXPECT_TRUE(true);
}
"""

    def recorded(self, specs: dict[str, list[str]], before: Witnesses | None = None, *options: str) -> tuple[int, str, Witnesses]:
        (self.root / "lib/include/tiny.hpp").write_text(self.HEADER)
        (self.root / "spec/tiny_test.cpp").write_text(self.TEST)
        (self.root / "survivors.txt").write_text(self.EQUIVALENT)
        lists(self.root / "build/release", specs)
        record = self.root / "witnesses.txt"
        record.write_text(witness_file.text(before or {}))
        code, said = mutate("library", "--root", self.root, "--survivors", self.root / "survivors.txt", "--witnesses", record, *options)
        return code, said, witness_file.read(record.read_text())

    def test_only_what_meets_the_requirement_counts(self) -> None:
        specs = {"T-1": ["tiny.smaller", "tiny.sum", "tiny.vacuous"], "T-2": ["tiny.sum"]}
        code, said, record = self.recorded(specs)
        self.assertIn("library mutants: 13 mutants, 12 killed (92.3 %), 1 survived, 1 of them excused, 0 problems", said)  # in the same run
        self.assertIn("2 of 4 specs by requirement with a fault that the spec notices, not as recorded", said)
        self.assertIn("+tiny | tiny.sum | T-2 | lib/include/tiny.hpp | static", said)
        self.assertEqual((code, record), (1, {}))
        code, said, record = self.recorded(specs, {}, "--update")
        first = "lib/include/tiny.hpp | return a < b ? a : b; | "
        self.assertEqual((code, record["tiny"].keys()), (0, {"tiny.smaller", "tiny.sum"}), said)
        self.assertTrue(record["tiny"]["tiny.smaller"]["T-1"].startswith(first), said)
        self.assertEqual(record["tiny"]["tiny.sum"].keys(), {"T-2"})
        code, said, again = self.recorded(specs, record)
        self.assertEqual((code, again), (0, record), said)

    def test_what_is_recorded_stays_where_it_is_noticed(self) -> None:
        last = {"tiny": {"tiny.smaller": {"T-1": "lib/include/tiny.hpp | return a < b ? a : b; | a < b -> a != b"}}}
        code, said, record = self.recorded({"T-1": ["tiny.smaller"]}, last, "--update")
        self.assertEqual((code, record["tiny"].keys()), (0, {"tiny.smaller"}), said)  # 1 < 2 and 1 != 2: this spec sees no difference
        self.assertNotEqual(record, last)
        last["tiny"]["tiny.smaller"]["T-1"] = "lib/include/tiny.hpp | return a < b ? a : b; | a < b -> a >= b"
        self.assertEqual(self.recorded({"T-1": ["tiny.smaller"]}, last)[::2], (0, last))

    def test_nothing_changed(self) -> None:
        """The record is compared though nothing is tried; an edited fault of it is tried again."""
        specs = {"T-1": ["tiny.smaller"]}
        _, _, record = self.recorded(specs, {}, "--update")
        self.assertNotIn("unchanged", self.recorded(specs, record)[1])  # --update has changed the record
        code, said, _ = self.recorded(specs, record)
        self.assertEqual(code, 0, said)
        self.assertIn("unchanged since the last green run: lib/include/tiny.hpp (13 mutants)\n", said)
        self.assertIn("1 of 1 specs by requirement with a fault that the spec notices, as recorded\n", said)
        record["tiny"]["tiny.smaller"]["T-1"] = "lib/include/tiny.hpp | return a < b ? a : b; | a < b -> a != b"
        code, said, _ = self.recorded(specs, record)
        self.assertEqual((code, "unchanged" in said), (1, False), said)
        record["tiny"]["tiny.gone"] = {"T-1": "lib/include/gone.hpp | x | y -> z"}
        self.assertEqual(self.recorded(specs, record)[0], 1)

    def test_record_of_another_form(self) -> None:
        (self.root / "witnesses.txt").write_text("tiny\n")
        (self.root / "lib/include/tiny.hpp").write_text(self.HEADER)
        (self.root / "spec/tiny_test.cpp").write_text(self.TEST)
        lists(self.root / "build/release", {"T-1": ["tiny.smaller"]})
        code, said = mutate("library", "--root", self.root, "--witnesses", self.root / "witnesses.txt")
        self.assertEqual(code, 2, said)
        self.assertIn("witnesses.txt: line 1: expected STEM", said)

    def test_a_fault_of_the_model_stays_for_specs_that_notice_none_of_the_library(self) -> None:
        of_model = {"T-1": "spec/relation/tiny.cpp | return a + b; | a + b -> a - b"}
        code, said, record = self.recorded({"T-1": ["tiny.smaller", "tiny.vacuous"]},
                                           {"tiny": {"tiny.smaller": of_model, "tiny.vacuous": of_model}}, "--update")
        self.assertEqual((code, record["tiny"]["tiny.vacuous"]), (0, of_model), said)
        self.assertIn("lib/include", record["tiny"]["tiny.smaller"]["T-1"])


class Unchanged(World):
    """Two headers, each with a test of its own."""
    UNCHANGED = "unchanged since the last green run: lib/include/{0}.hpp"

    def setUp(self) -> None:
        super().setUp()
        for name in ("one", "two"):
            self.write(f"lib/include/{name}.hpp", f"constexpr unsigned {name}(unsigned a, unsigned b) {{ return a + b; }}\n")
            self.write(f"spec/{name}_test.cpp", f'#include <gtest/gtest.h>\n#include "{name}.hpp"\n#include "tests/{name}.hpp"\n'
                                                f"TEST({name}, adds) {{ EXPECT_EQ({name}(number, 2), 5U); }}\n")
            self.write(f"spec/tests/{name}.hpp", "static unsigned volatile number = 3;\n")
        self.write("survivors.txt", "")
        self.tries("one", "two")

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(exist_ok=True)
        (self.root / path).write_text(text)

    def more(self, path: str, text: str = "// More.\n") -> None:
        self.write(path, (self.root / path).read_text() + text)

    def tries(self, *names: str, options: tuple[str, ...] = (), status: int = 0) -> str:
        """What is said by a run that tries these headers, and no others."""
        code, said = mutate("library", "--root", self.root, "--survivors", self.root / "survivors.txt", *options)
        self.assertEqual(code, status, said)
        self.assertEqual([name for name in ("one", "two") if self.UNCHANGED.format(name) not in said], list(names), said)
        return said

    def test_what_has_not_changed_is_not_tried(self) -> None:
        said = self.tries()
        self.assertIn("library mutants: 0 mutants, 0 killed, 0 survived, 0 of them excused, 0 problems, 8 more unchanged", said)
        self.more("lib/include/two.hpp")
        self.assertIn(": 4 mutants, 4 killed (100.0 %), 0 survived, 0 of them excused, 0 problems, 4 more unchanged", self.tries("two"))
        self.tries()
        for changed in ("spec/one_test.cpp", "spec/tests/one.hpp"):
            self.more(changed)
            self.tries("one")
        self.more("survivors.txt", "# A comment.\n")
        self.tries()
        self.tries("one", "two", options=("--fresh",))
        (self.root / "build/gate/mutants_library.json").unlink()
        self.tries("one", "two")

    def test_another_model(self) -> None:
        self.write("spec/model.cpp", "int model;\n")
        subprocess.run(["g++-12", "-c", self.root / "spec/model.cpp", "-o", self.root / "model.o"], check=True)
        subprocess.run(["ar", "rcs", self.root / "build/release/spec/libbackoff_model.a", self.root / "model.o"], check=True)
        self.tries("one", "two")
        self.tries()

    def test_red_stays_red(self) -> None:
        self.more("survivors.txt", "lib/include/one.hpp | x | y -> z | why\n")
        for _ in range(2):
            self.assertIn("survivors.txt:1: stale", self.tries("one", status=1))
        self.write("survivors.txt", "")
        self.tries()  # as it was when it was green
        weak = (self.root / "spec/two_test.cpp").read_text().replace("EXPECT_EQ(two(number, 2), 5U)", "EXPECT_GT(two(number, 2), 4U)")
        self.write("spec/two_test.cpp", weak)
        for _ in range(2):
            self.assertIn("survived: lib/include/two.hpp", self.tries("two", status=1))
        self.more("survivors.txt", "lib/include/gone.hpp | x | y -> z | why\n")
        self.assertIn("survivors.txt:1: stale", self.tries("two", status=1))


TINY_C = """#include "protocol.h"
uint32_t smaller(uint32_t a, uint32_t b);
uint32_t smaller(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}
"""
TINY_MAIN = """#include <stddef.h>
#include "protocol.h"
struct port const port = {"tiny", "", NULL, NULL};
"""


class Layer(unittest.TestCase):
    """A layer of its own build: one object of an archive is linked anew."""
    root: pathlib.Path
    # A constant that can be computed later, and one that cannot; halves of strings are no strings.
    SOURCE = """#include <array>
#include <string>
unsigned smaller(unsigned a, unsigned b) {
  constexpr unsigned two = 2;
  constexpr unsigned three = 3;
  std::array<unsigned, three> const all{a, b, a};
  return a < b ? all[0] * two : b * two;
}
std::string both(std::string const& a, std::string const& b) { return a + b; }
"""
    KEY = "spec/relation/tiny.cpp | return a < b ? all[0] * two : b * two; | a < b -> a <= b"
    LARGER = "spec/relation/tiny.cpp | constexpr unsigned three = 3; | 3 -> 3 + 1"
    EXCUSES = f"{KEY} | both are the same number there\n{LARGER} | what is not filled is not read\n"
    STRONG = 'smaller(1, 2) == 2 && smaller(2, 1) == 2 && smaller(3, 3) == 6 && both("a", "b") == "ab"'

    @classmethod
    def setUpClass(cls) -> None:
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.root = pathlib.Path(scratch.name)
        (cls.root / "spec/relation").mkdir(parents=True)
        (cls.root / "spec/relation/tiny.cpp").write_text(cls.SOURCE)
        (cls.root / "lib/src").mkdir(parents=True)
        (cls.root / "lib/src/own.cpp").write_text("unsigned twice(unsigned a) { return a + a; }\n")
        (cls.root / "spec/tests.cpp").write_text("int main() {}\n")
        (cls.root / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(tiny CXX)\nset(CMAKE_CXX_STANDARD 20)\n"
            "set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)\nfind_package(GTest REQUIRED)\n"
            "add_library(tiny STATIC spec/relation/tiny.cpp)\nadd_executable(spec_tests spec/tests.cpp lib/src/own.cpp)\n"
            "target_link_libraries(spec_tests tiny GTest::gtest_main)\n")
        subprocess.run(["cmake", "-S", cls.root, "-B", cls.root / "build/release", "-G", "Ninja"], capture_output=True, check=True)

    def gate(self, test: str, survivors: str, *options: str | pathlib.Path, layer: str = "model") -> tuple[int, str]:
        (self.root / "spec/tests.cpp").write_text(
            "#include <gtest/gtest.h>\nunsigned smaller(unsigned, unsigned);\nunsigned twice(unsigned);\n"
            f"std::string both(std::string const&, std::string const&);\nTEST(tiny, works) {{ EXPECT_TRUE({test}); }}\n"
            'TEST(tiny, adds_nothing) { EXPECT_EQ(both("", ""), ""); }\n')
        (self.root / "survivors.txt").write_text(survivors)
        subprocess.run(["cmake", "--build", self.root / "build/release"], capture_output=True, check=True)
        return mutate(layer, "--root", self.root, "--survivors", self.root / "survivors.txt", *(options or ["--fresh"]))

    def test_what_has_not_changed_is_not_tried(self) -> None:
        known = "unchanged since the last green run: spec/relation/tiny.cpp"
        self.assertEqual(self.gate(self.STRONG, self.EXCUSES)[0], 0)

        def is_tried(test: str, *options: str) -> bool:
            code, said = self.gate(test, self.EXCUSES, "--jobs", "2", *options)
            self.assertEqual(code, 0, said)
            return known not in said

        self.assertFalse(is_tried(self.STRONG))
        self.assertTrue(is_tried(f"{self.STRONG} && true"))
        self.assertFalse(is_tried(f"{self.STRONG} && true"))
        (self.root / "spec/relation/tiny.cpp").touch()  # newer than its object
        code, said = mutate("model", "--root", self.root, "--survivors", self.root / "survivors.txt")
        self.assertEqual((code, known in said), (0, False), said)
        self.assertFalse(is_tried(f"{self.STRONG} && true"))
        for path, text in (("spec/relation/tiny.cpp", self.SOURCE), ("lib/src/own.cpp", (self.root / "lib/src/own.cpp").read_text())):
            (self.root / path).write_text(f"{text}int more;\n")
            self.assertTrue(is_tried(f"{self.STRONG} && true"))
            (self.root / path).write_text(text)
        self.assertTrue(is_tried(f"{self.STRONG} && true"))

    def test_strong_tests_pass_with_excuses(self) -> None:
        code, said = self.gate(self.STRONG, self.EXCUSES)
        self.assertEqual(code, 0, said)
        self.assertIn("2 survived, 2 of them excused, 0 problems", said)
        self.assertRegex(said, "built one by one: 6, 5 killed")  # three decides a type; strings are only added

    def test_weak_tests_leave_survivors(self) -> None:
        code, said = self.gate("smaller(0, 2) == 0", "")
        self.assertEqual(code, 1, said)
        self.assertIn(f"survived: {self.KEY.rpartition(' | ')[0]} | a < b -> true", said)
        self.assertIn("survived: spec/relation/tiny.cpp | constexpr unsigned two = 2; | 2 -> 2 + 1", said)  # chosen at run time
        self.assertIn(f"survived: {self.LARGER}", said)  # built for itself
        self.assertNotIn("a + b -> a - b", said)

    def test_witnesses_in_the_model(self) -> None:
        lists(self.root / "build/release", {"T-1": ["tiny.works", "tiny.adds_nothing"], "T-2": ["tiny.works"]})
        record, of_library = self.root / "witnesses.txt", {"T-1": "lib/src/own.cpp | return a + a; | a + a -> a - a"}
        before: Witnesses = {"tiny": {"tiny.adds_nothing": of_library}}
        record.write_text(witness_file.text(before))
        code, said = self.gate(self.STRONG, self.EXCUSES, "--witnesses", record)
        self.assertEqual((code, witness_file.read(record.read_text())), (1, before), said)
        code, said = self.gate(self.STRONG, self.EXCUSES, "--witnesses", record, "--update")
        self.assertIn("3 of 3 specs by requirement with a fault that the spec notices, not as recorded", said)
        found = witness_file.read(record.read_text())["tiny"]
        self.assertEqual((code, found["tiny.adds_nothing"], found["tiny.works"].keys()), (0, of_library, {"T-1", "T-2"}))
        self.assertTrue(found["tiny.works"]["T-1"].startswith("spec/relation/tiny.cpp | "))

    def test_objects_that_the_tests_link_themselves_are_replaced(self) -> None:
        for test, exit_code, killed in (("twice(3) == 6", 0, 4), ("twice(2) == 4", 1, 3)):
            code, said = self.gate(test, "", layer="c")
            self.assertEqual(code, exit_code, said)
            self.assertIn(f"c mutants: 4 mutants, {killed} killed", said)

    def test_mutants_that_no_test_comes_by_survive(self) -> None:
        code, said = self.gate("true", "")
        self.assertEqual(code, 1, said)
        self.assertRegex(said, r"in one program: 15 mutants, 0 killed, 1[0-9] that no test comes by")

    def test_unusable(self) -> None:
        for test, options, naming in (("smaller(1, 2) == 1", [], "tiny.works fails without any mutant"),
                                      (self.STRONG, ["--only", "lib/*"], "mutate model: no file of the layer matches lib/*"),
                                      (self.STRONG, ["--build", "/nowhere"], "bin/spec_tests is missing")):
            code, said = self.gate(test, "", *options)
            self.assertEqual(code, 2, said)
            self.assertIn(naming, said)


class Ports(unittest.TestCase):
    """On a tiny C port, with an oracle of our own, which looks at the number of the mutant and not at the port."""

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        (self.folder / "properties/ports").mkdir(parents=True)
        (self.folder / "properties/ports/c_protocol").symlink_to(ROOT / "properties/ports/c_protocol")
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

    PAGE = "".join(f"<!-- measured: coverage/mutate ports --power{name} -->\n| system |\n|---|\n\n"
                   for name in ("", ": claims", ": only-strict"))

    def powered(self, hidden: str, *options: str) -> tuple[int, str]:
        """The gate with the tables of a page. Injected, all mutants fall; hidden, by what that script says."""
        page = self.folder / "PAGE.md"
        if not page.exists():
            page.write_text(self.PAGE)
        oracle = f"{self.LISTS}; if [ $DRAWS = opaque ]; then {hidden}; fi; {self.KILLS_ALL}"
        return self.gate(oracle, "", "--power", "--pages", page, *options)

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
        code, said = self.powered(hidden, "--update")
        self.assertEqual(code, 0, said)
        power, claims, strict = (tables.read(f"ports --power{name}", [page])[1].rows for name in ("", ": claims", ": only-strict"))
        count = power[0][1]
        self.assertEqual(power[0], ["`tiny`", count, "0", f"{count} (100 %)", f"{count} (100 %)", ports.share(3, int(count)),
                                    ports.share(4, int(count)), ports.share(2, int(count))])
        self.assertEqual(power[1][1:], power[0][1:])
        self.assertEqual([row[1:] for row in strict], [["hidden", "wait=long, end=open"]])
        self.assertRegex(strict[0][0], r"^`tiny\.c`: `.*`, `.* -> .*`$")
        self.assertEqual(claims, [["`tiny`", "`delays_fill_their_window`", "0", "1"], ["`tiny`", "`some_claim`", count, "2"]])
        code, said = self.powered(hidden)
        self.assertEqual(code, 0, said)
        self.assertEqual(said.count("not caught with hidden draws"), int(count) - 4)
        code, said = self.powered(hidden.replace("-gt 3", "-gt 4"))
        self.assertEqual(code, 1, said)
        self.assertIn(f"+| `tiny` | {count} | 0 |", said)
        code, said = self.powered(hidden.replace("-gt 3", "-gt 4"), "--system", "tiny")
        self.assertEqual((code, "**all**" in said), (1, False), said)  # one system says nothing about the total

    def test_tables_of_power(self) -> None:
        powers = {"a": {"mutants": 12, "equivalent": 2, "exact": 9, "exact_strict": 10, "membership": 5,
                        "distribution": 8, "distribution_strict": 9, "claims": {"c": {"exact": 10, "hidden": 8}},
                        "only_strict": [{"mutant": "a.c | x || y; | x || y -> x", "draws": "given", "reading": "r=s"}]},
                  "b": {"mutants": 5, "equivalent": 0, "exact": 4, "exact_strict": 4, "claims": {"d": {"exact": 4}}, "only_strict": []}}
        self.assertEqual(ports.table(powers).text().splitlines()[2:],
                         ["| `a` | 12 | 2 | 9 (90.0 %) | 10 (100 %) | 8 (80.0 %) | 9 (90.0 %) | 5 (50.0 %) |",
                          "| `b` | 5 | 0 | 4 (80.0 %) | 4 (80.0 %) | no draws | no draws | no draws |",
                          "| **all** | 17 | 2 | 13 (86.7 %) | 14 (93.3 %) | 8 (80.0 %) | 9 (90.0 %) | 5 (50.0 %) |"])
        self.assertEqual(ports.only_strict_table(powers).text().splitlines()[2:],
                         ["| `a.c`: `x \\|\\| y;`, `x \\|\\| y -> x` | given | r=s |"])
        self.assertEqual(ports.claims_table(powers).text().splitlines()[2:], ["| `a` | `c` | 10 | 8 |", "| `b` | `d` | 4 | no draws |"])

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
        self.powered(self.SAYS_NO, "--update")
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


class Tables(unittest.TestCase):
    """Measurements by programs that print what they are told to."""

    def setUp(self) -> None:
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.page = self.folder / "PAGE.md"

    def measured(self, what: str, program: str, script: str, *options: str) -> tuple[int, str]:
        (self.folder / program).write_text(f"#!/bin/sh\n{script}\n")
        (self.folder / program).chmod(0o755)
        return mutate(what, "--bin", self.folder, "--pages", self.page, *options)

    def test_program_that_is_not_built(self) -> None:
        code, said = mutate("late-faults", "--bin", "/nowhere")
        self.assertEqual((code, said.partition(":")[0]), (2, "mutate late-faults"), said)
        self.assertIn("/nowhere/late-faults is missing: cmake --build", said)

    def test_page_without_the_table(self) -> None:
        self.page.write_text("<!-- measured: coverage/mutate late -->\n")
        code, said = self.measured("late-faults", "late-faults", "echo caught late-zero@3")
        self.assertEqual(code, 2, said)
        self.assertIn("PAGE.md: no table below <!-- measured: coverage/mutate late-faults -->", said)

    def test_faults_that_begin_late(self) -> None:
        """Each line that there may be: a fault, where it begins, and what is left of the name."""
        self.page.write_text("Before.\n\n<!-- measured: coverage/mutate late-faults -->\n\nAfter.\n")
        lines = "echo caught late-zero@3; echo passed late-one-more@41-few; echo unseen late-one-more@42"
        code, said = self.measured("late-faults", "late-faults", lines)
        self.assertEqual(code, 1, said)
        self.assertIn("aws_retry_utils, draws hidden: passes with late-one-more@41-few\n", said)
        code, said = self.measured("late-faults", "late-faults", lines, "--update")
        self.assertEqual(code, 0, said)
        self.assertIn("\n| `aws_retry_utils` | hidden | 1 of 1 | 0 of 1 | 0 of 0 | 0 of 0 | 0 of 0 |\n", self.page.read_text())
        self.assertTrue(self.page.read_text().startswith("Before.\n\n<!--") and self.page.read_text().endswith("|\n\nAfter.\n"))
        code, said = self.measured("late-faults", "late-faults", lines)
        self.assertEqual(code, 0, said)
        self.assertIn("late-faults: 1 tables, 0 not as recorded\n", said)
        code, said = self.measured("late-faults", "late-faults", lines.replace("caught", "passed"))
        self.assertEqual(code, 1, said)
        self.assertIn("-| `aws_retry_utils` | hidden | 1 of 1 |", said)
        self.assertIn("+| `aws_retry_utils` | hidden | 0 of 1 |", said)

    def test_first_findings(self) -> None:
        self.page.write_text("<!-- measured: coverage/mutate first-findings -->\n\n"
                             "<!-- measured: coverage/mutate first-findings: others -->\n")
        lines = "echo b late c1 c2+c1 c3; echo a early c1 c2 c1; echo a silent c1; echo a told c1 c1"
        code, said = self.measured("first-findings", "first_findings", lines, "--update")
        self.assertEqual(code, 0, said)
        for row in ("| `a` | 3 | 1 (33.3%) | 1.00 |", "| `b` | 1 | 1 (100.0%) | 2.00 |", "| **all** | 4 | 2 (50.0%) | 1.25 |",
                    "| `a` | `early` | `c1` | `c2` |\n| `a` | `silent` | `c1` | none |"):
            self.assertIn(row, self.page.read_text())
        self.assertEqual(self.measured("first-findings", "first_findings", lines)[0], 0)
        code, said = self.measured("first-findings", "first_findings", lines.replace("told c1 c1", "told c1 c3"))
        self.assertEqual(code, 1, said)
        self.assertIn("+| `a` | `told` | `c1` | `c3` |", said)

    def test_pairs(self) -> None:
        self.page.write_text("<!-- measured: coverage/mutate blame-pairs -->\n\n<!-- measured: coverage/mutate blame-pairs: others -->\n")
        lines = "printf 'a\\tzero\\tr=s\\t\\tc1 c2\\tc1\\na\\thalf\\tr=s\\tr=s\\tc1\\tc1\\n'"
        code, said = self.measured("blame-pairs", "blame_pairs", lines, "--update")
        self.assertEqual(code, 0, said)
        for row in ("| `a` | 2 | 1 (50.0%) |", "| **all** | 2 | 1 (50.0%) |", "| `a` | zero | r=s | the canonical reading | `c2` | none |"):
            self.assertIn(row, self.page.read_text())
        code, said = self.measured("blame-pairs", "blame_pairs", lines.replace("\\tc1\\n'", "\\tc3\\n'"))
        self.assertEqual(code, 1, said)
        self.assertIn("+| `a` | half | r=s | r=s | `c1` | `c3` |", said)

    def test_a_bound_holds_the_number(self) -> None:
        self.assertTrue(tables.agrees("7 of 20 (≥ 2)", "2 of 20") and tables.agrees("1.28 (≤ 1.3)", "1.3"))
        self.assertFalse(tables.agrees("7 of 20 (≥ 2)", "1 of 20") or tables.agrees("1.28 (≤ 1.3)", "1.31"))
        self.assertFalse(tables.agrees("7 of 20", "8 of 20"))
        recorded = tables.Rows(["x", "y", "z"], [["a", "7 of 9 (≥ 2)", "5"], ["b", "3", "4 (≤ 9)"]])
        self.assertEqual(tables.updated(recorded, tables.Rows(["x", "y", "z"], [["a", "6 of 9", "4"], ["c", "1", "2"]])).rows,
                         [["a", "6 of 9 (≥ 2)", "4"], ["c", "1", "2"]])
        self.assertEqual(tables.updated(recorded, tables.Rows(["x", "y"], [["a", "6 of 9"], ["b", "2"]])).rows,
                         [["a", "6 of 9 (≥ 2)", "5"], ["b", "2", "4 (≤ 9)"]])

    def test_hidden_faults(self) -> None:
        """Each run finds all faults but one, and the page demands them in both runs."""
        self.page.write_text("<!-- measured: coverage/mutate hidden-faults -->\n")
        names = [name for name, *_ in hidden_faults.FAULTS]
        lines = "; ".join(f"echo found {name}" for name in names[1:]) + "; echo passed none; " + "; ".join(
            f"echo stated {name} 10 10" for name in ("half-window", "repeats", "same-again"))
        code, said = self.measured("hidden-faults", "hidden-faults", lines, "--seeds", "2", "--update")
        self.assertEqual(code, 0, said)
        page = self.page.read_text()
        self.assertIn("| bias of 1 % | 2 of 2 | 2 of 2 |", page)
        without = lines.replace("found bias-1;", "passed bias-1;")
        self.page.write_text(page.replace("| bias of 1 % |" + " 2 of 2 |" * 4, "| bias of 1 % |" + " 2 of 2 (≥ 1) |" * 4))
        for script, seeds, status in ((lines, "2", 0), (lines, "1", 1), (without, "2", 1)):
            code, said = self.measured("hidden-faults", "hidden-faults", script, "--seeds", seeds)
            self.assertEqual(code, status, said)
        self.assertIn("+| bias of 1 % | 0 of 2 |", said)
        self.page.write_text(page.replace("| bias of 1 % |" + " 2 of 2 |" * 4, "| bias of 1 % |" + " 2 of 2 (≥ 0) |" * 4))
        self.assertEqual(self.measured("hidden-faults", "hidden-faults", without, "--seeds", "2")[0], 0)


class Commands(unittest.TestCase):
    def test_what_starts_a_compiler_is_left_out(self) -> None:
        rest = "/usr/bin/c++ -DX -I/a -O3 -Wall -std=c++20 -MD -MT m.o -MF m.o.d -o m.o -c /a/m.cpp"
        for launcher in ("", "/usr/bin/ccache ", "/usr/bin/cmake -E env CCACHE_BASEDIR=/a/ccache CCACHE_NOHASHDIR=1 /usr/bin/ccache "):
            self.assertEqual(ninja_build.Build.arguments(launcher + rest), ["/usr/bin/c++", "-DX", "-I/a", "-std=c++20"])


class Engine(unittest.TestCase):
    def mutants_of(self, text: str, language: str = "c", of_classes: bool = False) -> Source:
        with tempfile.TemporaryDirectory() as scratch:
            file = pathlib.Path(scratch) / "source"
            file.write_text(text)
            return Source(file, "source", ["-std=c++20"] if language == "c++" else [], language, of_classes=of_classes)

    def changes(self, text: str) -> set[str]:
        return {f"{m.old} -> {m.new}" for m in self.mutants_of(text).mutants}

    def test_every_kind(self) -> None:
        self.assertLessEqual({"a + b -> a - b", "a + b -> a * b", "a + b -> 0", "a + b -> 1"},
                             self.changes("int f(int a, int b) { return a + b; }"))
        self.assertEqual({"a && !b -> a || !b", "a && !b -> a", "a && !b -> !b", "!b -> b", "a && !b -> 0", "a && !b -> 1"},
                         self.changes("int f(int a, int b) { return a && !b; }"))
        self.assertEqual({"a < 9 -> a <= 9", "a < 9 -> a > 9", "a < 9 -> a >= 9", "a < 9 -> a == 9", "a < 9 -> a != 9",
                          "a < 9 -> true", "a < 9 -> false", "9 -> 9 + 1", "9 -> 9 - 1", "++a -> --a", "++a -> (deleted)",
                          "a -> 0", "a -> 1"},
                         self.changes("int f(int a) { if (a < 9) ++a; return a; }"))
        self.assertEqual({"RED -> BLUE"}, self.changes("enum e { RED, BLUE }; enum e f(void) { return RED; }"))
        self.assertEqual({"a -> !(a)", "a -> true", "a -> false", "*b += a -> *b -= a", "*b += a -> *b = a",
                          "*b += a -> (deleted)"}, self.changes("void f(int a, int *b) { if (a) *b += a; }"))

    def test_fractions_have_no_remainder(self) -> None:
        self.assertIn("a / b -> a % b", self.changes("int f(int a, int b) { return a / b; }"))
        self.assertNotIn("a / b -> a % b", self.changes("double f(double a, int b) { return a / b; }"))
        self.assertIn("a / b -> a * b", self.changes("double f(int a, double b) { return a / b; }"))
        self.assertNotIn("a / b -> a % b", self.changes("double f(int a, double b) { return a / b; }"))

    def test_conditions_beside_declarations(self) -> None:
        def mutated(body: str) -> set[str]:
            text = f"bool f(int); void g(bool); void h(int a) {{ {body} }}"
            return {f"{m.old} -> {m.new}" for m in self.mutants_of(text, "c++").mutants} - {"g(b) -> (deleted)"}
        self.assertEqual({"f(a) -> true", "f(a) -> false", "f(a) -> !(f(a))"}, mutated("if (bool b = a; f(a)) g(b);"))
        self.assertEqual(set(), mutated("if (bool b = f(a)) g(b);"))
        self.assertEqual(set(), mutated("while (bool b = f(a)) g(b);"))

    def test_what_a_header_gives_is_not_its_own(self) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            (pathlib.Path(scratch) / "given.hpp").write_text("void f(int a, bool b = true);\n")
            file = pathlib.Path(scratch) / "source.cpp"
            file.write_text('#include "given.hpp"\nvoid f(int, bool) {}\n')
            self.assertEqual([], Source(file, "source.cpp", [], "c++").mutants)

    def test_what_has_no_order(self) -> None:
        other = {"a == b -> a != b", "a == b -> false", "a == b -> true"}
        for kind in ("bool", "e", "c", "int*"):
            text = f"enum class e {{}}; struct c {{ bool operator==(c const&) const; }}; bool f({kind} a, {kind} b) {{ return a == b; }}"
            self.assertEqual({f"{m.old} -> {m.new}" for m in self.mutants_of(text, "c++", of_classes=True).mutants}, other, kind)
        text = "struct c { bool operator==(c const&) const; }; bool f(c a, c b) { return a != b; }"
        self.assertEqual({f"{m.old} -> {m.new}" for m in self.mutants_of(text, "c++", of_classes=True).mutants},
                         {"a != b -> a == b", "a != b -> false", "a != b -> true"})
        self.assertIn("a == b -> a < b", self.changes("int f(int a, int b) { return a == b; }"))
        self.assertIn("a == b -> a < b", self.changes("enum e { x }; int f(enum e a, enum e b) { return a == b; }"))  # in C

    def test_operators_of_classes(self) -> None:
        text = "struct c { int n; }; c operator+(c, c); bool operator<(c, c); bool f(c a, c b) { return a < a + b; }"
        self.assertLessEqual({"a < a + b -> a >= a + b", "a + b -> a - b"},
                             {f"{m.old} -> {m.new}" for m in self.mutants_of(text, "c++", of_classes=True).mutants})

    def test_what_is_made_a_truth_value_stays_one(self) -> None:
        """A mutant that is true or false must not become a class of which every value is true."""
        text = ("#include <optional>\nint f(std::optional<int> a) { if (!a) return 1; return a ? 2 : 3; }\n"
                "int main() { return 10 * f({}) + f(0); }\n")
        source = self.mutants_of(text, "c++")
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            (folder / "mutation_switch.hpp").write_text(reaching.SWITCH)
            (folder / "one.cpp").write_text(source.instrumented())
            subprocess.run(["g++-12", "-std=c++20", "-w", folder / "one.cpp", "-o", folder / "one"], check=True)

            def answer(number: int) -> int:
                return subprocess.run([folder / "one"], env={"MUTANT": str(number)}, check=False).returncode

            self.assertEqual(answer(0), 12)
            answers = {f"{m.old} -> {m.new}": answer(m.number) for m in source.mutants}
            self.assertEqual((answers["!a -> a"], answers["!a -> true"], answers["!a -> false"]), (31, 11, 32))
            self.assertEqual((answers["a -> true"], answers["a -> false"], answers["a -> !(a)"]), (12, 13, 13))

    def test_each_number_makes_its_one_change(self) -> None:
        source = self.mutants_of("int f(int a, int b) {\n  if (a * 2 < b) ++a;\n  return a - b;\n}\n"
                                 "int main(void) { return f(3, 9) + 100 * f(9, 3); }\n")
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)

            def answer(name: str, text: str, number: int) -> int:
                (folder / "one.c").write_text(text)
                if not (folder / name).exists():
                    subprocess.run(["gcc-12", "-w", folder / "one.c", "-o", folder / name], check=True)
                return subprocess.run([folder / name], env={"MUTANT": str(number)}, check=False).returncode

            self.assertEqual(answer("all", source.instrumented(), 0), answer("original", source.text.decode(), 0))
            for mutant in source.mutants:
                self.assertEqual(answer("all", source.instrumented(), mutant.number),
                                 answer(f"one{mutant.number}", source.replaced(mutant).decode(), 0), mutant.key)


if __name__ == "__main__":
    unittest.main()
