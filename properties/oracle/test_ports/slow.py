"""Ports that take their time: slow.py NAME SECONDS, which each history takes."""
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import full_jitter


class CapAfterJitter(full_jitter.Cycle):
    """Draws from a window that has no cap, and cuts what it has drawn."""

    def delay(self, step: full_jitter.Fields) -> int:
        return min(int(step["draw"]) % ((self.base << min(self.granted, 40)) + 1), self.cap)


class Right(full_jitter.Port):
    about = {"max_batch": 256}

    def steps(self, case: full_jitter.Fields) -> list[full_jitter.Fields]:
        time.sleep(float(sys.argv[2]))
        return super().steps(case)


class Wrong(Right):
    cycle = CapAfterJitter


if __name__ == "__main__":
    {"right": Right, "wrong": Wrong}[sys.argv[1]]().serve()
