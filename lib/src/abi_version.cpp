// The version of backoff.h that this library was built with. Checked by: spec/tests/c_abi_test.cpp.
#include "backoff.h"

uint32_t backoff_abi_version(void) { return BACKOFF_ABI_VERSION; }
