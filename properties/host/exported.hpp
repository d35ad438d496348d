// Marks the functions of the host that a library finds before the system's, or the platform's, of the same name.
#pragma once

#define BACKOFF_EXPORTED extern "C" __attribute__((visibility("default")))
