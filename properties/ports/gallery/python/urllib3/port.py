#!/usr/bin/python3
"""urllib3's Retry as a port: increment after each failure, and the sleep that Retry.sleep asks of time.sleep, in seconds. Random
numbers are given. A reset is the next request. A request of urllib3 retries by calling itself, so that Python's limit of recursion ends it
before 1,000 retries with the usual settings: no history has more than 900.
"""
import importlib.metadata
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from cycles import Failure, port_of
from backoff_port import serve
import urllib3
from urllib3.exceptions import ConnectTimeoutError, MaxRetryError


def cycle(params, operation, slept):
    time.sleep = slept
    retry = urllib3.Retry(total=int(params["total"]), backoff_factor=float(params["backoff_factor"]),
                          backoff_jitter=float(params["backoff_jitter"]),
                          backoff_max=float(params["backoff_max"]))
    while True:
        try:
            return operation()
        except Failure as failure:
            try:
                retry = retry.increment("GET", "/", error=ConnectTimeoutError())
            except MaxRetryError:
                raise failure from None
            before = len(slept.__self__)
            retry.sleep()
            if len(slept.__self__) == before:  # it does not sleep for 0 s
                slept(0)


serve(port_of(cycle, "delay_s", 1), {"port": {"name": "urllib3 Retry", "version": importlib.metadata.version("urllib3"),
                                              "language": "Python"}, "systems": ["urllib3_retry"], "draw_kind": "unit",
                                    "ranges": {"total": {"range": ["0", "900"], "forever": False}}})
