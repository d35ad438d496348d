#!/usr/bin/python3
"""`mutate model`, `c` and `judge` are seen to fail: layers of their own build."""
import pathlib
import subprocess
import tempfile
import unittest

from mutation_runs import mutate


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


if __name__ == "__main__":
    unittest.main()
