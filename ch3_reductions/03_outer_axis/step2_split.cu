// Changes against step 1: where there are few columns, several blocks share the rows of 32 columns,
// as many as keep the device busy. Each block stores 32 values, and a second kernel combines those
// of a column, always in the same order. (With atomic additions the order would change from run to
// run, and with it the last bits.)
//
// Predict: what is gained for a million rows of 64, and what for 8192 rows of 8192? How many lanes
// of a warp have work in rows of 4?
#include "columns.cuh"

namespace {

constexpr int kWarp = 32, kWarps = 16;
constexpr int kLeast = 4;       // rows per thread; with fewer, a block ends before it gets going
constexpr i64 kMost = 1 << 10;  // pieces of the rows

// Over the warps of the block; warp 0 gets it.
template <class Op> __device__ float over_warps(float value) {
  __shared__ float of_warp[kWarps][kWarp];
  of_warp[threadIdx.y][threadIdx.x] = value;
  __syncthreads();
  if (threadIdx.y == 0)
    for (int warp = 1; warp < kWarps; ++warp)
      value = Op::combine(value, of_warp[warp][threadIdx.x]);
  return value;
}

template <class Op, class T> __global__ void reduce(Op, Columns<T> c, i64 piece, float* left) {
  const i64 column = static_cast<i64>(blockIdx.x) * kWarp + threadIdx.x;
  const i64 begin = blockIdx.y * piece, end = min(begin + piece, c.rows);
  float value = Op::identity();
  if (column < c.columns)
    for (i64 row = begin + threadIdx.y; row < end; row += kWarps)
      value = Op::combine(value, c.at(row, column));
  value = over_warps<Op>(value);
  if (threadIdx.y == 0 && column < c.columns) left[blockIdx.y * c.columns + column] = value;
}

template <class Op, class T> __global__ void combine(Op, Columns<T> c, int pieces, float* left) {
  const i64 column = static_cast<i64>(blockIdx.x) * kWarp + threadIdx.x;
  float value = Op::identity();
  if (column < c.columns)
    for (int piece = threadIdx.y; piece < pieces; piece += kWarps)
      value = Op::combine(value, left[piece * c.columns + column]);
  value = over_warps<Op>(value);
  if (threadIdx.y == 0 && column < c.columns) c.finish(column, value);
}

auto make(const OuterAxis::Args& p) {
  const unsigned tiles = std::max(blocks(p.columns, kWarp), 1u);
  const i64 wanted = std::clamp<i64>(
      std::min<i64>(wave(reduce<Plus, float>, kWarp * kWarps) / tiles, p.rows / (kLeast * kWarps)),
      1, kMost);
  const i64 piece = std::max<i64>((p.rows + wanted - 1) / wanted, 1);
  const unsigned pieces = std::max(blocks(p.rows, piece), 1u);
  const auto left = wb::make_device_array<float>(pieces * p.columns + 1);
  return [=](cudaStream_t stream) {
    with_columns(p, [&](auto op, auto c) {
      const dim3 block(kWarp, kWarps);
      reduce<<<dim3(tiles, pieces), block, 0, stream>>>(op, c, piece, left.get());
      combine<<<tiles, block, 0, stream>>>(op, c, static_cast<int>(pieces), left.get());
    });
  };
}

}  // namespace

WB_CUDA(OuterAxis, step2_split, make);
