#!/usr/bin/python3
"""Real packages, judged through the protocol: installs each, holds it to its document, compares with what is recorded.

A folder LANGUAGE/NAME is a package. port.json beside its adapter says which one, which system it is held to, how it is
installed (install/KIND, into the build folder, from the pins in its folder) and how the adapter is called;
finding.json is what the oracle found. A package that starts to conform is a difference like any other. --record writes
the findings anew: read the change before you commit it. gallery_test.py checks this program.

Usage: properties/ports/gallery/gallery.py --bin DIR --into DIR [--record] [--page FILE.html] [--cases N] [--language NAME]… [FOLDER…]
       properties/ports/gallery/gallery.py --table                                     the recorded findings, for the README
       properties/ports/gallery/gallery.py --findings                                  the same one by one: FINDINGS.md
From the root of the repository. --page keeps what each package answered beside where it is installed, and writes a page of all.
Exit: 0 every package judged, as recorded; 1 a difference; 2 usage; 3 a package could not be installed; 4 only because
its registry could not be reached. Whatever was not judged is named. Where several apply: 2, 1, 3, 4, 0.
"""
import argparse
import concurrent.futures
import difflib
import hashlib
import json
import pathlib
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

GALLERY = pathlib.Path(__file__).resolve().parent
ROOT = GALLERY.parents[2]
PINS = ("package.json", "package-lock.json", "requirements.txt", "pom.xml", "lock.sha256", "Cargo.toml", "Cargo.lock", "go.mod", "go.sum")
COMPILED = {"cargo": "*.rs", "go": "*.go", "maven": "*.java"}  # by what installs: the sources of an adapter that it builds too
LANGUAGES = {"python": "Python", "javascript": "JavaScript", "java": "Java", "rust": "Rust", "go": "Go", "c": "C", "cpp": "C++"}
Json = dict[str, Any]
Entry = tuple[pathlib.Path, Json]  # the folder of a package, and its port.json
Judged = tuple[Json, pathlib.Path]  # a port.json, and the results
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
    return report


def by_version(entry: Judged) -> Any:
    """Those of a system together, older versions first: the page says what changed from one version of a port to the next."""
    port, _ = entry
    parts = port["version"].replace("-", ".").split(".")
    return port["system"], [(part.isdigit(), int(part) if part.isdigit() else part) for part in parts], port["package"]


def write_page(bin_dir: pathlib.Path, page: pathlib.Path, judged: list[Judged]) -> str:
    """A page of what was judged: (port, its results)…; why there is none."""
    files = [str(results) for _, results in sorted(judged, key=by_version)]
    if not files:
        return "nothing was judged"
    done = subprocess.run([f"{bin_dir}/backoff-oracle", "report", *files, "-o", str(page)], cwd=ROOT, stdin=subprocess.DEVNULL,
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


def differences(was: Json, now: Json, replay: Callable[[str], Json]) -> Iterator[str]:
    """Lines that say how the finding differs. Other histories may show the same: the recorded ones must still break something.
    Of samples chance decides which test is the first to refute: it is one finding, whichever of the claims about draws it names."""
    def plain(b: Json) -> Json:
        return {"claim": "(its draws)" if by_samples(b) else b["claim"], "strength": b["strength"], "shown": bool(b["shown_by"]),
                "hazard": b.get("hazard")}

    def lines(finding: Json) -> list[str]:
        return json.dumps({**finding, "broken": [plain(b) for b in finding["broken"]]}, indent=1).splitlines()
    yield from list(difflib.unified_diff(lines(was), lines(now), "recorded", "now", lineterm="", n=0))[2:]
    for b in was["broken"]:
        if b["shown_by"] and not broken_claims(replay(b["shown_by"])):
            yield f"{b['claim']}: no longer broken by {b['shown_by']}"


def catalogue(system: str) -> Json:
    read: Json = json.loads((ROOT / "spec" / system / "catalogue.json").read_text())
    return read


def chosen(port: Json, finding: Json) -> list[str]:
    """The readings that explain it and are not the canonical ones."""
    canonical = {(r["name"], a["name"]) for r in catalogue(port["system"])["readings"] for a in r["alternatives"]
                 if a["standing"] == "canonical"}
    return [f"{name} {left}" for name, left in finding["readings"].items() if (name, left) not in canonical]


def of_the_verdict(finding: Json) -> list[Json]:
    """What the verdict rests on: what the document demands, or where nothing of that is broken the interface that ports share."""
    broken = {strength: [b for b in finding["broken"] if b["strength"] == strength] for strength in ("must", "interface")}
    return broken["must"] or broken["interface"]


def plain_token(port: Json, b: Json) -> str:
    return (b["shown_by"] or "").removeprefix(f"{port['system']}/")


def text_of(port: Json, finding: Json) -> str:
    """A finding, as the person who runs this reads it."""
    lines = [f"{port['package']} {port['version']} ({port['registry']}), {port['system']}: {finding['verdict']}, grade {finding['grade']}"]
    lines += [", ".join(chosen(port, finding))] if chosen(port, finding) else []
    for b in finding["broken"]:
        by = f" by {plain_token(port, b)}" if b["shown_by"] else " by many draws" if by_samples(b) else " too"
        lines.append(b["claim"] + (by if b["strength"] == "must" else f" ({b['strength']})"))
    return "\n    ".join(lines)


def table(entries: list[Entry]) -> None:
    print("| package | version | language | document | grade | verdict | readings | smallest violating history |\n"
          "|---|---|---|---|---|---|---|---|")
    for folder, port in entries:
        finding = json.loads((folder / "finding.json").read_text())
        violations = of_the_verdict(finding)
        tokens = sorted((plain_token(port, b) for b in violations if b["shown_by"]), key=len)
        many = bool(violations)
        print(f"| {port['package']} ({port['registry']}) | {port['version']} | {LANGUAGES.get(folder.parent.name, folder.parent.name)} "
              f"| `{port['system']}` | {finding['grade']} | {finding['verdict']} | {', '.join(chosen(port, finding))} "
              f"| {f'`{tokens[0]}`' if tokens else 'many draws together' if many else ''} |")


def findings(entries: list[Entry]) -> None:
    """Every violation: what the document says, what the package does, what it means for its users, and the line that replays it."""
    print(FINDINGS_HEAD)
    for folder, port in entries:
        finding = json.loads((folder / "finding.json").read_text())
        system = catalogue(port["system"])
        words = {r["id"]: r for r in system["requirements"]}
        hazards = {f"{r['name']}={a['name']}" for r in system["readings"] for a in r["alternatives"] if a["standing"] == "hazard"}
        violations = of_the_verdict(finding)
        print(f"\n## {port['package']} {port['version']} ({port['registry']})\n\n"
              f"Tested against `{port['system']}`, grade {finding['grade']}: "
              f"{finding['verdict']}. Its documentation says: {port['says_of_itself']}.")
        command = shlex.join(word.replace("{installed}", f"build/release/gallery/{folder.parent.name}/{folder.name}")
                             for word in port["command"])
        for b in (b for b in violations if "requirement" in b):
            said = words[b["requirement"]]
            hazard = [name for name in b["hazard"] if name in hazards]
            print(f"\n**`{b['claim']}`**" + (f", a hazard: {', '.join(hazard)} would allow it" if hazard else "") + "\n")
            print(f"- The document ({b['requirement']}): {said['text']}")
            print(f"- The package: {does(port, b)}")
            print(f"- For its users: {port['consequences'][b['claim']]}")
            by = f"replay {shlex.quote(b['shown_by'])}" if b["shown_by"] else f"check {port['system']}"
            print(f"- Again: `build/release/bin/backoff-oracle {by} -- {command}`")
        also = [f"`{b['claim']}`" for b in violations if "requirement" not in b]
        beyond = [f"`{b['claim']}`" for b in finding["broken"] if b["strength"] == "interface" and b not in violations]
        reported = [f"`{b['claim']}` ({b['strength']})" for b in finding["broken"] if b["strength"] == "recommended"]
        if also:
            print(f"\nAlso broken by the same fault: {', '.join(also)}.")
        if beyond:
            print(f"\nAlso broken in the interface that ports share: {', '.join(beyond)}.")
        if reported:
            print(f"\nReported, but not a violation: {', '.join(reported)}.")
        if not violations and chosen(port, finding):
            print(f"\nOpen readings that it follows, which are not findings: {', '.join(chosen(port, finding))}.")


def does(port: Json, b: Json) -> str:
    if not b["shown_by"]:
        return "many of its draws together show this, and no single history does."
    return f"call {b['step']} of `{plain_token(port, b)}` is answered `{b['answered']}`, where `{b['admitted']}` is admitted."


FINDINGS_HEAD = """# Findings in published packages

This page lists every violation that the [gallery](gallery/README.md) records, by package: what the document says, what the package does, \
the
smallest history that shows it, and what it means for the users of the package. A package need not claim to follow the document that it
is tested against; each section quotes what its documentation says. An open reading is not a finding. A *hazard* is a reading that the
document allows although it causes a fault.

`properties/ports/gallery/gallery.py --findings` generates this page, and `gallery_test.py` compares it. Run the commands under *Again* \
from the
root of the repository, after `cmake --workflow --preset gallery`. If a package draws for itself, they show other numbers."""


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--bin", help="where backoff-oracle is")
    options.add_argument("--into", type=pathlib.Path, help="where packages are installed")
    options.add_argument("--record", action="store_true", help="write the findings instead of comparing them")
    options.add_argument("--table", action="store_true", help="print the recorded findings and judge nothing")
    options.add_argument("--findings", action="store_true", help="print them one by one, and judge nothing")
    options.add_argument("--language", action="append", default=[], help="only packages of this language; may be repeated")
    options.add_argument("--jobs", type=int, default=2, help="how many packages at once")
    options.add_argument("--page", type=pathlib.Path, help="write a page of HTML too")
    options.add_argument("--cases", help="how many histories, as for check; recorded is what the default finds")
    options.add_argument("--gallery", type=pathlib.Path, default=GALLERY)
    options.add_argument("folders", nargs="*", type=pathlib.Path)
    given = options.parse_args()
    folders = given.folders or [path.parent for path in given.gallery.glob("*/*/port.json")]
    entries = [(folder, json.loads((folder / "port.json").read_text())) for folder in sorted(folders)
               if not given.language or folder.parent.name in given.language]
    if not entries or not (given.table or given.findings or (given.bin and given.into)):
        options.error("expected packages, and --table, --findings, or --bin and --into")
    if given.table or given.findings:
        (table if given.table else findings)(entries)
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


def judge(given: argparse.Namespace, folder: pathlib.Path, port: Json) -> tuple[int, list[str], pathlib.Path | None]:
    """Installs and judges a package: (how it failed or 0, what to say, its results if they are kept)."""
    name, record = f"{port['package']} {port['version']}", folder / "finding.json"
    target = given.into.resolve() / folder.parent.name / folder.name
    failed, why = install(given.gallery, folder, port, target)
    if failed:
        return failed, [f"NOT JUDGED: {name}, because {why}"], None
    cases, results = ["--cases", given.cases] if given.cases else [], target.with_name(f"{target.name}.jsonl")
    if given.page:
        results.unlink(missing_ok=True)
        cases += ["--results", str(results)]
    now = finding_of(oracle(given.bin, port, target, "check", port["system"], *cases))
    lines, kept = [text_of(port, now)], results if given.page and results.is_file() else None  # none where it did not even start
    if given.record:
        record.write_text(json.dumps(now, indent=2) + "\n")
        return AS_RECORDED, lines, kept
    was = json.loads(record.read_text()) if record.is_file() else {"broken": []}
    found = list(differences(was, now, lambda token: oracle(given.bin, port, target, "replay", token)))
    found += [f"version {now['version']} where {port['version']} is pinned"] if now["version"] != port["version"] else []
    return (DIFFERENT, [*lines, "  NOT AS RECORDED", *(f"    {line}" for line in found)], kept) if found else (AS_RECORDED, lines, kept)


if __name__ == "__main__":
    sys.exit(main())
