// Attention in tiles, one pass over the keys, no score in memory.
//
// A tile has fused::kColumns queries, one in each lane of two vectors, and kKeys keys. Both
// products are made by the micro-kernel of ../shared/fused_gemm.h, transposed: S^T = K Q^T has a
// row for each key, and O^T += V^T P^T one for each number of the result. So the maximum and the
// sum over the keys go down the rows, a vector at a time, and the weights are in the order in which
// the second product reads them.
//
// Keys and values are packed first, block by block. A thread takes one tile of queries after the
// other; its tile and a block of keys stay in its second-level cache, whatever the length.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "../shared/fused_gemm.h"
#include "attention.h"

namespace attention {

using fused::kColumns, fused::kLanes, fused::kRows, fused::load, fused::Vector;
using wb::i64;

constexpr i64 kKeys = 8 * kRows;  // of a tile: whole strips

inline void store(float* to, Vector v) { std::memcpy(to, &v, sizeof v); }
inline Vector larger(Vector a, Vector b) { return a > b ? a : b; }
inline i64 strips(i64 rows) { return (rows + kRows - 1) / kRows; }

// The state of a tile of queries after the keys so far. Scores are in units of log 2, so that their
// exponential is a power of 2.
struct Tile {
  explicit Tile(i64 width) : q(width * kColumns), sum(strips(width) * kRows * kColumns) {}
  template <class T> void start(const T* from, i64 queries, i64 width) {
    fused::pack<kColumns>(from, queries, width, width, 1, q.data());
    const auto scale = static_cast<float>(1 / std::log(2) / std::sqrt(static_cast<double>(width)));
    for (float& x : q) x *= scale;
    std::fill(sum.begin(), sum.end(), 0.0f);
    for (int half = 0; half < 2; ++half) max[half] = Vector{} - HUGE_VALF, total[half] = Vector{};
  }
  std::vector<float> q;    // [width][queries]
  std::vector<float> sum;  // weights times values: [width][queries]
  Vector max[2] = {}, total[2] = {};
};

// Query `lane` sees the keys before `visible` + lane, and all where `visible` is kKeys.
template <class Exp2>
void add_keys(Tile& tile, const float* k, const float* v, i64 keys, i64 visible, i64 width,
              const Exp2& exp2) {
  alignas(64) float s[kKeys * kColumns];  // scores, then weights: [keys][queries]
  for (i64 strip = 0; strip < strips(keys); ++strip) {
    Vector sums[kRows][2] = {};
    fused::add_up(width, k + strip * kRows * width, tile.q.data(), sums);
    std::memcpy(s + strip * kRows * kColumns, sums, sizeof sums);
  }
  Vector factor[2];
  for (int half = 0; half < 2; ++half) {
    float* const column = s + half * kLanes;
    if (visible < kKeys)
      for (i64 key = 0; key < keys; ++key)
        for (i64 lane = 0; lane < kLanes; ++lane)
          if (key >= visible + half * kLanes + lane) column[key * kColumns + lane] = -HUGE_VALF;
    Vector max = tile.max[half], total{};
    for (i64 key = 0; key < keys; ++key) max = larger(max, load(column + key * kColumns));
    for (i64 key = 0; key < keys; ++key) {
      const Vector weight = exp2(load(column + key * kColumns) - max);
      total += weight;
      store(column + key * kColumns, weight);
    }
    factor[half] = exp2(tile.max[half] - max);
    tile.total[half] = tile.total[half] * factor[half] + total;
    tile.max[half] = max;
  }
  for (i64 strip = 0; strip < strips(width); ++strip) {  // go on from what there is, rescaled
    Vector sums[kRows][2];
    float* const all = &tile.sum[strip * kRows * kColumns];
    std::memcpy(sums, all, sizeof sums);
    for (auto& row : sums) row[0] *= factor[0], row[1] *= factor[1];
    fused::add_up(keys, v + strip * kRows * kKeys, s, sums);
    std::memcpy(all, sums, sizeof sums);
  }
}

// A head's keys and values, packed in blocks of kKeys keys: [width][kRows] for each strip of keys,
// then [keys][kRows] for each strip of the width.
struct Packed {
  explicit Packed(i64 width) : width(width), block(kKeys * (width + strips(width) * kRows)) {}
  template <class T> void pack(const T* k, const T* v, i64 count, float* to) const {
    for (i64 r = 0; r < count; r += kRows)
      fused::pack<kRows>(k + r * width, count - r, width, width, 1, to + r * width);
    to += kKeys * width;
    for (i64 j = 0; j < count; ++j)
      for (i64 x = 0; x < width; x += kRows)
        for (i64 r = 0; r < std::min<i64>(kRows, width - x); ++r)
          to[x * kKeys + j * kRows + r] = v[j * width + x + r];
  }
  i64 width, block;
};

// Set-up: what it returns runs. exp2(x) takes and gives a vector: 2^x, and 0 for -infinity.
template <class T, class Exp2> std::function<void()> make(const Attention::Args& p, Exp2 exp2) {
  const i64 m = p.queries, n = p.length, d = p.width, heads = p.batch * p.heads;
  const i64 kv_heads = p.batch * p.kv_heads, blocks = (n + kKeys - 1) / kKeys;
  const i64 tiles = (m + kColumns - 1) / kColumns;
  const Packed layout(d);
  const std::shared_ptr<float[]> packed(new float[kv_heads * blocks * layout.block]());
  return [=] {
    const T *q = static_cast<const T*>(p.q), *k = static_cast<const T*>(p.k),
            *v = static_cast<const T*>(p.v);
#pragma omp parallel
    {
      Tile tile(d);
#pragma omp for
      for (i64 b = 0; b < kv_heads * blocks; ++b) {
        const i64 key = b % blocks * kKeys, at = (b / blocks * n + key) * d;
        layout.pack(k + at, v + at, std::min(kKeys, n - key), &packed[b * layout.block]);
      }
#pragma omp for schedule(dynamic)
      for (i64 turn = heads * tiles - 1; turn >= 0; --turn) {
        const i64 head = turn % heads, query = turn / heads * kColumns;  // long rows first
        const i64 count = std::min<i64>(kColumns, m - query), shared = head * kv_heads / heads;
        const i64 seen = p.causal ? n - m + query + 1 : n;  // keys, by the first of these queries
        tile.start(q + (head * m + query) * d, count, d);
        for (i64 key = 0; key < (p.causal ? seen + count - 1 : n); key += kKeys) {
          const float* block = &packed[(shared * blocks + key / kKeys) * layout.block];
          add_keys(tile, block, block + kKeys * d, std::min(kKeys, n - key),
                   p.causal ? std::min(seen - key, kKeys) : kKeys, d, exp2);
        }
        T* out = static_cast<T*>(p.out) + (head * m + query) * d;
        for (i64 lane = 0; lane < count; ++lane) {
          const float scale = 1 / tile.total[lane / kLanes][lane % kLanes];
          for (i64 x = 0; x < d; ++x)
            out[lane * d + x] = static_cast<T>(tile.sum[x * kColumns + lane] * scale);
        }
      }
    }
  };
}

}  // namespace attention
