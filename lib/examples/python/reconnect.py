"""The same by ctypes: python3 reconnect.py LIBBACKOFF."""
import ctypes
import random
import sys

backoff = ctypes.CDLL(sys.argv[1])
assert backoff.backoff_abi_version() == 0
cycle, delay_ms = (ctypes.c_uint32 * 6)(), ctypes.c_uint32()  # BACKOFF_AWS_BACKOFF_ALGORITHM_SIZE is 24
backoff.backoff_aws_backoff_algorithm_init(cycle, 100, 5000, 3)
windows = []
while True:
    windows.append(backoff.backoff_aws_backoff_algorithm_window_ms(cycle))
    if backoff.backoff_aws_backoff_algorithm_next(cycle, random.getrandbits(32), ctypes.byref(delay_ms)) != 0:
        break
    print("wait", delay_ms.value, "of", windows[-1], "ms")
    assert delay_ms.value <= windows[-1]
assert windows == [100, 200, 400, 800] and delay_ms.value == 0
