// Bug hunt: all heads in one cuBLAS call, nothing copied. It is wrong:
//
//   ./workbook test 07_views/exercise
//
// One head of layout nn is right. Several heads are not, and transposed ones read the wrong
// elements.
//
// TODO: two of the numbers that describe the matrices are wrong. For each of A, B and C write down
//       how far it is in memory from a row to the next, and from a head to the next.
// Goal: right at every size
// Hints are in README.md.
#include "views.h"
#include "wb/cublas.h"
#include "wb/cuda.h"

namespace {

struct Operand {
  cublasOperation_t op;
  const float* data;
  wb::i64 leading, stride;
};

// A matrix that is multiplied as rows x columns, of which every head has one.
Operand operand(const float* data, wb::i64 heads, wb::i64 columns, bool transposed) {
  return {transposed ? CUBLAS_OP_T : CUBLAS_OP_N, data, std::max<wb::i64>(heads * columns, 1),
          columns};
}

auto make(const Views::Args& p) {
  return [p, handle = wb::make_cublas()](cudaStream_t stream) {
    WB_CHECK_CUBLAS(cublasSetStream(handle.get(), stream));
    if (p.heads * p.m * p.n == 0) return;
    const Operand a = operand(p.a.data, p.heads, p.k, p.a_transposed);
    const Operand b = operand(p.b.data, p.heads, p.n, p.b_transposed);
    const float one = 1, zero = 0;
    // B before A: cuBLAS thinks in columns.
    WB_CHECK_CUBLAS(cublasSgemmStridedBatched(handle.get(), b.op, a.op, p.n, p.m, p.k, &one, b.data,
                                              b.leading, b.stride, a.data, a.leading, a.stride,
                                              &zero, p.c.data, p.n, p.m * p.n, p.heads));
  };
}

}  // namespace

WB_CUDA(Views, exercise, make);
