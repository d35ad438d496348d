#!/usr/bin/python3
"""paho-mqtt's client as a port: loop_forever with a broker that refuses connections, which Python's sockets say. It waits in a
condition with a timeout; that wait is on a clock that only counts. A reset is the next client.
"""
import importlib.metadata
import pathlib
import socket
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from cycles import Failure, port_of
from backoff_port import serve
import paho.mqtt.client as mqtt

now = 0.0
time.monotonic = lambda: now


def cycle(params, operation, slept):
    def refuse(*_, **__):
        operation()
        raise Failure

    def wait(self, timeout=None):
        global now
        now += timeout
        waited.append(timeout)
    waited = []
    threading.Condition.wait = wait
    time.sleep = lambda s: wait(None, s)
    socket.create_connection = refuse
    client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
    client.reconnect_delay_set(int(params["min_delay"]), int(params["max_delay"]))
    client.connect_async("localhost")
    client.loop_forever(retry_first_connection=True)
