// A kernel for every shape, for all_shapes of both lessons. x is read once: a row waits on the chip
// while its mean is found, and then its variance. The shape decides which threads take a row
// (plan.h):
//
//   staged   rows of up to 256 elements, or of 24 loads: a block has many of them in shared memory,
//            as if they were one, and some lanes take a row (staged.cuh)
//   warp     short rows, where there are many: a few loads per lane; shuffles, no barrier
//   block    rows of up to 64 KiB: four or eight loads per thread, all in flight at once, and while
//            one block finds its variance, others on the multiprocessor load or store
//   few      the same where a multiprocessor has one row at most: fewer loads and more threads,
//            and weight and bias come with x
//   whole    the same for RMSNorm of rows of 16 to 32 KiB in fp32: two loads per thread, without a
//            condition where every thread has both. (LayerNorm is slower that way: 131 us instead
//            of 128 for 8192 rows of 8192, an H200, 2026-11-24)
//   shared   up to half of a multiprocessor's shared memory, rows that are not aligned (shared.cuh)
//   cluster  up to 512 KiB: a cluster of blocks, whose warps exchange their means and squares
//            without a common barrier (cluster.cuh)
//   pieces   longer rows: x is read twice, by all blocks (pieces.cuh)
//
// Rows that are not aligned: a block still loads packs, from the first address on that 16 divides,
// with single elements at both ends. Warps take single elements, where rows have gaps. Rows that
// are too long for a block go to pieces.
//
// Backward, up to 8 Ki columns: a block stays for many rows. x and dy of the next rows are on their
// way into shared memory, and the sums of dy * xhat and of dy stay in registers until all rows are
// done. Then a last stage (slabs.cuh) adds them up. So x and dy are read once as well. Where rows
// are not aligned to 16 bytes, copies of 4 do, four times as many. Between the two means of a row
// and its dx, xhat and g = dy * weight stay in registers: made again from words in shared memory
// they take twice the conversions, and 16-bit types leave half the time for them. Longer rows, and
// those of an odd number of 16-bit elements, are read twice (backward.cuh).
//
// The same input gives the same bits: nothing is added in an order of chance. The scratch belongs
// to this set-up: two streams may run two set-ups at a time, but not one.
#pragma once

#include "backward.cuh"
#include "cluster.cuh"
#include "pieces.cuh"
#include "shared.cuh"
#include "slots.cuh"
#include "staged.cuh"

namespace {

constexpr int kWarpThreads = 64;  // of a block whose warps have a row each

// Who has a row: a warp, in a block of several rows; or a block. `whole`: one in which no thread
// lacks a load, so nothing is asked. Where rows are few, nothing else is on the multiprocessor
// while weight and bias come: they come with x.
enum class Team { warp, block, whole_block, block_of_few };

template <Team kTeam>
constexpr int kThreadsOf = kTeam == Team::whole_block ? kTallThreads : kMostThreads;

// Blocks that a multiprocessor must have registers for: where a thread has few elements, as many as
// fill it. kRms: RMSNorm, which the compiler knows where loads are wide. A mean and a bias that
// might be there take registers all the same; without them four loads of eight elements leave
// enough for all threads, too. Other registers are the compiler's choice.
template <bool kRms, Team kTeam, int kWidth, int kPacks> constexpr int blocks_at_least() {
  if (kTeam == Team::block_of_few) return 1;
  const bool few = kTeam != Team::warp && kWidth * kPacks <= 16;
  return few || (kRms && kPacks == kFewLoads) ? kHeld * kMostThreads / kThreadsOf<kTeam> : 0;
}

template <bool kRms, Team kTeam, int kWidth, int kPacks, class T>
__global__ void __launch_bounds__(kThreadsOf<kTeam>, blocks_at_least<kRms, kTeam, kWidth, kPacks>())
    in_registers(Norm<T> n) {
  using Own = Pack<T, kWidth>;
  constexpr bool kEarly = kTeam == Team::block_of_few;
  __shared__ float of_warp[2][kWarp];
  const bool rms = kWidth > 1 ? kRms : n.rms;
  const unsigned row = kTeam == Team::warp ? blockIdx.x * blockDim.y + threadIdx.y : blockIdx.x;
  if (row >= n.rows) return;  // the whole warp; a block of one row is never here
  const int columns = static_cast<int>(n.columns), thread = threadIdx.x;
  // In fp32 the block's first packs are neighbours, and then its second ones; in 16 bits all packs
  // of a warp are. (An H200, 2026-11-24: the other way round is slower by 1 % each.)
  constexpr bool kByWarp = sizeof(T) == 2;
  const int first = (kByWarp ? thread / kWarp * kPacks * kWarp + thread % kWarp : thread) * kWidth;
  const int step = (kByWarp ? kWarp : blockDim.x) * kWidth, left = columns - first;
  const auto has = [&](int i) { return kTeam == Team::whole_block || i * step < left; };
  const auto sum = [&](float value, int which) {
    if (kEarly) return over_few_warps(value, of_warp[which]);
    return kTeam == Team::warp ? over_warp(value) : over_block(value, of_warp[which]);
  };
  // Single elements travel as streams, as in step 2.
  const auto load = [](const T* from) {
    return kWidth == 1 ? Own::load_once(from) : Own::load(from);
  };
  // Zeros instead of a missing pack, so that the squares need no condition: with one the compiler
  // squares the first pack before the last load, which then waits. (In 16 bits it is the other way
  // round: without conditions it keeps all elements as floats.)
  constexpr bool kZeros = kRms && sizeof(T) == 4;
  Own pack[kPacks], weight[kEarly ? kPacks : 1], bias[kEarly ? kPacks : 1];
#pragma unroll
  for (int i = 0; i < kPacks; ++i) {
    if (kZeros) pack[i] = {};
    if (has(i)) {
      pack[i] = load(n.row_of_x(row) + (first + i * step));
      if constexpr (kEarly) {
        weight[i] = Own::load(n.weight + (first + i * step));
        // A condition although kRms is known: without the branch these loads move after the sums.
        if (!kRms && n.bias) bias[i] = Own::load(n.bias + (first + i * step));
      }
    }
  }

  float mean = 0, squares = 0, value[kWidth];
  if (!rms) {
#pragma unroll
    for (int i = 0; i < kPacks; ++i)
      if (has(i)) {
        pack[i].to_floats(value);
#pragma unroll
        for (int j = 0; j < kWidth; ++j) mean += value[j];
      }
    mean = sum(mean, 0) * n.share;
  }
#pragma unroll
  for (int i = 0; i < kPacks; ++i)
    if (kZeros || has(i)) {
      pack[i].to_floats(value);
#pragma unroll
      for (int j = 0; j < kWidth; ++j) squares += (value[j] - mean) * (value[j] - mean);
    }
  const float rstd = rsqrtf(sum(squares, 1) * n.share + NormRows::kEpsilon);
  T* const y = n.y + row * n.columns;
#pragma unroll
  for (int i = 0; i < kPacks; ++i)
    if (has(i)) {
      const int at = first + i * step;
      float by[kWidth], plus[kWidth] = {};
      if constexpr (kEarly) {
        weight[i].to_floats(by);
        if (!rms) bias[i].to_floats(plus);
      } else {
        Own::load(n.weight + at).to_floats(by);
        if (!rms) Own::load(n.bias + at).to_floats(plus);
      }
      pack[i].to_floats(value);
#pragma unroll
      for (int j = 0; j < kWidth; ++j) value[j] = n.y_of(value[j], mean, rstd, by[j], plus[j]);
      kWidth == 1 ? Own::of(value).store_once(y + at) : Own::of(value).store(y + at);
    }
}

// A block per row that may begin and end anywhere: single elements up to the first address that 16
// divides, packs, and single elements again. Weight and bias come in single elements, which L1 has,
// because their packs do not begin where those of the row do.
template <int kPacks, class T>
__global__ void __launch_bounds__(kMostThreads, kPacks == kFewLoads ? 3 * kHeld / 4 : kHeld / 2)
    odd_in_registers(Norm<T> n) {
  constexpr int kWidth = Pack<T>::kWidth;
  using Own = Pack<T>;
  __shared__ float of_warp[2][kWarp];
  const T* const x = n.row_of_x(blockIdx.x);
  T* const y = n.y + blockIdx.x * n.columns;
  const int columns = static_cast<int>(n.columns), thread = threadIdx.x;
  const int head = min(static_cast<int>(-address(x) % kLoadBytes / sizeof(T)), columns);
  const int packs = (columns - head) / kWidth, tail = head + packs * kWidth;
  const int first = thread / kWarp * kPacks * kWarp + thread % kWarp;  // its first pack
  const auto has = [&](int i) { return first + i * kWarp < packs; };
  const auto column = [&](int i) { return head + (first + i * kWarp) * kWidth; };
  // Of either end's elements a thread has no more than one: fewer than kWidth each.
  const int single = thread < head ? thread : tail + thread - kWidth;
  const bool has_single = thread < head || (thread >= kWidth && single < columns);
  Own pack[kPacks];
#pragma unroll
  for (int i = 0; i < kPacks; ++i)
    if (has(i)) pack[i] = Own::load(x + column(i));
  const float own = has_single ? wb::to_float(x[single]) : 0;

  float mean = 0, value[kWidth];
  if (!n.rms) {
    mean = own;
#pragma unroll
    for (int i = 0; i < kPacks; ++i)
      if (has(i)) {
        pack[i].to_floats(value);
#pragma unroll
        for (int j = 0; j < kWidth; ++j) mean += value[j];
      }
    mean = over_block(mean, of_warp[0]) * n.share;
  }
  float squares = has_single ? (own - mean) * (own - mean) : 0;
#pragma unroll
  for (int i = 0; i < kPacks; ++i)
    if (has(i)) {
      pack[i].to_floats(value);
#pragma unroll
      for (int j = 0; j < kWidth; ++j) squares += (value[j] - mean) * (value[j] - mean);
    }
  const float rstd = rsqrtf(over_block(squares, of_warp[1]) * n.share + NormRows::kEpsilon);
  const auto y_at = [&](int at, float value) {
    return n.y_of(value, mean, rstd, wb::to_float(n.weight[at]),
                  n.bias ? wb::to_float(n.bias[at]) : 0);
  };
  const bool same = (address(x) - address(y)) % kLoadBytes == 0;  // y's packs begin as those of x
#pragma unroll
  for (int i = 0; i < kPacks; ++i)
    if (has(i)) {
      pack[i].to_floats(value);
#pragma unroll
      for (int j = 0; j < kWidth; ++j) value[j] = y_at(column(i) + j, value[j]);
      if (same) {
        Own::of(value).store(y + column(i));
      } else {
#pragma unroll
        for (int j = 0; j < kWidth; ++j) y[column(i) + j] = wb::from_float<T>(value[j]);
      }
    }
  if (has_single) y[single] = wb::from_float<T>(y_at(single, own));
}

// A block takes row after row, or each of its kRows warps does; threads have the same columns of
// each row. Where a thread has no columns, its slots and its weights are 0, and so is what it adds.
// The compiler has to know kRows: a block of 1024 threads has 64 registers for each, and code for
// both cases spilled some of them.
template <bool kRms, int kWidth, int kRows, class T>
__global__ void __launch_bounds__(kBackwardThreads) row_after_row(Norm<T> n, float* partial) {
  constexpr int kPacks = kBackwardElements / kWidth, kSums = kRms ? 1 : 2;
  const int team = kRows == 1 ? 0 : static_cast<int>(threadIdx.y);
  using Own = Pack<T, kWidth>;
  __shared__ float of_warp[2][kSums][kWarp];
  const int columns = static_cast<int>(n.columns), threads = static_cast<int>(blockDim.x);
  const auto column = [&](int i) { return (i * threads + static_cast<int>(threadIdx.x)) * kWidth; };
  const auto has = [&](int i) { return column(i) < columns; };
  const i64 rows = i64{gridDim.x} * kRows;  // at a time
  i64 row = i64{blockIdx.x} * kRows + team;
  // Of the row that is asked for next; slots: packs of x, then packs of dy.
  i64 ahead = row;
  const T *x = n.row_of_x(ahead) + column(0), *dy = n.dy + ahead * n.columns + column(0);
  const auto fill = [&](int at) {
    if (ahead < n.rows) {
#pragma unroll
      for (int i = 0; i < kPacks; ++i)
        if (has(i)) {
          copy_async(slot<Own, kRows>(2 * kPacks * at + i), x + i * threads * kWidth);
          copy_async(slot<Own, kRows>(2 * kPacks * at + kPacks + i), dy + i * threads * kWidth);
        }
    }
    end_group();
    ahead += rows, x += rows * n.stride, dy += rows * n.columns;
  };
  Own weight[kPacks] = {};
  float dweight[kPacks][kWidth] = {}, dbias[kPacks][kWidth] = {};
#pragma unroll
  for (int i = 0; i < kPacks; ++i)
    if (has(i))
      weight[i] = Own::load(n.weight + column(i));
    else
      for (int at = 0; at < kRowsAhead; ++at)
        *slot<Own, kRows>(2 * kPacks * at + i) =
            *slot<Own, kRows>(2 * kPacks * at + kPacks + i) = {};
  for (int at = 0; at < kRowsAhead; ++at) fill(at);
  T* dx = n.dx + row * n.columns + column(0);
  float mean = 0, rstd = 0;
  if (row < n.rows) rstd = n.rstd[row], mean = kRms ? 0 : n.mean[row];

  for (int at = 0, turn = 0; row < n.rows; at = (at + 1) % kRowsAhead, turn ^= 1) {
    const i64 next = row + rows;
    float next_mean = 0, next_rstd = 0;
    if (next < n.rows) next_rstd = n.rstd[next], next_mean = kRms ? 0 : n.mean[next];
    wait_for_all_but<kRowsAhead - 1>();
    float xhat[kPacks][kWidth], g[kPacks][kWidth], sums[kSums] = {};
#pragma unroll
    for (int i = 0; i < kPacks; ++i) {
      float dy[kWidth];
      pack_in<Own, kRows>(2 * kPacks * at + i).to_floats(xhat[i]);
      pack_in<Own, kRows>(2 * kPacks * at + kPacks + i).to_floats(dy);
      weight[i].to_floats(g[i]);
#pragma unroll
      for (int j = 0; j < kWidth; ++j) {
        xhat[i][j] = (xhat[i][j] - mean) * rstd, g[i][j] *= dy[j];
        dweight[i][j] += dy[j] * xhat[i][j], sums[0] += g[i][j] * xhat[i][j];
        if constexpr (!kRms) dbias[i][j] += dy[j], sums[1] += g[i][j];
      }
    }
    kRows > 1 ? sums_over_warp(sums) : sums_over_block(sums, of_warp[turn]);
    const float by = rstd * n.share;
    const float of_gx = sums[0] * by, of_g = kRms ? 0 : sums[kSums - 1] * by;
#pragma unroll
    for (int i = 0; i < kPacks; ++i) {
#pragma unroll
      for (int j = 0; j < kWidth; ++j) g[i][j] = rstd * g[i][j] - of_g - xhat[i][j] * of_gx;
      if (has(i)) Own::of(g[i]).store_once(dx + i * threads * kWidth);
    }
    fill(at);
    row = next, mean = next_mean, rstd = next_rstd, dx += rows * n.columns;
  }
  partial += blockIdx.x * 2 * n.columns;
  // The sums of several warps meet in the slots, which are no longer needed.
  static_assert(2 * kRowsAhead * sizeof(T) >= sizeof(float), "a thread's slots hold its sums");
  float* const of_team = reinterpret_cast<float*>(slot_memory) + threadIdx.x;
  const auto add_up = [&](float(&sum)[kPacks][kWidth], float* to) {
    if (kRows > 1) __syncthreads();
    if (team > 0)
#pragma unroll
      for (int at = 0; at < kBackwardElements; ++at)
        of_team[(team * kBackwardElements + at) * threads] = sum[at / kWidth][at % kWidth];
    if (kRows > 1) __syncthreads();
    if (team > 0) return;
#pragma unroll
    for (int at = 0; at < kBackwardElements; ++at) {
      for (int other = 1; other < kRows; ++other)
        sum[at / kWidth][at % kWidth] += of_team[(other * kBackwardElements + at) * threads];
      if (has(at / kWidth)) to[column(at / kWidth) + at % kWidth] = sum[at / kWidth][at % kWidth];
    }
  };
  add_up(dweight, partial);
  if (!kRms) add_up(dbias, partial + n.columns);
}

// Whether by_cluster has a body. The device alone does not say: one of compute capability 10 also
// runs code that was compiled for 8.0, in which it is empty.
bool has_clusters() {
  cudaFuncAttributes kernel;
  WB_CHECK(cudaFuncGetAttributes(&kernel, by_cluster<4, float>));
  return kernel.ptxVersion >= 90;
}

Plan plan_of(const NormRows::Args& p, bool clusters) {
  const bool run = p.stride == p.columns && (address(p.x) - address(p.y)) % kLoadBytes == 0;
  return plan_norm(
      {p.backward, p.rms, static_cast<int>(NormRows::element_bytes(p.dtype)), p.rows, p.columns,
       aligned(p, kLoadBytes), run, aligned(p, 4)},
      {multiprocessors(), attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin), clusters});
}
Plan plan_of(const NormRows::Args& p) { return plan_of(p, has_clusters()); }

// A launch as it was planned, with what set-up asks the device for.
struct Launcher {
  Plan plan;
  i64 grid;          // blocks that stay
  TwoStages stages;  // for the backward pass that reads twice
  std::shared_ptr<float[]> scratch;
  std::shared_ptr<Moments[]> moments;  // of pieces

  template <class T> int slot_bytes() const {
    return 2 * kRowsAhead * kBackwardElements * plan.threads * plan.own *
           static_cast<int>(sizeof(T));
  }
  // A row, and the bytes by which it may begin after an address that 16 divides.
  template <class T> static int row_bytes(i64 columns) {
    return static_cast<int>(columns * sizeof(T)) + kLoadBytes;
  }
  // f(kernel) for this norm, and for the packs that its rows allow.
  template <class T, class F> void with_slots(bool rms, F f) const {
    const auto of_width = [&](auto width) {
      const auto of_rows = [&](auto rows) {
        rms ? f(row_after_row<true, width(), rows(), T>)
            : f(row_after_row<false, width(), rows(), T>);
      };
      if (plan.own == 1) return of_rows(std::integral_constant<int, 1>());
      of_rows(std::integral_constant<int, kBackwardRows>());
    };
    if (plan.odd) return of_width(std::integral_constant<int, kWordBytes / sizeof(T)>());
    of_width(std::integral_constant<int, Pack<T>::kWidth>());
  }

  cudaLaunchConfig_t of_clusters(cudaLaunchAttribute& attribute, cudaStream_t stream) const {
    cudaLaunchConfig_t launch = {};
    launch.gridDim = dim3(static_cast<unsigned>(grid));
    launch.blockDim = dim3(kTeams * kTeamThreads);
    launch.dynamicSmemBytes = 2 * kPiece * kLoadBytes;
    launch.stream = stream, launch.attrs = &attribute, launch.numAttrs = 1;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {static_cast<unsigned>(plan.blocks), 1, 1};
    return launch;
  }

  // How many clusters of such a kernel the device holds at a time; 0: they are too large for it.
  template <class Kernel> int resident(Kernel kernel) {
    grid = plan.blocks;
    cudaLaunchAttribute size;
    const cudaLaunchConfig_t launch = of_clusters(size, nullptr);
    const int most = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) - kOwn;
    if (static_cast<int>(launch.dynamicSmemBytes) > most) return 0;
    wb::allow_shared(kernel, static_cast<wb::i64>(launch.dynamicSmemBytes));
    if (plan.blocks > kPortable)  // a GPU without such clusters may refuse it here, or below
      cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    int count = 0;
    if (cudaOccupancyMaxActiveClusters(&count, kernel, &launch) != cudaSuccess) count = 0;
    cudaGetLastError();  // or the next launch would be blamed for this
    return count;
  }

  template <class T, class F> void with_cluster(F f) const {
    if (plan.blocks <= 4) return f(by_cluster<4, T>);
    plan.blocks == 8 ? f(by_cluster<8, T>) : f(by_cluster<16, T>);
  }

  void prepare(const NormRows::Args& p) {
    if (p.rows == 0) return;
    wb::with_dtype(p.dtype, [&](auto zero) {
      using T = wb::DeviceType<decltype(zero)>;
      if (plan.way == Way::slots) {
        int resident = 0;  // per multiprocessor
        with_slots<T>(p.rms, [&](auto kernel) {
          wb::allow_shared(kernel, slot_bytes<T>());
          WB_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
              &resident, kernel, plan.threads * plan.own, slot_bytes<T>()));
        });
        resident = std::clamp(resident, 1, plan.per_processor);
        grid = std::min<i64>(up(p.rows, plan.own), i64{resident} * multiprocessors());
        scratch = wb::make_device_array<float>(partial_floats(p.columns, grid));
      } else if (plan.way == Way::cluster) {
        int clusters = 0;
        with_cluster<T>([&](auto kernel) { clusters = resident(kernel); });
        grid = plan.blocks * std::min<i64>(up(p.rows, kTeams), clusters);
        if (clusters == 0) plan = plan_of(p, false);
      }
      if (plan.way == Way::shared) wb::allow_shared(in_shared<T>, row_bytes<T>(p.columns));
      if (plan.way == Way::stages) stages = TwoStages(p, plan.width);
      if (plan.way == Way::pieces) moments = wb::make_device_array<Moments>(p.rows * plan.blocks);
    });
  }

  // By the kernel of as many loads as were planned.
  template <int... kPacks, class F> void of_loads(F f) const {
    const auto found = [&](auto packs) { return plan.loads == packs && (f(packs), true); };
    if (!(found(std::integral_constant<int, kPacks>()) || ...))
      throw std::logic_error("no kernel for " + plan.text());
  }
  template <bool kRms, int kWidth, int... kPacks, class T>
  void by_warps(const Norm<T>& n, cudaStream_t stream) const {
    constexpr int kRows = kWarpThreads / kWarp;
    of_loads<kPacks...>([&](auto packs) {
      in_registers<kRms, Team::warp, kWidth, packs()>
          <<<blocks(n.rows, kRows), dim3(kWarp, kRows), 0, stream>>>(n);
    });
  }
  template <bool kRms, Team kTeam, int... kPacks, class T>
  void by_blocks(const Norm<T>& n, cudaStream_t stream) const {
    of_loads<kPacks...>([&](auto packs) {
      in_registers<kRms, kTeam, Pack<T>::kWidth, packs()>
          <<<static_cast<unsigned>(n.rows), plan.threads, 0, stream>>>(n);
    });
  }
  template <bool kRms, class T> void even_rows(const Norm<T>& n, cudaStream_t stream) const {
    if constexpr (kRms && sizeof(T) == 4)
      if (plan.way == Way::whole) return by_blocks<true, Team::whole_block, kTallLoads>(n, stream);
    if (plan.way == Way::warp)
      by_warps<kRms, Pack<T>::kWidth, kFewLoads / 2, kFewLoads>(n, stream);
    else if (plan.way == Way::few)
      by_blocks<kRms, Team::block_of_few, kFewestLoads, kFewLoads / 2>(n, stream);
    else
      by_blocks<kRms, Team::block, kFewLoads, kMostLoads>(n, stream);
  }
  template <class T> void odd_rows(const Norm<T>& n, cudaStream_t stream) const {
    if (plan.way == Way::warp) return by_warps<false, 1, kMostLoads / 2, kMostLoads>(n, stream);
    of_loads<kFewLoads, kMostLoads>([&](auto packs) {
      odd_in_registers<packs()><<<static_cast<unsigned>(n.rows), plan.threads, 0, stream>>>(n);
    });
  }

  template <class T> void staged(const Norm<T>& n, cudaStream_t stream) const {
    const auto stage = [&](auto width) {
      by_stage<width()>
          <<<blocks(n.rows, plan.own), plan.threads, 0, stream>>>(n, plan.own, plan.lanes);
    };
    if constexpr (sizeof(T) == 2)
      if (plan.width == 2) return stage(std::integral_constant<int, 2>());
    stage(std::integral_constant<int, 1>());
  }

  template <class T> void forward(const Norm<T>& n, cudaStream_t stream) const {
    cudaLaunchAttribute attribute;
    if (plan.way == Way::cluster) {
      const cudaLaunchConfig_t launch = of_clusters(attribute, stream);
      with_cluster<T>([&](auto kernel) { WB_CHECK(cudaLaunchKernelEx(&launch, kernel, n)); });
    } else if (plan.way == Way::pieces) {
      moments_of_pieces<<<blocks(n.rows * plan.blocks, 1), plan.threads, 0, stream>>>(
          n, plan.blocks, up(n.columns, plan.blocks), moments.get());
      const i64 groups = up(n.rows, plan.own);
      write_strips<<<blocks(groups * up(n.columns, kStrip), 1), plan.threads, 0, stream>>>(
          n, plan.blocks, moments.get(), plan.own);
    } else if (plan.way == Way::shared) {
      in_shared<<<blocks(n.rows, 1), plan.threads, row_bytes<T>(n.columns), stream>>>(n);
    } else if (plan.way == Way::staged) {
      staged(n, stream);
    } else if (plan.odd) {
      odd_rows(n, stream);
    } else {
      n.rms ? even_rows<true>(n, stream) : even_rows<false>(n, stream);
    }
  }

  template <class T> void backward(const Norm<T>& n, cudaStream_t stream) const {
    if (plan.way != Way::slots || n.rows == 0)
      return plan.odd ? stages.run<1>(n, stream) : stages.run<Pack<T>::kWidth>(n, stream);
    with_slots<T>(n.rms, [&](auto kernel) {
      kernel<<<static_cast<unsigned>(grid), dim3(plan.threads, plan.own), slot_bytes<T>(),
               stream>>>(n, scratch.get());
    });
    add_slabs(n, scratch.get(), grid, stream);
  }
};

auto make_any_shape(const NormRows::Args& p) {
  Launcher launcher{plan_of(p), 0, {}, nullptr, nullptr};
  launcher.prepare(p);
  return [p, launcher](cudaStream_t stream) {
    with_norm(p, [&](auto n) {
      p.backward ? launcher.backward(n, stream) : launcher.forward(n, stream);
    });
  };
}

}  // namespace
