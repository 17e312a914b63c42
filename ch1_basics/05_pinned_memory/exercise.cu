// Everything is pinned and asynchronous, and still slow: the array is in pieces of 4 KiB, and each
// is a separate copy. At 55 GB/s, 4 KiB take 0.07 us. How long does it take to start a copy?
//
// TODO: make few large transfers instead of many small ones. Either the host puts the pieces in
//       order, in a pinned buffer made in set-up, or the GPU does.
// Goal: 1.5 times baseline at bytes=16777216
// Goal: at most 4 runtime_calls at bytes=1048576
// Hints are in README.md.
#include "pieces.h"
#include "wb/cuda.h"

namespace {

void run(const Pieces::Args& p, cudaStream_t stream) {
  for (wb::i64 i = 0; i < p.pieces(); ++i)
    WB_CHECK(cudaMemcpyAsync(p.to(i), p.from(i), p.size(i), cudaMemcpyHostToDevice, stream));
}

}  // namespace

WB_CUDA(Pieces, exercise, run);
WB_NOTE("another problem than the baseline's: pieces of 4 KiB, not in order");
