// Against step 1: tensor cores, by mma.sync as in 02_tensor_cores: swizzled tiles, cp.async, one
// barrier per tile. A warp has 32 queries. New is the way from one product to the next:
// - *P stays in registers*: where a lane holds the sums of Q K^T is where the next mma wants its A.
//   Pairs of sums only have to be rounded to 16 bits.
// - V is stored key by key, and mma wants it transposed: ldmatrix.trans does that on the way.
// - With a causal mask, tiles of keys that no query sees are skipped; those at its edge are masked.
//
// Predict: at width 128, a score costs 4 x 128 operations of tensor cores and one exp2f. An SM does
// 16 of these per cycle. How many cycles do both take, for a tile of 128 x 32 scores?
#include <cuda_pipeline.h>

#include "../shared/mma.cuh"
#include "types.cuh"

namespace {

constexpr int kThreads = 128, kGroups = 2, kRows = 64 * kGroups, kStages = 2;
template <int width> constexpr int kKeysOf = width == 64 ? 64 : 32;  // as many as registers allow

// Asks for `rows` rows of a head from `first` on; zeros after its last one.
template <int rows, int width, class T>
__device__ void fetch(T* tile, const T* x, int first, int length) {
#pragma unroll
  for (int i = threadIdx.x; i < rows * width / 8; i += kThreads) {
    const int r = i / (width / 8), p = i % (width / 8);
    const bool inside = first + r < length;
    tensor::copy(tensor::piece<width>(tile, r, p),
                 inside ? x + wb::i64{first + r} * width + 8 * p : x, inside);
  }
}

template <class T, int width, bool causal>
__global__ void __launch_bounds__(kThreads, 2)
    attend(int length, float scale, const T* q, const T* k, const T* v, T* out) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  constexpr int kKeys = kKeysOf<width>;
  extern __shared__ uint4 memory[];
  T* const tile_q = reinterpret_cast<T*>(memory);
  T* const tile_k = tile_q + kRows * width;
  T* const tile_v = tile_k + kStages * kKeys * width;
  const int blocks = (length + kRows - 1) / kRows, lane = threadIdx.x % 32;
  const wb::i64 head = wb::i64{blockIdx.x / blocks} * length * width;
  q += head, k += head, v += head, out += head;
  const int block = (blocks - 1 - blockIdx.x % blocks) * kRows;  // the longest first
  const int warp = threadIdx.x / 32 * 16 * kGroups;              // first row of this warp
  const int tiles = ((causal ? min(length, block + kRows) : length) + kKeys - 1) / kKeys;
  const auto fetch_keys = [&](int tile) {
    fetch<kKeys, width>(tile_k + tile % kStages * kKeys * width, k, tile * kKeys, length);
    fetch<kKeys, width>(tile_v + tile % kStages * kKeys * width, v, tile * kKeys, length);
    __pipeline_commit();
  };

  fetch<kRows, width>(tile_q, q, block, length);
  fetch_keys(0);
  float sums[kGroups][width / 8][4] = {}, max[kGroups][2], total[kGroups][2] = {};
  for (auto& of_group : max) of_group[0] = of_group[1] = -INFINITY;
  for (int tile = 0; tile < tiles; ++tile) {
    __pipeline_wait_prior(0);
    __syncthreads();  // the tile is there, and the other stage is free
    if (tile + 1 < tiles) fetch_keys(tile + 1);
    const T* const now_k = tile_k + tile % kStages * kKeys * width;
    const T* const now_v = tile_v + tile % kStages * kKeys * width;
    float scores[kGroups][kKeys / 8][4] = {};
#pragma unroll
    for (int p = 0; p < width / 8; p += 2) {
      unsigned a[kGroups][4], b[4];
      for (int g = 0; g < kGroups; ++g)
        tensor::load(a[g], tensor::piece<width>(tile_q, warp + 16 * g + lane % 16, p + lane / 16));
#pragma unroll
      for (int j = 0; j < kKeys / 8; j += 2) {
        tensor::load(
            b, tensor::piece<width>(now_k, 8 * j + lane / 16 * 8 + lane % 8, p + lane / 8 % 2));
        for (int g = 0; g < kGroups; ++g) tensor::multiply<T>(&scores[g][j], a[g], b);
      }
    }
    const int end = tile * kKeys + kKeys;  // of the keys here
#pragma unroll
    for (int g = 0; g < kGroups; ++g)
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        const int row = block + warp + 16 * g + 8 * r + lane / 4;
        float top = max[g][r];
#pragma unroll
        for (int i = 0; i < kKeys / 4; ++i) {
          float& x = scores[g][i / 2][2 * r + i % 2];
          if (end > length || (causal && end > block)) {
            const int key = end - kKeys + i / 2 * 8 + lane % 4 * 2 + i % 2;
            if (key >= length || (causal && key > row)) x = -INFINITY;
          }
          top = fmaxf(top, x);
        }
        top = fmaxf(top, __shfl_xor_sync(~0u, top, 1));  // a row belongs to four lanes
        top = fmaxf(top, __shfl_xor_sync(~0u, top, 2));
        const float factor = exp2_fast((max[g][r] - top) * scale);
        max[g][r] = top;
        total[g][r] *= factor;
#pragma unroll
        for (int i = 0; i < width / 4; ++i) sums[g][i / 2][2 * r + i % 2] *= factor;
#pragma unroll
        for (int i = 0; i < kKeys / 4; ++i) {
          float& x = scores[g][i / 2][2 * r + i % 2];
          total[g][r] += x = exp2_fast(x * scale - top * scale);
        }
      }
#pragma unroll
    for (int j = 0; j < kKeys / 8; j += 2) {
      unsigned a[kGroups][4], b[4];
      for (int g = 0; g < kGroups; ++g)
        for (int i = 0; i < 4; ++i) a[g][i] = tensor::pack<T>(&scores[g][j + i / 2][i % 2 * 2]);
#pragma unroll
      for (int p = 0; p < width / 8; p += 2) {
        tensor::load_transposed(b, tensor::piece<width>(now_v, 8 * j + lane % 16, p + lane / 16));
        for (int g = 0; g < kGroups; ++g) tensor::multiply<T>(&sums[g][p], a[g], b);
      }
    }
  }

  for (int g = 0; g < kGroups; ++g)
    for (int r = 0; r < 2; ++r) {
      float sum = total[g][r] + __shfl_xor_sync(~0u, total[g][r], 1);
      sum = 1 / (sum + __shfl_xor_sync(~0u, sum, 2));
      const int row = block + warp + 16 * g + 8 * r + lane / 4;
      if (row < length)
        for (int p = 0; p < width / 8; ++p)
          *reinterpret_cast<unsigned*>(out + wb::i64{row} * width + 8 * p + lane % 4 * 2) =
              tensor::pack<T>(&sums[g][p][2 * r], sum);
    }
#endif
}

auto make(const Attention::Args& p) {
  return with_tile(p, [&]<class T, int width, bool causal>() -> std::function<void(cudaStream_t)> {
    const auto kernel = attend<T, width, causal>;
    const int bytes = (kRows + 2 * kStages * kKeysOf<width>)*width * 2;
    wb::allow_shared(kernel, bytes);
    return [=](cudaStream_t stream) {
      const wb::i64 blocks = p.batch * p.heads * ((p.length + kRows - 1) / kRows);
      if (blocks == 0) return;
      const T *q = static_cast<const T*>(p.q), *k = static_cast<const T*>(p.k);
      kernel<<<blocks, kThreads, bytes, stream>>>(
          p.length, scale(p), q, k, static_cast<const T*>(p.v), static_cast<T*>(p.out));
      WB_CHECK(cudaGetLastError());
    };
  });
}

}  // namespace

WB_CUDA(Attention, step2_mma, make);
WB_NEEDS("8.0");
