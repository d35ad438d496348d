#!/usr/bin/python3
"""tenacity's Retrying with wait_random_exponential as a port. Its delays are seconds, and its sleep is an option; the number of
attempts counts the first call too. A reset is the next operation. Its documentation calls the multiplier the initial window: 0 is
none, and is not asked for.
"""
import importlib.metadata
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from cycles import port_of
from backoff_port import serve
from tenacity import Retrying, stop_after_attempt, stop_never, wait_random_exponential


def cycle(params, operation, slept):
    limit = params["max_attempts"]
    Retrying(wait=wait_random_exponential(multiplier=int(params["base_ms"]) / 1000, max=int(params["max_ms"]) / 1000), sleep=slept,
             stop=stop_never if limit == "forever" else stop_after_attempt(int(limit) + 1), reraise=True)(operation)


serve(port_of(cycle), {"port": {"name": "tenacity wait_random_exponential", "version": importlib.metadata.version("tenacity"),
                                "language": "Python"}, "systems": ["aws_backoff_algorithm"], "draw_kind": "unit",
                       "ranges": {"base_ms": ["1", "4294967295"]}})
