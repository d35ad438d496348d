#!/usr/bin/python3
"""lint finds what is planted: a fault for clang-tidy in a header, one for cppcheck in a source, C++ that is not formatted, and
faults for ruff and mypy; and it says so when these cannot be had. That it finds nothing in the repository itself is the gate's to see."""
import os
import pathlib
import subprocess
import tempfile
import unittest

LINT = pathlib.Path(__file__).resolve().parent / "lint"
CLEAN = {"lib/include/a.hpp": "#pragma once\ninline int f(int x) { return x; }\n", "lib/src/a.cpp": '#include "a.hpp"\n',
         "lib/c99/b.c": "", "lib/examples/cpp/c.cpp": "", "d.py": 'print("d")\n', ".gitignore": "/built/\n",
         "built/e.cpp": "int  e;\n", "built/e.py": "import os\n"}


class Lint(unittest.TestCase):
    def lint(self, changes: dict[str, str] | None = None, *options: str, **environment: str) -> tuple[int, str]:
        with tempfile.TemporaryDirectory() as scratch:
            for name, text in {**CLEAN, **(changes or {})}.items():
                path = pathlib.Path(scratch, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            subprocess.run(["git", "init", "--quiet", scratch], check=True)
            done = subprocess.run([LINT, "--root", scratch, *options], env={**os.environ, **environment}, capture_output=True, text=True,
                                  check=False)
            return done.returncode, done.stdout + done.stderr

    def found(self, changes: dict[str, str], *words: tuple[str, str]) -> None:
        """These findings, each by its place and name, and no others."""
        code, said = self.lint(changes)
        self.assertEqual(code, 1, said)
        for line, (place, name) in zip(said.splitlines(), words):
            self.assertIn(place, line)
            self.assertIn(name, line)
        self.assertRegex(said, rf", {len(words)} findings\n$")

    def test_nothing_is_found_where_nothing_is(self) -> None:
        self.assertEqual(self.lint(), (0, "lint: 1 headers, 2 sources, 4 formatted, 1 in Python, 0 findings\n"))

    def test_what_clang_tidy_finds_in_a_header(self) -> None:
        code, said = self.lint({"lib/include/a.hpp": "#pragma once\ninline bool f(int x) { return x + x ? true : false; }\n"})
        self.assertEqual(code, 1)
        self.assertIn("a.hpp:2:", said)
        self.assertIn("[readability-", said)

    def test_what_cppcheck_finds_in_a_source(self) -> None:
        code, said = self.lint({"lib/src/a.cpp": "int f(int x) { int a[2] = {1, 2}; return x == 2 ? a[x] : 0; }\n"})
        self.assertEqual(code, 1)
        self.assertIn("[arrayIndexOutOfBoundsCond]", said)

    def test_c_and_cpp_that_are_not_formatted_wherever_they_are(self) -> None:
        self.found({"properties/x.hpp": "int  x();\n", "spec/y.c": "int\ty(void);\n"},
                   ("properties/x.hpp:1:", "clang-format"), ("spec/y.c:1:", "clang-format"))

    def test_what_is_named_is_left_unformatted(self) -> None:
        code, said = self.lint({"properties/x.hpp": "int  x();\n", ".clang-format-ignore": "properties/*\n"})
        self.assertEqual((code, said), (0, "lint: 1 headers, 2 sources, 4 formatted, 1 in Python, 0 findings\n"))

    def test_what_ruff_finds_in_modules_and_programs(self) -> None:
        self.found({"a/tool": "#!/usr/bin/env python3\nimport os\n", "a/shell": "#!/bin/sh\nimport os\n", "a/x.py": "print(f)\n",
                    "a/y.py": "print(\n"},
                   ("a/tool:2:", "F401"), ("a/x.py:1:", "F821"), ("a/y.py:", "invalid-syntax"), ("a/y.py:", "[syntax]"))

    def test_what_mypy_finds_in_modules_and_programs(self) -> None:
        """Also where two folders have modules of one name, and in a package."""
        self.found({"a/tool": "#!/usr/bin/env python3\nfrom p import m\n\nm.f('x')\n", "a/p/__init__.py": "",
                    "a/p/m.py": "def f(x: int) -> int:\n    return x\n", "b/tool": "#!/usr/bin/env python3\n\n\ndef g(x):\n    return x\n"},
                   ("a/tool:4:5:", "[arg-type]"), ("b/tool:4:1:", "[no-untyped-def]"))

    def test_what_is_excluded_needs_no_types(self) -> None:
        code, said = self.lint({"lib/examples/e.py": "def f(x):\n    return x\n"})
        self.assertEqual((code, said), (0, "lint: 1 headers, 2 sources, 4 formatted, 2 in Python, 0 findings\n"))

    def test_without_ruff_and_mypy_python_does_not_pass(self) -> None:
        with tempfile.TemporaryDirectory() as tools:
            code, said = self.lint({}, "--tools", tools, PIP_INDEX_URL="http://127.0.0.1:9/", PIP_FIND_LINKS="", PIP_NO_INDEX="")
        why = "registry of pip cannot be reached"
        self.assertEqual((code, said), (2, f"lint: ruff and mypy cannot be installed, and Python was not checked: {why}\n"))


if __name__ == "__main__":
    unittest.main()
