// Changes against step 2: 16 bytes per load and several loads in flight per thread; and the team
// that takes a row is chosen by the shape (plan.h):
//
//   lanes    rows of up to 32 loads: 1 to 32 lanes per row, four rows per team at once where there
//            are many
//   warp     rows of up to 8 KiB, where there are many: eight loads per lane, no barrier
//   block    longer rows: as many threads as have four loads each, 256 at most
//   blocks   rows for fewer blocks than the device holds at a time: pieces of whole 16 KiB. Each
//            leaves its value in the scratch and takes a ticket; who takes the row's last one finds
//            all values there and combines them, always in the same order
//
// Why four loads: by Little's law a multiprocessor of an H200 needs tens of KiB in flight. A block
// of 256 threads has 16 KiB on its way, there are up to eight of them, and while one combines what
// came, others load. Why tickets and no atomic additions: the same input gives the same bits. A
// ticket counter returns to 0 by itself, so each call leaves the scratch as it found it. The
// scratch belongs to this set-up: two streams may run two set-ups at a time, but not one.
//
// Predict: a row of 4 is a single load. How many shuffles does it need? Which shapes are still
// slower than a plain read of as many bytes?
#include "packs.cuh"

namespace {

constexpr int kThreads = 256;  // of teams that are no blocks
constexpr int kResident = 4;   // blocks of 256 that a multiprocessor must have registers for

// A team has 2^bits lanes: a shift is one instruction, a division by a number that the compiler
// does not know some twenty. Its rows go through each step of shuffles together, so that a shuffle
// waits for one of its own row only.
template <int kWidth, int kTogether, class Op, class T>
__global__ void __launch_bounds__(kThreads) by_lanes(Op, Rows<T> r, int bits) {
  const int lanes = 1 << bits, teams = kThreads >> bits, lane = threadIdx.x & (lanes - 1);
  const i64 first = static_cast<i64>(blockIdx.x) * kTogether * teams + (threadIdx.x >> bits);
  Pack<T, kWidth> pack[kTogether];
  const auto has = [&](int i) { return lane * kWidth < r.columns && first + i * teams < r.rows; };
#pragma unroll
  for (int i = 0; i < kTogether; ++i)
    if (has(i)) pack[i] = load<kWidth>(r.begin(first + i * teams) + lane * kWidth);
  float value[kTogether];
#pragma unroll
  for (int i = 0; i < kTogether; ++i) {
    float element[kWidth];
    to_floats(pack[i], element);
    const float all = over_array<Op>(element);
    value[i] = has(i) ? all : Op::identity();
  }
  over_lanes<Op>(value, lanes);
#pragma unroll
  for (int i = 0; i < kTogether; ++i)
    if (lane == 0 && first + i * teams < r.rows) r.finish(first + i * teams, value[i]);
}

template <class Op, class T>
__global__ void __launch_bounds__(kThreads, kResident) by_warp(Op, Rows<T> r) {
  const i64 row = (static_cast<i64>(blockIdx.x) * kThreads + threadIdx.x) / kWarp;
  if (row >= r.rows) return;
  const int lane = threadIdx.x % kWarp;
  const float value = over_lanes<Op>(own_share<kLoads, Op>(r.begin(row), r.columns, lane, kWarp));
  if (lane == 0) r.finish(row, value);
}

// `left`: a value per block. `tickets`: how many blocks of a row are done; 0 before and behind.
template <class Op, class T>
__global__ void __launch_bounds__(kMostThreads, kResident)
    by_blocks(Op, Rows<T> r, i64 piece, unsigned pieces, float* left, unsigned* tickets) {
  const unsigned row = blockIdx.x / pieces, own = blockIdx.x % pieces;
  const i64 from = own * piece, count = r.columns - from < piece ? r.columns - from : piece;
  float value = over_block<Op>(
      own_share<kBlockLoads, Op>(r.begin(row) + from, count, threadIdx.x, blockDim.x));
  if (threadIdx.x >= kWarp) return;
  const int lane = threadIdx.x;
  if (pieces > 1) {
    unsigned before = 0;
    if (lane == 0) {
      left[blockIdx.x] = value;
      __threadfence();  // the value is there before the ticket is taken
      before = atomicInc(&tickets[row], pieces - 1);  // from pieces - 1 on to 0
    }
    if (__shfl_sync(0xFFFFFFFF, before, 0) != pieces - 1) return;
    __threadfence();  // no value is read before the last ticket was
    value = Op::identity();
    for (unsigned i = lane; i < pieces; i += kWarp)
      value = Op::combine(value, __ldcg(&left[row * pieces + i]));  // past L1, which may be stale
    value = over_lanes<Op>(value);
  }
  if (lane == 0) r.finish(row, value);
}

Plan plan_of(const InnerAxis::Args& p) {
  int device = 0, multiprocessors = 0;
  WB_CHECK(cudaGetDevice(&device));
  WB_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  return plan_rows({p.rows, p.columns},
                   {static_cast<int>(InnerAxis::element_bytes(p.dtype)), p.stride,
                    reinterpret_cast<std::uintptr_t>(p.x)},
                   multiprocessors);
}

template <class Op, class T>
void launch(const Plan& plan, Op op, Rows<T> rows, float* left, unsigned* tickets,
            cudaStream_t stream) {
  const auto lanes = [&](auto width) {
    const unsigned grid = blocks(rows.rows, i64{plan.together} * kThreads / plan.lanes);
    const int bits = std::countr_zero(static_cast<unsigned>(plan.lanes));
    if (plan.together == 1)
      by_lanes<width(), 1><<<grid, kThreads, 0, stream>>>(op, rows, bits);
    else
      by_lanes<width(), kTogether><<<grid, kThreads, 0, stream>>>(op, rows, bits);
  };
  constexpr int kWide = kLoadBytes / sizeof(T);
  if (plan.team == Team::warp)
    by_warp<<<blocks(rows.rows, kThreads / kWarp), kThreads, 0, stream>>>(op, rows);
  else if (plan.team != Team::lanes)
    by_blocks<<<static_cast<unsigned>(rows.rows * plan.pieces), plan.threads, 0, stream>>>(
        op, rows, plan.piece, static_cast<unsigned>(plan.pieces), left, tickets);
  else if (plan.width == kWide)
    lanes(std::integral_constant<int, kWide>());
  else if (plan.width == kWide / 2)
    lanes(std::integral_constant<int, kWide / 2>());
  else
    lanes(std::integral_constant<int, 1>());
}

auto make(const InnerAxis::Args& p) {
  const Plan plan = plan_of(p);
  const bool shared = plan.team == Team::blocks;
  const auto left = wb::make_device_array<float>(shared ? p.rows * plan.pieces : 1);
  const auto tickets = wb::make_device_array<unsigned>(shared ? p.rows : 1);
  WB_CHECK(cudaMemset(tickets.get(), 0, (shared ? p.rows : 1) * sizeof(unsigned)));
  return [=](cudaStream_t stream) {
    with_rows(
        p, [&](auto op, auto rows) { launch(plan, op, rows, left.get(), tickets.get(), stream); });
  };
}

}  // namespace

WB_CUDA(InnerAxis, optimized, make);
WB_CASE_NOTE(InnerAxis, [](const InnerAxis::Args& p) { return plan_of(p).text(); });
