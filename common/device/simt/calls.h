// What kernels call, on the fiber of their thread: the header of the language (cuda_runtime.h)
// makes these calls of CUDA's names.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/simt/machine.h"

namespace simt {

// The built-in variables, as kernels call them after translate.cpp.
Index thread_index() noexcept __attribute__((pure));
Index block_index() noexcept __attribute__((pure));
Size block_size() noexcept __attribute__((pure));
Size grid_size() noexcept __attribute__((pure));
int lane_index() noexcept __attribute__((pure));
int linear_thread() noexcept __attribute__((pure));

void block_barrier();
int count_at_barrier(bool predicate);  // a barrier; how many threads say yes
void grid_barrier();
// All lanes of `mask` meet here, each with a value of up to 16 bytes. Returns the 32 values, of 16
// bytes each; they are there until the third meeting after this one.
struct alignas(16) Value {
  unsigned char bytes[16];
};
// `pc`: where the kernel calls it, if that is not the caller.
const Value* meet(unsigned mask, const void* value, std::size_t bytes, const char* what,
                  const void* pc = nullptr);
unsigned lanes_there(unsigned mask);                           // those of them that the block has
void lane_left_out(const char* what, int lane, bool in_mask);  // a fault: a shuffle reads it

// What this thread has done comes before what it does next, for its block or for all.
void fence(bool in_block = false);
enum class Order { relaxed, acquire, release, both };
// Before and after an atomic access: nothing comes between them.
void atomic(const void* address, std::size_t bytes, Order order, bool writes = true);
void spin();  // other threads and blocks may go on

void shared_range(const void* data, std::size_t bytes);  // is the block's own
void* dynamic_shared_memory() noexcept;
std::uint32_t shared_address(const void* data) noexcept;  // as PTX counts: 32 bits
void* shared_pointer(std::uint32_t address) noexcept;
// A read of this thread that the compiler does not tell.
void reads(const void* data, std::size_t bytes, const void* pc);
// A copy that is done when this thread waits for it. Who reads it before, reads too early.
void copy_later(void* to, const void* from, std::size_t bytes, std::size_t zeros,
                const void* pc = nullptr);
void commit_copies();
void wait_for_copies(int but);  // all commits but the last `but`

[[noreturn]] void unknown_instruction(const char* text, const void* pc);

}  // namespace simt
