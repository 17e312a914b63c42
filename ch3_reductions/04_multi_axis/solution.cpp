// The exercise, solved. After collapsing, the innermost group is a plain loop. Coordinates in the
// groups around it are counted, not divided: reduced groups by an odometer, the kept ones once per
// task. A task has up to 1024 columns, or one row.
#include "arrays.h"

namespace {

constexpr i64 kColumns = 1024, kChain = 32;

struct Group {
  i64 size, stride;
};
struct Groups {
  int count = 0;
  Group group[kMostAxes];  // innermost first
  i64 product() const {
    i64 all = 1;
    for (int g = 0; g < count; ++g) all *= group[g].size;
    return all;
  }
};

// Kept and reduced groups, and the innermost one of both.
struct Grouped {
  Groups of[2];
  Group inner{1, 1};
  bool rows = false;
};

Grouped group(const Shape& s) {
  Grouped all;
  i64 stride = 1;
  int last = -1;  // kind of the group before: none yet, kept, reduced
  bool inner = true;
  for (int a = s.rank - 1; a >= 0; stride *= s.size[a--]) {
    if (s.size[a] == 1) continue;
    Groups& own = all.of[s.reduced[a]];
    if (last < 0) all.rows = s.reduced[a];
    if (last >= 0 && last != s.reduced[a]) inner = false;
    if (inner)
      all.inner.size *= s.size[a];
    else if (last == s.reduced[a])
      own.group[own.count - 1].size *= s.size[a];
    else
      own.group[own.count++] = {s.size[a], stride};
    last = s.reduced[a];
  }
  return all;
}

// f(offset) for each place of the groups, in order.
template <class F> void each_place(const Groups& groups, F f) {
  i64 at[kMostAxes] = {}, offset = 0;
  for (i64 i = groups.product(); i > 0; --i) {
    f(offset);
    for (int g = 0; g < groups.count; ++g) {
      offset += groups.group[g].stride;
      if (++at[g] < groups.group[g].size) break;
      offset -= groups.group[g].stride * groups.group[g].size;
      at[g] = 0;
    }
  }
}

i64 place(const Groups& groups, i64 index) {
  i64 offset = 0;
  for (int g = 0; g < groups.count; ++g) {
    offset += index % groups.group[g].size * groups.group[g].stride;
    index /= groups.group[g].size;
  }
  return offset;
}

template <class Op, class T> float of_row(const T* x, i64 count) {
  float value[kChain], rest = Op::identity();
  std::fill_n(value, kChain, Op::identity());
  i64 i = 0;
  for (; i + kChain <= count; i += kChain)
    for (int j = 0; j < kChain; ++j) value[j] = Op::combine(value[j], wb::to_float(x[i + j]));
  for (; i < count; ++i) rest = Op::combine(rest, wb::to_float(x[i]));
  for (const float v : value) rest = Op::combine(rest, v);
  return rest;
}

void run(const MultiAxis::Args& p) {
  const Grouped g = group(p.shape);
  const Groups &kept = g.of[0], &reduced = g.of[1];
  const i64 columns = g.rows ? 1 : g.inner.size, tiles = (columns + kColumns - 1) / kColumns;
  with_arrays(p, [&](auto op, auto a) {
    using Op = decltype(op);
    if (a.results == 0) return;
    const bool rows = g.rows;  // clang++ 14 finds no g in a lambda below the pragma
    const i64 row = g.inner.size;
#pragma omp parallel for schedule(static)
    for (i64 task = 0; task < kept.product() * tiles; ++task) {
      const i64 outer = task / tiles, first = task % tiles * kColumns;
      const i64 own = std::min(kColumns, columns - first);
      const auto* x = a.x + place(kept, outer) + first;
      float value[kColumns];
      std::fill_n(value, own, Op::identity());
      each_place(reduced, [&](i64 offset) {
        if (rows)
          value[0] = Op::combine(value[0], of_row<Op>(x + offset, row));
        else
          for (i64 j = 0; j < own; ++j)
            value[j] = Op::combine(value[j], wb::to_float(x[offset + j]));
      });
      for (i64 j = 0; j < own; ++j) a.finish(outer * columns + first + j, value[j]);
    }
  });
}

}  // namespace

WB_CPU(MultiAxis, solution, run);
