#!/usr/bin/python3
"""The GitHub action without GitHub: it is YAML, its inputs reach its scripts as variables only, and the scripts do here
what they do there. The same for the examples of docs/ci.md, with the variables that each scheduler sets.

    action_test.py --bin build/release/bin [--build]        --build: the script that builds, too (minutes)
"""
import hashlib
import os
import pathlib
import re
import shlex
import string
import subprocess
import sys
import tarfile
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from typing import Any

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

Ended = tuple[int, str]  # the exit code and the output
Sharding = tuple[Callable[[int], Ended], Callable[[], Ended]]  # of shard N of 4, and of the job that joins them


class Action(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def step(self, step: dict[str, Any], inputs: dict[str, str] | None = None, **more: Any) -> Ended:
        """One script as a runner runs it: the exit code and the standard output; the files that it appends to are left."""
        given = {name: text["default"] for name, text in ACTION["inputs"].items()} | (inputs or {})
        variables = {name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: given[found[1]], text)
                     for name, text in step.get("env", {}).items()}
        path = os.pathsep.join([os.path.dirname(running.PROGRAMS["backoff-oracle"]), os.environ["PATH"]])
        files = {f"GITHUB_{name}": str(self.folder / name) for name in ("PATH", "OUTPUT", "STEP_SUMMARY")}
        script = self.folder / "script.sh"
        script.write_text(step["run"])
        done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", script], cwd=self.folder,
                              env={**os.environ, "LC_ALL": "C", "PATH": path, "RUNNER_TEMP": str(self.folder),
                                   "GITHUB_ACTION_PATH": str(HERE), **files, **variables},
                              capture_output=True, text=True, check=False, **more)
        return done.returncode, done.stdout + done.stderr

    def judged(self, **inputs: str) -> Ended:
        for name in ("OUTPUT", "STEP_SUMMARY"):
            (self.folder / name).write_text("")
        return self.step(JUDGE, {name.replace("_", "-"): text for name, text in inputs.items()})

    def without_quotes(self, name: str) -> str:
        """The command of a port that begins in this folder, also where there are other quotes, or none."""
        program, *words = built_in(name)
        link = self.folder / "backoff-port"
        if not link.is_symlink():
            link.symlink_to(program)
        return shlex.join(["./backoff-port", *words])

    def outputs(self) -> dict[str, str]:
        return dict(line.split("=", 1) for line in (self.folder / "OUTPUT").read_text().splitlines())

    def test_it_has_its_form(self) -> None:
        self.assertEqual(ACTION["runs"]["using"], "composite")
        for step in (BUILD, JUDGE):
            self.assertEqual(step["shell"], "bash")
            self.assertNotIn("${{", step["run"], "an input is a variable, never a part of the script")
            self.assertEqual(subprocess.run(["bash", "-n"], input=step["run"], text=True, check=False).returncode, 0)
        named = set(re.findall(r"inputs\.([\w-]+)", (HERE / "action.yml").read_text()))
        self.assertEqual(named, set(ACTION["inputs"]))
        for output in ACTION["outputs"].values():
            self.assertIn(JUDGE["id"], output["value"])

    def test_it_judges_a_port(self) -> None:
        for name, code, says in (("library", 0, "conforms"), ("cap-ignored", 1, "does not conform")):
            port = shlex.join(built_in(name))
            got, said = self.judged(system=SYSTEM, port=port, options="--cases 300 --skip 'no_*'")
            self.assertEqual(got, code, said)
            self.assertIn(f"verdict: {says}", said)
            self.assertIn(f"## {SYSTEM}: {says}\n", (self.folder / "STEP_SUMMARY").read_text())
            for path in self.outputs().values():
                self.assertTrue(pathlib.Path(path).is_file(), path)
        self.assertEqual(self.judged(system="nope", port="true")[0], 2)

    def test_known_failures(self) -> None:
        known = self.folder / "known failing"
        known.write_text("".join(f"{claim} * # 1\n" for claim in
                                 ("delay_never_exceeds_cap", "jitter_survives_the_cap", "instances_are_independent",
                                  "reset_starts_a_fresh_cycle")))
        code, said = self.judged(system=SYSTEM, port=shlex.join(built_in("cap-ignored")), options="--cases 900",
                                 known_failing=str(known))
        self.assertEqual(code, 0, said)

    def test_no_input_is_a_command_or_an_output(self) -> None:
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

    def test_it_joins_shards(self) -> None:
        files = []
        for shard in ("1/2", "2/2"):
            code, said = self.judged(system=SYSTEM, port=shlex.join(built_in("library")), options="--cases 900", shard=shard)
            self.assertEqual(code, 0, said)
            files.append(self.outputs()["results"])
        self.assertEqual(len(set(files)), 2)
        for results in (shlex.join(files), "backoff-oracle-*-of-2.jsonl"):
            code, said = self.judged(results=results)
            self.assertEqual(code, 0, said)
            self.assertIn("verdict: conforms", said)
        code, said = self.judged(results=shlex.join(files[:1]))
        self.assertEqual((code, said.count("missing: 2/2")), (2, 1), said)
        self.assertIn("missing: 2/2", self.summary())

    def summary(self) -> str:
        return (self.folder / "STEP_SUMMARY").read_text()

    def test_a_shard_says_nothing_of_the_whole(self) -> None:
        """In no form of output, and without an error for being one."""
        for name, wanted in (("library", 0), ("cap-ignored", 1)):
            code, said = self.judged(system=SYSTEM, port=shlex.join(built_in(name)), options="--cases 900", shard="1/2")
            self.assertEqual(code, wanted, said)
            junit = pathlib.Path(self.outputs()["junit"]).read_text()
            for text in (said, self.summary(), junit):
                self.assertIn("shard 1/2", text)
                self.assertNotRegex(text, r"error:|conforms to")
            self.assertIn("delay_never_exceeds_cap", self.summary())
            self.assertEqual(ElementTree.fromstring(junit).get("failures") == "0", wanted == 0)
        code, said = self.judged(system=SYSTEM, port="x", shard="1/2", badge="badge.svg")
        self.assertEqual(code, 2)
        self.assertIn("badge 'badge.svg': ", said)
        code, said = self.judged(system=SYSTEM, port="x", options="--cases 9 --shard 1/2", badge="badge.svg")
        self.assertEqual(code, 2)
        self.assertIn("expected --shard in the input shard", said)
        self.assertFalse((self.folder / "badge.svg").exists())

    def released(self) -> tuple[pathlib.Path, str]:
        """A tarball as a release has it, and its digest."""
        tarball = self.folder / "release.tar.gz"
        with tarfile.open(tarball, "w:gz", compresslevel=1) as archive:
            archive.add(running.PROGRAMS["backoff-oracle"], "backoff-oracle-1/bin/backoff-oracle")
        return tarball, hashlib.sha256(tarball.read_bytes()).hexdigest()

    def gitlab(self, **variables: str) -> Ended:
        """The script of GitLab's template as a runner runs it."""
        script, = yaml.safe_load((CI / "gitlab.yml").read_text())[".backoff-oracle"]["script"]
        done = subprocess.run(["bash", "-eo", "pipefail", "-c", script], cwd=self.folder, env={**os.environ, "LC_ALL": "C", **variables},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return done.returncode, done.stdout

    def test_it_takes_a_release_by_its_checksum_alone(self) -> None:
        tarball, digest = self.released()
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
        for name, wanted in (("library", 0), ("cap-ignored", 1)):
            given = {"BACKOFF_RELEASE": tarball.as_uri(), "BACKOFF_SHA256": digest, "BACKOFF_SYSTEM": SYSTEM,
                     "BACKOFF_OPTIONS": "--cases 300", "BACKOFF_PORT": self.without_quotes(name)}
            for code, changed in ((wanted, {}), (1, {"BACKOFF_SHA256": "0" * 64})):
                ended, said = self.gitlab(**{**given, **changed})
                self.assertEqual(ended, code, said)
                self.assertEqual("verdict: " in said, not changed)

    # -- The examples of ci.md. Each gives the exit code and the output of shard N of 4, and of the job that joins them. --

    def example(self, scheduler: str) -> list[str]:
        """The blocks of the page below that name, for a short run of this port."""
        page = (HERE / "docs/ci.md").read_text().partition("\n### Schedulers\n")[2]
        below = running.found(rf"^\*\*{scheduler}\b.*?(?=^\*\*|^## |\Z)", page, re.M | re.S)[0]
        port = self.without_quotes(self.port)
        return [re.sub(r"python3 /?my_port\.py", port, block).replace("--level 2", "--cases 900")
                for block in re.findall(r"```\w*\n(.*?)```", below, re.S)]

    def shell(self, script: str, **variables: str) -> Ended:
        path = os.pathsep.join([os.path.dirname(running.PROGRAMS["backoff-oracle"]), os.environ["PATH"]])
        done = subprocess.run(["sh", "-c", script], cwd=self.folder, env={**os.environ, **variables, "PATH": path},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return done.returncode, done.stdout

    def on_github(self) -> Sharding:
        jobs = yaml.safe_load(self.example("GitHub")[0])["jobs"]
        *_, judge, upload = jobs["shard"]["steps"]
        _, join = jobs["verdict"]["steps"]
        numbers = jobs["shard"]["strategy"]["matrix"]["shard"]
        (self.folder / "shards").mkdir(exist_ok=True)

        def filled(inputs: dict[str, str], n: int) -> dict[str, str]:
            known = {"matrix.shard": str(n), "strategy.job-total": str(len(numbers))}
            return {name: re.sub(r"\$\{\{ (.*?) \}\}", lambda found: known[found[1]], text) for name, text in inputs.items()}

        def shard(n: int) -> Ended:
            ended = self.judged(**filled(judge["with"], numbers[n - 1]))
            for path in self.folder.glob(upload["with"]["path"]):
                path.rename(self.folder / "shards" / path.name)
            return ended
        return shard, lambda: self.judged(**join["with"])

    def on_gitlab(self) -> Sharding:
        tarball, digest = self.released()
        jobs = yaml.safe_load(self.example("GitLab")[0])

        def run(job: str, **variables: str) -> Ended:
            given = {name: string.Template(text).substitute(variables) for name, text in jobs[job]["variables"].items()}
            return self.gitlab(**given, **variables, BACKOFF_RELEASE=tarball.as_uri(), BACKOFF_SHA256=digest)
        total = str(jobs["shard"]["parallel"])
        return lambda n: run("shard", CI_NODE_INDEX=str(n), CI_NODE_TOTAL=total), lambda: run("verdict")

    def on_slurm(self) -> Sharding:
        script, submit = self.example("Slurm")
        first, = map(int, re.findall(r"--array=(\d+)-", script))
        join, = re.findall(r"--wrap '(.*)'", submit)
        return (lambda n: self.shell(script, SLURM_ARRAY_TASK_ID=str(first + n - 1)),
                lambda: self.shell(join))

    def on_kubernetes(self) -> Sharding:
        job, = self.example("Kubernetes")
        container, = yaml.safe_load(job)["spec"]["template"]["spec"]["containers"]
        self.assertEqual(container["command"], ["sh", "-c"])
        line, = container["args"]
        return (lambda n: self.shell(line, JOB_COMPLETION_INDEX=str(n - 1)), lambda: self.shell("backoff-oracle report shard-*.jsonl"))

    def on_parallel(self) -> Sharding:
        block, = self.example("GNU parallel")
        _, each, join = block.splitlines()
        line, words = running.found(r"^parallel '(.*)' ::: (.*)$", each).groups()
        return lambda n: self.shell(line.replace("{}", words.split()[n - 1])), lambda: self.shell(join)

    def test_the_examples_of_shards(self) -> None:
        for scheduler in (self.on_github, self.on_gitlab, self.on_slurm, self.on_kubernetes, self.on_parallel):
            for name, wanted, says in (("library", 0, "verdict: conforms to"), ("cap-ignored", 1, "verdict: does not conform to")):
                with self.subTest(f"{scheduler.__name__} {name}"):
                    self.port = name
                    shard, join = scheduler()
                    for n in (1, 2, 4):
                        code, said = shard(n)
                        self.assertEqual(code, wanted, said)
                        self.assertIn(f"shard {n}/4\n", said)
                        self.assertNotIn("conforms to", said)
                    code, said = join()
                    self.assertEqual(code, 2, said)
                    self.assertIn("missing: 3/4", said)
                    shard(3)
                    code, said = join()
                    self.assertEqual(code, wanted, said)
                    self.assertIn(says, said)
                    for path in self.folder.rglob("*.jsonl"):
                        path.unlink()

    def test_it_writes_a_badge(self) -> None:
        for name, words in (("library", "conforms"), ("cap-ignored", "fails")):
            self.judged(system=SYSTEM, port=shlex.join(built_in(name)), options="--cases 300", badge=str(self.folder / "badge.svg"))
            badge = ElementTree.parse(self.folder / "badge.svg").getroot()
            self.assertEqual(badge.get("aria-label"), f"{SYSTEM}: {words}")
        for wrong in (["x"], ["<b>", "0"], ["x", "6"], ["", "0"]):
            self.assertEqual(subprocess.run([CI / "badge", *wrong], capture_output=True, check=False).returncode, 2, wrong)

    def test_the_hook_runs_the_verb(self) -> None:
        hook, = yaml.safe_load((HERE.parents[1] / ".pre-commit-hooks.yaml").read_text())
        self.assertEqual(hook["entry"].split(), ["backoff-oracle", "check"])
        self.assertFalse(hook["pass_filenames"])

    @unittest.skipUnless(BUILDS, "takes minutes")
    def test_it_builds_the_program(self) -> None:
        code, said = self.step(BUILD)
        self.assertEqual(code, 0, said)
        program = pathlib.Path((self.folder / "PATH").read_text().strip()) / "backoff-oracle"
        subprocess.run([program, "--version"], check=True)


if __name__ == "__main__":
    running.main(__doc__)
