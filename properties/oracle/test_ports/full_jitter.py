"""A correct port of backoffAlgorithm v1.3.0 in plain steps; the ports beside it replace parts of it."""
import io
import json
import sys
from typing import Any, TypeVar, overload

Fields = dict[str, Any]  # of a message, a step or an answer


class Cycle:
    """One instance: full jitter over a window that doubles from base_ms up to max_ms."""

    def __init__(self, params: Fields) -> None:
        self.base, self.cap = int(params["base_ms"]), int(params["max_ms"])
        self.limit = None if params["max_attempts"] == "forever" else int(params["max_attempts"])
        self.granted = 0

    def window(self) -> int:
        return min(self.base << min(self.granted, 40), self.cap)

    def delay(self, step: Fields) -> int:
        return int(step["draw"]) % (self.window() + 1)

    def written(self, delay: int) -> object:
        return str(delay)

    def next(self, step: Fields) -> Fields:
        if self.limit is not None and self.granted >= self.limit:
            return {"status": "exhausted"}
        answer = {"status": "retry", "delay_ms": self.written(self.delay(step))}
        self.granted += 1
        return answer

    def reset(self, _step: Fields) -> Fields:
        self.granted = 0
        return {"status": "ok"}


class Port:
    """Answers line by line. `about` adds to the reply to start."""

    about: Fields = {}
    cycle: type[Cycle] = Cycle
    line_end = "\n"
    line = ""  # the request

    def start(self) -> Fields:
        return {"protocol": 1, "port": {"name": "test port", "version": "1", "language": "Python"},
                "systems": ["aws_backoff_algorithm"], "max_batch": 64, **self.about}

    def instance(self, step: Fields) -> str:
        on: str = step.get("on", "0")
        return on

    def steps(self, case: Fields) -> list[Fields]:
        cycles: dict[str, Cycle] = {}
        answers: list[Fields] = []
        for step in case["steps"]:
            cycle = cycles.setdefault(self.instance(step), self.cycle(case["params"]))
            answers.append(getattr(cycle, step["op"])(step))
        return answers

    def result(self, case: Fields) -> Fields:
        return {"steps": self.steps(case)}

    def run(self, request: Fields) -> Fields:
        return {"id": request["id"], "results": [self.result(case) for case in request["cases"]]}

    def text(self, reply: Fields) -> str:
        return json.dumps(reply)

    def stop(self) -> None:
        pass

    def serve(self) -> None:
        assert isinstance(sys.stdout, io.TextIOWrapper)
        sys.stdout.reconfigure(newline="", errors="surrogateescape")
        for self.line in sys.stdin:
            request = json.loads(self.line)
            if request["cmd"] == "stop":
                break
            reply = self.start() if request["cmd"] == "start" else self.run(request)
            sys.stdout.write(self.text(reply) + self.line_end)
            sys.stdout.flush()
        self.stop()


Base = TypeVar("Base", Port, Cycle)


@overload
def variant(name: str, **replaced: Any) -> type[Port]: ...
@overload
def variant(name: str, base: type[Base], **replaced: Any) -> type[Base]: ...
def variant(name: str, base: type[Any] = Port, **replaced: Any) -> type[Any]:
    return type(name, (base,), replaced)


class Expected:
    """A port, how a check of it must end, and what the verdict must say."""

    def __init__(self, port: type[Port], code: int, says: str) -> None:
        self.port, self.code, self.says = port, code, says


def main(ports: dict[str, Expected]) -> None:
    """Serves the port that the first argument names; further ones only mark the process for the test."""
    ports[sys.argv[1]].port().serve()
