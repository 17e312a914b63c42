// Changes against step 2: each array moves once, and nothing else does. (In step 2 two cores take
// half the time of one, so the vectors still decide there.) Where the arrays are larger than what a
// cache keeps, y leaves in whole lines past the caches (lines.h): an ordinary store reads the line
// first, and three arrays move, not two. Such stores come at the end of a row, when nothing is left
// to read, so the rows that come next are asked for meanwhile. In short rows the processor has no
// time to spare.
//
// Predict: which factor follows from the bytes?
#include "../shared/lines.h"
#include "vectors.h"

namespace {

constexpr double kLongRow = 0x1p10;  // bytes; below it, arithmetic decides

template <class T> void forward(const Norm<T>& n, bool past_caches) {
  const i64 ahead = rows_ahead<T>(n.columns);
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

bool past_caches(const LayerNorm::Args& p) {
  const double row = static_cast<double>(p.columns) * LayerNorm::element_bytes(p.dtype);
  return LayerNorm::cost(p).bytes() > kCache && row >= kLongRow;
}

auto make(const LayerNorm::Args& p) {
  return [=] { with_norm(p, [&](auto n) { forward(n, past_caches(p)); }); };
}

std::string note(const LayerNorm::Args& p) {
  return past_caches(p)
             ? "a core per row; the result goes past the caches, the next rows are fetched"
             : "a core per row; small arrays or short rows: ordinary stores";
}

}  // namespace

WB_CPU(LayerNorm, optimized, make);
WB_CASE_NOTE(LayerNorm, note);
