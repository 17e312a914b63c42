// C = epilogue(A B^T) in 16 bits. The sums of a tile are in registers when it is done with k, and
// the epilogue changes them there, before they are rounded and stored. No intermediate result goes
// to memory.
//
// This is Hopper's kernel, one of 03_hopper_pipeline (no clusters; boxes stored by TMA) with three
// lines more. Where card, build or size do not allow it, gemm() takes the kernel of fused_mma.cuh,
// which makes the same tiles on any card since 2020.
//
//   struct Relu {  // of the sums in this column and the next one
//     __device__ float2 operator()(float2 sums, int column) const { ... }
//   };
//   return fused::gemm(m, n, k, a, b, c, Relu{});  // set-up: returns a function of the stream
//
// fused::gemm<true> takes a B that is stored the other way round, k x n. epilogue.cuh says what an
// epilogue has that needs more than a column's number, and what an order of tiles is.
#pragma once

#include <functional>

#include "epilogue.cuh"
#include "fused_mma.cuh"
#include "hopper.cuh"

namespace fused {

constexpr int kRows = 128, kColumns = 256, kDepth = 64, kThreads = 3 * 128;  // a tile; a block
constexpr int kStages = 4, kBoxes = 2, kBox = 64 * 64;

template <class T> struct Shared {
  alignas(1024) T a[kStages][kRows * kDepth];
  alignas(1024) T b[kStages][kColumns * kDepth];
  alignas(1024) T c[2][kBoxes][kBox];  // for each consumer
  float2 notes[2][4][32];              // of an epilogue: for each consumer, warp and lane
  hopper::Barrier full[kStages], empty[kStages];
};

template <bool b_columns, class T, class Epilogue, class Order>
__global__ void __launch_bounds__(kThreads, 1)
    multiply(int m, int n, int k, const __grid_constant__ CUtensorMap map_a,
             const __grid_constant__ CUtensorMap map_b, const __grid_constant__ CUtensorMap map_c,
             const Epilogue given, Order order) {
#ifdef HOPPER_CODE
  extern __shared__ __align__(1024) unsigned char memory[];
  Shared<T>& s = *reinterpret_cast<Shared<T>*>(memory);
  const int consumer = int(threadIdx.x) / 128 - 1, lane = threadIdx.x % 32;  // -1: the producer
  const int steps = (k + kDepth - 1) / kDepth;
  const int down = (m + kRows - 1) / kRows, across = (n + kColumns - 1) / kColumns;
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      s.full[i].init(1);
      s.empty[i].init(8);
    }
    hopper::fence_barriers();
  }
  __syncthreads();

  hopper::Ring<kStages> ring;  // goes on from tile to tile
  if (consumer < 0) {
    hopper::give_registers<40>();
    if (threadIdx.x == 0)
      for (int tile = blockIdx.x; tile < down * across; tile += gridDim.x) {
        const int2 at = order(tile, down, across);
        const int row = at.x * kRows, column = at.y * kColumns;
        for (int i = 0; i < steps; ++i, ring.next()) {
          hopper::Barrier& full = s.full[ring.stage];
          s.empty[ring.stage].wait(ring.parity ^ 1);
          full.arrive_expecting(sizeof s.a[0] + sizeof s.b[0]);
          hopper::load(s.a[ring.stage], map_a, row, i * kDepth, full);
          if constexpr (b_columns)
            for (int j = 0; j < kColumns; j += 64)
              hopper::load(s.b[ring.stage] + j * kDepth, map_b, i * kDepth, column + j, full);
          else
            hopper::load(s.b[ring.stage], map_b, column, i * kDepth, full);
        }
      }
  } else {
    hopper::take_registers<232>();
    const int thread = threadIdx.x % 128, warp = thread / 32;
    const int below = warp * 16 + lane % 16;  // row in a box
    Epilogue epilogue = given;
    for (int tile = blockIdx.x; tile < down * across; tile += gridDim.x) {
      const int2 at = order(tile, down, across);
      const int row = at.x * kRows, column = at.y * kColumns;
      epilogue.template begin<kColumns>(row + 64 * consumer + warp * 16 + lane / 4, column);
      float sum[hopper::kSums];
      int before = 0;
      for (int i = 0; i < steps; ++i, ring.next()) {
        s.full[ring.stage].wait(ring.parity);
        const std::uint64_t a = hopper::describe(s.a[ring.stage] + consumer * 64 * kDepth);
        const std::uint64_t b = b_columns
                                    ? hopper::describe_columns(s.b[ring.stage], sizeof s.c[0][0])
                                    : hopper::describe(s.b[ring.stage]);
        hopper::begin();
        for (int j = 0; j < kDepth / 16; ++j)
          hopper::multiply<T, false, b_columns>(sum, a + 2 * j, b + (b_columns ? 128 : 2) * j,
                                                i + j > 0);
        hopper::commit();
        hopper::wait<1>();
        if (i > 0 && lane == 0) s.empty[before].arrive();
        before = ring.stage;
      }
      hopper::wait<0>(sum);
      if (lane == 0) s.empty[before].arrive();  // the producer goes on while we store

#pragma unroll
      for (int part = 0; part < kColumns / 64; ++part) {
        T* const box = s.c[consumer][part % kBoxes];
        if (thread == 0) hopper::wait_for_stores<kBoxes - 1>();
        hopper::synchronize_warpgroup(1 + consumer);  // the box is free, and the notes
        epilogue.apply(sum + 32 * part, part, column + 64 * part, s.notes[consumer][warp][lane]);
#pragma unroll
        for (int j = 0; j < 8; j += 2) {  // 16 rows and 16 columns for each warp
          const float* x = sum + 32 * part + 4 * j;
          hopper::store_matrices(box + below * 64 + ((j + lane / 16) ^ below % 8) * 8,
                                 hopper::pack<T>(x[0], x[1]), hopper::pack<T>(x[2], x[3]),
                                 hopper::pack<T>(x[4], x[5]), hopper::pack<T>(x[6], x[7]));
        }
        hopper::fence_stores();
        hopper::synchronize_warpgroup(1 + consumer);  // the box is complete, and the notes
        if (thread == 0) hopper::store(map_c, row + 64 * consumer, column + 64 * part, box);
        if (warp == 0)
          epilogue.end(row + 64 * consumer, column + 64 * part,
                       [&](int i) { return s.notes[consumer][i][lane]; });
      }
    }
    if (thread == 0) hopper::wait_for_stores<0>();  // shared memory lives as long as its block
  }
#endif
}

// 96 KiB of shared memory, which a block has on every card since 2020. Its eight warps take all
// registers of a multiprocessor.
using Mma = MmaShape<kRows, kColumns, 32, 4>;

template <bool b_columns, int unit, class T, class Epilogue, class Order>
__global__ void __launch_bounds__(Mma::kThreads, Mma::kBlocks)
    multiply_anywhere(int m, int n, int k, const T* a, const T* b, T* c, const Epilogue epilogue,
                      Order order) {
  multiply_mma<Mma, b_columns, unit>(m, n, k, a, b, c, epilogue, order);
}

// Whether gemm() takes Hopper's kernel.
inline bool by_wgmma(wb::i64 m, wb::i64 n, wb::i64 k) {
  return !hopper::obstacle(m, n, k) && !hopper::no_code();
}
// The part of k that a step of a tile takes.
inline int depth(wb::i64 m, wb::i64 n, wb::i64 k) {
  return by_wgmma(m, n, k) ? kDepth : Mma::kDepth;
}

// Set-up: returns a function of the stream. A is m x k, B n x k (k x n where it is stored by
// columns), C m x n, all row-major; T is __half or __nv_bfloat16. A variant that calls it declares
// WB_NEEDS("8.0").
template <bool b_columns = false, class T, class Epilogue, class Order = Grouped>
std::function<void(cudaStream_t)> gemm(wb::i64 m, wb::i64 n, wb::i64 k, const T* a, const T* b,
                                       T* c, Epilogue epilogue, Order order = {}) {
  const wb::i64 tiles = (m + kRows - 1) / kRows * ((n + kColumns - 1) / kColumns);
  const int blocks = std::min<wb::i64>(tiles, hopper::multiprocessors());
  if constexpr (requires { epilogue(float2{}, 0); }) {
    return gemm<b_columns>(m, n, k, a, b, c, ByColumn<Epilogue>{epilogue}, order);
  } else if (by_wgmma(m, n, k)) {
    const auto kernel = multiply<b_columns, T, Epilogue, Order>;
    const int bytes = sizeof(Shared<T>);
    wb::allow_shared(kernel, bytes);
    const auto map_a = hopper::tensor_map<T>(a, m, k, kRows);
    const auto map_b = b_columns ? hopper::tensor_map<T>(b, k, n, kDepth)
                                 : hopper::tensor_map<T>(b, n, k, kColumns);
    const auto map_c = hopper::tensor_map<T>(c, m, n, 64);
    return [=](cudaStream_t stream) {
      kernel<<<blocks, kThreads, bytes, stream>>>(m, n, k, map_a, map_b, map_c, epilogue, order);
      WB_CHECK(cudaGetLastError());
    };
  } else {
    if (std::max({m, n, k}) > 1 << 30) throw wb::Unsupported("too large: at most 2^30 rows");
    const wb::i64 rows = b_columns ? n | k : k;  // begin at multiples of what divides this
    const auto kernel = rows % 8 == 0   ? multiply_anywhere<b_columns, 8, T, Epilogue, Order>
                        : rows % 2 == 0 ? multiply_anywhere<b_columns, 2, T, Epilogue, Order>
                                        : multiply_anywhere<b_columns, 1, T, Epilogue, Order>;
    wb::allow_shared(kernel, Mma::kBytes);
    return [=](cudaStream_t stream) {
      if (tiles > 0)
        kernel<<<blocks, Mma::kThreads, Mma::kBytes, stream>>>(m, n, k, a, b, c, epilogue, order);
      WB_CHECK(cudaGetLastError());
    };
  }
}

}  // namespace fused
