// What the host does about the functions that it puts in the system's place.
#pragma once

namespace backoff::host {

// Before the first call: whose allocations are not the library's.
void find_code_of_system() noexcept;
// Between histories: what one has left allocated is not released by the next.
void forget_allocations() noexcept;

}  // namespace backoff::host
