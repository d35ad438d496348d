#!/usr/bin/python3
"""Uses each package as a user does: builds it, installs it into an empty environment, and judges a right and a wrong port there.

    release_test.py --bin build/release/bin [--build]

No registry is asked, but npm's for TypeScript. Without --build the packages hold the programs of DIR, which makes no difference to how
they are installed.
With --build, which takes long, all is built by lib/package/release, twice, and looked at as a whole.
"""
import contextlib
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import types
import unittest
import unittest.mock
import zipfile
from collections.abc import Callable
from typing import Any

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from releasing import archives, from_help, packages  # noqa: E402
from releasing.debian import TARGETS  # noqa: E402
from releasing.program import MOST_BYTES, ROOT  # noqa: E402
from releasing.running import Failed, Progress  # noqa: E402

SYSTEM = "aws_backoff_algorithm"
(VERSION,) = re.findall(r"project\(backoff VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())
SCRATCH = tempfile.TemporaryDirectory(prefix="backoff-oracle-release-test-")
BUILDS = "--build" in sys.argv
BIN = pathlib.Path("build/release/bin").resolve()
RIGHT, WRONG = "verdict: conforms to", "verdict: does not conform to"
BROKEN = "BROKEN  delay_never_exceeds_cap"
TYPED = """
import oracle, { check, Rejected, type Port } from 'backoff-oracle';
const port: Port = ({ base_ms }, steps) => async (step) => {
  if (steps.length === 0) throw new Rejected(step.op);
  return { status: 'retry', delay_ms: BigInt(base_ms) };
};
const verdict: Promise<string> = check('aws_backoff_algorithm', port, '--cases', 500, { draw_kind: 'unit' });
oracle.replay('token', 'port.cjs');
"""


def scratch(name: str) -> pathlib.Path:
    path = pathlib.Path(SCRATCH.name) / name
    path.mkdir(parents=True, exist_ok=True)
    return path


def run(*command: object, code: int = 0, cwd: pathlib.Path | None = None, env: dict[str, str] | None = None) -> str:
    """What it prints; it must end with this code."""
    environment = {**os.environ, **(env or {})}
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                          env=environment, cwd=cwd)
    if done.returncode != code:
        raise AssertionError(f"{' '.join(map(str, command))}: exit {done.returncode}, expected {code}\n{done.stdout}")
    return done.stdout


def one(folder: pathlib.Path, pattern: str) -> pathlib.Path:
    found = sorted(folder.rglob(pattern))
    assert len(found) == 1, f"{pattern} in {folder}: {found}"
    return found[0]


def changed(text: str, *replacements: tuple[str, str]) -> str:
    for old, new in replacements:
        assert text.count(old) == 1, f"'{old}' in\n{text}"
        text = text.replace(old, new)
    return text


def released(make: Callable[[Any, pathlib.Path], None] | None = None) -> pathlib.Path:
    """The folder of the release; without --build, of what is made here alone."""
    if BUILDS:
        folder = pathlib.Path(SCRATCH.name) / "released"
        if not folder.exists():
            run(HERE / "release", folder, "--arch=x86_64", "--arch=arm64", f"--only={','.join(packages.KINDS)}", "--verify")
        return folder
    programs = pathlib.Path(SCRATCH.name) / "programs"
    if not programs.exists():
        shutil.copytree(BIN, programs / "bin", ignore=lambda _, names: set(names) - {"backoff-oracle", "backoff-host"})
        from_help.write_all(BIN / "backoff-oracle", programs)
        (programs / "share/doc/backoff-oracle").mkdir(parents=True)
        shutil.copy(ROOT / "LICENSE", programs / "share/doc/backoff-oracle")
    os.environ["SOURCE_DATE_EPOCH"] = "1700000000"
    assert make, "expected what makes it, or --build"
    folder = scratch(f"released {make.__name__}")
    make(types.SimpleNamespace(folder=programs, version=VERSION, epoch=1_700_000_000, target=TARGETS["x86_64"]), folder)
    return folder


class Archives(unittest.TestCase):
    def test_the_bytes_do_not_depend_on_the_place_or_the_time(self) -> None:
        made = []
        for name, time in (("one", 1_000_000_000), ("a longer other", 1_500_000_000)):
            folder = scratch(f"archives/{name}/content")
            names = [f"{n * 7 % 32:02}" for n in range(32)]
            for file in names if name == "one" else reversed(names):
                (folder / file).write_text(file)
                os.utime(folder / file, (time, time))
            archives.tar_gz(folder.parent / "x.tar.gz", folder, 1_700_000_000, "x/")
            archives.zipped(folder.parent / "x.zip", {"a": b"a"}, 1_700_000_000)
            made.append([(folder.parent / name).read_bytes() for name in ("x.tar.gz", "x.zip")])
        self.assertEqual(*made)
        with tarfile.open(scratch("archives/one") / "x.tar.gz") as archive:
            self.assertEqual(archive.getnames(), [f"x/{n:02}" for n in range(32)])


class CommandLine(unittest.TestCase):
    """What `release` says before it builds, and while it does."""

    def release(self, *words: object, code: int, path: str = os.environ["PATH"]) -> str:
        folder = pathlib.Path(SCRATCH.name) / "not released"
        said = run(HERE / "release", folder, *words, code=code, env={"PATH": path})
        self.assertFalse(folder.exists())
        return said

    def test_every_missing_tool_is_named_before_anything_is_built(self) -> None:
        tools = scratch("few tools")
        for name in ("git", "cmake"):
            (tools / name).symlink_to("/usr/bin/true")
        for only, named in (("npm,deb", "dpkg-deb, npm"), ("jar,wheel", "javac"), ("crate", "cargo"), ("image", "buildah")):
            said = self.release("--only", only, code=2, path=str(tools))
            self.assertRegex(said, rf"^release: missing: ninja, g\+\+, .*pkg-config, {named}; `.ci/setup release` installs what is missing")
            self.assertNotRegex(said, "git|cmake")
        self.assertRegex(self.release("--only=tarball", "--arch=x86_64", "--arch=arm64", code=2, path=str(tools)),
                         "pkg-config, aarch64-linux-gnu-g\\+\\+")

    def test_a_kind_that_is_none_is_named(self) -> None:
        self.assertIn("argument --only: 'rpm': expected tarball, deb, wheel,", self.release("--only", "deb,rpm", code=2))

    def test_progress_is_one_line_on_a_terminal_and_nothing_in_a_pipe(self) -> None:
        for is_terminal, shown in ((True, "\r\x1b[K0:00 step 1 of 2: deb\r\x1b[K0:00 step 1 of 2: deb [7/9]\r\x1b[K"), (False, "")):
            into = io.StringIO()
            with unittest.mock.patch.object(into, "isatty", return_value=is_terminal), Progress(2, into) as progress:
                progress.step("deb")
                progress.says("[7/9] Building CXX object x.o\n")
            self.assertEqual(into.getvalue(), shown)


class FromHelp(unittest.TestCase):
    prefix: pathlib.Path
    help: from_help.Help
    path: dict[str, str]

    @classmethod
    def setUpClass(cls) -> None:
        cls.prefix, cls.help = scratch("from help"), from_help.help_of(BIN / "backoff-oracle")
        from_help.write_all(BIN / "backoff-oracle", cls.prefix)
        cls.path = {"PATH": f"{BIN}:{os.environ['PATH']}"}

    def test_every_word_of_the_help_is_in_its_page(self) -> None:
        said = {}
        for page in (self.help, *self.help.verbs):
            said[page.name] = run("man", "--warnings", "--nh", "--nj", "-l", self.prefix / f"share/man/man1/{page.page}.1",
                                  env={"MANWIDTH": "300", "LC_ALL": "C.UTF-8"})
            self.assertNotIn("warning", said[page.name])
            words = re.sub(r"(?m)^(Usage|Options|Subcommands|Examples|Exit codes|Limits):", "", page.text).replace(",--", ", --").split()
            self.assertEqual(set(words) - set(said[page.name].split()), set())
        self.assertIn(", ".join(f"{verb.page}(1)" for verb in self.help.verbs), said[""])
        for shown in ("Number of histories (10000; 10000000 at level 2)", "--level 1|2", "-- PORT [ARG…]", "5      inconclusive",
                      "   Histories:\n", "\nEXIT STATUS\n", "    backoff-oracle check aws_backoff_algorithm -- python3 my_port.py\n",
                      "SEE ALSO\n       backoff-oracle(1)\n"):
            self.assertIn(shown, said["check"])

    def test_a_line_of_the_help_that_is_not_understood_is_an_error(self) -> None:
        with self.assertRaisesRegex(Failed, "expected NAME"):
            from_help.argument("--cases N (a new form)", "")

    def test_bash_completes(self) -> None:
        script = self.prefix / "share/bash-completion/completions/backoff-oracle"

        def completed(*words: str) -> list[str]:
            completes = f'. "{script}"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _backoff_oracle; printf "%s\\n" "${{COMPREPLY[@]}}"'
            said = run("bash", "-c", completes, "bash", "backoff-oracle", *words, env=self.path, cwd=HERE)
            return said.split()

        self.assertEqual(completed("ch"), ["check"])
        self.assertEqual(completed("check", "aws_ba"), [SYSTEM])
        self.assertEqual(completed("check", "grpc_r"), ["grpc_retry_a6"])
        self.assertEqual(completed("check", SYSTEM, "--known"), ["--known-failing"])
        self.assertEqual(completed("check", SYSTEM, "--format", ""), ["human", "json", "markdown"])
        self.assertEqual(completed("report", "release_t"), ["release_test.py"])
        self.assertIn("python3", completed("check", SYSTEM, "--", "python"))

    def test_fish_completes(self) -> None:
        script = self.prefix / "share/fish/vendor_completions.d/backoff-oracle.fish"

        def completed(line: str) -> list[str]:
            said = run("fish", "--no-config", "-c", f"source '{script}'; complete -C 'backoff-oracle {line}'", env=self.path, cwd=HERE)
            return [each.split("\t")[0] for each in said.splitlines()]

        self.assertEqual(completed("ch"), ["check"])
        self.assertEqual(completed("check aws_ba"), [SYSTEM])
        self.assertEqual(completed("check grpc_r"), ["grpc_retry_a6"])
        self.assertEqual(completed("check --known"), ["--known-failing"])
        self.assertEqual(sorted(completed("check --format ")), ["human", "json", "markdown"])
        self.assertEqual(completed("report release_t"), ["release_test.py"])

    def test_zsh_takes_it(self) -> None:
        script = self.prefix / "share/zsh/site-functions/_backoff-oracle"
        self.assertEqual(run("zsh", "-n", script), "")
        for words in (r"'--known-failing[", r"':SYSTEM:($(backoff-oracle list", "'*--claim["):
            self.assertIn(words.lstrip("'"), script.read_text())


class Python(unittest.TestCase):
    folder: pathlib.Path
    example: str

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = scratch("python")
        run("/usr/bin/python3", "-m", "venv", "--system-site-packages", cls.folder / "venv")  # Debian's pytest
        wheel = one(released(packages.wheel), "*x86_64.whl")
        run(cls.folder / "venv/bin/pip", "install", "--no-index", "--no-deps", "--force-reinstall", wheel)
        cls.example = (HERE / "python/example/test_backoff.py").read_text()

    def pytest(self, name: str, text: str, code: int) -> str:
        (self.folder / name).write_text(text)
        return run(self.folder / "venv/bin/python", "-m", "pytest", "-p", "no:cacheprovider", name, code=code, cwd=self.folder)

    def test_the_example_passes(self) -> None:
        said = self.pytest("test_right.py", self.example, 0)
        self.assertIn("1 passed", said)
        self.assertIn(f"test_right.py::test_backoff: {RIGHT} {SYSTEM}, grade exact", said)

    def test_a_wrong_port_fails_with_the_finding_and_the_call_that_replays_it(self) -> None:
        wrong = changed(self.example, ("min(int(self.base) * 2 ** self.attempts, int(self.cap))", "int(self.base) * 2 ** self.attempts"))
        said = self.pytest("test_wrong.py", wrong, 1)
        self.assertIn("1 failed", said)
        for words in (BROKEN, f"E       {WRONG}", f"DoesNotConform: {WRONG}", "smallest history:"):
            self.assertIn(words, said)
        call = re.search(r"oracle\.replay\('\S+', MyPort\)", said)
        assert call, said
        again = wrong.partition("def test_backoff")[0] + f"def test_backoff(oracle):\n    {call[0]}\n"
        said = self.pytest("test_again.py", again, 1)
        self.assertIn("violation 1: delay_never_exceeds_cap (must), broken in 1 history", said)
        mended = self.example.partition("def test_backoff")[0] + again[again.index("def test"):]
        self.assertIn("1 passed", self.pytest("test_mended.py", mended, 0))

    def test_a_port_is_a_closure_and_may_print(self) -> None:
        text = changed(self.example, ('oracle.check("aws_backoff_algorithm", MyPort)',
                                      'mine = lambda *given: (print("made", flush=True), MyPort(*given))[1]\n'
                                      '    assert oracle.check("aws_backoff_algorithm", mine, "--cases", 300).exit_code == 0'))
        self.assertIn("1 passed", self.pytest("test_closure.py", text, 0))

    def test_a_port_that_hangs_or_ends_fails_and_nothing_of_it_is_left(self) -> None:
        for fault in ("while True: pass", "__import__('os')._exit(7)"):
            text = changed(self.example, ("        self.attempts += 1\n", f"        self.attempts += 1\n        {fault}\n"),
                           ("MyPort)", "MyPort, '--timeout', 0.3, '--cases', 50)"))
            said = self.pytest("test_fault.py", "import os\nprint(os.getpid())\n" + text, 1)
            self.assertIn("DoesNotConform", said)
            self.assertRegex(said, "exited with status 7|gave no answer|within 0.3 s")
        for process in pathlib.Path("/proc").glob("[0-9]*/cwd"):
            with contextlib.suppress(PermissionError, FileNotFoundError):
                self.assertNotEqual(process.resolve(), self.folder, process)

    def test_usage_is_no_verdict(self) -> None:
        text = changed(self.example, ('"aws_backoff_algorithm"', '"nope"'))
        self.assertIn("OracleFailed: backoff-oracle: error: unknown system 'nope'", self.pytest("test_usage.py", text, 1))

    def test_the_program_and_the_documented_adapter_run(self) -> None:
        adapter = ROOT / "properties/ports/helpers/python/example_port.py"
        copied = shutil.copy(adapter, scratch("adapter"))
        program, python = (self.folder / "venv/bin" / name for name in ("backoff-oracle", "python"))
        self.assertIn(RIGHT, run(program, "check", SYSTEM, "--cases", 300, "--", python, copied))
        self.assertIn(f"backoff-oracle {VERSION}", run(program, "--version"))

    def test_the_program_finds_its_host(self) -> None:
        library = one(BIN.parent / "test_libraries", f"{SYSTEM}.so")
        self.assertIn(RIGHT, run(self.folder / "venv/bin/backoff-oracle", "check", SYSTEM, "--cases", 300, "--library", library))


class JavaScript(unittest.TestCase):
    def test_the_example_passes_and_a_wrong_port_fails(self) -> None:
        folder = scratch("javascript")
        (folder / "package.json").write_text("{}")
        run("npm", "install", "--offline", "--no-audit", "--no-fund", one(released(packages.npm), "*.tgz"), cwd=folder)
        for path in (folder / "node_modules/backoff-oracle/example").iterdir():
            shutil.copy(path, folder)
        self.assertIn("# pass 1\n", run("node", "--test", "--test-reporter=tap", cwd=folder))
        tests = folder / "backoff.test.cjs"
        tests.write_text(changed(tests.read_text(), ("grown < BigInt(max_ms) ? grown : BigInt(max_ms)", "grown")))
        said = run("node", "--test", "--test-reporter=tap", cwd=folder, code=1)
        self.assertIn("# fail 1\n", said)
        for words in (BROKEN, WRONG):
            self.assertIn(words, said)
        program = folder / "node_modules/.bin/backoff-oracle"
        self.assertIn(RIGHT, run(program, "check", SYSTEM, "--cases", 300, "--", "node", folder / "port.cjs"))


    def test_the_types_are_those_of_the_package(self) -> None:
        folder = scratch("types")
        (folder / "package.json").write_text("{}")
        run("npm", "install", "--no-audit", "--no-fund", "typescript@5", one(released(packages.npm), "*.tgz"), cwd=folder)
        (folder / "right.ts").write_text(TYPED)
        tsc = ["npx", "tsc", "--noEmit", "--strict", "--module", "nodenext", "--target", "es2022"]
        run(*tsc, "right.ts", cwd=folder)
        for wrong in ("check('x', port, { draw_kind: 'u64' });", "check('x');", "check('x', () => 1);"):
            (folder / "wrong.ts").write_text(f"{TYPED}{wrong}\n")
            self.assertIn("error TS", run(*tsc, "wrong.ts", cwd=folder, code=2))


class Go(unittest.TestCase):
    def test_a_module_that_needs_no_edit_is_fetched_and_judges_in_go_test(self) -> None:
        folder = scratch("go")
        environment = {"GOPROXY": f"file://{released(packages.go) / 'go'}", "GONOSUMDB": packages.GO_MODULE, "GOFLAGS": "",
                       "GOTOOLCHAIN": "local", "GOMODCACHE": str(scratch("go modules")), "BACKOFF_ORACLE": str(BIN / "backoff-oracle")}
        self.addCleanup(run, "go", "clean", "-modcache", env=environment)
        source = (ROOT / "properties/ports/helpers/go/mine/backoff_test.go").read_text()
        (folder / "port_test.go").write_text(source)
        run("go", "mod", "init", "example.test/mine", cwd=folder, env=environment)
        run("go", "get", f"{packages.GO_MODULE}@v{VERSION}", cwd=folder, env=environment)
        run("go", "vet", "./...", cwd=folder, env=environment)
        self.assertIn("ok  ", run("go", "test", "./...", cwd=folder, env=environment))
        (folder / "port_test.go").write_text(changed(source, ("window > max", "window > max+1")))
        said = run("go", "test", "./...", cwd=folder, env=environment, code=1)
        for words in ("--- FAIL: TestBackoff", BROKEN, WRONG):
            self.assertIn(words, said)
        token = re.search(r'oracletest\.Replay\(t, ("\S+"), port\)', said)
        self.assertIsNotNone(token, said)


class Rust(unittest.TestCase):
    def test_the_crate_makes_a_port(self) -> None:
        folder = scratch("rust")
        with tarfile.open(one(released(packages.crate), "*.crate")) as crate:
            crate.extractall(folder)
        port = folder / "mine"
        (port / "src").mkdir(parents=True)
        unpacked = folder / f"backoff-port-{VERSION}"
        shutil.copy(unpacked / "examples/example_port.rs", port / "src/main.rs")
        (port / "Cargo.toml").write_text(f'[package]\nname = "mine"\nversion = "1.0.0"\nedition = "2021"\n'
                                         f'[dependencies]\nbackoff-port = {{ path = "{unpacked}" }}\n')
        run("cargo", "build", "--offline", cwd=port, env={"CARGO_TARGET_DIR": str(port / "target")})
        self.assertIn(RIGHT, run(BIN / "backoff-oracle", "check", SYSTEM, "--cases", 300, "--", port / "target/debug/mine"))


class Java(unittest.TestCase):
    def test_a_maven_project_has_the_port_helper_and_the_program(self) -> None:
        folder = scratch("java")
        made = released(packages.jar)
        jar = one(made, f"backoff-port-{VERSION}.jar")
        example = (ROOT / "properties/ports/helpers/java/ExamplePort.java").read_text()
        source = folder / "mine/ExamplePort.java"
        source.parent.mkdir()
        source.write_text(changed(example, ("import java.math.BigInteger;",
                                            "package mine;\nimport backoffport.BackoffPort;\nimport java.math.BigInteger;")))
        run("javac", "-cp", jar, "-d", folder, source)
        with zipfile.ZipFile(jar) as archive:
            program = pathlib.Path(archive.extract("backoffport/program/linux-x86_64/backoff-oracle", folder))
        program.chmod(0o755)
        port = ["java", "-XX:+UseSerialGC", "-cp", f"{jar}:{folder}", "mine.ExamplePort"]
        self.assertIn(RIGHT, run(program, "check", SYSTEM, "--cases", 300, "--", *port))
        self.assertIn(f"<version>{VERSION}</version>", one(made, "*.pom").read_text())


class Deb(unittest.TestCase):
    def test_it_judges_and_has_what_debian_wants(self) -> None:
        package, tree = one(released(packages.deb), "*_amd64.deb"), scratch("deb")
        self.assertEqual(package.name, f"backoff-oracle_{VERSION}_amd64.deb")
        run("dpkg-deb", "--extract", package, tree)
        adapter = ROOT / "properties/ports/helpers/python/example_port.py"
        self.assertIn(RIGHT, run(tree / "usr/bin/backoff-oracle", "check", SYSTEM, "--cases", 300, "--", "/usr/bin/python3", adapter))
        self.assertIn("SUBCOMMANDS", run("man", "-l", tree / "usr/share/man/man1/backoff-oracle.1.gz"))
        for name in ("bash-completion/completions/backoff-oracle", "zsh/vendor-completions/_backoff-oracle",
                     "fish/vendor_completions.d/backoff-oracle.fish", "doc/backoff-oracle/copyright"):
            self.assertTrue((tree / "usr/share" / name).is_file(), name)
        self.assertEqual(run("dpkg-deb", "--field", package, "Version").strip(), VERSION)
        for line in run("dpkg-deb", "--contents", package).splitlines():
            self.assertRegex(line, r"^(drwxr-xr-x|-rwxr-xr-x|-rw-r--r--) root/root ")
        installed = scratch("installed")
        for name in ("info", "updates"):
            (installed / "var/lib/dpkg" / name).mkdir(parents=True)
        (installed / "var/lib/dpkg/status").touch()
        run("dpkg", f"--root={installed}", "--force-not-root,depends", f"--log={installed}/log", "--install", package)
        self.assertIn(f"backoff-oracle {VERSION}", run(installed / "usr/bin/backoff-oracle", "--version"))


@unittest.skipUnless(BUILDS, "takes long")
class Released(unittest.TestCase):
    """The release as a whole, built twice already, with the same bytes."""

    def unpacked(self, name: str) -> Any:
        folder = scratch(f"unpacked {name}")
        with tarfile.open(one(released(), f"*linux-{name}.tar.gz")) as archive:
            archive.extractall(folder)
        return next(folder.iterdir())

    def test_the_sums_are_of_all_files(self) -> None:
        sums = {name: digest for digest, name in (line.split("  ", 1) for line in (released() / "SHA256SUMS").read_text().splitlines())}
        files = {path.relative_to(released()).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
                 for path in released().rglob("*") if path.is_file() and path.name != "SHA256SUMS"}
        self.assertEqual(sums, files)

    def test_the_program_needs_nothing_and_judges(self) -> None:
        for name, through in (("x86_64", []), ("arm64", ["qemu-aarch64"])):
            with self.subTest(name):
                tree = self.unpacked(name)
                program = tree / "bin/backoff-oracle"
                self.assertLessEqual(program.stat().st_size, MOST_BYTES)
                self.assertNotIn("NEEDED", run("readelf", "--wide", "--dynamic", program))
                adapter = ROOT / "properties/ports/helpers/python/example_port.py"
                said = run(*through, program, "check", SYSTEM, "--cases", 300, "--", "/usr/bin/python3", adapter, env={"LC_ALL": "C"})
                self.assertIn(RIGHT, said)
                page = run("man", "-l", tree / "share/man/man1/backoff-oracle.1")
                self.assertIn("SUBCOMMANDS", page)

    def test_the_bill_of_materials_names_what_was_linked(self) -> None:
        for name, debian in (("x86_64", "amd64"), ("arm64", "arm64")):
            bill = json.loads(one(released(), f"*linux-{name}.spdx.json").read_text())
            self.assertEqual(bill["spdxVersion"], "SPDX-2.3")
            by_id = {package["SPDXID"]: package for package in bill["packages"]}
            kinds = {(by_id[each["relatedSpdxElement"]]["name"], each["relationshipType"]) for each in bill["relationships"]}
            for library in ("libuv1-dev", "libssl-dev", "libyaml-cpp-dev"):
                self.assertIn((library, "STATIC_LINK"), kinds)
            for library in ("libboost1.74-dev", "libfmt-dev", "nlohmann-json3-dev", "rapidjson-dev", "libcli11-dev", "libjs-d3"):
                self.assertIn((library, "DEPENDS_ON"), kinds)
            licences = self.unpacked(name) / "share/doc/backoff-oracle/licences"
            self.assertEqual({path.name for path in licences.iterdir()}, {each["name"] for each in by_id.values()} - {"backoff-oracle"})
            self.assertEqual(debian == "arm64", any("cross" in each["name"] for each in by_id.values()))

    def test_the_image_holds_the_program(self) -> None:
        layout = scratch("image")
        with tarfile.open(one(released(), "*image-amd64.tar")) as archive:
            archive.extractall(layout)

        def blob(digest: str) -> Any:
            return layout / "blobs" / digest.replace(":", "/")

        index = json.loads((layout / "index.json").read_text())
        manifest = json.loads(blob(index["manifests"][0]["digest"]).read_text())
        config = json.loads(blob(manifest["config"]["digest"]).read_text())
        self.assertEqual(config["config"]["Entrypoint"], ["/usr/local/bin/backoff-oracle"])
        root = scratch("image root")
        for layer in manifest["layers"]:
            with tarfile.open(blob(layer["digest"])) as archive:
                archive.extractall(root)
        self.assertIn(f"backoff-oracle {VERSION}", run(root / "usr/local/bin/backoff-oracle", "--version"))


if __name__ == "__main__":
    words = [word for word in sys.argv[1:] if word != "--build"]
    if "--bin" in words:
        at = words.index("--bin")
        BIN = pathlib.Path(words[at + 1]).resolve()
        del words[at:at + 2]
    unittest.main(argv=[sys.argv[0], *words])
