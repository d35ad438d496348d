#!/usr/bin/python3
"""Judges ports and compares each verdict, to the byte, with the one that the repository records.

A folder with a port.json (what, system, command) is a recorded port; verdict.txt beside it is what the oracle said of it,
its exit code on the last line. backoff-certify judges each verdict again, from its certificate. A port that starts to
conform is a difference like any other. --record writes the verdicts anew: read the change before you commit it. Packages
that must be installed first have a finding.json instead, and gallery/gallery.py judges them.

Usage: properties/ports/recorded.py --bin DIR [--record] [--quiet] [FOLDER…]      from the root of the repository
Exit: 0 all as recorded, 1 a difference or a verdict that is not certified, 2 usage.
"""
import argparse
import difflib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PORT_BROKE = 3
NAMED_BIN = "build/release/bin"  # what replay lines show, whichever build is under test


def judge(folder: pathlib.Path, bin_dir: str) -> tuple[str, str, str, list[str]]:
    """The oracle's words on the port in that folder, with the exit code as the last line, and what backoff-certify has against it."""
    port = json.loads((folder / "port.json").read_text())
    command = [word.replace("{bin}", bin_dir) for word in port["command"]]
    with tempfile.TemporaryDirectory() as scratch:
        certificate = pathlib.Path(scratch) / "certificate"
        done = subprocess.run([f"{bin_dir}/backoff-oracle", "check", port["system"], "--certificate", certificate, "--", *command],
                              cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        against, _ = certify(certificate, done.returncode)
    return f"{done.stdout}{done.stderr}".replace(bin_dir, NAMED_BIN), f"exit: {done.returncode}\n", port["what"], against


def certify(certificate: pathlib.Path, code: int) -> tuple[list[str], list[str]]:
    """(what backoff-certify has against a verdict that ended with this code, what it did not recompute); lines"""
    if code == PORT_BROKE and not certificate.is_file():
        return [], []  # it did not start: there is no answer to judge
    done = subprocess.run([sys.executable, ROOT / "properties/certify/backoff-certify", certificate], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False)
    against = [*done.stderr.splitlines(), f"certified with exit code {done.returncode}, judged with {code}"]
    return [] if done.returncode == code else against, [line.strip() for line in done.stdout.splitlines() if "not recomputed" in line]


def show(title: str, text: str) -> None:
    print(f"{'=' * 100}\n{title}\n{'=' * 100}\n{text}", flush=True)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--bin", required=True, help="where backoff-oracle and backoff-port are")
    options.add_argument("--record", action="store_true", help="write the verdicts instead of comparing them")
    options.add_argument("--quiet", action="store_true", help="print differences only")
    options.add_argument("folders", nargs="*", type=pathlib.Path)
    given = options.parse_args()
    bin_dir = os.path.relpath(given.bin, ROOT)
    folders = given.folders or sorted(p.parent for p in (ROOT / "properties/ports").glob("**/port.json")
                                      if (p.parent / "verdict.txt").is_file() or not (p.parent / "finding.json").is_file())
    different: list[str] = []
    uncertified: list[str] = []
    for folder in folders:
        if not (folder / "port.json").is_file():
            sys.exit(f"recorded.py: {folder}: expected a folder with a port.json")
        text, ending, what, against = judge(folder, bin_dir)
        record = folder / "verdict.txt"
        if not given.quiet:
            show(what, text)
        if against:
            uncertified.append(folder.name)
            print(*against, sep="\n")
        if given.record and not against:
            record.write_text(text + ending)
            continue
        expected = record.read_text() if record.is_file() else ""
        if text + ending != expected:
            different.append(folder.name)
            sys.stdout.writelines(difflib.unified_diff(expected.splitlines(True), (text + ending).splitlines(True),
                                                       f"{folder.name} as recorded", f"{folder.name} now"))
    if different or uncertified:
        print(f"{len(folders)} ports judged" + (f"; not as recorded: {', '.join(different)}" if different else "") +
              (f"; not certified: {', '.join(uncertified)}" if uncertified else ""))
        return 1
    print(f"{len(folders)} ports judged; every verdict is the one {'written' if given.record else 'recorded'}, and is certified")
    return 0


if __name__ == "__main__":
    sys.exit(main())
