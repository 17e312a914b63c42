// What all kernels of this lesson get, and the two of them that are short. A choice is a type of
// numbers, which a kernel takes as a template parameter: NVRTC and nvcc compile the same text, so
// no header of the host is included.
#pragma once

using i64 = long long;

// The arrays begin at multiples of 16 bytes.
struct Work {
  i64 rows, columns;  // of a and b; add has one row
  const float* a;
  const float* b;
  float* y;
  int staged = 0;  // row sums: the launch has shared memory for a block's rows
};

template <int kWidth> struct alignas(4 * kWidth) Pack { float at[kWidth]; };

template <int kWidth> __device__ Pack<kWidth> load(const float* x) {
  return *reinterpret_cast<const Pack<kWidth>*>(x);
}
// One instruction, said so: of a sum that a loop leaves, the compiler makes four stores.
__device__ inline void store(float* y, const Pack<1>& p) { *y = p.at[0]; }
__device__ inline void store(float* y, const Pack<2>& p) {
  __stcs(reinterpret_cast<float2*>(y), float2{p.at[0], p.at[1]});
}
__device__ inline void store(float* y, const Pack<4>& p) {
  __stcs(reinterpret_cast<float4*>(y), float4{p.at[0], p.at[1], p.at[2], p.at[3]});
}
template <int kWidth> __device__ Pack<kWidth> operator+(Pack<kWidth> a, const Pack<kWidth>& b) {
#pragma unroll
  for (int i = 0; i < kWidth; ++i) a.at[i] += b.at[i];
  return a;
}

struct Add {
  int block;  // threads
  int width;  // floats per load
  int loads;  // of each array, in flight per thread

  __host__ __device__ constexpr i64 per_block() const { return i64{block} * width * loads; }
};

template <Add c> __device__ void compute(const Work& w) {
  const i64 begin = blockIdx.x * c.per_block(), first = begin + threadIdx.x * c.width;
  if (begin + c.per_block() > w.columns) {  // the last block, element by element
    for (i64 i = begin + threadIdx.x; i < w.columns; i += c.block) w.y[i] = w.a[i] + w.b[i];
    return;
  }
  Pack<c.width> a[c.loads], b[c.loads];
#pragma unroll
  for (int l = 0; l < c.loads; ++l) {
    a[l] = load<c.width>(w.a + first + l * c.block * c.width);
    b[l] = load<c.width>(w.b + first + l * c.block * c.width);
  }
#pragma unroll
  for (int l = 0; l < c.loads; ++l) store(w.y + first + l * c.block * c.width, a[l] + b[l]);
}

struct Columns {
  int block;
  int width;  // columns per thread
  int lines;  // threads below each other, on other rows of the same columns
  int loads;  // rows in flight per thread
  int split =
      1;  // blocks below each other; each leaves a row of sums, which a second launch adds up

  __host__ __device__ constexpr i64 per_block() const { return i64{block} / lines * width; }
};

// kWidth: of the loads; 1 where rows do not begin at multiples of c.width.
template <Columns c, int kWidth> __device__ void sum_columns(const Work& w) {
  __shared__ Pack<kWidth> left[c.block];
  constexpr int kAcross = c.block / c.lines;
  const int across = threadIdx.x % kAcross, line = threadIdx.x / kAcross;
  const i64 begin = w.rows * blockIdx.y / gridDim.y, end = w.rows * (blockIdx.y + 1) / gridDim.y;
  for (int turn = 0; turn < c.width / kWidth; ++turn) {
    const i64 column = blockIdx.x * c.per_block() + (turn * kAcross + across) * kWidth;
    Pack<kWidth> sum = {};
    if (column < w.columns)
      for (i64 row = begin + line; row < end; row += c.lines * c.loads) {
        Pack<kWidth> pack[c.loads];
#pragma unroll
        for (int l = 0; l < c.loads; ++l) {
          const i64 own = row + l * c.lines;
          pack[l] = own < end ? load<kWidth>(w.a + own * w.columns + column) : Pack<kWidth>{};
        }
#pragma unroll
        for (int l = 0; l < c.loads; ++l) sum = sum + pack[l];
      }
    if constexpr (c.lines > 1) {
      __syncthreads();
      left[threadIdx.x] = sum;
      __syncthreads();
      for (int other = 1; line == 0 && other < c.lines; ++other)
        sum = sum + left[other * kAcross + across];
    }
    if (line == 0 && column < w.columns) store(w.y + blockIdx.y * w.columns + column, sum);
  }
}

template <Columns c> __device__ void compute(const Work& w) {
  w.columns % c.width == 0 ? sum_columns<c, c.width>(w) : sum_columns<c, 1>(w);
}
