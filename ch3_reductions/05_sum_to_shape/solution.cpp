// The exercise, solved: x as (outer, kept, inner). Where inner is more than 1, a task is a result,
// which takes `outer` spans; elsewhere it is up to 512 neighbouring results, whose accumulators
// stay in L1 while the rows go by. Shapes of another form are added by one core, element by
// element.
#include <vector>

#include "arrays.h"

namespace {

constexpr i64 kColumns = 512, kChain = 64;

struct Form {
  i64 outer = 1, kept = 1, inner = 1;
};

bool form_of(const Shape& shape, Form& f) {
  i64* const group[] = {&f.inner, &f.kept, &f.outer};
  int at = 0;
  for (int a = shape.rank - 1; a >= 0; --a) {
    if (shape.size[a] == 1) continue;
    if (shape.reduced[a] != (at % 2 == 0)) ++at;
    if (at > 2) return false;
    *group[at] *= shape.size[a];
  }
  return true;
}

template <class T> void rows(const Arrays<T>& a, const Form& f) {
#pragma omp parallel for schedule(static)
  for (i64 k = 0; k < f.kept; ++k) {
    float value[kChain] = {}, rest = 0;
    for (i64 o = 0; o < f.outer; ++o) {
      const T* x = a.x + (o * f.kept + k) * f.inner;
      i64 i = 0;
      for (; i + kChain <= f.inner; i += kChain)
        for (int j = 0; j < kChain; ++j) value[j] += wb::to_float(x[i + j]);
      for (; i < f.inner; ++i) rest += wb::to_float(x[i]);
    }
    for (const float v : value) rest += v;
    a.y[k] = wb::from_float<T>(rest);
  }
}

template <class T> void columns(const Arrays<T>& a, const Form& f) {
#pragma omp parallel for schedule(static)
  for (i64 first = 0; first < f.kept; first += kColumns) {
    const i64 own = std::min(kColumns, f.kept - first);
    float value[kColumns] = {};
    for (i64 o = 0; o < f.outer; ++o)
      for (i64 j = 0; j < own; ++j) value[j] += wb::to_float(a.x[o * f.kept + first + j]);
    for (i64 j = 0; j < own; ++j) a.y[first + j] = wb::from_float<T>(value[j]);
  }
}

auto make(const SumToShape::Args& p) {
  Form f;
  const bool form = form_of(p.shape, f) && p.shape.results() > 0;
  return [p, f, form, sum = std::vector<float>(form ? 0 : p.shape.results())]() mutable {
    with_arrays(p, [&](auto a) {
      if (form) return f.inner != 1 ? rows(a, f) : columns(a, f);
      std::fill(sum.begin(), sum.end(), 0.0f);
      Odometer at(p.shape, 0);
      for (i64 i = 0; i < a.elements; ++i, at.next()) sum[at.place()] += wb::to_float(a.x[i]);
      a.store(sum.data());
    });
  };
}

}  // namespace

WB_CPU(SumToShape, solution, make);
