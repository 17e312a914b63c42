// Device memory between unmapped addresses, where cudaErrorIllegalAddress stops a kernel.
#pragma once

#include <cstddef>

namespace wb {

// Aligned to 256 bytes. What is closed begins where `bytes`, rounded up to 256, end; 64 MiB of it
// lie on either side. Null where this driver or device has no virtual memory management, or no
// memory is left. By CUDA's functions of that name (Programming Guide, Virtual Memory Management).
void* fenced_device_memory(std::size_t bytes);
bool release_fenced_device_memory(void* data) noexcept;  // false: it is none. Waits for the device

}  // namespace wb
