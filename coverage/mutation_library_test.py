#!/usr/bin/python3
"""`mutate library` is seen to fail: on a tiny header, a weak test leaves a survivor and a strong one does not."""
import pathlib
import subprocess
import tempfile
import unittest

from mutation_runs import mutate

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
        """What a run prints that tries only these headers."""
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


if __name__ == "__main__":
    unittest.main()
