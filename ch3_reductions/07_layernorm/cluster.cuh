// A long row in the shared memory of a cluster: blocks that run at the same time and write into
// each other's shared memory. Each has a piece of the row. Mean and squares of a piece are what it
// tells the others; they make those of the row of them, all in the same order.
//
// The blocks stay and take one row after the other. While they work on a row, the next ones are on
// their way into the slots (slots.cuh). While a block waits for the others, it finds the mean and
// squares of its next piece.
#pragma once

#include <cooperative_groups.h>

#include "slots.cuh"

namespace {

struct InSlots {
  int packs, depth, cluster;
  bool keep;
};

// Blocks of a cluster tell each other a pair of numbers per row.
struct Exchange {
  float2 (*of_block)[kMostBlocks];  // shared: for odd and even rows

  // All blocks have begun: before that nobody may write into their memory.
  __device__ void begin() const {
#if __CUDA_ARCH__ >= 900
    cooperative_groups::this_cluster().sync();
#endif
  }
  __device__ void tell(int row, int rank, [[maybe_unused]] int blocks, float2 own) const {
    if (static_cast<int>(threadIdx.x) < blocks) {
      float2* to = &of_block[row % 2][rank];
#if __CUDA_ARCH__ >= 900
      to = cooperative_groups::this_cluster().map_shared_rank(to, threadIdx.x);
#endif
      *to = own;
    }
    __syncwarp();
#if __CUDA_ARCH__ >= 900
    cooperative_groups::this_cluster().barrier_arrive();
#else
    __syncthreads();
#endif
  }
  // Until all have told. Who is two rows ahead overwrites nothing that is still read: it has
  // waited for everyone's arrival with the row between, and that comes after the reading.
  __device__ void wait() const {
#if __CUDA_ARCH__ >= 900
    cooperative_groups::this_cluster().barrier_wait();
#endif
  }
};

template <class T>
__global__ void __launch_bounds__(kSlotThreads, 1) by_cluster(Norm<T> n, InSlots s) {
  constexpr int kWidth = kWide<T>;
  __shared__ float of_warp[2][kWarp];
  __shared__ float2 of_block[2][kMostBlocks];
  const int rank = static_cast<int>(blockIdx.x) % s.cluster;
  const int columns = static_cast<int>(n.columns), piece = s.packs * kSlotThreads * kWidth;
  const i64 clusters = gridDim.x / s.cluster, first = blockIdx.x / s.cluster;
  const auto count_of = [&](int block) {
    const int left = columns - block * piece;
    return static_cast<float>(left < 0 ? 0 : left < piece ? left : piece);
  };
  const auto column = [&](int i) {
    return rank * piece + (i * kSlotThreads + static_cast<int>(threadIdx.x)) * kWidth;
  };
  const int own_packs = [&] {  // those that are not behind the row's end
    int packs = 0;
    while (packs < s.packs && column(packs) < columns) ++packs;
    return packs;
  }();
  const int rows_at = s.keep ? (n.rms ? 1 : 2) * s.packs : 0;
  const auto slot_of = [&](int row, int i) { return rows_at + row % s.depth * s.packs + i; };
  const auto row_of_x = [&](int row) { return n.row_of_x(first + row * clusters); };
  const auto has = [&](int row) { return first + row * clusters < n.rows; };  // the cluster's own

  int turn = 0;
  const auto mean_and_squares = [&](int row) -> float2 {
    float mean = 0, squares = 0, value[kWidth];
    if (!n.rms) {
      for (int i = 0; i < own_packs; ++i) {
        pack_in<T>(slot_of(row, i)).to_floats(value);
#pragma unroll
        for (int j = 0; j < kWidth; ++j) mean += value[j];
      }
      mean = over_block(mean, of_warp[turn]) / fmaxf(count_of(rank), 1);
      turn ^= 1;
    }
    for (int i = 0; i < own_packs; ++i) {
      pack_in<T>(slot_of(row, i)).to_floats(value);
#pragma unroll
      for (int j = 0; j < kWidth; ++j) squares += (value[j] - mean) * (value[j] - mean);
    }
    squares = over_block(squares, of_warp[turn]);
    turn ^= 1;
    return {mean, squares};
  };
  const auto of_row = [&](int row) -> float2 {
    const float2* const told = of_block[row % 2];
    float mean = 0, squares = 0;
    for (int i = 0; i < s.cluster; ++i) mean += told[i].x * count_of(i);
    mean /= static_cast<float>(columns);
    for (int i = 0; i < s.cluster; ++i) {
      const float off = told[i].x - mean;
      squares += told[i].y + (n.rms ? 0 : off * off * count_of(i));
    }
    return {mean, squares};
  };

  for (int i = 0; s.keep && i < own_packs; ++i) {
    copy_async(slot(i), n.weight + column(i));
    if (n.bias) copy_async(slot(s.packs + i), n.bias + column(i));
  }
  for (int row = 0; row < s.depth; ++row) {
    for (int i = 0; has(row) && i < own_packs; ++i)
      copy_async(slot(slot_of(row, i)), row_of_x(row) + column(i));
    end_group();  // with the first: weight and bias
  }

  const Exchange exchange{of_block};
  exchange.begin();
  wait_until(s.depth - 1);
  exchange.tell(0, rank, s.cluster, mean_and_squares(0));
  for (int row = 0; has(row); ++row) {
    const bool early = s.depth > 1;  // else the next row's place is this one's
    float2 next = {0, 0};
    if (early && has(row + 1)) wait_until(s.depth - 2), next = mean_and_squares(row + 1);
    exchange.wait();
    const float2 all = of_row(row);
    if (early && has(row + 1)) exchange.tell(row + 1, rank, s.cluster, next);

    const float mean = all.x, rstd = n.rstd_of(all.y);
    T* const y = n.y + (first + row * clusters) * n.columns;
    const bool more = has(row + s.depth);
    for (int i = 0; i < own_packs; ++i) {
      float value[kWidth], weight[kWidth], bias[kWidth] = {};
      pack_in<T>(slot_of(row, i)).to_floats(value);
      if (s.keep) {
        pack_in<T>(i).to_floats(weight);
        if (n.bias) pack_in<T>(s.packs + i).to_floats(bias);
      } else {
        Pack<T, kWidth>::load(n.weight + column(i)).to_floats(weight);
        if (n.bias) Pack<T, kWidth>::load(n.bias + column(i)).to_floats(bias);
      }
#pragma unroll
      for (int j = 0; j < kWidth; ++j) value[j] = n.y_of(value[j], mean, rstd, weight[j], bias[j]);
      Pack<T, kWidth>::of(value).store(y + column(i));
      if (more) copy_async(slot(slot_of(row, i)), row_of_x(row + s.depth) + column(i));
    }
    end_group();
    if (!early && has(row + 1)) {
      wait_until(0);
      exchange.tell(row + 1, rank, s.cluster, mean_and_squares(row + 1));
    }
  }
}

}  // namespace
