#!/usr/bin/python3
"""The GitHub action without GitHub: it is YAML, its inputs reach its scripts as variables only, and the scripts do here
what they do there.

    action_test.py --bin build/release/bin [--build]        --build: the script that builds, too (minutes)
"""
import hashlib
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

import yaml

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "test_ports"))
sys.dont_write_bytecode = True
import running  # noqa: E402
from running import SYSTEM, built_in  # noqa: E402

ACTION = yaml.safe_load((HERE / "action.yml").read_text())
BUILD, JUDGE = ACTION["runs"]["steps"]
CI = HERE.parents[1] / "lib/package/ci"
BUILDS = "--build" in sys.argv
sys.argv = [word for word in sys.argv if word != "--build"]


class Action(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def step(self, step, inputs=None, **more):
        """One script as a runner runs it: the exit code and the standard output; the files that it appends to are left."""
        given = {name: text["default"] for name, text in ACTION["inputs"].items()} | (inputs or {})
        variables = {name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: given[found[1]], text)
                     for name, text in step.get("env", {}).items()}
        path = os.pathsep.join([os.path.dirname(running.PROGRAMS["backoff-oracle"]), os.environ["PATH"]])
        files = {f"GITHUB_{name}": str(self.folder / name) for name in ("PATH", "OUTPUT", "STEP_SUMMARY")}
        script = self.folder / "script.sh"
        script.write_text(step["run"])
        done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", script], cwd=self.folder,
                              env={**os.environ, "PATH": path, "RUNNER_TEMP": str(self.folder), "GITHUB_ACTION_PATH": str(HERE),
                                   **files, **variables}, capture_output=True, text=True, check=False, **more)
        return done.returncode, done.stdout + done.stderr

    def judged(self, **inputs):
        for name in ("OUTPUT", "STEP_SUMMARY"):
            (self.folder / name).write_text("")
        return self.step(JUDGE, {name.replace("_", "-"): text for name, text in inputs.items()})

    def outputs(self):
        return dict(line.split("=", 1) for line in (self.folder / "OUTPUT").read_text().splitlines())

    def test_it_has_its_form(self):
        self.assertEqual(ACTION["runs"]["using"], "composite")
        for step in (BUILD, JUDGE):
            self.assertEqual(step["shell"], "bash")
            self.assertNotIn("${{", step["run"], "an input is a variable, never a part of the script")
            self.assertEqual(subprocess.run(["bash", "-n"], input=step["run"], text=True, check=False).returncode, 0)
        named = set(re.findall(r"inputs\.([\w-]+)", (HERE / "action.yml").read_text()))
        self.assertEqual(named, set(ACTION["inputs"]))
        for output in ACTION["outputs"].values():
            self.assertIn(JUDGE["id"], output["value"])

    def test_it_judges_a_port(self):
        for name, code, says in (("library", 0, "conforms"), ("cap-ignored", 1, "does not conform")):
            port = shlex.join(built_in(name))
            got, said = self.judged(system=SYSTEM, port=port, options="--cases 300 --skip 'no_*'")
            self.assertEqual(got, code, said)
            self.assertIn(f"verdict: {says}", said)
            self.assertIn(f"## {SYSTEM}: {says}\n", (self.folder / "STEP_SUMMARY").read_text())
            for path in self.outputs().values():
                self.assertTrue(pathlib.Path(path).is_file(), path)
        self.assertEqual(self.judged(system="nope", port="true")[0], 2)

    def test_known_failures(self):
        known = self.folder / "known failing"
        known.write_text("".join(f"{claim} * # 1\n" for claim in
                                 ("delay_never_exceeds_cap", "jitter_survives_the_cap", "instances_are_independent",
                                  "reset_starts_a_fresh_cycle")))
        code, said = self.judged(system=SYSTEM, port=shlex.join(built_in("cap-ignored")), options="--cases 900",
                                 known_failing=str(known))
        self.assertEqual(code, 0, said)

    def test_no_input_is_a_command_or_an_output(self):
        touched = self.folder / "touched"
        port = shlex.join(built_in("library"))
        for inputs in ({"options": f"--cases 20 $(touch {touched})"}, {"options": f"--cases 20; touch {touched}"},
                       {"options": f"--cases `touch {touched}`"}, {"options": "--cases 20 'open"},
                       {"port": f"$(touch {touched})"}, {"results": f"$(touch {touched})", "port": "x"},
                       {"shard": "1/2\njunit=elsewhere"}, {"shard": f"$(touch {touched})"}, {"shard": "1/2\n"}):
            with self.subTest(str(inputs)):
                code, said = self.judged(**{"system": SYSTEM, "port": port, **inputs})
                self.assertIn(code, (2, 3), said)
                self.assertFalse(touched.exists())
                self.assertNotIn("elsewhere", self.outputs().values())
        code, said = self.judged(system=SYSTEM, port=port, options="--cases 20 --skip 'no_*' --skip \"delay_*\" --skip \\*cap")
        self.assertEqual(code, 0, said)

    def test_it_joins_shards(self):
        files = []
        for shard in ("1/2", "2/2"):
            code, said = self.judged(system=SYSTEM, port=shlex.join(built_in("library")), options="--cases 900", shard=shard)
            self.assertEqual(code, 0, said)
            files.append(self.outputs()["results"])
        self.assertEqual(len(set(files)), 2)
        code, said = self.judged(results=shlex.join(files))
        self.assertEqual(code, 0, said)
        self.assertIn("verdict: conforms", said)
        self.assertEqual(self.judged(results=shlex.join(files[:1]))[0], 2)

    def test_it_takes_a_release_by_its_checksum_alone(self):
        tree = self.folder / "tree/backoff-oracle-1/bin"
        tree.mkdir(parents=True)
        shutil.copy(running.PROGRAMS["backoff-oracle"], tree)
        tarball = self.folder / "release.tar.gz"
        with tarfile.open(tarball, "w:gz") as archive:
            archive.add(tree.parent, "backoff-oracle-1")
        digest = hashlib.sha256(tarball.read_bytes()).hexdigest()
        for wrong in ("0" * 64, "", digest[1:], f"{digest}\n", f"$(touch {self.folder}/touched)"):
            code, said = self.step(BUILD, {"release": tarball.as_uri(), "sha256": wrong})
            self.assertNotEqual(code, 0, wrong)
            self.assertIn("FAILED" if wrong == "0" * 64 else "expected 64 digits", said)
            self.assertFalse((self.folder / "PATH").exists(), "what was refused is not used")
        self.assertFalse((self.folder / "touched").exists())
        code, said = self.step(BUILD, {"release": tarball.as_uri(), "sha256": digest})
        self.assertEqual(code, 0, said)
        program = pathlib.Path((self.folder / "PATH").read_text().strip()) / "backoff-oracle"
        subprocess.run([program, "--version"], check=True, capture_output=True)
        # GitLab's template does the same, in one script.
        script, = yaml.safe_load((CI / "gitlab.yml").read_text())[".backoff-oracle"]["script"]
        for name, wanted in (("library", 0), ("cap-ignored", 1)):
            given = {"BACKOFF_RELEASE": tarball.as_uri(), "BACKOFF_SHA256": digest, "BACKOFF_SYSTEM": SYSTEM,
                     "BACKOFF_OPTIONS": "--cases 300", "BACKOFF_PORT": " ".join(built_in(name))}
            for code, changed in ((wanted, {}), (1, {"BACKOFF_SHA256": "0" * 64})):
                done = subprocess.run(["bash", "-eo", "pipefail", "-c", script], cwd=self.folder, env={**os.environ, **given, **changed},
                                      capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, code, done.stdout + done.stderr)
                self.assertEqual("verdict: " in done.stdout, not changed)

    def test_it_writes_a_badge(self):
        for name, words in (("library", "conforms"), ("cap-ignored", "does not conform")):
            self.judged(system=SYSTEM, port=shlex.join(built_in(name)), options="--cases 300", badge=str(self.folder / "badge.svg"))
            badge = ElementTree.parse(self.folder / "badge.svg").getroot()
            self.assertEqual(badge.get("aria-label"), f"{SYSTEM}: {words}")
        for wrong in (["x"], ["<b>", "0"], ["x", "6"], ["", "0"]):
            self.assertEqual(subprocess.run([CI / "badge", *wrong], capture_output=True, check=False).returncode, 2, wrong)

    def test_the_hook_runs_the_verb(self):
        hook, = yaml.safe_load((HERE.parents[1] / ".pre-commit-hooks.yaml").read_text())
        self.assertEqual(hook["entry"].split(), ["backoff-oracle", "check"])
        self.assertFalse(hook["pass_filenames"])

    @unittest.skipUnless(BUILDS, "takes minutes")
    def test_it_builds_the_program(self):
        code, said = self.step(BUILD)
        self.assertEqual(code, 0, said)
        program = pathlib.Path((self.folder / "PATH").read_text().strip()) / "backoff-oracle"
        subprocess.run([program, "--version"], check=True)


if __name__ == "__main__":
    running.main(__doc__)
