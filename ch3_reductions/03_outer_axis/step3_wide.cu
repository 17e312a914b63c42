// Changes against step 2: a lane has 16 bytes of a row, four columns in fp32 and eight in bf16, and
// a thread asks for eight rows before it adds up the first. (Where rows do not begin at multiples
// of 16 bytes, a lane has one column as before.) A block of 512 threads then has 64 KiB in flight,
// so one on a multiprocessor is enough. The compiler has to be told that by the 1 in
// __launch_bounds__. Otherwise it saves some of the 32 registers that 8 loads of 16 bytes take, so
// that three blocks fit, and waits between loads. (H200, 2026-11-25, 8192 rows of 8192: without the
// 1 73.4 us in fp32 and 43.3 us in bf16, with it 66.4 and 33.9 us. For 64 rows of 1 Mi the 1 costs
// time, because a block ends soon and no next one is ready: 107 us instead of 71.6.)
//
// (Step 2 on an H200: a million rows of 64 take 68.0 us instead of 3.77 ms; 8192 rows of 8192 gain
// nothing.)
//
// Predict: 8192 columns in fp32 are 64 tiles of 128 now, for 132 multiprocessors. So two blocks
// share the rows of each. Which of the two types gains more?
#include "../shared/pack.cuh"
#include "columns.cuh"

namespace {

constexpr int kWarp = 32, kWarps = 16;
constexpr int kLoads = 8;  // per thread, in flight

template <int kWidth, class Op, class T>
__global__ void __launch_bounds__(kWarp* kWarps, 1)
    reduce(Op, Columns<T> c, i64 piece, float* left) {
  __shared__ float of_warp[kWarps][kWarp * kWidth];
  const i64 first = blockIdx.x * i64{kWarp * kWidth}, column = first + threadIdx.x * kWidth;
  const i64 begin = blockIdx.y * piece, end = min(begin + piece, c.rows);
  Accumulators<Op, T, kWidth> own;
  if (column < c.columns) {
    const T* const x = c.x + column;
    i64 row = begin + threadIdx.y;
    for (; row + (kLoads - 1) * kWarps < end; row += kLoads * kWarps) {
      Pack<T, kWidth> pack[kLoads];
#pragma unroll
      for (int i = 0; i < kLoads; ++i)
        pack[i] = Pack<T, kWidth>::load(x + (row + i * kWarps) * c.stride);
#pragma unroll
      for (int i = 0; i < kLoads; ++i) own.take(pack[i]);
    }
    for (; row < end; row += kWarps) own.take(Pack<T, kWidth>::load(x + row * c.stride));
  }
#pragma unroll
  for (int i = 0; i < kWidth; ++i) of_warp[threadIdx.y][threadIdx.x * kWidth + i] = own.value[i];
  __syncthreads();
  const int thread = threadIdx.y * kWarp + threadIdx.x;
  if (thread >= kWarp * kWidth || first + thread >= c.columns) return;
  float value = Op::identity();
  for (int warp = 0; warp < kWarps; ++warp) value = Op::combine(value, of_warp[warp][thread]);
  left[blockIdx.y * c.columns + first + thread] = value;
}

// A thread per column, for the few values that the blocks left.
template <class Op, class T>
__global__ void combine(Op, Columns<T> c, int pieces, const float* left) {
  const i64 column = blockIdx.x * i64{blockDim.x} + threadIdx.x;
  if (column >= c.columns) return;
  float value = Op::identity();
  for (int piece = 0; piece < pieces; ++piece)
    value = Op::combine(value, left[piece * c.columns + column]);
  c.finish(column, value);
}

auto make(const OuterAxis::Args& p) {
  const int wide = 16 / static_cast<int>(OuterAxis::element_bytes(p.dtype));
  const int width = fill_packs({p.x}, p.columns | p.stride, wide) ? wide : 1;
  const i64 step = kWarps * kLoads;  // rows that a block asks for at a time
  const unsigned tiles = std::max(blocks(p.columns, i64{kWarp} * width), 1u);
  const i64 wanted = std::clamp<i64>(p.rows / step, 1, std::max(multiprocessors() / tiles, 1u));
  const i64 piece = std::max<i64>((p.rows + wanted - 1) / wanted, 1);
  const unsigned pieces = std::max(blocks(p.rows, piece), 1u);
  const auto left = wb::make_device_array<float>(pieces * p.columns + 1);
  return [=](cudaStream_t stream) {
    with_columns(p, [&](auto op, auto c) {
      const dim3 grid(tiles, pieces), block(kWarp, kWarps);
      using T = std::remove_cvref_t<decltype(*c.y)>;
      if (width > 1)
        reduce<Pack<T>::kWidth><<<grid, block, 0, stream>>>(op, c, piece, left.get());
      else
        reduce<1><<<grid, block, 0, stream>>>(op, c, piece, left.get());
      combine<<<blocks(c.columns, 256), 256, 0, stream>>>(op, c, static_cast<int>(pieces),
                                                          left.get());
    });
  };
}

}  // namespace

WB_CUDA(OuterAxis, step3_wide, make);
