// The exercise, solved: the grid counts. A thread has one column and eight rows, a block's height
// apart, so that 64 bytes of x and y are in flight. The grid's y and z end at 65,535 blocks, so a
// block goes on with the rows and the matrices that are a grid further on.
#include <algorithm>

#include "broadcast_strided.h"
#include "wb/cuda.h"
#include "wb/half.cuh"

namespace {

constexpr int kColumns = 64, kDown = 4, kRows = 8;  // threads along and down; rows per thread
constexpr int kMostBlocks = 65535;                  // along y and z

template <class T>
__global__ void __launch_bounds__(kColumns* kDown) add(Layout l, const T* x, const T* y, T* z) {
  const wb::i64 rows = l.size[1], columns = l.size[2];
  const wb::i64 column = static_cast<wb::i64>(blockIdx.x) * kColumns + threadIdx.x;
  if (column >= columns) return;
  for (wb::i64 batch = blockIdx.z; batch < l.size[0]; batch += gridDim.z)
    for (wb::i64 first = blockIdx.y; first * kDown * kRows < rows; first += gridDim.y) {
      const wb::i64 row = first * kDown * kRows + threadIdx.y;
      const wb::i64 at = (batch * rows + row) * columns + column;
      const T* from = y + batch * l.stride[0] + row * l.stride[1] + column * l.stride[2];
      T u[kRows], v[kRows];
#pragma unroll
      for (int k = 0; k < kRows; ++k)
        if (row + k * kDown < rows)
          u[k] = x[at + k * kDown * columns], v[k] = from[k * kDown * l.stride[1]];
#pragma unroll
      for (int k = 0; k < kRows; ++k)
        if (row + k * kDown < rows)
          z[at + k * kDown * columns] = wb::from_float<T>(wb::to_float(u[k]) + wb::to_float(v[k]));
    }
}

void run(const BroadcastStrided::Args& p, cudaStream_t stream) {
  const Layout& l = p.layout;
  if (l.elements() == 0) return;
  const auto blocks = [](wb::i64 total, wb::i64 each, wb::i64 most) {
    return static_cast<unsigned>(std::min((total + each - 1) / each, most));
  };
  const dim3 grid(blocks(l.size[2], kColumns, INT32_MAX),
                  blocks(l.size[1], kDown * kRows, kMostBlocks), blocks(l.size[0], 1, kMostBlocks));
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = wb::DeviceType<decltype(zero)>;
    add<<<grid, dim3(kColumns, kDown), 0, stream>>>(
        l, static_cast<const T*>(p.x), static_cast<const T*>(p.y), static_cast<T*>(p.z));
    WB_CHECK(cudaGetLastError());
  });
}

}  // namespace

WB_CUDA(BroadcastStrided, solution, run);
