#!/bin/bash -eu
exec "$SRC/backoff/fuzz/oss-fuzz/build.sh"
