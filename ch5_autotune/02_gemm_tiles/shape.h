// The parameters of the GPU kernel, and what follows from them. The kernel is compiled with a
// Shape, its launch and the search's model ask the same one. It needs no other header, so NVRTC
// takes it.
#pragma once

#ifdef __CUDACC__
#define TILES_BOTH __host__ __device__
#else
#define TILES_BOTH
#endif

namespace tiles {

struct Shape {
  int bm, bn, bk;  // a tile of C is bm x bn, and takes bk of k in a step
  int stages;      // steps that are in shared memory, or on their way there
  int consumers;   // warpgroups that multiply; each has bm / consumers rows of the tile
  int blocks;      // on a multiprocessor at once
  int boxes;       // of 64 x 64, per consumer, through which C leaves; 0: straight from registers

  TILES_BOTH constexpr int threads() const { return 128 * (consumers + 1); }  // one warpgroup loads
  TILES_BOTH constexpr int slabs() const {
    return bm / consumers / 64;
  }  // of 64 rows, per consumer
  TILES_BOTH constexpr int shared_bytes() const {
    return 2 * stages * (bm + bn) * bk + 2 * 64 * 64 * boxes * consumers + 16 * stages;
  }

  // Registers per thread: what a block starts with, and, once the loading warpgroup has given its
  // own back, what a consumer has. Of one consumer that is alone there is nothing to be given.
  static constexpr int kLoading = 32;
  TILES_BOTH constexpr int registers_at_start() const {
    return 65536 / (threads() * blocks) / 8 * 8;
  }
  TILES_BOTH constexpr bool gives_registers() const { return registers_at_start() < 248; }
  TILES_BOTH constexpr int registers() const {
    if (!gives_registers()) return 248;
    const int all = registers_at_start() * (consumers + 1) - kLoading;
    return all / consumers / 8 * 8 < 240 ? all / consumers / 8 * 8 : 240;
  }
  TILES_BOTH constexpr int sums() const {
    return slabs() * bn / 2;
  }  // registers of a thread that hold sums
};

// What chapter 4's kernel has, and that many tiles in a group: good where m, n and k are large.
constexpr Shape kDefault = {
    .bm = 128, .bn = 256, .bk = 64, .stages = 4, .consumers = 2, .blocks = 1, .boxes = 2};
constexpr int kDefaultGroup = 16;

}  // namespace tiles
