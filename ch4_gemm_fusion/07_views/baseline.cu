// Reshape first, multiply then: every head is copied to a separate matrix, transposed where it was
// stored that way, and the products are copied back next to each other.
// `x.permute(...).contiguous()` does that before a product, and a routine asks for it that takes
// dense matrices alone.
//
// Predict: how many bytes do the copies move for 16 heads of 2048 x 2048 x 64, and how many the
// product?
#include "contiguous.cuh"
#include "views.h"
#include "wb/cublas.h"
#include "wb/cuda.h"

namespace {

void make_dense(const Views::View<const float>& v, wb::i64 heads, bool transposed, float* to,
                cudaStream_t stream) {
  if (transposed)
    transpose_heads<<<blocks_of(v.columns, kTile, v.rows, kTile, heads), dim3(kTile, kStep), 0,
                      stream>>>(v.rows, v.columns, v.data, v.stride, v.leading, to);
  else
    copy_heads<<<blocks_of(v.columns, 64, v.rows, 4, heads), dim3(64, 4), 0, stream>>>(
        v.rows, v.columns, v.data, v.stride, v.leading, to, v.rows * v.columns, v.columns);
  WB_CHECK(cudaGetLastError());
}

auto make(const Views::Args& p) {
  return [p, handle = wb::make_cublas(), a = wb::make_device_array<float>(p.heads * p.m * p.k),
          b = wb::make_device_array<float>(p.heads * p.k * p.n),
          c = wb::make_device_array<float>(p.heads * p.m * p.n)](cudaStream_t stream) {
    WB_CHECK_CUBLAS(cublasSetStream(handle.get(), stream));
    if (p.heads * p.m * p.n == 0) return;
    if (p.k > 0) {
      make_dense(p.a, p.heads, p.a_transposed, a.get(), stream);
      make_dense(p.b, p.heads, p.b_transposed, b.get(), stream);
    }
    // cuBLAS thinks in columns: with B before A, row-major C comes out
    // (ch1_basics/08_batched_gemm).
    const float one = 1, zero = 0;
    const int m = p.m, n = p.n, k = p.k;
    WB_CHECK_CUBLAS(cublasSgemmStridedBatched(handle.get(), CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one,
                                              b.get(), n, p.k * p.n, a.get(), std::max(k, 1),
                                              p.m * p.k, &zero, c.get(), n, p.m * p.n, p.heads));
    copy_heads<<<blocks_of(p.n, 64, p.m, 4, p.heads), dim3(64, 4), 0, stream>>>(
        m, n, c.get(), p.m * p.n, p.n, p.c.data, p.c.stride, p.c.leading);
    WB_CHECK(cudaGetLastError());
  };
}

}  // namespace

WB_CUDA(Views, baseline, make);
