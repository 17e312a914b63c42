// Attention by mma.sync: step2_mma for any width, for queries of their own number, and for keys
// that several heads share. It takes what wgmma can't: few queries, and GPUs without it.
//
// Few queries leave most multiprocessors without work. So the keys are cut into *splits*: a block
// has the keys of one, and where a block has 16 queries, each of its warps has a part of these,
// which the first warp puts together. What a split found, its maximum, its sum of weights and its
// weighted values, goes to memory in fp32, and merge() makes one result of all splits.
#pragma once

#include "../../shared/mma.cuh"
#include "../types.cuh"

namespace warps {

// A head here has `rows` rows of q, and `group` neighbouring heads share keys. Heads that share
// keys may be stored as one head with more rows: row r is query r % queries.
struct Shape {
  int rows, queries, length, group;
  int width, pitch;  // numbers in a row, and from a row to the next: a multiple of 8
  bool causal;
  float scale;
};

// Of a block: warps side by side in the rows, each with `groups` times 16, and in the keys.
template <int groups, int row_warps, int key_warps, int keys, int stages = 2> struct Form {
  static constexpr int kGroups = groups, kRowWarps = row_warps, kKeyWarps = key_warps;
  static constexpr int kRows = 16 * groups * row_warps, kKeys = keys, kOwnKeys = keys / key_warps;
  static constexpr int kThreads = 32 * row_warps * key_warps, kStages = stages;
  static constexpr int bytes(int width) { return (kRows + 2 * kStages * kKeys) * width * 2; }
};
// For at most 16 rows, for at most 64, and for more; a row has up to `width` numbers.
template <int width> using Few = Form<1, 1, width == 256 ? 2 : 4, width == 256 ? 32 : 64>;
template <int width> using Some = Form<1, 4, 1, width == 256 ? 32 : 64>;
template <int width>
using Many = std::conditional_t<width == 256, Some<256>, Form<2, 4, 1, width == 64 ? 64 : 32>>;

// Asks for rows of a head from `first` on; zeros after the last one, and after each one's end.
template <class Form, int rows, int width, class T>
__device__ void fetch(T* tile, const T* x, int first, int length, int pitch) {
#pragma unroll
  for (int i = threadIdx.x; i < rows * width / 8; i += Form::kThreads) {
    const int r = i / (width / 8), p = i % (width / 8);
    const bool inside = first + r < length && 8 * p < pitch;
    if (8 * (p / 2 * 2) < pitch)
      tensor::copy(tensor::piece<width>(tile, r, p),
                   inside ? x + wb::i64{first + r} * pitch + 8 * p : x, inside);
  }
}

// The first warp takes over what the others found in their keys. Each lane has the numbers of the
// same lane, so they pass through shared memory as they lie in the registers.
template <class Form, int width>
__device__ void take_over(float4* memory, int key_warp, float (&sums)[width / 8][4],
                          float (&max)[2], float (&total)[2], float scale) {
  constexpr int kPieces = width / 8 + 1;
  __syncthreads();  // the last tiles have been read
  float4* const place = memory + threadIdx.x;
  if (key_warp > 0) {
    place[0] = {max[0], max[1], total[0], total[1]};
    for (int i = 1; i < kPieces; ++i)
      place[i * Form::kThreads] = *reinterpret_cast<float4*>(sums[i - 1]);
  }
  __syncthreads();
  if (key_warp > 0) return;
  for (int warp = 1; warp < Form::kKeyWarps; ++warp) {
    const float4* const other = place + 32 * Form::kRowWarps * warp;
    const float their_max[] = {other->x, other->y}, their_total[] = {other->z, other->w};
    float mine[2], theirs[2];
    for (int r = 0; r < 2; ++r) {
      const float top = fmaxf(max[r], their_max[r]), base = top == -INFINITY ? 0 : top * scale;
      mine[r] = exp2_fast(max[r] * scale - base),
      theirs[r] = exp2_fast(their_max[r] * scale - base);
      max[r] = top, total[r] = total[r] * mine[r] + their_total[r] * theirs[r];
    }
#pragma unroll
    for (int i = 1; i < kPieces; ++i) {
      const float4 x = other[i * Form::kThreads];
      float(&sum)[4] = sums[i - 1];
      sum[0] = sum[0] * mine[0] + x.x * theirs[0], sum[1] = sum[1] * mine[0] + x.y * theirs[0];
      sum[2] = sum[2] * mine[1] + x.z * theirs[1], sum[3] = sum[3] * mine[1] + x.w * theirs[1];
    }
  }
}

// With several splits, `sums_of_splits` is [row][split][pitch], and `found` has their maxima and
// totals.
template <class T, int width, class Form>
__global__ void __launch_bounds__(Form::kThreads)
    attend(Shape s, int splits, const T* q, const T* k, const T* v, T* out, float* sums_of_splits,
           float2* found) {
#if __CUDA_ARCH__ >= 800
  constexpr int kGroups = Form::kGroups, kKeys = Form::kKeys, kOwn = Form::kOwnKeys;
  extern __shared__ uint4 memory[];
  T* const tile_q = reinterpret_cast<T*>(memory);
  T* const tile_k = tile_q + Form::kRows * width;
  T* const tile_v = tile_k + Form::kStages * kKeys * width;
  const int blocks = (s.rows + Form::kRows - 1) / Form::kRows, lane = threadIdx.x % 32;
  const int split = blockIdx.x % splits, turn = blockIdx.x / splits, head = turn / blocks;
  const int block = (blocks - 1 - turn % blocks) * Form::kRows;  // the longest first
  const int row_warp = threadIdx.x / 32 % Form::kRowWarps * 16 * kGroups;
  const int key_warp = threadIdx.x / 32 / Form::kRowWarps;
  q += wb::i64{head} * s.rows * s.pitch;
  k += wb::i64{head / s.group} * s.length * s.pitch;
  v += wb::i64{head / s.group} * s.length * s.pitch;
  const int before = s.length - s.queries;  // under a mask, a query sees so many keys and more
  const bool own = s.causal && s.rows == s.queries;  // rows of one head: later ones see more
  const int end = own ? min(s.length, before + block + Form::kRows) : s.length;
  const int all = (end + kKeys - 1) / kKeys, each = (all + splits - 1) / splits;
  const int first = split * each, last = min(all, first + each);
  const auto fetch_keys = [&](int tile) {
    const int at = tile % Form::kStages * kKeys * width;
    if (tile < last) {
      fetch<Form, kKeys, width>(tile_k + at, k, tile * kKeys, s.length, s.pitch);
      fetch<Form, kKeys, width>(tile_v + at, v, tile * kKeys, s.length, s.pitch);
    }
    tensor::commit();  // also where there is nothing: groups are counted
  };

  fetch<Form, Form::kRows, width>(tile_q, q, block, s.rows, s.pitch);
  for (int i = 0; i + 1 < Form::kStages; ++i) fetch_keys(first + i);
  float sums[kGroups][width / 8][4] = {}, max[kGroups][2], total[kGroups][2] = {};
  for (auto& of_group : max) of_group[0] = of_group[1] = -INFINITY;
  for (int tile = first; tile < last; ++tile) {
    tensor::wait_for_copies<Form::kStages - 2>();
    __syncthreads();  // the tile is there, and the one before it has been read
    fetch_keys(tile + Form::kStages - 1);
    const int at = tile % Form::kStages * kKeys + key_warp * kOwn;
    const T *const now_k = tile_k + at * width, *const now_v = tile_v + at * width;
    float scores[kGroups][kOwn / 8][4] = {};
#pragma unroll
    for (int p = 0; p < width / 8; p += 2) {
      if (8 * p >= s.pitch) continue;
      unsigned a[kGroups][4], b[4];
      for (int g = 0; g < kGroups; ++g)
        tensor::load(a[g],
                     tensor::piece<width>(tile_q, row_warp + 16 * g + lane % 16, p + lane / 16));
#pragma unroll
      for (int j = 0; j < kOwn / 8; j += 2) {
        tensor::load(
            b, tensor::piece<width>(now_k, 8 * j + lane / 16 * 8 + lane % 8, p + lane / 8 % 2));
        for (int g = 0; g < kGroups; ++g) tensor::multiply<T>(&scores[g][j], a[g], b);
      }
    }
    const int key = tile * kKeys + key_warp * kOwn;  // the first one here
    const bool masked = key + kOwn > (own        ? min(s.length, before + block + 1)
                                      : s.causal ? before + 1
                                                 : s.length);
#pragma unroll
    for (int g = 0; g < kGroups; ++g)
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        const int row = block + row_warp + 16 * g + 8 * r + lane / 4;
        const int seen = s.causal ? before + row % s.queries + 1 : s.length;
        float top = max[g][r];
#pragma unroll
        for (int i = 0; i < kOwn / 4; ++i) {
          float& x = scores[g][i / 2][2 * r + i % 2];
          if (masked && key + i / 2 * 8 + lane % 4 * 2 + i % 2 >= seen) x = -INFINITY;
          top = fmaxf(top, x);
        }
        top = fmaxf(top, __shfl_xor_sync(~0u, top, 1));  // a row belongs to four lanes
        top = fmaxf(top, __shfl_xor_sync(~0u, top, 2));
        const float base = top == -INFINITY ? 0 : top * s.scale;  // it may have seen no key yet
        const float factor = exp2_fast(max[g][r] * s.scale - base);
        max[g][r] = top;
        total[g][r] *= factor;
#pragma unroll
        for (int i = 0; i < width / 4; ++i) sums[g][i / 2][2 * r + i % 2] *= factor;
#pragma unroll
        for (int i = 0; i < kOwn / 4; ++i) {
          float& x = scores[g][i / 2][2 * r + i % 2];
          total[g][r] += x = exp2_fast(x * s.scale - base);
        }
      }
#pragma unroll
    for (int j = 0; j < kOwn / 8; j += 2) {
      unsigned a[kGroups][4], b[4];
      for (int g = 0; g < kGroups; ++g)
        for (int i = 0; i < 4; ++i) a[g][i] = tensor::pack<T>(&scores[g][j + i / 2][i % 2 * 2]);
#pragma unroll
      for (int p = 0; p < width / 8; p += 2) {
        if (8 * p >= s.pitch) continue;
        tensor::load_transposed(b, tensor::piece<width>(now_v, 8 * j + lane % 16, p + lane / 16));
        for (int g = 0; g < kGroups; ++g) tensor::multiply<T>(&sums[g][p], a[g], b);
      }
    }
  }

  if constexpr (Form::kKeyWarps > 1) {
    take_over<Form, width>(reinterpret_cast<float4*>(tile_k), key_warp, sums[0], max[0], total[0],
                           s.scale);
    if (key_warp > 0) return;
  }
#pragma unroll
  for (int g = 0; g < kGroups; ++g)
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      float sum = total[g][r] + __shfl_xor_sync(~0u, total[g][r], 1);
      sum += __shfl_xor_sync(~0u, sum, 2);
      const int row = block + row_warp + 16 * g + 8 * r + lane / 4;
      if (row >= s.rows) continue;
      const wb::i64 of_all = wb::i64{head} * s.rows + row, place = of_all * splits + split;
      if (splits > 1 && lane % 4 == 0) found[place] = {max[g][r] * s.scale, sum};
#pragma unroll
      for (int p = 0; p < width / 8; ++p) {
        const int column = 8 * p + lane % 4 * 2;
        const float* const x = &sums[g][p][2 * r];
        if (splits > 1) {
          if (column < s.pitch)
            *reinterpret_cast<float2*>(sums_of_splits + place * s.pitch + column) = {x[0], x[1]};
        } else if (s.width % 2 == 0) {
          if (column < s.width)
            *reinterpret_cast<unsigned*>(out + of_all * s.width + column) =
                tensor::pack<T>(x, 1 / sum);
        } else {
          for (int i = 0; i < 2; ++i)
            if (column + i < s.width)
              out[of_all * s.width + column + i] = wb::from_float<T>(x[i] / sum);
        }
      }
    }
#endif
}

}  // namespace warps
