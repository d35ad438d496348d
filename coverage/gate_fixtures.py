"""What the tests of branch_gate and mcdc_gate share: small programs with planted gaps, and files of exclusions.

A fixture is a folder with a small program.  Its .hpp become lib/include of a tree that exists only for the test; a line
that the gate has to name carries `// GAP`, and the gate may name no other.

Used by: branch_gate_test.py, mcdc_gate_test.py.
"""
import abc
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest
from typing import Generic, Self, TypeVar

HERE = pathlib.Path(__file__).resolve().parent


class Project(abc.ABC):
    """A fixture in a tree of its own. How it is compiled and run, and with what the gate is called, each gate says."""

    def __init__(self, directory: pathlib.Path, fixture: pathlib.Path) -> None:
        self.directory, self.source = directory, directory / "source"
        self.include = self.source / "lib" / "include"
        self.include.mkdir(parents=True)
        for file in fixture.iterdir():
            shutil.copy(file, {".hpp": self.include, ".h": self.include.parent}.get(file.suffix, self.source))
        self.sources = sorted(self.source.glob("*.cpp"))

    @abc.abstractmethod
    def compile(self) -> Self: ...

    @abc.abstractmethod
    def run(self) -> Self: ...

    @abc.abstractmethod
    def gate(self, *arguments: str | pathlib.Path, root: str = "lib/include") -> subprocess.CompletedProcess[str]: ...

    def marked(self, marker: str = "GAP") -> set[str]:
        return {f"lib/include/{header.name}:{number}"
                for header in self.include.glob("*.hpp")
                for number, line in enumerate(header.read_text().splitlines(), 1)
                if re.search(rf"// .*\b{marker}\b", line)}

    def call(self, gate: str, *arguments: str | pathlib.Path, root: str = "lib/include") -> subprocess.CompletedProcess[str]:
        return subprocess.run([HERE / gate, "--source", self.source, "--root", root, *arguments],
                              capture_output=True, text=True, check=False)


AnyProject = TypeVar("AnyProject", bound=Project)


class GateTest(unittest.TestCase, Generic[AnyProject]):
    project_type: type[AnyProject]  # of the gate
    fixtures: str

    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.directory = pathlib.Path(temporary.name)

    def project(self, fixture: str) -> AnyProject:
        return self.project_type(self.directory, HERE / self.fixtures / fixture)

    def assert_unusable(self, done: subprocess.CompletedProcess[str], what: str) -> None:
        self.assertRegex(done.stderr, what)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.returncode, 2)


class ExclusionFile(GateTest[AnyProject]):
    """On `untaken_branch`, whose two gaps are on the lines BRANCH and RETURN."""
    BRANCH: str
    RETURN = "lib/include/sign.hpp | return -1; // GAP | follows from the one above\n"
    return_never_executed: list[str]  # what the gate says
    complete: str  # the same

    def gate_with(self, exclusions: str, addition: str = "", fixture: str = "untaken_branch") -> subprocess.CompletedProcess[str]:
        file = self.directory / "exclusions"
        file.write_text(exclusions)
        project = self.project(fixture)
        if addition:
            with (project.include / "sign.hpp").open("a") as header:
                header.write(addition)
        return project.compile().run().gate("--exclusions", file)

    def test_matching(self) -> None:
        done = self.gate_with("# what no test can reach\n\n" + self.BRANCH + self.RETURN)
        self.assertEqual(done.stdout, self.complete)
        self.assertEqual(done.returncode, 0)

    def test_covers_only_its_line(self) -> None:
        done = self.gate_with(self.BRANCH)
        for text in self.return_never_executed:
            self.assertIn(text, done.stdout)
        self.assertEqual(done.returncode, 1)

    def test_stale(self) -> None:
        done = self.gate_with(self.BRANCH + self.RETURN + "lib/include/sign.hpp | return 1; | once needed\n")
        self.assertIn("exclusions:3: stale exclusion", done.stdout)
        self.assertEqual(done.returncode, 1)

    def test_ambiguous(self) -> None:
        done = self.gate_with(self.BRANCH + self.RETURN, "#if 0\nreturn -1; // GAP\n#endif\n")
        self.assertIn("exclusions:2: ambiguous exclusion", done.stdout)
        self.assertEqual(done.returncode, 1)

    def test_without_reason(self) -> None:
        project, file = self.project("untaken_branch").compile().run(), self.directory / "exclusions"
        for ending in ("", " |", " | "):
            with self.subTest(ending):
                file.write_text(f"lib/include/sign.hpp | return -1; // GAP{ending}\n")
                self.assert_unusable(project.gate("--exclusions", file), "exclusions:1: not `path")
