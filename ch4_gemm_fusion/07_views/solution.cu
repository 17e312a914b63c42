// The exercise, solved. A matrix that is stored transposed has rows of the other size: A of layout
// tn has k rows of m, B of layout nt has n rows of k. And the heads of C are next to each other as
// all others are, so its rows are heads * n apart, and the next head begins n elements after this
// one.
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
Operand operand(const float* data, wb::i64 heads, wb::i64 rows, wb::i64 columns, bool transposed) {
  const wb::i64 width = transposed ? rows : columns;
  return {transposed ? CUBLAS_OP_T : CUBLAS_OP_N, data, std::max<wb::i64>(heads * width, 1), width};
}

auto make(const Views::Args& p) {
  return [p, handle = wb::make_cublas()](cudaStream_t stream) {
    WB_CHECK_CUBLAS(cublasSetStream(handle.get(), stream));
    if (p.heads * p.m * p.n == 0) return;
    const Operand a = operand(p.a.data, p.heads, p.m, p.k, p.a_transposed);
    const Operand b = operand(p.b.data, p.heads, p.k, p.n, p.b_transposed);
    const float one = 1, zero = 0;
    // B before A: cuBLAS thinks in columns.
    WB_CHECK_CUBLAS(cublasSgemmStridedBatched(handle.get(), b.op, a.op, p.n, p.m, p.k, &one, b.data,
                                              b.leading, b.stride, a.data, a.leading, a.stride,
                                              &zero, p.c.data, p.heads * p.n, p.n, p.heads));
  };
}

}  // namespace

WB_CUDA(Views, solution, make);
