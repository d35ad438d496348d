#!/usr/bin/python3
"""A client of Paho, whose connections are lost before the server answers: it connects again until this program is ended."""
import sys

from paho.mqtt.client import CallbackAPIVersion, Client

client = Client(CallbackAPIVersion.VERSION2)
client.reconnect_delay_set(min_delay=1, max_delay=3)
client.connect_async(sys.argv[1], int(sys.argv[2]))
client.loop_forever(retry_first_connection=True)
