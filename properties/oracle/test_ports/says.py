"""A port of any system that says a foreign text, wherever a port says something: says.py HOW TEXT [MARK]. TEXT is a name in
foreign_texts.TEXTS, HOW a name in WAYS.
"""
import json
import os
import sys
from collections.abc import Callable
from typing import Any

from foreign_texts import TEXTS

Fields = dict[str, Any]
NAME_MAX = 256  # bytes


def dies(text: str) -> Fields:
    sys.stderr.buffer.write(text.encode())
    sys.stderr.flush()
    os._exit(1)


# The result of each history.
WAYS: dict[str, Callable[[str], Fields]] = {
    "fails": lambda text: {"steps": [{"status": "error", "why": text}]},
    "waits too little": lambda text: {"steps": [{"status": "retry", "delay_ms": "-1", "note": text}]},
    "rejects": lambda text: {"rejected": text},
    "skips": lambda text: {"skipped": text},
    "cannot": lambda text: {"error": text},
    "has another status": lambda text: {"steps": [{"status": text}]},
    "has another delay": lambda text: {"steps": [{"status": "retry", "delay_ms": text}]},
    "dies": dies,
}
# What it adds to the reply to start: the run ends there.
ADDED: dict[str, Callable[[str], Fields]] = {
    "takes another range": lambda text: {"ranges": {"error": [text], "base": [text, text], "base_ms": [text, text]}},
    "takes a name": lambda text: {"ranges": {text: ["0", "1"]}},
    "offers": lambda text: {"features": [text]},
    "draws": lambda text: {"draws": text},
    "maps": lambda text: {"mapping": text},
    "is another": lambda text: {"systems": [text]},
    "does not start": lambda text: {"error": text},
}


def main() -> None:
    how, text = sys.argv[1], TEXTS[sys.argv[2]]
    name = text.encode()[:NAME_MAX].decode(errors="ignore")
    for line in sys.stdin:
        request = json.loads(line)
        if request["cmd"] == "stop":
            return
        if request["cmd"] == "start":
            reply = {"protocol": 1, "port": dict.fromkeys(("name", "version", "language"), name), "systems": [request["system"]],
                     "max_batch": 64, "draws": "opaque", **(ADDED[how](text) if how in ADDED else {})}
        else:
            result = WAYS.get(how, WAYS["fails"])
            reply = {"id": request["id"], "results": [answered(result(text), len(case["steps"])) for case in request["cases"]]}
        print(json.dumps(reply), flush=True)


def answered(result: Fields, count: int) -> Fields:
    """An answer to each call, but for an error, which is the last one."""
    steps = result.get("steps", [])
    return {**result, "steps": steps * count} if steps and steps[0]["status"] != "error" else result


if __name__ == "__main__":
    main()
