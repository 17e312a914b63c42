// The exercise, solved: after collapsing, what has the form (reduced, kept, reduced, columns),
// where the first two may be 1, takes one launch. A thread loads 16 bytes of columns, four rows
// at a time, and walks both reduced groups by two nested loops in place of a division. All else
// goes on as in the exercise, one axis after the other.
#include <utility>
#include <vector>

#include "arrays.cuh"

namespace {

constexpr int kThreads = 256, kAcrossThreads = 32, kDeep = kThreads / kAcrossThreads;
constexpr int kAtOnce = 4;       // rows per thread in flight
constexpr i64 kMostPieces = 64;  // blocks that share results

// x as (upper, kept, lower, columns), with upper and lower reduced. A block has rows of `lower`
// from all of `upper`: it is one of `pieces`, each with every pieces-th place of `upper`.
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
  return f.columns > 1 && f.lower > 1;
}

template <class Op, class T>
__global__ void __launch_bounds__(kThreads) by_columns(Op, Arrays<T> a, Form f) {
  constexpr int kWidth = 16 / sizeof(T);
  __shared__ float below[kDeep][kAcrossThreads * kWidth];
  const int lane = threadIdx.x % kAcrossThreads, down = threadIdx.x / kAcrossThreads;
  const unsigned piece = blockIdx.x % f.pieces, team = blockIdx.x / f.pieces;
  const i64 first = i64{team % f.tiles} * kAcrossThreads * kWidth, kept = team / f.tiles;
  const i64 column = first + lane * kWidth;
  float value[kWidth];
#pragma unroll
  for (int j = 0; j < kWidth; ++j) value[j] = Op::identity();
  if (column < f.columns)
    for (i64 u = piece; u < f.upper; u += f.pieces) {
      const T* x = a.x + (u * f.kept + kept) * f.lower * f.columns + column;
      for (i64 row = down; row < f.lower; row += kAtOnce * kDeep) {
        Pack<T, kWidth> pack[kAtOnce];
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i)
          if (row + i * kDeep < f.lower) pack[i] = load<kWidth>(x + (row + i * kDeep) * f.columns);
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i) {
          float more[kWidth];
          to_floats(pack[i], more);
          if (row + i * kDeep < f.lower)
#pragma unroll
            for (int j = 0; j < kWidth; ++j) value[j] = Op::combine(value[j], more[j]);
        }
      }
    }
#pragma unroll
  for (int j = 0; j < kWidth; ++j) below[down][lane * kWidth + j] = value[j];
  __syncthreads();
  const int own = threadIdx.x;  // a column of the block
  float all = Op::identity();
  if (own < kAcrossThreads * kWidth) {
#pragma unroll
    for (int d = 0; d < kDeep; ++d) all = Op::combine(all, below[d][own]);
    __stcg(&f.left[i64{blockIdx.x} * kThreads + own], all);
  }
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (own == 0) last = atomicInc(&f.tickets[team], f.pieces - 1) == f.pieces - 1;
  __syncthreads();
  if (!last || own >= kAcrossThreads * kWidth || first + own >= f.columns) return;
  __threadfence();
  all = Op::identity();
#pragma unroll 8
  for (unsigned p = 0; p < f.pieces; ++p)
    all = Op::combine(all, __ldcg(&f.left[(i64{team} * f.pieces + p) * kThreads + own]));
  a.finish(kept * f.columns + first + own, all);
}

struct Pass {
  i64 outer, axis, inner;
};

template <class Op, class T, class In>
__global__ void by_axis(Op, Arrays<T> a, const In* x, float* partial, Pass p) {
  const i64 own = static_cast<i64>(blockIdx.x) * kThreads + threadIdx.x;
  if (own >= p.outer * p.inner) return;
  x += own / p.inner * p.axis * p.inner + own % p.inner;
  float value = Op::identity();
  for (i64 i = 0; i < p.axis; ++i) value = Op::combine(value, wb::to_float(x[i * p.inner]));
  partial ? void(partial[own] = value) : a.finish(own, value);
}

std::vector<Pass> passes_of(Shape shape) {
  std::vector<Pass> passes;
  for (int a = shape.rank - 1; a >= 0; --a) {
    if (!shape.reduced[a]) continue;
    Pass p{1, shape.size[a], 1};
    for (int b = 0; b < a; ++b) p.outer *= shape.size[b];
    for (int b = a + 1; b < shape.rank; ++b) p.inner *= shape.size[b];
    passes.push_back(p);
    shape.size[a] = 1;
  }
  if (passes.empty()) passes.push_back({shape.elements(), 1, 1});
  return passes;
}

std::function<void(cudaStream_t)> make_columns(const MultiAxis::Args& p, Form f) {
  const i64 width = 16 / static_cast<i64>(MultiAxis::element_bytes(p.dtype));
  f.tiles = blocks(f.columns, kAcrossThreads * width);
  const i64 teams = f.kept * f.tiles, wanted = (1024 + teams - 1) / teams;
  f.pieces = static_cast<unsigned>(std::min({wanted, f.upper, kMostPieces}));
  const auto left = wb::make_device_array<float>(teams * f.pieces * kThreads);
  const auto tickets = wb::make_device_zeros<unsigned>(teams);
  f.left = left.get(), f.tickets = tickets.get();
  return [p, f, left, tickets, n = static_cast<unsigned>(teams * f.pieces)](cudaStream_t stream) {
    with_arrays(p, [&](auto op, auto a) { by_columns<<<n, kThreads, 0, stream>>>(op, a, f); });
  };
}

std::function<void(cudaStream_t)> make(const MultiAxis::Args& p) {
  const i64 width = 16 / static_cast<i64>(MultiAxis::element_bytes(p.dtype));
  Form f;
  if (form_of(p.shape, f) && p.shape.elements() > 0 && f.columns % width == 0 &&
      reinterpret_cast<std::uintptr_t>(p.x) % 16 == 0)
    return make_columns(p, f);
  const std::vector<Pass> passes = passes_of(p.shape);
  for (const Pass& pass : passes)
    if (pass.axis > 1 << 23) throw wb::Unsupported("one thread per result: takes seconds");
  std::shared_ptr<float[]> partial[2];  // in turn
  for (std::size_t i = 0; i + 1 < passes.size() && i < 2; ++i)
    partial[i] = wb::make_device_array<float>(passes[i].outer * passes[i].inner + 1);
  return [p, passes, first = partial[0], second = partial[1]](cudaStream_t stream) {
    with_arrays(p, [&](auto op, auto a) {
      float *from = second.get(), *to = first.get();
      for (std::size_t i = 0; i < passes.size(); ++i) {
        const Pass& pass = passes[i];
        const i64 n = pass.outer * pass.inner;
        float* const out = i + 1 < passes.size() ? to : nullptr;
        if (n == 0) continue;
        if (i == 0)
          by_axis<<<blocks(n, kThreads), kThreads, 0, stream>>>(op, a, a.x, out, pass);
        else
          by_axis<<<blocks(n, kThreads), kThreads, 0, stream>>>(
              op, a, static_cast<const float*>(from), out, pass);
        std::swap(from, to);
      }
    });
  };
}

}  // namespace

WB_CUDA(MultiAxis, solution, make);
