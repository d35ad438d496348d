#!/usr/bin/python3
"""lint finds what is planted: faults for clang-tidy and cppcheck in sources and headers that changed, and in each part of everything;
C++ that is not formatted; faults for ruff and mypy. It says so when these cannot be had. That it finds nothing in the repository itself
is the gate's to see."""
import os
import pathlib
import subprocess
import tempfile
import unittest

LINT = pathlib.Path(__file__).resolve().parent / "lint"
BUILD = """cmake_minimum_required(VERSION 3.25)
project(p C CXX)
file(GLOB sources lib/src/*.cpp lib/src/*.c)
add_library(p OBJECT ${sources})
target_include_directories(p PRIVATE lib/include)
"""
PRESET = """{"version": 6, "configurePresets": [{"name": "lint", "generator": "Ninja", "binaryDir": "${sourceDir}/build/lint",
 "cacheVariables": {
 "CMAKE_EXPORT_COMPILE_COMMANDS": "ON", "CMAKE_UNITY_BUILD": "ON", "CMAKE_C_COMPILER": "clang-19", "CMAKE_CXX_COMPILER": "clang++-19"}}]}
"""
CLEAN = {"CMakeLists.txt": BUILD, "CMakePresets.json": PRESET, ".gitignore": "/build/\n/built/\n",
         "lib/include/a.hpp": "#pragma once\ninline int f(int x) { return x; }\n",
         "lib/src/a.cpp": '#include "a.hpp"\nint g(int x) { return f(x); }\n', "lib/src/b.c": "", "lib/src/c.cpp": "",
         "d.py": 'print("d")\n', "built/e.cpp": "int  e;\n", "built/e.py": "import os\n"}
TIDY = {"lib/src/a.cpp": "bool g(bool x) { return x ? true : false; }\n"}
CPPCHECK = {"lib/src/a.cpp": "int g(int x) {\n  int const a[2] = {1, 2};\n  return x == 2 ? a[x] : 0;\n}\n"}
HEADER = {"lib/include/a.hpp": "#pragma once\ninline bool f(bool x) { return x ? true : false; }\n"}


class Lint(unittest.TestCase):
    def lint(self, changes: dict[str, str] | None = None, *options: str, **environment: str) -> tuple[int, str]:
        """In a repository where these changed since the only commit."""
        with tempfile.TemporaryDirectory() as scratch:
            git = ["git", "-C", scratch, "-c", "user.name=a", "-c", "user.email=a@b"]
            for texts in (CLEAN, changes or {}):
                for name, text in texts.items():
                    path = pathlib.Path(scratch, name)
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(text)
                if texts is CLEAN:
                    subprocess.run(["git", "init", "--quiet", scratch], check=True)
                    subprocess.run([*git, "add", "--all"], check=True)
                    subprocess.run([*git, "commit", "--quiet", "-m", "clean"], check=True)
            since = [] if {"--part", "--usual"} & {*options} else ["--since", "HEAD"]
            options = tuple(option for option in options if option != "--usual")
            done = subprocess.run([LINT, "--root", scratch, *since, *options], env={**os.environ, **environment}, capture_output=True,
                                  text=True, check=False)
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
        self.assertEqual(self.lint(), (0, "lint: 4 formatted, 1 in Python, 0 in clang-tidy and cppcheck, 0 findings\n"))

    def test_what_clang_tidy_finds_in_a_source_that_changed(self) -> None:
        self.found(TIDY, ("lib/src/a.cpp:1:", "[readability-"))

    def test_what_clang_tidy_finds_in_a_header_that_changed(self) -> None:
        self.found(HEADER, ("lib/include/a.hpp:2:", "[readability-"))

    def test_what_cppcheck_finds_in_a_source_that_changed(self) -> None:
        self.found(CPPCHECK, ("lib/src/a.cpp:3:", "[arrayIndexOutOfBoundsCond]"))

    def test_a_change_to_more_files_than_a_change_may_wait_for(self) -> None:
        many = {f"lib/src/m{number}.cpp": "" for number in range(24)}
        code, said = self.lint({**many, **TIDY})
        self.assertEqual(code, 0, said)
        self.assertIn("lint: 25 files changed, more than 24: clang-tidy and cppcheck look at them with --part 1/1\n", said)

    def test_each_part_of_everything_is_looked_at_once(self) -> None:
        said = [self.lint({**TIDY, "lib/src/b.c": "int b(int x) { int a[2] = {1, 2}; return x == 2 ? a[x] : 0; }\n"}, "--part", part)
                for part in ("1/2", "2/2")]
        self.assertEqual([code for code, _ in said], [1, 1], said)
        lines = "".join(text for _, text in said)
        self.assertEqual(lines.count("[readability-simplify-boolean-expr"), 1, lines)
        self.assertEqual(lines.count("[arrayIndexOutOfBoundsCond]"), 1, lines)
        self.assertNotIn("formatted", lines)

    def test_a_part_that_is_none(self) -> None:
        for part in ("0/2", "3/2", "1", "a/b"):
            code, said = self.lint({}, "--part", part)
            self.assertEqual(code, 2)
            self.assertIn(f"{part}: expected K/N, with K from 1 to N", said)

    def test_a_source_that_nothing_compiles(self) -> None:
        self.assertEqual(self.lint({"lib/other/x.c": ""}), (2, "lint: lib/other/x.c: no target of the preset lint compiles it\n"))

    def test_in_a_clone_of_one_commit_nothing_has_changed(self) -> None:
        self.assertEqual(self.lint({}, "--usual")[0], 0)

    def test_a_commit_that_is_none(self) -> None:
        code, said = self.lint({}, "--since", "nowhere")
        self.assertEqual(code, 2)
        self.assertIn("lint: --since nowhere: ", said)

    def test_c_and_cpp_that_are_not_formatted_wherever_they_are(self) -> None:
        self.found({"properties/x.hpp": "int  x();\n", "spec/y.c": "int\ty(void);\n"},
                   ("properties/x.hpp:1:", "clang-format"), ("spec/y.c:1:", "clang-format"))

    def test_what_is_named_is_left_unformatted(self) -> None:
        code, said = self.lint({"properties/x.hpp": "int  x();\n", ".clang-format-ignore": "properties/*\n"})
        self.assertEqual((code, said), (0, "lint: 4 formatted, 1 in Python, 0 in clang-tidy and cppcheck, 0 findings\n"))

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
        self.assertEqual((code, said), (0, "lint: 4 formatted, 2 in Python, 0 in clang-tidy and cppcheck, 0 findings\n"))

    def test_without_a_registry_the_rest_is_checked_and_python_is_skipped(self) -> None:
        away = {"PIP_INDEX_URL": "http://127.0.0.1:9/", "PIP_FIND_LINKS": "", "PIP_NO_INDEX": ""}
        with tempfile.TemporaryDirectory() as tools:
            clean = self.lint({}, "--tools", tools, **away)
            faulty = self.lint(TIDY, "--tools", tools, **away)
        self.assertEqual(clean[0], 77, clean)
        self.assertTrue(clean[1].endswith("lint: Python is not checked: registry of pip cannot be reached\n"), clean)
        self.assertEqual(faulty[0], 1, faulty)


if __name__ == "__main__":
    unittest.main()
