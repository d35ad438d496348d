#!/usr/bin/python3
"""Real packages, judged through the protocol: installs each, holds it to its document, compares with what is recorded.

A folder LANGUAGE/NAME is a package. port.json beside its adapter says which one, which system it is held to, how it is
installed (install/KIND, into the build folder, from the pins in its folder) and how the adapter is called;
finding.json is what the oracle found. A package that starts to conform is a difference like any other. --record writes
the findings anew: read the change before you commit it. gallery_test.py checks this program.

Usage: properties/ports/gallery/gallery.py --bin DIR --into DIR [--record] [--page FILE.html] [--cases N] [FOLDER…]    from the root
       properties/ports/gallery/gallery.py --table                                     the recorded findings, for the README
--page keeps what each package answered beside where it is installed, and writes a page of all of them.
Exit: 0 every package judged, as recorded; 1 a difference; 2 usage; 3 a package could not be installed; 4 only because
its registry could not be reached. Whatever was not judged is named. Where several apply: 2, 1, 3, 4, 0.
"""
import argparse
import difflib
import hashlib
import json
import pathlib
import shutil
import subprocess
import sys

GALLERY = pathlib.Path(__file__).resolve().parent
ROOT = GALLERY.parents[2]
PINS = ("package.json", "package-lock.json", "requirements.txt", "pom.xml", "lock.sha256")
AS_RECORDED, DIFFERENT, USAGE, NOT_INSTALLED, UNREACHABLE = range(5)
INSTALLER_SAYS = {69: NOT_INSTALLED, 75: UNREACHABLE}  # EX_UNAVAILABLE: a tool is absent; EX_TEMPFAIL: the registry is


def install(gallery, folder, port, target):
    """Installs what the folder pins, unless it is there already: (0, '') or (how it failed, why)."""
    pins = b"".join((folder / name).read_bytes() for name in PINS if (folder / name).is_file())
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


def oracle(bin_dir, port, target, *words):
    """The report of check or replay, as JSON."""
    command = [word.replace("{installed}", str(target)) for word in port["command"]]
    done = subprocess.run([f"{bin_dir}/backoff-oracle", *words, "--format", "json", "--timeout", "60", "--", *command],
                          cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return json.loads(done.stdout) if done.stdout else {"verdict": done.stderr.strip(), "port": {}}


def by_version(entry):
    """Those of a system together, older versions first: the page says what changed from one version of a port to the next."""
    port, _ = entry
    parts = port["version"].replace("-", ".").split(".")
    return port["system"], [(part.isdigit(), int(part) if part.isdigit() else part) for part in parts], port["package"]


def write_page(bin_dir, page, judged):
    """A page of what was judged: (port, its results)…; why there is none."""
    files = [str(results) for _, results in sorted(judged, key=by_version)]
    if not files:
        return "nothing was judged"
    done = subprocess.run([f"{bin_dir}/backoff-oracle", "report", *files, "-o", str(page)], cwd=ROOT, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)
    return done.stderr.strip()


def broken_claims(report):
    return {claim["name"]: claim["strength"] for claim in report.get("claims", []) if not claim["holds"]}


def finding_of(report):
    """What is recorded of a report: no count, which every change of a generator would change."""
    shown = {finding["claim"]: finding["token"] for finding in report.get("findings", [])}
    return {"version": report["port"].get("version"), "verdict": report["verdict"], "grade": report.get("grade"),
            "readings": {r["name"]: " or ".join(r["left"]) for r in report.get("readings", []) if r["left"]},
            "broken": [{"claim": claim, "strength": strength, "shown_by": shown.get(claim)}
                       for claim, strength in broken_claims(report).items()]}


def differences(was, now, replay):
    """Lines that say how the finding differs. Other histories may show the same: the recorded ones must still break something."""
    def lines(finding):
        plain = {**finding, "broken": [{**b, "shown_by": bool(b["shown_by"])} for b in finding["broken"]]}
        return json.dumps(plain, indent=1).splitlines()
    yield from list(difflib.unified_diff(lines(was), lines(now), "recorded", "now", lineterm="", n=0))[2:]
    for b in was["broken"]:
        if b["shown_by"] and not broken_claims(replay(b["shown_by"])):
            yield f"{b['claim']}: no longer broken by {b['shown_by']}"


def notes(port, finding):
    """What there is to say of a verdict: the histories that break claims, the readings that are not the canonical ones."""
    catalogue = json.loads((ROOT / "spec/requirements" / f"{port['system']}.json").read_text())
    canonical = {(r["name"], a["name"]) for r in catalogue["readings"] for a in r["alternatives"] if a["standing"] == "canonical"}
    chosen = [f"{name} {left}" for name, left in finding["readings"].items() if (name, left) not in canonical]
    if chosen:
        yield ", ".join(chosen)
    for b in finding["broken"]:
        token = (b["shown_by"] or "").removeprefix(f"{port['system']}/")
        if b["strength"] != "must":
            yield f"`{b['claim']}` ({b['strength']})"
        else:
            yield f"`{b['claim']}` by `{token}`" if token else f"`{b['claim']}` too"


def text_of(port, finding):
    title = f"{port['package']} {port['version']} ({port['registry']}), {port['system']}: {finding['verdict']}, grade {finding['grade']}"
    return "\n    ".join([title, *(note.replace("`", "") for note in notes(port, finding))])


def table(entries):
    print("| package | held to | what it says of itself | verdict | how, or by what |\n|---|---|---|---|---|")
    for folder, port in entries:
        finding = json.loads((folder / "finding.json").read_text())
        print(f"| {port['package']} {port['version']} ({port['registry']}) | `{port['system']}` | {port['says_of_itself']} "
              f"| {finding['verdict']}, {finding['grade']} | {'; '.join(notes(port, finding))} |")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--bin", help="where backoff-oracle is")
    options.add_argument("--into", type=pathlib.Path, help="where packages are installed")
    options.add_argument("--record", action="store_true", help="write the findings instead of comparing them")
    options.add_argument("--table", action="store_true", help="print the recorded findings and judge nothing")
    options.add_argument("--page", type=pathlib.Path, help="write a page of HTML too")
    options.add_argument("--cases", help="how many histories, as for check; recorded is what the default finds")
    options.add_argument("--gallery", type=pathlib.Path, default=GALLERY)
    options.add_argument("folders", nargs="*", type=pathlib.Path)
    given = options.parse_args()
    folders = given.folders or [path.parent for path in given.gallery.glob("*/*/port.json")]
    entries = [(folder, json.loads((folder / "port.json").read_text())) for folder in sorted(folders)]
    if not entries or not (given.table or given.bin and given.into):
        options.error("expected packages, and --table, or --bin and --into")
    if given.table:
        table(entries)
        return AS_RECORDED
    different, absent, judged = [], [], []
    for folder, port in entries:
        name, record = f"{port['package']} {port['version']}", folder / "finding.json"
        target = given.into.resolve() / folder.parent.name / folder.name
        failed, why = install(given.gallery, folder, port, target)
        if failed:
            print(f"{why}; {name} not judged", flush=True)
            absent.append((failed, name))
            continue
        cases = ["--cases", given.cases] if given.cases else []
        if given.page:
            results = target.with_name(f"{target.name}.jsonl")
            results.unlink(missing_ok=True)
            cases += ["--results", str(results)]
        now = finding_of(oracle(given.bin, port, target, "check", port["system"], *cases))
        print(text_of(port, now), flush=True)
        if given.page and results.is_file():  # a port that did not even start leaves none
            judged.append((port, results))
        if given.record:
            record.write_text(json.dumps(now, indent=2) + "\n")
            continue
        was = json.loads(record.read_text()) if record.is_file() else {"broken": []}
        found = list(differences(was, now, lambda token: oracle(given.bin, port, target, "replay", token)))
        found += [f"version {now['version']} where {port['version']} is pinned"] if now["version"] != port["version"] else []
        if found:
            different.append(name)
            print("  NOT AS RECORDED", *found, sep="\n    ", flush=True)
    if given.page and (why := write_page(given.bin, given.page.resolve(), judged)):
        print(f"no page: {why}")
        return USAGE
    worst = DIFFERENT if different else min((failed for failed, _ in absent), default=AS_RECORDED)
    said = f"gallery: {len(entries) - len(absent)} of {len(entries)} packages judged"
    said += f"; not as recorded: {', '.join(different)}" if different else "; every finding is the one " + \
        ("written" if given.record else "recorded")
    print(said + (f"; not judged: {', '.join(name for _, name in absent)}" if absent else ""))
    return worst


if __name__ == "__main__":
    sys.exit(main())
