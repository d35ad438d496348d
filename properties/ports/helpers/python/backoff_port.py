"""Port protocol 1 for a port in Python. You write one function, which makes an instance:
    def port(params, steps):        # called once per instance; steps: those that it will answer
        def answer(step):           # called once per step; returns the answer, a dict
            …
        return answer

    serve(port, {"port": {"name": "mine"}, "systems": ["aws_backoff_algorithm"]})
Numbers arrive as text, exactly as the oracle sent them; make an int, a Decimal or a float of them. Numbers in your answers leave as
text: none is rounded, and an infinity is an answer. An exception is an answer too: do not catch it. Raise Rejected to refuse the
parameters. helpers_test.py checks this file.
"""
import json
import sys
from collections.abc import Callable, Iterable
from typing import Any, TextIO

Fields = dict[str, Any]  # of a message, a step or an answer
Port = Callable[[Fields, list[Fields]], Callable[[Fields], Fields]]


class Rejected(Exception):
    """The port does not take the parameters."""


def as_text(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: as_text(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_text(each) for each in value]
    return value if value is None or isinstance(value, (bool, str)) else str(value)


def result_of(port: Port, case: Fields) -> Fields:
    instances: dict[str, Callable[[Fields], Fields]] = {}
    answers: list[Fields] = []
    for step in case["steps"]:
        try:
            on = step.get("on", "0")
            if on not in instances:
                made = port(case["params"], [each for each in case["steps"] if each.get("on", "0") == on])
                if not callable(made):
                    raise TypeError(f"the port returned {made!r}, expected a function")
                instances[on] = made
            answers.append(as_text(instances[on](step)))
        except Rejected as why:
            return {"rejected": str(why)}
        except Exception as error:
            return {"steps": [*answers, {"status": "error", "why": repr(error)}]}
    return {"steps": answers}


def read(line: str) -> Fields:
    request: Fields = json.loads(line, parse_int=str, parse_float=str)
    if request["cmd"] == "run":
        int(request["id"])
        if not all(hasattr(case["params"], "items") and isinstance(case["steps"], list) for case in request["cases"]):
            raise TypeError("no cases")
    return request


def reply_to(request: Fields, port: Port, about: Fields) -> Fields:
    if request["cmd"] == "start":
        known = request.get("system") in about.get("systems", [request.get("system")])
        return {"protocol": 1, "max_batch": 256, **about} if known else {"error": f"{request.get('system')} is not known here"}
    if request["cmd"] == "run":
        return {"id": int(request["id"]), "results": [result_of(port, case) for case in request["cases"]]}
    return {"error": "unknown cmd"}


def serve(port: Port, about: Fields, requests: Iterable[str] = sys.stdin, replies: TextIO = sys.stdout) -> None:
    """Answers until it is told to stop. A port that lists no systems takes any. What is no request ends the program, with exit 2."""
    for line in requests:
        try:
            request = read(line)
        except (ValueError, LookupError, TypeError) as error:
            print(f"port: not understood: {error!r} in {line[:200].rstrip()}", file=sys.stderr)
            sys.exit(2)
        if request["cmd"] == "stop":
            return
        print(json.dumps(reply_to(request, port, about)), file=replies, flush=True)
