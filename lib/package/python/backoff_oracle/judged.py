"""Runs the program on a port that is a callable of this process."""
import contextlib
import dataclasses
import itertools
import os
import pathlib
import re
import selectors
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from typing import Any, NoReturn

import backoff_port

HERE = pathlib.Path(__file__).resolve().parent
CONFORMS, DOES_NOT_CONFORM, PORT_BROKE, INCONCLUSIVE = 0, 1, 3, 5
READ = ("--policy", "--known-failing")  # options whose value is a file that the program reads
REFUSED = r"\(request: start\)|the port's mapping"  # in the error on what a port says of itself, before anything is judged
# Of the reply to `start`; properties/protocol/schema_test.py holds them to the schema.
FIELDS = ["port", "systems", "ranges", "draws", "draw_kind", "rand_max", "mapping", "features", "max_batch", "max_line"]


@dataclasses.dataclass(frozen=True)
class Verdict:
    exit_code: int
    text: str  # what the program printed


verdicts: list[str] = []  # of the ports that conform; the plugin takes them


def conclusion(verdict: Verdict) -> str:
    lines = [line for line in verdict.text.splitlines() if line.startswith("verdict: ")]
    return (lines or [f"exit {verdict.exit_code}"])[-1]


class DoesNotConform(AssertionError):
    """The port breaks a claim, or the protocol, or nothing could be concluded; `verdict` says which."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(f"{conclusion(verdict)}\n{verdict.text}")  # the first line is what pytest's summary shows
        self.verdict = verdict


class OracleFailed(Exception):
    """The program could not judge: wrong usage, or a fault of its own."""


def program() -> Any:
    """Where the program is."""
    return str(HERE / "bin/backoff-oracle")


def check(system: str, port: backoff_port.Port, *options: object, **about: Any) -> Verdict:
    """Holds the port to the document, or to the file of a policy. options: further words of `backoff-oracle check`; about: further
    fields of the port's answer to `start`, such as draw_kind="unit". Returns the verdict and prints it, or raises DoesNotConform or
    OracleFailed."""
    __tracebackhide__ = True
    return judged("check", system, port, options, about)


def replay(token: str, port: backoff_port.Port, *options: object, **about: Any) -> Verdict:
    """One history again, by the token that a verdict names."""
    __tracebackhide__ = True
    return judged("replay", token, port, options, about)


def judged(verb: str, what: str, port: backoff_port.Port, options: tuple[object, ...], stated: dict[str, Any]) -> Verdict:
    __tracebackhide__ = True
    if unknown := [field for field in stated if field not in FIELDS]:
        raise TypeError(f"{unknown[0]}: expected one of {', '.join(FIELDS)}; options of the program are words, such as '--cases', 500")
    name = getattr(port, "__qualname__", type(port).__qualname__)
    about = {"port": {"name": name, "version": "0", "language": "Python"}, "features": ["instances"], **stated}
    given = found(verb, [what, *map(str, options)], folder_of_test())
    with tempfile.TemporaryDirectory(prefix="backoff-oracle-") as folder, tempfile.TemporaryFile("w+") as said, \
            tempfile.TemporaryFile("w+") as complained, socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"{folder}/port")
        listener.listen()
        relay = [sys.executable, "-IS", str(HERE / "relay.py"), f"{folder}/port"]
        with subprocess.Popen([program(), verb, *given, "--", *relay], stdout=said, stderr=complained) as judge:
            try:
                Forks(listener, port, about).serve_until_end_of(judge.pid)
            finally:
                judge.terminate()
        for stream in (said, complained):
            stream.seek(0)
        text, why = said.read(), complained.read()
    verdict = Verdict(judge.returncode, with_calls(text, relay, name, stated) + why)
    if verdict.exit_code in (DOES_NOT_CONFORM, PORT_BROKE, INCONCLUSIVE) and not re.search(REFUSED, why):
        raise DoesNotConform(verdict)
    if verdict.exit_code != CONFORMS:
        raise OracleFailed(verdict.text.strip())
    print(verdict.text)  # pytest shows it with -rP
    verdicts.append(conclusion(verdict))
    return verdict


def folder_of_test() -> pathlib.Path:
    """Of the code that calls this package."""
    frame: Any = sys._getframe()
    while frame.f_back and pathlib.Path(frame.f_code.co_filename).parent == HERE:
        frame = frame.f_back
    return pathlib.Path(frame.f_code.co_filename).absolute().parent


def found(verb: str, words: list[str], beside: pathlib.Path) -> list[str]:
    """The words. A file that the working folder does not have is taken from the folder of the test."""
    __tracebackhide__ = True

    def path(file: str) -> str:
        __tracebackhide__ = True
        if pathlib.Path(file).exists():
            return file
        if not (beside / file).exists():
            raise OracleFailed(f"'{file}' does not exist in '{os.getcwd()}' or in '{beside}', the folder of the test")
        return str(beside / file)

    def option(before: str, word: str) -> str:
        name, equals, file = word.partition("=")
        return path(word) if before in READ else f"{name}={path(file)}" if equals and name in READ else word
    names_policy = verb == "check" and words[0].endswith((".yaml", ".yml", ".json"))
    return [path(words[0]) if names_policy else words[0],
            *(option(before, word) for before, word in itertools.pairwise(words))]


def with_calls(text: str, relay: list[str], name: str, stated: dict[str, Any]) -> str:
    """The lines that replay a history, as calls: the port is no command."""
    port = name.rpartition("<locals>.")[2]
    is_named = port.replace(".", "").isidentifier() and "<locals>" not in name
    note = "" if is_named else "In a call that replays a history, port is the port that the test gave to check.\n"

    def call(line: re.Match[str]) -> str:
        what, *options = shlex.split(line["words"])
        arguments = [repr(what), port if is_named else "port", *map(repr, options),
                     *(f"{field}={value!r}" for field, value in stated.items())]
        return f"{line['before']}oracle.{line['verb']}({', '.join(arguments)})"
    commands = (rf"(?m)(?P<before>^ *replay +){re.escape(shlex.quote(program()))} (?P<verb>check|replay) (?P<words>.*)"
                rf" -- {re.escape(shlex.join(relay))}$")
    called = re.sub(commands, call, text)
    return called + note if called != text else text


class Forks:
    """A fork of this process for each process of the port that the program starts."""

    def __init__(self, listener: socket.socket, port: backoff_port.Port, about: dict[str, Any]) -> None:
        self.listener, self.port, self.about = listener, port, about
        self.selector = selectors.DefaultSelector()
        self.relays: dict[int, tuple[socket.socket, int]] = {}  # by process: its relay, and what becomes readable when it ends

    def serve_until_end_of(self, judge: int) -> None:
        with contextlib.ExitStack() as at_end:
            ended = os.pidfd_open(judge)
            at_end.callback(os.close, ended)
            at_end.callback(self.selector.close)
            at_end.callback(self.end_all)
            self.selector.register(ended, selectors.EVENT_READ, None)
            self.selector.register(self.listener, selectors.EVENT_READ, self.fork)
            running = True
            while running:
                for key, _ in self.selector.select():
                    if key.data is None:
                        running = False
                    else:
                        key.data()

    def fork(self) -> None:
        relay, _ = self.listener.accept()
        _, streams, _, _ = socket.recv_fds(relay, 16, 3)
        if len(streams) != 3:
            relay.close()
            return
        sys.stdout.flush()
        sys.stderr.flush()
        process = os.fork()
        if process == 0:
            self.be_the_port(streams)
        for stream in streams:
            os.close(stream)
        ended = os.pidfd_open(process)
        self.relays[process] = relay, ended
        self.selector.register(relay, selectors.EVENT_READ, lambda: self.end(process))
        self.selector.register(ended, selectors.EVENT_READ, lambda: self.end(process))

    def be_the_port(self, streams: list[int]) -> NoReturn:
        """In the fork: it never returns."""
        code = 1
        try:
            for number, stream in enumerate((streams[0], streams[2], streams[2])):  # what the port prints is no reply
                os.dup2(stream, number)
            sys.stdin, sys.stdout, sys.stderr = (open(n, mode, encoding="utf-8") for n, mode in enumerate("rww"))
            with open(streams[1], "w", encoding="utf-8") as replies:
                backoff_port.serve(self.port, self.about, sys.stdin, replies)
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
        except BaseException:
            traceback.print_exc()
        finally:
            with contextlib.suppress(OSError):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(code)

    def end(self, process: int) -> None:
        """It has ended, or its relay was killed; the other one follows."""
        if process not in self.relays:
            return
        relay, ended = self.relays.pop(process)
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
        _, status = os.waitpid(process, 0)
        with contextlib.suppress(OSError):
            relay.send(bytes([os.waitstatus_to_exitcode(status) % 256]))
        for watched, close in ((relay, relay.close), (ended, lambda: os.close(ended))):
            self.selector.unregister(watched)
            close()

    def end_all(self) -> None:
        for process in list(self.relays):
            self.end(process)
