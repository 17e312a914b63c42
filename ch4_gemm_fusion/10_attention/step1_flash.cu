// Against baseline: one kernel, and the scores never reach memory. The softmax is *online*: a query
// keeps the largest score so far, and the sums of weights and of weighted values relative to it;
// when a larger one comes, both sums are multiplied by 2^(old - new) first. Tiles of K and V are
// read once by 64 queries, out of shared memory. Ordinary fp32 arithmetic, any dtype.
// A query belongs to four lanes, a quarter of its numbers each; a thread serves two queries, so
// what it reads of K and V counts twice.
//
// Predict: nearly all traffic is gone, but so are the tensor cores. In bf16, is this faster than
// baseline? And in fp32?
#include "types.cuh"

namespace {

constexpr int kThreads = 128, kRows = kThreads / 4 * 2, kKeys = 32, kStep = 8;

// A thread's number i of a row, in the whole row: pieces of four go round the four lanes.
__device__ int column(int i) { return i / 4 * 16 + threadIdx.x % 4 * 4 + i % 4; }

template <class T, int kWidth>  // rows of `width` numbers, with zeros after them up to kWidth
__global__ void __launch_bounds__(kThreads)
    attend(int queries, int length, int group, int width, bool causal, float scale, const T* q,
           const T* k, const T* v, T* out) {
  constexpr int kOwn = kWidth / 4;
  __shared__ __align__(16) float tile_k[kKeys][kWidth], tile_v[kKeys][kWidth];
  const int tiles = (queries + kRows - 1) / kRows, before = length - queries;
  const wb::i64 head = blockIdx.x / tiles, shared = head / group * length * width;
  q += head * queries * width, k += shared, v += shared, out += head * queries * width;
  const int block = (tiles - 1 - blockIdx.x % tiles) * kRows;  // under a mask the longest first
  const int query = block + threadIdx.x / 4 * 2;               // and the next one

  float own_q[2][kOwn], sums[2][kOwn] = {}, max[2] = {-INFINITY, -INFINITY}, total[2] = {};
#pragma unroll
  for (int r = 0; r < 2; ++r)
#pragma unroll
    for (int i = 0; i < kOwn; ++i) {
      const bool inside = query + r < queries && column(i) < width;
      own_q[r][i] = inside ? wb::to_float(q[wb::i64{query + r} * width + column(i)]) * scale : 0;
    }

  const int end = causal ? min(length, before + block + kRows) : length;
  for (int start = 0; start < end; start += kKeys) {
    for (int i = threadIdx.x; i < kKeys * kWidth; i += kThreads) {
      const int row = i / kWidth, c = i % kWidth;
      const bool inside = start + row < length && c < width;
      const wb::i64 at = wb::i64{start + row} * width + c;
      tile_k[row][c] = inside ? wb::to_float(k[at]) : 0;
      tile_v[row][c] = inside ? wb::to_float(v[at]) : 0;
    }
    __syncthreads();
    for (int first = 0; first < kKeys; first += kStep) {
      float weight[2][kStep] = {};
#pragma unroll
      for (int j = 0; j < kStep; ++j)
#pragma unroll
        for (int i = 0; i < kOwn; i += 4) {
          const float4 x = *reinterpret_cast<const float4*>(&tile_k[first + j][column(i)]);
#pragma unroll
          for (int r = 0; r < 2; ++r)
            weight[r][j] += own_q[r][i] * x.x + own_q[r][i + 1] * x.y + own_q[r][i + 2] * x.z +
                            own_q[r][i + 3] * x.w;
        }
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        float top = max[r];
#pragma unroll
        for (int j = 0; j < kStep; ++j) {
          float& x = weight[r][j];
          x += __shfl_xor_sync(~0u, x, 1);
          x += __shfl_xor_sync(~0u, x, 2);
          const int key = start + first + j;
          if (key >= length || (causal && key > before + query + r)) x = -INFINITY;
          top = fmaxf(top, x);
        }
        const float factor = exp2_fast(max[r] - top);
        max[r] = top;
        total[r] *= factor;
#pragma unroll
        for (int i = 0; i < kOwn; ++i) sums[r][i] *= factor;
#pragma unroll
        for (int j = 0; j < kStep; ++j) total[r] += weight[r][j] = exp2_fast(weight[r][j] - top);
      }
#pragma unroll
      for (int j = 0; j < kStep; ++j)
#pragma unroll
        for (int i = 0; i < kOwn; i += 4) {
          const float4 x = *reinterpret_cast<const float4*>(&tile_v[first + j][column(i)]);
#pragma unroll
          for (int r = 0; r < 2; ++r) {
            sums[r][i] += weight[r][j] * x.x, sums[r][i + 1] += weight[r][j] * x.y;
            sums[r][i + 2] += weight[r][j] * x.z, sums[r][i + 3] += weight[r][j] * x.w;
          }
        }
    }
    __syncthreads();
  }

#pragma unroll
  for (int r = 0; r < 2; ++r)
#pragma unroll
    for (int i = 0; i < kOwn; ++i)
      if (query + r < queries && column(i) < width)
        out[wb::i64{query + r} * width + column(i)] = wb::from_float<T>(sums[r][i] / total[r]);
}

auto make(const Attention::Args& p) {
  if (p.width > 128) throw wb::Unsupported("heads of at most 128 numbers here");
  return [p](cudaStream_t stream) {
    const wb::i64 blocks = p.batch * p.heads * ((p.queries + kRows - 1) / kRows);
    if (blocks * p.width == 0) return;
    with_types(p, [&]<class T>(const T* q, const T* k, const T* v, T* out) {
      const auto kernel = p.width > 64 ? attend<T, 128> : attend<T, 64>;
      kernel<<<blocks, kThreads, 0, stream>>>(p.queries, p.length, p.heads / p.kv_heads, p.width,
                                              p.causal, scale(p), q, k, v, out);
    });
    WB_CHECK(cudaGetLastError());
  };
}

}  // namespace

WB_CUDA(Attention, step1_flash, make);
