#!/usr/bin/python3
"""Ports beside their tests, in the test runners of languages: a right port passes, a wrong one fails with its verdict, and each printed
call that replays a history shows the fault again.

    runners_test.py --bin build/release/bin [Go|Java|JavaScript|Python]
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Callable
from typing import TYPE_CHECKING

HELPERS = pathlib.Path(__file__).resolve().parent
ROOT = HELPERS.parents[2]
SYSTEM = "aws_backoff_algorithm"
POLICY = """name: my_policy
unit: ms
parameters:
  base: {default: 1000, range: [1, 60000]}
window: base * 1.6^n
delay: uniform(0.8 * window, 1.2 * window)
"""
CASES = ["--cases", "2000"]

if TYPE_CHECKING:
    Case = unittest.TestCase
else:
    Case = object


class Runner(Case):
    """A language has `made(call, port)`, which writes a test that makes the call, and `run_tests()`: its exit code, and what it says."""
    policy_port: dict[str, str]  # by its draws
    fault: tuple[str, str]
    calls: dict[str, str]  # by the port
    no_answer: tuple[str, str]

    def setUp(self) -> None:
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "my policy.yaml").write_text(POLICY)
        self.prepare()

    def prepare(self) -> None: ...
    made: Callable[[str, str], None]
    run_tests: Callable[[], tuple[int, str]]

    def verdict_of(self, call: str, port: str) -> tuple[int, str]:
        self.made(call, port)
        return self.run_tests()

    def passes(self, call: str, port: str) -> None:
        code, said = self.verdict_of(call, port)
        self.assertEqual(code, 0, said)

    def fails(self, call: str, port: str, claim: str) -> list[str]:
        """The calls that it prints."""
        code, said = self.verdict_of(call, port)
        self.assertEqual(code, 1, said)
        self.assertIn(claim, said)
        return re.findall(r"(?m)^.*? *replay +(\S.*)$", said)

    def each_line_shows_it_again(self, call: str, right: str, wrong: str, claim: str) -> None:
        self.passes(call, right)
        printed = self.fails(call, wrong, claim)
        self.assertNotEqual(printed, [])
        for again in printed:
            with self.subTest(again):
                self.assertRegex(again, r"^\S*(check|replay|Check|Replay)\(")
                self.fails(again, wrong, "violation 1:")
                self.passes(again, right)

    def test_a_document(self) -> None:
        right = self.document_port()
        self.assertEqual(right.count(self.fault[0]), 1)
        self.each_line_shows_it_again(self.calls["document"], right, right.replace(*self.fault), "delay_never_exceeds_cap")

    def test_a_policy_and_what_the_port_says_of_itself(self) -> None:
        right = self.policy_port["given"]
        self.each_line_shows_it_again(self.calls["given"], right, right.replace("0.4", "0.3"), "verdict: does not conform")

    def test_an_unknown_field_of_the_port_is_refused(self) -> None:
        call = self.calls["given"].replace("draw_kind", "drawKind")
        self.assertNotEqual(call, self.calls["given"])
        code, said = self.verdict_of(call, self.policy_port["given"])
        self.assertEqual(code, 1, said)
        self.assertRegex(said, "drawKind: expected one of port,? systems,?")

    def test_a_field_with_another_value_is_wrong_use(self) -> None:
        code, said = self.verdict_of(self.calls["hidden"].replace("opaque", "hidden"), self.policy_port["hidden"])
        self.assertEqual(code, 1, said)
        self.assertIn("\"draws\": expected injected or opaque, found 'hidden'", said)
        self.assertNotRegex(said, "AssertionError|DoesNotConform|ERR_ASSERTION")

    def test_an_answer_that_is_none(self) -> None:
        """Where it is not the first."""
        port = self.document_port()
        self.assertEqual(port.count(self.no_answer[0]), 1)
        code, said = self.verdict_of(self.calls["document"], port.replace(*self.no_answer))
        self.assertEqual(code, 1, said)
        self.assertIn("verdict: the port broke: an answer is 'null', expected an object, at history", said)

    def test_a_policy_of_hidden_draws(self) -> None:
        right = self.policy_port["hidden"]
        self.each_line_shows_it_again(self.calls["hidden"], right, right.replace("0.4", "0.3"), "delays_fill_their_window")

    def document_port(self) -> str:
        raise NotImplementedError


class Beside(Runner):
    """A language whose runners start in any folder: files are taken from the folder of the test, too."""
    run_from: Callable[[pathlib.Path], tuple[int, str]]
    known: list[str]  # ways to name a file of known failures

    def run_tests(self) -> tuple[int, str]:
        return self.run_from(self.folder)

    def test_files_beside_the_test(self) -> None:
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        (self.folder / "known.txt").write_text("delay_never_exceeds_cap * sometimes # 1\n")
        right = self.policy_port["given"]
        for call, port in ((self.calls["given"], right),
                           *((self.calls["document"].replace(")", f", {words})"), self.document_port()) for words in self.known)):
            with self.subTest(call):
                self.made(call, port)
                code, said = self.run_from(elsewhere)
                self.assertEqual(code, 0, said)
                self.made(re.sub(r"(my policy|known)\.", "none.", call), port)
                code, said = self.run_from(elsewhere)
                self.assertEqual(code, 1, said)
                name = "none.yaml" if "policy" in call else "none.txt"
                self.assertIn(f"'{name}' does not exist in '{elsewhere}' or in '{self.folder}', the folder of the test", said)
        self.made(self.calls["given"], right.replace("0.4", "0.3"))
        printed = re.findall(r"(?m)^.*? *replay +(\S.*)$", self.run_from(elsewhere)[1])
        self.assertNotEqual(printed, [])
        for again in printed:
            self.made(again, right)
            self.assertEqual(self.run_from(elsewhere)[0], 0, again)
        (elsewhere / "my policy.yaml").write_text("name: other\n")  # the working folder has precedence
        self.made(self.calls["given"], right)
        self.assertIn("policy.yaml:", self.run_from(elsewhere)[1])


class Go(Runner, unittest.TestCase):
    fault = ("window > max ", "window > 2*max ")
    no_answer = ('return Fields{"status": "exhausted"}', "return nil")
    calls = {"document": f'oracletest.Check(t, "{SYSTEM}", port)',
             "given": 'oracletest.Check(t, "my policy.yaml", port, "--cases", 2000, Fields{"draw_kind": "unit"})',
             "hidden": 'oracletest.Check(t, "my policy.yaml", port, Fields{"draws": "opaque"}, "--cases", 2000)'}
    policy = """
func port(params Fields, _ []any) Instance {
	window := real(params["base"]) / 1.6
	return func(step Fields) Fields {
		if step["op"] == "reset" {
			window = real(params["base"]) / 1.6
			return Fields{"status": "ok"}
		}
		window *= 1.6
		fmt.Println("a port may print")
		return Fields{"status": "retry", "delay_ms": window * (0.8 + 0.4*DRAW)}
	}
}

func real(text any) float64 {
	value, err := strconv.ParseFloat(text.(string), 64)
	if err != nil {
		panic(err)
	}
	return value
}
"""
    policy_port = {"given": policy.replace("DRAW", 'real(step["draw"].(Fields)["value"])'),
                   "hidden": policy.replace("DRAW", "rand.Float64()")}

    def prepare(self) -> None:
        module = "github.com/backoff-oracle/backoff-oracle/properties/ports/helpers/go"
        (self.folder / "go.mod").write_text(f"module example.test/mine\n\ngo 1.19\n\nrequire {module} v0.0.0\n\n"
                                            f'replace {module} => "{HELPERS / "go"}"\n')

    def document_port(self) -> str:
        text = (HELPERS / "go/mine/backoff_test.go").read_text()
        return text[text.index("// The port"):]

    def made(self, call: str, port: str) -> None:
        given = (HELPERS / "go/mine/backoff_test.go").read_text()
        imports = given[:given.index("func TestBackoff")].replace("import (", 'import (\n\t"fmt"\n\t"math/rand"')
        test = f"func TestBackoff(t *testing.T) {{\n\t{call}\n}}\n\nvar _, _ = fmt.Print, rand.Float64\n"
        main = 'func TestMain(m *testing.M) {\n\tfmt.Println("TestMain may print")\n\tm.Run()\n}\n'
        (self.folder / "backoff_test.go").write_text(f"{imports}{test}{main}{port}")

    def run_tests(self) -> tuple[int, str]:
        return ran(["go", "test", "-count=1", "./..."], self.folder)

    def test_the_module_is_right(self) -> None:
        for verb in ("vet", "test"):
            code, said = ran(["go", verb, "./..."], HELPERS / "go")
            self.assertEqual(code, 0, said)
        code, said = ran(["go", "test", "-v", "-count=1", "./..."], HELPERS / "go")
        for words in ("--- PASS: ExampleCheck", "--- PASS: TestBackoff", f"verdict: conforms to {SYSTEM}, grade exact"):
            self.assertIn(words, said)

    def test_without_the_program(self) -> None:
        self.made(self.calls["document"], self.document_port())
        code, said = ran(["go", "test", "-c", "-o", "tests"], self.folder)
        self.assertEqual(code, 0, said)
        code, said = ran(["./tests"], self.folder, BACKOFF_ORACLE="", PATH=str(self.folder))
        self.assertEqual(code, 1)
        self.assertIn("install backoff-oracle on the PATH, or set BACKOFF_ORACLE to the program", said)


class Java(Runner, unittest.TestCase):
    fault = (".min(max)", ".min(max.add(max))")
    no_answer = ('return Map.of("status", "exhausted")', "return null")
    calls = {"document": f'BackoffOracle.check("{SYSTEM}", port)',
             "given": 'BackoffOracle.check("my policy.yaml", port, "--cases", 2000, Map.of("draw_kind", "unit"))',
             "hidden": 'BackoffOracle.check("my policy.yaml", port, Map.of("draws", "opaque"), "--cases", 2000)'}
    policy = """
    static BackoffPort.Instance port(Map<String, Object> params) {
        double[] window = {0};
        return step -> {
            System.out.println("a port may print");
            if (step.get("op").equals("reset")) {
                window[0] = 0;
                return Map.of("status", "ok");
            }
            window[0] = window[0] == 0 ? Double.parseDouble((String) params.get("base")) : window[0] * 1.6;
            return Map.of("status", "retry", "delay_ms", window[0] * (0.8 + 0.4 * DRAW));
        };
    }
"""
    policy_port = {"given": policy.replace("DRAW", 'Double.parseDouble((String) ((Map<?, ?>) step.get("draw")).get("value"))'),
                   "hidden": policy.replace("DRAW", "Math.random()")}

    def prepare(self) -> None:
        helpers = map(str, (HELPERS / "java").glob("Backoff*.java"))
        code, said = ran(["javac", "-Xlint:all,-serial", "-Werror", "-d", str(self.folder), *helpers], self.folder)
        self.assertEqual(code, 0, said)

    def document_port(self) -> str:
        text = (HELPERS / "java/ExamplePort.java").read_text()
        return text[text.index("    static BackoffPort"):text.index("    public static void main")]

    def made(self, call: str, port: str) -> None:
        (self.folder / "BackoffTest.java").write_text(
            "import java.math.BigInteger;\nimport java.util.*;\n\npublic final class BackoffTest {\n"
            "    static final BackoffPort.Port port = (params, steps) -> port(params);\n"
            f"    public static void main(String[] words) {{\n        {call};\n    }}\n{port}}}\n")
        code, said = ran(["javac", "-cp", str(self.folder), "-d", str(self.folder), "BackoffTest.java"], self.folder)
        self.assertEqual(code, 0, said)

    def run_tests(self) -> tuple[int, str]:
        return ran(["java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", str(self.folder), "BackoffTest"], self.folder)

    def test_which_program_it_runs(self) -> None:
        self.made(self.calls["document"], self.document_port())
        java = [shutil.which("java") or "java", "-cp", str(self.folder)]
        for property_, variable, jar, says in (("one", "two", "three", 'Cannot run program "one"'),
                                               ("", "two", "three", 'Cannot run program "two"'), ("", "", "three", "three of the jar"),
                                               ("", "", "", "install backoff-oracle on the PATH")):
            with self.subTest(says):
                packed = self.folder / "backoffport/program/linux-x86_64/backoff-oracle"
                packed.parent.mkdir(parents=True, exist_ok=True)
                packed.write_text(f"#!/bin/sh\necho {jar} of the jar\nexit 2\n")
                if not jar:
                    packed.unlink()
                named = [f"-DBACKOFF_ORACLE={property_}"] if property_ else []
                code, said = ran([*java, *named, "BackoffTest"], self.folder, BACKOFF_ORACLE=variable, PATH=str(self.folder))
                self.assertEqual(code, 1)
                self.assertIn(says, said)

    def test_a_port_that_hangs_does_not_hang_the_test(self) -> None:
        port = self.document_port().replace("int[] attempts = {0};", "int[] attempts = {0};\n        while (limit.equals(\"1\")) {}")
        self.made(f'BackoffOracle.check("{SYSTEM}", port, "--timeout", 0.5)', port)
        code, said = self.run_tests()
        self.assertEqual(code, 1, said)
        self.assertIn("the port gave no answer within 500 ms", said)


class JavaScript(Beside, unittest.TestCase):
    known = ["'--known-failing', 'known.txt'", "'--known-failing=known.txt'"]
    fault = ("grown < BigInt(max_ms) ? grown : BigInt(max_ms)", "grown")
    no_answer = ("return { status: 'exhausted' }", "return undefined")
    calls = {"document": f"oracle.check('{SYSTEM}', port)",
             "given": "oracle.check('my policy.yaml', port, '--cases', 2000, { draw_kind: 'unit' })",
             "hidden": "oracle.check('my policy.yaml', port, { draws: 'opaque' }, '--cases', 2000)"}
    policy = """
function port({ base }) {
  let window = base / 1.6;
  return async (step) => {
    console.log('a port may print');
    if (step.op === 'reset') {
      window = base / 1.6;
      return { status: 'ok' };
    }
    window *= 1.6;
    return { status: 'retry', delay_ms: window * (0.8 + 0.4 * DRAW) };
  };
}
"""
    policy_port = {"given": policy.replace("DRAW", "Number(step.draw.value)"), "hidden": policy.replace("DRAW", "Math.random()")}

    def prepare(self) -> None:
        package = self.folder / "node_modules/backoff-oracle"
        package.mkdir(parents=True)
        for path in (*(ROOT / "lib/package/npm").iterdir(), HELPERS / "javascript/backoff_port.cjs"):
            if path.is_file():
                shutil.copy(path, package)
        (package / "bin").symlink_to(BIN)

    def document_port(self) -> str:
        text = (ROOT / "lib/package/npm/example/backoff.test.cjs").read_text()
        return text[text.index("function port"):text.index("test('")]

    def made(self, call: str, port: str) -> None:
        name, imports = "backoff.test.mjs", "import test from 'node:test';\nimport oracle, { check } from 'backoff-oracle';\n"
        if "policy" not in call:
            name, imports = "backoff.test.cjs", "const test = require('node:test');\nconst oracle = require('backoff-oracle');\n"
        for old in self.folder.glob("backoff.test.*"):
            old.unlink()
        (self.folder / name).write_text(f"{imports}test('backoff', () => {call});\n{port}")

    def run_from(self, folder: pathlib.Path) -> tuple[int, str]:
        return ran(["node", "--test", "--test-reporter=tap", *map(str, self.folder.glob("backoff.test.*"))], folder)

    def test_a_file_and_a_command_are_ports(self) -> None:
        shutil.copy(HELPERS / "javascript/backoff_port.cjs", self.folder)
        shutil.copy(HELPERS / "javascript/example_port.cjs", self.folder / "port.cjs")
        for port in ("require.resolve('./port.cjs')", "'port.cjs'", "['node', 'port.cjs']"):
            with self.subTest(port):
                self.passes(f"oracle.check('{SYSTEM}', {port})", "")
        self.made(f"oracle.check('{SYSTEM}', './port.cjs')", "")
        code, said = self.run_from(self.folder / "node_modules")
        self.assertEqual(code, 0, said)

    def test_a_port_that_never_answers_fails(self) -> None:
        port = self.document_port().replace("return (step) =>", "return async (step) =>").replace(
            "    const grown", "    if (base_ms === '7') await new Promise(() => {});\n    const grown")
        call = f"oracle.check('{SYSTEM}', port, '--timeout', 0.3)"
        self.assertIn("the port gave no answer within 300 ms", self.fails_with(call, port))
        self.assertIn("unknown system 'nope'", self.fails_with("oracle.check('nope', port)", port))

    def test_an_answer_that_is_no_json(self) -> None:
        circle = "const all = {};\nall.all = all;\nconst port = () => () => all;\n"
        self.assertIn("says: TypeError: Converting circular structure to JSON", self.fails_with(f"oracle.check('{SYSTEM}', port)", circle))

    def test_half_a_request_of_a_relay_that_was_killed_does_not_end_the_tests(self) -> None:
        self.passes("oracle.serve(() => {}, {}, require('node:stream').Readable.from(['{\"cmd\":']), process.stderr)", "")

    def test_a_port_that_is_a_file_describes_itself(self) -> None:
        self.assertIn("describes itself", self.fails_with(f"oracle.check('{SYSTEM}', 'backoff.test.cjs', {{ draw_kind: 'unit' }})", ""))

    def fails_with(self, call: str, port: str) -> str:
        code, said = self.verdict_of(call, port)
        self.assertEqual(code, 1, said)
        return said


class Python(Beside, unittest.TestCase):
    """Without pytest, which adds the fixture."""
    known = ['"--known-failing", "known.txt"', '"--known-failing=known.txt"']
    fault = ("min(int(self.base) * 2 ** self.attempts, int(self.cap))", "int(self.base) * 2 ** self.attempts")
    no_answer = ('return {"status": "exhausted"}', "return None")
    calls = {"document": f'oracle.check("{SYSTEM}", MyPort)',
             "given": 'oracle.check("my policy.yaml", port, "--cases", 2000, draw_kind="unit")',
             "hidden": 'oracle.check("my policy.yaml", closure(), "--cases", 2000, draws="opaque")'}
    policy = """
def port(params, steps):
    granted = 0

    def answer(step):
        nonlocal granted
        print("a port may print")
        if step["op"] == "reset":
            granted = 0
            return {"status": "ok"}
        granted += 1
        return {"status": "retry", "delay_ms": int(params["base"]) * 1.6 ** (granted - 1) * (0.8 + 0.4 * DRAW)}
    return answer


def closure():
    return lambda *given: port(*given)
"""
    policy_port = {"given": policy.replace("DRAW", 'float(step["draw"]["value"])'), "hidden": policy.replace("DRAW", "random.random()")}

    def prepare(self) -> None:
        package = self.folder / "backoff_oracle"
        shutil.copytree(ROOT / "lib/package/python/backoff_oracle", package, ignore=shutil.ignore_patterns("__pycache__", "bin"))
        (package / "bin").symlink_to(BIN)
        shutil.copy(HELPERS / "python/backoff_port.py", self.folder)

    def document_port(self) -> str:
        return (ROOT / "lib/package/python/example/test_backoff.py").read_text().partition("\n\n\ndef test_backoff")[0]

    def made(self, call: str, port: str) -> None:
        call = call.replace(", port,", ", closure(),") if "opaque" in call else call
        (self.folder / "test_backoff.py").write_text(f"import random\n\nimport backoff_oracle as oracle\n\n{port}\n{call}\n")

    def run_from(self, folder: pathlib.Path) -> tuple[int, str]:
        return ran([sys.executable, "-B", str(self.folder / "test_backoff.py")], folder)

    def test_a_pass_prints_its_verdict(self) -> None:
        code, said = self.verdict_of(self.calls["document"], self.document_port())
        self.assertEqual((code, said.splitlines()[-2:]), (0, [f"verdict: conforms to {SYSTEM}, grade exact", ""]))


def ran(command: list[str], folder: pathlib.Path, **more: str) -> tuple[int, str]:
    variables = {"BACKOFF_ORACLE": str(BIN / "backoff-oracle"), "GOTOOLCHAIN": "local", "GOFLAGS": "-mod=mod", **more}
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                          env={**os.environ, **variables})
    return done.returncode, done.stdout


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--bin", type=pathlib.Path, required=True)
    given, words = options.parse_known_args()
    BIN = given.bin.resolve()
    unittest.main(argv=[sys.argv[0], *words])
