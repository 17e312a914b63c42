// A long row in the registers of a cluster: blocks that run at the same time and write into each
// other's shared memory. Each block has the same columns of every row, so their weight and bias
// stay in its shared memory. The blocks stay, too, and take one row after the other.
//
// In a block two teams take a row each, and two blocks are on a multiprocessor. So while a team
// waits for the other parts of its row, three more teams load or store. Therefore no barrier may
// hold these together. Each warp writes the mean and squares of its own elements into the memory of
// all blocks of the cluster, where a barrier counts the bytes (st.async). A team goes on when all
// of them have arrived.
#pragma once

#include <cooperative_groups.h>

#include "exchange.cuh"

namespace {

constexpr int kTeamWarps = kTeamThreads / kWarp;
constexpr int kPiece = kTeamThreads * kMostLoads;  // packs of a row per block

template <int kBlocks, class T>
__global__ void __launch_bounds__(kTeams* kTeamThreads, kClusterBlocks) by_cluster(Norm<T> n) {
#if __CUDA_ARCH__ >= 900
  constexpr int kParts = kBlocks * kTeamWarps;
  // The next row's loads take the registers of packs that are stored. In 16 bits a pack needs 24
  // more while it is made (eight elements of x, weight and bias), so there all are stored first.
  constexpr bool kEarly = sizeof(T) == 4;
  extern __shared__ uint4 kept[];  // weight, then bias
  __shared__ std::uint64_t barriers[kTeams][2];
  __shared__ float2 told[kTeams][2][kParts];  // for odd and even rows
  const auto cluster = cooperative_groups::this_cluster();
  const int rank = static_cast<int>(cluster.block_rank());
  const int team = threadIdx.x / kTeamThreads, thread = threadIdx.x % kTeamThreads;
  const int warp = thread / kWarp, lane = thread % kWarp;
  const auto packs_of = [&](int block) {
    const int packs = static_cast<int>(n.columns) / Pack<T>::kWidth - block * kPiece;
    return min(max(packs, 0), kPiece);
  };
  const auto count = [&](int part) {
    const int packs = packs_of(part / kTeamWarps);
    return static_cast<float>(packs_of_warp(packs, kTeamThreads, part % kTeamWarps) *
                              Pack<T>::kWidth);
  };
  const int own = packs_of(rank), left = own - thread;
  const auto has = [&](int i) { return i * kTeamThreads < left; };  // pack i of this thread
  const i64 first = i64{rank} * kPiece * Pack<T>::kWidth, mine = first + thread * Pack<T>::kWidth;
  const float own_count = count(rank * kTeamWarps + warp);

  using Own = Pack<T>;
  Own pack[kMostLoads];
  // A plain load: unlike Own::load it stays after the store of the pack whose registers it takes.
  const auto load = [&](const T* from, int i) {
    from += i * kTeamThreads * Pack<T>::kWidth;
    if (has(i)) pack[i].words = *reinterpret_cast<const uint4*>(from);
  };
  const i64 step = gridDim.x / kBlocks * kTeams;
  i64 row = blockIdx.x / kBlocks * kTeams + team;
  if (row < n.rows)
#pragma unroll
    for (int i = 0; i < kMostLoads; ++i) load(n.row_of_x(row) + mine, i);
  if (threadIdx.x < kTeams * 2) Arrival(barriers[0] + threadIdx.x).begin();
  cluster.sync();  // all have begun: before that no block may write into another one's memory
  for (int i = threadIdx.x; i < own; i += kTeams * kTeamThreads) {
    kept[i] = Own::load(n.weight + first + i64{i} * Pack<T>::kWidth).words;
    if (!n.rms) kept[kPiece + i] = Own::load(n.bias + first + i64{i} * Pack<T>::kWidth).words;
  }
  __syncthreads();

  // A row uses the pairs and the barrier of the row before the last. That is safe: a warp that
  // sends for this row has waited for the last one, so all have sent for that, and have read the
  // pairs of the row before it.
  for (int turn = 0; row < n.rows; row += step, ++turn) {
    float2* const pairs = told[team][turn % 2];
    std::uint64_t* const barrier = &barriers[team][turn % 2];
    const float2 of_warp = of_own(pack, own_count, n.rms, has);
    if (thread == 0) Arrival(barrier).expect(kParts * sizeof(float2));
    if (lane < kBlocks)
      Arrival::send(Arrival::in_block(pairs + rank * kTeamWarps + warp, lane), of_warp,
                    Arrival::in_block(barrier, lane));
    Arrival(barrier).wait(turn / 2);
    const float2 all = join<kParts / kWarp>(
        kParts, static_cast<float>(n.columns), n.rms, [&](int i) { return pairs[i]; }, count);
    const float rstd = n.rstd_of(all.y);
    T* const y = n.y + row * n.columns + mine;
    const T* const x = n.row_of_x(row + step) + mine;
    const bool more = row + step < n.rows;
#pragma unroll
    for (int i = 0; i < kMostLoads; ++i)
      if (has(i)) {
        const int at = i * kTeamThreads + thread;
        normalized(n, pack[i], all.x, rstd, Own{kept[at]}, Own{kept[kPiece + at]})
            .store(y + i * kTeamThreads * Pack<T>::kWidth);
        if (kEarly && more) load(x, i);
      }
    if (!kEarly && more)
#pragma unroll
      for (int i = 0; i < kMostLoads; ++i) load(x, i);
  }
  cluster.sync();  // no block ends while another one may write into its memory
#endif
}

}  // namespace
