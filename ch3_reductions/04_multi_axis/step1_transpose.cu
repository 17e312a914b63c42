// Changes against baseline: only rows are reduced, a block per row. Any other array is first made
// into a matrix of rows: a copy of x has all reduced axes after the kept ones, as if by
// x.permute(...).contiguous(). Tiles in shared memory keep reads and writes of the copy in whole
// sectors. (The baseline divides once per element and reduced axis, and the remainder follows from
// that: some forty instructions for the axes 0 and 2. In 128x4096x128 it gives work to 4096
// threads.)
//
// Predict: how many bytes does this move for each byte of x? Which cases need no copy?
#include "../reduce_axes/plan.h"
#include "arrays.cuh"

namespace {

constexpr int kThreads = 256, kTile = 32, kLines = kThreads / kTile;

// The groups of axes but for the innermost one of each kind; `kept` and `reduced` count these two.
struct Turn {
  Places outer_kept, outer_reduced;
  i64 kept, reduced, kept_stride, reduced_stride, per_result;
  unsigned kept_tiles, reduced_tiles, outer_reduced_places;
};

template <class T> __global__ void transpose(const T* x, T* rows, Turn t) {
  __shared__ T tile[kTile][kTile + 1];
  const int lane = threadIdx.x % kTile, line = threadIdx.x / kTile;
  const unsigned block = blockIdx.x / t.kept_tiles, of_result = block / t.reduced_tiles;
  const i64 kept = i64{blockIdx.x % t.kept_tiles} * kTile;
  const i64 reduced = i64{block % t.reduced_tiles} * kTile;
  const unsigned r = of_result % t.outer_reduced_places, k = of_result / t.outer_reduced_places;
  const T* from = x + t.outer_kept.offset(k) + t.outer_reduced.offset(r);
  const bool turned = t.kept_stride == 1;  // else reduced places are neighbours in x, too
  for (int i = line; i < kTile; i += kLines) {
    const i64 a = kept + (turned ? lane : i), b = reduced + (turned ? i : lane);
    if (a < t.kept && b < t.reduced)
      tile[turned ? lane : i][turned ? i : lane] = from[a * t.kept_stride + b * t.reduced_stride];
  }
  __syncthreads();
  for (int i = line; i < kTile; i += kLines)
    if (kept + i < t.kept && reduced + lane < t.reduced)
      rows[(k * t.kept + kept + i) * t.per_result + r * t.reduced + reduced + lane] = tile[i][lane];
}

template <class Op, class T> __global__ void reduce(Op, Arrays<T> a, const T* rows) {
  __shared__ float of_warp[kThreads / kWarp];
  const T* row = rows + blockIdx.x * a.per_result;
  float value = Op::identity();
  for (i64 i = threadIdx.x; i < a.per_result; i += kThreads)
    value = Op::combine(value, wb::to_float(row[i]));
  const auto over_warp = [&] {
    for (int distance = kWarp / 2; distance > 0; distance /= 2)
      value = Op::combine(value, __shfl_xor_sync(0xFFFFFFFF, value, distance));
  };
  over_warp();
  if (threadIdx.x % kWarp == 0) of_warp[threadIdx.x / kWarp] = value;
  __syncthreads();
  if (threadIdx.x >= kWarp) return;
  value = threadIdx.x < kThreads / kWarp ? of_warp[threadIdx.x] : Op::identity();
  over_warp();
  if (threadIdx.x == 0) a.finish(blockIdx.x, value);
}

unsigned tiles(i64 size) { return blocks(size, kTile); }

Turn turn_of(const Collapsed& c) {
  Turn t{{}, {}, 1, 1, 1, 1, c.product(true), 1, 1, 1};
  bool has[2] = {false, false};  // the innermost group of the kind
  for (int g = c.count - 1; g >= 0; --g) {
    const Group& group = c.group[g];
    if (has[group.reduced])
      (group.reduced ? t.outer_reduced : t.outer_kept).add(group.size, group.stride);
    else if (group.reduced)
      t.reduced = group.size, t.reduced_stride = group.stride;
    else
      t.kept = group.size, t.kept_stride = group.stride;
    has[group.reduced] = true;
  }
  t.kept_tiles = tiles(t.kept), t.reduced_tiles = tiles(t.reduced);
  t.outer_reduced_places = static_cast<unsigned>(t.reduced ? t.per_result / t.reduced : 0);
  return t;
}

auto make(const MultiAxis::Args& p) {
  const Collapsed c = collapse(p.shape);
  const bool matrix = c.count <= 1 || (c.count == 2 && c.rows());  // rows after each other
  const Turn t = turn_of(c);
  const bool turns = !matrix && p.shape.elements() > 0;
  const i64 all =
      turns ? t.outer_reduced_places * (p.shape.results() / t.kept) * t.kept_tiles * t.reduced_tiles
            : 0;
  if (all > INT32_MAX || p.shape.results() > INT32_MAX)
    throw wb::Unsupported("more than 2^31 blocks");
  const i64 bytes =
      turns ? p.shape.elements() * static_cast<i64>(MultiAxis::element_bytes(p.dtype)) : 1;
  return [p, t, turns, all, copy = wb::make_device_array<char>(bytes)](cudaStream_t stream) {
    with_arrays(p, [&](auto op, auto a) {
      auto rows = a.x;
      if (turns) {
        const auto to = reinterpret_cast<decltype(a.y)>(copy.get());
        transpose<<<static_cast<unsigned>(all), kThreads, 0, stream>>>(a.x, to, t);
        rows = to;
      }
      reduce<<<static_cast<unsigned>(a.results), kThreads, 0, stream>>>(op, a, rows);
    });
  };
}

}  // namespace

WB_CUDA(MultiAxis, step1_transpose, make);
