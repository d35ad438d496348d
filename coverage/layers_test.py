#!/usr/bin/python3
"""Checks `mutate layers`: of a library of one header it is known what each layer kills. Nightly, for it builds four programs twice."""
import pathlib
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent


class Layers(unittest.TestCase):
    """A library of one header, and four programs that check it, each in its way."""
    HEADER = """#pragma once
namespace tiny {
template <class T> constexpr T least(T a, T b) noexcept {
  if (b < a) return b;
  return a;
}
constexpr unsigned next(unsigned n) noexcept { return n + 1U; }
}  // namespace tiny
"""
    PAGE = """<!-- measured: coverage/mutate layers -->
| header | faults | specs | RapidCheck | fuzzing | prover |
|---|---|---|---|---|---|
| `tiny.hpp` | 17 | 16 of 17 | 6 of 17 | 4 of 17 | 2 of 12 |
| all | 17 | 16 of 17 | 6 of 17 | 4 of 17 | 2 of 12 |
"""  # the types of the prover have < only
    SPECS = """#include <gtest/gtest.h>
#include "backoff/tiny.hpp"
TEST(tiny, least) { EXPECT_TRUE(tiny::least(3, 2) == 2 && tiny::least(2, 3) == 2 && tiny::least(0, 0) == 0); }
TEST(tiny, next) { EXPECT_EQ(tiny::next(1), 2U); }
"""
    RAPIDCHECK = """#include <gtest/gtest.h>
#include "backoff/tiny.hpp"
struct library : testing::TestWithParam<int> {};
TEST_P(library, works) { EXPECT_EQ(tiny::next(GetParam()), 2U); }
INSTANTIATE_TEST_SUITE_P(rapidcheck, library, testing::Values(1));
TEST(rapidcheck, is_not_of_the_library) { FAIL(); }
"""
    FUZZING = """#include <cstdlib>
#include <filesystem>
#include <fstream>
#include "backoff/tiny.hpp"
int main(int count, char** files) {
  unsigned read = 0;
  for (int i = 1; i < count; ++i)
    for (auto const& entry : std::filesystem::directory_iterator(files[i])) {
      unsigned n = 0;
      std::ifstream(entry.path()) >> n;
      if (tiny::least(n, 1U) > 1) std::abort();
      ++read;
    }
  return read == 1 ? 0 : 1;
}
"""
    PROVER = """#include <gtest/gtest.h>
#include "backoff/tiny.hpp"
struct symbol { int n; };  // has one comparison alone
constexpr bool operator<(symbol a, symbol b) { return a.n < b.n; }
TEST(theorem, least) { EXPECT_EQ(tiny::least(symbol{2}, symbol{1}).n, 1); }
"""

    def measured(self, *options: str, specs: str = SPECS, recorded: str = PAGE) -> tuple[int, str, str]:
        """The exit status, what it prints, and what the page says then."""
        with tempfile.TemporaryDirectory() as scratch:
            root = pathlib.Path(scratch)
            (root / "lib/include/backoff").mkdir(parents=True)
            (root / "lib/include/backoff/tiny.hpp").write_text(self.HEADER)
            (root / "fuzz/seeds/aws_tiny").mkdir(parents=True)
            (root / "fuzz/seeds/aws_tiny/five").write_text("5")
            programs = {"spec_tests": specs, "rapidcheck_tests": self.RAPIDCHECK, "fuzz_aws_tiny": self.FUZZING, "proof_tests": self.PROVER}
            lines = ["cmake_minimum_required(VERSION 3.25)", "project(tiny CXX)", "set(CMAKE_CXX_STANDARD 20)",
                     "set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)",
                     "find_package(GTest REQUIRED)", "include_directories(lib/include)", "link_libraries(GTest::gtest)"]
            for name, text in programs.items():
                (root / f"{name}.cpp").write_text(text)
                (root / f"{name}_main.cpp").write_text(
                    "#include <gtest/gtest.h>\n"
                    "int main(int n, char** w) { testing::InitGoogleTest(&n, w); return RUN_ALL_TESTS(); }\n")
                lines.append(f"add_executable({name} {name}.cpp{'' if name.startswith('fuzz') else f' {name}_main.cpp'})")
            (root / "CMakeLists.txt").write_text("\n".join(lines) + "\n")
            build = root / "build/release"
            steps: list[list[str | pathlib.Path]] = [["-S", root, "-B", build, "-G", "Ninja"], ["--build", build]]
            for step in steps:
                subprocess.run(["cmake", *step], capture_output=True, check=True)
            page = root / "PAGE.md"
            page.write_text(recorded)
            done = subprocess.run([HERE / "mutate", "layers", "--root", root, "--pages", page, *options], capture_output=True, text=True,
                                  check=False)
            return done.returncode, done.stdout + done.stderr, page.read_text()

    def test_each_layer_is_measured_by_itself(self) -> None:
        code, said, page = self.measured("--update", recorded="<!-- measured: coverage/mutate layers -->\n")
        equivalent = "killed by no layer: lib/include/backoff/tiny.hpp | if (b < a) return b; | b < a -> b <= a"
        self.assertEqual((code, said.splitlines()[-1], page), (1, equivalent, self.PAGE), said)
        self.assertIn("specs does not notice: lib/include/backoff/tiny.hpp | if (b < a) return b; | b < a -> b <= a\n", said)

    def test_one_layer_is_measured_anew(self) -> None:
        code, said, page = self.measured("--layer", "fuzzing")
        self.assertEqual((code, page), (0, self.PAGE), said)
        old = self.PAGE.replace("4 of 17", "5 of 17")
        code, said, page = self.measured("--layer", "fuzzing", recorded=old)
        self.assertEqual((code, page), (1, old), said)
        self.assertIn("-| `tiny.hpp` | 17 | 5 of 17 |", said)
        self.assertIn("+| `tiny.hpp` | 17 | 4 of 17 |", said)
        code, said, page = self.measured("--layer", "fuzzing", "--update", recorded=old)
        self.assertEqual((code, page), (0, self.PAGE), said)
        old = self.PAGE.replace("| 17 | 16", "| 16 | 16")
        code, said, page = self.measured("--layer", "fuzzing", recorded=old)
        self.assertEqual((code, page), (2, old), said)
        self.assertRegex(said, "^mutate layers: PAGE.md has other faults: measure all layers\n$")  # before any is measured

    def test_a_sample_is_held_to_what_is_noticed_entirely(self) -> None:
        code, said, _ = self.measured("--layer", "fuzzing", "--every", "2")
        self.assertEqual(code, 0, said)
        code, said, _ = self.measured("--layer", "fuzzing", "--every", "2", recorded=self.PAGE.replace("4 of 17", "17 of 17"))
        self.assertEqual(code, 1, said)
        self.assertRegex(said, r"`tiny.hpp`: fuzzing notices \d of 9, and all on the page\n")

    def test_tests_that_fail_without_a_fault(self) -> None:
        code, said, page = self.measured(specs=self.SPECS.replace("2U", "3U"))
        self.assertEqual((code, page), (2, self.PAGE), said)
        self.assertIn("mutate layers: tiny.next fails without any mutant", said)


if __name__ == "__main__":
    unittest.main()
