// Optional reading. Changes against optimized: it is fast for every matrix, because the shape of
// the matrix decides how the work is divided (plan.h):
//
//   tiles    lanes take up to 512 bytes of a row, a load each; a block's other threads take other
//            rows, and their sums meet in shared memory. Rows that begin anywhere work, too: a
//            thread's rows are a multiple of eight apart, and eight rows are always a multiple of
//            16 bytes, so all its loads can be aligned. Some loads begin a few columns before the
//            tile, which is corrected where the sums meet
//   width    few columns: narrower tiles, down to 128 bytes, until most multiprocessors have a
//            block. Alone on its multiprocessor a block has 512 threads
//   folding  short rows that follow one after the other are read as one: 32 rows of 4 are a row of
//            128 columns, in which 32 of them belong together. The block adds them up at its end
//   pieces   fewer columns than that: blocks share the rows of a tile. Each stores its values and
//            takes a ticket; the block with the last ticket combines them, always in the same order
//   at once  few rows that begin at multiples of 16 bytes, in whole tiles: a single step of loads,
//            with few instructions before it. In a small matrix that shows
//   walks    fewer rows than a block has warps, or few rows and so many columns that the device is
//            full of threads: a thread per load of 16 bytes walks down, as in the baseline, or a
//            thread per column where rows begin anywhere. Then it asks for 16 rows at a time
//
// Why so few blocks: 512 threads with eight loads each have 64 KiB in flight on a multiprocessor,
// where tens of KiB are needed. And why narrow tiles come before pieces: blocks that begin at the
// same row read the matrix together, from its first byte to its last. Pieces read it at many places
// at a time, and each has to store its values and take a ticket.
//
// A ticket counter returns to 0 by itself, so each call leaves the scratch as it found it. The
// scratch belongs to this set-up: two streams may run two set-ups at a time, but not one.
//
// Predict: 16 Mi rows of 4 and 8192 rows of 8192 are equally many bytes. Which takes longer? And
// what do 8191 columns cost, where three rows of four begin at an odd place?
#include <cuda/atomic>

#include "packs.cuh"

namespace {

// `sums` has `groups` rows of `width`; afterwards the first one holds their sum. Halves are
// combined with halves.
template <class Op> __device__ void over_groups(float* sums, int groups, int width) {
  while (groups > 1) {
    const int half = (groups + 1) / 2, i = threadIdx.x;
    __syncthreads();
    if (i < half * width && i + half * width < groups * width)
      sums[i] = Op::combine(sums[i], sums[i + half * width]);
    groups = half;
  }
  __syncthreads();
}

// The values of `count` pieces for `width` columns, over the pieces: `left` begins with the first
// one's, `next` floats behind are the next one's. They come from L2, where other blocks put them.
template <class Op>
__device__ float over_pieces(const float* left, i64 next, int count, int width, float* sums) {
  constexpr int kValues = 8;  // in flight per thread
  const int threads = static_cast<int>(blockDim.x);
  const int groups = min(threads / width, count), group = threadIdx.x / width;
  float value = Op::identity();
  for (int first = group; group < groups && first < count; first += kValues * groups) {
    float more[kValues];
#pragma unroll
    for (int i = 0; i < kValues; ++i) {
      const int piece = first + i * groups;
      more[i] = piece < count ? __ldcg(left + piece * next + threadIdx.x % width) : Op::identity();
    }
#pragma unroll
    for (int i = 0; i < kValues; ++i) value = Op::combine(value, more[i]);
  }
  sums[threadIdx.x] = value;
  over_groups<Op>(sums, groups, width);
  return sums[threadIdx.x];
}

// For a whole block that has stored its values: whether it is the last of `all` to come here. What
// the others stored is to be seen then (01_sum says why).
__device__ bool is_last(unsigned* ticket, unsigned all) {
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> count(*ticket);
    last = count.fetch_add(1, cuda::memory_order_acq_rel) == all - 1;
    if (last) count.store(0, cuda::memory_order_relaxed);  // for the next launch
  }
  __syncthreads();
  return last;
}

// Eight loads in flight need registers: the second bound says how many blocks share them.
template <int kBlock, class Op, class T>
__global__ void __launch_bounds__(kBlock, kBlock == kThreads ? kResident : 1)
    reduce(Op, Columns<T> c, Plan p, float* left, unsigned* tickets) {
  constexpr int kWidth = Pack<T>::kWidth;
  static_assert(kWarp * kWidth <= kThreads, "a thread per column where they meet");
  __shared__ float sums[kBlock * kWidth];
  const unsigned tile = blockIdx.x, piece = blockIdx.y;
  const int thread = threadIdx.x;
  const i64 first = static_cast<i64>(tile) * p.tile;
  const int columns = static_cast<int>(min(i64{p.tile}, p.columns - first));

  // This thread's rows, and the column of its loads, from `first` on: down to -7 where rows begin
  // behind a multiple of 16 bytes. (Shifts, for a division by a number that the compiler does not
  // know takes some twenty instructions.)
  const int bits = __ffs(p.lanes) - 1, row_bits = __ffs(kBlock) - 1 - bits;
  const int lane = thread & (p.lanes - 1);
  const i64 row = piece * p.piece + (thread >> bits);
  const i64 end = min((piece + 1) * p.piece, p.rows), begin = row * p.stride + first;
  const auto address = reinterpret_cast<std::uintptr_t>(c.x) + begin * sizeof(T);
  const int column = lane * kWidth - static_cast<int>(address % kLoadBytes / sizeof(T));
  const int count =
      column < columns && row < end ? static_cast<int>((end - 1 - row) >> row_bits) + 1 : 0;
  Accumulators<Op, T> mine = down_columns<Op>(c, begin + column, p.stride << row_bits, count);

  // Lanes of a warp that share a column meet first. Where rows begin anywhere they share none: the
  // rows of a warp may lie differently, and each leaves a line of its own.
  for (int distance = p.together / 2; distance >= p.lanes; distance /= 2)
#pragma unroll
    for (float& v : mine.value) v = Op::combine(v, __shfl_xor_sync(0xFFFFFFFF, v, distance));
  const int line_bits = __ffs(p.together) - 1, lines = kBlock >> line_bits;
  float* const own = sums + (thread >> line_bits) * p.tile;
  if ((thread & (p.together - 1)) < p.lanes)
#pragma unroll
    for (int i = 0; i < kWidth; ++i)
      if (column + i >= 0 && column + i < columns) own[column + i] = mine.value[i];
  __syncthreads();
  float all = Op::identity();
  if (thread < columns)
#pragma unroll 8
    for (int line = 0; line < lines; ++line) all = Op::combine(all, sums[line * p.tile + thread]);
  if (p.fold > 1) {
    __syncthreads();
    if (thread < columns) sums[thread] = all;
    over_groups<Op>(sums, static_cast<int>(p.fold), static_cast<int>(c.columns));
    if (thread < columns) all = sums[thread];
  }

  const int width = p.fold > 1 ? static_cast<int>(c.columns) : columns;
  if (p.pieces > 1) {
    if (thread < width) left[piece * c.columns + first + thread] = all;
    if (!is_last(&tickets[tile], static_cast<unsigned>(p.pieces))) return;
    all = over_pieces<Op>(left + first, c.columns, static_cast<int>(p.pieces), width, sums);
  }
  if (thread < width) c.finish(first + thread, all);
}

// A tile in one step: without loops, tiles that are cut short, rows that begin anywhere and numbers
// of 64 bits, a few instructions lead to the first load. kFull: there is a row for every load. The
// order of additions is that of `reduce`.
template <bool kFull, int kLanes, int kOwn, class Op, class T>
__global__ void __launch_bounds__(kThreads, kResident) in_one_step(Op, Columns<T> c) {
  constexpr int kWidth = Pack<T>::kWidth, kTile = kLanes * kWidth;
  constexpr int kDeep = kThreads / kLanes, kLines = kThreads / kWarp;
  static_assert(kTile <= kThreads, "a thread per column where they meet");
  __shared__ float sums[kLines][kTile];
  const int thread = threadIdx.x, row = thread / kLanes, column = thread % kLanes * kWidth;
  const int first = static_cast<int>(blockIdx.x) * kTile;
  const int rows = static_cast<int>(c.rows), stride = static_cast<int>(c.stride);
  Pack<T> pack[kOwn];
#pragma unroll
  for (int i = 0; i < kOwn; ++i) {
    const int own = row + i * kDeep;
    pack[i] = nothing<Op, T>();
    if (kFull || own < rows) pack[i] = Pack<T>::load(c.x + (own * stride + first + column));
  }
  Accumulators<Op, T> own;
#pragma unroll
  for (int i = 0; i < kOwn; ++i) own.take(pack[i]);
#pragma unroll
  for (int distance = kWarp / 2; distance >= kLanes; distance /= 2)
#pragma unroll
    for (float& v : own.value) v = Op::combine(v, __shfl_xor_sync(0xFFFFFFFF, v, distance));
  if (thread % kWarp < kLanes)
#pragma unroll
    for (int i = 0; i < kWidth; ++i) sums[thread / kWarp][column + i] = own.value[i];
  __syncthreads();
  if (thread >= kTile) return;
  float all = Op::identity();
#pragma unroll
  for (int line = 0; line < kLines; ++line) all = Op::combine(all, sums[line][thread]);
  c.finish(first + thread, all);
}

// Few rows: a thread walks down the columns of one load. It asks for kDeep rows before it uses the
// first; where there are fewer left, with identities instead of the others, so that nothing is
// asked around the additions.
template <int kOwn, int kDeep, class Op, class T>
__global__ void __launch_bounds__(kThreads) walk(Op, Columns<T> c) {
  const i64 column = (static_cast<i64>(blockIdx.x) * kThreads + threadIdx.x) * kOwn;
  if (column >= c.columns) return;
  Accumulators<Op, T, kOwn> own;
  const T* x = c.x + column;
  const int rows = static_cast<int>(c.rows);
#pragma unroll 1
  for (int row = 0; row < rows; row += kDeep, x += kDeep * c.stride) {
    Pack<T, kOwn> pack[kDeep];
#pragma unroll
    for (int i = 0; i < kDeep; ++i) {
      pack[i] = nothing<Op, T, kOwn>();
      if (row + i < rows) pack[i] = Pack<T, kOwn>::load(x + i * c.stride);
    }
#pragma unroll
    for (int i = 0; i < kDeep; ++i) own.take(pack[i]);
  }
#pragma unroll
  for (int i = 0; i < kOwn; ++i) c.finish(column + i, own.value[i]);
}

Plan plan_of(const OuterAxis::Args& p) {
  return plan_columns(p.rows, p.columns,
                      {static_cast<int>(OuterAxis::element_bytes(p.dtype)), p.stride,
                       reinterpret_cast<std::uintptr_t>(p.x)},
                      multiprocessors());
}

template <int kNumber> using Number = std::integral_constant<int, kNumber>;

template <class Op, class T>
void launch(const Plan& plan, Op op, Columns<T> c, float* left, unsigned* tickets,
            cudaStream_t stream) {
  const dim3 grid(plan.tiles, plan.pieces);
  const auto one_step = [&](auto lanes) {
    constexpr int kDeep = kThreads / lanes, kFew = kLoads / 2;
    if (plan.rows == kDeep * kFew)
      in_one_step<true, lanes, kFew><<<grid, kThreads, 0, stream>>>(op, c);
    else if (plan.rows == kDeep * kLoads)
      in_one_step<true, lanes, kLoads><<<grid, kThreads, 0, stream>>>(op, c);
    else
      in_one_step<false, lanes, kLoads><<<grid, kThreads, 0, stream>>>(op, c);
  };
  static_assert(kLeastLanes == kWarp / 4, "three numbers of lanes");
  const auto walks = [&](auto own, auto deep) {  // those with a row or two without idle additions
    constexpr int kShallow = kLoads / 2;
    const unsigned grid = blocks(plan.tiles, kThreads);
    if (plan.rows <= kShallow)
      walk<own, kShallow><<<grid, kThreads, 0, stream>>>(op, c);
    else
      walk<own, deep><<<grid, kThreads, 0, stream>>>(op, c);
  };
  if (plan.walk && plan.tile > 1)
    walks(Number<Pack<T>::kWidth>(), Number<kLoads>());
  else if (plan.walk)
    walks(Number<1>(), Number<kSingleLoads>());
  else if (plan.one_step && plan.lanes == kWarp)
    one_step(Number<kWarp>());
  else if (plan.one_step && plan.lanes == kWarp / 2)
    one_step(Number<kWarp / 2>());
  else if (plan.one_step)
    one_step(Number<kWarp / 4>());
  else if (plan.threads == kThreads)
    reduce<kThreads><<<grid, kThreads, 0, stream>>>(op, c, plan, left, tickets);
  else
    reduce<kAloneThreads><<<grid, kAloneThreads, 0, stream>>>(op, c, plan, left, tickets);
}

auto make(const OuterAxis::Args& p) {
  const Plan plan = plan_of(p);
  const bool shared = plan.pieces > 1;
  const auto left = wb::make_device_array<float>(shared ? plan.pieces * p.columns : 1);
  const auto tickets = wb::make_device_zeros<unsigned>(shared ? plan.tiles : 1);
  return [=](cudaStream_t stream) {
    with_columns(p,
                 [&](auto op, auto c) { launch(plan, op, c, left.get(), tickets.get(), stream); });
  };
}

}  // namespace

WB_CUDA(OuterAxis, all_shapes, make);
WB_CASE_NOTE(OuterAxis, [](const OuterAxis::Args& p) { return plan_of(p).text(); });
