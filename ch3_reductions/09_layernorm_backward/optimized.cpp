// Changes against step 1: x and dy are read once. A slab adds a row to its columns while the row is
// in a cache. dx leaves in whole lines past the caches (lines.h), and the next rows are asked for
// meanwhile, as in optimized.cpp of the forward pass.
//
// Predict: which factor follows from the bytes?
#include "../shared/lines.h"
#include "gradients.h"

namespace {

constexpr double kLongRow = 0x1p10;  // bytes; below it, arithmetic decides

template <class T> void backward(const Norm<T>& n, bool past_caches, std::vector<float>& sums) {
  const i64 ahead = rows_ahead<T>(n.columns);
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

auto make(const LayerNormBackward::Args& p) {
  const double row = static_cast<double>(p.columns) * LayerNormBackward::element_bytes(p.dtype);
  const bool past_caches = LayerNormBackward::cost(p).bytes() > kCache && row >= kLongRow;
  return [=, sums = std::vector<float>()]() mutable {
    with_norm(p, [&](auto n) { backward(n, past_caches, sums); });
  };
}

}  // namespace

WB_CPU(LayerNormBackward, optimized, make);
