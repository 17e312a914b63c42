// Changes against step 2: x is read once. A row waits where it is near while its mean is found, and
// then its variance; both from what the formulas say, in two passes over the kept elements. Who
// takes a row follows from the shape (plan.h):
//
//   warp     short rows, where there are many: up to 32 elements per lane; shuffles, no barrier
//   block    rows of up to 16 Ki: up to 32 elements per thread. All loads of a row are in flight at
//            once, and while one block finds its variance, others on the multiprocessor load or
//            store
//   slots    longer rows: a cluster of blocks has them in shared memory (cluster.cuh)
//   twice    what is too long for that, or not aligned: pack by pack, as in step 2
//
// Backward, up to 8 Ki columns: a block stays for many rows. x and dy of the next rows are on their
// way into shared memory, and the sums of dy * xhat and of dy stay in registers until all rows are
// done. Then the last stage of step 1 adds them up. So x and dy are read once as well.
//
// The same input gives the same bits: nothing is added in an order of chance. The scratch belongs
// to this set-up: two streams may run two set-ups at a time, but not one.
//
// Predict: what is left to gain for rows of 8192 against a plain copy? And why does each cluster of
// a long row have fewer multiprocessors than would hold it?
#include "backward.cuh"
#include "cluster.cuh"
#include "moments.cuh"

namespace {

constexpr int kWarpThreads = 256;   // of a block whose warps have a row each
constexpr int kTwiceThreads = 512;  // of one that reads its row twice

// blockDim.x threads have a row; a block of several rows has a warp for each.
template <int kWidth, int kPacks, class T>
__global__ void __launch_bounds__(1024) in_registers(Norm<T> n) {
  using Own = Pack<T, kWidth>;
  __shared__ float of_warp[2][kWarp];
  const i64 row = static_cast<i64>(blockIdx.x) * blockDim.y + threadIdx.y;
  if (row >= n.rows) return;  // the whole warp; a block of one row is never here
  const int columns = static_cast<int>(n.columns), threads = static_cast<int>(blockDim.x);
  const auto column = [&](int i) { return (i * threads + static_cast<int>(threadIdx.x)) * kWidth; };
  const auto sum = [&](float value, int which) {
    return blockDim.y > 1 ? over_warp(value) : over_block(value, of_warp[which]);
  };
  const T* const x = n.row_of_x(row);
  Own pack[kPacks];
#pragma unroll
  for (int i = 0; i < kPacks; ++i)
    if (column(i) < columns) pack[i] = Own::stream(x + column(i));

  float mean = 0, squares = 0, value[kWidth];
  if (!n.rms) {
#pragma unroll
    for (int i = 0; i < kPacks; ++i)
      if (column(i) < columns) {
        pack[i].to_floats(value);
#pragma unroll
        for (int j = 0; j < kWidth; ++j) mean += value[j];
      }
    mean = sum(mean, 0) / static_cast<float>(columns);
  }
#pragma unroll
  for (int i = 0; i < kPacks; ++i)
    if (column(i) < columns) {
      pack[i].to_floats(value);
#pragma unroll
      for (int j = 0; j < kWidth; ++j) squares += (value[j] - mean) * (value[j] - mean);
    }
  const float rstd = n.rstd_of(sum(squares, 1));
#pragma unroll
  for (int i = 0; i < kPacks; ++i)
    if (column(i) < columns) {
      float weight[kWidth], bias[kWidth] = {};
      Own::load(n.weight + column(i)).to_floats(weight);
      if (n.bias) Own::load(n.bias + column(i)).to_floats(bias);
      pack[i].to_floats(value);
#pragma unroll
      for (int j = 0; j < kWidth; ++j) value[j] = n.y_of(value[j], mean, rstd, weight[j], bias[j]);
      Own::of(value).store(n.y + row * n.columns + column(i));
    }
}

// Eight elements get their own mean and squares, then they join the rest.
template <class T> __global__ void __launch_bounds__(kTwiceThreads) twice(Norm<T> n) {
  constexpr int kTogether = 8;
  __shared__ float of_warp[kWarp][3];
  const T* const x = n.row_of_x(blockIdx.x);
  Moments own;
  for (i64 i = threadIdx.x; i < n.columns; i += kTogether * kTwiceThreads) {
    float value[kTogether];
    Moments few;
#pragma unroll
    for (int j = 0; j < kTogether; ++j)
      if (i + j * kTwiceThreads < n.columns) {
        value[j] = wb::to_float(x[i + j * kTwiceThreads]);
        few.count += 1, few.mean += n.rms ? 0 : value[j];
      }
    few.mean /= few.count;
#pragma unroll
    for (int j = 0; j < kTogether; ++j)
      if (i + j * kTwiceThreads < n.columns)
        few.m2 += (value[j] - few.mean) * (value[j] - few.mean);
    own.merge(few);
  }
  const Moments all = over_block(own, of_warp);
  const float rstd = n.rstd_of(all.m2);
#pragma unroll 4
  for (i64 i = threadIdx.x; i < n.columns; i += kTwiceThreads)
    n.y[blockIdx.x * n.columns + i] =
        wb::from_float<T>(n.y_of(wb::to_float(x[i]), all.mean, rstd, wb::to_float(n.weight[i]),
                                 n.bias ? wb::to_float(n.bias[i]) : 0));
}

// A block takes row after row; its threads have the same columns of each.
template <class T>
__global__ void __launch_bounds__(kBackwardThreads)
    row_after_row(Norm<T> n, int depth, float* partial) {
  constexpr int kWidth = kWide<T>, kPacks = kBackwardElements / kWidth;
  __shared__ float2 of_warp[2][kWarp];
  const int columns = static_cast<int>(n.columns), threads = static_cast<int>(blockDim.x);
  const auto column = [&](int i) { return (i * threads + static_cast<int>(threadIdx.x)) * kWidth; };
  const auto fill = [&](i64 row, int at) {  // slots: packs of x, then packs of dy
#pragma unroll
    for (int i = 0; i < kPacks; ++i)
      if (row < n.rows && column(i) < columns) {
        copy_async(slot(2 * kPacks * at + i), n.row_of_x(row) + column(i));
        copy_async(slot(2 * kPacks * at + kPacks + i), n.dy + row * n.columns + column(i));
      }
    end_group();
  };
  Pack<T, kWidth> weight[kPacks];
  float dweight[kPacks][kWidth] = {}, dbias[kPacks][kWidth] = {};
#pragma unroll
  for (int i = 0; i < kPacks; ++i)
    if (column(i) < columns) weight[i] = Pack<T, kWidth>::load(n.weight + column(i));
  i64 row = blockIdx.x;
  for (int at = 0; at < depth; ++at) fill(row + at * static_cast<i64>(gridDim.x), at);
  float mean = n.saved_mean(row), rstd = n.rstd[row];

  for (int at = 0, turn = 0; row < n.rows; at = at + 1 < depth ? at + 1 : 0, turn ^= 1) {
    const i64 next = row + gridDim.x;
    float next_mean = 0, next_rstd = 0;
    if (next < n.rows) next_mean = n.saved_mean(next), next_rstd = n.rstd[next];
    wait_until(depth - 1);
    float2 sums = {0, 0};
    const auto of_pack = [&](int i, float(&xhat)[kWidth], float(&dy)[kWidth], float(&g)[kWidth]) {
      pack_in<T>(2 * kPacks * at + i).to_floats(xhat);
      pack_in<T>(2 * kPacks * at + kPacks + i).to_floats(dy);
      weight[i].to_floats(g);
#pragma unroll
      for (int j = 0; j < kWidth; ++j) xhat[j] = (xhat[j] - mean) * rstd, g[j] *= dy[j];
    };
#pragma unroll
    for (int i = 0; i < kPacks; ++i)
      if (column(i) < columns) {
        float xhat[kWidth], dy[kWidth], g[kWidth];
        of_pack(i, xhat, dy, g);
#pragma unroll
        for (int j = 0; j < kWidth; ++j) {
          sums.x += g[j], sums.y += g[j] * xhat[j];
          dweight[i][j] += dy[j] * xhat[j], dbias[i][j] += dy[j];
        }
      }
    sums = over_block(sums, of_warp[turn]);
    const float mean_g = n.rms ? 0 : sums.x / static_cast<float>(columns);
    const float mean_gx = sums.y / static_cast<float>(columns);
#pragma unroll
    for (int i = 0; i < kPacks; ++i)
      if (column(i) < columns) {
        float xhat[kWidth], dy[kWidth], g[kWidth];
        of_pack(i, xhat, dy, g);
#pragma unroll
        for (int j = 0; j < kWidth; ++j) g[j] = rstd * (g[j] - mean_g - xhat[j] * mean_gx);
        Pack<T, kWidth>::of(g).store(n.dx + row * n.columns + column(i));
      }
    fill(row + depth * static_cast<i64>(gridDim.x), at);
    row = next, mean = next_mean, rstd = next_rstd;
  }
  partial += blockIdx.x * 2 * n.columns;
#pragma unroll
  for (int i = 0; i < kPacks; ++i)
    if (column(i) < columns)
#pragma unroll
      for (int j = 0; j < kWidth; ++j) {
        partial[column(i) + j] = dweight[i][j];
        partial[n.columns + column(i) + j] = dbias[i][j];
      }
}

Plan plan_of(const LayerNorm::Args& p) {
  int device = 0, processors = 0, shared = 0, major = 0;
  WB_CHECK(cudaGetDevice(&device));
  WB_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  WB_CHECK(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  WB_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  return plan_norm({p.backward, p.rms, static_cast<int>(LayerNorm::element_bytes(p.dtype)), p.rows,
                    p.columns, even(p)},
                   {processors, shared, major >= 9});
}

// A launch as it was planned, with what set-up asks the device for.
struct Launcher {
  Plan plan;
  i64 grid;          // blocks that stay
  TwoStages stages;  // for the backward pass that reads twice
  std::shared_ptr<float[]> partial;

  int slot_bytes(bool backward, bool rms) const {
    const int rows = backward ? 2 * plan.depth : plan.depth + (plan.keep ? rms ? 1 : 2 : 0);
    return rows * plan.packs * plan.threads * kLoadBytes;
  }

  cudaLaunchConfig_t config(cudaLaunchAttribute& attribute, int bytes, cudaStream_t stream) const {
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {static_cast<unsigned>(plan.cluster), 1, 1};
    return {.gridDim = dim3(static_cast<unsigned>(grid)),
            .blockDim = dim3(static_cast<unsigned>(plan.threads)),
            .dynamicSmemBytes = static_cast<std::size_t>(bytes),
            .stream = stream,
            .attrs = &attribute,
            .numAttrs = plan.cluster > 1 ? 1u : 0u};
  }

  // How many clusters the device holds at a time.
  template <class T> int prepare_clusters(int bytes) {
    const auto kernel = by_cluster<T>;
    WB_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    if (plan.cluster > kPortable)
      WB_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    int count = 0;
    if (plan.cluster == 1) {
      WB_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&count, kernel, plan.threads, bytes));
      return count * multiprocessors();
    }
    grid = plan.cluster;
    cudaLaunchAttribute attribute;
    const cudaLaunchConfig_t launch = config(attribute, bytes, nullptr);
    WB_CHECK(cudaOccupancyMaxActiveClusters(&count, kernel, &launch));
    return count;
  }

  static int multiprocessors() {
    int device = 0, processors = 0;
    WB_CHECK(cudaGetDevice(&device));
    WB_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    return processors;
  }

  void prepare(const LayerNorm::Args& p) {
    if (plan.way != Way::slots || p.rows == 0) return;
    const int bytes = slot_bytes(p.backward, p.rms);
    wb::with_dtype(p.dtype, [&](auto zero) {
      using T = wb::DeviceType<decltype(zero)>;
      if (p.backward) {
        WB_CHECK(cudaFuncSetAttribute(row_after_row<T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      bytes));
        grid = std::min<i64>(p.rows, i64{plan.per_processor} * multiprocessors());
        partial = wb::make_device_array<float>(partial_floats(p.columns, grid));
        return;
      }
      const int clusters = prepare_clusters<T>(bytes);
      if (clusters == 0) plan.way = Way::twice;
      grid = plan.cluster * std::min<i64>(p.rows, clusters);
    });
  }

  template <int kWidth, int kElements, class T>
  void registers(const Norm<T>& n, cudaStream_t stream) const {
    constexpr int kPacks = kElements / kWidth;
    const bool warp = plan.way == Way::warp;
    const int rows = warp ? kWarpThreads / kWarp : 1;
    const dim3 block(warp ? kWarp : static_cast<unsigned>(plan.threads), rows);
    in_registers<kWidth, kPacks><<<blocks(n.rows, rows), block, 0, stream>>>(n);
  }
  template <int kWidth, class T> void registers(const Norm<T>& n, cudaStream_t stream) const {
    if (plan.elements == 8) return registers<kWidth, 8>(n, stream);
    if (plan.elements == 16) return registers<kWidth, 16>(n, stream);
    if constexpr (kWidth > 1) registers<kWidth, 32>(n, stream);
  }

  template <class T> void forward(const Norm<T>& n, cudaStream_t stream) const {
    if (plan.way == Way::slots) {
      cudaLaunchAttribute attribute;
      const cudaLaunchConfig_t launch = config(attribute, slot_bytes(false, n.rms), stream);
      const InSlots in_slots{plan.packs, plan.depth, plan.cluster, plan.keep};
      WB_CHECK(cudaLaunchKernelEx(&launch, by_cluster<T>, n, in_slots));
    } else if (plan.way == Way::twice) {
      twice<<<static_cast<unsigned>(n.rows), kTwiceThreads, 0, stream>>>(n);
    } else if (plan.width == 1) {
      registers<1>(n, stream);
    } else {
      registers<kWide<T>>(n, stream);
    }
  }

  template <class T> void backward(const Norm<T>& n, cudaStream_t stream) const {
    if (plan.way != Way::slots || n.rows == 0)
      return plan.width == 1 ? stages.run<1>(n, stream) : stages.run<kWide<T>>(n, stream);
    row_after_row<<<static_cast<unsigned>(grid), plan.threads, slot_bytes(true, n.rms), stream>>>(
        n, plan.depth, partial.get());
    add_slabs(n, partial.get(), grid, stream);
  }
};

auto make(const LayerNorm::Args& p) {
  Launcher launcher{plan_of(p), 0, TwoStages(p), nullptr};
  launcher.prepare(p);
  return [p, launcher](cudaStream_t stream) {
    with_norm(p, [&](auto n) {
      p.backward ? launcher.backward(n, stream) : launcher.forward(n, stream);
    });
  };
}

}  // namespace

WB_CUDA(LayerNorm, optimized, make);
WB_CASE_NOTE(LayerNorm, [](const LayerNorm::Args& p) { return plan_of(p).text(); });
