"""What the tests of coverage/mutate share."""
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[1]


def mutate(*words: str | pathlib.Path) -> tuple[int, str]:
    """The exit status, and all that it prints."""
    done = subprocess.run([ROOT / "coverage/mutate", *words], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr
