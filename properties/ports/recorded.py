#!/usr/bin/python3
"""Judges ports and compares each verdict, to the byte, with the one that the repository records.

A folder with a port.json (what, system, command) is a recorded port; verdict.txt beside it is what the oracle said of it,
its exit code on the last line. A port that starts to conform is a difference like any other. --record writes the
verdicts anew: read the change before you commit it. Packages that must be installed first have a finding.json instead,
and gallery/gallery.py judges them.

Usage: properties/ports/recorded.py --bin DIR [--record] [--quiet] [FOLDER…]      from the root of the repository
Exit: 0 all as recorded, 1 a difference, 2 usage.
"""
import argparse
import difflib
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMED_BIN = "build/release/bin"  # what replay lines show, whichever build is under test


def judge(folder: pathlib.Path, bin_dir: str) -> tuple[str, str, str]:
    """The oracle's words on the port in that folder, with the exit code as the last line."""
    port = json.loads((folder / "port.json").read_text())
    command = [word.replace("{bin}", bin_dir) for word in port["command"]]
    done = subprocess.run([f"{bin_dir}/backoff-oracle", "check", port["system"], "--", *command], cwd=ROOT,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    return f"{done.stdout}{done.stderr}".replace(bin_dir, NAMED_BIN), f"exit: {done.returncode}\n", port["what"]


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
    different = []
    for folder in folders:
        if not (folder / "port.json").is_file():
            sys.exit(f"recorded.py: {folder}: expected a folder with a port.json")
        text, ending, what = judge(folder, bin_dir)
        record = folder / "verdict.txt"
        if not given.quiet:
            show(what, text)
        if given.record:
            record.write_text(text + ending)
            continue
        expected = record.read_text() if record.is_file() else ""
        if text + ending != expected:
            different.append(folder.name)
            sys.stdout.writelines(difflib.unified_diff(expected.splitlines(True), (text + ending).splitlines(True),
                                                       f"{folder.name} as recorded", f"{folder.name} now"))
    if different:
        print(f"{len(folders)} ports judged; not as recorded: {', '.join(different)}")
        return 1
    print(f"{len(folders)} ports judged; every verdict is the one {'written' if given.record else 'recorded'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
