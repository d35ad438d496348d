"""Programs that `backoff-oracle watch` judges as they run: no adapter speaks the protocol for them.

`watch` in port.json holds what watch is told: `params`, those of the document that the command sets; `options`; `runs`; and the
planted `fault`: other `params`, which are not those of the command, and the `claim` that they must break. The record has
the verdict and the broken claims, and no time. A slow machine is no finding: a verdict that is inconclusive is asked for once
more, with RUNS_MORE times the runs, and then the program is not judged. gallery.py calls this.
"""
import json
import pathlib
import shlex
import subprocess
from typing import Any, NamedTuple

Json = dict[str, Any]
RUNS_MORE = 4
NOT_WATCHED = "not watched"
VERDICTS = {0: "conforms", 1: "does not conform", 5: "inconclusive"}  # by exit code
ROOT = pathlib.Path(__file__).resolve().parents[3]
HEAD = """
## Watched

These programs need no adapter. [Gallery](../oracle/docs/gallery.md#watched) explains how they are judged."""


class Seen(NamedTuple):
    verdict: str
    claims: list[str]  # those that are broken, by their names
    says: str  # the verdict with its numbers, or what went wrong


def is_watched(port: Json) -> bool:
    return "watch" in port


def params(port: Json, planted: bool) -> Json:
    told: Json = {**port["watch"]["params"], **(port["watch"]["fault"]["params"] if planted else {})}
    return told


def words(port: Json, installed: str, planted: bool, more: int = 1, form: tuple[str, ...] = ()) -> list[str]:
    """What backoff-oracle is told."""
    given, told = port["watch"], params(port, planted)
    return ["watch", str(port.get("policy") or port["system"]), *(f"--param={name}={value}" for name, value in told.items()),
            f"--runs={more * given['runs']}", *given.get("options", ()), *form,
            "--", *(word.replace("{installed}", installed) for word in port["command"])]


def seen(bin_dir: pathlib.Path, port: Json, target: pathlib.Path, planted: bool) -> Seen:
    for more in (1, RUNS_MORE):
        done = subprocess.run([f"{bin_dir}/backoff-oracle", *words(port, str(target), planted, more, ("--format", "json"))], cwd=ROOT,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode not in VERDICTS:
            return Seen(NOT_WATCHED, [], done.stderr.strip())
        report = json.loads(done.stdout)
        now = Seen(VERDICTS[done.returncode], sorted({each["claim"] for each in report["findings"]}), report["verdict"])
        if now.verdict != "inconclusive":
            break
    return now


def judged(bin_dir: pathlib.Path, port: Json, target: pathlib.Path, was: Json | None) -> tuple[str, Json, list[str], list[str], bool]:
    """(what was seen, in words; the finding; how it differs from what must be; how from what was recorded; whether the machine is
    too slow to tell)"""
    right, planted = (seen(bin_dir, port, target, planted) for planted in (False, True))
    now, claim = {"version": port["version"], "verdict": right.verdict, "broken": right.claims}, port["watch"]["fault"]["claim"]
    wrong = [run.verdict for run in (right, planted) if run.verdict == NOT_WATCHED]
    if planted.verdict in ("conforms", "does not conform") and claim not in planted.claims:
        wrong.append(f"planted fault {fault(port)}: expected {claim}, found {planted.says}")
    is_slow = "inconclusive" in (right.verdict, planted.verdict)
    before = was or {}
    other = [f"{key}: recorded {before.get(key)}, now {now[key]}" for key in now if before.get(key) != now[key]]
    return (f"watched: {right.says}; with {fault(port)}: {planted.says}", now, wrong, other if right.verdict != "inconclusive" else [],
            is_slow)


def said(told: Json) -> str:
    return ", ".join(f"`{name}={value}`" for name, value in told.items())


def fault(port: Json) -> str:
    """What is planted, in words."""
    return said(port["watch"]["fault"]["params"])


def claims(finding: Json) -> str:
    return ", ".join(f"`{claim}`" for claim in finding["broken"])


def table(rows: list[tuple[str, str, Json, Json]]) -> None:
    """Of each program its language, what it is held to, its port.json, its finding."""
    print("| program | version | language | what is watched | says of itself | document | verdict | broken | planted fault "
          "| found by |\n" + "|---" * 10 + "|")
    for language, document, port, finding in rows:
        print(f"| {port['package']} ({port['registry']}) | {port['version']} | {language} | {port['what']} | {port['claims']} "
              f"| `{document}`, {said(port['watch']['params'])} | {finding['verdict']} | {claims(finding)} | {fault(port)} "
              f"| `{port['watch']['fault']['claim']}` |")


def told(folder: pathlib.Path, described: str, claimed: str, port: Json, finding: Json) -> None:
    """The section of a program in FINDINGS.md."""
    installed = f"build/release/gallery/{folder.parent.name}/{folder.name}"
    again = shlex.join(words(port, installed, False))
    print(f"\n### {port['package']} {port['version']} ({port['registry']})\n\n"
          f"Watched against {described}, with {said(port['watch']['params'])}: {port['what']}. The package {claimed}. "
          f"Its documentation says: {port['says_of_itself']}.\n\n"
          f"**It {finding['verdict']}**{f': {claims(finding)}' if finding['broken'] else ''}. "
          f"With the wrong parameter {fault(port)}, `watch` reports `{port['watch']['fault']['claim']}`.\n")
    for claim in finding["broken"]:
        print(f"- Effect on users: {port['consequences'][claim]}")
    print(f"- Replay: `build/release/bin/backoff-oracle {again}`")
