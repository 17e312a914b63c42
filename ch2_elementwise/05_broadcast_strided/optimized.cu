// Changes against step 2: where y is stored along the columns, a block takes a square tile of it
// through shared memory. The block reads y as it is stored, reads x and writes z along the rows,
// and transposes the tile in between (lesson ch1_basics/03_transpose). Elements of 16 bits go two
// by two (pairs.cuh). All other views: as in step 2.
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

// kWhole: each tile is complete, so no access needs a condition. Three blocks per multiprocessor:
// otherwise large tiles with conditions take registers for two.
template <class T, int kTile, bool kWhole>
__global__ void __launch_bounds__(kColumns* kRows, 3)
    add_turned_tile(Layout l, unsigned across, unsigned down, const T* x, const T* y, T* z) {
  __shared__ float tile[in_tile<kTile>(kTile, 0)];
  constexpr int kWide = kTile / kColumns, kSteps = kWide * (kTile / kRows);
  const Block block = own_block(across, down);
  const wb::i64 rows = l.size[1], columns = l.size[2];
  const wb::i64 row0 = wb::i64{block.down} * kTile, column0 = wb::i64{block.across} * kTile;
  const int height = min(rows - row0, wb::i64{kTile});
  const int width = min(columns - column0, wb::i64{kTile});
  const int lane = threadIdx.x, high = threadIdx.y;
  const auto in_rows = [&](int i) { return kWhole || i < height; };
  const auto in_columns = [&](int i) { return kWhole || i < width; };
  // To the thread's first element: of y in line `high` of its tile; of x and z in that row.
  const wb::i64 at = (block.matrix * rows + row0 + high) * columns + column0 + lane;
  x += at, z += at;
  y += block.matrix * l.stride[0] + (column0 + high) * l.stride[2] + row0 + lane;

  T u[kSteps], v[kSteps];
#pragma unroll
  for (int i = 0; i < kSteps; ++i) {
    const int below = i / kWide * kRows, along = i % kWide * kColumns;
    if (in_rows(lane + along) && in_columns(high + below)) v[i] = y[below * l.stride[2] + along];
    if (in_rows(high + below) && in_columns(lane + along)) u[i] = x[below * columns + along];
  }
#pragma unroll
  for (int i = 0; i < kSteps; ++i)
    tile[in_tile<kTile>(high + i / kWide * kRows, lane + i % kWide * kColumns)] =
        wb::to_float(v[i]);
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kSteps; ++i) {
    const int below = i / kWide * kRows, along = i % kWide * kColumns;
    if (in_rows(high + below) && in_columns(lane + along))
      z[below * columns + along] =
          wb::from_float<T>(wb::to_float(u[i]) + tile[in_tile<kTile>(lane + along, high + below)]);
  }
}

template <class T>
void add_turned(const Layout& l, const T* x, const T* y, T* z, cudaStream_t stream) {
  const auto launch = [&](int tile, auto kernel, auto x, auto y, auto z) {
    const wb::i64 across = (l.size[2] + tile - 1) / tile, down = (l.size[1] + tile - 1) / tile;
    kernel<<<grid_of(across, down, l.size[0]), dim3(kColumns, kRows), 0, stream>>>(l, across, down,
                                                                                   x, y, z);
    WB_CHECK(cudaGetLastError());
  };
  const auto in_tiles = [&](auto of) {
    constexpr int kTile = decltype(of)::value;
    const bool whole = l.size[1] % kTile == 0 && l.size[2] % kTile == 0;
    const auto kernel = whole ? add_turned_tile<T, kTile, true> : add_turned_tile<T, kTile, false>;
    launch(kTile, kernel, x, y, z);
  };
  // A small array has small tiles, so that all multiprocessors get some.
  constexpr wb::i64 kFew = sizeof(T) == 4 ? 2048 * 2048 : 1024 * 1024;
  if (l.elements() <= kFew) return in_tiles(std::integral_constant<int, 32>());
  if constexpr (sizeof(T) == 2)
    if (in_words(l, x, y, z))
      return launch(kSide, add_turned_words<T>, words(x), words(y), words(z));
  in_tiles(std::integral_constant<int, 64>());
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
