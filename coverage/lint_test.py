#!/usr/bin/python3
"""lint finds what is planted: a fault for clang-tidy in a header, one for cppcheck in a source. That it finds nothing in the
library itself is the gate's to see."""
import pathlib
import subprocess
import tempfile
import unittest

LINT = pathlib.Path(__file__).resolve().parent / "lint"
CLEAN = {"include/a.hpp": "#pragma once\ninline int f(int x) { return x; }\n", "src/a.cpp": '#include "a.hpp"\n',
         "drop_in/b.cpp": "", "examples/cpp/c.cpp": ""}


class Lint(unittest.TestCase):
    def lint(self, **changes):
        with tempfile.TemporaryDirectory() as scratch:
            lib = pathlib.Path(scratch, "lib")
            for name, text in {**CLEAN, **changes}.items():
                (lib / name).parent.mkdir(parents=True, exist_ok=True)
                (lib / name).write_text(text)
            done = subprocess.run([LINT, "--lib", lib], capture_output=True, text=True, check=False)
            return done.returncode, done.stdout

    def test_nothing_is_found_where_nothing_is(self):
        self.assertEqual(self.lint(), (0, "lint: 1 headers, 3 sources, 0 findings\n"))

    def test_what_clang_tidy_finds_in_a_header(self):
        code, said = self.lint(**{"include/a.hpp": "#pragma once\ninline bool f(int x) { return x + x ? true : false; }\n"})
        self.assertEqual(code, 1)
        self.assertIn("a.hpp:2:", said)
        self.assertIn("[readability-", said)

    def test_what_cppcheck_finds_in_a_source(self):
        code, said = self.lint(**{"src/a.cpp": "int f(int x) { int a[2] = {1, 2}; return x == 2 ? a[x] : 0; }\n"})
        self.assertEqual(code, 1)
        self.assertIn("[arrayIndexOutOfBoundsCond]", said)


if __name__ == "__main__":
    unittest.main()
