"""tee.py LOG COMMAND…: runs a port and writes what goes in ("> ") and what comes out ("< ") to LOG."""
import subprocess
import sys

with open(sys.argv[1], "w") as log, subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as port:
    for line in sys.stdin:
        log.write("> " + line)
        port.stdin.write(line)
        port.stdin.flush()
        reply = port.stdout.readline()
        log.write("< " * bool(reply) + reply)
        sys.stdout.write(reply)
        sys.stdout.flush()
