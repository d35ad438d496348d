#!/usr/bin/python3
"""coverage/hostile_environment: for each of its variables, a dependence is planted. It passes in a usual environment and fails in the
hostile one; without the dependence, the same passes in both.

Usage: coverage/hostile_environment_test.py
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import unittest

HOSTILE = pathlib.Path(__file__).resolve().parent / "hostile_environment"
NAMESPACES = ["unshare", "--user", "--map-root-user", "--net"]
# In many containers they cannot be made, so that user and network stay as they are.
HAS_NAMESPACES = subprocess.run([*NAMESPACES, "true"], capture_output=True, check=False).returncode == 0
COMMIT = "git -c user.name=a -c user.email=a@example.test commit --quiet --allow-empty --message=a"
CONNECTS = ": >/dev/udp/{}/9"  # sends nothing, and fails where there is no way
# The variable, a script of bash that depends on it, and what it should be.
PLANTED = [
    ("PATH", "backoff-oracle --version", "bin/backoff-oracle --version"),
    ("PATH", "python3 -c 'import yaml'", "/usr/bin/python3 -c 'import yaml'"),
    ("BACKOFF_ORACLE", '"${BACKOFF_ORACLE:-bin/backoff-oracle}" --version', "bin/backoff-oracle --version"),
    ("HOME", "touch $HOME/file && cat $HOME/file", 'touch "$HOME/file" && cat "$HOME/file"'),
    ("HOME", COMMIT, f"GIT_CONFIG_GLOBAL=/dev/null {COMMIT}"),
    ("TMPDIR", "cat $(mktemp)", 'cat "$(mktemp)"'),
    ("LANG", "unset LC_ALL; [ $(printf %.1f 0.5) = 0.5 ]", "unset LC_ALL; [ $(LC_NUMERIC=C printf %.1f 0.5) = 0.5 ]"),
    ("LC_ALL", "[ $(printf %.1f 0.5) = 0.5 ]", "[ $(LC_ALL=C printf %.1f 0.5) = 0.5 ]"),
    ("LC_ALL", "word=INIT; [ ${word,,} = init ]", "word=INIT; LC_ALL=C; [ ${word,,} = init ]"),
    ("TZ", "[ $(date --date=@0 +%H%M) = 0000 ]", "[ $(date --utc --date=@0 +%H%M) = 0000 ]"),
    ("umask", "touch made; [ $(stat -c %a made) = 644 ]", "touch made2; chmod 644 made2; [ $(stat -c %a made2) = 644 ]"),
    ("NO_COLOR", "[ ! -v NO_COLOR ]", "unset NO_COLOR; [ ! -v NO_COLOR ]"),
    ("NO_COLOR", "[ $TERM = xterm ]", "TERM=xterm; [ $TERM = xterm ]"),
    *(("terminal", f"[ ! -t {number} ]", f"bash -c '[ ! -t {number} ]' {redirected}") for number, redirected in
      ((0, "</dev/null"), (1, ">/dev/null"), (2, "2>/dev/null"))),
    ("user", "mkdir -m 500 closed && touch closed/file", "mkdir -m 700 open && touch open/file"),
    ("user", "[ $(id -u) = 0 ]", "id -u"),
    ("folder", "cd $PWD", 'cd "$PWD"'),
    ("processors", "[ $(nproc) = 2 ]", "[ $(nproc) -gt 0 ]"),
    ("network", CONNECTS.format("192.0.2.1"), CONNECTS.format("127.0.0.1")),
]
# Prints the number of each script that fails.
EACH = """
for script in scripts/*; do
  bash -euo pipefail "$script" || echo "failed: $script"
done
"""
# Runs a script as root, in a network with a route to 192.0.2.1, an address for documentation.
USUAL = """
import fcntl, os, socket, struct, sys
with socket.socket() as one:
    fcntl.ioctl(one, 0x8914, struct.pack("16sh14x", b"lo", 0x41))
    fcntl.ioctl(one, 0x8916, struct.pack("16sHH4s8x", b"lo:1", socket.AF_INET, 0, socket.inet_aton("192.0.2.1")))
os.umask(0o022)
os.execvp("bash", ["bash", "-c", sys.argv[1]])
"""


class HostileEnvironment(unittest.TestCase):
    def setUp(self) -> None:
        self.scratch = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(dir="/tmp")))  # whose name has no blank
        self.root = self.scratch / "repository"
        for folder in ("coverage", "scripts", "bin"):
            (self.root / folder).mkdir(parents=True)
        shutil.copy(HOSTILE, self.root / "coverage")
        self.program("backoff-oracle", "echo 1")
        self.variables = {"PATH": f"{self.root}/bin:/usr/bin:/bin", "HOME": str(self.scratch), "TMPDIR": str(self.scratch),
                          "LANG": "C.UTF-8", "TZ": "UTC", "TERM": "xterm", "OMP_NUM_THREADS": "2"}
        subprocess.run(["git", "init", "--quiet"], cwd=self.root, env=self.variables, check=True)

    def program(self, name: str, does: str) -> None:
        (self.root / "bin" / name).write_text(f"#!/bin/sh\n{does}\n")
        (self.root / "bin" / name).chmod(0o755)

    def ran(self, *command: str | pathlib.Path) -> tuple[int, str]:
        done = subprocess.run(command, cwd=self.root, env=self.variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, encoding="utf-8", check=False)
        return done.returncode, done.stdout

    def hostile(self, *words: str) -> tuple[int, str]:
        where_possible = [] if HAS_NAMESPACES else ["--where-possible"]
        code, said = self.ran(self.root / "coverage/hostile_environment", *where_possible, *words)
        return code, re.sub(r"^coverage/hostile_environment: user and network are as they were: .*\n", "", said)

    def test_each_planted_dependence_is_caught(self) -> None:
        for number, (_, planted, mended) in enumerate(PLANTED):
            (self.root / f"scripts/{number}-planted").write_text(planted + "\n")
            (self.root / f"scripts/{number}-mended").write_text(mended + "\n")
        code, said = self.hostile("bash", "-c", EACH)
        self.assertEqual(code, 0, said)
        failed = set(re.findall(r"(?m)^failed: scripts/(\S+)$", said))
        for number, (variable, planted, mended) in enumerate(PLANTED):
            with self.subTest(variable, planted=planted):
                if variable in ("user", "network") and not HAS_NAMESPACES:
                    self.skipTest(f"{variable}: no namespaces can be made here")
                self.assertIn(f"{number}-planted", failed, said)
                self.assertNotIn(f"{number}-mended", failed, mended)
        if HAS_NAMESPACES:
            code, said = self.ran(*NAMESPACES, "/usr/bin/python3", "-c", USUAL, EACH)
            self.assertEqual((code, re.findall("failed: .*", said)), (0, []), said)

    def test_each_variable_that_it_describes_has_a_planted_dependence(self) -> None:
        rows = HOSTILE.read_text(encoding="utf-8").split("\n\n")[1]
        described = {name for row in re.findall(r"(?m)^    (\w+(?:, \w+)*) {2,}", rows) for name in row.split(", ")}
        self.assertEqual(described, {variable for variable, _, _ in PLANTED})

    def test_one_processor(self) -> None:
        self.assertEqual(self.hostile("--processors", "1", "nproc"), (0, "1\n"))

    def test_the_exit_code_and_the_words_are_those_of_the_command(self) -> None:
        self.assertEqual(self.hostile("bash", "-c", 'echo "$1"; exit 3', "-", "two  words"), (3, "two  words\n"))
        self.assertEqual(self.hostile("bash", "-c", "kill -9 $$")[0], 137)

    def test_the_clone_has_the_sources_as_they_are_and_is_taken_away(self) -> None:
        (self.root / ".gitignore").write_text("ignored\n")
        (self.root / "new").write_text("as it is\n")
        (self.root / "ignored").touch()
        code, said = self.hostile("bash", "-c", "cat new; ls -d ignored; git status --short; mkdir -m 500 closed; pwd")
        self.assertEqual(code, 0, said)
        self.assertEqual((said.splitlines()[0], len(said.splitlines())), ("as it is", 3))
        self.assertFalse(pathlib.Path(said.splitlines()[-1]).parent.exists())

    def test_what_it_refuses(self) -> None:
        for words, why in (((), "COMMAND: expected a command"), (("--processors", "0", "true"), "expected a number from 1")):
            code, said = self.hostile(*words)
            self.assertEqual(code, 2, said)
            self.assertIn(why, said)

    def test_the_repository_is_not_the_one_that_git_names_to_hooks(self) -> None:
        self.variables |= {"GIT_DIR": str(self.root / ".git"), "GIT_INDEX_FILE": str(self.root / ".git/index")}
        code, said = self.hostile("git", "--no-pager", "log", "--format=%s")
        self.assertEqual(code, 0, said)
        self.assertIn("The sources as they are", said)
        self.assertNotEqual(self.ran("git", "log")[0], 0, "the clone's commit is in the repository of its user")

    def test_what_cannot_be_written_is_an_error(self) -> None:
        with open("/dev/full", "w") as full:
            done = subprocess.run([self.root / "coverage/hostile_environment", "--where-possible", "echo", "1"], cwd=self.root,
                                  env=self.variables, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (2, "coverage/hostile_environment: standard output: No space left on device\n"))

    def test_where_no_namespaces_can_be_made(self) -> None:
        self.program("unshare", "exit 1")
        hostile = self.root / "coverage/hostile_environment"
        code, said = self.ran(hostile, "true")
        self.assertEqual(code, 2)
        self.assertIn("unshare --user --map-root-user --net fails: expected that", said)
        code, said = self.ran(hostile, "--where-possible", "bash", "-c", "id -u; printf %.1f 1")
        self.assertEqual(code, 0, said)
        self.assertIn("user and network are as they were: unshare", said)
        self.assertEqual(said.splitlines()[-2:], [str(os.getuid()), "1,0"])

    def test_nothing_is_left_when_it_is_interrupted(self) -> None:
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
            os.mkfifo(self.scratch / "fifo")
            started = subprocess.Popen([self.root / "coverage/hostile_environment", "bash", "-c", f"sleep 60 >{self.scratch}/fifo"],
                                       cwd=self.root, env=self.variables)
            with open(self.scratch / "fifo", encoding="utf-8") as fifo:  # open when the command is there, at its end when it is gone
                started.send_signal(number)
                self.assertEqual(fifo.read(), "")
            self.assertEqual(started.wait(), 128 + number)
            self.assertEqual(list(self.scratch.glob("*hostile*")), [])
            (self.scratch / "fifo").unlink()


if __name__ == "__main__":
    unittest.main()
