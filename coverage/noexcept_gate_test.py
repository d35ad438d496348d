#!/usr/bin/python3
"""noexcept_gate names the functions that are noexcept and may throw, and no others."""
import pathlib
import re
import subprocess
import tempfile
import unittest

GATE = pathlib.Path(__file__).resolve().parent / "noexcept_gate"
BUILD = """cmake_minimum_required(VERSION 3.25)
project(p CXX)
include_directories(properties)
add_library(a OBJECT properties/a.cpp)
add_library(b OBJECT properties/b.cpp)
target_compile_options(b PRIVATE -fno-exceptions)
"""
PRESET = """{"version": 6, "configurePresets": [{"name": "lint", "generator": "Ninja", "binaryDir": "${sourceDir}/build/lint",
 "cacheVariables": {
 "CMAKE_EXPORT_COMPILE_COMMANDS": "ON", "CMAKE_CXX_STANDARD": "20", "CMAKE_CXX_COMPILER": "clang++-19"}}]}
"""
HEADER = """#pragma once
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>
int of_the_other(int n);
void known_by_its_declaration();
"""


class NoexceptGate(unittest.TestCase):
    def names(self, first: str, second: str = "") -> list[str]:
        """The functions that it names, of these two units."""
        texts = {"CMakeLists.txt": BUILD, "CMakePresets.json": PRESET, "properties/a.hpp": HEADER,
                 "properties/a.cpp": '#include "a.hpp"\n' + first, "properties/b.cpp": '#include "a.hpp"\n' + second}
        with tempfile.TemporaryDirectory() as scratch:
            for name, text in texts.items():
                path = pathlib.Path(scratch, name)
                path.parent.mkdir(exist_ok=True)
                path.write_text(text)
            done = subprocess.run([GATE, "--root", scratch], capture_output=True, text=True, check=False)
        lines = done.stdout.splitlines()
        self.assertRegex(lines[-1], rf"^noexcept_gate: \d+ functions that are noexcept, {len(lines) - 1} may throw$", done.stderr)
        self.assertEqual(done.returncode, int(len(lines) > 1))
        for line in lines[:-1]:
            self.assertRegex(line, r"^properties/[ab]\.[ch]pp:\d+: .+ calls .+$")
        return [re.sub(r"\([^)]*\)( const)?$", "", line.split(": ", 1)[1].split(" calls ")[0]) for line in lines[:-1]]

    def test_what_allocates(self) -> None:
        self.assertEqual(self.names("std::string text() noexcept { return std::string(99, 'x'); }"), ["text[abi:cxx11]"])

    def test_what_throws(self) -> None:
        self.assertEqual(self.names('void f(bool b) noexcept { if (b) throw std::logic_error("b"); }'), ["f"])

    def test_what_calls_another_unit_that_allocates_compiled_without_exceptions(self) -> None:
        other = "int of_the_other(int n) { return static_cast<int>(std::vector<int>(static_cast<unsigned>(n)).size()); }"
        self.assertEqual(self.names("int f() noexcept { return of_the_other(3); }", other), ["f"])
        self.assertEqual(self.names("int f() noexcept { return of_the_other(3); }", "int of_the_other(int n) { return n; }"), [])

    def test_what_nobody_defines(self) -> None:
        self.assertEqual(self.names("void f() noexcept { known_by_its_declaration(); }"), ["f"])

    def test_a_lambda_and_a_destructor(self) -> None:
        self.assertEqual(self.names("int f(int n) { return [&]() noexcept { return new int(n); }() != nullptr; }"),
                         ["f(int)::$_0::operator()"])
        self.assertEqual(self.names("struct s { ~s() { of_the_other(1); } }; void f() { s one; }"), ["s::~s"])

    def test_what_is_called_through_a_pointer(self) -> None:
        self.assertEqual(self.names("struct s { int (*g)(); }; int f(s& a) noexcept { return a.g(); }"), ["f"])
        self.assertEqual(self.names("struct s { int (*g)() noexcept; }; int f(s& a) noexcept { return a.g(); }"), [])

    def test_leaves_moves_and_what_handles_what_it_catches(self) -> None:
        self.assertEqual(self.names("""
int leaf(std::string_view text) noexcept { return text.empty() ? 0 : text.front(); }
struct s { std::string text; s(s&&) noexcept = default; s& operator=(s&&) noexcept = default; };
void use(s& a, s& b) { a = std::move(b); }
int all() noexcept { try { return of_the_other(1); } catch (...) { return 0; } }
int usual() noexcept { try { return *new int(1); } catch (std::exception const&) { return 0; } }
"""), [])

    def test_a_handler_of_something_else(self) -> None:
        self.assertEqual(self.names("""
int f() noexcept { try { return *new int(1); } catch (std::logic_error const&) { return 0; } }
"""), ["f"])


if __name__ == "__main__":
    unittest.main()
