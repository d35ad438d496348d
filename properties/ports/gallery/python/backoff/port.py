#!/usr/bin/python3
"""backoff's on_exception with expo and full_jitter as a port. Its delays are seconds, and its sleep, time.sleep, only counts;
max_tries counts the first call too. A reset is the next operation. A factor of 0 is no back-off, and is not asked for.
"""
import importlib.metadata
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from cycles import Failure, port_of
from backoff_port import serve
import backoff


def cycle(params, operation, slept):
    limit = params["max_attempts"]
    time.sleep = slept
    backoff.on_exception(backoff.expo, Failure, factor=int(params["base_ms"]) / 1000, max_value=int(params["max_ms"]) / 1000,
                         jitter=backoff.full_jitter, max_tries=None if limit == "forever" else int(limit) + 1, logger=None)(operation)()


serve(port_of(cycle), {"port": {"name": "backoff full_jitter", "version": importlib.metadata.version("backoff"), "language": "Python"},
                       "systems": ["aws_backoff_algorithm"], "draw_kind": "unit", "ranges": {"base_ms": ["1", "4294967295"]}})
