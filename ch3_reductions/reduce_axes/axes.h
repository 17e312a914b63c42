// Any set of axes on all cores (plan.h): a task is some results and the steps that they take. Few
// results are shared by several tasks, and what these leave is combined in a fixed order. Tasks do
// not depend on the number of cores, and neither does the result.
#pragma once

#include <vector>

#include "operations.h"
#include "plan.h"

namespace {

constexpr i64 kTile = 2048;           // columns of a task: their accumulators stay in L1
constexpr i64 kRun = 1 << 16;         // elements of a row at a time
constexpr i64 kTasks = 64;            // enough for all cores, and for these to end together
constexpr i64 kWorthCores = 1 << 15;  // elements of x; with fewer, one core is done sooner

// value[j] of column j of the `steps` rows at x + places.offset(step), four rows at a time, so that
// each accumulator is read and written once for four elements.
template <class Op, class T>
void over_columns(const T* x, const Places& places, i64 from, i64 to, i64 columns, float* value) {
  const auto row = [&](i64 step) { return x + places.offset(static_cast<unsigned>(step)); };
  i64 step = from;
  for (; step + 4 <= to; step += 4) {
    const T *a = row(step), *b = row(step + 1), *c = row(step + 2), *d = row(step + 3);
    for (i64 j = 0; j < columns; ++j)
      value[j] =
          Op::combine(value[j], Op::combine(Op::combine(wb::to_float(a[j]), wb::to_float(b[j])),
                                            Op::combine(wb::to_float(c[j]), wb::to_float(d[j]))));
  }
  for (; step < to; ++step) {
    const T* a = row(step);
    for (i64 j = 0; j < columns; ++j) value[j] = Op::combine(value[j], wb::to_float(a[j]));
  }
}

struct Tasks {
  Plan places;       // with steps of a run for rows; its teams and pieces are a GPU's
  i64 columns;       // of the innermost group, where that is kept; else 1
  i64 inner;         // elements of that group
  i64 tiles, runs;   // tasks across the columns; runs per row's group
  i64 steps, outer;  // per result; kept places, the columns aside
  i64 pieces, share;

  explicit Tasks(const Shape& shape) {
    places.shape = collapse(shape);
    const Collapsed& c = places.shape;
    const bool rows = c.rows();
    const i64 reduced = c.product(true), results = c.product(false);
    inner = c.count ? c.group[c.count - 1].size : 1;
    places.kernel = rows ? Kernel::rows : Kernel::columns;
    runs = rows ? (inner + kRun - 1) / kRun : 1;
    places.packs = runs, places.width = kRun;
    columns = rows ? 1 : inner;
    tiles = (columns + kTile - 1) / kTile;
    steps = rows ? (inner ? reduced / inner * runs : 0) : reduced;
    outer = columns ? results / columns : 0;
    if (steps > INT32_MAX || outer > INT32_MAX) throw wb::Unsupported("more than 2^31 steps");
    const i64 wanted = std::max<i64>(kTasks / std::max<i64>(outer * tiles, 1), 1);
    share = std::max<i64>((steps + wanted - 1) / wanted, 1);
    pieces = std::max<i64>((steps + share - 1) / share, 1);
  }
  i64 count() const { return outer * tiles; }
};

template <class Op, class T> class Reduction {
 public:
  explicit Reduction(const Shape& shape)
      : t_(shape),
        left_(t_.pieces > 1 ? t_.count() * t_.pieces * std::min(kTile, t_.columns) : 0) {}

  void run(const T* x, T* y, float divisor) {
    const Places kept = kept_places(t_.places), reduced = reduced_places(t_.places);
    const i64 tile = std::min(kTile, t_.columns);
    const bool rows = t_.places.kernel == Kernel::rows;
    [[maybe_unused]] const bool cores = t_.count() * t_.steps * t_.inner > kWorthCores;
#pragma omp parallel for schedule(static) if (cores)
    for (i64 task = 0; task < t_.count() * t_.pieces; ++task) {
      const i64 team = task / t_.pieces, piece = task % t_.pieces;
      const i64 first = team % t_.tiles * tile, columns = std::min(tile, t_.columns - first);
      const i64 from = piece * t_.share, to = std::min(from + t_.share, t_.steps);
      const T* begin = x + kept.offset(static_cast<unsigned>(team / t_.tiles)) + first;
      float value[kTile];
      std::fill_n(value, columns, Op::identity);
      if (!rows)
        over_columns<Op>(begin, reduced, from, to, columns, value);
      else
        for (i64 step = from; step < to; ++step)
          value[0] = Op::combine(value[0],
                                 over_span<Op>(begin + reduced.offset(step),
                                               std::min(kRun, t_.inner - step % t_.runs * kRun)));
      if (t_.pieces > 1)
        std::copy_n(value, columns, left_.data() + task * tile);
      else
        finish(y, team, columns, value, divisor);
    }
    if (t_.pieces == 1) return;
#pragma omp parallel for schedule(static) if (cores && t_.count() > 1)
    for (i64 team = 0; team < t_.count(); ++team) {
      const i64 columns = std::min(tile, t_.columns - team % t_.tiles * tile);
      float* const value = left_.data() + team * t_.pieces * tile;
      for (i64 piece = 1; piece < t_.pieces; ++piece)
        for (i64 j = 0; j < columns; ++j) value[j] = Op::combine(value[j], value[piece * tile + j]);
      finish(y, team, columns, value, divisor);
    }
  }

  std::string text() const {
    const bool rows = t_.places.kernel == Kernel::rows;
    std::string all = t_.places.shape.text() + (rows ? ": rows, " : ": columns, ");
    all +=
        std::to_string(t_.count() * t_.pieces) + (t_.count() * t_.pieces == 1 ? " task" : " tasks");
    return t_.pieces > 1 ? all + ", " + std::to_string(t_.pieces) + " per result" : all;
  }

 private:
  void finish(T* y, i64 team, i64 columns, const float* value, float divisor) const {
    y += team / t_.tiles * t_.columns + team % t_.tiles * kTile;
    for (i64 j = 0; j < columns; ++j) y[j] = wb::from_float<T>(value[j] / divisor);
  }

  Tasks t_;
  std::vector<float> left_;
};

}  // namespace
