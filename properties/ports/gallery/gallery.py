#!/usr/bin/python3
"""Real packages, judged through the protocol: installs each, holds it to its document, compares with what is recorded.

A folder LANGUAGE/NAME is a package. port.json beside its adapter says which one, which system or policy (a file, from the root)
it is held to, whether it claims that document, how it is installed (install/KIND, into the build folder, from the pins in its
folder) and how the adapter is called; findings.json has what the oracle found in all of them, and ../verdicts.txt
a line of each. A package that does not conform is judged once more
in ordinary settings alone: what breaks there too comes first, and the rest is at the ends of the range.
backoff-certify judges each verdict again, but for those by policies, from its certificate. A program whose port.json has
`watch` needs no adapter: see watched.py. The lines of a report to maintainers (../findings/NAME.md) are run, and must print
what it shows. A package that starts to conform is a difference like any other. --record writes the findings anew: read the
change before you commit it. gallery_test.py checks this program.

Usage: properties/ports/gallery/gallery.py --bin DIR --into DIR [--record] [--page FILE.html] [--cases N] [--language NAME]…
                                           [--part PART] [FOLDER…]
       properties/ports/gallery/gallery.py --table | --counts                          the recorded findings, for gallery.md; for the README
       properties/ports/gallery/gallery.py --findings                                  the violations one by one: FINDINGS.md
From the root of the repository. --page keeps what each package answered beside where it is installed, and writes a page of all.
Exit: 0 every package judged, as recorded; 1 a difference, a verdict that is not certified, or a report that is not so; 2
usage; 3 a package could not be installed; 4 only because its registry could not be reached, or the machine was too slow to
watch it. Whatever was not judged is named. Where several apply: 2, 1, 3, 4, 0.
"""
import argparse
import concurrent.futures
import difflib
import functools
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import watched
import yaml

GALLERY = pathlib.Path(__file__).resolve().parent
ROOT = GALLERY.parents[2]
sys.path[:0] = [str(GALLERY.parent), str(ROOT / "spec")]

import system_page  # noqa: E402
import verdicts  # noqa: E402

PINS = ("package.json", "package-lock.json", "requirements.txt", "pom.xml", "lock.sha256", "Cargo.toml", "Cargo.lock", "go.mod", "go.sum")
COMPILED = {"cargo": "*.rs", "go": "*.go", "maven": "*.java"}  # by what installs: the sources of an adapter that it builds too
LANGUAGES = {"python": "Python", "javascript": "JavaScript", "java": "Java", "rust": "Rust", "go": "Go", "c": "C", "cpp": "C++"}
Json = dict[str, Any]
Entry = tuple[pathlib.Path, Json]  # the folder of a package, and its port.json
Judged = tuple[Json, pathlib.Path]  # a port.json, and the results
PARTS = "driven", "watched"  # by an adapter, and without one
CLAIMS = "claims it", "claims the formula", "claims neither"  # of the document: in this order they are listed
ORDINARY = {  # by system: what check is told
    "aws_backoff_algorithm": ["--range", "base_ms=1..10000", "--range", "max_ms=10000..86400000",
                              "--range", "max_attempts=..100 or forever"],
    "aws_step_functions": ["--range", "interval_s=1..60", "--range", "backoff_rate=1..3", "--range", "max_attempts=..8",
                           "--skip", "long_delays_saturate"],
    "azure_java_retry_policy": ["--range", "c_ms=1..10000", "--range", "cmin_ms=1..10000", "--range", "cmax_ms=10000..86400000",
                                "--range", "retry_count=1..100"]}
ORDINARY_CASES = "2000"
UNLIKE = "  NOT AS ITS REPORT SHOWS"
PORT_BROKE = 3
RECORDING = threading.Lock()  # of the files of all packages
AS_RECORDED, DIFFERENT, USAGE, NOT_INSTALLED, UNREACHABLE = range(5)
INSTALLER_SAYS = {69: NOT_INSTALLED, 75: UNREACHABLE}  # EX_UNAVAILABLE: a tool is absent; EX_TEMPFAIL: the registry is


def install(gallery: pathlib.Path, folder: pathlib.Path, port: Json, target: pathlib.Path) -> tuple[int, str]:
    """Installs what the folder pins, unless it is there already: (0, '') or (how it failed, why)."""
    compiled = COMPILED.get(port["install"])
    sources = [*sorted(folder.rglob(compiled)),
               *(gallery.parent / f"helpers/{folder.parent.name}").glob(f"[Bb]ackoff{compiled}")] if compiled else []
    pins = b"".join(path.read_bytes() for path in [folder / name for name in PINS] + sources if path.is_file())
    stamp, wanted = target / ".installed", hashlib.sha256(pins + port["version"].encode()).hexdigest()
    if stamp.is_file() and stamp.read_text() == wanted:
        return 0, ""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    done = subprocess.run([gallery / "install" / port["install"], folder, target, port["package"], port["version"]],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        stamp.write_text(wanted)
        return 0, ""
    said = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    return INSTALLER_SAYS.get(done.returncode, NOT_INSTALLED), said[-1] if said else f"exit {done.returncode}"


def oracle(bin_dir: pathlib.Path, port: Json, target: pathlib.Path, *words: str) -> Json:
    """The report of check or replay, as JSON."""
    command = [word.replace("{installed}", str(target)) for word in port["command"]]
    done = subprocess.run([f"{bin_dir}/backoff-oracle", *words, "--format", "json", "--timeout", "60", "--", *command],
                          cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    report: Json = json.loads(done.stdout) if done.stdout else {"verdict": done.stderr.strip(), "port": {}}
    return {**report, "exit": done.returncode}


def system_of(port: Json) -> str:
    return str(stated(port)["name"] if "policy" in port else port["system"])


def judged_by(port: Json) -> str:
    """What check is told to judge by."""
    return str(port.get("policy") or port["system"])


def replay_words(port: Json, token: str) -> list[str]:
    return ["replay", token, *(["--policy", port["policy"]] if "policy" in port else [])]


def certify(certificate: pathlib.Path, code: int) -> tuple[list[str], list[str]]:
    """(what backoff-certify has against a verdict that ended with this code, what it did not recompute); lines"""
    if code == PORT_BROKE and not certificate.is_file():
        return [], []  # it did not start: there is no answer to judge
    done = subprocess.run([sys.executable, ROOT / "properties/certify/backoff-certify", certificate], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)
    against = [*done.stderr.splitlines(), f"certified with exit code {done.returncode}, judged with {code}"]
    return [] if done.returncode == code else against, [line.strip() for line in done.stdout.splitlines() if "not recomputed" in line]


def by_version(entry: Judged) -> Any:
    """Those of a system together, older versions first: the page says what changed from one version of a port to the next."""
    port, _ = entry
    parts = port["version"].replace("-", ".").split(".")
    return system_of(port), [(part.isdigit(), int(part) if part.isdigit() else part) for part in parts], port["package"]


def write_page(bin_dir: pathlib.Path, page: pathlib.Path, judged: list[Judged]) -> str:
    """A page of what was judged: (port, its results)…; why there is none."""
    files = [str(results) for _, results in sorted(judged, key=by_version)]
    if not files:
        return "nothing was judged"
    policies = [word for file in sorted({port["policy"] for port, _ in judged if "policy" in port}) for word in ("--policy", file)]
    done = subprocess.run([f"{bin_dir}/backoff-oracle", "report", *files, *policies, "-o", str(page)], cwd=ROOT, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)
    return done.stderr.strip()


def broken_claims(report: Json) -> dict[str, str]:
    return {claim["name"]: claim["strength"] for claim in report.get("claims", []) if not claim["holds"]}


def shown(finding: Json) -> Json:
    """How a claim is seen to be broken: by a history, or by many draws."""
    rows = [row for table in finding.get("tables", []) for row in table if row.get("breaks")]
    # Of samples the one reading that gives up what they test; which others would do too is a matter of chance.
    hazard = finding["excused_by"] if finding["token"] else ["distribution=unspecified"]
    how = {"shown_by": finding["token"], "requirement": finding["requirements"][0], "hazard": hazard}
    if rows and finding["token"]:
        how |= {"step": rows[-1]["step"], "admitted": rows[-1]["admitted"], "answered": rows[-1]["port"]}
    return how


def finding_of(report: Json) -> Json:
    """What is recorded of a report: no count, which every change of a generator would change."""
    how = {finding["claim"]: shown(finding) for finding in report.get("findings", [])}
    return {"version": report["port"].get("version"), "verdict": report["verdict"], "grade": report.get("grade"),
            "readings": {r["name"]: " or ".join(r["left"]) for r in report.get("readings", []) if r["left"]},
            "broken": [{"claim": claim, "strength": strength, **how.get(claim, {"shown_by": None})}
                       for claim, strength in broken_claims(report).items()]}


def by_samples(b: Json) -> bool:
    return bool(b["shown_by"] == "")


def parts(finding: Json) -> list[Json]:
    """What was found over the whole range, and in ordinary settings if that is not the same."""
    return [finding, *(finding[name] for name in ("ordinary",) if name in finding)]


def differences(was: Json, now: Json, replay: Callable[[str], Json]) -> Iterator[str]:
    """Lines that say how the finding differs. Other histories may show the same: the recorded ones must still break something.
    Of samples chance decides which test is the first to refute: it is one finding, whichever of the claims about draws it names."""
    def plain(b: Json) -> Json:
        return {"claim": "(its draws)" if by_samples(b) else b["claim"], "strength": b["strength"], "shown": bool(b["shown_by"]),
                "hazard": b.get("hazard")}

    def lines(finding: Json) -> list[str]:
        first, *ordinary = ({**part, "broken": [plain(b) for b in part["broken"]]} for part in parts(finding))
        return json.dumps({**first, **({"ordinary": ordinary[0]} if ordinary else {})}, indent=1).splitlines()
    yield from list(difflib.unified_diff(lines(was), lines(now), "recorded", "now", lineterm="", n=0))[2:]
    for b in (b for part in parts(was) for b in part["broken"]):
        if b["shown_by"] and not broken_claims(replay(b["shown_by"])):
            yield f"{b['claim']}: no longer broken by {b['shown_by']}"


@functools.cache
def catalogue_of(stem: str) -> Json:
    return system_page.read(ROOT / "spec" / stem / "system.yaml").catalogue()


def catalogue(port: Json) -> Json:
    return catalogue_of(port["system"])


def stated(port: Json) -> Json:
    """A policy file."""
    read: Json = yaml.safe_load((ROOT / port["policy"]).read_text())
    return read


def canonical_readings(port: Json) -> set[tuple[str, str]]:
    if "policy" not in port:
        return {(r["name"], a["name"]) for r in catalogue(port)["readings"] for a in r["alternatives"] if a["standing"] == "canonical"}
    policy, named = stated(port), {("draw-mapping", "real")}
    for key in ("window", "delay", "first", "attempts"):
        if isinstance(policy.get(key), dict):
            named.add((key, next(iter(policy[key]))))
        elif isinstance(policy.get(key), list):
            named.add((key, "1"))
    return named | ({("ends", policy["ends"][0])} if isinstance(policy.get("ends"), list) else set())


def requirement_text(port: Json, named: str) -> str:
    """What a requirement of the document demands."""
    if "policy" not in port:
        return next(str(r["text"]) for r in catalogue(port)["requirements"] if r["id"] == named)
    policy, key = stated(port), named.rsplit(".")[-1]
    if key == "attempts" and policy.get(key, "forever") == "forever":
        return f"{policy['document']}: there is no limit of attempts"
    formula = policy.get("delay" if key == "draws" else key, "")
    formulas = list(formula.values()) if isinstance(formula, dict) else formula if isinstance(formula, list) else [formula]
    shows = key != "window" and "window" in str(formula) and isinstance(policy.get("window"), str)
    where = f", where window is `{policy['window']}`" if shows else ""
    return f"{policy['document']}: {key} is {' or '.join(f'`{f}`' for f in formulas)}{where}"


def hazards_of(port: Json) -> set[str]:
    if "policy" in port:
        return {f"{key}={name}" for key, named in stated(port).get("hazards", {}).items() for name in named}
    return {f"{r['name']}={a['name']}" for r in catalogue(port)["readings"] for a in r["alternatives"] if a["standing"] == "hazard"}


def chosen(port: Json, finding: Json) -> list[str]:
    """The readings that explain it and are not the canonical ones."""
    return [f"{name} {left}" for name, left in finding["readings"].items() if (name, left) not in canonical_readings(port)]


def of_the_verdict(finding: Json) -> list[Json]:
    """What the verdict rests on: what the document demands, or where nothing of that is broken the interface that ports share."""
    broken = {strength: [b for b in finding["broken"] if b["strength"] == strength] for strength in ("must", "interface")}
    return broken["must"] or broken["interface"]


def plain_token(port: Json, b: Json) -> str:
    return (b["shown_by"] or "").removeprefix(f"{system_of(port)}/")


def ordinary_words(port: Json) -> list[str]:
    """What check is told to judge in ordinary settings alone; of a policy, port.json says which ranges those are."""
    ranges = [word for given in port.get("ordinary", ()) for word in ("--range", given)]
    return ranges if "policy" in port else ORDINARY.get(port["system"], [])


def described(port: Json) -> str:
    """What it is tested against, in a sentence."""
    if "policy" not in port:
        return f"`{port['system']}`"
    return f"`{system_of(port)}`, {stated(port)['document']}, as declared in [{pathlib.Path(port['policy']).name}](../../{port['policy']})"


def ordinary(finding: Json) -> Json:
    return parts(finding)[-1]


def at_the_ends(port: Json, finding: Json) -> list[Json]:
    """Violations beyond ordinary settings: of claims that hold there, and of those that port.json tells apart."""
    if "ordinary" not in finding:
        return []
    held = {b["claim"] for b in finding["ordinary"]["broken"]} - set(port.get("ends", {}))
    return [b for b in of_the_verdict(finding) if b["claim"] not in held]


def text_of(port: Json, finding: Json, certified: list[str]) -> str:
    """A finding, as the person who runs this reads it."""
    lines = [f"{port['package']} {port['version']} ({port['registry']}), {system_of(port)}, {port['claims']}: {finding['verdict']}, "
             f"grade {finding['grade']}"]
    lines += [f"in ordinary settings: {finding['ordinary']['verdict']}"] if "ordinary" in finding else []
    lines += [", ".join(chosen(port, finding))] if chosen(port, finding) else []
    for b in finding["broken"]:
        by = f" by {plain_token(port, b)}" if b["shown_by"] else " by many draws" if by_samples(b) else " too"
        lines.append(b["claim"] + (by if b["strength"] == "must" else f" ({b['strength']})"))
    return "\n    ".join(lines + certified)


def name_of(folder: pathlib.Path) -> str:
    return "/".join(folder.resolve().parts[-2:])


def findings_file(folder: pathlib.Path) -> pathlib.Path:
    return folder.resolve().parents[1] / "findings.json"


def all_findings(folder: pathlib.Path) -> Json:
    """What is recorded of every package beside this one, by LANGUAGE/NAME."""
    file = findings_file(folder)
    recorded: Json = json.loads(file.read_text()) if file.is_file() else {}
    return recorded


def as_text(findings: Json) -> str:
    """JSON with a line for each member of a finding."""
    def members(finding: Json) -> str:
        return ",\n".join(f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in finding.items())

    return "{\n" + ",\n".join(f" {json.dumps(name)}: {{\n{members(findings[name])}\n }}" for name in sorted(findings)) + "\n}\n"


def recorded_finding(folder: pathlib.Path) -> Json | None:
    recorded: Json | None = all_findings(folder).get(name_of(folder))
    return recorded


def finding_in(folder: pathlib.Path) -> Json:
    recorded = recorded_finding(folder)
    if recorded is None:
        sys.exit(f"gallery.py: {findings_file(folder)} has no {name_of(folder)}: coverage/record gallery")
    return recorded


def verdicts_file(folder: pathlib.Path) -> pathlib.Path:
    return folder.resolve().parents[2] / verdicts.FILE.name


def verdict_of(folder: pathlib.Path, port: Json, report: Json) -> verdicts.Verdicts:
    """The package's line of verdicts.txt."""
    return {verdicts.Port(system_of(port), name_of(folder)): {verdicts.OWN: verdicts.said(report, report["exit"])}}


def record(folder: pathlib.Path, finding: Json, verdict: verdicts.Verdicts | None = None) -> None:
    """A program that is watched has no verdict."""
    with RECORDING:
        findings = all_findings(folder) | {name_of(folder): finding}
        findings_file(folder).write_text(as_text(findings))
        if verdict:
            file = verdicts_file(folder)
            others = {port: said for port, said in verdicts.read(file).items() if port.name != name_of(folder)}
            verdicts.write(file, others | verdict)


def verdict_differences(folder: pathlib.Path, now: verdicts.Verdicts, grade: str | None) -> list[str]:
    """Lines that say how the package's line of verdicts.txt differs. Which claim about draws of its own a package breaks first is a
    matter of chance: without the grade exact, only the exit code counts."""
    def exit_codes(of: verdicts.Verdicts) -> list[str]:
        return [said.split()[0] for kinds in of.values() for said in kinds.values()]

    was = {port: said for port, said in verdicts.read(verdicts_file(folder)).items() if port.name == name_of(folder)}
    return [] if grade != "exact" and exit_codes(was) == exit_codes(now) else verdicts.changes(was, now)


def language(folder: pathlib.Path) -> str:
    return LANGUAGES.get(folder.parent.name, folder.parent.name)


def table(entries: list[Entry]) -> None:
    print("| package | version | language | says of itself | document | ordinary settings | at the ends of the range | readings "
          "| smallest violating history |\n|---|---|---|---|---|---|---|---|---|")
    for folder, port in entries:
        finding = finding_in(folder)
        first, ends = ordinary(finding), [f"`{b['claim']}`" for b in at_the_ends(port, finding) if "requirement" in b]
        violations = of_the_verdict(first) or of_the_verdict(finding)
        beyond = ", ".join(ends) if ends else "nothing else" if violations else "conforms"
        tokens = sorted((plain_token(port, b) for b in violations if b["shown_by"]), key=len)
        print(f"| {port['package']} ({port['registry']}) | {port['version']} | {language(folder)} "
              f"| {port['claims']} | `{system_of(port)}` | {first['verdict']}, {first['grade']} "
              f"| {beyond} | {', '.join(chosen(port, finding))} "
              f"| {f'`{tokens[0]}`' if tokens else 'many draws together' if violations else ''} |")


def counts(entries: list[Entry]) -> None:
    """How many packages get which verdict, by what they claim to follow."""
    print("| says that it follows | packages | conform | conform in ordinary settings only | do not conform |\n|---|---|---|---|---|")
    for claim, followed in zip(CLAIMS, ("the document", "only its formula", "neither")):
        recorded_of = [finding_in(folder) for folder, port in entries if port["claims"] == claim]
        usual = [finding for finding in recorded_of if ordinary(finding)["verdict"] == "conforms"]
        everywhere = sum(not of_the_verdict(finding) for finding in usual)
        print(f"| {followed} | {len(recorded_of)} | {everywhere} | {len(usual) - everywhere} | {len(recorded_of) - len(usual)} |")


def findings(entries: list[Entry]) -> None:
    """Every violation: what the document says, what the package does, what it means for its users, and the line that replays it."""
    for folder, port in entries:
        finding = finding_in(folder)
        if not of_the_verdict(finding):
            continue
        first, ends = ordinary(finding), at_the_ends(port, finding)
        print(f"\n## {port['package']} {port['version']} ({port['registry']})\n\n"
              f"Tested against {described(port)}. The package {CLAIMED[port['claims']]}. "
              f"Its documentation says: {port['says_of_itself']}.\n\n"
              f"**In ordinary settings it {SAYS.get(first['verdict'], first['verdict'])}**, grade {first['grade']}.")
        told(folder, port, of_the_verdict(first), port.get("consequences", {}), ordinary_words(port) if "ordinary" in finding else [])
        if any("requirement" in b for b in ends):
            print("\n### At the ends of the range")
            told(folder, port, ends, port.get("ends", {}), [])
        beyond = [f"`{b['claim']}`" for b in finding["broken"] if b["strength"] == "interface" and b not in of_the_verdict(finding)]
        reported = [f"`{b['claim']}` ({b['strength']})" for b in finding["broken"] if b["strength"] == "recommended"]
        if beyond:
            print(f"\nIt also breaks the interface that ports share: {', '.join(beyond)}.")
        if reported:
            print(f"\nReported, but not a violation: {', '.join(reported)}.")
        told_of_report(folder, port)


def told_of_report(folder: pathlib.Path, port: Json) -> None:
    report = report_of(folder, port)
    if report.is_file():
        print(f"\n[Draft of a report to its maintainers](findings/{report.name}).")
    elif "unreported" in port:
        print(f"\nThere is no draft of a report to its maintainers. {port['unreported']}")


def report_of(folder: pathlib.Path, port: Json) -> pathlib.Path:
    """Where the draft for the maintainers is; one for all versions of a package."""
    return folder.resolve().parents[2] / "findings" / f"{port.get('report', folder.name)}.md"


def fences(page: str) -> list[tuple[str, str]]:
    """The fenced blocks of a page: (language, text)…"""
    return re.findall(r"^```(\w*)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def printed(folder: pathlib.Path, target: pathlib.Path, lines: str) -> str:
    """What the lines of a report print, with nothing of ours: the package alone, as it is installed there."""
    with tempfile.TemporaryDirectory() as scratch:
        source = pathlib.Path(scratch) / "Report.java"
        variables: dict[str, str] = {}
        if folder.parent.name == "javascript":
            node = [str(path) for path in target.glob("node_modules/node-linux-*/bin/node")] or ["node"]
            command = [node[0], *(["--input-type=module"] if lines.startswith("import ") else []), "-e", lines]
        elif folder.parent.name == "java":
            source.write_text(f"class Report {{ public static void main(String[] none) throws Exception {{\n{lines}}} }}\n")
            command = ["java", "-cp", "lib/*", str(source)]
        elif folder.parent.name == "rust":  # as a second program of the adapter's crate, so that nothing is built twice
            (target / "source/src/bin").mkdir(exist_ok=True)
            (target / "source/src/bin/report.rs").write_text(f"fn main() {{\n{lines}}}\n")
            command = ["cargo", "run", "--quiet", "--locked", "--release", "--manifest-path", "source/Cargo.toml", "--bin", "report"]
            variables = {"CARGO_TARGET_DIR": str(target)}
        elif folder.parent.name == "python":
            command = [str(target / "bin/python"), "-c", lines]
        else:
            return f"no report is run in {folder.parent.name}: expected java, javascript, python or rust\n"
        try:
            done = subprocess.run(command, cwd=target, env={**os.environ, **variables}, stdin=subprocess.DEVNULL, capture_output=True,
                                  text=True, check=False, timeout=300)
        except subprocess.TimeoutExpired:
            return "(nothing, for five minutes)\n"
    return done.stdout if done.returncode == 0 else done.stdout + done.stderr


def unlike_report(folder: pathlib.Path, port: Json, target: pathlib.Path) -> list[str]:
    """Lines that say how the package differs from what its report shows of it."""
    report = report_of(folder, port)
    if not report.is_file():
        return []
    blocks = fences(report.read_text())
    if len(blocks) != 2:
        return [f"{report}: expected two fenced blocks, the lines and what they print, found {len(blocks)}"]
    (_, lines), (_, expected) = blocks
    return list(difflib.unified_diff(expected.splitlines(), printed(folder, target, lines).splitlines(), report.name, "now", lineterm=""))


def told(folder: pathlib.Path, port: Json, violations: list[Json], consequences: dict[str, str], words: list[str]) -> None:
    """words: what check is told beside the system."""
    hazards = hazards_of(port)
    command = shlex.join(word.replace("{installed}", f"build/release/gallery/{folder.parent.name}/{folder.name}")
                         for word in port["command"])
    for b in (b for b in violations if "requirement" in b):
        hazard = [name for name in b["hazard"] if name in hazards]
        print(f"\n**`{b['claim']}`**" + (f", which this hazard would allow: {', '.join(hazard)}" if hazard else "") + "\n")
        print(f"- The document ({b['requirement']}): {requirement_text(port, b['requirement'])}")
        print(f"- The package: {does(port, b)}")
        print(f"- Effect on users: {consequences[b['claim']]}")
        by = shlex.join(replay_words(port, b["shown_by"]) if b["shown_by"] else ["check", judged_by(port), *words])
        print(f"- Replay: `build/release/bin/backoff-oracle {by} -- {command}`")
    also = [f"`{b['claim']}`" for b in violations if "requirement" not in b]
    if also:
        print(f"\nThe same fault also breaks: {', '.join(also)}.")


def does(port: Json, b: Json) -> str:
    if not b["shown_by"]:
        return "only many draws together show this."
    return f"call {b['step']} of `{plain_token(port, b)}` returns `{b['answered']}`; the document admits `{b['admitted']}`."


CLAIMED = {"claims it": "claims this document", "claims the formula": "claims the formula, but not this document",
           "claims neither": "claims neither this document nor its formula"}
SAYS = {"conforms": "conforms", "inconclusive": "is not decided"}  # any other is a predicate
FINDINGS_HEAD = """# Findings in published packages

This page has each violation in a package of the [gallery](../oracle/docs/gallery.md): how the package departs from its document,
and what this means for its users. The gallery has all packages, and explains *ordinary settings* and *at the ends of the range*.
A *hazard* is a reading that the document allows although it causes a fault.

To repeat a finding, run `cmake --workflow --preset gallery`, and then the command under *Replay* from the root of the repository.
If a package draws for itself, the numbers differ. `properties/ports/gallery/gallery.py --findings` generates this page."""


def part_of(entry: Entry) -> str:
    return "watched" if watched.is_watched(entry[1]) else "driven"


def recorded(entries: list[Entry], one_by_one: bool) -> None:
    """What is recorded, without judging: of packages that an adapter drives, then of programs that are watched."""
    driven, seen = ([entry for entry in entries if part_of(entry) == part] for part in PARTS)
    if one_by_one:
        print(FINDINGS_HEAD)
        findings(driven)
        broken = [entry for entry in seen if finding_in(entry[0])["broken"]]
        if broken:
            print(watched.HEAD)
        for folder, port in broken:
            watched.told(folder, described(port), CLAIMED[port["claims"]], port, finding_in(folder))
            told_of_report(folder, port)
        return
    if driven:
        table(driven)
    if driven and seen:
        print("\n**Watched**\n")
    if seen:
        watched.table([(language(folder), system_of(port), port, finding_in(folder)) for folder, port in seen])


def sorted_by_claim(entries: Iterable[Entry]) -> list[Entry]:
    return sorted(entries, key=lambda entry: CLAIMS.index(entry[1]["claims"]) if entry[1].get("claims") in CLAIMS else -1)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--bin", help="where backoff-oracle is")
    options.add_argument("--into", type=pathlib.Path, help="where packages are installed")
    options.add_argument("--record", action="store_true", help="write the findings instead of comparing them")
    options.add_argument("--table", action="store_true", help="print the recorded findings and judge nothing")
    options.add_argument("--counts", action="store_true", help="print how many get which verdict, and judge nothing")
    options.add_argument("--findings", action="store_true", help="print the recorded violations one by one, and judge nothing")
    options.add_argument("--language", action="append", default=[], help="only packages of this language; may be repeated")
    options.add_argument("--part", choices=PARTS, help="only packages with an adapter, or only programs that are watched")
    options.add_argument("--jobs", type=int, default=2, help="how many packages at once")
    options.add_argument("--page", type=pathlib.Path, help="write a page of HTML too")
    options.add_argument("--cases", help="how many histories, as for check; recorded is what the default finds")
    options.add_argument("--gallery", type=pathlib.Path, default=GALLERY)
    options.add_argument("folders", nargs="*", type=pathlib.Path)
    given = options.parse_args()
    folders = given.folders or [path.parent for path in given.gallery.glob("*/*/port.json")]
    entries = sorted_by_claim((folder, json.loads((folder / "port.json").read_text())) for folder in sorted(folders)
                              if not given.language or folder.parent.name in given.language)
    entries = [entry for entry in entries if given.part in (None, part_of(entry))]
    for folder, port in entries:
        if port.get("claims") not in CLAIMS:
            options.error(f"{folder}/port.json: claims: expected one of {', '.join(CLAIMS)}")
    if not entries or not (given.table or given.counts or given.findings or (given.bin and given.into)):
        options.error("expected packages, and --table, --counts, --findings, or --bin and --into")
    if given.counts:
        counts([entry for entry in entries if part_of(entry) == "driven"])
        return AS_RECORDED
    if given.table or given.findings:
        recorded(entries, given.findings)
        return AS_RECORDED
    different: list[str] = []
    absent: list[tuple[int, str, str]] = []
    judged: list[Judged] = []
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        results = [pool.submit(judge, given, *entry) for entry in entries]
        for (_, port), result in zip(entries, results):
            failed, lines, file = result.result()
            name = f"{port['package']} {port['version']}"
            print(*lines, sep="\n", flush=True)
            if failed == DIFFERENT:
                different.append(name)
            elif failed:
                absent.append((failed, name, lines[0]))
            if file:
                judged.append((port, file))
    if given.page and (why := write_page(given.bin, given.page.resolve(), judged)):
        print(f"no page: {why}")
        return USAGE
    worst = DIFFERENT if different else min((failed for failed, _, _ in absent), default=AS_RECORDED)
    for _, _, why in absent:
        print(f"*** {why}")
    said = f"gallery: {len(entries) - len(absent)} of {len(entries)} packages judged"
    said += f"; not as recorded: {', '.join(different)}" if different else "; every finding is the one " + \
        ("written" if given.record else "recorded")
    print(said + (f"; not judged: {', '.join(name for _, name, _ in absent)}" if absent else ""))
    return worst


def judge_once(bin_dir: pathlib.Path, port: Json, target: pathlib.Path, what: str,
               words: list[str]) -> tuple[Json, Json, list[str], list[str]]:
    """(the report, the finding, what backoff-certify has against it, what it says else)"""
    if "policy" in port:  # such verdicts are not certified
        report = oracle(bin_dir, port, target, "check", judged_by(port), *words)
        return report, finding_of(report), [], []
    certificate = target.with_name(f"{target.name}.{what.split()[0]}.cert")
    certificate.unlink(missing_ok=True)
    report = oracle(bin_dir, port, target, "check", judged_by(port), "--certificate", str(certificate), *words)
    against, notes = certify(certificate, report["exit"])
    return report, finding_of(report), [f"{what}: {line}" for line in against], [] if against else [f"{what}: certified", *notes]


def judge_watched(given: argparse.Namespace, folder: pathlib.Path, port: Json, target: pathlib.Path) -> tuple[int, list[str]]:
    said, now, wrong, other, is_slow = watched.judged(given.bin, port, target, recorded_finding(folder))
    name = f"{port['package']} {port['version']}"
    lines = [f"{name} ({port['registry']}), {system_of(port)}, {port['claims']}", f"    {said}"]
    if given.record and not wrong and not is_slow:
        record(folder, now)
        other = []
    wrong += other
    if wrong:
        return DIFFERENT, [*lines, "  NOT AS RECORDED", *(f"    {line}" for line in wrong)]
    if is_slow:
        return UNREACHABLE, [f"NOT JUDGED: {name}, because the machine is too slow. {said}"]
    unlike = unlike_report(folder, port, target) if finding_in(folder)["broken"] else []
    return (DIFFERENT, [*lines, UNLIKE, *(f"    {line}" for line in unlike)]) if unlike else (AS_RECORDED, lines)


def judge(given: argparse.Namespace, folder: pathlib.Path, port: Json) -> tuple[int, list[str], pathlib.Path | None]:
    """Installs and judges a package: (how it failed or 0, what to say, its results if they are kept)."""
    name = f"{port['package']} {port['version']}"
    target = given.into.resolve() / folder.parent.name / folder.name
    failed, why = install(given.gallery, folder, port, target)
    if failed:
        return failed, [f"NOT JUDGED: {name}, because {why}"], None
    if watched.is_watched(port):
        return *judge_watched(given, folder, port, target), None
    cases, results = ["--cases", given.cases] if given.cases else [], target.with_name(f"{target.name}.jsonl")
    if given.page:
        results.unlink(missing_ok=True)
        cases += ["--results", str(results)]
    report, now, against, certified = judge_once(given.bin, port, target, "whole range", cases)
    kept = results if given.page and results.is_file() else None  # none where it did not even start
    if of_the_verdict(now) and ordinary_words(port):
        words = [*ordinary_words(port), "--cases", given.cases or ORDINARY_CASES]
        _, first, *said = judge_once(given.bin, port, target, "ordinary settings", words)
        now["ordinary"] = {name: first[name] for name in ("verdict", "grade", "broken")}
        against, certified = against + said[0], certified + said[1]
    lines, verdict = [text_of(port, now, certified)], verdict_of(folder, port, report)
    if against:
        return DIFFERENT, [*lines, "  NOT CERTIFIED", *(f"    {line}" for line in against)], kept
    if given.record:
        record(folder, now, verdict)
    unlike = unlike_report(folder, port, target) if of_the_verdict(now) else []
    if unlike:
        return DIFFERENT, [*lines, UNLIKE, *(f"    {line}" for line in unlike)], kept
    if given.record:
        return AS_RECORDED, lines, kept
    was = recorded_finding(folder) or {"broken": []}
    found = list(differences(was, now, lambda token: oracle(given.bin, port, target, *replay_words(port, token))))
    found += [f"version {now['version']} where {port['version']} is pinned"] if now["version"] != port["version"] else []
    found += verdict_differences(folder, verdict, now["grade"]) if not given.cases else []
    return (DIFFERENT, [*lines, "  NOT AS RECORDED", *(f"    {line}" for line in found)], kept) if found else (AS_RECORDED, lines, kept)


if __name__ == "__main__":
    sys.exit(main())
