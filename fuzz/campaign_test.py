#!/usr/bin/python3
"""Campaigns: what they find and file, how they end, what they say of bad input; foreign ports of each kind.

    fuzz/campaign_test.py [CLASS…]     once the presets `fuzz`, `fuzz-coverage` and `release` are built

The faults are those of properties/systems/STEM/ports/c_library.c, compiled here. Faults takes minutes; the rest a minute.
"""
import contextlib
import hashlib
import importlib.machinery
import importlib.util
import io
import json
import os
import pathlib
import pty
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from unittest import mock

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "fuzz"))
import reached  # noqa: E402
import targets as all_targets  # noqa: E402

CAMPAIGN = ROOT / "fuzz/campaign"
SYSTEMS = ROOT / "properties/systems"
PORT = ROOT / "build/release/bin/backoff-port"
ALGORITHM, UTILS, CONTROL = "aws_backoff_algorithm", "aws_retry_utils", "azure_c_retry_control"
INSTRUMENTED = ["-fsanitize=fuzzer-no-link"]
# What properties/oracle/library_test.py judges too.
FAULTS = [(ALGORITHM, "UNCAPPED"), (ALGORITHM, "NO_JITTER_AT_CAP"), (ALGORITHM, "UNINITIALISED", "--strict"), (ALGORITHM, "NO_STATUS"),
          (ALGORITHM, "DIVIDES_BY_WINDOW"), (UTILS, "MINUTES"), (UTILS, "SLEEPLESS"), (UTILS, "NO_BASE_JITTER"),
          (CONTROL, "WHOLE_SHARES"), (CONTROL, "SILENT_WHEN_LATER"), (CONTROL, "IGNORES_SECOND"), (CONTROL, "LEAKS"),
          (CONTROL, "LEAKS_OPTIONS"), (CONTROL, "TRUSTS_MALLOC")]


# A target that is a script: what libFuzzer, which starts jobs, and a target do in it.
SCRIPT = """#!/bin/bash
for word; do case $word in -jobs=*) search=1 ;; -artifact_prefix=*) prefix=${word#*=} ;; esac; done
says() { echo "/some/where/lib/x.hpp:7:3: runtime error: signed integer overflow: $1 + 1" >&2; }
crash() { echo "$1" >"${prefix}crash-$(echo "$1" | sha1sum | head -c 40)"; }
history() { echo "{}" >$BACKOFF_FUZZ_FINDINGS/it.json; echo "finding: it" >$BACKOFF_FUZZ_FINDINGS/it.txt; }
exits() { echo "================== Job 0 exited with exit code 9 ============" >&2; printf "$1" >&2; }
searches() { [ "$search" ] || exit 0; printf '#1000\tINITED cov: 1\n' >fuzz-0.log; exec sleep 60; }
"""

# Compiled and searched by libFuzzer itself.
PROGRAM = """#include <signal.h>
#include <unistd.h>
void one() { __builtin_trap(); }
void other() { __builtin_trap(); }
extern "C" int LLVMFuzzerTestOneInput(unsigned char const* data, unsigned long size) { BODY return 0; }
"""


def loaded() -> Any:
    """The program as a module."""
    loader = importlib.machinery.SourceFileLoader("campaign", str(CAMPAIGN))
    spec = importlib.util.spec_from_loader("campaign", loader)
    assert spec is not None
    campaign = importlib.util.module_from_spec(spec)
    loader.exec_module(campaign)
    return campaign


class CampaignTest(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.corpus = self.folder / "campaign"
        self.regressions = self.folder / "regressions"

    def started(self, *words: str | pathlib.Path, **environment: str) -> subprocess.Popen[str]:
        return subprocess.Popen([CAMPAIGN, "--no-build", "--jobs", "1", "--corpus", self.corpus, "--regressions", self.regressions, *words],
                                env={**os.environ, **environment}, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                text=True)

    def ended(self, code: int, *words: str | pathlib.Path, **environment: str) -> str:
        process = self.started(*words, **environment)
        out = process.communicate(timeout=300)[0]
        self.assertEqual(process.returncode, code, out)
        return out

    def finds_nothing(self, *words: str | pathlib.Path) -> str:
        """However little a busy machine has searched."""
        process = self.started(*words)
        out = process.communicate(timeout=300)[0]
        self.assertRegex(out, r"(?m)^0 findings in \d+ inputs, ")
        self.assertEqual(process.returncode, 5 if "too few inputs" in out else 0, out)
        return out

    def compiled(self, system: str, suffix: str, *defines: str, flags: Sequence[str] = ()) -> str:
        path = self.folder / f"{'-'.join((system, *defines))}{suffix}"
        source = SYSTEMS / system / "ports/c_library.c"
        words = ["clang-19", "-w", "-g", "-O1", "-fPIC", f"-I{ROOT}/properties", *flags, *(f"-D{d}" for d in defines)]
        if suffix == ".so":
            subprocess.run([*words, "-shared", source, "-o", path, "-lm"], check=True)
        else:
            subprocess.run([*words, "-c", source, "-o", path.with_suffix(".o")], check=True)
            subprocess.run(["ar", "rcs", path, path.with_suffix(".o")], check=True)
        return f"./{path.name}"

    def replays(self, out: str) -> None:
        """Each replay line shows its finding again, in whatever folder."""
        lines = re.findall(r"^  replay (.*)$", out, re.M)
        self.assertNotEqual(lines, [])
        for line in lines:
            again = subprocess.run(line.replace(" --replay ", " --no-build --replay "), shell=True, cwd="/",
                                   capture_output=True, text=True, check=False)
            self.assertEqual(again.returncode, 1, again.stdout + again.stderr)


class Own(CampaignTest):
    def test_a_right_library_has_no_findings_and_the_corpus_grows(self) -> None:
        out = self.finds_nothing("--target", "escaping", "--minutes", "0.1")
        self.assertRegex(out, r"escaping +#[1-9]\d*\t\w+ +cov: [1-9]\d* .*corp: [1-9]")
        self.assertRegex(out, r"escaping: [1-9]\d* inputs, [1-9]\d* after merging")
        self.assertEqual(list(self.regressions.glob("*/*")), [])

    def test_a_finding_is_shrunk_said_and_filed(self) -> None:
        out = self.ended(1, "--target", ALGORITHM, "--minutes", "0.5", "--findings", "1", BACKOFF_FUZZ_PORT="linear")
        self.assertRegex(out, rf"finding: {ALGORITHM}: \w+\n.*\n  requirement AWS-BA-\d+ \(must\)")
        self.assertRegex(out, r"    step  call +draw  admitted +port\n(    .*\n)* +\d+  next .* retry \d.*   <--\n")
        filed, = (self.regressions / ALGORITHM).iterdir()
        case, = json.loads(filed.read_text())["cases"]
        self.assertLessEqual(len(case["steps"]), 3)
        with mock.patch.dict(os.environ, BACKOFF_FUZZ_PORT="linear"):
            self.replays(out)

    def test_an_interrupt_ends_it_with_everything_kept(self) -> None:
        process = self.started("--target", "c_abi", "--minutes", "10")
        while not list(self.corpus.glob("corpus/c_abi/*")):
            self.assertIsNone(process.poll())
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        out = process.communicate(timeout=60)[0]
        self.assertEqual(process.returncode, 130, out)
        self.assertRegex(out, r"0 findings in \d+ inputs, \d+ s of 600 s\n(.*\n)?interrupted; all is kept in ")
        self.assertNotEqual(list(self.corpus.glob("corpus/c_abi/*")), [])

    def test_corpora_of_others_are_merged(self) -> None:
        other = self.folder / "other/corpus/c_abi"
        other.mkdir(parents=True)
        (other / "x").write_bytes(b"\x05\x01\x02\x03\x04\x05\x06")
        out = self.ended(0, "--target", "c_abi", "--merge", self.folder / "other")
        self.assertEqual(out, "c_abi: 0 inputs, 1 after merging\n")

    def test_what_no_corpus_holds_is_put_aside(self) -> None:
        (self.corpus / "corpus/escaping/folder").mkdir(parents=True)
        out = self.ended(0, "--target", "escaping", "--merge", self.make_other())
        self.assertIn("folder: no readable file; moved to", out)
        self.assertTrue((self.corpus / "corpus/escaping.unusable/folder").is_dir())

    def make_other(self) -> pathlib.Path:
        (self.folder / "other/corpus").mkdir(parents=True)
        return self.folder / "other"

    def test_bad_input_is_named(self) -> None:
        (self.folder / "file").touch()
        (self.folder / "broken.a").write_bytes(b"no archive")
        port = ["--system", ALGORITHM, "--port"]
        for words, says in (
                (["--corpus", str(self.folder / "file")], "file: cannot be written"),
                (["--minutes", "0"], "--minutes"), (["--target", "nope"], "nope"), (["--jobs", "4", "--memory-mb", "100"], "1024"),
                (["--merge", str(self.folder)], "no campaign"), (["--system", ALGORITHM], "--port"),
                ([*port, str(self.folder / "gone.a")], "gone.a: no such file"), ([*port, "./gone.py x"], "no such command: ./gone.py"),
                ([*port, str(self.folder / "broken.a")], "cannot be made a library"),
                (["--target", "escaping", "--corpus", str(self.folder / "a b")], "a b: libFuzzer"),
                ([*port, "'"], "quotation"), (["--target", "escaping", "--replay", "gone"], "gone: no such file"),
                (["--system", "nope", "--port", "/bin/cat"], f"--system nope: expected one of: {ALGORITHM}, ")):
            with self.subTest(says):
                self.assertIn(says, self.ended(2, *words))
        self.assertIn("no clang++-19", self.ended(2, "--target", "escaping", PATH="/nonexistent"))
        (self.folder / "bin").mkdir()
        for tool in ("clang++-19", "ld"):
            (self.folder / "bin" / tool).symlink_to(str(shutil.which(tool)))
        done = subprocess.run([sys.executable, CAMPAIGN, "--target", "escaping", "--corpus", self.corpus],
                              capture_output=True, text=True, env={"PATH": str(self.folder / "bin")}, check=False)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (3, 1), done.stderr)
        self.assertIn("cmake: not found", done.stderr)
        self.assertIn("exited", self.ended(3, *port, "/bin/false", "--minutes", "0.1"))

    def test_what_cannot_be_done_is_refused_before_a_build_and_leaves_no_folder(self) -> None:
        campaign = loaded()
        for words in (["--system", "nope", "--port", "/bin/cat"], ["--merge", str(self.folder)], ["--replay", "gone"],
                      ["--system", ALGORITHM, "--port", "./gone.so"], ["--target", "escaping", "--corpus", str(self.folder / "a b")]):
            argv = ["campaign", "--corpus", str(self.corpus), *words]
            with (self.subTest(words), mock.patch.object(sys, "argv", argv), mock.patch.object(campaign, "build") as build,
                  mock.patch.object(campaign, "demand_clang")):
                self.assertRaises(campaign.CannotBeDone, campaign.main)
                build.assert_not_called()
                self.assertEqual(list(self.folder.iterdir()), [])

    def test_inputs_that_cannot_be_made_smaller_in_time_are_filed_as_they_are(self) -> None:
        """Nor shown again: whatever is done with one input may hang."""
        for target, hangs, says in (("kernels", "-minimize_crash=1", "SUMMARY: it breaks"),
                                    ("kernels", "-minimize_crash=1 shown", "nothing says how it ended"),
                                    (ALGORITHM, "--finding -minimize_crash=1", "SUMMARY: it breaks")):
            does = f"""case "$*" in *--finding*|*-minimize_crash=1*) doing=$* ;; *) doing=${{search:-shown}} ;; esac
for one in {hangs}; do case $doing in *"$one"*) exec sleep 60 ;; esac; done
[ "$search" ] || {{ echo "SUMMARY: it breaks" >&2; exit 77; }}
crash "as it is"; searches"""
            with (self.subTest(f"{target} {hangs}"), self.faked(does, target, findings=1) as (campaign, folder, _, run),
                  mock.patch.object(campaign, "ALONE_SECONDS_MAX", 0.5)):
                code, out = run()
                self.assertEqual(code, 1, out)
                self.assertIn(says, out)
                filed, = (folder / "regressions" / target).iterdir()
                self.assertEqual(filed.read_text(), "as it is\n")

    def test_a_finding_that_cannot_be_filed_is_said(self) -> None:
        """Whether the target could write it only where temporary files are, or it cannot be copied."""
        for does, where in (("BACKOFF_FUZZ_FINDINGS=$TMPDIR; history; searches", "cannot be filed"), ("history; searches", "kept there")):
            with self.subTest(where), self.faked(does) as (campaign, _, made, _):
                full = mock.patch.object(campaign.shutil, "copyfile", side_effect=OSError(28, "full"))
                with contextlib.redirect_stdout(io.StringIO()) as out, full:
                    ended = campaign.Campaign([made()], self.given())
                    with self.assertRaisesRegex(campaign.CannotGoOn, where) as raised:
                        ended.run()
                self.assertIn("finding: it\n", out.getvalue() + str(raised.exception))
                self.assertEqual(ended.findings, 1)

    def test_a_target_writes_where_temporary_files_are_when_its_folder_is_full(self) -> None:
        environment = {"BACKOFF_FUZZ_PORT": "linear", "BACKOFF_FUZZ_FINDINGS": "/dev/full", "TMPDIR": str(self.folder)}
        program = ROOT / "build/sanitizers/bin" / f"fuzz_{ALGORITHM}"
        done = subprocess.run([program, "-runs=4000", "-seed=1", f"-artifact_prefix={self.folder}/"], env={**os.environ, **environment},
                              capture_output=True, text=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(len(list(self.folder.glob(f"{ALGORITHM}-*.txt"))), 1, done.stderr)

    def test_what_was_filed_before_is_tried_first(self) -> None:
        """A campaign that was killed after it had filed a finding, and before it printed that."""
        for fails, code, says in ((1, 1, "it still fails"), (0, 0, "does not fail any more"), (3, 0, "cannot be tried")):
            for words in ("finding: it\n", None):
                does = f"case $1 in --finding) [ -s $2 ] && exit {fails} ;; esac; searches"
                with self.subTest(f"{says} {words}"), self.faked(does, ALGORITHM) as (_, _, made, run):
                    filed = made().findings / "it.json"
                    filed.write_text("{}")
                    if words:
                        filed.with_suffix(".txt").write_text(words)
                    ended, out = run()
                    self.assertEqual(ended, code, out)
                    told = ["finding: it"] if words and code else []
                    for line in (says, str(filed), "1 finding in " if code else "0 findings in ", *told):
                        self.assertIn(line, out)

    def test_nothing_found_in_too_little_of_a_search_is_no_pass(self) -> None:
        """Two jobs have tried so many inputs; the second interrupts."""
        few = "too few inputs to say anything (fewer than 1000): kernels 999\n"
        for inputs, until_stopped, interrupts, code in ((999, False, False, 5), (1000, False, False, 0), (1000, False, True, 130),
                                                        (999, False, True, 130), (1000, True, True, 0), (999, True, True, 5)):
            job = r"printf '#1\tINITED cov: 1\n#%s\tNEW cov: 2\n' {} >fuzz-{}.log"
            does = f"{job.format(inputs - 600, 0)}; {job.format(600, 1)}; {'kill -INT $PPID; ' if interrupts else ''}exec sleep 60"
            with self.subTest(f"{inputs} {until_stopped} {interrupts}"), self.faked(does, until_stopped=until_stopped) as (_, _, _, run):
                ended, out = run()
                self.assertEqual((ended, few in out), (code, inputs < 1000), out)
                self.assertRegex(out, rf"(?m)^0 findings in {inputs} inputs, \d+ s{'' if until_stopped else ' of 3 s'}$")

    def test_only_the_search_takes_its_time(self) -> None:
        """Trying filed inputs and shrinking take none of it. A campaign with a finding does not say that it tried too few inputs."""
        for filed in (False, True):
            does = (f"[ $search ] || {{ sleep 2; says 5; exit 77; }}; {'' if filed else 'crash x;'}"
                    r" printf '#9\tINITED cov: 1\n' >fuzz-0.log; exec sleep 60")
            with self.subTest(filed=filed), self.faked(does) as (_, _, made, run):
                if filed:
                    (made().regressions / "crash-0123456789ab").write_text("x")
                code, out = run()
                self.assertEqual(code, 1, out)
                self.assertRegex(out, r"(?m)^1 finding in \d+ inputs, 3 s of 3 s$")
                self.assertNotIn("too few", out)

    @staticmethod
    def given(findings: int | None = None, seconds: float = 3, until_stopped: bool = False) -> mock.Mock:
        return mock.Mock(jobs=1, memory_mb=1024, seed=None, seconds=seconds, until_stopped=until_stopped, findings=findings)

    @contextlib.contextmanager
    def faked(self, does: str, target: str = "kernels", findings: int | None = None, compiled: bool = False,
              until_stopped: bool = False) -> Iterator[tuple[Any, pathlib.Path, Callable[[], Any], Callable[[], tuple[int, str]]]]:
        """A campaign on one target, a script or a program of a few lines, and a run of it: its exit, and what it says."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            program = folder / "target"
            if compiled:
                source = folder / "fuzz/target.cpp"
                source.parent.mkdir()
                source.write_text(PROGRAM.replace("BODY", does))
                subprocess.run(["clang++-19", "-g", "-fsanitize=fuzzer,address", source, "-o", program], check=True)
            else:
                program.write_text(f"{SCRIPT}{does}\n")
                program.chmod(0o755)
            campaign = loaded()

            def made() -> Any:
                return campaign.Target(target, program, folder, folder / "regressions")

            def run() -> tuple[int, str]:
                given = self.given(findings, 60 if compiled else 3, until_stopped)
                with contextlib.redirect_stdout(io.StringIO()) as out:
                    code = campaign.Campaign([made()], given).run()
                return code, out.getvalue()
            # What a line replays is a target that is built; this one is not.
            with mock.patch.object(campaign, "SLICE_SECONDS_MIN", 2), mock.patch.object(campaign, "replay", campaign.tried):
                yield campaign, folder, made, run

    def test_bytes_that_were_filed_before_and_fail_are_a_finding(self) -> None:
        """The search meets them, or does not; either way they are told once, and the exit is 1."""
        for search in ("searches", "crash x; searches"):
            with self.subTest(search), self.faked(f'[ "$search" ] && {{ {search}; }}; says 5; exit 77') as (_, folder, made, run):
                kept = made().regressions / "crash-0123456789ab"
                if "crash" in search:  # under the name of that fault
                    kept.write_text("x")
                    code, out = run()
                    kept.unlink()
                    kept, = folder.glob("regressions/kernels/crash-*")
                kept.write_text("x")
                code, out = run()
                self.assertEqual((code, out.count("finding: ")), (1, 1), out)
                for says in ("runtime error", str(kept), "still fails", "\n1 finding in "):
                    self.assertIn(says, out)

    def test_a_history_filed_among_the_regressions_is_told_once(self) -> None:
        """Though a campaign of another corpus files it anew when its search meets it."""
        does = """case $1 in --finding) echo "finding: it" >&2; echo "{}" >&2; history; exit 1 ;; esac
[ "$search" ] || exit 77
history; crash x; searches"""
        with self.faked(does, ALGORITHM) as (_, _, made, run):
            (made().regressions / "it.json").write_text("{}")
            code, out = run()
            self.assertEqual((code, out.count("finding: it\n"), out.count("filed by an earlier")), (1, 1, 1), out)

    def test_what_was_found_and_not_yet_filed_is_taken(self) -> None:
        digest = hashlib.sha1(b"found").hexdigest()
        with self.faked('[ "$search" ] && searches; says 5; exit 77') as (_, folder, made, run):
            (made().findings / f"crash-{digest}").write_bytes(b"found")
            (made().findings / "oom-0123456789012345678901234567890123456789").write_bytes(b"half of")
            code, out = run()
            self.assertEqual((code, out.count("finding: ")), (1, 1), out)
            kept, = (folder / "regressions/kernels").iterdir()
            self.assertEqual(kept.read_bytes(), b"found")

    def test_what_does_not_fail_any_more_and_then_does_is_found_again(self) -> None:
        with self.faked("case $1 in --finding) exit 0 ;; esac; history; searches", ALGORITHM, findings=1) as (_, _, made, run):
            filed = made().findings / "it.json"
            filed.write_text("{}")
            filed.with_suffix(".txt").write_text("finding: the old one")
            code, out = run()
            self.assertEqual(code, 1, out)
            self.assertIn("finding: it\n", out)
            self.assertEqual((filed.parent / "mended/it.txt").read_text(), "finding: the old one")

    def test_one_fault_is_one_finding(self) -> None:
        """Whatever the numbers at which it shows, and though it does not show again; the job that met it names it."""
        log = "for n in 1 11; do says $n 2>>fuzz-1.log; echo crash-$(echo $n | sha1sum | head -c 40) >>fuzz-1.log; done"
        for shows, searches, says in (('says $(cat "${@: -1}"); exit 77', "", "bytes\n  filed"),
                                      ("exit 0", "", "nothing says how it ended"), ("exit 0", log, "signed integer overflow")):
            does = f'[ "$search" ] && {{ {searches}\ncrash 1; crash 11; searches; }}; {shows}'
            with self.subTest(f"{shows} {searches}"), self.faked(does, findings=2) as (_, folder, _, run):
                code, out = run()
                self.assertEqual((code, out.count("finding: kernels")), (1, 1), out)
                self.assertIn(says, out)
                self.assertEqual("comes and goes: seen 0 times in 5 tries" in out, "exit 0" in shows)
                self.assertEqual(len(list((folder / "regressions/kernels").iterdir())), 1)
                self.assertEqual([path.name for path in (folder / "findings/kernels").iterdir()], [".digest"])

    def test_a_fault_that_comes_and_goes_is_one_finding(self) -> None:
        """Of histories, which break several claims: each is replayed before it is told, and in the next campaign the same."""
        does = """again() { n=$(cat $0.$1 2>/dev/null || echo 0); echo $((n + 1)) >$0.$1; return $((n % 2)); }
case $1 in --finding) case $2 in *often*) again often && exit 1 ;; *) again seldom || exit 1 ;; esac; exit 0 ;; esac
for claim in often seldom; do echo "{}" >$BACKOFF_FUZZ_FINDINGS/$claim.json; echo "finding: $claim" >$BACKOFF_FUZZ_FINDINGS/$claim.txt; done
searches"""
        with self.faked(does, ALGORITHM) as (_, folder, _, run):
            code, out = run()
            self.assertEqual((code, out.count("finding: ")), (1, 1), out)
            self.assertIn("finding: often\n  comes and goes: seen 3 times in 5 tries\n  filed ", out)
            self.assertIn("seldom: comes and goes too; filed ", out)
            self.assertIn("\n1 finding in ", out)
            again, out = run()
            self.assertEqual((again, out.count("finding: "), out.count("comes and goes: seen ")), (1, 1, 1), out)
            self.assertFalse(list(folder.glob("findings/*/mended")))

    def test_only_what_has_changed_is_mended(self) -> None:
        """Not what does not fail at one try."""
        does = '[ "$1" = --finding ] && exit $(cat $0.exit); [ -e $0.found ] || history; touch $0.found; searches'
        with self.faked(does, ALGORITHM) as (_, folder, made, run):
            (folder / "target.exit").write_text("1")
            self.assertEqual(run()[0], 1)
            (folder / "target.exit").write_text("0")
            code, out = run()
            self.assertEqual(code, 1, out)
            self.assertIn("no file that was digested has changed\n  comes and goes: seen 0 times in 6 tries\n", out)
            self.assertEqual(len(made().filed()), 1)
            with open(folder / "target", "a", encoding="utf-8") as script:
                script.write("# mended\n")
            code, out = run()
            self.assertEqual(code, 0, out)
            self.assertIn("does not fail any more; moved to", out)

    def test_what_a_port_is_digested_by(self) -> None:
        """Its words, and the files that they name."""
        campaign = loaded()
        (self.folder / "port.py").write_text("one")
        digests = []

        def digest(*words: str) -> None:
            port = shlex.join(["/usr/bin/python3", f"{self.folder}/port.py"])
            given = mock.Mock(corpus=self.folder, port=port, system=ALGORITHM, param=list(words), strict=False,
                              document_only=False, no_build=True, replay=None)
            with (mock.patch.object(campaign, "demand_clang"), mock.patch.object(campaign.os, "access", return_value=True)):
                digests.append(campaign.prepared(given)[0].digest())
        digest()
        digest()
        digest("x=1")
        (self.folder / "port.py").write_text("two")
        digest()
        self.assertEqual(digests[0], digests[1])
        self.assertEqual(len(set(digests)), 3)

    def test_only_what_is_asked_for_is_built(self) -> None:
        """The seeds are those of the systems."""
        campaign = loaded()
        for target, wanted in (("kernels", ["fuzz_kernels"]), (ALGORITHM, ["fuzz_seeds", f"fuzz_{ALGORITHM}"])):
            with (self.subTest(target), mock.patch.object(campaign, "build", side_effect=campaign.CannotGoOn) as build,
                  mock.patch.object(campaign, "demand_clang")):
                given = mock.Mock(corpus=self.folder, port=None, target=[target], no_build=False, replay=None)
                self.assertRaises(campaign.CannotGoOn, campaign.prepared, given)
                build.assert_called_once_with("sanitizers", *wanted)

    def test_a_build_says_how_far_it_is_on_a_terminal(self) -> None:
        campaign = loaded()
        (self.folder / "cmake").write_text(
            "#!/bin/sh\n[ $1 = --build ] || exit 0\necho '[1/2] a'\necho '[2/2] b'\necho broken\nexit $FAILS\n")
        (self.folder / "cmake").chmod(0o755)
        for terminal, fails in ((True, "0"), (False, "0"), (True, "1")):
            out = io.StringIO()
            with (self.subTest(f"{terminal} {fails}"), mock.patch.object(out, "isatty", return_value=terminal),
                  contextlib.redirect_stdout(out),
                  mock.patch.dict(os.environ, PATH=f"{self.folder}:{os.environ['PATH']}", FAILS=fails)):
                if fails == "1":
                    self.assertRaisesRegex(campaign.CannotGoOn, r"cmake --build \S+ --target x: exit 1\n(.*\n)*broken$",
                                           campaign.build, "sanitizers", "x")
                else:
                    campaign.build("sanitizers", "x")
                about, shown = out.getvalue().split("\n")
                self.assertEqual(about, "building in build/sanitizers; the first time takes minutes")
                steps = ["step 1 of 2: configure", *(f"step 2 of 2: compile{at}" for at in ("", " [1/2]", " [2/2]", ""))]
                self.assertEqual(re.findall(r"\r\x1b\[K\d+:\d\d (step [^\r]*)", shown), steps if terminal else [])
                self.assertEqual(shown.endswith("\r\x1b[K"), terminal)

    def test_jobs_that_end_at_once_end_it(self) -> None:
        for lives in (r"#1\tINITED cov: 1\n", "Test unit written to x"):
            does = f"exits; exits; exits '{lives}'; exits; exits; searches"
            with self.subTest(does), self.faked(does) as (_, _, _, run):
                self.assertEqual(run()[0], 0)
        for does in ("exits; exits; exits; searches", "kill -9 $$", "exit 1"):
            with self.subTest(does), self.faked(does) as (campaign, _, _, run):
                self.assertRaisesRegex(campaign.CannotGoOn, "kernels does not run", run)

    def test_an_input_that_cannot_be_written_whole_is_said(self) -> None:
        """As libFuzzer leaves it on a full disk."""
        name = "crash-" + hashlib.sha1(b"whole").hexdigest()
        with self.faked(f'echo -n who >"${{prefix}}{name}"; searches') as (campaign, _, _, run):
            self.assertRaisesRegex(campaign.CannotGoOn, f"{name} is not whole", run)

    def test_a_crash_does_not_end_the_search(self) -> None:
        """Of one job: the next finds another fault."""
        with self.faked("if (size > 0 && data[0] == 'A') one(); if (size > 0 && data[0] == 'B') other();", findings=2,
                        compiled=True) as (_, folder, _, run):
            code, out = run()
            self.assertEqual((code, out.count("finding: kernels")), (1, 2), out)
            self.assertEqual(sorted(path.read_bytes() for path in (folder / "regressions/kernels").iterdir()), [b"A", b"B"])

    def test_a_target_that_always_crashes_is_given_up(self) -> None:
        with self.faked("one();", compiled=True) as (campaign, folder, _, run), mock.patch.object(campaign, "SAME_AGAIN_MAX", 3):
            code, out = run()
            self.assertEqual((code, out.count("finding: kernels"), out.count("given up")), (1, 1, 1), out)
            self.assertEqual([path.name for path in (folder / "findings/kernels").iterdir()], [".digest"])

    def test_a_target_that_always_dies_ends_it(self) -> None:
        with self.faked("kill(getpid(), SIGKILL);", compiled=True) as (campaign, _, _, run):
            self.assertRaisesRegex(campaign.CannotGoOn, "does not run", run)

    def test_an_interrupt_keeps_what_was_found(self) -> None:
        with self.faked("if (size > 0 && data[0] == 'A') one();", compiled=True) as (_, folder, _, run):
            def interrupt() -> None:
                while not list(folder.glob("findings/kernels/crash-*")):
                    time.sleep(0.01)
                os.kill(os.getpid(), signal.SIGINT)
            threading.Thread(target=interrupt).start()
            begin = time.monotonic()
            code, out = run()
            self.assertLess(time.monotonic() - begin, 30)
            self.assertEqual((code, out.count("finding: kernels")), (1, 1), out)
            kept, = (folder / "regressions/kernels").iterdir()
            self.assertEqual(kept.read_bytes(), b"A")

    def test_what_is_filed_is_there_whole_or_as_it_was(self) -> None:
        campaign = loaded()
        kept = self.folder / "regressions/it"
        kept.parent.mkdir()
        source = self.folder / "source"
        source.write_text("new")
        for fails in ("os.fsync", "os.replace", "shutil.copyfile"):
            with self.subTest(fails), mock.patch(fails, side_effect=OSError(28, "full")):
                self.assertRaises(OSError, campaign.put, source, kept)
                self.assertEqual((list(kept.parent.iterdir()), len(list(self.folder.iterdir()))), ([], 2))
        campaign.put(source, kept)
        self.assertEqual(kept.read_text(), "new")

    def test_a_corpus_is_not_replaced_by_one_that_is_not_whole(self) -> None:
        digest = hashlib.sha1(b"new").hexdigest()
        for says, holds in ((1, b"ne"), (2, b"new"), (1, b"new")):
            merges = (f"for word; do case $word in -*) ;; */.kernels-*) echo -n {holds.decode()} >$word/{digest}; break ;; esac; done; "
                      f"echo 'MERGE-OUTER: {says} new files' >&2")
            with (self.subTest(f"{says} {holds!r}"), self.faked(merges) as (campaign, _, made, _),
                  contextlib.redirect_stdout(io.StringIO()) as out):
                target = made()
                (target.corpus / "old").write_text("old")
                campaign.merge(target, [])
                good = (says, holds) == (1, b"new")
                self.assertEqual([path.name for path in target.corpus.iterdir()], [digest] if good else ["old"], out.getvalue())
                self.assertEqual("cannot be written whole" in out.getvalue(), not good)

    def test_a_merge_that_was_killed_is_ended(self) -> None:
        """Before the old corpus was out of the way, and before the new one took its name."""
        for folders, left in (({".kernels-old": "a", "kernels": "b"}, "b"), ({".kernels-old": "a"}, "a")):
            with self.subTest(left), self.faked("exit 0") as (_, folder, made, _):
                for name, text in folders.items():
                    (folder / "corpus" / name).mkdir(parents=True)
                    (folder / "corpus" / name / "x").write_text(text)
                self.assertEqual((made().corpus / "x").read_text(), left)
                self.assertFalse((folder / "corpus/.kernels-old").exists())

    def test_findings_end_it_with_1_whatever_comes_after(self) -> None:
        with self.faked("exit 0") as (campaign, _, made, _):
            target = made()
            (target.corpus / "x").write_text("x")
            ended = mock.Mock(**{"return_value.run.return_value": 1, "return_value.stopped": False})
            given = mock.Mock(replay=None, merge=None)
            merge = mock.Mock(side_effect=campaign.CannotGoOn("full"))
            with (mock.patch.multiple(campaign, parsed=lambda: given, prepared=lambda _: [target], Campaign=ended, merge=merge),
                  contextlib.redirect_stderr(io.StringIO()) as err):
                self.assertEqual(campaign.main(), 1)
            self.assertIn("full", err.getvalue())

    def test_a_full_disk_ends_it(self) -> None:
        campaign = loaded()
        with mock.patch.object(campaign.shutil, "disk_usage", return_value=mock.Mock(free=1 << 20)):
            self.assertRaisesRegex(campaign.CannotGoOn, "1 MB are free", campaign.demand_space, self.folder)


class Terminal(CampaignTest):
    def test_what_libfuzzer_says_of_a_job_is_shown(self) -> None:
        pid, terminal = pty.fork()
        if pid == 0:
            os.execv(CAMPAIGN, [str(CAMPAIGN), "--no-build", "--jobs", "2", "--corpus", str(self.corpus),
                                "--regressions", str(self.regressions), "--minutes", "10", "--target", "escaping"])
        written, interrupted = b"", False
        while True:
            try:
                written += os.read(terminal, 65536)
            except OSError:  # its end
                break
            if not interrupted and written.count(b"exec/s") == 2:
                interrupted = True
                os.write(terminal, b"\x03")
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 130, written)
        self.assertRegex(written.decode(), r"(?s)^(escaping +#\d+\t[^\n]*cov: [^\n]*\n){2}.*\n0 findings in \d+ inputs, \d+ s of 600 s\r\n"
                                           r"(too few [^\n]*\n)?interrupted; all is kept in ")


class Rows(CampaignTest):
    """Inputs that are rows of seeds/bytes.txt. Needs no build."""

    def unpacked(self, text: bytes) -> dict[str, bytes]:
        """Of the folder before, only what was made stays."""
        (self.folder / "bytes.txt").write_bytes(text)
        all_targets.unpack(self.folder / "seeds", self.folder / "bytes.txt")
        return {str(path.relative_to(self.folder / "seeds")): path.read_bytes()
                for path in (self.folder / "seeds").rglob("*") if path.is_file()}

    def test_each_is_a_file(self) -> None:
        made = self.folder / f"seeds/{CONTROL}/made/seed-1"
        made.parent.mkdir(parents=True)
        made.write_bytes(b"made")
        beside = {f"{CONTROL}/made/seed-1": b"made"}
        takes = f"takes-{hashlib.sha256(bytes([0, 255])).hexdigest()[:12]}"
        self.assertEqual(self.unpacked(f"# Why.\n\n{CONTROL} takes 00ff\nc_abi all-of-it 0a\nc_abi takes 00ff\n".encode()),
                         {**beside, f"{CONTROL}/kept/{takes}": b"\0\xff", f"c_abi/kept/{takes}": b"\0\xff", "c_abi/kept/all-of-it": b"\n"})
        self.assertEqual(self.unpacked(b"c_abi it 0b\n"), {**beside, "c_abi/kept/it": b"\x0b"})

    def test_a_row_that_is_none_is_named_and_what_was_unpacked_stays(self) -> None:
        bad = {b"c_abi it": "TARGET NAME BYTES", b"c_abi it 00 01": "TARGET NAME BYTES", b"c_abi  00": "a name of small",
               b"c_abi ../it 00": "a name of small", b"c_api it 00": "a target first, one of: aws_.*c_abi", b"c_abi it ": "bytes, each",
               b"c_abi it 000": "bytes, each as two", b"c_abi it 0G": "bytes, each as two", b"c_abi it \xff": "bytes, each as two",
               b"c_abi it-was 01": "no second it-was of c_abi"}
        for row, wanted in bad.items():
            with self.subTest(row):
                before = self.unpacked(b"c_abi it-was 00\n")
                begins = re.escape(row.decode(errors="replace")[:8])
                with self.assertRaisesRegex(all_targets.BadRow, rf"/bytes\.txt:2: '{begins}.*': expected {wanted}"):
                    self.unpacked(b"c_abi it-was 00\n" + row + b"\n")
                self.assertEqual([path.name for path in (self.folder / "seeds/c_abi/kept").iterdir()], ["it-was"])
                self.assertEqual(before, {"c_abi/kept/it-was": b"\0"})

    def test_what_is_kept_is_a_row_among_the_others(self) -> None:
        file = self.folder / "bytes.txt"
        file.write_text("# What they are.\n# And where.\nc_abi it 00\nkernels it 00\n")
        all_targets.keep("cpp_api", b"\x01\xff", file)
        all_targets.keep("c_abi", b"\n", file)
        self.assertEqual(file.read_text(), "# What they are.\n# And where.\n"
                                           "c_abi it 00\nc_abi takes 0a\ncpp_api takes 01ff\nkernels it 00\n")

    def test_what_is_checked_in_is_sorted(self) -> None:
        lines = [line for line in all_targets.KEPT.read_text().splitlines() if not line.startswith("#")]
        self.assertEqual(lines, sorted(lines))

    def test_the_program_says_which_row_is_none(self) -> None:
        (self.folder / "fuzz/seeds").mkdir(parents=True)
        shutil.copy(ROOT / "fuzz/targets.py", self.folder / "fuzz")
        (self.folder / "fuzz/c_abi_fuzzer.cpp").touch()
        for row, code in ((b"c_abi it 00\n", 0), (b"c_abi it 0\n", 2)):
            (self.folder / "fuzz/seeds/bytes.txt").write_bytes(row)
            done = subprocess.run([self.folder / "fuzz/targets.py", self.folder / "seeds"], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout, bool(done.stderr)), (code, "", code != 0))
        self.assertRegex(done.stderr, r"^fuzz/targets\.py: \S+/fuzz/seeds/bytes\.txt:1: 'c_abi it 0': expected bytes")


class Reached(CampaignTest):
    """What fuzzing alone takes of the library. Needs the preset `fuzz-coverage`."""

    def test_what_is_checked_in_takes_every_branch(self) -> None:
        done = subprocess.run([ROOT / "fuzz/reached.py"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"^fuzzing alone: (\d{3,}) of \1 branches and (\d{3,}) of \2 functions of lib; \d+ of \d+ ")

    def test_targets_that_are_not_built_are_asked_for(self) -> None:
        done = subprocess.run([ROOT / "fuzz/reached.py", "--bin", "/nowhere"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("/nowhere has no fuzz target: cmake --preset fuzz-coverage", done.stderr)

    def test_what_is_not_taken_is_named(self) -> None:
        targets = reached.Targets(ROOT / "build/fuzz-coverage/bin")
        seeds = [path for path in sorted((targets.programs.parent / "seeds/kernels/kept").iterdir())
                 if path.name != "quotient-rounded-up-to-2-64"]
        library, = targets.reached({"kernels": seeds}, reached.LIBRARY)
        self.assertIn("`static_cast<bool>(quotient == top)` is never true", "\n".join(library.open()))
        self.assertRegex("\n".join(library.open()), r"lib/include/backoff/hosted/delays.hpp:\d+: goes_on never runs")

    def test_a_campaign_ends_with_it(self) -> None:
        out = self.finds_nothing("--target", "kernels", "--minutes", "0.1", "--coverage")
        self.assertRegex(out, r"fuzzing alone: \d+ of \d+ branches and \d+ of \d+ functions of lib; 0 of 0 ")


class Ports(CampaignTest):
    def judged(self, code: int, system: str, port: str, minutes: str = "0.1", findings: str = "1") -> str:
        words = ["--system", system, "--port", port, "--minutes", minutes, "--findings", findings]
        return self.ended(code, *words) if code else self.finds_nothing(*words)

    def test_right_libraries_have_no_findings(self) -> None:
        for system in (ALGORITHM, UTILS, CONTROL):
            with self.subTest(system):
                self.judged(0, system, self.compiled(system, ".a", flags=INSTRUMENTED))

    def test_a_library_in_a_worker_breaks_and_the_search_goes_on(self) -> None:
        out = self.judged(1, ALGORITHM, self.compiled(ALGORITHM, ".so", "DIVIDES_BY_WINDOW", "NO_STATUS"), "0.4", "2")
        self.assertIn("killed by signal 8", out)
        self.assertIn("finding: aws_backoff_algorithm: no_call_fails", out)
        self.replays(out)

    def test_a_crash_is_told_with_the_answers_before_it_and_what_was_said(self) -> None:
        for suffix, flags, how in ((".a", INSTRUMENTED, "killed by signal 6"), (".so", (), "the port was killed by signal 6")):
            with self.subTest(suffix):
                out = self.judged(1, ALGORITHM, self.compiled(ALGORITHM, suffix, "ABORTS_AT_THIRD", flags=flags), "0.4")
                self.assertRegex(out, rf"finding: {ALGORITHM}: {how}.*\n.*\n"
                                      r" +1  next +\d+  \S+ \d\S*  +retry \d+\n +2  next .* retry \d+\n +3  next .* -   <--\n"
                                      r"  standard error:\n    no third attempt is planned\n  token ")
                self.replays(out)

    def test_a_program_is_spoken_to(self) -> None:
        out = self.judged(1, ALGORITHM, shlex.join([str(PORT), "linear"]), "0.4")
        self.replays(out)

    def test_no_port_is_left_behind(self) -> None:
        self.judged(1, ALGORITHM, shlex.join(["sh", "-c", f"{shlex.quote(str(PORT))} linear; sleep 471.1"]), "0.4")
        left = subprocess.run(["pgrep", "-f", "sleep 471.1"], capture_output=True, text=True, check=False)
        self.assertEqual(left.stdout, "")

    def test_another_documented_reading_is_no_finding(self) -> None:
        self.judged(0, ALGORITHM, shlex.join([str(PORT), "exclusive"]))

    def test_what_is_not_instrumented_is_said(self) -> None:
        self.assertIn("nothing in it guides the search", self.judged(1, ALGORITHM, self.compiled(ALGORITHM, ".a", "UNCAPPED"), "0.4"))


class Faults(CampaignTest):
    """Each from an empty corpus, within a minute."""

    def test_each_is_found_and_replays(self) -> None:
        for system, fault, *options in FAULTS:
            with self.subTest(f"{system} {fault}"):
                port = self.compiled(system, ".a", fault, flags=INSTRUMENTED)
                self.replays(self.ended(1, "--system", system, "--port", port, "--minutes", "1", "--findings", "1", *options))

    def test_one_pair_of_parameters_in_all(self) -> None:
        port = self.compiled(ALGORITHM, ".a", "MAGIC", flags=INSTRUMENTED)
        out = self.ended(1, "--system", ALGORITHM, "--port", port, "--minutes", "5", "--findings", "1")
        self.assertIn("base_ms=11111,max_ms=49374", out)
        self.replays(out)


if __name__ == "__main__":
    unittest.main()
