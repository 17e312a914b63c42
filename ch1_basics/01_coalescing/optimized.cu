// Changes against step2: a thread moves four times 16 bytes, and asks for all four before it uses
// the first. A request now takes 16 sectors, and they are 512 bytes in a row.
//
// Predict: step2 already uses every byte of its sectors. What is left to win? (Bytes in flight:
// asked for and not yet delivered. In step2 they are 4 per thread, 8 KiB per multiprocessor.)
#include <algorithm>
#include <cstdint>

#include "coalescing.h"
#include "wb/coalescing.h"
#include "wb/cuda.h"

namespace {

constexpr int kRows = 4;  // rows per thread

constexpr wb::i64 element(wb::i64 row, wb::i64 column, wb::i64 columns) {
  return row * columns + column;
}

__device__ float times(float a, float b) { return a * b; }
__device__ float4 times(float4 a, float4 b) { return {a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w}; }

// Vector is float4, or float where the width of the table is not a multiple of four. `columns`
// counts Vectors.
template <class Vector>
__global__ void kernel(wb::i64 rows, wb::i64 columns, const Vector* weight, const Vector* x,
                       Vector* y) {
  const wb::i64 first = static_cast<wb::i64>(blockIdx.x) * (kRows * blockDim.y) + threadIdx.y;
  const wb::i64 column = static_cast<wb::i64>(blockIdx.y) * blockDim.x + threadIdx.x;
  if (column >= columns) return;
  Vector value[kRows];
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    const wb::i64 row = first + i * blockDim.y;
    if (row < rows) value[i] = x[element(row, column, columns)];
  }
  const Vector w = weight[column];
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    const wb::i64 row = first + i * blockDim.y;
    if (row < rows) y[element(row, column, columns)] = times(w, value[i]);
  }
}

// 16 columns are 4 float4: a warp covers eight rows. 16 is the least for 32 x 16 bytes.
constexpr int kSectors = wb::sectors_per_request(
    [](int lane) { return element(lane / 4, lane % 4, 4); }, sizeof(float4));
static_assert(kSectors == 16);

template <class Vector> void launch(const Coalescing::Args& p, cudaStream_t stream) {
  const wb::i64 columns = p.columns / (sizeof(Vector) / sizeof(float));
  const int across = std::min<wb::i64>(columns, 256);
  const dim3 block(across, 256 / across);
  const dim3 grid =
      wb::grid((p.rows + kRows * block.y - 1) / (kRows * block.y), (columns + across - 1) / across);
  kernel<<<grid, block, 0, stream>>>(p.rows, columns, reinterpret_cast<const Vector*>(p.weight),
                                     reinterpret_cast<const Vector*>(p.x),
                                     reinterpret_cast<Vector*>(p.y));
}

void run(const Coalescing::Args& p, cudaStream_t stream) {
  if (p.rows == 0 || p.columns == 0) return;
  if (p.columns % 4 == 0)
    launch<float4>(p, stream);
  else
    launch<float>(p, stream);
}

}  // namespace

WB_CUDA(Coalescing, optimized, run);
WB_NOTE(wb::requests_note(kSectors, kSectors));
