// Attention by wgmma: `optimized` for widths up to 256, for queries of their own number, and for
// heads that share keys. What changes with the width:
// - TMA fills what lies beyond a row with zeros, so a row of 80 numbers comes as two boxes of 64.
//   The first product stops after five steps of 16. The second one makes 80 columns.
// - Above 128, queries, keys and values would not fit into shared memory. Tiles have fewer keys
//   there, and the results leave from where the queries were.
// - Tiles of queries and of keys differ in size, so a mask may cut several tiles of keys.
#pragma once

#include "../../shared/hopper.cuh"
#include "../types.cuh"

namespace warpgroups {

// For rows of up to so many numbers: keys of a tile, and consumers with 64 queries each.
template <int width> struct Tiles {
  static constexpr int kKeys = width > 192 ? 80 : width > 128 ? 96 : 128;
  static constexpr int kConsumers = 2;
  static constexpr int kColumns = width;  // of the second product
};

template <class T, int width> struct Shared : Tiles<width> {
  using Tiles<width>::kKeys, Tiles<width>::kConsumers, Tiles<width>::kColumns;
  static constexpr int kBoxes = (width + 63) / 64, kStages = 2, kRows = 64 * kConsumers;
  static constexpr int kThreads = (1 + kConsumers) * 128;
  static constexpr bool kOwnOut = kBoxes * 128 * (2 * kRows + 2 * kStages * kKeys) < 225 << 10;
  alignas(1024) T rows[1 + kOwnOut][kConsumers][kBoxes][64 * 64];  // queries; results
  alignas(1024) T k[kStages][kBoxes][kKeys * 64];
  alignas(1024) T v[kStages][kBoxes][kKeys * 64];
  hopper::Barrier full_q, empty_q;
  hopper::Barrier full_k[kStages], empty_k[kStages], full_v[kStages], empty_v[kStages];
};

// As in optimized. Each query sees the first key of all, so no maximum stays minus infinity.
template <int count>
__device__ void softmax(float (&scores)[count], float scale, float (&max)[2], float (&sum)[2],
                        float (&factor)[2]) {
#pragma unroll
  for (int row = 0; row < 2; ++row) {
    float m = max[row];
#pragma unroll
    for (int i = 2 * row; i < count; i += 4) m = fmaxf(m, fmaxf(scores[i], scores[i + 1]));
    m = fmaxf(m, __shfl_xor_sync(~0u, m, 1));
    m = fmaxf(m, __shfl_xor_sync(~0u, m, 2));
    factor[row] = exp2_fast((max[row] - m) * scale);
    max[row] = m;
    sum[row] *= factor[row];
#pragma unroll
    for (int i = 2 * row; i < count; i += 4)
#pragma unroll
      for (int e = i; e < i + 2; ++e)
        sum[row] += scores[e] = exp2_fast(scores[e] * scale - m * scale);
  }
}

// `group` neighbouring heads of `queries` rows share keys. Rows have `width_out` numbers in out;
// where these are whole 16 bytes, map_out is of it.
template <class T, int width>
__global__ void __launch_bounds__(Shared<T, width>::kThreads, 1)
    attend(int heads, int group, int queries, int length, bool causal, float scale, T* out_rows,
           int width_out, const __grid_constant__ CUtensorMap map_q,
           const __grid_constant__ CUtensorMap map_k, const __grid_constant__ CUtensorMap map_v,
           const __grid_constant__ CUtensorMap map_out) {
#ifdef HOPPER_CODE
  extern __shared__ __align__(1024) unsigned char memory[];
  using S = Shared<T, width>;
  S& s = *reinterpret_cast<S*>(memory);
  constexpr int kBoxes = S::kBoxes, kKeys = S::kKeys, kStages = S::kStages, kRows = S::kRows;
  const int consumer = int(threadIdx.x) / 128 - 1, lane = threadIdx.x % 32;  // -1: the producer
  if (threadIdx.x == 0) {
    s.full_q.init(1);
    s.empty_q.init(4 * S::kConsumers);  // warps
    for (int i = 0; i < kStages; ++i) {
      s.full_k[i].init(1), s.full_v[i].init(1);
      s.empty_k[i].init(4 * S::kConsumers), s.empty_v[i].init(4 * S::kConsumers);
    }
    hopper::fence_barriers();
  }
  __syncthreads();

  const int before = length - queries;  // under a mask, a query sees so many keys and more
  // Calls f(head, first query, tiles of keys) for all tiles of this block, as in optimized.
  const auto for_tiles = [&](auto f) {
    const int tiles = (queries + kRows - 1) / kRows, parts = causal ? (tiles + 1) / 2 : tiles;
    for (int part = blockIdx.x; part < heads * parts; part += gridDim.x) {
      const int head = part / parts, low = part % parts, high = tiles - 1 - low;
      for (int tile = causal ? high : low;; tile = low) {
        const int end = causal ? min(length, before + (tile + 1) * kRows) : length;
        f(head, tile * kRows, (end + kKeys - 1) / kKeys);
        if (tile == low) break;
      }
    }
  };

  hopper::Ring<1> q_ring;
  if (consumer < 0) {
    hopper::give_registers<S::kConsumers == 2 ? 24 : 32>();
    hopper::Ring<kStages> ring;
    if (threadIdx.x == 0)
      for_tiles([&](int head, int query, int tiles) {
        s.empty_q.wait(q_ring.parity ^ 1);
        s.full_q.arrive_expecting(sizeof s.rows[0]);
        for (int i = 0; i < S::kConsumers; ++i)
          for (int j = 0; j < kBoxes; ++j)
            hopper::load(s.rows[0][i][j], map_q, head, query + 64 * i, 64 * j, s.full_q);
        q_ring.next();
        for (int tile = 0; tile < tiles; ++tile, ring.next()) {
          const int stage = ring.stage, shared = head / group;
          s.empty_k[stage].wait(ring.parity ^ 1);
          s.full_k[stage].arrive_expecting(sizeof s.k[0]);
          for (int j = 0; j < kBoxes; ++j)
            hopper::load(s.k[stage][j], map_k, shared, tile * kKeys, 64 * j, s.full_k[stage]);
          s.empty_v[stage].wait(ring.parity ^ 1);
          s.full_v[stage].arrive_expecting(sizeof s.v[0]);
          for (int j = 0; j < kBoxes; ++j)
            hopper::load(s.v[stage][j], map_v, shared, tile * kKeys, 64 * j, s.full_v[stage]);
        }
      });
  } else {
    hopper::take_registers<S::kConsumers == 2 ? 240 : 160>();
    const int thread = threadIdx.x % 128, below = thread / 32 * 16 + lane % 16;  // row in a box
    const int mine = 1 + consumer, next = 1 + (consumer + 1) % S::kConsumers;    // barriers
    const int own = 1 + S::kConsumers + consumer;
    if (consumer == S::kConsumers - 1) hopper::signal(next);  // the first one begins
    hopper::Ring<kStages> k_ring, v_ring;
    for_tiles([&](int head, int query, int tiles) {
      float scores[kKeys / 2], out[S::kColumns / 2] = {}, max[2] = {-INFINITY, -INFINITY},
                                                 sum[2] = {};
      float factor[2];
      std::uint32_t p[kKeys / 16][4];
      const auto start_scores = [&] {
        const std::uint64_t a = hopper::describe(s.rows[0][consumer]);
        const std::uint64_t b = hopper::describe(s.k[k_ring.stage]);
        hopper::begin();
#pragma unroll
        for (int j = 0; j < width / 16; ++j)
          hopper::multiply<T>(scores, a + j / 4 * (64 * 8) + j % 4 * 2,
                              b + j / 4 * (kKeys * 8) + j % 4 * 2, j > 0);
        hopper::commit();
      };
      const auto start_out = [&] {
        const std::uint64_t b = hopper::describe_columns(s.v[v_ring.stage], sizeof s.v[0][0]);
        hopper::begin();
#pragma unroll
        for (int j = 0; j < kKeys / 16; ++j)
          hopper::multiply<T, true>(out, p[j], b + 128 * j, true);
        hopper::commit();
      };
      const auto pack_weights = [&] {
#pragma unroll
        for (int j = 0; j < kKeys / 4; ++j)
          p[j / 4][j % 4] = hopper::pack<T>(scores[2 * j], scores[2 * j + 1]);
      };
      const auto release = [&](hopper::Barrier& barrier) {
        if (lane == 0) barrier.arrive();
      };
      const int first = query + 64 * consumer, row = first + thread / 32 * 16 + lane / 4;
      const int seen = causal ? before + first + 1 : length;  // keys that all rows here see
      const auto mask = [&](int tile) {
        if ((tile + 1) * kKeys <= min(seen, length)) return;
#pragma unroll
        for (int i = 0; i < kKeys / 2; ++i) {
          const int key = tile * kKeys + i / 4 * 8 + lane % 4 * 2 + i % 2;
          if (key >= length || (causal && key > before + row + i / 2 % 2 * 8))
            scores[i] = -INFINITY;
        }
      };

      s.full_q.wait(q_ring.parity);
      q_ring.next();
      s.full_k[k_ring.stage].wait(k_ring.parity);
      hopper::wait_for_signal(mine);
      start_scores();
      hopper::signal(next);
      hopper::wait<0>(scores);
      release(s.empty_k[k_ring.stage]);
      k_ring.next();
      mask(0);
      softmax(scores, scale, max, sum, factor);
      pack_weights();

      for (int tile = 1; tile < tiles; ++tile) {
        s.full_k[k_ring.stage].wait(k_ring.parity);
        hopper::wait_for_signal(mine);
        start_scores();
        s.full_v[v_ring.stage].wait(v_ring.parity);
        start_out();
        hopper::signal(next);
        hopper::wait<1>(scores);
        release(s.empty_k[k_ring.stage]);
        k_ring.next();
        mask(tile);
        softmax(scores, scale, max, sum, factor);
        hopper::wait<0>(out);
        release(s.empty_v[v_ring.stage]);
        v_ring.next();
#pragma unroll
        for (int i = 0; i < width / 2; ++i) out[i] *= factor[i / 2 % 2];
        pack_weights();
      }
      if (S::kOwnOut) release(s.empty_q);
      s.full_v[v_ring.stage].wait(v_ring.parity);
      start_out();
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        sum[r] += __shfl_xor_sync(~0u, sum[r], 1);
        sum[r] = 1 / (sum[r] + __shfl_xor_sync(~0u, sum[r], 2));
      }
      hopper::wait<0>(out);
      release(s.empty_v[v_ring.stage]);
      v_ring.next();

      if (width_out % 8 == 0) {
        auto& boxes = s.rows[S::kOwnOut][consumer];
        if (thread == 0) hopper::wait_for_stores<0>();
        hopper::synchronize_warpgroup(own);  // the boxes are free
#pragma unroll
        for (int j = 0; j < width / 8; j += 2) {
          const float* x = out + 4 * j;
          const auto scaled = [&](int i) {
            return hopper::pack<T>(x[i] * sum[i / 2 % 2], x[i + 1] * sum[i / 2 % 2]);
          };
          hopper::store_matrices(boxes[j / 8] + below * 64 + ((j % 8 + lane / 16) ^ below % 8) * 8,
                                 scaled(0), scaled(2), scaled(4), scaled(6));
        }
        hopper::fence_stores();
        hopper::synchronize_warpgroup(own);  // the boxes are complete
        if (thread == 0) {
          for (int j = 0; j < kBoxes; ++j) hopper::store(map_out, head, first, 64 * j, boxes[j]);
          if (!S::kOwnOut) hopper::wait_for_stores<0>();  // queries come to the same place
        }
      } else {
#pragma unroll
        for (int i = 0; i < width / 2; ++i) {
          const int r = i / 2 % 2, column = i / 4 * 8 + lane % 4 * 2 + i % 2;
          if (row + 8 * r < queries && column < width_out)
            out_rows[(wb::i64{head} * queries + row + 8 * r) * width_out + column] =
                wb::from_float<T>(out[i] * sum[r]);
        }
      }
      if (!S::kOwnOut) release(s.empty_q);
    });
    if (consumer == 0) hopper::wait_for_signal(mine);  // the last one, which the other leaves
    if (thread == 0) hopper::wait_for_stores<0>();     // shared memory lives as long as its block
  }
#endif
}

}  // namespace warpgroups
