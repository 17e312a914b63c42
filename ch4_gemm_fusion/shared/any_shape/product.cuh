// C = epilogue(A B^T) in 16 bits on Hopper, for any shape: set-up of what plan.h chooses.
//
//   struct Relu {  // of the sum in this column
//     __device__ float operator()(float sum, int column) const { ... }
//   };
//   return any_shape::gemm(m, n, k, a, b, c, Relu{});  // set-up: returns a function of the stream
#pragma once

#include "../fused_gemm.cuh"
#include "aligned.cuh"
#include "few_terms.cuh"
#include "pad.cuh"
#include "plan.h"

namespace any_shape {

using Function = std::function<void(cudaStream_t)>;

// For fused::gemm, which asks about two columns at a time, also beyond n.
template <class Epilogue> struct Pairs {
  Epilogue epilogue;
  int n;
  __device__ float2 operator()(float2 sums, int column) const {
    if (column < n) sums.x = epilogue(sums.x, column);
    if (column + 1 < n) sums.y = epilogue(sums.y, column + 1);
    return sums;
  }
};

// Set-up of a launch: `slices` blocks for each tile, in a cluster. After the copy, blocks start
// before that is done, and wait for it (programmatic dependent launch).
template <class... Parameters, class... Args>
Function launch(void (*kernel)(Parameters...), wb::i64 tiles, int slices, bool behind_copy,
                int threads, int bytes, Args... args) {
  wb::allow_shared(kernel, bytes);
  if (slices > 8)
    WB_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  return [=](cudaStream_t stream) {
    cudaLaunchAttribute attributes[2] = {};
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(static_cast<unsigned>(tiles * slices));
    config.blockDim = dim3(static_cast<unsigned>(threads));
    config.dynamicSmemBytes = bytes, config.stream = stream, config.attrs = attributes;
    if (slices > 1) {
      cudaLaunchAttribute& cluster = attributes[config.numAttrs++];
      cluster.id = cudaLaunchAttributeClusterDimension;
      cluster.val.clusterDim = {static_cast<unsigned>(slices), 1, 1};
    }
    if (behind_copy) {
      cudaLaunchAttribute& early = attributes[config.numAttrs++];
      early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
      early.val.programmaticStreamSerializationAllowed = 1;
    }
    WB_CHECK(cudaLaunchKernelEx(&config, kernel, Parameters(args)...));
  };
}

// f.operator()<rows, columns>() for the tile of the plan.
template <class F> Function with_tile(const Plan& plan, F f) {
  const auto is = [&](int rows, int columns) {
    return plan.rows == rows && plan.columns == columns;
  };
  if (is(64, 64)) return f.template operator()<64, 64>();
  if (is(64, 128)) return f.template operator()<64, 128>();
  if (is(128, 64)) return f.template operator()<128, 64>();
  if (is(128, 128)) return f.template operator()<128, 128>();
  if (plan.way == Way::aligned) {
    if (is(128, 192)) return f.template operator()<128, 192>();
    if (is(128, 256)) return f.template operator()<128, 256>();
    if (is(192, 192)) return f.template operator()<192, 192>();
  }
  throw std::invalid_argument("no such tile");
}

// The code below runs on Hopper alone. fused::gemm has a kernel for other GPUs, and for any size.
inline bool by_plan() { return hopper::is_here() && !hopper::no_code(); }

// Blocks of a cluster that need a multiprocessor each: 16 have to be asked for, and a part of a GPU
// (MIG) may hold fewer.
static __global__ void alone() {}
inline int most_slices() {
  constexpr int kBytes = 200 << 10;
  WB_CHECK(cudaFuncSetAttribute(alone, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
  WB_CHECK(cudaFuncSetAttribute(alone, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cudaLaunchConfig_t config = {};
  config.blockDim = dim3(128), config.dynamicSmemBytes = kBytes;
  config.attrs = &cluster, config.numAttrs = 1;
  for (unsigned size = 16; size > 1; size /= 2) {
    cluster.val.clusterDim = {size, 1, 1}, config.gridDim = dim3(size);
    int count = 0;
    if (cudaOccupancyMaxActiveClusters(&count, alone, &config) == cudaSuccess && count > 0)
      return static_cast<int>(size);
    cudaGetLastError();  // it holds no such cluster
  }
  return 1;
}

inline Plan choose(wb::i64 m, wb::i64 n, wb::i64 k) {
  static const int most = most_slices();
  return choose(m, n, k, hopper::multiprocessors(), most);
}
inline std::string note(wb::i64 m, wb::i64 n, wb::i64 k) {
  return by_plan() ? choose(m, n, k).text() : "by mma.sync, as this is no Hopper";
}

// The sums of parts of k go to memory.
struct Same {
  __device__ float operator()(float sum, int) const { return sum; }
};
template <class T, class Epilogue>
Function by_parts(int m, int n, int k, const T* a, const T* b, T* c, Epilogue epilogue, int parts) {
  constexpr int kRows = kPartRows;
  using Size = Unaligned<kRows, kRows>;
  const wb::i64 count = wb::i64{m} * n, blocks = (count + kAddThreads - 1) / kAddThreads;
  const wb::i64 tiles = wb::i64{(m + kRows - 1) / kRows} * ((n + kRows - 1) / kRows);
  const auto sums = wb::make_device_array<float>(count * parts);
  const auto multiply =
      launch(unaligned<kRows, kRows, T, float, Same>, tiles * parts, 1, false, Size::kThreads,
             Size::kBytes, m, n, k, a, b, sums.get(), 1, parts, Same());
  const auto add = launch(add_up<T, Epilogue>, blocks, 1, true, kAddThreads, 0, count, n, parts,
                          sums.get(), c, epilogue);
  return [=](cudaStream_t stream) {
    (void)sums;
    multiply(stream);
    add(stream);
  };
}

// The product by this plan. A is m x k, B n x k, C m x n, all row-major, T is __half or
// __nv_bfloat16, A and B begin at multiples of 16 bytes.
template <class T, class Epilogue>
Function gemm(wb::i64 m, wb::i64 n, wb::i64 k, const T* a, const T* b, T* c, Epilogue epilogue,
              const Plan& plan, bool behind_copy = false) {
  hopper::require();
  if (m * n == 0) return [](cudaStream_t) {};
  if (std::max({m, n, k}) > 1 << 30) throw wb::Unsupported("too large: at most 2^30 rows");
  if ((reinterpret_cast<std::uintptr_t>(a) | reinterpret_cast<std::uintptr_t>(b)) % 16)
    throw std::invalid_argument("A and B must begin at multiples of 16 bytes");
  if (plan.padded) {
    const wb::i64 padded = (k + kDepth - 1) / kDepth * kDepth;
    const auto copy = wb::make_device_array<T>((m + n) * padded);
    T *const to_a = copy.get(), *const to_b = to_a + m * padded;
    Plan rest = plan;
    rest.padded = false;
    const auto multiply = gemm<T>(m, n, padded, to_a, to_b, c, epilogue, rest, true);
    const auto blocks =
        static_cast<unsigned>(((m + n) * padded / 8 + kPadThreads - 1) / kPadThreads);
    return [=](cudaStream_t stream) {
      (void)copy;
      pad<<<blocks, kPadThreads, 0, stream>>>(int(m), int(n), int(k), int(padded), a, b, to_a,
                                              to_b);
      WB_CHECK(cudaGetLastError());
      multiply(stream);
    };
  }
  if (plan.way == Way::persistent)
    return fused::gemm(m, n, k, a, b, c, Pairs<Epilogue>{epilogue, int(n)});
  if (plan.way == Way::few_terms) {
    // One column more: where a row begins in the middle of a word, its last may be the first of
    // two.
    const wb::i64 across = (n + 1 + kFewColumns - 1) / kFewColumns;
    const wb::i64 tiles = (m + kFewRows - 1) / kFewRows * across;
    const auto kernel = k <= 4   ? few_terms<4, T, Epilogue>
                        : k <= 8 ? few_terms<8, T, Epilogue>
                                 : few_terms<kMostTerms, T, Epilogue>;
    return launch(kernel, tiles, 1, false, kFewThreads, 0, int(m), int(n), int(k), int(across), a,
                  b, c, epilogue);
  }
  if (plan.parts > 1) return by_parts(int(m), int(n), int(k), a, b, c, epilogue, plan.parts);
  return with_tile(plan, [&]<int rows, int columns>() -> Function {
    const wb::i64 tiles = (m + rows - 1) / rows * ((n + columns - 1) / columns);
    if (plan.way == Way::aligned) {
      using Size = Aligned<rows, columns>;
      return launch(aligned<rows, columns, T, Epilogue>, tiles, plan.slices, behind_copy,
                    Size::kThreads, Size::kBytes, int(m), int(n), int(k),
                    hopper::tensor_map<T>(a, m, k, rows), hopper::tensor_map<T>(b, n, k, columns),
                    c, plan.slices, epilogue);
    }
    if constexpr (rows * columns <= kUnalignedSums) {
      using Size = Unaligned<rows, columns>;
      return launch(unaligned<rows, columns, T, T, Epilogue>, tiles, plan.slices, false,
                    Size::kThreads, Size::kBytes, int(m), int(n), int(k), a, b, c, plan.slices, 1,
                    epilogue);
    }
    throw std::invalid_argument("no such tile");
  });
}

// The same by the plan that is best. Throws wb::Unsupported where this GPU, or the code of this
// build, is older than compute capability 8.0.
template <class T, class Epilogue>
Function gemm(wb::i64 m, wb::i64 n, wb::i64 k, const T* a, const T* b, T* c, Epilogue epilogue) {
  if (!by_plan()) return fused::gemm(m, n, k, a, b, c, Pairs<Epilogue>{epilogue, int(n)});
  return gemm(m, n, k, a, b, c, epilogue, choose(m, n, k));
}

}  // namespace any_shape
