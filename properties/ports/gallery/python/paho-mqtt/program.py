#!/usr/bin/python3
"""A client of Paho, whose connections are lost before the server accepts them: it connects again until this program is ended.

Usage: program.py HOST PORT TRANSPORT MAX_DELAY. Over tcp, a connection that is closed was there before; over websockets, there
was none.
"""
import sys

from paho.mqtt.client import CallbackAPIVersion, Client

client = Client(CallbackAPIVersion.VERSION2, transport=sys.argv[3])
client.reconnect_delay_set(min_delay=1, max_delay=int(sys.argv[4]))
client.connect_async(sys.argv[1], int(sys.argv[2]))
client.loop_forever(retry_first_connection=True)
