// A kernel for every shape, for all_shapes of both lessons. Each keeps a row in registers as
// optimized does, in loads of 16 bytes that are all in flight at once; who takes a row goes by the
// shape (plan.h).
//
//   lanes     rows of up to 32 loads: 1 to 32 lanes per row, four rows per team at once
//   staged    rows of up to 512 elements, one after the other, that would leave many lanes without
//             work: a block has its rows in shared memory, as if they were one (staged.cuh)
//   warp      rows of up to 1024 elements, where there are many: 8 to 32 per lane, no barrier
//   block     up to 16 Ki elements: as many threads as have 8, 16 or 32 each, one barrier
//   cluster   up to 512 Ki elements: a cluster of up to 16 blocks, the next row on its way
//             (cluster.cuh)
//   blocks    longer, or before Hopper: two launches. The first stores a maximum and a sum per
//             piece of a row. The second combines those of its row, always in the same order, and
//             reads its piece again, beginning with the pieces that the L2 cache has seen last
//
// One reduction per row, not two: each thread takes the exponentials relative to the maximum of its
// own share, sums them up, and corrects by a factor when it learns the row's maximum. So there is
// one barrier and one exponential per element.
//
// The same input gives the same bits: no atomics, and each order of additions follows from the
// shape. The scratch of `blocks` belongs to this set-up: two streams may run two set-ups at a time,
// but not one.
#pragma once

#include "cluster.cuh"
#include "staged.cuh"

namespace {

constexpr int kTogether = 4;  // rows that a team of lanes has in flight

// A team has 2^bits lanes: a shift is one instruction, a division by a number that the compiler
// does not know some twenty.
template <int kWide, class Op, class T>
__global__ void __launch_bounds__(kThreads) by_lanes(Op, Rows<T> r, int bits) {
  const int lanes = 1 << bits, teams = kThreads >> bits,
            column = (threadIdx.x & (lanes - 1)) * kWide;
  const i64 first = static_cast<i64>(blockIdx.x) * kTogether * teams + (threadIdx.x >> bits);
  const auto row = [&](int i) { return first + i * teams; };
  const auto has = [&](int i) { return column < r.columns && row(i) < r.rows; };
  float x[kTogether][kWide], dy[kTogether][kWide];
  const auto load = [&](const T* from, float absent, float(&to)[kTogether][kWide]) {
    uint4 pack[kTogether];
#pragma unroll
    for (int i = 0; i < kTogether; ++i) {
      const T* at = from + row(i) * r.stride + column;
      if constexpr (kWide == 1)
        to[i][0] = has(i) ? wb::to_float(*at) : absent;
      else if (has(i))
        pack[i] = *reinterpret_cast<const uint4*>(at);
    }
    if constexpr (kWide > 1) {
#pragma unroll
      for (int i = 0; i < kTogether; ++i) {
        widen(pack[i], to[i], T());
#pragma unroll
        for (int j = 0; j < kWide; ++j)
          if (!has(i)) to[i][j] = absent;
      }
    }
  };
  load(r.x, Op::kAbsent, x);
  if (Op::kBackward) load(r.dy, 0, dy);
#pragma unroll
  for (int i = 0; i < kTogether; ++i) {
    const auto own = Op::part(x[i], dy[i]);
    Op::finish(x[i], dy[i], own, over_warp(own, lanes));
    T* at = r.out + row(i) * r.stride + column;
    if (!has(i)) continue;
    if constexpr (kWide == 1)
      *at = wb::from_float<T>(x[i][0]);
    else
      *reinterpret_cast<uint4*>(at) = narrow(x[i], T());
  }
}

// A warp or a block per row: which row is this thread's, and who is it in its team?
template <bool kBlock> struct Member {
  i64 row = kBlock ? blockIdx.x : (i64{blockIdx.x} * kThreads + threadIdx.x) / kWarp;
  int threads = kBlock ? blockDim.x : kWarp;
  int thread = kBlock ? threadIdx.x : threadIdx.x % kWarp;
};

template <bool kBlock, class P> __device__ P over_team(P own) {
  if constexpr (kBlock) {
    __shared__ P of_warp[kWarp];
    return over_block(own, of_warp, nothing<P>());
  } else {
    return over_warp(own);
  }
}

template <int kPacks, bool kBlock, class T>
__global__ void __launch_bounds__(kBlock ? kMostThreads : kThreads) by_team(Forward, Rows<T> r) {
  const Member<kBlock> me;
  if (me.row >= r.rows) return;  // the whole warp
  float x[kPacks * kWidth<T> + 2];
  load<kPacks>(r.x + me.row * r.stride, r.columns, me.thread, me.threads, Forward::kAbsent, x);
  const Part own = Forward::part(x, x);
  Forward::finish(x, x, own, over_team<kBlock>(own));
  store<kPacks>(r.out + me.row * r.stride, r.columns, me.thread, me.threads, x);
}

// A block per even row where rows are few, so that nothing else is on its multiprocessor: what
// counts is how soon the loads are asked for, and there are no ends to look for.
template <int kPacks, class T>
__global__ void __launch_bounds__(kMostThreads) by_short_block(Rows<T> r) {
  constexpr int kValues = kPacks * kWidth<T>;
  __shared__ Part of_warp[kWarp];
  const int packs = static_cast<int>(r.columns) / kWidth<T>, threads = blockDim.x;
  const auto has = [&](int i) { return i * threads + static_cast<int>(threadIdx.x) < packs; };
  const i64 at = blockIdx.x * r.stride;
  const uint4* const from = reinterpret_cast<const uint4*>(r.x + at) + threadIdx.x;
  uint4* const to = reinterpret_cast<uint4*>(r.out + at) + threadIdx.x;
  uint4 pack[kPacks];
#pragma unroll
  for (int i = 0; i < kPacks; ++i)
    if (has(i)) pack[i] = from[i * threads];
  float x[kValues];
#pragma unroll
  for (int i = 0; i < kPacks; ++i) {
    widen(pack[i], x + i * kWidth<T>, T());
#pragma unroll
    for (int j = 0; j < kWidth<T>; ++j)
      if (!has(i)) x[i * kWidth<T> + j] = Forward::kAbsent;
  }
  const Part own = Forward::part(x, x);
  Forward::finish(x, x, own, over_block(own, of_warp, kNothing));
#pragma unroll
  for (int i = 0; i < kPacks; ++i)
    if (has(i)) to[i * threads] = narrow(x + i * kWidth<T>, T());
}

// Backward: y, which is in x, and dy become floats pack by pack, twice, so that two arrays take no
// more registers than one.
template <int kPacks, bool kBlock, class T>
__global__ void __launch_bounds__(kBlock ? std::min(kLongBlock / (kPacks * kWidth<T>), kMostThreads)
                                         : kThreads) by_team(Backward, Rows<T> r) {
  const Member<kBlock> me;
  if (me.row >= r.rows) return;
  const i64 at = me.row * r.stride;
  Share<kPacks, T> y(r.x + at, r.columns, me.thread, me.threads, 0);
  const Share<kPacks, T> dy(r.dy + at, r.columns, me.thread, me.threads, 0);
  float a[kWidth<T>], b[kWidth<T>];
  float all = Backward::part(y.end, dy.end);
#pragma unroll
  for (int i = 0; i < kPacks; ++i) {
    widen(y.pack[i], a, T()), widen(dy.pack[i], b, T());
    all += Backward::part(a, b);
  }
  all = over_team<kBlock>(all);
#pragma unroll
  for (int i = 0; i < kPacks; ++i) {
    widen(y.pack[i], a, T()), widen(dy.pack[i], b, T());
    Backward::finish(a, b, 0, all);
    y.pack[i] = narrow(a, T());
  }
  Backward::finish(y.end, dy.end, 0, all);
  y.store(r.out + at, r.columns, me.thread, me.threads);
}

// Blocks per row, which do not wait for each other. First pass: each leaves the value of its piece.
// Second: each combines those of its row and finishes its piece. In reverse, for what was read last
// may still be in L2.
template <bool kSecond, class Op, class T>
__global__ void __launch_bounds__(kThreads)
    by_pieces(Op, Rows<T> r, i64 piece, unsigned pieces, typename Op::Value* left) {
  using Value = typename Op::Value;
  constexpr int kPacks = kSomeElements / kWidth<T>, kStep = kThreads * kSomeElements;
  const unsigned block = kSecond ? gridDim.x - 1 - blockIdx.x : blockIdx.x, row = block / pieces;
  Value all = nothing<Value>();
  if (kSecond) {
    for (unsigned i = threadIdx.x % kWarp; i < pieces; i += kWarp)
      all = combine(all, left[row * pieces + i]);
    all = over_warp(all);
  }
  const i64 from = block % pieces * piece, end = min(from + piece, r.columns);
  for (i64 column = from; column < end; column += kStep) {
    const i64 at = row * r.stride + column, count = min(end - column, i64{kStep});
    float x[kSomeElements + 2], dy[kSomeElements + 2];
    load<kPacks>(r.x + at, count, threadIdx.x, kThreads, Op::kAbsent, x);
    if (Op::kBackward) load<kPacks>(r.dy + at, count, threadIdx.x, kThreads, 0, dy);
    const Value own = Op::part(x, dy);
    if (kSecond) {
      Op::finish(x, dy, own, all);
      store<kPacks>(r.out + at, count, threadIdx.x, kThreads, x);
    } else {
      all = combine(all, own);
    }
  }
  __shared__ Value of_warp[kWarp];
  if (!kSecond) all = over_block(all, of_warp, nothing<Value>());
  if (!kSecond && threadIdx.x == 0) left[block] = all;
}

// f(op, rows) for the operation and the type of this case.
template <class F> void with_op(const SoftmaxRows::Args& p, F f) {
  with_rows(p, [&](auto rows) { p.backward ? f(Backward(), rows) : f(Forward(), rows); });
}

constexpr int kOwn = 1 << 10;  // bytes of shared memory per block, for what a kernel has itself

// A launch of clusters; it points to its own attribute, so it is made where it is used.
struct ClusterLaunch {
  cudaLaunchConfig_t config = {};
  cudaLaunchAttribute size = {};

  ClusterLaunch(const SoftmaxRows::Args& p, const Plan& plan, i64 clusters, cudaStream_t stream) {
    const i64 packs =
        p.columns * static_cast<i64>(SoftmaxRows::element_bytes(p.dtype)) / kLoadBytes;
    size.id = cudaLaunchAttributeClusterDimension;
    size.val.clusterDim = {static_cast<unsigned>(plan.cluster), 1, 1};
    config.gridDim = dim3(static_cast<unsigned>(clusters * plan.cluster));
    config.blockDim = dim3(plan.threads);
    config.dynamicSmemBytes = blocks(packs, plan.cluster) * kLoadBytes;
    config.stream = stream;
    config.attrs = &size, config.numAttrs = 1;
  }
  ClusterLaunch(const ClusterLaunch&) = delete;
};

// How many clusters the device holds at a time.
int resident(const SoftmaxRows::Args& p, const Plan& plan) {
  int count = 0;
  with_op(p, [&](auto op, auto rows) {
    const auto kernel = by_cluster<decltype(op), std::remove_reference_t<decltype(*rows.out)>>;
    const ClusterLaunch launch(p, plan, 1, nullptr);
    // Set-ups of other shapes have the same kernel, and its limit is that of all: what there is.
    const int most = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) - kOwn;
    if (static_cast<int>(launch.config.dynamicSmemBytes) > most) return;  // it takes no such block
    wb::allow_shared(kernel, most);
    if (plan.cluster > 8)  // a GPU without such clusters may refuse it here, or below
      cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    if (cudaOccupancyMaxActiveClusters(&count, kernel, &launch.config) != cudaSuccess) count = 0;
    cudaGetLastError();  // or the next launch would be blamed for this
  });
  return count;
}

// Whether by_cluster has a body. The device alone does not say: one of compute capability 10 also
// runs code that was compiled for 8.0, in which it is empty.
bool has_clusters() {
  cudaFuncAttributes kernel;
  WB_CHECK(cudaFuncGetAttributes(&kernel, by_cluster<Forward, float>));
  return kernel.ptxVersion >= 90;
}

struct Choice {
  Plan plan;
  int clusters;  // that the device holds at a time
};

Choice choose(const SoftmaxRows::Args& p) {
  const int bytes = static_cast<int>(SoftmaxRows::element_bytes(p.dtype));
  // Packs of x are stored at the same place of out, and come with those of dy.
  const auto late = [](const void* at) {
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(at) % kLoadBytes);
  };
  if (late(p.out) != late(p.x) || (p.backward && late(p.dy) != late(p.x)))
    throw std::invalid_argument(
        "x, dy and out must begin equally far behind multiples of 16 bytes");
  const Shape shape{p.backward, p.rows, p.columns, bytes, p.stride, late(p.x) / bytes};
  const int count = multiprocessors();
  if (has_clusters())
    for (const int most : {kMostCluster, 8}) {
      const Plan plan = plan_rows(shape, {count, most});
      if (plan.team != Team::cluster) return {plan, 0};
      if (const int clusters = resident(p, plan)) return {plan, clusters};
    }
  return {plan_rows(shape, {count, 0}), 0};
}

template <class Op, class T>
void launch_team(const Plan& plan, Op op, Rows<T> r, cudaStream_t stream) {
  const auto team = [&](auto packs, auto is_block) {
    constexpr bool kBlock = is_block();
    const unsigned grid = blocks(r.rows, kBlock ? 1 : kThreads / kWarp);
    by_team<packs(), kBlock><<<grid, plan.threads, 0, stream>>>(op, r);
  };
  const auto with_packs = [&](auto is_block) {
    if constexpr (is_block() && !Op::kBackward)
      if (plan.elements == kFewElements && plan.width > 1)
        return by_short_block<kFewElements / kWidth<T>>
            <<<static_cast<unsigned>(r.rows), plan.threads, 0, stream>>>(r);
    if (plan.elements == kFewElements)
      team(std::integral_constant<int, kFewElements / kWidth<T>>(), is_block);
    else if (plan.elements == kSomeElements)
      team(std::integral_constant<int, kSomeElements / kWidth<T>>(), is_block);
    else if constexpr (!Op::kBackward || sizeof(T) == 2)
      team(std::integral_constant<int, kManyElements / kWidth<T>>(), is_block);
  };
  plan.team == Team::block ? with_packs(std::true_type()) : with_packs(std::false_type());
}

template <class Op, class T>
void launch(const SoftmaxRows::Args& p, const Choice& choice, Op op, Rows<T> r, void* scratch,
            cudaStream_t stream) {
  const Plan& plan = choice.plan;
  if (plan.team == Team::lanes) {
    const int bits = std::countr_zero(static_cast<unsigned>(plan.lanes));
    const unsigned grid = blocks(r.rows, i64{kTogether} * kThreads / plan.lanes);
    if (plan.width > 1)
      by_lanes<kWidth<T>><<<grid, kThreads, 0, stream>>>(op, r, bits);
    else
      by_lanes<1><<<grid, kThreads, 0, stream>>>(op, r, bits);
  } else if (plan.team == Team::staged) {
    const auto stage = [&](auto width) {
      by_stage<width()>
          <<<blocks(r.rows, plan.own), plan.threads, 0, stream>>>(op, r, plan.own, plan.lanes);
    };
    if constexpr (sizeof(T) == 2)
      if (plan.width == 2) return stage(std::integral_constant<int, 2>());
    stage(std::integral_constant<int, 1>());
  } else if (plan.team == Team::cluster) {
    const ClusterLaunch cluster(p, plan, std::min<i64>(r.rows, choice.clusters), stream);
    WB_CHECK(cudaLaunchKernelEx(&cluster.config, by_cluster<Op, T>, op, r));
  } else if (plan.team == Team::blocks) {
    auto* const left = static_cast<typename Op::Value*>(scratch);
    const auto grid = static_cast<unsigned>(r.rows * plan.pieces);
    const auto pieces = static_cast<unsigned>(plan.pieces);
    by_pieces<false><<<grid, kThreads, 0, stream>>>(op, r, plan.piece, pieces, left);
    by_pieces<true><<<grid, kThreads, 0, stream>>>(op, r, plan.piece, pieces, left);
  } else {
    launch_team(plan, op, r, stream);
  }
}

auto make_any_shape(const SoftmaxRows::Args& p) {
  const Choice choice = choose(p);
  const auto scratch = wb::make_device_array<Part>(
      choice.plan.team == Team::blocks ? p.rows * choice.plan.pieces : 1);
  return [=](cudaStream_t stream) {
    with_op(p, [&](auto op, auto rows) { launch(p, choice, op, rows, scratch.get(), stream); });
  };
}

}  // namespace
