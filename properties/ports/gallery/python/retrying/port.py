#!/usr/bin/python3
"""retrying's decorator as a port: an operation that fails, and the sleep of Python, time.sleep, only counts. It sleeps for seconds
and takes milliseconds. A reset is the next operation.
"""
import importlib.metadata
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from cycles import port_of
from backoff_port import serve
from retrying import retry


def cycle(params, operation, slept):
    time.sleep = slept
    limit = params["max_attempts"]
    stop = {} if limit == "forever" else {"stop_max_attempt_number": int(limit) + 1}
    retry(wait_exponential_multiplier=int(params["multiplier"]), wait_exponential_max=int(params["maximum"]), **stop)(operation)()


serve(port_of(cycle), {"port": {"name": "retrying retry", "version": importlib.metadata.version("retrying"), "language": "Python"},
                       "systems": ["retrying_exponential"]})
