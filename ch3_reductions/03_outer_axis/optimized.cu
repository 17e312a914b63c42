// Changes against step 3: before blocks share rows, tiles become narrower, down to 128 bytes of a
// row, until most multiprocessors have a block. Where blocks do share rows, the block that is done
// last combines the values of the others (../shared/ticket.cuh), so one launch is enough.
//
// Why narrow tiles come first: blocks that begin at the same row read the matrix together, from its
// first byte to its last. Blocks that share rows read at many places at a time, and each of them
// has to store its values and take a ticket.
//
// Why one block per multiprocessor is enough: 512 threads with eight loads of 16 bytes have 64 KiB
// in flight, where tens of KiB are needed. They get the registers for that by step 3's 1.
//
// Right for every matrix; fast for thousands of columns where rows begin at multiples of 16 bytes.
//
// Predict: how wide is a tile for 8192 columns in fp32, and in bf16? How many rows does a warp read
// at a time?
#include "../shared/pack.cuh"
#include "../shared/ticket.cuh"
#include "columns.cuh"

namespace {

constexpr int kWarp = 32, kThreads = 512;
constexpr int kLoads = 8;       // per thread, in flight
constexpr int kLeastLanes = 8;  // 128 bytes of a row

// A group of kLanes lanes takes neighbouring columns of a row, and the groups of a block take
// different rows of these columns.
template <int kLanes, int kWidth, class Op, class T>
__global__ void __launch_bounds__(kThreads, 1)
    reduce(Op, Columns<T> c, i64 piece, float* left, unsigned* tickets) {
  constexpr int kTile = kLanes * kWidth, kDeep = kThreads / kLanes, kWarps = kThreads / kWarp;
  __shared__ float of_warp[kWarps][kTile];
  const int thread = threadIdx.x, own_column = thread % kLanes * kWidth;
  const i64 first = blockIdx.x * i64{kTile};
  Accumulators<Op, T, kWidth> own;
  if (first + own_column < c.columns) {
    const i64 begin = blockIdx.y * piece, end = min(begin + piece, c.rows);
    const T* const x = c.x + first + own_column;
    i64 row = begin + thread / kLanes;
    for (; row + (kLoads - 1) * kDeep < end; row += kLoads * kDeep) {
      Pack<T, kWidth> pack[kLoads];
#pragma unroll
      for (int i = 0; i < kLoads; ++i)
        pack[i] = Pack<T, kWidth>::load(x + (row + i * kDeep) * c.stride);
#pragma unroll
      for (int i = 0; i < kLoads; ++i) own.take(pack[i]);
    }
    for (; row < end; row += kDeep) own.take(Pack<T, kWidth>::load(x + row * c.stride));
  }

  // Lanes of a warp that have the same columns meet first, then the warps.
#pragma unroll
  for (float& v : own.value)
    for (int distance = kWarp / 2; distance >= kLanes; distance /= 2)
      v = Op::combine(v, __shfl_xor_sync(0xFFFF'FFFFu, v, distance));
  if (thread % kWarp < kLanes)
#pragma unroll
    for (int i = 0; i < kWidth; ++i) of_warp[thread / kWarp][own_column + i] = own.value[i];
  __syncthreads();
  const bool has_column = thread < kTile && first + thread < c.columns;
  float value = Op::identity();
  if (has_column)
#pragma unroll
    for (int warp = 0; warp < kWarps; ++warp) value = Op::combine(value, of_warp[warp][thread]);

  if (gridDim.y > 1) {
    if (has_column) left[blockIdx.y * c.columns + first + thread] = value;
    if (!is_last_block(tickets + blockIdx.x, gridDim.y)) return;
    value = Op::identity();
    if (has_column)
#pragma unroll 8
      for (unsigned other = 0; other < gridDim.y; ++other)  // always in this order
        value = Op::combine(value, __ldcg(left + other * c.columns + first + thread));
  }
  if (has_column) c.finish(first + thread, value);
}

auto make(const OuterAxis::Args& p) {
  const int wide = 16 / static_cast<int>(OuterAxis::element_bytes(p.dtype));
  const int width = fill_packs({p.x}, p.columns | p.stride, wide) ? wide : 1;
  const unsigned enough = std::max(multiprocessors() * 3 / 4, 1);
  int lanes = kWarp;
  while (lanes > kLeastLanes && blocks(p.columns, i64{lanes} * width) < enough) lanes /= 2;
  const unsigned tiles = std::max(blocks(p.columns, i64{lanes} * width), 1u);
  const i64 step = i64{kThreads} / lanes * kLoads;  // rows that a block asks for at a time
  const i64 wanted = std::clamp<i64>(p.rows / step, 1, std::max(multiprocessors() / tiles, 1u));
  const i64 piece = std::max<i64>((p.rows + wanted - 1) / wanted, 1);
  const unsigned pieces = std::max(blocks(p.rows, piece), 1u);
  return [=, scratch = make_scratch(pieces * p.columns + 1, tiles)](cudaStream_t stream) {
    with_columns(p, [&](auto op, auto c) {
      const auto launch = [&](auto kernel) {
        kernel<<<dim3(tiles, pieces), kThreads, 0, stream>>>(op, c, piece, scratch.left.get(),
                                                             scratch.tickets.get());
      };
      using Op = decltype(op);
      using T = std::remove_cvref_t<decltype(*c.y)>;
      constexpr int kWide = Pack<T>::kWidth;
      if (width == 1)
        launch(lanes == 32   ? reduce<32, 1, Op, T>
               : lanes == 16 ? reduce<16, 1, Op, T>
                             : reduce<8, 1, Op, T>);
      else
        launch(lanes == 32   ? reduce<32, kWide, Op, T>
               : lanes == 16 ? reduce<16, kWide, Op, T>
                             : reduce<8, kWide, Op, T>);
    });
  };
}

}  // namespace

WB_CUDA(OuterAxis, optimized, make);
