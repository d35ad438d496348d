"""tee.py LOG COMMAND…: runs a port, and writes what goes in ("> ") and what comes out ("< ") to LOG."""
import subprocess
import sys

PIPE = subprocess.PIPE
with (open(sys.argv[1], "a", buffering=1) as log,
      subprocess.Popen(sys.argv[2:], stdin=PIPE, stdout=PIPE, text=True) as port):
    assert port.stdin is not None and port.stdout is not None
    for request in sys.stdin:
        log.write("> " + request)
        port.stdin.write(request)
        port.stdin.flush()
        reply = port.stdout.readline()
        if reply:
            log.write("< " + reply)
        sys.stdout.write(reply)
        sys.stdout.flush()
