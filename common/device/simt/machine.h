// A GPU that runs kernels thread by thread on a CPU, to find what a real one hides: each thread of
// a block is a fiber, and the compiler tells each access to memory (g++ -fsanitize=thread calls
// __tsan_read4() and the like, which are ours). Nothing here has a time.
//
// Threads of a block take turns in an order that is drawn: one runs until it waits for others.
// Blocks run one after the other, also in a drawn order; those that wait for other blocks are put
// aside. All of it is one thread of the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace simt {

struct Size {
  unsigned x = 1, y = 1, z = 1;
};

// What a device of this kind has. They are an H200's, but for the number of multiprocessors.
constexpr int kWarp = 32, kMostThreads = 1024, kMultiprocessors = 4;
// Bytes in front of each array of shared memory and behind it, which no kernel may touch.
constexpr std::size_t kGuard = 128;
constexpr std::size_t kSharedBytes = 48 << 10, kSharedOptIn = 227 << 10;

struct Grid {
  Size blocks, threads;
  std::size_t shared_bytes = 0;
  bool cooperative = false;          // all blocks are there at the same time
  const void* parameters = nullptr;  // of the kernel: they may be read without being an array
  std::size_t parameter_bytes = 0;
};

// Calls `body` with the parameters for each thread. Returns "" or what is wrong with the launch or
// the kernel: one fault, the first. After a fault the rest of the grid is left out.
std::string run(const Grid& grid, void (*body)(const void* parameters));

// Where kernels may read and write. `defined`: the bytes hold something already.
void add_array(const void* data, std::size_t bytes, bool defined);
void remove_array(const void* data);
// Of an array that was added a part, which has a name, is what kernels may touch.
void outline_array(const void* part, std::size_t bytes, const std::string& name);
void set_defined(const void* data, std::size_t bytes, bool defined);
std::string describe_array(const void* data);   // for messages
std::uintptr_t shared_begin(const void* data);  // of the array in shared memory, or 0

// The faults that are looked for; each can be switched off: WB_SIMT=no-races,no-uninitialized ...
struct Checks {
  bool bounds = true, races = true, uninitialized = true, alignment = true, barriers = true;
};
extern Checks checks;
extern std::uint32_t seed;  // of all orders that are drawn
void begin_seed();          // by WB_SEED, and the checks by WB_SIMT

// ---- for kernels, called on a fiber

struct Index {
  unsigned x, y, z;
};
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
void lane_left_out(const char* what, int lane);  // a fault: a shuffle reads it
unsigned here();  // the lanes that have not ended and wait for nothing: __activemask()

void fence();  // what this thread has written comes before what it does next, for other blocks
enum class Order { relaxed, acquire, release, both };
// Before and after an atomic access: nothing comes between them.
void atomic(const void* address, std::size_t bytes, Order order, bool writes = true);
void spin();  // other threads and blocks may go on

void shared_range(const void* data, std::size_t bytes);  // is the block's own
void* dynamic_shared_memory() noexcept;
std::uint32_t shared_address(const void* data) noexcept;  // as PTX counts: 32 bits
void* shared_pointer(std::uint32_t address) noexcept;
// An access of this thread that the compiler does not tell.
void touched(const void* data, std::size_t bytes, bool write, const void* pc);
// A lane's part of a request that is made of it: to be counted, and not checked.
void requested(const void* data, std::size_t bytes, const void* pc);
// A copy that is done when this thread waits for it. Who reads it before, reads too early.
void copy_later(void* to, const void* from, std::size_t bytes, std::size_t zeros,
                const void* pc = nullptr);
void commit_copies();
void wait_for_copies(int but);  // all commits but the last `but`

[[noreturn]] void unknown_instruction(const char* text, const void* pc);

}  // namespace simt
