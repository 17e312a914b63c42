// Changes against step 2: each array moves once, and nothing else does. (In step 2 two cores take
// half the time of one, so the vectors still decide there.)
//
//   y, dx      leave in whole lines past the caches, where they are larger than what a cache keeps
//              (lines.h). An ordinary store reads the line first: three arrays move, not two. Such
//              stores come at the end of a row, when nothing is left to read, so the rows that come
//              next are asked for meanwhile. In short rows the processor has no time to spare
//   backward   a slab adds a row to its columns while the row is at hand: x and dy are read once
//
// Predict: which factor follows from the bytes, forward and backward?
#include "lines.h"
#include "vectors.h"

namespace {

// What a last-level cache may keep for one program.
constexpr double kCache = 0x1p25;
constexpr double kLongRow = 0x1p10;  // bytes; below it, arithmetic decides
constexpr i64 kAhead = 1 << 14;      // bytes of x that are asked for before their turn, or a row

template <class T> i64 rows_ahead(const Norm<T>& n) {
  return std::max<i64>(kAhead / static_cast<i64>(sizeof(T)) / (n.columns + 1), 1);
}

template <class T> void forward(const Norm<T>& n, bool past_caches) {
  const i64 ahead = rows_ahead(n);
#pragma omp parallel if (n.rows * n.columns > kWorthCores)
  {
#pragma omp for schedule(static) nowait
    for (i64 row = 0; row < n.rows; ++row) {
      const T *const x = n.row_of_x(row), *const next = n.row_of_x(row + ahead);
      const T *const weight = n.weight, *const bias = n.bias;
      const MeanAndRstd own = two_passes(n, x);
      // By value: what might lie where a line is stored would be read again for each.
      const auto write = [=](i64 from, T* to, auto count) {
        if (past_caches) prefetch(next + from, count);
        normalize(x + from, own.mean, own.rstd, weight + from, bias ? bias + from : nullptr, to,
                  count);
      };
      T* const y = n.y + row * n.columns;
      past_caches ? in_lines(y, n.columns, write) : write(0, y, n.columns);
    }
    finish_streaming();
  }
}

template <class T> void backward(const Norm<T>& n, bool past_caches, std::vector<float>& sums) {
  const i64 ahead = rows_ahead(n);
  by_slabs(n, sums, [&](i64 first, i64 behind, float* dweight, float* dbias) {
    for (i64 row = first; row < behind; ++row) {
      const T *x = n.row_of_x(row), *dy = n.dy + row * n.columns, *weight = n.weight;
      const T *next_x = x + ahead * n.stride, *next_dy = dy + ahead * n.columns;
      const float mean = n.saved_mean(row), rstd = n.rstd[row];
      const RowMeans means = means_of(n, row);
      const auto write = [=](i64 from, T* to, auto count) {
        if (past_caches) prefetch(next_x + from, count), prefetch(next_dy + from, count);
        dx_of(x + from, dy + from, weight + from, mean, rstd, means, to, count);
      };
      T* const dx = n.dx + row * n.columns;
      past_caches ? in_lines(dx, n.columns, write) : write(0, dx, n.columns);
      add_to_columns(x, dy, mean, rstd, dweight, dbias, n.columns);
    }
    finish_streaming();
  });
}

bool past_caches(const LayerNorm::Args& p) {
  const double row = static_cast<double>(p.columns) * LayerNorm::element_bytes(p.dtype);
  return LayerNorm::cost(p).bytes() > kCache && row >= kLongRow;
}

auto make(const LayerNorm::Args& p) {
  return [p, sums = std::vector<float>()]() mutable {
    with_norm(p, [&](auto n) {
      p.backward ? backward(n, past_caches(p), sums) : forward(n, past_caches(p));
    });
  };
}

std::string note(const LayerNorm::Args& p) {
  return past_caches(p)
             ? "a core per row; the result goes past the caches, the next rows are fetched"
             : "a core per row; small arrays or short rows: ordinary stores";
}

}  // namespace

WB_CPU(LayerNorm, optimized, make);
WB_CASE_NOTE(LayerNorm, note);
