// Flash attention for training, so with each query's log(sum of exp(score)) (TrainedAttention), on
// fp32 cores in two passes over the keys. The first finds each query's largest score; the second
// makes every score once more, takes the weight 2^(score - largest), and sums up weights and
// weighted values. The scores never reach memory, but Q K^T is multiplied twice, and K
// is read twice.
//
// TODO: one pass. Keep the largest score so far; when a larger one comes, what was summed up so far
//       counts 2^(old - new) times. Then the first loop can go.
// Goal: 0.85 times step1_flash at batch=4,heads=16,length=4096,width=128,mask=full,dtype=bf16
// Goal: at most 22000 requests at batch=1,heads=2,length=64,width=128,mask=full,dtype=bf16
// Hints are in README.md.
#include "types.cuh"

namespace {

constexpr int kThreads = 128, kRows = kThreads / 4 * 2, kKeys = 32;  // two queries on four lanes

// A thread's number i of a row, in the whole row: pieces of four go round the four lanes.
__device__ int column(int i) { return i / 4 * 16 + threadIdx.x % 4 * 4 + i % 4; }

// Rows from `start` on, of `width` numbers; zeros beyond them.
template <class T, int kWidth>
__device__ void fetch(float (&tile)[kKeys][kWidth], const T* x, int start, int length, int width) {
  for (int i = threadIdx.x; i < kKeys * kWidth; i += kThreads) {
    const int row = i / kWidth, c = i % kWidth;
    const bool inside = start + row < length && c < width;
    tile[row][c] = inside ? wb::to_float(x[wb::i64{start + row} * width + c]) : 0;
  }
}

// Of a query, a quarter of which is here, with a key; in all four lanes.
template <int kOwn> __device__ float score(const float (&q)[kOwn], const float* key) {
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kOwn; i += 4) {
    const float4 x = *reinterpret_cast<const float4*>(key + column(i));
    sum += q[i] * x.x + q[i + 1] * x.y + q[i + 2] * x.z + q[i + 3] * x.w;
  }
  sum += __shfl_xor_sync(~0u, sum, 1);
  return sum + __shfl_xor_sync(~0u, sum, 2);
}

template <int kOwn> __device__ void add(float (&sums)[kOwn], float weight, const float* value) {
#pragma unroll
  for (int i = 0; i < kOwn; i += 4) {
    const float4 x = *reinterpret_cast<const float4*>(value + column(i));
    sums[i] += weight * x.x, sums[i + 1] += weight * x.y;
    sums[i + 2] += weight * x.z, sums[i + 3] += weight * x.w;
  }
}

template <class T, int kWidth>
__global__ void __launch_bounds__(kThreads)
    attend(int length, int width, bool causal, float scale, const T* q, const T* k, const T* v,
           T* out, float* log_sum) {
  constexpr int kOwn = kWidth / 4;
  __shared__ __align__(16) float keys[kKeys][kWidth], values[kKeys][kWidth];
  const int tiles = (length + kRows - 1) / kRows;
  const wb::i64 head = wb::i64{blockIdx.x / tiles} * length * width;
  q += head, k += head, v += head, out += head, log_sum += head / width;
  const int block = (tiles - 1 - blockIdx.x % tiles) * kRows;  // under a mask the longest first
  const int query = block + threadIdx.x / 4 * 2, end = causal ? min(length, block + kRows) : length;

  float own[2][kOwn], sums[2][kOwn] = {}, max[2] = {-INFINITY, -INFINITY}, total[2] = {};
#pragma unroll
  for (int r = 0; r < 2; ++r)
#pragma unroll
    for (int i = 0; i < kOwn; ++i) {
      const bool inside = query + r < length && column(i) < width;
      own[r][i] = inside ? wb::to_float(q[wb::i64{query + r} * width + column(i)]) * scale : 0;
    }
  const auto seen = [&](int r, int key) { return key < length && (!causal || key <= query + r); };

  for (int start = 0; start < end; start += kKeys) {
    fetch(keys, k, start, length, width);
    __syncthreads();
#pragma unroll 4
    for (int j = 0; j < kKeys; ++j)
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        const float x = score(own[r], keys[j]);
        if (seen(r, start + j)) max[r] = fmaxf(max[r], x);
      }
    __syncthreads();
  }

  for (int start = 0; start < end; start += kKeys) {
    fetch(keys, k, start, length, width);
    fetch(values, v, start, length, width);
    __syncthreads();
#pragma unroll 4
    for (int j = 0; j < kKeys; ++j)
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        const float x = score(own[r], keys[j]);
        const float weight = seen(r, start + j) ? exp2_fast(x - max[r]) : 0;
        total[r] += weight;
        add(sums[r], weight, values[j]);
      }
    __syncthreads();
  }

#pragma unroll
  for (int r = 0; r < 2; ++r) {
    if (query + r < length && threadIdx.x % 4 == 0)
      log_sum[query + r] = (max[r] + log2f(total[r])) / kLog2e;
#pragma unroll
    for (int i = 0; i < kOwn; ++i)
      if (query + r < length && column(i) < width)
        out[wb::i64{query + r} * width + column(i)] = wb::from_float<T>(sums[r][i] / total[r]);
  }
}

auto make(const TrainedAttention::Args& p) {
  if (p.width > 128) throw wb::Unsupported("heads of at most 128 numbers here");
  return [p](cudaStream_t stream) {
    const wb::i64 blocks = p.batch * p.heads * ((p.length + kRows - 1) / kRows);
    if (blocks * p.width == 0) return;
    with_types(p, [&]<class T>(const T* q, const T* k, const T* v, T* out) {
      const auto kernel = p.width > 64 ? attend<T, 128> : attend<T, 64>;
      kernel<<<blocks, kThreads, 0, stream>>>(p.length, p.width, p.causal, scale(p), q, k, v, out,
                                              p.log_sum);
    });
    WB_CHECK(cudaGetLastError());
  };
}

}  // namespace

WB_CUDA(TrainedAttention, exercise, make);
