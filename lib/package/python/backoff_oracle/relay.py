"""What the program starts as the port: hands its standard streams to the process of the tests, which forks a process to use them.

It ends as that process does. When it is killed, its end of the socket closes, and that process is killed too.
"""
import os
import socket
import sys

with socket.socket(socket.AF_UNIX) as to_tests:
    to_tests.connect(sys.argv[1])
    socket.send_fds(to_tests, [b"streams"], [0, 1, 2])
    for stream in (0, 1):
        os.close(stream)
    ended = to_tests.recv(1)
sys.exit(ended[0] if ended else 1)
