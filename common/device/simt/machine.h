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

struct Index {
  unsigned x, y, z;
};
struct Size {
  unsigned x = 1, y = 1, z = 1;
};

// What a device of this kind has. They are an H200's, but for the number of multiprocessors: 4, or
// what WB_SIMT=multiprocessors=132 says.
constexpr int kWarp = 32, kMostThreads = 1024;
int multiprocessors();
// Bytes in front of each array of shared memory and behind it, which no kernel may touch.
constexpr std::size_t kGuard = 16 << 10;
constexpr std::size_t kSharedBytes = 48 << 10, kSharedOptIn = 227 << 10;

struct Grid {
  Size blocks, threads;
  std::size_t shared_bytes = 0;
  bool cooperative = false;          // all blocks are there at the same time
  const void* parameters = nullptr;  // of the kernel: they may be read without being an array
  std::size_t parameter_bytes = 0;
};

// Steps of launches: turns of threads, and their accesses. Behind the last one that may be, a
// launch ends, and others do not begin.
struct Steps {
  std::uint64_t made = 0, most = 0;  // 0: any number
  double done = 0;                   // what share of its blocks the launch had that was ended
  bool too_many() const { return most && made > most; }
};
extern Steps steps;

// Calls `body` with the parameters for each thread. Returns "" or what is wrong with the launch or
// the kernel: one fault, the first. After a fault the rest of the grid is left out.
std::string run(const Grid& grid, void (*body)(const void* parameters));

}  // namespace simt
