"""What the tests of coverage/mutate share."""
import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[1]


def mutate(*words: str | pathlib.Path) -> tuple[int, str]:
    """The exit status, and all that it prints."""
    done = subprocess.run([ROOT / "coverage/mutate", *words], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def lists(build: pathlib.Path, specs: dict[str, list[str]]) -> None:
    """A program of the build that lists the requirements of the system tiny, with the specs that check each."""
    listed = {"systems": [{"name": "tiny", "claims": ["never_late"],
                           "requirements": [{"id": name, "checks": ["never_late", *checks]} for name, checks in specs.items()]}]}
    (build / "bin").mkdir(parents=True, exist_ok=True)
    (build / "bin/backoff-oracle").write_text(f"#!/bin/sh\ncat <<'END'\n{json.dumps(listed)}\nEND\n")
    (build / "bin/backoff-oracle").chmod(0o755)
