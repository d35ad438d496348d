#!/usr/bin/python3
"""Which mutants there are of a source, and how they are compiled."""
import pathlib
import subprocess
import tempfile
import unittest

from mutation import ninja_build, reaching
from mutation.mutants import Source


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
