// Row sums. A team of lanes has a row, and reads it from device memory; or the block first copies
// all of its rows, which lie one behind the other, into shared memory. Rows of 7 or 49 floats begin
// anywhere, and loads of 16 bytes do not fit them. They do fit what a block has of them.
#pragma once

#include "work.cuh"

struct Rows {
  int block;  // threads
  int team;   // threads per row: a part of a warp, or the block
  int rows;   // per team
  int width;  // floats per load
  int loads;  // in flight per thread and row
  int stage;  // 1: through shared memory

  __host__ __device__ constexpr int per_block() const { return block / team * rows; }
};

template <int kTeam> __device__ float over_team(float value) {
#pragma unroll
  for (int distance = (kTeam < 32 ? kTeam : 32) / 2; distance > 0; distance /= 2)
    value += __shfl_xor_sync(0xFFFFFFFF, value, distance);
  if constexpr (kTeam > 32) {
    __shared__ float of_warp[kTeam / 32];
    __syncthreads();
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    value = 0;
    for (const float v : of_warp) value += v;
  }
  return value;
}

// Elements `at` and following of a row that has `count`; 0 for those that it has not.
template <int kWidth> __device__ Pack<kWidth> load_some(const float* row, i64 at, i64 count) {
  if (at >= 0 && at + kWidth <= count) return load<kWidth>(row + at);
  Pack<kWidth> pack = {};
#pragma unroll
  for (int i = 0; i < kWidth; ++i)
    if (at + i >= 0 && at + i < count) pack.at[i] = row[at + i];
  return pack;
}

// Where a row begins between two multiples of the width, so does the first load, `early` elements
// before it.
template <Rows c> __device__ void from_memory(const Work& w, i64 first) {
  constexpr int kStep = c.team * c.width;
  const i64 end = w.columns + (w.columns % c.width ? c.width - 1 : 0);
  float sum[c.rows] = {};
  for (i64 at = threadIdx.x % c.team * c.width; at < end; at += kStep * c.loads) {
    Pack<c.width> pack[c.rows][c.loads];
#pragma unroll
    for (int r = 0; r < c.rows; ++r) {
      const i64 row = first + r * (c.block / c.team), begin = row * w.columns;
      const i64 early = begin % c.width, count = row < w.rows ? w.columns : 0;
#pragma unroll
      for (int l = 0; l < c.loads; ++l)
        pack[r][l] = load_some<c.width>(w.a + begin, at - early + l * kStep, count);
    }
#pragma unroll
    for (int r = 0; r < c.rows; ++r)
#pragma unroll
      for (int l = 0; l < c.loads; ++l)
#pragma unroll
        for (int i = 0; i < c.width; ++i) sum[r] += pack[r][l].at[i];
  }
#pragma unroll
  for (int r = 0; r < c.rows; ++r) {
    const i64 row = first + r * (c.block / c.team);
    const float all = over_team<c.team>(sum[r]);
    if (threadIdx.x % c.team == 0 && row < w.rows) w.y[row] = all;
  }
}

// Copies a multiple of 16 bytes into shared memory, past the registers (since Ampere).
template <Rows c> __device__ void copy(float* to, const float* from, int count) {
#if __CUDA_ARCH__ >= 800
  const auto target = static_cast<unsigned>(__cvta_generic_to_shared(to));
  for (int i = 4 * threadIdx.x; i < count; i += 4 * c.block)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(target + 4 * i), "l"(from + i)
                 : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
#else
  for (int i = 4 * threadIdx.x; i < count; i += 4 * c.block)
    *reinterpret_cast<Pack<4>*>(to + i) = load<4>(from + i);
#endif
}

template <Rows c> __device__ void from_shared(const Work& w) {
  static_assert(c.per_block() % 4 == 0, "so that a block's rows begin at a multiple of 16 bytes");
  extern __shared__ __align__(16) float x[];
  const i64 begin = blockIdx.x * i64{c.per_block()};
  const int columns = static_cast<int>(w.columns);
  const int rows = static_cast<int>(min(i64{c.per_block()}, w.rows - begin));
  const int count = rows * columns, whole = count / 4 * 4;
  const float* from = w.a + begin * columns;
  for (int i = whole + threadIdx.x; i < count; i += c.block) x[i] = from[i];
  copy<c>(x, from, whole);
  __syncthreads();
  for (int r = 0; r < c.rows; ++r) {
    const int row = threadIdx.x / c.team + r * (c.block / c.team);
    float sum = 0;
    if (row < rows)
#pragma unroll 8
      for (int i = threadIdx.x % c.team; i < columns; i += c.team) sum += x[row * columns + i];
    sum = over_team<c.team>(sum);
    if (threadIdx.x % c.team == 0 && row < rows) w.y[begin + row] = sum;
  }
}

template <Rows c> __device__ void compute(const Work& w) {
  if constexpr (c.stage > 0)
    if (w.staged) return from_shared<c>(w);
  from_memory<c>(w, blockIdx.x * i64{c.per_block()} + threadIdx.x / c.team);
}
