// Changes against step 3: the team that takes a row is as large as its row needs.
//
//   lanes    rows of up to 32 loads: 1 to 32 lanes, no barrier. A lane has two loads in flight:
//            both from its row where that has 16 or more (a shuffle less), else from two rows
//   blocks   longer rows: step 3's block. Where there are fewer rows than the device holds blocks,
//            several share a row. Each stores its value and takes a ticket (../shared/ticket.cuh);
//            the one with the last ticket combines the values, always in the same order
//
// Right for every shape; all_shapes/ has the last few percent, and is fast for odd rows as well.
//
// Predict: a row of 4 is a single load. How many shuffles does it need? And a row of 64?
#include <bit>

#include "../shared/pack.cuh"
#include "../shared/shuffle.cuh"
#include "../shared/ticket.cuh"
#include "rows.cuh"

namespace {

constexpr int kThreads = 256;                  // of lanes
constexpr int kMostThreads = 512, kLoads = 4;  // of a block that takes a row, or a piece of one

// A team has 2^bits lanes: a shift is one instruction, a division some twenty.
template <int kWidth, int kOfRow, int kRows, class Op, class T>
__global__ void __launch_bounds__(kThreads) by_lanes(Op, Rows<T> r, int bits) {
  const int lanes = 1 << bits, teams = kThreads >> bits, lane = threadIdx.x & (lanes - 1);
  const i64 first = i64{blockIdx.x} * (kRows * teams) + (threadIdx.x >> bits);
  const auto has = [&](int i, int j) {
    return first + i * teams < r.rows && (j * lanes + lane) * kWidth < r.columns;
  };
  Pack<T, kWidth> pack[kRows][kOfRow];
#pragma unroll
  for (int i = 0; i < kRows; ++i)
#pragma unroll
    for (int j = 0; j < kOfRow; ++j)
      if (has(i, j))
        pack[i][j] =
            Pack<T, kWidth>::load(r.begin(first + i * teams) + (j * lanes + lane) * kWidth);
  float value[kRows];
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    Accumulators<Op, T, kWidth> own;
#pragma unroll
    for (int j = 0; j < kOfRow; ++j)
      if (has(i, j)) own.take(pack[i][j]);
    value[i] = own.result();
  }
  for (int distance = lanes / 2; distance > 0; distance /= 2)
#pragma unroll
    for (float& v : value) v = Op::combine(v, __shfl_xor_sync(0xFFFF'FFFFu, v, distance));
#pragma unroll
  for (int i = 0; i < kRows; ++i)
    if (lane == 0 && first + i * teams < r.rows) r.finish(first + i * teams, value[i]);
}

template <class Op, class T>
__global__ void __launch_bounds__(kMostThreads, kResidentThreads / kMostThreads)
    by_blocks(Op, Rows<T> r, i64 piece, unsigned pieces, float* left, unsigned* tickets) {
  const unsigned row = blockIdx.x / pieces;
  const i64 begin = blockIdx.x % pieces * piece;
  const Packs<T> x(r.begin(row) + begin, min(piece, r.columns - begin));
  float value = thread_reduce<kLoads, Op>(x.pack, threadIdx.x, x.count, blockDim.x);
  value = block_reduce<Op>(Op::combine(value, x.template edge<Op>(threadIdx.x)));
  if (pieces > 1) {
    if (threadIdx.x == 0) left[blockIdx.x] = value;
    if (!is_last_block(tickets + row, pieces)) return;
    value = Op::identity();
    for (unsigned other = threadIdx.x; other < pieces; other += blockDim.x)
      value = Op::combine(value, __ldcg(left + row * pieces + other));
    value = block_reduce<Op>(value);
  }
  if (threadIdx.x == 0) r.finish(row, value);
}

template <int kWidth, class Op, class T> void lanes(Op op, const Rows<T>& r, cudaStream_t stream) {
  const auto loads = std::bit_ceil(static_cast<unsigned>(std::max<i64>(r.columns / kWidth, 1)));
  const int bits = std::countr_zero(loads >= 16 ? loads / 2 : loads), teams = kThreads >> bits;
  if (loads >= 16)
    by_lanes<kWidth, 2, 1><<<blocks(r.rows, teams), kThreads, 0, stream>>>(op, r, bits);
  else
    by_lanes<kWidth, 1, 2><<<blocks(r.rows, 2 * teams), kThreads, 0, stream>>>(op, r, bits);
}

auto make(const InnerAxis::Args& p) {
  const int wide = 16 / static_cast<int>(InnerAxis::element_bytes(p.dtype));
  const bool even = fill_packs({p.x}, p.columns | p.stride, wide);
  const unsigned warps = blocks(p.columns, i64{wide} * kLoads * kWarp);
  const unsigned threads = kWarp * std::clamp(warps, 1u, unsigned{kMostThreads / kWarp});
  const i64 places = wave(by_blocks<Plus, float>, kMostThreads) / std::max<i64>(p.rows, 1);
  const i64 steps = p.columns / (i64{kMostThreads} * kLoads * wide);  // of a block, in a row
  const i64 wanted = std::max<i64>(std::min(places, steps), 1);
  const i64 piece = std::max<i64>((p.columns + wanted - 1) / wanted, 1);
  const unsigned pieces = std::max(blocks(p.columns, piece), 1u);
  return [=, scratch = make_scratch(p.rows * pieces + 1, p.rows + 1)](cudaStream_t stream) {
    with_rows(p, [&](auto op, auto r) {
      using T = std::remove_cvref_t<decltype(*r.y)>;
      if (even && p.columns <= 32 * wide)
        lanes<Pack<T>::kWidth>(op, r, stream);
      else if (p.columns <= 32)
        lanes<1>(op, r, stream);
      else
        by_blocks<<<static_cast<unsigned>(r.rows) * pieces, threads, 0, stream>>>(
            op, r, piece, pieces, scratch.left.get(), scratch.tickets.get());
    });
  };
}

}  // namespace

WB_CUDA(InnerAxis, optimized, make);
