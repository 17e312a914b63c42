// The parameters of the kernel by wgmma, and the sizes that follow from them, for the kernel, its
// launch and the search's model. NVRTC compiles this, too, so it needs no other header.
#pragma once

namespace tiles {

struct Shape {
  int bm, bn, bk;  // a tile of C is bm x bn, and takes bk of k in a step
  int stages;      // steps that are in shared memory, or on their way there
  int consumers;   // warpgroups that multiply; each has bm / consumers rows of the tile
  int blocks;      // on a multiprocessor at once
  int boxes;       // of 64 x 64, per consumer, through which C leaves; 0: straight from registers

  constexpr int threads() const { return 128 * (consumers + 1); }  // one warpgroup loads
  constexpr int slabs() const { return bm / consumers / 64; }      // of 64 rows, per consumer
  constexpr int sums() const { return slabs() * bn / 2; }          // of a thread
  constexpr int shared_bytes() const {
    return 2 * stages * (bm + bn) * bk + 2 * 64 * 64 * boxes * consumers + 16 * stages;
  }

  // Registers per thread, when a block starts, and then for a consumer, after the loading warpgroup
  // has given most of its registers back. A block with 248 or more at the start needs none of them.
  static constexpr int kLoading = 32;
  constexpr int registers_at_start() const { return 65536 / (threads() * blocks) / 8 * 8; }
  constexpr bool gives_registers() const { return registers_at_start() < 248; }
  constexpr int registers() const {
    if (!gives_registers()) return 248;
    const int all = (registers_at_start() * (consumers + 1) - kLoading) / consumers / 8 * 8;
    return all < 240 ? all : 240;
  }
};

template <class Values> constexpr Shape shape(const Values& v) {
  return {v["BM"], v["BN"], v["BK"], v["STAGES"], v["CONSUMERS"], v["BLOCKS"], v["BOXES"]};
}

}  // namespace tiles
