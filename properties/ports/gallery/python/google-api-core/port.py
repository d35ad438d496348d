#!/usr/bin/python3
"""google-api-core's Retry as a port: it calls an operation that fails, and its sleep, time.sleep, only counts. Random numbers are
given. It has no limit of retries but its timeout, which is off. A reset is the next operation.
"""
import importlib.metadata
import logging
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from cycles import Failure, port_of
from backoff_port import serve
from google.api_core.retry import Retry, if_exception_type

logging.disable()


def cycle(params, operation, slept):
    time.sleep = slept
    Retry(predicate=if_exception_type(Failure), initial=float(params["initial"]), maximum=float(params["maximum"]),
          multiplier=float(params["multiplier"]), timeout=None)(operation)()


serve(port_of(cycle, "delay_s", 1), {"port": {"name": "google-api-core Retry", "version": importlib.metadata.version("google-api-core"),
                                              "language": "Python"}, "systems": ["google_api_core"], "draw_kind": "unit"})
