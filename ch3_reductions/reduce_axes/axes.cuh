// One launch for any set of axes (plan.h).
//
// A team of threads shares results. It has `across` threads along a row, each with the columns of a
// load, times `deep` threads for different rows, which share the steps. In rows `across` is 1, and
// a load holds elements of one result. The values of the threads are combined by shuffles in a
// warp, then through shared memory. Where several blocks share results, they store their values in
// `left`, and the block with the last ticket combines them, always in the same order. A ticket
// counter returns to 0 by itself, so each call leaves the scratch as it found it. Rows that a block
// can have in flight at once have simpler kernels (reduce_whole, and reduce_runs for a few odd
// rows).
#pragma once

#include <cuda/atomic>

#include "../shared/resident.cuh"
#include "operations.cuh"

namespace {

template <class T> struct Job {
  const T* x;
  T* y;
  Places kept, reduced;
  i64 elements;   // of x
  i64 inner;      // of them in the innermost group
  Divisor packs;  // loads along a row's group
  unsigned columns, teams, tiles, pieces, share, steps;
  int across_bits, team_bits;
  float divisor;      // of means; else 1
  float* left;        // a value per column of a team, and block
  unsigned* tickets;  // per team, how many of its blocks are done; 0 before and after

  __device__ void finish(i64 result, float value) const {
    y[result] = wb::from_float<T>(divisor == 1 ? value : value / divisor);
  }
};

// Halves are combined with halves, so that the additions wait for each other as little as possible.
template <class Op, int kCount> __device__ float over_array(float (&value)[kCount]) {
#pragma unroll
  for (int half = kCount / 2; half > 0; half /= 2)
#pragma unroll
    for (int i = 0; i < half; ++i) value[i] = Op::combine(value[i], value[i + half]);
  return value[0];
}

// A thread's value for each of the kWidth columns of its loads, at steps from, from + deep ...
// place(step) is the offset of a step from x.
template <int kInFlight, class Op, class T, int kWidth, class Place>
__device__ void own_columns(const T* x, Place place, unsigned from, unsigned to, unsigned deep,
                            float (&value)[kWidth]) {
  const auto take = [&](unsigned at, unsigned count) {
    Pack<T, kWidth> pack[kInFlight];
#pragma unroll
    for (unsigned i = 0; i < kInFlight; ++i)
      if (i < count) pack[i] = load<kWidth>(x + place(at + i * deep));
#pragma unroll
    for (unsigned i = 0; i < kInFlight; ++i)
      if (i < count) {
        float more[kWidth];
        to_floats(pack[i], more);
#pragma unroll
        for (int j = 0; j < kWidth; ++j) value[j] = Op::combine(value[j], more[j]);
      }
  };
  unsigned at = from, left = from < to ? (to - from - 1) / deep + 1 : 0;
  for (; left >= kInFlight; left -= kInFlight, at += kInFlight * deep) take(at, kInFlight);
  if (left > 0) take(at, left);
}

// The same for rows that begin or end within 16 bytes: the loads are at multiples of 16 bytes all
// the same, and elements before the row and after it are masked. `row`: its begin, counted in
// elements of x. Nothing is read before x or after its end.
template <int kInFlight, class Op, class T, int kWidth>
__device__ void own_odd_row(const Job<T>& job, i64 row, unsigned from, unsigned to, unsigned deep,
                            float (&value)[kWidth]) {
  const int late = static_cast<int>(reinterpret_cast<std::uintptr_t>(job.x) / sizeof(T) % kWidth);
  for (unsigned at = from; at < to; at += kInFlight * deep) {
    Pack<T, kWidth> pack[kInFlight];
    unsigned mask[kInFlight];  // bit j: element j of the load belongs to the row
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) {
      mask[i] = 0;
      const unsigned step = at + i * deep;
      if (step >= to) continue;
      const i64 along = i64{step - job.packs.quotient(step) * job.packs.by} * kWidth;
      const i64 begin = row + job.reduced.offset(step) - along;  // of this piece of the row
      const int before =
          static_cast<int>(begin + late) & (kWidth - 1);  // elements, in its first load
      const i64 end = before + job.inner - along;         // of the piece, in this load
      if (end <= 0) continue;
      mask[i] = (1u << kWidth) - 1;
      if (along == 0) mask[i] &= ~0u << before;
      if (end < kWidth) mask[i] &= (1u << end) - 1;
      const i64 first = begin - before + along;  // element of x
      if (first >= 0 && first + kWidth <= job.elements) {
        pack[i] = load<kWidth>(job.x + first);
      } else {
        T element[kWidth];
#pragma unroll
        for (int j = 0; j < kWidth; ++j) element[j] = mask[i] >> j & 1 ? job.x[first + j] : T();
        memcpy(&pack[i], element, sizeof element);
      }
    }
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) {
      float more[kWidth];
      to_floats(pack[i], more);
#pragma unroll
      for (int j = 0; j < kWidth; ++j)
        if (mask[i] >> j & 1) value[j] = Op::combine(value[j], more[j]);
    }
  }
}

// Over the lanes of a warp that have the same columns; all of them get it.
template <class Op, int kOut>
__device__ void over_lanes(float (&value)[kOut], int across, int lanes) {
  for (int distance = lanes / 2; distance >= across; distance /= 2)
#pragma unroll
    for (int j = 0; j < kOut; ++j)
      value[j] = Op::combine(value[j], __shfl_xor_sync(0xFFFFFFFF, value[j], distance));
}

// Over a block whose warps have been through over_lanes: use(column, value) for each of its
// columns. One barrier. `of_warp`: kOut floats per thread, in shared memory.
template <class Op, int kOut, class Use>
__device__ void over_warps(const float (&value)[kOut], int across, float* of_warp, Use use) {
  const int wide = across > kWarp ? across : kWarp;  // threads per line of of_warp
  const int threads = static_cast<int>(blockDim.x), thread = static_cast<int>(threadIdx.x);
  const int line = thread / wide, place = thread % wide, columns = across * kOut;
  if (place < across)
#pragma unroll
    for (int j = 0; j < kOut; ++j) of_warp[line * columns + place * kOut + j] = value[j];
  __syncthreads();
  for (int column = thread; column < columns; column += threads) {
    float all = of_warp[column];
#pragma unroll 8
    for (int l = 1; l < threads / wide; ++l) all = Op::combine(all, of_warp[l * columns + column]);
    use(column, all);
  }
}

// For a whole block that has left its values: true in the block of its team that is the last one
// here. What the others left is to be seen then: the barrier puts all that this block left in front
// of its ticket, and acq_rel does the rest (01_sum says how).
__device__ inline bool is_last(unsigned* ticket, unsigned pieces) {
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> count(*ticket);
    last = count.fetch_add(1, cuda::memory_order_acq_rel) == pieces - 1;
    if (last) count.store(0, cuda::memory_order_relaxed);  // for the next launch
  }
  __syncthreads();
  return last;
}

enum class Layout { rows, odd_rows, columns };

template <Layout kLayout>
constexpr int kBlock = kLayout == Layout::columns ? kTallThreads : kRowThreads;

// kInFlight: loads of a thread before the first is used.
template <Layout kLayout, int kWidth, int kInFlight, class Op, class T>
__global__ void __launch_bounds__(kBlock<kLayout>, kHeld / kBlock<kLayout>)
    reduce(Op, const Job<T> job) {
  constexpr int kOut = kLayout == Layout::columns ? kWidth : 1;  // results per thread
  const int across = 1 << job.across_bits, team = 1 << job.team_bits, deep = team / across;
  const int member = threadIdx.x & (team - 1), lane = member & (across - 1);
  const int down = member >> job.across_bits;
  const bool whole_block = team > kWarp;
  unsigned number = blockIdx.x, piece = 0;  // of the team
  if (!whole_block)
    number = blockIdx.x * (blockDim.x >> job.team_bits) + (threadIdx.x >> job.team_bits);
  else if (job.pieces > 1)
    number = blockIdx.x / job.pieces, piece = blockIdx.x % job.pieces;
  const unsigned outer = number / job.tiles, pack = number % job.tiles * across + lane;
  const bool has = number < job.teams && pack < job.columns;

  float value[kWidth];
#pragma unroll
  for (int j = 0; j < kWidth; ++j) value[j] = Op::identity();
  if (has) {
    const unsigned from = piece * job.share + down;
    const unsigned to = min(job.steps, (piece + 1) * job.share);
    const i64 begin = job.kept.offset(outer) + i64{pack} * kWidth;
    const auto own = [&](auto place) {
      own_columns<kInFlight, Op>(job.x + begin, place, from, to, deep, value);
    };
    if constexpr (kLayout == Layout::odd_rows)
      own_odd_row<kInFlight, Op>(job, begin, from, to, deep, value);
    else if (job.reduced.count <= 1)  // no division
      own([next = job.reduced.stride[0]](unsigned step) { return step * next; });
    else
      own([&](unsigned step) { return job.reduced.offset(step); });
  }
  float out[kOut];
  if constexpr (kLayout == Layout::columns) {
#pragma unroll
    for (int j = 0; j < kOut; ++j) out[j] = value[j];
  } else {
    out[0] = over_array<Op>(value);
  }
  over_lanes<Op>(out, across, whole_block ? kWarp : team);

  const i64 results = kLayout == Layout::columns ? job.inner : 1;  // per place of `outer`
  const i64 first = outer * results + i64{pack - lane} * kOut;     // result of the team
  if (!whole_block) {
    if (has && down == 0)
#pragma unroll
      for (int j = 0; j < kOut; ++j) job.finish(first + lane * kOut + j, out[j]);
    return;
  }
  const i64 past = outer * results + results;
  const auto finish = [&](int column, float all) {
    if (first + column < past) job.finish(first + column, all);
  };
  __shared__ float of_warp[kBlock<kLayout> * kOut];
  if (job.pieces == 1) return over_warps<Op>(out, across, of_warp, finish);

  const int columns = across * kOut;
  over_warps<Op>(out, across, of_warp, [&](int column, float all) {
    job.left[i64{blockIdx.x} * columns + column] = all;
  });
  if (!is_last(&job.tickets[number], job.pieces)) return;
#pragma unroll
  for (int j = 0; j < kOut; ++j) out[j] = Op::identity();
  const float* left = job.left + i64{number} * job.pieces * columns + lane * kOut;
#pragma unroll 4
  for (unsigned i = down; i < job.pieces; i += deep)
#pragma unroll
    for (int j = 0; j < kOut; ++j)  // past L1, which may be stale
      out[j] = Op::combine(out[j], __ldcg(left + i64{i} * columns + j));
  over_lanes<Op>(out, across, kWarp);
  over_warps<Op>(out, across, of_warp, finish);
}

// Rows that are not odd, and no longer than a block has loads: a block per result, all of which is
// in flight at once. The warps' shares follow each other. A thread without a load has the identity,
// so that the additions need no condition: with one, the compiler puts additions of the first load
// before the next load, which then waits. With so few loads each, all threads that a multiprocessor
// holds get their registers.
template <class Op, class T>
__global__ void __launch_bounds__(kWholeThreads, kResidentThreads / kWholeThreads)
    reduce_whole(Op, const Job<T> job) {
  constexpr int kWidth = kLoadBytes / sizeof(T), kOwn = kFewLoads;
  const unsigned first = threadIdx.x / kWarp * kWarp * kOwn + threadIdx.x % kWarp;
  const T* const x = job.x + job.kept.offset(blockIdx.x);
  Pack<T, kWidth> pack[kOwn];
  const auto load_from = [&](auto place) {
#pragma unroll
    for (unsigned i = 0; i < kOwn; ++i) {
      const unsigned step = first + i * kWarp;
      pack[i] = nothing<Op, T, kWidth>();
      if (step < job.steps) pack[i] = load<kWidth>(x + place(step));
    }
  };
  if (job.reduced.count <= 1)  // no division
    load_from([](unsigned step) { return step * kWidth; });
  else
    load_from([&](unsigned step) { return job.reduced.offset(step); });
  float value[kWidth];
  to_floats(pack[0], value);
#pragma unroll
  for (int i = 1; i < kOwn; ++i) {
    float more[kWidth];
    to_floats(pack[i], more);
#pragma unroll
    for (int j = 0; j < kWidth; ++j) value[j] = Op::combine(value[j], more[j]);
  }
  float all[1] = {over_array<Op>(value)};
  over_lanes<Op>(all, 1, kWarp);
  __shared__ float of_warp[kWholeThreads / kWarp];
  over_warps<Op>(all, 1, of_warp, [&](int, float sum) { job.finish(blockIdx.x, sum); });
}

// Few odd rows: a block per result. A warp takes runs of kRun elements of a row, each lane an
// element per load, so a row may begin anywhere. All loads are asked for before the first is used.
// Past the end of a row a thread has the identity, so the additions need no condition.
template <class Op, class T>
__global__ void __launch_bounds__(kTallThreads, kHeld / kTallThreads)
    reduce_runs(Op, const Job<T> job) {
  constexpr int kAlong = kRun / kWarp;  // loads of a lane
  const unsigned warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp, warps = blockDim.x / kWarp;
  const T* const x = job.x + job.kept.offset(blockIdx.x) + lane;
  unsigned element[kRuns][kAlong];
#pragma unroll
  for (int i = 0; i < kRuns; ++i) {
    const unsigned step = warp + i * warps, row = job.packs.quotient(step);
    const unsigned along = (step - row * job.packs.by) * kRun;
    const T* const from = x + row * job.reduced.stride[1] + along;
    const int left = step < job.steps ? static_cast<int>(job.inner - along - lane) : 0;
#pragma unroll
    for (int j = 0; j < kAlong; ++j) {
      element[i][j] = bits_of(wb::from_float<T>(Op::identity()));
      if (j * kWarp < left) element[i][j] = bits_of(from[j * kWarp]);
    }
  }
  float value[kRuns];
#pragma unroll
  for (int i = 0; i < kRuns; ++i) {
    value[i] = float_of<T>(element[i][0]);
#pragma unroll
    for (int j = 1; j < kAlong; ++j) value[i] = Op::combine(value[i], float_of<T>(element[i][j]));
  }
  float all[1] = {over_array<Op>(value)};
  over_lanes<Op>(all, 1, kWarp);
  __shared__ float of_warp[kTallThreads / kWarp];
  over_warps<Op>(all, 1, of_warp, [&](int, float sum) { job.finish(blockIdx.x, sum); });
}

// f(kernel) for the plan's one.
template <class Op, class T, class F> void with_kernel(const Plan& plan, F f) {
  constexpr int kWide = kLoadBytes / sizeof(T);
  if (plan.runs)
    f(reduce_runs<Op, T>);
  else if (plan.whole)
    f(reduce_whole<Op, T>);
  else if (plan.kernel == Kernel::rows)
    f(plan.odd ? reduce<Layout::odd_rows, kWide, kOddLoads, Op, T>
               : reduce<Layout::rows, kWide, kLoads, Op, T>);
  else if (plan.width == 1)
    f(reduce<Layout::columns, 1, kLoads, Op, T>);
  else
    f(plan.loads == kPairLoads ? reduce<Layout::columns, kWide, kPairLoads, Op, T>
                               : reduce<Layout::columns, kWide, kLoads, Op, T>);
}

// The plan for this device: that of rows depends on how many blocks a multiprocessor holds.
template <class Op, class T> Plan plan_on_device(const Shape& shape, const void* x) {
  int device = 0, multiprocessors = 0, resident = kHeld / kRowThreads;
  WB_CHECK(cudaGetDevice(&device));
  WB_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  const auto plan_of = [&] {
    return plan_axes(collapse(shape), sizeof(T), reinterpret_cast<std::uintptr_t>(x),
                     multiprocessors, resident);
  };
  with_kernel<Op, T>(plan_of(), [&](auto kernel) {
    WB_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, kRowThreads, 0));
  });
  return plan_of();
}

// What a set-up makes: the plan and its scratch. Two streams may run two of them at a time, but not
// one.
struct Reduction {
  Plan plan;
  std::shared_ptr<float[]> left;
  std::shared_ptr<unsigned[]> tickets;

  explicit Reduction(const Plan& chosen) : plan(chosen) {
    if (!fits(plan))
      throw wb::Unsupported("more than 2^31 loads per result or across, or as many teams");
    if (plan.pieces == 1) return;
    const i64 columns = plan.kernel == Kernel::columns ? i64{plan.across} * plan.width : 1;
    left = wb::make_device_array<float>(plan.blocks() * columns);
    tickets = wb::make_device_zeros<unsigned>(plan.teams());
  }

  template <class Op, class T> void run(Op op, const T* x, T* y, bool mean, cudaStream_t s) const {
    const i64 reduced = plan.shape.product(true), results = plan.shape.product(false);
    if (results == 0) return;
    if (plan.kernel == Kernel::copy) {
      WB_CHECK(cudaMemcpyAsync(y, x, results * sizeof(T), cudaMemcpyDeviceToDevice, s));
      return;
    }
    const Group& inner = plan.shape.group[plan.shape.count - 1];
    const bool rows = plan.kernel == Kernel::rows;
    const auto bits = [](int n) { return std::countr_zero(static_cast<unsigned>(n)); };
    const Job<T> job{x,
                     y,
                     kept_places(plan),
                     reduced_places(plan),
                     reduced * results,
                     inner.size,
                     Divisor(rows ? plan.packs : 1),
                     static_cast<unsigned>(rows ? 1 : plan.packs),
                     static_cast<unsigned>(plan.teams()),
                     static_cast<unsigned>(plan.tiles),
                     static_cast<unsigned>(plan.pieces),
                     static_cast<unsigned>(plan.share),
                     static_cast<unsigned>(plan.steps),
                     bits(plan.across),
                     bits(plan.team),
                     mean ? static_cast<float>(reduced) : 1.0f,
                     left.get(),
                     tickets.get()};
    with_kernel<Op, T>(plan, [&](auto kernel) {
      kernel<<<static_cast<unsigned>(plan.blocks()), plan.threads, 0, s>>>(op, job);
    });
    WB_CHECK(cudaGetLastError());
  }
};

}  // namespace
