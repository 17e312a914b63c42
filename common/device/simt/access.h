// What becomes of an access to memory: it is checked, or counted as part of a request.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/simt/requests.h"

namespace simt {

// Where an access is made, and how deep in calls; without a frame it is part of no request.
struct From {
  const void *pc, *frame = nullptr;
  std::size_t alignment = 16;    // of the type, at most
  const void* copied = nullptr;  // of a copy in the background: what it reads
};
#define SIMT_FROM (simt::From{__builtin_return_address(0), __builtin_frame_address(0)})

void access(const void* address, std::size_t size, bool write, bool atomic, const From& from);

// In global memory it is a relaxed atomic; in shared memory it orders nothing.
void volatile_access(void* address, std::size_t bytes, bool write, const From& from);

// Counts only: this lane makes an access, or what a GPU makes of a longer one.
void note(Kind kind, std::uintptr_t at, std::size_t bytes, const From& from);
void note_access(bool shared, bool write, std::uintptr_t at, std::size_t size, const From& from);
void merge_all();  // all threads of the block wait, or have ended

}  // namespace simt
