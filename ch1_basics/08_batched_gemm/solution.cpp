// The exercise, solved: one parallel loop over the batch, and blocks of C, two vectors wide and 4
// rows high, whose sums stay in registers while the block walks along k: 8 of the 16 that AVX2 has.
// Each value of A that is loaded serves two vectors, each vector of B serves 4 rows.
#include <algorithm>
#include <cstring>

#include "batched_gemm.h"
#include "wb/cpu.h"

namespace {

// Lanes that are multiplied and added at once: the widest that the machine has.
#ifdef __AVX512F__
constexpr int kLanes = 16;
#elif defined(__AVX__)
constexpr int kLanes = 8;
#else
constexpr int kLanes = 4;
#endif
using Vector [[gnu::vector_size(4 * kLanes)]] = float;
constexpr int kRows = 4, kColumns = 2 * kLanes;

Vector load(const float* from) {
  Vector v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
void store(float* to, Vector v) { std::memcpy(to, &v, sizeof v); }

// kRows x kColumns values of C, whole.
void block(const BatchedGemm::Args& p, const float* a, const float* b, float* c) {
  Vector left_sum[kRows] = {}, right_sum[kRows] = {};
  for (wb::i64 l = 0; l < p.k; ++l) {
    const Vector left = load(b + l * p.n), right = load(b + l * p.n + kLanes);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      left_sum[r] += a[r * p.k + l] * left;
      right_sum[r] += a[r * p.k + l] * right;
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    store(c + r * p.n, left_sum[r]);
    store(c + r * p.n + kLanes, right_sum[r]);
  }
}

// What is left over at the right and lower edge.
void rim(const BatchedGemm::Args& p, int rows, int columns, const float* a, const float* b,
         float* c) {
  float sum[kRows][kColumns] = {};
  for (wb::i64 l = 0; l < p.k; ++l)
    for (int r = 0; r < rows; ++r)
      for (int q = 0; q < columns; ++q) sum[r][q] += a[r * p.k + l] * b[l * p.n + q];
  for (int r = 0; r < rows; ++r) std::copy(sum[r], sum[r] + columns, c + r * p.n);
}

void multiply(const BatchedGemm::Args& p, const float* a, const float* b, float* c) {
  for (wb::i64 i = 0; i < p.m; i += kRows) {
    for (wb::i64 j = 0; j < p.n; j += kColumns) {
      const int rows = std::min<wb::i64>(kRows, p.m - i);
      const int columns = std::min<wb::i64>(kColumns, p.n - j);
      if (rows == kRows && columns == kColumns)
        block(p, a + i * p.k, b + j, c + i * p.n + j);
      else
        rim(p, rows, columns, a + i * p.k, b + j, c + i * p.n + j);
    }
  }
}

void run(const BatchedGemm::Args& p) {
#pragma omp parallel for schedule(static)
  for (wb::i64 matrix = 0; matrix < p.batch; ++matrix)
    multiply(p, p.a + matrix * p.m * p.k, p.b + matrix * p.k * p.n, p.c + matrix * p.m * p.n);
}

}  // namespace

WB_CPU(BatchedGemm, solution, run);
