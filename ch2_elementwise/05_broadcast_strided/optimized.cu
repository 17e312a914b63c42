// Changes against step 2: where y lies along the columns, a block takes a square tile of it through
// shared memory. y is read as it lies, x is read and z is written along the rows, and the tile is
// turned in between (lesson ch1_basics/03_transpose). Elements of 16 bits go two by two
// (pairs.cuh). All other views: as in step 2.
//
// Predict: how close to a copy does the transposed view get now? And in bf16, were each lane to
// move one element, so that a warp's request is 64 bytes?
#include "pairs.cuh"

namespace {

constexpr int kColumns = 32, kRows = 8;  // what the block's threads span

template <int kTile> constexpr int in_tile(int row, int column) {
  return row * (kTile + 1) + column;
}
static_assert(wb::bank_conflicts([](int lane) { return in_tile<64>(lane, 0); }) == 1);

template <class T, int kTile>
__global__ void __launch_bounds__(kColumns* kRows)
    add_turned_tile(Layout l, unsigned across, unsigned down, const T* x, const T* y, T* z) {
  __shared__ float tile[in_tile<kTile>(kTile, 0)];
  constexpr int kWide = kTile / kColumns, kSteps = kWide * (kTile / kRows);
  const unsigned line = blockIdx.x / across;
  const wb::i64 batch = line / down, rows = l.size[1], columns = l.size[2];
  const wb::i64 row0 = static_cast<wb::i64>(line % down) * kTile;
  const wb::i64 column0 = static_cast<wb::i64>(blockIdx.x % across) * kTile;
  const T* view = y + batch * l.stride[0];
  const wb::i64 matrix = batch * rows * columns;

  T u[kSteps], v[kSteps];
#pragma unroll
  for (int i = 0; i < kSteps; ++i) {
    const int down = threadIdx.y + i / kWide * kRows, along = threadIdx.x + i % kWide * kColumns;
    if (row0 + along < rows && column0 + down < columns)
      v[i] = view[(column0 + down) * l.stride[2] + row0 + along];
    if (row0 + down < rows && column0 + along < columns)
      u[i] = x[matrix + (row0 + down) * columns + column0 + along];
  }
#pragma unroll
  for (int i = 0; i < kSteps; ++i)
    tile[in_tile<kTile>(threadIdx.y + i / kWide * kRows, threadIdx.x + i % kWide * kColumns)] =
        wb::to_float(v[i]);
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kSteps; ++i) {
    const int down = threadIdx.y + i / kWide * kRows, along = threadIdx.x + i % kWide * kColumns;
    if (row0 + down < rows && column0 + along < columns)
      z[matrix + (row0 + down) * columns + column0 + along] =
          wb::from_float<T>(wb::to_float(u[i]) + tile[in_tile<kTile>(along, down)]);
  }
}

template <class T>
void add_turned(const Layout& l, const T* x, const T* y, T* z, cudaStream_t stream) {
  const auto launch = [&](int tile, auto kernel, auto x, auto y, auto z) {
    const wb::i64 across = (l.size[2] + tile - 1) / tile, down = (l.size[1] + tile - 1) / tile;
    const wb::i64 blocks = across * down * l.size[0];
    if (blocks > INT32_MAX) throw wb::Unsupported("more than 2^31 blocks");
    kernel<<<blocks, dim3(32, 8), 0, stream>>>(l, across, down, x, y, z);
    WB_CHECK(cudaGetLastError());
  };
  if (l.elements() <= 1 << 20)  // small tiles, to have some for all multiprocessors
    return launch(32, add_turned_tile<T, 32>, x, y, z);
  if constexpr (sizeof(T) == 2)
    if (in_words(l, x, y, z))
      return launch(kSide, add_turned_words<T>, words(x), words(y), words(z));
  launch(64, add_turned_tile<T, 64>, x, y, z);
}

void run(const BroadcastStrided::Args& p, cudaStream_t stream) {
  if (p.layout.elements() == 0) return;
  const Layout l = collapse(p.layout);
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = wb::DeviceType<decltype(zero)>;
    const auto x = static_cast<const T*>(p.x), y = static_cast<const T*>(p.y);
    const auto z = static_cast<T*>(p.z);
    if (l.stride[1] != 1 || l.stride[2] <= 1)
      add_view(l, x, y, z, stream);
    else
      add_turned(l, x, y, z, stream);
  });
}

}  // namespace

WB_CUDA(BroadcastStrided, optimized, run);
