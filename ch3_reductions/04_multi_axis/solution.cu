// The exercise, solved: what has the form (reduced, kept, reduced, columns) takes one launch. A
// thread loads 16 bytes of columns, four rows at a time, and divides nothing.
#include "../reduce_axes/passes.cuh"
#include "../shared/pack.cuh"
#include "../shared/ticket.cuh"
#include "arrays.cuh"

namespace {

constexpr int kThreads = 256, kAcrossThreads = 32, kDeep = kThreads / kAcrossThreads;
constexpr int kAtOnce = 4, kMostPieces = 64;  // rows in flight; blocks that share results

// x as (upper, kept, lower, columns), with upper and lower reduced. A block has rows of `lower`
// from every pieces-th place of `upper`.
struct Form {
  i64 upper = 1, kept = 1, lower = 1, columns = 1;
  unsigned tiles, pieces;
  float* left;
  unsigned* tickets;
};

// The groups, innermost first, must be columns, reduced, kept, reduced; false for all others.
bool form_of(const Shape& shape, Form& f) {
  i64* const group[] = {&f.columns, &f.lower, &f.kept, &f.upper};
  int at = 0;
  for (int a = shape.rank - 1; a >= 0; --a) {
    if (shape.size[a] == 1) continue;
    if (shape.reduced[a] != (at % 2 == 1)) ++at;
    if (at > 3) return false;
    *group[at] *= shape.size[a];
  }
  return shape.elements() > 0 && f.columns > 1 && f.lower > 1;
}

template <class Op, class T>
__global__ void __launch_bounds__(kThreads) by_columns(Op, Arrays<T> a, Form f) {
  constexpr int kWidth = Pack<T>::kWidth, kTile = kAcrossThreads * kWidth;
  __shared__ float below[kDeep][kTile];
  const int lane = threadIdx.x % kAcrossThreads, down = threadIdx.x / kAcrossThreads;
  const unsigned piece = blockIdx.x % f.pieces, team = blockIdx.x / f.pieces;
  const i64 first = i64{team % f.tiles} * kTile, kept = team / f.tiles;
  const i64 column = first + lane * kWidth;
  Accumulators<Op, T> sums;
  if (column < f.columns)
    for (i64 u = piece; u < f.upper; u += f.pieces) {
      const T* x = a.x + (u * f.kept + kept) * f.lower * f.columns + column;
      for (i64 row = down; row < f.lower; row += kAtOnce * kDeep) {
        Pack<T> pack[kAtOnce];
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i)
          if (row + i * kDeep < f.lower) pack[i] = Pack<T>::load(x + (row + i * kDeep) * f.columns);
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i)
          if (row + i * kDeep < f.lower) sums.take(pack[i]);
      }
    }
#pragma unroll
  for (int j = 0; j < kWidth; ++j) below[down][lane * kWidth + j] = sums.value[j];
  __syncthreads();
  const int own = threadIdx.x;
  const bool has = own < kTile && first + own < f.columns;  // a column
  float all = Op::identity();
#pragma unroll
  for (int d = 0; has && d < kDeep; ++d) all = Op::combine(all, below[d][own]);
  if (has) f.left[i64{blockIdx.x} * kThreads + own] = all;
  if (!is_last_block(&f.tickets[team], f.pieces) || !has) return;
  all = Op::identity();
#pragma unroll 8
  for (unsigned p = 0; p < f.pieces; ++p)
    all = Op::combine(all, __ldcg(&f.left[(i64{team} * f.pieces + p) * kThreads + own]));
  a.finish(kept * f.columns + first + own, all);
}

template <class Op, class T, class In>
__global__ void by_axis(Op, Arrays<T> a, const In* x, float* partial, Pass p) {
  const i64 own = static_cast<i64>(blockIdx.x) * kThreads + threadIdx.x;
  if (own >= p.outer * p.inner) return;
  x += own / p.inner * p.axis * p.inner + own % p.inner;
  float value = Op::identity();
  for (i64 i = 0; i < p.axis; ++i) value = Op::combine(value, wb::to_float(x[i * p.inner]));
  partial ? void(partial[own] = value) : a.finish(own, value);
}

std::function<void(cudaStream_t)> make_columns(const MultiAxis::Args& p, Form f, i64 width) {
  f.tiles = blocks(f.columns, kAcrossThreads * width);
  const i64 teams = f.kept * f.tiles;
  const unsigned wanted = blocks(wave(by_columns<Plus, float>, kThreads), teams);
  f.pieces = static_cast<unsigned>(std::min<i64>({wanted, f.upper, kMostPieces}));
  const Scratch scratch = make_scratch(teams * f.pieces * kThreads, teams);
  f.left = scratch.left.get(), f.tickets = scratch.tickets.get();
  const unsigned grid = static_cast<unsigned>(teams) * f.pieces;
  return [p, f, scratch, grid](cudaStream_t stream) {
    with_arrays(p, [&](auto op, auto a) { by_columns<<<grid, kThreads, 0, stream>>>(op, a, f); });
  };
}

std::function<void(cudaStream_t)> make(const MultiAxis::Args& p) {
  const int width = 16 / static_cast<int>(MultiAxis::element_bytes(p.dtype));
  Form f;
  if (form_of(p.shape, f) && fill_packs({p.x}, f.columns, width)) return make_columns(p, f, width);
  const Passes passes(p.shape);
  if (passes.longest() > 1 << 23) throw wb::Unsupported("one thread per result: takes seconds");
  return [p, passes](cudaStream_t stream) {
    with_arrays(p, [&](auto op, auto a) {
      passes.run(a.x, [&](auto* from, float* to, const Pass& q) {
        by_axis<<<blocks(q.outer * q.inner, kThreads), kThreads, 0, stream>>>(op, a, from, to, q);
      });
    });
  };
}

}  // namespace

WB_CUDA(MultiAxis, solution, make);
