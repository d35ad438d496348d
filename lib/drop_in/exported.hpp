// What a drop-in shows of itself; all else is hidden.
#pragma once

// Exported from the shared library.
#define BACKOFF_EXPORTED extern "C" __attribute__((visibility("default")))
