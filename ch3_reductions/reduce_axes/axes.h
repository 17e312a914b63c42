// Any set of axes on all cores, after collapsing them (plan.h). Each task walks a part of x in the
// order of memory, which prefetchers follow, and has its own accumulators. The parts are cut along
// the two outermost groups. Cuts along the kept group need nothing more. Where these would make
// short pieces, the reduced group is cut: then each part has a copy of the results, and the copies
// are combined in a fixed order. Parts do not depend on the number of cores, and neither does the
// result.
#pragma once

#include <string>
#include <vector>

#include "operations.h"
#include "plan.h"

namespace {

constexpr i64 kTasks = 32;            // enough for all cores, and for these to end together
constexpr i64 kPerCopy = 16;          // elements of x for each element of the copies, at least
constexpr i64 kLong = 1024;           // elements of a row, and no fewer than a page of 4 KiB
constexpr i64 kWorthCores = 1 << 15;  // elements of x; with fewer, one core is done sooner

struct Range {
  i64 begin, end;
  i64 size() const { return end - begin; }
};
inline Range part(i64 size, i64 parts, i64 i) { return {size * i / parts, size * (i + 1) / parts}; }

// value[j] of column j of `rows` rows, which begin `stride` elements apart. Long rows are taken
// four at a time, so that each accumulator is read and written once for four elements. Short ones
// share a page, where a prefetcher follows a single stream, so they are taken one by one.
template <class Op, class T>
void over_columns(const T* x, i64 rows, i64 stride, i64 columns, float* value) {
  i64 row = 0;
  for (; columns >= kLong && row + 4 <= rows; row += 4) {
    const T *a = x + row * stride, *b = a + stride, *c = b + stride, *d = c + stride;
    for (i64 j = 0; j < columns; ++j)
      value[j] =
          Op::combine(value[j], Op::combine(Op::combine(wb::to_float(a[j]), wb::to_float(b[j])),
                                            Op::combine(wb::to_float(c[j]), wb::to_float(d[j]))));
  }
  for (; row < rows; ++row)
    for (i64 j = 0; j < columns; ++j)
      value[j] = Op::combine(value[j], wb::to_float(x[row * stride + j]));
}

template <class Op, class T> class Reduction {
 public:
  explicit Reduction(const Shape& shape)
      : c_(collapse(shape)), results_(c_.product(false)), elements_(shape.elements()) {
    if (c_.count == 0) c_.group[c_.count++] = {1, 1, false};  // one element
    reduced_ = c_.group[0].reduced ? 0 : 1;
    cut(elements_ < kWorthCores ? 1 : kTasks);
    sums_.resize(results_ * copies());
    i64 apart = 1;
    for (int g = c_.count - 1; g >= 0; --g) {
      step_[g] = c_.group[g].reduced ? 0 : apart;
      if (!c_.group[g].reduced) apart *= c_.group[g].size;
    }
  }

  void run(const T* x, T* y, float divisor) {
    const i64 kept_parts = parts_[1 - reduced_];
#pragma omp parallel for schedule(static) if (elements_ >= kWorthCores)
    for (i64 task = 0; task < kept_parts * copies(); ++task) {
      const i64 copy = task % copies(), own = task / copies();
      Range range[2];
      range[reduced_] = part(size(reduced_), copies(), copy);
      range[1 - reduced_] = part(size(1 - reduced_), kept_parts, own);
      // The results of a range of the outermost kept group are neighbours.
      const i64 per_place = results_ / std::max<i64>(size(1 - reduced_), 1);
      const Range kept = range[1 - reduced_];
      float* const sums = sums_.data() + copy * results_;
      std::fill_n(sums + kept.begin * per_place, kept.size() * per_place, Op::identity());
      if (elements_ > 0) walk(x, range, sums);
      if (copies() == 1) finish(y, {kept.begin * per_place, kept.end * per_place}, divisor);
    }
    if (copies() == 1) return;
#pragma omp parallel for schedule(static) if (results_ * copies() >= kWorthCores)
    for (i64 i = 0; i < kTasks; ++i) {
      const Range own = part(results_, kTasks, i);
      for (i64 copy = 1; copy < copies(); ++copy)
        for (i64 j = own.begin; j < own.end; ++j)
          sums_[j] = Op::combine(sums_[j], sums_[copy * results_ + j]);
      finish(y, own, divisor);
    }
  }

  std::string text() const {
    const i64 tasks = parts_[0] * parts_[1];
    std::string all = c_.text() + (c_.rows() ? ": rows, " : ": columns, ") + std::to_string(tasks) +
                      (tasks == 1 ? " task" : " tasks");
    return copies() == 1 ? all : all + ", " + std::to_string(copies()) + " copies of the results";
  }

 private:
  i64 copies() const { return parts_[reduced_]; }
  i64 size(int g) const { return g < c_.count ? c_.group[g].size : 1; }

  // The kept group where what its parts read in one go is long; else the reduced one, into as many
  // parts as copies are cheap for; and then what is left of `tasks`.
  void cut(i64 tasks) {
    const int kept = 1 - reduced_;
    const auto at_most = [&](int g) { return std::clamp<i64>(size(g), 1, tasks / parts_[1 - g]); };
    const i64 stride = kept < c_.count ? c_.group[kept].stride : 1;
    if (kept == 0 || size(kept) / at_most(kept) * stride >= kLong) parts_[kept] = at_most(kept);
    const i64 cheap = elements_ / (kPerCopy * std::max<i64>(results_, 1));
    parts_[reduced_] = std::clamp<i64>(cheap, 1, at_most(reduced_));
    parts_[kept] = at_most(kept);
  }

  // All runs of the innermost group, or of rows of it, in the given ranges of the outermost groups.
  void walk(const T* x, const Range (&range)[2], float* sums) const {
    const int last = c_.count - 1;
    const bool pairs = !c_.rows() && last > 0;  // the group before the columns is their rows
    const int outer = pairs ? last - 1 : last;  // groups that the odometer counts
    const auto of = [&](int g) { return g < 2 ? range[g] : Range{0, c_.group[g].size}; };
    i64 at[kMostAxes], turns = 1, offset = of(last).begin, result = of(last).begin * step_[last];
    for (int g = 0; g < last; ++g) {
      at[g] = of(g).begin;
      offset += at[g] * c_.group[g].stride, result += at[g] * step_[g];
      if (g < outer) turns *= of(g).size();
    }
    const i64 run = of(last).size(), rows = pairs ? of(outer).size() : 1;
    for (; turns > 0; --turns) {
      if (c_.rows())
        sums[result] = Op::combine(sums[result], over_span<Op>(x + offset, run));
      else
        over_columns<Op>(x + offset, rows, pairs ? c_.group[outer].stride : 0, run, sums + result);
      for (int g = outer - 1; g >= 0; --g) {
        offset += c_.group[g].stride, result += step_[g];
        if (++at[g] < of(g).end) break;
        offset -= of(g).size() * c_.group[g].stride, result -= of(g).size() * step_[g];
        at[g] = of(g).begin;
      }
    }
  }

  void finish(T* y, Range own, float divisor) const {
    for (i64 j = own.begin; j < own.end; ++j) y[j] = wb::from_float<T>(sums_[j] / divisor);
  }

  Collapsed c_;
  i64 results_, elements_, parts_[2] = {1, 1};
  int reduced_;              // which of the two outermost groups is reduced
  i64 step_[kMostAxes];      // from a result to the next along a group; 0 along reduced ones
  std::vector<float> sums_;  // the results, once per part of the reduced group
};

}  // namespace
