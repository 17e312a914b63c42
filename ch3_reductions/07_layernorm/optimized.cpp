// Changes against step 2: each array moves once, and nothing else does.
//
//   y, dx      leave in whole lines past the caches, where they are larger than what a cache keeps
//              (lines.h). An ordinary store reads the line first: three arrays move, not two
//   x          is widened to fp32 once, into a buffer that stays in a cache: all three loops use it
//   backward   a slab adds a row to its columns while the row is at hand: x and dy are read once
//
// Predict: which factor follows from the bytes, forward and backward?
#include "lines.h"
#include "vectors.h"

namespace {

// What a last-level cache may keep for one program.
constexpr double kCache = 0x1p25;

const float* widened(const float* x, i64, std::vector<float>&) { return x; }
template <class T> const float* widened(const T* x, i64 count, std::vector<float>& buffer) {
  buffer.resize(count);
  float* const to = buffer.data();
  for (i64 i = 0; i < count; ++i) to[i] = wb::to_float(x[i]);
  return to;
}

template <class T> void forward(const Norm<T>& n, bool past_caches) {
#pragma omp parallel if (n.rows * n.columns > kWorthCores)
  {
    std::vector<float> buffer;
#pragma omp for schedule(static) nowait
    for (i64 row = 0; row < n.rows; ++row) {
      const float* x = widened(n.row_of_x(row), n.columns, buffer);
      const auto [mean, rstd] = two_passes(n, x);
      const float own_mean = mean, own_rstd = rstd;
      const auto write = [&](i64 from, T* to, auto count) {
        normalize(x + from, own_mean, own_rstd, n.weight + from, n.bias ? n.bias + from : nullptr,
                  to, count);
      };
      T* const y = n.y + row * n.columns;
      past_caches ? in_lines(y, n.columns, write) : write(0, y, n.columns);
    }
    finish_streaming();
  }
}

template <class T> void backward(const Norm<T>& n, bool past_caches, std::vector<float>& sums) {
  by_slabs(n, sums, [&](i64 first, i64 behind, float* dweight, float* dbias) {
    for (i64 row = first; row < behind; ++row) {
      const T *x = n.row_of_x(row), *dy = n.dy + row * n.columns;
      const float mean = n.saved_mean(row), rstd = n.rstd[row];
      const RowMeans means = means_of(n, row);
      const auto write = [&](i64 from, T* to, auto count) {
        dx_of(x + from, dy + from, n.weight + from, mean, rstd, means, to, count);
      };
      T* const dx = n.dx + row * n.columns;
      past_caches ? in_lines(dx, n.columns, write) : write(0, dx, n.columns);
      add_to_columns(x, dy, mean, rstd, dweight, dbias, n.columns);
    }
    finish_streaming();
  });
}

bool past_caches(const LayerNorm::Args& p) { return LayerNorm::cost(p).bytes() > kCache; }

auto make(const LayerNorm::Args& p) {
  return [p, sums = std::vector<float>()]() mutable {
    with_norm(p, [&](auto n) {
      p.backward ? backward(n, past_caches(p), sums) : forward(n, past_caches(p));
    });
  };
}

std::string note(const LayerNorm::Args& p) {
  return past_caches(p) ? "a core per row; the result goes past the caches"
                        : "a core per row; the result may stay in a cache";
}

}  // namespace

WB_CPU(LayerNorm, optimized, make);
WB_CASE_NOTE(LayerNorm, note);
