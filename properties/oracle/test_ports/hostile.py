"""A port that turns hostile as a seed says: hostile.py SEED BACKOFF_PORT LIVES [--without N,…] [MARK].

It passes on what a right port answers, and makes trouble now and then: some of its answers wrong, or all from one history on, other
ones whenever it is asked, or since it was started again; late, silent, dead, garbled, huge; a lie in its answer to `start`. How often
it was started is the size of LIVES. `--without` leaves out troubles by their numbers, to find the one that matters;
`describe(seed)` names them.
"""
import hashlib
import io
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any, NoReturn

from foreign_texts import ALL

Result = dict[str, Any]  # a message's fields, or an answer's to a history

NUMBERS: list[Any] = ["0", "-1", "1", "1.5", "4294967296", "18446744073709551616", "1e300", "-1e-300", "1e999999999", "NaN", "-Infinity",
                      None, True, [], {}, "", "soon", 7, 2.5, "9" * 400, "0" * 20 + "1", "0." + "3" * 300]
RESULTS: list[Any] = [{"rejected": "no"}, {"rejected": ALL}, {"skipped": "no"}, {"skipped": "x" * 100_000}, {"error": ALL}, {}, [],
                      None, {"steps": {}}, {"steps": []}, {"steps": [], "rejected": "both"}]
LINES = [b"", b"{", b"nonsense", b"\xff\xfe\n", b"null\n", b"[]\n", b"{}\n", b"\0\n", b'{"id":1}\n',
         b"[" * 100_000 + b"]" * 100_000 + b"\n",
         b" " * (17 << 20), b"[" + b"0," * 2_000_000 + b"0]\n", b'{"error":"\x1b[2J"}\n']
LIES: list[Result] = [
    {"draws": "opaque"}, {"draws": "injected"}, {"draw_kind": "unit"}, {"draw_kind": "rand", "rand_max": "7"}, {"draw_kind": "dice"},
    {"mapping": "modulo"}, {"mapping": ALL}, {"max_batch": 1}, {"max_batch": 0}, {"max_batch": 10 ** 9}, {"max_line": 100},
    {"max_line": 10_000}, {"protocol": 2}, {"systems": []}, {"features": []},
    {"features": ["state", "live", "faults", "nulls", "instances"]},
    {"features": "all"}, {"ranges": {"max_attempts": ["1", "2"], "base_ms": ["1", "9"]}}, {"ranges": {"base_ms": ["5", "4"]}},
    {"port": {"name": ALL, "version": ALL, "language": ALL}}, {"port": {"name": "x" * 10_000_000}}, {"port": 7},
    {"unknown": [0] * 100_000}, {"error": ALL}]


def rarely(chance: random.Random) -> float:
    return chance.choice([1, 1, 0.3, 0.03, 0.003, 0.001])


class Trouble:
    """What is done, and when: from one history of the process on, with a probability, in which of its lives."""

    def __init__(self, chance: random.Random) -> None:
        self.does = chance.choice([*[wrong_number] * 5, wrong_word, wrong_result, wrong_length, stale, shuffled,
                                   wrong_line, late, silent, dies, shouts])
        self.choice = chance.random()
        self.begins = int(10 ** chance.uniform(0, 4.3)) if chance.random() < 0.5 else 0
        self.ends = self.begins + int(10 ** chance.uniform(0, 4)) if chance.random() < 0.2 else 10 ** 9
        self.often = rarely(chance)
        self.depends = chance.choice(["history", "process", "nothing"])  # on what its randomness depends
        self.lives = chance.choice(["all", "all", "all", "first", "later", "odd"])

    def __str__(self) -> str:
        return (f"{self.does.__name__}, one in {1 / self.often:.0f}, histories {self.begins}..{self.ends}, "
                f"random by {self.depends}, in {self.lives} lives")

    def lives_in(self, life: int) -> bool:
        return {"all": True, "first": life == 1, "later": life > 1, "odd": life % 2 == 1}[self.lives]

    def chance(self, port: "Port", case: Result) -> random.Random | None:
        """The random numbers of this trouble for this history, where it strikes."""
        if not self.lives_in(port.life) or not self.begins <= port.seen < self.ends:
            return None
        if self.depends == "history":
            chance = random.Random(hashlib.sha256(f"{self.choice} {json.dumps(case, sort_keys=True)}".encode()).digest())
        else:
            chance = port.own if self.depends == "process" else random.SystemRandom()
        return chance if chance.random() < self.often else None


def wrong_number(chance: random.Random, trouble: Trouble, port: "Port", result: Result) -> Any:
    steps = [s for s in result.get("steps", []) if isinstance(s, dict)]
    fields = [(s, name) for s in steps for name, text in s.items() if isinstance(text, str) and text.lstrip("-")[:1].isdigit()]
    if fields:
        step, name = chance.choice(fields)
        near = [str(int(step[name]) + by) for by in (-1, 1, 1000)] if step[name].lstrip("-").isdigit() else ["7"]
        step[name] = random.Random(trouble.choice).choice([*near, *near, *NUMBERS])
    return result


def wrong_word(chance: random.Random, trouble: Trouble, port: "Port", result: Result) -> Any:
    steps = [s for s in result.get("steps", []) if isinstance(s, dict) and s]
    if steps:
        step = chance.choice(steps)
        step[next(iter(step))] = random.Random(trouble.choice).choice(
            ["retry", "exhausted", "ok", "error", "null", "perhaps", True, False, "1", None])
        step["why"] = ALL
    return result


def wrong_result(_chance: random.Random, trouble: Trouble, _port: "Port", _result: Result) -> Any:
    return random.Random(trouble.choice).choice(RESULTS)


def wrong_length(_chance: random.Random, trouble: Trouble, _port: "Port", result: Result) -> Any:
    steps = result.get("steps", [])
    return {"steps": steps[:-1] if trouble.choice < 0.5 else steps * 2}


def stale(_chance: random.Random, _trouble: Trouble, port: "Port", result: Result) -> Any:
    return port.before or result


def shuffled(chance: random.Random, _trouble: Trouble, _port: "Port", result: Result) -> Any:
    chance.shuffle(result.get("steps", []))
    return result


def wrong_line(_chance: random.Random, trouble: Trouble, port: "Port", _result: Result) -> None:
    line = random.Random(trouble.choice).choice(LINES)
    os.write(1, line)
    if not line.endswith(b"\n"):
        os._exit(0)
    port.muted = True


def late(_chance: random.Random, trouble: Trouble, _port: "Port", result: Result) -> Any:
    time.sleep(0.6 * trouble.choice)
    return result


def silent(*_: object) -> NoReturn:
    time.sleep(1000)
    sys.exit("nobody ended it")


def dies(_chance: random.Random, trouble: Trouble, _port: "Port", _result: Result) -> NoReturn:
    if trouble.choice < 0.7:
        os.kill(os.getpid(), random.Random(trouble.choice).choice([signal.SIGKILL, signal.SIGABRT, signal.SIGSEGV, signal.SIGTERM]))
    os._exit(int(trouble.choice * 10))


def shouts(_chance: random.Random, trouble: Trouble, _port: "Port", result: Result) -> Any:
    sys.stderr.write(ALL * int(1 + trouble.choice * 10_000))
    return result


WRONG = {wrong_number, wrong_word, wrong_result, wrong_length, stale, shuffled}
BEHAVIOURS = ["wrong", "wrong from a history on", "wrong after a restart", "wrong in one of 300 or fewer", "wrong in another way each time",
              "late", "silent", "dies", "garbled", "huge", "shouts", "lies"]


def behaviours(trouble: Trouble) -> set[str]:
    """Which of BEHAVIOURS a trouble shows."""
    if trouble.does is wrong_line:
        return {"huge" if len(random.Random(trouble.choice).choice(LINES)) > 100_000 else "garbled"}
    if trouble.does not in WRONG:
        return {trouble.does.__name__}
    further = {"wrong from a history on": trouble.begins > 0, "wrong after a restart": trouble.lives == "later",
               "wrong in one of 300 or fewer": trouble.often <= 0.003, "wrong in another way each time": trouble.depends == "nothing"}
    return {"wrong", *(name for name, shown in further.items() if shown)}


def ignores_sigterm() -> NoReturn:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    silent()


def hangs_up() -> NoReturn:
    os.close(1)
    silent()


def ends(chance: random.Random) -> Callable[[], object] | None:
    """What it does when it is told to stop: mostly what it should."""
    return chance.choice([*[None] * 6, lambda: os._exit(7), os.abort, silent, ignores_sigterm, hangs_up])


class Plan:
    """All that a seed decides."""

    def __init__(self, seed: int) -> None:
        chance = random.Random(seed)
        self.draws = chance.choice([[], [], ["--draws", "random", "1"]])
        self.lies = [(chance.choice(LIES), chance.choice(["all", "later", "later"])) for _ in range(chance.choice([0, 0, 0, 1]))]
        self.troubles = [Trouble(chance) for _ in range(chance.choice([0, 1, 1, 2, 3]))]
        self.ends = ends(chance)
        self.batch = chance.choice([None, 1, 7])

    def behaviours(self) -> set[str]:
        return set().union(*map(behaviours, self.troubles), {"lies"} if self.lies else ())


def described(seed: int) -> list[str]:
    plan = Plan(seed)
    return [f"draws {'hidden' if plan.draws else 'given'}, batch {plan.batch}, {'does not stop as it should' if plan.ends else 'stops'}",
            *(f"{lives}: says {str(lie)[:80]}" for lie, lives in plan.lies),
            *(f"{n}: {trouble}" for n, trouble in enumerate(plan.troubles))]


class Port:
    def __init__(self, seed: int, program: str, lives: str, without: set[int]) -> None:
        self.plan = Plan(seed)
        self.troubles = [t for n, t in enumerate(self.plan.troubles) if n not in without]
        with open(lives, "a") as file:
            file.write("x")
            self.life = file.tell()
        self.own = random.Random(seed * 1000 + self.life)
        self.seen, self.muted = 0, False
        self.before: Any = None  # what it answered to the history before
        self.right = subprocess.Popen([program, "library", *self.plan.draws], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, line: bytes) -> bytes:
        assert self.right.stdin is not None and self.right.stdout is not None
        self.right.stdin.write(line)
        self.right.stdin.flush()
        return self.right.stdout.readline()

    def start(self, reply: Result) -> Result:
        reply.update({"max_batch": self.plan.batch} if self.plan.batch else {})
        for lie, lives in self.plan.lies:
            if lives == "all" or self.life > 1:
                reply = lie if "error" in lie else {**reply, **lie}
        return reply

    def result(self, case: Result, result: Any) -> Any:
        for trouble in self.troubles:
            if (chance := trouble.chance(self, case)) is not None and isinstance(result, dict):
                result = trouble.does(chance, trouble, self, result)
        self.seen += 1
        self.before = result
        return result

    def serve(self) -> None:
        for line in sys.stdin.buffer:
            request = json.loads(line)
            if request["cmd"] == "stop":
                break
            reply = json.loads(self.ask(line))
            if request["cmd"] == "start":
                reply = self.start(reply)
            elif "results" in reply and self.troubles:
                reply["results"] = [self.result(case, result) for case, result in zip(request["cases"], reply["results"], strict=True)]
            text = json.dumps(reply) + "\n"
            if not self.muted:
                os.write(1, text.encode(errors="surrogateescape")) if len(text) < 60_000 else write_all(text.encode())
            self.muted = False
        if self.plan.ends:
            self.plan.ends()


def write_all(data: bytes) -> None:
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def main() -> None:
    without = {int(n) for n in sys.argv[sys.argv.index("--without") + 1].split(",")} if "--without" in sys.argv else set()
    assert isinstance(sys.stderr, io.TextIOWrapper)
    sys.stderr.reconfigure(errors="surrogateescape")
    Port(int(sys.argv[1]), sys.argv[2], sys.argv[3], without).serve()


if __name__ == "__main__":
    main()
