#!/usr/bin/python3
"""A channel of grpcio, whose connections fail: it connects again until it is ready, or this program is ended."""
import sys

import grpc

INITIAL_MS, MAX_MS = 200, 1000
channel = grpc.insecure_channel(sys.argv[1], options=[("grpc.initial_reconnect_backoff_ms", INITIAL_MS),
                                                      ("grpc.max_reconnect_backoff_ms", MAX_MS)])
grpc.channel_ready_future(channel).result()
