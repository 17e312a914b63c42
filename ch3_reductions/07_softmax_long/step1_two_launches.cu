// Changes against baseline: a row is cut into pieces of 16 Ki elements, and each piece has a block,
// so all multiprocessors have many blocks, even for a single row. Blocks of one launch do not wait
// for each other. So the first launch stores a maximum and a sum per piece. In the second launch
// each block merges the pairs of its row, always in the same order, and writes its piece of the
// quotients. Both launches load 16 bytes at a time where rows allow it.
//
// It needs no cluster, so it runs on any GPU, and rows may have any length. Registers do not
// outlive a launch: x is still read twice.
//
// Predict: what is the least time now, and which of the two launches takes longer?
#include "../shared/pack.cuh"
#include "../softmax/online.cuh"
#include "softmax_long.h"

namespace {

constexpr int kThreads = 256;
constexpr i64 kPiece = 1 << 14;  // elements

// Where the block's piece of its row begins and ends.
struct Piece {
  i64 row, begin, end;
  __device__ Piece(i64 columns, unsigned pieces)
      : row(blockIdx.x / pieces),
        begin(blockIdx.x % pieces * kPiece),
        end(min(begin + kPiece, columns)) {}
};

template <int kWidth> __device__ Part part_of(const float (&value)[kWidth]) {
  Part part = kNothing;
#pragma unroll
  for (const float v : value) part.max = fmaxf(part.max, v);
#pragma unroll
  for (const float v : value) part.sum += scale(v, part.max);
  return part;
}

template <int kWidth, class T>
__global__ void __launch_bounds__(kThreads) parts_of(Rows<T> r, unsigned pieces, Part* parts) {
  __shared__ Part of_warp[kWarp];
  const Piece piece(r.columns, pieces);
  const T* const x = r.x + piece.row * r.stride;
  Part own = kNothing;
#pragma unroll 4
  for (i64 i = piece.begin + threadIdx.x * kWidth; i < piece.end; i += kThreads * kWidth) {
    float value[kWidth];
    Pack<T, kWidth>::load(x + i).to_floats(value);
    own = combine(own, part_of(value));
  }
  own = over_block(own, of_warp, kNothing);
  if (threadIdx.x == 0) parts[blockIdx.x] = own;
}

template <int kWidth, class T>
__global__ void __launch_bounds__(kThreads)
    quotients(Rows<T> r, unsigned pieces, const Part* parts) {
  const Piece piece(r.columns, pieces);
  Part all = kNothing;
  for (unsigned i = threadIdx.x % kWarp; i < pieces; i += kWarp)
    all = combine(all, parts[piece.row * pieces + i]);
  all = over_warp(all);
  const float factor = 1 / all.sum;
  const T* const x = r.x + piece.row * r.stride;
  T* const y = r.out + piece.row * r.stride;
#pragma unroll 4
  for (i64 i = piece.begin + threadIdx.x * kWidth; i < piece.end; i += kThreads * kWidth) {
    float value[kWidth];
    Pack<T, kWidth>::load_once(x + i).to_floats(value);
#pragma unroll
    for (float& v : value) v = exponential(v - all.max) * factor;
    Pack<T, kWidth>::of(value).store_once(y + i);
  }
}

auto make(const SoftmaxLong::Args& p) {
  const unsigned pieces = blocks(p.columns, kPiece);
  const auto grid = static_cast<unsigned>(p.rows * pieces);
  const auto parts = wb::make_device_array<Part>(grid + 1);
  return [=](cudaStream_t stream) {
    with_rows(p, [&]<class T>(Rows<T> r) {
      const auto with_width = [&](auto width) {
        parts_of<width()><<<grid, kThreads, 0, stream>>>(r, pieces, parts.get());
        quotients<width()><<<grid, kThreads, 0, stream>>>(r, pieces, parts.get());
      };
      if (fill_packs({r.x, r.out}, r.columns | r.stride, Pack<T>::kWidth))
        with_width(std::integral_constant<int, Pack<T>::kWidth>());
      else
        with_width(std::integral_constant<int, 1>());
    });
  };
}

}  // namespace

WB_CUDA(SoftmaxLong, step1_two_launches, make);
