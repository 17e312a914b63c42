// The GPU's product, for any order of tiles: shared/fused_gemm.cuh, a kernel with as many blocks as
// multiprocessors and tiles of 128 x 256, in which a block of an H200 takes every 132nd tile.
// Nothing is fused but the exercise's ReLU. The order is a list in device memory; a tile reads one
// number of it.
#pragma once

#include "../shared/fused_gemm.cuh"
#include "l2_order.h"
#include "orders.h"
#include "wb/half.cuh"

namespace {

using fused::kColumns, fused::kRows;  // of a tile

inline int tiles(wb::i64 size, int tile) { return static_cast<int>((size + tile - 1) / tile); }
inline int down(const L2Order::Args& p) { return tiles(p.m, kRows); }
inline int across(const L2Order::Args& p) { return tiles(p.n, kColumns); }

struct Sums {  // C is the sums
  __device__ float2 operator()(float2 sums, int) const { return sums; }
};
struct Relu {  // of the exercise's C
  __device__ float2 operator()(float2 sums, int) const {
    return {fmaxf(sums.x, 0), fmaxf(sums.y, 0)};
  }
};

// `walk(index, down, across)`: which tile is made as number `index`, in x its row, in y its column.
template <class Walk, class Epilogue = Sums>
std::function<void(cudaStream_t)> multiply_by(const L2Order::Args& p, Walk walk,
                                              Epilogue epilogue = {}) {
  return wb::with_dtype(p.dtype, [&](auto zero) -> std::function<void(cudaStream_t)> {
    using T = wb::DeviceType<decltype(zero)>;
    if constexpr (sizeof(T) != 2)
      throw wb::Unsupported("tensor cores: fp16 or bf16");
    else
      return fused::gemm(p.m, p.n, p.k, static_cast<const T*>(p.a), static_cast<const T*>(p.b),
                         static_cast<T*>(p.c), epilogue, walk);
  });
}

struct Listed {
  const Tile* tiles;
  __device__ int2 operator()(int index, int, int) const {
    return {tiles[index].row, tiles[index].column};
  }
};

inline std::function<void(cudaStream_t)> multiply(const L2Order::Args& p, const Order& order) {
  const auto list = wb::make_device_array<Tile>(order.size());
  WB_CHECK(cudaMemcpy(list.get(), order.data(), order.size() * sizeof(Tile), cudaMemcpyDefault));
  return [list, run = multiply_by(p, Listed{list.get()})](cudaStream_t stream) { run(stream); };
}

// The bytes that the blocks ask of L2: a tile each, along k in step.
inline std::string model(const L2Order::Args& p, const Order& order) {
  int device, l2;
  WB_CHECK(cudaGetDevice(&device));
  WB_CHECK(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, device));
  const double k = static_cast<double>(p.k);
  return traffic(order, {down(p), across(p), 2 * kRows * k, 2 * kColumns * k},
                 hopper::multiprocessors(), tiles(p.k, fused::depth(p.m, p.n, p.k)), l2)
      .text();
}

}  // namespace
