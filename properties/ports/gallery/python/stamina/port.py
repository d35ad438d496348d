#!/usr/bin/python3
"""stamina's retry_context as a port: a block that fails, and the sleep of Python, time.sleep, only counts. Random numbers are given.
attempts counts the first try too, and None is no limit. A reset is the next block.
"""
import importlib.metadata
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from cycles import Failure, port_of
from backoff_port import serve
import stamina

stamina.instrumentation.set_on_retry_hooks([])


def cycle(params, operation, slept):
    time.sleep = slept
    limit = params["attempts"]
    for attempt in stamina.retry_context(on=Failure, attempts=None if limit == "forever" else int(limit) + 1, timeout=None,
                                         **{name: float(params[name]) for name in ("wait_initial", "wait_max", "wait_jitter",
                                                                                   "wait_exp_base")}):
        with attempt:
            operation()


serve(port_of(cycle, "delay_s", 1), {"port": {"name": "stamina retry_context", "version": importlib.metadata.version("stamina"),
                                              "language": "Python"}, "systems": ["stamina_retry"], "draw_kind": "unit"})
