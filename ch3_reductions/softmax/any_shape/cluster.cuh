// A cluster of blocks per row (sm_90). Its blocks are on multiprocessors next to each other and may
// write to each other's shared memory, so they exchange a maximum and a sum without a second
// launch. Together 16 of them keep 512 Ki elements in their registers.
//
// A block of 1024 threads has its multiprocessor to itself, so no other block would load while it
// computes and stores. Therefore it first asks for its piece of the next row: one thread starts the
// tensor memory accelerator (TMA, cp.async.bulk), which copies the piece to shared memory, and a
// barrier that counts bytes (mbarrier) says when all of it is there.
#pragma once

#include <cooperative_groups.h>

#include "../../shared/arrival.cuh"
#include "packs.cuh"
#include "passes.cuh"

namespace {

constexpr int kMostCluster = 16;  // 8 is portable; 16 has to be asked for

// The packs of a row that are a block's; the single elements at its ends are the first block's.
struct Piece {
  int first, packs;

  __device__ static Piece of(const Split& s, int rank, int size) {
    const int most = (s.packs + size - 1) / size, first = min(rank * most, s.packs);
    return {first, min(most, s.packs - first)};
  }
};

// x travels through shared memory to the registers, or stays in memory until then. The backward
// pass has two arrays: dy stays in shared memory until the end and y is loaded to registers, so the
// next row's dy can be asked for only then.
template <class Op, class T>
__global__ void __launch_bounds__(kMostThreads, 1) by_cluster(Op, Rows<T> r) {
#if __CUDA_ARCH__ >= 900
  using Value = typename Op::Value;
  constexpr int kPacks = kManyElements / kWidth<T>, kEnd = kManyElements;
  extern __shared__ __align__(128) unsigned char memory[];
  uint4* const kept = reinterpret_cast<uint4*>(memory);
  __shared__ std::uint64_t barrier;
  __shared__ Value of_warp[kWarp], of_block[2][kMostCluster];
  const auto cluster = cooperative_groups::this_cluster();
  const int rank = static_cast<int>(cluster.block_rank());
  const int thread = threadIdx.x, threads = blockDim.x;
  const int size = static_cast<int>(cluster.num_blocks()), lane = thread % kWarp;
  const i64 step = gridDim.x / size;  // rows that are taken at a time
  const Arrival arrival(&barrier);
  const T* const fetched = Op::kBackward ? r.dy : r.x;
  const auto fetch = [&](i64 row) {
    const T* from = fetched + row * r.stride;
    const Split s = Split::of(from, r.columns);
    const Piece piece = Piece::of(s, rank, size);
    arrival.fetch(kept, from + s.head + i64{piece.first} * kWidth<T>, piece.packs * kLoadBytes);
  };
  i64 row = blockIdx.x / size;
  if (thread == 0) arrival.begin();
  cluster.sync();  // all blocks are there, and so are their barriers
  if (thread == 0 && row < r.rows) fetch(row);
  for (int turn = 0; row < r.rows; row += step, ++turn) {
    const T* const x = r.x + row * r.stride;
    const T* const dy = r.dy + row * r.stride;
    T* const out = r.out + row * r.stride;
    const Split s = Split::of(x, r.columns);
    const Piece piece = Piece::of(s, rank, size);
    const bool head = rank == 0 && thread < s.head, tail = rank == 0 && s.tail + thread < r.columns;
    float value[kManyElements + 2], ends[2] = {0, 0};
    value[kEnd] = head ? wb::to_float(x[thread]) : Op::kAbsent;
    value[kEnd + 1] = tail ? wb::to_float(x[s.tail + thread]) : Op::kAbsent;
    if (Op::kBackward && head) ends[0] = wb::to_float(dy[thread]);
    if (Op::kBackward && tail) ends[1] = wb::to_float(dy[s.tail + thread]);
    const uint4* const packs = reinterpret_cast<const uint4*>(x + s.head) + piece.first;
    if (!Op::kBackward) arrival.wait(turn);
#pragma unroll
    for (int i = 0; i < kPacks; ++i) {
      const int at = thread + i * threads;
      if (at < piece.packs)
        widen((Op::kBackward ? packs : kept)[at], value + i * kWidth<T>, T());
      else
        for (int j = 0; j < kWidth<T>; ++j) value[i * kWidth<T> + j] = Op::kAbsent;
    }
    const auto part = [&] {
      if constexpr (!Op::kBackward) {
        __syncthreads();  // all threads have their share, so the next row may come
        if (thread == 0 && row + step < r.rows) fetch(row + step);
        return Op::part(value, value);
      } else {
        arrival.wait(turn);
        float sum = value[kEnd] * ends[0] + value[kEnd + 1] * ends[1];
#pragma unroll
        for (int i = 0; i < kPacks; ++i) {
          float other[kWidth<T>];
          if (thread + i * threads < piece.packs) {
            widen(kept[thread + i * threads], other, T());
#pragma unroll
            for (int j = 0; j < kWidth<T>; ++j) sum += value[i * kWidth<T> + j] * other[j];
          }
        }
        return sum;
      }
    };
    const Value own = part();
    Value all = over_block(own, of_warp, nothing<Value>());
    if (size > 1) {  // each writes to all; two arrays in turn: some may still read the other
      Value* const told = of_block[turn & 1];
      if (thread < size) cluster.map_shared_rank(told, thread)[rank] = all;
      cluster.sync();
      all = over_warp(lane < size ? told[lane] : nothing<Value>());
    }
    if constexpr (!Op::kBackward) Op::finish(value, value, own, all);
    uint4* const to = reinterpret_cast<uint4*>(out + s.head) + piece.first;
#pragma unroll
    for (int i = 0; i < kPacks; ++i) {
      const int at = thread + i * threads;
      if (at >= piece.packs) break;
      if constexpr (Op::kBackward) {
        float other[kWidth<T>];
        widen(kept[at], other, T());
#pragma unroll
        for (int j = 0; j < kWidth<T>; ++j) value[i * kWidth<T> + j] *= other[j] - all;
      }
      to[at] = narrow(value + i * kWidth<T>, T());
    }
    if constexpr (Op::kBackward) {
      value[kEnd] *= ends[0] - all, value[kEnd + 1] *= ends[1] - all;
      __syncthreads();  // no thread needs dy any more
      if (thread == 0 && row + step < r.rows) fetch(row + step);
    }
    if (head) out[thread] = wb::from_float<T>(value[kEnd]);
    if (tail) out[s.tail + thread] = wb::from_float<T>(value[kEnd + 1]);
  }
#endif
}

}  // namespace
