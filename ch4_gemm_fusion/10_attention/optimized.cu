// Against step 2: what Hopper has, as in 03_hopper_pipeline (TMA, wgmma, a producer and consumers),
// and three things that only attention needs.
// - *Ping-pong*: the exponentials of a tile take half as long as its two products, maxima, scaling
//   and rounding come on top, and the tensor cores would be idle. Of the two consumers, 64 queries
//   each, one multiplies while the other is at its softmax. Named barriers hand the cores over.
// - Within a consumer, too: Q K^T of the next tile is started before P V of this one, and its
//   softmax begins while P V runs.
// - P never leaves the registers: the sums of a product are where the next one reads A.
// A block goes from tile to tile. With a causal mask the tiles of a head have 1, 2, 3 ... tiles of
// keys: the longest goes together with the shortest, so all pairs are equal.
//
// Predict: an SM of Hopper makes 2048 multiply-adds in bf16 per cycle, and 16 exponentials. For
// 128 x 128 scores of width 128, what do the products take, and what the exponentials?
#include "../shared/hopper.cuh"
#include "types.cuh"

namespace {

constexpr int kConsumers = 2, kRows = 64 * kConsumers, kKeys = 128, kStages = 2;
constexpr int kThreads = (1 + kConsumers) * 128;

template <class T, int width> struct Shared {
  static constexpr int kBoxes = width / 64;
  alignas(1024) T q[kConsumers][kBoxes][64 * 64];
  alignas(1024) T k[kStages][kBoxes][kKeys * 64];
  alignas(1024) T v[kStages][kBoxes][kKeys * 64];
  alignas(1024) T out[kConsumers][kBoxes][64 * 64];
  hopper::Barrier full_q, empty_q;
  hopper::Barrier full_k[kStages], empty_k[kStages], full_v[kStages], empty_v[kStages];
};

// Scores become weights 2^(score scale - max scale). A thread has two rows, eight apart; a row
// belongs to four lanes. What was summed up so far counts `factor` times now.
[[maybe_unused]] __device__ void softmax(float (&scores)[kKeys / 2], float scale, float (&max)[2],
                                         float (&sum)[2], float (&factor)[2]) {
#pragma unroll
  for (int row = 0; row < 2; ++row) {
    float m = max[row];
#pragma unroll
    for (int i = 2 * row; i < kKeys / 2; i += 4) m = fmaxf(m, fmaxf(scores[i], scores[i + 1]));
    m = fmaxf(m, __shfl_xor_sync(~0u, m, 1));
    m = fmaxf(m, __shfl_xor_sync(~0u, m, 2));
    factor[row] = exp2_fast((max[row] - m) * scale);
    max[row] = m;
    sum[row] *= factor[row];
#pragma unroll
    for (int i = 2 * row; i < kKeys / 2; i += 4)
#pragma unroll
      for (int e = i; e < i + 2; ++e)
        sum[row] += scores[e] = exp2_fast(scores[e] * scale - m * scale);
  }
}

template <class T, int width, bool causal>
__global__ void __launch_bounds__(kThreads, 1)
    attend(int heads, int length, float scale, const __grid_constant__ CUtensorMap map_q,
           const __grid_constant__ CUtensorMap map_k, const __grid_constant__ CUtensorMap map_v,
           const __grid_constant__ CUtensorMap map_out) {
#ifdef HOPPER_CODE
  extern __shared__ __align__(1024) unsigned char memory[];
  Shared<T, width>& s = *reinterpret_cast<Shared<T, width>*>(memory);
  constexpr int kBoxes = width / 64;
  const int consumer = int(threadIdx.x) / 128 - 1, lane = threadIdx.x % 32;  // -1: the producer
  if (threadIdx.x == 0) {
    s.full_q.init(1);
    s.empty_q.init(4 * kConsumers);  // warps
    for (int i = 0; i < kStages; ++i) {
      s.full_k[i].init(1), s.full_v[i].init(1);
      s.empty_k[i].init(4 * kConsumers), s.empty_v[i].init(4 * kConsumers);
    }
    hopper::fence_barriers();
  }
  __syncthreads();

  // Calls f(head, first query, tiles of keys) for all tiles of this block.
  const auto for_tiles = [&](auto f) {
    const int tiles = (length + kRows - 1) / kRows, parts = causal ? (tiles + 1) / 2 : tiles;
    for (int part = blockIdx.x; part < heads * parts; part += gridDim.x) {
      const int head = part / parts, low = part % parts, high = tiles - 1 - low;
      for (int tile = causal ? high : low;; tile = low) {
        f(head, tile * kRows, causal ? tile + 1 : tiles);
        if (tile == low) break;
      }
    }
  };
  static_assert(kRows == kKeys);

  hopper::Ring<1> q_ring;
  if (consumer < 0) {
    hopper::give_registers<24>();
    hopper::Ring<kStages> ring;
    if (threadIdx.x == 0)
      for_tiles([&](int head, int query, int tiles) {
        s.empty_q.wait(q_ring.parity ^ 1);
        s.full_q.arrive_expecting(sizeof s.q);
        for (int i = 0; i < kConsumers; ++i)
          for (int j = 0; j < kBoxes; ++j)
            hopper::load(s.q[i][j], map_q, head, query + 64 * i, 64 * j, s.full_q);
        q_ring.next();
        for (int tile = tiles - 1; tile >= 0; --tile, ring.next()) {
          const int stage = ring.stage;
          s.empty_k[stage].wait(ring.parity ^ 1);
          s.full_k[stage].arrive_expecting(sizeof s.k[0]);
          for (int j = 0; j < kBoxes; ++j)
            hopper::load(s.k[stage][j], map_k, head, tile * kKeys, 64 * j, s.full_k[stage]);
          s.empty_v[stage].wait(ring.parity ^ 1);
          s.full_v[stage].arrive_expecting(sizeof s.v[0]);
          for (int j = 0; j < kBoxes; ++j)
            hopper::load(s.v[stage][j], map_v, head, tile * kKeys, 64 * j, s.full_v[stage]);
        }
      });
  } else {
    hopper::take_registers<240>();
    const int thread = threadIdx.x % 128, below = thread / 32 * 16 + lane % 16;      // row in a box
    const int mine = 1 + consumer, others = 1 + (consumer ^ 1), own = 3 + consumer;  // barriers
    if (consumer == 1) hopper::signal(others);  // the first one begins
    hopper::Ring<kStages> k_ring, v_ring;
    for_tiles([&](int head, int query, int tiles) {
      float scores[kKeys / 2], out[width / 2] = {}, max[2] = {-INFINITY, -INFINITY}, sum[2] = {};
      float factor[2];
      std::uint32_t p[kKeys / 16][4];
      const auto start_scores = [&] {
        const std::uint64_t a = hopper::describe(s.q[consumer]);
        const std::uint64_t b = hopper::describe(s.k[k_ring.stage]);
        hopper::begin();
#pragma unroll
        for (int j = 0; j < width / 16; ++j)  // a box of 64 columns has 8 or 16 KB
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

      s.full_q.wait(q_ring.parity);
      s.full_k[k_ring.stage].wait(k_ring.parity);
      hopper::wait_for_signal(mine);
      start_scores();
      hopper::signal(others);
      hopper::wait<0>(scores);
      release(s.empty_k[k_ring.stage]);
      k_ring.next();
      // The last tile of keys comes first: it alone is masked.
      const int row = query + 64 * consumer + thread / 32 * 16 + lane / 4;
#pragma unroll
      for (int i = 0; i < kKeys / 2; ++i) {
        const int key = (tiles - 1) * kKeys + i / 4 * 8 + lane % 4 * 2 + i % 2;
        if (key >= length || (causal && key > row + i / 2 % 2 * 8)) scores[i] = -INFINITY;
      }
      softmax(scores, scale, max, sum, factor);
      pack_weights();

      for (int tile = 1; tile < tiles; ++tile) {
        s.full_k[k_ring.stage].wait(k_ring.parity);
        hopper::wait_for_signal(mine);
        start_scores();
        s.full_v[v_ring.stage].wait(v_ring.parity);
        start_out();
        hopper::signal(others);
        hopper::wait<1>(scores);
        release(s.empty_k[k_ring.stage]);
        k_ring.next();
        softmax(scores, scale, max, sum, factor);
        hopper::wait<0>(out);
        release(s.empty_v[v_ring.stage]);
        v_ring.next();
#pragma unroll
        for (int i = 0; i < width / 2; ++i) out[i] *= factor[i / 2 % 2];
        pack_weights();
      }
      release(s.empty_q);
      q_ring.next();
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

      if (thread == 0) hopper::wait_for_stores<0>();
      hopper::synchronize_warpgroup(own);  // the boxes are free
#pragma unroll
      for (int j = 0; j < width / 8; j += 2) {
        const float* x = out + 4 * j;
        const auto scaled = [&](int i) {
          return hopper::pack<T>(x[i] * sum[i / 2 % 2], x[i + 1] * sum[i / 2 % 2]);
        };
        hopper::store_matrices(
            s.out[consumer][j / 8] + below * 64 + ((j % 8 + lane / 16) ^ below % 8) * 8, scaled(0),
            scaled(2), scaled(4), scaled(6));
      }
      hopper::fence_stores();
      hopper::synchronize_warpgroup(own);  // the boxes are complete
      if (thread == 0)
        for (int j = 0; j < kBoxes; ++j)
          hopper::store(map_out, head, query + 64 * consumer, 64 * j, s.out[consumer][j]);
    });
    if (consumer == 0) hopper::wait_for_signal(mine);  // the last one, which the other leaves
    if (thread == 0) hopper::wait_for_stores<0>();     // shared memory lives as long as its block
  }
#endif
}

auto make(const Attention::Args& p) {
  hopper::require();
  return with_tile(p, [&]<class T, int width, bool causal>() -> std::function<void(cudaStream_t)> {
    const wb::i64 heads = p.batch * p.heads, tiles = (p.length + kRows - 1) / kRows;
    if (heads * p.length == 0) return [](cudaStream_t) {};
    const auto kernel = attend<T, width, causal>;
    const int bytes = sizeof(Shared<T, width>);
    wb::allow_shared(kernel, bytes);
    const auto map = [&](const void* x, int rows) {
      return hopper::tensor_map<T>(x, p.length, width, rows, heads);
    };
    const auto q = map(p.q, 64), k = map(p.k, kKeys), v = map(p.v, kKeys), out = map(p.out, 64);
    const int blocks = std::min<wb::i64>(heads * tiles, hopper::multiprocessors());
    return [=, length = p.length, scale = scale(p)](cudaStream_t stream) {
      kernel<<<blocks, kThreads, bytes, stream>>>(heads, length, scale, q, k, v, out);
      WB_CHECK(cudaGetLastError());
    };
  });
}

}  // namespace

WB_CUDA(Attention, optimized, make);
WB_NEEDS("9.0 alone");
