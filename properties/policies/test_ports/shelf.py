#!/usr/bin/env python3
"""Small ports of the policies in spec/policies, as their authors might write them: `shelf.py NAME FAULT hidden|given [SEED]`.

FAULT: right, or a mistake that retry code has shipped. Without arguments: the names of the faults. The formulas are
in protocols.py, libraries.py and services.py: each policy has a right one, written from its document and not from its policy.
"""
import pathlib
import random
import sys
from collections.abc import Callable

import libraries
import protocols
import services
from formulas import Formula, Params

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "ports/helpers/python"))
from backoff_port import Fields, serve

ROWS = protocols.ROWS | libraries.ROWS | services.ROWS

# What a wrong port makes of the right formula.
FAULTS: dict[str, Callable[[Formula, Params, int, float, float | None], float]] = {
    "right": lambda formula, p, n, u, prev: formula(p, n, u, prev),
    "one-late": lambda formula, p, n, u, prev: formula(p, n + 1, u, prev),            # counts from 1
    "one-percent-long": lambda formula, p, n, u, prev: formula(p, n, u, prev) * 1.01,
    "half-the-jitter": lambda formula, p, n, u, prev: formula(p, n, u / 2, prev),     # never the upper half
    "no-jitter": lambda formula, p, n, u, prev: formula(p, n, 0.999999, prev),
    "wraps": lambda formula, p, n, u, prev: formula(p, n % 31, u, prev),              # a shift of 31 bits at most
    "one-retry-more": lambda formula, p, n, u, prev: formula(p, n, u, prev),          # than the limit
    "goes-on": lambda formula, p, n, u, prev: formula(p, n, u, prev),                 # whatever goes_on says
    "counts-all": lambda formula, p, n, u, prev: formula(p, n, u, prev),
    "never-renewed": lambda formula, p, n, u, prev: formula(p, n, u, prev),
}


def main() -> None:
    if len(sys.argv) == 1:
        print(*FAULTS)
        return
    name, fault, draws, *seed = sys.argv[1:]
    row = ROWS[name]
    source = random.Random(*seed)

    def port(params: Fields, _: list[Fields]) -> Callable[[Fields], Fields]:
        limit = (row.limit(params) if callable(row.limit) else row.limit) + (fault == "one-retry-more")
        n, waited, stopped = 0, 0.0, False
        prev: float | None = None

        def answer(step: Fields) -> Fields:
            nonlocal n, prev, waited, stopped
            if step["op"] == "reset":
                n, prev, waited, stopped = 0, None, 0, False
                return {"status": "ok"}
            p = Params(params | {key: text for key, text in step.items() if key not in ("op", "on", "draw")})
            if row.renews(p) and not stopped and fault != "never-renewed":
                n, prev, waited = 0, None, 0
            u = int(step["draw"]["num"]) / int(step["draw"]["den"]) if "draw" in step else source.random()
            delay = None if stopped or n >= limit else FAULTS[fault](row.formula, p, n, u, prev)
            if delay is None or not (row.goes_on(p, waited, delay) or fault == "goes-on"):
                stopped = True
                return {"status": "exhausted"}
            n += row.counts(p) or fault == "counts-all"
            prev, waited = delay, waited + delay
            return {"status": "retry", f"delay_{row.unit}": delay}
        return answer

    serve(port, {"port": {"name": f"{name} {fault}", "version": "1", "language": "Python"}, "systems": [name],
                 "draws": "injected" if draws == "given" else "opaque", "draw_kind": "unit", "features": ["instances"]})


if __name__ == "__main__":
    main()
