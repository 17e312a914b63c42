// Optional reading. Changes against optimized: the last few percent for every shape. Among more
// teams, each with kernels of its own, one is chosen by the shape (plan.h):
//
//   lanes    rows of up to 32 loads: 1 to 32 lanes per row, two loads per lane where the row has
//            16 or more; where it has one per lane, two rows at once. Where rows fill all lanes
//            and all blocks, the compiler knows that, and how many lanes there are
//   staged   many short rows that begin at odd places: a block copies its rows to shared memory in
//            loads of 16 bytes, and teams of lanes sum them there (staged.cuh)
//   warp     rows of less than 4 KiB, where there are many: four loads per lane, no barrier. They
//            are too many for a block each, which takes time to start
//   block    longer rows: as many threads as have two loads each, or four. Of aligned rows up to
//            512 threads have all in flight at once; other rows 256 threads take step by step
//   blocks   rows for half of the blocks that the device holds at a time, or fewer: pieces of whole
//            16 KiB. Each block stores its value and takes a ticket; the one with the row's last
//            ticket combines all values, always in the same order
//
// Why two loads per lane instead of two lanes: a thread has as much in flight, and each row takes
// one shuffle less. Why four loads and no more: a multiprocessor has 65,536 registers for up to
// 2048 threads, so with more than 32 registers per thread fewer threads fit. Four loads are 16
// registers. With all 2048 threads, 128 KiB are in flight, more than an H200 needs by Little's law,
// and 1056 blocks run at a time: the 1024 rows of a matrix need no second wave.
//
// Why twice the threads rather than two steps: the loads of a second step are asked for when those
// of the first have come.
//
// Why a kernel for rows that fill all lanes: a small matrix is read so soon that the instructions
// before the first load show. There are fewer where nothing is to be asked, and where 32 bits hold
// the number of any element.
//
// Why tickets and no atomic additions: the same input gives the same bits. A ticket counter returns
// to 0 by itself, so each call leaves the scratch as it found it. The scratch belongs to this
// set-up: two streams may run two set-ups at a time, but not one.
//
// Predict: a row of 4 is a single load. How many shuffles does it need? And a row of 64?
#include <cuda/atomic>

#include "packs.cuh"
#include "staged.cuh"

namespace {

// Blocks of 256 threads that a multiprocessor must have registers for: all that it has a place for.
// Eight leave 32 registers per thread.
constexpr int kHeld = kResidentThreads / kThreads;

// A team has 2^bits lanes: a shift is one instruction, a division by a number that the compiler
// does not know some twenty. Several rows go through each step of shuffles together, so that a
// shuffle waits for one of its own row only. kLanes: where all lanes have all their loads, how many
// they are; else 0.
template <int kLanes, int kWidth, int kLoads, int kRows, class Op, class T>
__global__ void __launch_bounds__(kThreads, kHeld) by_lanes(Op, Rows<T> r, int bits) {
  constexpr bool kFull = kLanes > 0;
  using Index = std::conditional_t<kFull, int, i64>;
  if (kFull) bits = std::countr_zero(static_cast<unsigned>(kLanes));
  const int lanes = 1 << bits, teams = kThreads >> bits, lane = threadIdx.x & (lanes - 1);
  const Index first = (static_cast<Index>(blockIdx.x) * kRows * kThreads + threadIdx.x) >> bits;
  const Index stride = static_cast<Index>(r.stride);
  const int columns = static_cast<int>(r.columns);
  const auto column = [&](int j) { return (j * lanes + lane) * kWidth; };
  const auto has_row = [&](int i) { return kFull || first + i * teams < r.rows; };
  const auto has = [&](int i, int j) { return kFull || (column(j) < columns && has_row(i)); };
  Pack<T, kWidth> pack[kRows][kLoads];
#pragma unroll
  for (int i = 0; i < kRows; ++i)
#pragma unroll
    for (int j = 0; j < kLoads; ++j)
      if (has(i, j)) {
        const T* const from = r.x + ((first + i * teams) * stride + column(j));
        pack[i][j] = kLoads > 1 || bits ? load_once<kWidth>(from) : load<kWidth>(from);
      }
  float value[kRows];
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    constexpr int kValues = kWords<T, kWidth>;
    float of_word[kValues];
    to_values<Op>(pack[i][0], of_word);
#pragma unroll
    for (int j = 1; j < kLoads; ++j)
      if (has(i, j)) {
        float more[kValues];
        to_values<Op>(pack[i][j], more);
#pragma unroll
        for (int k = 0; k < kValues; ++k) of_word[k] = Op::combine(of_word[k], more[k]);
      }
    const float all = over_array<Op>(of_word);
    value[i] = has(i, 0) ? all : Op::identity();
  }
  over_lanes<Op>(value, lanes);
#pragma unroll
  for (int i = 0; i < kRows; ++i)
    if (lane == 0 && has_row(i)) r.finish(first + i * teams, value[i]);
}

template <class Op, class T>
__global__ void __launch_bounds__(kThreads, kHeld) by_warp(Op, Rows<T> r) {
  const i64 row = (static_cast<i64>(blockIdx.x) * kThreads + threadIdx.x) / kWarp;
  if (row >= r.rows) return;
  const int lane = threadIdx.x % kWarp;
  const float value = over_lanes<Op>(own_share<kLoads, Op>(r.begin(row), r.columns, lane, kWarp));
  if (lane == 0) r.finish(row, value);
}

// A block per row of whole loads, all of which it has in flight at once.
template <int kOwn, class Op, class T>
__global__ void __launch_bounds__(kWholeThreads, kHeld* kMostThreads / kWholeThreads)
    whole_row(Op, Rows<T> r) {
  const int packs = static_cast<int>(r.columns) / (kLoadBytes / static_cast<int>(sizeof(T)));
  const float value =
      over_block<Op>(whole_share<kOwn, Op>(r.begin(blockIdx.x), packs, threadIdx.x));
  if (threadIdx.x == 0) r.finish(blockIdx.x, value);
}

// `left`: a value per block. `tickets`: how many blocks of a row are done; 0 before and after.
template <int kOfRow, class Op, class T>
__global__ void __launch_bounds__(kMostThreads, kHeld)
    by_blocks(Op, Rows<T> r, i64 piece, unsigned pieces, float* left, unsigned* tickets) {
  const unsigned row = blockIdx.x / pieces, own = blockIdx.x % pieces;
  const i64 from = own * piece, count = r.columns - from < piece ? r.columns - from : piece;
  float value =
      over_block<Op>(own_share<kOfRow, Op>(r.begin(row) + from, count, threadIdx.x, blockDim.x));
  if (threadIdx.x >= kWarp) return;
  const int lane = threadIdx.x;
  if (pieces > 1) {
    unsigned before = 0;
    if (lane == 0) {
      left[blockIdx.x] = value;
      cuda::atomic_ref<unsigned, cuda::thread_scope_device> count(tickets[row]);
      before = count.fetch_add(1, cuda::memory_order_acq_rel);               // 01_sum says why so
      if (before == pieces - 1) count.store(0, cuda::memory_order_relaxed);  // for the next launch
    }
    __syncwarp();
    if (__shfl_sync(0xFFFFFFFF, before, 0) != pieces - 1) return;
    value = Op::identity();
    for (unsigned i = lane; i < pieces; i += kWarp)
      value = Op::combine(value, __ldcg(&left[row * pieces + i]));  // past L1, which may be stale
    value = over_lanes<Op>(value);
  }
  if (lane == 0) r.finish(row, value);
}

Plan plan_of(const InnerAxis::Args& p) {
  const int all = multiprocessors();
  const auto kernel = by_blocks<kLoads, Plus, float>;
  return plan_rows(p.rows, p.columns,
                   {static_cast<int>(InnerAxis::element_bytes(p.dtype)), p.stride,
                    reinterpret_cast<std::uintptr_t>(p.x)},
                   all, static_cast<int>(wave(kernel, kMostThreads)) / all);
}

template <int kNumber> using Number = std::integral_constant<int, kNumber>;

template <class Op, class T>
void launch(const Plan& plan, Op op, Rows<T> rows, float* left, unsigned* tickets,
            cudaStream_t stream) {
  const auto none = [&] { throw std::logic_error("no kernel for " + plan.text()); };
  const auto lanes = [&](auto known, auto width, auto loads, auto together) {
    const unsigned grid = blocks(rows.rows, i64{together} * kThreads / plan.lanes);
    const int bits = std::countr_zero(static_cast<unsigned>(plan.lanes));
    by_lanes<known, width, loads, together><<<grid, kThreads, 0, stream>>>(op, rows, bits);
  };
  const auto of_width = [&](auto width) {
    if (plan.together > 1)
      lanes(Number<0>(), width, Number<1>(), Number<kTogether>());
    else if (plan.loads == 1)
      lanes(Number<0>(), width, Number<1>(), Number<1>());
    else if (plan.loads == 2)
      lanes(Number<0>(), width, Number<2>(), Number<1>());
    else
      lanes(Number<0>(), width, Number<kLaneLoads>(), Number<1>());
  };
  constexpr int kWide = kLoadBytes / sizeof(T);
  const auto full = [&](auto packs) {  // of a row
    constexpr int kOwn = loads_per_lane(packs, kLoadBytes);
    const Number<packs / kOwn> known;
    if (plan.together == 1)
      lanes(known, Number<kWide>(), Number<kOwn>(), Number<1>());
    else if constexpr (kOwn == 1)
      lanes(known, Number<kWide>(), Number<1>(), Number<kTogether>());
  };
  const auto of_full = [&] {
    switch (plan.lanes * plan.loads) {
      case 1: return full(Number<1>());
      case 2: return full(Number<2>());
      case 4: return full(Number<4>());
      case 8: return full(Number<8>());
      case 16: return full(Number<16>());
      case 32: return full(Number<32>());
      default: none();
    }
  };
  const auto of_block = [&](auto loads) {
    by_blocks<loads><<<static_cast<unsigned>(rows.rows * plan.pieces), plan.threads, 0, stream>>>(
        op, rows, plan.piece, static_cast<unsigned>(plan.pieces), left, tickets);
  };
  const auto whole = [&](auto loads) {
    whole_row<loads><<<static_cast<unsigned>(rows.rows), plan.threads, 0, stream>>>(op, rows);
  };
  const auto of_loads = [&](auto loads) { plan.whole ? whole(loads) : of_block(loads); };
  if (plan.team == Team::staged)
    by_stage<<<blocks(rows.rows, plan.own), kThreads, 0, stream>>>(op, rows, plan.own, plan.lanes);
  else if (plan.team == Team::warp)
    by_warp<<<blocks(rows.rows, kThreads / kWarp), kThreads, 0, stream>>>(op, rows);
  else if (plan.team != Team::lanes && plan.loads == kLoads)
    of_loads(Number<kLoads>());
  else if (plan.team != Team::lanes && plan.loads == kFewLoads)
    of_loads(Number<kFewLoads>());
  else if (plan.team != Team::lanes)
    none();
  else if (plan.full)
    of_full();
  else if (plan.width == kWide)
    of_width(Number<kWide>());
  else if (plan.width == kWide / 2)
    of_width(Number<kWide / 2>());
  else
    of_width(Number<1>());
}

auto make(const InnerAxis::Args& p) {
  const Plan plan = plan_of(p);
  const bool shared = plan.team == Team::blocks;
  const auto left = wb::make_device_array<float>(shared ? p.rows * plan.pieces : 1);
  const auto tickets = wb::make_device_zeros<unsigned>(shared ? p.rows : 1);
  return [=](cudaStream_t stream) {
    with_rows(
        p, [&](auto op, auto rows) { launch(plan, op, rows, left.get(), tickets.get(), stream); });
  };
}

}  // namespace

WB_CUDA(InnerAxis, all_shapes, make);
WB_CASE_NOTE(InnerAxis, [](const InnerAxis::Args& p) { return plan_of(p).text(); });
