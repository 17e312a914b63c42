// The exercise, solved: a kernel fetches the pieces. Pinned memory is mapped into the GPU's address
// space, so its threads read the host's array over the link, a block per piece, with many pieces in
// flight at a time. The host does one launch.
//
// Packing on the host into one pinned buffer, then one copy, is the other way. Then a core of the
// host reads and writes each byte, which is what the driver does for pageable memory.
#include "pieces.h"
#include "wb/cuda.h"

namespace {

__global__ void fetch(Pieces::Args p) {
  const wb::i64 piece = blockIdx.x, size = p.size(piece);
  const std::uint8_t* from = p.from(piece);
  std::uint8_t* to = p.to(piece);
  const wb::i64 vectors = size / sizeof(uint4);
  for (wb::i64 i = threadIdx.x; i < vectors; i += blockDim.x)
    reinterpret_cast<uint4*>(to)[i] = reinterpret_cast<const uint4*>(from)[i];
  for (wb::i64 i = vectors * sizeof(uint4) + threadIdx.x; i < size; i += blockDim.x)
    to[i] = from[i];
}

void run(const Pieces::Args& p, cudaStream_t stream) {
  if (p.bytes == 0) return;
  fetch<<<p.pieces(), Pieces::kPiece / sizeof(uint4), 0, stream>>>(p);
  WB_CHECK(cudaGetLastError());
}

}  // namespace

WB_CUDA(Pieces, solution, run);
WB_NOTE("another problem than the baseline's: pieces of 4 KiB, not in order");
