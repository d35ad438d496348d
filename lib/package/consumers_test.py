#!/usr/bin/python3
"""The installed package is used: by CMake and pkg-config, from a tree that was moved, and from an unpacked .deb.

    CC=gcc consumers_test.py --build build/release

What is built against it are the examples, which are installed too; what they print is not looked at, they check themselves.
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path("build/release").resolve()
SCRATCH = tempfile.TemporaryDirectory(prefix="backoff-consumers-")


def found(pattern: str, text: str) -> re.Match[str]:
    """The first match, which there must be."""
    match = re.search(pattern, text)
    assert match is not None, f"no {pattern} in {text}"
    return match


VERSION = found(r"VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text().partition("project(")[2])[1]
CC, CXX = os.environ.get("CC", "cc"), os.environ.get("CXX", "c++")
STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wstrict-prototypes", "-Werror"]
DROP_INS = {"aws_backoff_algorithm": "backoff_algorithm.c", "aws_retry_utils": "retry_utils.c",
            "azure_c_retry_control": "retry_control.c"}
SOURCES_OF_C = len(list((ROOT / "lib/src").glob("*.cpp")))
# Applications as users write them: their authors had only the documents and the headers. The first line names the oldest standards.
OF_APPLICATIONS = ROOT / "lib/package/drop_in_applications"
APPLICATIONS = sorted(path for path in OF_APPLICATIONS.glob("*.c*") if path.stem != "sdk")
STANDARDS = [["c90", "c99", "c11", "c17", "c2x"], ["c++98", "c++11", "c++14", "c++17", "c++20", "c++2b"]]
HEADERS = {"backoff_algorithm.h": "aws_backoff_algorithm", "retry_utils.h": "aws_retry_utils",
           "iothub_client_retry_control.h": "azure_c_retry_control"}


def stems_of(application: pathlib.Path) -> list[str]:
    """The drop-ins that it is linked with."""
    return [stem for header, stem in HEADERS.items() if header in application.read_text()]


def standards_of(application: pathlib.Path) -> list[str]:
    oldest = {word.lower() for word in re.findall(r"\bC(?:\+\+)?\d\d\b", application.read_text().partition(" on: ")[0])}
    return [name for language in STANDARDS for first in oldest & set(language) for name in language[language.index(first):]]


def in_standard(standard: str) -> list[str]:
    return ["-x", "c++" if "++" in standard else "c", f"-std={standard}", "-Wall", "-Wextra", "-Werror", "-pedantic"]


def run(*command: object, **more: Any) -> str:
    """What it prints; it must succeed."""
    done: subprocess.CompletedProcess[str] = subprocess.run(
        [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **more)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout}")
    return done.stdout


def scratch(name: str) -> pathlib.Path:
    path = pathlib.Path(SCRATCH.name) / name
    path.mkdir(parents=True, exist_ok=True)
    return path


def one(folder: pathlib.Path, pattern: str) -> pathlib.Path:
    found = sorted(folder.rglob(pattern))
    assert len(found) == 1, f"{pattern} in {folder}: {found}"
    return found[0]


class Tree(unittest.TestCase):
    """A tree with everything in it; those that derive from this say which."""

    prefix: pathlib.Path

    def lib(self, name: str) -> pathlib.Path:
        return one(self.prefix, name)

    def test_cmake_finds_it(self) -> None:
        for language, compiler in (("c", f"-DCMAKE_C_COMPILER={CC}"), ("cpp", f"-DCMAKE_CXX_COMPILER={CXX}")):
            with self.subTest(language):
                build = scratch(f"{type(self).__name__}/{language}")
                run("cmake", "-S", one(self.prefix, "examples") / language, "-B", build, "-G", "Ninja", compiler,
                    f"-DCMAKE_PREFIX_PATH={self.prefix}", "-DCMAKE_C_FLAGS=" + " ".join(STRICT[1:]))
                run("cmake", "--build", build)
                said = run("ctest", "--test-dir", build, "--output-on-failure", "--no-tests=error")
                for example in one(self.prefix, "examples").joinpath(language).glob("*.c*"):
                    self.assertIn(f": {example.stem} ", said)

    def test_pkg_config_finds_it(self) -> None:
        examples = {"backoff": "reconnect.c", **{f"backoff_drop_in_{stem}": name for stem, name in DROP_INS.items()}}
        searched = dict(os.environ, PKG_CONFIG_PATH=str(self.lib("backoff.pc").parent))
        for package, example in examples.items():
            with self.subTest(package):
                self.assertEqual(run("pkg-config", "--modversion", package, env=searched), f"{VERSION}\n")
                flags = shlex.split(run("pkg-config", "--cflags", "--libs", package, env=searched))
                program = scratch(type(self).__name__) / package
                run(CC, *STRICT, one(self.prefix, example), "-o", program, *flags)
                run(program, env=dict(os.environ, LD_LIBRARY_PATH=str(self.lib("libbackoff.so").parent)))

    def test_the_program_finds_its_host(self) -> None:
        for stem in DROP_INS:
            with self.subTest(stem):
                said = run(self.lib("backoff-oracle"), "check", stem, "--strict", "--library",
                           self.lib(f"libbackoff_drop_in_{stem}.so"))
                self.assertRegex(said, f"\nverdict: conforms to {stem}, grade exact\n$")

    def test_nothing_is_missing(self) -> None:
        for name in ("backoff.h", "aws_retry_utils_loop.hpp", "window.hpp", "retry_utils.h", "libbackoff.a", "libbackoff.so.0",
                     "aws_step_functions.schema.json", "example_port.py", "c99", "LICENSE", "ports.cpp",
                     "values.hpp"):
            one(self.prefix, name)
        self.assertFalse([path for path in self.prefix.rglob("*") if re.search("_test[.]|CMakeFiles", path.name)])


class Moved(Tree):
    """Installed in one place, used in another: nothing in it names the first."""

    @classmethod
    def setUpClass(cls) -> None:
        first, cls.prefix = scratch("installed"), pathlib.Path(SCRATCH.name) / "moved here"
        run("cmake", "--install", BUILD, "--prefix", first)
        first.rename(cls.prefix)

    def test_no_file_names_the_place_that_it_came_from(self) -> None:
        named = re.compile(re.escape(str(pathlib.Path(SCRATCH.name) / "installed")).encode() + b"|" + re.escape(str(BUILD)).encode())
        for path in self.prefix.rglob("*"):
            if path.is_file() and path.suffix in (".cmake", ".pc", ".so", ".a", ".h", ".hpp"):
                self.assertIsNone(named.search(path.read_bytes()), path)

    def test_a_library_of_c_needs_no_runtime_of_cpp(self) -> None:
        abi = found(r"#define BACKOFF_ABI_VERSION (\d+)", self.lib("backoff.h").read_text())[1]
        for path in sorted(self.prefix.rglob("*.so")):
            with self.subTest(path.name):
                said = run("readelf", "--dynamic", "--wide", path)
                self.assertLessEqual(set(re.findall(r"NEEDED.*\[(.*)\]", said)), {"libc.so.6"})
                self.assertEqual(re.findall(r"SONAME.*\[(.*)\]", said), [f"{path.name}.{abi}"])

    def test_a_program_of_c_is_linked_as_c_where_there_is_cpp(self) -> None:
        build, more = scratch("both"), scratch("both") / "more.cmake"
        more.write_text("enable_language(CXX)\n")
        run("cmake", "-S", one(self.prefix, "examples") / "c", "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.prefix}",
            f"-DCMAKE_PROJECT_INCLUDE={more}", f"-DCMAKE_C_COMPILER={CC}", f"-DCMAKE_CXX_COMPILER={CXX}")
        link = run("ninja", "-C", build, "-t", "commands", "reconnect_static").splitlines()[-1]
        self.assertIn(pathlib.Path(CC).name, {pathlib.Path(word).name for word in link.split()}, link)

    def test_a_port_is_judged_inside_its_own_tests(self) -> None:
        build = scratch("conformance")
        run("cmake", "-S", one(self.prefix, "examples") / "conformance", "-B", build, "-G", "Ninja",
            f"-DCMAKE_CXX_COMPILER={CXX}", f"-DCMAKE_PREFIX_PATH={self.prefix}", "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Wpedantic -Werror")
        run("cmake", "--build", build)
        run("ctest", "--test-dir", build, "--output-on-failure", "--no-tests=error")
        failed = subprocess.run([build / "ports", "--gtest_filter=*.delay_capped"], stdout=subprocess.PIPE, text=True, check=False)
        self.assertEqual(failed.returncode, 1)
        self.assertIn("delay_capped{{limits}}; })\n  Actual: false (\nviolation 1: ", failed.stdout)
        # What the program says of a port with the same fault, but for how each is replayed, and for what it asks the port afterwards.
        program, faulty = BUILD / "bin/backoff-oracle", BUILD / "bin/backoff-port"
        verdict = subprocess.run([program, "check", "aws_backoff_algorithm", "--", faulty, "cap-after-jitter"],
                                 stdout=subprocess.PIPE, text=True, check=False).stdout
        verdict = re.sub(r"\n(  where  |diagnosis\n|elsewhere\n).*?\n(?=\n)", "", verdict, flags=re.DOTALL)
        token = found(r'  replay      [.]replay = "(.*)"\n', failed.stdout)[1]
        printed = [re.sub("  replay .*", "", text[text.index("violation 1: "):].partition("\nExpected: true")[0]).rstrip(")\n ")
                   for text in (failed.stdout, verdict)]
        self.assertEqual(*printed)
        for said in ("jitter_survives_the_cap (must)", "max_ms=1 max_attempts=forever", "retry 1   <--\n", "requirement AWS-BA-003 (must)"):
            self.assertIn(said, printed[0])
        again = subprocess.run([program, "replay", token, "--", faulty, "cap-after-jitter"], stdout=subprocess.PIPE, text=True, check=False)
        self.assertEqual(again.returncode, 1)
        self.assertIn("\nviolation 1: jitter_survives_the_cap (must), broken in 1 history\n", again.stdout)

    def test_what_judges_shows_nothing_but_its_interface(self) -> None:
        said = run("nm", "--demangle", "--defined-only", "--extern-only", self.lib("libbackoff_conformance.a"))
        names = re.findall(r"^\w+ (\w) (.*)", said, re.MULTILINE)
        self.assertEqual({kind for kind, _ in names}, {"T"}, said)
        stems = {path.parent.name for path in (ROOT / "spec").glob("*/system.yaml")}
        self.assertEqual({name.partition("(")[0] for _, name in names},
                         {"backoff::conforms", *(f"backoff::systems::{stem}::judge" for stem in stems)})

    def test_the_core_is_there_without_what_judges(self) -> None:
        alone, build = scratch("core alone"), scratch("core build")
        run("cmake", "--install", BUILD, "--prefix", alone, "--component", "library")
        self.assertEqual(list(alone.rglob("*conformance*")), [])
        configure = ["cmake", "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={alone}", f"-DCMAKE_CXX_COMPILER={CXX}", "-S"]
        run(*configure, one(self.prefix, "examples") / "cpp")
        run("cmake", "--build", build)
        with self.assertRaisesRegex(AssertionError, "(?s)set backoff_FOUND to\\s+FALSE|required\\s+components.*conformance"):
            run("cmake", "-E", "rm", "-rf", build)
            run(*configure, one(self.prefix, "examples") / "conformance")

    def test_what_is_exported_is_what_is_declared(self) -> None:
        headers = {"libbackoff.so": "backoff.h", **{f"libbackoff_drop_in_{stem}.so": name.replace(".c", ".h")
                                                    for stem, name in DROP_INS.items()}}
        headers["libbackoff_drop_in_azure_c_retry_control.so"] = "iothub_client_retry_control.h"
        for library, header in headers.items():
            with self.subTest(library):
                text = re.sub(r"/\*.*?\*/|^ *#[^\n]*|typedef \w+ \w+\([^;]*;", "", self.lib(header).read_text(),
                              flags=re.DOTALL | re.MULTILINE)
                declared = set(re.findall(r"\b(\w+)\((?![*])[^()]*\);", text))
                said = run("nm", "--dynamic", "--defined-only", "--without-symbol-versions", self.lib(library))
                exported = set(re.findall(r" [TW] (\w+)$", said, re.MULTILINE))
                self.assertEqual(exported, declared)
                self.assertGreater(len(exported), 1)
                other = re.findall(r" [^TWA] (\w+)$", said, re.MULTILINE)
                self.assertEqual(other, [], "no data")

    def test_applications_find_the_drop_ins(self) -> None:
        searched = dict(os.environ, PKG_CONFIG_PATH=str(self.lib("backoff.pc").parent))
        libraries = dict(os.environ, LD_LIBRARY_PATH=str(self.lib("libbackoff.so").parent))
        made = scratch("installed applications")
        sdk = made / "sdk.o"
        run(CC, *STRICT, f"-I{self.lib('retry_utils.h').parent}", "-c", OF_APPLICATIONS / "sdk.c", "-o", sdk)
        for application in APPLICATIONS:
            with self.subTest(application.name):
                packages = [f"backoff_drop_in_{stem}" for stem in stems_of(application)]
                flags = shlex.split(run("pkg-config", "--cflags", "--libs", *packages, env=searched))
                program = made / application.stem
                run(CC, *in_standard(standards_of(application)[0]), f"-I{self.prefix / 'include'}", application, "-x", "none", sdk, *flags,
                    "-lstdc++", "-o", program)
                run(program, env=libraries)

    def test_retry_utils_take_the_applications_constants(self) -> None:
        sources = [one(self.prefix, "c99") / name for name in ("aws_retry_utils.c", "retry_utils_system.c")]
        flags = [f"-I{self.lib('retry_utils.h').parent}", "-DMAX_RETRY_ATTEMPTS=0",
                 "-DINITIAL_RETRY_BACKOFF_SECONDS=7", "-DMAX_RETRY_BACKOFF_SECONDS=100", "-DMAX_JITTER_VALUE_SECONDS=3"]
        library = scratch("constants") / "libutils.so"
        run(CC, "-std=c99", "-shared", "-fPIC", *flags, *sources, "-o", library)
        told = {"max_attempts": 0, "initial_backoff_s": 7, "max_backoff_s": 100, "max_jitter_s": 3}
        said = run(self.lib("backoff-oracle"), "check", "aws_retry_utils", "--strict", "--cases", 1500, "--library", library,
                   *(word for item in told.items() for word in ("--param", "=".join(map(str, item)))))
        self.assertIn("\nverdict: conforms to aws_retry_utils, grade exact\n", said)

    def test_a_library_is_judged_on_its_processor(self) -> None:
        said = run(one(self.prefix, "judge"), "aws_backoff_algorithm", "--count", 20)
        self.assertRegex(said, "\nverdict: conforms to aws_backoff_algorithm, grade exact\non microbit, Cortex-M0: ")

    def test_headers_are_taken_by_c99_and_cpp11(self) -> None:
        for header in ("backoff.h", *(path.name for path in (self.prefix / "include/backoff/drop_in").iterdir())):
            for words in ([CC, "-x", "c", "-std=c99"], [CXX, "-x", "c++", "-std=c++11"]):
                with self.subTest(header, compiler=words[0]):
                    run(*words, "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", self.lib(header))


    def test_retry_control_takes_the_types_of_an_sdk_that_is_there(self) -> None:
        sdk = scratch("sdk")
        (sdk / "azure_c_shared_utility").mkdir()
        (sdk / "azure_c_shared_utility/optionhandler.h").write_text("typedef struct OWN* OPTIONHANDLER_HANDLE;\n")
        (sdk / "iothub_client_ll.h").write_text("typedef enum { IOTHUB_CLIENT_RETRY_NONE } IOTHUB_CLIENT_RETRY_POLICY;\n")
        source = sdk / "application.c"
        source.write_text("""#include <iothub_client_retry_control.h>
                             struct OWN { int x; };
                             int main(void) { return retry_control_retrieve_options(NULL)->x; }""")
        run(CC, *STRICT, f"-I{sdk}", f"-I{self.lib('retry_utils.h').parent}", "-fsyntax-only", source)


class Sources(unittest.TestCase):
    """A project that has the sources in a folder of its own, and builds the library and nothing else of them."""

    def test_what_an_application_links_is_compiled_and_nothing_else(self) -> None:
        of_c = (("LANGUAGES CXX", "LANGUAGES C CXX"), ("application.cpp", "application.c"), ("backoff::core)", "backoff::c_static)"))
        for source, changes, units in (("reconnect.cpp", (), 1), ("reconnect.c", of_c, 1 + SOURCES_OF_C)):
            with self.subTest(source):
                project = scratch(f"fetch/{source}")
                shutil.copy(one(ROOT / "lib/examples", source), project / f"application{pathlib.Path(source).suffix}")
                lists = (ROOT / "lib/examples/fetch/CMakeLists.txt").read_text()
                for change in changes:
                    lists = lists.replace(*change)
                (project / "CMakeLists.txt").write_text(lists)
                run("cmake", "-S", project, "-B", project / "build", "-G", "Ninja", f"-DCMAKE_C_COMPILER={CC}",
                    f"-DCMAKE_CXX_COMPILER={CXX}", f"-DFETCHCONTENT_SOURCE_DIR_BACKOFF={ROOT}",
                    f"-DCMAKE_INSTALL_PREFIX={project / 'to'}")
                run("cmake", "--build", project / "build")
                run(project / "build/application")
                self.assertEqual(len(list((project / "build").rglob("*.o"))), units)
                targets = run("ninja", "-C", project / "build", "-t", "targets", "all")
                self.assertEqual(re.findall("^.*(?:spec_tests|judge|_bench|fuzz_).*$", targets, re.MULTILINE), [])
                run("cmake", "--install", project / "build")
                self.assertFalse((project / "to").exists(), "nobody asked for it to be installed")


    def test_one_source_serves_in_an_application_of_c(self) -> None:
        bare = ["-mcpu=cortex-m0", "--specs=nosys.specs"]
        for toolchain, target, more in ((CC, [], []), ("arm-none-eabi-gcc", bare, ["-DCMAKE_SYSTEM_NAME=Generic"])):
            with self.subTest(toolchain):
                project = scratch(f"one_source/{pathlib.Path(toolchain).name}")
                shutil.copytree(ROOT / "lib/examples/one_source", project, dirs_exist_ok=True)
                shutil.copy(ROOT / "lib/examples/c/backoff_algorithm.c", project / "application.c")
                flags = " ".join([*STRICT, *target])
                run("cmake", "-S", project, "-B", project / "build", "-G", "Ninja", f"-DCMAKE_C_COMPILER={toolchain}", *more,
                    f"-DCMAKE_C_FLAGS={flags}", f"-DFETCHCONTENT_SOURCE_DIR_BACKOFF={ROOT}")
                run("cmake", "--build", project / "build")
                (project / "backoff").symlink_to(ROOT)  # make knows no paths with blanks
                run("make", "-C", project, "BACKOFF=backoff", f"CC={toolchain}", f"CFLAGS={flags}", f"LDFLAGS={' '.join(target)}")
                if toolchain == CC:
                    run(project / "build/application")
                    run(project / "application")


class Applications(unittest.TestCase):
    """The drop-ins take the place of what an application used before: the headers in folders as installed, the sources in C99."""

    include: list[str]

    @classmethod
    def setUpClass(cls) -> None:
        include = scratch("include/backoff").parent
        (include / "backoff/drop_in").symlink_to(ROOT / "lib/drop_in")
        cls.include = [f"-I{include}", f"-I{include / 'backoff/drop_in'}"]

    def test_there_are_ten(self) -> None:
        self.assertEqual(len(APPLICATIONS), 10)
        standards = {(stem, name) for application in APPLICATIONS for stem in stems_of(application) for name in standards_of(application)}
        # Retry control's own interface has a bool, which C90 has not.
        self.assertLessEqual({(stem, name) for stem in DROP_INS for name in ("c90", "c11", "c++17")} - {("azure_c_retry_control", "c90")},
                             standards)

    def test_they_and_the_examples_compile_in_every_standard_without_a_warning(self) -> None:
        every = {application: standards_of(application) for application in APPLICATIONS}
        for name in DROP_INS.values():
            oldest = ["c99" if name == "retry_control.c" else "c90", "c++98"]
            every[ROOT / "lib/examples/c" / name] = [word for names, first in zip(STANDARDS, oldest, strict=True)
                                                     for word in names[names.index(first):]]
        for compiler in ("gcc-12", "clang-16", "clang-19"):
            for source, standards in every.items():
                for standard in standards:
                    with self.subTest(source.name, compiler=compiler, standard=standard):
                        run(compiler, *in_standard(standard), "-Wconversion", "-Wsign-conversion", "-Wshadow", *self.include,
                            "-fsyntax-only", source)

    def test_they_work_with_the_sources_in_c99(self) -> None:
        sources = [*(ROOT / f"lib/c99/{stem}.c" for stem in DROP_INS), OF_APPLICATIONS / "sdk.c"]
        for compiler in ("gcc-12", "clang-19"):
            made = scratch(f"applications/{compiler}")
            for source in sources:
                run(compiler, *in_standard("c99"), *self.include, "-c", source, "-o", made / f"{source.stem}.o")
            for application in APPLICATIONS:
                with self.subTest(application.name, compiler=compiler):
                    run(compiler, *in_standard(standards_of(application)[0]), *self.include, application, "-x", "none",
                        *(made / f"{stem}.o" for stem in (*stems_of(application), "sdk")), "-lstdc++", "-o", made / application.stem)
                    run(made / application.stem)


class Unpacked(Tree):
    """The .deb, unpacked somewhere else, by whoever has no root."""

    deb: pathlib.Path
    tar: pathlib.Path

    @classmethod
    def setUpClass(cls) -> None:
        made = scratch("packages")
        run("cpack", "--config", BUILD / "CPackConfig.cmake", "-B", made, "-D", "CPACK_THREADS=2")
        (cls.deb,), (cls.tar,) = made.glob("backoff-oracle_*.deb"), made.glob("*.tar.gz")
        run("dpkg-deb", "-x", cls.deb, scratch("deb"))
        cls.prefix = scratch("deb") / "usr"

    def test_the_archive_has_the_same_files(self) -> None:
        run("tar", "-xzf", self.tar, "-C", scratch("tar"))
        tar = next(scratch("tar").iterdir())
        listed = [sorted(str(path.relative_to(top)) for path in top.rglob("*")) for top in (tar, self.prefix)]
        self.assertEqual([name for name in listed[0] if not name.startswith("usr")] or
                         [name[4:] for name in listed[0] if name != "usr"], listed[1])

    def test_the_package_says_what_it_needs(self) -> None:
        self.assertRegex(run("dpkg-deb", "-f", self.deb, "Depends"), r"libc6 \(>=.*libuv1")


del Tree

if __name__ == "__main__":
    if len(sys.argv) > 2 and sys.argv[1] == "--build":
        BUILD = pathlib.Path(sys.argv[2]).resolve()
        del sys.argv[1:3]
    unittest.main()
