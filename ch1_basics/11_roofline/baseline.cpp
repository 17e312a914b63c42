// Each operation as one writes it first: the loops of its definition, on all cores.
//
// Predict: where is each operation on the roofline, by the header's table alone? Which are below
// the slope of your machine, and which below the flat part? Which of them will come closest to its
// roof?
#include "roofline.h"
#include "wb/cpu.h"

namespace {

using wb::i64;

void add(const Roofline::Args& p) {
#pragma omp parallel for schedule(static)
  for (i64 i = 0; i < p.n; ++i) p.c[i] = p.a[i] + p.b[i];
}

void gemv(const Roofline::Args& p) {
#pragma omp parallel for schedule(static)
  for (i64 i = 0; i < p.m; ++i) {
    float sum = 0;
    for (i64 j = 0; j < p.n; ++j) sum += p.a[i * p.n + j] * p.b[j];
    p.c[i] = sum;
  }
}

void five_points(const Roofline::Args& p) {
  const i64 m = p.m, n = p.n;
#pragma omp parallel for schedule(static)
  for (i64 i = 0; i < m; ++i)
    for (i64 j = 0; j < n; ++j) {
      const float* here = p.a + i * n + j;
      const float up = i > 0 ? here[-n] : 0, down = i + 1 < m ? here[n] : 0;
      const float left = j > 0 ? here[-1] : 0, right = j + 1 < n ? here[1] : 0;
      p.c[i * n + j] = stencil(*here, up, down, left, right);
    }
}

void matmul(const Roofline::Args& p) {
#pragma omp parallel for schedule(static)
  for (i64 i = 0; i < p.m; ++i)
    for (i64 j = 0; j < p.n; ++j) {
      float sum = 0;
      for (i64 l = 0; l < p.k; ++l) sum += p.a[i * p.k + l] * p.b[l * p.n + j];
      p.c[i * p.n + j] = sum;
    }
}

void run(const Roofline::Args& p) {
  switch (p.op) {
    case Op::add: return add(p);
    case Op::gemv: return gemv(p);
    case Op::stencil: return five_points(p);
    case Op::matmul: return matmul(p);
  }
}

}  // namespace

WB_CPU(Roofline, baseline, run);
